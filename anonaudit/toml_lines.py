"""TOML whose keys know their lines, read so that every mistake is reported at once.

`tomllib` reads the text; a scan of our own finds out where each key stands. An `Entry` is one
value with its place. What a value must be is said by readers: functions from an entry to the
value it holds, or to None after noting what is wrong with it.
"""

from __future__ import annotations

import json
import re
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from anonaudit.errors import PolicyError

KeyPath = tuple[str | int, ...]
T = TypeVar("T")

_DEEPEST: Final = 16  # keys and brackets one within another; no policy needs half of them
_BLANKS: Final = re.compile(r"[ \t]*")
_GAP: Final = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_NAME: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[A-Za-z0-9_-]+')
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
# Up to two quotes may stand before the three that end a long string.
_SCALAR: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}'
    r"|'''(?:[^']|'(?!''))*'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|[^],}#\n]+",
    re.DOTALL,
)
_DIGITS: Final = re.compile(r"[0-9_]{1000}")
_PLACE: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class _TooDeepError(Exception):
    """The text nests deeper than any policy does."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class _Scan:
    """Where each key of a text stands that `tomllib` has found to be TOML.

    lines: by path the line where it first stands; items of lists have paths as well.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.breaks = [found.start() for found in re.finditer("\n", text)]
        self.lines: dict[KeyPath, int] = {}
        self.last: dict[KeyPath, int] = {}  # for each array of tables, the number of its last
        table: KeyPath = ()
        while self._next(_GAP):
            if self._next(_GAP) == "[":
                table = self._header()
            else:
                self._pair(table)

    def _next(self, blanks: re.Pattern[str]) -> str:
        """Move over blanks. The character that follows, none at the end."""
        self._take(blanks)
        return self.text[self.at : self.at + 1]

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:  # pragma: no cover (tomllib has accepted the text)
            raise AssertionError(f"no {pattern.pattern} at {self.at}")
        self.at = found.end()
        return found[0]

    def _note(self, path: KeyPath) -> KeyPath:
        line = bisect_right(self.breaks, self.at) + 1
        if len(path) > _DEEPEST:
            raise _TooDeepError(line)
        self.lines.setdefault(path, line)
        return path

    def _key(self) -> Iterator[str]:
        """The parts of a dotted key, without quotes."""
        mark = "."
        while mark == ".":
            self._take(_BLANKS)
            name = self._take(_NAME)
            yield name if _BARE.fullmatch(name) else tomllib.loads(f"name = {name}")["name"]
            mark = self._next(_BLANKS)
            self.at += 1 if mark == "." else 0

    def _header(self) -> KeyPath:
        """`[table]` or `[[table]]`; on the way, an array of tables stands for its last one."""
        brackets = 2 if self.text.startswith("[[", self.at) else 1
        self.at += brackets
        path: KeyPath = ()
        for name in self._key():
            if path in self.last:
                path = (*path, self.last[path])
            path = self._note((*path, name))
        if brackets == 2:
            self.last[path] = self.last.get(path, -1) + 1
        if path in self.last:
            path = self._note((*path, self.last[path]))
        self.at += brackets
        return path

    def _pair(self, table: KeyPath) -> None:
        """`key = value`, at the top or in an inline table."""
        path = table
        for name in self._key():
            path = self._note((*path, name))
        self.at += 1  # the equals sign
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        opening = self._next(_BLANKS)
        if opening not in ("[", "{"):
            self._take(_SCALAR)
            return
        self.at += 1
        number = 0
        while (mark := self._next(_GAP)) not in ("]", "}"):
            if mark == ",":
                self.at += 1
                number += 1
            elif opening == "{":
                self._pair(path)
            else:
                self._value(self._note((*path, number)))
        self.at += 1


@dataclass
class Document:
    """A read TOML text: what it holds, where, and what has been found wrong with it."""

    source: str
    content: Mapping[str, Any]
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    folder: Path = field(default_factory=Path)
    problems: list[tuple[int, str]] = field(default_factory=list)

    def entry(self, *path: str) -> Entry:
        """The table at a path of keys, an empty one where there is none."""
        value: Any = self.content
        for key in path:
            value = value.get(key, {})
        return Entry(self, path, value)

    def note(self, path: KeyPath, problem: str) -> None:
        """Keep a mistake, to be reported with the others."""
        line = line_of(self.lines, path)
        self.problems.append((line or 0, located(path, line, problem)))

    def close(self) -> None:
        """Raise PolicyError with every mistake, in the order of lines, if there is one."""
        if self.problems:
            in_order = sorted(self.problems, key=lambda problem: problem[0])
            raise PolicyError(self.source, [problem for _, problem in in_order])


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int | None:
    """The line of the key, or of the nearest table around it that has one."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path)


def located(path: KeyPath, line: int | None, problem: str) -> str:
    """The problem with its line and key in front.

    >>> located(("require", "k-anonymity", "k"), 7, "must be a number")
    'line 7, require.k-anonymity.k: must be a number'
    """
    names = [part for part in path if isinstance(part, str)]
    key = ".".join(name if _BARE.fullmatch(name) else _quoted(name) for name in names)
    place = [f"line {line}"] if line else []
    place += [key] if key else []
    return f"{', '.join(place)}: {problem}" if place else problem


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=not name.isprintable())


def load(text: str, source: str, folder: Path) -> Document:
    """Read a TOML text. Raises PolicyError, with the line, where it is none."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        content = _parsed(text, source)
        lines = _Scan(text).lines
    except _TooDeepError as error:
        raise _syntax_error(source, error.line, "keys and brackets are nested too deeply") from None
    document = Document(source, content, lines, folder)
    _refuse_long_numbers(document.entry())
    document.close()
    return document


def _parsed(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        _Scan(text)  # tells the line
        raise
    except ValueError as error:
        reason, last = str(error), text.count("\n") + 1
        place = _PLACE.search(reason)
        if place is not None:
            line = int(place[1]) if place[1] else last
            column = f"column {place[2]}" if place[2] else "at the end"
            reason = f"{reason[: place.start()]} ({column})"
        else:
            # Python limits the digits it turns into a number, and does not say where.
            digits = _DIGITS.search(text)
            line = text.count("\n", 0, digits.start() if digits else 0) + 1
            reason = "a number has too many digits"
        raise _syntax_error(source, line, reason) from None


def _syntax_error(source: str, line: int, reason: str) -> PolicyError:
    return PolicyError(source, [f"line {line}: this is not valid TOML: {reason}"])


def _refuse_long_numbers(entry: Entry) -> None:
    """TOML's whole numbers have 64 bits; Python could not even print some longer ones."""
    value = entry.value
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        entry.note("this is not valid TOML: a whole number has at most 64 bits")
    elif isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            _refuse_long_numbers(entry.inside(key))


@dataclass(frozen=True)
class Entry:
    """One value of a document and where it stands."""

    document: Document
    path: KeyPath
    value: Any

    @property
    def key(self) -> str:
        """The last key on the way here."""
        return next((part for part in reversed(self.path) if isinstance(part, str)), "")

    def inside(self, key: str | int) -> Entry:
        """What stands under a key of this table, or at a place of this list."""
        return Entry(self.document, (*self.path, key), self.value[key])

    def note(self, problem: str) -> None:
        """Keep a mistake of this value."""
        self.document.note(self.path, problem)

    def expected(self, what: str) -> None:
        """Keep the mistake that this value is something else."""
        self.note(f"must be {what}, not {_kind(self.value)}")

    def children(self, example: str = "") -> list[Entry]:
        """The entries of this table. Anything else is a mistake, and has none."""
        if isinstance(self.value, dict):
            return [self.inside(key) for key in self.value]
        self.expected("a table" + (f" such as {example}" if example else ""))
        return []

    def items(self, what: str) -> list[Entry]:
        """The entries of this list. Anything else is a mistake, and has none."""
        if isinstance(self.value, list):
            return [self.inside(number) for number in range(len(self.value))]
        hint = "; put brackets around it" if isinstance(self.value, (str, int, float)) else ""
        self.expected(f"a list of {what}{hint}")
        return []


Reader = Callable[[Entry], T | None]


def _kind(value: object) -> str:
    """What a value is, in the words of TOML."""
    kinds: tuple[tuple[type, str], ...] = (
        (bool, "true or false"),
        (str, "text"),
        (int, "a whole number"),
        (float, "a number"),
        (list, "a list"),
        (dict, "a table"),
    )
    named = (word for kind, word in kinds if isinstance(value, kind))
    return next(named, f"a {type(value).__name__}")
