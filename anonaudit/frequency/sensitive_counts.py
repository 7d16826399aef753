"""How often each sensitive value occurs in each equivalence class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from anonaudit.frequency.codes import Codes
from anonaudit.frequency.frequency_set import Counts
from anonaudit.frequency.wildcards import Table

Shares = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SensitiveCounts:
    """How often each known value of one sensitive attribute occurs in each class.

    One entry a (class, value) pair that occurs, by class, the most frequent value first:
    class_of, value, count: shape (n_entries,), the class, the value's code, the number of
        rows (or persons) of the class that carry it.
    totals: shape (n_classes,), the sum of the class's counts: 0 where no value is known.
    labels: the texts of the codes.
    overall: shape (len(labels),), how often each value occurs in all classes together
        (no row counts twice here, not even under wildcards).
    """

    attribute: str
    labels: tuple[str, ...]
    class_of: npt.NDArray[np.intp]
    value: Codes
    count: Shares
    totals: Shares
    overall: Shares

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

    @classmethod
    def build(
        cls,
        attribute: str,
        labels: tuple[str, ...],
        table: Table,
        overall: Shares,
    ) -> SensitiveCounts:
        """From a (class x code) table of counts, and the counts over the whole release."""
        entries = table.tocoo()
        used = entries.data > 0
        class_of, value, count = entries.row[used], entries.col[used], entries.data[used]
        order = np.lexsort((value, -count, class_of))
        totals = np.bincount(class_of, count, table.shape[0]).astype(np.float64)
        return cls(
            attribute=attribute,
            labels=labels,
            class_of=class_of[order].astype(np.intp),
            value=value[order].astype(np.int64),
            count=count[order].astype(np.float64),
            totals=totals,
            overall=overall,
        )
