"""Every type of Parquet, Arrow, pandas and Polars, and the text that its cells become.

The texts are written by hand from the rule of `anonaudit.cells.cell_text`. A cell that cannot come through
as it is makes its column unusable: whoever asks for it is refused by name.
"""

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from reading import expected, read

import anonaudit
from anonaudit.cells import cell_text
from anonaudit.errors import InputError
from anonaudit.source.table import open_source

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

DAY = dt.datetime(2020, 1, 2)  # noqa: DTZ001 (types without a zone)
HOUR = 3_600_000_000_000  # nanoseconds
LONG = [Decimal(1234567890123456789012345678901234567891), Decimal(10**39 + 2)]
TYPES = {
    "bool": (pa.bool_(), [True, False], ["True", "False"]),
    "int64": (pa.int64(), [2**63 - 1, 2**63 - 2], [str(2**63 - 1), str(2**63 - 2)]),
    "uint64": (pa.uint64(), [2**64 - 1, 2**64 - 2], [str(2**64 - 1), str(2**64 - 2)]),
    "float16": (pa.float16(), [np.float16(0.5), np.float16(2048)], ["0.5", "2048.0"]),
    "float32": (pa.float32(), [0.1, 16777216.0, 1e30], ["0.1", "16777216.0", "1e+30"]),
    "float64": (pa.float64(), [0.1, 1e16, -0.0], ["0.1", "1e+16", "0.0"]),
    "decimal32": (pa.decimal128(9, 2), [Decimal("1.10"), None], ["1.10", None]),
    "decimal128": (pa.decimal128(38, 0), [Decimal(10**37 + 1), Decimal(10**37 + 2)], None),
    "string": (pa.string(), ["01", "1", "NaN"], ["01", "1", "NaN"]),
    "large_string": (pa.large_string(), ["01", "1"], ["01", "1"]),
    "string_view": (pa.string_view(), ["01", None], ["01", None]),
    "date32": (pa.date32(), [dt.date(2020, 1, 2), None], ["2020-01-02", None]),
    "date64": (pa.date64(), [dt.date(2020, 1, 2), None], ["2020-01-02", None]),
    "time32": (
        pa.time32("ms"),
        [dt.time(1), dt.time(1, 0, 0, 5000)],
        ["01:00:00", "01:00:00.005000"],
    ),
    "time64": (
        pa.time64("ns"),
        [HOUR, HOUR + 1, HOUR + 2, HOUR + 500_000_000, None],
        ["01:00:00", "01:00:00.000000001", "01:00:00.000000002", "01:00:00.500000", None],
    ),
    "timestamp": (
        pa.timestamp("ns"),
        [1, 2, 1000, None],
        [*(f"1970-01-01 00:00:00.{n}" for n in ("000000001", "000000002", "000001")), None],
    ),
    "timestamp with a zone": (
        pa.timestamp("ns", "Asia/Tokyo"),
        [1, 2],
        ["1970-01-01 00:00:00.000000001", "1970-01-01 00:00:00.000000002"],
    ),
    "null": (pa.null(), [None, None], [None, None]),
}


def holders(table: Any, folder: Path) -> dict[str, Any]:
    """The same table in Arrow, in a Parquet file, in pandas over Arrow, and in Polars."""
    pl = pytest.importorskip("polars")
    pq.write_table(table, folder / "t.parquet")
    frame = pl.from_arrow(table)
    held = {"arrow": table, "parquet": folder / "t.parquet", "polars": frame, "lazy": frame.lazy()}
    if "string_view" not in map(str, table.schema.types):  # pandas does not know it
        held["pandas"] = table.to_pandas(types_mapper=pd.ArrowDtype)
    return held


@pytest.mark.parametrize("name", TYPES)
def test_one_text_in_every_holder(name: str, tmp_path: Path) -> None:
    kind, cells, texts = TYPES[name]
    texts = [format(cell, "f") for cell in cells] if texts is None else texts
    table = pa.table({"x": pa.array(cells, kind), "k": ["k"] * len(cells)})
    wanted = expected("xk", [(cell, "k") for cell in texts])
    for holder, held in holders(table, tmp_path).items():
        if (name, holder) in {("date64", "polars"), ("date64", "lazy")}:
            continue  # Polars makes times of them
        assert read(held) == wanted, holder


def test_types_of_arrow_alone() -> None:
    uuid = b"0123456789abcdef"
    made = {
        "r": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["a", "b"])),
        "d": pa.array([*LONG, None], pa.decimal256(40, 0)),
        "u": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([uuid, uuid, None], pa.binary(16))),
        "c": pa.array([1.5, None, 1.5]).dictionary_encode(),
    }
    spelled = "30313233-3435-3637-3839-616263646566"
    rows = [("a", str(LONG[0]), spelled, "1.5"), ("a", str(LONG[1]), spelled, None)]
    assert read(pa.table(made)) == expected("rduc", [*rows, ("b", None, None, "1.5")])


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_durations_are_nanoseconds_however_many(unit: str) -> None:
    """2**62 of a unit but the last are more nanoseconds than 64 bits hold."""
    size = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[unit]
    cells = [2**62, 2**62 - 1, 0, -3, None]
    wanted = expected("xk", [(None if n is None else str(n * size), "k") for n in cells])
    table = pa.table({"x": pa.array(cells, pa.duration(unit)), "k": ["k"] * 5})
    pl = pytest.importorskip("polars")
    held = [table, table.to_pandas(types_mapper=pd.ArrowDtype), table.to_pandas()]
    held += [pl.from_arrow(table)] if unit != "s" else []  # Polars has no seconds
    for one in held:
        assert read(one) == wanted
    series = pd.Series([np.timedelta64(n, unit) for n in cells[:-1]] + [None], dtype=object)
    assert [cell_text(cell) for cell in series] == [
        None if n is None else str(n * size) for n in cells
    ]


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary(1), pa.binary_view()])
def test_bytes_are_no_value(kind: Any) -> None:
    source = open_source(pa.table({"x": pa.array([b"a", None], kind), "k": ["k", "l"]}))
    assert source.unusable.keys() == {"x"}
    with pytest.raises(InputError, match=r"column 'x' holds .*binary.* cells; expected one value"):
        source.inner(["x"])


@pytest.mark.parametrize("cell", [bytearray(b"a"), memoryview(b"a"), frozenset("a"), {1}, b"a"])
def test_cells_of_several_values_are_refused(cell: object) -> None:
    with pytest.raises(InputError, match="a cell must hold one value"):
        cell_text(cell)


# --- Parquet


def test_decimals_wider_than_the_reader_are_refused_by_name(tmp_path: Path) -> None:
    """T2-45: two different numbers were one class of two."""
    for digits, places in ((40, 0), (39, 38), (76, 38)):
        cells = [Decimal(1), Decimal(2)]
        wide = pa.table({"id": pa.array(cells, pa.decimal256(digits, places)), "s": ["a", "b"]})
        pq.write_table(wide, tmp_path / "t.parquet")
        with pytest.raises(InputError, match=f"column 'id' holds decimals of {digits} digits"):
            anonaudit.audit(tmp_path / "t.parquet", quasi_identifiers=["id"])
        assert read(tmp_path / "t.parquet", "s") == expected("s", [("a",), ("b",)])


@pytest.mark.parametrize("zone", [None, "Asia/Tokyo"])
def test_old_times_keep_their_nanoseconds_and_their_years(tmp_path: Path, zone: str | None) -> None:
    """INT96, as Spark and Hive write; 64 bits of nanoseconds end in 2262."""
    for name, cells, unit in (("n", [1, 2, 500_000_000], "ns"), ("y", [253402214400], "s")):
        table = pa.table(
            {
                name: pa.array([*cells, None], pa.timestamp(unit, zone)),
                "k": ["k"] * (len(cells) + 1),
            }
        )
        pq.write_table(table, tmp_path / f"{name}.parquet", use_deprecated_int96_timestamps=True)
    texts = ["1970-01-01 00:00:00.000000001", "1970-01-01 00:00:00.000000002"]
    rows = [(cell, "k") for cell in (*texts, "1970-01-01 00:00:00.500000", None)]
    assert read(tmp_path / "n.parquet") == expected("nk", rows)
    assert read(tmp_path / "y.parquet") == expected(
        "yk", [("9999-12-31 00:00:00", "k"), (None, "k")]
    )


def test_the_zone_of_the_reader_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    pq.write_table(
        pa.table({"x": pa.array([1], pa.timestamp("ns", "UTC"))}), tmp_path / "t.parquet"
    )
    source = open_source(tmp_path / "t.parquet")
    assert read(source) == expected("x", [("1970-01-01 00:00:00.000000001",)])
    assert [code for code, _ in source.warnings] == ["times-in-utc"]


# --- folders of Parquet files


def folder(root: Path, *columns: Any) -> Path:
    for number, column in enumerate(columns):
        pq.write_table(pa.table({"q": ["x"], "s": column}), root / f"{number}.parquet")
    return root


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (pa.array([0.1], pa.float32()), pa.array([0.1]), "floats of 32 bits .* 64 bits"),  # T2-52
        (
            pa.array([0.5], pa.float16()),
            pa.array([0.5], pa.float32()),
            "floats of 16 bits .* 32 bits",
        ),
        (pa.array([True]), pa.array([1]), "truth values .* whole numbers"),
        (pa.array([1]), pa.array([1.0]), "whole numbers .* floats"),
        (pa.array([True]), pa.array(["true"]), "truth values .* text"),
        (pa.array(["1e16"]), pa.array([1e16]), "text .* floats"),
        (
            pa.array([Decimal("1.0")]),
            pa.array([Decimal("1.00")]),
            "decimals with 1 places .* 2 places",
        ),
        (pa.array([Decimal("1.0")]), pa.array([1]), "decimals .* whole numbers"),
        (pa.array([dt.date(2020, 1, 2)]), pa.array([DAY]), "dates .* times"),
        (
            pa.array([DAY], pa.timestamp("us")),
            pa.array([DAY], pa.timestamp("us", "UTC")),
            "times without a zone .* in UTC",
        ),
    ],
)
def test_parts_of_two_types_are_refused_by_name(
    tmp_path: Path, first: Any, second: Any, told: str
) -> None:
    for parts in ((first, second), (first, second, second)):
        path = folder(tmp_path, *parts)
        with pytest.raises(InputError, match=f"column 's' holds {told}.*; export all files"):
            anonaudit.audit(path, quasi_identifiers=["q"], sensitive=["s"])
        assert read(path, "q") == expected("q", [("x",)] * len(parts))


@pytest.mark.parametrize(
    ("first", "second", "texts"),
    [
        (pa.array([1], pa.int8()), pa.array([2**63 - 1]), ("1", str(2**63 - 1))),
        (
            pa.array([2**63 - 1]),
            pa.array([2**64 - 1], pa.uint64()),
            (str(2**63 - 1), str(2**64 - 1)),
        ),
        (pa.array([1]), pa.array(["x"]), ("1", "x")),
        (
            pa.array([Decimal(1)], pa.decimal128(38, 0)),
            pa.array([Decimal(2)], pa.decimal128(5, 0)),
            ("1", "2"),
        ),
        (pa.nulls(1), pa.array([0.5]), (None, "0.5")),
        (pa.nulls(1), pa.array([True]), (None, "True")),
        (
            pa.array([DAY], pa.timestamp("ms")),
            pa.array([DAY], pa.timestamp("us")),
            ("2020-01-02 00:00:00", "2020-01-02 00:00:00"),
        ),
    ],
)
def test_parts_whose_cells_come_through_are_one_table(
    tmp_path: Path, first: Any, second: Any, texts: tuple[str | None, str | None]
) -> None:
    path = folder(tmp_path, first, second)
    assert read(path, "q", "s") == expected("qs", [("x", cell) for cell in texts])


def test_a_part_without_a_named_column_is_named(tmp_path: Path) -> None:
    """T2-54: its rows were read as missing, without a word."""
    path = folder(tmp_path, pa.array(["a"]), pa.array(["b"]))
    pq.write_table(pa.table({"q": ["x"]}), path / "9.parquet")
    with pytest.raises(InputError, match=r"column 's' is not in 1 of 3 files \('9\.parquet'\)"):
        anonaudit.audit(path, quasi_identifiers=["q"], sensitive=["s"])
    report = anonaudit.audit(path, quasi_identifiers=["q"])
    assert (report.release.rows, report.models[0].measured) == (3, 3)


def test_old_times_in_some_files_and_new_ones_in_others(tmp_path: Path) -> None:
    table = pa.table({"q": ["x"], "s": pa.array([1], pa.timestamp("us"))})
    pq.write_table(table, tmp_path / "1.parquet", use_deprecated_int96_timestamps=True)
    pq.write_table(table, tmp_path / "2.parquet")
    with pytest.raises(
        InputError, match=r"column 's' holds times as INT96 in '1\.parquet' and times"
    ):
        read(tmp_path, "s")
    assert read(tmp_path, "q") == expected("q", [("x",), ("x",)])


@pytest.mark.parametrize(
    ("cells", "widths"),
    [
        ([np.float32(0.1), 0.1], "32 and 64"),
        ([np.float16(0.5), np.float32(0.5), None], "16 and 32"),
        ([np.float32(0.1), "x", np.float64(0.1)], "32 and 64"),
        ([np.float32(0.1), np.float32(0.2), None], ""),
        ([0.1, np.float64(0.2), float("nan"), 1, True, "x"], ""),
    ],
)
def test_floats_of_several_widths_in_one_column_of_pandas(cells, widths):
    """0.1 in 32 bits is another number than in 64, and has the same text."""
    table = pd.DataFrame({"q": pd.Series(cells, dtype=object)})
    source = open_source(table)
    if not widths:
        assert source.inner(["q"])
        return
    with pytest.raises(InputError, match=f"'q' holds floats of {widths} bits"):
        source.inner(["q"])
    if "x" in cells:
        with pytest.raises(InputError, match="holds floats of"):
            open_source(table.astype("category")).inner(["q"])


@pytest.mark.parametrize("bits", [32, 64])
def test_small_decimals_of_arrow_in_pandas(bits: int) -> None:
    kind = getattr(pa, f"decimal{bits}")(5, 2)
    cells = pa.array([Decimal("1.10"), Decimal("1.20"), None], pa.decimal128(30, 2)).cast(kind)
    frame = pd.DataFrame({"x": pd.Series(pd.arrays.ArrowExtensionArray(cells))})
    assert read(frame) == expected("x", [("1.10",), ("1.20",), (None,)])


def test_a_cell_without_a_text_is_refused_by_its_column() -> None:
    class Cell:
        def __str__(self) -> str:
            raise KeyError("canary")

    frame = pd.DataFrame({"x": [Cell(), Cell()], "k": ["a", "b"]})
    with pytest.raises(InputError, match=r"'x' cannot be read: .* type Cell .*KeyError") as caught:
        read(frame)
    assert "canary" not in str(caught.value)
