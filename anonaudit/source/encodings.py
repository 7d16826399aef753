"""The encoding of a text file: which one it is, and a copy in UTF-8."""

from __future__ import annotations

import codecs
import contextlib
import io
from pathlib import Path
from typing import Final

from anonaudit.errors import InputError
from anonaudit.source.unpacking import CHUNK

_MARKS: Final = {  # the longer ones first: one of UTF-32 begins like one of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def text_encoding(head: bytes, asked: str | None, name: str) -> str:
    """The encoding asked for, or what a byte order mark says, or UTF-8.

    Raises InputError if there is no encoding of that name.
    """
    if asked is not None:
        try:
            "".encode(asked)  # codecs that are no encodings of text refuse that
            return codecs.lookup(asked).name
        except (LookupError, ValueError):
            raise InputError(
                f"{name}: there is no encoding {asked!r}; expected for example utf-8, latin-1, "
                "cp1252 or utf-16"
            ) from None
    return next((known for mark, known in _MARKS.items() if head.startswith(mark)), "utf-8")


def write_as_utf8(path: Path, encoding: str, target: Path, name: str) -> None:
    """Write a copy in UTF-8, line ends as they are.

    Raises InputError with the line that is not text in that encoding.
    """
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
                    "encoding that the file has"
                ) from None
            lines.add(text)


class LineCount:
    """The number of the line that a text, given in pieces, has come to."""

    def __init__(self) -> None:
        self._count = 1
        self._ends = io.IncrementalNewlineDecoder(None, translate=True)

    @property
    def line(self) -> int:
        """The line of what comes next, unless that is the second half of a line end."""
        _, state = self._ends.getstate()
        return self._count + (state & 1)  # a carriage return is kept back, a pair may follow

    def add(self, text: str) -> None:
        """Read on."""
        self._count += self._ends.decode(text).count("\n")


def _as_far_as_possible(decoder: codecs.IncrementalDecoder, piece: bytes) -> str:
    text = ""
    with contextlib.suppress(UnicodeError):
        for at in range(len(piece)):
            text += decoder.decode(piece[at : at + 1])
    return text
