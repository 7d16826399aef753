"""DuckDB: the engine that files are read with, and the only importer of it.

Columns are called c0, c1, ... inside, so that no name, however odd, reaches SQL.
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

LONGEST_RECORD: Final = 2_000_000  # bytes; DuckDB's own limit
# Columns with more rows are handed over as codes and labels.
MOST_TEXTS: Final = 20_000
REPEATED: Final = 8  # times that a value stands in a column, on average
MEMORY: Final = "ANONAUDIT_MEMORY"
LEAST_MEMORY: Final = 16_000_000  # bytes; with less DuckDB reads nothing
# Bytes of address space (ulimit -v). With less than ROOM left no database is opened. Each thread
# reserves 64 MiB, and one that gets nothing ends the whole process without an error (glibc: "cannot
# allocate memory for thread-local data"), so below ROOM_FOR_THREADS DuckDB works in one.
ROOM: Final = 64 * 2**20
ROOM_FOR_THREADS: Final = 8 * 2**30
_NUMBERS: Final = itertools.count()
_INT96_STRUCT: Final = 'STRUCT(date DATE, "time" TIME_NS)'  # what `int96_as` makes of a time
_OLD_TIMES: Final = (
    "holds times as INT96, which are not read exactly here; export them as TIMESTAMP, or all files "
    "with one type, or update DuckDB"
)

Error = duckdb.Error


# For what does not fit into memory; forked processes have their part in it.
_SPILL: Final = Scratch()


@functools.cache
def _database(process: int) -> duckdb.DuckDBPyConnection:
    """One database in memory a process; making one takes longer than reading a small file.

    Raises MemoryError where the process may not take the memory that a database begins with.
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
    """The bytes of addresses that the process may have (ulimit -v); -1 where there is no limit."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return -1
    return resource.getrlimit(resource.RLIMIT_AS)[0]


def connect() -> duckdb.DuckDBPyConnection:
    """A connection to the database of this process, within the memory that it may hold."""
    connection = _database(os.getpid()).cursor()  # a forked process must not share it
    connection.execute("SET enable_progress_bar = false")
    limit = memory_limit()
    try:
        connection.execute(f"SET memory_limit = '{limit}'")
    except duckdb.Error:
        raise _no_limit(limit) from None
    _LATEST.append(connection)
    return connection


# A relation keeps its connection, but not the object that can interrupt it.
_LATEST: Final[deque[duckdb.DuckDBPyConnection]] = deque(maxlen=64)


def interrupt() -> None:
    """End the queries that are at work, with an error; callable from any thread."""
    for connection in [*_LATEST]:
        connection.interrupt()


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


def parquet_table(path: Path, scratch: Scratch) -> tuple[tuple[str, ...], Any, dict[str, str]]:
    """The column names of a Parquet file, its cells, and the columns that cannot be read, with why.

    The names of the relation are others where those of the file differ only in case.
    """
    quoted = _quoted(path, scratch)
    files = _columns_of(quoted)
    columns = next(iter(files.values()))
    relation, unusable = _read_parquet(quoted, files, "hive_partitioning = false")
    return tuple(node.name for node in columns), relation, unusable


def text_table(
    columns: Mapping[str, Sequence[str | None]], scratch: Scratch
) -> tuple[tuple[str, ...], Any, dict[str, str]]:
    """The same as `parquet_table`, for columns of text, which are written to a Parquet file."""
    import pandas as pd

    refuse_too_many(len(columns), "the table")
    path, connection, name = scratch.new("texts.parquet"), connect(), f"texts_{next(_NUMBERS)}"
    inner = {f"c{i}": pd.Series([*cells], dtype=object) for i, cells in enumerate(columns.values())}
    connection.register(name, pd.DataFrame(inner))
    try:
        # A column without any value has no type of its own.
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
    """The same as `parquet_table`, for a table in several Parquet files.

    Folders called `column=value` between `root` and a file are columns too, of texts. A column that
    some files lack, or hold in another type, cannot be read.

    Raises InputError where DuckDB would put two columns into one.
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
    asked = "file_name, name, num_children, type, converted_type, logical_type, precision, scale"
    schema = connect().sql(f"SELECT {asked} FROM parquet_schema({quoted})").fetchall()
    return by_file(SchemaNode(*node) for node in schema)


def _read_parquet(
    quoted: str, files: dict[str, tuple[SchemaNode, ...]], options: str
) -> tuple[Any, dict[str, str]]:
    """The cells of Parquet files, and the columns that cannot be read, with why.

    Times as INT96 may have nanoseconds, so they come as text.
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
    """The relation with those columns as text that hold what `int96_as` makes of a time."""
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
    """The columns of a relation of ours, as arrays; long columns of text as codes.

    A Python text a cell takes many times the memory that DuckDB does, and time to make.

    Raises TooManyCombinationsError where the rest of the memory is too little for them.
    """
    connection, name = connect(), f"counted_{next(_NUMBERS)}"
    try:
        relation.create(name)
        table = connection.table(name)
        check_combinations(len(table), len(table.columns) - 1)  # one column counts
        if len(table) <= MOST_TEXTS:
            arrays: dict[str, Any] = table.fetchnumpy()
            return arrays
        texts = _repeating(table)
        types = {column: f"{name}_{column}" for column in texts}
        labels: dict[str, Any] = {}
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
        arrays = connection.sql(f"SELECT {', '.join(cells)} FROM {name}").fetchnumpy()
        return arrays | {c: Coded(arrays[c], labels[c]) for c in texts}
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
