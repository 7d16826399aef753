"""Work that is done while something else is: one thread, one result."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Background(Generic[T]):
    """A function called in a thread of its own; what it raises is raised where it is asked for.

    The thread does not keep a process from ending: whoever interrupts need not wait for it.
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
        """Wait for the result."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._result[0]
