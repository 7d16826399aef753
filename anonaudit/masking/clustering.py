"""Greedy clustering of rows, the core of k-member and GreedyCKA.

`papers/published/mct08.py` follows GreedyCKA and its clustering step by step as in the papers.
Tests check that both give the same clusters.

The loss that one more row adds to a cluster depends only on the generalization of the cluster and
the values of the row (see `joins`). So one step of the greedy search needs, for each attribute, one
array look-up over all free rows: the rows that are in no cluster yet.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anonaudit.arrays import Bools, Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import Codes
from anonaudit.masking.goals import Goal, Groups
from anonaudit.masking.joins import Joins, loss_with_each, total_loss
from anonaudit.masking.recoding import Microdata


class Clusters:
    """Clusters of rows of a table, with the steps that grow and merge them.

    rows: the positions of the rows in the table, sorted by the values of the rows.
    codes: the codes of the rows, one array of shape (len(rows),) for each quasi-identifier.
    cells: the columns in which a cluster may need several different values, shape (len(rows),
        columns): the sensitive attributes and, if persons have several rows, the person.
    needs: the least number of different values that a cluster needs in each column of `cells`: p
        in a sensitive attribute (0 if p is 1), k in the person column.
    of: the cluster of each row, shape (len(rows),); -1 for a free row.
    nodes: the generalization of each cluster: a list with one node for each quasi-identifier.
    sizes: the number of rows of each cluster.
    """

    def __init__(
        self, data: Microdata, rows: Index, joins: Sequence[Joins], k: int, p: int
    ) -> None:
        # Sorted, so that the clusters do not depend on the order of the rows in the table.
        persons = [] if data.persons is None else [data.persons[rows]]
        rows = rows[np.lexsort([*persons, *data.codes[rows].T[::-1]])]
        self.rows, self.data, self.joins, self.k = rows, data, joins, max(k, 1)
        # p = 1 asks for nothing: a cluster without a known value is allowed.
        self.needs = [p if p > 1 else 0] * len(data.roles.sensitive)
        self.of = np.full(len(rows), -1, np.intp)
        self.codes = [np.ascontiguousarray(data.quasi[rows, j]) for j in range(len(joins))]
        self.cells = data.sensitive[rows]
        if data.persons is not None:
            self.needs.append(self.k)
            self.cells = np.column_stack([self.cells, data.persons[rows]])
        self.nodes: list[list[int]] = []
        self.sizes: list[int] = []

    def grow(self, rng: np.random.Generator) -> None:
        """Grow clusters of at least k rows while enough free rows are left.

        A random row is drawn. The first cluster starts with the row furthest from the drawn row.
        Every later cluster starts with the row furthest from the first row of the previous cluster.
        The cluster then takes the free row that adds the least loss, again and again, until it has
        k rows.

        With p above 1, a cluster uses new-value-first growth, which is ours: as long as the cluster
        has fewer than p values of a sensitive attribute, it takes only rows that add a new value.
        If persons have several rows, it then takes only rows of new persons until it has k persons.
        The search ends if the free rows have too few different values or persons.

        Source: Byun et al. 2006, Figure 2.
        """
        # The comments quote Byun et al., Figure 2.
        free = _Free(self.codes, self.cells)
        if len(free) < self.k:
            return
        # r = a randomly picked record from S
        start = free.node_of(int(rng.integers(len(free))), self.joins)
        # while (|S| >= k)
        while len(free) >= self.k and free.can_meet(self.needs):
            # r = the furthest record from r; c = {r}
            furthest = int(np.argmax(loss_with_each(self.joins, start, free.codes)))
            start = nodes = free.node_of(furthest, self.joins)
            members, held = [free.take(furthest)], free.values_of_last()
            # while (|c| < k) r = find_best_record(S, c); c = c + {r}
            while len(members) < self.k or self._lacking(held):
                best = self._best_record(free, nodes, held)
                nodes = self._joined(nodes, [int(codes[best]) for codes in free.codes])
                members.append(free.take(best))
                held = [a | b for a, b in zip(held, free.values_of_last(), strict=True)]
            self._add(members, nodes)

    def _best_record(self, free: _Free, nodes: Sequence[int], held: Sequence[set[int]]) -> int:
        """Return the place of the free row that adds the least loss to a cluster.

        If the cluster still needs values, only rows that add a new value are candidates.
        """
        loss = loss_with_each(self.joins, nodes, free.codes)
        if lacking := self._lacking(held):
            loss = np.where(free.with_new_value(lacking, held), loss, np.inf)
        return int(np.argmin(loss))

    def _lacking(self, held: Sequence[set[int]]) -> list[int]:
        """Return the columns of `cells` in which a cluster needs more values.

        held: the values that the cluster already has, by column. The person column is returned only
        if every sensitive attribute has enough values.
        """
        lacking = [j for j, values in enumerate(held) if len(values) < self.needs[j]]
        return [j for j in lacking if j < len(self.data.roles.sensitive)] or lacking

    def place_rest(self) -> None:
        """Add each free row to the cluster to whose loss it adds least.

        Byun et al. 2006, Figure 2: while (|S| != 0) c = find_best_cluster(result, r); c = c + {r}.
        """
        nodes, sizes = np.array(self.nodes, np.int64), np.array(self.sizes)
        now = total_loss(self.joins, nodes.T)
        for row in np.flatnonzero(self.of < 0):
            taken = [
                j.with_code(n, int(c[row]))
                for j, n, c in zip(self.joins, nodes.T, self.codes, strict=True)
            ]
            joined = np.column_stack(taken)
            then = total_loss(self.joins, joined.T)
            best = int(np.argmin((sizes + 1) * then - sizes * now))
            nodes[best] = joined[best]
            now[best], sizes[best], self.of[row] = then[best], sizes[best] + 1, best
        self.nodes, self.sizes = nodes.tolist(), sizes.tolist()

    def merge_until(self, goal: Goal) -> None:
        """Merge clusters until every cluster meets the goal, or only one is left.

        The smallest cluster that fails the goal is merged with the cluster for which the merger
        adds the least loss. All rows as one cluster must meet the goal.
        """
        met = goal.met(self.groups())  # computed once: a merger changes it for one cluster only
        nodes, sizes = np.array(self.nodes, np.int64), np.array(self.sizes)
        while len(nodes) > 1 and not met.all():
            short = np.flatnonzero(~met)
            gone = int(short[np.argmin(sizes[short])])
            joined = np.column_stack(
                [j.with_node(n, n[gone]) for j, n in zip(self.joins, nodes.T, strict=True)]
            )
            now, then = total_loss(self.joins, nodes.T), total_loss(self.joins, joined.T)
            added = (sizes + sizes[gone]) * then - sizes * now
            added[gone] = np.inf
            best = int(np.argmin(added))
            self.of[self.of == gone] = best
            nodes[best] = joined[best]
            sizes[best] += sizes[gone]
            rows = self.rows[self.of == best]
            met[best] = goal.met(Groups.of_rows(self.data, rows, np.zeros_like(rows), 1))[0]
            self.of[self.of > gone] -= 1
            nodes, sizes, met = (np.delete(one, gone, axis=0) for one in (nodes, sizes, met))
        self.nodes, self.sizes = nodes.tolist(), sizes.tolist()

    def groups(self) -> Groups:
        """Return the clusters as `Groups`; every row must be in a cluster."""
        return Groups.of_rows(self.data, self.rows, self.of, len(self.nodes))

    def _add(self, members: list[int], nodes: list[int]) -> None:
        self.of[members] = len(self.nodes)
        self.nodes.append(nodes)
        self.sizes.append(len(members))

    def _joined(self, nodes: Sequence[int], codes: Sequence[int]) -> list[int]:
        at = zip(self.joins, nodes, codes, strict=True)
        return [join.joined(node, code) for join, node, code in at]


class _Free:
    """The free rows: the rows that are in no cluster yet.

    A free row is addressed by its place, from 0 to len - 1. If a row is taken, the last free row
    moves to the place of the taken row. So the arrays of the free rows stay contiguous.
    """

    def __init__(self, codes: Sequence[Codes], cells: Codes) -> None:
        self._n = len(cells)
        self._codes = [column.copy() for column in codes]
        self._cells = cells.copy()
        self._row = np.arange(self._n)
        widths = [int(cells[:, j].max(initial=FIRST_VALUE)) + 1 for j in range(cells.shape[1])]
        self._left = [np.bincount(cells[:, j], minlength=width) for j, width in enumerate(widths)]
        self._last: list[int] = []

    def __len__(self) -> int:
        return self._n

    @property
    def codes(self) -> list[Codes]:
        """The codes of the free rows, one array for each quasi-identifier."""
        return [column[: self._n] for column in self._codes]

    def node_of(self, place: int, joins: Sequence[Joins]) -> list[int]:
        """Return the nodes of a cluster that has only the row at `place`."""
        return [int(j.start(c[place])) for j, c in zip(joins, self._codes, strict=True)]

    def can_meet(self, needs: Sequence[int]) -> bool:
        """Return True if the free rows have enough different known values in each column.

        needs: the least number of different known values, by column.
        """
        counts = [int((left[FIRST_VALUE:] > 0).sum()) for left in self._left]
        return all(have >= need for have, need in zip(counts, needs, strict=True))

    def with_new_value(self, columns: Sequence[int], held: Sequence[set[int]]) -> Bools:
        """Return a mask of the free rows with a new known value in at least one of `columns`.

        A value is new if the cluster does not have it. held: the values that the cluster already
        has, by column.
        """
        new = np.zeros(self._n, bool)
        for j in columns:
            fresh = np.ones(len(self._left[j]), bool)
            fresh[[*range(FIRST_VALUE), *held[j]]] = False
            new |= fresh[self._cells[: self._n, j]]
        return new

    def take(self, place: int) -> int:
        """Remove the row at `place` from the free rows, and return its index in `Clusters.rows`."""
        row, self._last = int(self._row[place]), self._cells[place].tolist()
        for left, value in zip(self._left, self._last, strict=True):
            left[value] -= 1
        self._n -= 1
        for column in (*self._codes, self._cells, self._row):
            column[place] = column[self._n]
        return row

    def values_of_last(self) -> list[set[int]]:
        """Return the known values of the row that was taken last, one set for each column."""
        return [{value} if value >= FIRST_VALUE else set() for value in self._last]
