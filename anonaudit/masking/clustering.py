"""Greedy clustering of rows, the core of k-member and GreedyCKA.

To read them beside the papers, see `papers/published/mct08.py`: GreedyCKA and the clustering that
it calls on one page, step by step. By test, both give the same clusters.

What a cluster loses by taking in one more row depends on the cluster's generalization and the
row's values alone (see `joins`). So a step of the greedy search is one look-up an attribute over
all rows that are left.
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
    """Clusters of some rows of a table, and how to grow them.

    rows: their positions in the table, in an order that does not depend on the table's.
    cells: shape (len(rows), columns), of which a cluster must hold different values: the sensitive
        attributes and, where persons have several rows, the person. needs: how many of each: p
        values, k persons.
    of: shape (len(rows),), the cluster of each of them, -1 as long as it is in none.
    nodes, sizes: the generalization and the size of each cluster.
    """

    def __init__(
        self, data: Microdata, rows: Index, joins: Sequence[Joins], k: int, p: int
    ) -> None:
        # Equal rows apart, results must not depend on the order in which rows came.
        persons = [] if data.persons is None else [data.persons[rows]]
        rows = rows[np.lexsort([*persons, *data.codes[rows].T[::-1]])]
        self.rows, self.data, self.joins, self.k = rows, data, joins, max(k, 1)
        # One value is no demand: a cluster may have no known value.
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
        """Clusters of k rows, until fewer are left (Byun et al. 2006, Figure 2).

        The first row is drawn; each cluster starts with the row furthest from the start of the
        one before, and takes the row that adds the least loss, one after the other.

        With p above 1, new-value-first growth (ours): it first takes only rows with a value that it
        still lacks, until it has p values of every sensitive attribute; where persons have several
        rows, then only rows of persons that it still lacks, until it has k of them. The search ends
        when the rows left have too few.
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
        """The place of the row that adds the least loss, of those with a value that is lacking."""
        loss = loss_with_each(self.joins, nodes, free.codes)
        if lacking := self._lacking(held):
            loss = np.where(free.with_new_value(lacking, held), loss, np.inf)
        return int(np.argmin(loss))

    def _lacking(self, held: Sequence[set[int]]) -> list[int]:
        """The columns of which a cluster needs more values: persons only once nothing else is."""
        lacking = [j for j, values in enumerate(held) if len(values) < self.needs[j]]
        return [j for j in lacking if j < len(self.data.roles.sensitive)] or lacking

    def place_rest(self) -> None:
        """Each row that is in no cluster goes to the one whose loss it adds to least.

        In Byun et al.'s listing: while (|S| != 0) c = find_best_cluster(result, r); c = c + {r}.
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
        """The smallest cluster that falls short of a goal is merged, the cheapest way; and so on.

        Ends at the latest with one cluster of all rows; whether that meets the goal is the
        caller's to know.
        """
        met = goal.met(self.groups())  # each cluster by itself, so only what changes is asked anew
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
        """The clusters with their sensitive values; every row must be in one."""
        return Groups.of_rows(self.data, self.rows, self.of, len(self.nodes))

    def _add(self, members: list[int], nodes: list[int]) -> None:
        self.of[members] = len(self.nodes)
        self.nodes.append(nodes)
        self.sizes.append(len(members))

    def _joined(self, nodes: Sequence[int], codes: Sequence[int]) -> list[int]:
        at = zip(self.joins, nodes, codes, strict=True)
        return [join.joined(node, code) for join, node, code in at]


class _Free:
    """The rows that are in no cluster yet; taking one moves the last into its place."""

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
        """Their quasi-identifiers, column by column."""
        return [column[: self._n] for column in self._codes]

    def node_of(self, place: int, joins: Sequence[Joins]) -> list[int]:
        """The row as a cluster of its own."""
        return [int(j.start(c[place])) for j, c in zip(joins, self._codes, strict=True)]

    def can_meet(self, needs: Sequence[int]) -> bool:
        """Whether the rows left have so many different values of each column."""
        counts = [int((left[FIRST_VALUE:] > 0).sum()) for left in self._left]
        return all(have >= need for have, need in zip(counts, needs, strict=True))

    def with_new_value(self, columns: Sequence[int], held: Sequence[set[int]]) -> Bools:
        """The rows that have a known value, in one of these columns, that is not held yet."""
        new = np.zeros(self._n, bool)
        for j in columns:
            fresh = np.ones(len(self._left[j]), bool)
            fresh[[*range(FIRST_VALUE), *held[j]]] = False
            new |= fresh[self._cells[: self._n, j]]
        return new

    def take(self, place: int) -> int:
        """Take out the row at a place; its number."""
        row, self._last = int(self._row[place]), self._cells[place].tolist()
        for left, value in zip(self._left, self._last, strict=True):
            left[value] -= 1
        self._n -= 1
        for column in (*self._codes, self._cells, self._row):
            column[place] = column[self._n]
        return row

    def values_of_last(self) -> list[set[int]]:
        """The known values of the row taken last, column by column."""
        return [{value} if value >= FIRST_VALUE else set() for value in self._last]
