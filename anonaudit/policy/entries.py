"""Readers for the values of a policy file.

An `Entry` is one value of the policy and its place in the file. A reader is a function that takes
an entry and returns its checked value, or raises MistakeError. `Entry.read` calls a reader, catches
the MistakeError and records the mistake in the `Document`. So reading continues after a mistake,
and `Document.close` reports all mistakes together.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from anonaudit.errors import PolicyError, closest, listed
from anonaudit.policy.toml_lines import KeyPath
from anonaudit.source.encodings import known_encoding
from anonaudit.source.parquet_folders import is_pattern
from anonaudit.source.written_path import WrittenPath

T = TypeVar("T")

NOT_THERE: Final = "does not exist; a relative path starts in the folder of the policy"
_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_KINDS: Final[tuple[tuple[type, str], ...]] = (
    (bool, "true or false"),  # before int, because bool is a subclass of int
    (str, "text"),
    (int, "a whole number"),
    (float, "a number"),
    (list, "a list"),
    (dict, "a table"),
)


class MistakeError(Exception):
    """A mistake in the value that is being read.

    If the error has no text, its mistakes have already been recorded in the document.
    """


@dataclass
class Document:
    """A policy that is being read: its content, the lines of its keys, the mistakes so far.

    source: the name of the policy in messages.
    content: the tables of the policy, as `tomllib` returns them.
    lines: path of a key or list item -> its line (see `toml_lines.load`).
    folder: relative paths in the policy start in this folder.
    problems: (line, message) for each mistake; line 0 if the line is unknown.
    """

    source: str
    content: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    folder: Path = field(default_factory=Path)
    problems: list[tuple[int, str]] = field(default_factory=list)

    def entry(self, *keys: str) -> Entry:
        """Return the value under these nested keys, or an empty table if there is none."""
        value: Any = self.content
        for key in keys:
            value = value.get(key, {})
        return Entry(self, keys, value)

    def note(self, path: KeyPath, problem: str) -> None:
        """Record a mistake with its key and line.

        If the line of the key is unknown, the line of the nearest enclosing table is used.
        """
        known = next((n for n in range(len(path), 0, -1) if path[:n] in self.lines), 0)
        line = self.lines.get(path[:known], 0)
        key = ".".join(toml_key(part) for part in path if isinstance(part, str))
        place = [f"line {line}"] if line else []
        place += [key] if key else []
        place += [f"item {path[-1] + 1}"] if path and isinstance(path[-1], int) else []
        self.problems.append((line, f"{', '.join(place)}: {problem}"))

    def close(self) -> None:
        """Raise PolicyError with all recorded mistakes, ordered by line, if there is any."""
        if self.problems:
            in_order = sorted(self.problems, key=lambda problem: problem[0])
            raise PolicyError(self.source, [problem for _, problem in in_order])


def toml_key(key: str) -> str:
    """Return the key as it is written in TOML, quoted where necessary."""
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=not key.isprintable())


@dataclass(frozen=True)
class Entry:
    """One value of a policy and its place in the document."""

    document: Document
    path: KeyPath
    value: Any

    def inside(self, key: str | int) -> Entry:
        """Return the entry under a key of this table, or at an index of this list."""
        return Entry(self.document, (*self.path, key), self.value[key])

    def note(self, problem: str) -> None:
        """Record a mistake in this value."""
        self.document.note(self.path, problem)

    def read(self, reader: Reader[T]) -> T | None:
        """Return the value as the reader reads it, or record the mistake and return None."""
        try:
            return reader(self)
        except MistakeError as mistake:
            for problem in mistake.args:
                self.note(problem)
            return None

    def expected(self, what: str, advice: str = "") -> MistakeError:
        """Return a MistakeError that says which type was expected and which was given.

        what: the expected type, such as `a list of names`. advice: a text to add at the end.
        """
        kinds = (word for kind, word in _KINDS if isinstance(self.value, kind))
        kind_given = next(kinds, f"a {type(self.value).__name__}")
        return MistakeError(f"must be {what}, not {kind_given}{advice}")


Reader = Callable[[Entry], T]


def anything(entry: Entry) -> Any:
    """Return the value unchecked, with lists turned into tuples.

    Used for parameters that a model or an attack checks itself.
    """
    return _with_tuples(entry.value)


def _with_tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_with_tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: _with_tuples(inner) for key, inner in value.items()}
    return value


def string(entry: Entry) -> str:
    """Read a text."""
    if not isinstance(entry.value, str):
        raise entry.expected("text")
    return entry.value


def one_of(choices: Iterable[T]) -> Reader[T]:
    """Return a reader for a text that must be one of the choices, written as text."""
    known = {str(choice): choice for choice in choices}

    def read(entry: Entry) -> T:
        if not isinstance(entry.value, str):
            raise entry.expected("one of " + listed(known))
        if entry.value not in known:
            raise MistakeError(f"cannot be {entry.value!r}. {closest(entry.value, known)}")
        return known[entry.value]

    return read


def boolean(entry: Entry) -> bool:
    """Read true or false."""
    if not isinstance(entry.value, bool):
        raise entry.expected("true or false")
    return entry.value


def number_between(low: float = -math.inf, high: float = math.inf) -> Reader[int | float]:
    """Return a reader for a finite number from `low` to `high`, both included."""
    what = "a number" if low == -math.inf else f"a number from {low} to {high}"

    def read(entry: Entry) -> int | float:
        value = entry.value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise entry.expected(what)
        if not low <= value <= high or math.isinf(value):
            raise MistakeError(f"must be {what}, not {value}")
        return value

    return read


def integer(entry: Entry) -> int:
    """Read a whole number."""
    if not isinstance(entry.value, int) or isinstance(entry.value, bool):
        raise entry.expected("a whole number")
    return entry.value


def list_of(what: str, item: Reader[T], *, least: int = 0) -> Reader[tuple[T, ...]]:
    """Return a reader for a list without repetitions, whose items are read by `item`.

    what: the name of the items in messages. least: the smallest length allowed.

    An item may be a value of the data, so a message gives the number of the item and does not
    quote it.
    """

    def read(entry: Entry) -> tuple[T, ...]:
        if not isinstance(entry.value, list):
            alone = isinstance(entry.value, (str, int, float))
            raise entry.expected(f"a list of {what}", "; put brackets around it" * alone)
        if len(entry.value) < least:
            raise MistakeError(f"must be a list of {what}, at least {least}")
        before = len(entry.document.problems)
        places: dict[T, int] = {}
        for place, inner in enumerate(map(entry.inside, range(len(entry.value))), start=1):
            value = inner.read(item)
            if value is not None and places.setdefault(value, place) != place:
                inner.note(f"repeats item {places[value]}")
        if len(entry.document.problems) > before:
            raise MistakeError
        return tuple(places)

    return read


def each(reader: Reader[T], example: str) -> Reader[dict[str, T]]:
    """Return a reader for a table with arbitrary keys, such as column names.

    reader: reads every value. example: an example of such a table, for messages.

    The result lacks the keys whose value was wrong.
    """

    def read(entry: Entry) -> dict[str, T]:
        if not isinstance(entry.value, dict):
            raise entry.expected(f"a table such as {example}")
        values = {key: entry.inside(key).read(reader) for key in entry.value}
        return {key: value for key, value in values.items() if value is not None}

    return read


def table(readers: Mapping[str, Reader[Any]], example: str) -> Reader[dict[str, Any]]:
    """Return a reader for a table with known keys, each read by its own reader.

    readers: key -> the reader of its value. example: an example of such a table, for messages.

    The result lacks the keys that are unknown or whose value was wrong.
    """

    def read(entry: Entry) -> dict[str, Any]:
        if not isinstance(entry.value, dict):
            raise entry.expected(f"a table such as {example}")
        values = {}
        for key in entry.value:
            inner = entry.inside(key)
            if key not in readers:
                inner.note(f"there is no such key here. {closest(key, readers)}")
            elif (value := inner.read(readers[key])) is not None:
                values[key] = value
        return values

    return read


def file(entry: Entry) -> Path:
    """Read the path of a file that exists and can be opened."""
    path = file_to_be(entry)
    if not path.exists():
        raise MistakeError(f"the file {str(path)!r} {NOT_THERE}")
    return path


def file_to_be(entry: Entry) -> Path:
    """Read the path of a file that can be opened, or that does not exist yet."""
    path = file_or_folder(entry)
    if path.is_dir():
        raise MistakeError(f"the file {str(path)!r} is a folder")
    return path


def file_or_folder(entry: Entry) -> Path:
    """Read the path of a file or folder that can be opened, or that does not exist yet.

    `${NAME}` is replaced by the environment variable NAME, as in `daily/dt=${DATE}`. Messages show
    the path as the policy writes it, because the value of the variable may be a secret.
    """
    if not isinstance(entry.value, str):
        raise entry.expected("the name of a file")
    path = entry.document.folder / _VARIABLE.sub(_value_of, entry.value)
    if _VARIABLE.search(entry.value):
        path = WrittenPath.of(path, str(entry.document.folder / entry.value))
        if is_pattern(path) and not path.shows_no_value_in_its_pattern():
            raise MistakeError(
                "has a variable in or after a *, ? or [, so names that match would show its value; "
                "use variables before the pattern only"
            )
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            path.open("rb").close()
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            return path
        problem = "is not a regular file"
    except FileNotFoundError:
        return path
    except ValueError:  # the text of this error differs between Python versions
        problem = "cannot be opened: its name contains a NUL character"
    except OSError as error:
        problem = f"cannot be opened: {error.strerror or error}"
    raise MistakeError(f"the file {str(path)!r} {problem}")


def _value_of(match: re.Match[str]) -> str:
    """Return the value of the environment variable that `_VARIABLE` matched.

    Raises MistakeError if it is not set or empty. An empty value would name another file.
    """
    value = os.environ.get(match[1])
    if not value:
        raise MistakeError(
            f"the environment variable {match[1]!r} is not set or is empty; set it, or name the "
            "file without it"
        )
    return value


def delimiter(entry: Entry) -> str:
    """Read the delimiter of a CSV file: one character, not a quote or a line break."""
    if not isinstance(entry.value, str):
        raise entry.expected("one character")
    if len(entry.value) != 1 or entry.value in '"\r\n':
        raise MistakeError(f"must be one character such as ';', not {entry.value!r}")
    return entry.value


def encoding(entry: Entry) -> str:
    """Read the name of an encoding of files that Python knows."""
    if not isinstance(entry.value, str):
        raise entry.expected("the name of an encoding")
    if known_encoding(entry.value) is None:
        raise MistakeError(f"there is no encoding {entry.value!r}; try 'utf-8' or 'cp1252'")
    return entry.value
