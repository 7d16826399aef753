"""One table in every kind of file and frame: the same frequency set, and the same report.

The oracle is Python's own csv module: cells as texts, counted in a dictionary.
"""

import bz2
import csv
import gzip
import io
import lzma
import subprocess
import sys
import zipfile
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
import anonaudit.report
from anonaudit.frequency.counting import count
from anonaudit.source.table import open_source

ROWS = [
    ("01234", "NA", "x"),
    ("01234", "NA", "x"),
    ("1234", "", "*"),
    ("", "NULL", " y "),
    ("nan", 'a "quote"', "ü,;\t|"),
    ("None", "two\nlines", "*"),
]
NAMES = ("code", "q 2", "s;3")


def counted(table, names=NAMES):
    """A frequency set as a dictionary from texts to counts; None is missing."""
    found = count(open_source(table), names)
    texts = [
        tuple(None if c == 0 else labels[c] for labels, c in zip(found.labels, codes, strict=True))
        for codes in found.codes
    ]
    return dict(zip(texts, found.counts.tolist(), strict=True))


def expected(rows):
    return dict(Counter(tuple(cell or None for cell in row) for row in rows))


def text_of(rows, **dialect):
    out = io.StringIO(newline="")
    writer = csv.writer(out, **dialect)
    writer.writerow(NAMES)
    writer.writerows(rows)
    return out.getvalue()


PACKED = {
    "plain": lambda data: data,
    "gzip": gzip.compress,
    "two gzip members": lambda data: gzip.compress(data[:20]) + gzip.compress(data[20:]),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_text_files(tmp_path, packed, delimiter):
    path = tmp_path / "t.csv"
    path.write_bytes(PACKED[packed](text_of(ROWS, delimiter=delimiter).encode()))
    assert counted(path) == expected(ROWS)


def test_a_zip_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("inside.csv", text_of(ROWS))
    assert counted(tmp_path / "t.zip") == expected(ROWS)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_encodings(tmp_path, encoding):
    path = tmp_path / "t.csv"
    path.write_bytes(text_of(ROWS).encode(encoding))
    source = open_source(path, encoding=None if encoding.startswith("utf") else encoding)
    found = count(source, NAMES)
    assert found.total == len(ROWS)
    assert "ü,;\t|" in found.labels_of("s;3")


@pytest.mark.parametrize("terminator", ["\n", "\r\n", "\r"])
def test_line_ends(tmp_path, terminator):
    path = tmp_path / "t.csv"
    rows = [row for row in ROWS if "\n" not in row[1]]
    path.write_bytes(text_of(rows, lineterminator=terminator).encode())
    assert counted(path) == expected(rows)


cells = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=6
)


@given(
    # A record of empty cells alone is padding, and left out.
    rows=st.lists(st.tuples(cells, cells, cells).filter(any), min_size=1, max_size=12),
    delimiter=st.sampled_from(",;\t|"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
@pytest.mark.long
def test_any_text_comes_back(tmp_path_factory, rows, delimiter, quoting):
    path = tmp_path_factory.mktemp("any") / "t.csv"
    path.write_bytes(text_of(rows, delimiter=delimiter, quoting=quoting).encode())
    found = count(open_source(path, delimiter=delimiter), NAMES)
    assert found.total == len(rows)
    assert counted_by(path, delimiter) == expected(rows)


def counted_by(path, delimiter):
    found = count(open_source(path, delimiter=delimiter), NAMES)
    texts = [
        tuple(None if c == 0 else labels[c] for labels, c in zip(found.labels, codes, strict=True))
        for codes in found.codes
    ]
    return dict(zip(texts, found.counts.tolist(), strict=True))


def frames():
    """The same typed table on every engine: integers with a gap, truth values, text, dates."""
    columns = {"n": [1, None, 3, 3], "b": [True, False, True, True], "t": ["01", "", "x", "x"]}
    yield "pandas", lambda: pd.DataFrame(columns)

    def polars():
        return pytest.importorskip("polars").DataFrame(columns)

    def lazy():
        return pytest.importorskip("polars").LazyFrame(columns)

    def arrow():
        return pytest.importorskip("pyarrow").table(columns)

    def duckdb():
        sql = "(1, true, '01'), (NULL, false, ''), (3, true, 'x'), (3, true, 'x')"
        return (
            pytest.importorskip("duckdb").connect().sql(f"SELECT * FROM (VALUES {sql}) t(n, b, t)")
        )

    yield from {"polars": polars, "polars, lazy": lazy, "arrow": arrow, "duckdb": duckdb}.items()


@pytest.mark.parametrize(("name", "make"), list(frames()))
def test_frames(name, make):
    found = counted(make(), ("n", "b", "t"))
    assert found == {
        ("1", "True", "01"): 1,
        (None, "False", None): 1,
        ("3", "True", "x"): 2,
    }


@pytest.mark.parametrize(("name", "make"), list(frames()))
def test_reports_do_not_depend_on_the_engine(name, make):
    def text(table):
        report = anonaudit.audit(
            open_source(table, name="table"), quasi_identifiers=["n", "b"], sensitive=["t"]
        )
        return anonaudit.report.to_dict(report) | {"warnings": None}

    columns = {
        "n": ["1", None, "3", "3"],
        "b": ["True", "False", "True", "True"],
        "t": ["01", "", "x", "x"],
    }
    assert text(make()) == text(pd.DataFrame(columns))


def test_mixed_pandas_cells_keep_apart_what_is_not_alike():
    frame = pd.DataFrame({"x": pd.Series([1, 1.0, True, "1", None], dtype=object), "id": range(5)})
    frame.index = [0] * 5
    assert counted(frame, ("x",)) == {("1",): 2, ("1.0",): 1, ("True",): 1, (None,): 1}


def test_parquet_keeps_large_numbers_and_gaps(tmp_path):
    pytest.importorskip("pyarrow")
    numbers = pd.Series([2**53 + 1, None, 2**53 + 1], dtype="Int64")
    frame = pd.DataFrame({"x": numbers, "id": range(3)})
    frame.to_parquet(tmp_path / "t.parquet")
    assert counted(tmp_path / "t.parquet", ("x",)) == {("9007199254740993",): 2, (None,): 1}


def test_files_and_pandas_need_no_arrow_and_no_polars(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n1,3\n")
    code = (
        "import sys\n"
        "class Block:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('pyarrow', 'polars'):\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Block())\n"
        "import anonaudit, pandas\n"
        "for table in ('t.csv', pandas.DataFrame({'a': ['1', '1'], 'b': ['2', '3']})):\n"
        "    report = anonaudit.audit(table, quasi_identifiers=['a'], sensitive=['b'])\n"
        "    print(report.models[0].measured, report.models[1].measured)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False
    )
    assert ended.stdout.decode().split() == ["2", "2", "2", "2"], ended.stderr
