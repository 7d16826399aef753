"""pytest and `anonaudit check` on the same repository: the same releases, the same baseline."""

import os
from pathlib import Path

import pytest
from command import Command
from pytest_runs import run_pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

POLICY = """
[release]
files = ["day=*.csv"]
[columns]
quasi-identifiers = ["age"]
sensitive = ["illness"]
[require]
k-anonymity = { k = 5 }
"""
ONE = POLICY.replace('files = ["day=*.csv"]', 'file = "day=1.csv"')


def csv(path: Path, rows: int) -> None:
    path.write_text("age,illness\n" + "".join(f"30,ill {i}\n" for i in range(rows)))


@pytest.fixture(scope="module")
def anonaudit():
    """The command, started once."""
    command = Command()
    yield command
    command.close()


def test_both_fail_for_the_same_release(anonaudit: Command, tmp_path: Path) -> None:
    (tmp_path / "p.anonaudit.toml").write_text(POLICY)
    csv(tmp_path / "day=1.csv", 3)
    ended = anonaudit(tmp_path, "check", "--write-baseline", "known.json")
    assert (ended.code, ended.err) == (0, "known.json: 1 known violation(s) written\n")
    assert anonaudit(tmp_path, "check", "--baseline", "known.json").code == 0
    assert anonaudit(tmp_path, "check").code == 1
    csv(tmp_path / "day=2.csv", 1)
    ended = anonaudit(tmp_path, "check", "--baseline", "known.json", "--junit", "j.xml")
    assert ended.code == 1
    assert "  KNOWN day=1.csv, line 8, k-anonymity[k=5]: k = 3 < 5\n" in ended.out
    assert "  VIOLATED day=2.csv, line 8, k-anonymity[k=5]: k = 1 < 5\n" in ended.out
    assert ended.out.endswith("1 policy, 2 releases, 4 checks: 1 violated, 1 known, 2 holds\n")
    done = run_pytest(tmp_path, "--anonaudit-baseline", "known.json", "-rfx", ".")
    summary = [line for line in done.out.split("\n") if line.startswith(("FAILED", "XFAIL"))]
    assert sorted(summary) == [
        "FAILED p.anonaudit.toml::day=2.csv::k-anonymity[k=5] - k = 1 < 5",
        (
            "XFAIL p.anonaudit.toml::day=1.csv::k-anonymity[k=5] - k = 3 < 5, no worse than in the "
            "baseline"
        ),
    ]
    assert done.code == 1
    assert "ill 0" not in done.out + ended.out + (tmp_path / "known.json").read_text()


@pytest.mark.long
def test_another_release(anonaudit: Command, tmp_path: Path) -> None:
    (tmp_path / "p.anonaudit.toml").write_text(ONE)
    csv(tmp_path / "day=1.csv", 5)
    csv(tmp_path / "candidate.csv", 1)
    assert anonaudit(tmp_path, "check", "p.anonaudit.toml").code == 0
    ended = anonaudit(tmp_path, "check", "--release", "candidate.csv")
    assert (ended.code, "k = 1 < 5" in ended.out) == (1, True)


@pytest.mark.long
def test_another_release_in_pytest(tmp_path: Path) -> None:
    (tmp_path / "p.anonaudit.toml").write_text(ONE)
    csv(tmp_path / "day=1.csv", 5)
    csv(tmp_path / "candidate.csv", 1)
    done = run_pytest(tmp_path, "--anonaudit-release", "candidate.csv", ".")
    assert "FAILED p.anonaudit.toml::k-anonymity[k=5] - k = 1 < 5" in done.out


@pytest.mark.long
def test_exit_codes(anonaudit: Command, tmp_path: Path) -> None:
    ended = anonaudit(tmp_path, "check")
    assert (ended.code, ended.out) == (2, "")
    assert "no policy (*.anonaudit.toml) in ." in ended.err
    (tmp_path / "p.anonaudit.toml").write_text(ONE)
    ended = anonaudit(tmp_path, "check")
    assert (ended.code, ended.err) == (2, "")
    assert "2 checks: 2 error\n" in ended.out
    csv(tmp_path / "day=1.csv", 1)
    # Violated comes before what could not be read.
    (tmp_path / "q.anonaudit.toml").write_text("[relase]")
    assert anonaudit(tmp_path, "check").code == 1
    ended = anonaudit(tmp_path, "check", "--baseline", "nothing.json")
    assert (ended.code, "nothing.json: cannot be read" in ended.err) == (2, True)
    # Several releases are for `check`; `audit` is for one.
    (tmp_path / "several.toml").write_text(POLICY)
    ended = anonaudit(tmp_path, "audit", "several.toml")
    assert (ended.code, "names several releases" in ended.err) == (2, True)
