"""`anonaudit scan`: several files at once, candidates, and what cannot be read."""

import hashlib
import os
from pathlib import Path

import pytest
from command import Command

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def test_several_files_and_candidates(anonaudit: Command, tmp_path: Path) -> None:
    hashed = "".join(hashlib.md5(f"p{i}".encode()).hexdigest() + "\n" for i in range(5))
    (tmp_path / "a.csv").write_text(f"h\n{hashed}")
    (tmp_path / "b.csv").write_text("sex\nF\nM\n")
    (tmp_path / "names.txt").write_text("p1\np2\nnobody\n")
    ended = anonaudit(tmp_path, "scan", "a.csv", "b.csv", "--candidates", "names.txt")
    assert (ended.code, ended.err) == (0, "")
    assert "2 hashes reversed" in ended.out
    assert "b.csv: 2 rows, 1 column, no direct identifier recognised" in ended.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing.csv"], "nothing.csv: is not there"),
        (["a.csv", "--candidates", "nothing.txt"], "nothing.txt: cannot be read"),
        (["a.csv", "-o", "a.csv"], "is read by this command"),
    ],
)
def test_what_cannot_be_read(
    anonaudit: Command, tmp_path: Path, arguments: list[str], said: str
) -> None:
    (tmp_path / "a.csv").write_text("sex\nF\nM\n")
    ended = anonaudit(tmp_path, "scan", *arguments)
    assert ended.code == 2
    assert said in ended.err
