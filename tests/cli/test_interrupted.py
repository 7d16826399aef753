"""A command that is interrupted says what it has written: exactly what is there."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from anonaudit.cli import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")

TABLE = "age,zip,illness\n" + "21,10001,flu\n24,10002,asthma\n" * 3
POLICY = """
[columns]
quasi-identifiers = ["age", "zip"]
sensitive = ["illness"]
[hierarchies]
age = { intervals = [10] }
zip = { prefixes = [4] }
[require]
k-anonymity = { k = 2 }
"""
# What `mask` puts in place, in this order.
FILES = ["m.hierarchies/age.csv", "m.hierarchies/zip.csv", "m.audit.json", "m.csv"]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def heeded():
    """A run under nohup ignores SIGHUP; and the command ignores what it was told once."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS[1:]:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE)
    Path("p.toml").write_text(POLICY)
    return tmp_path


def ended(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["anonaudit", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


def told_to_end(monkeypatch, number, folder, after):
    """Send a signal when so many files have been put into the folder, or below it."""
    replace, put = Path.replace, []

    def replaced(draft, target):
        inside = Path(target).parent in (folder, folder / "m.hierarchies")
        if inside and len(put) == after:
            os.kill(os.getpid(), number)
        done = replace(draft, target)
        put.extend([target] * inside)
        if inside and len(put) == after == len(FILES):
            os.kill(os.getpid(), number)
        return done

    monkeypatch.setattr(Path, "replace", replaced)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("after", range(len(FILES) + 1))
@pytest.mark.parametrize("before", [False, True])
def test_mask_says_which_of_its_files_it_has_written(
    folder, monkeypatch, capsys, number, after, before
):
    """before: files of these names are there from an earlier run."""
    if before:
        (folder / "m.hierarchies").mkdir()
        for name in FILES:
            (folder / name).write_text("old")
    told_to_end(monkeypatch, number, folder, after)
    assert ended(monkeypatch, "mask", "t.csv", "p.toml", "-o", "m.csv") == 128 + number
    said = capsys.readouterr().err.strip()
    there = [n for n in FILES if (folder / n).exists() and (folder / n).read_text() != "old"]
    assert there == FILES[:after]
    written, missing = (", ".join(str(folder / n) for n in part) for part in (there, FILES[after:]))
    if not there:
        assert said == "interrupted; nothing was written"
    else:
        assert said == f"interrupted; wrote {written}" + (f", but not {missing}" if missing else "")


def test_a_mask_that_fails_on_the_way_says_what_it_has_written(folder, monkeypatch, capsys):
    replace = Path.replace

    def refused(draft, target):
        if Path(target).name == "m.audit.json":
            raise PermissionError(13, "Permission denied")
        return replace(draft, target)

    monkeypatch.setattr(Path, "replace", refused)
    assert ended(monkeypatch, "mask", "t.csv", "p.toml", "-o", "m.csv") == 2
    wrote, missing = (", ".join(str(folder / n) for n in p) for p in (FILES[:2], FILES[2:]))
    assert capsys.readouterr().err == (
        "error: m.csv: cannot be written (permission denied); name another file by --output; "
        f"wrote {wrote}, but not {missing}\n"
    )


LONG = pytest.mark.long
EACH = [SIGNALS[0], *(pytest.param(number, marks=LONG) for number in SIGNALS[1:])]


@pytest.mark.parametrize("number", EACH)
@pytest.mark.parametrize("moved", [False, True])
def test_reproduce_says_whether_it_has_made_its_folder(folder, monkeypatch, capsys, number, moved):
    replace = Path.replace

    def replaced(draft, target):
        if Path(target).name == "run":
            if not moved:
                os.kill(os.getpid(), number)
            replace(draft, target)
            os.kill(os.getpid(), number)
            return target
        return replace(draft, target)

    monkeypatch.setattr(Path, "replace", replaced)
    assert ended(monkeypatch, "reproduce", "CT06", "--quick", "-o", "run") == 128 + number
    assert (folder / "run" / "manifest.json").exists() is moved
    said = "wrote run" if moved else "nothing was written"
    # Before it there may be lines of progress, "after 10 s: writing", on a slow machine.
    assert capsys.readouterr().err.splitlines()[-1] == f"interrupted; {said}"


def test_a_report_that_is_there_is_said_to_be(folder, monkeypatch, capsys):
    told_to_end(monkeypatch, signal.SIGINT, folder, len(FILES))
    monkeypatch.setattr("anonaudit.cli.audit.OF_OUTCOME", Interrupting())
    assert ended(monkeypatch, "audit", "t.csv", "-q", "age", "-o", "report.txt") == 130
    assert capsys.readouterr().err == f"interrupted; wrote {folder / 'report.txt'}\n"


class Interrupting(dict):
    """Interrupts where the exit code is looked up, which is the last that an audit does."""

    def __missing__(self, _):
        os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("number", EACH)
def test_a_signal_while_the_engine_works_keeps_its_exit_code(tmp_path, number):
    """DuckDB 2.0 makes a RuntimeError of the exception that a signal raises."""
    code = (
        "import os, signal, threading\n"
        "from anonaudit.cli import app, main\n"
        "def query(*_, **__):\n"
        "    from anonaudit.source import duck\n"
        "    connection = duck.connect()\n"
        "    connection.execute('SELECT 1').fetchnumpy()\n"  # which imports what it needs
        f"    threading.Timer(0.5, lambda: os.kill(os.getpid(), {int(number)})).start()\n"
        "    connection.execute('SELECT count(*) FROM range(10000000) a, range(100000) b')\n"
        "import anonaudit.auditing.audit as auditing\n"
        "auditing.audit_release = query\n"
        "main()\n"
    )
    (tmp_path / "t.csv").write_text(TABLE)
    process = subprocess.run(
        [sys.executable, "-c", code, "audit", "t.csv", "-q", "age"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert (process.returncode, process.stderr) == (
        128 + number,
        "interrupted; nothing was written\n",
    )


def test_a_signal_of_somebody_else_ends_no_query(tmp_path):
    """A handler of SIGUSR1, as a debugger may set one; the query takes longer than the watcher."""
    code = (
        "import os, signal\n"
        "from anonaudit.cli.signals import ending_tidily\n"
        "from anonaudit.source import duck\n"
        "signal.signal(signal.SIGUSR1, lambda *_: None)\n"
        "with ending_tidily():\n"
        "    os.kill(os.getpid(), signal.SIGUSR1)\n"
        "    for _ in range(20):\n"
        "        duck.connect().execute('SELECT count(*) FROM range(50000) a, range(2000) b')\n"
        "print('done')\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert process.stdout == "done\n", process.stderr


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("there", [True, False])
def test_matrix_leaves_no_folder_where_nothing_is_finished(
    folder, monkeypatch, capsys, number, there
):
    if there:
        (folder / "out").mkdir()

    def told(*_, **__):
        os.kill(os.getpid(), number)

    monkeypatch.setattr("anonaudit.matrix.matrix", told)
    assert ended(monkeypatch, "matrix", "t.csv", "p.toml", "-o", "out") == 128 + number
    assert "nothing was written" in capsys.readouterr().err
    assert [path.name for path in folder.rglob("*") if path.is_dir()] == ["out"] * there
