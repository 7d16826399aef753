"""The types of the columns of Parquet files, and the columns that DuckDB would change.

It converts where files differ, and where a type is too wide for it: 0.1 of 32 bits becomes
0.10000000149011612, True becomes 1, a decimal of 40 digits a float. Such columns are refused by
name.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from anonaudit.errors import InputError, listed

WIDEST: Final = 38  # digits of a decimal that DuckDB holds exactly
INT96: Final = "times as INT96"
_UNKNOWN: Final = "nothing"  # every cell is missing; fits any other kind
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
    """One node of a file's schema, as `parquet_schema` of DuckDB has it."""

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
        """The kind of its cells. One rule makes text of all cells of a kind, in every file."""
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
    """The columns, of all nodes of one file's schema in order, parents before children."""
    columns = []
    left = [nodes[0].children or 0]  # children still to come, of each open node
    for node in nodes[1:]:
        if len(left) == 1:
            columns.append(node)
        left[-1] -= 1
        left.append(node.children or 0)
        while len(left) > 1 and left[-1] == 0:
            left.pop()
    return tuple(columns)


def by_file(nodes: Iterable[SchemaNode]) -> dict[str, tuple[SchemaNode, ...]]:
    """The columns of each file, of the nodes of all files, file after file."""
    files = itertools.groupby(nodes, key=lambda node: node.file)
    return {file: top_level([*inside]) for file, inside in files}


def refuse_alike(
    name: str, files: dict[str, tuple[SchemaNode, ...]], folders: Sequence[str]
) -> None:
    """Raise InputError for columns that DuckDB would take for one.

    It does so where names differ only in case, and where a folder `column=value` is called like
    a column.
    """
    spelled: dict[str, set[str]] = {column.lower(): {f"{column}="} for column in folders}
    for columns in files.values():
        for column in columns:
            spelled.setdefault(column.name.lower(), set()).add(column.name)
    for names in spelled.values():
        if len(names) > 1:
            both = " and ".join(map(repr, sorted(names)))
            raise InputError(f"{name}: {both} would be one column; rename one, or leave it out")


def unreadable(files: dict[str, tuple[SchemaNode, ...]]) -> dict[str, str]:
    """Columns whose cells would not come through as they are, and why: the rest of a sentence.

    Files may differ in the width of whole numbers. Whole numbers in some and text in others are
    all read as text, and a column without any value fits every other.
    """
    kinds: dict[str, dict[str, str]] = {}  # of each column, each kind with its first file
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
                f"holds decimals of {wide[column]} digits, of which DuckDB keeps {WIDEST}; export "
                "it as text"
            )
    return reasons
