"""Joint candidates: one row of each release such that these rows agree on all known cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial, reduce
from typing import Final, NamedTuple

import numpy as np

from anonaudit.arrays import Bools, Floats, Index
from anonaudit.frequency.codes import Codes, distinct_rows, runs
from anonaudit.frequency.wildcards import sparse_table
from anonaudit.linking.too_much import TooMuchError

UNKNOWN_VALUE: Final = -1  # the number of a cell without a known value
TOO_MANY: Final = "too many candidates and values to intersect; name more columns, or fewer people"
_NONE: Final = np.iinfo(np.int64).max


class SensitiveRows(NamedTuple):
    """The distinct combinations of sensitive cells that may belong to each target, as n rows.

    target: shape (n,), the number of the target. cells: shape (n, attributes), the numbers of the
    values. weight: shape (n,), how many rows of a release have these cells. The weight of a joined
    row is the number of ways to choose one row from each release.
    """

    target: Index
    cells: Codes
    weight: Floats

    def where(self, some: Bools) -> SensitiveRows:
        """Return the selected rows."""
        return SensitiveRows(self.target[some], self.cells[some], self.weight[some])

    def of_any(self, n: int) -> Bools:
        """Return True for the targets that have a row, shape (n,); here n is how many there are."""
        return np.bincount(self.target, minlength=n) > 0

    def hold(self, column: int, numbers: Sequence[int] | Codes, n: int) -> Bools:
        """Return True for the targets that have a row with one of the numbers in a column.

        n: how many targets there are.
        """
        return self.where(np.isin(self.cells[:, column], numbers)).of_any(n)

    def only(self, column: int) -> SensitiveRows:
        """Return the rows with the cells of one column only."""
        return SensitiveRows(self.target, self.cells[:, column : column + 1], self.weight)

    def with_anything(self, targets: Bools) -> SensitiveRows:
        """Return the rows, and for each selected target a further row of unknown cells.

        targets: True for the selected targets, shape (n_targets,).
        """
        who = np.flatnonzero(targets)
        anything = np.full((len(who), self.cells.shape[1]), UNKNOWN_VALUE)
        return SensitiveRows(
            np.concatenate([self.target, who]),
            np.concatenate([self.cells, anything]),
            np.concatenate([self.weight, np.ones(len(who))]),
        )


class Agreement:
    """The values that the joint candidates of each of n targets have in common.

    low, high: shape (n, attributes), the smallest and the largest number among the candidates. A
    cell that may have any value counts as the number UNKNOWN_VALUE here, so it equals no value.
    least: shape (n, attributes), the smallest number of a known cell. total: shape (n, attributes),
    the weight of all candidates. pieces: by attribute, the candidates with their cells of this
    attribute.
    """

    def __init__(self, n: int, attributes: int) -> None:
        self.low = np.full((n, attributes), _NONE)
        self.least = self.low.copy()
        self.high = np.full((n, attributes), UNKNOWN_VALUE)
        self.total = np.zeros((n, attributes))
        self.pieces: list[list[SensitiveRows]] = [[] for _ in range(attributes)]

    def add(self, rows: SensitiveRows, columns: Bools) -> None:
        """Add candidates, with their cells in the selected columns, shape (attributes,)."""
        for j in np.flatnonzero(columns):
            np.minimum.at(self.low[:, j], rows.target, rows.cells[:, j])
            np.maximum.at(self.high[:, j], rows.target, rows.cells[:, j])
            known = rows.cells[:, j] != UNKNOWN_VALUE
            np.minimum.at(self.least[:, j], rows.target[known], rows.cells[known, j])
            self.total[:, j] += np.bincount(rows.target, rows.weight, len(self.total))
            self.pieces[j].append(rows.only(int(j)))

    def take_apart(self, releases: Sequence[SensitiveRows], torn: Bools, most: int) -> None:
        """Recompute the agreement for some targets, with each column compared by itself.

        releases: the candidates of each release. torn: True for these targets, shape (n,). most:
        see `joined_rows`.
        """
        if not torn.any():
            return
        some = [rows.where(torn[rows.target]) for rows in releases]
        for j in range(self.low.shape[1]):
            left = joint([rows.only(j) for rows in some], len(torn), most)
            self.low[torn, j], self.high[torn, j] = left.low[torn, 0], left.high[torn, 0]
            self.least[torn, j] = left.least[torn, 0]
            self.total[torn, j] = left.total[torn, 0]
            self.pieces[j] += left.pieces[0]

    @property
    def certain(self) -> Bools:
        """True where all candidates have the same known value, shape (n, attributes)."""
        certain: Bools = (self.low == self.high) & (self.low != UNKNOWN_VALUE)
        return certain

    @property
    def met(self) -> Bools:
        """True for targets with a candidate, shape (n,)."""
        met: Bools = self.low[:, 0] != _NONE
        return met

    @property
    def known(self) -> Bools:
        """True where some candidate has a known value, shape (n, attributes)."""
        known: Bools = self.least != _NONE
        return known

    def most(self, column: int) -> Floats:
        """Return the weight of the value with the largest weight in a column, shape (n,)."""
        return self._weights(column)[0]

    def open_(self, column: int) -> Floats:
        """Return the weight of the candidates with an unknown cell in a column, shape (n,)."""
        return self._weights(column)[1]

    def _weights(self, column: int) -> tuple[Floats, Floats]:
        n, pieces = len(self.low), self.pieces[column]
        if not pieces:
            return np.zeros(n), np.zeros(n)
        target, cells, weight = (np.concatenate(part) for part in zip(*pieces, strict=True))
        value = cells[:, 0]
        known = value != UNKNOWN_VALUE
        shape = (n, int(value.max(initial=0)) + 1)
        table = sparse_table(weight[known], target[known], value[known], shape)
        most: Floats = table.max(axis=1).toarray().ravel()
        return most, np.bincount(target[~known], weight[~known], n).astype(np.float64)


def of_one(rows: SensitiveRows, n: int) -> Agreement:
    """Return the agreement of the candidates of one release; n: how many targets there are."""
    attributes = rows.cells.shape[1]
    agreement = Agreement(n, attributes)
    agreement.add(rows, np.ones(attributes, bool))
    return agreement


def joint(releases: Sequence[SensitiveRows], n: int, most: int) -> Agreement:
    """Return the agreement of the joint candidates of all releases.

    A joint candidate consists of one row from each release, and their known cells agree.

    releases: the candidates of each release, of at least two releases. n: how many targets there
    are. most: see `joined_rows`.
    """
    one, other = reduce(partial(joined_rows, most=most), releases[:-1]), releases[-1]
    left = Agreement(n, one.cells.shape[1])
    for mine, theirs, known, here, there, _ in _comparable(one, other):
        size = int(max(here.max(initial=-1), there.max(initial=-1))) + 1
        others = np.bincount(there, theirs.weight, size)[here]
        ours = np.bincount(here, mine.weight, size)[there]
        left.add(mine._replace(weight=mine.weight * others).where(others > 0), known)
        left.add(theirs._replace(weight=theirs.weight * ours).where(ours > 0), ~known)
    return left


def joined_rows(one: SensitiveRows, other: SensitiveRows, most: int) -> SensitiveRows:
    """Join the rows of `one` and `other` that have the same target and agree on all known cells.

    A joined row has the known cells of both rows. So a third row agrees with both rows exactly if
    it agrees with the joined row. Raises TooMuchError for more than `most` pairs.
    """
    at, also = agreeing(one, other, most)
    mine, theirs = one.cells[at], other.cells[also]
    made = np.where(mine == UNKNOWN_VALUE, theirs, mine)
    rows, number = distinct_rows(np.column_stack([one.target[at], made]))
    weight = np.bincount(number, one.weight[at] * other.weight[also], len(rows))
    return SensitiveRows(rows[:, 0].astype(np.intp), rows[:, 1:], weight.astype(np.float64))


def agreeing(one: SensitiveRows, other: SensitiveRows, most: int) -> tuple[Index, Index]:
    """Return all pairs of rows of the same target whose known cells agree.

    The two arrays have the positions of the rows in `one` and in `other`.

    Raises TooMuchError for more than `most` pairs.
    """
    first, second, pairs = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)], 0
    for meeting in _comparable(one, other):
        here, there = meeting.here, meeting.there
        order = np.argsort(there, kind="stable")
        start = np.searchsorted(there[order], here)
        length = np.searchsorted(there[order], here, side="right") - start
        pairs += int(length.sum())
        if pairs > most:
            raise TooMuchError(TOO_MANY)
        at, within = runs(length)
        first.append(meeting.places[0][at])
        second.append(meeting.places[1][order[start[at] + within]])
    return np.concatenate(first), np.concatenate(second)


class _Comparable(NamedTuple):
    """Rows of two releases. In each release these rows have known cells in the same columns.

    The columns of the two releases may differ.

    mine, theirs: the rows of the first and of the second release. known: the columns that are known
    in the first release, shape (attributes,). here, there: a number for each row of `mine` and of
    `theirs`; two rows have the same number if they have the same target and agree on the columns
    that are known in both releases. places: for each release, the positions of the rows in it.
    """

    mine: SensitiveRows
    theirs: SensitiveRows
    known: Bools
    here: Index
    there: Index
    places: tuple[Index, Index]


def _comparable(one: SensitiveRows, other: SensitiveRows) -> Iterator[_Comparable]:
    """Yield the rows of both releases, grouped by the columns in which they have known cells.

    Each item has a group of rows of `one` and a group of rows of `other`. Two rows of one target
    agree if they are equal in the columns that both groups know.
    """
    for known, mine in _by_pattern(one):
        for also_known, theirs in _by_pattern(other):
            both = known & also_known
            sides = one.where(mine), other.where(theirs)
            cells = [np.column_stack([r.target, r.cells[:, both]]) for r in sides]
            _, number = distinct_rows(np.concatenate(cells))
            n = len(sides[0].target)
            places = np.flatnonzero(mine), np.flatnonzero(theirs)
            yield _Comparable(*sides, known, number[:n], number[n:], places)


def _by_pattern(rows: SensitiveRows) -> list[tuple[Bools, Bools]]:
    """Return each set of known columns that some row has, with the rows that have it.

    Both are arrays of bools, of the shapes (attributes,) and (n,).
    """
    patterns, pattern = distinct_rows((rows.cells != UNKNOWN_VALUE).astype(np.int64))
    return [(known, pattern == i) for i, known in enumerate(patterns.astype(bool))]
