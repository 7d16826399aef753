"""What the candidate rows of a target say: how many there are, and whether their values agree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Bools, Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import Codes, distinct_rows
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.frequency.wildcards import SparseTable, sparse_table
from anonaudit.linking.matching import Candidates

_NONE = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Values:
    """What the candidates of each target carry of one attribute; shape of all: (n_targets,).

    certain: they all carry one value. possible: those with a known value all carry the same, and
    there are some. none: no candidate has a known value, or there is no candidate. value: the
    code they agree on, where rows are counted.
    """

    certain: Bools
    possible: Bools
    none: Bools
    value: Codes


@dataclass(frozen=True)
class CandidateRows:
    """The rows of a release behind the combinations of the columns that an adversary knows.

    base: the release. keys: its combinations of these columns. unit: the column of persons, who
    are counted in place of rows; None without one. least: the least code that is a known value.
    """

    base: FrequencySet
    keys: FrequencySet
    unit: str | None
    least: int

    def _codes(self, column: str) -> Codes:
        """The values of a column; unknown cells that count as values are one value together."""
        codes = self.base.column(column)
        if self.least >= FIRST_VALUE:
            return codes
        return np.where(codes < FIRST_VALUE, self.least, codes)

    @cached_property
    def entry(self) -> Index:
        """The combination of each entry of the release, shape (len(base),)."""
        return self.keys.entry_of(self.base)

    def number(self, pairs: Candidates, n: int, chosen: Bools | None = None) -> Codes:
        """How many candidate rows (persons) each of n targets has, shape (n,).

        chosen: the entries of the release that count, shape (len(base),); all if None.
        """
        chosen = self._all if chosen is None else chosen
        if self.unit is not None:
            return self._persons(pairs, n, chosen, None).toarray()[:, 0].astype(np.int64)
        rows = np.bincount(self.entry[chosen], self.base.counts[chosen], len(self.keys))
        return np.bincount(pairs.person, rows[pairs.key], n).astype(np.int64)

    def values(self, column: str, pairs: Candidates, n: int, chosen: Bools | None = None) -> Values:
        """What the candidates of each of n targets carry of a column; chosen: as of `number`."""
        chosen = self._all if chosen is None else chosen
        known = chosen & (self._codes(column) >= self.least)
        if self.unit is None:
            return self._of_rows(column, pairs, n, known, chosen & ~known)
        every = self._persons(pairs, n, chosen, None).toarray()[:, 0]
        having = self._persons(pairs, n, known, None).toarray()[:, 0]
        most = self._persons(pairs, n, known, column).max(axis=1).toarray().ravel()
        certain = (having > 0) & (most == every)
        possible = self.may_agree(column, pairs, pairs, n, chosen, chosen)
        return Values(certain, certain | possible, having == 0, np.zeros(n, np.int64))

    def may_agree(
        self, column: str, sure: Candidates, widest: Candidates, n: int, firm: Bools, present: Bools
    ) -> Bools:
        """The targets, shape (n,), whose certain candidates may all have one value that is known.

        A person may have it if one of their rows that fit or may fit has it, or lacks a cell. firm,
        present: the entries that may fit for certain, and those that may fit at all, (len(base),).
        """
        known = present & (self._codes(column) >= self.least)
        target, value, person = self._reached(widest, n, known, column)
        target_too, _, person_too = self._reached(sure, n, firm, None)
        gap, _, gap_too = self._reached(widest, n, present & ~known, None)
        far = int(max(person_too.max(initial=0), gap_too.max(initial=0))) + 1
        whole = ~np.isin(target_too * far + person_too, gap * far + gap_too)
        target_too, person_too = target_too[whole], person_too[whole]
        width = int(max(person.max(initial=0), person_too.max(initial=0))) + 1
        among = np.isin(target * width + person, target_too * width + person_too)
        shape = (n, int(value.max(initial=0)) + 1)
        having = sparse_table(np.ones(int(among.sum())), target[among], value[among], shape)
        most = having.max(axis=1).toarray().ravel()
        some = np.bincount(target, minlength=n) > 0
        agree: Bools = some & (most == np.bincount(target_too, minlength=n))
        return agree

    def known(self, column: str) -> Bools:
        """The entries of the release whose value of a column counts as known, (len(base),)."""
        known: Bools = self._codes(column) >= self.least
        return known

    def by_value(self, column: str, pairs: Candidates, n: int, chosen: Bools) -> SparseTable:
        """How many candidate rows (persons) of each of n targets carry each value of a column.

        chosen: the entries that count, shape (len(base),).
        """
        if self.unit is not None:
            return self._persons(pairs, n, chosen, column)
        code = self._codes(column)
        shape = (len(self.keys), int(code.max(initial=0)) + 1)
        table = sparse_table(self.base.counts[chosen], self.entry[chosen], code[chosen], shape)
        looks = sparse_table(np.ones(len(pairs.key)), pairs.person, pairs.key, (n, len(self.keys)))
        return looks @ table

    def carriers(
        self, column: str | None, pairs: Candidates, n: int, chosen: Bools
    ) -> tuple[Index, Codes, Index, npt.NDArray[np.float64]]:
        """Each target with the combinations (persons) that carry a value; 0 if no column is named.

        chosen: the entries that count, shape (len(base),). Returns the target, the value, the
        combination or person, and the share of its rows (1 of a person) that carry the value.
        Persons are numbered in ascending order of their codes in `keys`.
        """
        if self.unit is not None:
            target, value, person = self._reached(pairs, n, chosen, column)
            place = np.searchsorted(np.unique(self.keys.column(self.unit)), person)
            return target, value, place.astype(np.intp), np.ones(len(place))
        code = np.zeros(len(self.base), np.int64) if column is None else self._codes(column)
        shape = (len(self.keys), int(code.max(initial=0)) + 1)
        table = sparse_table(self.base.counts[chosen], self.entry[chosen], code[chosen], shape)
        start, size = table.indptr, np.diff(table.indptr)
        number = size[pairs.key]
        within = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
        at = np.repeat(start[pairs.key], number) + within
        key = np.repeat(pairs.key, number)
        rows = np.bincount(self.entry, self.base.counts, len(self.keys))
        part = table.data[at] / rows[key]
        return np.repeat(pairs.person, number), table.indices[at].astype(np.int64), key, part

    @property
    def each(self) -> Candidates:
        """Every combination as the only candidate of a target of its own."""
        return Candidates(np.arange(len(self.keys)), np.arange(len(self.keys)))

    @property
    def _all(self) -> Bools:
        return np.ones(len(self.base), bool)

    def _of_rows(
        self, column: str, pairs: Candidates, n: int, known: Bools, unknown: Bools
    ) -> Values:
        code, size = self._codes(column), len(self.keys)
        low, high, gap = np.full(size, _NONE), np.full(size, -1), np.zeros(size, bool)
        np.minimum.at(low, self.entry[known], code[known])
        np.maximum.at(high, self.entry[known], code[known])
        gap[self.entry[unknown]] = True
        smallest, largest, open_ = np.full(n, _NONE), np.full(n, -1), np.zeros(n, bool)
        np.minimum.at(smallest, pairs.person, low[pairs.key])
        np.maximum.at(largest, pairs.person, high[pairs.key])
        open_[pairs.person[gap[pairs.key]]] = True
        possible = smallest == largest
        value = np.where(possible, smallest, 0)
        return Values(possible & ~open_, possible, largest < 0, value)

    def _persons(self, pairs: Candidates, n: int, chosen: Bools, column: str | None) -> SparseTable:
        """How many candidate persons each target has, by the values of a column if named."""
        target, value, _ = self._reached(pairs, n, chosen, column)
        return sparse_table(np.ones(len(target)), target, value, (n, int(value.max(initial=0)) + 1))

    def _reached(
        self, pairs: Candidates, n: int, chosen: Bools, column: str | None
    ) -> tuple[Index, Codes, Codes]:
        """Each target with its different candidate persons, and the values of a column if named.

        Returns the target, the value (0 if no column is named) and the person, one each.
        """
        ones = np.ones(len(pairs.key))
        looks = sparse_table(ones, pairs.person, pairs.key, (n, len(self.keys)))
        person = self.base.column(self.unit or "")[chosen]
        value = np.zeros(len(person), np.int64)
        if column is not None:
            value = self._codes(column)[chosen]
        carried, number = distinct_rows(np.column_stack([value, person]))
        shape = (len(self.keys), len(carried))
        met = sparse_table(np.ones(len(number)), self.entry[chosen], number, shape)
        reached = (looks @ met).tocoo()
        return reached.row.astype(np.intp), carried[reached.col, 0], carried[reached.col, 1]
