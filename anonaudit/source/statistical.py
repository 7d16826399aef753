"""Read files of SPSS (.sav, .zsav), Stata (.dta) and SAS (.xpt), with the package pyreadstat.

How a value becomes text:

- Number: stored as a double. A whole number below 2**53 is written in digits (`1`, never `1.0`).
  Any other number is written as Python writes it (`0.1`). Stata's 32-bit floats are written with
  the digits that 32 bits need.
- Date and time: `2026-11-29`, `13:45:00` or `2026-11-29 13:45:00`, with six more digits if there
  are fractions of a second. These programs store a number, and the format of the column may show
  only a part of it. The text shows all: a time of a day or more is `25:01:01`, and a date with a
  time of day has both.
- Missing: a system-missing value and an empty text are missing. A value declared as missing by the
  file stays a value, because everybody who has the file can see it: 99 stays `99`, and `.a` of SAS
  and Stata stays `.a`. The policy's `values.missing` names the values that mean missing.
- Labelled value: its code, or, if `labels` is True, its label. If two values of a column would
  then become the same text, the column is noted as unusable.
- Text: unchanged, except that trailing blanks, which SPSS and SAS add, are dropped.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from anonaudit.cells import cell_text, of_double
from anonaudit.errors import InputError
from anonaudit.source.frames import Remarks, TextColumns

_READERS: Final = {"SPSS": "read_sav", "Stata": "read_dta", "SAS": "read_xport"}
_OLD_STATA: Final = range(104, 116)  # versions, as the first byte

# Day 0, the length of a day in the unit of date columns, and of a second in that of time columns.
_EPOCH: Final = {
    "SPSS": (datetime.date(1582, 10, 14), 86400, 1),
    "Stata": (datetime.date(1960, 1, 1), 1, 1000),
    "SAS": (datetime.date(1960, 1, 1), 1, 1),
}


def program_of(head: bytes, name: str) -> str | None:
    """The format of a file by its first bytes: SPSS, Stata or SAS; None for any other file.

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
    """The columns of a file. labels: whether to write the label of a value instead of its code.

    Raises InputError if pyreadstat is not installed or cannot read the file.
    """
    try:
        import pyreadstat
    except ImportError:
        raise InputError(
            f"{name}: is a {program} file; to read it, pip install 'anonaudit[statistics]'"
        ) from None
    options: dict[str, Any] = {"output_format": "dict"}
    if program != "SAS":
        options["user_missing"] = True
    read = getattr(pyreadstat, _READERS[program])
    try:
        data, about = read(str(path), **options)
        moments = [column for column, values in data.items() if any(map(_is_moment, values))]
        # pyreadstat drops the days of a long time and the time of day of a date. So such columns
        # are read a second time, as numbers.
        if moments:
            options |= {"usecols": moments, "disable_datetime_conversion": True}
            numbers, _ = read(str(path), **options)
    except Exception as error:  # its message may quote a cell
        raise InputError(
            f"{name}: the {program} file cannot be read ({type(error).__name__}); export it "
            "again, or as CSV"
        ) from None
    columns: TextColumns = {}
    for column, values in data.items():
        kind = about.readstat_variable_types.get(column)
        if column in moments:
            pairs = zip(values, numbers[column], strict=True)
            texts = [_moment(value, number, kind, program) for value, number in pairs]
        else:
            texts = [_text(value, kind) for value in values]
        if labels:
            known = about.variable_value_labels.get(column, {})
            texts = _labelled(column, values, texts, known, remarks)
        columns[column] = texts
    return columns


def _text(value: Any, kind: str | None) -> str | None:
    if isinstance(value, float):
        return cell_text(np.float32(value)) if kind == "float" and value % 1 else of_double(value)
    if isinstance(value, str) and kind != "string" and value:
        return f".{value.lower()}"  # a missing value such as `.a` in a column of numbers
    return cell_text(value) or None


def _is_moment(value: Any) -> bool:
    """Return True for a date without a time or a time without a date."""
    return isinstance(value, (datetime.date, datetime.time)) and not isinstance(
        value, datetime.datetime
    )


def _moment(value: Any, number: Any, kind: str | None, program: str) -> str | None:
    """Write a date or a time from `number`, which the file stores; any other value as `_text`."""
    if not _is_moment(value):
        return _text(value, kind)
    epoch, day, second = _EPOCH[program]
    if isinstance(value, datetime.time):
        return _clock(number / second)
    days, rest = divmod(number, day)
    date = epoch + datetime.timedelta(days=days)
    return f"{date} {_clock(rest / day * 86400)}" if rest else f"{date}"


def _clock(seconds: float) -> str:
    """Write a time as `13:45:00`. It may exceed 24 hours or be negative."""
    whole, micro = divmod(round(abs(seconds) * 1_000_000), 1_000_000)
    minutes, second = divmod(whole, 60)
    shown = f"{minutes // 60:02}:{minutes % 60:02}:{second:02}" + (f".{micro:06}" if micro else "")
    return f"-{shown}" if seconds < 0 else shown


def _labelled(
    column: str,
    values: list[Any],
    texts: list[str | None],
    labels: Mapping[Any, str],
    remarks: Remarks,
) -> list[str | None]:
    """The column with labels instead of codes.

    If two values have the same label, the column is noted as unusable in `remarks`.
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
