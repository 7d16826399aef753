"""The same table gives the same frequency set, whatever holds it.

What is expected is worked out by hand in each case, or by a loop over the cells; no engine is
measured by another.
"""

import datetime as dt
import decimal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import Cell, expected, read, written

D = decimal.Decimal
UTC = dt.UTC


def naive(*parts: int) -> dt.datetime:
    return dt.datetime(*parts, tzinfo=UTC).replace(tzinfo=None)


Rows = Sequence[Sequence[Cell]]


def polars() -> Any:
    return pytest.importorskip("polars")


def pyarrow() -> Any:
    return pytest.importorskip("pyarrow")


def parquet_file(table: Any, folder: Path, **options: Any) -> Path:
    pytest.importorskip("pyarrow.parquet").write_table(table, folder / "t.parquet", **options)
    return folder / "t.parquet"


def arrow_table(columns: Sequence[str], rows: Rows, kind: Any = None) -> Any:
    pa = pyarrow()
    kind = kind or pa.string()
    cells = [pa.array([row[i] for row in rows], pa.string()) for i in range(len(columns))]
    if pa.types.is_dictionary(kind):
        return pa.table([c.dictionary_encode() for c in cells], names=list(columns))
    return pa.table([c.cast(kind) for c in cells], names=list(columns))


def pandas_table(columns: Sequence[str], rows: Rows, kind: Any = object) -> Any:
    cells = {c: [row[i] for row in rows] for i, c in enumerate(columns)}
    table = pd.DataFrame(cells, dtype=object).astype(kind)
    # An index is nobody's business.
    return table.set_axis([7] * len(table)) if len(rows) % 2 else table


def csv_file(columns: Sequence[str], rows: Rows, folder: Path) -> Path:
    path = folder / "t.csv"
    path.write_text(written(columns, [[c or "" for c in row] for row in rows]), newline="")
    return path


def duckdb_relation(columns: Sequence[str], rows: Rows) -> Any:
    connection = duckdb.connect()
    names = ", ".join(f'"{c}" VARCHAR' for c in columns)
    connection.execute(f"CREATE TABLE t ({names})")
    marks = ", ".join("?" * len(columns))
    for row in rows:
        connection.execute(f"INSERT INTO t VALUES ({marks})", list(row))
    return connection.table("t")


HOLDERS: dict[str, Callable[[Sequence[str], Rows, Path], Any]] = {
    "csv": csv_file,
    "parquet": lambda c, r, f: parquet_file(arrow_table(c, r), f),
    "parquet without dictionaries": lambda c, r, f: parquet_file(
        arrow_table(c, r), f, use_dictionary=False, row_group_size=2
    ),
    "pandas object": lambda c, r, _: pandas_table(c, r),
    "pandas str": lambda c, r, _: pandas_table(c, r, "str"),
    "pandas string[python]": lambda c, r, _: pandas_table(c, r, "string[python]"),
    "pandas string[pyarrow]": lambda c, r, _: pyarrow() and pandas_table(c, r, "string[pyarrow]"),
    "pandas category": lambda c, r, _: pandas_table(c, r, "category"),
    "polars": lambda c, r, _: polars().DataFrame(r, schema=list(c), orient="row"),
    "polars lazy": lambda c, r, _: polars().LazyFrame(r, schema=list(c), orient="row"),
    "polars categorical": lambda c, r, _: polars().DataFrame(
        r, schema=dict.fromkeys(c, polars().Categorical), orient="row"
    ),
    "arrow": lambda c, r, _: arrow_table(c, r),
    "arrow dictionary": lambda c, r, _: arrow_table(
        c, r, pyarrow().dictionary(pyarrow().int32(), pyarrow().string())
    ),
    "arrow large_string": lambda c, r, _: arrow_table(c, r, pyarrow().large_string()),
    "arrow string_view": lambda c, r, _: arrow_table(c, r, pyarrow().string_view()),
    "duckdb": lambda c, r, _: duckdb_relation(c, r),
}

COLUMNS = ("zip code", "Age", "age", "row", "n", "c0")
ROWS = [
    ("01234", "NA", "x", " x ", "*", "1"),
    ("01234", "NA", "x", " x ", "*", "1"),
    ("1234", None, "X", "x", "**", "1.0"),
    ("1234", "", "X", "x", "?", "True"),
    ("nan", "None", "NaN", "NULL", "null", "<NA>"),
    ("*", None, "", "'", '"', ";"),
    ("two\nlines", "é😀", "a,b", "\\N", "#", "%"),
]


@pytest.mark.parametrize("holder", HOLDERS)
def test_texts(holder: str, tmp_path: Path) -> None:
    # A table of DuckDB's has no names that differ only in case.
    columns = tuple("AGE 2" if c == "age" and holder == "duckdb" else c for c in COLUMNS)
    table = HOLDERS[holder](columns, ROWS, tmp_path)
    assert read(table) == expected(columns, ROWS)
    picked = [(row[5], row[0]) for row in ROWS]
    assert read(table, "c0", "zip code") == expected(("c0", "zip code"), picked)


@pytest.mark.parametrize("holder", HOLDERS)
def test_no_rows(holder: str, tmp_path: Path) -> None:
    if holder.startswith("polars"):
        pl = polars()
        kind = pl.Categorical if "categorical" in holder else pl.String
        table = pl.DataFrame(schema={"a": kind, "b": kind})
        table = table.lazy() if "lazy" in holder else table
    else:
        table = HOLDERS[holder](("a", "b"), [], tmp_path)
    assert read(table) == expected("ab", [])


@settings(max_examples=10)
@given(
    st.lists(
        st.tuples(*[st.sampled_from([None, "", "*", "a", "A", " a", "NA", "1", "1.0", "é\n"])] * 3)
    )
)
def test_any_texts(tmp_path_factory: pytest.TempPathFactory, rows: Rows) -> None:
    folder = tmp_path_factory.getbasetemp()
    truth = expected("klm", rows)
    for name, holder in HOLDERS.items():
        if not (name.startswith("polars") and not rows):  # which then does not know their type
            assert read(holder("klm", rows, folder)) == truth, name


# Columns of other types: what is in them, and the text of each cell, by hand.
TYPED: dict[str, tuple[str, list[Any], list[Cell]]] = {
    "int64": ("int64", [2**53 + 1, 2**53, -1, None, 0], ["9007199254740993", "9007199254740992", "-1", None, "0"]),
    "uint64": ("uint64", [2**64 - 1, 7, None], ["18446744073709551615", "7", None]),
    "int8": ("int8", [-128, 127, None, 127], ["-128", "127", None, "127"]),
    "float64": ("float64", [0.1, 1e16, 1e22, 2.0, None, float("nan"), float("inf")], ["0.1", "1e+16", "1e+22", "2.0", None, None, "inf"]),
    "float32": ("float32", [0.1, 2.5, None, 2.5], ["0.1", "2.5", None, "2.5"]),
    "negative zero": ("float64", [-0.0, 0.0, 0.5], ["0.0", "0.0", "0.5"]),
    "bool": ("bool_", [True, False, None, True], ["True", "False", None, "True"]),
    "date": ("date32", [dt.date(1969, 12, 31), dt.date(1, 1, 1), dt.date(9999, 12, 31), None], ["1969-12-31", "0001-01-01", "9999-12-31", None]),
    "time": ("time64", [dt.time(1, 2), dt.time(1, 2, 3, 4), None], ["01:02:00", "01:02:03.000004", None]),
    "timestamp": ("timestamp", [naive(2020, 1, 2), naive(1900, 1, 1, 5, 6, 7, 8), None], ["2020-01-02 00:00:00", "1900-01-01 05:06:07.000008", None]),
    "timestamp with a zone": ("timestamptz", [dt.datetime(2020, 7, 1, 12, tzinfo=UTC), None], ["2020-07-01 12:00:00", None]),
    "decimal": ("decimal", [D("1.10"), D("0.00"), D("-3.50"), None], ["1.10", "0.00", "-3.50", None]),
    "small decimal": ("decimal9", [D("1E-9"), D("0E-9"), D("-3.5"), None], ["0.000000001", "0.000000000", "-3.500000000", None]),
    "nothing": ("null", [None, None], [None, None]),
}  # fmt: skip

ARROW_HOLDERS: dict[str, Callable[[Any, Path], Any]] = {
    "arrow": lambda table, _: table,
    "polars": lambda table, _: polars().from_arrow(table),
    "polars lazy": lambda table, _: polars().from_arrow(table).lazy(),
    "pandas": lambda table, _: table.to_pandas(integer_object_nulls=True),
    "pandas of arrow": lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
    "parquet": parquet_file,
    "duckdb": lambda table, _: duckdb.connect().from_arrow(table),
}


def typed(kind: str, cells: list[Any]) -> Any:
    pa = pyarrow()
    kinds = {
        "time64": pa.time64("us"),
        "timestamp": pa.timestamp("us"),
        "timestamptz": pa.timestamp("us", "Europe/Berlin"),
        "decimal": pa.decimal128(12, 2),
        "decimal9": pa.decimal128(20, 9),
    }
    return pa.table({"k": pa.array(cells, kinds.get(kind) or getattr(pa, kind)())})


@pytest.mark.parametrize("holder", ARROW_HOLDERS)
@pytest.mark.parametrize("case", TYPED)
def test_other_types(
    case: str, holder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")  # where the reader sits must not matter
    kind, cells, texts = TYPED[case]
    table = ARROW_HOLDERS[holder](typed(kind, cells), tmp_path)
    assert read(table) == expected("k", [(text,) for text in texts])


@pytest.mark.parametrize("holder", ["arrow", "polars", "polars lazy", "pandas", "pandas of arrow"])
def test_spans_of_time_are_nanoseconds(holder: str, tmp_path: Path) -> None:
    pa = pyarrow()
    spans = [dt.timedelta(days=-1, seconds=5), dt.timedelta(0), None, dt.timedelta(microseconds=3)]
    table = pa.table({"k": pa.array(spans, pa.duration("us"))})
    texts = ["-86395000000000", "0", None, "3000"]
    assert read(ARROW_HOLDERS[holder](table, tmp_path)) == expected("k", [(t,) for t in texts])


@pytest.mark.parametrize("holder", ["arrow", "polars", "parquet", "duckdb"])
def test_categories_of_numbers(holder: str, tmp_path: Path) -> None:
    pa = pyarrow()
    table = pa.table({"k": pa.array([3, None, 1, 3]).dictionary_encode()})
    assert read(ARROW_HOLDERS[holder](table, tmp_path)) == expected(
        "k", [("3",), (None,), ("1",), ("3",)]
    )


def test_polars_enum() -> None:
    pl = polars()
    table = pl.DataFrame({"k": ["b", None, "a", "b"]}, schema={"k": pl.Enum(["a", "b", "unused"])})
    assert read(table) == expected("k", [("b",), (None,), ("a",), ("b",)])


def test_duckdb_enum_uuid_and_interval() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TYPE band AS ENUM ('low', 'high')")
    relation = connection.sql(
        "SELECT 'high'::band AS k, '6ba7b810-9dad-11d1-80b4-00c04fd430c8'::UUID AS u, "
        "INTERVAL 1 MONTH AS i UNION ALL SELECT NULL, NULL, INTERVAL 30 DAY"
    )
    assert read(relation) == expected(
        "kui",
        [("high", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "1 month"), (None, None, "30 days")],
    )


@pytest.mark.parametrize("holder", ["arrow", "polars", "parquet", "duckdb"])
def test_cells_with_several_values_are_refused_only_where_they_are_used(
    holder: str, tmp_path: Path
) -> None:
    from anonaudit.errors import InputError

    pa = pyarrow()
    table = pa.table(
        {"k": ["a", "b"], "l": [[1, 2], []], "s": [{"x": 1}, {"x": 2}], "b": [b"1", b"2"]}
    )
    held = ARROW_HOLDERS[holder](table, tmp_path)
    assert read(held, "k") == expected("k", ["a", "b"])
    for column in "lsb":
        with pytest.raises(InputError, match=f"column '{column}' holds .* cells; expected one"):
            read(held, column)
