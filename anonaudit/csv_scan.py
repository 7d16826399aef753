"""A CSV file as bytes: how many records it holds, and whether it is as regular as engines assume.

An engine that reads CSV fast forgives much in silence: it skips a blank first line and takes the
header for data, drops what stands after a last delimiter, or blanks before a quote. Counting
delimiters and line ends outside quotes is cheap, and tells whether there was anything to forgive.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BLOCK = 1 << 15  # what is looked at over and over stays in the fast memory of a processor
BOM, LF, CR, QUOTE = codecs.BOM_UTF8, 10, 13, 34

Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Survey:
    """What a scan found.

    regular: quotes stand around whole cells and balance, all line ends are alike, the header is
        in the first line, all is text, and there are as many fields as if every record had those
        of the header. Then a field too many here is one too few there, which no engine forgives.
    records: how many there are after the header, if the file is regular.
    blank_lines: lines that hold nothing; with a single column they are records.
    not_text: the position of the first byte that is not UTF-8 text; a NUL is none.
    """

    regular: bool
    records: int
    blank_lines: int
    not_text: int | None


class CsvScan:
    """Reads a UTF-8 file in pieces: `feed` each, then `finish`.

    Pieces may have any size, but the first must hold a whole byte order mark, if there is one.
    """

    def __init__(self, delimiter: str, columns: int) -> None:
        self._columns = columns
        self._delimiter = ord(delimiter)
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        self._fed = 0
        self._not_text: int | None = None
        self._regular = True
        self._inside = False  # quotes, at the end of what was read
        self._last = LF  # the byte before; a file begins like a line
        self._after_quote = False  # whether the last byte closed a quoted cell
        self._lf = self._cr = self._crlf = self._blank = self._delimiters = 0

    def feed(self, piece: bytes) -> None:
        """Read on."""
        if self._not_text is not None or not piece:
            return
        self._check_is_text(piece)
        if self._fed == 0:
            # An engine may take a byte order mark and a quoted name for one unquoted cell.
            self._regular &= not piece.startswith(BOM + b'"')
            body = piece.removeprefix(BOM)
            self._regular &= body[:1] not in {b"\n", b"\r"}
        else:
            body = piece
        self._fed += len(piece)
        for start in range(0, len(body), BLOCK):
            self._count(body[start : start + BLOCK])

    def finish(self) -> Survey:
        """What was found in all that was read."""
        if self._not_text is None and self._utf8.getstate()[0]:
            self._not_text = self._fed - len(self._utf8.getstate()[0])
        ends = self._lf + self._cr - self._crlf
        lines = ends + (self._inside or self._last not in {LF, CR})
        filled = lines - self._blank
        kinds = [self._crlf, self._lf - self._crlf, self._cr - self._crlf]
        regular = (
            self._regular
            and not self._inside
            and self._not_text is None
            and sum(kind > 0 for kind in kinds) <= 1
            and self._delimiters == (self._columns - 1) * filled
        )
        records = (lines if self._columns == 1 else filled) - 1
        return Survey(regular, records, self._blank, self._not_text)

    def _check_is_text(self, piece: bytes) -> None:
        pending = len(self._utf8.getstate()[0])
        try:
            if pending or not piece.isascii():
                self._utf8.decode(piece)
        except UnicodeDecodeError as error:
            self._not_text = self._fed - pending + error.start
        nul = piece.find(b"\x00")
        if nul >= 0 and (self._not_text is None or self._fed + nul < self._not_text):
            self._not_text = self._fed + nul

    def _count(self, body: bytes) -> None:
        # The byte before comes first, so that each byte has one before it.
        these = np.frombuffer(bytes([self._last]) + body, np.uint8)
        quoted = self._inside or self._after_quote or QUOTE in body
        outside = self._outside(these) if quoted else None

        def places(byte: int) -> Mask:
            found: Mask = these == byte
            return found if outside is None else found & outside

        lf = places(LF)
        end, begins = lf, lf[1:]
        if self._last == CR or CR in body:
            cr = places(CR)
            pairs = lf[1:] & cr[:-1]
            end, begins = lf | cr, (lf[1:] & ~pairs) | cr[1:]
            self._cr += int(np.count_nonzero(cr[1:]))
            self._crlf += int(np.count_nonzero(pairs))
        self._lf += int(np.count_nonzero(lf[1:]))
        self._blank += int(np.count_nonzero(begins & end[:-1]))
        self._delimiters += int(np.count_nonzero(places(self._delimiter)[1:]))
        self._last = body[-1]

    def _outside(self, these: Bytes) -> Mask:
        """Which bytes stand outside quotes; and whether all quotes stand around whole cells."""
        quotes = these == QUOTE
        edges = quotes | (these == self._delimiter) | (these == LF) | (these == CR)
        quotes[0] = False  # it was counted with the piece before
        inside = _odd_so_far(quotes)
        if self._inside:
            inside = ~inside
        opening, closing = quotes & inside, quotes & ~inside
        closing[0] = self._after_quote
        self._regular &= not (opening[1:] & ~edges[:-1] | closing[:-1] & ~edges[1:]).any()
        self._after_quote, self._inside = bool(closing[-1]), bool(inside[-1])
        outside: Mask = ~inside
        return outside


def _odd_so_far(marks: Mask) -> Mask:
    """For each place whether the number of marks up to it is odd, by 64 places at a time."""
    packed = np.packbits(marks, bitorder="little")
    words = np.zeros(len(packed) // 8 + 1, "<u8")
    words.view(np.uint8)[: len(packed)] = packed
    for step in (1, 2, 4, 8, 16, 32):
        words ^= words << step
    before = np.bitwise_xor.accumulate(words >> 63)[:-1]
    words[1:] ^= before * np.uint64(2**64 - 1)
    return np.unpackbits(words.view(np.uint8), count=len(marks), bitorder="little").view(bool)
