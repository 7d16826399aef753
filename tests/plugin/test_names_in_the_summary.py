"""The summary of pytest names the released columns that seem to name people; no test fails of it."""

from pathlib import Path

import pytest
from pytest_runs import run_pytest

TITLE = "anonaudit: direct identifiers in a release"
WARNED = "patient: the unit holds what looks like names of persons"
POLICY = """
columns = { quasi-identifiers = ["sex"], sensitive = ["disease"], unit = "patient" }
require.k-anonymity = { k = 2 }
"""
TESTS = """
def test_by_the_fixture(anonaudit):
    anonaudit.assert_holds("release.csv", "plain.toml")

def test_that_fails(anonaudit):
    anonaudit.audit("release.csv", "plain.toml")
    assert False

def test_of_something_else(anonaudit):
    pass
"""


def written(folder: Path, *people: str) -> None:
    lines = [f"{one},F,{disease}" for one in people for disease in ("flu", "gout")]
    (folder / "release.csv").write_text("\n".join(["patient,sex,disease", *lines]) + "\n")
    (folder / "r.anonaudit.toml").write_text(f'release.file = "release.csv"\n{POLICY}')
    (folder / "plain.toml").write_text(POLICY)
    (folder / "test_it.py").write_text(TESTS)


XDIST = pytest.param(["-p", "xdist", "-n", "1"], marks=pytest.mark.long)


@pytest.mark.parametrize("options", [[], XDIST])
def test_it_is_told_whoever_audited(tmp_path: Path, options: list[str]) -> None:
    """Of an item, of a test by the fixture, of one that failed; also from another process."""
    written(tmp_path, "First Person", "Second Person")
    done = run_pytest(tmp_path, *options)
    _, told = done.out.split(TITLE)
    assert f"r.anonaudit.toml::release: {WARNED}" in told
    assert f"test_it.py::test_by_the_fixture: {WARNED}" in told
    assert f"test_it.py::test_that_fails: {WARNED}" in told
    assert told.count(WARNED) == 3
    assert "First" not in told
    assert sorted(done.outcomes.values()) == ["failure", "passed", "passed", "passed", "passed"]


def test_nothing_is_told_of_codes(tmp_path: Path) -> None:
    written(tmp_path, "p1", "p2")
    done = run_pytest(tmp_path, "r.anonaudit.toml")
    assert done.code == 0
    assert TITLE not in done.out
