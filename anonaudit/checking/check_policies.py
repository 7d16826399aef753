"""Audit the releases of policies, and compare each requirement with the baseline."""

from __future__ import annotations

import enum
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from anonaudit import notebook
from anonaudit.auditing.audit import audit
from anonaudit.auditing.examining import Progress
from anonaudit.checking.baseline import Baseline, ItemKey, Violation
from anonaudit.checking.items import Item, items_of
from anonaudit.checking.policies import policy_to_check, releases_of
from anonaudit.errors import AnonauditError, internal_error
from anonaudit.findings import AuditReport, Outcome
from anonaudit.report.brief import brief, headline, why_no_pass


class CheckStatus(enum.StrEnum):
    """The result of checking one requirement, the worst first."""

    VIOLATED = "violated"
    FAULT = "fault"  # an internal error of anonaudit
    ERROR = "error"  # the audit was impossible
    UNDECIDED = "undecided"
    KNOWN = "known"  # violated, and no worse than in the baseline
    ALLOWED = "undecided, as the policy allows"
    HOLDS = "holds"


FAILING: Final = (CheckStatus.VIOLATED, CheckStatus.FAULT, CheckStatus.ERROR, CheckStatus.UNDECIDED)
_RELEASE: Final = "release"


@dataclass(frozen=True)
class Finding:
    """The result for one requirement of one release.

    policy: the path of the policy.
    release: the name of the release in the policy; empty if the policy could not be read.
    name, rule, line: as in `Item`. After an error, `name` and `rule` are `policy` or `release`.
    headline: the main number, such as `k = 1 < 5`.
    said: all numbers and the advice, or the error.
    worse: the numbers that are worse than in the baseline, such as `level 3 -> 2`.
    checks: the number of requirements that this finding stands for; more than 1 if an error
        prevents the audit of a release.
    """

    policy: str
    release: str
    name: str
    rule: str
    line: int
    status: CheckStatus
    headline: str = ""
    said: str = ""
    worse: tuple[str, ...] = ()
    checks: int = 1


@dataclass(frozen=True, repr=False)
class CheckResult(notebook.Result):
    """The result of a check.

    findings: in the order of the policies, their releases and their requirements.
    violated: each violation with its levels, rates and counts, as a new baseline records it.
    changed: the paths of policies whose content has changed since the baseline was written.
    gone: the number of violations in the baseline that were checked again and not found.
    """

    findings: tuple[Finding, ...]
    violated: dict[ItemKey, Violation] = field(default_factory=dict, repr=False)
    changed: tuple[str, ...] = ()
    gone: int = 0

    def _line(self) -> str:
        return ", ".join(f"{n} {status}" for status in CheckStatus if (n := self.count(status)))

    def _shown(self) -> notebook.Shown:
        """One row for each finding."""
        rows = [["policy", "release", "requirement", "status", "found"]]
        rows += [[f.policy, f.release, f.name, f.status, f.headline] for f in self.findings]
        return notebook.Shown(f"Check: {self._line()}", rows, (0, 1, 2, 3, 4))

    def count(self, *statuses: CheckStatus) -> int:
        """The number of checks with one of these statuses."""
        return sum(finding.checks for finding in self.findings if finding.status in statuses)


def check_policies(
    policies: Iterable[Path],
    *,
    baseline: Baseline | None = None,
    release: Path | None = None,
    folder: Path | None = None,
    progress: Progress = lambda _: None,
) -> CheckResult:
    """Audit the releases of policies, and judge each requirement.

    policies: the paths of the policies, as from `policies_in`.
    baseline: the known violations; None if there are none.
    release: a release to audit instead of the releases that a policy names.
    folder: the folder to which the policy paths in a new baseline are relative; None for the folder
        of `baseline`.
    progress: called with a short text before each step.

    A policy or release that cannot be read becomes a finding; all others are still checked.
    """
    known = Baseline(Path(), {}) if baseline is None else baseline
    place = Baseline(known.folder if folder is None else folder, {})
    findings: list[Finding] = []
    violated: dict[ItemKey, Violation] = {}
    changed: list[str] = []
    seen: set[ItemKey] = set()
    audited: set[tuple[str, ...]] = set()  # the first three parts of baseline keys
    named: dict[str, tuple[str, str]] = {}  # policy: the first two parts of its baseline keys
    for path in policies:
        try:
            policy = policy_to_check(path, release)
        except AnonauditError as error:
            findings.append(_not_read(path, "", "policy", 1, str(error)))
            continue
        before, new = known.policy(path), place.policy(path)
        named[str(path)] = before
        if known.changed(before):
            changed.append(str(path))
        items = [*items_of(policy)]
        for name, table in releases_of(policy, release).items():
            shown = name
            if release is not None and Path(name).name != release.name:
                shown = f"{release.name}, in place of {name}"
            progress(f"{path}: {shown}")
            try:
                report = audit(table, policy)
            except AnonauditError as error:
                said = str(error)
                findings.append(_not_read(path, shown, _RELEASE, items[0].line, said, len(items)))
                continue
            except MemoryError:
                raise
            except Exception as error:  # its message may quote a cell
                if os.environ.get("ANONAUDIT_DEBUG"):
                    raise
                finding = _not_read(
                    path, shown, _RELEASE, items[0].line, internal_error(error), len(items)
                )
                findings.append(replace(finding, status=CheckStatus.FAULT))
                continue
            audited.add((*before, name))
            for item in items:
                part = item.of(report, policy)
                now = Violation.of(part)
                key = (*before, name, item.name)
                if now is not None:
                    seen.add(key)
                    violated[(*new, name, item.name)] = now
                findings.append(_judged(path, shown, item, part, report, *known.judge(key, now)))
    # If all releases that a policy names could be audited, the violations of a release that the
    # policy no longer names are gone, too.
    whole = {named[policy] for policy in _readable(findings)}
    checked = [key for key in known.known if key[:3] in audited or key[:2] in whole]
    gone = [key for key in checked if key not in seen]
    return CheckResult((*findings,), violated, (*changed,), len(gone))


def _readable(findings: Iterable[Finding]) -> set[str]:
    """Return the policies whose releases could all be audited."""
    broken = {f.policy for f in findings if f.status in (CheckStatus.ERROR, CheckStatus.FAULT)}
    return {f.policy for f in findings} - broken


def _not_read(
    path: Path, release: str, rule: str, line: int, error: str, checks: int = 1
) -> Finding:
    return Finding(
        *(str(path), release, rule, rule, line),
        status=CheckStatus.ERROR,
        headline=f"could not audit: {error.splitlines()[0]}",
        said=error,
        checks=checks,
    )


def _judged(
    path: Path,
    release: str,
    item: Item,
    part: AuditReport,
    report: AuditReport,
    is_known: bool,
    worse: list[str],
) -> Finding:
    status, said = CheckStatus.HOLDS, ""
    if not part.passed:
        violated = part.outcome is Outcome.VIOLATED
        status = (
            CheckStatus.KNOWN
            if is_known
            else CheckStatus.VIOLATED
            if violated
            else CheckStatus.UNDECIDED
        )
        said = why_no_pass(part, whole=report)
    elif said := brief(part, whole=report):
        status = CheckStatus.ALLOWED
    return Finding(
        *(str(path), release, item.name, item.rule, item.line),
        status=status,
        headline=headline(part) if said else "",
        said=said,
        worse=(*worse,),
    )
