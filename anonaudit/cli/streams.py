"""Standard output and standard error, and what it means that one of them cannot be written to."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TextIO

from anonaudit.errors import InputError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def prepare_streams() -> None:
    """Make every failure to write to a standard stream end a command in one way.

    What cannot be written to standard error is dropped: it changes no exit code. What cannot be
    written to standard output raises InputError, wherever in the command that is: an answer that
    nobody got is none. A reader of a pipe that has seen enough is no failure.

    Streams that are no file of the system, as in tests, are left as they are.
    """
    sys.stdout = _over(sys.stdout, 1, _refuse)
    sys.stderr = _over(sys.stderr, 2, lambda _: None)


def cannot_be_written(name: str, error: Exception) -> InputError:
    """The error of the operating system, in the user's words."""
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    return InputError(f"{name}: cannot be written ({reason}); name another file by --output")


class _Stream(io.FileIO):
    """A stream that calls `failed` at the first write that fails, and drops all that follows.

    Python writes what is left over when it ends, and would fail again.
    """

    def __init__(self, number: int, failed: Callable[[OSError], object]) -> None:
        super().__init__(number, "w", closefd=False)
        self._failed = failed
        self._dropping = False

    def write(self, data: ReadableBuffer) -> int:
        size = memoryview(data).nbytes
        if self._dropping:
            return size
        try:
            written = super().write(data)
            if written is None:  # type: ignore[unreachable,unused-ignore] # typed as never None
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        except OSError as error:
            self._dropping = True
            if not isinstance(error, BrokenPipeError):
                self._failed(error)
            return size
        return written


def _over(before: TextIO | None, number: int, failed: Callable[[OSError], object]) -> TextIO:
    """A text stream that writes where `before` does; None is a closed stream."""
    try:
        if before is None:
            _occupy(number)
        stream = _Stream(number if before is None else before.fileno(), failed)
    except (OSError, ValueError, AttributeError):
        if before is None:
            raise
        return before
    if before is not None:
        before.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(stream),
        encoding=getattr(before, "encoding", "utf-8"),
        errors=getattr(before, "errors", "backslashreplace"),
        line_buffering=number == 2 or stream.isatty(),
    )


def _occupy(number: int) -> None:
    """Give the number of a closed stream to what can only be read, so that no file gets it."""
    opened = os.open(os.devnull, os.O_RDONLY)
    if opened != number:
        os.dup2(opened, number)  # what was opened may hold the place of another closed stream


_CLOSED: Final = "standard output: is closed; open it, or name a file by --output"


def _refuse(error: OSError) -> None:
    if error.errno == errno.EBADF:
        raise InputError(_CLOSED) from None
    raise cannot_be_written("standard output", error) from None
