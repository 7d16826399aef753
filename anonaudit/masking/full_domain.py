"""Full-domain generalization with tuple suppression: the release at each node of the lattice.

The table is counted once. The frequency set of a higher node is then computed by roll-up: values
are replaced by their ancestors, and the counts of combinations that become equal are added (TV06
section 2; LeFevre et al., Incognito, 2005).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd

from anonaudit.arrays import Bools, Index
from anonaudit.frequency.codes import MOST_KEYS, Codes, by_column, distinct_rows
from anonaudit.frequency.frequency_set import Counts
from anonaudit.masking.goals import Goal, Groups
from anonaudit.masking.recoding import Microdata
from anonaudit.masking.suppression import short_rows
from anonaudit.masking.trees import Tree
from anonaudit.models.level import whole_number

Node = tuple[int, ...]


@dataclass(frozen=True)
class Lattice:
    """The generalization lattice (TV06 section 2, Figure 2).

    A node is a tuple with one generalization level for each quasi-identifier.

    heights: the highest level of each domain generalization hierarchy.

    >>> lattice = Lattice((1, 2))
    >>> lattice.height, lattice.nodes(1), lattice.predecessors((1, 2))
    (3, [(0, 1), (1, 0)], [(0, 2), (1, 1)])
    """

    heights: Node

    @property
    def height(self) -> int:
        """The height of the top node: the number of steps from the bottom node to the top node."""
        return sum(self.heights)

    def nodes(self, height: int | None = None) -> list[Node]:
        """Return all nodes in ascending order; with `height`, only the nodes of that height."""
        every = product(*(range(high + 1) for high in self.heights))
        return [node for node in every if height is None or sum(node) == height]

    def predecessors(self, node: Node) -> list[Node]:
        """Return the nodes directly below `node`: one attribute is one level less general."""
        return [(*node[:j], level - 1, *node[j + 1 :]) for j, level in enumerate(node) if level > 0]

    @staticmethod
    def is_above(node: Node, other: Node) -> bool:
        """Return True if `node` generalizes `other` or equals `other`."""
        return all(high >= low for high, low in zip(node, other, strict=True))


@dataclass(frozen=True, eq=False)
class Rolled:
    """The frequency set of a table at a lattice node.

    codes: the combinations of values, shape (n, attributes). Quasi-identifiers are given as tree
        nodes, sensitive attributes as codes. If persons have several rows, a last column holds the
        person.
    counts: the number of rows with each combination, shape (n,).
    """

    node: Node
    codes: Codes
    counts: Counts

    def __len__(self) -> int:
        return len(self.counts)


@dataclass(frozen=True, eq=False)
class FullDomain:
    """A table, its hierarchies and a goal; computes the release at any node of the lattice.

    Rows of classes that do not meet the goal are suppressed. If `data.whole_persons` is True, the
    other rows of the same persons are suppressed too (see `short_rows`). At most `threshold` rows
    may be suppressed.

    The goals used here are `KAnonymous` and `PSensitive`: if each of several groups meets such a
    goal, so does their union. Therefore a node never needs more suppressed rows than a node below.
    """

    data: Microdata
    trees: tuple[Tree, ...]
    goal: Goal
    threshold: int = 0

    def __post_init__(self) -> None:
        whole_number("threshold", self.threshold, 0)

    @property
    def lattice(self) -> Lattice:
        """The generalization lattice of the hierarchies."""
        return Lattice(tuple(tree.height for tree in self.trees))

    def bottom(self) -> Rolled:
        """Return the frequency set at the bottom node, where nothing is generalized."""
        data, q = self.data, len(self.trees)
        codes, persons = data.codes, [] if data.persons is None else [data.persons]
        codes = by_column([*self._at(codes[:, :q], (0,) * q).T, *codes[:, q:].T, *persons])
        # Two codes of a column may have the same node: a suppressed cell and the root are both `*`.
        return _merged(Rolled((0,) * q, codes, np.ones(len(codes), np.int64)))

    def roll_up(self, table: Rolled, node: Node) -> Rolled:
        """Return the frequency set at `node`, which must be the node of `table` or above it."""
        codes = table.codes.copy()
        for j, (low, high) in enumerate(zip(table.node, node, strict=True)):
            if low < high:
                codes[:, j] = self.trees[j].up(low, high)[codes[:, j]]
        return _merged(Rolled(node, codes, table.counts))

    def needed(self, table: Rolled, node: Node, most_groups: int | None = None) -> int:
        """Return the same number as `to_suppress` at `node`, without building a frequency set.

        table: a frequency set at `node` or a node below. most_groups: as in `to_suppress`.
        """
        if math.prod(len(tree.loss) for tree in self.trees) > MOST_KEYS:
            return self.to_suppress(self.roll_up(table, node), most_groups)
        key = np.zeros(len(table), np.int64)
        for j, tree in enumerate(self.trees):
            codes = table.codes[:, j]
            if table.node[j] < node[j]:
                codes = tree.up(table.node[j], node[j])[codes]
            key = key * len(tree.loss) + codes
        of, keys = pd.factorize(key)
        return self._short(self._groups(table, of, len(keys)), most_groups)

    def groups(self, table: Rolled) -> Groups:
        """Return the classes of a frequency set, with their sensitive values."""
        keys, of = distinct_rows(table.codes, range(len(self.trees)))
        return self._groups(table, of, len(keys))

    def _groups(self, table: Rolled, of: Index, number: int) -> Groups:
        names, q = self.data.roles.sensitive, len(self.trees)
        persons = None if self.data.persons is None else table.codes[:, -1]
        cells = table.codes[:, q : q + len(names)]
        return Groups(names, cells, of, number, table.counts, persons)

    def to_suppress(self, table: Rolled, most_groups: int | None = None) -> int:
        """Return the number of rows to suppress at the node of `table`.

        The count stops as soon as it exceeds `threshold`. So a result above `threshold` may be less
        than the true number.

        most_groups: an upper bound on the number of classes of a release (TV06 Condition 2); None
            for no bound. If more classes of k rows or more exist, the surplus classes must be
            suppressed too. The bound may show, without a test of p, that the threshold is
            exceeded. It is not used if persons have several rows.
        """
        return self._short(self.groups(table), most_groups)

    def _short(self, groups: Groups, most_groups: int | None) -> int:
        if most_groups is not None and groups.persons is None:
            least = _least_suppressed(groups.rows, getattr(self.goal, "k", None), most_groups)
            if least > self.threshold:
                return least
        return int(groups.counts[self._gone(groups, self.threshold)].sum())

    def _gone(self, groups: Groups, enough: float = math.inf) -> Bools:
        whole = self.data.whole_persons
        return short_rows(groups, self.goal, whole_persons=whole, enough=enough)

    def rows_at(self, node: Node) -> tuple[Codes, Bools]:
        """Return the released values of every row at a lattice node, and the suppressed rows.

        The values are tree nodes, shape (n, quasi-identifiers). The suppressed rows are a mask of
        shape (n,).
        """
        released = self._at(self.data.quasi, node)
        keys, of = distinct_rows(released)
        groups = Groups.of_rows(self.data, np.arange(len(self.data)), of, len(keys))
        return released, self._gone(groups)

    def _at(self, codes: Codes, node: Node) -> Codes:
        columns = [
            tree.path[codes[:, j], level]
            for j, (tree, level) in enumerate(zip(self.trees, node, strict=True))
        ]
        return by_column(columns)


def _merged(table: Rolled) -> Rolled:
    codes, group = distinct_rows(table.codes)
    counts = np.bincount(group, table.counts, len(codes)).astype(np.int64)
    return replace(table, codes=codes, counts=counts)


def _least_suppressed(sizes: Counts, k: int | None, most_groups: int) -> int:
    """Return the least number of rows whose suppression leaves at most `most_groups` classes.

    All classes smaller than k are suppressed first. sizes: the number of rows of each class.
    """
    small = sizes < (k or 1)
    left = np.sort(sizes[~small])
    surplus = max(len(left) - most_groups, 0)
    return int(sizes[small].sum() + left[:surplus].sum())
