"""Being told to end: SIGTERM and SIGHUP become an exception, so that what is half done goes."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ending_tidily() -> Iterator[None]:
    """Raise SystemExit when the process is told to end, once; 128 and the signal is its code.

    Without this, Python ends at once on SIGTERM and no `finally` is gone through. From then on
    both signals are ignored, to the end of the process: a second one must not interrupt the
    cleaning up, of which Python does the last part itself. Processes that are started from then on
    ignore them as well, as they inherit it. A signal that is ignored (nohup) or
    handled already is left alone; so is everything outside the main thread, where no handler can
    be set. SIGKILL cannot be caught.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        number: signal.getsignal(number)
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))
    }
    ours = [number for number, handler in before.items() if handler is signal.SIG_DFL]
    told = False

    def end(number: int, _: FrameType | None) -> None:
        nonlocal told
        told = True
        for each in ours:
            signal.signal(each, signal.SIG_IGN)
        raise SystemExit(128 + number)

    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        if not told:
            for number in ours:
                signal.signal(number, before[number])
