"""Exchanges between clusters: two rows change places where both clusters together lose less then.

The greedy search takes for each cluster what is best for that one, so a few rows end up in
clusters to which they are strangers. Not part of a paper: by itself k-member is as published.
"""

from __future__ import annotations

import numpy as np

from anonaudit.cells import FIRST_VALUE
from anonaudit.codes import Codes
from anonaudit.masking.clustering import Clusters
from anonaudit.masking.joins import Losses
from anonaudit.models.level import TOLERANCE
from anonaudit.recoding import Index

TRIED = 0.05  # of the rows; looking for a partner costs as much as growing a cluster by two rows


def exchange(clusters: Clusters) -> None:
    """Let rows of grown clusters change places, those first that cost their cluster most.

    Of the rows not tried yet, the one without which its cluster would lose least more is given
    the partner with which the two clusters' loss falls most, if there is one; so on until a share
    TRIED of the rows was tried. Sizes stay, and so do p values of every sensitive attribute where
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
    rest: shape (attributes, n), the generalization of each row's cluster without it.
    spared: shape (n,), what its cluster would lose less without it, and with another like the rest.
    """

    def __init__(self, clusters: Clusters) -> None:
        self.rows = np.flatnonzero(clusters.of >= 0)
        self.of = clusters.of[self.rows]
        self.nodes = np.array(clusters.nodes, np.int64).reshape(-1, len(clusters.joins)).T
        self._joins, self._p = clusters.joins, clusters.p
        self._codes = [column[self.rows] for column in clusters.codes]
        self._cells = clusters.cells[self.rows]
        self._sizes = np.array(clusters.sizes, np.int64)
        self._first = np.cumsum(self._sizes) - self._sizes
        self._order = np.argsort(self.of, kind="stable")  # the rows, cluster by cluster
        self._place = np.argsort(self._order)
        self.rest = self._others(np.arange(len(self.of)))
        self.loss = self._sizes * self._total(self.nodes)
        self.spared = self.loss[self.of] - self._sizes[self.of] * self._total(self.rest)

    def partner(self, row: int) -> int | None:
        """The row of another cluster that lowers the loss most by changing places with this."""
        mine, rest = self.of[row], self.rest[:, row]
        with_each = np.zeros(len(self.of))
        for join, node, column in zip(self._joins, rest, self._codes, strict=True):
            with_each += join.losses_with(int(node))[column]
        here = self._sizes[mine] * with_each - self.loss[mine]
        # The other's cluster gains at most what it is spared.
        worth = np.flatnonzero((here - self.spared < -TOLERANCE) & (self.of != mine))
        theirs = self.of[worth]
        joined = self._joined(self.rest[:, worth], np.full(len(worth), row))
        there = self._sizes[theirs] * self._total(joined) - self.loss[theirs]
        change = here[worth] + there
        for best in np.argsort(change, kind="stable"):
            if change[best] >= -TOLERANCE:
                return None
            if self._keeps_p(row, int(worth[best])):
                return int(worth[best])
        return None

    def swap(self, row: int, other: int) -> None:
        """Let two rows change places."""
        pair, turned = np.array([row, other]), np.array([other, row])
        self.of[pair], self._place[pair] = self.of[turned], self._place[turned]
        self._order[self._place[pair]] = pair
        both = self.of[pair]
        rows = np.concatenate([self._members(cluster) for cluster in both])
        self.rest[:, rows] = self._others(rows)
        self.nodes[:, both] = self._joined(self.rest[:, pair], pair)
        self.loss[both] = self._sizes[both] * self._total(self.nodes[:, both])
        of = self.of[rows]
        self.spared[rows] = self.loss[of] - self._sizes[of] * self._total(self.rest[:, rows])

    def _keeps_p(self, row: int, other: int) -> bool:
        """Whether both clusters still have p values of each sensitive attribute after a swap."""
        for goes, comes in ((row, other), (other, row)) if self._p else ():
            members = self._members(self.of[goes])
            cells = self._cells[np.where(members == goes, comes, members)]
            if any(len({*column[column >= FIRST_VALUE]}) < self._p for column in cells.T):
                return False
        return True

    def _members(self, cluster: int) -> Index:
        first = self._first[cluster]
        rows: Index = self._order[first : first + self._sizes[cluster]]
        return rows

    def _others(self, rows: Index) -> Codes:
        """What the other rows of the cluster of each of these rows have in common."""
        of = self.of[rows]
        first, size = self._first[of], self._sizes[of]
        after = self._order[first + (self._place[rows] - first + 1) % size]
        nodes = np.array(
            [j.start(c[after]) for j, c in zip(self._joins, self._codes, strict=True)], np.int64
        ).reshape(len(self._joins), len(rows))
        for step in range(2, int(size.max(initial=0))):
            after = self._order[first + (self._place[rows] - first + step) % size]
            nodes = np.where(step < size, self._joined(nodes, after), nodes)
        return nodes

    def _joined(self, nodes: Codes, rows: Index) -> Codes:
        """What joins nodes, shape (attributes, n), and as many rows."""
        at = zip(self._joins, nodes, self._codes, strict=True)
        found = [join.with_code(column, codes[rows]) for join, column, codes in at]
        return np.array(found, np.int64).reshape(nodes.shape)

    def _total(self, nodes: Codes) -> Losses:
        columns = zip(self._joins, nodes, strict=True)
        losses: Losses = np.sum([join.loss(column) for join, column in columns], axis=0)
        return losses
