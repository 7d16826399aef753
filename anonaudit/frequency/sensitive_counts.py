"""Count the values of sensitive attributes in each equivalence class."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import ReadOnlyArrays, read_only
from anonaudit.frequency.codes import Codes, by_column, distinct_rows
from anonaudit.frequency.frequency_set import Counts, FrequencySet
from anonaudit.frequency.table_entries import Entries

Shares = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WholeCounts(ReadOnlyArrays):
    """The counts of the known values of one sensitive attribute over all classes together.

    A row counts once, even if it is in several classes (under wildcards). A person with the same
    value in several rows counts once for this value, even if the rows are in different classes.

    The arrays have one number per code of a value, shape (n_codes,).

    overall: number of rows, or of distinct persons if there is a unit column, with each value.
    rows: number of rows with each value, also if there is a unit column.
    unknown_rows: number of rows without a known value.
    known: number of rows, or of distinct persons, with a known value.
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
        """Count the values in `table`, the frequency set of all rows that are in a class.

        unit: the column that identifies persons; None to count rows.
        known: mask of the entries with a known value, shape (len(table),).
        value: the codes of these values, shape (known.sum(),).
        n_codes: number of codes. All values are below it.
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
        """The share of the most frequent value among the known values; None if no value is known.

        It is the success rate of an adversary who always guesses this value.
        """
        return float(self.overall.max() / self.known) if self.known else None


@dataclass(frozen=True)
class SensitiveCounts(ReadOnlyArrays):
    """The counts of the known values of one sensitive attribute in each class.

    There is one entry for each (class, value) pair that occurs. Entries are sorted by class, and
    within a class the most frequent value comes first.

    attribute: the name of the sensitive attribute.
    labels: the text of each code; code c has the text `labels[c]`.
    class_of, value, count: shape (n_entries,): the class, the code of the value, and the number of
        rows (or persons) of the class with this value.
    totals: shape (n_classes,), the sum of `count` in each class; 0 if no value is known.
    unknown: shape (n_classes,), number of rows of the class without a known value.
    whole: the counts over all classes together.
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
        """The number of rows, or of distinct persons, with each value, shape (len(labels),)."""
        return self.whole.overall

    @property
    def n_classes(self) -> int:
        """The number of classes, including classes without a known value."""
        return len(self.totals)

    @cached_property
    def rank(self) -> npt.NDArray[np.intp]:
        """The rank of each entry in its class: 0 for the most frequent value."""
        starts = np.searchsorted(self.class_of, np.arange(self.n_classes))
        return read_only(np.arange(len(self.class_of)) - starts[self.class_of])

    def add_up(self, entries: Shares) -> Shares:
        """Sum numbers over the entries of each class.

        entries: one number per entry, shape (n_entries,). Returns one sum per class, shape
        (n_classes,).
        """
        return np.bincount(self.class_of, entries, self.n_classes).astype(np.float64)

    @cached_property
    def distinct(self) -> Counts:
        """The number of distinct known values in each class, shape (n_classes,)."""
        distinct = np.bincount(self.class_of, minlength=self.n_classes)
        return read_only(distinct.astype(np.int64))

    @cached_property
    def largest(self) -> Shares:
        """The count of the most frequent value in each class, shape (n_classes,); 0 if none."""
        return read_only(self.add_up(np.where(self.rank == 0, self.count, 0.0)))

    @cached_property
    def shares(self) -> Shares:
        """The count of each entry divided by the total of its class, shape (n_entries,)."""
        return read_only(self.count / self.totals[self.class_of])

    def filled(self) -> SensitiveCounts:
        """Return the counts if every unknown cell had the most frequent value of its class.

        This is the worst case for diversity. Classes without a known value do not change. `whole`
        does not change either.
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
        """Build the counts from a table with one row per class and one column per code.

        unknown: shape (n_classes,), number of rows without a known value.
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
