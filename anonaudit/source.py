"""Whatever holds a table, opened as one lazy frame with columns c0, c1, ...

Files go through DuckDB; pandas, Polars, Arrow and DuckDB tables are read where they are,
through narwhals. Nothing behind this module sees a file, an index or a row label.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw

from anonaudit.cells import text
from anonaudit.errors import InputError, listed
from anonaudit.files import open_file

ROW = "row"

Pipeline = Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]]


@dataclass
class Source:
    """One table: its column names in order, and the lazy frame that holds its cells.

    name: how reports call it. sha256: of the file, None for a table in memory.
    warnings: (code, message) pairs found while opening it.
    """

    name: str
    columns: tuple[str, ...]
    frame: nw.LazyFrame[Any]
    sha256: str | None = None
    warnings: list[tuple[str, str]] = field(default_factory=list)
    _explain: Callable[[Exception], Any] | None = None
    _keep: object = None

    def inner(self, columns: Sequence[str]) -> list[str]:
        """The names that `columns` have in `frame`."""
        return [f"c{self.columns.index(column)}" for column in columns]

    def collect(self, pipeline: Pipeline) -> nw.DataFrame[Any]:
        """Run a pipeline over the table; the engine does the work, the result is small.

        Raises InputError, with the place, where the table cannot be read to its end.
        """
        try:
            return _run(pipeline(self.frame))
        except InputError:
            raise
        except Exception as error:
            if self._explain is None:
                raise
            explain, self._explain = self._explain, None
            self.frame = nw.from_native(explain(error)).lazy()
            try:
                return _run(pipeline(self.frame))
            except Exception:
                raise InputError(f"{self.name}: could not be read to its end") from None


def _run(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    if frame.implementation in (nw.Implementation.DUCKDB, nw.Implementation.PYSPARK):
        return frame.collect(backend="pandas")
    return frame.collect()


def open_source(
    table: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    name: str | None = None,
) -> Source:
    """Open a table: a path (CSV, TSV, Parquet, compressed CSV, `-`) or a frame.

    table: a path, or a pandas, Polars (eager or lazy), PyArrow or DuckDB table.
    delimiter, encoding: for CSV files; found out if not given.
    name: how reports call a table that has no file name.

    Raises InputError if there is nothing that can be read as a table.
    """
    if isinstance(table, Source):
        return table
    if isinstance(table, (str, os.PathLike)):
        opened = open_file(table, delimiter=delimiter, encoding=encoding)
        frame = nw.from_native(opened.relation).lazy()
        return Source(
            name=name or opened.name,
            columns=opened.columns,
            frame=frame,
            sha256=opened.sha256,
            warnings=opened.warnings,
            _explain=opened.explain,
            _keep=opened,
        )
    try:
        native = nw.from_native(table)
    except TypeError:
        raise InputError(
            f"cannot read a table from an object of type {type(table).__name__}; expected a "
            "path, or a pandas, Polars, PyArrow or DuckDB table"
        ) from None
    warnings: list[tuple[str, str]] = []
    if native.implementation is nw.Implementation.PANDAS:
        columns, native = _from_pandas(table, warnings)
    else:
        columns = tuple(native.collect_schema().names())
        native = native.rename({c: f"c{i}" for i, c in enumerate(columns)})
    native = _numbered(native)
    if not columns:
        raise InputError(f"{name or 'the table'}: has no columns")
    return Source(name or "table in memory", columns, native.lazy(), warnings=warnings)


def _numbered(frame: Any) -> Any:
    """The frame with its row numbers, from 1, in a column of their own."""
    if frame.implementation is nw.Implementation.DUCKDB:
        relation = nw.to_native(frame)
        return nw.from_native(relation.project(f"row_number() OVER () AS {ROW}, *"))
    return frame.with_row_index(ROW).with_columns(nw.col(ROW) + 1)


def _from_pandas(table: Any, warnings: list[tuple[str, str]]) -> tuple[tuple[str, ...], Any]:
    """A pandas table without its index, whose mixed columns are text.

    An object column may hold 1, 1.0 and True, which pandas takes for equal; a category
    column knows values nobody has; whole numbers became fractions where some are missing.
    """
    import pandas as pd  # noqa: PLC0415 (only tables of pandas need it here)

    if isinstance(table.columns, pd.MultiIndex):
        raise InputError("the table has column names of several levels; expected one name a column")
    columns = tuple(str(column) for column in table.columns)
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise InputError(f"duplicate column name {listed(twice)}; give every column its own name")
    whole: list[str] = []
    inner: dict[str, Any] = {}
    for position, column in enumerate(columns):
        series = table.iloc[:, position].reset_index(drop=True)
        if isinstance(series.dtype, pd.CategoricalDtype):
            labels = [text(category) for category in series.cat.categories]
            codes = series.cat.codes.to_numpy()
            series = pd.Series([*labels, None], dtype=object).take(codes).reset_index(drop=True)
        elif series.dtype == object and pd.api.types.infer_dtype(series) not in {"string", "empty"}:
            series = series.map(text).astype(object)
        elif series.dtype.kind == "f" and series.isna().any():
            known = series.dropna()
            if len(known) and (known % 1 == 0).all() and (known.abs() < 2**53).all():
                series = series.astype("Int64")
                whole.append(column)
        inner[f"c{position}"] = series
    if whole:
        warnings.append(
            (
                "float-integers",
                f"column(s) {listed(whole)} hold whole numbers as fractions because of missing "
                "values; read as whole numbers",
            )
        )
    frame = pd.DataFrame(inner, copy=False) if inner else pd.DataFrame(index=range(len(table)))
    return columns, nw.from_native(frame)
