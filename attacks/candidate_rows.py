"""Count the candidate rows of each target, and check whether their sensitive values agree."""

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
    """The values that the candidates of each target have in one attribute; all shapes (n_targets,).

    certain: all candidates have the same known value. possible: at least one candidate has a known
    value, and all known values are the same. none: no candidate has a known value, or there is no
    candidate. value: the code of the common value, 0 if there is none. If persons are counted, all
    codes are 0.
    """

    certain: Bools
    possible: Bools
    none: Bools
    value: Codes


@dataclass(frozen=True)
class CandidateRows:
    """The rows of a release, grouped by the columns that an adversary knows.

    base: the release. keys: its combinations of these columns, or of these columns and the unit
    column. unit: the column that names persons. Persons are then counted instead of rows; None
    means that rows are counted. least: the least code that counts as a known value.
    """

    base: FrequencySet
    keys: FrequencySet
    unit: str | None
    least: int

    def _codes(self, column: str) -> Codes:
        """Return the codes of a column; unknown cells that count as a value share one code."""
        codes = self.base.column(column)
        if self.least >= FIRST_VALUE:
            return codes
        return np.where(codes < FIRST_VALUE, self.least, codes)

    @cached_property
    def entry(self) -> Index:
        """The combination of each entry of the release, shape (len(base),)."""
        return self.keys.entry_of(self.base)

    def number(self, pairs: Candidates, n: int, chosen: Bools | None = None) -> Codes:
        """Return how many candidate rows (persons) each of n targets has, shape (n,).

        chosen: the entries of the release that count, shape (len(base),); all if None.
        """
        chosen = self._all if chosen is None else chosen
        if self.unit is not None:
            return self._persons(pairs, n, chosen, None).toarray()[:, 0].astype(np.int64)
        rows = np.bincount(self.entry[chosen], self.base.counts[chosen], len(self.keys))
        return np.bincount(pairs.person, rows[pairs.key], n).astype(np.int64)

    def values(self, column: str, pairs: Candidates, n: int, chosen: Bools | None = None) -> Values:
        """Return the values of a column that the candidates of each of n targets have.

        chosen: the entries of the release that count, shape (len(base),); all if None.
        """
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
        """Return True for the targets whose certain candidates may all have one value, shape (n,).

        A candidate person may have a value if one of the person's candidate rows has the value or
        an unknown cell. This method is for persons only.

        sure, widest: the pairs that match, and the pairs that match or may match. firm, present:
        the entries of certain candidates, and all entries that count, shape (len(base),).
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
        """Return True for the entries with a known value of a column, shape (len(base),)."""
        known: Bools = self._codes(column) >= self.least
        return known

    def by_value(self, column: str, pairs: Candidates, n: int, chosen: Bools) -> SparseTable:
        """Return how many candidate rows (persons) of each of n targets have each value.

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
        """Return which candidates of each target have which values of a column.

        column: if None, every row has the value 0. chosen: the entries that count, shape
        (len(base),).

        Returns four parallel arrays: the target, the value, the combination (or person), and the
        share of the rows of the combination that have the value (1 for a person). Persons are
        numbered in ascending order of their codes in `keys`.
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
        """One target for each combination, with this combination as its only candidate."""
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
        """Return how many candidate persons of each target have each value of `column`.

        If `column` is None, every person has the value 0.
        """
        target, value, _ = self._reached(pairs, n, chosen, column)
        return sparse_table(np.ones(len(target)), target, value, (n, int(value.max(initial=0)) + 1))

    def _reached(
        self, pairs: Candidates, n: int, chosen: Bools, column: str | None
    ) -> tuple[Index, Codes, Codes]:
        """Return the distinct triples of target, value and candidate person.

        The value is a code of `column`, or 0 if `column` is None. The person is a code of the unit
        column.
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
