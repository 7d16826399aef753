"""`anonaudit profile`: its answers and exit codes."""

import json
import os
from pathlib import Path

import pytest
from command import Command

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

POLICY = 'columns = { quasi-identifiers = ["age"], sensitive = ["dx"] }\n'
OURS = (
    'title = "Our rules"\nsource = "Handbook"\n[[lines]]\nasks = "Three or more."\n'
    'source = "Handbook, 4.2"\nrequire = { k-anonymity = { k = 3 } }\n'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.toml").write_text(POLICY)
    (tmp_path / "ours.toml").write_text(OURS)
    for size in (2, 3, 11):
        (tmp_path / f"{size}.csv").write_text("age,dx\n" + "30s,a\n" * size)
    return tmp_path


@pytest.mark.parametrize(
    ("profile", "release", "code", "first"),
    [
        ("ours.toml", "3.csv", 0, "3.csv, checked against ours: 1 met."),
        ("ours.toml", "2.csv", 1, "2.csv, checked against ours: 1 not met."),
        ("cms-11", "11.csv", 2, "11.csv, checked against cms-11: 3 for a person to judge."),
        (
            "cms-11",
            "3.csv",
            1,
            "3.csv, checked against cms-11: 2 not met, 1 for a person to judge.",
        ),
    ],
)
def test_the_exit_code_is_0_only_if_every_line_is_met(
    anonaudit: Command, folder: Path, profile: str, release: str, code: int, first: str
) -> None:
    ended = anonaudit(folder, "profile", profile, release, "p.toml")
    assert (ended.code, ended.err) == (code, "")
    assert ended.out.splitlines()[0] == first


def test_as_json(anonaudit: Command, folder: Path) -> None:
    ended = anonaudit(folder, "profile", "ours.toml", "2.csv", "p.toml", "--format", "json")
    (line,) = json.loads(ended.out)["lines"]
    assert line["status"] == "not met"
    assert line["source"] == "Handbook, 4.2"


def test_an_unknown_profile(anonaudit: Command, folder: Path) -> None:
    ended = anonaudit(folder, "profile", "gdpr", "2.csv", "p.toml")
    assert ended.code == 2
    assert "there is no profile 'gdpr'; there are cms-11, ema-0070" in ended.err


def test_a_table_of_areas_decides_on_zip_codes(anonaudit: Command, folder: Path) -> None:
    (folder / "zips.csv").write_text("age,dx,zip\n" + "30s,a,021\n" * 25)
    (folder / "areas.csv").write_text("zip3,population\n021,20000\n")
    call = ("profile", "hipaa-safe-harbor", "zips.csv", "p.toml")
    assert anonaudit(folder, *call).code == 2
    ended = anonaudit(folder, *call, "--zip-areas", "areas.csv")
    assert ended.code == 1
    assert "25 rows with a zip code of more than three digits, or an area of 20,000" in " ".join(
        ended.out.split()
    )
    wrong = anonaudit(folder, *call, "--zip-areas", "none.csv")
    assert (wrong.code, wrong.out) == (2, "")
    assert "none.csv" in wrong.err
    assert "Traceback" not in wrong.err
