"""Files, opened by DuckDB: CSV of every kind, and Parquet. The only importer of duckdb.

A file is never loaded whole. DuckDB reads it strictly; where it refuses, Python's own
CSV reader says which line is wrong and why, or writes a clean copy (mixed line ends).
Columns are called c0, c1, ... inside, so that no name, however odd, reaches SQL.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import shutil
import stat
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

import duckdb

from anonaudit.csv_file import CHUNK, CsvFile, head_of
from anonaudit.errors import InputError


@dataclass
class OpenFile:
    """A table in a file: its column names in order and DuckDB's lazy relation c0, c1, ..."""

    name: str
    columns: tuple[str, ...]
    relation: Any
    sha256: str
    warnings: list[tuple[str, str]] = field(default_factory=list)
    explain: Callable[[Exception], Any] | None = None
    keep: object = None  # what must live as long as the relation does


def open_file(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> OpenFile:
    """Open a CSV, TSV or Parquet file, plain or compressed (gzip, bzip2, xz, zip); `-` is stdin.

    delimiter: one character; sniffed from the first records if not given.
    encoding: any encoding Python knows; UTF-8, or UTF-16 where a byte order mark says so.

    Raises InputError with the file's name, the place, what was expected and what to do.
    """
    if delimiter is not None and len(delimiter) != 1:
        raise InputError(f"the delimiter must be one character, not {delimiter!r}")
    scratch = _Scratch()
    name = "standard input" if str(path) == "-" else str(path)
    if str(path) == "-":
        local = scratch.new("input")
        with local.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy, CHUNK)
    else:
        local = Path(path)
        _check_is_readable(local, name)
    sha256 = _sha256(local)
    head = head_of(local)
    if head[:4] == b"PAR1":
        return _open_parquet(local, name, sha256, scratch)
    plain = _decompress(local, head, name, scratch)
    return _open_csv(CsvFile(plain, name, delimiter, encoding, scratch.new), sha256)


class _Scratch:
    """A private temporary folder that goes when the last user of the file goes."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def new(self, name: str) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="anonaudit-")
        return Path(self._folder.name) / name


def _check_is_readable(path: Path, name: str) -> None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: cannot be opened ({_reason(error)})") from None
    if stat.S_ISDIR(mode):
        raise InputError(f"{name}: is a folder; name one CSV or Parquet file in it")
    try:
        path.open("rb").close()
    except OSError as error:
        raise InputError(f"{name}: cannot be opened ({_reason(error)})") from None


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _connect() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": str(Path(tempfile.gettempdir()) / f"anonaudit-spill-{os.getpid()}"),
        }
    )
    connection.execute("SET enable_progress_bar = false")
    return connection


def _quoted(path: Path) -> str:
    # DuckDB reads a path as a glob pattern; brackets make its special characters literal.
    literal = "".join(f"[{c}]" if c in "*?[" else c for c in str(path.absolute()))
    return "'" + literal.replace("'", "''") + "'"


def _open_parquet(path: Path, name: str, sha256: str, scratch: _Scratch) -> OpenFile:
    connection = _connect()
    try:
        relation = connection.sql(f"SELECT * FROM read_parquet({_quoted(path)})")
        columns = tuple(relation.columns)
        inner = ", ".join(f"c{i}" for i in range(len(columns)))
        relation = connection.sql(
            f"SELECT row_number() OVER () AS row, * FROM read_parquet({_quoted(path)}) AS t({inner})"
        )
    except duckdb.Error:
        raise InputError(f"{name}: starts like a Parquet file but cannot be read as one") from None

    def explain(_: Exception) -> Any:
        raise InputError(f"{name}: the Parquet file is damaged: it could not be read to its end")

    return OpenFile(name, columns, relation, sha256, explain=explain, keep=scratch)


def _decompress(path: Path, head: bytes, name: str, scratch: _Scratch) -> Path:
    """The file itself, or a plain copy of it where the first bytes say it is compressed."""
    openers: dict[bytes, Callable[[], BinaryIO]] = {
        b"\x1f\x8b": lambda: cast("BinaryIO", gzip.open(path, "rb")),
        b"BZh": lambda: cast("BinaryIO", bz2.open(path, "rb")),
        b"\xfd7zXZ": lambda: cast("BinaryIO", lzma.open(path, "rb")),
        b"PK\x03\x04": lambda: _only_member(path, name),
    }
    opener = next((o for magic, o in openers.items() if head.startswith(magic)), None)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        raise InputError(f"{name}: is compressed with zstd; unpack it first, or use gzip")
    if opener is None:
        return path
    target = scratch.new("plain.csv")
    try:
        with opener() as packed, target.open("wb") as copy:
            shutil.copyfileobj(packed, copy, CHUNK)
    except (OSError, EOFError, lzma.LZMAError, zipfile.BadZipFile, RuntimeError) as error:
        raise InputError(f"{name}: the compressed file is damaged ({_reason(error)})") from None
    return target


def _only_member(path: Path, name: str) -> BinaryIO:
    archive = zipfile.ZipFile(path)
    members = [m for m in archive.namelist() if not m.endswith("/")]
    if any(m.startswith("xl/") for m in members):
        raise InputError(f"{name}: is a workbook; save the sheet as CSV first")
    if len(members) != 1:
        raise InputError(f"{name}: the archive holds {len(members)} files, expected exactly one")
    return cast("BinaryIO", archive.open(members[0]))


def _open_csv(csv_file: CsvFile, sha256: str) -> OpenFile:
    connection = _connect()

    def relation(path: Path, longest: int = 2_000_000) -> Any:
        inner = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(csv_file.columns)))
        delimiter = csv_file.delimiter.replace("'", "''")
        return connection.sql(
            f"SELECT row_number() OVER () AS row, * FROM read_csv({_quoted(path)}, auto_detect = false, "
            f"columns = {{{inner}}}, header = true, delim = '{delimiter}', "
            "quote = '\"', escape = '\"', nullstr = '', strict_mode = true, "
            f"max_line_size = {longest})"
        )

    def explain(error: Exception) -> Any:
        if isinstance(error, duckdb.InterruptException):
            raise KeyboardInterrupt from None
        if not isinstance(error, (duckdb.Error, UnicodeError)):
            raise error
        if isinstance(error, (duckdb.OutOfMemoryException, duckdb.IOException)):
            reason = str(error).splitlines()[0]
            raise InputError(f"{csv_file.name}: could not be read to its end ({reason})") from None
        copy = csv_file.clean_copy()
        return relation(copy, longest=min(copy.stat().st_size, 200_000_000) + 2_000_000)

    opened = OpenFile(
        csv_file.name, csv_file.columns, relation(csv_file.path), sha256, explain=explain
    )
    unnamed = sum(name.startswith("(column ") for name in csv_file.columns)
    if unnamed:
        opened.warnings.append(
            ("unnamed-column", f"{unnamed} column(s) have no name; called by their position")
        )
    blank = csv_file.blank_lines()
    if blank:
        opened.warnings.append(
            ("blank-lines", f"{blank} blank line(s) hold no record and were passed over")
        )
    return opened
