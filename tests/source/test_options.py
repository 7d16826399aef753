"""An option that a table has no use for is refused. docs/policy.md says which tables have which."""

from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyreadstat
import pytest

import anonaudit
from anonaudit.cli.app import app
from anonaudit.errors import InputError
from anonaudit.policy import parse_policy
from anonaudit.source import TableFile, open_source

FRAME = pd.DataFrame({"a": ["1", "2"], "b": ["x", "y"]})
OPTIONS = {"delimiter": ";", "encoding": "cp1252", "labels": True}
# The tables below, and the options that each of them has.
HAVE = {
    "t.csv": {"delimiter", "encoding"},
    "t.csv.gz": {"delimiter", "encoding"},
    "t.parquet": set(),
    "folder": set(),
    "folder/*.parquet": set(),
    "t.xlsx": set(),
    "t.sav": {"labels"},
    "memory": set(),
    "source": set(),
}


def written(folder: Path, name: str) -> Any:
    """A table of this name with two rows."""
    (folder / "folder").mkdir()
    FRAME.to_csv(folder / "t.csv", sep=";", index=False)
    FRAME.to_csv(folder / "t.csv.gz", sep=";", index=False)
    FRAME.to_parquet(folder / "t.parquet")
    FRAME.to_parquet(folder / "folder/1.parquet")
    pyreadstat.write_sav(FRAME, str(folder / "t.sav"))
    book = openpyxl.Workbook()
    for row in [FRAME.columns, *FRAME.to_numpy()]:
        book.active.append([*row])
    book.save(folder / "t.xlsx")
    if name == "source":
        return open_source(FRAME)
    return FRAME if name == "memory" else folder / name


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("name", HAVE)
def test_an_option_without_use_is_refused(tmp_path: Path, name: str, option: str) -> None:
    table, given = written(tmp_path, name), {option: OPTIONS[option]}
    for opened in (lambda: open_source(table, **given), TableFile(table, **given).open):
        if option in HAVE[name]:
            assert opened().columns == ("a", "b")
        else:
            with pytest.raises(InputError, match=rf"this format has no .*leave out `{option}`$"):
                opened()


@pytest.mark.parametrize("name", HAVE)
def test_no_labels_is_true_of_every_table(tmp_path: Path, name: str) -> None:
    given = {"delimiter": ";"} if ".csv" in name else {}
    assert open_source(written(tmp_path, name), labels=False, **given).columns == ("a", "b")


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_without_use_is_refused_before_spark_starts(option: str) -> None:
    with pytest.raises(InputError, match=f"table:t: this format has no .*leave out `{option}`$"):
        open_source("table:t", engine="spark", **{option: OPTIONS[option]})


def test_labels_are_refused_for_every_file_in_spark(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"this format has no value labels; leave out `labels`$"):
        open_source(written(tmp_path, "t.csv"), engine="spark", labels=True)


@pytest.mark.parametrize("option", ["--delimiter", "--encoding"])
def test_an_option_of_the_command_line(tmp_path: Path, option: str) -> None:
    file, policy = written(tmp_path, "t.parquet"), tmp_path / "p.toml"
    policy.write_text('columns.quasi-identifiers = ["a"]\nrequire.k-anonymity = { k = 1 }\n')
    command = ["audit", str(file), str(policy), "--quiet"]
    assert app(command, standalone_mode=False) == 0
    with pytest.raises(InputError, match=f"this format has no {option[2:]}; leave out"):
        app([*command, option, "|"], standalone_mode=False)


SHARED = """
columns = { quasi-identifiers = ["a"], sensitive = ["b"] }
release = { file = "t.csv", delimiter = ";", encoding = "cp1252" }
[attacks.composition]
external = "t.parquet"
second = "t.csv"
identity = ["a"]
delimiter = ";"
"""


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx", "memory", "source"])
def test_a_policy_shares_the_format_of_csv_files(tmp_path: Path, name: str) -> None:
    """One policy serves the CSV file that it names and other tables of the same columns."""
    table = written(tmp_path, name)
    policy = parse_policy(SHARED, folder=tmp_path)
    assert anonaudit.audit(table, policy).release.rows == 2
    if HAVE[name] == set():
        with pytest.raises(InputError, match=r"leave out `delimiter`$"):
            anonaudit.audit(table, policy, delimiter=";")


@pytest.mark.parametrize("section", ["original", "population"])
def test_the_format_of_a_single_table_in_a_policy(tmp_path: Path, section: str) -> None:
    table = written(tmp_path, "t.csv")
    text = (
        f'columns.quasi-identifiers = ["a"]\n{section} = {{ file = "t.parquet", encoding = "u8" }}'
    )
    with pytest.raises(InputError, match=r"t\.parquet: this format has no encoding; leave out"):
        anonaudit.audit(table, parse_policy(text + "\nrequire.k-map = { k = 1 }", folder=tmp_path))


NAMED = """
columns = {{ quasi-identifiers = ["a"], sensitive = ["b"] }}
release = {{ file = "{name}", {option} = "{value}" }}
"""
FORMATS = ["delimiter", "encoding"]


@pytest.mark.parametrize("option", FORMATS)
@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx", "folder"])
def test_the_format_of_the_release_that_a_policy_names(
    tmp_path: Path, name: str, option: str
) -> None:
    """Also if the caller names it, as `check` and pytest do."""
    path = written(tmp_path, name)
    text = NAMED.format(name=name, option=option, value=OPTIONS[option])
    policy = parse_policy(text, folder=tmp_path)
    for table in (None, path):
        if name == "t.csv":
            assert anonaudit.audit(table, policy).release.rows == 2
        else:
            with pytest.raises(InputError, match=rf"{name}: this format has no .*`{option}`$"):
                anonaudit.audit(table, policy)


@pytest.mark.parametrize("option", FORMATS)
def test_the_format_of_the_only_table_of_an_attack(tmp_path: Path, option: str) -> None:
    """With a second table, it may be the format of that one."""
    release = written(tmp_path, "memory")
    text = (
        'columns = { quasi-identifiers = ["a"], sensitive = ["b"] }\n'
        '[attacks.composition]\nexternal = "t.parquet"\nidentity = ["a"]\n'
        f'{option} = "{OPTIONS[option]}"\n'
    )
    with pytest.raises(InputError, match=rf"t\.parquet: this format has no .*`{option}`$"):
        anonaudit.audit(release, parse_policy(text, folder=tmp_path))
    policy = parse_policy(text + 'second = "t.csv"', folder=tmp_path)
    assert anonaudit.audit(release, policy).release.rows == 2
