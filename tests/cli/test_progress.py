"""What a command says of its work: a line now and then where there is no terminal."""

import re
import threading
import time

import pytest

from anonaudit.cli import output


def test_long_work_is_told_of_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line for each span of time that passes; none for short work, and none if not asked for."""
    monkeypatch.setattr(output, "EVERY", 0.05)
    with output.progress(quiet=False) as say:
        say("masking by hand")
        time.sleep(0.4)
    told = capsys.readouterr().err.splitlines()
    assert 2 <= len(told) <= 8
    assert all(re.fullmatch(r"after \d+ s: masking by hand", line) for line in told)
    with output.progress(quiet=True) as say:
        say("masking by hand")
        time.sleep(0.2)
    monkeypatch.setattr(output, "EVERY", 10.0)
    with output.progress(quiet=False) as say:
        say("masking by hand")
    assert capsys.readouterr().err == ""


def test_work_goes_on_where_no_thread_can_be_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with output.progress(quiet=False) as say:
        say("masking by hand")
    assert capsys.readouterr().err == ""
