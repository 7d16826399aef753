"""`anonaudit scan`: recognise the content of every column of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anonaudit.cli.options import (
    CountriesOption,
    DelimiterOption,
    EncodingOption,
    FormatOption,
    OutputOption,
    QuietOption,
)
from anonaudit.cli.output import TextOrJson
from anonaudit.errors import InputError


def scan_command(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Tables: CSV, TSV or Parquet, plain or compressed.",
            show_default=False,
        ),
    ],
    country: CountriesOption = None,
    candidates: Annotated[
        Path | None,
        typer.Option(
            help="Try to reverse unsalted hashes with the values in this text file, one per line.",
            show_default=False,
        ),
    ] = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    format_: FormatOption = TextOrJson.TEXT,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Say what every column of a file contains, and how many people it singles out.

    The scan recognises e-mail addresses, telephone, account, card and official numbers, network
    addresses, URLs, coordinates, hashes and UUIDs, dates, ICD-10 codes, postal codes, ages, free
    text, placeholders, constants, and keys. It guesses names of persons as an audit does. A column
    that is not recognised may still be a direct identifier. No cell is shown.

    Exit code 0: the files were read, whatever they contain. 2: bad input.

    For example:

    `anonaudit scan release.csv`

    `anonaudit scan release.csv --country de --candidates addresses.txt`
    """
    from anonaudit.cli.output import check_output, progress, write_report
    from anonaudit.scanning import scan, to_json, to_text
    from anonaudit.source.table import TableFile

    check_output(output, [*files, candidates])
    values: set[str] = set()
    if candidates is not None:
        try:
            values = {line.strip() for line in candidates.read_text("utf-8").splitlines()} - {""}
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "not UTF-8 text"
            raise InputError(f"{candidates}: cannot be read ({why})") from None
    with progress(quiet) as say:
        scans = []
        for file in files:
            say(f"scanning {file}")
            table = TableFile(file, delimiter=delimiter, encoding=encoding)
            scans.append(scan(table, countries=country or (), candidates=values))
    write_report(to_json(scans) if format_ is TextOrJson.JSON else to_text(scans), output)
