"""Render the result of a check as text, JUnit XML, Markdown and SARIF, without cells."""

from __future__ import annotations

from itertools import groupby
from typing import Final
from xml.etree import ElementTree as ET

from anonaudit.checking.check_policies import FAILING, CheckResult, CheckStatus, Finding
from anonaudit.report.markdown import escaped_markdown
from anonaudit.report.sarif import SarifResult, to_log
from anonaudit.report.words import layout
from anonaudit.report.words.figures import counted
from anonaudit.version import __version__

_SHOWN: Final = (*FAILING, CheckStatus.KNOWN, CheckStatus.ALLOWED)
# More rows would exceed the size limit of a comment on GitHub.
_MOST_ROWS: Final = 200
_RULES: Final = {"release": "identifier-released", "policy": "PolicyError"}  # keys of `explain`


def to_text(check: CheckResult) -> str:
    """Return the failing, known and allowed findings as text. The last line is the `summary`."""
    lines: list[str] = []
    shown = [finding for finding in check.findings if finding.status in _SHOWN]
    for policy, group in groupby(shown, key=lambda finding: finding.policy):
        lines.append(layout.printable(policy))
        for finding in group:
            lines.append(f"  {finding.status.upper()} {_title(finding)}")
            if finding.status in FAILING:
                lines += [f"    {layout.printable(line.strip())}" for line in _said(finding)]
        lines.append("")
    return "\n".join([*lines, *_notes(check), summary(check)]) + "\n"


def summary(check: CheckResult) -> str:
    """Return one line: the numbers of policies, releases, checks, and checks of each status."""
    policies = len({finding.policy for finding in check.findings})
    releases = len({(f.policy, f.release) for f in check.findings if f.release})
    whole = (
        f"{counted(policies, 'policy', 'policies')}, {counted(releases, 'release')}, "
        f"{counted(check.count(*CheckStatus), 'check')}"
    )
    parts = [f"{n} {status}" for status in CheckStatus if (n := check.count(status))]
    return f"{whole}: {', '.join(parts)}"


def _title(finding: Finding) -> str:
    where = f"line {finding.line}, " if finding.release else ""
    release = f"{layout.name(finding.release, 80)}, " if finding.release else ""
    head = f": {layout.printable(finding.headline)}" if finding.headline else ""
    return f"{release}{where}{layout.printable(finding.name)}{head}"


def _said(finding: Finding) -> list[str]:
    """Return lines: first the numbers worse than the baseline, then all numbers and the advice."""
    return [
        *(f"worse than the baseline: {one}" for one in finding.worse),
        *finding.said.split("\n"),
    ]


def _notes(check: CheckResult) -> list[str]:
    notes = [
        f"{layout.printable(policy)}: changed since the baseline was written, so none of its "
        "violations is known; write the baseline again"
        for policy in check.changed
    ]
    if check.gone:
        gone = counted(check.gone, "violation")
        undecided = any(one.status is CheckStatus.UNDECIDED for one in check.findings)
        then = "resolve the undecided checks, then " if undecided else ""
        notes.append(f"{gone} of the baseline no longer found; {then}write the baseline again")
    return notes


def to_junit(check: CheckResult) -> str:
    """Return JUnit XML: one test suite for each policy, one test case for each requirement.

    A violated requirement is a failure. An undecided requirement, or one that could not be audited,
    is an error. A known violation, or an undecided requirement that the policy allows, is skipped.
    """
    root = ET.Element("testsuites", name="anonaudit")
    for policy, group in groupby(check.findings, key=lambda finding: finding.policy):
        findings = [*group]
        suite = ET.SubElement(root, "testsuite", name=layout.printable(policy))
        outcomes = [_OUTCOMES.get(finding.status, "") for finding in findings]
        suite.set("tests", str(len(findings)))
        for name, outcome in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(name, str(outcomes.count(outcome)))
        for finding, outcome in zip(findings, outcomes, strict=True):
            where = layout.printable(f"{policy}::{finding.release}" if finding.release else policy)
            case = ET.SubElement(
                suite, "testcase", classname=where, name=layout.printable(finding.name)
            )
            case.set("file", layout.printable(policy))
            case.set("line", str(finding.line))
            if outcome:
                said = ET.SubElement(case, outcome, message=layout.printable(finding.headline))
                said.text = "\n".join(map(layout.printable, _said(finding)))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


_OUTCOMES: Final = {
    CheckStatus.VIOLATED: "failure",
    CheckStatus.FAULT: "error",
    CheckStatus.ERROR: "error",
    CheckStatus.UNDECIDED: "error",
    CheckStatus.KNOWN: "skipped",
    CheckStatus.ALLOWED: "skipped",
}


def to_markdown(check: CheckResult) -> str:
    """Return Markdown for a pull request: the `summary` and a table of what does not hold."""
    order = [*CheckStatus]
    shown = [finding for finding in check.findings if finding.status in _SHOWN]
    shown.sort(key=lambda finding: order.index(finding.status))
    blocks = [
        f"## anonaudit: {escaped_markdown(summary(check))}",
        *map(escaped_markdown, _notes(check)),
    ]
    if shown:
        rows = ["| | policy | release | requirement | found |", "| :-- | :-- | :-- | :-- | :-- |"]
        for finding in shown[:_MOST_ROWS]:
            worse = f" ({'; '.join(finding.worse)})" if finding.worse else ""
            place = f"{finding.policy}, line {finding.line}"
            cells = (finding.status, place, finding.release, finding.name, finding.headline + worse)
            rows.append(f"| {' | '.join(map(escaped_markdown, cells))} |")
        blocks.append("\n".join(rows))
    if len(shown) > _MOST_ROWS:
        blocks.append(f"{len(shown) - _MOST_ROWS} more are not shown.")
    for finding in shown[:_MOST_ROWS]:
        if finding.status in FAILING:
            said = "<br>".join(map(escaped_markdown, _said(finding)))
            title = escaped_markdown(f"{finding.release} {finding.name}".strip())
            blocks.append(f"<details><summary>{title}</summary>\n\n{said}\n\n</details>")
    return "\n\n".join(blocks) + "\n"


def to_sarif(check: CheckResult) -> str:
    """Return a SARIF log: one result for each failing requirement, at its line in the policy."""
    results = [
        SarifResult(
            rule=_RULES.get(finding.rule, finding.rule),
            level="warning" if finding.status is CheckStatus.UNDECIDED else "error",
            message=f"{finding.release}: " * bool(finding.release)
            + "\n".join(map(layout.printable, [finding.headline, *_said(finding)])),
            about=f"{finding.release} {finding.name}",
            file=finding.policy,
            line=finding.line,
        )
        for finding in check.findings
        if finding.status in FAILING
    ]
    files = dict.fromkeys(finding.policy for finding in check.findings)
    return to_log(results, files, version=__version__, properties={"summary": summary(check)})
