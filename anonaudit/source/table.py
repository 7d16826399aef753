"""Open any table as one lazy frame with columns c0, c1, ...

DuckDB reads files, or Spark on request. Tables of pandas, Polars, Arrow, DuckDB and Spark are read
by their own engine, through narwhals. The modules that use a `Source` never see a file, an index or
a row label.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, get_args

import narwhals as nw
import numpy as np

from anonaudit.errors import InputError
from anonaudit.source.data_files import OpenFile, checked_delimiter, open_file
from anonaudit.source.duck import interruptible
from anonaudit.source.duck_parts import Parts
from anonaudit.source.engine_columns import Columns, plain_cells
from anonaudit.source.frames import ROW, Remarks, from_memory, refuse_options, without_value
from anonaudit.source.memory import TooManyCombinationsError

if TYPE_CHECKING:
    from anonaudit.source.spark import SparkTable

__all__ = [
    "ENGINES",
    "ROW",
    "ROWS",
    "ROW_NUMBER",
    "Engine",
    "Pipeline",
    "Source",
    "TableFile",
    "open_source",
    "own_table",
]

ROWS: Final = "n"
# The name by which `inner` refers to row numbers; no column of a file has this name. The rules for
# missing and suppressed cells do not apply to row numbers: see `frequency_set.encode_column`.
ROW_NUMBER: Final = "\0row number"

_FAULTS: Final = (AssertionError, AttributeError, LookupError, NameError, TypeError)

Engine = Literal["duckdb", "spark"]  # the engine that reads files
ENGINES: Final = get_args(Engine)
T = TypeVar("T")
Pipeline = Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]]


@dataclass(frozen=True, repr=False)
class TableFile:
    """A table and the options to read it with.

    file: a path, or a table in memory (see `open_source`); None if no table is given.
    delimiter, encoding: of a CSV file; detected if None. They must be None for all other tables.
    engine: the engine that reads a path.
    labels: for files of SPSS, Stata or SAS: True reads the label of a value (`female`), False or
        None its code (`2`). It must not be True for any other table.
    shared: True if delimiter and encoding are those of a policy, which gives them for several
        tables. They then apply to the CSV files among these tables.
    """

    file: Any = None
    _: KW_ONLY
    delimiter: str | None = None
    encoding: str | None = None
    engine: Engine = "duckdb"
    labels: bool | None = None
    shared: bool = field(default=False, repr=False, compare=False)

    def __repr__(self) -> str:
        """Return the repr of a dataclass, but show a table in memory without its cells."""
        shown = {each.name: repr(getattr(self, each.name)) for each in fields(self) if each.repr}
        if self.file is not None and self.path is None:
            shown["file"] = f"<{type(self.file).__name__} at {id(self.file):#x}>"
        inner = ", ".join(f"{name}={value}" for name, value in shown.items())
        return f"{type(self).__qualname__}({inner})"

    @staticmethod
    def of(table: Any, **how: Any) -> TableFile:
        """Return a TableFile for the table. A TableFile is returned unchanged.

        how: the options delimiter, encoding, engine and labels.

        Raises InputError if any of these options is given together with a TableFile.
        """
        named = TableFile(table, **how)
        if not isinstance(table, TableFile):
            return named
        if named != TableFile(table):
            raise InputError(
                "give delimiter, encoding, engine and labels to the TableFile, not as separate "
                "arguments"
            )
        return table

    @property
    def path(self) -> Path | None:
        """The path of the file; None for a table in memory, or if no table is given."""
        if isinstance(self.file, TableFile):
            return self.file.path
        if isinstance(self.file, Path):
            return self.file  # not converted, since it may be a WrittenPath
        return Path(self.file) if isinstance(self.file, (str, os.PathLike)) else None

    def open(self) -> Source:
        """Open the table. Raises InputError as `open_source` does."""
        return open_source(self)


class Source:
    """One table: its column names in order, and a lazy narwhals frame with its cells.

    name: name of the table in reports.
    columns: the column names, in order.
    frame: has the columns c0, c1, ..., and `row` if the rows are ordered.
    warnings: (code, message) pairs from reading the table; complete after the table has been
        counted once.
    unusable: column -> the reason why its cells cannot be read unchanged (see `Remarks`).
    ordered: True if the rows have an order, and therefore numbers.
    left_out: a sentence with the number of removed padding records; None if none was removed.

    A record that is empty in every column is padding, which spreadsheets write below a table. It
    stands for no person. If some record is empty in all columns that are counted, the caller calls
    `leave_out_padding`. This removes padding from `frame` and adds a warning with the number of
    removed records. The numbers of the other rows do not change.
    """

    def __init__(
        self,
        name: str,
        columns: tuple[str, ...],
        frame: nw.LazyFrame[Any],
        remarks: Remarks,
        file: OpenFile | None = None,
        distributed: SparkTable | None = None,
        padded: bool = True,
    ) -> None:
        self.name = name
        self.columns = columns
        self.frame = frame
        self.left_out: str | None = None
        self._padding = None if padded else 0  # number of padding records; None if not known yet
        self.warnings = remarks.warnings
        self.unusable = remarks.unusable
        self.ordered = distributed is None
        self._file = file
        self._distributed = distributed
        self._run = _run if distributed is None else distributed.collect

    @property
    def sha256(self) -> str | None:
        """The SHA-256 of the file (see `OpenFile.sha256`); None if it is in memory or in Spark."""
        return None if self._file is None else self._file.sha256

    def leave_out_padding(self, columns: Sequence[str] = ()) -> bool:
        """Remove padding from `frame`. Return True if this call removed any.

        The search reads all columns, so it runs at most once.

        columns: some columns of `frame`. If given, they are read first. If no record is empty in
            all of them, there is no padding, and the search is skipped.
        """
        if self._padding is not None or (columns and not self._without_value(columns)):
            return False
        empty = self._without_value(self._cells)
        if empty:
            self.left_out = f"left out {empty} record(s) without a value in any column"
            self.warnings.append(("empty-records", self.left_out))
            if self._distributed is not None and self._distributed.rows is not None:
                self._distributed.rows -= empty
            self.frame = self._without_padding(self.frame)
        self._padding = empty
        return empty > 0

    def _without_padding(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        return frame.filter(~without_value(frame, self._cells))

    @property
    def _cells(self) -> list[str]:
        return [f"c{i}" for i in range(len(self.columns))]

    def _without_value(self, columns: Sequence[str]) -> int:
        """Return the number of records that are empty in all of these columns of `frame`."""
        counted = self.collect(
            lambda frame: frame.filter(without_value(frame, columns)).select(
                nw.len().alias("silent")
            )
        )
        return int(np.asarray(counted["silent"])[0])

    def inner(self, columns: Sequence[str]) -> list[str]:
        """Return the names in `frame` of these columns: `c2` for the third, `row` for ROW_NUMBER.

        Raises InputError for a column that is `unusable`, and for ROW_NUMBER if the rows have no
        order.
        """
        for column in columns:
            if column == ROW_NUMBER and not self.ordered:
                raise InputError(
                    f"{self.name}: rows of a Spark table have no order, but one is needed; name "
                    "a key instead, or give the table as a file without --engine spark"
                )
            if column in self.unusable:
                raise InputError(f"{self.name}: column {column!r} {self.unusable[column]}")
        return [
            ROW if column == ROW_NUMBER else f"c{self.columns.index(column)}" for column in columns
        ]

    def collect(self, pipeline: Pipeline) -> Columns:
        """Run a pipeline in the engine of the table and return its small result.

        pipeline: a function that derives a lazy frame from `frame`. If the result has a column `n`,
            the sum of `n` must be the number of all rows of `frame`. This sum is checked for files,
            except Parquet files that Spark reads.

        Raises InputError, if possible with the line, if the table cannot be read to its end. A
        programming error in the pipeline is raised unchanged.
        """
        if self._file is None:
            try:
                return self._run(pipeline(self.frame))
            except InputError:
                raise
            except Exception as error:  # the engine's message may quote a cell
                if _is_our_error(error):
                    raise
                raise InputError(
                    f"{self.name}: the table could not be read to its end "
                    f"({type(error).__name__} in its engine)"
                ) from None
        file = self._file

        def read(frame: nw.LazyFrame[Any]) -> tuple[Columns, int | None]:
            result = _run(pipeline(frame), file.fetch)
            return result, int(np.asarray(result[ROWS]).sum()) if ROWS in result else None

        return self._checked(file, read)

    def parts(self, pipeline: Pipeline, keys: Sequence[str], alike: Sequence[str]) -> Parts:
        """Run a pipeline over a file and return its result in parts.

        pipeline: as in `collect`; its result must have a column `n`. keys, alike: see `Parts`.

        Raises ValueError for a table that is not a file read by DuckDB.
        """
        if self._file is None:
            raise ValueError("only files are read in parts")

        def read(frame: nw.LazyFrame[Any]) -> tuple[Parts, int]:
            parts = Parts(nw.to_native(pipeline(frame)), keys, alike, source=self.name)
            return parts, parts.rows

        return self._checked(self._file, read)

    def _checked(
        self, file: OpenFile, read: Callable[[nw.LazyFrame[Any]], tuple[T, int | None]]
    ) -> T:
        """Call `read` with `frame` until the whole file was read correctly. Return its result.

        After an incomplete reading, `frame` is replaced (see `OpenFile.reread`).

        read: a function that returns a result, and the number of rows read or None if it did not
            count all rows.
        """
        while True:
            rows, failure = None, None
            try:
                with interruptible():
                    result, rows = read(self.frame)
                rows = None if rows is None else rows + (self._padding or 0)
            except TooManyCombinationsError as error:
                raise error.of(self.name) from None
            except InputError:
                raise
            except Exception as error:
                if _is_our_error(error):
                    raise
                failure = error
            other = file.reread(rows, failure)
            if other is None:
                return result
            again = nw.from_native(other).lazy()
            self.frame = self._without_padding(again) if self._padding else again


def _is_our_error(error: Exception) -> bool:
    """Return True for a programming error. For a faulty table, engines raise their own classes."""
    return isinstance(error, _FAULTS) and type(error).__module__ == "builtins"


def _run(frame: nw.LazyFrame[Any], fetch: Callable[[Any], dict[str, Any]] | None = None) -> Columns:
    """Run a lazy frame and return its columns.

    fetch: the function that fetches the columns of a DuckDB relation made from a file; None for any
        other frame.
    """
    if frame.implementation is not nw.Implementation.DUCKDB:
        return {column.name: column.to_numpy() for column in frame.collect().iter_columns()}
    with interruptible():
        native = nw.to_native(frame)
        arrays = native.fetchnumpy() if fetch is None else fetch(native)
    return {name: plain_cells(values) for name, values in arrays.items()}


def open_source(
    table: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    name: str | None = None,
    engine: Engine = "duckdb",
    labels: bool | None = None,
    shared: bool = False,
) -> Source:
    """Open a file or a table in memory.

    table: a path of a file that `open_file` reads, `-` for standard input, a TableFile, or a
        pandas, Polars (eager or lazy), PyArrow, DuckDB or Spark table. A Source is returned as is.
    delimiter, encoding: of a CSV file; detected if None.
    name: name of the table in reports; the name of the file if None.
    engine: the engine that reads a path. With "spark", `table:db.name` names a catalog table.
    labels: for files of SPSS, Stata or SAS. shared: for the tables of a policy.

    A TableFile has its own options except the name. They are described there.

    Raises InputError if the table cannot be read, or if an option does not apply to it.
    """
    given: dict[str, Any] = {"delimiter": delimiter, "encoding": encoding, "labels": labels}
    if isinstance(table, TableFile):
        own = TableFile.of(table, engine=engine, shared=shared, **given)
        return open_source(
            own.file,
            delimiter=own.delimiter,
            encoding=own.encoding,
            name=name,
            engine=own.engine,
            labels=own.labels,
            shared=own.shared,
        )
    if not isinstance(table, (str, os.PathLike)):
        in_memory = table.name if isinstance(table, Source) else "table in memory"
        refuse_options(name or in_memory, **given)
    if isinstance(table, Source):
        return table
    if engine not in ENGINES:
        raise InputError(f"there is no engine {engine!r}; expected duckdb or spark")
    in_spark = None
    if isinstance(table, (str, os.PathLike)):
        if Path(table).suffix.lower() == ".toml":
            raise InputError(
                f"{table}: is a policy, but a table was expected; name the table first, "
                "then one policy"
            )
        if engine == "spark":
            given["delimiter"] = checked_delimiter(delimiter)
            from anonaudit.source import spark

            in_spark = spark.open_path(table, shared=shared, **given)
    elif "pyspark.sql" in sys.modules:
        from anonaudit.source import spark

        if spark.is_frame(table):
            in_spark = spark.from_frame(table, name or "table in memory")
    if in_spark is not None:
        frame = nw.from_native(in_spark.frame).lazy()
        name = name or in_spark.name
        return Source(name, in_spark.columns, frame, in_spark.remarks, distributed=in_spark)
    if isinstance(table, (str, os.PathLike)):
        file = open_file(table, shared=shared, **given)
        frame = nw.from_native(file.relation).lazy()
        return Source(name or file.name, file.columns, frame, file.remarks, file)
    return _in_memory(table, name, padded=True)


def own_table(frame: Any, name: str | None = None) -> Source:
    """Open a table that anonaudit itself derived from another table. No record of it is padding.

    A derived table may lack some columns. So a record that is empty in the remaining columns still
    stands for a person.
    """
    return _in_memory(frame, name, padded=False)


def _in_memory(table: Any, name: str | None, *, padded: bool) -> Source:
    remarks = Remarks()
    columns, frame = from_memory(table, remarks)
    return Source(name or "table in memory", columns, frame, remarks, padded=padded)
