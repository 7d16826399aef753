"""Being told to end: once, and only where nobody else listens."""

import os
import signal
import sys
import threading

import pytest

from anonaudit.cli.signals import ending_tidily

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")


@pytest.fixture(autouse=True)
def heeded():
    """A run under nohup ignores SIGHUP, and so would its processes."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_ends_with_its_code_and_a_second_one_does_not_disturb(name):
    number, tidied = signal.Signals[name], []

    def told():
        with ending_tidily():
            try:
                os.kill(os.getpid(), number)
            finally:
                os.kill(os.getpid(), signal.SIGTERM)
                os.kill(os.getpid(), signal.SIGHUP)
                tidied.append(True)

    with pytest.raises(SystemExit) as ended:
        told()
    assert ended.value.code == 128 + number
    assert tidied == [True]
    assert signal.getsignal(number) is signal.SIG_DFL


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
