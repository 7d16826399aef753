"""Full-domain generalization with tuple suppression: what a lattice node makes of a table.

The table is counted once. From then on a node is reached by rolling up a frequency set: levels
are replaced by higher ones, and what falls together is added up (TV06 section 2; the roll-up
property of LeFevre et al., Incognito, 2005).
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
from anonaudit.models.level import ParameterError

Node = tuple[int, ...]


@dataclass(frozen=True)
class Lattice:
    """The generalization lattice: one level a quasi-identifier (TV06 section 2, Figure 2).

    heights: the highest level of each domain generalization hierarchy.

    >>> lattice = Lattice((1, 2))
    >>> lattice.height, lattice.nodes(1), lattice.predecessors((1, 2))
    (3, [(0, 1), (1, 0)], [(0, 2), (1, 1)])
    """

    heights: Node

    @property
    def height(self) -> int:
        """The height of the top node: the longest way from the bottom."""
        return sum(self.heights)

    def nodes(self, height: int | None = None) -> list[Node]:
        """All nodes, or those of one height, in ascending order."""
        every = product(*(range(high + 1) for high in self.heights))
        return [node for node in every if height is None or sum(node) == height]

    def predecessors(self, node: Node) -> list[Node]:
        """The nodes directly below: one attribute is one level more specific."""
        return [(*node[:j], level - 1, *node[j + 1 :]) for j, level in enumerate(node) if level > 0]

    @staticmethod
    def is_above(node: Node, other: Node) -> bool:
        """Whether `node` generalizes `other`, or is it."""
        return all(high >= low for high, low in zip(node, other, strict=True))


@dataclass(frozen=True, eq=False)
class Rolled:
    """A frequency set at a node: which combinations there are, and how often.

    codes: shape (n, attributes), tree nodes for the quasi-identifiers, codes for the sensitive;
        where persons have several rows, the person stands in one more column at the end.
    """

    node: Node
    codes: Codes
    counts: Counts

    def __len__(self) -> int:
        return len(self.counts)


@dataclass(frozen=True, eq=False)
class FullDomain:
    """A table, its trees and a goal: what any node of the lattice would release.

    Rows in classes that do not meet the goal are suppressed, up to `threshold` of them, and with
    them all rows of their persons (see `short_rows`). As the goals are met by unions of groups that
    meet them, the rows to suppress become fewer from each node to those above it.
    """

    data: Microdata
    trees: tuple[Tree, ...]
    goal: Goal
    threshold: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.threshold, bool) or self.threshold < 0:
            raise ParameterError(
                f"threshold must be a number of rows, at least 0, not {self.threshold!r}"
            )

    @property
    def lattice(self) -> Lattice:
        """The lattice of the trees."""
        return Lattice(tuple(tree.height for tree in self.trees))

    def bottom(self) -> Rolled:
        """The table as it is."""
        data, q = self.data, len(self.trees)
        codes, persons = data.codes, [] if data.persons is None else [data.persons]
        codes = by_column([*self._at(codes[:, :q], (0,) * q).T, *codes[:, q:].T, *persons])
        # Two codes of a column may be one node already: a suppressed cell below the root `*`.
        return _merged(Rolled((0,) * q, codes, np.ones(len(codes), np.int64)))

    def roll_up(self, table: Rolled, node: Node) -> Rolled:
        """The frequency set at a node above that of `table`."""
        codes = table.codes.copy()
        for j, (low, high) in enumerate(zip(table.node, node, strict=True)):
            if low < high:
                codes[:, j] = self.trees[j].up(low, high)[codes[:, j]]
        return _merged(Rolled(node, codes, table.counts))

    def needed(self, table: Rolled, node: Node, most_groups: int | None = None) -> int:
        """`to_suppress` at a node above that of `table`, without making its frequency set."""
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
        """The classes at a node, with their sensitive values."""
        keys, of = distinct_rows(table.codes, range(len(self.trees)))
        return self._groups(table, of, len(keys))

    def _groups(self, table: Rolled, of: Index, number: int) -> Groups:
        names, q = self.data.roles.sensitive, len(self.trees)
        persons = None if self.data.persons is None else table.codes[:, -1]
        cells = table.codes[:, q : q + len(names)]
        return Groups(names, cells, of, number, table.counts, persons)

    def to_suppress(self, table: Rolled, most_groups: int | None = None) -> int:
        """How many rows of a node are in classes that do not meet the goal.

        most_groups: an upper bound on the classes of a release (TV06 Condition 2). Where more
        classes are left once the small ones are gone, the rest must go class by class; if that
        alone is too much, the count stops there, above the threshold.
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
        """The released nodes of every row at a lattice node, and whether it is suppressed."""
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
    """The fewest rows whose suppression leaves no small class and no more than so many classes."""
    small = sizes < (k or 1)
    left = np.sort(sizes[~small])
    surplus = max(len(left) - most_groups, 0)
    return int(sizes[small].sum() + left[:surplus].sum())
