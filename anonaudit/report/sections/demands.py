"""List the requirements of an audit: models, rates of attacks, and absent identifiers."""

from __future__ import annotations

from typing import NamedTuple

from anonaudit.findings import AuditReport, Outcome
from anonaudit.report.plain import texts
from anonaudit.report.words import layout, wording

# The code of the warning that a column declared as an identifier is in the release.
IDENTIFIER_RELEASED = "identifier-released"
# The code of the warning that a column with another role seems to contain direct identifiers.
DIRECT_IDENTIFIERS = "direct-identifiers"


class Demand(NamedTuple):
    """One requirement: its name for use in a sentence, and its outcome."""

    name: str
    outcome: Outcome


def demands(report: AuditReport) -> list[Demand]:
    """Return the requirements in the order models, rates of attacks, identifiers.

    All declared identifiers form one requirement: that they are absent from the release.
    """
    asked = [
        Demand(layout.name(wording.variant(model), 60), model.outcome)
        for model in report.models
        if wording.judged(model)
    ]
    asked += [
        Demand(layout.name(attack.attack), attack.outcome)
        for attack in report.attacks
        if attack.allowed is not None
    ]
    if named := identifiers(report):
        there = [column for column, present in named.items() if present]
        which = "identifier" if len(there) == 1 else "identifiers"
        name = f"{which} {layout.name_list(there, 4)}" if there else "identifiers absent"
        asked.append(Demand(name, Outcome.VIOLATED if there else Outcome.HOLDS))
    return asked


def identifiers(report: AuditReport) -> dict[str, bool]:
    """Return column -> True if it is in the release, for each declared identifier."""
    there = released(report)
    named = dict.fromkeys([*texts(report.columns.get("identifiers")), *there])
    return {column: column in there for column in named}


def naming(report: AuditReport) -> list[str]:
    """Return the released columns that seem to identify people without being declared as such."""
    return [n.column for n in report.warnings if n.code == DIRECT_IDENTIFIERS and n.column]


def released(report: AuditReport) -> list[str]:
    """Return the declared identifiers that are in the release."""
    return [n.column for n in report.warnings if n.code == IDENTIFIER_RELEASED and n.column]
