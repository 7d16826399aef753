"""A release with more combinations than memory holds, audited in parts of whole classes.

Most models say of each class whether it is safe, from the class itself and from how frequent the
sensitive values are in the whole release. So the release is counted once, by the engine, and gone
through twice in parts that fit into memory: for what is known of the whole, and to be audited. As
in raw data, where every row may be a class.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from anonaudit.auditing.examining import Progress, examine, outcome_of
from anonaudit.auditing.model_inputs import model_of
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
    """The audit of a file of which `count_release` said that it has too many combinations.

    Levels and counts are those of an audit in one piece, but for the budget of elimination, which
    is that of each part. What is about all classes together is left out, and so are other
    conventions; the warning `audited-in-parts` says so.

    source, policy: as of `count_release`. too_many: what it raised. seed, progress: as of `audit`.

    Raises InputError, with what the engine knows of the class sizes, where the policy asks for
    something that is not decided class by class, or a part is still too large.
    """
    roles = policy.roles
    lacking = list(_asked_of_the_whole(policy))
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
            reports.append(_light(examine(prepared, seed=seed)))
    except TooManyCombinationsError as error:
        lacking = [f"a part that is still too large ({error.combinations:,} combinations)"]
        raise _refused(source, policy, too_many, lacking) from None
    models, attacks = models_together(reports), attacks_together(reports)
    for place, requirement in enumerate(policy.requirements):
        if describe_model(requirement.name).of_the_columns:
            models.insert(place, model_of(prepared, requirement).measure(prepared.classes))
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


def _asked_of_the_whole(policy: Policy) -> Iterator[str]:
    """What a policy asks for that cannot be put together from parts, in words."""
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
            continue  # no class has a part in it
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
    with contextlib.suppress(TooManyCombinationsError):  # nothing at all may be left
        sizes = class_sizes_told(source, policy.roles.quasi_identifiers)
    why = f"It would be audited in parts but for {', '.join(lacking)}."
    return InputError(f"{error}. {sizes}{why}")


@dataclass
class _Census:
    """What is known of the whole release once all parts were gone through.

    sizes: how many classes there are of each size. values: by sensitive attribute the rows in
    classes that carry each value; labels: by column its values, no more than are looked at.
    Cells without a value stand under their code.
    """

    rows: int = 0
    suppressed_tuples: int = 0
    dropped_rows: int = 0
    sizes: Counter[float] = field(default_factory=Counter)
    cells: Counter[tuple[str, int]] = field(default_factory=Counter, repr=False)
    values: dict[str, Counter[str | int]] = field(default_factory=dict, repr=False)
    labels: dict[str, set[str]] = field(default_factory=dict, repr=False)

    def add(self, part: FrequencySet, classes: EquivalenceClasses) -> None:
        """Count a part."""
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
        """What the audit of a part must know."""
        return Whole(self.rows, {name: _counted(name, self.values[name]) for name in sensitive})

    def release(self, part: Release) -> Release:
        """The facts of the release, from those of a part."""
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
    """The frequency set of one attribute, with labels for values that no row in a class has."""
    labels = ("", "*", *sorted(value for value in values if isinstance(value, str)))
    each = [values[MISSING], values[SUPPRESSED], *(values[text] for text in labels[FIRST_VALUE:])]
    counts = np.array(each, np.int64)
    there = np.flatnonzero(counts)
    return FrequencySet((name,), (labels,), there[:, None], counts[there])


def _relabelled(part: FrequencySet, whole: Whole) -> FrequencySet:
    """The part with the labels of the whole release for sensitive attributes; the order stays."""
    labels = list(part.labels)
    codes = part.codes.copy()
    for name, table in whole.values.items():
        column = part.attributes.index(name)
        place = {label: code for code, label in enumerate(table.labels[0]) if code >= FIRST_VALUE}
        own = [place[label] for label in labels[column][FIRST_VALUE:]]
        codes[:, column] = np.array([MISSING, SUPPRESSED, *own])[codes[:, column]]
        labels[column] = table.labels[0]
    return replace(part, labels=tuple(labels), codes=codes)


def _light(report: AuditReport) -> AuditReport:
    """The report without the arrays that are as long as there are classes."""
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
