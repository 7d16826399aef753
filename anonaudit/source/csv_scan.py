"""Scan the bytes of a CSV file: count its records and check that the file is regular.

A fast CSV reader tolerates faults silently: it reads the header as a record if the first line is
blank, ignores an extra delimiter at the end of a line, or drops blanks before a quote. This scan
detects such files. It only looks for quotes, delimiters and line ends, which is cheap.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BLOCK = 1 << 18  # bytes; the arrays made of one block fit into the processor's cache
BOM, LF, CR, QUOTE = codecs.BOM_UTF8, 10, 13, 34

# One bit per byte of the file, 64 bits a word. The first byte is the lowest bit of the first word.
Bits = npt.NDArray[np.uint64]
ALL = np.uint64(2**64 - 1)
ONES_IN = np.unpackbits(
    np.arange(1 << 16, dtype=np.uint16).view(np.uint8).reshape(-1, 2), axis=1
).sum(axis=1, dtype=np.uint8)


@dataclass(frozen=True)
class Survey:
    """The result of a scan.

    regular: True if all of these hold:

        - the first line is not blank, so it is the header;
        - quotes balance and enclose whole cells, and no quote follows a byte order mark;
        - the file has one kind of line end, and all its bytes are UTF-8 text;
        - the number of fields in the file is the number of columns times the number of lines that
          are not blank. (This also holds if one record has a field too many and another a field
          too few. Every engine reports such records.)
    records: number of records after the header; valid only if the file is regular.
    blank_lines: number of blank lines. In a file of one column, a blank line is a record.
    not_text: position of the first byte that is NUL or not UTF-8 text, from 0; None if there is
        none.
    """

    regular: bool
    records: int
    blank_lines: int
    not_text: int | None


class CsvScan:
    """Scan a UTF-8 file given in pieces: `feed` each piece, then call `finish`.

    Pieces may have any size. But if the file has a byte order mark, the first piece must contain
    the whole mark and the byte after it.
    """

    def __init__(self, delimiter: str, columns: int) -> None:
        self._columns = columns
        self._delimiter = ord(delimiter)
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        self._fed = 0
        self._not_text: int | None = None
        self._regular = True
        self._inside = False  # whether the next byte is inside quotes
        self._last = LF  # the previous byte; the start of the file counts as a line start
        self._after_quote = False  # whether the last byte closed a quoted cell
        self._lf = self._cr = self._crlf = self._blank = self._delimiters = 0

    def feed(self, piece: bytes) -> None:
        """Scan the next piece."""
        if self._not_text is not None or not piece:
            return
        self._check_is_text(piece)
        if self._fed == 0:
            # Some engines read a byte order mark and a quoted name as one unquoted cell.
            self._regular &= not piece.startswith(BOM + b'"')
            body = piece.removeprefix(BOM)
            self._regular &= body[:1] not in {b"\n", b"\r"}
        else:
            body = piece
        self._fed += len(piece)
        for start in range(0, len(body), BLOCK):
            self._count(body[start : start + BLOCK])

    def finish(self) -> Survey:
        """Return the result for all pieces together."""
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
        these = np.frombuffer(body, np.uint8)
        lf, delimiter = _where(these, LF), _where(these, self._delimiter)
        returns = self._last == CR or CR in body
        cr = _where(these, CR) if returns else None
        outside_before = not self._inside
        if self._inside or self._after_quote or QUOTE in body:
            edges = lf | delimiter if cr is None else lf | delimiter | cr
            outside = self._outside(_where(these, QUOTE), edges, len(body))
            lf, delimiter = lf & outside, delimiter & outside
            cr = None if cr is None else cr & outside
        end, begins = lf, lf
        if cr is not None:
            pairs = lf & _byte_before(cr, self._last == CR and outside_before)
            end, begins = lf | cr, (lf & ~pairs) | cr
            self._cr += _ones(cr)
            self._crlf += _ones(pairs)
        after_end = _byte_before(end, self._last in {LF, CR} and outside_before)
        self._lf += _ones(lf)
        blank = begins & after_end
        self._blank += _ones(blank) if blank.any() else 0
        self._delimiters += _ones(delimiter)
        self._last = body[-1]

    def _outside(self, quotes: Bits, edges: Bits, length: int) -> Bits:
        """Mark the bytes outside quotes. The file is irregular if quotes enclose a part of a cell.

        quotes: the quotes among the bytes. edges: the delimiters and line ends among the bytes.
        length: number of bytes.
        """
        edges = edges | quotes
        inside = _odd_so_far(quotes)
        if self._inside:
            inside = ~inside
        opening, closing = quotes & inside, quotes & ~inside
        after_edge = _byte_before(edges, self._last in {QUOTE, self._delimiter, LF, CR})
        after_closing = _byte_before(closing, self._after_quote)
        wrong = opening & ~after_edge | after_closing & ~edges
        last, bit = divmod(length - 1, 64)
        wrong[last] &= ALL >> np.uint64(63 - bit)  # bits after the last byte are no data
        self._regular &= not wrong.any()
        self._after_quote = bool(closing[last] >> np.uint64(bit) & np.uint64(1))
        self._inside = bool(inside[last] >> np.uint64(bit) & np.uint64(1))
        return ~inside


def _where(these: npt.NDArray[np.uint8], byte: int) -> Bits:
    packed = np.packbits(these == byte, bitorder="little")
    words = np.zeros((len(packed) + 7) // 8, "<u8")
    words.view(np.uint8)[: len(packed)] = packed
    return words


def _byte_before(bits: Bits, first: bool) -> Bits:
    """Mark each byte that follows a marked byte.

    first: whether the byte before the first byte is marked.
    """
    moved = bits << np.uint64(1)
    moved[1:] |= bits[:-1] >> np.uint64(63)
    moved[0] |= np.uint64(first)
    return moved


def _ones(bits: Bits) -> int:
    return int(ONES_IN.take(bits.view(np.uint16)).sum(dtype=np.int64))


def _odd_so_far(marks: Bits) -> Bits:
    """Mark each byte with an odd number of marks up to and including this byte."""
    odd, moved = marks.copy(), np.empty_like(marks)
    for step in (1, 2, 4, 8, 16, 32):
        odd ^= np.left_shift(odd, np.uint64(step), out=moved)
    before = np.bitwise_xor.accumulate(odd >> np.uint64(63))[:-1]
    odd[1:] ^= before * ALL
    return odd
