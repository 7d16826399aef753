"""Whatever holds a table, opened as one lazy frame with columns c0, c1, ...

Files go through DuckDB, or Spark if asked; pandas, Polars, Arrow, DuckDB and Spark tables are read
where they are, through narwhals. Nothing behind this module sees a file, an index or a row label.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, get_args

import narwhals as nw
import numpy as np

from anonaudit.errors import InputError
from anonaudit.source import spark
from anonaudit.source.data_files import OpenFile, checked_delimiter, open_file
from anonaudit.source.duck import interruptible
from anonaudit.source.duck_parts import Parts
from anonaudit.source.engine_columns import Columns, plain_cells
from anonaudit.source.frames import ROW, Remarks, from_memory, without_value
from anonaudit.source.memory import TooManyCombinationsError

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
# What `inner` takes for the number of the row; no file has a column with such a name. It is no
# cell, and no rule for cells is for it: see `frequency_set.encode_column`.
ROW_NUMBER: Final = "\0row number"

_FAULTS: Final = (AssertionError, AttributeError, LookupError, NameError, TypeError)

Engine = Literal["duckdb", "spark"]  # what files are read with
ENGINES: Final = get_args(Engine)
T = TypeVar("T")
Pipeline = Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]]


@dataclass(frozen=True, repr=False)
class TableFile:
    """A table by its name, and how to read it.

    file: a path, or a table in memory (see `open_source`); None if no table is given.
    delimiter, encoding: of a CSV file; detected if None. engine: what reads a path.
    labels: whether a file of SPSS, Stata or SAS is read by the labels of its values; by their codes
        if None.
    """

    file: Any = None
    _: KW_ONLY
    delimiter: str | None = None
    encoding: str | None = None
    engine: Engine = "duckdb"
    labels: bool | None = None

    def __repr__(self) -> str:
        """As of any dataclass, but that no table in memory shows its cells."""
        shown = {each.name: repr(getattr(self, each.name)) for each in fields(self)}
        if self.file is not None and self.path is None:
            shown["file"] = f"<{type(self.file).__name__} at {id(self.file):#x}>"
        inner = ", ".join(f"{name}={value}" for name, value in shown.items())
        return f"{type(self).__qualname__}({inner})"

    @staticmethod
    def of(table: Any, **how: Any) -> TableFile:
        """A table with how to read it; a TableFile as it is.

        how: delimiter, encoding, engine. Raises InputError for a TableFile together with these.
        """
        named = TableFile(table, **how)
        if not isinstance(table, TableFile):
            return named
        if named != TableFile(table):
            raise InputError("give delimiter, encoding and engine to the TableFile, not beside it")
        return table

    @property
    def path(self) -> Path | None:
        """Where the file is; None for a table in memory, and if no table is given."""
        if isinstance(self.file, TableFile):
            return self.file.path
        if isinstance(self.file, Path):
            return self.file  # which may be a WrittenPath
        return Path(self.file) if isinstance(self.file, (str, os.PathLike)) else None

    def open(self) -> Source:
        """The table. Raises InputError as `open_source` does."""
        return open_source(self)


class Source:
    """One table: its column names in order, and the lazy frame that holds its cells.

    name: how reports call it.
    warnings: (code, message) pairs found while reading it; complete once it has been counted.
    unusable: columns whose cells cannot be read as they are, and why: the rest of a sentence.
    ordered: whether its rows have an order, and so numbers.
    left_out: what to say of its padding, as far as any was found.

    A record without a value in any column is padding, as spreadsheets write it below a table: it
    stands for nobody. Whoever counts asks `leave_out_padding` where a record has no value in the
    columns that are counted; from then on `frame` has no padding, and a warning says how much
    there was. The numbers of the other rows stay those of the table as it was written.
    """

    def __init__(
        self,
        name: str,
        columns: tuple[str, ...],
        frame: nw.LazyFrame[Any],
        remarks: Remarks,
        file: OpenFile | None = None,
        distributed: spark.SparkTable | None = None,
        padded: bool = True,
    ) -> None:
        self.name = name
        self.columns = columns
        self.frame = frame
        self.left_out: str | None = None
        self._padding = None if padded else 0  # None until it is looked for
        self.warnings = remarks.warnings
        self.unusable = remarks.unusable
        self.ordered = distributed is None
        self._file = file
        self._distributed = distributed
        self._run = _run if distributed is None else distributed.collect

    @property
    def sha256(self) -> str | None:
        """Of the file, as it was named; None for a table in memory or of Spark's."""
        return None if self._file is None else self._file.sha256

    def leave_out_padding(self, columns: Sequence[str] = ()) -> bool:
        """Whether padding was found just now, which `frame` has no more; it is looked for once.

        That takes a reading of all columns. columns: of `frame`; where they are given, only if a
        record has no value in any of these.
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
        """How many records have no value in any of these columns of `frame`."""
        counted = self.collect(
            lambda frame: frame.filter(without_value(frame, columns)).select(
                nw.len().alias("silent")
            )
        )
        return int(np.asarray(counted["silent"])[0])

    def inner(self, columns: Sequence[str]) -> list[str]:
        """The names that `columns` (or ROW_NUMBER) have in `frame`.

        Raises InputError for a column whose cells cannot be read as they are, and for the numbers
        of rows that have no order.
        """
        for column in columns:
            if column == ROW_NUMBER and not self.ordered:
                raise InputError(
                    f"{self.name}: rows of a Spark table have no order, which is needed here; name "
                    "a key instead, or give the table as a file, and leave out --engine spark"
                )
            if column in self.unusable:
                raise InputError(f"{self.name}: column {column!r} {self.unusable[column]}")
        return [
            ROW if column == ROW_NUMBER else f"c{self.columns.index(column)}" for column in columns
        ]

    def collect(self, pipeline: Pipeline) -> Columns:
        """Run a pipeline over the table; the engine does the work, the result is small.

        Where the result has a column `n`, it counts all rows of `frame`, together or in parts; for
        a file the sum is checked.

        Raises InputError, with the place, where the table cannot be read to its end. An error in
        the pipeline itself is raised as it is.
        """
        if self._file is None:
            try:
                return self._run(pipeline(self.frame))
            except InputError:
                raise
            except Exception as error:  # the engine's message may quote a cell
                if _is_fault_of_ours(error):
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
        """What `collect` gives, of a file and with a column `n`, in parts (see `Parts`)."""
        if self._file is None:
            raise ValueError("only files are read in parts")

        def read(frame: nw.LazyFrame[Any]) -> tuple[Parts, int]:
            parts = Parts(nw.to_native(pipeline(frame)), keys, alike, source=self.name)
            return parts, parts.rows

        return self._checked(self._file, read)

    def _checked(
        self, file: OpenFile, read: Callable[[nw.LazyFrame[Any]], tuple[T, int | None]]
    ) -> T:
        """What is read of a file, once it is known to have been read to its end.

        read: gives that, and how many rows it has seen, None if not all.
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
                if _is_fault_of_ours(error):
                    raise
                failure = error
            other = file.reread(rows, failure)
            if other is None:
                return result
            again = nw.from_native(other).lazy()
            self.frame = self._without_padding(again) if self._padding else again


def _is_fault_of_ours(error: Exception) -> bool:
    """Whether an error says that code is wrong, not a table: engines raise classes of their own."""
    return isinstance(error, _FAULTS) and type(error).__module__ == "builtins"


def _run(frame: nw.LazyFrame[Any], fetch: Callable[[Any], dict[str, Any]] | None = None) -> Columns:
    """The result; fetch: how to get the columns of a DuckDB relation, if it is one of a file."""
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
) -> Source:
    """Open a table: a path (a file of any format that `open_file` reads, or `-`) or a frame.

    table: a path, a TableFile, or a pandas, Polars (eager or lazy), PyArrow, DuckDB or Spark table.
    delimiter, encoding: for CSV files; detected if None. A TableFile has its own.
    name: how reports call a table that has no file name.
    labels: of an SPSS, Stata or SAS file, see `TableFile`.
    engine: what reads a path; Spark also takes `table:` and the name of a table of its catalog.

    Raises InputError if there is nothing that can be read as a table.
    """
    if isinstance(table, Source):
        return table
    if isinstance(table, TableFile):
        own = TableFile.of(table, delimiter=delimiter, encoding=encoding, engine=engine)
        return open_source(
            own.file,
            delimiter=own.delimiter,
            encoding=own.encoding,
            name=name,
            engine=own.engine,
            labels=own.labels,
        )
    if engine not in ENGINES:
        raise InputError(f"there is no engine {engine!r}; expected duckdb or spark")
    in_spark = None
    if isinstance(table, (str, os.PathLike)):
        if Path(table).suffix.lower() == ".toml":
            raise InputError(
                f"{table}: is a policy where a table is expected; name the table first, "
                "then one policy"
            )
        if engine == "spark":
            separator = checked_delimiter(delimiter)
            in_spark = spark.open_path(table, delimiter=separator, encoding=encoding)
    elif spark.is_frame(table):
        in_spark = spark.from_frame(table, name or "table in memory")
    if in_spark is not None:
        frame = nw.from_native(in_spark.frame).lazy()
        name = name or in_spark.name
        return Source(name, in_spark.columns, frame, in_spark.remarks, distributed=in_spark)
    if isinstance(table, (str, os.PathLike)):
        file = open_file(table, delimiter=delimiter, encoding=encoding, labels=labels)
        frame = nw.from_native(file.relation).lazy()
        return Source(name or file.name, file.columns, frame, file.remarks, file)
    return _in_memory(table, name, padded=True)


def own_table(frame: Any, name: str | None = None) -> Source:
    """A table that anonaudit made of rows it had read: none of them is padding.

    Some columns may be left out of it, so that a record without a value in those that are there
    still stands for somebody.
    """
    return _in_memory(frame, name, padded=False)


def _in_memory(table: Any, name: str | None, *, padded: bool) -> Source:
    remarks = Remarks()
    columns, frame = from_memory(table, remarks)
    return Source(name or "table in memory", columns, frame, remarks, padded=padded)
