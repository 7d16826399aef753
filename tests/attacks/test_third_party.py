"""Somebody else's attack, installed as a package of its own, and the page that explains it."""

import json

import pytest
from example_packages import (
    DOCS,
    anonaudit,
    by_hand,
    by_pip,
    completed,
    python,
    shown_on,
)

from anonaudit import datasets

EXAMPLE = DOCS / "example-attack"
POLICY = """
[columns]
quasi-identifiers = ["age", "zip-code", "sex"]
sensitive = ["illness"]

[attacks.small-crowd]
most = 2
allow-rate = 0.5
"""


def audited(folder, policy, *more):
    (folder / "policy.toml").write_text(policy)
    release = datasets.path("TV06/table1.csv")
    return anonaudit(
        folder / "site", "audit", release, folder / "policy.toml", "--format", "json", *more
    )


@pytest.mark.parametrize("install", [by_hand, pytest.param(by_pip, marks=pytest.mark.long)])
def test_an_installed_attack_runs_in_an_audit(tmp_path, install):
    """TV06 Table 1 has three classes of two: nobody's crowd is larger than 2."""
    install(EXAMPLE, tmp_path / "site")
    run = audited(tmp_path, POLICY)
    assert run.returncode == 1, run.stderr
    report = json.loads(run.stdout)
    (found,) = [a for a in report["attacks"] if a["name"] == "small-crowd"]
    assert (found["targets"], found["identified"], found["rate"]) == (6, 6, 1)
    assert (found["outcome"], found["details"]) == ("violated", {"classes": 3})
    assert found["witness"]["positions"]


@pytest.mark.long
def test_its_options_are_its_own(tmp_path):
    by_hand(EXAMPLE, tmp_path / "site")
    assert audited(tmp_path, POLICY.replace("most = 2", "most = 1")).returncode == 0
    wrong = audited(tmp_path, POLICY.replace("most = 2", "most = 0"))
    assert wrong.returncode == 2
    assert "small-crowd: most must be a whole number" in wrong.stderr
    unknown = audited(tmp_path, POLICY.replace("most = 2", "least = 2"))
    assert unknown.returncode == 2
    assert "most" in unknown.stderr


def test_without_the_package_there_is_no_such_attack(tmp_path):
    run = audited(tmp_path, POLICY)
    assert run.returncode == 2
    assert "no such attack" in run.stderr


def test_it_is_explained_and_completed(tmp_path):
    by_hand(EXAMPLE, tmp_path / "site")
    said = anonaudit(tmp_path / "site", "explain", "small-crowd").stdout
    assert said.startswith("small-crowd (attack)\n")
    assert "few enough to ask each of them" in " ".join(said.split())
    assert completed(tmp_path / "site", "matrix", "--attack", "small") == ["small-crowd"]
    assert completed(tmp_path / "site", "explain", "small") == ["small-crowd"]


CHECK = "from anonaudit.testing import check_attack; import small_crowd; "
CHECK += "check_attack(small_crowd.SmallCrowd())"


def test_it_keeps_the_contract(tmp_path):
    by_hand(EXAMPLE, tmp_path / "site")
    assert python(tmp_path / "site", CHECK).returncode == 0


def test_the_page_shows_the_package_as_it_is():
    assert shown_on("writing_an_attack.md", EXAMPLE)
