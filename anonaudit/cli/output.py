"""Where reports go: the terminal, or a file that is whole or not there at all."""

from __future__ import annotations

import contextlib
import enum
import os
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from anonaudit.cli.streams import cannot_be_written
from anonaudit.errors import InputError, printable_lines

if TYPE_CHECKING:
    from anonaudit.auditing.examining import Progress
    from anonaudit.source.table import Source


EVERY: Final = 10.0  # seconds between two lines on what is being done
NOTHING_WRITTEN: Final = "nothing was written"


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
        raise cannot_be_written(str(output), error) from None


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
        raise cannot_be_written(str(folder), error) from None


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
    put_all([(draft, output)])


def put_all(drafts: Sequence[tuple[Path, Path]]) -> None:
    """Move finished files to their places, each in one step, in this order.

    Where that is interrupted, `what_was_written` says which of them are there.
    """
    for draft, output in drafts:
        expect(output, partial(_is_file, output, draft.stat().st_ino))
    for draft, output in drafts:
        draft.chmod(output.stat().st_mode & 0o777 if output.exists() else 0o600)
        draft.replace(output)


def expect_nothing() -> None:
    """Forget what an earlier command of this process has put in place."""
    _EXPECTED.clear()


def expect(output: Path, is_there: Callable[[], bool]) -> None:
    """Announce what a command is about to put in place; is_there: whether it has done so."""
    _EXPECTED.append((output, is_there))


def what_was_written() -> str:
    """What a command that did not come to its end has put in place, and what it has not."""
    in_place: dict[bool, list[str]] = {True: [], False: []}
    for output, is_there in _EXPECTED:
        in_place[is_there()].append(str(output))
    if not in_place[True]:
        return NOTHING_WRITTEN
    missing = f", but not {', '.join(in_place[False])}" if in_place[False] else ""
    return f"wrote {', '.join(in_place[True])}{missing}"


# What this process puts in place: where, and whether it is there by now.
_EXPECTED: Final[list[tuple[Path, Callable[[], bool]]]] = []


def _is_file(path: Path, number: int) -> bool:
    """Whether the file with this number on its disk is there; a file keeps it where it is moved."""
    try:
        return path.stat().st_ino == number
    except OSError:
        return False


@contextmanager
def writing(output: Path) -> Iterator[None]:
    """Errors of the operating system while something is written, in the user's words."""
    try:
        yield
    except OSError as error:
        raise cannot_be_written(str(output), error) from None


def tell(message: str) -> None:
    """A line on standard error, beside the answer."""
    print(printable_lines(message), file=sys.stderr)  # noqa: T201 (for this is what speaks)


def tell_of_padding(table: Source) -> None:
    """Say how many empty records of a table, which has been counted, were left out."""
    if table.left_out is not None:
        tell(f"{table.name}: {table.left_out}")


def _print(text: str, *, utf8: bool) -> None:
    """Print a report. Raises InputError where that fails (see streams.py)."""
    stream = sys.stdout
    encoding = {"encoding": "utf-8"} if utf8 else {}
    stream.reconfigure(errors="backslashreplace", **encoding)  # type: ignore[union-attr]
    stream.write(text)
    stream.flush()


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """Say what is being done: in a line that is gone when done, on a terminal.

    Elsewhere a line on standard error every ten seconds, so that a log shows that long work goes on
    and short work leaves nothing. quiet: say nothing.
    """
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status("reading") as status:
            yield status.update
    else:
        with _now_and_then(EVERY) as say:
            yield say


@contextmanager
def _now_and_then(seconds: float) -> Iterator[Progress]:
    """Tell the last thing said, whenever so many seconds have passed."""
    last, done, begun = ["reading"], threading.Event(), time.monotonic()

    def run() -> None:
        while not done.wait(seconds):
            tell(f"after {time.monotonic() - begun:.0f} s: {last[0]}")

    teller = threading.Thread(target=run, daemon=True)
    with contextlib.suppress(RuntimeError):  # no thread to be had: the work goes on in silence
        teller.start()
    try:
        yield partial(last.__setitem__, 0)
    finally:
        done.set()
        if teller.is_alive():
            teller.join()
