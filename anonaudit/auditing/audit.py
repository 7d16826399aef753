"""The one place where all meet: a table and a policy in, an AuditReport out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from anonaudit.auditing.examining import Progress, examine
from anonaudit.auditing.in_parts import audit_in_parts
from anonaudit.auditing.original import with_original
from anonaudit.auditing.preparation import prepare
from anonaudit.errors import InputError
from anonaudit.findings import AuditReport
from anonaudit.policy.entries import NOT_THERE
from anonaudit.policy.policy import AttackRequest, ColumnsOf, OriginalFile, Policy, read_policy
from anonaudit.source.memory import TooManyCombinationsError
from anonaudit.source.table import Engine, Source, open_source


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
    try:
        prepared = prepare(source, policy)
    except TooManyCombinationsError as error:
        return audit_in_parts(source, policy, error, seed=seed, progress=progress)
    return examine(with_original(prepared), seed=seed, progress=progress)


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


def _with_original(policy: Policy, original: Any, key: str | None, align: str | None) -> Policy:
    """The policy with the original named here, or with the policy's own paired as said here."""
    if original is not None:
        return replace(policy, original=OriginalFile(original, key, align))
    if key is None and align is None:
        return policy
    if policy.original is None:
        raise InputError("key and align say how to pair rows with the original; name one")
    return replace(policy, original=replace(policy.original, key=key, align=align))
