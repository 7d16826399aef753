"""Read tables with Spark, for tables too large for one machine. Only this module imports PySpark.

Only small results are collected: counts, and tables with one row per combination of values. The
rows of a distributed table have no order, so there are no row numbers. Columns are called c0, c1
and so on by their position.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import narwhals as nw
import numpy as np

from anonaudit.errors import InputError
from anonaudit.source.engine_columns import Coded, Columns
from anonaudit.source.frames import UNREAD, Remarks, refuse_duplicates, refuse_options, several
from anonaudit.source.spark_csv import csv_table

TABLE: Final = "table:"  # prefix of the name of a table in Spark's catalog
# Settings of a session that this module creates. The log is off because it would show cell values.
_SETTINGS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
}
# Settings while a file is read: column names are case-sensitive, and values in folder names are
# text (zip=01234 stays 01234).
_READING: Final = {
    "spark.sql.caseSensitive": "true",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}
_SAID: Final = re.compile(r"anonaudit<<(.*?)>>")  # an error message of our code in a Spark worker


@dataclass
class SparkTable:
    """A Spark table: its column names in order, and a lazy Spark DataFrame with its cells.

    frame: a DataFrame with these columns. The new object replaces it by one with columns c0, c1,
        ... and normalized cells.
    rows: number of records in the files; None if it is not known beforehand.
    reading: settings of the session while the table is read.
    """

    name: str
    columns: tuple[str, ...]
    frame: Any
    remarks: Remarks = field(default_factory=Remarks)
    rows: int | None = None
    reading: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        refuse_duplicates(self.columns, self.name)
        self.frame = _normalized(self.frame, self.columns, self.remarks)

    def collect(self, frame: nw.LazyFrame[Any]) -> Columns:
        """Collect the rows of a small frame derived from this table.

        If the frame has a column `n`, its sum is the number of records that Spark read.

        Raises InputError if the table cannot be read to its end, or if the sum of `n` differs from
        `rows`.
        """
        native = nw.to_native(frame)
        with _set(native.sparkSession, self.reading), _refusing(self.name), _quiet():
            arrays = _collected(native)
        n = int(np.asarray(arrays["n"]).sum()) if "n" in arrays else None
        if None not in (n, self.rows) and n != self.rows:
            raise InputError(
                f"{self.name}: Spark read {n} record(s), expected {self.rows}; if the file has not "
                "changed meanwhile, read it with DuckDB"
            )
        return arrays


def is_frame(table: Any) -> bool:
    """Return True if the table is a Spark DataFrame. PySpark is not imported for this check."""
    sql = sys.modules.get("pyspark.sql")
    return sql is not None and isinstance(nw.to_native(table, pass_through=True), sql.DataFrame)


def from_frame(table: Any, name: str) -> SparkTable:
    """Return the SparkTable of a DataFrame. It is read in the DataFrame's own session.

    Raises InputError if the DataFrame has no columns or if two columns have the same name.
    """
    native = nw.to_native(table, pass_through=True)
    if not native.columns:
        raise InputError(f"{name}: has no columns; expected at least one")
    return SparkTable(name, tuple(native.columns), native)


def open_path(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None,
    encoding: str | None,
    labels: bool | None,
    shared: bool,
) -> SparkTable:
    """Open Parquet or CSV files, or a table of the catalog (`table:db.name`), with Spark.

    path: anything that Spark accepts: a file, a folder (partitioned or not), a pattern, a URL.
    delimiter, encoding: of CSV files; detected if None. labels, shared: as in `open_file`.

    Raises InputError if PySpark or Java is not installed, or if the table cannot be read.
    """
    name = os.fspath(path)
    if name == "-":
        raise InputError("standard input cannot be read by Spark; name a path or a table")
    refuse_options(name, labels=labels)
    of_csv = {} if shared else {"delimiter": delimiter, "encoding": encoding}
    if name.startswith(TABLE):
        refuse_options(name, **of_csv)
    session = _session()
    if name.startswith(TABLE):
        with _refusing(name):
            native = session.table(name.removeprefix(TABLE))
            return SparkTable(name, tuple(native.columns), native)
    with _set(session, _READING), _refusing(name), _quiet():
        lines = session.read.option("recursiveFileLookup", "true").text(name)
        first = lines.where("value != ''").selectExpr("CAST(value AS BINARY)").head(1)
        if not first:
            raise InputError(f"{name}: is empty; expected Parquet, or CSV with a header line")
        if not (header := bytes(first[0][0])).startswith(b"PAR1"):
            return SparkTable(name, *csv_table(session, name, header, delimiter, encoding))
        if _is_there(session, f"{name.rstrip('/')}/_delta_log"):
            raise InputError(
                f"{name}: is a Delta table, whose folder also holds outdated files; name the "
                "table as in the catalog (table:db.name)"
            )
        refuse_options(name, **of_csv)
        # Without mergeSchema, Spark may drop a column that only some of the files have.
        native = session.read.option("mergeSchema", "true").parquet(name)
        return SparkTable(name, tuple(native.columns), native, reading=_READING)


def _session() -> Any:
    """Return the active Spark session, or a new session if none is active.

    Raises InputError if PySpark or Java is missing, or if Spark cannot be started.
    """
    try:
        from pyspark import SparkContext
        from pyspark.sql import SparkSession
    except ImportError:
        raise InputError(
            "to read with Spark, PySpark must be installed: pip install 'anonaudit[spark]'"
        ) from None
    if (active := SparkSession.getActiveSession()) is not None:
        return active
    builder = SparkSession.builder.appName("anonaudit")
    if SparkContext._active_spark_context is None:  # noqa: SLF001 (no public way to find out)
        home = os.environ.get("JAVA_HOME")
        if shutil.which("java", path=f"{home}/bin" if home else None) is None:
            raise InputError(
                "to read with Spark, Java must be installed (17 or newer), and JAVA_HOME must name "
                "its folder if it is set"
            )
        master = os.environ.get("SPARK_MASTER_URL", "")
        builder = builder.config(map=dict(_SETTINGS))
        builder = builder.master(master) if master else builder
        if not master or master.startswith("local"):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        with _quiet():
            return builder.getOrCreate()
    except Exception as error:  # its text would be pages of Java stack traces
        raise InputError(
            f"Spark could not be started ({_condition(error)}); check Java, SPARK_MASTER_URL and "
            "the settings of Spark"
        ) from None


@contextmanager
def _set(session: Any, settings: dict[str, str]) -> Iterator[None]:
    """Change settings of the session inside the `with` block, and restore them afterwards."""
    before = {key: session.conf.get(key, None) for key in settings}
    for key, value in settings.items():
        session.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            if old is None:
                session.conf.unset(key)
            else:
                session.conf.set(key, old)


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress PySpark's warnings, such as those about versions of other packages."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"pyspark\.")
        yield


@contextmanager
def _refusing(name: str) -> Iterator[None]:
    """Turn Spark's errors into InputErrors. Spark's messages may show query plans and cells."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        said, condition = _SAID.search(str(error)), _condition(error)
        if said:
            what = said[1]
        elif condition == "PATH_NOT_FOUND":
            what = "is not there; check the path"
        elif condition in {"TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "PARSE_SYNTAX_ERROR"}:
            what = "Spark's catalog has no such table; check its name (table:db.name)"
        else:
            what = f"Spark cannot read it ({condition}); fix the cause, or read it with DuckDB"
        raise InputError(f"{name}: {what}") from None


def _condition(error: Exception) -> str:
    """Return Spark's name of the error condition, or the class name. Neither shows a cell."""
    condition = None
    if hasattr(error, "getCondition"):
        condition = error.getCondition()
    return condition or type(error).__name__


def _is_there(session: Any, path: str) -> bool:
    """Return True if the path exists, as Spark sees it."""
    try:
        session.read.format("binaryFile").load(path)
    except Exception as error:
        if _condition(error) == "PATH_NOT_FOUND":
            return False
        raise
    return True


def _normalized(native: Any, names: tuple[str, ...], remarks: Remarks) -> Any:
    """Return the DataFrame with columns c0, c1, ... and with cells as the other engines have them.

    remarks: remarks on the columns are added to it.
    """
    from pyspark.sql import functions as F  # noqa: N812 (as everybody calls it)
    from pyspark.sql import types as T  # noqa: N812

    plain = (T.IntegralType, T.DecimalType, T.BooleanType, T.DateType, T.TimestampNTZType)
    epoch = F.lit("1970-01-01 00:00:00").cast("timestamp_ntz")
    kinds, utc, cells = [f.dataType for f in native.schema.fields], [], []
    for i, kind in enumerate(kinds):
        cell = F.col(f"c{i}")
        if isinstance(kind, (T.FloatType, T.DoubleType)):
            cell = F.when(cell == 0, F.lit(0).cast(kind)).otherwise(cell)  # no negative zero
        elif isinstance(kind, T.TimestampType):
            # UTC is computed from the instant. A local time is ambiguous when clocks are put back.
            utc.append(names[i])
            seconds = F.unix_micros(cell).cast("decimal(20, 0)") / F.lit(1_000_000)
            cell = epoch + F.make_dt_interval(secs=seconds.cast("decimal(18, 6)"))
        elif isinstance(kind, (T.StringType, T.CharType, T.VarcharType, T.NullType)):
            cell = cell.cast(T.StringType())  # some collations treat different texts as equal
        elif isinstance(kind, T.DayTimeIntervalType):
            zero = "timestamp_ntz'1970-01-01'"
            cell = F.expr(f"1000L * timestampdiff(MICROSECOND, {zero}, {zero} + c{i})")
        elif not isinstance(kind, plain):
            remarks.unusable[names[i]] = several(kind.simpleString())
            cell = F.when(cell.isNotNull(), F.lit(UNREAD))
        cells.append(cell.alias(f"c{i}"))
    remarks.read_in_utc(utc)
    return native.toDF(*(f"c{i}" for i in range(len(kinds)))).select(*cells)


def _collected(native: Any) -> Columns:
    """Collect a small frame. Columns of text and of decimals become `Coded` text."""
    import pyarrow as pa  # type: ignore[import-untyped]

    arrays: dict[str, Any] = {}
    table = native.toArrow()
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_string(column.type) or pa.types.is_decimal(column.type):
            coded = pa.concat_arrays(column.chunks or [pa.array([], column.type)])
            coded = coded.dictionary_encode()
            labels = [
                cell if isinstance(cell, str) else format(cell, "f")  # str writes 1E-9
                for cell in coded.dictionary.to_pylist()
            ]
            codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            arrays[name] = Coded(codes, np.array(labels, object))
        else:
            arrays[name] = column.to_numpy()
    return arrays
