"""Render a matrix as text, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from anonaudit.findings import Outcome
from anonaudit.matrix.attack_cells import Cell, Matrix, MatrixRow
from anonaudit.report.json import escaped_json
from anonaudit.report.plain import plain
from anonaudit.report.spreadsheet import defused
from anonaudit.report.words import figures, layout
from anonaudit.version import __version__

MATRIX_VERSION = "1"
LEAST_MATRIX_WIDTH = 100
_WIDEST_ATTACK = 11
# The marks of cells without a rate. The section of `_undecided` explains them.
_UNDECIDED = {Outcome.SKIPPED: "n/a", Outcome.INCONCLUSIVE: "?"}


def to_text(matrix: Matrix, *, width: int = LEAST_MATRIX_WIDTH) -> str:
    """Return the matrix as text: the cost of masking, the exposed persons, and explanations.

    width: the largest number of characters in a line; less than LEAST_MATRIX_WIDTH has no effect.
        Attacks that do not fit into one table are shown in further tables.
    """
    width = max(width, LEAST_MATRIX_WIDTH)
    required = ", ".join(matrix.required) or "nothing"
    first = (
        f"{layout.printable(matrix.original)}: {matrix.persons:,} persons. Required: {required}."
    )
    lines = layout.paragraph(first, width)
    lines += layout.section("What was released, and at what cost", _costs(matrix, width))
    lines += layout.section("How many persons each attack exposes", _exposed(matrix, width))
    lines += layout.section("Why some attacks decide nothing", _undecided(matrix, width))
    lines += layout.section("What the adversaries know", _knowledge(matrix, width))
    return "\n".join(lines) + "\n"


def _costs(matrix: Matrix, width: int) -> list[str]:
    made = [row for row in matrix.rows if row.reason is None]
    short = matrix.symbols()
    header = ["masked by", "policy", "left out", "hidden", "loss", "size", "guessed"]
    rows = [[*header, *short.values()]]
    for row in matrix.rows:
        if row.reason is not None:
            rows.append([row.name, "none made", *[""] * (len(rows[0]) - 2)])
            continue
        levels = [figures.level(row.levels.get(name)) for name in short]
        rows.append(
            [
                row.name,
                row.outcome.value.upper() if row.outcome is Outcome.VIOLATED else row.outcome.value,
                figures.whole(row.suppressed),
                figures.whole(row.hidden),
                row.losses,
                figures.level(row.discernability, 3),
                figures.percent(row.guessed),
                *levels,
            ]
        )
    lines = layout.table_lines(rows, left=(0, 1), width=width)
    bases = [row.baseline for row in made]
    base = figures.percent(bases[0] if bases else None)
    lines += [""]
    lines += layout.paragraph(
        "left out: suppressed rows; hidden: sensitive cells suppressed to hide rules; loss: "
        "information loss as a share of the largest possible loss (MCT08 Definition 11); size: "
        "mean over all rows of the size of the row's class (discernability, GCG08); guessed: share "
        "of sensitive cells that are guessed correctly by naming the most frequent value of the "
        f"class (with the most frequent value of the whole table: {base}). The last columns are "
        "the measured levels.",
        width,
        first="  ",
    )
    for row in matrix.rows:
        if row.reason is not None:
            lines += layout.paragraph(f"{row.name}: {row.reason}", width, first="  ", rest="    ")
        elif row.empty:
            note = f"{row.name}: left out {row.empty} row(s) without a value in any released column"
            lines += layout.paragraph(note, width, first="  ", rest="    ")
        for note in row.notes:
            said = f"{row.name}: {layout.printable(note)}"
            lines += layout.paragraph(said, width, first="  ", rest="    ")
    for note in matrix.left_out:
        lines += layout.paragraph(layout.printable(note), width, first="  ", rest="    ")
    return lines


def _exposed(matrix: Matrix, width: int) -> list[str]:
    made = [row for row in matrix.rows if row.cells]
    widest = max((layout.width_of(row.name) for row in made), default=0) + 4
    fit = max((width - widest) // (_WIDEST_ATTACK + 2), 1)
    names, lines = list(matrix.attacks), list[str]()
    for start in range(0, len(names), fit):
        part = names[start : start + fit]
        head = [_broken(name) for name in part]
        height = max(map(len, head))
        rows = [
            ["" if line < height - 1 else "masked by", *(_at(h, line - height) for h in head)]
            for line in range(height)
        ]
        for row in made:
            cells = {cell.attack: cell for cell in row.cells}
            rows.append([row.name, *(_shown(cells[name]) for name in part)])
        lines += [""] if lines else []
        lines += layout.table_lines(rows, left=(0,), width=width)
    return lines


def _shown(cell: Cell) -> str:
    if cell.rate is None:
        return _UNDECIDED.get(cell.outcome, "?")
    exposed, open_ = cell.exposed or 0, cell.undecided or 0
    upper = f"-{figures.whole(exposed + open_)}" if open_ else ""
    return f"{figures.whole(exposed)}{upper}"


def _broken(name: str) -> list[str]:
    """Break a name into lines that fit above a column of numbers."""
    lines: list[str] = []
    for word in name.replace("-", "- ").split():
        if lines and len(lines[-1]) + len(word) <= _WIDEST_ATTACK and lines[-1].endswith("-"):
            lines[-1] += word
        else:
            lines.append(layout.shorten(word, _WIDEST_ATTACK))
    return lines


def _at(lines: Sequence[str], place: int) -> str:
    return lines[place] if -place <= len(lines) else ""


def _undecided(matrix: Matrix, width: int) -> list[str]:
    """Return, as lines, each reason why an attack decided nothing, and the releases concerned."""
    reasons: dict[tuple[str, str, str], list[str]] = {}
    for row in matrix.rows:
        for cell in row.cells:
            if cell.rate is None:
                key = (cell.attack, _shown(cell), cell.reason or "")
                reasons.setdefault(key, []).append(row.name)
    if not reasons:
        return []
    lines = layout.paragraph(
        "n/a: the attack did not run. ?: it decided nothing. Neither means that a release is safe.",
        width,
    )
    for (attack, mark, reason), rows in reasons.items():
        where = (
            "everywhere"
            if len(rows) == sum(bool(r.cells) for r in matrix.rows)
            else "; ".join(rows)
        )
        text = f"{attack}, {mark}: {reason} ({where})"
        lines += layout.paragraph(text, width, first="  ", rest="    ")
    return lines


def _knowledge(matrix: Matrix, width: int) -> list[str]:
    lines: list[str] = []
    sure = {
        cell.attack: cell.confidence
        for row in matrix.rows
        for cell in row.cells
        if cell.rate is not None
    }
    for attack, knows in matrix.attacks.items():
        text = f"{attack}: {knows}"
        if attack in sure:
            confidence = sure[attack]
            text += "; its disclosures are " + (
                "guesses, not certain"
                if confidence is None
                else "certain"
                if confidence == 1
                else f"likely, with a confidence of {figures.percent(confidence)} or more"
            )
        lines += layout.paragraph(text, width, first="  ", rest="    ")
    return lines


def to_json(matrix: Matrix) -> str:
    """Return the matrix as JSON. The same matrix gives the same bytes."""
    document = {
        "schema_version": MATRIX_VERSION,
        "original": matrix.original,
        "persons": matrix.persons,
        "required": list(matrix.required),
        "attacks": [{"attack": name, "knowledge": k} for name, k in matrix.attacks.items()],
        "rows": [_row(row) for row in matrix.rows],
        "left_out": list(matrix.left_out),
        "provenance": {
            "version": __version__,
            "seed": matrix.seed,
            "policy": matrix.policy,
            "policy_sha256": matrix.policy_sha256,
        },
    }
    return (
        escaped_json(json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False))
        + "\n"
    )


def _row(row: MatrixRow) -> dict[str, Any]:
    return {**vars(row), "cells": [vars(cell) for cell in row.cells]}


_OF_ROW = (
    *("algorithm", "outcome", "reason", "released", "suppressed", "hidden", "classes", "loss"),
    *("discernability", "guessed", "empty", "highest_loss"),
)
_OF_CELL = (
    *("attack", "outcome", "targets", "identified", "disclosed", "exposed", "rate"),
    *("confidence", "baseline", "reason", "undecided"),
)


def to_csv(matrix: Matrix) -> str:
    """Return the matrix as CSV, with one line for each cell.

    A release without cells has one line. The names of the columns that describe the release begin
    with `release-`.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["masked-by", *(f"release-{name}" for name in _OF_ROW), *_OF_CELL])
    writer.writerows(_lines(matrix))
    return text.getvalue()


def _lines(matrix: Matrix) -> Iterator[list[object]]:
    for row in matrix.rows:
        own = [row.name, *(getattr(row, name) for name in _OF_ROW)]
        for cell in row.cells:
            yield [_plain(value) for value in [*own, *(getattr(cell, n) for n in _OF_CELL)]]
        if not row.cells:
            yield [_plain(value) for value in [*own, *[None] * len(_OF_CELL)]]


def _plain(value: object) -> object:
    """Return a value as in the JSON, but "" for None.

    A text that a spreadsheet would run as a formula is changed so that it does not run.
    """
    shown = plain(value)
    return defused(shown) if isinstance(shown, str) else "" if shown is None else shown
