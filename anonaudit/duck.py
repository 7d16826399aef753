"""DuckDB: the engine that files are read with, and the only importer of it.

Columns are called c0, c1, ... inside, so that no name, however odd, reaches SQL.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import duckdb

from anonaudit.errors import InputError
from anonaudit.frames import ROW
from anonaudit.unpacking import Scratch

LONGEST_RECORD: Final = 2_000_000  # bytes; DuckDB's own limit
# Columns with more rows are handed over as codes and labels.
MOST_TEXTS: Final = 20_000
MEMORY: Final = "ANONAUDIT_MEMORY"
_NUMBERS: Final = itertools.count()

Error = duckdb.Error


# For what does not fit into memory; forked processes have their part in it.
_SPILL: Final = Scratch()


@functools.cache
def _database(process: int) -> duckdb.DuckDBPyConnection:
    """One database in memory a process; making one takes longer than reading a small file."""
    return duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": str(_SPILL.new(f"spill-{process}")),
        }
    )


def _connect() -> duckdb.DuckDBPyConnection:
    connection = _database(os.getpid()).cursor()  # a forked process must not share it
    connection.execute("SET enable_progress_bar = false")
    connection.execute(f"SET memory_limit = '{memory_limit()}'")
    return connection


def memory_limit() -> str:
    """What DuckDB may hold in memory before it spills to disk: half of it all, or as is said.

    The environment's ANONAUDIT_MEMORY says it, as a number with KiB, MiB, GiB, or KB, MB, GB.

    Raises InputError for anything else.
    """
    said = os.environ.get(MEMORY)
    if said:
        if not re.fullmatch(r"[0-9]+(\.[0-9]+)? ?[KMGT]i?B", said, re.ASCII):
            raise InputError(f"{MEMORY} must be an amount of memory such as 4GiB, not {said!r}")
        return said
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system tells; DuckDB knows its own
        return "50%"
    return f"{whole // 2 // 2**20}MiB"


def csv_records(
    path: Path,
    scratch: Scratch,
    *,
    columns: int,
    delimiter: str,
    longest: int = LONGEST_RECORD,
) -> Any:
    """The records of a UTF-8 file with a header, every cell as text, and their numbers from 1.

    longest: bytes that the longest record may have.
    """
    inner = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(columns))
    return _connect().sql(
        f"SELECT row_number() OVER () AS {ROW}, * FROM read_csv({_quoted(path, scratch)}, "
        f"auto_detect = false, columns = {{{inner}}}, header = true, delim = '{delimiter}', "
        "quote = '\"', escape = '\"', nullstr = '', strict_mode = true, compression = 'none', "
        f"hive_partitioning = false, max_line_size = {longest})"
    )


def parquet_table(path: Path, scratch: Scratch) -> tuple[tuple[str, ...], Any]:
    """The column names of a Parquet file, and its cells.

    The names of the relation are others where those of the file differ only in case.
    """
    connection, quoted = _connect(), _quoted(path, scratch)
    schema = connection.sql(f"SELECT name, num_children FROM parquet_schema({quoted})").fetchall()
    return _top_level(schema), connection.sql(
        f"SELECT * FROM read_parquet({quoted}, hive_partitioning = false)"
    )


def parquet_folder(
    paths: Sequence[Path], root: Path, scratch: Scratch
) -> tuple[tuple[str, ...], Any]:
    """The column names of a table in several Parquet files, and its cells.

    Folders called `column=value` between `root` and a file are columns too, of texts. The files
    must have the same columns; one that lacks some has no values there.
    """
    connection, start = _connect(), _quoted(root, scratch)[1:-1]
    files = ", ".join(
        "'" + start + "/" + path.relative_to(root).as_posix().replace("'", "''") + "'"
        for path in paths
    )
    relation = connection.sql(
        f"SELECT * FROM read_parquet([{files}], hive_partitioning = true, "
        "hive_types_autocast = false, union_by_name = true)"
    )
    return tuple(relation.columns), relation


def encoded(relation: Any) -> dict[str, Any]:
    """The columns of a relation of ours, as arrays; long columns of text as pandas' categories.

    A Python text a cell takes many times the memory that DuckDB does, and time to make.
    """
    connection, name = _connect(), f"counted_{next(_NUMBERS)}"
    try:
        relation.create(name)
        table = connection.table(name)
        if len(table) <= MOST_TEXTS:
            found: dict[str, Any] = table.fetchnumpy()
            return found
        texts = [c for c, kind in zip(table.columns, table.types, strict=True) if kind == "VARCHAR"]
        types = {column: f"{name}_{column}" for column in texts}
        labels = {}
        for column, kind in types.items():
            known = f"SELECT DISTINCT {column} FROM {name} WHERE {column} IS NOT NULL"
            connection.execute(f"CREATE TYPE {kind} AS ENUM ({known})")
            listed = connection.execute(
                f"SELECT unnest(enum_range(NULL::{kind})) AS x"
            ).fetchnumpy()
            labels[column] = listed["x"]
        cells = [
            f"coalesce(enum_code({c}::{types[c]})::INTEGER, -1) AS {c}" if c in types else c
            for c in table.columns
        ]
        found = connection.sql(f"SELECT {', '.join(cells)} FROM {name}").fetchnumpy()
        return found | {c: _categories(found[c], labels[c]) for c in texts}
    finally:
        for kind in [f"{name}_{column}" for column in relation.columns]:
            connection.execute(f"DROP TYPE IF EXISTS {kind}")
        connection.execute(f"DROP TABLE IF EXISTS {name}")


def _categories(codes: Any, labels: Any) -> Any:
    import pandas as pd

    return pd.Categorical.from_codes(codes, pd.Index(labels, dtype=object))


def _quoted(path: Path, scratch: Scratch) -> str:
    """The path as SQL has it. DuckDB takes one for a pattern, so an odd one gets a plain link."""
    plain = path.absolute().as_posix()
    if not re.fullmatch(r"[\w/:.-]+", plain, re.ASCII):
        link = scratch.new(f"link-{os.urandom(4).hex()}")
        try:
            link.symlink_to(path.absolute())
        except OSError:  # not every system lets everyone make links
            shutil.copyfile(path, link)
        plain = link.as_posix()
    return "'" + plain.replace("'", "''") + "'"


def _top_level(schema: list[tuple[str, int | None]]) -> tuple[str, ...]:
    """The names of the columns, from all nodes of a schema in order, parents before children."""
    names = []
    left = [schema[0][1] or 0]  # children still to come, of each open node
    for name, children in schema[1:]:
        if len(left) == 1:
            names.append(name)
        left[-1] -= 1
        left.append(children or 0)
        while len(left) > 1 and left[-1] == 0:
            left.pop()
    return tuple(names)


def refuse_environment(name: str, error: Exception) -> None:
    """Raise InputError where memory or disk is short, and what is no error of DuckDB as it is."""
    if not isinstance(error, (duckdb.Error, UnicodeError)):
        raise error
    if isinstance(error, (duckdb.OutOfMemoryException, duckdb.IOException)):
        what = str(error).splitlines()[0]
        raise InputError(
            f"{name}: could not be read to its end ({what}); see to memory and disk, or name fewer "
            "columns"
        ) from None
