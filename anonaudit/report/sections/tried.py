"""Describe the remedies that were tried on a release."""

from __future__ import annotations

from anonaudit.findings import Demanded, Outcome, Remedies, Remedy, Step
from anonaudit.report.sections.tables import TableRows, loud
from anonaudit.report.words import figures, layout

_SHORT = {
    "suppress": "suppress rows",
    "merge": "merge classes",
    "generalize": "generalize",
    "drop": "drop",
}
# The names of these steps include their columns.
_OF_COLUMNS = ("generalize", "drop")


def remedies_table(remedies: Remedies) -> TableRows:
    """Return the table of remedies with cost and outcome; only the header if there are none."""
    rows = [["remedy", "rows deleted", "cells changed", "loss", "outcome"]]
    for number, remedy in enumerate(remedies.tried, 1):
        rows.append(
            [
                remedy_name(number, remedy),
                figures.whole(remedy.rows_suppressed),
                figures.whole(remedy.cells_changed),
                figures.percent(remedy.loss),
                "holds" if remedy.suffices else "does not suffice",
            ]
        )
    return rows


def remedy_name(number: int, remedy: Remedy) -> str:
    """Return the name of a remedy, for example `2 generalize age + suppress rows`.

    number: the position of the remedy in the report, counted from 1.
    """
    steps = [
        _SHORT[step.kind]
        + (f" {layout.name_list(step.columns, 2)}" if step.kind in _OF_COLUMNS else "")
        for step in remedy.steps
    ]
    return f"{number} {' + '.join(steps)}"


def remedy_details(remedy: Remedy) -> str:
    """Return the sentences on the steps of a remedy, and on each requirement before and after."""
    requirements = ", ".join(_before_and_after(one) for one in remedy.requirements)
    return layout.sentences(
        [*map(_said, remedy.steps), f"Then: {requirements}" if requirements else ""]
    )


def remedies_introduction(remedies: Remedies) -> str:
    """Return the introduction to the table of remedies, or the reason why none was tried."""
    if not remedies.tried:
        out = (
            [f"{layout.name_list(remedies.unreachable)} out of reach"]
            if remedies.unreachable
            else []
        )
        return layout.sentences(
            [f"No remedy was tried: {'; '.join([remedies.reason or '', *out])}"]
        )
    return layout.sentences(
        [
            "The result of each remedy was audited with the same policy",
            "Remedies that suffice come first, ordered by their loss",
            "Suppressed rows are deleted",
            "loss is the added information loss, as a share of the largest possible loss",
            (remedies.reason or "").capitalize(),
            "The command anonaudit remedy applies a remedy, audits the result and writes it",
        ]
    )


def _said(step: Step) -> str:
    rows = figures.counted(step.rows, "row")
    classes = figures.counted(step.classes, "class", "classes")
    columns = layout.name_list(step.columns)
    if step.kind == "suppress":
        whose = classes if step.classes else "no class"
        return f"{rows} in {whose} deleted"
    if step.kind == "merge":
        return f"{classes} with {rows} merged by generalizing {columns}"
    if step.kind == "drop":
        return f"{columns} dropped"
    levels = [
        f"{layout.name(c)} generalized from level {a} to {b}" for c, (a, b) in step.levels.items()
    ]
    return f"{', '.join(levels)}, in {classes} with {rows}"


def _before_and_after(one: Demanded) -> str:
    form = figures.percent if one.kind == "attack" else figures.level
    before, after = figures.apart(one.before, one.after, form)
    change = after if before == after else f"{before} -> {after}"
    short = "" if one.outcome is Outcome.HOLDS else f" ({loud(one.outcome)})"
    return f"{layout.name(one.name, 60)} {change}{short}"
