"""Convert tables in memory to frames with columns c0, c1, ... that look the same in every engine.

Engines differ: some distinguish a negative zero from zero, keep the time zone of a time, or treat
1 and True as equal. The conversion removes these differences, so that the same table gives the same
report. An added column `row` numbers the rows from 1. Indexes and row labels are ignored.
"""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import narwhals as nw
import numpy as np

from anonaudit.cells import cell_text
from anonaudit.errors import InputError, listed

MOST_COLUMNS: Final = 4096
_HAVE: Final = {"delimiter": "delimiter", "encoding": "encoding", "labels": "value labels"}
ROW: Final = "row"
# Replaces a cell that is a list, a record or bytes. It cannot be audited, but it is not empty.
UNREAD: Final = "several values"

# The zeros to append to a number in this unit to get nanoseconds: 5 us are 5000 ns.
_ZEROS: Final = {"s": 9, "ms": 6, "us": 3, "ns": 0}
_NO_ARROW_VALUES: Final = frozenset(
    {"binary", "large_binary", "binary_view", "month_day_nano_interval"}
)

# DuckDB types that narwhals knows and that can be written as text.
_KNOWN_TO_ALL: Final = frozenset(
    {"varchar", "boolean", "decimal", "enum", "date", "time"}
    | {"tinyint", "smallint", "integer", "bigint", "hugeint"}
    | {"utinyint", "usmallint", "uinteger", "ubigint", "uhugeint"}
    | {"timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns"}
)
_ZONED: Final = frozenset({"timestamp with time zone", "timestamptz_ns"})
_SEVERAL_VALUES: Final = frozenset({"blob", "list", "array", "struct", "map", "union"})


def several(kind: str) -> str:
    """Return the reason why a column of lists, records or bytes is refused.

    kind: the type of the cells, in words. See `Remarks.unusable` for the form of a reason.
    """
    return f"holds {kind} cells; expected one value per cell: split the column into columns first"


def time_text(cell: str) -> str:
    """Return SQL that writes a DuckDB TIME_NS as text, with 0, 6 or 9 fractional digits.

    cell: SQL for the time.
    """
    text = f"CAST({cell} AS VARCHAR)"  # DuckDB omits trailing zeros
    return (
        f"CASE WHEN length({text}) = 8 THEN {text} WHEN length({text}) <= 15 "
        f"THEN rpad({text}, 15, '0') ELSE rpad({text}, 18, '0') END"
    )


# The cells of each column of a file; None for a missing cell.
TextColumns = dict[str, list[str | None]]


@dataclass
class Remarks:
    """Remarks on the columns of a table.

    warnings: (code, message) pairs.
    unusable: column -> the reason why its cells cannot be read unchanged. In messages, the reason
        follows the column name: "column 'a' holds list cells; ...". `Source.inner` refuses these
        columns.
    """

    warnings: list[tuple[str, str]] = field(default_factory=list)
    unusable: dict[str, str] = field(default_factory=dict)

    def read_in_utc(self, columns: Sequence[str]) -> None:
        """Warn that the times in these columns were converted to UTC."""
        if columns:
            message = f"column(s) {listed(columns)} hold times with a zone; converted to UTC"
            self.warnings.append(("times-in-utc", message))


def from_memory(table: Any, remarks: Remarks) -> tuple[tuple[str, ...], nw.LazyFrame[Any]]:
    """Return the column names of a pandas, Polars, Arrow or DuckDB table, and its converted frame.

    Adds remarks on the columns to `remarks`.

    Raises InputError if the object is not such a table.
    """
    try:
        frame = nw.from_native(table)
    except nw.exceptions.DuplicateError:
        names = getattr(table, "column_names", getattr(table, "columns", ()))
        refuse_duplicates([str(name) for name in names], "the table")
        raise
    except TypeError:
        raise InputError(
            f"cannot read a table from an object of type {type(table).__name__}; expected a "
            "path, or a pandas, Polars, PyArrow or DuckDB table"
        ) from None
    native = nw.to_native(frame)
    if frame.implementation is nw.Implementation.DUCKDB:
        names = _names(native.columns)
        return names, nw.from_native(from_duckdb(native, remarks, names)).lazy()
    if frame.implementation is nw.Implementation.PANDAS:
        names = _names(native.columns)
        native = _from_pandas(native, names, remarks)
    elif frame.implementation is nw.Implementation.PYARROW:
        names = _names(native.column_names)
        native = _from_arrow(native, names, remarks)
    else:
        names = _names(frame.collect_schema().names())
        native = nw.to_native(frame.rename({name: f"c{i}" for i, name in enumerate(names)}))
    return names, _normalized(_numbered(nw.from_native(native)), names, remarks).lazy()


def from_duckdb(relation: Any, remarks: Remarks, names: Sequence[str]) -> Any:
    """Rename the columns of a relation to c0, c1, ..., convert its cells and number its rows.

    names: the column names before renaming, in order. remarks: remarks on the columns are added.
    """
    cells = []
    utc = []
    for i, kind in enumerate(relation.types):
        cell = f"#{i + 1}"
        if kind.id in {"float", "double"}:
            cell = f"{cell} + 0.0"  # turns a negative zero into zero
        elif kind.id in _ZONED:
            utc.append(names[i])
            cell = f"{cell} AT TIME ZONE 'UTC'"
        elif kind.id == "time_ns":
            cell = time_text(cell)
        elif kind.id in _SEVERAL_VALUES:
            remarks.unusable.setdefault(names[i], several(str(kind)))
            cell = f"CASE WHEN {cell} IS NOT NULL THEN '{UNREAD}' END"
        elif kind.id not in _KNOWN_TO_ALL:
            cell = f"CAST({cell} AS VARCHAR)"
        cells.append(f"{cell} AS c{i}")
    remarks.read_in_utc(utc)
    numbers = f"row_number() OVER () AS {ROW}"
    return relation.project(", ".join([numbers, *cells]))


def without_value(frame: nw.LazyFrame[Any], columns: Sequence[str]) -> nw.Expr:
    """Return the expression that is true for a record if each of these columns is empty in it.

    Null, an empty text and NaN are empty. A text that means missing by the policy is not.
    """
    schema = frame.collect_schema()
    return _all([_is_empty(column, schema[column]) for column in columns])


def _all(conditions: Sequence[nw.Expr]) -> nw.Expr:
    """Join conditions by "and". The tree is balanced: engines fail on a chain of thousands."""
    if len(conditions) == 1:
        return conditions[0]
    half = len(conditions) // 2
    return _all(conditions[:half]) & _all(conditions[half:])


def _is_empty(column: str, dtype: Any) -> nw.Expr:
    cell = nw.col(column)
    if dtype in (nw.Categorical, nw.Enum):
        cell, dtype = cell.cast(nw.String), nw.String
    if dtype == nw.String:
        return cell.fill_null("") == ""
    return cell.is_null() | cell.is_nan() if dtype.is_float() else cell.is_null()


def refuse_too_many(columns: int, name: str) -> None:
    """Raise InputError for more than MOST_COLUMNS columns.

    The running time of DuckDB 2.0 grows with the square of the number of columns: it takes minutes
    for 10,000.
    """
    if columns > MOST_COLUMNS:
        raise InputError(
            f"{name}: has {columns} columns, more than {MOST_COLUMNS}; keep only the columns that "
            "the policy names"
        )


def refuse_options(name: str, **given: object) -> None:
    """Raise InputError if one of these options is given, because the format of the table has none.

    name: the name of the table in messages. given: option -> value; None if it is not given. False
    is true of a format without the option, so it is allowed.
    """
    for option in [option for option, value in given.items() if value not in (None, False)]:
        raise InputError(f"{name}: this format has no {_HAVE[option]}; leave out `{option}`")


def refuse_duplicates(names: Sequence[str], table: str) -> None:
    """Raise InputError if two columns have the same name."""
    if len({*names}) < len(names):
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        raise InputError(
            f"{table}: duplicate column name {listed(twice)}; rename one of the columns, because "
            "the audit could read the wrong one"
        )


def _names(columns: Sequence[object]) -> tuple[str, ...]:
    if any(isinstance(column, tuple) for column in columns):
        raise InputError(
            "the table has column names of several levels; expected one name per column"
        )
    names = tuple(str(column) for column in columns)
    if not names:
        raise InputError("the table has no columns; expected at least one")
    refuse_duplicates(names, "the table")
    return names


def _numbered(frame: Any) -> Any:
    """Add a column of row numbers from 1."""
    if isinstance(frame, nw.DataFrame):
        return frame.with_row_index(ROW).with_columns(nw.col(ROW) + 1)
    if frame.implementation is nw.Implementation.POLARS:
        return nw.from_native(nw.to_native(frame).with_row_index(ROW, offset=1))
    # The rows of a distributed table have no order, so these numbers are arbitrary.
    return frame.with_row_index(ROW, order_by="c0").with_columns(nw.col(ROW) + 1)


def _normalized(frame: Any, names: Sequence[str], remarks: Remarks) -> Any:
    """Convert the cells that engines would write or compare differently.

    frame: has columns c0, c1, ... and `row`. names: the column names of the user. remarks: remarks
    on the columns are added.
    """
    changes, utc = [], []
    for inner, dtype in frame.collect_schema().items():
        cell = nw.col(inner)
        if dtype.is_nested() or dtype == nw.Binary:
            remarks.unusable[names[int(inner[1:])]] = several(str(dtype))
            absent = nw.lit(None, nw.String)
            changes.append(
                nw.when(cell.is_null()).then(absent).otherwise(nw.lit(UNREAD)).alias(inner)
            )
        elif isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
            utc.append(names[int(inner[1:])])
            changes.append(cell.dt.convert_time_zone("UTC").dt.replace_time_zone(None))
        elif dtype == nw.Duration:
            changes.append(_nanoseconds(cell, dtype.time_unit).alias(inner))
        elif dtype == nw.Time and frame.implementation is nw.Implementation.POLARS:
            changes.append(_time_of_day(cell).alias(inner))
        elif dtype.is_float() and dtype not in (nw.Float32, nw.Float64):
            changes.append(cell.cast(nw.Float32))
        elif dtype.is_float() and frame.implementation is not nw.Implementation.PANDAS:
            zero = nw.when(cell == 0.0).then(0.0).otherwise(cell)  # no negative zero
            changes.append(zero.cast(dtype).alias(inner))
    remarks.read_in_utc(utc)
    return frame.with_columns(*changes) if changes else frame


def _nanoseconds(cell: nw.Expr, unit: str) -> nw.Expr:
    """Return the text of a duration: its number of nanoseconds, which may exceed 64 bits."""
    count = cell.cast(nw.Int64)
    zeros = nw.lit("0" * _ZEROS[unit])
    text = nw.concat_str([count.cast(nw.String), zeros])
    return nw.when(count == 0).then(nw.lit("0")).otherwise(text)


def _time_of_day(cell: nw.Expr) -> nw.Expr:
    """Return the text of a Polars time of day, with 0, 6 or 9 fractional digits."""
    text = cell.dt.to_string("%H:%M:%S%.9f")
    whole, micros = text.str.ends_with(".000000000"), text.str.ends_with("000")
    short = nw.when(micros).then(text.str.head(15)).otherwise(text)
    return nw.when(whole).then(text.str.head(8)).otherwise(short)


def _from_arrow(table: Any, names: Sequence[str], remarks: Remarks) -> Any:
    """Return the Arrow table with columns c0, c1, ... of types by which Arrow can group rows."""
    import pyarrow as pa  # type: ignore[import-untyped]

    inner = [
        _arrow_column(column, name, remarks)
        for column, name in zip(table.columns, names, strict=True)
    ]
    return pa.table(inner, names=[f"c{i}" for i in range(len(inner))])


def _arrow_column(column: Any, name: str, remarks: Remarks) -> Any:
    """Convert a column if Arrow cannot group its type or writes it differently from other engines.

    String views become plain strings. Decimals that Arrow would write as 1E-9 become digits. Times
    of day become text with 0, 6 or 9 fractional digits. Bytes and calendar intervals are noted as
    unusable.
    """
    import pyarrow as pa
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    kind, types = column.type, pa.types
    if types.is_run_end_encoded(kind):
        decoded = [pc.run_end_decode(chunk) for chunk in column.chunks]
        return _arrow_column(pa.chunked_array(decoded, kind.value_type), name, remarks)
    if types.is_dictionary(kind) and not types.is_string(kind.value_type):
        return _arrow_column(column.cast(kind.value_type), name, remarks)
    if isinstance(kind, pa.BaseExtensionType):
        return _texts_of(column)
    if types.is_decimal(kind) and (kind.scale > 6 or kind.scale < 0):
        return _texts_of(column)
    if str(kind) == "string_view":  # few Arrow functions accept this type
        return column.cast(pa.string())
    if types.is_date64(kind):
        return column.cast(pa.date32(), safe=False)
    if types.is_time(kind):
        text = column.cast(pa.time64("ns")).cast(pa.string())
        text = pc.replace_substring_regex(text, r"\.000000000$", "")
        return pc.replace_substring_regex(text, r"(\.\d{6})000$", r"\1")
    if str(kind) in _NO_ARROW_VALUES or types.is_fixed_size_binary(kind):
        remarks.unusable[name] = several(str(kind))
        absent = pa.scalar(None, pa.string())
        return pc.if_else(column.is_null(), absent, pa.scalar(UNREAD, pa.string()))
    return column


def _texts_of(column: Any) -> Any:
    """Return the cells of an Arrow column as text. Equal cells are converted only once."""
    import pyarrow as pa

    whole = column.combine_chunks()
    storage = whole.storage if isinstance(column.type, pa.BaseExtensionType) else whole
    if pa.types.is_decimal(storage.type):  # Arrow cannot encode decimals of 32 and 64 bits
        storage = storage.cast(pa.decimal256(76, storage.type.scale))
    coded = storage.dictionary_encode()
    labels = coded.dictionary
    if isinstance(column.type, pa.BaseExtensionType):
        labels = pa.ExtensionArray.from_storage(column.type, labels)
    return pa.array([_cell(value) for value in labels.to_pylist()], pa.string()).take(coded.indices)


def _from_pandas(table: Any, names: Sequence[str], remarks: Remarks) -> Any:
    """Return the pandas table with columns c0, c1, ..., without its index.

    - Columns of mixed objects become text, because pandas treats 1, 1.0 and True as equal.
    - Category columns become text, so categories without rows are lost.
    - Float columns with missing cells and only whole numbers become integers. They were probably
      integers before: pandas turns integers into floats if a cell is missing.
    """
    import pandas as pd

    whole: list[str] = []
    inner: dict[str, Any] = {}
    for position, name in enumerate(names):
        series = table.iloc[:, position].reset_index(drop=True)
        kind = getattr(series.dtype, "kind", "O")
        if isinstance(series.dtype, pd.ArrowDtype):
            series = _plain_arrow(series, kind, name, remarks)
        if len(widths := _float_widths(series)) > 1:
            remarks.unusable[name] = (
                f"holds floats of {' and '.join(widths)} bits, which write the same number "
                'differently; convert the column with astype("float64")'
            )
        if isinstance(series.dtype, pd.CategoricalDtype):
            labels = [_cell(category) for category in series.cat.categories]
            codes = series.cat.codes.to_numpy()
            series = pd.Series([*labels, None], dtype=object).take(codes).reset_index(drop=True)
        elif kind == "f":
            values = series.to_numpy(dtype="float64", na_value=float("nan"))
            known = values[values == values]  # noqa: PLR0124 (NaN is not itself)
            if 0 < len(known) < len(values) and _are_whole(known):
                series = pd.Series(values).astype("Int64")
                whole.append(name)
            elif (known == 0).any():
                series = series + 0.0  # turns a negative zero into zero
        elif kind == "m":  # as text, because pandas turns integers into floats if one is missing
            zeros, there = "0" * _ZEROS[_unit(series)], series.notna()
            digits = series.astype("int64").astype(str).astype(object)
            series = (digits + zeros).where(digits != "0", "0").where(there, None)
        elif not _is_plain(series):
            try:
                series = series.map(_cell).astype(object)
            except InputError as refused:
                remarks.unusable[name] = f"cannot be read: {refused}"
                there = series.notna()
                series = pd.Series([UNREAD] * len(series), dtype=object).where(there, None)
        inner[f"c{position}"] = series
    if whole:
        message = f"column(s) {listed(whole)} hold whole numbers as floats because of missing "
        remarks.warnings.append(("float-integers", message + "values; read as integers"))
    return pd.DataFrame(inner, copy=False)


def _plain_arrow(series: Any, kind: str, name: str, remarks: Remarks) -> Any:
    """Convert a pandas column with Arrow data, so that its cells are as in other engines."""
    import pandas as pd
    import pyarrow as pa

    if kind == "f":
        numbers = series.to_numpy(dtype=series.dtype.numpy_dtype, na_value=float("nan"))
        return pd.Series(numbers)
    if kind == "m":
        return series
    held = pa.chunked_array(pa.array(series))
    narrow = pa.types.is_decimal(held.type)  # pandas cannot group decimals of 32 and 64 bits
    column = _texts_of(held) if narrow else _arrow_column(held, name, remarks)
    return pd.Series(column, dtype=pd.ArrowDtype(column.type))


def _unit(series: Any) -> str:
    """Return the unit (s, ms, us or ns) of a pandas column of durations."""
    held = getattr(series.dtype, "pyarrow_dtype", None)
    return str(held.unit if held is not None else np.datetime_data(series.dtype)[0])


def _are_whole(known: Any) -> bool:
    return bool((abs(known) < 2**53).all() and (known % 1 == 0).all())


def _is_plain(series: Any) -> bool:
    """Return True if pandas treats two cells as different whenever their texts differ."""
    import pandas as pd

    if isinstance(series.dtype, (pd.StringDtype, pd.DatetimeTZDtype)):
        return True
    if isinstance(series.dtype, pd.ArrowDtype):
        return True
    if series.dtype == object:
        return pd.api.types.infer_dtype(series) in {"string", "empty"}
    return series.dtype.kind in "biuM"


def _float_widths(series: Any) -> list[str]:
    """Return the different widths in bits of floats in an object column or among categories.

    Returns an empty list for columns of other types.
    """
    cells = series.dtype.categories if hasattr(series.dtype, "categories") else series
    if cells.dtype != object or _is_plain(series):
        return []
    kinds = cells[cells.notna()].map(type).unique()
    return sorted(
        {
            str(np.dtype(kind).itemsize * 8)
            for kind in kinds
            if issubclass(kind, (float, np.floating))
        }
    )


def _cell(value: object) -> str | None:
    """Return the text of a cell. Numbers are written as in the engines: never `-0.0` or `1E-9`."""
    if isinstance(value, decimal.Decimal) and value.is_finite():
        return format(value, "f")
    return cell_text(0.0 if isinstance(value, float) and value == 0 else value)
