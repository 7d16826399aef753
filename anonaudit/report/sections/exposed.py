"""List the exposed classes: the witnesses of attacks and of models, except models that hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from anonaudit.details import part_of
from anonaudit.findings import AuditReport, Disclosure, Measurement, Number, Outcome, Witness
from anonaudit.plugins import describe_model
from anonaudit.report.words import figures, layout
from anonaudit.report.words.wording import variant
from anonaudit.special_details import GivenAway


@dataclass
class Exposed:
    """An equivalence class that is a witness, and what it is a witness of.

    persons: the number of persons in the class; None if it is not known or rows are counted.
    worst_for: the models whose level the class determines.
    laid_open_by: the attacks that expose the class.
    """

    witness: Witness
    persons: Number | None = None
    worst_for: list[str] = field(default_factory=list)
    laid_open_by: list[str] = field(default_factory=list)

    def said(self) -> str:
        """Return a sentence with the rows of the class, and its models and attacks."""
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
            claims.append("exposed by " + ", ".join(self.laid_open_by))
        return f"A class of {place}: {'; '.join(claims)}."

    def place(self) -> str:
        """Return the first data rows of the class as a text; empty if they are not known."""
        rest = ", ..." if self.witness.rows > len(self.witness.positions) else ""
        return ", ".join(map(str, self.witness.positions)) + rest if self.witness.positions else ""

    def cells(self) -> str:
        """Return the quasi-identifiers of the class as a text; empty if they are not known."""
        known: Mapping[str, str] = self.witness.cells or {}
        return ", ".join(f"{layout.name(key)} = {layout.name(cell)}" for key, cell in known.items())


def exposed(report: AuditReport) -> list[Exposed]:
    """Return each witness once.

    Witnesses of violated findings come first. Within each group the order is by the number of rows
    that miss the level of the model, or of targets that the attack exposes, largest first. Models
    that hold, and models whose level no single class determines, are left out.
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
    """Return how many classes fall short of a violated level, as text; empty if only one does."""
    classes, measured = model.classes_violating or 0, model.measured
    if classes < 2 or model.outcome is not Outcome.VIOLATED or model.required is None:
        return ""
    if measured is not None and measured != model.required:
        higher = measured > model.required
        # If the level is reached, the model is violated by a class size or a boundary.
        return "" if higher is (model.safer == "higher") else _of_how_many(model)
    return _of_how_many(model)


def _of_how_many(model: Measurement) -> str:
    classes = model.classes_violating or 0
    rows = figures.counted(model.rows_violating or 0, "row")
    return f"{figures.whole(classes)} classes with {rows} fall short"


def _open(attack: Disclosure, report: AuditReport) -> str:
    """Return how many classes disclose a value of the witness's attribute; empty if only one does.

    The result is a text.
    """
    column = attack.witness.attribute if attack.witness else None
    given = part_of(attack.details, GivenAway)
    if given is None or column is None:
        return ""
    classes = given.classes.get(column, 0)
    if classes < 2:
        return ""
    what = "row" if report.release.persons is None else "person"
    people = figures.counted(attack.per_attribute.get(column, 0), what)
    return f"{figures.whole(classes)} classes disclose the value of {people}"


def _named(name: str, witness: Witness, more: str) -> str:
    about = [layout.name(witness.attribute)] if witness.attribute else []
    about += [more] if more else []
    return layout.name(name, 60) + (f" ({'; '.join(about)})" if about else "")
