"""Standard output and standard error, and the errors if they cannot be written."""

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
    """Replace the standard streams, so that all failed writes are treated in the same way.

    A failed write to standard error is ignored and changes no exit code. A failed write to standard
    output raises InputError, because the user did not get the output. A write to a pipe that its
    reader has closed is not an error.

    Streams that are not files of the operating system, as in tests, stay unchanged.
    """
    sys.stdout = _over(sys.stdout, 1, _refuse)
    sys.stderr = _over(sys.stderr, 2, lambda _: None)


def cannot_be_written(name: str, error: Exception) -> InputError:
    """Return an InputError that names the output and gives the reason of the operating system."""
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    return InputError(f"{name}: cannot be written ({reason}); name another file by --output")


class _Stream(io.FileIO):
    """A stream that calls `failed` at the first failed write, and drops all later writes.

    Python flushes its streams when it ends. Without the drop, that write would fail again.
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
            if written is None:  # type: ignore[unreachable,unused-ignore] # the stub excludes None
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        except OSError as error:
            self._dropping = True
            if not isinstance(error, BrokenPipeError):
                self._failed(error)
            return size
        return written


def _over(before: TextIO | None, number: int, failed: Callable[[OSError], object]) -> TextIO:
    """Return a text stream, based on `_Stream`, that writes to the same file as `before`.

    before: the standard stream; None if it is closed.
    number: the file descriptor that the stream has if it is not replaced, 1 or 2.
    failed: is called with the error of the first failed write.
    """
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
    """Open the null device for reading under the file descriptor of a closed stream.

    Otherwise the next file that is opened would get this descriptor, and output meant for the
    stream would be written to the file.
    """
    opened = os.open(os.devnull, os.O_RDONLY)
    if opened != number:
        os.dup2(opened, number)  # `opened` may be the number of another closed stream: keep it


_CLOSED: Final = "standard output: is closed; open it, or name a file by --output"


def _refuse(error: OSError) -> None:
    if error.errno == errno.EBADF:
        raise InputError(_CLOSED) from None
    raise cannot_be_written("standard output", error) from None
