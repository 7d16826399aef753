"""A CSV file as text: its encoding, delimiter, header, and what is wrong with its records.

DuckDB reads the records; this module looks at the first ones, and reads all of them only
where the file is not regular: to name the line that is wrong, or to write a clean copy.
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
COMPRESSED: Final = ("gz", "bz2", "xz", "zip")  # endings that say nothing of what is inside
LONGEST_CELL: Final = 1 << 28  # characters; more are the rest of a file behind a lone quote


# The first line that Excel reads and writes: which delimiter the file has.
_TOLD: Final = re.compile(r'("?)sep=([^\w"\r\n])\2*\1\2*(?:\r\n?|\n)', re.IGNORECASE)


def told_delimiter(text: str) -> tuple[str | None, int]:
    r"""The delimiter that a first line `sep=;` tells, and how many characters this line has.

    >>> told_delimiter("sep=;\nage;sex"), told_delimiter("age;sex")
    ((';', 6), (None, 0))
    """
    match = _TOLD.match(text)
    return (None, 0) if match is None else (match[2], match.end())


@dataclass(frozen=True)
class CleanCopy:
    """The same records again: quoted, with commas, and all line ends alike.

    longest: bytes in the longest record.
    """

    path: Path
    records: int
    blank_lines: int
    longest: int


def delimiter_by_name(name: str) -> str | None:
    """What the ending of a file's name says, be the file compressed or not; None if nothing."""
    parts = name.lower().split(".")[1:]
    ending = [part for part in parts if part not in COMPRESSED][-1:]
    return "\t" if ending in (["tsv"], ["tab"]) else None


class CsvFile:
    """One text file of records. Opening looks at its first records only.

    path: of the file, or of a copy in UTF-8. unnamed: how many columns have no name. has_sep_line:
    whether its first line is `sep=;`, which is no record.
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
            raise InputError(f"{name}: holds no header line behind its first line; expected one")
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
                f"{self.name}: holds blanks only; expected a header line with the column names"
            )
        return text

    def not_text(self, at: int) -> InputError:
        """What to say of a byte that is no text: the line it stands in."""
        lines = LineCount()
        with self.path.open("rb") as file:
            for start in range(0, at, CHUNK):
                lines.add(file.read(min(CHUNK, at - start)).decode("latin-1"))
            byte = file.read(1)
        if byte == b"\x00":
            return InputError(
                f"{self.name}: line {lines.line} holds a NUL byte, so this is no text; expected "
                "CSV or Parquet (for UTF-16 text, name the encoding)"
            )
        return InputError(
            f"{self.name}: line {lines.line} is not UTF-8 text; name the encoding of the file, "
            "for example latin-1, cp1252 or utf-16"
        )

    def _first_records(self, sample: str, delimiter: str) -> list[list[str]]:
        """Up to SAMPLE_RECORDS records; the last of several is dropped where it may be cut."""
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
        """The delimiter under which all first records have the same number of fields, the most.

        Where none does, the one that splits the header most: a wrong line is then reported.
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
        # The header is longer than the sample, or its quotes do not balance.
        header: list[str] = next((record for _, record in self._read() if record), [])
        return header

    def _names(self, header: list[str]) -> tuple[tuple[str, ...], int]:
        """The column names, without the blanks around them unless these tell names apart."""
        names = [name.strip() for name in header]
        if len({*names}) < len({*header}):
            names = header
        unnamed = sum(not name.strip() for name in names)
        names = [name if name.strip() else f"(column {i})" for i, name in enumerate(names, 1)]
        refuse_duplicates(names, self.name)
        return tuple(names), unnamed

    def _read(self) -> Iterator[tuple[int, list[str]]]:
        """Every record and the line it starts at; InputError where the quotes are wrong."""
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
                    f"{self.name}: {wrong} in the record that starts at line {line}; expected "
                    'a quoted cell to end in a quote, and one inside it to be written twice ("")'
                ) from None

    def clean_copy(self) -> CleanCopy:
        """The records again, for files that only Python's reader is sure to understand.

        Raises InputError at the first record that is wrong, with the line it starts at.
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
                # Nobody needs the names again, and some of them lead engines astray.
                size = writer.writerow(cells if rows >= 0 else ["name"] * len(cells))
                rows, written, longest = rows + 1, written + size, max(longest, size)
        # A character has up to four bytes.
        size_of_longest = longest if target.stat().st_size == written else 4 * longest
        return CleanCopy(target, rows, blank, size_of_longest)

    def _uneven(self, line: int, fields: int) -> InputError:
        return InputError(
            f"{self.name}: line {line} has {fields} field{'s' * (fields != 1)}, expected "
            f"{len(self.columns)} as in the header (delimiter {self.delimiter!r}); mend the line, "
            "or name another delimiter"
        )


@contextlib.contextmanager
def _long_cells() -> Iterator[None]:
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)
