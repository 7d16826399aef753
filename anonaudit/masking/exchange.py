"""Exchanges between clusters: two rows change places where both clusters together lose less then.

The greedy search takes for each cluster what is best for that one, so a few rows end up in
clusters to which they are strangers. Not part of a paper: by itself k-member is as published.
"""

from __future__ import annotations

import numpy as np

from anonaudit.arrays import Bools, Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import Codes, distinct_rows
from anonaudit.masking.clustering import Clusters
from anonaudit.masking.joins import loss_with_each, total_loss
from anonaudit.models.level import TOLERANCE

TRIED = 0.05  # of the rows; finding a partner costs about as much as growing clusters by three


def exchange(clusters: Clusters) -> None:
    """Let rows of grown clusters change places, those first that cost their cluster most.

    Of the rows not tried yet, the one that costs its cluster most is given the partner with which
    the two clusters' loss falls most, if there is one; so on until a share TRIED of the rows was
    tried. Sizes stay, and so do p values of every sensitive attribute, and k persons, where
    clusters were grown for them. Rows in no cluster yet are left alone, and so are clusters of one
    row, which lose nothing.
    """
    swaps = _Exchanges(clusters)
    untried = np.ones(len(swaps.of), bool)
    for _ in range(int(np.ceil(TRIED * len(untried)))):
        row = int(np.argmax(np.where(untried, swaps.spared, -np.inf)))
        untried[row] = False
        other = swaps.partner(row)
        if other is not None:
            swaps.swap(row, other)
    clusters.of[swaps.rows] = swaps.of
    clusters.nodes = swaps.nodes.T.tolist()


class _Exchanges:
    """The rows in clusters, and what changes if they do.

    rows: their positions among the clusters' rows. of: the cluster of each, shape (n,).
    nodes: shape (attributes, clusters), their generalizations; loss: what each cluster loses.
    rest: shape (attributes, n), what the other rows of each row's cluster have in common.
    spared: shape (n,), how much less its cluster would lose if one like the others replaced it.
    short: shape (columns, n), whether the others have fewer different values than are needed.
    """

    def __init__(self, clusters: Clusters) -> None:
        self.rows = np.flatnonzero(clusters.of >= 0)
        self.of = clusters.of[self.rows]
        self._joins = clusters.joins
        self._codes = [column[self.rows] for column in clusters.codes]
        needed = [j for j, need in enumerate(clusters.needs) if need]  # of others any may go
        self._needs = [clusters.needs[j] for j in needed]
        self._cells = np.ascontiguousarray(clusters.cells[self.rows][:, needed].T)
        self._sizes = np.array(clusters.sizes, np.int64)
        self._first = np.cumsum(self._sizes) - self._sizes
        self._order = np.argsort(self.of, kind="stable")  # the rows, cluster by cluster
        self._place = np.argsort(self._order)
        self.nodes = np.zeros((len(self._joins), len(self._sizes)), np.int64)
        self.loss, self.spared = np.zeros(len(self._sizes)), np.zeros(len(self.rows))
        self.rest = np.zeros((len(self._joins), len(self.rows)), np.int64)
        self.short = np.zeros(self._cells.shape, bool)
        self._count(self._order)

    def partner(self, row: int) -> int | None:
        """The row of another cluster that lowers the loss most by changing places with this."""
        mine, rest = self.of[row], self.rest[:, row]
        with_each = loss_with_each(self._joins, rest, self._codes)
        here = self._sizes[mine] * with_each - self.loss[mine]
        # The other's cluster gains at most what it is spared: those first that may gain most.
        bound = here - self.spared
        bound[self._members(mine)] = np.inf
        best, change = None, -TOLERANCE
        for limit in (bound.min() / 2, np.inf):
            others = np.flatnonzero(bound < min(limit, change))
            if not len(others):
                break
            others = others[self._keeps_values(row, others)]
            theirs = self.of[others]
            then = self._sizes[theirs] * total_loss(
                self._joins, self._joined(self.rest[:, others], row)
            )
            changes = here[others] + then - self.loss[theirs]
            if changes.min(initial=0) < change:
                best, change = int(others[np.argmin(changes)]), float(changes.min())
        return best

    def swap(self, row: int, other: int) -> None:
        """Let two rows change places."""
        pair, turned = np.array([row, other]), np.array([other, row])
        self.of[pair], self._place[pair] = self.of[turned], self._place[turned]
        self._order[self._place[pair]] = pair
        self._count(np.concatenate([self._members(cluster) for cluster in self.of[pair]]))

    def _keeps_values(self, row: int, others: Index) -> Bools:
        """Whether both clusters still have as many values of each column as needed, by swap."""
        kept = np.ones(len(others), bool)
        theirs, members = self.of[others], self._members(self.of[row])
        for column, short in zip(self._cells, self.short, strict=True):
            value, values = column[row], column[others]
            if short[row]:
                have = np.isin(values, column[members[members != row]])
                kept &= (values >= FIRST_VALUE) & ~have
            holders = np.bincount(self.of[column == value], minlength=len(self._sizes))
            have = holders[theirs] > (values == value)
            kept &= ~short[others] | ((value >= FIRST_VALUE) & ~have)
        return kept

    def _members(self, cluster: int) -> Index:
        first = self._first[cluster]
        rows: Index = self._order[first : first + self._sizes[cluster]]
        return rows

    def _count(self, rows: Index) -> None:
        """Count whole clusters anew, their rows cluster by cluster."""
        of = self.of[rows]
        size, rank = self._sizes[of], self._place[rows] - self._first[of]
        start, others = np.arange(len(rows)) - rank, np.maximum(size - 1, 1)
        # A cluster's rows stand in a circle. What has each row behind it: one, two, four, eight ...
        # until these are all the others; to join some of them twice changes nothing.
        behind = rows[start + (rank + 1) % size]
        rest = [j.start(codes[behind]) for j, codes in zip(self._joins, self._codes, strict=True)]
        number = np.ones_like(size)
        while (number < others).any():
            step = np.minimum(number, others - number)
            behind = start + (rank + step) % size
            rest = [j.with_node(n, n[behind]) for j, n in zip(self._joins, rest, strict=True)]
            number += step
        self.rest[:, rows] = rest
        heads = rows[rank == 0]
        clusters = self.of[heads]
        self.nodes[:, clusters] = self._joined(self.rest[:, heads], heads)
        self.loss[clusters] = self._sizes[clusters] * total_loss(
            self._joins, self.nodes[:, clusters]
        )
        self.spared[rows] = self.loss[of] - size * total_loss(self._joins, self.rest[:, rows])
        for column, short, need in zip(self._cells, self.short, self._needs, strict=True):
            pairs, pair = distinct_rows(np.column_stack([of, column[rows]]))
            known = pairs[:, 1] >= FIRST_VALUE
            distinct = np.bincount(pairs[known, 0], minlength=len(self._sizes))
            alone = known[pair] & (np.bincount(pair)[pair] == 1)
            short[rows] = distinct[of] - alone < need

    def _joined(self, nodes: Codes, rows: Index | int) -> Codes:
        """What joins nodes, shape (attributes, n), and as many rows, or one."""
        at = zip(self._joins, nodes, self._codes, strict=True)
        joined = [join.with_code(column, codes[rows]) for join, column, codes in at]
        return np.array(joined, np.int64).reshape(nodes.shape)
