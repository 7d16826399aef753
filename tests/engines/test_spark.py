"""The tables of the other engines' tests on a real cluster of Spark's, with several processes.

What a table holds is expected by hand, as in test_engines.py. Reports are DuckDB's, byte for byte
but for what a distributed table has not: numbers of rows, and a hash of its files.
"""

import datetime as dt
import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from engines.test_engines import COLUMNS, ROWS, TYPED, typed
from reading import expected, read, written

import anonaudit
from anonaudit import datasets
from anonaudit.cli.app import app
from anonaudit.errors import InputError
from anonaudit.findings import AuditReport
from anonaudit.frequency.counting import count
from anonaudit.policy.policy import read_policy
from anonaudit.report import to_json
from anonaudit.source.table import ROW_NUMBER, open_source

pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed (anonaudit[spark])")
pa = pytest.importorskip("pyarrow")
HOME = os.environ.get("JAVA_HOME")
if shutil.which("java", path=f"{HOME}/bin" if HOME else None) is None:
    pytest.skip("there is no Java for Spark", allow_module_level=True)

import pyarrow.parquet as pq  # noqa: E402
from pyspark.sql import DataFrame, SparkSession  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402

# PySpark's own: it does not yet know the newest pandas.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning")

# Small programs start twice as fast so.
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.extraJavaOptions": QUICK,
    "spark.executor.memory": "1g",
    "spark.sql.shuffle.partitions": "3",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.task.maxFailures": "1",
    "spark.sql.session.timeZone": "America/New_York",  # where the reader sits must not matter
}


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Two workers, each a process of its own with executors in others."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    folder = tmp_path_factory.mktemp("spark")
    settings = SETTINGS | {
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.worker.dir": str(folder / "work"),
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config(map=settings)
    made = builder.getOrCreate()
    yield made
    made.stop()


@pytest.fixture
def collected(monkeypatch: pytest.MonkeyPatch, session: SparkSession) -> list[int]:
    """How many rows came to us, each time any did."""
    numbers: list[int] = []
    kind = type(session.range(1))
    names = ("toArrow", "toPandas", "collect", "head", "take")
    true = {name: getattr(kind, name) for name in names}
    for name in names:

        def spied(self: DataFrame, *given: Any, name: str = name) -> Any:
            found = true[name](self, *given)
            single = found is None or isinstance(found, pyspark.sql.Row)
            numbers.append(1 if single else len(found))
            return found

        monkeypatch.setattr(kind, name, spied)
    return numbers


def whole(report: AuditReport) -> str:
    """The report, but for the hash of a file and the numbers of rows, which Spark has not."""
    models, attacks = (
        tuple(
            one if one.witness is None else replace(one, witness=replace(one.witness, positions=()))
            for one in found
        )
        for found in (report.models, report.attacks)
    )
    # A table of Spark has no first rows to look for direct identifiers in, and says so.
    warnings = tuple(
        replace(notice, message=notice.message.partition(". No rows of columns without")[0])
        for notice in report.warnings
        if notice.code != "no-positions"
    )
    release = replace(report.release, sha256=None)
    return to_json(
        replace(report, release=release, models=models, attacks=attacks, warnings=warnings),
        show_values=True,
    )


def all_typed() -> tuple[Any, list[str], list[list[str | None]]]:
    """The columns of the other engines' tests in one table, and its texts by hand."""
    cases = [case for case in TYPED if case != "time"]  # a Parquet type Spark does not know
    longest = max(len(TYPED[case][1]) for case in cases)
    columns, texts = [], []
    for case in cases:
        kind, cells, spelled = TYPED[case]
        gap = [None] * (longest - len(cells))
        columns.append(typed(kind, [*cells, *gap])["k"])
        texts.append([*spelled, *gap])
    return pa.table(columns, names=cases), cases, [list(row) for row in zip(*texts, strict=True)]


def three_files(table: Any, folder: Path) -> Path:
    folder.mkdir()
    size = -(-len(table) // 3)
    for i in range(3):
        pq.write_table(table.slice(i * size, size), folder / f"part-{i}.parquet")
    return folder


def test_types_in_three_parquet_files(
    session: SparkSession, tmp_path: Path, collected: list[int]
) -> None:
    table, names, rows = all_typed()
    folder = three_files(table, tmp_path / "t.parquet")
    found = open_source(folder, engine="spark")
    assert session.read.parquet(str(folder)).rdd.getNumPartitions() > 1
    assert read(found) == expected(names, rows)
    assert max(collected) == len({tuple(row) for row in rows})
    # The report on them, with each kind of column in each part.
    parts = {"quasi_identifiers": names[::3], "sensitive": [*names[1::3], *names[2::3]]}
    report = anonaudit.audit(found, **parts)
    assert whole(report) == whole(anonaudit.audit(folder, **parts))
    assert [n.code for n in report.warnings].count("no-positions") == 1
    assert report.release.sha256 is None
    assert all(model.witness is None or not model.witness.positions for model in report.models)


def test_texts_and_odd_names_in_a_frame(session: SparkSession, collected: list[int]) -> None:
    names = (*COLUMNS, "a.b", "`", "*")
    rows = [(*row, row[0], row[1], row[2]) for row in ROWS]
    plain = session.createDataFrame(rows, ", ".join(f"x{i} STRING" for i in range(9)))
    frame = plain.toDF(*names)
    parts = {"quasi_identifiers": ["zip code", "a.b", "`"], "sensitive": ["age", "*"]}
    found = open_source(frame, name="t")
    assert read(found) == expected(names, rows)
    assert max(collected) == len(set(rows)) == len(rows) - 1
    table = pa.table({str(i): [row[i] for row in rows] for i in range(9)}).rename_columns(names)
    assert whole(anonaudit.audit(found, **parts)) == whole(
        anonaudit.audit(open_source(table, name="t"), **parts)
    )
    with pytest.raises(InputError, match="t: duplicate column name 'x'"):
        open_source(frame.toDF(*"abcdefgxx"), name="t")


def test_types_of_spark_alone(session: SparkSession) -> None:
    frame = session.sql(
        """SELECT collate(c, 'UTF8_LCASE') AS c, t, d, n, array(1) AS a, map('k', 1) AS m,
        named_struct('f', 1) AS s, X'00' AS b, INTERVAL '1' MONTH AS i, v FROM VALUES
        ('x', timestamp'2020-11-01 05:30:00Z', INTERVAL '-1 00:00:05' DAY TO SECOND, NULL, 1.5D),
        ('X', timestamp'2020-11-01 06:30:00Z', INTERVAL '0.000003' SECOND, NULL, -0.0D),
        ('X', timestamp'2020-03-08 02:30:00Z', NULL, NULL, 0.0D),
        (NULL, NULL, NULL, NULL, double('NaN')) AS t(c, t, d, n, v)"""
    )
    # Two instants with one local time, and one whose time in UTC no local clock shows.
    texts = [
        ("x", "2020-11-01 05:30:00", "-86405000000000", None, "1.5"),
        ("X", "2020-11-01 06:30:00", "3000", None, "0.0"),
        ("X", "2020-03-08 02:30:00", None, None, "0.0"),
        (None, None, None, None, None),
    ]
    found = open_source(frame)
    # The last row is no padding: it has a value in columns whose cells nobody may ask for.
    assert read(found, *"ctdnv") == expected("ctdnv", texts, whole=False)
    for at, column in ((0, "c"), (4, "v")):  # nothing else tells the rows apart
        assert read(found, column) == expected(column, [(row[at],) for row in texts], whole=False)
    assert [code for code, _ in found.warnings] == ["times-in-utc"]
    for column in "amsbi":
        with pytest.raises(InputError, match=f"column '{column}' holds .* cells; expected one"):
            read(found, column)
    with pytest.raises(InputError, match="rows of a Spark table have no order"):
        read(found, ROW_NUMBER)


def test_partitions_and_names_that_differ_in_case(session: SparkSession, tmp_path: Path) -> None:
    """What stands in the name of a folder is a text: 01 is not 1."""
    for zip_, cells in {"01": ["a", "b"], "1": ["a"]}.items():
        (tmp_path / f"t/zip={zip_}").mkdir(parents=True)
        table = pa.table([cells, [3] * len(cells)], names=["Age", "age"])
        pq.write_table(table, tmp_path / f"t/zip={zip_}/part.parquet")
    before = session.conf.get("spark.sql.caseSensitive")
    rows = [("a", "3", "01"), ("b", "3", "01"), ("a", "3", "1")]
    assert read(tmp_path / "t", engine="spark") == expected(("Age", "age", "zip"), rows)
    assert read(tmp_path / "t/*/part.parquet", "Age", engine="spark")["counts"] == [2, 1]
    assert session.conf.get("spark.sql.caseSensitive") == before
    (tmp_path / "t/_delta_log").mkdir()
    with pytest.raises(InputError, match="is a Delta table"):
        open_source(tmp_path / "t", engine="spark")


@pytest.mark.parametrize(
    ("delimiter", "end", "kept"), [(",", "\n", ROWS), ("|", "\r\n", ROWS[:-1])]
)
def test_texts_in_csv(
    session: SparkSession, tmp_path: Path, delimiter: str, end: str, kept: Any
) -> None:
    """Two files; with a line end in a cell Python reads them, without one Spark does."""
    for name, rows in (("a.csv", kept[:3]), ("b.csv", kept[3:])):
        texts = [[cell or "" for cell in row] for row in rows]
        (tmp_path / name).write_text(
            written(COLUMNS, texts, delimiter=delimiter, end=end), newline=""
        )
    assert read(tmp_path, engine="spark") == expected(COLUMNS, kept)


WRONG_CSV = {
    "a field is missing": ("a,b\n1,2\n3\n", "line 3 of a file has 1 field.s., expected 2 as in"),
    "a quote is open": ('a,b\n1,2\n3,"4\n5,6\n', "the quotes do not balance in .* line 3"),
    "text behind a quote": ('a,b\n1,"2"3\n', "the quotes do not balance in .* line 2"),
    "another encoding": ("a,b\n1,é\n".encode("latin-1"), "line 2 of a file is not UTF-8 text"),
    "no text": ("a,b\n1,\0\n", "line 2 of a file holds a NUL byte"),
    "blank lines only": ("\n\n", "is empty; expected Parquet, or CSV with a header line"),
}


@pytest.mark.parametrize("case", WRONG_CSV)
def test_wrong_csv(session: SparkSession, tmp_path: Path, case: str) -> None:
    content, message = WRONG_CSV[case]
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=f"t.csv: {message}"):
        open_source(path, engine="spark")


@pytest.mark.parametrize("lines", [1, 200_000])
def test_utf_8_is_not_read_as_cp1252(session: SparkSession, tmp_path: Path, lines: int) -> None:
    """Whether its first character beyond ASCII is in the first bytes or far down."""
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * lines + "1,\u00e9\n", "utf-8")
    with pytest.raises(InputError, match="UTF-8 text, but its encoding is given as cp1252"):
        open_source(path, engine="spark", encoding="cp1252")
    path.write_text("a,b\n" + "1,2\n" * lines + "1,\u00e9\n", "cp1252")
    assert open_source(path, engine="spark", encoding="cp1252").columns == ("a", "b")


def test_odd_but_right_csv(session: SparkSession, tmp_path: Path) -> None:
    """A lone quote, blank lines, an empty record, cells of blanks, a column without a name."""
    path = tmp_path / "t.tsv"
    path.write_text('\na\t\n5" x\t1\n\n\t\n 5\t \n', newline="")
    found = open_source(path, engine="spark")
    rows = [('5" x', "1"), ("", ""), (" 5", " ")]
    assert read(found) == expected(("a", "(column 2)"), rows)
    codes = ["unnamed-column", "blank-lines", "empty-records"]
    assert [code for code, _ in found.warnings] == codes
    assert found.warnings[1][1].startswith("2 blank line(s)")
    assert found.warnings[2][1].startswith("left out 1 record(s)")
    path.write_text("a\nx\n\n", newline="")  # with one column a blank line is an empty record
    found = open_source(path, engine="spark")
    assert read(found) == expected("a", ["x", [""]]) == read(path)
    assert [code for code, _ in found.warnings] == ["empty-records"]


def test_empty_records(session: SparkSession, tmp_path: Path) -> None:
    """In CSV that Spark reads by itself, in Parquet and in a frame: DuckDB's report."""
    rows = [("30", "F", None), (None, None, None), ("30", "F", "flu"), (None, None, "hiv")]
    parts = {"quasi_identifiers": ["a", "b"], "sensitive": ["c"]}
    texts = [[cell or "" for cell in row] for row in rows]
    (tmp_path / "t.csv").write_text(written("abc", texts), newline="")
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate("abc")})
    pq.write_table(table, tmp_path / "t.parquet")
    for path in (tmp_path / "t.csv", tmp_path / "t.parquet"):
        report = anonaudit.audit(path, engine="spark", **parts)
        assert (report.release.rows, report.release.classes) == (3, 2)
        assert whole(report) == whole(anonaudit.audit(path, **parts))
        assert [n.code for n in report.warnings].count("empty-records") == 1
    frame = session.createDataFrame(rows, "a STRING, b STRING, c STRING")
    assert read(frame, "a") == expected("a", [("30",), ("30",), (None,)], whole=False)


def test_a_release_in_csv_by_the_command(
    session: SparkSession, tmp_path: Path, collected: list[int], capfd: pytest.CaptureFixture[str]
) -> None:
    """Adult: the same report as DuckDB's, nothing else on standard output, no rows collected."""
    release, policy = datasets.path("adult/release.csv.gz"), datasets.path("adult/release.toml")
    rules = read_policy(policy)
    cells = count(open_source(release), [*rules.roles.quasi_identifiers, *rules.roles.sensitive])
    of_spark = anonaudit.audit(release, policy, engine="spark")
    assert whole(of_spark) == whole(anonaudit.audit(release, policy))
    assert max(collected) == len(cells) < cells.total
    named = ["audit", str(release), str(policy), "--engine", "spark", "--format", "json", "--quiet"]
    capfd.readouterr()
    assert app(named, standalone_mode=False) == 1
    out, err = capfd.readouterr()
    assert (json.loads(out), err) == (json.loads(to_json(of_spark)), "")


def test_tables_of_the_catalog(session: SparkSession) -> None:
    session.sql("CREATE DATABASE IF NOT EXISTS hospital")
    session.range(4).select((F.col("id") % 2).alias("k")).write.mode("overwrite").saveAsTable(
        "hospital.stays"
    )
    assert read("table:hospital.stays", engine="spark") == expected("k", ["0", "1", "0", "1"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no/such.parquet", "is not there"),
        ("table:no.such", "Spark's catalog has no such table"),
        ("table:no such", "Spark's catalog has no such table"),
        ("-", "standard input cannot be read by Spark"),
    ],
)
def test_nothing_to_read(session: SparkSession, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_source(name, engine="spark")


def test_no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(pyspark.SparkContext, "_active_spark_context", None)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(InputError, match=r"Java must be installed \(17 or newer\), and JAVA_HOME"):
        open_source("t.parquet", engine="spark")


def test_parquet_that_spark_cannot_read(session: SparkSession, tmp_path: Path) -> None:
    pq.write_table(typed("time64", [dt.time(1, 2)]), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"Spark cannot read it \([A-Z_]+\); fix the cause"):
        open_source(tmp_path / "t.parquet", engine="spark")


def test_a_table_that_breaks_while_it_is_read(session: SparkSession) -> None:
    frame = session.range(3).select(F.raise_error(F.lit("flu")).cast("string").alias("k"))
    with pytest.raises(InputError, match="Spark cannot read it") as caught:
        read(frame)
    assert "flu" not in str(caught.value)
