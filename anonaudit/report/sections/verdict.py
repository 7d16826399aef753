"""Write the verdict of a report in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from anonaudit.findings import AuditReport, Outcome
from anonaudit.plugins import describe_model
from anonaudit.report.sections.demands import demands, naming
from anonaudit.report.words import figures, layout

_ALWAYS = 4  # up to this many violated requirements are always named, however long the line gets
_WIDTH_OF_PAGES = 160  # a few lines of a page


def verdict(report: AuditReport, width: int = _WIDTH_OF_PAGES) -> str:
    """Return the outcome, and the names of the violated or undecided requirements.

    If there are more than four names, only as many are given as fit into the line. If a column
    seems to contain direct identifiers, a warning follows, because direct identifiers defeat every
    model.

    width: the length of the line, in terminal cells.
    """
    people = naming(report)
    hold = "seems to hold" if len(people) == 1 else "seem to hold"
    warned = f". WARNING: {layout.columns(people, _ALWAYS)} {hold} direct identifiers"
    return _outcome(report, width) + (warned if people else "")


def _outcome(report: AuditReport, width: int) -> str:
    asked = demands(report)
    broken = [name for name, outcome in asked if outcome is Outcome.VIOLATED]
    undecided = [name for name, o in asked if o not in (Outcome.HOLDS, Outcome.VIOLATED)]
    total = figures.counted(len(asked), "requirement")
    rest = f", {len(undecided)} undecided" if undecided else ""
    if report.outcome is Outcome.VIOLATED and broken:
        return _named(f"VIOLATED: {len(broken)} of {total} broken{rest}", broken, width)
    if report.outcome is Outcome.INCONCLUSIVE and undecided:
        begin = f"INCONCLUSIVE, which is no pass: {len(undecided)} of {total} undecided"
        return _named(begin, undecided, width)
    if report.outcome is Outcome.HOLDS:
        met = f"{len(asked) - len(undecided)} of {total} met{rest}"
        return _named(f"HOLDS: {met}", undecided, width)
    if report.outcome is Outcome.MEASURED:
        return _measured(report, width)
    if report.outcome is Outcome.INCONCLUSIVE and not report.release.classes:
        return "INCONCLUSIVE, which is no pass: no row is in any class"
    return report.outcome.value.upper()


def _measured(report: AuditReport, width: int) -> str:
    """Return the verdict if nothing was required: what attacks expose, then the levels."""
    begin, exposures = "MEASURED: nothing was required", _exposures(report)
    for kept in range(len(exposures), 0, -1):
        more = f" and {len(exposures) - kept} more" if kept < len(exposures) else ""
        line = f"{begin}; {', '.join(exposures[:kept])}{more}"
        if layout.width_of(line) <= width:
            return _fitted(line, _levels(report), width)
    return _fitted(f"{begin}, so nothing is judged", _levels(report), width)


def _exposures(report: AuditReport) -> list[str]:
    """Return a phrase for each successful attack, for example `linkage identifies 3 of 8`."""
    said = []
    for attack in report.attacks:
        what = "identifies" if attack.identified else "discloses"
        if number := attack.identified or attack.disclosed:
            of = f"{figures.whole(number)} of {figures.whole(attack.targets)}"
            said.append(f"{layout.name(attack.attack)} {what} {of}")
    return said


def _levels(report: AuditReport) -> list[str]:
    return [
        f"{known} = {figures.level(model.measured)}"
        for model in report.models
        if (known := describe_model(model.model).level) and model.measured is not None
    ]


def _named(begin: str, shown: Sequence[str], width: int) -> str:
    if 0 < len(shown) <= _ALWAYS:
        return f"{begin} ({', '.join(shown)})"
    return _fitted(begin, shown, width)


def _fitted(begin: str, shown: Sequence[str], width: int) -> str:
    """Return `begin`, and in brackets as many of the names as fit into the line."""
    for kept in range(len(shown), 0, -1):
        more = f" and {len(shown) - kept} more" if kept < len(shown) else ""
        line = f"{begin} ({', '.join(shown[:kept])}{more})"
        if layout.width_of(line) <= width:
            return line
    return begin
