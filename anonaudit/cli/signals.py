"""Turn signals that end the process into exceptions, so that unfinished files are removed."""

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
    """The signal that ended the process, or None."""

    signal: int | None = None

    @property
    def code(self) -> int:
        """128 plus the number of the signal, as shells expect. Without a signal: that of Ctrl-C."""
        return 128 + (self.signal or _INTERRUPT)


@contextmanager
def ending_tidily() -> Iterator[Ending]:
    """Raise SystemExit on SIGTERM and SIGHUP, with 128 plus the signal number as its code.

    Without this, Python ends at once on SIGTERM and runs no `finally` block. Ctrl-C raises
    KeyboardInterrupt as usual. `Ending` records the signal too, because DuckDB replaces the
    exception of a signal by its own. While the main thread waits for a query, Python runs no
    signal handler, so another thread ends the query.

    After the first SIGTERM or SIGHUP, both signals are ignored until the process ends. A second
    signal must not interrupt the cleanup, and Python does the last part of the cleanup after this
    function. Processes that are started later inherit this and ignore both signals as well.

    A signal that is already ignored (nohup) or handled is left alone. Outside the main thread,
    nothing is changed, because only the main thread can set handlers. SIGKILL cannot be caught.
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
    """Interrupt DuckDB's queries after one of these signals, also queries that start later.

    Python writes the number of every signal that it handles to a socket. A pipe would not work on
    Windows.
    """
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    done = threading.Event()

    def watch() -> None:
        while number := receiver.recv(1):
            while number[0] in numbers and not done.wait(_AGAIN):
                if engine := sys.modules.get("anonaudit.source.duck"):
                    engine.interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        done.set()
        sender.close()
        watcher.join()
        receiver.close()
