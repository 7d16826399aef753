"""Write reports to the terminal, or to a file in one step, and show progress."""

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


EVERY: Final = 10.0  # seconds between two lines of progress
NOTHING_WRITTEN: Final = "nothing was written"


class InterruptedInParts(Exception):  # noqa: N818 -- not an error
    """Ctrl-C in a command that has kept its finished results. The message says where they are."""


class TextOrJson(enum.StrEnum):
    """The output formats of the commands other than `audit`."""

    TEXT = "text"
    JSON = "json"


def check_output(
    output: Path | None,
    inputs: Iterable[str | os.PathLike[str] | None] = (),
    *,
    ordinary: bool = False,
) -> None:
    """Raise InputError if a report cannot be written to this path.

    Commands call this function before they do any work.

    output: the path; None for standard output, which is not checked.
    inputs: the files that the command reads. A report must not overwrite one of them.
    ordinary: True if the path must be a file, not a device or pipe.
    """
    if output is None:
        return
    try:
        if output.is_dir():
            raise InputError(f"{output}: is a folder; name a file to write")
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
    """Make a folder if it does not exist. Its parent folder must exist.

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
    """Print a report if `output` is None, or write it to a file in one step.

    utf8: True to print in UTF-8 whatever the encoding of the terminal is; JSON requires UTF-8.

    Raises InputError if the report cannot be written. An existing file is then unchanged.
    """
    if output is None:
        _print(text, utf8=utf8)
        return
    check_output(output)
    with writing(output):
        if _is_plain(output):
            _replace(output.resolve(), text)
        else:  # a device or a pipe must not be replaced by a file
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
    """Move a finished file (`draft`) to its place (`output`) in one step.

    Only the owner can read a new file. A file that replaces another file gets its permissions.
    """
    put_all([(draft, output)])


def put_all(drafts: Sequence[tuple[Path, Path]]) -> None:
    """Move finished files to their places in this order, each in one step.

    After an interruption, `what_was_written` says which files are in place.

    drafts: (finished file, its place) for each file.
    """
    for draft, output in drafts:
        expect(output, partial(_is_file, output, draft.stat().st_ino))
    for draft, output in drafts:
        draft.chmod(output.stat().st_mode & 0o777 if output.exists() else 0o600)
        draft.replace(output)


def expect_nothing() -> None:
    """Forget the outputs of an earlier command in this process."""
    _EXPECTED.clear()


def expect(output: Path, is_there: Callable[[], bool]) -> None:
    """Announce an output of the command. `is_there` returns True once the output is in place."""
    _EXPECTED.append((output, is_there))


def what_was_written() -> str:
    """Return a message that names the announced outputs that are in place, and the missing ones."""
    in_place: dict[bool, list[str]] = {True: [], False: []}
    for output, is_there in _EXPECTED:
        in_place[is_there()].append(str(output))
    if not in_place[True]:
        return NOTHING_WRITTEN
    missing = f", but not {', '.join(in_place[False])}" if in_place[False] else ""
    return f"wrote {', '.join(in_place[True])}{missing}"


# The outputs that the command has announced, each with a function that says if the output is in
# place.
_EXPECTED: Final[list[tuple[Path, Callable[[], bool]]]] = []


def _is_file(path: Path, number: int) -> bool:
    """Return True if the file at this path has this inode number, which a moved file keeps."""
    try:
        return path.stat().st_ino == number
    except OSError:
        return False


@contextmanager
def writing(output: Path) -> Iterator[None]:
    """Turn an OSError during writing into an InputError that names the output."""
    try:
        yield
    except OSError as error:
        raise cannot_be_written(str(output), error) from None


def tell(message: str) -> None:
    """Print a message to standard error."""
    print(printable_lines(message), file=sys.stderr)  # noqa: T201 (the one place that prints)


def tell_of_padding(table: Source) -> None:
    """Print a note if records of the table were left out because they have no value."""
    if table.left_out is not None:
        tell(f"{table.name}: {table.left_out}")


def _print(text: str, *, utf8: bool) -> None:
    """Print a report. Raises InputError if standard output cannot be written (see streams.py)."""
    stream = sys.stdout
    encoding = {"encoding": "utf-8"} if utf8 else {}
    stream.reconfigure(errors="backslashreplace", **encoding)  # type: ignore[union-attr]
    stream.write(text)
    stream.flush()


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """Yield a function that takes the name of the current step of the work and shows it.

    On a terminal, the step is shown in one line that disappears at the end. Elsewhere, one line is
    printed to standard error every ten seconds, so short work leaves no lines in a log.

    quiet: True to show nothing.
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
    """Yield a function that sets the current step, which is printed every `seconds` seconds."""
    last, done, begun = ["reading"], threading.Event(), time.monotonic()

    def run() -> None:
        while not done.wait(seconds):
            tell(f"after {time.monotonic() - begun:.0f} s: {last[0]}")

    teller = threading.Thread(target=run, daemon=True)
    with contextlib.suppress(RuntimeError):  # no thread available: work without progress lines
        teller.start()
    try:
        yield partial(last.__setitem__, 0)
    finally:
        done.set()
        if teller.is_alive():
            teller.join()
