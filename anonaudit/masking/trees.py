"""Hierarchies as arrays: the ancestor of each code at each level, and lowest common ancestors.

In masking, a missing cell is a separate value whose only ancestor is the root. A cell that is
suppressed in the original is treated in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from anonaudit.arrays import Bools, Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import Codes, distinct_rows
from anonaudit.generalization.hierarchy import ROOT, Hierarchy
from anonaudit.generalization.labels import Interval, exact_number
from anonaudit.masking.recoding import Domain, Microdata
from anonaudit.models.boundaries import Boundaries

Text = str | None


@dataclass(frozen=True, eq=False)
class Spans(Domain):
    """The closed intervals between the numbers of a column, with missing and suppressed cells.

    ends: the lowest and the highest number of each interval, as positions among the sorted numbers,
        shape (n, 2). The position of a missing cell is -2, and the position of a suppressed cell is
        -1. If the lower position is negative and the two positions differ, the value is `*`.
    code: the code of the number at each position, shape (number of numbers,).
    """

    ends: Codes
    code: Codes

    @property
    def covers(self) -> Bools:
        """A mask of the codes in each interval, shape (n, number of codes)."""
        covers = np.zeros((len(self.ends), len(self.code) + FIRST_VALUE), bool)
        for cover, (low, high) in zip(covers, self.ends.tolist(), strict=True):
            if low >= 0:
                cover[self.code[low : high + 1]] = True
            else:
                cover[[low + FIRST_VALUE] if low == high else slice(None)] = True
        return covers


@dataclass(frozen=True, eq=False)
class Tree(Domain):
    """A hierarchy as arrays: its nodes, and the path from each code to the root.

    path: the node of each code at each level, shape (number of codes, height + 1).
    """

    path: Codes

    @property
    def height(self) -> int:
        """The highest level; level 0 has the original values."""
        return int(self.path.shape[1]) - 1

    def up(self, low: int, high: int) -> Codes:
        """Return the ancestor on level `high` of each node of level `low`, shape (n_nodes,).

        A node that is not on level `low` is mapped to itself.
        """
        above = np.arange(len(self.labels))
        above[self.path[:, low]] = self.path[:, high]
        return above

    def meet(self, codes: Codes, group: Index, n_groups: int) -> Codes:
        """Return the lowest common ancestor of the codes of each group, shape (n_groups,).

        codes: the code of each row.
        group: the group of each row. Every group must have a row.

        Source: MCT08 Definition 8.
        """
        some = np.zeros(n_groups, np.int64)
        some[group] = codes
        met: Codes = self.path[some, self.meeting_level(codes, group, n_groups)]
        return met

    def meeting_level(self, codes: Codes, group: Index, n_groups: int) -> Index:
        """Return the lowest level on which all codes of a group have the same node.

        codes: the code of each row.
        group: the group of each row. Every group must have a row.

        Returns shape (n_groups,).
        """
        some, level = np.zeros(n_groups, np.int64), np.zeros(n_groups, np.intp)
        some[group] = codes
        for height in range(1, self.path.shape[1]):
            # If all codes agree on a level, they agree on every higher level.
            apart = self.path[codes, height - 1] != self.path[some, height - 1][group]
            level[group[apart]] = height
        return level

    @property
    def covers(self) -> Bools:
        """A mask of the codes below each node, shape (n, number of codes)."""
        covers = np.zeros((len(self.labels), len(self.path)), bool)
        covers[self.path, np.arange(len(self.path))[:, None]] = True
        return covers

    def joins(self) -> Codes:
        """Return the lowest common ancestor of every two nodes, shape (n_nodes, n_nodes)."""
        nodes = np.arange(len(self.labels))
        return np.array([self.joined(nodes, node) for node in nodes.tolist()], np.int64)

    def joined(self, nodes: Codes, others: int | Codes) -> Codes:
        """Return the lowest common ancestor of each node and its counterpart in `others`.

        others: one node for all, or one node for each of `nodes`. Returns shape (len(nodes),).
        """
        along, first = self._along
        mine, theirs = along[nodes], along[others]
        lowest = np.maximum(first[nodes], first[others])
        shared = (mine == theirs) & (np.arange(along.shape[1]) >= lowest[..., None])
        ancestors: Codes = mine[np.arange(len(mine)), np.argmax(shared, axis=1)]
        return ancestors

    @cached_property
    def _along(self) -> tuple[Codes, Index]:
        """The path of one code below each node, and the lowest level of the node on this path.

        Shapes: (n_nodes, height + 1) and (n_nodes,).
        """
        some = np.zeros(len(self.labels), np.int64)
        some[self.path] = np.arange(len(self.path))[:, None]
        along = self.path[some]
        return along, np.argmax(along == np.arange(len(some))[:, None], axis=1)


def tree_of(data: Microdata, attribute: str, boundaries: Sequence[str] = ()) -> Tree:
    """Return the hierarchy of one attribute of a table.

    An attribute without a hierarchy gets a flat one: every value is a child of the root.

    boundaries: the maximum allowed generalization values (MCT08 Definition 3). No value is
        generalized beyond the first of them on its path to the root. With boundaries, missing and
        suppressed cells are not generalized at all, and upper levels on which no value changes are
        cut off. Empty for no limit.

    Raises HierarchyError if the hierarchy lacks a value of the attribute.
    """
    labels = data.labels_of(attribute)
    values, hierarchy = labels[FIRST_VALUE:], data.hierarchies.get(attribute)
    if hierarchy is None:
        hierarchy = Hierarchy(attribute, [[value] for value in values or ("no value",)])
    hierarchy.check_covers(values)
    paths = [hierarchy.paths[value] for value in values]
    rows: list[tuple[Text, ...]]
    high, root = hierarchy.height, hierarchy.root
    if boundaries:
        allowed = hierarchy.maximum_allowed(boundaries)
        rows = [_capped(path, allowed[value]) for path, value in zip(paths, values, strict=True)]
        rows = [(None,) * (high + 1), (ROOT,) * (high + 1), *rows]
    else:
        rows = [(*(None,) * high, root), (*(ROOT,) * high, root), *paths]
    node = {text: i for i, text in enumerate(dict.fromkeys(text for row in rows for text in row))}
    path = np.array([[node[text] for text in row] for row in rows], np.int64)
    while boundaries and path.shape[1] > 1 and (path[:, -1] == path[:, -2]).all():
        path = path[:, :-1]
    depth = heights(hierarchy)
    loss = np.array([depth.get(text, 0) / depth[root] for text in node], np.float64)
    return Tree(tuple(node), loss, path)


def lattice_trees(data: Microdata, boundaries: Boundaries | None = None) -> tuple[Tree, ...]:
    """Return the hierarchy of every quasi-identifier, cut at its boundaries if there are any."""
    limits = {} if boundaries is None else boundaries.values
    return tuple(tree_of(data, a, limits.get(a, ())) for a in data.roles.quasi_identifiers)


def _capped(path: tuple[str, ...], allowed: str) -> tuple[str, ...]:
    top = path.index(allowed)
    return path[:top] + (allowed,) * (len(path) - top)


def heights(hierarchy: Hierarchy) -> dict[Text, int]:
    """Return the height of the subtree below each node.

    A label that is repeated on consecutive levels of a path is one node.
    """
    height_of: dict[Text, int] = {}
    for path in hierarchy.paths.values():
        for height, value in enumerate(dict.fromkeys(path)):
            height_of[value] = max(height_of.get(value, 0), height)
    return height_of


def generalized(data: Microdata, group: Index, n_groups: int) -> tuple[tuple[Domain, ...], Codes]:
    """Return the released values of each group: its generalization information (MCT08 Def. 8).

    Numbers without a hierarchy are released as the smallest closed interval that contains the
    numbers of the group. Other values are released as the lowest common ancestor of the group.

    group: the group of each row, shape (n,); -1 for a row without a group.

    Returns the domain of each quasi-identifier, and the keys: the positions of the released values
    in the domains, shape (n_groups, quasi-identifiers). See `Recoding`.
    """
    domains, keys = [], np.zeros((n_groups, len(data.roles.quasi_identifiers)), np.int64)
    rows = np.flatnonzero(group >= 0)
    for j, attribute in enumerate(data.roles.quasi_identifiers):
        numbers = None if attribute in data.hierarchies else numbers_of(data.labels_of(attribute))
        codes = data.quasi[rows, j]
        domain: Domain
        if numbers is not None and n_groups:
            domain, keys[:, j] = _intervals(data.labels_of(attribute), numbers, codes, group[rows])
        else:
            domain = tree = tree_of(data, attribute)
            keys[:, j] = tree.meet(codes, group[rows], n_groups) if n_groups else 0
        domains.append(domain)
    return tuple(domains), keys


def numbers_of(labels: Sequence[str]) -> list[Fraction] | None:
    """Return the values of a column as exact numbers.

    Returns None if a value is not a number, or if the column has no value.
    """
    numbers = [exact_number(label) for label in labels[FIRST_VALUE:]]
    return [n for n in numbers if n is not None] if numbers and None not in numbers else None


def _intervals(
    labels: Sequence[str], numbers: list[Fraction], codes: Codes, group: Index
) -> tuple[Domain, Codes]:
    """Return the domain of closed intervals, and the position of each group's interval in it.

    A group with numbers and with missing or suppressed cells gets `*`.
    """
    # Sorted as exact fractions: floats could merge two large numbers.
    in_order = np.array(sorted(range(len(numbers)), key=numbers.__getitem__))
    rank, by_rank = np.argsort(in_order), in_order + FIRST_VALUE
    place = np.concatenate([[-2, -1], rank])[codes]
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    low, high = (f.reduceat(place[order], starts) for f in (np.minimum, np.maximum))
    pairs, key = distinct_rows(np.column_stack([low + 2, high + 2]))
    intervals = list(_interval_values(labels, numbers, pairs - 2, by_rank))
    texts, loss = tuple(text for text, _ in intervals), np.array([lost for _, lost in intervals])
    return Spans(texts, loss, pairs - 2, by_rank), key.astype(np.int64)


def _interval_values(
    labels: Sequence[str], numbers: list[Fraction], pairs: Codes, by_rank: Index
) -> Iterator[tuple[Text, float]]:
    """Yield the text and the loss of each pair of a lowest and a highest position.

    A position below 0 is a missing or suppressed cell, as in `Spans`.
    """
    span = (max(numbers) - min(numbers)) or 1
    for low, high in pairs.tolist():
        if low == high:
            code = by_rank[low] if low >= 0 else low + FIRST_VALUE
            yield (None if code == 0 else labels[code]), 0.0
        elif low < 0:
            yield ROOT, 1.0
        else:
            ends = numbers[by_rank[low] - FIRST_VALUE], numbers[by_rank[high] - FIRST_VALUE]
            label = Interval(ends[0], ends[1], True, True).canonical(".")
            yield label, float((ends[1] - ends[0]) / span)
