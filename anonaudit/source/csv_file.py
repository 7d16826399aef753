"""Find the encoding, the delimiter and the header of a CSV file, and its first faulty record.

DuckDB reads the records. This module reads the first records only. If the file is irregular (see
`Survey` in csv_scan.py), it reads all records, to name the first faulty line or to write a clean
copy.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from anonaudit.errors import InputError
from anonaudit.source.encodings import LineCount, text_encoding, write_as_utf8
from anonaudit.source.frames import refuse_duplicates
from anonaudit.source.unpacking import CHUNK, head_of

DELIMITERS: Final = (",", ";", "\t", "|")
SAMPLE_BYTES: Final = 1 << 20
SAMPLE_RECORDS: Final = 50
# Endings of compressed files. The ending before them names the format: `.tsv.gz`.
COMPRESSED: Final = ("gz", "bz2", "xz", "zip")
# In characters. A longer "cell" is the rest of the file after a quote that is never closed.
LONGEST_CELL: Final = 1 << 28


# Excel reads and writes a first line such as `sep=;`, which declares the delimiter.
_SEP_LINE: Final = re.compile(r'("?)sep=([^\w"\r\n])\2*\1\2*(?:\r\n?|\n)', re.IGNORECASE)


def told_delimiter(text: str) -> tuple[str | None, int]:
    r"""Return the delimiter that a first line `sep=;` declares, and the length of this line.

    The length is in characters and includes the line end. Returns (None, 0) without such a line.

    >>> told_delimiter("sep=;\nage;sex"), told_delimiter("age;sex")
    ((';', 6), (None, 0))
    """
    match = _SEP_LINE.match(text)
    return (None, 0) if match is None else (match[2], match.end())


@dataclass(frozen=True)
class CleanCopy:
    """A copy of the records: every cell quoted, commas as delimiters, one kind of line end.

    records: number of records without the header.
    blank_lines: number of blank lines that the copy leaves out.
    longest: upper bound for the size of the longest record, in bytes.
    """

    path: Path
    records: int
    blank_lines: int
    longest: int


def delimiter_by_name(name: str) -> str | None:
    """Return a tab if a file name ends with `.tsv`, `.tab`, `.tsv.gz` or the like; else None."""
    parts = name.lower().split(".")[1:]
    ending = [part for part in parts if part not in COMPRESSED][-1:]
    return "\t" if ending in (["tsv"], ["tab"]) else None


class CsvFile:
    """A CSV file. Opening it reads its first records only.

    path: path of the file, or of its copy in UTF-8.
    columns: the column names, in order.
    unnamed: number of columns without a name. They are called `(column 1)`, ... by position.
    delimiter: the delimiter that is given, else declared (`sep=;`), else implied by the name
        (`.tsv`), else found by `_sniff`.
    has_sep_line: True if the first line declares the delimiter (`sep=;`). This line is neither the
        header nor a record.

    The arguments `delimiter` and `encoding` may be None to detect them. `scratch` returns the path
    for a new temporary file of the given name.
    """

    def __init__(
        self,
        path: Path,
        name: str,
        delimiter: str | None,
        encoding: str | None,
        scratch: Callable[[str], Path],
    ) -> None:
        self.name = name
        self._scratch = scratch
        head = head_of(path, SAMPLE_BYTES)
        if not head:
            raise InputError(f"{name}: is empty; expected a header line with the column names")
        known = text_encoding(head, encoding, name)
        if known in {"utf-8", "utf-8-sig"}:
            self.path = path
        else:
            self.path = scratch("utf8.csv")
            write_as_utf8(path, known, self.path, name)
        sample = self._sample()
        declared, length = told_delimiter(sample)
        self.has_sep_line = declared is not None
        sample = sample[length:]
        if not sample.strip():
            raise InputError(f"{name}: has no header line after its first line; expected one")
        self.delimiter = delimiter or declared or delimiter_by_name(name) or self._sniff(sample)
        self.columns, self.unnamed = self._names(self._header(sample))

    def _sample(self) -> str:
        head = head_of(self.path, SAMPLE_BYTES)
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        try:
            text = decoder.decode(head, final=len(head) < SAMPLE_BYTES)
        except UnicodeDecodeError as error:
            raise self.not_text(error.start) from None
        if "\x00" in text:
            raise self.not_text(head.index(b"\x00"))
        if not text.strip():
            raise InputError(
                f"{self.name}: holds only blanks; expected a header line with the column names"
            )
        return text

    def not_text(self, at: int) -> InputError:
        """Return the error for the byte at position `at`, which is not text. It names the line."""
        lines = LineCount()
        with self.path.open("rb") as file:
            for start in range(0, at, CHUNK):
                lines.add(file.read(min(CHUNK, at - start)).decode("latin-1"))
            byte = file.read(1)
        if byte == b"\x00":
            return InputError(
                f"{self.name}: line {lines.line} holds a NUL byte, so the file is not text; "
                "expected CSV or Parquet (for UTF-16 text, name the encoding)"
            )
        return InputError(
            f"{self.name}: line {lines.line} is not UTF-8 text; name the encoding of the file, "
            "for example latin-1, cp1252 or utf-16"
        )

    def _first_records(self, sample: str, delimiter: str) -> list[list[str]]:
        """Return the header and up to SAMPLE_RECORDS records after it.

        If the sample is not the whole file, its last record may be cut off. So the last record is
        dropped, unless it is the header.
        """
        records: list[list[str]] = []
        with _long_cells(), contextlib.suppress(csv.Error):
            for record in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
                if record:
                    records.append(record)
                if len(records) > SAMPLE_RECORDS:
                    break
        return records if self._is_whole(sample) or len(records) < 2 else records[:-1]

    def _is_whole(self, sample: str) -> bool:
        return len(sample) < SAMPLE_BYTES and self.path.stat().st_size < SAMPLE_BYTES

    def _sniff(self, sample: str) -> str:
        """Choose the delimiter from the first records.

        First choice: the delimiters that give all these records the same number of fields, at least
        two. If there is none, all delimiters are considered, and the faulty line is reported later.
        In both cases, the delimiter that splits the header into the most fields wins. If no
        delimiter splits the header, the result is a comma.
        """
        best, best_score = ",", (False, 1)
        for candidate in DELIMITERS:
            records = self._first_records(sample, candidate)
            if not records or len(records[0]) == 1:
                continue
            even = all(len(record) == len(records[0]) for record in records)
            if (even, len(records[0])) > best_score:
                best, best_score = candidate, (even, len(records[0]))
        return best

    def _header(self, sample: str) -> list[str]:
        records = self._first_records(sample, self.delimiter)
        if len(records) > 1 or (records and self._is_whole(sample)):
            return records[0]
        # The header is longer than the sample, or a quote in it is never closed.
        header: list[str] = next((record for _, record in self._read() if record), [])
        return header

    def _names(self, header: list[str]) -> tuple[tuple[str, ...], int]:
        """Return the column names, and the number of columns without a name.

        Blanks around names are removed, unless two names differ only in these blanks.

        Raises InputError if two columns have the same name.
        """
        names = [name.strip() for name in header]
        if len({*names}) < len({*header}):
            names = header
        unnamed = sum(not name.strip() for name in names)
        names = [name if name.strip() else f"(column {i})" for i, name in enumerate(names, 1)]
        refuse_duplicates(names, self.name)
        return tuple(names), unnamed

    def _read(self) -> Iterator[tuple[int, list[str]]]:
        """Yield (line, record) for the header and each record. line: the line at which it starts.

        Raises InputError at the first record whose quotes do not balance or that has a too long
        cell.
        """
        line = 1
        with self.path.open(encoding="utf-8-sig", newline="") as file, _long_cells():
            reader = csv.reader(file, delimiter=self.delimiter, strict=True)
            try:
                for record in reader:
                    if line > 1 or not self.has_sep_line:
                        yield line, record
                    line = reader.line_num + 1
            except csv.Error as error:
                if "limit" in str(error):
                    wrong = f"a cell has more than {LONGEST_CELL} characters"
                else:
                    wrong = "the quotes do not balance"
                raise InputError(
                    f"{self.name}: {wrong} in the record that starts at line {line}; close each "
                    'quoted cell with a quote, and write a quote inside a cell twice ("")'
                ) from None

    def clean_copy(self) -> CleanCopy:
        """Write a regular copy of the file, for a file that DuckDB might misread.

        Raises InputError at the first faulty record and names the line at which it starts.
        """
        target = self._scratch("clean.csv")
        rows, blank, written, longest = -1, 0, 0, 0
        with target.open("w", encoding="utf-8", newline="") as copy:
            writer = csv.writer(copy, quoting=csv.QUOTE_ALL)
            for line, record in self._read():
                if not record and (len(self.columns) > 1 or rows < 0):
                    blank += 1
                    continue
                if record and len(record) != len(self.columns):
                    raise self._uneven(line, len(record))
                cells = record or [""]
                # The copy needs no column names (`self.columns` has them), and some names confuse
                # engines.
                size = writer.writerow(cells if rows >= 0 else ["name"] * len(cells))
                rows, written, longest = rows + 1, written + size, max(longest, size)
        # `written` and `longest` are in characters. A character beyond ASCII has up to four bytes.
        size_of_longest = longest if target.stat().st_size == written else 4 * longest
        return CleanCopy(target, rows, blank, size_of_longest)

    def _uneven(self, line: int, fields: int) -> InputError:
        return InputError(
            f"{self.name}: line {line} has {fields} field{'s' * (fields != 1)}, expected "
            f"{len(self.columns)} as in the header (delimiter {self.delimiter!r}); correct the "
            "line, or name another delimiter"
        )


@contextlib.contextmanager
def _long_cells() -> Iterator[None]:
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)
