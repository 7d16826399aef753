"""Run one function in a background thread and wait for its result."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Background(Generic[T]):
    """A function that runs in a background thread. The thread starts at once.

    The thread is a daemon: the process can end (Ctrl-C) while the function still runs.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._result: list[T] = []
        self._error: BaseException | None = None

        def run() -> None:
            try:
                self._result.append(work())
            except BaseException as error:
                self._error = error

        self._thread = threading.Thread(target=run, daemon=True, name="anonaudit-background")
        self._thread.start()

    def result(self) -> T:
        """Wait for the function to end, and return its result or raise its error."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._result[0]
