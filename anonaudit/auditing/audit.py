"""Audit a release: a table and a policy in, an AuditReport out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from anonaudit.auditing.examining import Progress, examine
from anonaudit.auditing.in_parts import audit_in_parts
from anonaudit.auditing.original import pair_with_original
from anonaudit.auditing.preparation import count_release, of_counted
from anonaudit.auditing.scales import check_readings
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import InputError
from anonaudit.findings import AuditReport
from anonaudit.policy.entries import NOT_THERE
from anonaudit.policy.policy import ColumnsOf, Policy, read_policy
from anonaudit.source.memory import TooManyCombinationsError
from anonaudit.source.parquet_folders import is_pattern
from anonaudit.source.table import Engine, Source, TableFile


def audit(
    table: Any = None,
    policy: Policy | str | os.PathLike[str] | None = None,
    *more: Any,
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
    """Audit a release: measure which models it satisfies, and run attacks on it.

    table: a path, a pandas, Polars, PyArrow, DuckDB or Spark table, or a `TableFile` with its own
        options (see `open_source`); None for the release that the policy names.
    policy: a Policy, or the path of a policy. If None, the next five arguments are used. Models and
        attacks that need no parameters then run, and nothing is required.
    quasi_identifiers, sensitive, identifiers, unit, count: column names (see `Roles`). They are
        ignored if `policy` is given.
    external, identity: an identified table to link with, and its columns that identify a person.
    original, key, align: the table from which the release was masked; the generalization of the
        release is checked against it. Rows are paired by the column `key`, by their order
        (`align="order"`), or, if neither is given, by the best permutation.
    delimiter, encoding: of the release, if it is CSV; if None, those of the policy, else detected.
    engine: the engine that reads the release if it is a path: "duckdb" or "spark". Other files are
        always read with DuckDB.
    seed: seed of attacks that use random numbers; the same input and seed give the same report.
    progress: a function that is called with a short text before each step.
    more: must be empty. It exists to explain in an error that columns are named by keyword.

    Raises AnonauditError (InputError, PolicyError, ...) if the audit is not possible.

    >>> from anonaudit import datasets
    >>> report = audit(
    ...     datasets.path("TV06/table1.csv"),
    ...     quasi_identifiers=["age", "zip-code", "sex"],
    ...     sensitive=["illness"],
    ... )
    >>> report.models[0].measured
    2
    """
    if more or not isinstance(policy, (Policy, str, os.PathLike, type(None))):
        raise InputError(
            "audit takes a table and one policy (a Policy or its path); name columns by keyword: "
            'audit(table, quasi_identifiers=["age"], sensitive=["illness"])'
        )
    named = TableFile.of(table, delimiter=delimiter, encoding=encoding, engine=engine)
    if isinstance(policy, (str, os.PathLike)):
        policy = read_policy(policy, columns=columns_of(named))
    if policy is None:
        policy = Policy.from_options(
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            identifiers=identifiers,
            unit=unit,
            count=count,
        )
    policy = policy.linked_with(external, identity).paired_with(original, key, align)
    return audit_release(open_release(named, policy), policy, seed=seed, progress=progress)


def audit_release(
    source: Source, policy: Policy, *, seed: int = 0, progress: Progress = lambda _: None
) -> AuditReport:
    """Audit an open release. The other arguments and the errors are those of `audit`."""
    progress("counting")
    try:
        counted = count_release(source, policy)
    except TooManyCombinationsError as error:
        return audit_in_parts(source, policy, error, seed=seed, progress=progress)
    prepared = pair_with_original(of_counted(source, policy, counted))
    base = prepared.base
    labels_of = {name: base.labels_of(name)[FIRST_VALUE:] for name in base.attributes}
    check_readings(source.name, labels_of, policy)
    return examine(prepared, seed=seed, progress=progress)


def _same_file(first: Path, second: Path) -> bool:
    try:
        return bool(first == second or first.samefile(second))
    except (OSError, ValueError):  # a file is missing, or a path has a NUL
        return False


def open_release(table: Any, policy: Policy | None = None) -> Source:
    """Open a release with the format that the policy declares for it.

    table: anything that `open_source` accepts; None for the release that the policy names. Options
        in a `TableFile`, such as the delimiter, override those of the policy.
    policy: None if there is no policy.

    Raises InputError if neither `table` nor the policy names exactly one release, or if the release
    cannot be read.
    """
    named = TableFile.of(table)
    in_memory = named.file is not None and named.path is None  # such a table has no format
    own = TableFile() if policy is None or in_memory else policy.release
    given = {one.name: getattr(named, one.name) for one in fields(TableFile)}
    # The policy's format applies to the release that it names. For another table, it applies only
    # if that is CSV.
    another = own.path is None or not (named.path is None or _same_file(named.path, own.path))
    given["shared"] = named.delimiter is None and named.encoding is None and own.shared and another
    release = replace(own, **{name: value for name, value in given.items() if value is not None})
    if release.file is None:
        if policy is not None and policy.releases:
            raise InputError(
                f"{policy.source}: names several releases; name one of them before the policy, or "
                "audit all of them with `anonaudit check`"
            )
        raise InputError("no release: name a file, or name one in the policy ([release] file)")
    path = release.path
    if named.file is None and path is not None and not (path.exists() or is_pattern(path)):
        raise InputError(
            f"the file {str(path)!r}, which the policy names as its release, {NOT_THERE}"
        )
    return release.open()


def columns_of(table: Any) -> ColumnsOf:
    """Return the function `columns` for `read_policy`: it opens a release and returns its columns.

    table: see `open_release`.
    """
    return lambda policy: open_release(table, policy).columns
