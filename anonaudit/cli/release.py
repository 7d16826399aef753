"""Write a release to a draft folder, and refuse cells that a spreadsheet would run as formulas.

The commands `mask` and `remedy` audit the draft. If the audit passes, they move the draft to its
place in one step.
"""

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

    from anonaudit.policy.policy import Policy
    from anonaudit.source.table import TableFile

ENDINGS: Final = (".csv", ".tsv", ".tab", ".txt")  # allowed for the file of a release


@contextmanager
def drafts(output: Path) -> Iterator[Path]:
    """Yield a temporary folder next to the output, for the drafts of the release and other files.

    Raises InputError if the ending of the output's name is not one of `ENDINGS`.
    """
    place = output.resolve()  # a link is followed, as for reports
    if place.suffix.lower() not in ENDINGS:
        advice = (
            "A release is written as CSV or TSV, not compressed"
            if place.suffix
            else f"Add the ending, for example {place.name}.csv"
        )
        raise InputError(f"{output}: the name does not end in .csv, .tsv, .tab or .txt. {advice}")
    with writing(output):
        folder = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name[:100]}."))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def delimiter_of(name: str) -> str:
    """Return the delimiter that the name of a release implies: a tab for TSV, else a comma."""
    return delimiter_by_name(name) or ","


def written_as(file: Path, policy: Policy) -> TableFile:
    """Return a file that `write_csv` has written, with the format to read it."""
    from anonaudit.source.table import TableFile

    delimiter, encoding = _format_of(file, policy)
    return TableFile(file, delimiter=delimiter, encoding=encoding)


def _format_of(file: Path, policy: Policy) -> tuple[str, str]:
    """Return the delimiter and the encoding that the policy declares for its release.

    The defaults are the delimiter that the name of the file implies, and UTF-8.
    """
    declared = policy.release
    return declared.delimiter or delimiter_of(file.name), declared.encoding or "utf-8"


def write_csv(
    frame: pd.DataFrame, file: Path, texts: Mapping[str, Iterable[str]], policy: Policy
) -> None:
    """Write a release as CSV, in the format that its policy declares.

    texts: the result of `texts_of(frame)`.

    Raises InputError for a text that cannot be written in the encoding.
    """
    # pandas does not quote a bare carriage return, which readers take for the end of a line. So if
    # there is one, quote every text.
    bare = any("\r" in text for name, cells in texts.items() for text in (name, *cells))
    delimiter, encoding = _format_of(file, policy)
    try:
        frame.to_csv(
            file,
            index=False,
            lineterminator="\n",
            sep=delimiter,
            encoding=encoding,
            quoting=csv.QUOTE_ALL if bare else csv.QUOTE_MINIMAL,
        )
    except UnicodeEncodeError:
        raise InputError(
            f"{file.name}: has a character that the encoding {encoding} lacks; leave "
            "release.encoding out of the policy"
        ) from None


def refuse_formulas(columns: Mapping[str, Iterable[str]]) -> None:
    """Raise InputError if the name of a column or one of its texts is a formula.

    columns: column -> its texts.
    """
    for column, texts in columns.items():
        if formulas := sum(map(is_formula, (column, *texts))):
            raise InputError(
                f"column {column!r} of the release: a spreadsheet would run {formulas} of its "
                "texts (name and values) as formulas, because =, +, - or @ is at their start or "
                "after a delimiter; change them in the original, or write them unchanged by "
                "--allow-formulas"
            )


def texts_of(frame: pd.DataFrame) -> dict[str, set[str]]:
    """Return the distinct texts of each column, without missing values."""
    return {str(column): {*frame[column].dropna().unique()} for column in frame.columns}
