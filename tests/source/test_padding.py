"""Records without a value in any column: padding, which is counted apart and stands for nobody.

What is padding is said by a loop over the cells as they were written. Spreadsheets write such lines
below a table (wireservice/csvkit#1108), and between the blocks of one.
"""

import datetime as dt
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from engines.test_engines import ARROW_HOLDERS, HOLDERS
from reading import expected, facts, file, read

from anonaudit.cells import Convention
from anonaudit.frequency.counting import CountedInParts, count
from anonaudit.frequency.frequency_set import in_row_order
from anonaudit.frequency.too_fine import class_sizes_told
from anonaudit.source import Source, duck_parts, open_source
from anonaudit.source.table import ROW_NUMBER, own_table

COLUMNS = ("age", "sex", "note")
ROWS = [
    ("", None, None),  # 1, padding before the first record
    ("30", "F", None),
    (None, None, "x"),  # 3, a value in a column that nobody may count
    (None, "", ""),  # 4, padding
    ("*", "NA", " "),
    (None, None, " "),  # 6, a blank is a text
    (None, None, None),  # 7 and 8, padding
    ("", "", ""),
]
PADDING = 4


def told(number: int) -> tuple[str, str]:
    return "empty-records", f"left out {number} record(s) without a value in any column"


@pytest.mark.parametrize("holder", HOLDERS)
def test_every_engine_leaves_out_the_same_records(holder: str, tmp_path: Path) -> None:
    table = HOLDERS[holder](COLUMNS, ROWS, tmp_path)
    source = open_source(table)
    kept = [row for row in ROWS if any(row)]
    assert len(ROWS) - len(kept) == PADDING
    assert facts(count(source, COLUMNS)) == expected(COLUMNS, kept)
    assert source.warnings == [told(PADDING)]
    # Two columns of three: what was left out stays so, and is told once.
    some = [row[:2] for row in kept]
    assert facts(count(source, COLUMNS[:2])) == expected(COLUMNS[:2], some, whole=False)
    assert source.warnings == [told(PADDING)]
    again = open_source(HOLDERS[holder](COLUMNS, ROWS, tmp_path))
    assert facts(count(again, COLUMNS[:2])) == expected(COLUMNS[:2], some, whole=False)
    assert again.warnings == [told(PADDING)]
    # Records in their order, numbered without gaps.
    numbered = count(open_source(HOLDERS[holder](COLUMNS, ROWS, tmp_path)), (ROW_NUMBER, "note"))
    codes = numbered.column("note")[in_row_order(numbered)]
    assert [numbered.labels_of("note")[code] for code in codes] == [row[2] or "" for row in kept]
    assert numbered.labels_of(ROW_NUMBER)[2:] == ("1", "2", "3", "4")


NO_VALUE: dict[str, list[Any]] = {
    "int64": [1, None, None],
    "float64": [1.5, float("nan"), None],
    "float32": [1.5, None, float("nan")],
    "bool_": [True, None, None],
    "date32": [dt.date(2020, 1, 1), None, None],
    "string": ["x", "", None],
    "binary": [b"x", None, None],
}


@pytest.mark.parametrize("holder", ARROW_HOLDERS)
def test_no_value_of_any_type(holder: str, tmp_path: Path) -> None:
    """Rows 2 and 3 have none: null, an empty text, no number."""
    pa = pytest.importorskip("pyarrow")
    columns = {kind: pa.array(cells, getattr(pa, kind)()) for kind, cells in NO_VALUE.items()}
    columns["time"] = pa.array([0, None, None], pa.timestamp("us"))
    columns["zone"] = pa.array([0, None, None], pa.timestamp("us", "UTC"))
    columns["decimal"] = pa.array([Decimal("1E-9"), None, None], pa.decimal128(20, 9))
    columns["category"] = pa.array(["x", None, None]).dictionary_encode()
    columns["nothing"] = pa.nulls(3)
    source = open_source(ARROW_HOLDERS[holder](pa.table(columns), tmp_path))
    assert count(source, ["int64", "string"]).total == 1
    assert told(2) in source.warnings


@pytest.mark.parametrize("holder", ARROW_HOLDERS)
def test_a_cell_of_several_values_is_a_value(holder: str, tmp_path: Path) -> None:
    """Nobody may ask for it, but the record that has it is no padding."""
    pa = pytest.importorskip("pyarrow")
    lists = pa.array([None, [1], None, []], pa.list_(pa.int64()))
    table = pa.table({"a": ["x", None, None, None], "visits": lists})
    source = open_source(ARROW_HOLDERS[holder](table, tmp_path))
    assert facts(count(source, "a")) == expected("a", ["x", [None], [None]], whole=False)
    assert told(1) in source.warnings


def test_a_value_in_an_object_of_pandas_that_holds_lists() -> None:
    visits = pd.Series([None, [1], float("nan")], dtype=object)
    source = open_source(pd.DataFrame({"a": ["x", None, None], "visits": visits}))
    assert facts(count(source, "a")) == expected("a", ["x", [None]], whole=False)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_one_column(tmp_path: Path, form: str) -> None:
    """With one column a record without a value there has none anywhere."""
    path = tmp_path / f"t.{form}"
    if form == "csv":
        path.write_text("a\nx\n\n\n*\n")
    else:
        pytest.importorskip("pyarrow")
        pd.DataFrame({"a": ["x", None, "", "*"]}).to_parquet(path)
    source = open_source(path)
    assert facts(count(source, "a")) == expected("a", ["x", "*"])
    assert source.warnings == [told(2)]


def test_padding_in_a_folder_of_parquet_files(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for name, cells in {"a": ["x", None], "b": [None, "y"]}.items():
        pq.write_table(pa.table({"k": cells, "l": cells}), tmp_path / f"{name}.parquet")
    source = open_source(tmp_path)
    assert count(source, "k").total == 2
    assert source.warnings == [told(2)]


def test_padding_of_a_file_that_engines_refuse(tmp_path: Path) -> None:
    """A mixed line end: DuckDB reads the clean copy, and all of its records are still there."""
    source = open_source(file(tmp_path, 'a,b\r\n1,"x\ny"\n,\n\n"",""\r\n3,\n'))
    assert facts(count(source, "b")) == expected("b", [("x\ny",), ("",)], whole=False)
    codes = [code for code, _ in source.warnings]
    assert codes == ["blank-lines", "empty-records"]
    assert told(2) in source.warnings


READINGS = [
    # named columns of the rows, how often the table is gone through
    ([("1", "2"), (None, "2"), ("1", None)], 1),  # no record lacks both
    ([("1", "2"), (None, None)], 2),  # one does, and has a value elsewhere
]


@pytest.mark.parametrize(("rows", "times"), READINGS)
def test_other_columns_are_read_only_if_a_record_has_no_value_in_those_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[Any], times: int
) -> None:
    pytest.importorskip("pyarrow")
    columns: dict[str, Any] = {"a": [row[0] for row in rows], "b": [row[1] for row in rows]}
    path = tmp_path / "t.parquet"
    pd.DataFrame(columns | {"other": "x"}).to_parquet(path)
    gone_through, true = Counter[str](), Source.collect
    monkeypatch.setattr(Source, "collect", lambda *given: gone_through.update("x") or true(*given))
    source = open_source(path)
    assert count(source, "ab").total == len(rows)
    assert gone_through.total() == times
    count(source, "ab")
    assert gone_through.total() == times + 1  # padding is looked for once


def test_tokens_that_mean_missing_are_written(tmp_path: Path) -> None:
    """No rule of a policy makes padding: a record of `?` was written for somebody."""
    source = open_source(file(tmp_path, "a,b\n?,?\n1,2\n,\n"))
    assert count(source, "ab", Convention(missing=("?",))).total == 2
    assert source.warnings == [told(1)]


def test_a_count_column_of_padding_is_empty(tmp_path: Path) -> None:
    source = open_source(file(tmp_path, "a,n\nx,3\n,\ny,4\n,2\n"))
    assert dict(
        zip(["", "x", "y"], count(source, "a", weight="n").counts.tolist(), strict=True)
    ) == {"": 2, "x": 3, "y": 4}


def test_a_table_of_padding_alone_has_no_record(tmp_path: Path) -> None:
    source = open_source(file(tmp_path, "a,b\n,\n,\n"))
    assert count(source, "ab").total == 0
    assert source.warnings == [told(2)]


def test_parts_of_a_file_have_no_padding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duck_parts, "parts_needed", lambda *_: 3)
    path = file(tmp_path, "age,dx,x\n1,flu,\n,,\n2,flu,\n,,v\n,,\n")
    source = open_source(path)
    parts = CountedInParts(source, ["age", "dx"], ["age"], Convention(missing=("2",)))
    assert sum(part.total for part in parts) == 3
    assert source.warnings == [told(2)]


def test_padding_may_be_looked_for_before_anything_is_counted(tmp_path: Path) -> None:
    """The records that are left and the padding are as many as the file holds."""
    source = open_source(file(tmp_path, "a,b\n1,2\n,\n3,4\n"))
    assert source.leave_out_padding()
    assert count(source, "ab").total == 2
    assert not source.leave_out_padding()


def test_a_file_that_is_read_anew_has_no_padding_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where DuckDB fails once it is known, the clean copy is read."""
    source = open_source(file(tmp_path, "a,b\n1,2\n,\n3,4\n"))
    assert count(source, "ab").total == 2
    opened = source._file
    assert opened is not None
    answers = iter([opened._from_clean_copy(), None])  # type: ignore[attr-defined]
    monkeypatch.setattr(opened, "reread", lambda *_: next(answers))
    assert count(source, "ab").total == 2


def test_class_sizes_are_told_without_padding(tmp_path: Path) -> None:
    """Two rows of age 1 are the only class."""
    source = open_source(file(tmp_path, "age,dx\n1,flu\n,\n1,hiv\n"))
    told = class_sizes_told(source, ["age"])
    assert told.startswith(
        "There are 1 combinations of quasi-identifiers; the smallest class has 2"
    )


@pytest.mark.long
def test_a_thousand_columns(tmp_path: Path) -> None:
    """More conditions than SQL nests."""
    wide = 1_500
    path = file(
        tmp_path,
        "\n".join(
            [",".join(f"x{i}" for i in range(wide)), "," * (wide - 1), "1" + "," * (wide - 1), ""]
        ),
    )
    source = open_source(path)
    assert count(source, ["x7"]).total == 1


def test_tables_of_our_own_have_none() -> None:
    """Columns may have been left out, so a row without a value still stands for somebody."""
    frame = pd.DataFrame({"a": ["x", None], "b": [None, None]}, dtype=object)
    ours, theirs = own_table(frame), open_source(frame)
    assert [count(source, "ab").total for source in (ours, theirs)] == [2, 1]
    assert (ours.warnings, theirs.warnings) == ([], [told(1)])


def test_relations_of_duckdb_are_looked_through() -> None:
    relation = duckdb.sql("SELECT NULL::INTEGER AS a, ''::VARCHAR AS b UNION ALL SELECT 1, NULL")
    assert read(relation) == expected("ab", [("1", None)])
