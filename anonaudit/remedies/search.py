"""Try changes to a release that breaks its policy, and report which of them suffice.

The audit of the release names the classes that break a requirement, and the changes start from
these classes. Every changed release is audited in the same way as any release. Only this audit
decides whether the change suffices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from anonaudit import notebook
from anonaudit.about import Unions
from anonaudit.auditing.audit import open_release
from anonaudit.auditing.examining import Progress
from anonaudit.auditing.feasibility import feasibility_of
from anonaudit.auditing.preparation import count_release
from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import HierarchyError, InputError
from anonaudit.findings import AuditReport, Demanded, Outcome, Remedies, Remedy
from anonaudit.generalization.hierarchy import ROOT
from anonaudit.models.level import ParameterError
from anonaudit.plugins import describe_model
from anonaudit.policy.policy import Policy
from anonaudit.remedies.changes import merged, one_level_up, suppressed, too_many_to_merge
from anonaudit.remedies.column_levels import ColumnLevels
from anonaudit.remedies.trial import Trial
from anonaudit.report.sections.demands import released
from anonaudit.report.words.wording import title

# With more rows, remedies would take too long, because every change needs one or more new audits.
MOST_ROWS: Final = 1_000_000


def remedies(
    table: Any,
    policy: Policy,
    *,
    report: AuditReport | None = None,
    seed: int = 0,
    progress: Progress = lambda _: None,
) -> Remedies:
    """Try remedies for a release that breaks its policy, and audit the result of each.

    First, identifiers that are in the release are dropped. Then three kinds of change are tried:

    - suppress (delete) as few rows as needed of the classes that break a requirement;
    - generalize one quasi-identifier by one level;
    - merge each class that breaks a requirement with the nearest class.

    If the second or third change is not enough, it is also tried together with the suppression of
    the classes that still break a requirement. Sensitive values are never changed.

    table: any input of `open_source`; None for the release that the policy names.
    policy: the policy. If the audit used an external table or an original, the policy must name it
        (`Policy.linked_with`, `Policy.paired_with`).
    report: the report of the audit; None if the release was not audited yet.
    seed, progress: as in `anonaudit.audit`.

    Returns the remedies with their results. Those that suffice come first, and among these the one
    with the least loss. If there is no remedy, for example because the release passes,
    `Remedies.reason` can say why. Raises the errors of `anonaudit.audit`.

    >>> from anonaudit.policy import parse_policy
    >>> rules = parse_policy('''
    ...     columns.quasi-identifiers = ["age", "sex"]
    ...     hierarchies.age = { intervals = [10], origin = 0 }
    ...     require.k-anonymity = { k = 2 }
    ... ''')
    >>> frame = pd.DataFrame({"age": ["21", "24", "35", "35"], "sex": ["f", "f", "m", "m"]})
    >>> for remedy in remedies(frame, rules).tried:
    ...     print(remedy.steps[0].kind, remedy.steps[0].rows, remedy.suffices)
    merge 2 True
    generalize 4 True
    suppress 2 True
    """
    return tried_out(table, policy, report=report, seed=seed, progress=progress).remedies


@dataclass(frozen=True, eq=False, repr=False)
class TriedOut(notebook.Result):
    """Remedies, with the changed release of each remedy.

    releases: the changed release of each remedy as texts, with only the columns that the audit
        needs.
    untried: True if remedies could not be tried, so that it is unknown whether a remedy exists.
    """

    remedies: Remedies
    releases: tuple[pd.DataFrame, ...] = field(default=(), repr=False)
    untried: bool = False

    def _line(self) -> str:
        return f"{self.remedies!r}"

    def _repr_html_(self) -> str:
        """Return the notebook view of the remedies."""
        return self.remedies._repr_html_()


def tried_out(
    table: Any,
    policy: Policy,
    *,
    report: AuditReport | None = None,
    seed: int = 0,
    progress: Progress = lambda _: None,
) -> TriedOut:
    """Try remedies as `remedies` does, and return the changed releases too.

    The changed releases contain cells of the table, so do not put them into a report.
    """
    if report is not None and report.outcome is not Outcome.VIOLATED:
        return _not_broken(report)
    source = open_release(table, policy)
    if not source.ordered:
        return _untried("remedies are not tried on Spark tables; give the release as a file")
    if report is not None and any(notice.code == "audited-in-parts" for notice in report.warnings):
        return _untried("remedies are not tried on releases that are audited in parts")
    rows = count_release(source, policy).total if report is None else report.release.rows
    if rows > MOST_ROWS:
        return _untried(f"remedies are not tried on releases of more than {MOST_ROWS:,} rows")
    progress("reading rows")
    first = Trial.read(source, policy, seed)
    if first.report.outcome is not Outcome.VIOLATED:
        return _not_broken(first.report)
    progress("checking which requirements can be met at all")
    if unreachable := _unreachable(first.prepared):
        return _nothing("no masking of these rows can satisfy the policy", unreachable)
    return _Search(first, progress).run()


def _not_broken(report: AuditReport) -> TriedOut:
    if report.outcome is Outcome.INCONCLUSIVE:
        return _untried(
            "no requirement is broken, but some are undecided, and changing rows cannot decide them"
        )
    return _nothing(None)


def _nothing(why: str | None, unreachable: tuple[str, ...] = ()) -> TriedOut:
    return TriedOut(Remedies(reason=why, unreachable=unreachable))


def _untried(why: str) -> TriedOut:
    return TriedOut(Remedies(reason=why), untried=True)


def _unreachable(prepared: PreparedRelease) -> tuple[str, ...]:
    """Return the requirements that no masking of the release can meet.

    Only requirements are tested that a union of classes meets whenever each of the classes does. If
    the whole release as one class fails such a requirement, every division of the release into
    classes fails it too.
    """
    known = prepared.policy.requirements
    asked = tuple(r for r in known if describe_model(r.name).unions is Unions.ALWAYS)
    policy = replace(prepared.policy, requirements=asked)
    feasibility = feasibility_of(replace(prepared, policy=policy))
    return tuple(f.model for f in feasibility if f.feasible is False)


class _Search:
    """The search for remedies of one release.

    first: the release as given. start: the release without released identifiers.
    """

    def __init__(self, first: Trial, progress: Progress) -> None:
        self.progress = progress
        self.first = self.start = first
        base, mended = first.prepared.base, first.prepared.policy
        self.columns = {
            name: ColumnLevels(name, base.labels_of(name)[FIRST_VALUE:], mended)
            for name in first.quasi
        }

    def run(self) -> TriedOut:
        """Return the remedies to report, in the order of `_rank`, with the changed releases."""
        if named := released(self.first.report):
            self.progress("dropping identifiers")
            start = _audited(lambda: self.first.without_columns(named))
            if start is None:
                return _untried("without the released identifiers, the release cannot be audited")
            self.start = start
        trials = [self.start] if self.start.passed else self._trials()
        remedies = [(self._remedy(trial), trial) for trial in trials]
        kept = sorted(_to_report(remedies), key=lambda one: _rank(one[0]))
        chosen = Remedies(tuple(remedy for remedy, _ in kept), self._reason(bool(kept)))
        return TriedOut(chosen, tuple(trial.rows for _, trial in kept))

    def _reason(self, anything: bool) -> str | None:
        """Return why no remedy, or not every remedy, was tried; None if there is no reason."""
        if too_many_to_merge(self.start, self.start.faults().every):
            return "too many classes break a requirement, so merging classes was not tried"
        return (
            None
            if anything
            else (
                "no change was possible: the audit names no class that breaks a requirement, or "
                "more than half of the rows would be suppressed"
            )
        )

    def _trials(self) -> Iterator[Trial]:
        start = self.start
        yield from self._tried("suppressing rows", partial(suppressed, start))
        yield from self._with_rest("merging classes", partial(merged, start, self.columns))
        for column in self.columns.values():
            what = f"generalizing {column.name}"
            yield from self._with_rest(what, partial(one_level_up, start, column))

    def _with_rest(self, what: str, change: Callable[[], Trial | None]) -> Iterator[Trial]:
        """Try a change. If it does not suffice, also try it together with suppression."""
        for trial in self._tried(what, change):
            yield trial
            if not trial.passed:
                rest = f"{what}, and suppressing the classes that still break a requirement"
                yield from self._tried(rest, partial(suppressed, trial))

    def _tried(self, what: str, change: Callable[[], Trial | None]) -> Iterator[Trial]:
        """Yield the changed release, if there is a change and its result can be audited."""
        self.progress(f"trying: {what}")
        trial = _audited(change)
        if trial is not None:
            yield trial

    def _remedy(self, trial: Trial) -> Remedy:
        before, after = self.first, trial
        kept, cells = before.rows.loc[after.rows.index], 0
        for name in after.quasi:
            changed = after.rows[name].to_numpy(object) != kept[name].to_numpy(object)
            cells += int(after.records[changed].sum())
        all_records = int(before.records.sum())
        lost = all_records - int(after.records.sum())
        most = all_records * max(len(before.quasi), 1)
        added = self._loss(after) + lost * len(before.quasi) - self._loss(before)
        return Remedy(
            steps=trial.steps,
            requirements=tuple(demanded(before.report, after.report, before.policy)),
            outcome=trial.report.outcome,
            rows_suppressed=lost,
            cells_changed=cells,
            loss=round(added / most, 12) + 0.0 if most else 0.0,
        )

    def _loss(self, trial: Trial) -> float:
        """Return the information loss of a release (MCT08 Definition 11)."""
        base, total = trial.prepared.base, 0.0
        for name, column in self.columns.items():
            texts = [None, ROOT, *base.labels_of(name)[FIRST_VALUE:]]
            loss = np.array([column.loss(text) for text in texts])
            total += float((loss[base.column(name)] * base.counts).sum())
        return total


def _audited(change: Callable[[], Trial | None]) -> Trial | None:
    """Make a change, and return the result; None if the result cannot be audited."""
    try:
        return change()
    except (InputError, HierarchyError, ParameterError):
        return None


def demanded(before: AuditReport, after: AuditReport, policy: Policy) -> Iterator[Demanded]:
    """Yield each requirement with its levels before and after a remedy.

    The order is: models, attacks, identifiers.

    before, after: the reports of the two audits.
    """
    for old, new in zip(before.models, after.models, strict=False):
        if old.classes_violating is not None:
            levels = (old.required, old.measured, new.measured)
            yield Demanded("model", title(old), *levels, old.outcome, new.outcome)
    for was, now in zip(before.attacks, after.attacks, strict=True):
        if was.allowed is not None:
            rates = (was.allowed, was.rate, now.rate)
            yield Demanded("attack", was.attack, *rates, was.outcome, now.outcome)
    if policy.roles.identifiers:
        there, left = len(released(before)), len(released(after))
        outcomes = [Outcome.VIOLATED if n else Outcome.HOLDS for n in (there, left)]
        yield Demanded("identifiers", "identifiers", 0, there, left, outcomes[0], outcomes[1])


def _to_report(tried: list[tuple[Remedy, Trial]]) -> Iterator[tuple[Remedy, Trial]]:
    """Yield the remedies to report, with their releases.

    A remedy that suffices is reported, unless it changes cells and still suppresses as many rows as
    suppression alone, or more. For each kind of change of which no remedy is left, the best
    insufficient remedy is reported, if there is one.
    """
    kinds: dict[str, list[tuple[Remedy, Trial]]] = {}
    for remedy, trial in tried:
        kinds.setdefault(_kind(remedy), []).append((remedy, trial))
    alone = min(
        (r.rows_suppressed for r, _ in kinds.get("suppress", ()) if r.suffices), default=None
    )
    for of_kind in kinds.values():
        kept = [one for one in of_kind if one[0].suffices and _saves_rows(one[0], alone)]
        rest = [one for one in of_kind if not one[0].suffices]
        if not kept and rest:
            kept = [min(rest, key=lambda one: (_broken(one[0]), _rank(one[0])))]
        yield from kept


def _saves_rows(remedy: Remedy, alone: int | None) -> bool:
    """Return True unless a remedy changes cells and still suppresses `alone` rows or more.

    alone: the number of rows that suppression alone needs; None if suppression alone does not
        suffice.
    """
    if alone is None or _kind(remedy) == "suppress":
        return True
    return remedy.rows_suppressed == 0 or remedy.rows_suppressed < alone


def _kind(remedy: Remedy) -> str:
    """Return the kind of the first step that changes rows; "drop" if no step does."""
    kinds = [step.kind for step in remedy.steps]
    return next((kind for kind in kinds if kind != "drop"), kinds[0])


def _broken(remedy: Remedy) -> int:
    return sum(demanded.outcome is not Outcome.HOLDS for demanded in remedy.requirements)


def _rank(remedy: Remedy) -> tuple[object, ...]:
    columns = tuple(column for step in remedy.steps for column in step.columns)
    return (
        not remedy.suffices,
        round(remedy.loss, 12),
        remedy.rows_suppressed,
        remedy.cells_changed,
        columns,
    )
