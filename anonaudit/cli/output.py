"""Where reports go: the terminal, or a file that is whole or not there at all."""

from __future__ import annotations

import enum
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from anonaudit.errors import InputError, printable

if TYPE_CHECKING:
    from anonaudit.auditing.examining import Progress
    from anonaudit.source.table import Source


class InterruptedInParts(Exception):  # noqa: N818 -- nothing went wrong
    """Ctrl-C in a command that has kept what was finished; says where."""


class TextOrJson(enum.StrEnum):
    """The forms of an answer that is no report of an audit."""

    TEXT = "text"
    JSON = "json"


def check_output(
    output: Path | None,
    inputs: Iterable[str | os.PathLike[str] | None] = (),
    *,
    ordinary: bool = False,
) -> None:
    """Find out, before any work is done, whether a report can be written there.

    inputs: the files that are read; a report must not take the place of one. ordinary: whether
    it must be a file, and no device or pipe.

    Raises InputError if it cannot.
    """
    if output is None:
        return
    try:
        if output.is_dir():
            raise InputError(f"{output}: is a folder; name the file to write in it")
        if not output.parent.is_dir():
            raise InputError(f"{output}: there is no folder {str(output.parent)!r}; make it first")
        there = [Path(path) for path in inputs if path is not None and Path(path).exists()]
        if output.is_file() and any(output.samefile(path) for path in there):
            raise InputError(f"{output}: is read by this command; name another file to write")
        if ordinary and not _is_plain(output):
            raise InputError(f"{output}: is a device or pipe; name a file to write")
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        raise _cannot_be_written(str(output), error) from None


def check_folder(folder: Path) -> None:
    """Make a folder to write into, unless it is there; its parent must be.

    Raises InputError if it cannot be made.
    """
    try:
        folder.mkdir(exist_ok=True)
    except FileNotFoundError:
        raise InputError(
            f"{folder}: there is no folder {str(folder.parent)!r}; make it first"
        ) from None
    except (OSError, ValueError) as error:
        raise _cannot_be_written(str(folder), error) from None


def write_report(text: str, output: Path | None, *, utf8: bool = False) -> None:
    """Print a report, or write it to a file in one step.

    utf8: print it as UTF-8 whatever the terminal expects, as JSON must be.

    Raises InputError if it cannot be written; then what was there before is still there.
    """
    if output is None:
        _print(text, utf8=utf8)
        return
    check_output(output)
    with writing(output):
        if _is_plain(output):
            _replace(output.resolve(), text)
        else:  # a device or a pipe is written to, never replaced
            output.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


def _is_plain(output: Path) -> bool:
    return not output.exists() or stat.S_ISREG(output.stat().st_mode)


def _replace(output: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name[:100]}.")
    try:
        with os.fdopen(
            handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n"
        ) as file:
            file.write(text)
        put(Path(name), output)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def put(draft: Path, output: Path) -> None:
    """Move a finished file to its place, in one step.

    A new file is its owner's alone; one that takes another's place has the permissions of that.
    """
    draft.chmod(output.stat().st_mode & 0o777 if output.exists() else 0o600)
    draft.replace(output)


@contextmanager
def writing(output: Path) -> Iterator[None]:
    """Errors of the operating system while something is written, in the user's words."""
    try:
        yield
    except OSError as error:
        raise _cannot_be_written(str(output), error) from None


def tell(message: str) -> None:
    """A line on standard error, beside the answer."""
    if sys.stderr is not None:
        print(printable(message), file=sys.stderr)  # noqa: T201 (for this is what speaks)


def tell_of_padding(table: Source) -> None:
    """Say how many empty records of a table, which has been counted, were left out."""
    if table.left_out is not None:
        tell(f"{table.name}: {table.left_out}")


def _print(text: str, *, utf8: bool) -> None:
    stream = sys.stdout
    if stream is None:
        raise InputError("standard output: is closed; open it, or name a file by --output")
    encoding = {"encoding": "utf-8"} if utf8 else {}
    stream.reconfigure(errors="backslashreplace", **encoding)  # type: ignore[union-attr]
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:  # whoever read it has seen enough; the verdict stays the verdict
        _give_up(stream.fileno())
    except OSError as error:
        _give_up(stream.fileno())
        raise _cannot_be_written("standard output", error) from None


def _give_up(stream: int) -> None:
    """Let nothing more come through, or Python would try again, and fail, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def _cannot_be_written(name: str, error: Exception) -> InputError:
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    return InputError(f"{name}: cannot be written ({reason}); name another file by --output")


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """A line that says what is being done, on a terminal only, gone when done."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield status.update
