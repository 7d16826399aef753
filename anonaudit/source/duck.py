"""DuckDB: the engine that files are read with, and the only importer of it.

Columns are called c0, c1, ... inside, so that no name, however odd, reaches SQL.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import duckdb

from anonaudit.errors import InputError
from anonaudit.source.frames import ROW
from anonaudit.source.memory import check_combinations
from anonaudit.source.unpacking import Scratch

LONGEST_RECORD: Final = 2_000_000  # bytes; DuckDB's own limit
# Columns with more rows are handed over as codes and labels.
MOST_TEXTS: Final = 20_000
REPEATED: Final = 8  # times that a value stands in a column, on average
MEMORY: Final = "ANONAUDIT_MEMORY"
LEAST_MEMORY: Final = 16_000_000  # bytes; with less DuckDB reads nothing
_NUMBERS: Final = itertools.count()
# Types of Parquet. What has both is read as floating-point numbers, of 53 bits.
_FLOATS: Final = {"FLOAT", "DOUBLE"}
_INTEGERS: Final = {"INT32", "INT64", "FIXED_LEN_BYTE_ARRAY"}

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


def connect() -> duckdb.DuckDBPyConnection:
    """A connection to the database of this process, within the memory that it may hold."""
    connection = _database(os.getpid()).cursor()  # a forked process must not share it
    connection.execute("SET enable_progress_bar = false")
    limit = memory_limit()
    try:
        connection.execute(f"SET memory_limit = '{limit}'")
    except duckdb.Error:
        raise _no_limit(limit) from None
    return connection


def _no_limit(limit: str) -> InputError:
    return InputError(
        f"memory cannot be limited to {limit} ({MEMORY}); set {MEMORY} to an amount that there is, "
        "such as 4GiB"
    )


def memory_limit() -> str:
    """What DuckDB may hold in memory before it spills to disk: half of it all, or as is said.

    The environment's ANONAUDIT_MEMORY says it, as a number with KiB, MiB, GiB, or KB, MB, GB.

    Raises InputError for anything else.
    """
    said = os.environ.get(MEMORY)
    if said:
        amount = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([KMGT])i?B", said, re.ASCII)
        if amount is None:
            raise InputError(f"{MEMORY} must be an amount of memory such as 4GiB, not {said!r}")
        if float(amount[1]) * 1000 ** ("KMGT".index(amount[2]) + 1) < LEAST_MEMORY:
            raise _no_limit(said)
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
    return connect().sql(
        f"SELECT row_number() OVER () AS {ROW}, * FROM read_csv({_quoted(path, scratch)}, "
        f"auto_detect = false, columns = {{{inner}}}, header = true, delim = '{delimiter}', "
        "quote = '\"', escape = '\"', nullstr = '', strict_mode = true, compression = 'none', "
        f"hive_partitioning = false, max_line_size = {longest})"
    )


def parquet_table(path: Path, scratch: Scratch) -> tuple[tuple[str, ...], Any]:
    """The column names of a Parquet file, and its cells.

    The names of the relation are others where those of the file differ only in case.
    """
    connection, quoted = connect(), _quoted(path, scratch)
    schema = connection.sql(f"SELECT name, num_children FROM parquet_schema({quoted})").fetchall()
    names = tuple(schema[i][0] for i in _top_level(schema))
    return names, connection.sql(f"SELECT * FROM read_parquet({quoted}, hive_partitioning = false)")


def parquet_folder(
    paths: Sequence[Path], root: Path, name: str, scratch: Scratch
) -> tuple[tuple[str, ...], Any]:
    """The column names of a table in several Parquet files, and its cells.

    Folders called `column=value` between `root` and a file are columns too, of texts. The files
    must have the same columns; one that lacks some has no values there.

    Raises InputError where DuckDB would put two columns into one, or round numbers.
    """
    connection, start = connect(), _quoted(root, scratch)[1:-1]
    files = ", ".join(
        "'" + start + "/" + path.relative_to(root).as_posix().replace("'", "''") + "'"
        for path in paths
    )
    schema = connection.sql(
        f"SELECT file_name, name, num_children, type FROM parquet_schema([{files}])"
    ).fetchall()
    inner = paths[0].relative_to(root).parent.parts
    _refuse_mixed(name, schema, [part.partition("=")[0] for part in inner if "=" in part])
    relation = connection.sql(
        f"SELECT * FROM read_parquet([{files}], hive_partitioning = true, "
        "hive_types_autocast = false, union_by_name = true)"
    )
    return tuple(relation.columns), relation


def _refuse_mixed(
    name: str, schema: Sequence[tuple[str, str, int | None, str | None]], folders: Sequence[str]
) -> None:
    """Raise InputError for columns called alike, or of whole numbers here and of others there.

    DuckDB takes names for one that differ only in case, and a folder's value for a file's.
    """
    spelled: dict[str, set[str]] = {column.lower(): {f"{column}="} for column in folders}
    kinds: dict[str, set[str]] = {}
    for _, nodes in itertools.groupby(schema, key=lambda node: node[0]):
        listed = list(nodes)
        for place in _top_level([node[1:3] for node in listed]):
            _, column, _, kind = listed[place]
            spelled.setdefault(column.lower(), set()).add(column)
            kinds.setdefault(column, set()).add(kind or "")
    for columns in spelled.values():
        if len(columns) > 1:
            both = " and ".join(map(repr, sorted(columns)))
            raise InputError(f"{name}: {both} would be one column; rename one, or leave it out")
    for column, found in kinds.items():
        if found & _FLOATS and found & _INTEGERS:
            raise InputError(
                f"{name}: column {column!r} has whole numbers in some files and floating-point "
                "numbers in others, so some would be rounded; export all files with one type"
            )


def encoded(relation: Any) -> dict[str, Any]:
    """The columns of a relation of ours, as arrays; long columns of text as pandas' categories.

    A Python text a cell takes many times the memory that DuckDB does, and time to make.

    Raises TooManyCombinationsError where the rest of the memory is too little for them.
    """
    connection, name = connect(), f"counted_{next(_NUMBERS)}"
    try:
        relation.create(name)
        table = connection.table(name)
        check_combinations(len(table), len(table.columns) - 1)  # one column counts
        if len(table) <= MOST_TEXTS:
            found: dict[str, Any] = table.fetchnumpy()
            return found
        texts = _repeating(table)
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


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C while DuckDB works is what it is elsewhere in Python."""
    try:
        yield
    except RuntimeError as error:
        if "interrupted" in str(error):  # DuckDB's word for it
            raise KeyboardInterrupt from None
        raise


def _repeating(table: Any) -> list[str]:
    """The columns of text whose values repeat: codes and labels are less than the texts."""
    texts = [c for c, kind in zip(table.columns, table.types, strict=True) if kind == "VARCHAR"]
    if not texts:
        return []
    about = table.aggregate(", ".join(f"approx_count_distinct({c})" for c in texts)).fetchall()[0]
    most = len(table) // REPEATED
    return [column for column, different in zip(texts, about, strict=True) if different <= most]


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


def _top_level(schema: Sequence[tuple[str, int | None]]) -> tuple[int, ...]:
    """Which nodes are the columns, of all nodes of a schema in order, parents before children."""
    places = []
    left = [schema[0][1] or 0]  # children still to come, of each open node
    for place, (_, children) in enumerate(schema[1:], 1):
        if len(left) == 1:
            places.append(place)
        left[-1] -= 1
        left.append(children or 0)
        while len(left) > 1 and left[-1] == 0:
            left.pop()
    return tuple(places)


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
