"""Before anything is measured: the release counted, its columns understood, nothing judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from anonaudit.attack import Setting
from anonaudit.auditing.notices import (
    FEW,
    about_all,
    undeclared,
    undeclared_unique,
)
from anonaudit.cells import FIRST_VALUE, MISSING, SUPPRESSED
from anonaudit.errors import InputError, PolicyError, closest
from anonaudit.findings import Notice, Release, Witness
from anonaudit.frequency.classes import EquivalenceClasses, Whole, equivalence_classes
from anonaudit.frequency.counting import count as count_rows
from anonaudit.frequency.counting import row_positions
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import number
from anonaudit.linking.alignment import Alignment
from anonaudit.policy.policy import AttackRequest, Policy, PopulationFile
from anonaudit.policy.repairs import mended, mended_spec, repaired
from anonaudit.report.sections.charts import spread
from anonaudit.roles import Roles
from anonaudit.source.table import ROW_NUMBER, Source, open_source

# Saying where a class stands, and which other columns are unique, reads the table once more;
# that is not worth it on large tables.
READ_AGAIN_UP_TO = 200_000


@dataclass(frozen=True)
class PreparedRelease:
    """A release that has been counted, with what is known of its columns.

    base: the frequency set over quasi-identifiers, sensitive attributes and unit, spellings
        mended as the policy says. scales: for sensitive columns with an order, the number each
        value stands for. alignment: its rows paired with the original, if that is at hand.
    """

    source: Source
    policy: Policy
    base: FrequencySet
    classes: EquivalenceClasses
    hierarchies: Mapping[str, Hierarchy]
    scales: Mapping[str, Mapping[str, float]]
    alignment: Alignment | None = None

    def setting(self, request: AttackRequest, seed: int) -> Setting:
        """What an attack is given."""
        return Setting(
            classes=self.classes,
            hierarchies=self.hierarchies,
            readings=self.policy.readings,
            separators=self.policy.separators,
            decimal=self.policy.decimal,
            external=None
            if request.external is None
            else shared_table(request, self.policy, request.identity),
            identity=request.identity,
            ordered=None if request.external is None else partial(self._ordered, request),
            second=None if request.second is None else self._second(request),
            alignment=self.alignment,
            protected={c: spec.protected for c, spec in self.policy.hierarchies.items()},
            options=request.options,
            seed=seed,
            allowed=request.allowed,
        )

    def _ordered(self, request: AttackRequest) -> tuple[FrequencySet, FrequencySet]:
        """The release and the external table, counted row by row (see `Setting.ordered`)."""
        outside = shared_table(request, self.policy, (ROW_NUMBER,))
        known = [q for q in self.policy.roles.quasi_identifiers if q in outside.attributes]
        inside = count_rows(self.source, [ROW_NUMBER, *known], self.policy.convention)
        return repaired(inside, self.policy), outside

    def _second(self, request: AttackRequest) -> EquivalenceClasses:
        """Another release, with the roles of this one as far as it has the columns."""
        place, policy = request.second, self.policy
        table = open_source(place, delimiter=request.delimiter, encoding=request.encoding)
        quasi, sensitive = (
            tuple(column for column in columns if column in table.columns)
            for columns in (policy.roles.quasi_identifiers, policy.roles.sensitive)
        )
        if not quasi or not sensitive:
            kind = "sensitive column" if quasi else "quasi-identifier"
            raise InputError(f"{table.name}: the second release has no {kind} of this policy")
        counted = count_rows(table, [*quasi, *sensitive], policy.convention)
        roles = Roles(quasi, sensitive)
        return equivalence_classes(repaired(counted, policy), roles, policy.convention)

    def describe(self, witnesses: Sequence[Witness | None]) -> list[Witness | None]:
        """The witnesses with the first rows of their classes, and their cells."""
        keys = self.classes.keys
        numbers = sorted({witness.class_number for witness in witnesses if witness is not None})
        wanted = keys.where(np.isin(np.arange(len(keys)), numbers))
        positions: list[tuple[int, ...]] = [()] * len(numbers)
        if numbers and self._can_point_at_rows and self.source.ordered:
            positions = row_positions(self.source, wanted, self.policy.convention)
        found = dict(zip(numbers, positions, strict=True))
        described: list[Witness | None] = []
        for witness in witnesses:
            if witness is None:
                described.append(None)
                continue
            codes = keys.codes[witness.class_number]
            labels = [names[code] for names, code in zip(keys.labels, codes, strict=True)]
            cells = dict(zip(keys.attributes, labels, strict=True))
            positions_of = found[witness.class_number]
            described.append(replace(witness, positions=positions_of, cells=cells))
        return described

    @property
    def _can_point_at_rows(self) -> bool:
        return self.classes.total_rows <= READ_AGAIN_UP_TO and not self.policy.normalize

    def notices(self) -> Iterator[Notice]:
        """Everything an auditor should look at that is no verdict.

        Of some classes of a release only what is so for all of it.
        """
        policy, roles, classes = self.policy, self.policy.roles, self.classes
        yield from (Notice(code, message) for code, message in self.source.warnings)
        if self._can_point_at_rows and not self.source.ordered:
            message = "rows of a Spark table have no order, so no class is given by row numbers"
            yield Notice("no-positions", message)
        for column in roles.identifiers:
            if column in self.source.columns:
                yield Notice("identifier-released", "an identifier is in the release", column)
        if classes.whole is None:
            yield from about_all(
                policy,
                rows=classes.total_rows,
                suppressed=classes.suppressed_tuples,
                dropped=classes.dropped_rows,
                labels_of={
                    column: self.base.labels_of(column)[FIRST_VALUE:]
                    for column in (*roles.quasi_identifiers, *roles.sensitive)
                },
                different={q: self._different(q) for q in roles.quasi_identifiers},
            )
        for column in self.scales:
            if column not in policy.numeric and column not in policy.ordered:
                message = "every value is a number, so ordered distances use its order"
                yield Notice("numbers-recognized", message, column)
        declared = [column for _, column in roles.named()]
        yield from undeclared(self.source.columns, declared)
        if FEW <= classes.total_rows <= READ_AGAIN_UP_TO:
            yield from undeclared_unique(self.source, declared)

    def release(self) -> Release:
        """The release as it was read."""
        classes, sizes, convention = self.classes, self.classes.sizes, self.policy.convention
        columns = [*self.policy.roles.quasi_identifiers, *self.policy.roles.sensitive]
        return Release(
            source=self.source.name,
            sha256=self.source.sha256,
            rows=classes.total_rows,
            persons=classes.total_persons,
            classes=len(classes),
            suppressed_tuples=classes.suppressed_tuples,
            dropped_rows=classes.dropped_rows,
            missing_cells={column: self._cells(column, MISSING) for column in columns},
            suppressed_cells={column: self._cells(column, SUPPRESSED) for column in columns},
            convention={
                "quasi_identifiers": convention.quasi_identifiers,
                "wildcard_weight": convention.wildcard_weight,
                "suppressed_tuples": convention.suppressed_tuples,
                "sensitive": convention.sensitive,
                "missing": convention.missing,
                "suppressed": convention.suppressed,
                "normalize": self.policy.normalize,
            },
            class_sizes=spread(*np.unique(sizes, return_counts=True)),
        )

    def _different(self, column: str) -> int:
        return int((self.base.project([column]).codes[:, 0] >= FIRST_VALUE).sum())

    def _cells(self, column: str, kind: int) -> int:
        return int(self.base.counts[self.base.column(column) == kind].sum())


def prepare(source: Source, policy: Policy) -> PreparedRelease:
    """Count a release as a policy says.

    Raises PolicyError for columns the release lacks, InputError or HierarchyError where cells
    cannot be read as the policy declares them, and TooManyCombinationsError, which is one.
    """
    policy.check(source.columns)
    roles = policy.roles
    columns = [*roles.quasi_identifiers, *roles.sensitive]
    if not columns:
        raise PolicyError(policy.source, ["no quasi-identifier and no sensitive column is named"])
    unit = [] if roles.unit is None else [roles.unit]
    counted = count_rows(source, [*columns, *unit], policy.convention, weight=roles.count)
    return of_counted(source, policy, counted)


def of_counted(
    source: Source, policy: Policy, counted: FrequencySet, whole: Whole | None = None
) -> PreparedRelease:
    """A release that was counted; errors as of `prepare`.

    counted: its frequency set over quasi-identifiers, sensitive attributes and unit; of some
        classes only where `whole` says what is known of all.
    """
    specs = {name: mended_spec(spec, policy) for name, spec in policy.hierarchies.items()}
    policy = replace(policy, hierarchies=specs)
    roles = policy.roles
    base = repaired(counted, policy)
    scales = {column: _scale(source.name, column, base, policy) for column in roles.sensitive}
    return PreparedRelease(
        source=source,
        policy=policy,
        base=base,
        classes=replace(equivalence_classes(base, roles, policy.convention), whole=whole),
        hierarchies={
            name: spec.resolve(base.labels_of(name)[FIRST_VALUE:])
            for name, spec in policy.hierarchies.items()
            # A builder needs ground values; the labels of a masked column are parsed instead.
            if spec.tree is not None or name in roles.sensitive
        },
        scales={column: scale for column, scale in scales.items() if scale is not None},
    )


def shared_table(
    request: AttackRequest | PopulationFile, policy: Policy, identity: Sequence[str] = ()
) -> FrequencySet:
    """Another table about the same people, counted over the quasi-identifiers it has.

    identity: columns of it to keep beside them.
    """
    place = request.external if isinstance(request, AttackRequest) else request.file
    table = open_source(place, delimiter=request.delimiter, encoding=request.encoding)
    for column in (*identity, *request.columns.values()):
        if column not in (ROW_NUMBER, *table.columns):
            near = closest(column, table.columns)
            raise InputError(f"{table.name}: there is no column {column!r}. {near}")
    theirs = {q: request.columns.get(q, q) for q in policy.roles.quasi_identifiers}
    known_as = {column: q for q, column in theirs.items() if column in table.columns}
    wanted = [*(c for c in identity if c not in known_as), *known_as]
    counted = count_rows(table, wanted, policy.convention)
    names = tuple(known_as.get(column, column) for column in wanted)
    return repaired(replace(counted, attributes=names), policy)


def _scale(
    source: str, column: str, base: FrequencySet, policy: Policy
) -> Mapping[str, float] | None:
    """The number each value of a column stands for; None if it has no order."""
    if column in policy.ordered:
        return {mended(policy, x): float(place) for place, x in enumerate(policy.ordered[column])}
    labels = base.labels_of(column)[FIRST_VALUE:]
    numbers = {label: number(label, policy.decimal) for label in labels}
    found = {label: size for label, value in numbers.items() if (size := _float(value)) is not None}
    if len(found) == len(labels) > 0:
        return found
    if column in policy.numeric:
        raise InputError(
            f"{source}: column {column!r} is declared numeric, but {len(labels) - len(found)} of "
            f"its {len(labels)} different values are no numbers, or too large; declare them "
            "missing, or name the decimal mark"
        )
    return None


def _float(value: Fraction | None) -> float | None:
    """The number as a float; None for none, and for one that is too large."""
    try:
        return None if value is None else float(value)
    except OverflowError:
        return None
