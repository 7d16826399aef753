"""CSV files of every kind: the cells are those of Python's csv module, or the file is refused.

Python's reader is the second opinion here because it is slow, plain and well known; engines that
read fast forgive much in silence.
"""

import bz2
import codecs
import csv
import gzip
import hashlib
import io
import lzma
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import expected, file, parsed, read, written

from anonaudit.errors import InputError
from anonaudit.source import duck, open_source
from anonaudit.source.csv_file import DELIMITERS
from anonaudit.source.csv_scan import CsvScan, Survey

COLUMNS = ("code", "note", "mark")
ROWS = [
    ("01234", "a;b,c\td|e", "*"),
    ("1234", 'say "yes"', ""),
    (" x ", "two\nlines", "NA"),
    ("x", "two\r\nlines", "NULL"),
    ("nan", "one\rline", "None"),
    ("1.0", '"', "\\N"),
    ("1", "", "é😀"),
    ("01234", "a;b,c\td|e", "*"),
    ("#1", "'", "-"),
]


# --- dialects


@pytest.mark.parametrize("line", ["sep=%s", '"sep=%s"', "SEP=%s", "sep=%s%s%s"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [*DELIMITERS, ":", "~"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_first_line_tells_the_delimiter(
    tmp_path: Path, delimiter: str, end: str, line: str, mark: str
) -> None:
    text = written(COLUMNS, ROWS, delimiter=delimiter, end=end)
    told = mark + line.replace("%s", delimiter) + end
    path = file(tmp_path, told + text)
    assert read(path) == expected(COLUMNS, ROWS)
    assert read(path, delimiter=delimiter) == expected(COLUMNS, ROWS)


def test_two_columns_behind_a_first_line_that_tells_the_delimiter(tmp_path: Path) -> None:
    path = file(tmp_path, "sep=;\na;b\n1;2\n\n3;4\n")  # the first line has as many delimiters
    assert read(path) == expected(("a", "b"), [("1", "2"), ("3", "4")])


def test_lines_are_counted_with_the_one_that_tells_the_delimiter(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 4 has 1 field, expected 2"):
        read(file(tmp_path, "sep=;\na;b\n1;2\n3\n"))
    with pytest.raises(InputError, match="no header line after its first line"):
        read(file(tmp_path, "sep=;\n\n"))


@pytest.mark.parametrize("header", ["sep=a", "sep=", "sep=;x", "sept", "sep=1"])
def test_a_header_that_tells_no_delimiter_is_a_header(tmp_path: Path, header: str) -> None:
    path = file(tmp_path, f"{header},b\n1,2\n")
    assert read(path, delimiter=",") == expected((header, "b"), [("1", "2")])


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_every_dialect_gives_the_same_cells(
    tmp_path: Path, delimiter: str, end: str, quoting: int
) -> None:
    text = written(COLUMNS, ROWS, delimiter=delimiter, end=end, quoting=quoting)
    path = file(tmp_path, text)
    assert read(path) == expected(COLUMNS, ROWS)
    assert read(path, delimiter=delimiter) == expected(COLUMNS, ROWS)
    unended = file(tmp_path, text[: -len(end)])
    assert read(unended) == expected(COLUMNS, ROWS)


@pytest.mark.parametrize("delimiter", [":", " ", "~", "§", "x", "1", "'", "\\t", "tab"])
def test_a_delimiter_may_be_any_character(tmp_path: Path, delimiter: str) -> None:
    rows = [("1", "x y", "§:~"), ("", "*", "1")]
    real = "\t" if delimiter in {"\\t", "tab"} else delimiter
    path = file(tmp_path, written(COLUMNS, rows, delimiter=real))
    assert read(path, delimiter=delimiter) == expected(COLUMNS, rows)


@pytest.mark.parametrize("delimiter", ["", "ab", '"', "\n", "\r", "\x00", ",,"])
def test_a_delimiter_is_one_character_that_means_nothing_else(
    tmp_path: Path, delimiter: str
) -> None:
    with pytest.raises(InputError, match="the delimiter must be one character"):
        open_source(file(tmp_path, "a,b\n1,2\n"), delimiter=delimiter)


def test_a_file_named_tsv_has_tabs_even_where_commas_would_do(tmp_path: Path) -> None:
    text = "a,x\tb,y\n1,2\t3,4\n"
    for name in ("t.tsv", "t.TAB", "t.tsv.gz"):
        content = gzip.compress(text.encode()) if name.endswith("gz") else text
        assert open_source(file(tmp_path, content, name)).columns == ("a,x", "b,y")
    assert open_source(file(tmp_path, text, "t.csv")).columns == ("a", "x\tb", "y")


def test_the_delimiter_that_splits_all_records_alike_is_found(tmp_path: Path) -> None:
    text = "place;price\nUlm, Donau;1,5\nBonn;2,5\nBad Ems, Lahn;3,5\n"
    assert open_source(file(tmp_path, text)).columns == ("place", "price")


def test_a_header_longer_than_the_sample_is_read_whole(tmp_path: Path) -> None:
    columns = [f"{i}{'n' * 500}" for i in range(2500)]
    path = file(tmp_path, written(columns, [["1"] * 2500, ["2"] * 2500], delimiter=";"))
    assert open_source(path).columns == tuple(columns)
    assert read(path, columns[0], columns[-1])["counts"] == [1, 1]


def test_line_ends_may_be_mixed(tmp_path: Path) -> None:
    text = 'a,b\r\n1,"x\ny"\n3,4\r5,6\r\n\r\n7,"8\r\n9"\n'
    rows = [("1", "x\ny"), ("3", "4"), ("5", "6"), ("7", "8\r\n9")]
    assert read(file(tmp_path, text)) == expected("ab", rows)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blank_lines_are_no_records_and_are_reported(tmp_path: Path, end: str) -> None:
    text = end.join(["", "", "a,b", "", "1,2", "", "", '3,"4', "", '5"', ""])
    source = open_source(file(tmp_path, text))
    assert read(source) == expected("ab", [("1", "2"), ("3", f"4{end}{end}5")])
    assert [code for code, _ in source.warnings] == ["blank-lines"]
    assert source.warnings[0][1].startswith("5 blank line(s)")


def test_blank_lines_of_a_regular_file_are_reported_once(tmp_path: Path) -> None:
    source = open_source(file(tmp_path, "a,b\n1,2\n\n3,4\n\n"))
    assert read(source) == read(source) == expected("ab", [("1", "2"), ("3", "4")])
    assert [code for code, _ in source.warnings] == ["blank-lines"]
    assert source.warnings[0][1].startswith("2 blank line(s)")


@pytest.mark.parametrize(
    ("body", "cells"),
    [
        ("", []),
        ("\n", [""]),
        ("x\n\n", ["x", ""]),
        ("\n\nx", ["", "", "x"]),
        ('""\n\n"x\n\n"\n', ["", "", "x\n\n"]),
        ("\r\nx\n", ["", "x"]),
        ('\r\n"x\ny"\n""\n', ["", "x\ny", ""]),
    ],
)
def test_in_a_file_of_one_column_a_blank_line_is_a_record_without_a_value(
    tmp_path: Path, body: str, cells: list[str]
) -> None:
    source = open_source(file(tmp_path, "a\n" + body))
    assert read(source) == expected("a", [(cell,) for cell in cells])
    blank = cells.count("")
    padding = ("empty-records", f"left out {blank} record(s) without a value in any column")
    assert source.warnings == ([padding] if blank else [])


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ('a,b\n1, "2"\n', ("1", ' "2"')),  # engines drop the blank and the quotes
        ('a,b\n1,2"x"\n', ("1", '2"x"')),
        ('a,b\n5" x 7",2\n', ('5" x 7"', "2")),
        ("\n\na,b\n1,2\n", ("1", "2")),  # engines take the header for a record
        ("\ufeff\na,b\n1,2\n", ("1", "2")),
        ('\ufeff"a","b"\n1,2\n', ("1", "2")),
        ("a,b\n\\,2\n", ("\\", "2")),
        ("a,b\n#1,//2\n", ("#1", "//2")),
        ("a,b\n\u2028\x85,\x0b\x0c\x1c\n", ("\u2028\x85", "\x0b\x0c\x1c")),
    ],
)
def test_nothing_is_forgiven_in_silence(tmp_path: Path, text: str, cells: tuple[str, str]) -> None:
    assert read(file(tmp_path, text)) == expected("ab", [cells])


# --- encodings


@pytest.mark.parametrize(
    ("encoding", "named"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-8-sig", "utf-8"),
        ("utf-8", "UTF8"),
        ("utf-16", None),
        ("utf-16", "utf-16"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", None),
        ("latin-1", "latin-1"),
        ("cp1252", "windows-1252"),
        ("shift_jis", "shift_jis"),
        ("gb18030", "gb18030"),
        ("utf-7", "utf-7"),
    ],
)
def test_encodings(tmp_path: Path, encoding: str, named: str | None) -> None:
    cell = {"shift_jis": "東京", "gb18030": "北京😀", "latin-1": "Köln", "cp1252": "5 €"}
    rows = [(cell.get(encoding, "Łódź😀"), "two\r\nlines"), ("", "*")]
    path = file(
        tmp_path, written(("ä" if "jis" not in encoding else "a", "b"), rows).encode(encoding)
    )
    source = open_source(path, encoding=named)
    assert read(source)["labels"] == expected("ab", rows)["labels"]
    assert source.columns[1] == "b"
    assert source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "iso8859-15", "koi8-r"])
def test_utf_8_is_not_read_as_an_encoding_of_one_byte(tmp_path: Path, encoding: str) -> None:
    """`Straße` would be another column. ASCII is the same in both, and a lone byte is no UTF-8."""
    (tmp_path / "t.csv").write_text("Stra\u00dfe,b\n1,2\n", "utf-8")
    with pytest.raises(InputError, match="is UTF-8 text, but its encoding is given as"):
        open_source(tmp_path / "t.csv", encoding=encoding)
    (tmp_path / "t.csv").write_text("street,b\n1,2\n", encoding)
    assert open_source(tmp_path / "t.csv", encoding=encoding).columns == ("street", "b")
    (tmp_path / "t.csv").write_bytes(b"stra\xdfe,b\n1,2\n")
    assert len(open_source(tmp_path / "t.csv", encoding=encoding).columns[0]) == 6


@pytest.mark.parametrize(
    ("content", "encoding", "message"),
    [
        (b"a,b\n1,2\n\xe9,3\n", None, r"line 3 is not UTF-8 text; name the encoding"),
        (b"a,b\r1,2\r\xe9,3\r", None, r"line 3 is not UTF-8 text"),
        (b"a,b\n1,\xc3", None, r"line 2 is not UTF-8 text"),
        (b"a,b\n1,2\n\xe9,3\n", "ascii", r"line 3 is not text in the encoding ascii"),
        (b"a,b\n1,2\n\x81,3\n", "cp1252", r"line 3 is not text in the encoding cp1252"),
        ("a\nb\nc".encode("utf-16-le") + b"\x00", "utf-16-le", r"line 3 is not text in the enc"),
        (b"a,b\n1,2\n", "klingon", r"there is no encoding 'klingon'; expected for example utf-8"),
        (b"a,b\n1,2\n", "hex", r"there is no encoding 'hex'"),
        (b"a,b\n1,2\n", "", r"there is no encoding ''"),
        (b"a,b\n1,2\n", "\udcff\x00", r"there is no encoding"),
        (b"a,b\n\n1,\x00\n", None, r"line 3 holds a NUL byte"),
        ("a,b\n1,2\n".encode("utf-16-le"), None, r"line 1 holds a NUL byte.*name the encoding"),
        (bytes(range(256)), "latin-1", r"line 1 holds a NUL byte"),
    ],
)
def test_what_is_not_text_is_refused_with_its_line(
    tmp_path: Path, content: bytes, encoding: str | None, message: str
) -> None:
    path = file(tmp_path, content)
    with pytest.raises(InputError, match=r"release.csv: " + message):
        read(path, encoding=encoding)


@pytest.mark.parametrize(("byte", "what"), [(b"\x00", "holds a NUL byte"), (b"\xff", "not UTF-8")])
def test_what_is_not_text_is_refused_wherever_it_stands(
    tmp_path: Path, byte: bytes, what: str
) -> None:
    """Also behind the sample, and in a column nobody asks for."""
    lines = b"1234567,x\r\n" * 150_000
    path = file(tmp_path, b"a,b\r\n" + lines + b"1," + byte + b"\r\n" + lines)
    with pytest.raises(InputError, match=rf"line 150002 .*{what}"):
        read(path, "a")


# --- compression


def zipped(*members: tuple[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members:
            packed.writestr(name, content)
    return archive.getvalue()


PACKERS = {
    "gzip": gzip.compress,
    "gzip of several members": lambda plain: gzip.compress(plain[:9]) + gzip.compress(plain[9:]),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zip": lambda plain: zipped(("folder/", b""), ("folder/release.csv", plain)),
}


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_compressed_files_are_told_by_their_first_bytes(
    tmp_path: Path, packer: str, encoding: str
) -> None:
    packed = PACKERS[packer](written(COLUMNS, ROWS).encode(encoding))
    path = file(tmp_path, packed, "release.data")
    source = open_source(path)
    assert read(source) == expected(COLUMNS, ROWS)
    assert source.sha256 == hashlib.sha256(packed).hexdigest()


@pytest.mark.parametrize("name", ["release.csv.gz", "release.zst", "release.parquet"])
def test_a_name_says_nothing_of_compression(tmp_path: Path, name: str) -> None:
    assert read(file(tmp_path, "a,b\n1,2\n", name)) == expected("ab", [("1", "2")])


@pytest.mark.parametrize("start", ["PK,b", "BZh9,b", "PAR,b", "\x1f,b"])
def test_a_header_may_begin_like_a_magic_number(tmp_path: Path, start: str) -> None:
    assert read(file(tmp_path, f"{start}\n1,2\n"), "b") == expected("b", ["2"])


LONG = b"a,b\n" + b"1,2\n" * 20_000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(LONG)[:-30], "damaged or cut off"),
        (gzip.compress(LONG)[:40] + b"\xff" * 40, "damaged or cut off"),
        (bz2.compress(LONG)[:-8], "damaged or cut off"),
        (bz2.compress(LONG)[:20] + b"\xff" * 90, "damaged or cut off"),
        (lzma.compress(LONG)[:-8], "damaged or cut off"),
        (zipped(("a.csv", LONG))[:200], "damaged or cut off"),
        (
            zipped(("a.csv", LONG), ("b.csv", LONG)),
            "the archive holds 2 files, expected exactly one",
        ),
        (zipped(), "the archive holds 0 files"),
        (zipped(("xl/workbook.xml", b"<x/>")), "the workbook cannot be read"),
        (b"\x28\xb5\x2f\xfd" + b"x" * 40, "is compressed with zstd; unpack it first"),
        (gzip.compress(b""), "is empty; expected a header line"),
    ],
)
def test_damaged_archives_are_refused_and_leave_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, message: str
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    path = file(tmp_path, content, "release.bin")
    with pytest.raises(InputError, match=rf"release\.bin: .*{message}"):
        open_source(path)
    assert list(scratch.iterdir()) == []


# --- headers


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("a, b ,\tc", ("a", "b", "c")),
        ("a, a,a ", ("a", " a", "a ")),  # blanks that tell names apart stay
        ("Age,age,AGE", ("Age", "age", "AGE")),
        ("row,n,c0", ("row", "n", "c0")),
        ("c2,c1,c0", ("c2", "c1", "c0")),
        (",b,", ("(column 1)", "b", "(column 3)")),
        ('"a b","q\'uo""te","[x]"', ("a b", "q'uo\"te", "[x]")),
        ('😀,"DROP TABLE t; --","new\nline"', ("😀", "DROP TABLE t; --", "new\nline")),
        ('"x, y","$1 {z}",%s', ("x, y", "$1 {z}", "%s")),
    ],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_any_text_is_a_column_name(
    tmp_path: Path, header: str, columns: tuple[str, ...], mark: str
) -> None:
    source = open_source(file(tmp_path, f"{mark}{header}\n1,2,3\n1,2,4\n"))
    assert read(source) == expected(columns, [("1", "2", "3"), ("1", "2", "4")])
    unnamed = [message for code, message in source.warnings if code == "unnamed-column"]
    assert len(unnamed) == any(name.startswith("(column") for name in columns)


def test_a_real_name_may_look_like_that_of_an_unnamed_column(tmp_path: Path) -> None:
    source = open_source(file(tmp_path, "(column 7),b\n1,2\n"))
    assert source.columns == ("(column 7)", "b")
    assert source.warnings == []


def test_thousands_of_columns(tmp_path: Path) -> None:
    columns = [f"k{i}" for i in range(2000)]
    rows = [[str((i + j) % 3) for i in range(2000)] for j in range(5)]
    path = file(tmp_path, written(columns, rows))
    picked = [[row[0], row[1999]] for row in rows]
    assert read(path, "k0", "k1999") == expected(["k0", "k1999"], picked)


# --- what is refused

SECRET = "Sm1th"  # a cell; no message may quote it

BROKEN = [
    ("", "is empty; expected a header line with the column names"),
    (" \n\t\n\r\n ", "holds only blanks; expected a header line"),
    (f"a,b,a\n{SECRET},1,2\n", "duplicate column name 'a'"),
    (f"a,b\n1,2\n{SECRET}\n", r"line 3 has 1 field, expected 2 as in the header \(delimiter ','\)"),
    (f"a,b\n1,2\n1,{SECRET},3\n", "line 3 has 3 fields, expected 2"),
    (f"a,b\n1,2\n1,{SECRET},\n", "line 3 has 3 fields, expected 2"),  # engines drop the third
    (f"a\n1\n{SECRET},\n", "line 3 has 2 fields, expected 1"),
    (f'a,b\n1,2\n{SECRET},"3\n4,5\n', "quotes do not balance in the record that starts at line 3"),
    (
        f'a,b\n"1\n\n",2\n"{SECRET}"x,3\n',
        "quotes do not balance in the record that starts at line 5",
    ),
    (f'a,b\n"{SECRET}\\"x",2\n', r'starts at line 2; .* twice \(""\)'),
    (f'"a,b\n{SECRET},2\n', "quotes do not balance in the record that starts at line 1"),
    (f"a,b\r\r1,2\r{SECRET}\r", "line 4 has 1 field"),
    (f'a,b\n"x\r\ny",2\r{SECRET}\n', "line 4 has 1 field"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN)
def test_a_broken_file_is_refused_with_the_line_and_without_the_cell(
    tmp_path: Path, text: str, message: str
) -> None:
    path = file(tmp_path, text)
    with pytest.raises(InputError, match=rf"release\.csv: .*{message}") as refused:
        read(path)
    assert SECRET not in str(refused.value)
    assert refused.value.__context__ is None or refused.value.__suppress_context__


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_wrong_line_is_named_however_far_down_it_stands(tmp_path: Path, end: str) -> None:
    good = f"1,2{end}" * 100_000
    text = f'a,b{end}"x{end}y{end}z",1{end}{good}{end}1,2,3{end}{good}'
    with pytest.raises(InputError, match="line 100006 has 3 fields, expected 2"):
        read(file(tmp_path, text), "a")


@pytest.mark.parametrize("length", [140_000, 5_000_000])
@pytest.mark.parametrize("quote", ["", '"'])
def test_cells_may_be_long(tmp_path: Path, length: int, quote: str) -> None:
    cell = "x,\n" * (length // 3) if quote else "x" * length
    text = f"a,b\n1,2\n{quote}{cell}{quote},3\n{quote}{cell}{quote},3\n"
    assert read(file(tmp_path, text)) == expected("ab", [("1", "2"), (cell, "3"), (cell, "3")])


def test_a_lone_quote_does_not_swallow_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anonaudit.source.csv_file.LONGEST_CELL", 1000)
    path = file(tmp_path, 'a,b\n1,2\n"1,2\n' + "1,2\n" * 1000)
    with pytest.raises(InputError, match="a cell has more than 1000 characters in the record that"):
        read(path)


# --- the engine is checked


def test_an_engine_that_loses_a_row_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest, calls = duck.csv_records, []

    def forgetful(*given: object, **named: object) -> object:
        calls.append(given)
        return honest(*given, **named).limit(2) if len(calls) == 1 else honest(*given, **named)

    monkeypatch.setattr(duck, "csv_records", forgetful)
    rows = [("1", "2"), ("3", "4"), ("5", "6")]
    assert read(file(tmp_path, written("ab", rows))) == expected("ab", rows)
    assert len(calls) == 2


def test_an_engine_that_goes_on_losing_rows_is_a_fault_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = duck.csv_records
    monkeypatch.setattr(duck, "csv_records", lambda *a, **k: honest(*a, **k).limit(2))
    with pytest.raises(RuntimeError, match="2 records were read, expected 3"):
        read(file(tmp_path, "a,b\n1,2\n3,4\n5,6\n"))


# --- laws

NASTY = ["", "*", "NA", "NULL", "nan", "None", "01", " x ", "a,b;c\td|e", 'q"q', '"', '""', "\n"]
NASTY += ["\r", "\r\n", " ", "'", "\\", '\\"', "#", "\ufeff", "\u2028", "\x85", "\x1a", "é"]
CELLS = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=6),
)


@st.composite
def tables(draw: st.DrawFn) -> list[tuple[str, ...]]:
    width = draw(st.integers(2, 4))
    pool = draw(st.lists(CELLS, min_size=1, max_size=6))
    return draw(st.lists(st.tuples(*[st.sampled_from(pool)] * width), max_size=6))


@given(
    rows=tables(),
    delimiter=st.sampled_from(DELIMITERS),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    mark=st.sampled_from(["", "\ufeff"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_what_a_writer_wrote_is_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, ...]],
    delimiter: str,
    end: str,
    mark: str,
    quoting: int,
) -> None:
    columns = ["k", "l", "m", "n"][: len(rows[0]) if rows else 2]
    text = written(columns, rows, delimiter=delimiter, end=end, quoting=quoting)
    truth = parsed(text, delimiter)
    path = file(tmp_path_factory.getbasetemp(), mark + text)
    assert truth is not None
    assert read(path, delimiter=delimiter) == expected(*truth)


def soup(letters: str) -> st.SearchStrategy[str]:
    return st.text(letters, max_size=12)


@settings(max_examples=2 * settings.default.max_examples)
@given(
    head=st.sampled_from(["k,l", '"k",l', '"k\nm",l', "\nk,l", "k", '"k"', "k,l,m"]),
    body=st.one_of(soup('a",\n'), soup('a", \n\r'), soup('a"\n\r'), soup("a,\n\r\x85")),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    mark=st.sampled_from(["", "\ufeff"]),
)
@pytest.mark.long
def test_any_text_is_read_like_python_reads_it_or_refused(
    tmp_path_factory: pytest.TempPathFactory, head: str, body: str, end: str, mark: str
) -> None:
    text = f"{head}{end}{body}"
    truth = parsed(text)
    path = file(tmp_path_factory.getbasetemp(), mark + text)
    if truth is None:
        with pytest.raises(InputError):
            read(path, delimiter=",")
    else:
        assert read(path, delimiter=",") == expected(*truth)


@given(body=soup('aé",\n\r'), sizes=st.lists(st.integers(1, 5)), columns=st.integers(1, 3))
def test_a_survey_does_not_depend_on_how_the_file_comes(
    body: str, sizes: list[int], columns: int
) -> None:
    content = codecs.BOM_UTF8 + f"k,l\n{body}".encode()
    whole = CsvScan(",", columns)
    whole.feed(content)
    pieces = CsvScan(",", columns)
    at = 0
    for size in [3, *sizes]:
        pieces.feed(content[at : at + size])
        at += size
    pieces.feed(content[at:])
    assert pieces.finish() == whole.finish()


def surveyed(*pieces: str | bytes, columns: int = 2) -> Survey:
    scan = CsvScan(",", columns)
    for piece in pieces:
        scan.feed(piece.encode() if isinstance(piece, str) else piece)
    return scan.finish()


@pytest.mark.parametrize(
    ("text", "records", "blank"),
    [
        ("a,b\n1,2\n3,4", 2, 0),
        ("\ufeffa,b\r\n1,2\r\n", 1, 0),
        ("a,b\r1,2\r\r", 1, 1),
        ("a,b\r\n\r\n\r\n1,2\r\n", 1, 2),
        ('"a","b"\n"1\r\n\r","say ""x,"",\n"\n"",""\n', 2, 0),
        ("a,b", 0, 0),
        ("a,b\n,\n", 1, 0),
        ("ä,b\n\u2028,\x85\n", 1, 0),
    ],
)
def test_a_file_that_engines_read_well(text: str, records: int, blank: int) -> None:
    regular = Survey(regular=True, records=records, blank_lines=blank, not_text=None)
    assert surveyed(text) == regular
    assert surveyed(text[:3], *text[3:]) == regular  # a character a time


@pytest.mark.parametrize(
    "text",
    [
        '\ufeff"a",b\n1,2\n',  # a mark before a quote
        "\na,b\n1,2\n",  # the header is not in the first line
        "\ufeff\r\na,b\r\n1,2\r\n",
        "a,b\r\n1,2\n",  # two kinds of line ends
        "a,b\n1,2\r",
        "a,b\r1,2\r\n",
        "a,b\n1,2,\n",  # a field too many
        "a,b\n1\n",  # one too few
        'a,b\n1, "2"\n',  # quotes around less than the cell
        'a,b\n"1" ,2\n',
        'a,b\n1,2"2"\n',
        'a,b\n1,"2',  # a lone quote
        'a,b\n1,"2"x"\n',
    ],
)
def test_a_file_that_engines_may_misread(text: str) -> None:
    assert not surveyed(text).regular
    assert not surveyed(text[:3], *text[3:]).regular


@pytest.mark.parametrize(
    ("content", "at"),
    [
        (b"a,b\n\xff,\x00", 4),
        (b"a,b\n\x00,\xff", 4),
        (b"a,b\n1,\xc3", 6),
        (b"a,b\n1,\xc3\n2", 6),
        (b"a,b\n\xf0\x9f\x98,2", 4),
    ],
)
def test_the_first_byte_that_is_not_text(content: bytes, at: int) -> None:
    bytewise = [content[:4], *(content[i : i + 1] for i in range(4, len(content)))]
    for found in (surveyed(content), surveyed(*bytewise)):
        assert (found.regular, found.not_text) == (False, at)


@given(body=st.one_of(soup('a",\n'), soup('a",\r')), head=st.sampled_from(["k", "k,l"]))
def test_a_regular_file_has_the_records_that_the_survey_counted(body: str, head: str) -> None:
    text = f"{head}\r{body}" if "\r" in body else f"{head}\n{body}"
    scan = CsvScan(",", len(head.split(",")))
    scan.feed(text.encode())
    survey = scan.finish()
    truth = parsed(text)
    if truth is not None and '"' not in body:
        assert survey.regular
    if truth is not None and survey.regular:
        assert survey.records == len(truth[1])


def test_quotes_are_followed_across_blocks() -> None:
    inside = 'x,\n""' * 20_000
    scan = CsvScan(",", 2)
    scan.feed(f'a,b\n1,"{inside}"\n\n2,3\n'.encode())
    assert scan.finish().__dict__ == {
        "regular": True, "records": 2, "blank_lines": 1, "not_text": None
    }  # fmt: skip


@pytest.mark.long
def test_a_large_file_with_line_ends_in_quotes_is_read_whole(tmp_path: Path) -> None:
    """Engines read large files in pieces, from the middle on, and have to guess where they are."""
    import random

    draw = random.Random(1)
    cells = ["", "x", "two\nlines", "a,b", 'say "1,2\n3,4\n"', "y" * 50]
    rows = [[draw.choice(cells) for _ in range(4)] for _ in range(1_500_000)]
    path = file(tmp_path, written("klmn", rows))
    assert path.stat().st_size > 50_000_000
    assert read(path) == expected("klmn", rows)
