"""Lay out plain text for a terminal: escaping, width, tables and paragraphs.

Names come from untrusted files. Characters that do not print are written as escapes, so that a
column name can neither break a line nor control the terminal.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

ELLIPSIS = "…"
LEAST_WIDTH = 40
_LEAST_NAME = 10
_LONGEST_NAME = 240  # in terminal cells; a name may list several columns
_GAP = "  "

# A private-use character. `printable` escapes it, so it is in no other text. It represents the
# second cell of a wide character while textwrap, which counts characters, breaks lines.
_FILLER = "\ue000"


def printable(text: str) -> str:
    r"""Return the text with unprintable characters as escapes, like Python's repr.

    These are control and format characters (bidirectional overrides, zero-width blanks), all blanks
    except the plain one, lone surrogates, and private-use characters.

    >>> printable("a\tb\x1b[2J\u202e")
    'a\\tb\\x1b[2J\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def name(text: str, limit: int = 40) -> str:
    """Return a name for use in a sentence: escaped, shortened to `limit` cells, and maybe quoted.

    The name is quoted if a reader could not see where it begins and ends: if it is blank, begins or
    ends with a blank, or contains a comma or two blanks in a row.

    >>> name("age"), name(""), name("zip code"), name("born, ")
    ('age', '""', 'zip code', '"born, "')
    """
    shown = shorten(printable(text), limit)
    unclear = not shown.strip() or shown != shown.strip() or "," in shown or "  " in shown
    return f'"{shown}"' if unclear else shown


def columns(texts: Sequence[str], limit: int = 4) -> str:
    """Return columns for a sentence about them, with each name in quotation marks.

    >>> columns(["notes"]), columns(["notes", "user"]), columns(["a", "b", "c"], 1)
    ("column 'notes'", "columns 'notes', 'user'", "columns 'a' and 2 more")
    """
    shown = ", ".join(f"'{shorten(printable(text), 40)}'" for text in texts[:limit])
    rest = len(texts) - limit
    more = f" and {rest:,} more" if rest > 0 else ""
    return f"column{'' if len(texts) == 1 else 's'} {shown}{more}"


def name_list(texts: Sequence[str], limit: int = 8) -> str:
    """Join the first `limit` names by commas, and add how many more there are."""
    shown = ", ".join(name(text) for text in texts[:limit])
    rest = len(texts) - limit
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def cells_of(character: str) -> int:
    """Return how many terminal cells a printable character takes: 0, 1 or 2."""
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width_of(text: str) -> int:
    """Return how many terminal cells a printable text takes."""
    return len(text) if text.isascii() else sum(map(cells_of, text))


def longest_word(text: str) -> int:
    """Return the width of the longest word in terminal cells."""
    return max(map(width_of, printable(text).split()), default=0)


def shorten(text: str, limit: int) -> str:
    """Shorten a text to `limit` terminal cells by cutting out its middle.

    Similar names often differ only at the beginning or only at the end, so both ends are kept.

    >>> shorten("extended-p-sensitive-k-anonymity", 20)
    'extended-p…anonymity'
    """
    # Combining marks take no cell, so the number of characters is bounded as well.
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
    """Pad the text with blanks to a width in terminal cells.

    right: True to align the text right; by default it is aligned left.
    """
    blanks = " " * (width - width_of(text))
    return blanks + text if right else text + blanks


def table_lines(rows: Sequence[Sequence[str]], *, left: Sequence[int], width: int) -> list[str]:
    """Return the lines of a table with aligned columns.

    If the table is too wide, the first column becomes narrower. A name that no longer fits is
    written above its numbers, on several lines if necessary, so that different names never look the
    same.

    rows: rows of cells, the header first.
    left: the indices of left-aligned columns; the others are right-aligned.
    width: the length of a line in terminal cells.
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
    """Wrap a text. The first line begins with `first`, the others with `rest`.

    width: the length of a line in terminal cells, at least `LEAST_WIDTH`.
    rest: None to indent the other lines by the width of `first`.
    """
    indent = " " * width_of(first) if rest is None else rest
    lines: list[str] = []
    for spare in (0, 1):  # if a line breaks inside a wide character, wrap again, narrower
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
    """Return the escaped text with a filler after each character that takes two cells.

    So the number of characters is the width of the text (except for characters without a width).
    """
    shown = printable(text)
    if shown.isascii():
        return shown
    return "".join(c + _FILLER * (cells_of(c) - 1) for c in shown)


def section(title: str, lines: Sequence[str]) -> list[str]:
    """Return a blank line, the underlined title and the lines; nothing if there are no lines."""
    return ["", title, "-" * width_of(title), *lines] if lines else []


def sentences(parts: Iterable[str]) -> str:
    """Join the parts into one line. A part without a full stop, `!` or `?` gets a full stop.

    Empty parts are omitted.
    """
    said = [part.strip() for part in parts if part.strip()]
    return " ".join(part if part[-1] in ".!?" else f"{part}." for part in said)
