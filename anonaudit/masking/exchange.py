"""Swap rows between clusters where this lowers the information loss of the two clusters together.

The greedy search chooses the best row for one cluster at a time, so some rows end up in clusters
with very different rows. Swapping is ours and not part of the published k-member algorithm.
"""

from __future__ import annotations

import numpy as np

from anonaudit.arrays import Bools, Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import Codes, distinct_rows
from anonaudit.masking.clustering import Clusters
from anonaudit.masking.joins import loss_with_each, total_loss
from anonaudit.models.level import TOLERANCE

# The share of rows for which a partner is searched. One search costs about as much as adding three
# rows to clusters.
TRIED = 0.05


def exchange(clusters: Clusters) -> None:
    """Swap rows between clusters to lower the total information loss.

    The rows are tried in the order of their cost to their cluster, the most expensive row first.
    Each row is compared with the rows of all other clusters. It is swapped with the row for which
    the swap lowers the total loss of the two clusters most. If no swap lowers the loss, the row
    stays. The search ends when a share TRIED of the rows has been tried.

    A swap does not change the size of a cluster. Each cluster keeps the different values that it
    needs (`Clusters.needs`): p values of every sensitive attribute if p is above 1, and k persons
    if persons have several rows. Free rows are not swapped.
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
    """The n rows that are in clusters, with the numbers that decide about a swap.

    rows: the positions of the rows among the rows of the clusters, shape (n,).
    of: the cluster of each row, shape (n,).
    nodes: the generalization of each cluster, shape (attributes, clusters).
    loss: the information loss of each cluster, shape (clusters,).
    rest: the generalization of each row's cluster without the row, shape (attributes, n).
    spared: the loss that each row costs its cluster, shape (n,). If a row that `rest` covers
        already took the place of the row, the loss of the cluster would fall by this number.
    short: a mask, shape (columns, n). True means that the row's cluster, without the row, has fewer
        different values in the column than it needs. The columns are the columns of
        `Clusters.cells` in which a cluster needs different values.
    """

    def __init__(self, clusters: Clusters) -> None:
        self.rows = np.flatnonzero(clusters.of >= 0)
        self.of = clusters.of[self.rows]
        self._joins = clusters.joins
        self._codes = [column[self.rows] for column in clusters.codes]
        needed = [j for j, need in enumerate(clusters.needs) if need]
        self._needs = [clusters.needs[j] for j in needed]
        self._cells = np.ascontiguousarray(clusters.cells[self.rows][:, needed].T)
        self._sizes = np.array(clusters.sizes, np.int64)
        self._first = np.cumsum(self._sizes) - self._sizes
        self._order = np.argsort(self.of, kind="stable")  # the rows, sorted by cluster
        self._place = np.argsort(self._order)
        self.nodes = np.zeros((len(self._joins), len(self._sizes)), np.int64)
        self.loss, self.spared = np.zeros(len(self._sizes)), np.zeros(len(self.rows))
        self.rest = np.zeros((len(self._joins), len(self.rows)), np.int64)
        self.short = np.zeros(self._cells.shape, bool)
        self._count(self._order)

    def partner(self, row: int) -> int | None:
        """Return the row of another cluster whose swap with `row` lowers the loss most.

        Returns None if no swap lowers the loss.
        """
        mine, rest = self.of[row], self.rest[:, row]
        with_each = loss_with_each(self._joins, rest, self._codes)
        here = self._sizes[mine] * with_each - self.loss[mine]
        # `here` is the change of the loss of this cluster. The loss of the other cluster falls by
        # `spared` at most. So `bound` is a lower bound of the change of both losses together. Rows
        # with the lowest bounds are tried first.
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
        """Swap two rows, and update the attributes of this object for both clusters."""
        pair, turned = np.array([row, other]), np.array([other, row])
        self.of[pair], self._place[pair] = self.of[turned], self._place[turned]
        self._order[self._place[pair]] = pair
        self._count(np.concatenate([self._members(cluster) for cluster in self.of[pair]]))

    def _keeps_values(self, row: int, others: Index) -> Bools:
        """Return a mask of the rows in `others` whose swap with `row` keeps enough values.

        Both clusters must still have the needed number of different values in each column.
        """
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
        """Recompute the attributes of this object for some clusters.

        rows: all rows of these clusters, sorted by cluster.
        """
        of = self.of[rows]
        size, rank = self._sizes[of], self._place[rows] - self._first[of]
        start, others = np.arange(len(rows)) - rank, np.maximum(size - 1, 1)
        # The rows of a cluster form a circle. For each row, `rest` first covers the next row, then
        # the next 2, 4, 8 ... rows, until it covers all other rows of the cluster.
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
        """Return the join of each node and a row: one row for all, or one for each node.

        nodes: shape (attributes, n). The result has the same shape.
        """
        at = zip(self._joins, nodes, self._codes, strict=True)
        joined = [join.with_code(column, codes[rows]) for join, column, codes in at]
        return np.array(joined, np.int64).reshape(nodes.shape)
