"""CSV files read by Spark, every cell as text; no module but spark.py knows PySpark, not this one.

Where every record is a line, Spark splits the files and reads the lines. Where not, or where
anything is wrong, Python's own reader goes through each file, in a worker of Spark's.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from anonaudit.errors import InputError
from anonaudit.source.csv_file import DELIMITERS, LONGEST_CELL, CsvFile, told_delimiter
from anonaudit.source.frames import Remarks
from anonaudit.source.unpacking import Scratch

MOST_SPARK_COLUMNS: Final = 20_480  # Spark's own limit, unless it is told another one


class CsvTable(NamedTuple):
    """The column names in order, Spark's frame of the cells, and how many records there are."""

    columns: tuple[str, ...]
    frame: Any
    remarks: Remarks
    rows: int


def csv_table(
    session: Any, path: str, first: bytes, delimiter: str | None, encoding: str | None
) -> CsvTable:
    """CSV files with the same header line, which is the first of all lines.

    Raises InputError where the header is none, or not that of all files; Spark's own error, with
    anonaudit<<a message>> in it, where a record is wrong.
    """
    lines = session.read.text(path)
    if len(lines.columns) > 1:
        raise InputError(f"{path}: holds CSV files in partitions; expected Parquet there")
    if told_delimiter(first.decode("utf-8", "replace").removeprefix("\ufeff") + "\n")[0]:
        raise InputError(
            f"{path}: the first line says which delimiter the file has (sep=); take the line out, "
            "or read the file with DuckDB"
        )
    scratch = Scratch()
    head = scratch.new("header")
    head.write_bytes(first)
    file = CsvFile(head, path, delimiter, encoding, scratch.new)
    header = file.path.read_text("utf-8-sig")
    # Which one it is say all lines, where the header leaves it open.
    choice = [file.delimiter] if delimiter or file.delimiter == "\t" else DELIMITERS
    widths = {d: len(next(csv.reader([header], delimiter=d))) for d in choice}
    widths = {d: n for d, n in widths.items() if n > 1} or {file.delimiter: 1}
    regular: list[str] = []
    if file.path == head:  # which is UTF-8
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
        message = f"{file.unnamed} column(s) have no name; called by position"
        remarks.warnings.append(("unnamed-column", message))
    if blank and len(file.columns) > 1:
        message = f"{blank} blank line(s) hold no record and were passed over"
        remarks.warnings.append(("blank-lines", message))
    return CsvTable(file.columns, frame, remarks, rows)


def _survey(session: Any, lines: Any, widths: Mapping[str, int]) -> dict[str, int]:
    """Of the files: how many there are and with how many headers; their lines and blank lines.

    By delimiter, how many lines are no record of so many cells that begins and ends there.
    """
    texts = {"blanks": r"\A[\x00-\x20]+\z", "nul": "\0"}
    counts = {"lines": "count(*)", "blank": "count_if(value = '')"}
    # What is no text, and what Spark takes for a blank line.
    odd = "NOT is_valid_utf8(value) OR contains(value, :nul) OR rlike(value, :blanks)"
    for i, (delimiter, width) in enumerate(widths.items()):
        mark = rf"\x{{{ord(delimiter):x}}}"
        # Possessive, for others would need a frame of Java's stack for each quote.
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


def _by_python(  # noqa: PLR0915 (what workers run stands inside)
    files: Any, header: list[str], delimiter: str, encoding: str
) -> Any:
    """The records of whole files, and for each file a row with the number of its blank lines.

    What is wrong is raised in a worker of Spark's, which need not have this package: what it runs
    is taken along, and so is all that it refers to.
    """
    width, longest = len(header), LONGEST_CELL

    def wrong(what: str) -> ValueError:
        return ValueError(f"anonaudit<<{what}>>")

    def text_of(content: bytes) -> str:
        import bz2
        import gzip

        packed = {b"\x1f\x8b": gzip.decompress, b"BZ": bz2.decompress}
        data = packed.get(content[:2], bytes)(content)
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            shown = encoding.upper().removesuffix("-SIG")
            raise wrong(
                f"line {line} of a file is not {shown} text; name the encoding of the files"
            ) from None
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            raise wrong(f"line {line} of a file holds a NUL byte; expected text, or Parquet")
        return text

    def records(text: str) -> Iterator[list[str] | None]:
        """The records, and None for each blank line."""
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
                        raise wrong("a file has another header line, or one with line ends in it")
                elif len(record or [""]) == width:
                    yield record or [""]
                else:
                    raise wrong(
                        f"line {line} of a file has {len(record)} field(s), expected {width} as in "
                        f"the header (delimiter {delimiter!r}); mend it, or name another delimiter"
                    )
                line = reader.line_num + 1
        except csv.Error:
            raise wrong(
                f"the quotes do not balance in the record that starts at line {line} of a file"
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
