"""Files of Excel, SPSS, Stata and SAS, written by the writers of openpyxl and pyreadstat.

What a cell must be read as is written here by hand, by the rules of excel.py and statistical.py.
"""

import datetime
import hashlib
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyreadstat
import pytest

import anonaudit
from anonaudit.errors import InputError, PolicyError
from anonaudit.policy import parse_policy
from anonaudit.source import TableFile, open_source
from anonaudit.source.excel import is_workbook

DAY, NOON = datetime.date(2026, 11, 29), pd.Timestamp("2026-11-29 13:45").to_pydatetime()
HALF = pd.Timestamp("2026-01-02 00:00:00.5").to_pydatetime()


def cells(table: Any) -> dict[str, list[str | None]]:
    """The cells of a table as text, by column."""
    source = open_source(table)
    frame = source.collect(lambda frame: frame.sort("row"))
    inner = source.inner(source.columns)
    found = {name: frame[one].tolist() for name, one in zip(source.columns, inner, strict=True)}
    return {name: [None if x != x else x for x in column] for name, column in found.items()}


def workbook(path: Path, *rows: tuple[Any, ...], change=lambda book: None) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    change(book)
    book.save(path)
    return path


def test_excel(tmp_path: Path) -> None:
    file = workbook(
        tmp_path / "r.xlsx",
        ("number", "day", "time", "truth", "hour", "text", "long"),
        (1, DAY, NOON, True, datetime.time(13, 45), "01", datetime.timedelta(days=1, hours=2)),
        (0.1, pd.Timestamp("2026-11-29").to_pydatetime(), HALF, False, None, " x ", None),
        (1e20, None, None, None, None, "", None),
        (-3.0, DAY, NOON, True, None, "NA", None),
    )
    assert cells(file) == {
        "number": ["1", "0.1", "1e+20", "-3"],
        "day": ["2026-11-29", "2026-11-29", None, "2026-11-29"],
        "time": ["2026-11-29 13:45:00", "2026-01-02 00:00:00.500000", None, "2026-11-29 13:45:00"],
        "truth": ["True", "False", None, "True"],
        "hour": ["13:45:00", None, None, None],
        "text": ["01", " x ", None, "NA"],
        "long": ["1 day, 2:00:00", None, None, None],
    }


def test_names_of_columns_of_excel(tmp_path: Path) -> None:
    """Names that differ in case are two; a column without a name is called by its place."""
    file = workbook(tmp_path / "r.xlsx", ("a", "A", None, 2026, None), (1, 2, 3, 4, None))
    assert cells(file) == {"a": ["1"], "A": ["2"], "(column 3)": ["3"], "2026": ["4"]}
    warnings = [code for code, _ in open_source(file).warnings]
    assert warnings == ["unnamed-column"]


def merge(book: openpyxl.Workbook) -> None:
    book.active.merge_cells("A2:A3")


def second(book: openpyxl.Workbook) -> None:
    sheet = book.create_sheet("more")
    sheet.append(["name"])
    sheet.sheet_state = "hidden"


def error(book: openpyxl.Workbook) -> None:
    book.active["A2"] = "#N/A"


def formula(book: openpyxl.Workbook) -> None:
    book.active["A2"] = "=1+1"  # openpyxl computes nothing


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (merge, r"1 range\(s\) of merged cells"),
        (second, "2 sheets have cells, expected exactly one"),
        (error, r"1 cell holds errors such as #N/A \('A2'\)"),
        (formula, r"1 cell holds formulas without a result \('A2'\)"),
        (lambda book: book.active.delete_rows(1, 9), "0 sheets have cells"),
        (lambda book: book.active.insert_rows(1), "the first row is empty"),
        (lambda book: book.active.append(["x", "y"]), None),
    ],
)
def test_what_would_be_read_as_empty_is_refused(tmp_path: Path, change, said) -> None:
    file = workbook(tmp_path / "r.xlsx", ("a", "b"), ("x", 1), ("y", 2), change=change)
    if said is None:
        assert cells(file)["a"] == ["x", "y", "x"]
        return
    with pytest.raises(InputError, match=said):
        open_source(file)


def rewritten(file: Path, changes: dict[str, dict[str, str]], moved: str = "") -> None:
    """A workbook with other texts in its parts, and its sheet in another folder if told."""
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            text = content.decode()
            for was, now in changes.get(name, {}).items():
                assert was in text
                text = text.replace(was, now)
            place = name.replace("xl/worksheets/", moved) if moved else name
            archive.writestr(place, text.replace("/xl/worksheets/", f"/{moved}") if moved else text)


SHEET = "xl/worksheets/sheet1.xml"


def note(book: openpyxl.Workbook) -> None:
    book.active["A2"].comment = openpyxl.comments.Comment("canary", "author")


def chart(book: openpyxl.Workbook) -> None:
    drawn = openpyxl.chart.BarChart()
    drawn.add_data(openpyxl.chart.Reference(book.active, min_col=2, min_row=1, max_row=3))
    book.active.add_chart(drawn)


def link(book: openpyxl.Workbook) -> None:
    book.active["A2"].hyperlink = "mailto:canary@example.org"


def footer(book: openpyxl.Workbook) -> None:
    book.active.oddFooter.center.text = "canary"


def list_of_values(book: openpyxl.Workbook) -> None:
    allowed = openpyxl.worksheet.datavalidation.DataValidation("list", formula1='"x,canary"')
    book.active.add_data_validation(allowed)
    allowed.add("A2")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (note, "the workbook has notes"),
        (chart, "drawings, which may be charts"),
        (link, "the workbook has links"),
        (footer, "the workbook has headers or footers"),
        (list_of_values, "the workbook has lists of allowed values"),
    ],
)
def test_what_is_in_no_cell_is_refused(tmp_path: Path, change, said) -> None:
    file = workbook(tmp_path / "r.xlsx", ("a", "b"), ("x", 1), ("y", 2), change=change)
    with pytest.raises(InputError, match=said) as raised:
        open_source(file)
    assert "canary" not in str(raised.value)


def test_a_list_that_refers_to_cells_is_no_content_of_its_own(tmp_path: Path) -> None:
    def refers(book: openpyxl.Workbook) -> None:
        allowed = openpyxl.worksheet.datavalidation.DataValidation("list", formula1="$A$2:$A$3")
        book.active.add_data_validation(allowed)
        allowed.add("A2")

    file = workbook(tmp_path / "r.xlsx", ("a", "b"), ("x", 1), ("y", 2), change=refers)
    assert open_source(file).columns == ("a", "b")


@pytest.mark.parametrize(
    ("type_", "said"),
    [
        ("spreadsheetml.pivotCacheRecords+xml", "pivot tables, which keep a copy of their data"),
        ("spreadsheetml.externalLink+xml", "copies of cells of other workbooks"),
        ("spreadsheetml.printerSettings", None),
    ],
)
def test_parts_are_known_by_their_type(tmp_path: Path, type_: str, said: str | None) -> None:
    """ECMA-376 part 1, 12.3: the types are those of the standard, and any name will do."""
    file = workbook(tmp_path / "r.xlsx", ("a", "b"), ("x", 1), ("y", 2))
    kind = f"application/vnd.openxmlformats-officedocument.{type_}"
    part = f'<Override PartName="/anything.xml" ContentType="{kind}"/></Types>'
    changed = tmp_path / "changed.xlsx"
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(changed, "w") as new:
        for member in old.namelist():
            content = old.read(member)
            if member == "[Content_Types].xml":
                content = content.replace(b"</Types>", part.encode())
            new.writestr(member, content)
        new.writestr("anything.xml", "<x/>")
    if said is None:
        assert cells(changed)["a"] == ["x", "y"]
        return
    with pytest.raises(InputError, match=said):
        open_source(changed)


def test_a_file_that_only_ends_like_an_archive_is_no_workbook(tmp_path: Path) -> None:
    end = b"PK\x05\x06" + bytes(14) + b"\x01" + bytes(5)
    (tmp_path / "r.csv").write_bytes(b"a,b\n1,2\n" + end)
    assert not is_workbook(tmp_path / "r.csv")


def test_a_sheet_in_another_folder_is_looked_at_too(tmp_path: Path) -> None:
    """Excel itself writes `xl/worksheets`; the format lets a workbook name any folder."""
    file = workbook(tmp_path / "r.xlsx", ("a", "b"), ("x", 1), ("y", 2), change=error)
    rewritten(file, {}, moved="xl/pages/")
    with pytest.raises(InputError, match=r"1 cell holds errors such as #N/A \('A2'\)"):
        open_source(file)


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ('r="A3"', 'r="A2"', r"although another cell has the same address \('A2'\)"),
        ("<v>22</v>", "<v>123456789012345679</v>", r"more digits than Excel keeps \(15\) \('B3'\)"),
        ("<v>22</v>", "<v>9007199254740991</v>", None),  # a double holds it
    ],
)
def test_cells_that_a_workbook_holds_otherwise_than_it_is_read(tmp_path, was, now, said) -> None:
    file = workbook(tmp_path / "r.xlsx", ("a", "b"), ("x", 1), ("y", 22))
    rewritten(file, {SHEET: {was: now}})
    if said is None:
        assert cells(file)["b"] == ["1", "9007199254740991"]
        return
    with pytest.raises(InputError, match=said):
        open_source(file)


def test_columns_of_the_same_name_in_excel(tmp_path: Path) -> None:
    file = workbook(tmp_path / "r.xlsx", ("a", "a"), (1, 2))
    with pytest.raises(InputError, match="duplicate column name 'a'"):
        open_source(file)


FRAME = pd.DataFrame(
    {
        "number": [1.0, 0.1, None, 99.0],
        "code": [1.0, 2.0, 3.0, 1.0],
        "text": ["01", "b", "", "d"],
        "day": [DAY, None, DAY, DAY],
        "time": pd.Series([NOON, HALF, None, NOON], dtype="datetime64[us]"),
    }
)
READ = {
    "number": ["1", "0.1", None, "99"],
    "code": ["1", "2", "3", "1"],
    "text": ["01", "b", None, "d"],
    "day": ["2026-11-29", None, "2026-11-29", "2026-11-29"],
    "time": [
        "2026-11-29 13:45:00",
        "2026-01-02 00:00:00.500000",
        None,
        "2026-11-29 13:45:00",
    ],
}
LABELS = {"code": {1: "low", 2: "high"}}


def written(folder: Path, ending: str) -> Path:
    """The frame, by pyreadstat; 99 is a missing value to SPSS, the labels are no part of SAS."""
    path = folder / f"r.{ending}"
    if ending == "sav":
        pyreadstat.write_sav(
            FRAME, str(path), variable_value_labels=LABELS, missing_ranges={"number": [99]}
        )
    elif ending == "zsav":
        pyreadstat.write_sav(FRAME, str(path), variable_value_labels=LABELS, compress=True)
    elif ending == "dta":
        pyreadstat.write_dta(FRAME, str(path), variable_value_labels=LABELS)
    elif ending == "old.dta":
        pyreadstat.write_dta(FRAME, str(path), variable_value_labels=LABELS, version=10)
    else:
        pyreadstat.write_xport(FRAME, str(path), file_format_version=8 if ending == "xpt" else 5)
    return path


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta", "old.dta", "xpt", "5.xpt"])
def test_statistics(tmp_path: Path, ending: str) -> None:
    file = written(tmp_path, ending)
    assert cells(file) == READ
    if "xpt" not in ending:
        labelled = READ | {"code": ["low", "high", "3", "low"]}
        assert cells(TableFile(file, labels=True)) == labelled
        assert cells(TableFile(file, labels=False)) == READ


# By hand: 90,061 seconds are 25 hours, 1 minute, 1 second. Day 0 of SPSS is 1582-10-14 and its dates
# are seconds; Stata's and SAS's are days from 1960-01-01, and Stata's times are milliseconds.
MOMENTS = {
    "sav": (
        pyreadstat.write_sav,
        {"time": [3661, 90061, -1], "day": [86400, 86400 + 3661, 2 * 86400]},
        {"time": "TIME8", "day": "DATE11"},
        ["1582-10-15", "1582-10-15 01:01:01", "1582-10-16"],
    ),
    "dta": (
        pyreadstat.write_dta,
        {"time": [3661000, 90061000, -1000], "day": [1, 1.25, -0.25]},
        {"time": "%tcHH:MM:SS", "day": "%td"},
        ["1960-01-02", "1960-01-02 06:00:00", "1959-12-31 18:00:00"],
    ),
    "xpt": (
        pyreadstat.write_xport,
        {"time": [3661, 90061, -1], "day": [1, 1.25, -0.25]},
        {"time": "TIME8", "day": "DATE9"},
        ["1960-01-02", "1960-01-02 06:00:00", "1959-12-31 18:00:00"],
    ),
}


@pytest.mark.parametrize("ending", MOMENTS)
def test_what_a_format_hides_is_read(tmp_path: Path, ending: str) -> None:
    """01:01:01 and 25:01:01 are shown alike, and two values all the same."""
    write, numbers, formats, days = MOMENTS[ending]
    file = tmp_path / f"r.{ending}"
    frame = pd.DataFrame({**numbers, "n": [1, 2, 3]}, dtype=float)
    frame.loc[3] = [None, None, 4]
    write(frame, file, variable_format=formats)
    found = cells(file)
    assert found["time"] == ["01:01:01", "25:01:01", "-00:00:01", None]
    assert found["day"] == [*days, None]
    assert found["n"] == ["1", "2", "3", "4"]


# By hand, of 2019-12-31: day 21,914 from 1960, second 13,797,129,600 from 1582-10-14 on, and
# millisecond 1,893,369,600,000 from 1960. Month 719, quarter 239, half-year 119, week 3,119 of 1960
# on are the last of 2019 (60 years of 12, 4, 2 and 52).
NUMBERS = {"day": 21914, "second": 1893369600, "since 1582": 13797129600, "ms": 1893369600000}
FORMATS = [
    ("dta", "%tdNN/DD/YY", "day", "2019-12-31"),
    ("dta", "%-td", "day", "2019-12-31"),
    ("dta", "%dD_m_Y", "day", "2019-12-31"),
    ("dta", "%tcNN/DD/CCYY", "ms", "2019-12-31 00:00:00"),
    ("dta", "%tm", 719, "2019-12"),
    ("dta", "%tmCCYY.NN", -1, "1959-12"),
    ("dta", "%tq", 239, "2019q4"),
    ("dta", "%th", 119, "2019h2"),
    ("dta", "%tw", 3119, "2019w52"),
    ("dta", "%ty", 2019, "2019"),
    ("dta", "%tchH:MM_am", 49500000, "13:45:00"),
    ("dta", "%8.0g", 21914, "21914"),
    ("sav", "MOYR8", "since 1582", "2019-12-31"),
    ("sav", "QYR8", "since 1582", "2019-12-31"),
    ("sav", "WKYR10", "since 1582", "2019-12-31"),
    ("sav", "MTIME8", 3661, "01:01:01"),
    ("sav", "MONTH9", 12, "12"),
    ("sav", "WKDAY9", 7, "7"),
    ("sav", "F8", 21914, "21914"),
    ("xpt", "WORDDATE18", "day", "2019-12-31"),
    ("xpt", "MONYY7", "day", "2019-12-31"),
    ("xpt", "YEAR4", "day", "2019-12-31"),
    ("xpt", "YYQ6", "day", "2019-12-31"),
    ("xpt", "MMYYS7", "day", "2019-12-31"),
    ("xpt", "DTDATE9", "second", "2019-12-31 00:00:00"),
    ("xpt", "DTYEAR4", "second", "2019-12-31 00:00:00"),
    ("xpt", "NLDATMYR7", "second", "2019-12-31 00:00:00"),
    ("xpt", "NLDATEYM7", "day", "2019-12-31"),
    ("xpt", "MMSS5", 3661, "01:01:01"),
    ("xpt", "AGEF2", 21914, "21914"),  # somebody's own format
]
WRITERS = {
    "dta": pyreadstat.write_dta,
    "sav": pyreadstat.write_sav,
    "xpt": pyreadstat.write_xport,
}
READERS = {"dta": pyreadstat.read_dta, "sav": pyreadstat.read_sav, "xpt": pyreadstat.read_xport}


def displayed(folder: Path, ending: str, display: str, *numbers: float) -> Path:
    """A file with one column, `a`, of this format."""
    file = folder / f"r.{ending}"
    frame = pd.DataFrame({"a": numbers}, dtype=float)
    WRITERS[ending](frame, str(file), variable_format={"a": display})
    return file


@pytest.mark.parametrize(("ending", "display", "number", "text"), FORMATS)
def test_formats_of_dates(tmp_path: Path, ending: str, display: str, number, text: str) -> None:
    file = displayed(tmp_path, ending, display, NUMBERS.get(number, number))
    assert cells(file) == {"a": [text]}


@pytest.mark.parametrize(
    ("ending", "display"),
    [
        *(("dta", display) for display in ("%td", "%d", "%tdCCYY-NN-DD", "%tc")),
        *(("sav", display) for display in ("DATE11", "ADATE8", "EDATE10", "JDATE7", "DATETIME20")),
        *(("xpt", display) for display in ("DATE9", "YYMMDDN8", "E8601DA10", "DATETIME20")),
    ],
)
def test_as_pyreadstat_converts_them(tmp_path: Path, ending: str, display: str) -> None:
    """Of the formats that it knows, with whole days and seconds (pyreadstat 1.3.7)."""
    unit = 1000 if display == "%tc" else 86400 if ending == "sav" else 1
    file = displayed(tmp_path, ending, display, *(n * unit for n in (-21914, 0, 59, 21914, 40000)))
    converted, _ = READERS[ending](str(file), output_format="dict")
    assert cells(file) == {"a": [str(one) for one in converted["a"]]}


@pytest.mark.parametrize(
    ("ending", "display", "number"),
    [
        *(("dta", "%td", 2936550), ("dta", "%tm", 1.5), ("dta", "%tc", 1e300)),
        *(("dta", "%tq", 40000), ("dta", "%tm", -30000)),  # the years 11960 and -540
        *(("sav", "DATE11", 1e15), ("xpt", "DATE9", -715511)),
    ],
)
def test_a_number_that_is_no_date(tmp_path: Path, ending: str, display: str, number) -> None:
    """Only who asks for the column is refused. 10000-01-01 is day 2,936,550 of 1960 on."""
    file = displayed(tmp_path, ending, display, 5, number)
    with pytest.raises(InputError, match=r"'a'.* has a number in data row 2 that is no date"):
        anonaudit.audit(file, quasi_identifiers=["a"])


def test_times_that_one_text_would_make_one(tmp_path: Path) -> None:
    file = displayed(tmp_path, "xpt", "TIME8", 1.0000001, 1.0000002)
    with pytest.raises(InputError, match="two times that differ by less than a microsecond"):
        anonaudit.audit(file, quasi_identifiers=["a"])


@pytest.mark.parametrize("display", ["%tbnyse", "%tC", "%-tCHH:MM"])
def test_what_only_stata_can_translate_is_a_number(tmp_path: Path, display: str) -> None:
    """Days of a business calendar, and times with leap seconds."""
    file = displayed(tmp_path, "dta", display, 5)
    ((code, message),) = open_source(file).warnings
    assert (code, "column(s) 'a'" in message) == ("untranslated-dates", True)
    assert cells(file) == {"a": ["5"]}


@pytest.mark.parametrize(("ending", "display"), [("xpt", "DATE9"), ("dta", "%td")])
def test_texts_with_a_format_of_dates_are_texts(tmp_path: Path, ending: str, display: str) -> None:
    file = tmp_path / f"r.{ending}"
    frame = pd.DataFrame({"a": ["Abc", "ABC", "abc", ""]})
    WRITERS[ending](frame, str(file), variable_format={"a": display})
    assert cells(file) == {"a": ["Abc", "ABC", "abc", None]}


@pytest.mark.parametrize(("version", "display"), [(5, "DATE9"), (8, "BEST12")])
def test_special_missing_values_of_sas(tmp_path: Path, version: int, display: str) -> None:
    """`.A` to `.Z` and `._` are a letter and bytes of 0 in the file; 9 and 1 are days of 1960."""
    file = tmp_path / "r.xpt"
    frame = pd.DataFrame(
        {"t": list("AxZ_x"), "a": [9.0, 1.0, 9.0, 9.0, None], "b": [9.0, 1, 9, 9, 0]}
    )
    pyreadstat.write_xport(
        frame, str(file), file_format_version=version, variable_format={"a": display}
    )
    content, nine = file.read_bytes(), bytes.fromhex("4190000000000000")
    for letter in (b"A", b"Z", b"_"):  # those of column a
        at = content.index(letter + nine) + 1
        content = content[:at] + letter + bytes(7) + content[at + 8 :]
    file.write_bytes(content)
    one = "1960-01-02" if display == "DATE9" else "1"
    assert cells(file) == {
        "t": ["A", "x", "Z", "_", "x"],
        "a": [".a", one, ".z", "._", None],
        "b": ["9", "1", "9", "9", "0"],
    }


def test_missing_values_with_letters(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": pd.Series([1.0, "a", "z", None], dtype=object)})
    file = tmp_path / "r.dta"
    pyreadstat.write_dta(frame, str(file), missing_user_values={"a": ["a", "z"]})
    assert cells(file) == {"a": ["1", ".a", ".z", None]}


@pytest.mark.parametrize("labels", [{1: "x", 2: "x"}, {1: "2"}])
def test_labels_that_make_two_values_one(tmp_path: Path, labels: dict[int, str]) -> None:
    file = tmp_path / "r.sav"
    pyreadstat.write_sav(
        pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 1.0]}),
        str(file),
        variable_value_labels={"a": labels, "b": labels},
    )
    audited = anonaudit.audit(TableFile(file), quasi_identifiers=["a"])
    assert audited.release.classes == 2
    with pytest.raises(InputError, match="two values with the same label"):
        anonaudit.audit(TableFile(file, labels=True), quasi_identifiers=["a"])
    assert anonaudit.audit(TableFile(file, labels=True), quasi_identifiers=["b"])


def test_labels_in_a_policy(tmp_path: Path) -> None:
    written(tmp_path, "sav")
    text = 'columns.quasi-identifiers = ["code"]\nrelease = { file = "r.sav", labels = true }\n'
    policy = parse_policy(text, folder=tmp_path)
    assert policy.release.labels is True
    assert anonaudit.audit(policy=policy).release.rows == 4
    with pytest.raises(PolicyError, match=r"release\.labels: must be true or false, not text"):
        parse_policy(text.replace("true", '"true"'), folder=tmp_path)
    with pytest.raises(InputError, match="labels to the TableFile"):
        open_source(TableFile(tmp_path / "r.sav"), labels=True)
    (tmp_path / "r.csv").write_text("code\n1\n")
    with pytest.raises(InputError, match="no value labels"):
        anonaudit.audit(policy=parse_policy(text.replace("sav", "csv"), folder=tmp_path))


@pytest.mark.parametrize(
    ("ending", "module", "extra"),
    [("xlsx", "python_calamine", "excel"), ("sav", "pyreadstat", "statistics")],
)
def test_without_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, module: str, extra: str
) -> None:
    excel = ending == "xlsx"
    file = workbook(tmp_path / "r.xlsx", ("a",), (1,)) if excel else written(tmp_path, ending)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=rf"pip install 'anonaudit\[{extra}\]'"):
        open_source(file)


@pytest.mark.parametrize("ending", ["xlsx", "sav", "dta", "xpt"])
def test_damaged(tmp_path: Path, ending: str) -> None:
    """A file that is cut off is refused, without a cell in the message."""
    excel = ending == "xlsx"
    file = (
        workbook(tmp_path / "r.xlsx", ("a",), ("secret",)) if excel else written(tmp_path, ending)
    )
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(InputError) as caught:
        cells(file)
    assert "secret" not in str(caught.value)


def test_in_an_archive(tmp_path: Path) -> None:
    """One table in a zip, beside what macOS adds; the hash is that of the archive."""
    inner = workbook(tmp_path / "r.xlsx", ("a",), (1,))
    (tmp_path / "r.csv").write_text("a\n1\n")
    for file in (inner, tmp_path / "r.csv"):
        with zipfile.ZipFile(tmp_path / "r.zip", "w") as archive:
            archive.write(file, file.name)
            archive.writestr("__MACOSX/._r", b"\0")
        assert cells(tmp_path / "r.zip") == {"a": ["1"]}
        digest = hashlib.sha256((tmp_path / "r.zip").read_bytes()).hexdigest()
        assert open_source(tmp_path / "r.zip").sha256 == digest


def test_workbooks_of_other_formats_are_refused(tmp_path: Path) -> None:
    (tmp_path / "r.xls").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 100)
    for ending, member in (("xlsb", "xl/workbook.bin"), ("ods", "META-INF/manifest.xml")):
        with zipfile.ZipFile(tmp_path / f"r.{ending}", "w") as archive:
            archive.writestr(member, "x")
    for ending in ("xls", "xlsb", "ods"):
        with pytest.raises(InputError, match=r"save it as \.xlsx or CSV"):
            open_source(tmp_path / f"r.{ending}")


def test_a_sas_data_set_is_refused(tmp_path: Path) -> None:
    magic = "000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011"
    (tmp_path / "r.sas7bdat").write_bytes(bytes.fromhex(magic) + b"\0" * 100)
    with pytest.raises(InputError, match="is a SAS data set; export it as XPORT"):
        open_source(tmp_path / "r.sas7bdat")


def test_the_verdict_is_that_of_the_same_csv(tmp_path: Path) -> None:
    """Codes 1 and 2 in a class of three and one of two: k = 2, in every format."""
    frame = pd.DataFrame({"age": [1.0, 1.0, 1.0, 2.0, 2.0], "ill": ["a", "b", "a", "c", "d"]})
    frame.astype({"age": int}).to_csv(tmp_path / "r.csv", index=False)
    pyreadstat.write_sav(frame, str(tmp_path / "r.sav"))
    pyreadstat.write_dta(frame, str(tmp_path / "r.dta"))
    pyreadstat.write_xport(frame, str(tmp_path / "r.xpt"))
    workbook(tmp_path / "r.xlsx", ("age", "ill"), *frame.itertuples(index=False, name=None))
    for ending in ("csv", "sav", "dta", "xpt", "xlsx"):
        report = anonaudit.audit(
            tmp_path / f"r.{ending}", quasi_identifiers=["age"], sensitive=["ill"]
        )
        assert [m.measured for m in report.models[:1]] == [2]
        assert report.release.class_sizes["max"] == 3
