"""A release is written in the format that its policy declares, so that the policy can read it."""

from pathlib import Path

import pytest
from command import Command

ROWS = "".join(f"{20 + i % 2};K\u00f6ln;{'ab'[i % 2]}\n" for i in range(12))
POLICY = """\
release = {{ file = "new.csv", {0} }}
columns = {{ quasi-identifiers = ["Gr\u00f6\u00dfe", "Ort"], sensitive = ["x"] }}
require.k-anonymity = {{ k = 3 }}
"""


@pytest.mark.parametrize("algorithm", ["full-domain", "mondrian"])
@pytest.mark.parametrize(
    ("encoding", "delimiter"), [("cp1252", ";"), ("utf-8", ";"), ("utf-16", ";"), ("latin-1", None)]
)
def test_mask_then_audit(
    anonaudit: Command, tmp_path: Path, algorithm: str, encoding: str, delimiter: str | None
) -> None:
    """The original has the format that the policy declares, and the release gets it."""
    text = "Gr\u00f6\u00dfe;Ort;x\n" + ROWS
    declared = f'encoding = "{encoding}"'
    if delimiter is None:
        text = text.replace(";", ",")
    else:
        declared += f', delimiter = "{delimiter}"'
    (tmp_path / "old.csv").write_text(text, encoding)
    (tmp_path / "p.toml").write_text(POLICY.format(declared), "utf-8")
    asked = ("mask", "old.csv", "p.toml", "-o", "new.csv", "--algorithm", algorithm)
    assert anonaudit(tmp_path, "feasible", "old.csv", "p.toml").code == 0
    assert anonaudit(tmp_path, *asked).code == 0
    assert "K\u00f6ln" in (tmp_path / "new.csv").read_text(encoding)
    assert anonaudit(tmp_path, "audit", "p.toml").code == 0


def test_a_character_that_the_encoding_lacks(anonaudit: Command, tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text(
        "Gr\u00f6\u00dfe;Ort;x\n" + ROWS + "20;\u0141\u00f3d\u017a;a\n" * 3
    )
    (tmp_path / "p.toml").write_text(POLICY.format('encoding = "cp1252"'), "utf-8")
    ended = anonaudit(tmp_path, "mask", "old.csv", "p.toml", "-o", "new.csv", "--encoding", "utf-8")
    assert (ended.code, "new.csv: has a character that the encoding cp1252" in ended.err) == (
        2,
        True,
    )
    assert not (tmp_path / "new.csv").exists()
