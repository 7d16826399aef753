"""Read hierarchy files in level form or parent-child form, and write the level form.

`Hierarchy.read` and `Hierarchy.write` describe the two forms.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from anonaudit.errors import HierarchyError, InputError
from anonaudit.generalization.hierarchy_rows import SHOWN_VALUES, HierarchyRow, refusal, trimmed
from anonaudit.source.csv_file import told_delimiter
from anonaudit.source.encodings import known_encoding
from anonaudit.source.unpacking import content_of

_PARENT_FORM = re.compile(r'\s*"?child"?([;,|\t])"?parent"?\s*?(?:[\r\n]|$)', re.IGNORECASE)
# Characters that a reader could misread: quotes, separators, line ends, a byte order mark.
_NEEDS_QUOTES = re.compile(r'[";,|\t\r\n\ufeff]')


@dataclass(frozen=True)
class HierarchyFile:
    """The content of a hierarchy file.

    rows: each row that is not empty, by the number of the line on which it starts, from 1. The
        header of the parent-child form is left out.
    of_parents: True if the rows are pairs of child and parent. False if a row has a leaf and
        increasingly general values.
    """

    path: Path
    rows: Mapping[int, HierarchyRow] = field(repr=False)
    of_parents: bool

    @property
    def attribute(self) -> str:
        """The attribute according to the file name, see `Hierarchy.read`."""
        return self.path.stem.partition("_hierarchy_")[2] or self.path.stem

    def located(self, error: HierarchyError) -> HierarchyError:
        """Return the error with the file and the lines added to its message."""
        where = _where(self.rows, set(error.values))
        return HierarchyError(f"{self.path}{where}: {error}", error.values)


def read(path: str | os.PathLike[str], delimiter: str | None, encoding: str) -> HierarchyFile:
    """Return the rows of a file in either form, without checking that they make a tree."""
    file = path if isinstance(path, Path) else Path(path)  # a subclass (WrittenPath) is kept
    text = _decoded(file, encoding)
    declared, length = told_delimiter(text)
    body = text[length:]
    header = _PARENT_FORM.match(body)
    separator = delimiter or declared or (header[1] if header else _sniffed(body))
    rows = _rows(file, ("\n" if declared else "") + body, separator)
    if header:
        del rows[min(rows)]
    if not rows:
        raise InputError(f"{file}: expected a line for each value, found none.")
    long = [f"{file}, line {start}" for start, row in rows.items() if header and row[2:]]
    if long:
        raise HierarchyError(f"{long[0]}: expected two columns, child and parent; found more.")
    return HierarchyFile(file, rows, bool(header))


def write(path: str | os.PathLike[str], attribute: str, rows: Sequence[HierarchyRow]) -> None:
    """Write the rows, leaf first, in the level form."""
    file = Path(path)
    text = "".join(";".join(map(_quoted, row)) + "\n" for row in rows)
    if _PARENT_FORM.match(text):
        problem = "the first line would be read as a header. Put another leaf first."
        raise refusal(attribute, problem, [rows[0][0]])
    draft = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(file)
    except (OSError, UnicodeEncodeError) as error:
        raise InputError(f"{file}: the hierarchy cannot be written: {error}") from error
    finally:
        draft.unlink(missing_ok=True)


def _decoded(file: Path, encoding: str) -> str:
    if known_encoding(encoding) is None:
        raise InputError(f"{file}: encoding={encoding!r} is unknown. Try 'utf-8'.")
    try:
        data = content_of(file)
        text = data.decode(encoding)
        text.encode()  # fails for a surrogate, which utf-7 decodes without an error
    except OSError as error:
        raise InputError(f"{file}: expected a hierarchy file: {error.strerror}.") from error
    except (UnicodeDecodeError, UnicodeEncodeError) as error:
        before = error.object[: error.start]
        ends = before.count(b"\n") if isinstance(before, bytes) else before.count("\n")
        problem = f"{file}, line {ends + 1}: the text is not {encoding}."
        raise InputError(f"{problem} Name its encoding, for example 'cp1252'.") from error
    return text.removeprefix("\ufeff")


def _sniffed(text: str) -> str:
    lines = re.split(r"[\r\n]+", re.sub(r'"[^"]*"', "", text))
    return max(";,", key=lambda delimiter: sum(delimiter in line for line in lines))


def _rows(file: Path, text: str, delimiter: str) -> dict[int, HierarchyRow]:
    """Return the rows that are not empty, by the line they start on."""
    rows = {}
    start = 1
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        for cells in reader:
            rows[start] = trimmed(cells)
            start = reader.line_num + 1
    except (csv.Error, TypeError, ValueError) as error:
        problem = f"{file}, line {start}: {error}. Check the quotes and delimiter={delimiter!r}."
        raise InputError(problem) from error
    return {start: row for start, row in rows.items() if row}


def _where(rows: Mapping[int, HierarchyRow], values: set[str]) -> str:
    """Return the numbers of lines with the values, as text such as `, lines 1, 4`.

    A value is listed once for each parent and level that it has, with the first such line. At most
    SHOWN_VALUES lines are listed.
    """
    first: dict[tuple[int, str, str], int] = {}
    for start, row in rows.items():
        for column, (value, above) in enumerate(pairwise(row if row[1:] else (*row, ""))):
            if value in values and value != above:
                first.setdefault((column, value, above), start)
    lines = [str(start) for start in sorted(set(first.values()))[:SHOWN_VALUES]]
    word = "lines" if len(lines) > 1 else "line"
    return f", {word} {', '.join(lines)}" if lines else ""


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if _NEEDS_QUOTES.search(cell) else cell
