"""Hierarchies as arrays: what stands for each code of a column at each level, and what joins two.

In masking a missing cell is a value of its own, below the root alone, and so is a cell that the
original has suppressed.
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
    """The closed intervals between numbers of a column, or the lack of a number.

    ends: shape (n, 2), the places of the first and the last number of each in their order; below 0
        a missing (-2) or suppressed (-1) cell, `*` where that is beside something else.
    code: shape (number of numbers,), the code of each place.
    """

    ends: Codes
    code: Codes

    @property
    def covers(self) -> Bools:
        """Which codes are in each interval."""
        covers = np.zeros((len(self.ends), len(self.code) + FIRST_VALUE), bool)
        for cover, (low, high) in zip(covers, self.ends.tolist(), strict=True):
            if low >= 0:
                cover[self.code[low : high + 1]] = True
            else:
                cover[[low + FIRST_VALUE] if low == high else slice(None)] = True
        return covers


@dataclass(frozen=True, eq=False)
class Tree(Domain):
    """The generalizations of a column: the domain of its nodes, and the path of each code.

    path: shape (number of codes, height + 1), the node that stands for a code at each level.
    """

    path: Codes

    @property
    def height(self) -> int:
        """The highest level."""
        return int(self.path.shape[1]) - 1

    def up(self, low: int, high: int) -> Codes:
        """For each node of level `low` the node of level `high` above it."""
        above = np.arange(len(self.labels))
        above[self.path[:, low]] = self.path[:, high]
        return above

    def meet(self, codes: Codes, group: Index, n_groups: int) -> Codes:
        """The lowest common ancestor of each group's codes (MCT08 Def. 8), shape (n_groups,).

        Every group must have a row.
        """
        some = np.zeros(n_groups, np.int64)
        some[group] = codes
        met: Codes = self.path[some, self.meeting_level(codes, group, n_groups)]
        return met

    def meeting_level(self, codes: Codes, group: Index, n_groups: int) -> Index:
        """The lowest level on which all codes of a group are below one node, shape (n_groups,).

        Every group must have a row.
        """
        some, level = np.zeros(n_groups, np.int64), np.zeros(n_groups, np.intp)
        some[group] = codes
        for height in range(1, self.path.shape[1]):
            # Above the first level on which all agree, all agree.
            apart = self.path[codes, height - 1] != self.path[some, height - 1][group]
            level[group[apart]] = height
        return level

    @property
    def covers(self) -> Bools:
        """Which codes are below each node."""
        covers = np.zeros((len(self.labels), len(self.path)), bool)
        covers[self.path, np.arange(len(self.path))[:, None]] = True
        return covers

    def joins(self) -> Codes:
        """The lowest common ancestor of each node and each other, shape (n_nodes, n_nodes)."""
        nodes = np.arange(len(self.labels))
        return np.array([self.joined(nodes, node) for node in nodes.tolist()], np.int64)

    def joined(self, nodes: Codes, others: int | Codes) -> Codes:
        """The lowest common ancestor of each node and another one, shape (len(nodes),).

        others: one node, or one per node.
        """
        along, first = self._along
        mine, theirs = along[nodes], along[others]
        lowest = np.maximum(first[nodes], first[others])
        shared = (mine == theirs) & (np.arange(along.shape[1]) >= lowest[..., None])
        ancestors: Codes = mine[np.arange(len(mine)), np.argmax(shared, axis=1)]
        return ancestors

    @cached_property
    def _along(self) -> tuple[Codes, Index]:
        """The path of a code below each node, and the level where the node stands first on it."""
        some = np.zeros(len(self.labels), np.int64)
        some[self.path] = np.arange(len(self.path))[:, None]
        along = self.path[some]
        return along, np.argmax(along == np.arange(len(some))[:, None], axis=1)


def tree_of(data: Microdata, attribute: str, boundaries: Sequence[str] = ()) -> Tree:
    """The generalizations of one attribute of a table.

    boundaries: no value is generalized beyond the first of them above it (MCT08 Definition 3),
    and with any of them a missing cell is not generalized at all. The levels on which nothing
    changes any more are cut off then.

    Raises HierarchyError for values that the attribute's hierarchy lacks.
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
    """The generalizations of every quasi-identifier, within boundaries if there are any."""
    limits = {} if boundaries is None else boundaries.values
    return tuple(tree_of(data, a, limits.get(a, ())) for a in data.roles.quasi_identifiers)


def _capped(path: tuple[str, ...], allowed: str) -> tuple[str, ...]:
    top = path.index(allowed)
    return path[:top] + (allowed,) * (len(path) - top)


def heights(hierarchy: Hierarchy) -> dict[Text, int]:
    """The height of the subtree below each node; a label that fills two levels is one node."""
    height_of: dict[Text, int] = {}
    for path in hierarchy.paths.values():
        for height, value in enumerate(dict.fromkeys(path)):
            height_of[value] = max(height_of.get(value, 0), height)
    return height_of


def generalized(data: Microdata, group: Index, n_groups: int) -> tuple[tuple[Domain, ...], Codes]:
    """What the rows of each group have in common: domains, and a key a group (MCT08 Def. 8).

    Numbers without a hierarchy are released as the closed interval that holds them.
    group: shape (n,), -1 for rows in none.
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
    """The numbers that the values of a column stand for; None if one is no number."""
    numbers = [exact_number(label) for label in labels[FIRST_VALUE:]]
    return [n for n in numbers if n is not None] if numbers and None not in numbers else None


def _intervals(
    labels: Sequence[str], numbers: list[Fraction], codes: Codes, group: Index
) -> tuple[Domain, Codes]:
    """A closed interval a group; `*` for one that holds numbers and cells without one."""
    in_order = np.array(sorted(range(len(numbers)), key=numbers.__getitem__))  # exactly
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
    """Text and loss of each pair of a lowest and a highest place (below 0: no number)."""
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
