"""Taking a remedy: the whole release as it becomes, its columns without a part included."""

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
from anonaudit.masking.order import by_values
from anonaudit.policy.policy import Policy
from anonaudit.remedies.search import TriedOut, demanded, tried_out
from anonaudit.remedies.trial import Ground, read_texts
from anonaudit.source.table import Source

_UNDECIDED: Final = (Outcome.INCONCLUSIVE, Outcome.SKIPPED)


class NoRemedyError(AnonauditError):
    """There is no release to make: nothing is broken, or what was asked for does not suffice.

    requirements: those that stay broken or undecided, or that are out of reach.
    """

    def __init__(self, message: str, requirements: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.requirements = tuple(requirements)


@dataclass(frozen=True, eq=False, repr=False)
class Remedied(notebook.Result):
    """A release that a remedy made, not audited yet as it will be published.

    number, remedy: which one, as in `Remedies.tried` (from 1). release: every column of the old
    release in its order, as texts, but for released identifiers that the remedy leaves out; the
    rows that are left, sorted by their values. policy: to audit it for; where rows are paired with
    an original by order, with those that are left, in the new order. rows: which row of the old
    release each was, from 0; not to be published.
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
        """Whether an original was paired by order, which is the release's no more."""
        original = self.policy.original
        return original is not None and original.align == "order"

    def audit(self, release: Any = None, *, progress: Progress = lambda _: None) -> AuditReport:
        """The audit of the release (as it was written, if that is given)."""
        table = self.release if release is None else release
        return audit(table, self.policy, seed=self.seed, progress=progress)

    def is_in(self, table: Source) -> bool:
        """Whether a table has the columns and the cells of the release, in their order."""
        if [*table.columns] != [*self.release.columns]:
            return False
        written = read_texts(table, table.columns)
        return np.array_equal(written.to_numpy(object), self.release.to_numpy(object))

    def differing(self, report: AuditReport) -> list[str]:
        """The requirements of which an audit of the release says other than the remedy did."""
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
    """The release that a remedy comes to, whole.

    table, policy, seed, progress: as of `remedies`. number: of the remedy, in
    the order of `Remedies.tried`, from 1; that one has the least loss of those that suffice.

    Raises NoRemedyError where nothing is broken, nothing mends the release, or that remedy does not
    suffice; InputError where there is no remedy of that number, or remedies could not be tried; and
    as `anonaudit.audit` does.

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
    # Who had a value only in a column that is left out would be padding.
    release = release.dropna(how="all")
    changed = changed.loc[release.index]
    # Rows that stand in the order of the values they had would give these away.
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
            remedies.reason or "the release keeps its policy, so there is nothing to mend"
        )
    if not 1 <= number <= len(remedies.tried):
        there = "is 1 remedy" if len(remedies.tried) == 1 else f"are {len(remedies.tried)} remedies"
        raise InputError(f"there is no remedy {number}: there {there}; take one of these")
    remedy = remedies.tried[number - 1]
    if not remedy.suffices:
        broken = [d.name for d in remedy.requirements if d.outcome is Outcome.VIOLATED]
        undecided = [d.name for d in remedy.requirements if d.outcome in _UNDECIDED]
        what = "the release would break" if broken else "nothing would decide"
        names = ", ".join(broken or undecided or ["whether its policy is kept"])
        why = f"remedy {number} does not suffice: {what} {names}"
        raise NoRemedyError(why, broken or undecided)
    return remedy


def _for_release(policy: Policy, changed: pd.DataFrame) -> Policy:
    """The policy of the new release; an original in the same order loses the same rows."""
    policy = policy.without_release()
    original = policy.original
    if original is None or original.align != "order":
        return policy
    return replace(policy, original=Ground.read(original).paired_with(changed))


def _same(before: Number | None, now: Number | None) -> bool:
    if before is None or now is None:
        return before is now
    return math.isclose(before, now, rel_tol=1e-9, abs_tol=1e-12)
