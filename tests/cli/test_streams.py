"""Standard streams that cannot be written to: an answer that nobody got is none, a message is."""

import subprocess
import sys
from pathlib import Path

import pytest
from command import Command

FULL = "/dev/full"
pytestmark = pytest.mark.skipif(not Path(FULL).exists(), reason="needs /dev/full")

RELEASE = "age,illness\n" + "21,flu\n22,asthma\n" * 2
POLICY = '[columns]\nquasi-identifiers = ["age"]\n[require]\nk-anonymity = { k = %d }\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "release.csv").write_text(RELEASE)
    (tmp_path / "holds.toml").write_text(POLICY % 2)
    (tmp_path / "violated.toml").write_text(POLICY % 3)
    return tmp_path


@pytest.mark.parametrize("stderr", [FULL, None])
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["audit", "release.csv", "holds.toml"], 0),
        (["audit", "release.csv", "violated.toml"], 1),
        (["mask", "release.csv", "violated.toml", "-o", "masked.csv"], 0),
        (["audit", "nothing.csv", "holds.toml"], 2),
        (["audit", "release.csv", "nothing.toml"], 2),
        (["audit", "--no-such-option"], 2),
        (["no-such-command"], 2),
        ([], 2),
    ],
)
def test_a_message_that_cannot_be_written_changes_no_exit_code(
    anonaudit: Command, folder: Path, arguments: list[str], code: int, stderr: str | None
) -> None:
    assert anonaudit(folder, *arguments).code == code
    assert anonaudit(folder, *arguments, stderr=stderr).code == code


@pytest.mark.parametrize(
    ("stdout", "said"),
    [(FULL, "cannot be written (no space left on device)"), (None, "is closed; open it")],
)
@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["--help"],
        ["audit", "--help"],
        ["audit", "release.csv", "holds.toml"],
        ["audit", "release.csv", "violated.toml", "-f", "json"],
        ["claims", "-f", "markdown"],
        ["datasets"],
        ["explain", "k-anonymity"],
        ["init", "release.csv"],
        ["feasible", "release.csv", "holds.toml"],
        ["matrix", "release.csv", "holds.toml"],
        ["mask", "release.csv", "holds.toml", "-o", "masked.csv"],
        ["reproduce", "--check", "run"],
    ],
)
def test_an_answer_that_cannot_be_written_is_none(
    anonaudit: Command, folder: Path, arguments: list[str], stdout: str | None, said: str
) -> None:
    (folder / "run").mkdir()
    (folder / "run" / "manifest.json").write_text('{"files": {}}')
    ended = anonaudit(folder, *arguments, stdout=stdout)
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    assert ended.err.startswith(f"error: standard output: {said}")
    assert not (folder / "masked.csv").exists()


def test_without_any_stream_a_report_goes_to_its_file(anonaudit: Command, folder: Path) -> None:
    command = ["audit", "release.csv", "holds.toml", "-f", "json"]
    shown = anonaudit(folder, *command).out
    closed = {"stdin": None, "stdout": None, "stderr": None}
    assert anonaudit(folder, *command, "-o", "report", **closed).code == 0
    assert (folder / "report").read_text("utf-8") == shown
    assert anonaudit(folder, *command, "-o", FULL, **closed).code == 2


def test_no_file_gets_the_number_of_a_closed_stream(folder: Path) -> None:
    """Whatever libraries write to these numbers would go into it."""
    asked = (
        "import os; from anonaudit.cli.streams import prepare_streams; prepare_streams(); "
        "number = os.open('release.csv', os.O_RDONLY); open('numbers', 'w').write(str(number))"
    )
    for closed in ("0<&- 1>&-", "0<&- 1>&- 2>&-", "0<&- 2>&-"):
        subprocess.run(
            ["sh", "-c", f'"$0" -c "$1" {closed}', sys.executable, asked], cwd=folder, check=True
        )
        assert int((folder / "numbers").read_text()) > 2
