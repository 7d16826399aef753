"""A dirty extract: what `init` proposes masks it, after two edits."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import anonaudit
from anonaudit.policy.policy import parse_policy, read_policy
from anonaudit.proposal import propose, to_toml
from anonaudit.source.table import TableFile

pytestmark = pytest.mark.skipif(
    "ANONAUDIT_SHARED" not in os.environ, reason="the shared data are not here"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("hospital")
    script = Path(os.environ["ANONAUDIT_SHARED"], "hospital", "make_extract.py")
    subprocess.run([sys.executable, script, "600"], cwd=place, check=True, capture_output=True)
    return place


def proposed(folder: Path) -> str:
    return to_toml(propose(folder / "extract.csv"), release=TableFile("extract.csv"))


def test_the_parts_are_those_of_an_officer(folder):
    """mask.toml is what a data protection officer asks for; `init` asks for more."""
    wanted = read_policy(Path(os.environ["ANONAUDIT_SHARED"], "hospital", "mask.toml"))
    found = parse_policy(proposed(folder))
    assert {*wanted.roles.identifiers} <= {*found.roles.identifiers}
    assert {*wanted.roles.quasi_identifiers} <= {*found.roles.quasi_identifiers}
    assert {*wanted.roles.sensitive} <= {*found.roles.sensitive}
    assert found.roles.unit == wanted.roles.unit
    assert {*wanted.hierarchies} <= {*found.hierarchies}


@pytest.mark.long
def test_it_masks_the_extract_after_two_edits(folder):
    text = proposed(folder)
    for before, after in (('file = "extract.csv"', 'file = "out.csv"'), ("#missing", "missing")):
        assert text.count(before) == 1
        text = text.replace(before, after)
    (folder / "policy.toml").write_text(text)
    command = [sys.executable, "-m", "anonaudit", "mask", "extract.csv", "policy.toml"]
    subprocess.run([*command, "-o", "out.csv", "--quiet"], cwd=folder, check=True, timeout=120)
    report = anonaudit.audit(policy=folder / "policy.toml")
    assert report.outcome == "holds"
    assert {model.model: model.outcome.value for model in report.models[:3]} == {
        "k-anonymity": "holds",
        "p-sensitive-k-anonymity": "holds",
        "no-direct-identifiers": "holds",
    }
