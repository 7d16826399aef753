"""Being told to end: once, and only where nobody else listens."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from anonaudit.cli.signals import ending_tidily

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")


@pytest.fixture(autouse=True)
def heeded():
    """A run under nohup ignores SIGHUP, and so would its processes."""
    numbers = (signal.SIGHUP, signal.SIGTERM)
    before = [signal.signal(number, signal.SIG_DFL) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_ends_with_its_code_and_a_second_one_does_not_disturb(name):
    number, tidied, endings = signal.Signals[name], [], []

    def told():
        with ending_tidily() as ending:
            endings.append(ending)
            try:
                os.kill(os.getpid(), number)
            finally:
                os.kill(os.getpid(), signal.SIGTERM)
                os.kill(os.getpid(), signal.SIGHUP)
                tidied.append(True)

    with pytest.raises(KeyboardInterrupt):  # not SystemExit, which a plug-in may raise
        told()
    assert endings[0].code == 128 + number
    assert tidied == [True]
    # Python has yet to end: what it removes then must not be left behind by a second signal.
    assert signal.getsignal(signal.SIGTERM) is signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    asks = "from signal import *; print([getsignal(s) is SIG_IGN for s in (SIGTERM, SIGHUP)])"
    child = subprocess.run([sys.executable, "-c", asks], capture_output=True, check=True)
    assert child.stdout.strip() == b"[True, True]"  # as the docstring says


def test_a_command_that_was_not_told_to_end_leaves_the_signals_as_they_were():
    with ending_tidily():
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) is signal.getsignal(signal.SIGHUP) is signal.SIG_DFL


def test_who_listens_or_ignores_already_is_left_alone():
    heard = []
    signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with ending_tidily():
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    assert heard == [signal.SIGTERM]


def test_no_handler_is_set_outside_the_main_thread():
    seen = []

    def work():
        with ending_tidily():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.SIG_DFL]
