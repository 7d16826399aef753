"""Apply a remedy to a whole release, including the columns without a role."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import pandas as pd

from anonaudit import notebook
from anonaudit.arrays import Index
from anonaudit.auditing.audit import audit, open_release
from anonaudit.auditing.examining import Progress
from anonaudit.errors import AnonauditError, InputError
from anonaudit.findings import AuditReport, Number, Outcome, Remedy
from anonaudit.frequency.cell_texts import has_cells, read_texts
from anonaudit.masking.order import by_values
from anonaudit.policy.policy import Policy
from anonaudit.remedies.search import TriedOut, demanded, tried_out
from anonaudit.remedies.trial import Ground
from anonaudit.source.table import Source

_UNDECIDED: Final = (Outcome.INCONCLUSIVE, Outcome.SKIPPED)


class NoRemedyError(AnonauditError):
    """No release was made: no remedy is needed, no remedy exists, or the remedy does not suffice.

    requirements: the names of the requirements that stay broken or undecided, or that no masking
        can meet.
    """

    def __init__(self, message: str, requirements: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.requirements = tuple(requirements)


@dataclass(frozen=True, eq=False, repr=False)
class Remedied(notebook.Result):
    """A release that a remedy made. Call `audit` before you publish it.

    number: the number of the remedy in `Remedies.tried`, from 1.
    remedy: the remedy.
    release: the remaining rows as texts, sorted by their values. It has all columns of the old
        release, in their order, except identifiers that the remedy drops.
    policy: the policy for an audit of `release`. If it pairs rows with an original by order, its
        original has only the remaining rows, in the new order.
    seed: the seed of attacks that draw at random.
    rows: the row number of each row in the old release, from 0, shape (n,). Never publish these
        numbers.
    """

    number: int
    remedy: Remedy
    release: pd.DataFrame = field(repr=False)
    policy: Policy
    seed: int
    rows: Index

    def _line(self) -> str:
        return f"by remedy {self.number}: {len(self.release)} rows, {self.remedy!r}"

    @property
    def out_of_order(self) -> bool:
        """True if the policy pairs the rows of the release with an original by their order.

        The remedied release is in a new order, so the file of the original no longer fits.
        """
        original = self.policy.original
        return original is not None and original.align == "order"

    def audit(self, release: Any = None, *, progress: Progress = lambda _: None) -> AuditReport:
        """Audit the release, and return the report.

        release: the written file or a table to audit instead; None for the table in memory.
        """
        table = self.release if release is None else release
        return audit(table, self.policy, seed=self.seed, progress=progress)

    def is_in(self, table: Source) -> bool:
        """Return True if a table has the columns and cells of the release, in the same order."""
        return has_cells(table, self.release)

    def differing(self, report: AuditReport) -> list[str]:
        """Return the requirements whose outcome or level in `report` is not that of the remedy."""
        demands = demanded(report, report, self.policy)
        return [
            then.name
            for then, now in zip(self.remedy.requirements, demands, strict=True)
            if then.outcome is not now.outcome or not _same(then.after, now.after)
        ]


def take(
    table: Any,
    policy: Policy,
    number: int = 1,
    *,
    seed: int = 0,
    progress: Progress = lambda _: None,
) -> Remedied:
    """Apply a remedy to a release, and return the remedied release.

    table, policy, seed, progress: as in `remedies`.
    number: the number of the remedy in `Remedies.tried`, from 1. Number 1 has the least loss of the
        remedies that suffice, if any suffices.

    Raises NoRemedyError if no requirement is broken, if there is no remedy, or if the remedy does
    not suffice. Raises InputError if there is no remedy with this number, or if remedies cannot be
    tried on this release. Also raises the errors of `anonaudit.audit`.

    >>> from anonaudit.policy import parse_policy
    >>> rules = parse_policy('''
    ...     columns.quasi-identifiers = ["age"]
    ...     hierarchies.age = { intervals = [10], origin = 0 }
    ...     require.k-anonymity = { k = 2 }
    ... ''')
    >>> frame = pd.DataFrame({"n": list("abcd"), "age": ["21", "24", "35", "35"]})
    >>> found = take(frame, rules)
    >>> found.release["age"].tolist(), found.audit().passed
    (['[20,30)', '[20,30)', '35', '35'], True)
    """
    source = open_release(table, policy)
    out = tried_out(source, policy, seed=seed, progress=progress)
    remedy = _chosen(out, number)
    changed = out.releases[number - 1]
    left_out = {column for step in remedy.steps if step.kind == "drop" for column in step.columns}
    progress("reading all columns")
    columns = [column for column in source.columns if column not in left_out]
    release = read_texts(source, columns).loc[changed.index]
    for name in policy.roles.quasi_identifiers:
        release[name] = changed[name]
    # Without the dropped columns, a row may be empty, and a reader of the file would ignore it.
    release = release.dropna(how="all")
    changed = changed.loc[release.index]
    # The old order of the rows could reveal the values that they had before.
    order = by_values(release)
    release, changed = release.iloc[order].reset_index(drop=True), changed.iloc[order]
    rows = changed.index.to_numpy(np.intp)
    return Remedied(number, remedy, release, _for_release(policy, changed), seed, rows)


def _chosen(out: TriedOut, number: int) -> Remedy:
    remedies = out.remedies
    if out.untried:
        raise InputError(f"no remedy was tried: {remedies.reason}")
    if not remedies.tried and remedies.unreachable:
        why = f"{remedies.reason}: {', '.join(remedies.unreachable)} out of reach"
        raise NoRemedyError(why, remedies.unreachable)
    if not remedies.tried:
        raise NoRemedyError(
            remedies.reason or "the release satisfies its policy, so no remedy is needed"
        )
    if not 1 <= number <= len(remedies.tried):
        there = "is 1 remedy" if len(remedies.tried) == 1 else f"are {len(remedies.tried)} remedies"
        raise InputError(f"remedy {number} does not exist: there {there}; name one of these")
    remedy = remedies.tried[number - 1]
    if not remedy.suffices:
        broken = [d.name for d in remedy.requirements if d.outcome is Outcome.VIOLATED]
        undecided = [d.name for d in remedy.requirements if d.outcome in _UNDECIDED]
        names = ", ".join(broken or undecided or ["its policy"])
        would = f"break {names}" if broken else f"leave {names} undecided"
        why = f"remedy {number} does not suffice: the release would {would}"
        raise NoRemedyError(why, broken or undecided)
    return remedy


def _for_release(policy: Policy, changed: pd.DataFrame) -> Policy:
    """Return the policy for an audit of the new release.

    If the policy pairs rows with an original by order, the original loses the same rows as the
    release, and gets the order of the new release.
    """
    policy = policy.without_release()
    original = policy.original
    if original is None or original.align != "order":
        return policy
    return replace(policy, original=Ground.read(original).paired_with(changed))


def _same(before: Number | None, now: Number | None) -> bool:
    if before is None or now is None:
        return before is now
    return math.isclose(before, now, rel_tol=1e-9, abs_tol=1e-12)
