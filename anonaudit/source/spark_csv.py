"""Read CSV files with a Spark session, every cell as text. This module does not import PySpark.

If every line of every file is one complete record, Spark's CSV reader reads the files. It may split
a file among several workers. Otherwise, for example if a cell has a line break, Python's CSV reader
reads each file as a whole, in a Spark worker.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from anonaudit.errors import InputError
from anonaudit.source.csv_file import DELIMITERS, LONGEST_CELL, CsvFile, told_delimiter
from anonaudit.source.encodings import is_single_byte
from anonaudit.source.frames import Remarks
from anonaudit.source.unpacking import Scratch

MOST_SPARK_COLUMNS: Final = 20_480  # Spark's default limit


class CsvTable(NamedTuple):
    """Column names in order, a DataFrame with the cells, remarks, and the number of records."""

    columns: tuple[str, ...]
    frame: Any
    remarks: Remarks
    rows: int


def csv_table(
    session: Any, path: str, first: bytes, delimiter: str | None, encoding: str | None
) -> CsvTable:
    """Read one or more CSV files that have the same header line.

    path: a path or pattern that Spark accepts. first: the first line of the files that is not
    empty, which is the header. delimiter, encoding: detected if None.

    Raises InputError if the header is not valid or if another file has a different header. A faulty
    record raises an error of Spark whose text contains anonaudit<<message>>.
    """
    lines = session.read.text(path)
    if len(lines.columns) > 1:
        raise InputError(
            f"{path}: holds CSV files in folders column=value; only Parquet files can be read from "
            "such folders"
        )
    if told_delimiter(first.decode("utf-8", "replace").removeprefix("\ufeff") + "\n")[0]:
        raise InputError(
            f"{path}: the first line declares the delimiter (sep=); remove this line, or read the "
            "file with DuckDB"
        )
    scratch = Scratch()
    head = scratch.new("header")
    head.write_bytes(first)
    file = CsvFile(head, path, delimiter, encoding, scratch.new)
    header = file.path.read_text("utf-8-sig")
    # The header alone may allow several delimiters. Then all lines together decide.
    choice = [file.delimiter] if delimiter or file.delimiter == "\t" else DELIMITERS
    widths = {d: len(next(csv.reader([header], delimiter=d))) for d in choice}
    widths = {d: n for d, n in widths.items() if n > 1} or {file.delimiter: 1}
    regular: list[str] = []
    if file.path == head:  # no UTF-8 copy was made, so the file is UTF-8
        survey = _survey(session, lines, widths)
        if survey["headers"] > 1:
            raise InputError(f"{path}: holds files with different header lines; name one of them")
        regular = [d for d in widths if not survey[d] and (widths[d] > 1 or not survey["blank"])]
    if regular:
        best = max(regular, key=lambda d: widths[d])
        file = CsvFile(head, path, best, encoding, scratch.new)
        reader = session.read.schema(", ".join(f"c{i} STRING" for i in range(widths[best])))
        reader = reader.options(header=True, sep=best, quote='"', escape='"', mode="FAILFAST")
        reader = reader.options(
            columnPruning=False, maxColumns=max(widths[best], MOST_SPARK_COLUMNS)
        )
        frame, blank = reader.csv(path), survey["blank"]
        rows = survey["lines"] - blank - survey["files"]
    else:
        files = session.read.format("binaryFile").load(path).select("content")
        names = next(csv.reader([header], delimiter=file.delimiter))
        parsed = _by_python(files, names, file.delimiter, encoding or "utf-8-sig")
        sums = "count(*) - count(blank) AS records", "sum(blank) AS blank"
        rows, blank = parsed.selectExpr(*sums).head()
        frame = parsed.where("blank IS NULL").drop("blank")
    remarks = Remarks()
    if file.unnamed:
        message = f"{file.unnamed} column(s) have no name; named by position"
        remarks.warnings.append(("unnamed-column", message))
    if blank and len(file.columns) > 1:
        message = f"{blank} blank line(s) were skipped"
        remarks.warnings.append(("blank-lines", message))
    return CsvTable(file.columns, frame, remarks, rows)


def _survey(session: Any, lines: Any, widths: Mapping[str, int]) -> dict[str, int]:
    """Count the files, their different headers, their lines, and their blank and irregular lines.

    lines: the DataFrame of the lines of all files. widths: candidate delimiter -> number of columns
    in the header.

    Returns a dict with the keys `files`, `headers`, `lines`, `blank`, and each delimiter. The value
    for a delimiter is the number of lines that are not one complete record of that many cells.
    """
    texts = {"blanks": r"\A[\x00-\x20]+\z", "nul": "\0"}
    counts = {"lines": "count(*)", "blank": "count_if(value = '')"}
    # Lines that are not text, or that Spark would skip because they have only blanks.
    odd = "NOT is_valid_utf8(value) OR contains(value, :nul) OR rlike(value, :blanks)"
    for i, (delimiter, width) in enumerate(widths.items()):
        mark = rf"\x{{{ord(delimiter):x}}}"
        # The quantifiers are possessive (*+), because others use Java's stack for each quote.
        cell = rf'(?:"[^"]*+(?:""[^"]*+)*+"|[^"{mark}]*+)'
        texts[f"d{i}"] = rf"\A{cell}(?:{mark}{cell}){{{width - 1}}}+\z"
        counts[delimiter] = f"count_if(value != '' AND ({odd} OR NOT rlike(value, :d{i})))"
    place = "_metadata.file_block_start, monotonically_increasing_id()"
    placed = lines.selectExpr("value", "_metadata.file_path AS file", f"struct({place}) AS place")
    aggregates = ", ".join(f"{count} AS n{i}" for i, count in enumerate(counts.values()))
    totals = ", ".join(f"sum(n{i})" for i in range(len(counts)))
    query = (
        f"SELECT count(header), count(DISTINCT header), {totals} FROM (SELECT file, {aggregates}, "
        "min_by(value, place) FILTER (WHERE value != '') AS header FROM {placed} GROUP BY file)"
    )
    survey = session.sql(query, args=texts, placed=placed).head()
    return dict(zip(["files", "headers", *counts], survey, strict=True))


def _by_python(  # noqa: PLR0915 (all code that the workers run must be inside)
    files: Any, header: list[str], delimiter: str, encoding: str
) -> Any:
    """Return a DataFrame with the records of the files, read by Python's CSV reader.

    Its columns are c0, c1, ... and `blank`. In a record, `blank` is NULL. Each file has one more
    row, without cells, whose `blank` is the number of blank lines of the file.

    Spark sends the inner functions to its workers. This package need not be installed there, so the
    inner functions must not use anything of it. A faulty record raises ValueError in a worker.

    files: a DataFrame with the column `content`, the bytes of one file per row. header: the column
    names, the same in all files.
    """
    width, longest, single = len(header), LONGEST_CELL, is_single_byte(encoding)

    def wrong(what: str) -> ValueError:
        return ValueError(f"anonaudit<<{what}>>")

    def text_of(content: bytes) -> str:
        import bz2
        import gzip

        # Magic numbers are compared in full, as in unpacking.py.
        data = content
        if content.startswith(b"\x1f\x8b"):
            data = gzip.decompress(content)
        elif content.startswith(b"BZh") and content[4:10] in {b"1AY&SY", b"\x17rE8P\x90"}:
            data = bz2.decompress(content)
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            shown = encoding.upper().removesuffix("-SIG")
            raise wrong(
                f"line {line} of a file is not {shown} text; name the encoding of the files"
            ) from None
        if single and not data.isascii():
            try:
                data.decode("utf-8")
            except UnicodeDecodeError:
                pass
            else:
                raise wrong(
                    f"a file is UTF-8 text, but its encoding is given as {encoding}; leave the "
                    "encoding out"
                )
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            raise wrong(f"line {line} of a file holds a NUL byte; expected CSV or Parquet")
        return text

    def records(text: str) -> Iterator[list[str] | None]:
        """Yield each record, and None for each blank line."""
        import csv
        import io

        csv.field_size_limit(longest)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        line, headed = 1, False
        try:
            for record in reader:
                if not record and (width > 1 or not headed):
                    yield None
                elif not headed:
                    headed = True
                    if record != header:
                        raise wrong(
                            "a file has another header, or a header of several lines; name one file"
                        )
                elif len(record or [""]) == width:
                    yield record or [""]
                else:
                    raise wrong(
                        f"line {line} of a file has {len(record)} field(s), expected {width} as in "
                        f"the header (delimiter {delimiter!r}); correct the line, or name another "
                        "delimiter"
                    )
                line = reader.line_num + 1
        except csv.Error:
            raise wrong(
                f"the quotes do not balance in the record that starts at line {line} of a file; "
                "close each quoted cell"
            ) from None

    def batches_of(batches: Iterator[Any]) -> Iterator[Any]:
        from itertools import islice

        import pyarrow as pa  # type: ignore[import-untyped]

        def batch(rows: list[list[str | None]], blank: int | None) -> Any:
            cells = [pa.array(cells, pa.string()) for cells in zip(*rows, strict=True)]
            names = [*(f"c{i}" for i in range(width)), "blank"]
            return pa.record_batch([*cells, pa.array([blank] * len(rows), pa.int64())], names)

        for one in batches:
            for content in one.column("content"):
                parsed, blank = records(text_of(content.as_py())), 0
                while part := list(islice(parsed, 10_000)):
                    rows: list[list[str | None]] = [[*row] for row in part if row is not None]
                    blank += len(part) - len(rows)
                    if rows:
                        yield batch(rows, None)
                yield batch([[None] * width], blank)

    names = [*(f"c{i} STRING" for i in range(width)), "blank LONG"]
    return files.mapInArrow(batches_of, ", ".join(names))
