"""What a scan found, as text and as JSON; neither shows a cell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from anonaudit.report.words import figures, layout
from anonaudit.scanning.columns import ScannedColumn, ScannedFile

_WIDTH: Final = 88
_LEGEND: Final = (
    "alone: rows whose value no other row has. drop: how many fewer rows would be alone in the "
    "file without the column; keys, direct identifiers, free text and constants have no part in it."
)


def to_json(files: Sequence[ScannedFile]) -> str:
    """One object a file, with one a column.

    Example:
    -------
    >>> json.loads(to_json([ScannedFile("r.csv", 0, (), None)]))["files"][0]["source"]
    'r.csv'
    """
    content = {"files": [asdict(one) for one in files]}
    return json.dumps(content, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def to_text(files: Sequence[ScannedFile]) -> str:
    """A verdict and a table for each file.

    Example:
    -------
    >>> print(to_text([ScannedFile("r.csv", 0, (), None)]).splitlines()[0])
    r.csv: 0 rows, 0 columns, no direct identifier recognised
    """
    lines: list[str] = []
    for one in files:
        lines += [*([""] if lines else []), *_file(one)]
    return "\n".join([*lines, "", *layout.paragraph(_LEGEND, _WIDTH)]) + "\n"


def _file(file: ScannedFile) -> list[str]:
    direct = [column for column in file.columns if column.direct]
    size = f"{figures.counted(file.rows, 'row')}, {figures.counted(len(file.columns), 'column')}"
    if direct:
        said = f"DIRECT IDENTIFIERS in {layout.name_list([column.name for column in direct])}"
    else:
        said = "no direct identifier recognised"
    lines = layout.paragraph(f"{layout.printable(file.source)}: {size}, {said}", _WIDTH, rest="  ")
    if file.alone is None:
        lines += layout.paragraph(
            "Who is alone by several columns was not counted: no column is fit, or there is too "
            "much to count.",
            _WIDTH,
            first="  ",
        )
    else:
        alone = figures.counted(file.alone, "row")
        lines.append(
            f"  {alone} {'is' if file.alone == 1 else 'are'} alone by all columns with a drop"
        )
    rows = [["column", "values", "missing", "alone", "drop", "what it holds"]]
    rows += [_row(column) for column in file.columns]
    return [*lines, "", *layout.table_lines(rows, left=(0, 5), width=_WIDTH + 40)]


def _row(column: ScannedColumn) -> list[str]:
    said = [column.direct.upper()] if column.direct else []
    said += column.kinds
    if column.reversed:
        said.append(f"{figures.counted(column.reversed, 'hash', 'hashes')} reversed")
    return [
        layout.name(column.name),
        figures.whole(column.distinct),
        figures.whole(column.missing),
        figures.whole(column.alone),
        figures.whole(column.drop),
        ", ".join(said),
    ]
