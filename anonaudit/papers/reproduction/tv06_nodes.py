"""The k-anonymous nodes of TV06's lattice for a sample, under two readings of Table 7.

The printed node may be k-minimal although our search returns another node, because a binary search
returns one of the nodes of the least height. Table 7 also says "<50 and >50 groups". Read
literally, 50 is a group of its own. Then the second generalization of age splits the range 50-59 of
the first, so the two are no hierarchy. For both reasons this module counts the classes at every
node directly.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.frequency_set import Counts
from anonaudit.masking.full_domain import Lattice, Node
from anonaudit.masking.recoding import Microdata

ColumnLevelArrays = list[npt.NDArray[np.int64]]
LATTICE: Final = Lattice((3, 2, 3, 1))


class Standing(NamedTuple):
    """The position of a node among the nodes that satisfy k-anonymity with suppression.

    satisfies: True if the node satisfies it.
    minimal: True if the node satisfies it, and no node below does.
    least: True if the node satisfies it, and no node of a smaller height does.
    """

    satisfies: bool
    minimal: bool
    least: bool


def levels_of(data: Microdata, *, apart: bool = False) -> list[ColumnLevelArrays]:
    """Return, for each quasi-identifier and level, a number for the generalized value of each row.

    Equal values have equal numbers.

    apart: True if the second generalization of age has the groups below 50, 50, and above 50. By
        default it is that of the hierarchy.
    """
    levels = []
    for j, name in enumerate(data.roles.quasi_identifiers):
        labels, tree = data.labels_of(name)[FIRST_VALUE:], data.hierarchies[name]
        columns = [
            [tree.generalize(label, up) for label in labels] for up in range(tree.height + 1)
        ]
        if apart and name == "age":
            columns[2] = [str(np.sign(int(label) - 50)) for label in labels]
        codes = data.quasi[:, j] - FIRST_VALUE
        levels.append([np.unique(column, return_inverse=True)[1][codes] for column in columns])
    return levels


def sizes_at(levels: list[ColumnLevelArrays], node: Node) -> Counts:
    """Return the sizes of the classes at a node."""
    key = np.zeros(len(levels[0][0]), np.int64)
    for columns, level in zip(levels, node, strict=True):
        key = key * (int(columns[level].max()) + 1) + columns[level]
    sizes = np.bincount(key)
    return sizes[sizes > 0].astype(np.int64)


def small_rows(levels: list[ColumnLevelArrays], k: int) -> dict[Node, int]:
    """Return the number of rows in classes smaller than k, at every node."""
    nodes = {}
    for node in product(*(range(high + 1) for high in LATTICE.heights)):
        sizes = sizes_at(levels, node)
        nodes[node] = int(sizes[sizes < k].sum())
    return nodes


def standing(small: Mapping[Node, int], node: Node, threshold: int = 0) -> Standing:
    """Return the standing of a node if up to `threshold` rows may be suppressed.

    small: node -> the number of rows in classes smaller than k, for every node of the lattice.

    >>> small = {(0, 0): 5, (0, 1): 0, (1, 0): 2, (1, 1): 0}
    >>> standing(small, (1, 1)), standing(small, (1, 0), threshold=2).minimal
    (Standing(satisfies=True, minimal=False, least=False), True)
    """
    good = [one for one, rows in small.items() if rows <= threshold]
    satisfies = node in good
    below = any(Lattice.is_above(node, one) and one != node for one in good)
    lower = any(sum(one) < sum(node) for one in good)
    return Standing(satisfies, satisfies and not below, satisfies and not lower)
