"""Equivalence classes: sets of rows that are equal on every quasi-identifier (MCT08 Definition 1).

Classes are built from one frequency set over quasi-identifiers and sensitive attributes. This
module applies the conventions for missing and suppressed cells, and counts persons instead of rows
if the release has a unit column. So models and attacks need not do this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from anonaudit import notebook
from anonaudit.arrays import read_only
from anonaudit.cells import FIRST_VALUE, MISSING, SUPPRESSED, Convention
from anonaudit.errors import AnonauditError
from anonaudit.frequency.codes import Codes, by_column, distinct_rows
from anonaudit.frequency.frequency_set import Counts, FrequencySet
from anonaudit.frequency.sensitive_counts import SensitiveCounts, WholeCounts
from anonaudit.frequency.table_entries import Entries, added_up
from anonaudit.frequency.wildcards import Compatibility, SparseTable, sparse_table
from anonaudit.roles import Roles


@dataclass(frozen=True)
class Whole:
    """Counts over a whole release. An audit in parts needs them, as a part has only some classes.

    rows: number of rows of the release.
    values: sensitive attribute -> its frequency set over all rows that are in a class.
    """

    rows: int
    values: Mapping[str, FrequencySet]


@dataclass(frozen=True, repr=False)
class EquivalenceClasses(notebook.Result):
    """The classes of a release, with their sizes and their sensitive values.

    base: the frequency set of the release.
    kept: the entries of `base` that are in a class.
    keys: the frequency set of `kept` over the quasi-identifiers. It has one entry per class, the
        key of the class. Class i is entry i.
    compatibility: which classes are compatible under wildcards; None if the convention has no
        wildcards, or no cell is a wildcard.
    suppressed_tuples: number of rows excluded because all their quasi-identifiers are suppressed.
    dropped_rows: number of rows dropped because a quasi-identifier has no value.
    whole: counts over the whole release if this object holds only some of its classes; else None.
        In the first case, `base` has only the rows of these classes, but the labels of its
        sensitive attributes include all values of the release.
    """

    roles: Roles
    convention: Convention
    base: FrequencySet
    kept: FrequencySet
    keys: FrequencySet
    compatibility: Compatibility | None
    suppressed_tuples: int
    dropped_rows: int
    whole: Whole | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def _line(self) -> str:
        return f"{len(self)} by {', '.join(self.roles.quasi_identifiers)}"

    @property
    def rows(self) -> Counts:
        """The number of rows with exactly the key of each class, shape (n_classes,).

        Rows are counted even if there is a unit column. Under wildcards, the rows of compatible
        classes are not included.
        """
        return self.keys.counts

    @property
    def apart(self) -> bool:
        """True if rows are counted and each row is in one class: no unit column, no wildcards."""
        return self.roles.unit is None and self.compatibility is None

    @cached_property
    def sizes(self) -> npt.NDArray[np.float64]:
        """The size of each class, whose minimum is k; shape (n_classes,).

        The size is the number of rows, or of distinct persons if the release has a unit column.
        Under wildcards it includes the rows of all compatible classes.
        """
        everything = np.zeros(len(self.kept), np.int64)
        return read_only(self._table(self.kept, self.class_of, everything, 1).by_row(len(self)))

    @cached_property
    def class_of(self) -> npt.NDArray[np.intp]:
        """The number of the class of each entry of `kept`, shape (len(kept),)."""
        return read_only(self.keys.entry_of(self.kept))

    def known(self, column: str) -> npt.NDArray[np.float64]:
        """Return how many rows of each class have a known sensitive value; shape (n_classes,).

        Persons instead of rows are counted if there is a unit column, as in `sizes`. Under
        wildcards, the rows of compatible classes are included.

        column: a sensitive attribute.
        """
        there = self.kept.column(column) >= self.convention.first_counted
        nothing = np.zeros(int(there.sum()), np.int64)
        table = self._table(self.kept.where(there), self.class_of[there], nothing, 1)
        return table.by_row(len(self))

    def may_agree(
        self, column: str, among: npt.NDArray[np.bool_] | None = None
    ) -> npt.NDArray[np.bool_]:
        """Return which classes have unknown cells that may all hide the one known value.

        Example: a class with the sensitive values flu, flu and unknown may have only flu. A class
        with flu, hiv and unknown has at least two values.

        A class is True if there is a value v such that some cell of the class is unknown, some row
        has v, and every row without an unknown cell has v. If there is a unit column, every person
        without an unknown cell must have v.

        column: a sensitive attribute. among: mask of the values to consider for v, shape
        (len(labels),); None for all.

        Returns a mask of shape (n_classes,).
        """
        codes = self.kept.column(column)
        known = codes >= self.convention.first_counted
        if known.all():
            return np.zeros(len(self), bool)
        sure = known
        if self.roles.unit is not None:
            person = self.kept.column(self.roles.unit)
            # Under wildcards classes share rows, so a person with an unknown cell in any class is
            # not sure. Otherwise only unknown cells in the same class matter.
            place = person
            if self.compatibility is None:
                place = self.class_of * (int(person.max(initial=0)) + 1) + person
            sure = known & ~np.isin(place, place[~known])

        n = len(self.kept.labels_of(column))
        wanted = np.ones(n, bool) if among is None else among

        def table(some: npt.NDArray[np.bool_], value: Codes, values: int) -> Entries:
            return self._table(self.kept.where(some), self.class_of[some], value[some], values)

        def by_class(some: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
            return table(some, np.zeros_like(codes), 1).by_row(len(self))

        there, having = table(known, codes, n), table(sure, codes, n)
        somebody = np.zeros(len(self), bool)
        somebody[there.row[wanted[there.column] & (there.number > 0)]] = True
        most, one = np.zeros(len(self)), wanted[having.column]
        np.maximum.at(most, having.row[one], having.number[one])
        agree: npt.NDArray[np.bool_] = (by_class(~known) > 0) & somebody & (most == by_class(sure))
        return agree

    def batches(self, most: int) -> Iterator[npt.NDArray[np.bool_]]:
        """Yield the entries of `kept` in batches of whole classes, as masks of shape (len(kept),).

        A batch has at most `most` entries. A larger class is a batch by itself. Under wildcards,
        classes share rows, so there is only one batch.
        """
        if self.compatibility is not None:
            yield np.ones(len(self.kept), bool)
            return
        ends = np.cumsum(np.bincount(self.class_of, minlength=len(self)))
        first = 0
        while first < len(self):
            before = int(ends[first - 1]) if first else 0
            after = max(int(np.searchsorted(ends, before + most, side="right")), first + 1)
            yield (self.class_of >= first) & (self.class_of < after)
            first = after

    @cached_property
    def sensitive(self) -> Mapping[str, SensitiveCounts]:
        """Sensitive attribute -> the counts of its values in each class."""
        by_name = {}
        for name in self.roles.sensitive:
            known = self.kept.column(name) >= self.convention.first_counted
            value = self.kept.column(name)[known]
            counts = self._counts(name, known, value, self.kept.labels_of(name))
            by_name[name] = counts if self.whole is None else self._of_all(counts, self.whole)
        return MappingProxyType(by_name)

    def _of_all(self, counts: SensitiveCounts, whole: Whole) -> SensitiveCounts:
        """Return the counts with `counts.whole` computed over the whole release."""
        table = whole.values[counts.attribute]
        value = table.column(counts.attribute)
        known = value >= self.convention.first_counted
        whole_counts = WholeCounts.of(
            table, self.roles.unit, known, value[known], len(counts.labels)
        )
        return replace(counts, whole=whole_counts)

    @property
    def total_rows(self) -> int:
        """The number of rows of the whole release."""
        return self.base.total if self.whole is None else self.whole.rows

    @property
    def total_persons(self) -> int | None:
        """The number of distinct persons in the whole release; None if it has no unit column."""
        unit = self.roles.unit
        return None if unit is None else len(self.base.project([unit]))

    def reread(self, roles: Roles) -> EquivalenceClasses:
        """Return the classes of the same release under other roles, such as more quasi-identifiers.

        The columns of the other roles must be in `base`.
        """
        return equivalence_classes(self.base, roles, self.convention)

    def recounted(self, base: FrequencySet) -> EquivalenceClasses:
        """Return the classes of another table under the same roles, such as a generalized table.

        base: the frequency set of the other table.
        """
        return equivalence_classes(base, self.roles, self.convention)

    def people(self, chosen: npt.NDArray[np.bool_]) -> int:
        """Return the number of rows, or of distinct persons, in the chosen classes.

        chosen: mask of shape (n_classes,).
        """
        if self.roles.unit is None:
            return int(self.rows[chosen].sum())
        person = self.kept.column(self.roles.unit)[chosen[self.class_of]]
        return int(np.count_nonzero(np.bincount(person)))

    def number_of(self, finer: FrequencySet) -> npt.NDArray[np.intp]:
        """Return the class of each entry of a frequency set; -1 for none. Shape (len(finer),).

        finer: a frequency set over the quasi-identifiers and maybe more columns. The labels of the
            quasi-identifiers must be those of `keys`.
        """
        mine = self.keys.codes
        theirs = finer.columns(self.keys.attributes)
        different, number = distinct_rows(np.concatenate([mine, theirs]))
        class_of = np.full(len(different), -1, np.intp)
        class_of[number[: len(mine)]] = np.arange(len(mine))
        return class_of[number[len(mine) :]]

    def combined(self) -> SensitiveCounts:
        """Return the counts of all sensitive attributes together, as if they were one attribute.

        Its values are combinations such as `flu / 30000`. A combination with an unknown cell is
        unknown.
        """
        names, counted = self.roles.sensitive, self.convention.first_counted
        columns = self.kept.positions(names)
        known = np.all(self.kept.codes[:, columns] >= counted, axis=1)
        combinations, value = distinct_rows(self.kept.codes[known], columns)
        labels = tuple(
            " / ".join(self.kept.labels[c][code] for c, code in zip(columns, codes, strict=True))
            for codes in combinations
        )
        return self._counts(" / ".join(names), known, value, labels)

    def _counts(
        self, name: str, known: npt.NDArray[np.bool_], value: Codes, labels: tuple[str, ...]
    ) -> SensitiveCounts:
        part, class_of = self.kept.where(known), self.class_of[known]
        table = self._table(part, class_of, value, len(labels))
        whole = WholeCounts.of(self.kept, self.roles.unit, known, value, len(labels))
        return SensitiveCounts.build(name, labels, table, self._rows_with(~known), whole)

    def _rows_with(self, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """Return how many rows of each class are in the chosen entries; shape (n_classes,).

        chosen: mask of entries of `kept`. Under wildcards, compatible classes are included.
        """
        nothing = np.zeros(int(chosen.sum()), np.int64)
        reach = None if self.compatibility is None else self.compatibility.reach
        part, class_of = self.kept.where(chosen), self.class_of[chosen]
        return count_entries(part, None, class_of, nothing, (len(self), 1), reach).by_row(len(self))

    def _table(
        self, part: FrequencySet, class_of: npt.NDArray[np.intp], value: Codes, n_values: int
    ) -> Entries:
        """Count the rows, or the distinct persons, of each class with each value.

        See `count_entries` for the arguments.
        """
        reach = None if self.compatibility is None else self.compatibility.reach
        return count_entries(part, self.roles.unit, class_of, value, (len(self), n_values), reach)


def equivalence_classes(
    base: FrequencySet, roles: Roles, convention: Convention | None = None
) -> EquivalenceClasses:
    """Return the equivalence classes of a release.

    Without quasi-identifiers, all rows are in one class.

    base: a frequency set over the quasi-identifiers, the sensitive attributes and the unit column
        if there is one. It may have more columns.
    roles: the role of each column.
    convention: the rules for cells without a value; None for the default rules.

    Raises AnonauditError if a row has no value in the unit column, or if there are a unit column,
    wildcards and a wildcard weight other than 1.

    >>> table = FrequencySet.of(["age", "dx"], [("30s", "flu"), ("30s", "hiv"), ("40s", "flu")])
    >>> equivalence_classes(table, Roles(("age",), ("dx",))).sizes.tolist()
    [2.0, 1.0]
    """
    convention = convention or Convention()
    quasi, unit = roles.quasi_identifiers, roles.unit
    if unit is not None:
        nameless = int(base.counts[base.column(unit) < FIRST_VALUE].sum())
        if nameless:
            raise AnonauditError(
                f"{nameless} row(s) have no value in the unit column {unit!r}, so persons cannot "
                "be counted; fill it in, or audit without a unit to count rows"
            )
    cells = base.columns(quasi)
    suppressed = np.zeros(len(base), bool)
    if quasi and convention.suppressed_tuples == "exclude":
        suppressed = np.all(cells == SUPPRESSED, axis=1)
    dropped = np.zeros(len(base), bool)
    if convention.quasi_identifiers == "drop-rows":
        dropped = np.any(cells < FIRST_VALUE, axis=1) & ~suppressed
    kept = base.where(~suppressed & ~dropped)
    if convention.sensitive == "one-value":
        kept = _suppressed_as_missing(kept, roles.sensitive)
    keys = kept.project(quasi)
    wild = convention.quasi_identifiers == "wildcard"
    compatibility = Compatibility.of(keys, convention.wildcard_weight) if wild else None
    if compatibility is not None and unit is not None and convention.wildcard_weight != 1:
        raise AnonauditError(
            "persons cannot be counted with a wildcard-weight below 1; set "
            "conventions.wildcard-weight = 1, or audit without a unit to count rows"
        )
    return EquivalenceClasses(
        roles=roles,
        convention=convention,
        base=base,
        kept=kept,
        keys=keys,
        compatibility=compatibility,
        suppressed_tuples=int(base.counts[suppressed].sum()),
        dropped_rows=int(base.counts[dropped].sum()),
    )


def _suppressed_as_missing(table: FrequencySet, attributes: Sequence[str]) -> FrequencySet:
    """Return the table with suppressed cells of these attributes recoded as missing."""
    columns = table.positions(attributes)
    if not (table.codes[:, columns] == SUPPRESSED).any():
        return table
    codes = table.codes.copy()
    for column in columns:
        codes[codes[:, column] == SUPPRESSED, column] = MISSING
    return replace(table, codes=codes).project(table.attributes)


def count_entries(
    part: FrequencySet,
    unit: str | None,
    class_of: npt.NDArray[np.intp],
    value: Codes,
    shape: tuple[int, int],
    reach: Callable[[SparseTable], SparseTable] | None = None,
) -> Entries:
    """Count the rows, or the distinct persons, of each class with each value.

    part: some entries of the release.
    unit: the column that identifies persons; None to count rows.
    class_of, value: shape (len(part),), the class and the code of the value of each entry.
    shape: number of classes and of values.
    reach: the function that replaces each row of a class x value table by the sum over all
        compatible classes (see `Compatibility.reach`); None without wildcards.

    Returns the entries of the class x value table.
    """
    if unit is None:
        return _reached(part.counts, class_of, value, shape, reach)
    # One column for each (value, person) pair, so that a person counts once per class and value.
    pairs, pair = distinct_rows(by_column([value, part.column(unit)]))
    met = _reached(part.counts, class_of, pair, (shape[0], len(pairs)), reach)
    there = met.number > 0
    return added_up(np.ones(int(there.sum())), met.row[there], pairs[met.column[there], 0])


def _reached(
    number: npt.NDArray[Any],
    row: npt.NDArray[np.intp],
    column: npt.NDArray[np.integer],
    shape: tuple[int, int],
    reach: Callable[[SparseTable], SparseTable] | None,
) -> Entries:
    """Return the table with these entries, after `reach` if it is given."""
    if reach is None:
        return added_up(number, row, column)
    entries = reach(sparse_table(number, row, column, shape)).tocoo()
    return added_up(entries.data, entries.row, entries.col)
