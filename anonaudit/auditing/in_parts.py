"""Audit a release in parts of whole classes if its combinations do not fit into memory.

This happens with data that are not masked yet, where almost every row is a class. Most models need
only one class at a time, and the frequencies of the sensitive values in the whole release. So the
engine counts the release once. This module then reads the counts twice, in parts that fit into
memory: first to collect totals over the whole release, then to audit each part.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from anonaudit.auditing.examining import Progress, examine, outcome_of
from anonaudit.auditing.model_inputs import measured, model_of
from anonaudit.auditing.notices import MOST_LABELS, about_all, undeclared_unit
from anonaudit.auditing.preparation import of_counted
from anonaudit.auditing.scales import check_readings
from anonaudit.auditing.together import attacks_together, models_together
from anonaudit.cells import FIRST_VALUE, MISSING, SUPPRESSED
from anonaudit.errors import InputError
from anonaudit.findings import AuditReport, Notice, Release
from anonaudit.frequency.class_sizes import size_summary
from anonaudit.frequency.classes import EquivalenceClasses, Whole, equivalence_classes
from anonaudit.frequency.counting import CountedInParts
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.frequency.too_fine import class_sizes_told
from anonaudit.plugins import describe_attack, describe_model
from anonaudit.policy.policy import Policy
from anonaudit.source.memory import TooManyCombinationsError
from anonaudit.source.table import Source


def audit_in_parts(
    source: Source,
    policy: Policy,
    too_many: TooManyCombinationsError,
    *,
    seed: int = 0,
    progress: Progress = lambda _: None,
) -> AuditReport:
    """Audit a file in parts after `count_release` raised TooManyCombinationsError.

    Levels and counts equal those of an audit of the whole file, with one exception: the budget of
    the elimination attack applies to each part. Averages over classes, rules over fewer
    quasi-identifiers, and levels under other conventions are left out. The warning
    `audited-in-parts` says so.

    source, policy: see `count_release`. too_many: the error that it raised. seed, progress: see
    `audit`.

    Raises InputError if the policy has a setting that prevents an audit in parts (see
    `_obstacles`), or if a part is still too large. The message gives the number of classes and the
    smallest class size.
    """
    roles = policy.roles
    lacking = list(_obstacles(policy))
    if lacking:
        raise _refused(source, policy, too_many, lacking)
    columns = [*roles.quasi_identifiers, *roles.sensitive]
    try:
        parts = CountedInParts(source, columns, roles.quasi_identifiers, policy.convention)
        census = _Census()
        for number, part in enumerate(parts, 1):
            progress(f"counting part {number} of {len(parts)}")
            census.add(part, equivalence_classes(part, roles, policy.convention))
        few = {name: some for name, some in census.labels.items() if len(some) <= MOST_LABELS}
        check_readings(source.name, few, policy)
        whole = census.whole(roles.sensitive)
        reports = []
        for number, part in enumerate(parts, 1):
            progress(f"auditing part {number} of {len(parts)}")
            prepared = of_counted(source, policy, _relabelled(part, whole), whole)
            reports.append(_without_arrays(examine(prepared, seed=seed)))
    except TooManyCombinationsError as error:
        lacking = [f"a part that is still too large ({error.combinations:,} combinations)"]
        raise _refused(source, policy, too_many, lacking) from None
    models, attacks = models_together(reports), attacks_together(reports)
    for place, requirement in enumerate(policy.requirements):
        if describe_model(requirement.name).of_the_columns:
            models.insert(place, measured(model_of(prepared, requirement), prepared.classes))
    notices = tuple(_notices(source, policy, reports, census, parts))
    release = census.release(reports[0].release)
    return replace(
        reports[0],
        outcome=outcome_of(policy, release.classes, models, attacks, notices),
        release=release,
        models=tuple(models),
        attacks=tuple(attacks),
        warnings=notices,
    )


def _obstacles(policy: Policy) -> Iterator[str]:
    """Yield each setting of a policy that prevents an audit in parts, in words for a message."""
    roles = policy.roles
    if not roles.quasi_identifiers:
        yield "the lack of a quasi-identifier"
    given = (
        ("a unit column", roles.unit),
        ("a count column", roles.count),
        ("a weight column", roles.weight),
        ("a household column", roles.household),
        ("a population", policy.population),
        ("an original", policy.original),
        ("repairs of spelling (normalize)", policy.normalize),
        ("wildcards", policy.convention.quasi_identifiers == "wildcard"),
    )
    yield from (name for name, value in given if value)
    for requirement in policy.requirements:
        about = describe_model(requirement.name)
        if about.of_the_columns:
            continue  # the model does not depend on classes
        if not about.by_class:
            yield requirement.name
        elif prevented := about.prevented_by(requirement.parameters):
            yield f"{requirement.name} with {', '.join(prevented).replace('_', '-')}"
    for request in policy.attacks:
        if not describe_attack(request.name).by_class:
            yield request.name


def _refused(
    source: Source, policy: Policy, error: TooManyCombinationsError, lacking: list[str]
) -> InputError:
    sizes = ""
    with contextlib.suppress(TooManyCombinationsError):  # there may be no memory left at all
        sizes = class_sizes_told(source, policy.roles.quasi_identifiers)
    why = f"The release cannot be audited in parts because of {', '.join(lacking)}."
    return InputError(f"{error}. {sizes}{why}")


@dataclass
class _Census:
    """Totals over the whole release, collected part by part.

    rows, suppressed_tuples, dropped_rows: numbers of rows, as in `EquivalenceClasses`.
    sizes: class size -> number of classes of this size.
    cells: (column, MISSING or SUPPRESSED) -> number of such cells.
    values: sensitive attribute -> value -> number of rows that are in a class and have the value.
        Instead of a value, the key of missing and suppressed cells is their code.
    labels: column -> its values, at most MOST_LABELS + 1 of them.
    """

    rows: int = 0
    suppressed_tuples: int = 0
    dropped_rows: int = 0
    sizes: Counter[float] = field(default_factory=Counter)
    cells: Counter[tuple[str, int]] = field(default_factory=Counter, repr=False)
    values: dict[str, Counter[str | int]] = field(default_factory=dict, repr=False)
    labels: dict[str, set[str]] = field(default_factory=dict, repr=False)

    def add(self, part: FrequencySet, classes: EquivalenceClasses) -> None:
        """Add a part of the release. classes: the classes of `part`."""
        self.rows += part.total
        self.suppressed_tuples += classes.suppressed_tuples
        self.dropped_rows += classes.dropped_rows
        for size, number in zip(*np.unique(classes.sizes, return_counts=True), strict=True):
            self.sizes[float(size)] += int(number)
        for column in part.attributes:
            for code in (MISSING, SUPPRESSED):
                self.cells[column, code] += int(part.counts[part.column(column) == code].sum())
            some = self.labels.setdefault(column, set())
            for label in part.labels_of(column)[FIRST_VALUE:]:
                if len(some) > MOST_LABELS:
                    break
                some.add(label)
        for column in classes.roles.sensitive:
            counts = self.values.setdefault(column, Counter())
            counts.update(dict.fromkeys(part.labels_of(column)[FIRST_VALUE:], 0))
            values = classes.kept.project([column])
            for code, count in zip(
                values.codes[:, 0].tolist(), values.counts.tolist(), strict=True
            ):
                counts[code if code < FIRST_VALUE else values.labels[0][code]] += count

    def whole(self, sensitive: tuple[str, ...]) -> Whole:
        """Return the counts over the whole release that the audit of a part needs."""
        return Whole(self.rows, {name: _counted(name, self.values[name]) for name in sensitive})

    def release(self, part: Release) -> Release:
        """Return the facts of the whole release. part: the facts of one part."""
        size = np.array(sorted(self.sizes))
        return replace(
            part,
            rows=self.rows,
            classes=sum(self.sizes.values()),
            suppressed_tuples=self.suppressed_tuples,
            dropped_rows=self.dropped_rows,
            missing_cells={c: self.cells[c, MISSING] for c in part.missing_cells},
            suppressed_cells={c: self.cells[c, SUPPRESSED] for c in part.suppressed_cells},
            class_sizes=size_summary(size, np.array([self.sizes[one] for one in size], np.int64)),
        )


def _counted(name: str, values: Counter[str | int]) -> FrequencySet:
    """Return the frequency set of one attribute. A value with count 0 has a label but no entry.

    name: the attribute. values: value, MISSING or SUPPRESSED -> its count.
    """
    labels = ("", "*", *sorted(value for value in values if isinstance(value, str)))
    each = [values[MISSING], values[SUPPRESSED], *(values[text] for text in labels[FIRST_VALUE:])]
    counts = np.array(each, np.int64)
    there = np.flatnonzero(counts)
    return FrequencySet((name,), (labels,), there[:, None], counts[there])


def _relabelled(part: FrequencySet, whole: Whole) -> FrequencySet:
    """Return the part with its sensitive attributes recoded to the labels of the whole release.

    The order of the entries does not change.
    """
    labels = list(part.labels)
    codes = part.codes.copy()
    for name, table in whole.values.items():
        column = part.attributes.index(name)
        place = {label: code for code, label in enumerate(table.labels[0]) if code >= FIRST_VALUE}
        own = [place[label] for label in labels[column][FIRST_VALUE:]]
        codes[:, column] = np.array([MISSING, SUPPRESSED, *own])[codes[:, column]]
        labels[column] = table.labels[0]
    return replace(part, labels=tuple(labels), codes=codes)


def _without_arrays(report: AuditReport) -> AuditReport:
    """Return the report without its arrays over classes, to save memory."""
    return replace(
        report,
        models=tuple(replace(model, violating=None) for model in report.models),
        attacks=tuple(replace(attack, exposed=None) for attack in report.attacks),
    )


def _notices(
    source: Source,
    policy: Policy,
    reports: list[AuditReport],
    census: _Census,
    parts: CountedInParts,
) -> Iterator[Notice]:
    yield Notice(
        "audited-in-parts",
        f"too many combinations for the memory that is left, so the release was audited in "
        f"{len(reports)} part(s) of whole classes: levels, counts and rates are those of the whole "
        "release; averages over classes, rules over fewer quasi-identifiers and other conventions "
        "for cells without a value were left out",
    )
    yield from reports[0].warnings
    yield from undeclared_unit(source, policy.roles)
    yield from about_all(
        policy,
        rows=census.rows,
        suppressed=census.suppressed_tuples,
        dropped=census.dropped_rows,
        labels_of={column: sorted(some) for column, some in census.labels.items()},
        different={
            column: len(some) if len(some) <= MOST_LABELS else parts.different(column)
            for column, some in census.labels.items()
            if column in policy.roles.quasi_identifiers
        },
    )
