"""A CSV file as text: its encoding, delimiter, header, and what is wrong with its lines.

DuckDB reads the records; this module looks at the first ones, and reads all of them only
where DuckDB refused: to name the line that is wrong, or to write a clean copy.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from anonaudit.errors import InputError, listed

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_BYTES = 1 << 20
SAMPLE_RECORDS = 50
CHUNK = 1 << 20


class CsvFile:
    """One text file of records. Opening looks at its first records only."""

    def __init__(
        self,
        path: Path,
        name: str,
        delimiter: str | None,
        encoding: str | None,
        scratch: Callable[[str], Path],
    ) -> None:
        self.name = name
        self.scratch = scratch
        head = head_of(path)
        if not head:
            raise InputError(f"{name}: is empty; expected a header line with the column names")
        self.encoding = self._encoding(head, encoding)
        self.path = (
            path if self.encoding in {"utf-8", "utf-8-sig", "ascii"} else self._as_utf8(path)
        )
        sample = self._sample()
        tab = name.lower().split(".")[1:2] in (["tsv"], ["tab"])
        self.delimiter = delimiter or ("\t" if tab else self._sniff(sample))
        self.columns = self._header(sample)

    def _encoding(self, head: bytes, asked: str | None) -> str:
        if asked is not None:
            try:
                return codecs.lookup(asked).name
            except LookupError:
                raise InputError(f"{self.name}: there is no encoding {asked!r}") from None
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        if b"\x00" in head:
            raise InputError(
                f"{self.name}: holds NUL bytes, so it is not a text file; expected CSV or "
                "Parquet (for UTF-16 text, name the encoding)"
            )
        return "utf-8"

    def _as_utf8(self, path: Path) -> Path:
        target = self.scratch("utf8.csv")
        try:
            with (
                path.open(encoding=self.encoding, newline="") as text,
                target.open("w", encoding="utf-8", newline="") as copy,
            ):
                shutil.copyfileobj(text, copy, CHUNK)
        except (UnicodeError, LookupError):
            raise InputError(f"{self.name}: is not text in the encoding {self.encoding}") from None
        return target

    def _sample(self) -> str:
        head = head_of(self.path)
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        try:
            text = decoder.decode(head, final=len(head) < SAMPLE_BYTES)
        except UnicodeDecodeError as error:
            raise self._not_utf8(head[: error.start].count(b"\n") + 1) from None
        if not text.strip():
            raise InputError(f"{self.name}: holds blanks only; expected a header line")
        return text

    def _not_utf8(self, line: int) -> InputError:
        return InputError(
            f"{self.name}: line {line} is not UTF-8 text; name the encoding of the file, "
            "for example latin-1, cp1252 or utf-16"
        )

    def _first_records(self, sample: str, delimiter: str) -> list[list[str]]:
        """Up to SAMPLE_RECORDS records; the last is dropped where the sample may cut it."""
        whole = len(sample.encode()) < SAMPLE_BYTES
        records: list[list[str]] = []
        with _unlimited_fields(), contextlib.suppress(csv.Error):
            for record in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
                if record:
                    records.append(record)
                if len(records) > SAMPLE_RECORDS:
                    break
        return records if whole or len(records) < 2 else records[:-1]

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

    def _header(self, sample: str) -> tuple[str, ...]:
        records = self._first_records(sample, self.delimiter)
        if not records:
            raise InputError(f"{self.name}: line 1 is not a header line of column names")
        names = [name.strip() for name in records[0]]
        names = [name or f"(column {i})" for i, name in enumerate(names, 1)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InputError(
                f"{self.name}: duplicate column name {listed(twice)}; a column must have a "
                "name of its own, or the audit may look at the wrong one"
            )
        return tuple(names)

    def blank_lines(self) -> int:
        """Blank lines between records. Looked for in detail only where one seems to be."""
        if len(self.columns) == 1:
            return 0  # then an empty line is a record whose only cell is missing
        with self.path.open("rb") as file:
            tail, seen = b"", False
            while chunk := file.read(CHUNK):
                text = (tail + chunk).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
                seen = seen or b"\n\n" in text
                tail = chunk[-2:]
        if not seen:
            return 0
        with contextlib.suppress(InputError):
            return sum(not record for record in self._records())
        return 0

    def _records(self) -> Iterator[list[str]]:
        """Every record, by Python's reader; raises InputError at the first that is wrong."""
        with self.path.open(encoding="utf-8-sig", newline="") as file, _unlimited_fields():
            reader = csv.reader(file, delimiter=self.delimiter, strict=True)
            line = 1
            try:
                for record in reader:
                    if record and len(record) != len(self.columns):
                        raise InputError(
                            f"{self.name}: line {line} has {len(record)} fields, expected "
                            f"{len(self.columns)} as in the header (delimiter "
                            f"{self.delimiter!r}); mend the line or name another delimiter"
                        )
                    yield record
                    line = reader.line_num + 1
            except csv.Error:
                raise InputError(
                    f"{self.name}: the quotes do not balance in the record that starts at "
                    f'line {line}; a quote inside a quoted cell is written twice ("")'
                ) from None
            except UnicodeDecodeError:
                raise self._not_utf8(self._bad_line()) from None

    def _bad_line(self) -> int:
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError:
                    return number
        return 1

    def clean_copy(self) -> Path:
        """The records again, with one kind of line end, for files only Python can read."""
        target = self.scratch("clean.csv")
        with target.open("w", encoding="utf-8", newline="") as copy:
            writer = csv.writer(copy, delimiter=self.delimiter, quoting=csv.QUOTE_ALL)
            for record in self._records():
                if record or len(self.columns) == 1:
                    writer.writerow(record or [""])
        return target


def head_of(path: Path) -> bytes:
    """The first bytes of a file: enough to tell its kind and its columns."""
    with path.open("rb") as file:
        return file.read(SAMPLE_BYTES)


@contextlib.contextmanager
def _unlimited_fields() -> Iterator[None]:
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)
