"""Who is exposed: the classes that decide a level or that an attack lays open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from anonaudit.details import GivenAway, part_of
from anonaudit.findings import AuditReport, Disclosure, Measurement, Number, Outcome, Witness
from anonaudit.plugins import describe_model
from anonaudit.report.words import figures, layout
from anonaudit.report.words.wording import variant


@dataclass
class Exposed:
    """One class, and everything it is a witness of. persons: how many are in it, if known."""

    witness: Witness
    persons: Number | None = None
    worst_for: list[str] = field(default_factory=list)
    laid_open_by: list[str] = field(default_factory=list)

    def said(self) -> str:
        """Where the class is in the release, and what it is a witness of."""
        rows = self.witness.rows
        place = figures.counted(rows, "row")
        if self.persons is not None:
            place = f"{figures.counted(int(self.persons), 'person')} with {place}"
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
    """Each witness once: first of what is violated, and in this most rows first.

    A model that holds exposes nobody, and a level of the whole release nobody in particular.
    """
    by_witness: dict[object, Exposed] = {}
    findings: list[Measurement | Disclosure] = [*report.models, *report.attacks]
    for finding in sorted(findings, key=_urgency):
        witness = finding.witness
        if witness is None:
            continue
        key = (witness.class_number, witness.rows, witness.positions)
        if isinstance(finding, Disclosure):
            one = by_witness.setdefault(key, Exposed(witness))
            one.laid_open_by.append(_named(finding.attack, witness, _open(finding, report)))
        elif (
            finding.outcome is not Outcome.HOLDS and not describe_model(finding.model).of_the_whole
        ):
            one = by_witness.setdefault(key, Exposed(witness))
            if report.release.persons is not None and describe_model(finding.model).size_of_class:
                one.persons = finding.measured
            one.worst_for.append(_named(variant(finding), witness, _short(finding)))
    return list(by_witness.values())


def _urgency(finding: Measurement | Disclosure) -> tuple[bool, int]:
    if isinstance(finding, Disclosure):
        most = max(finding.identified, finding.disclosed)
    else:
        most = finding.rows_violating or 0
    return finding.outcome is not Outcome.VIOLATED, -most


def _short(model: Measurement) -> str:
    """How many classes fall short together with this one, if it falls short itself."""
    classes, measured = model.classes_violating or 0, model.measured
    if classes < 2 or model.outcome is not Outcome.VIOLATED or model.required is None:
        return ""
    if measured is not None and measured != model.required:
        higher = measured > model.required
        # Where it is met, something else is broken: a class size, a boundary.
        return "" if higher is (model.safer == "higher") else _of_how_many(model)
    return _of_how_many(model)


def _of_how_many(model: Measurement) -> str:
    classes = model.classes_violating or 0
    rows = figures.counted(model.rows_violating or 0, "row")
    return f"one of {figures.whole(classes)} classes with {rows} that fall short"


def _open(attack: Disclosure, report: AuditReport) -> str:
    """How many classes give a value away together with this one."""
    column = attack.witness.attribute if attack.witness else None
    given = part_of(attack.details, GivenAway)
    if given is None or column is None:
        return ""
    classes = given.classes.get(column, 0)
    if classes < 2:
        return ""
    what = "row" if report.release.persons is None else "person"
    people = figures.counted(attack.per_attribute.get(column, 0), what)
    return f"one of {figures.whole(classes)} classes with {people} that give it away"


def _named(name: str, witness: Witness, more: str) -> str:
    about = [layout.name(witness.attribute)] if witness.attribute else []
    about += [more] if more else []
    return layout.name(name, 60) + (f" ({'; '.join(about)})" if about else "")
