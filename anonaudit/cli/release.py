"""How a command writes a release: drafted beside its place, without formulas, in one step."""

from __future__ import annotations

import csv
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from anonaudit.cli.output import writing
from anonaudit.csv_file import delimiter_by_name
from anonaudit.errors import InputError
from anonaudit.formulas import is_formula

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def drafts(output: Path) -> Iterator[Path]:
    """A folder beside the place of a release, where it is written first; gone in the end.

    Raises InputError for a name that says another form than CSV.
    """
    place = output.resolve()  # a link is followed, as for reports
    if place.suffix.lower() == ".parquet":
        raise InputError(f"{output}: a release is written as CSV; name a .csv or .tsv file")
    with writing(output):
        folder = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name[:100]}."))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def delimiter_of(name: str) -> str:
    """The mark between the cells of a release by the name of its file."""
    return delimiter_by_name(name) or ","


def write_csv(frame: pd.DataFrame, file: Path) -> None:
    """Write a release; the ending of the file's name says how."""
    # A bare carriage return is read as the end of a line, and yet would not be quoted.
    bare = any("\r" in text for name, texts in texts_of(frame).items() for text in (name, *texts))
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
        if found := sum(map(is_formula, (column, *texts))):
            raise InputError(
                f"column {column!r}: a spreadsheet would run {found} of its values, or its name, "
                "as formulas, for they begin with =, +, - or @; change them in the original, or "
                "write them as they are by --allow-formulas"
            )


def texts_of(frame: pd.DataFrame) -> dict[str, set[str]]:
    """The different texts of each column."""
    return {str(column): {*frame[column].dropna().unique()} for column in frame.columns}
