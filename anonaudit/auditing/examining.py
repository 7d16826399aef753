"""Examine a counted release: measure the models, run the attacks, and build the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from anonaudit.about import Need, Unasked
from anonaudit.attack import attack_named
from anonaudit.auditing.attack_inputs import disclosed, setting_of
from anonaudit.auditing.blame import blame
from anonaudit.auditing.bounds import check_bounds
from anonaudit.auditing.conventions import by_convention, dependent, not_measured, other_conventions
from anonaudit.auditing.model_inputs import measured, model_of
from anonaudit.auditing.notices import (
    about_another,
    notices_of,
    singled_out,
    unknown_outside,
    unshared_words,
)
from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.auditing.release_facts import release_facts_of
from anonaudit.auditing.witnesses import with_positions
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import AnonauditError
from anonaudit.findings import AuditReport, Disclosure, Measurement, Notice, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.plugins import ATTACKS, MODELS, Plugins, describe_model
from anonaudit.policy.policy import AttackRequest, Policy, Requirement
from anonaudit.version import __version__

Progress = Callable[[str], None]


def examine(
    prepared: PreparedRelease, *, seed: int = 0, progress: Progress = lambda _: None
) -> AuditReport:
    """Audit a release that has been counted.

    prepared: the release, or a part of one. seed, progress: see `audit`.

    Raises AnonauditError if a model or an attack cannot be run with what the policy gives it, and
    InconsistencyError if a model and an attack contradict each other.
    """
    policy = prepared.policy
    others = list(other_conventions(prepared.classes))
    results = [_run(prepared, wanted, others, progress) for wanted in _requirements(prepared)]
    requests = list(_requests(prepared))
    attacked = [_attack(prepared, request, seed, progress) for request in requests]
    attacks = [attack for attack, _ in attacked]
    measured = [model for model, _ in results]
    check_bounds(prepared, measured, list(zip(requests, attacks, strict=True)))
    progress("looking up the classes that decide")
    deciding = [*(model.witness for model in measured), *(attack.witness for attack in attacks)]
    witnesses = iter(with_positions(prepared, deciding))
    models = [replace(model, witness=next(witnesses)) for model in measured]
    attacks = [replace(attack, witness=next(witnesses)) for attack in attacks]
    progress("looking at labels and columns")
    notices = (
        *notices_of(prepared),
        *singled_out(measured, policy.roles.unit),
        *not_measured(prepared.classes),
        *(notice for _, noted in results for notice in noted),
        *(notice for _, noted in attacked for notice in noted),
    )
    roles = policy.roles
    outcome = outcome_of(policy, len(prepared.classes), models, attacks, notices)
    return AuditReport(
        outcome=outcome,
        release=release_facts_of(prepared),
        columns={
            "quasi_identifiers": roles.quasi_identifiers,
            "sensitive": roles.sensitive,
            "identifiers": roles.identifiers,
            "unit": roles.unit,
            "count": roles.count,
        },
        models=tuple(models),
        attacks=tuple(attacks),
        warnings=notices,
        provenance={
            "version": __version__,
            "seed": seed,
            "policy": policy.source,
            "policy_sha256": policy.sha256,
        },
        blame=blame(prepared.classes, models) if outcome is Outcome.VIOLATED else None,
    )


def _requirements(prepared: PreparedRelease) -> Iterator[Requirement]:
    """Yield the required models, then the models that are measured without a request.

    A model without a request is left out if the policy requires it with the same parameters. For a
    part of a release, required models of single columns are left out.
    """
    required = prepared.policy.requirements
    whole = prepared.classes.whole is None
    yield from (r for r in required if whole or not describe_model(r.name).of_the_columns)
    for name, unasked in _unasked(MODELS, prepared):
        form = unasked.form.items()
        if not any(r.name == name and form <= r.parameters.items() for r in required):
            yield Requirement(name, dict(form), asked=False)


def _unasked(
    plugins: Plugins[type[Any]], prepared: PreparedRelease
) -> Iterator[tuple[str, Unasked]]:
    """Yield the models or attacks that need no request and whose needs are met, in report order.

    For a part of a release, only those whose results can be combined from parts.
    """
    there, whole = _met_needs(prepared), prepared.classes.whole is None
    models = [
        (unasked.place, name, unasked)
        for name, kind in plugins.without_request()
        if (about := getattr(kind, "about", None)) is not None and (whole or about.by_class)
        for unasked in about.unasked
        if unasked.needs <= there
    ]
    for _, name, unasked in sorted(models, key=lambda one: one[:2]):
        yield name, unasked


def _met_needs(prepared: PreparedRelease) -> set[Need]:
    """The needs that the policy and its files meet, for models and attacks without a request."""
    policy, specs = prepared.policy, prepared.policy.hierarchies.values()
    # An unknown cell that counts as a value has no position in an order.
    order = bool(prepared.scales) and not _unknown_as_value(prepared)
    given = {
        Need.SENSITIVE: bool(policy.roles.sensitive),
        Need.SEVERAL_SENSITIVE: len(policy.roles.sensitive) > 1,
        Need.ORDER: order,
        Need.PROTECTED: any(spec.protected for spec in specs),
        Need.BOUNDARIES: any(spec.max_generalization for spec in specs),
        Need.POPULATION: policy.population is not None,
        Need.WEIGHTS: policy.roles.weight is not None,
        Need.HOUSEHOLDS: policy.roles.household is not None,
        Need.SAMPLING: policy.sampling_fraction is not None or policy.population_size is not None,
        Need.ORIGINAL: prepared.alignment is not None,
        Need.PERTURBED: bool(policy.perturbed),
    }
    return {need for need, there in given.items() if there}


def _unknown_as_value(prepared: PreparedRelease) -> bool:
    """Return True if an ordered column has missing or suppressed cells that count as values."""
    if prepared.policy.convention.sensitive != "one-value":
        return False
    counted = (prepared.classes.sensitive[column] for column in prepared.scales)
    return any(counts.overall[:FIRST_VALUE].any() for counts in counted)


def _run(
    prepared: PreparedRelease,
    requirement: Requirement,
    others: list[tuple[str, EquivalenceClasses]],
    progress: Progress,
) -> tuple[Measurement, list[Notice]]:
    """Measure a model, also under other conventions; warn if the verdict depends on them."""
    progress(f"measuring {requirement.name}")

    def measure(classes: EquivalenceClasses) -> Measurement:
        here = prepared if classes is prepared.classes else replace(prepared, classes=classes)
        return measured(model_of(here, requirement), classes)

    measurement = measure(prepared.classes)
    if requirement.asked and not measurement.judged:  # else the requirement would be ignored
        raise AnonauditError(
            f"the model {requirement.name!r} is required but does not say whether it holds: its "
            "Measurement sets neither `required` nor `classes_violating`; correct the model"
        )
    of_the_columns = describe_model(requirement.name).of_the_columns
    elsewhere = {} if of_the_columns else by_convention(measure, others)
    levels = {name: other.level for name, other in elsewhere.items()}
    notices = list(dependent(measurement, elsewhere))
    return replace(measurement, by_convention=levels), notices


def _requests(prepared: PreparedRelease) -> Iterator[AttackRequest]:
    """Yield the attacks of the policy, then those that are run without a request."""
    asked = prepared.policy.attacks
    yield from asked
    names = {request.name for request in asked}
    for name, _ in _unasked(ATTACKS, prepared):
        if name not in names:
            yield AttackRequest(name)


def _attack(
    prepared: PreparedRelease, request: AttackRequest, seed: int, progress: Progress
) -> tuple[Disclosure, list[Notice]]:
    """Run an attack. Return its result, and notices about the adversary's tables."""
    progress(f"attacking by {request.name}")
    setting = setting_of(prepared, request, seed)
    kind = attack_named(request.name)
    with ATTACKS.blamed(request.name):
        attack = kind()
    disclosure = disclosed(attack, setting)
    quasi = prepared.policy.roles.quasi_identifiers
    # The rate that the policy allows applies, whatever the attack itself has set.
    base, others = prepared.base, [one.base for one in (setting.second, *setting.others) if one]
    return replace(disclosure, allowed=request.allowed), [
        *unknown_outside(request.name, setting.external, quasi),
        *about_another(base, setting.external, f"the external table of {request.name}"),
        *unshared_words(prepared, setting.external, f"the external table of {request.name}"),
        *(
            notice
            for number, other in enumerate(others, start=2)
            for notice in about_another(base, other, _numbered(number, request.name))
        ),
    ]


def _numbered(number: int, attack: str) -> str:
    """The name of the adversary's release number `number`; the audited release is number 1."""
    which = "the second release" if number == 2 else f"release {number}"
    return f"{which} of {attack}"


def partial_report(
    report: AuditReport,
    policy: Policy,
    *,
    models: Sequence[Measurement] = (),
    attacks: Sequence[Disclosure] = (),
    warnings: Sequence[Notice] = (),
) -> AuditReport:
    """A report with only some of the findings of `report`, and the verdict on these findings.

    policy: the policy of `report`.
    """
    return replace(
        report,
        outcome=outcome_of(policy, report.release.classes, models, attacks, warnings),
        models=tuple(models),
        attacks=tuple(attacks),
        warnings=tuple(warnings),
    )


def outcome_of(
    policy: Policy,
    n_classes: int,
    models: Sequence[Measurement],
    attacks: Sequence[Disclosure],
    notices: Sequence[Notice],
) -> Outcome:
    """The outcome of an audit, or of some of its findings.

    Violated comes before inconclusive, and inconclusive before holds. Only required models, attacks
    with an allowed rate, and a notice that an identifier was released count. A skipped attack
    counts as inconclusive. Without any class the outcome is VIOLATED or INCONCLUSIVE, even if the
    policy allows inconclusive results. Otherwise it is MEASURED if no model and no attack counts
    and the policy declares no identifiers.

    An audit passes if and only if each of its requirements passes when judged alone.
    """
    asked = [m.outcome for m in models if m.judged]
    asked += [a.outcome for a in attacks if a.allowed is not None]
    released = any(notice.code == "identifier-released" for notice in notices)
    if released or Outcome.VIOLATED in asked:
        return Outcome.VIOLATED
    undecided = any(outcome is not Outcome.HOLDS for outcome in asked)
    if n_classes == 0 or (undecided and not policy.inconclusive_allowed):
        return Outcome.INCONCLUSIVE
    return Outcome.HOLDS if asked or policy.roles.identifiers else Outcome.MEASURED
