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
    """The number of the signal that ended the process; None if no signal did."""

    signal: int | None = None

    @property
    def code(self) -> int:
        """128 plus the number of the signal, as shells expect; without a signal, 130 (Ctrl-C)."""
        return 128 + (self.signal or _INTERRUPT)


@contextmanager
def ending_tidily() -> Iterator[Ending]:
    """Raise KeyboardInterrupt on SIGTERM and SIGHUP, as Python does on Ctrl-C.

    By default, Python ends at once on SIGTERM and runs no `finally` block. SystemExit would be
    taken for a call of `sys.exit` in another package (`errors.FOREIGN_FAULTS`).

    The yielded `Ending` records the signal, because DuckDB replaces the exception of a signal by an
    exception of its own. While the main thread waits for a query, Python runs no signal handler. So
    another thread ends the query.

    After the first SIGTERM or SIGHUP, both signals are ignored until the process ends, because a
    second signal must not interrupt the cleanup. They stay ignored after this context, because
    Python does the last part of the cleanup later. Processes that are started during the cleanup
    inherit this setting and ignore both signals too.

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
        raise KeyboardInterrupt

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
    """After one of these signals, interrupt the queries of DuckDB, also those that start later.

    Python writes the number of every signal that it handles to a socket, which a thread reads. A
    pipe instead of the socket would not work on Windows.

    numbers: the numbers of the signals.
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
