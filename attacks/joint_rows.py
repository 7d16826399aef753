"""Joint candidates: one row of each release that agree wherever their cells are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial, reduce
from typing import Final, NamedTuple

import numpy as np

from anonaudit.arrays import Bools, Floats, Index
from anonaudit.frequency.codes import Codes, distinct_rows, runs
from anonaudit.frequency.wildcards import sparse_table
from anonaudit.linking.too_much import TooMuchError

UNKNOWN_VALUE: Final = -1  # in place of the number of a value
TOO_MANY: Final = "too many candidates and values to intersect; name more columns or people"
_NONE: Final = np.iinfo(np.int64).max


class SensitiveRows(NamedTuple):
    """The different sensitive rows that may be a target's.

    target: shape (n,). cells: shape (n, attributes), the numbers of values. weight: how many rows
    of a release, or choices of a row of each release, look so; shape (n,).
    """

    target: Index
    cells: Codes
    weight: Floats

    def where(self, some: Bools) -> SensitiveRows:
        """Some of the rows."""
        return SensitiveRows(self.target[some], self.cells[some], self.weight[some])

    def of_any(self, n: int) -> Bools:
        """Which of n targets have a row."""
        return np.bincount(self.target, minlength=n) > 0

    def hold(self, column: int, numbers: Sequence[int] | Codes, n: int) -> Bools:
        """Which of n targets have a row with one of some values in a column."""
        return self.where(np.isin(self.cells[:, column], numbers)).of_any(n)

    def only(self, column: int) -> SensitiveRows:
        """The rows with the cells of one column."""
        return SensitiveRows(self.target, self.cells[:, column : column + 1], self.weight)

    def with_anything(self, targets: Bools) -> SensitiveRows:
        """The rows, and one that may be anything for each target that is chosen; shape (n,)."""
        who = np.flatnonzero(targets)
        anything = np.full((len(who), self.cells.shape[1]), UNKNOWN_VALUE)
        return SensitiveRows(
            np.concatenate([self.target, who]),
            np.concatenate([self.cells, anything]),
            np.concatenate([self.weight, np.ones(len(who))]),
        )


class Agreement:
    """What the joint candidates of each of n targets have in common.

    low, high: shape (n, attributes), the least and the largest number among the candidates; a
    cell that may be anything is UNKNOWN_VALUE, so it agrees with no value. least: the least number
    of a known cell. total: shape (n, attributes), the weight of all candidates. pieces: by
    attribute the candidates with their cells of it.
    """

    def __init__(self, n: int, attributes: int) -> None:
        self.low = np.full((n, attributes), _NONE)
        self.least = self.low.copy()
        self.high = np.full((n, attributes), UNKNOWN_VALUE)
        self.total = np.zeros((n, attributes))
        self.pieces: list[list[SensitiveRows]] = [[] for _ in range(attributes)]

    def add(self, rows: SensitiveRows, columns: Bools) -> None:
        """More candidates, with their cells in some columns."""
        for j in np.flatnonzero(columns):
            np.minimum.at(self.low[:, j], rows.target, rows.cells[:, j])
            np.maximum.at(self.high[:, j], rows.target, rows.cells[:, j])
            known = rows.cells[:, j] != UNKNOWN_VALUE
            np.minimum.at(self.least[:, j], rows.target[known], rows.cells[known, j])
            self.total[:, j] += np.bincount(rows.target, rows.weight, len(self.total))
            self.pieces[j].append(rows.only(int(j)))

    def take_apart(self, releases: Sequence[SensitiveRows], torn: Bools, most: int) -> None:
        """For some of the targets, shape (n,), what is in common column by column."""
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
        """Where all candidates have one value, shape (n, attributes)."""
        certain: Bools = (self.low == self.high) & (self.low != UNKNOWN_VALUE)
        return certain

    @property
    def met(self) -> Bools:
        """Which targets have a candidate, shape (n,)."""
        met: Bools = self.low[:, 0] != _NONE
        return met

    @property
    def known(self) -> Bools:
        """Where some candidate has a value, shape (n, attributes)."""
        known: Bools = self.least != _NONE
        return known

    def most(self, column: int) -> Floats:
        """The weight of the value with the largest, shape (n,)."""
        return self._weights(column)[0]

    def open_(self, column: int) -> Floats:
        """The weight of the candidates whose value may be any, shape (n,)."""
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
    """What the candidates of one release have in common."""
    attributes = rows.cells.shape[1]
    agreement = Agreement(n, attributes)
    agreement.add(rows, np.ones(attributes, bool))
    return agreement


def joint(releases: Sequence[SensitiveRows], n: int, most: int) -> Agreement:
    """What one row of each release have in common, of those that agree where both are known.

    releases: the candidates in each, at least two. most: as of `joined_rows`.
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
    """The rows that a row of each make together, of those that agree where both are known.

    A third row agrees with both exactly if it agrees with what they make.
    Raises TooMuchError for more than `most` pairs.
    """
    at, also = agreeing(one, other, most)
    mine, theirs = one.cells[at], other.cells[also]
    made = np.where(mine == UNKNOWN_VALUE, theirs, mine)
    rows, number = distinct_rows(np.column_stack([one.target[at], made]))
    weight = np.bincount(number, one.weight[at] * other.weight[also], len(rows))
    return SensitiveRows(rows[:, 0].astype(np.intp), rows[:, 1:], weight.astype(np.float64))


def agreeing(one: SensitiveRows, other: SensitiveRows, most: int) -> tuple[Index, Index]:
    """The places of all pairs of rows of one target that agree where both are known.

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
    """Rows of two releases with the same cells known on each side.

    known: the cells that are in the first, shape (attributes,). here, there: a number for each row;
    rows of one target that agree where both are known have the same. places: of the rows among all
    of their release.
    """

    mine: SensitiveRows
    theirs: SensitiveRows
    known: Bools
    here: Index
    there: Index
    places: tuple[Index, Index]


def _comparable(one: SensitiveRows, other: SensitiveRows) -> Iterator[_Comparable]:
    """The rows by which of their cells are known; then to agree is to be equal."""
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
    """Which cells are known, shape (attributes,), and which rows have just these, shape (n,)."""
    patterns, pattern = distinct_rows((rows.cells != UNKNOWN_VALUE).astype(np.int64))
    return [(known, pattern == i) for i, known in enumerate(patterns.astype(bool))]
