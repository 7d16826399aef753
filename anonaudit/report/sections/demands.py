"""What was required, each demand by name: models, rates of attacks, identifiers kept out."""

from __future__ import annotations

from typing import NamedTuple

from anonaudit.findings import AuditReport, Outcome
from anonaudit.report.plain import texts
from anonaudit.report.words import layout, wording

# The code of the warning that a column declared as an identifier is in the release.
IDENTIFIER_RELEASED = "identifier-released"
# And of the one that a column in another part looks as if it named people.
DIRECT_IDENTIFIERS = "direct-identifiers"


class Demand(NamedTuple):
    """One row of what was required: its name inside a sentence, and what came of it."""

    name: str
    outcome: Outcome


def demands(report: AuditReport) -> list[Demand]:
    """Everything that was required, in the order of the table; all identifiers are one."""
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
    """The columns that name a person, and whether they are in the release all the same."""
    there = released(report)
    named = dict.fromkeys([*texts(report.columns.get("identifiers")), *there])
    return {column: column in there for column in named}


def naming(report: AuditReport) -> list[str]:
    """The released columns that are declared as something else and seem to name people."""
    return [n.column for n in report.warnings if n.code == DIRECT_IDENTIFIERS and n.column]


def released(report: AuditReport) -> list[str]:
    """The columns that name a person and are in the release all the same."""
    return [n.column for n in report.warnings if n.code == IDENTIFIER_RELEASED and n.column]
