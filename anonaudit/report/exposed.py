"""Who is exposed: the classes that decide a level or that an attack lays open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from anonaudit.findings import AuditReport, Disclosure, Measurement, Outcome, Witness
from anonaudit.report import figures, layout
from anonaudit.report.wording import variant, words


@dataclass
class Exposed:
    """One class, and everything it is a witness of."""

    witness: Witness
    worst_for: list[str] = field(default_factory=list)
    laid_open_by: list[str] = field(default_factory=list)

    def said(self) -> str:
        """Where the class is in the release, and what it is a witness of."""
        rows = self.witness.rows
        place = figures.counted(rows, "row")
        if where := self.place():
            place += f" (data {'row' if rows == 1 else 'rows'} {where})"
        claims = []
        if self.worst_for:
            claims.append("the worst for " + ", ".join(self.worst_for))
        if self.laid_open_by:
            claims.append("laid open by " + ", ".join(self.laid_open_by))
        return f"A class of {place}: {'; '.join(claims)}."

    def place(self) -> str:
        """The first data rows of the class, as far as they are known."""
        rest = ", ..." if self.witness.rows > len(self.witness.positions) else ""
        return ", ".join(map(str, self.witness.positions)) + rest if self.witness.positions else ""

    def cells(self) -> str:
        """The quasi-identifiers of the class, as far as they are known."""
        known: Mapping[str, str] = self.witness.cells or {}
        return ", ".join(f"{layout.name(key)} = {layout.name(cell)}" for key, cell in known.items())


def exposed(report: AuditReport) -> list[Exposed]:
    """Each witness once: first of what is violated, then of what is only measured or allowed.

    A model that holds exposes nobody, and a level of the whole release nobody in particular.
    """
    found: dict[object, Exposed] = {}
    findings: list[Measurement | Disclosure] = [*report.models, *report.attacks]
    for finding in sorted(findings, key=lambda finding: finding.outcome is not Outcome.VIOLATED):
        witness = finding.witness
        if witness is None:
            continue
        key = (witness.class_number, witness.rows, witness.positions)
        if isinstance(finding, Disclosure):
            one = found.setdefault(key, Exposed(witness))
            one.laid_open_by.append(_named(finding.attack, witness))
        elif finding.outcome is not Outcome.HOLDS and not words(finding.model).of_the_whole:
            one = found.setdefault(key, Exposed(witness))
            one.worst_for.append(_named(variant(finding), witness))
    return list(found.values())


def _named(name: str, witness: Witness) -> str:
    shown = layout.name(name, 60)
    return f"{shown} ({layout.name(witness.attribute)})" if witness.attribute else shown
