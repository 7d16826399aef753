"""What a shell is told when a command was begun."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import Command

NAMES = {  # what was typed, and what must be among the offers, and what must not
    ("mask", "--algorithm", "m"): ("mondrian", "full-domain"),
    ("mask", "--algorithm", "b"): ("best", "mondrian"),
    ("matrix", "--algorithm", ""): ("k-member", "best"),
    ("matrix", "--attack", "l"): ("linkage", "homogeneity"),
    ("explain", "nearly"): ("nearly-unique-quasi-identifier", "k-anonymity"),
    ("claims", "--paper", "TV"): ("TV06", "CT06"),
    ("reproduce", "M"): ("MCT08", "GCG08"),
    ("reproduce", "MCT08", "--table", "fig"): ("fig8", "table1"),
    ("audit", "--format", ""): ("sarif", "csv"),
    ("",): ("feasible", "linkage"),
    ("audit", "--qu"): ("--quasi-identifiers", "--seed"),
}


@pytest.mark.parametrize(("typed", "offered"), NAMES.items(), ids=[" ".join(n) for n in NAMES])
def test_names_are_offered(
    anonaudit: Command, tmp_path: Path, typed: tuple[str, ...], offered: tuple[str, str]
) -> None:
    words = {
        "_ANONAUDIT_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["anonaudit", *typed]),
        "COMP_CWORD": str(len(typed)),
    }
    ended = anonaudit(tmp_path, environment=words)
    offers = ended.out.split()
    assert offered[0] in offers
    assert offered[1] not in offers
    assert (ended.code, ended.err) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell(anonaudit: Command, tmp_path: Path, shell: str) -> None:
    ended = anonaudit(tmp_path, environment={"_ANONAUDIT_COMPLETE": f"source_{shell}"})
    assert f"complete_{shell}" in ended.out
    assert ended.code == 0
