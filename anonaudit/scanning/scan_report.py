"""Write scans as text or as JSON. No cell of a scanned file is shown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from anonaudit.report.words import layout
from anonaudit.scanning.columns import LEGEND, ScannedFile

_WIDTH: Final = 88


def to_json(files: Sequence[ScannedFile]) -> str:
    """Return the scans as JSON text, with an object for each file and for each of its columns.

    Example:
    -------
    >>> json.loads(to_json([ScannedFile("r.csv", 0, (), None)]))["files"][0]["source"]
    'r.csv'
    """
    content = {"files": [asdict(one) for one in files]}
    return json.dumps(content, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def to_text(files: Sequence[ScannedFile]) -> str:
    """Return the scans as plain text, with a verdict and a table for each file.

    Example:
    -------
    >>> print(to_text([ScannedFile("r.csv", 0, (), None)]).splitlines()[0])
    r.csv: 0 rows, 0 columns, no direct identifier recognised
    """
    lines: list[str] = []
    for one in files:
        lines += [*([""] if lines else []), *_file(one)]
    return "\n".join([*lines, "", *layout.paragraph(LEGEND, _WIDTH)]) + "\n"


def _file(file: ScannedFile) -> list[str]:
    lines = layout.paragraph(file.verdict, _WIDTH, rest="  ")
    lines += layout.paragraph(file.counted, _WIDTH, first="  ")
    return [*lines, "", *layout.table_lines(file.table(), left=(0, 5), width=_WIDTH + 40)]
