"""Tables read twice: by anonaudit, and in plain Python from what Python's csv module says."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anonaudit.frequency.counting import count
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.source.table import open_source

Cell = str | None


def facts(found: FrequencySet) -> dict[str, Any]:
    """All there is to a frequency set, in plain Python."""
    return {
        "attributes": found.attributes,
        "labels": found.labels,
        "codes": found.codes.tolist(),
        "counts": found.counts.tolist(),
    }


def read(table: Any, *columns: str, **options: Any) -> dict[str, Any]:
    """The frequency set of a file or frame as anonaudit reads it; of all columns if none is named."""
    source = open_source(table, **options)
    return facts(count(source, columns or source.columns))


def expected(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], *, whole: bool = True
) -> dict[str, Any]:
    """The frequency set of rows, by a loop: no cell and "" are missing, `*` is suppressed.

    A row without any cell is padding, and counts nothing. whole: whether these are all columns.
    """
    texts = [[cell or "" for cell in row] for row in rows if any(row) or not whole]
    labels = [
        ("", "*", *sorted({row[i] for row in texts} - {"", "*"})) for i in range(len(columns))
    ]
    coded = Counter(
        tuple(names.index(cell) for names, cell in zip(labels, row, strict=True)) for row in texts
    )
    return {
        "attributes": tuple(columns),
        "labels": tuple(labels),
        "codes": [list(codes) for codes in sorted(coded)],
        "counts": [coded[codes] for codes in sorted(coded)],
    }


def written(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    delimiter: str = ",",
    end: str = "\n",
    quoting: int = csv.QUOTE_MINIMAL,
) -> str:
    """A CSV text, by Python's writer; cells with any kind of line end are quoted."""
    records = []
    for cells in (columns, *rows):
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=delimiter, lineterminator="\r\n", quoting=quoting).writerow(
            cells
        )
        records.append(text.getvalue().removesuffix("\r\n"))
    return end.join([*records, ""])


def parsed(text: str, delimiter: str = ",") -> tuple[list[str], list[list[str]]] | None:
    """The header and the records as Python's csv module reads them, strictly; None if it cannot.

    A blank line is a record only where there is one column, and never before the header.
    """
    csv.field_size_limit(1 << 30)
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    while records and not records[0]:
        del records[0]
    if not records:
        return None
    header, *rows = records
    rows = [row or [""] for row in rows] if len(header) == 1 else [row for row in rows if row]
    return (header, rows) if all(len(row) == len(header) for row in rows) else None


def file(folder: Path, content: str | bytes, name: str = "release.csv") -> Path:
    """A file with just this content."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
