"""Equivalence classes: the rows that are equal on every quasi-identifier (MCT08 Definition 1).

Built from one frequency set over quasi-identifiers and sensitive attributes. Here the
conventions for missing and suppressed cells take effect, and rows become persons where the
release has a unit column; models and attacks behind it only see the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from anonaudit.cells import FIRST_VALUE, MISSING, SUPPRESSED, Convention
from anonaudit.errors import AnonauditError
from anonaudit.frequency import Codes, Counts, FrequencySet, distinct_rows
from anonaudit.roles import Roles


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
    count: npt.NDArray[np.float64]
    totals: npt.NDArray[np.float64]
    overall: npt.NDArray[np.float64]

    @property
    def n_classes(self) -> int:
        return len(self.totals)

    @cached_property
    def rank(self) -> npt.NDArray[np.intp]:
        """The place of each entry within its class: 0 for the most frequent value."""
        starts = np.searchsorted(self.class_of, np.arange(self.n_classes))
        return np.arange(len(self.class_of)) - starts[self.class_of]

    def add_up(self, entries: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The sum of a number per entry over each class, shape (n_classes,)."""
        return np.bincount(self.class_of, weights=entries, minlength=self.n_classes)

    @cached_property
    def distinct(self) -> Counts:
        """The number of distinct known values in each class, shape (n_classes,)."""
        return np.bincount(self.class_of, minlength=self.n_classes).astype(np.int64)

    @cached_property
    def largest(self) -> npt.NDArray[np.float64]:
        """The count of each class's most frequent value; 0 where no value is known."""
        return self.add_up(np.where(self.rank == 0, self.count, 0.0))

    @cached_property
    def shares(self) -> npt.NDArray[np.float64]:
        """The share of each entry among the known cells of its class."""
        return self.count / self.totals[self.class_of]

    @classmethod
    def build(
        cls,
        attribute: str,
        labels: tuple[str, ...],
        table: sparse.csr_array,
        overall: npt.NDArray[np.float64],
    ) -> SensitiveCounts:
        """From a (class x code) table of counts, and the counts over the whole release."""
        entries = table.tocoo()
        used = entries.data > 0
        class_of, value, count = entries.row[used], entries.col[used], entries.data[used]
        order = np.lexsort((value, -count, class_of))
        totals = np.bincount(class_of, weights=count, minlength=table.shape[0])
        return cls(
            attribute=attribute,
            labels=labels,
            class_of=class_of[order].astype(np.intp),
            value=value[order].astype(np.int64),
            count=count[order].astype(np.float64),
            totals=totals,
            overall=overall,
        )


@dataclass(frozen=True)
class EquivalenceClasses:
    """A release, reduced: its classes, their sizes, and what sensitive values they hold.

    keys: the frequency set over the quasi-identifiers; one entry a class.
    rows: shape (n_classes,), the rows that belong to each class and to no other.
    sizes: shape (n_classes,), what k is taken from: rows, persons if the release has a unit
        column, and with wildcards all rows compatible with the class.
    sensitive: the sensitive counts, by attribute.
    joint: the frequency set over quasi-identifiers and sensitive attributes, counted alike.
    total_rows, total_persons, suppressed_tuples, dropped_rows: of the whole release.
    """

    roles: Roles
    convention: Convention
    keys: FrequencySet
    rows: Counts
    sizes: npt.NDArray[np.float64]
    sensitive: Mapping[str, SensitiveCounts]
    joint: FrequencySet
    total_rows: int
    total_persons: int | None
    suppressed_tuples: int
    dropped_rows: int
    base: FrequencySet

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def persons_counted(self) -> bool:
        """Whether sizes and counts are numbers of persons, not of rows."""
        return self.roles.unit is not None

    def reread(self, roles: Roles) -> EquivalenceClasses:
        """The classes of the same release under other roles, for example promoted ones."""
        return equivalence_classes(self.base, roles, self.convention)

    def recounted(self, base: FrequencySet) -> EquivalenceClasses:
        """The classes of another table under the same roles, for example a relabelled one."""
        return equivalence_classes(base, self.roles, self.convention)

    def people(self, chosen: npt.NDArray[np.bool_]) -> int:
        """How many rows, or distinct persons, belong to the chosen classes.

        chosen: shape (n_classes,).
        """
        if self.roles.unit is None:
            return int(self.rows[chosen].sum())
        number = self.number_of(self.base)
        inside = (number >= 0) & np.append(chosen, False)[number]
        return len(self.base.where(inside).project([self.roles.unit]))

    def number_of(self, finer: FrequencySet) -> npt.NDArray[np.intp]:
        """The class each entry of a frequency set falls into, -1 for none. Shape (len(finer),)."""
        mine = self.keys.codes
        theirs = finer.codes[:, finer.positions(self.keys.attributes)]
        different, number = distinct_rows(np.concatenate([mine, theirs]))
        class_of = np.full(len(different), -1, np.intp)
        class_of[number[: len(mine)]] = np.arange(len(mine))
        return class_of[number[len(mine) :]]

    def combined(self) -> SensitiveCounts:
        """The combinations of all sensitive attributes, counted as one attribute.

        A combination with an unknown part is unknown.
        """
        names = self.roles.sensitive
        columns = self.joint.positions(names)
        known = (self.joint.codes[:, columns] >= _first_counted(self.convention)).all(axis=1)
        kept = self.joint.where(known)
        combinations, value = distinct_rows(kept.codes[:, columns])
        labels = tuple(
            " / ".join(self.joint.labels[c][code] for c, code in zip(columns, codes, strict=True))
            for codes in combinations
        )
        shape = (len(self), len(combinations))
        table = _sparse(kept.counts, self.number_of(kept), value, shape)
        overall = table.sum(axis=0)
        spread = _compatibility(self.keys, self.convention)
        if spread is not None and self.persons_counted:
            raise AnonauditError(
                "combinations of sensitive values are not counted by persons under wildcards; "
                "use the convention own-category, or count rows"
            )
        table = table if spread is None else _spread(spread, table)
        return SensitiveCounts.build(" / ".join(names), labels, table, overall)


def equivalence_classes(
    base: FrequencySet, roles: Roles, convention: Convention | None = None
) -> EquivalenceClasses:
    """The equivalence classes of a release.

    base: the frequency set over at least the quasi-identifiers, the sensitive attributes and,
        if there is one, the unit column.
    roles: which column plays which part.
    convention: how cells without a value are counted.

    With no quasi-identifier at all, every row is in the one class.
    Raises AnonauditError where a row names no person although persons are to be counted.
    """
    convention = convention or Convention()
    quasi, unit = list(roles.quasi_identifiers), roles.unit
    if unit is not None:
        nameless = int(base.counts[base.column(unit) < FIRST_VALUE].sum())
        if nameless:
            raise AnonauditError(
                f"{nameless} row(s) have no value in the unit column {unit!r}, so persons cannot "
                "be counted; fill it in, or audit without a unit to count rows"
            )
    cells = base.codes[:, base.positions(quasi)]
    suppressed = (cells == SUPPRESSED).all(axis=1) & (len(quasi) > 0)
    suppressed &= convention.suppressed_tuples == "exclude"
    dropped = (cells < FIRST_VALUE).any(axis=1) & ~suppressed
    dropped &= convention.quasi_identifiers == "drop-rows"
    kept = base.where(~suppressed & ~dropped)

    def counted(attributes: Sequence[str]) -> FrequencySet:
        return kept.project(attributes) if unit is None else kept.distinct(attributes, unit)

    keys = counted(quasi)
    joint = counted([*quasi, *roles.sensitive])
    spread = _compatibility(keys, convention)
    if spread is not None and unit is not None and convention.wildcard_weight != 1:
        raise AnonauditError("persons under wildcards can only be counted in full: weight 1")
    sensitive = {}
    for name in roles.sensitive:
        table = _table(counted([*quasi, name]), keys, name, convention)
        overall = table.sum(axis=0)
        if spread is not None and unit is None:
            table = _spread(spread, table)
        elif spread is not None and unit is not None:
            table = _persons_under_wildcards(kept, keys, spread, unit, name, convention)
        labels = base.labels_of(name)
        sensitive[name] = SensitiveCounts.build(name, labels, table, overall)
    if spread is None:
        sizes = keys.counts.astype(np.float64)
    elif unit is None:
        sizes = _spread(spread, sparse.csr_array(keys.counts[:, None].astype(float))).toarray()[:, 0]
    else:
        sizes = _persons_under_wildcards(kept, keys, spread, unit, None, convention).toarray()[:, 0]
    return EquivalenceClasses(
        roles=roles, convention=convention, keys=keys, rows=kept.project(quasi).counts,
        sizes=sizes, sensitive=sensitive, joint=joint, total_rows=base.total,
        total_persons=None if unit is None else len(base.project([unit])),
        suppressed_tuples=int(base.counts[suppressed].sum()),
        dropped_rows=int(base.counts[dropped].sum()), base=base,
    )


def _first_counted(convention: Convention) -> int:
    return MISSING if convention.sensitive == "one-value" else FIRST_VALUE


def _sparse(
    data: npt.NDArray[np.generic], row: npt.NDArray[np.intp], column: npt.NDArray[np.generic],
    shape: tuple[int, int],
) -> sparse.csr_array:
    return sparse.coo_array((data.astype(np.float64), (row, column)), shape=shape).tocsr()


def _class_numbers(part: FrequencySet, keys: FrequencySet) -> npt.NDArray[np.intp]:
    """Which class each entry of a finer frequency set belongs to."""
    columns = part.positions(keys.attributes)
    _, number = distinct_rows(np.concatenate([keys.codes, part.codes[:, columns]]))
    return number[len(keys):]


def _table(
    part: FrequencySet, keys: FrequencySet, name: str, convention: Convention
) -> sparse.csr_array:
    """Known values only: a (class x code) table of counts."""
    known = part.where(part.column(name) >= _first_counted(convention))
    shape = (len(keys), len(part.labels_of(name)))
    return _sparse(known.counts, _class_numbers(known, keys), known.column(name), shape)


@dataclass(frozen=True)
class _Compatibility:
    """Which classes are compatible under wildcards, without a list of all pairs.

    A class belongs to groups (`member`, n_groups x n_classes) and may be matched by classes
    that look at a group (`looks_at`, n_classes x n_groups).
    """

    looks_at: sparse.csr_array
    member: sparse.csr_array


def _compatibility(keys: FrequencySet, convention: Convention) -> _Compatibility | None:
    """The compatibility of classes if wildcards apply and any cell is one; else None."""
    wild = keys.codes < FIRST_VALUE
    if convention.quasi_identifiers != "wildcard" or not wild.any():
        return None
    weight, n = convention.wildcard_weight, len(keys)
    patterns, pattern_of = distinct_rows(wild.astype(np.int64))
    looks: list[npt.NDArray[np.generic]] = [np.arange(n), np.arange(n)]
    members: list[npt.NDArray[np.generic]] = [np.arange(n), np.arange(n), np.ones(n)]
    looks_at, member, groups = [looks], [members], n
    for p, own in enumerate(patterns):
        for q, other in enumerate(patterns):
            if not own.any() and not other.any():
                continue  # two complete keys are compatible only if equal
            mine, theirs = np.flatnonzero(pattern_of == p), np.flatnonzero(pattern_of == q)
            shared = (own == 0) & (other == 0)
            _, number = distinct_rows(keys.codes[np.concatenate([mine, theirs])][:, shared])
            full = 1.0 if not other.any() else weight
            looks_at.append([mine, groups + number[: len(mine)]])
            member.append([groups + number[len(mine):], theirs, np.full(len(theirs), full)])
            groups += int(number.max()) + 1
    row, column = (np.concatenate([part[i] for part in looks_at]) for i in range(2))
    look = _sparse(np.ones(len(row)), row, column, (n, groups))
    row, column, data = (np.concatenate([part[i] for part in member]) for i in range(3))
    return _Compatibility(look, _sparse(data, row, column, (groups, n)))


def _spread(spread: _Compatibility, table: sparse.csr_array) -> sparse.csr_array:
    """Per class the sum over all compatible classes; each class's own entry counts once, in full.

    Group i < n holds class i alone. A class with wildcards is also found among the classes of
    its own pattern, so that part is taken off again.
    """
    n = table.shape[0]
    own = sparse.diags_array(spread.looks_at.multiply(spread.member.T).sum(axis=1) - 1.0)
    return ((spread.looks_at @ (spread.member @ table)) - own @ table).tocsr() if n else table


def _persons_under_wildcards(
    kept: FrequencySet, keys: FrequencySet, spread: _Compatibility, unit: str, name: str | None,
    convention: Convention,
) -> sparse.csr_array:
    """Distinct persons per (class x code): a person in two compatible classes counts once."""
    part = kept.project([*keys.attributes, unit, *([] if name is None else [name])])
    if name is not None:
        part = part.where(part.column(name) >= _first_counted(convention))
    value = np.zeros(len(part), np.int64) if name is None else part.column(name)
    width = 1 if name is None else len(part.labels_of(name))
    pairs, number = distinct_rows(np.column_stack([value, part.column(unit)]))
    present = _sparse(np.ones(len(part)), _class_numbers(part, keys), number, (len(keys), len(pairs)))
    reached = _spread(spread, present).tocoo()
    used = reached.data > 0
    return _sparse(np.ones(int(used.sum())), reached.row[used], pairs[reached.col[used], 0],
                   (len(keys), width))
