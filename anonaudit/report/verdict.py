"""The verdict in one line: what came out, and what it is about."""

from __future__ import annotations

from collections.abc import Sequence

from anonaudit.findings import AuditReport, Outcome
from anonaudit.report import figures, layout, wording
from anonaudit.report.advice import identifiers
from anonaudit.report.plain import texts


def verdict(report: AuditReport, width: int) -> str:
    """The outcome, and as many names of what is broken or undecided as the line holds."""
    asked = demands(report)
    broken = [name for name, outcome in asked if outcome is Outcome.VIOLATED]
    undecided = [name for name, o in asked if o in (Outcome.INCONCLUSIVE, Outcome.SKIPPED)]
    total = figures.counted(len(asked), "requirement")
    rest = f", {len(undecided)} undecided" if undecided else ""
    if report.outcome is Outcome.VIOLATED and broken:
        return _fitted(f"VIOLATED: {len(broken)} of {total} broken{rest}", broken, width)
    if report.outcome is Outcome.INCONCLUSIVE and undecided:
        begin = f"INCONCLUSIVE, which is no pass: {len(undecided)} of {total} undecided"
        return _fitted(begin, undecided, width)
    if report.outcome is Outcome.HOLDS:
        met = f"{len(asked) - len(undecided)} of {total} met{rest}"
        return _fitted(f"HOLDS: {met}", undecided, width)
    if report.outcome is Outcome.MEASURED:
        found = _found(report)
        begin = "MEASURED: nothing was required" + ("" if found else ", so nothing is judged")
        return _fitted(begin, [*found, *_levels(report)], width)
    return report.outcome.value.upper()


def demands(report: AuditReport) -> list[tuple[str, Outcome]]:
    """Everything that was required, by name: models, rates of attacks, no identifiers."""
    released = identifiers(report)
    named = dict.fromkeys([*texts(report.columns.get("identifiers")), *released])
    return [
        *((m.model, m.outcome) for m in report.models if wording.judged(m)),
        *((a.attack, a.outcome) for a in report.attacks if a.allowed is not None),
        *(
            (f"identifier {column}", Outcome.VIOLATED if column in released else Outcome.HOLDS)
            for column in named
        ),
    ]


def _found(report: AuditReport) -> list[str]:
    """What attacks found, though nothing was required of them."""
    return [
        f"{attack.attack} finds {figures.percent(attack.rate)}"
        for attack in report.attacks
        if attack.identified or attack.disclosed
    ]


def _levels(report: AuditReport) -> list[str]:
    return [
        f"{known} = {figures.level(model.measured)}"
        for model in report.models
        if (known := wording.words(model.model).level) and model.measured is not None
    ]


def _fitted(begin: str, named: Sequence[str], width: int) -> str:
    """`begin`, and in brackets as many of the names as one line holds."""
    shown = [layout.name(text) for text in named]
    for kept in range(len(shown), 0, -1):
        more = f" and {len(shown) - kept} more" if kept < len(shown) else ""
        line = f"{begin} ({', '.join(shown[:kept])}{more})"
        if layout.width_of(line) <= width:
            return line
    return begin
