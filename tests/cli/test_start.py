"""Ctrl-C, and modules that cannot be imported, before the command itself begins."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import anonaudit.cli
from anonaudit.cli import app, main

NOTHING = "interrupted; nothing was written\n"
# Runs `{act}` where Python looks for the module, before the import of it.
AT_THE_IMPORT = """
import os, runpy, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == {module!r}:
            {act}
sys.meta_path.insert(0, Finder())
sys.argv = ["anonaudit", *sys.argv[1:]]
runpy.run_module("anonaudit", run_name="__main__")
"""
INTERRUPTED = "os.kill(os.getpid(), signal.SIGINT)"
# As numpy does where its extensions cannot be imported, and as careless code does.
REPLACED = f"""
            try: {INTERRUPTED}
            except BaseException: raise ImportError("extensions")"""
IGNORED = f"""
            try: {INTERRUPTED}
            except BaseException: pass"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no process gets such a signal")


def started(module: str, act: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", AT_THE_IMPORT.format(module=module, act=act), "--version"],
        capture_output=True, text=True, check=False, env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.parametrize(
    "module", ["anonaudit.cli.app", "typer", "anonaudit.special_details", "anonaudit.cli.verify"]
)
@pytest.mark.parametrize("act", [INTERRUPTED, REPLACED, IGNORED], ids=["", "replaced", "ignored"])
def test_ctrl_c_while_modules_are_imported(module: str, act: str) -> None:
    ended = started(module, act)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", NOTHING)


@pytest.mark.parametrize(
    ("act", "what"),
    [
        ("raise ImportError('no such module')", "ImportError: no such module"),
        ("sys.exit(1)", "SystemExit: 1"),
        ("sys.exit(0)", "SystemExit: 0"),
    ],
)
def test_what_cannot_be_imported_violates_nothing(act: str, what: str) -> None:
    said = f"error: anonaudit cannot be imported ({what}); install anonaudit again\n"
    ended = started("typer", act)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", said)
    traced = started("typer", act, ANONAUDIT_DEBUG="1")
    assert traced.returncode == 2
    assert traced.stderr.startswith("Traceback (most recent call last):\n")
    assert traced.stderr.endswith(said)


@pytest.fixture
def heeded():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupts(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGINT)


def ended_as(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["anonaudit", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return end.value.code


@pytest.mark.usefixtures("heeded")
@pytest.mark.parametrize(
    ("place", "name"),
    [(anonaudit.cli, "_import_application"), (app, "prepare_streams"), (app, "expect_nothing")],
)
def test_ctrl_c_before_the_command_reacts_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: object, name: str
) -> None:
    monkeypatch.setattr(place, name, interrupts)
    assert ended_as(monkeypatch, "--version") == 130
    assert capsys.readouterr() == ("", NOTHING)


@pytest.mark.usefixtures("heeded")
def test_ctrl_c_after_the_command_names_what_it_has_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code would be 1 here: the datum is violated."""
    umask, calls = os.umask, []

    def interrupted(mask: int) -> int:
        calls.append(mask)
        if len(calls) == 2:  # the first call is before the command
            interrupts()
        return umask(mask)

    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,b\n1,2\n3,4\n")
    Path("p.toml").write_text('columns.quasi-identifiers = ["a"]\nrequire.k-anonymity = { k = 2 }')
    before = umask(0o022)
    umask(before)
    monkeypatch.setattr(os, "umask", interrupted)
    try:
        code = ended_as(monkeypatch, "audit", "t.csv", "p.toml", "-o", "report.txt")
    finally:
        umask(before)
    assert code == 130
    assert capsys.readouterr().err == f"interrupted; wrote {tmp_path / 'report.txt'}\n"


def test_the_start_imports_little() -> None:
    code = (
        "import sys, anonaudit; before = {*sys.modules}; import anonaudit.cli\n"
        "print(*sorted({m for m in sys.modules if m.startswith(('anonaudit', 'typer'))} - before))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["anonaudit.cli"]
