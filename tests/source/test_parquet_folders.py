"""Several Parquet files as one table, and how much memory reading may take."""

import hashlib
from pathlib import Path

import pandas as pd
import pytest

import anonaudit
from anonaudit.errors import InputError
from anonaudit.frequency.counting import count
from anonaudit.source import duck, open_source

pytest.importorskip("pyarrow")


def written(folder: Path, name: str, **columns: list[object]) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(columns).to_parquet(path)
    return path


def counted(path: object, *columns: str) -> dict[tuple[str, ...], int]:
    table = count(open_source(path), columns)
    keys = [
        tuple(labels[code] for labels, code in zip(table.labels, row, strict=True))
        for row in table.codes
    ]
    return dict(zip(keys, table.counts.tolist(), strict=True))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    written(tmp_path, "t/year=2020/a.parquet", age=["1", "1"])
    written(tmp_path, "t/year=2021/b c.parquet", age=["1", "2", "2"])
    (tmp_path / "t/_SUCCESS").touch()
    (tmp_path / "t/year=2021/.b c.parquet.crc").write_text("x")
    return tmp_path / "t"


YEARS = {("1", "2020"): 2, ("1", "2021"): 1, ("2", "2021"): 2}


@pytest.mark.parametrize("pattern", ["", "*/*.parquet", "year=202[01]/*", "**/[ab]*"])
def test_partitions_are_a_column(folder: Path, pattern: str) -> None:
    assert counted(folder / pattern, "age", "year") == YEARS


def test_a_pattern_takes_what_it_fits(folder: Path) -> None:
    assert counted(folder / "*/a*", "age", "year") == {("1", "2020"): 2}


def test_a_relative_pattern(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert counted("*/*.parquet", "age", "year") == YEARS
    assert counted(".", "age", "year") == YEARS


def test_values_of_partitions_are_texts_as_they_stand(tmp_path: Path) -> None:
    """007 is no 7, an escaped name is read, and what has no value is missing."""
    for part in ("zip=007", "zip=7", "zip=a%2Fb", "zip=__HIVE_DEFAULT_PARTITION__"):
        written(tmp_path, f"{part}/x.parquet", age=["1"])
    assert counted(tmp_path, "zip") == {("007",): 1, ("7",): 1, ("a/b",): 1, ("",): 1}


def test_a_column_that_a_file_lacks_is_refused(tmp_path: Path) -> None:
    """What is not there is no missing value. The other columns are read."""
    written(tmp_path, "1.parquet", age=["1"], sex=["f"])
    written(tmp_path, "2.parquet", age=["2"])
    with pytest.raises(InputError, match=r"column 'sex' is not in 1 of 2 files \('2\.parquet'\)"):
        counted(tmp_path, "age", "sex")
    assert counted(tmp_path, "age") == {("1",): 1, ("2",): 1}


def test_a_file_of_that_very_name_is_no_pattern(tmp_path: Path) -> None:
    path = written(tmp_path, "a[1].parquet", age=["1"])
    written(tmp_path, "a1.parquet", age=["2"])
    assert counted(path, "age") == {("1",): 1}


def test_the_hash_is_of_names_and_contents(folder: Path) -> None:
    lines = "".join(
        f"{name}\0{hashlib.sha256((folder / name).read_bytes()).hexdigest()}\n"
        for name in ("year=2020/a.parquet", "year=2021/b c.parquet")
    )
    assert open_source(folder).sha256 == hashlib.sha256(lines.encode()).hexdigest()


def test_an_audit_of_a_folder(folder: Path) -> None:
    report = anonaudit.audit(folder, quasi_identifiers=["age", "year"])
    assert (report.models[0].measured, report.release.rows) == (1, 5)
    assert report.models[0].witness is not None


def test_refusals(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "mixed").mkdir()
    (tmp_path / "mixed" / "a.csv").write_text("Sm1th,b\n")
    written(tmp_path, "odd/x=a*b/f.parquet", age=["1"])
    cut = written(tmp_path, "cut/a.parquet", age=["1"])
    cut.write_bytes(cut.read_bytes()[:-20])
    for path, told in {
        "empty": "is a folder without Parquet files",
        "none*.parquet": "is not there",
        "mixed": "'a.csv' is not a Parquet file",
        "odd": "rename it",
        "cut": "the Parquet file is damaged or cut off",
    }.items():
        with pytest.raises(InputError, match=told.replace("*", r"\*")) as raised:
            counted(tmp_path / path, "age")
        assert "Sm1th" not in str(raised.value)


def test_nothing_is_left_out_in_silence(folder: Path) -> None:
    """A link that leads nowhere, or to a folder, may be a part of the table."""
    link = folder / "c.parquet"
    for target in (folder / "nowhere", folder / "year=2020"):
        link.symlink_to(target)
        with pytest.raises(InputError, match=r"'c\.parquet' is neither a file nor a folder"):
            counted(folder, "age")
        link.unlink()
    link.symlink_to(folder / "nowhere")
    with pytest.raises(InputError, match=r"'c\.parquet' is neither a file nor a folder"):
        counted(folder / "**/*.parquet", "age")
    link.unlink()
    (folder / "_c.parquet").symlink_to(folder / "nowhere")
    link.symlink_to(folder / "year=2020/a.parquet")
    written(folder, "c.parquet", age=["3"])  # the file behind the link
    link.unlink()
    assert counted(folder, "age") == {("1",): 1, ("2",): 2, ("3",): 1}


def test_two_columns_are_never_one(tmp_path: Path) -> None:
    written(tmp_path, "case/1.parquet", Age=["1"])
    written(tmp_path, "case/2.parquet", age=["1"])
    written(tmp_path, "one/1.parquet", Age=["1"], age=["2"])
    written(tmp_path, "part/age=1/1.parquet", age=["2"])
    for path, told in {
        "case": "'Age' and 'age'",
        "one": "'Age'",
        "part": "'age' and 'age='",
    }.items():
        with pytest.raises(InputError, match=told):
            counted(tmp_path / path, "age")
    written(tmp_path, "other/age=1/1.parquet", sex=["f"])
    written(tmp_path, "other/zip=1/1.parquet", sex=["f"])
    with pytest.raises(InputError, match="the folders called column=value name different columns"):
        counted(tmp_path / "other", "sex")


def test_whole_numbers_are_not_rounded(tmp_path: Path) -> None:
    """As floats, 2**53 and 2**53 + 1 would be one value of two rows."""
    written(tmp_path, "1.parquet", n=[2**53, 2**53 + 1])
    assert counted(tmp_path, "n") == {(str(2**53),): 1, (str(2**53 + 1),): 1}
    written(tmp_path, "2.parquet", n=[1.5])
    with pytest.raises(InputError, match="column 'n' holds whole numbers in"):
        counted(tmp_path, "n")


def test_columns_of_two_kinds(tmp_path: Path) -> None:
    """Numbers in one file, texts in another: all are texts, or the table is refused."""
    written(tmp_path, "1.parquet", age=[1])
    written(tmp_path, "2.parquet", age=["x"])
    assert counted(tmp_path, "age") == {("1",): 1, ("x",): 1}


def test_long_tables_come_as_codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is handed over as codes and labels is what is handed over as texts."""
    values = [None, "", "*", "é", "b", "a", "10", "9", "A"]
    numbers = [None, 1.5, -0.0, 0.0, float("nan"), 1e300, 2.0, 3.0, float("inf")]
    path = written(tmp_path, "t.parquet", x=values * 3, y=numbers * 3, z=list(range(9)) * 3)
    short = count(open_source(path), ("x", "y", "z"))
    monkeypatch.setattr(duck, "MOST_TEXTS", 0)
    long = count(open_source(path), ("x", "y", "z"))
    assert long.labels == short.labels
    assert long.codes.tolist() == short.codes.tolist()
    assert long.counts.tolist() == short.counts.tolist() == [3] * len(short)


def test_the_memory_limit(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv(duck.MEMORY, "300MiB")
    open_source(folder)
    said = duck.connect().sql("SELECT current_setting('memory_limit')").fetchall()
    assert said == [("300.0 MiB",)]
    for wrong in ("3x", "much", "-1GB", "4GiB'; DROP"):
        monkeypatch.setenv(duck.MEMORY, wrong)
        with pytest.raises(InputError, match="amount of memory such as 4GiB"):
            open_source(folder)
    for wrong in ("0GB", "1KB", "99999999999999TB"):
        monkeypatch.setenv(duck.MEMORY, wrong)
        with pytest.raises(InputError, match=f"memory cannot be limited to {wrong}"):
            open_source(folder)
    monkeypatch.delenv(duck.MEMORY)
    assert duck.memory_limit().endswith(("MiB", "%"))
