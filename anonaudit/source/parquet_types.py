"""Find the columns of Parquet files whose values DuckDB would change.

DuckDB converts values if the files of a table have different types, or if a decimal type has more
than 38 digits. A 32-bit 0.1 becomes 0.10000000149011612, True becomes 1, a decimal of 40 digits
becomes a float. Such columns are reported as unreadable.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from anonaudit.errors import InputError, listed

WIDEST: Final = 38  # digits of the longest decimal that DuckDB stores exactly
INT96: Final = "times as INT96"
_UNKNOWN: Final = "nothing"  # every cell is missing; compatible with any other kind
_INTEGERS: Final = "whole numbers"
_TEXT: Final = "text"
_PLAIN: Final = {
    "BOOLEAN": "truth values",
    "FLOAT": "floats of 32 bits",
    "DOUBLE": "floats of 64 bits",
    "INT96": INT96,
}

_LOGICAL: Final = {"Float16Type": "floats of 16 bits", "DateType": "dates", "UUIDType": "UUIDs"}


class SchemaNode(NamedTuple):
    """One node of a Parquet file's schema. The fields are columns of DuckDB's `parquet_schema`."""

    file: str
    name: str
    children: int | None
    type: str | None
    converted: str | None
    logical: str | None
    precision: int | None
    scale: int | None

    @property
    def kind(self) -> str:
        """The kind of the node's cells, in words for messages.

        Two equal values of the same kind become the same text, even if they are in different files.
        """
        logical = (self.logical or "").partition("(")[0]
        if self.children:
            return "several values"
        if logical == "NullType":
            return _UNKNOWN
        if self.converted == "DECIMAL" or logical == "DecimalType":
            return f"decimals with {self.scale or 0} places"
        if self.converted in ("UTF8", "JSON") or logical in ("StringType", "JsonType"):
            return _TEXT
        if logical == "IntType" or (self.converted or "").startswith(("INT_", "UINT_")):
            return _INTEGERS
        if self.converted is None and not logical:
            return _INTEGERS if self.type in ("INT32", "INT64") else _PLAIN.get(self.type or "", "")
        if self.converted in ("TIMESTAMP_MILLIS", "TIMESTAMP_MICROS"):
            zone = "in UTC" if "isAdjustedToUTC=1" in (self.logical or "") else "without a zone"
            return f"times {zone}"
        if logical in _LOGICAL:
            return _LOGICAL[logical]
        return self.logical or self.converted or ""


def top_level(nodes: Sequence[SchemaNode]) -> tuple[SchemaNode, ...]:
    """Return the top-level columns of one file. nodes: all nodes of its schema, parents first."""
    columns = []
    # For each node from the root to the current one: the number of its children not yet read.
    left = [nodes[0].children or 0]
    for node in nodes[1:]:
        if len(left) == 1:
            columns.append(node)
        left[-1] -= 1
        left.append(node.children or 0)
        while len(left) > 1 and left[-1] == 0:
            left.pop()
    return tuple(columns)


def by_file(nodes: Iterable[SchemaNode]) -> dict[str, tuple[SchemaNode, ...]]:
    """Return file -> its top-level columns. nodes: the nodes of all files, file after file."""
    files = itertools.groupby(nodes, key=lambda node: node.file)
    return {file: top_level([*inside]) for file, inside in files}


def refuse_alike(
    name: str, files: dict[str, tuple[SchemaNode, ...]], folders: Sequence[str]
) -> None:
    """Raise InputError if DuckDB would merge two columns into one.

    DuckDB merges columns whose names differ only in case, and a column with a folder
    `column=value` of the same name.

    name: the name of the table in messages. files: file -> its top-level columns. folders: the
    columns that folders `column=value` name.
    """
    spelled: dict[str, set[str]] = {column.lower(): {f"{column}="} for column in folders}
    for columns in files.values():
        for column in columns:
            spelled.setdefault(column.name.lower(), set()).add(column.name)
    for names in spelled.values():
        if len(names) > 1:
            both = " and ".join(map(repr, sorted(names)))
            raise InputError(f"{name}: {both} would become one column; rename or remove one")


def unreadable(files: dict[str, tuple[SchemaNode, ...]]) -> dict[str, str]:
    """Return column -> reason for the columns whose cells DuckDB would change.

    Three differences between files are allowed: integers of different widths; integers in some
    files and text in others (all are read as text); a column whose cells are all missing in some
    files. A column that some files lack is unreadable.

    files: file -> its top-level columns. For the form of a reason, see `Remarks.unusable`.
    """
    kinds: dict[str, dict[str, str]] = {}  # for each column, each kind with its first file
    present: dict[str, set[str]] = {}
    wide: dict[str, int] = {}
    for file, columns in files.items():
        for node in columns:
            kinds.setdefault(node.name, {}).setdefault(node.kind, file)
            present.setdefault(node.name, set()).add(file)
            if node.kind.startswith("decimals") and (node.precision or 0) > WIDEST:
                wide[node.name] = node.precision or 0
    reasons = {}
    for column, types in kinds.items():
        known = {kind: file for kind, file in types.items() if kind != _UNKNOWN}
        lacking = [file for file in files if file not in present[column]]
        if lacking:
            reasons[column] = (
                f"is not in {len(lacking)} of {len(files)} files ({listed(lacking)}); add it "
                "there, without values if none are known, or leave these files out"
            )
        elif len(known) > 1 and known.keys() != {_INTEGERS, _TEXT}:
            both = " and ".join(f"{kind} in {file!r}" for kind, file in [*known.items()][:2])
            reasons[column] = f"holds {both}; export all files with one type"
        elif column in wide:
            reasons[column] = (
                f"holds decimals of {wide[column]} digits, and DuckDB keeps {WIDEST}; export "
                "the column as text"
            )
    return reasons
