"""Read files with DuckDB. No other module of this package imports duckdb.

SQL calls columns c0, c1, ..., or uses their positions. Only `_old_times_as_text` writes the column
names of a file into SQL, in quotes.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import mmap
import os
import re
import shutil
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import duckdb

from anonaudit.errors import InputError
from anonaudit.source.engine_columns import Coded
from anonaudit.source.frames import ROW, refuse_too_many, time_text
from anonaudit.source.memory import check_combinations
from anonaudit.source.parquet_types import INT96, SchemaNode, by_file, refuse_alike, unreadable
from anonaudit.source.unpacking import Scratch

LONGEST_RECORD: Final = 2_000_000  # bytes; DuckDB's default limit
# If a result has more rows, its columns of repeating texts are fetched as codes and labels.
MOST_TEXTS: Final = 20_000
REPEATED: Final = 8  # codes are used if a text occurs in at least this many rows on average
MEMORY: Final = "ANONAUDIT_MEMORY"
LEAST_MEMORY: Final = 16_000_000  # bytes; with less, DuckDB cannot read a file
# Bytes of address space (ulimit -v). If less than ROOM is left, no database is opened. Each DuckDB
# thread reserves 64 MiB. A thread that cannot get them ends the whole process without an exception
# (glibc: "cannot allocate memory for thread-local data"). So if the limit is below
# ROOM_FOR_THREADS, DuckDB runs in one thread.
ROOM: Final = 64 * 2**20
ROOM_FOR_THREADS: Final = 8 * 2**30
_NUMBERS: Final = itertools.count()
_INT96_STRUCT: Final = 'STRUCT(date DATE, "time" TIME_NS)'  # the type of a time read by `int96_as`
_OLD_TIMES: Final = (
    "holds times as INT96, which cannot be read exactly; export the column as TIMESTAMP in all "
    "files, or update DuckDB"
)

Error = duckdb.Error


# DuckDB spills into this folder. Each forked process has its own subfolder.
_SPILL: Final = Scratch()


@functools.cache
def _database(process: int) -> duckdb.DuckDBPyConnection:
    """Return the in-memory database of a process. It is created once, because that is slow.

    process: the id of the process.

    Raises MemoryError if the address space for a new database is not available.
    """
    try:
        if hasattr(mmap, "MAP_PRIVATE"):  # not on Windows
            mmap.mmap(-1, ROOM, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ).close()
    except OSError:
        raise MemoryError from None
    config: dict[str, Any] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "temp_directory": str(_SPILL.new(f"spill-{process}")),
    }
    if _address_space() in range(ROOM_FOR_THREADS):
        config["threads"] = "1"
        with contextlib.suppress(duckdb.CatalogException, duckdb.InvalidInputException):
            return duckdb.connect(config=config | {"async_threads": "0"})  # since DuckDB 2.0
    return duckdb.connect(config=config)


def _address_space() -> int:
    """Return the limit of the process's address space in bytes (ulimit -v); -1 if there is none."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return -1
    return resource.getrlimit(resource.RLIMIT_AS)[0]


def connect() -> duckdb.DuckDBPyConnection:
    """Return a new connection to the database of this process, with the memory limit set.

    Raises InputError if the memory limit is not valid.
    """
    connection = _database(os.getpid()).cursor()  # a forked process must not share the database
    connection.execute("SET enable_progress_bar = false")
    limit = memory_limit()
    try:
        connection.execute(f"SET memory_limit = '{limit}'")
    except duckdb.Error:
        raise _no_limit(limit) from None
    _LATEST.append(connection)
    return connection


# A relation keeps its connection alive, but offers no way to interrupt it. Hence this list.
_LATEST: Final[deque[duckdb.DuckDBPyConnection]] = deque(maxlen=64)


def interrupt() -> None:
    """Stop the running queries. Each query raises an error. Any thread may call this function."""
    for connection in [*_LATEST]:
        connection.interrupt()


def _no_limit(limit: str) -> InputError:
    return InputError(
        f"memory cannot be limited to {limit}; set {MEMORY} to an amount that this machine has, "
        "such as 4GiB"
    )


def memory_limit() -> str:
    """Return the memory that DuckDB may use before it spills to disk, such as `4GiB`.

    It is the value of the environment variable ANONAUDIT_MEMORY: a number with KiB, MiB, GiB, TiB
    or KB, MB, GB, TB. If the variable is not set or empty, it is half of the machine's memory.

    Raises InputError for any other value, and for less than 16 MB.
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
    except (AttributeError, ValueError, OSError):  # unknown on some systems
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
    """Return a relation with the records of a UTF-8 CSV file, which has a header.

    Its columns are `row`, the row numbers from 1, and c0, c1, ..., with every cell as text.

    columns: number of columns of the file. longest: largest size of a record, in bytes.
    """
    inner = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(columns))
    return connect().sql(
        f"SELECT row_number() OVER () AS {ROW}, * FROM read_csv({_quoted(path, scratch)}, "
        f"auto_detect = false, columns = {{{inner}}}, header = true, delim = '{delimiter}', "
        "quote = '\"', escape = '\"', nullstr = '', strict_mode = true, compression = 'none', "
        f"hive_partitioning = false, max_line_size = {longest})"
    )


def parquet_table(path: Path, scratch: Scratch) -> tuple[tuple[str, ...], Any, dict[str, str]]:
    """Return the column names of a Parquet file, a relation with its cells, and unreadable columns.

    The unreadable columns are a dict: column -> reason. Take the relation's columns by position,
    because DuckDB renames columns whose names in the file differ only in case.
    """
    quoted = _quoted(path, scratch)
    files = _columns_of(quoted)
    columns = next(iter(files.values()))
    relation, unusable = _read_parquet(quoted, files, "hive_partitioning = false")
    return tuple(node.name for node in columns), relation, unusable


def text_table(
    columns: Mapping[str, Sequence[str | None]], scratch: Scratch
) -> tuple[tuple[str, ...], Any, dict[str, str]]:
    """Write columns of text to a Parquet file and return it like `parquet_table`.

    columns: column -> its cells, None for a missing cell.
    """
    import pandas as pd

    refuse_too_many(len(columns), "the table")
    path, connection, name = scratch.new("texts.parquet"), connect(), f"texts_{next(_NUMBERS)}"
    inner = {f"c{i}": pd.Series([*cells], dtype=object) for i, cells in enumerate(columns.values())}
    connection.register(name, pd.DataFrame(inner))
    try:
        # Without the cast, a column that has only missing cells would not be text.
        cells = ", ".join(f"CAST({column} AS VARCHAR) AS {column}" for column in inner)
        connection.execute(
            f"COPY (SELECT {cells} FROM {name}) TO {_quoted(path, scratch)} (FORMAT parquet)"
        )
    finally:
        connection.unregister(name)
    _, relation, unusable = parquet_table(path, scratch)
    return tuple(columns), relation, unusable


def parquet_folder(
    paths: Sequence[Path], root: Path, name: str, scratch: Scratch
) -> tuple[tuple[str, ...], Any, dict[str, str]]:
    """Return one table made of several Parquet files, like `parquet_table`.

    A folder called `column=value` between `root` and a file gives a column of text. A column that
    some files lack, or that has different types in different files, is unreadable.

    Raises InputError if DuckDB would merge two columns into one.
    """
    start = _quoted(root, scratch)[1:-1]
    named = [path.relative_to(root).as_posix() for path in paths]
    quoted = ", ".join("'" + start + "/" + each.replace("'", "''") + "'" for each in named)
    columns = _columns_of(f"[{quoted}]")
    files = dict(zip(named, columns.values(), strict=True))
    inner = paths[0].relative_to(root).parent.parts
    refuse_alike(name, files, [part.partition("=")[0] for part in inner if "=" in part])
    options = "hive_partitioning = true, hive_types_autocast = false, union_by_name = true"
    relation, unusable = _read_parquet(f"[{quoted}]", files, options)
    return tuple(relation.columns), relation, unusable


def _columns_of(quoted: str) -> dict[str, tuple[SchemaNode, ...]]:
    """Return file -> its top-level columns. quoted: SQL for one Parquet path or a list of paths."""
    asked = "file_name, name, num_children, type, converted_type, logical_type, precision, scale"
    schema = connect().sql(f"SELECT {asked} FROM parquet_schema({quoted})").fetchall()
    return by_file(SchemaNode(*node) for node in schema)


def _read_parquet(
    quoted: str, files: dict[str, tuple[SchemaNode, ...]], options: str
) -> tuple[Any, dict[str, str]]:
    """Return a relation with the cells of Parquet files, and the unreadable columns with reasons.

    Times stored as INT96 may have nanoseconds, so they are read as text.

    quoted: SQL for one path or a list of paths. files: file -> its top-level columns. options: SQL
    for further arguments of DuckDB's `read_parquet`.
    """
    for file, columns in files.items():
        refuse_too_many(len(columns), Path(file).name)
    connection, unusable = connect(), unreadable(files)
    nodes = [node for columns in files.values() for node in columns]
    old = {node.name for node in nodes if node.kind == INT96}
    mixed = any(node.name in old and node.kind != INT96 for node in nodes)
    read = f"SELECT * FROM read_parquet({quoted}, {options}"
    if old and not mixed:
        try:
            relation = connection.sql(f"{read}, int96_as = 'struct')")
        except duckdb.BinderException:  # DuckDB before 2.0
            pass
        else:
            return _old_times_as_text(relation, old), unusable
    return connection.sql(f"{read})"), dict.fromkeys(old, _OLD_TIMES) | unusable


def _old_times_as_text(relation: Any, old: set[str]) -> Any:
    """Return the relation with the INT96 times as text. old: the names of the INT96 columns."""
    cells = []
    for i, (column, kind) in enumerate(zip(relation.columns, relation.types, strict=True), 1):
        cell = f"#{i}"
        if column in old and str(kind) == _INT96_STRUCT:
            time = time_text(f"struct_extract(#{i}, 'time')")
            cell = f"CAST(struct_extract(#{i}, 'date') AS VARCHAR) || ' ' || {time}"
        spelled = column.replace('"', '""')
        cells.append(f'{cell} AS "{spelled}"')
    return relation.project(", ".join(cells))


def encoded(relation: Any) -> dict[str, Any]:
    """Fetch the columns of a relation by name: as arrays, or as `Coded` if they save memory.

    A column is `Coded` if it is text, has more than MOST_TEXTS rows, and each text occurs at least
    REPEATED times on average. Codes and labels then need less memory than the texts: one Python
    string per cell would take many times the memory that DuckDB needs.

    Raises TooManyCombinationsError if the rows do not fit into the memory that is left.
    """
    connection, name = connect(), f"counted_{next(_NUMBERS)}"
    made: list[str] = []
    try:
        relation.create(name)
        made.append(f"TABLE {name}")
        table = connection.table(name)
        rows = len(table)  # a query
        check_combinations(rows, len(table.columns) - 1)  # one column is the row count
        if rows <= MOST_TEXTS:
            arrays: dict[str, Any] = table.fetchnumpy()
            return arrays
        labels: dict[str, Any] = {}
        cells = dict(zip(table.columns, table.columns, strict=True))
        texts = [c for c, kind in zip(table.columns, table.types, strict=True) if kind == "VARCHAR"]
        for column in texts:
            kind, most = f"{name}_{column}", rows // REPEATED
            ((different,),) = connection.execute(
                f"CREATE TABLE {kind}_texts AS SELECT DISTINCT {column} AS x FROM {name} "
                f"WHERE {column} IS NOT NULL LIMIT {most + 1}"
            ).fetchall()
            made.append(f"TABLE {kind}_texts")
            if different > most:
                continue
            connection.execute(f"CREATE TYPE {kind} AS ENUM (SELECT x FROM {kind}_texts)")
            made.append(f"TYPE {kind}")
            listed = connection.execute(
                f"SELECT unnest(enum_range(NULL::{kind})) AS x"
            ).fetchnumpy()
            labels[column] = listed["x"]
            cells[column] = f"coalesce(enum_code({column}::{kind})::INTEGER, -1) AS {column}"
        arrays = connection.sql(f"SELECT {', '.join(cells.values())} FROM {name}").fetchnumpy()
        return arrays | {c: Coded(arrays[c], texts) for c, texts in labels.items()}
    finally:
        for one in reversed(made):
            connection.execute(f"DROP {one}")


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Turn DuckDB's error after Ctrl-C into KeyboardInterrupt."""
    try:
        yield
    except RuntimeError as error:
        if "interrupted" in str(error):  # DuckDB has no class for this error
            raise KeyboardInterrupt from None
        raise


def _quoted(path: Path, scratch: Scratch) -> str:
    """Return the path as an SQL literal.

    DuckDB reads paths as patterns. So a path with unusual characters is replaced by a link to it,
    which has a plain name, or by a copy of the file.
    """
    plain = path.absolute().as_posix()
    if not re.fullmatch(r"[\w/:.-]+", plain, re.ASCII):
        link = scratch.new(f"link-{os.urandom(4).hex()}")
        try:
            link.symlink_to(path.absolute())
        except OSError:  # some systems do not let every user make links
            shutil.copyfile(path, link)
        plain = link.as_posix()
    return "'" + plain.replace("'", "''") + "'"


def refuse_environment(name: str, error: Exception) -> None:
    """Raise InputError if the error says that memory or disk space ran out.

    Do nothing for any other error of DuckDB. Raise `error` again if it is not an error of DuckDB.

    name: the name of the table in messages.
    """
    if not isinstance(error, (duckdb.Error, UnicodeError)):
        raise error
    if isinstance(error, (duckdb.OutOfMemoryException, duckdb.IOException)):
        what = str(error).splitlines()[0]
        raise InputError(
            f"{name}: could not be read to its end ({what}); free memory and disk space, or name "
            "fewer columns"
        ) from None
