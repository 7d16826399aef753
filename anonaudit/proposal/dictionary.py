"""Read data dictionaries, which describe the columns of a file.

There are three forms:

- CSV with a header: `name`, and any of `label`, `values`, `missing`, `role`. In the cells of
  `values` and `missing`, several entries are separated by `;`. An entry of `values` is a `code`, a
  `code=label`, or a range such as `0..99`.
- JSON with an object for each column: `description`, `values`, `missing`, `role`. `values` is a
  list of codes, or an object from codes to labels, with `min` and `max` for a range. The American
  Community Survey excerpts of NIST have this form.
- A Frictionless Table Schema, or a Data Package with one Table Schema: `fields` with `name`,
  `title` or `description`, `constraints`, `categories`, `missingValues`, and `role`, which is our
  own addition.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, get_args

from anonaudit.errors import InputError, closest
from anonaudit.proposal.choice import Part
from anonaudit.report.json import strict_loads
from anonaudit.source.unpacking import content_of

_LONGEST: Final = 1 << 26  # bytes
_HEADER: Final = ("name", "label", "values", "missing", "role")
_RANGE: Final = ("min", "max")


@dataclass(frozen=True)
class ColumnDescription:
    """The description of one column in a dictionary.

    label: the meaning of the column; empty if the dictionary gives none.
    codes: the listed values of the column with their meanings; a meaning may be empty.
    ranged: True if other numbers may occur too, because the dictionary gives a range.
    missing: the texts that mean a missing value.
    part: the role of the column; None if the dictionary gives none.
    """

    label: str = ""
    codes: Mapping[str, str] = field(default_factory=dict, repr=False)
    ranged: bool = False
    missing: tuple[str, ...] = field(default=(), repr=False)
    part: Part | None = None


Dictionary = Mapping[str, ColumnDescription]


def read_dictionary(path: str | os.PathLike[str]) -> Dictionary:
    """Read a data dictionary, and return the description of each column by its name.

    Parameters
    ----------
    path
        A file in one of the three forms, as UTF-8 text.

    Returns
    -------
    The columns in the order of the file.

    Raises
    ------
    InputError
        The file cannot be read, has none of the three forms, describes a column twice, or has an
        unknown role. The message names the place in the file.
    """
    file = Path(path)
    try:
        data = content_of(file, _LONGEST + 1)
        if len(data) > _LONGEST:
            raise InputError(
                f"{file}: more than {_LONGEST:,} bytes, too large for a data dictionary; is this "
                "the release?"
            )
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{file}: is not UTF-8 text; save the dictionary as UTF-8") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{file}: cannot be read ({why})") from None
    if not text.lstrip().startswith(("{", "[")):
        return _of_csv(file, text)
    try:
        content = strict_loads(text)
    except (ValueError, RecursionError) as error:
        at = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(
            f"{file}{at}: is not valid JSON, or an object has the same name twice"
        ) from None
    return _of_json(file, content)


def _of_csv(file: Path, text: str) -> Dictionary:
    rows = csv.reader(io.StringIO(text), strict=True)
    columns: dict[str, ColumnDescription] = {}
    try:
        header = [cell.strip().lower() for cell in next(rows, [])]
        if "name" not in header or len({*header}) < len(header):
            raise InputError(
                f"{file}: is neither JSON nor CSV with a header such as {','.join(_HEADER)}; the "
                "column `name` is required, and no column may be repeated"
            )
        for row in rows:
            where = f"{file}, line {rows.line_num}"
            if not any(row):
                continue
            if len(row) != len(header):
                raise InputError(
                    f"{where}: {len(row)} cell(s), expected {len(header)}. Quote cells that "
                    "contain commas."
                )
            cells = {key: cell.strip() for key, cell in zip(header, row, strict=True)}
            values = [value.strip() for value in cells.get("values", "").split(";")]
            ranges = [value for value in values if ".." in value and "=" not in value]
            pairs = (value.partition("=") for value in values if value and value not in ranges)
            described = ColumnDescription(
                cells.get("label", ""),
                {code.strip(): label.strip() for code, _, label in pairs},
                bool(ranges),
                tuple(part for one in cells.get("missing", "").split(";") if (part := one.strip())),
                _part(cells.get("role"), where),
            )
            _add(columns, cells["name"], described, where)
    except csv.Error as error:
        raise InputError(f"{file}, line {rows.line_num}: {error}") from None
    return columns


def _of_json(file: Path, content: Any) -> Dictionary:
    if isinstance(content, dict) and isinstance(content.get("resources"), list):
        schemas = [one.get("schema") for one in content["resources"] if isinstance(one, dict)]
        if len(schemas) != 1:
            raise InputError(
                f"{file}: has {len(schemas)} resources, expected 1; save the Table Schema of the "
                "release in its own file, and name that file"
            )
        [content] = schemas
    if isinstance(content, dict) and isinstance(content.get("fields"), list):
        return _of_table_schema(file, content)
    if not isinstance(content, dict) or not all(isinstance(one, dict) for one in content.values()):
        raise InputError(
            f"{file}: must hold an object for each column, or a Table Schema with fields"
        )
    columns: dict[str, ColumnDescription] = {}
    for name, one in content.items():
        where = f"{file}, {name!r}"
        values = one.get("values", {})
        codes = _coded(values.items() if isinstance(values, dict) else values, where)
        described = ColumnDescription(
            _text(one.get("description", one.get("label", ""))),
            {code: label for code, label in codes.items() if code not in _RANGE},
            any(key in codes for key in _RANGE),
            tuple(_coded(one.get("missing", ()), where)),
            _part(one.get("role"), where),
        )
        _add(columns, name, described, where)
    return columns


def _of_table_schema(file: Path, schema: Mapping[str, Any]) -> Dictionary:
    columns: dict[str, ColumnDescription] = {}
    everywhere = schema.get("missingValues", ())
    for number, one in enumerate(schema["fields"], 1):
        where = f"{file}, field {number}"
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            raise InputError(f"{where}: must be an object with a name")
        limits = one.get("constraints")
        limits = limits if isinstance(limits, dict) else {}
        codes = _coded(one.get("categories", limits.get("enum", ())), where)
        missing = _coded(one.get("missingValues", everywhere), where)
        described = ColumnDescription(
            _text(one.get("title", one.get("description", ""))),
            codes,
            "minimum" in limits or "maximum" in limits,
            tuple(code for code in missing if code),
            _part(one.get("role"), where),
        )
        _add(columns, one["name"], described, where)
    return columns


def _coded(values: Any, where: str) -> dict[str, str]:
    """Return codes with their labels.

    values: a list or other iterable of pairs (code, label), `{value, label}` objects or codes.
    where: the place in the file, for the message of an InputError.
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(f"{where}: values and missing values must be a list or an object")
    codes = {}
    for value in values:
        if isinstance(value, dict):
            codes[_text(value.get("value"))] = _text(value.get("label", ""))
        elif isinstance(value, tuple):
            codes[_text(value[0])] = _text(value[1])
        else:
            codes[_text(value)] = ""
    return codes


def _text(value: Any) -> str:
    """Return a JSON value as the text that a cell would have."""
    return value if isinstance(value, str) else json.dumps(value)


def _part(role: Any, where: str) -> Part | None:
    if role in (None, ""):
        return None
    known: tuple[Part, ...] = get_args(Part)
    for part in known:
        if part == role:
            return part
    raise InputError(f"{where}: unknown role. {closest(str(role), known)}")


def _add(
    columns: dict[str, ColumnDescription], name: str, described: ColumnDescription, where: str
) -> None:
    if not name:
        raise InputError(f"{where}: the name of the column is missing; add it")
    if name in columns:
        raise InputError(f"{where}: the column {name!r} is described already")
    columns[name] = described
