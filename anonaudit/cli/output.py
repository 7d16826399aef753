"""Where reports go: the terminal, or a file that is whole or not there at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from anonaudit.errors import InputError


def write_report(text: str, output: Path | None) -> None:
    """Print a report, or write it to a file in one step.

    Raises InputError if the file cannot be written; then what was there before is still there.
    """
    if output is None:
        stream = sys.stdout
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        try:
            stream.write(text)
            stream.flush()
        except BrokenPipeError:  # whoever read it has seen enough; the verdict stays the verdict
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return
    try:
        handle, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            Path(name).replace(output)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"{output}: cannot be written ({reason})") from None


@contextmanager
def progress(quiet: bool) -> Iterator[Callable[[str], None]]:
    """A line that says what is being done, on a terminal only, gone when done."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield status.update
