"""Read TOML together with the line of every key.

`tomllib` parses the text but gives no lines. After it has accepted the text, a second scan finds
the line of each key and each list item.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Final

KeyPath = tuple[str | int, ...]

_DEEPEST: Final = 16  # most nested keys and brackets; no policy needs half as many
_TOO_DEEP: Final = "keys and brackets are nested too deeply"
_BLANKS: Final = re.compile(r"[ \t]*")
_GAP: Final = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_NAME: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[A-Za-z0-9_-]+')
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
# A multi-line string may end with up to two quotes of its own before the closing three.
_SCALAR: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}'
    r"|'''(?:[^']|'(?!''))*'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|[^],}#\n]+",
    re.DOTALL,
)
# Matches a dotted key with too many parts; skips comments and multi-line strings. `tomllib` needs
# seconds for a key of many parts, so such a key is rejected before `tomllib` sees it.
_PART: Final = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_LONG_KEY: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    rf"|#[^\n]*+|(?P<key>{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{_DEEPEST}}})|{_PART}",
    re.DOTALL,
)
_DIGITS: Final = re.compile(r"[0-9_]{1000}")
_PLACE: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class TomlError(ValueError):
    """A text is not valid TOML. `line` is the line of the mistake, from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class _Scan:
    """The lines of the keys and list items in a text that `tomllib` has accepted.

    lines: path of a key or list item (see `load`) -> the line where it first occurs.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.breaks = [newline.start() for newline in re.finditer("\n", text)]
        self.lines: dict[KeyPath, int] = {}
        self.last: dict[KeyPath, int] = {}  # array of tables -> the index of its last table
        table: KeyPath = ()
        while mark := self._next(_GAP):
            if mark == "[":
                table = self._header()
            else:
                self._pair(table)

    def _next(self, blanks: re.Pattern[str]) -> str:
        """Skip what `blanks` matches. Return the next character, or an empty text at the end."""
        self._take(blanks)
        return self.text[self.at : self.at + 1]

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:  # pragma: no cover (tomllib has accepted the text)
            raise AssertionError(f"no {pattern.pattern} at {self.at}")
        self.at = match.end()
        return match[0]

    def _note(self, path: KeyPath) -> KeyPath:
        line = bisect_right(self.breaks, self.at) + 1
        if len(path) > _DEEPEST:
            raise TomlError(line, _TOO_DEEP)
        self.lines.setdefault(path, line)
        return path

    @staticmethod
    def _unquoted(name: str) -> str:
        import tomllib

        return str(tomllib.loads(f"name = {name}")["name"])

    def _key(self) -> Iterator[str]:
        """Yield the parts of a dotted key, without quotes."""
        mark = "."
        while mark == ".":
            self._take(_BLANKS)
            name = self._take(_NAME)
            yield name if _BARE.fullmatch(name) else self._unquoted(name)
            mark = self._next(_BLANKS)
            self.at += 1 if mark == "." else 0

    def _header(self) -> KeyPath:
        """Scan `[table]` or `[[table]]` and return its path.

        If a part of the header names an array of tables, it stands for the last table of the array.
        """
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
        """Scan `key = value`, at the top level or in an inline table."""
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


def load(text: str) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    r"""Return the content of a TOML text, and path -> the line where it first occurs, from 1.

    The path of a key is the tuple of the nested keys that lead to it. The path of a list item is
    the path of the list, followed by the index of the item from 0.

    Raises TomlError, with the line, for a text that is not valid TOML, for more than 16 nested
    keys and brackets, and for a whole number that does not fit into 64 bits.

    >>> load('[columns]\nunit = "id"')
    ({'columns': {'unit': 'id'}}, {('columns',): 1, ('columns', 'unit'): 2})
    """
    import tomllib  # here, because an audit without a policy does not need it

    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    for long_key in _LONG_KEY.finditer(text):
        if long_key["key"] is not None:
            raise TomlError(text.count("\n", 0, long_key.start()) + 1, _TOO_DEEP)
    try:
        content = tomllib.loads(text)
    except RecursionError:
        _Scan(text)  # finds the line, and raises
        raise
    except ValueError as error:
        raise _explained(error, text) from None
    lines = _Scan(text).lines
    for path, value in _leaves(content, ()):
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise TomlError(lines[path], "a whole number must fit into 64 bits")
    return content, lines


def _explained(error: ValueError, text: str) -> TomlError:
    """Return the error of `tomllib` as a TomlError. `tomllib` names the line in its message."""
    reason = str(error)
    place = _PLACE.search(reason)
    if place is None:
        # Python limits the number of digits it converts, and its error gives no position.
        digits = _DIGITS.search(text)
        line = text.count("\n", 0, digits.start() if digits else 0) + 1
        return TomlError(line, "a number has too many digits")
    line = int(place[1]) if place[1] else text.count("\n") + 1
    column = f"column {place[2]}" if place[2] else "at the end"
    return TomlError(line, f"{reason[: place.start()]} ({column})")


def _leaves(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    """Yield every value that is neither a table nor a list, with its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, (*path, number))
    else:
        yield path, value
