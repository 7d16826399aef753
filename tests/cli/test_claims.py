"""`anonaudit claims`: what it prints, and how it ends."""

import json

import pytest
from typer.testing import CliRunner

from anonaudit.cli.app import app
from anonaudit.errors import AnonauditError
from anonaudit.papers.claims import CLAIMS, tv06

RUN = CliRunner()


def test_the_whole_ledger():
    found = RUN.invoke(app, ["claims"])
    assert found.exit_code == 0
    assert all(f"{claim.id} [" in found.stdout for claim in CLAIMS)


def test_one_paper_as_json_checked_again():
    found = RUN.invoke(app, ["claims", "--paper", "tv06-table3", "--recheck", "-f", "json"])
    assert found.exit_code == 0
    (entry,) = json.loads(found.stdout)["claims"]
    assert entry["id"] == "TV06-table3"
    assert (entry["recheck"]["outcome"], entry["recheck"]["inputs"]) == ("confirmed", 2)


def test_a_budget_is_kept_and_said():
    found = RUN.invoke(app, ["claims", "-p", "Z07", "--recheck", "--budget", "0"])
    assert found.exit_code == 0
    assert "Checked again: 10 cut short" in found.stdout


def test_a_seed_is_said():
    """It draws the 50 inputs of the check anew; their number is the same."""
    options = ["claims", "-p", "TV06-mono-k", "--recheck"]
    plain, drawn = (RUN.invoke(app, [*options, *seed]).stdout for seed in ([], ["--seed", "5"]))
    assert "Checked again: 1 confirmed; 544 inputs.\n" in plain
    assert "Checked again: 1 confirmed; 544 inputs, drawn with seed 5.\n" in drawn
    for seed in (None, 5):
        asked = ["-f", "json", *([] if seed is None else ["--seed", str(seed)])]
        (entry,) = json.loads(RUN.invoke(app, [*options, *asked]).stdout)["claims"]
        assert entry["recheck"]["seed"] == seed


def test_a_refuted_claim_ends_with_1(monkeypatch):
    monkeypatch.setattr(tv06.small, "paper_rows", lambda *_: [("a", "b", "c", "d", "e")] * 2)
    found = RUN.invoke(app, ["claims", "-p", "TV06-table3", "--recheck"])
    assert found.exit_code == 1
    assert "Now: refuted" in found.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--paper", "TV60"], "no paper or claim 'tv60'"),
        (["--budget", "5"], "use it with --recheck"),
        (["--seed", "5"], "use it with --recheck"),
        (["-f", "markdown", "--recheck"], "the whole ledger"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    found = RUN.invoke(app, ["claims", *options])
    assert isinstance(found.exception, AnonauditError)
    assert message in str(found.exception)
