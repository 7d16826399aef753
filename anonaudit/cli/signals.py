"""Being told to end: a signal becomes an exception, so that what is half done goes."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

_INTERRUPT = signal.SIGINT
_AGAIN = 0.2  # seconds


@dataclass
class Ending:
    """Which signal told the process to end, if one did."""

    signal: int | None = None

    @property
    def code(self) -> int:
        """The exit code that shells expect: 128 and the signal, Ctrl-C if none is known."""
        return 128 + (self.signal or _INTERRUPT)


@contextmanager
def ending_tidily() -> Iterator[Ending]:
    """Raise SystemExit on SIGTERM and SIGHUP, with 128 and the signal as its code.

    On Ctrl-C KeyboardInterrupt is raised, as ever. The signal is noted too, as an engine that is
    at work turns every exception of a signal into one of its own. While the main thread waits for a
    query Python runs no handler, so another thread ends the query.

    Without this, Python ends at once on SIGTERM and no `finally` block runs. From then on both
    signals are ignored, to the end of the process: a second one must not interrupt the cleaning up,
    of which Python does the last part itself. Processes that are started from then on ignore them
    as well, as they inherit it. A signal that is ignored (nohup) or handled already is left alone;
    so is everything outside the main thread, where no handler can be set. SIGKILL cannot be caught.
    """
    ending = Ending()
    if threading.current_thread() is not threading.main_thread():
        yield ending
        return
    before = {
        number: signal.getsignal(number)
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))
    }
    ours = [number for number, handler in before.items() if handler is signal.SIG_DFL]
    keyboard = signal.getsignal(_INTERRUPT)
    ctrl_c = [_INTERRUPT] if keyboard is signal.default_int_handler else []

    def end(number: int, _: FrameType | None) -> None:
        ending.signal = number
        for each in ours:
            signal.signal(each, signal.SIG_IGN)
        raise SystemExit(128 + number)

    def interrupt(number: int, _: FrameType | None) -> None:
        ending.signal = ending.signal or number
        raise KeyboardInterrupt

    for number in ours:
        signal.signal(number, end)
    for number in ctrl_c:
        signal.signal(number, interrupt)
    try:
        with _ending_queries({*ours, *ctrl_c}):
            yield ending
    finally:
        for number in ctrl_c:
            signal.signal(number, keyboard)
        if ending.signal in (None, _INTERRUPT):
            for number in ours:
                signal.signal(number, before[number])


@contextmanager
def _ending_queries(numbers: Collection[int]) -> Iterator[None]:
    """End the queries of the engine once one of these signals has come, those that begin later too.

    Python writes the number of every signal that it handles to a socket: to Windows' pipes it
    cannot.
    """
    numbers_come, tell = socket.socketpair()
    tell.setblocking(False)
    done = threading.Event()

    def watch() -> None:
        while number := numbers_come.recv(1):
            while number[0] in numbers and not done.wait(_AGAIN):
                if engine := sys.modules.get("anonaudit.source.duck"):
                    engine.interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    before = signal.set_wakeup_fd(tell.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        done.set()
        tell.close()
        watcher.join()
        numbers_come.close()
