"""Detect the encoding of a text file and write a copy in UTF-8."""

from __future__ import annotations

import codecs
import contextlib
import io
from pathlib import Path
from typing import Final

from anonaudit.errors import InputError
from anonaudit.source.unpacking import CHUNK

_MARKS: Final = {  # UTF-32 first: its little-endian mark begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


# Python has these two among its text encodings, but they encode names of domains, not files.
_OF_DOMAINS: Final = frozenset({"idna", "punycode"})


def known_encoding(asked: str) -> str | None:
    """Return Python's own name of an encoding; None if `asked` names no encoding of text.

    >>> known_encoding("latin-1"), known_encoding("idna"), known_encoding("base64")
    ('iso8859-1', None, None)
    """
    try:
        "".encode(asked)  # fails for codecs that are not text encodings, such as base64
        name = codecs.lookup(asked).name
    except (LookupError, ValueError):
        return None
    return None if name in _OF_DOMAINS else name


def text_encoding(head: bytes, asked: str | None, name: str) -> str:
    """Return the encoding of a text file, as a name that Python knows.

    It is `asked` if that is not None, else the encoding of the byte order mark, else UTF-8.

    head: the first bytes of the file. name: the name of the file in messages.

    Raises InputError if Python has no encoding of files called `asked`.
    """
    if asked is not None:
        if (known := known_encoding(asked)) is None:
            raise InputError(
                f"{name}: there is no encoding {asked!r}; expected for example utf-8, latin-1, "
                "cp1252 or utf-16"
            )
        return known
    return next((known for mark, known in _MARKS.items() if head.startswith(mark)), "utf-8")


def write_as_utf8(path: Path, encoding: str, target: Path, name: str) -> None:
    """Write a copy of the file in UTF-8 and keep its line ends.

    path, encoding: the file and its encoding. target: the path of the copy. name: the name of the
    file in messages.

    Raises InputError, with the line, if the file is not text in this encoding. Also raises it if
    the encoding has one byte per character (latin-1) but the file is UTF-8: `Müller` would be read
    as another text.
    """
    if is_single_byte(encoding) and _is_utf_8(path):
        raise InputError(
            f"{name}: is UTF-8 text, but its encoding is given as {encoding}; leave the encoding "
            "out (--encoding, or release.encoding in the policy)"
        )
    decoder, lines = codecs.getincrementaldecoder(encoding)(), LineCount()
    with path.open("rb") as file, target.open("wb") as copy:
        more = True
        while more:
            piece = file.read(CHUNK)
            more, state = bool(piece), decoder.getstate()
            try:
                text = decoder.decode(piece, final=not more)
                copy.write(text.encode())
            except UnicodeError:
                decoder.setstate(state)
                lines.add(_as_far_as_possible(decoder, piece))
                raise InputError(
                    f"{name}: line {lines.line} is not text in the encoding {encoding}; name the "
                    "encoding of the file"
                ) from None
            lines.add(text)


def is_single_byte(encoding: str) -> bool:
    """Return True if each byte above 127 is one character, as in latin-1 and cp1252."""
    every = bytes(range(128, 256))  # without ASCII: `\]` makes unicode_escape warn
    name = codecs.lookup(encoding).name
    return not name.startswith("utf") and len(every.decode(encoding, "replace")) == len(every)


def _is_utf_8(path: Path) -> bool:
    """Return True if a file is UTF-8 text with at least one character beyond ASCII.

    Reading ends at the first bytes that are not UTF-8. In another encoding, the first character
    beyond ASCII is usually such a place.
    """
    with path.open("rb") as file:
        pieces = codecs.iterdecode(iter(lambda: file.read(CHUNK), b""), "utf-8")
        try:
            ascii_only = [text.isascii() for text in pieces]  # reads all: a later piece may fail
        except UnicodeDecodeError:
            return False
    return not all(ascii_only)


class LineCount:
    """Count the lines of a text that is given in pieces."""

    def __init__(self) -> None:
        self._count = 1
        self._ends = io.IncrementalNewlineDecoder(None, translate=True)

    @property
    def line(self) -> int:
        """The line number of the next character, from 1. It is inexact inside a CRLF."""
        _, state = self._ends.getstate()
        # The decoder holds back a CR at the end, because an LF may follow.
        return self._count + (state & 1)

    def add(self, text: str) -> None:
        """Count the line ends of the next piece."""
        self._count += self._ends.decode(text).count("\n")


def _as_far_as_possible(decoder: codecs.IncrementalDecoder, piece: bytes) -> str:
    """Return the text of the piece before its first byte that cannot be decoded.

    It also ends before a surrogate, which utf-7 decodes without an error.
    """
    text = ""
    with contextlib.suppress(UnicodeError):
        for at in range(len(piece)):
            more = decoder.decode(piece[at : at + 1])
            more.encode()
            text += more
    return text
