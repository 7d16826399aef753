"""What holds a table, and what becomes of it: indexes, types, odd files, folders, threads."""

import gzip
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from reading import expected, facts, file, parsed, read, written

from anonaudit.errors import InputError
from anonaudit.frequency.counting import count
from anonaudit.source.table import ROW, TableFile, open_source

TEXT = "a,b\n1,x\n2,y\n2,y\n"
ROWS = [("1", "x"), ("2", "y"), ("2", "y")]


def warned(source: Any) -> list[str]:
    return [code for code, _ in source.warnings]


def rows_of(table: Any) -> list[tuple[str, int]]:
    """Each cell of the first column with the number of its row, in the order of these."""
    source = open_source(table)
    found = source.collect(lambda frame: frame.select(ROW, "c0"))
    return sorted(
        zip(found[ROW].tolist(), map(str, found["c0"].tolist()), strict=True), key=lambda p: p[0]
    )


# --- pandas


@pytest.mark.parametrize(
    "index",
    [[2, 0, 1], [5, 5, 5], ["a", None, "a"], pd.MultiIndex.from_product([[1], [1, 2, 3]])],
)
def test_an_index_means_nothing(index: Any) -> None:
    table = pd.DataFrame({"a": ["1", "2", "2"], "b": ["x", "y", "y"]}).set_axis(index, axis=0)
    assert read(table) == expected("ab", ROWS)
    assert rows_of(table) == [(1, "1"), (2, "2"), (3, "2")]
    assert table.columns.tolist() == ["a", "b"]


def test_mixed_cells_keep_apart() -> None:
    cells = [1, 1.0, True, "1", "True", "1.0", None, float("nan"), pd.NA, "", np.int8(1), "nan"]
    table = pd.DataFrame({"a": pd.Series(cells, dtype=object)})
    texts = ["1", "1.0", "True", "1", "True", "1.0", None, None, None, None, "1", "nan"]
    assert read(table) == expected("a", [(text,) for text in texts])


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NaT, pd.NA, np.datetime64("NaT")])
def test_whatever_pandas_calls_missing_is_missing(missing: object) -> None:
    table = pd.DataFrame({"a": pd.Series(["x", missing], dtype=object)})
    assert read(table) == expected("a", [("x",), (None,)])


@pytest.mark.parametrize(
    ("dtype", "cells", "texts"),
    [
        ("Int64", [2**53 + 1, None, 2**53], ["9007199254740993", None, "9007199254740992"]),
        ("UInt8", [7, None], ["7", None]),
        ("boolean", [True, None, False], ["True", None, "False"]),
        ("Float64", [0.5, None, 2.0], ["0.5", None, "2.0"]),
        ("Float32", [0.1, None], ["0.1", None]),
        ("float64", [-0.0, 0.0, 1.5], ["0.0", "0.0", "1.5"]),
        ("float64", [1.0, 2.0], ["1.0", "2.0"]),
        ("complex128", [1 + 2j], ["(1+2j)"]),
        ("datetime64[s]", ["2020-01-02", None], ["2020-01-02 00:00:00", None]),
        ("datetime64[ns]", ["2020-01-02 03:04:05.6"], ["2020-01-02 03:04:05.600000"]),
        ("datetime64[ns, Asia/Tokyo]", ["2020-01-02 12:00", None], ["2020-01-02 03:00:00", None]),
        ("timedelta64[s]", [3, None], ["3000000000", None]),
        ("period[M]", ["2020-01", None], ["2020-01", None]),
        ("Sparse[float64]", [1.5, float("nan")], ["1.5", None]),
        ("category", ["x", None, "x"], ["x", None, "x"]),
    ],
)
def test_types_of_pandas(dtype: str, cells: list[Any], texts: list[str | None]) -> None:
    table = pd.DataFrame({"a": pd.Series(cells, dtype=dtype)})
    assert read(table) == expected("a", [(text,) for text in texts])


def test_categories_nobody_has_and_categories_that_are_no_text() -> None:
    unused = pd.Categorical(["x", None], categories=["w", "x", "y"])
    numbers = pd.Categorical([2, 1], categories=[3, 2, 1])
    bands = pd.cut([5, 15], [0, 10, 20])
    table = pd.DataFrame({"a": unused, "b": numbers, "c": bands}).iloc[::-1]
    assert read(table) == expected("abc", [(None, "1", "(10, 20]"), ("x", "2", "(0, 10]")])


def test_whole_numbers_that_became_fractions_are_read_as_such_and_it_is_said() -> None:
    table = pd.DataFrame(
        {
            "a": [1.0, None, 7.0],
            "b": [1.5, None, 7.0],
            "c": [1.0, 2.0, 7.0],
            "d": [None, None, float("nan")],
            "e": [2.0**53, None, 1.0],
            "f": [float("inf"), None, 1.0],
        }
    )
    source = open_source(table)
    assert facts(count(source, "abcdef")) == expected(
        "abcdef",
        [
            ("1", "1.5", "1.0", None, "9007199254740992.0", "inf"),
            (None, None, "2.0", None, None, None),
            ("7", "7.0", "7.0", None, "1.0", "1.0"),
        ],
    )
    assert warned(source) == ["float-integers"]
    assert "column(s) 'a' hold" in source.warnings[0][1]


def test_names_that_are_no_text() -> None:
    assert open_source(
        pd.DataFrame([[1, 2]], columns=pd.Index([0, None], dtype=object))
    ).columns == (
        "0",
        "None",
    )
    with pytest.raises(InputError, match="duplicate column name '1'"):
        open_source(pd.DataFrame([[1, 2]], columns=[1, "1"]))
    with pytest.raises(InputError, match="column names of several levels"):
        open_source(pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])))


def test_a_table_is_not_changed() -> None:
    table = pd.DataFrame({"a": [1.0, None], "b": pd.Series([1, "x"], dtype=object)}, index=[3, 3])
    before = table.copy(deep=True)
    read(table)
    pd.testing.assert_frame_equal(table, before)


def test_cells_that_hold_several_values_are_refused_where_they_are_used() -> None:
    source = open_source(pd.DataFrame({"a": ["x"], "b": pd.Series([[1, 2]], dtype=object)}))
    assert facts(count(source, "a")) == expected("a", ["x"])
    with pytest.raises(InputError, match="column 'b' cannot be read: a cell must hold one value"):
        count(source, "b")


# --- other tables


def test_a_narwhals_frame_is_the_frame_in_it() -> None:
    table = pd.DataFrame({"a": pd.Series([1, True, "1"], dtype=object)}).set_axis([1, 1, 1])
    assert read(nw.from_native(table)) == expected("a", [("1",), ("True",), ("1",)])


@pytest.mark.parametrize("lazy", [False, True])
def test_rows_of_polars_are_numbered_from_one(lazy: bool) -> None:
    pl = pytest.importorskip("polars")
    table = pl.DataFrame({"a": ["u", "v", "w"]})
    assert rows_of(table.lazy() if lazy else table) == [(1, "u"), (2, "v"), (3, "w")]


def test_rows_of_arrow_duckdb_and_files_are_numbered_from_one(tmp_path: Path) -> None:
    wanted = [(1, "u"), (2, "v"), (3, "w")]
    assert rows_of(duckdb.sql("SELECT unnest(['u', 'v', 'w']) AS row")) == wanted
    assert rows_of(file(tmp_path, "a\nu\nv\nw\n")) == wanted
    assert rows_of(file(tmp_path, "a\nu\r\nv\rw\n")) == wanted
    pa = pytest.importorskip("pyarrow")
    assert rows_of(pa.table({"a": ["u", "v", "w"]})) == wanted


def test_columns_of_a_relation_are_taken_by_their_position() -> None:
    relation = duckdb.sql("""SELECT '1' AS "Age", '2' AS "age", '3' AS c0, '4' AS "c1" """)
    assert read(relation) == expected(("Age", "age", "c0", "c1"), [("1", "2", "3", "4")])
    with pytest.raises(InputError, match="duplicate column name 'a'"):
        open_source(duckdb.sql("SELECT 1 AS a, 2 AS a"))


def test_columns_of_arrow_may_not_share_a_name() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(InputError, match="duplicate column name 'a'"):
        open_source(table)


@pytest.mark.parametrize("table", [None, 7, [["a"], [1]], {"a": [1]}, np.zeros((2, 2)), object()])
def test_what_is_no_table_is_refused(table: object) -> None:
    kind = type(table).__name__
    with pytest.raises(InputError, match=f"of type {kind}; expected a path, or a pandas"):
        open_source(table)


def test_a_table_without_columns_is_refused() -> None:
    with pytest.raises(InputError, match="has no columns; expected at least one"):
        open_source(pd.DataFrame(index=[1, 2]))


def test_a_source_is_opened_once() -> None:
    source = open_source(pd.DataFrame({"a": ["x"]}), name="mine")
    assert open_source(source) is source
    assert (source.name, source.sha256) == ("mine", None)


# --- a table and its format


def test_a_table_file_is_kept_and_its_format_with_it(tmp_path: Path) -> None:
    """The file has the delimiter `^`, which is not detected."""
    (tmp_path / "t.csv").write_text("a^b\n1^\xe4\n", "cp1252")
    file = TableFile(tmp_path / "t.csv", delimiter="^", encoding="cp1252")
    assert TableFile.of(file) is file
    own = {"delimiter": "^", "encoding": "cp1252"}
    assert TableFile.of(tmp_path / "t.csv", **own) == file  # type: ignore[arg-type]
    for opened in (file.open(), open_source(file), TableFile(file).open()):
        assert opened.columns == ("a", "b")
    frame = TableFile(pd.DataFrame({"a": ["x"]}))
    assert [open_source(frame, name="mine").name, frame.open().name] == ["mine", "table in memory"]


@pytest.mark.parametrize(
    "option", [{"delimiter": ";"}, {"encoding": "cp1252"}, {"engine": "spark"}, {"delimiter": ""}]
)
def test_a_table_file_and_a_format_beside_it_are_refused(
    tmp_path: Path, option: dict[str, Any]
) -> None:
    (tmp_path / "t.csv").write_text("a|b;c\n1|2;3\n")
    file = TableFile(tmp_path / "t.csv", delimiter="|")
    for use in (TableFile.of, open_source, lambda table, **how: TableFile(table, **how).open()):
        with pytest.raises(InputError, match="give delimiter, encoding, engine and labels to the"):
            use(file, **option)


def test_only_the_table_of_a_table_file_has_a_place() -> None:
    with pytest.raises(TypeError):
        TableFile("t.csv", ";")  # type: ignore[misc]


@pytest.mark.parametrize(
    ("file", "path"),
    [
        ("t.csv", Path("t.csv")),
        (Path("t.csv"), Path("t.csv")),
        (TableFile("t.csv", delimiter=";"), Path("t.csv")),
        (pd.DataFrame({"a": ["x"]}), None),
        (None, None),
    ],
)
def test_only_a_file_has_a_path(file: object, path: Path | None) -> None:
    assert TableFile(file).path == path


# --- parquet


def parquet(folder: Path, table: Any, name: str = "t.parquet", **options: Any) -> Path:
    pytest.importorskip("pyarrow.parquet").write_table(table, folder / name, **options)
    return folder / name


def test_names_in_a_parquet_file_may_differ_in_case_only(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    nested = pa.array([{"Age": 1, "l": [{"age": 2}]}])
    cells = [pa.array(["1"]), nested, pa.array(["2"]), pa.array([[1]]), pa.array(["3"])]
    path = parquet(tmp_path, pa.table(cells, names=["Age", "s", "age", "AGE", "age_1"]))
    source = open_source(path)
    assert source.columns == ("Age", "s", "age", "AGE", "age_1")
    assert facts(count(source, ["Age", "age", "age_1"])) == expected(
        ["Age", "age", "age_1"], [("1", "2", "3")]
    )
    with pytest.raises(InputError, match=r"column 'AGE' holds .* cells; expected one value"):
        count(source, ["AGE"])


def test_names_in_a_parquet_file_may_not_be_the_same(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    path = parquet(tmp_path, pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))
    with pytest.raises(InputError, match=r"t\.parquet: duplicate column name 'a'"):
        open_source(path)


@pytest.mark.parametrize("folder", ["year=2020", "[2020]", "it's", "a*b?", "ü {x} %20", "back\\*"])
def test_a_path_is_just_a_path(tmp_path: Path, folder: str) -> None:
    """Not a pattern, not a partition, not SQL."""
    place = tmp_path / folder
    place.mkdir()
    assert read(file(place, TEXT)) == expected("ab", ROWS)
    pa = pytest.importorskip("pyarrow")
    source = open_source(parquet(place, pa.table({"a": ["1", "2", "2"], "b": ["x", "y", "y"]})))
    assert source.columns == ("a", "b")
    assert facts(count(source, "ab")) == expected("ab", ROWS)


def test_a_path_need_not_be_unicode(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff.csv")
    try:
        path.write_text(TEXT)
    except OSError:
        pytest.skip("this file system has no such names")
    assert read(path) == expected("ab", ROWS)


@pytest.mark.parametrize("damage", ["cut off", "no end", "hole"])
def test_a_damaged_parquet_file_is_refused(tmp_path: Path, damage: str) -> None:
    pa = pytest.importorskip("pyarrow")
    path = parquet(tmp_path, pa.table({"a": [f"Sm1th {i}" for i in range(5000)]}))
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(
        {
            "cut off": whole[:middle],
            "no end": whole[:-4] + b"xxxx",
            "hole": whole[:1000] + b"\xff" * (middle - 1000) + whole[middle:],
        }[damage]
    )
    with pytest.raises(InputError, match=r"t\.parquet: ") as refused:
        read(path)
    assert "Sm1th" not in str(refused.value)


def test_a_parquet_file_may_be_compressed_once_more(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    path = parquet(tmp_path, pa.table({"a": ["1", "2", "2"], "b": ["x", "y", "y"]}))
    packed = file(tmp_path, gzip.compress(path.read_bytes()), "t.parquet.gz")
    source = open_source(packed)
    assert facts(count(source, "ab")) == expected("ab", ROWS)
    assert source.sha256 == hashlib.sha256(packed.read_bytes()).hexdigest()


def test_times_with_a_zone_are_read_in_utc_and_it_is_said(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"k": pa.array([0], pa.timestamp("us", "Asia/Tokyo")), "l": ["x"]})
    for held in (table, parquet(tmp_path, table), table.to_pandas()):
        source = open_source(held)
        assert warned(source) == ["times-in-utc"]
        assert "column(s) 'k'" in source.warnings[0][1]


# --- what there is instead of a file


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    for path, message in {
        tmp_path: "is a folder without Parquet files; name a CSV or Parquet file",
        tmp_path / "nothing.csv": "is not there; check the path",
        tmp_path / "dangling": "is a link to a file that is not there",
        tmp_path / "loop": "cannot be read",
        tmp_path / ("n" * 300): "cannot be read",
        tmp_path / "a\x00b": "cannot be opened",
        Path("/dev/null"): "is a device or socket, not a file",
        Path("/dev/zero"): "is a device or socket, not a file",
    }.items():
        with pytest.raises(InputError, match=message) as refused:
            open_source(path)
        assert str(refused.value).startswith(f"{path}: ")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = file(tmp_path, TEXT)
    path.chmod(0)
    with pytest.raises(InputError, match=r"cannot be read .permission denied.; check that it"):
        open_source(path)


@pytest.mark.parametrize("trouble", [PermissionError(13, "Permission denied"), OSError(5, "I/O")])
def test_trouble_with_a_file_is_told_in_the_users_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: OSError
) -> None:
    def refuse(*_: object) -> bytes:
        raise trouble

    monkeypatch.setattr("anonaudit.source.unpacking.head_of", refuse)
    with pytest.raises(InputError, match=rf"cannot be read .{trouble.strerror.lower()}."):
        open_source(file(tmp_path, TEXT))


def test_a_file_that_vanishes_is_refused(tmp_path: Path) -> None:
    path = file(tmp_path, TEXT + "1,2\n" * 200_000)
    source = open_source(path)
    path.unlink()
    with pytest.raises(InputError, match=r"release\.csv: "):
        count(source, ["a"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_once_and_can_be_counted_often(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(TEXT,))
    writer.start()
    source = open_source(pipe)
    writer.join()
    assert read(source) == read(source) == expected("ab", ROWS)
    assert source.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()


# --- the folder for copies


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, and a working folder beside it."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.chdir(tmp_path / "here")
    return folder


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(TEXT.encode()),
        TEXT.encode("utf-16"),
        TEXT.replace("\n", "\r\n", 1).encode(),  # not regular, so there is a clean copy
        gzip.compress(TEXT.replace("\n", "\r\n", 1).encode("utf-16")),
    ],
)
def test_copies_go_with_the_source(scratch: Path, tmp_path: Path, content: bytes) -> None:
    read(file(tmp_path, TEXT))  # the engine keeps a folder of its own
    before = {*scratch.iterdir()}
    source = open_source(file(tmp_path, content))
    assert read(source) == expected("ab", ROWS)
    copies = {*scratch.iterdir()} - before
    assert len(copies) == 1
    assert oct(copies.pop().stat().st_mode)[-3:] == "700"
    del source
    assert {*scratch.iterdir()} == before
    assert list((tmp_path / "here").iterdir()) == []


@pytest.mark.parametrize("content", ["a,a\n1,2\n", "a,b\n1,2,3\n", "a,b\n1,\x00\n"])
def test_copies_go_when_the_file_is_refused(scratch: Path, tmp_path: Path, content: str) -> None:
    read(file(tmp_path, TEXT))
    before = {*scratch.iterdir()}
    path = file(tmp_path, content.encode("utf-16"))
    with pytest.raises(InputError) as refused:  # which keeps all that its traceback knows
        read(path, "a")
    assert {*scratch.iterdir()} == before
    assert "release.csv: " in str(refused.value)


def test_a_file_once_refused_stays_refused(tmp_path: Path) -> None:
    source = open_source(file(tmp_path, "a,b\n1,2,3\n".encode("utf-16")))
    for _ in range(2):
        with pytest.raises(InputError, match="line 2 has 3 fields, expected 2"):
            count(source, ["a"])


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")  # noqa: PTH110
def test_no_room_for_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anonaudit.source.unpacking.Scratch.new", lambda *_: Path("/dev/full"))
    path = file(tmp_path, gzip.compress(b"a,b\n" + b"1,2\n" * 300_000), "t.csv.gz")
    with pytest.raises(InputError, match=r"t.csv.gz: cannot be copied to .* TMPDIR"):
        open_source(path)


# --- processes


def python(code: str, *arguments: object, **options: Any) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


BLOCKED = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"pyarrow", "polars"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocker())
import pandas as pd
from anonaudit.frequency.counting import count
from anonaudit.source.table import open_source

frame = pd.DataFrame({"a": ["1", "2", "2"], "b": pd.Categorical(["x", "y", "y"])})
for table in (*sys.argv[1:], frame, frame.astype("str"), frame.astype("string")):
    found = count(open_source(table), "ab")
    print(found.labels, found.codes.tolist(), found.counts.tolist())
assert not {"pyarrow", "polars"} & {*sys.modules}
"""


def test_neither_arrow_nor_polars_is_needed(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    path = parquet(tmp_path, pa.table({"a": ["1", "2", "2"], "b": ["x", "y", "y"]}))
    told = python(BLOCKED, file(tmp_path, TEXT), path).splitlines()
    truth = expected("ab", ROWS)
    line = " ".join(str(truth[key]) for key in ("labels", "codes", "counts"))
    assert told == [line] * 5


def test_importing_anonaudit_loads_no_engine() -> None:
    code = "import sys, anonaudit; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = {*python(code).split()}
    assert "anonaudit" in loaded
    engines = {"pandas", "numpy", "duckdb", "narwhals", "polars", "pyarrow", "scipy", "pytest"}
    assert not loaded & engines


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_reads_for_itself(tmp_path: Path) -> None:
    """Its parent's engine has threads that a child lacks, and temporary files that are its own."""
    code = """
import os, sys, tempfile, warnings
from anonaudit.frequency.counting import count
from anonaudit.source.table import open_source
mine = open_source(sys.argv[1])
assert count(mine, "ab").total == 3
warnings.simplefilter("ignore", DeprecationWarning)  # from 3.12 on, of forking with threads
if os.fork() == 0:
    del mine
    os._exit(count(open_source(sys.argv[2]), "ab").total)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 3
assert os.listdir(tempfile.gettempdir())
assert count(mine, "a").total == 3
"""
    (tmp_path / "tmp").mkdir()
    packed = file(tmp_path, gzip.compress(TEXT.encode()), "packed.csv")
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    python(code, packed, file(tmp_path, TEXT), env=environment, timeout=60)
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas", "polars", "arrow", "duckdb"])
@pytest.mark.parametrize("error", [TypeError, KeyError, AttributeError, IndexError, NameError])
def test_a_bug_in_a_pipeline_is_not_the_table(tmp_path: Path, kind: str, error: Any) -> None:
    table = pd.DataFrame({"a": ["1", "2"], "b": ["x", "y"]})
    held: Any = {
        "csv": lambda: file(tmp_path, TEXT),
        "parquet": lambda: table.to_parquet(tmp_path / "t.parquet") or tmp_path / "t.parquet",
        "pandas": lambda: table,
        "polars": lambda: nw.from_native(table).to_polars().lazy(),
        "arrow": lambda: nw.from_native(table).to_arrow(),
        "duckdb": lambda: duckdb.from_df(table),
    }[kind]()

    def wrong(_: Any) -> Any:
        raise error("of ours")

    with pytest.raises(error, match="of ours"):
        open_source(held).collect(wrong)


def test_what_an_engine_raises_is_the_table() -> None:
    """Of classes that engines have derived from TypeError and KeyError, too."""
    pa = pytest.importorskip("pyarrow")
    for error in (pa.ArrowTypeError, pa.ArrowKeyError, pa.ArrowInvalid, ValueError):

        def fails(_: Any, error: Any = error) -> Any:
            raise error("flu")

        with pytest.raises(InputError, match="could not be read to its end") as caught:
            open_source(pd.DataFrame({"a": ["1"]})).collect(fails)
        assert "flu" not in str(caught.value)


def test_the_helper_of_these_tests_tells_good_from_bad() -> None:
    assert parsed(written("ab", ROWS)) == (["a", "b"], [list(row) for row in ROWS])
    assert parsed("a,b\n1\n") is parsed('a,b\n"1,2') is parsed("\n\n") is None
    assert expected("ab", [("x", None), ("x", ""), ("*", "b")]) == {
        "attributes": ("a", "b"),
        "labels": (("", "*", "x"), ("", "*", "b")),
        "codes": [[1, 2], [2, 0]],
        "counts": [1, 2],
    }
