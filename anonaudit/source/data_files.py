"""Open files as tables: CSV, Parquet, and files of Excel, SPSS, Stata and SAS.

A CSV file is never loaded whole. While DuckDB reads it, a second thread hashes it and counts its
records. If the file is irregular (see `Survey` in csv_scan.py), or if DuckDB counts other records,
Python's CSV reader names the faulty line or writes a clean copy.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from anonaudit.errors import InputError
from anonaudit.source import duck
from anonaudit.source.background import Background
from anonaudit.source.csv_file import DELIMITERS, CleanCopy, CsvFile
from anonaudit.source.csv_scan import CsvScan, Survey
from anonaudit.source.excel import is_workbook, read_workbook
from anonaudit.source.frames import (
    Remarks,
    from_duckdb,
    refuse_duplicates,
    refuse_options,
    refuse_too_many,
)
from anonaudit.source.parquet_folders import parquet_files
from anonaudit.source.statistical import program_of, read_statistical
from anonaudit.source.unpacking import (
    CHUNK,
    Scratch,
    digest_of,
    head_of,
    local_file,
    reason,
    unpacked,
)

_SPELLED_OUT: Final = {"\\t": "\t", "tab": "\t"}


class OpenFile:
    """A table in a file: its column names in order, and a lazy DuckDB relation with its cells.

    relation: has the columns c0, c1, ... and the row numbers.
    remarks: remarks on the columns; complete after the file has been counted once.
    """

    relation: Any

    def __init__(self, name: str, columns: tuple[str, ...], scratch: Scratch) -> None:
        self.name = name
        self.columns = columns
        self.remarks = Remarks()
        self._scratch = scratch  # kept so that its folder lives as long as this object
        self._refused: str | None = None

    @property
    def sha256(self) -> str:
        """The SHA-256 of the file that the user named, in hexadecimal digits.

        For a `.gz` file, it is the hash of the compressed bytes. For several Parquet files, see
        `_digest_of_all`.
        """
        raise NotImplementedError

    def fetch(self, relation: Any) -> dict[str, Any]:
        """Fetch the columns of a relation as arrays (see `duck.encoded`).

        relation: a relation derived from the relation of this file.
        """
        return duck.encoded(relation)

    def reread(self, rows: int | None, error: Exception | None) -> Any:
        """Check whether DuckDB has just read the whole file correctly.

        rows: number of rows that DuckDB counted; None if it did not count all rows.
        error: the error that DuckDB raised; None if it raised none.

        Returns None if nothing was wrong. Otherwise returns another relation with the same columns,
        such as that of a clean copy, which the caller must read instead.

        Raises InputError, if possible with the line, if the file cannot be read.
        """
        if self._refused is not None:
            raise InputError(self._refused)
        try:
            with _refusing(self.name):
                return self._reread(rows, error)
        except InputError as refused:
            # A caller may keep the error, which keeps this object alive. So delete the copies now.
            self._refused = str(refused)
            self._scratch.remove()
            raise

    def _reread(self, rows: int | None, error: Exception | None) -> Any:
        raise NotImplementedError


def open_file(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    labels: bool | None = None,
    shared: bool = False,
) -> OpenFile:
    """Open a CSV, TSV or Parquet file, plain or compressed (gzip, bzip2, xz, zip); `-` is stdin.

    Excel workbooks and files of SPSS, Stata or SAS need an optional extra of this package. A
    folder of Parquet files, partitioned or not, is one table; so is a pattern (`part-*.parquet`).

    delimiter: one character; detected from the first records if None.
    encoding: any encoding that Python knows. If None: the encoding of the byte order mark, else
        UTF-8.
    labels: for files of SPSS, Stata or SAS: True reads the label of a value (`female`), False or
        None its code (`2`). It must not be True for any other file.
    shared: True if delimiter and encoding are given for several files, of which some may be no CSV
        files. Otherwise they must be None for a file that is no CSV file.

    Raises InputError if the file cannot be read.
    """
    delimiter = checked_delimiter(delimiter)
    of_csv = {} if shared else {"delimiter": delimiter, "encoding": encoding}
    name = "standard input" if os.fspath(path) == "-" else str(path) or "''"
    scratch = Scratch()
    try:
        with _refusing(name):
            if (several := parquet_files(path, name)) is not None:
                refuse_options(name, labels=labels, **of_csv)
                return _OpenParquet(
                    lambda: duck.parquet_folder(*several, name, scratch),
                    lambda: _digest_of_all(*several),
                    name,
                    scratch,
                )
            named = local_file(path, name, scratch)
            plain = named if is_workbook(named) else unpacked(named, name, scratch)
            if (read := _foreign(plain, name, labels, of_csv)) is not None:
                columns, remarks = read
                opened = _OpenParquet(
                    lambda: duck.text_table(columns, scratch),
                    lambda: digest_of(named),
                    name,
                    scratch,
                )
                opened.remarks.warnings += remarks.warnings
                opened.remarks.unusable |= remarks.unusable
                return opened
            refuse_options(name, labels=labels)
            if head_of(plain, 4) == b"PAR1":
                refuse_options(name, **of_csv)
                return _OpenParquet(
                    lambda: duck.parquet_table(plain, scratch),
                    lambda: digest_of(named),
                    name,
                    scratch,
                )
            csv_file = CsvFile(plain, name, delimiter, encoding, scratch.new)
            return _OpenCsv(named, csv_file, scratch)
    except BaseException:
        # A caller may keep the error, whose traceback keeps `scratch` alive. So delete it now.
        scratch.remove()
        raise


def _foreign(
    path: Path, name: str, labels: bool | None, of_csv: Mapping[str, str | None]
) -> tuple[Mapping[str, Sequence[str | None]], Remarks] | None:
    """Read a file of Excel, SPSS, Stata or SAS. Returns None for any other file.

    of_csv: the options that must be None, because only CSV files have them.
    """
    remarks = Remarks()
    if is_workbook(path):
        refuse_options(name, labels=labels, **of_csv)
        return read_workbook(path, name, remarks), remarks
    if (program := program_of(head_of(path, 32), name)) is None:
        return None
    refuse_options(name, **of_csv)
    return read_statistical(path, name, program, remarks, labels=bool(labels)), remarks


def checked_delimiter(given: str | None) -> str | None:
    r"""Return the delimiter as one character; `tab` and `\t` mean a tab. None stays None.

    Raises InputError unless it is one character that can be a delimiter.
    """
    delimiter = _SPELLED_OUT.get(given or "", given)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\x00'):
        raise InputError(
            "the delimiter must be one character other than a quote, a line end or NUL, "
            f"not {delimiter!r}"
        )
    return delimiter


class _OpenParquet(OpenFile):
    """A table in Parquet files. An Excel, SPSS, Stata or SAS file is converted to Parquet first.

    opened: a function that returns the column names, the relation, and the unreadable columns with
        the reasons.
    digest: a function that returns the hash of the table (see `_digest_of_all` for several files).
    """

    def __init__(
        self,
        opened: Callable[[], tuple[tuple[str, ...], Any, dict[str, str]]],
        digest: Callable[[], str],
        name: str,
        scratch: Scratch,
    ) -> None:
        try:
            columns, relation, unusable = opened()
        except duck.Error as error:
            raise _damaged_parquet(name, error) from None
        refuse_duplicates(columns, name)
        super().__init__(name, columns, scratch)
        self.remarks.unusable.update(unusable)
        self._sha256 = Background(digest)
        self.relation = from_duckdb(relation, self.remarks, columns)

    @property
    def sha256(self) -> str:
        with _refusing(self.name):
            return self._sha256.result()

    def _reread(self, rows: int | None, error: Exception | None) -> Any:  # noqa: ARG002
        if error is not None:
            raise _damaged_parquet(self.name, error) from None
        return None


class _OpenCsv(OpenFile):
    def __init__(self, named: Path, file: CsvFile, scratch: Scratch) -> None:
        refuse_too_many(len(file.columns), file.name)
        super().__init__(file.name, file.columns, scratch)
        self._file = file
        self._survey = Background(lambda: _surveyed(named, file))
        self._checked = False
        self._clean: CleanCopy | None = None
        if file.unnamed:
            self.remarks.warnings.append(
                ("unnamed-column", f"{file.unnamed} column(s) have no name; named by position")
            )
        if file.delimiter in DELIMITERS and not file.has_sep_line:
            self.relation = duck.csv_records(
                file.path, scratch, columns=len(file.columns), delimiter=file.delimiter
            )
        else:
            self.relation = self._from_clean_copy()

    @property
    def sha256(self) -> str:
        with _refusing(self.name):
            return self._survey.result()[0]

    def _reread(self, rows: int | None, error: Exception | None) -> Any:
        if error is not None:
            return self._after(error)
        survey = self._survey.result()[1]
        if self._clean is None and not survey.regular:
            return self._from_clean_copy()
        if rows is None or self._checked:
            return None
        if self._clean is None and rows != survey.records:
            return self._from_clean_copy()
        if self._clean is not None and rows != self._clean.records:
            raise RuntimeError(f"{rows} records were read, expected {self._clean.records}")
        self._checked = True
        if self._clean is None:
            self._warn_of_blank_lines(survey.blank_lines)
        return None

    def _after(self, error: Exception) -> Any:
        duck.refuse_environment(self.name, error)
        if self._clean is None:
            return self._from_clean_copy()
        raise InputError(
            f"{self.name}: could not be read to its end, and DuckDB gives no reason; "
            "expected CSV as in RFC 4180: export the file again, or as Parquet"
        ) from None

    def _from_clean_copy(self) -> Any:
        at = self._survey.result()[1].not_text
        if at is not None:
            raise self._file.not_text(at)
        self._clean = self._file.clean_copy()
        self._warn_of_blank_lines(self._clean.blank_lines)
        return duck.csv_records(
            self._clean.path,
            self._scratch,
            columns=len(self.columns),
            delimiter=",",
            longest=max(self._clean.longest, duck.LONGEST_RECORD),
        )

    def _warn_of_blank_lines(self, blank: int) -> None:
        if blank and len(self.columns) > 1:  # in a file of one column, a blank line is a record
            self.remarks.warnings.append(("blank-lines", f"{blank} blank line(s) were skipped"))


def _surveyed(named: Path, file: CsvFile) -> tuple[str, Survey]:
    """Return the hash of the file that the user named, and the scan of its text.

    If the text is in a copy (unpacked, or in UTF-8), two files are read, otherwise one.
    """
    scan = CsvScan(file.delimiter if file.delimiter in DELIMITERS else ",", len(file.columns))
    digest = hashlib.sha256()
    with file.path.open("rb") as text:
        while piece := text.read(CHUNK):
            scan.feed(piece)
            if named == file.path:
                digest.update(piece)
    return digest.hexdigest() if named == file.path else digest_of(named), scan.finish()


def _digest_of_all(paths: Sequence[Path], root: Path) -> str:
    """Return the SHA-256 of one line `path NUL hash` per file, with the path relative to `root`."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(f"{path.relative_to(root).as_posix()}\0{digest_of(path)}\n".encode())
    return whole.hexdigest()


def _damaged_parquet(name: str, error: Exception) -> Exception:
    duck.refuse_environment(name, error)
    return InputError(
        f"{name}: the Parquet file is damaged or cut off; get the file again, or export the "
        "table as CSV"
    )


@contextmanager
def _refusing(name: str) -> Iterator[None]:
    """Turn an error of the operating system into an InputError that names the file."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{name}: cannot be read ({reason(error)}); check that it exists and that you have "
            "permission to read it"
        ) from None
