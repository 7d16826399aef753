"""What the values of a policy must be. Mistakes are kept, each with its place, not raised.

An `Entry` is one value and where it stands. A reader is a function from an entry to the value
it holds, or to None after noting what is wrong with it; so reading goes on, and all mistakes are
reported together.
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
from anonaudit.source.parquet_folders import is_pattern
from anonaudit.source.written_path import WrittenPath

T = TypeVar("T")

NOT_THERE: Final = "does not exist; names are looked for from the folder of the policy"
_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_KINDS: Final[tuple[tuple[type, str], ...]] = (
    (bool, "true or false"),  # before int: a truth value is one to Python
    (str, "text"),
    (int, "a whole number"),
    (float, "a number"),
    (list, "a list"),
    (dict, "a table"),
)


class MistakeError(Exception):
    """What is wrong with the value being read; without a text it is noted already."""


@dataclass
class Document:
    """A policy that is being read: its content, the lines of its keys, the mistakes so far.

    folder: where the files it names are looked for.
    """

    source: str
    content: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    folder: Path = field(default_factory=Path)
    problems: list[tuple[int, str]] = field(default_factory=list)

    def entry(self, *keys: str) -> Entry:
        """What stands under these keys, an empty table where nothing does."""
        value: Any = self.content
        for key in keys:
            value = value.get(key, {})
        return Entry(self, keys, value)

    def note(self, path: KeyPath, problem: str) -> None:
        """Keep a mistake, with its key and the line of that or of the nearest table around."""
        known = next((n for n in range(len(path), 0, -1) if path[:n] in self.lines), 0)
        line = self.lines.get(path[:known], 0)
        key = ".".join(toml_key(part) for part in path if isinstance(part, str))
        place = [f"line {line}"] if line else []
        place += [key] if key else []
        place += [f"item {path[-1] + 1}"] if path and isinstance(path[-1], int) else []
        self.problems.append((line, f"{', '.join(place)}: {problem}"))

    def close(self) -> None:
        """Raise PolicyError with every mistake, in the order of lines, if there is one."""
        if self.problems:
            in_order = sorted(self.problems, key=lambda problem: problem[0])
            raise PolicyError(self.source, [problem for _, problem in in_order])


def toml_key(key: str) -> str:
    """A key as TOML writes it."""
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=not key.isprintable())


@dataclass(frozen=True)
class Entry:
    """One value of a policy and where it stands."""

    document: Document
    path: KeyPath
    value: Any

    def inside(self, key: str | int) -> Entry:
        """What stands under a key of this table, or at a place of this list."""
        return Entry(self.document, (*self.path, key), self.value[key])

    def note(self, problem: str) -> None:
        """Keep a mistake of this value."""
        self.document.note(self.path, problem)

    def read(self, reader: Reader[T]) -> T | None:
        """What the reader makes of this value; None after keeping its mistake."""
        try:
            return reader(self)
        except MistakeError as mistake:
            for problem in mistake.args:
                self.note(problem)
            return None

    def expected(self, what: str, advice: str = "") -> MistakeError:
        """The mistake that this value is of another kind."""
        kinds = (word for kind, word in _KINDS if isinstance(self.value, kind))
        kind_given = next(kinds, f"a {type(self.value).__name__}")
        return MistakeError(f"must be {what}, not {kind_given}{advice}")


Reader = Callable[[Entry], T]


def anything(entry: Entry) -> Any:
    """Whatever stands there, lists as tuples; for values that somebody else checks."""
    return _with_tuples(entry.value)


def _with_tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_with_tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: _with_tuples(inner) for key, inner in value.items()}
    return value


def string(entry: Entry) -> str:
    """A text."""
    if not isinstance(entry.value, str):
        raise entry.expected("text")
    return entry.value


def one_of(choices: Iterable[T]) -> Reader[T]:
    """A text that is one of the choices."""
    known = {str(choice): choice for choice in choices}

    def read(entry: Entry) -> T:
        if not isinstance(entry.value, str):
            raise entry.expected("one of " + listed(known))
        if entry.value not in known:
            raise MistakeError(f"cannot be {entry.value!r}. {closest(entry.value, known)}")
        return known[entry.value]

    return read


def boolean(entry: Entry) -> bool:
    """True or false."""
    if not isinstance(entry.value, bool):
        raise entry.expected("true or false")
    return entry.value


def number_between(low: float = -math.inf, high: float = math.inf) -> Reader[int | float]:
    """A finite number, from `low` to `high`."""
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
    """A whole number."""
    if not isinstance(entry.value, int) or isinstance(entry.value, bool):
        raise entry.expected("a whole number")
    return entry.value


def list_of(what: str, item: Reader[T], *, least: int = 0) -> Reader[tuple[T, ...]]:
    """A list without repetitions of what `item` reads; `what` names it in messages.

    Items may be values of the data, so messages give their places and do not quote them.
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
    """A table with free keys, for example names of columns, whose values are alike."""

    def read(entry: Entry) -> dict[str, T]:
        if not isinstance(entry.value, dict):
            raise entry.expected(f"a table such as {example}")
        values = {key: entry.inside(key).read(reader) for key in entry.value}
        return {key: value for key, value in values.items() if value is not None}

    return read


def table(readers: Mapping[str, Reader[Any]], example: str) -> Reader[dict[str, Any]]:
    """A table of known keys, each read by its own reader; gives those that are right."""

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
    """A file that is there and can be read, named from the folder of the policy."""
    path = file_to_be(entry)
    if not path.exists():
        raise MistakeError(f"the file {str(path)!r} {NOT_THERE}")
    return path


def file_to_be(entry: Entry) -> Path:
    """A file that can be read, or that is not there yet."""
    path = file_or_folder(entry)
    if path.is_dir():
        raise MistakeError(f"the file {str(path)!r} is a folder")
    return path


def file_or_folder(entry: Entry) -> Path:
    """A file or a folder that can be read, or that is not there yet.

    `${NAME}` stands for an environment variable, as in `daily/dt=${DATE}`; the path is shown as
    written, as the value may be a secret.
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
        problem = "is no ordinary file"
    except FileNotFoundError:
        return path
    except ValueError:  # said by every Python in other words
        problem = "cannot be opened: a name has no NUL in it"
    except OSError as error:
        problem = f"cannot be opened: {error.strerror or error}"
    raise MistakeError(f"the file {str(path)!r} {problem}")


def _value_of(match: re.Match[str]) -> str:
    """The value of an environment variable; an empty one would name another file."""
    value = os.environ.get(match[1])
    if not value:
        raise MistakeError(
            f"the environment variable {match[1]!r} is not set or is empty; set it, or name the "
            "file without it"
        )
    return value


def delimiter(entry: Entry) -> str:
    """One character that can stand between cells."""
    if not isinstance(entry.value, str):
        raise entry.expected("one character")
    if len(entry.value) != 1 or entry.value in '"\r\n':
        raise MistakeError(f"must be one character such as ';', not {entry.value!r}")
    return entry.value


def encoding(entry: Entry) -> str:
    """The name of an encoding of text that Python knows."""
    if not isinstance(entry.value, str):
        raise entry.expected("the name of an encoding")
    try:
        "a".encode(entry.value)
    except (LookupError, ValueError):  # ValueError: no name at all, or a NUL in it
        raise MistakeError(
            f"there is no encoding {entry.value!r}; try 'utf-8' or 'cp1252'"
        ) from None
    return entry.value
