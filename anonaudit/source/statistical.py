"""Read files of SPSS (.sav, .zsav), Stata (.dta) and SAS (.xpt), with the package pyreadstat.

How a value becomes text:

- Number: the programs store it as a double. A whole number below 2**53 is written in digits (`1`,
  never `1.0`). Any other number is written as Python writes it (`0.1`). Stata's 32-bit floats are
  written with the digits that 32 bits need.
- Date and time: `2026-11-29`, `13:45:00` or `2026-11-29 13:45:00`, with six more digits if there
  are fractions of a second. The programs store a number, and the format of the column may show only
  a part of it. The text shows all of it: a date is written in full even if its format shows only
  the year, and a duration may have more than 24 hours (`25:01:01`). See `date_formats.py`.
- Month, quarter, half-year and week of Stata: `2026-11`, `2026q4`, `2026h2`, `2026w48`.
- Missing: a system-missing value and an empty text are missing. A value that the file declares as
  missing stays a value, because everybody who has the file can see it: 99 stays `99`, and `.a` of
  SAS and Stata stays `.a`. The policy's `values.missing` names the values that mean missing.
- Labelled value: its code, or its label if `labels` is True. If two values of a column have the
  same label, the column is then noted as unusable.
- Text: unchanged, except that trailing blanks, which SPSS and SAS add, are dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from anonaudit.cells import cell_text, of_double
from anonaudit.errors import InputError, listed
from anonaudit.source.date_formats import UNTRANSLATED, Write, writer_of
from anonaudit.source.frames import UNREAD, Remarks, TextColumns

_READERS: Final = {"SPSS": "read_sav", "Stata": "read_dta", "SAS": "read_xport"}
_OLD_STATA: Final = range(104, 116)  # versions; the first byte of a file is its version


def program_of(head: bytes, name: str) -> str | None:
    """Return the format of a file, `SPSS`, `Stata` or `SAS`; None for any other file.

    head: the first 32 bytes of the file. name: the name of the file in messages.

    Raises InputError for a SAS data set (.sas7bdat), which cannot be read.
    """
    if head.startswith((b"$FL2@(#)", b"$FL3@(#)")):
        return "SPSS"
    if head.startswith(b"<stata_dta>"):
        return "Stata"
    if len(head) > 3 and head[0] in _OLD_STATA and head[1] in (1, 2) and head[2:4] == b"\x01\x00":
        return "Stata"
    if head.startswith(b"HEADER RECORD*******LIB"):
        return "SAS"
    if head.startswith(b"\x00" * 12 + b"\xc2\xea\x81\x60"):
        raise InputError(f"{name}: is a SAS data set; export it as XPORT (.xpt) or CSV")
    return None


def read_statistical(
    path: Path, name: str, program: str, remarks: Remarks, *, labels: bool
) -> TextColumns:
    """Read a file of SPSS, Stata or SAS. Returns its columns by name.

    name: the name of the file in messages. program: `SPSS`, `Stata` or `SAS`. remarks: remarks on
    the columns are added to it. labels: True reads the label of a value instead of its code.

    Raises InputError if pyreadstat is not installed or cannot read the file.
    """
    try:
        import pyreadstat
    except ImportError:
        raise InputError(
            f"{name}: is a {program} file; to read it, pip install 'anonaudit[statistics]'"
        ) from None
    options: dict[str, Any] = {"output_format": "dict", "disable_datetime_conversion": True}
    if program != "SAS":
        options["user_missing"] = True
    try:
        data, about = getattr(pyreadstat, _READERS[program])(str(path), **options)
    except Exception as error:  # its message may quote a cell
        raise InputError(
            f"{name}: the {program} file cannot be read ({type(error).__name__}); export it "
            "again, or as CSV"
        ) from None
    columns: TextColumns = {}
    untranslated = []
    special = _with_special_missing(path, name, data, about) if program == "SAS" else {}
    for column, read in data.items():
        values = special.get(column, read)
        kind = about.readstat_variable_types.get(column)
        display = about.original_variable_types.get(column) or ""
        write = None if kind == "string" else writer_of(program, display)
        if write is not None:
            texts = _moments(column, values, write, remarks)
        else:
            texts = [_text(value, kind) for value in values]
        if program == "Stata" and display.startswith(UNTRANSLATED):
            untranslated.append(column)
        if labels:
            known = about.variable_value_labels.get(column, {})
            texts = _labelled(column, values, texts, known, remarks)
        columns[column] = texts
    if untranslated:
        message = (
            f"column(s) {listed(untranslated)} hold days of a business calendar (%tb) or times "
            "with leap seconds (%tC), which only Stata can translate; read as numbers. Convert "
            "them by dofb() or cofC() in Stata"
        )
        remarks.warnings.append(("untranslated-dates", message))
    return columns


def _with_special_missing(
    path: Path, name: str, data: Mapping[str, Sequence[Any]], about: Any
) -> dict[str, list[Any]]:
    """Return the cells of those number columns in an XPORT file that have special missing values.

    A special missing value such as `.A` is returned as its letter `A`, `._` as `_`. pyreadstat
    reads them as None. In the file, such a cell is the letter, or `_`, followed by zero bytes. No
    number has this form. The rows follow the last header of 80 bytes, without gaps.

    data: column -> its cells as pyreadstat reads them. about: pyreadstat's metadata.

    Raises InputError if the file has fewer rows than its header states.

    Source: SAS, Record Layout of a SAS Transport Data Set (versions 5 and 8).
    """
    content, rows = path.read_bytes(), int(about.number_rows or 0)
    widths = {column: int(about.variable_storage_width[column]) for column in about.column_names}
    begin = content.find(b"HEADER RECORD*******OBS") + 80
    if begin < 80 or len(content) < begin + rows * sum(widths.values()):
        raise InputError(
            f"{name}: the SAS file has fewer bytes than its header states; export it again, or as "
            "CSV"
        )
    table = np.frombuffer(content, np.uint8, rows * sum(widths.values()), begin)
    table = table.reshape(rows, sum(widths.values()))
    found, place = {}, 0
    for column, width in widths.items():
        cells = table[:, place : place + width]
        place += width
        if about.readstat_variable_types.get(column) == "string":
            continue
        letter = np.isin(cells[:, 0], [*range(ord("A"), ord("Z") + 1), ord("_")])
        special = np.flatnonzero(letter & ~cells[:, 1:].any(axis=1))
        if len(special):
            found[column] = [*data[column]]
            for row in special.tolist():
                found[column][row] = chr(cells[row, 0])
    return found


def _text(value: Any, kind: str | None) -> str | None:
    if isinstance(value, float):
        return cell_text(np.float32(value)) if kind == "float" and value % 1 else of_double(value)
    if isinstance(value, str) and kind != "string" and value:
        return f".{value.lower()}"  # a missing value such as `.a` in a column of numbers
    return cell_text(value) or None


def _moments(
    column: str, values: Sequence[Any], write: Write, remarks: Remarks
) -> list[str | None]:
    """Return the texts of a column of dates or times.

    The column is noted as unusable in `remarks` if `write` cannot write some number, or if two
    different numbers become the same text.

    values: the numbers; None or text for a missing cell. write: see `writer_of`.
    """
    text_of: dict[Any, str] = {}
    for row, value in enumerate(values, 1):
        if value in text_of or _text(value, None) is None or isinstance(value, str):
            continue  # written already, or missing
        try:
            text_of[value] = write(value)
        except (OverflowError, ValueError):
            remarks.unusable.setdefault(
                column,
                f"has a number in data row {row} that is no date between the years 1 and 9999 in "
                "the column's date format; correct the number, or give the column a numeric format",
            )
            text_of[value] = UNREAD
    if len({*text_of.values()}) < len(text_of):
        remarks.unusable.setdefault(
            column, "has two times that differ by less than a microsecond; round them"
        )
    return [text_of[value] if value in text_of else _text(value, None) for value in values]


def _labelled(
    column: str,
    values: list[Any],
    texts: list[str | None],
    labels: Mapping[Any, str],
    remarks: Remarks,
) -> list[str | None]:
    """Return the texts of a column with labels instead of codes. A code without a label stays.

    If two values have the same label, the column is noted as unusable in `remarks`.

    values: the codes. texts: the texts of the codes; None for a missing cell. labels: code -> its
    label.
    """
    label_of = {
        one: labels.get(value, one)
        for value, one in zip(values, texts, strict=True)
        if one is not None
    }
    if len({*label_of.values()}) < len(label_of):
        remarks.unusable[column] = (
            "has two values with the same label; read the codes instead (labels = false)"
        )
    return [None if one is None else label_of[one] for one in texts]
