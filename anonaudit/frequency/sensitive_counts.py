"""How often each sensitive value occurs in each equivalence class."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from anonaudit.frequency.codes import Codes, by_column, distinct_rows
from anonaudit.frequency.frequency_set import Counts, FrequencySet
from anonaudit.frequency.table_entries import Entries

Shares = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WholeCounts:
    """How often each known value of one sensitive attribute occurs in all classes together.

    Nothing counts twice here: no row that is in several classes (under wildcards), and no person
    with one value in several rows, whatever their classes.

    overall: shape (n_codes,), the rows, or the distinct persons, that carry each value.
    rows: shape (n_codes,), the rows that carry each value. unknown_rows: those without one.
    known: how many rows, or distinct persons, carry a value at all.
    """

    overall: Shares
    rows: Shares
    unknown_rows: int
    known: int

    @classmethod
    def of(
        cls,
        table: FrequencySet,
        unit: str | None,
        known: npt.NDArray[np.bool_],
        value: Codes,
        n_codes: int,
    ) -> WholeCounts:
        """From the frequency set of all rows in classes.

        unit: the column that names persons, if persons are counted. known: shape (len(table),),
            the entries with a value. value: shape (known.sum(),), its code.
        """
        part = table.where(known)
        rows = np.bincount(value, part.counts, n_codes).astype(np.float64)
        overall, count = rows, int(rows.sum())
        if unit is not None:
            pairs, _ = distinct_rows(by_column([value, part.column(unit)]))
            overall = np.bincount(pairs[:, 0], minlength=n_codes).astype(np.float64)
            count = len(part.project([unit]))
        return cls(overall, rows, int(table.counts[~known].sum()), count)

    @property
    def most_likely(self) -> float | None:
        """How often naming the most frequent value is right: its share of `known`."""
        return float(self.overall.max() / self.known) if self.known else None


@dataclass(frozen=True)
class SensitiveCounts:
    """How often each known value of one sensitive attribute occurs in each class.

    One entry a (class, value) pair that occurs, by class, the most frequent value first:
    class_of, value, count: shape (n_entries,), the class, the value's code, the number of
        rows (or persons) of the class that carry it.
    totals: shape (n_classes,), the sum of the class's counts: 0 where no value is known.
    unknown: shape (n_classes,), the rows of the class without a known value.
    labels: the texts of the codes.
    whole: how often each value occurs in all classes together.
    """

    attribute: str
    labels: tuple[str, ...] = field(repr=False)
    class_of: npt.NDArray[np.intp]
    value: Codes
    count: Shares
    totals: Shares
    unknown: Shares
    whole: WholeCounts

    @property
    def overall(self) -> Shares:
        """How many rows, or distinct persons, of all classes carry each value, (len(labels),)."""
        return self.whole.overall

    @property
    def n_classes(self) -> int:
        """The number of classes, those without a known value too."""
        return len(self.totals)

    @cached_property
    def rank(self) -> npt.NDArray[np.intp]:
        """The place of each entry within its class: 0 for the most frequent value."""
        starts = np.searchsorted(self.class_of, np.arange(self.n_classes))
        return np.arange(len(self.class_of)) - starts[self.class_of]

    def add_up(self, entries: Shares) -> Shares:
        """The sum of a number per entry over each class, shape (n_classes,)."""
        return np.bincount(self.class_of, entries, self.n_classes).astype(np.float64)

    @cached_property
    def distinct(self) -> Counts:
        """The number of distinct known values in each class, shape (n_classes,)."""
        return np.bincount(self.class_of, minlength=self.n_classes).astype(np.int64)

    @cached_property
    def largest(self) -> Shares:
        """The count of each class's most frequent value; 0 where no value is known."""
        return self.add_up(np.where(self.rank == 0, self.count, 0.0))

    @cached_property
    def shares(self) -> Shares:
        """The share of each entry among the known cells of its class."""
        return self.count / self.totals[self.class_of]

    def filled(self) -> SensitiveCounts:
        """The same, had all unknown cells of a class its most frequent value: the least mixed.

        A class without a known value stays as it is. The whole is not filled.
        """
        gaps = np.where(self.totals > 0, self.unknown, 0.0)
        count = self.count + np.where(self.rank == 0, gaps[self.class_of], 0.0)
        nothing = np.zeros_like(self.unknown)
        return replace(self, count=count, totals=self.totals + gaps, unknown=nothing)

    @classmethod
    def build(
        cls,
        attribute: str,
        labels: tuple[str, ...],
        table: Entries,
        unknown: Shares,
        whole: WholeCounts,
    ) -> SensitiveCounts:
        """From a (class x code) table of counts, the unknown cells, and the counts of the whole.

        unknown: shape (n_classes,).
        """
        used = table.number > 0
        class_of, value, count = table.row[used], table.column[used], table.number[used]
        order = np.lexsort((value, -count, class_of))
        totals = np.bincount(class_of, count, len(unknown)).astype(np.float64)
        return cls(
            attribute=attribute,
            labels=labels,
            class_of=class_of[order].astype(np.intp),
            value=value[order].astype(np.int64),
            count=count[order].astype(np.float64),
            totals=totals,
            unknown=unknown,
            whole=whole,
        )
