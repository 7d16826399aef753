"""The one place where all meet: a table and a policy in, an AuditReport out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import anonaudit
from anonaudit.attack import attack_named
from anonaudit.bounds import check_bounds
from anonaudit.cells import FIRST_VALUE
from anonaudit.classes import EquivalenceClasses
from anonaudit.conventions import by_convention, dependent, not_measured, other_conventions
from anonaudit.errors import InputError
from anonaudit.findings import AuditReport, Disclosure, Measurement, Notice, Outcome
from anonaudit.model_inputs import model_of
from anonaudit.notices import unknown_outside
from anonaudit.original import with_original
from anonaudit.policy import (
    AttackRequest,
    ColumnsOf,
    OriginalFile,
    Policy,
    Requirement,
    read_policy,
)
from anonaudit.policy_entries import NOT_THERE
from anonaudit.preparation import PreparedRelease, prepare
from anonaudit.source import Engine, Source, open_source

Progress = Callable[[str], None]


def audit(
    table: Any = None,
    policy: Policy | str | os.PathLike[str] | None = None,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    unit: str | None = None,
    count: str | None = None,
    external: Any = None,
    identity: Sequence[str] = (),
    original: Any = None,
    key: str | None = None,
    align: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    engine: Engine = "duckdb",
    seed: int = 0,
    progress: Progress = lambda _: None,
) -> AuditReport:
    """Audit a release: which models it satisfies, and what attacks disclose.

    table: a path, or a pandas, Polars, PyArrow, DuckDB or Spark table (see `open_source`); None
        for the release that the policy names.
    policy: a Policy or the path of one. Without it the columns named here are measured and
        nothing is required.
    external, identity: an identified table to link with, and the columns that name a person.
    original, key, align: the table the release was masked from, to check its generalization
        against; rows are paired by the column `key`, in the order they stand in ("order"), or,
        if neither is given, by the best permutation.
    delimiter, encoding: of the release, if it is CSV; found out if not given.
    engine: what reads the release if it is a path: "duckdb" or "spark". Other files that are named
        are read with DuckDB.
    seed: for attacks that draw at random; the same input and seed give the same report.
    progress: called with a few words before each step.

    Raises AnonauditError (InputError, PolicyError, ...) where nothing can be audited.

    >>> from anonaudit import datasets
    >>> report = audit(
    ...     datasets.path("TV06/table1.csv"),
    ...     quasi_identifiers=["age", "zip-code", "sex"],
    ...     sensitive=["illness"],
    ... )
    >>> report.models[0].measured
    2
    """
    read: dict[str, Any] = {"delimiter": delimiter, "encoding": encoding, "engine": engine}
    if isinstance(policy, (str, os.PathLike)):
        policy = read_policy(policy, columns=columns_of(table, **read))
    policy = full_policy(
        policy,
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        identifiers=identifiers,
        unit=unit,
        count=count,
        external=external,
        identity=identity,
        original=original,
        key=key,
        align=align,
    )
    source = open_release(table, policy, **read)
    progress("counting")
    return examine(with_original(prepare(source, policy)), seed=seed, progress=progress)


def full_policy(
    policy: Policy | None,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    unit: str | None = None,
    count: str | None = None,
    external: Any = None,
    identity: Sequence[str] = (),
    original: Any = None,
    key: str | None = None,
    align: str | None = None,
) -> Policy:
    """The policy together with what is named beside it; arguments and errors as of `audit`."""
    if policy is None:
        policy = Policy.from_options(
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            identifiers=identifiers,
            unit=unit,
            count=count,
        )
    if external is not None:
        linkage = AttackRequest("linkage", external=external, identity=tuple(identity))
        policy = replace(policy, attacks=(*policy.attacks, linkage))
    return _with_original(policy, original, key, align)


def open_release(
    table: Any,
    policy: Policy,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    engine: Engine = "duckdb",
) -> Source:
    """The release, or the one the policy names; arguments and errors as of `audit`."""
    if table is None and policy.release is None:
        raise InputError("no release: name a file, or let the policy name one ([release] file)")
    if table is None and policy.release is not None and not policy.release.exists():
        # Nor is the name a pattern: a policy reads what it names, and nothing else.
        raise InputError(
            f"the file {str(policy.release)!r}, which the policy names as its release, {NOT_THERE}"
        )
    return open_source(
        policy.release if table is None else table,
        delimiter=delimiter or policy.delimiter,
        encoding=encoding or policy.encoding,
        engine=engine,
    )


def columns_of(table: Any, **options: Any) -> ColumnsOf:
    """What `read_policy` asks for the columns of the release; arguments as of `open_release`."""
    return lambda policy: open_release(table, policy, **options).columns


def examine(
    prepared: PreparedRelease, *, seed: int = 0, progress: Progress = lambda _: None
) -> AuditReport:
    """The audit of a release that has been counted: everything but opening it."""
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
    witnesses = iter(prepared.describe(deciding))
    models = [replace(model, witness=next(witnesses)) for model in measured]
    attacks = [replace(attack, witness=next(witnesses)) for attack in attacks]
    notices = (
        *prepared.notices(),
        *not_measured(prepared.classes),
        *(notice for _, found in results for notice in found),
        *(notice for _, found in attacked for notice in found),
    )
    roles = policy.roles
    return AuditReport(
        outcome=_verdict(prepared, models, attacks, notices),
        release=prepared.release(),
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
            "version": anonaudit.__version__,
            "seed": seed,
            "policy": policy.source,
            "policy_sha256": policy.sha256,
        },
    )


def _with_original(policy: Policy, original: Any, key: str | None, align: str | None) -> Policy:
    """The policy with the original named here, or with the policy's own paired as said here."""
    if original is not None:
        return replace(policy, original=OriginalFile(original, key, align))
    if key is None and align is None:
        return policy
    if policy.original is None:
        raise InputError("key and align say how to pair rows with the original; name one")
    return replace(policy, original=replace(policy.original, key=key, align=align))


def _requirements(prepared: PreparedRelease) -> Iterator[Requirement]:
    """The required models, then those that can be measured besides and say something new."""
    required = prepared.policy.requirements
    yield from required
    asked = {requirement.name for requirement in required}
    for name, measurable in _measured_anyway(prepared).items():
        if measurable and name not in asked:
            yield Requirement(name, {})
    if prepared.alignment is not None and "valid-generalization" not in asked:
        yield Requirement("valid-generalization", {"asked": False})
    ordered = any(r.parameters.get("distance") == "ordered" for r in required)
    # Unknown cells that count as a value have no place in an order.
    if prepared.scales and not ordered and not _unknown_as_value(prepared):
        yield Requirement("t-closeness", {"distance": "ordered"})


def _unknown_as_value(prepared: PreparedRelease) -> bool:
    """Whether a missing or suppressed cell of an ordered column counts as one of its values."""
    base = prepared.base
    gaps = any((base.column(column) < FIRST_VALUE).any() for column in prepared.scales)
    return gaps and prepared.policy.convention.sensitive == "one-value"


def _measured_anyway(prepared: PreparedRelease) -> dict[str, bool]:
    """Models that are measured without being asked for, if the policy gives what they need."""
    policy = prepared.policy
    sensitive, specs = policy.roles.sensitive, policy.hierarchies.values()
    return {
        "k-anonymity": True,
        "constrained-k-anonymity": any(spec.max_generalization for spec in specs),
        "p-sensitive-k-anonymity": bool(sensitive),
        "extended-p-sensitive-k-anonymity": any(spec.protected for spec in specs),
        "l-diversity": bool(sensitive),
        "entropy-l-diversity": bool(sensitive),
        "recursive-c-l-diversity": bool(sensitive),
        "multi-attribute-l-diversity": len(sensitive) > 1,
        "alpha-k-anonymity": bool(sensitive),
        "rule-confidence": bool(sensitive),
        "t-closeness": bool(sensitive),
        "prosecutor-risk": True,
        "k-map": policy.population is not None,
        "journalist-risk": policy.population is not None,
        "individual-risk": policy.roles.weight is not None,
    }


def _run(
    prepared: PreparedRelease,
    requirement: Requirement,
    others: list[tuple[str, EquivalenceClasses]],
    progress: Progress,
) -> tuple[Measurement, list[Notice]]:
    """The level of a model, under other conventions too, and notices where those matter."""
    progress(f"measuring {requirement.name}")

    def measure(classes: EquivalenceClasses) -> Measurement:
        return model_of(replace(prepared, classes=classes), requirement).measure(classes)

    found = measure(prepared.classes)
    elsewhere = by_convention(measure, others)
    levels = {name: other.measured for name, other in elsewhere.items()}
    notices = list(dependent(found, elsewhere))
    return replace(found, by_convention=levels), notices


def _requests(prepared: PreparedRelease) -> Iterator[AttackRequest]:
    """The attacks of the policy, and homogeneity, which needs no more than the release."""
    asked = prepared.policy.attacks
    yield from asked
    if prepared.policy.roles.sensitive and not any(a.name == "homogeneity" for a in asked):
        yield AttackRequest("homogeneity")


def _attack(
    prepared: PreparedRelease, request: AttackRequest, seed: int, progress: Progress
) -> tuple[Disclosure, list[Notice]]:
    """What an attack finds, and notices of what its adversary lacks."""
    progress(f"attacking by {request.name}")
    setting = prepared.setting(request, seed)
    found = attack_named(request.name)().run(setting)
    quasi = prepared.policy.roles.quasi_identifiers
    # Whatever an attack returns, skipped or not, is judged by what the policy allows.
    return replace(found, allowed=request.allowed), list(
        unknown_outside(request.name, setting.external, quasi)
    )


def _verdict(
    prepared: PreparedRelease,
    models: Sequence[Measurement],
    attacks: Sequence[Disclosure],
    notices: Sequence[Notice],
) -> Outcome:
    """Broken before undecided before kept; only what was asked for counts."""
    asked = [m.outcome for m in models if m.classes_violating is not None]
    asked += [a.outcome for a in attacks if a.allowed is not None]
    released = any(notice.code == "identifier-released" for notice in notices)
    if released or Outcome.VIOLATED in asked:
        return Outcome.VIOLATED
    undecided = Outcome.INCONCLUSIVE in asked or Outcome.SKIPPED in asked
    if len(prepared.classes) == 0 or (undecided and not prepared.policy.inconclusive_allowed):
        return Outcome.INCONCLUSIVE
    return Outcome.HOLDS if asked or prepared.policy.roles.identifiers else Outcome.MEASURED
