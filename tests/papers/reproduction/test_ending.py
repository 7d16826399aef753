"""`anonaudit reproduce` told to end: nothing half done stays, and no process of it lives on."""

import signal
import subprocess
import sys
import time

import pytest

from anonaudit.papers.reproduction import altered, chosen, run, write_run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")

LONG = pytest.mark.long


@pytest.fixture(autouse=True)
def heeded():
    """What runs under nohup, or behind a shell, ignores signals, and so would its processes."""
    signals = (signal.SIGHUP, signal.SIGINT)
    before = {number: signal.getsignal(number) for number in signals}
    for number in signals:
        if before[number] == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    yield
    for number in signals:
        signal.signal(number, before[number])


def started(folder, jobs):
    """A full run of minutes, begun: its hidden folder is there, and it, or its workers, work.

    Workers hold the pipe of its standard error open, so the pipe ends when the last of them does.
    """
    code = "from anonaudit.cli import main; main()"
    command = [sys.executable, "-c", code, "reproduce", "GCG08", "-t", "fig12", "--seeds", "4"]
    command += ["-j", str(jobs), "-o", str(folder / "run")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    until = time.monotonic() + 60
    while not list(folder.iterdir()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.05)
    time.sleep(3)
    assert process.poll() is None, process.communicate()
    return process


@pytest.mark.parametrize(
    ("name", "jobs"),
    [
        ("SIGTERM", 2),
        *(
            pytest.param(*case, marks=LONG)
            for case in [("SIGTERM", 1), ("SIGHUP", 1), ("SIGINT", 2)]
        ),
    ],
)
def test_what_is_told_to_end_leaves_nothing_and_nobody(name, jobs, tmp_path):
    process = started(tmp_path, jobs)
    process.send_signal(signal.Signals[name])
    _, told = process.communicate(timeout=60)
    # The shell's convention: 128 and the signal.
    assert process.returncode == 128 + signal.Signals[name]
    assert list(tmp_path.iterdir()) == []
    assert b"internal error" not in told


@LONG
def test_what_a_killed_run_leaves_is_in_nobodys_way(tmp_path):
    process = started(tmp_path, 2)
    process.kill()
    process.communicate(timeout=60)  # its workers have seen it, and ended
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".run.")

    again = chosen("CT06")
    write_run(lambda: run(again, [0], quick=True), again, tmp_path / "run", seeds=[0], quick=True)
    assert altered(tmp_path / "run") == []
    assert {path.name for path in tmp_path.iterdir()} == {left.name, "run"}
