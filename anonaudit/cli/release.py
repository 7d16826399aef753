"""How a command writes a release: drafted beside its place, without formulas, in one step."""

from __future__ import annotations

import csv
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from anonaudit.cli.output import writing
from anonaudit.errors import InputError
from anonaudit.report.spreadsheet import is_formula
from anonaudit.source.csv_file import delimiter_by_name

if TYPE_CHECKING:
    import pandas as pd

ENDINGS: Final = (".csv", ".tsv", ".tab", ".txt")  # of the names of releases


@contextmanager
def drafts(output: Path) -> Iterator[Path]:
    """A folder beside the place of a release, where it is written first; gone in the end.

    Raises InputError for a name that says another form than text with a mark between the cells.
    """
    place = output.resolve()  # a link is followed, as for reports
    if place.suffix.lower() not in ENDINGS:
        raise InputError(
            f"{output}: a release is written as CSV or TSV, not compressed; name a .csv, .tsv or "
            ".txt file"
        )
    with writing(output):
        folder = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name[:100]}."))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def delimiter_of(name: str) -> str:
    """The mark between the cells of a release by the name of its file."""
    return delimiter_by_name(name) or ","


def write_csv(frame: pd.DataFrame, file: Path, texts: Mapping[str, Iterable[str]]) -> None:
    """Write a release; the ending of the file's name says how. texts: its `texts_of`."""
    # A bare carriage return is read as the end of a line, and yet would not be quoted.
    bare = any("\r" in text for name, cells in texts.items() for text in (name, *cells))
    frame.to_csv(
        file,
        index=False,
        lineterminator="\n",
        sep=delimiter_of(file.name),
        quoting=csv.QUOTE_ALL if bare else csv.QUOTE_MINIMAL,
    )


def refuse_formulas(columns: Mapping[str, Iterable[str]]) -> None:
    """Raise InputError where the name of a column, or a text in it, is a formula."""
    for column, texts in columns.items():
        if formulas := sum(map(is_formula, (column, *texts))):
            raise InputError(
                f"column {column!r}: a spreadsheet would run {formulas} of its values, or its "
                "name, as formulas, for =, +, - or @ begins them or follows a delimiter in them; "
                "change them in the original, or write them as they are by --allow-formulas"
            )


def texts_of(frame: pd.DataFrame) -> dict[str, set[str]]:
    """The different texts of each column."""
    return {str(column): {*frame[column].dropna().unique()} for column in frame.columns}
