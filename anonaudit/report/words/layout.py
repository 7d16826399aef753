"""Plain text on a terminal: escaping, width, tables and paragraphs.

Names come from strangers' files. What cannot be seen is written out, so a column name can
neither break a line nor send a terminal an instruction.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

ELLIPSIS = "…"
LEAST_WIDTH = 40
_LEAST_NAME = 10
_LONGEST_NAME = 240  # in cells: of some columns, each as `name` shows it, and words between them
_GAP = "  "

# A private character, which `printable` lets nowhere else pass. It stands in for the second cell
# of a wide character while textwrap, which counts characters, breaks lines.
_FILLER = "\ue000"


def printable(text: str) -> str:
    r"""The text with everything that does not print written as an escape.

    That is what Python's repr escapes: control and format characters (bidirectional overrides,
    zero-width blanks), all blanks but the plain one, lone surrogates, private characters.

    >>> printable("a\tb\x1b[2J\u202e")
    'a\\tb\\x1b[2J\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def name(text: str, limit: int = 40) -> str:
    """A name for use inside a sentence: escaped, not too long, quoted where its ends are unclear.

    >>> name("age"), name(""), name("zip code"), name("born, ")
    ('age', '""', 'zip code', '"born, "')
    """
    shown = shorten(printable(text), limit)
    unclear = not shown.strip() or shown != shown.strip() or "," in shown or "  " in shown
    return f'"{shown}"' if unclear else shown


def name_list(texts: Sequence[str], limit: int = 8) -> str:
    """Names in a row, the first `limit` of them, and how many more there are."""
    shown = ", ".join(name(text) for text in texts[:limit])
    rest = len(texts) - limit
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def cells_of(character: str) -> int:
    """How many cells of a terminal a printable character takes: 0, 1 or 2."""
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width_of(text: str) -> int:
    """How many cells of a terminal a printable text takes."""
    return len(text) if text.isascii() else sum(map(cells_of, text))


def longest_word(text: str) -> int:
    """The width of what cannot be wrapped."""
    return max(map(width_of, printable(text).split()), default=0)


def shorten(text: str, limit: int) -> str:
    """At most `limit` cells: what is too long loses its middle, since names differ at both ends.

    >>> shorten("extended-p-sensitive-k-anonymity", 20)
    'extended-p…anonymity'
    """
    # Marks take no cell, so a heap of them is bounded by the number of characters.
    if width_of(text) <= limit and len(text) <= 4 * limit:
        return text
    head = limit // 2
    return _take(text, head) + ELLIPSIS + _take(text[::-1], limit - 1 - head)[::-1]


def _take(text: str, limit: int) -> str:
    taken = 0
    for place, character in enumerate(text[: 2 * limit + 1]):
        taken += cells_of(character)
        if taken > limit:
            return text[:place]
    return text[: 2 * limit]


def pad(text: str, width: int, *, right: bool = False) -> str:
    """The text with blanks up to a width, after it or before it."""
    blanks = " " * (width - width_of(text))
    return blanks + text if right else text + blanks


def table_lines(rows: Sequence[Sequence[str]], *, left: Sequence[int], width: int) -> list[str]:
    """Lines of a table in aligned columns; the first column gives way where it is too wide.

    A name that no longer fits into it stands on a line of its own, above its numbers; on more than
    one if it must, so that two that differ never look alike.

    rows: the header first. left: the columns set to the left; the others are numbers and set to
    the right.
    """
    shown = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(width_of, column)) for column in zip(*shown, strict=True)]
    excess = sum(widths) + len(_GAP) * len(widths) - width
    widths[0] = max(min(widths[0], _LEAST_NAME), widths[0] - max(excess, 0))
    lines = []
    for row in shown:
        name_ = row[0]
        if width_of(name_) > widths[0]:
            lines += paragraph(shorten(name_, _LONGEST_NAME), width, first=_GAP, rest=2 * _GAP)
            name_ = ""
        cells = [shorten(name_, widths[0]), *row[1:]]
        line = [pad(cell, widths[i], right=i not in left) for i, cell in enumerate(cells)]
        lines.append((_GAP + _GAP.join(line)).rstrip())
    return lines


def paragraph(text: str, width: int, *, first: str = "", rest: str | None = None) -> list[str]:
    """Lines of text, wrapped: the first one begins with `first`, the others with `rest`."""
    indent = " " * width_of(first) if rest is None else rest
    lines: list[str] = []
    for spare in (0, 1):  # a line that ends within a wide character takes one cell more
        lines = textwrap.wrap(
            _stretched(text),
            max(width, LEAST_WIDTH) - spare,
            initial_indent=_stretched(first),
            subsequent_indent=indent,
            break_on_hyphens=False,
        )
        if not any(line.startswith(indent + _FILLER) for line in lines):
            break
    return [line.replace(_FILLER, "") for line in lines]


def _stretched(text: str) -> str:
    """Escaped, and as many characters as it takes cells."""
    shown = printable(text)
    if shown.isascii():
        return shown
    return "".join(c + _FILLER * (cells_of(c) - 1) for c in shown)


def section(title: str, lines: Sequence[str]) -> list[str]:
    """A blank line, an underlined title, and what it is about; nothing if that is nothing."""
    return ["", title, "-" * width_of(title), *lines] if lines else []


def sentences(parts: Iterable[str]) -> str:
    """Each part with a full stop, on one line; empty parts are left out."""
    said = [part.strip() for part in parts if part.strip()]
    return " ".join(part if part[-1] in ".!?" else f"{part}." for part in said)
