"""Report what each column of a file holds, and how many rows it makes unique."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from anonaudit import notebook
from anonaudit.cells import FIRST_VALUE, MISSING
from anonaudit.frequency.counting import count
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.direct_identifiers import recognised
from anonaudit.generalization.lint import placeholder_numbers, undeclared_missing
from anonaudit.generalization.value_kinds import FREE_TEXT, value_kind
from anonaudit.report.words import figures, layout
from anonaudit.scanning.countries import national_numbers
from anonaudit.scanning.hashes import reversed_hashes
from anonaudit.source.memory import TooManyCombinationsError
from anonaudit.source.table import Source, open_source

KEY: Final = "key: every row has its own value"
NEAR_KEY: Final = "near-key: nearly every row has its own value"
CONSTANT: Final = "constant"
PLACEHOLDERS: Final = "placeholders for missing values"
_NEARLY: Final = 0.9
_FEW: Final = 20  # with fewer rows, a column without repeated values does not count as a key
# Combinations are counted if the number of rows times the square of the number of combined columns
# is at most this number. More would take minutes.
MOST_ROWS_TIMES_COLUMNS_SQUARED: Final = 100_000_000
LEGEND: Final = (
    "alone: rows whose value no other row has. drop: how many fewer rows would be unique if this "
    "column were left out of the combination. Keys, near-keys, direct identifiers, free text and "
    "constants are not combined."
)


@dataclass(frozen=True)
class ScannedColumn:
    """The scan of one column.

    distinct: the number of different values.
    missing: the number of rows without a value.
    direct: the kind of direct identifiers that the column holds, for example "e-mail addresses";
        several kinds are joined by "or". None if no direct identifier was recognised.
    kinds: other kinds of content, for example `KEY` or `CONSTANT`.
    alone: the number of rows whose value no other row has.
    drop: how many fewer rows of the file would have a unique combination of values without this
        column. None if the column is left out of this count, or if nothing was counted.
    reversed: the number of different values that are the hash of a candidate value.
    direct_kinds: the kinds in `direct` as a tuple, without a country.
    """

    name: str
    distinct: int
    missing: int
    direct: str | None
    kinds: tuple[str, ...]
    alone: int
    drop: int | None = None
    reversed: int = 0
    direct_kinds: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class ScannedFile(notebook.Result):
    """The scan of one file.

    source: the name of the file.
    rows: the number of rows.
    columns: the columns in the order of the file.
    alone: the number of rows whose combination of values no other row has. Only the columns with a
        `drop` are combined. None if combinations were not counted.
    """

    source: str
    rows: int
    columns: tuple[ScannedColumn, ...]
    alone: int | None

    @property
    def verdict(self) -> str:
        """The size of the file, and the columns with direct identifiers."""
        direct = [column.name for column in self.columns if column.direct]
        rows, columns = (figures.counted(self.rows, "row"), len(self.columns))
        size = f"{rows}, {figures.counted(columns, 'column')}"
        said = "no direct identifier recognised"
        if direct:
            said = f"DIRECT IDENTIFIERS in {layout.name_list(direct)}"
        return f"{layout.printable(self.source)}: {size}, {said}"

    @property
    def counted(self) -> str:
        """A sentence that says how many rows have a unique combination of values."""
        if self.alone is None:
            return (
                "Unique combinations of several columns were not counted: all columns are left "
                "out, memory does not suffice, or the number of rows times the square of the "
                f"number of columns is above {MOST_ROWS_TIMES_COLUMNS_SQUARED:,}."
            )
        alone = figures.counted(self.alone, "row")
        are = "is" if self.alone == 1 else "are"
        return f"{alone} {are} unique if all columns with a number under 'drop' are combined"

    def table(self) -> list[list[str]]:
        """Return the table of the report: the header, then a row for each column of the file."""
        header = ["column", "values", "missing", "alone", "drop", "what it holds"]
        return [header, *map(_shown, self.columns)]

    def _line(self) -> str:
        return self.verdict

    def _shown(self) -> notebook.Shown:
        return notebook.Shown(self.verdict, self.table(), (0, 5), (self.counted, LEGEND))


def _shown(column: ScannedColumn) -> list[str]:
    said = [column.direct.upper()] if column.direct else []
    said += column.kinds
    if column.reversed:
        said.append(f"{figures.counted(column.reversed, 'hash', 'hashes')} reversed")
    counts = (column.distinct, column.missing, column.alone, column.drop)
    return [layout.name(column.name), *map(figures.whole, counts), ", ".join(said)]


def scan(
    table: Any, *, countries: Sequence[str] = (), candidates: Collection[str] = ()
) -> ScannedFile:
    """Scan every column of a table.

    Parameters
    ----------
    table
        A path or a dataframe: everything that `open_source` opens.
    countries
        Two-letter codes (`de`, `nl`). Their national identity numbers are recognised by
        python-stdnum, and their telephone numbers without separators by phonenumbers.
    candidates
        Values, for example names. Values of the table that are the hash of a candidate are counted.

    Returns
    -------
    The counts and kinds of the columns, without any cell of the table.

    Raises
    ------
    InputError
        The table cannot be read, a country is unknown, or anonaudit[scan] is not installed.

    Example
    -------
    >>> from anonaudit import datasets
    >>> found = scan(datasets.path("TV06/table1.csv"))
    >>> found.rows, [(column.name, column.alone) for column in found.columns][:2]
    (6, [('age', 0), ('zip-code', 0)])
    """
    source = open_source(table)
    scanned, rows = [], 0
    for name in source.columns:
        counted = count(source, [name])
        rows = counted.total
        scanned.append(_column(name, counted, countries, candidates))
    together = [one.name for one in scanned if _has_part(one)]
    alone, drops = _alone(source, together, rows)
    columns = tuple(_with_drop(one, drops.get(one.name)) for one in scanned)
    return ScannedFile(source.name, rows, columns, alone)


def _column(
    name: str, counted: FrequencySet, countries: Sequence[str], candidates: Collection[str]
) -> ScannedColumn:
    codes, counts = counted.column(name), counted.counts
    labels = counted.labels[0][FIRST_VALUE:]
    rows, value = counted.total, codes >= FIRST_VALUE
    direct, direct_kinds = _direct(labels, countries)
    kinds = [kind] if (kind := value_kind(labels, name)) else []
    if undeclared_missing(labels, name) or placeholder_numbers(labels, name):
        kinds.append(PLACEHOLDERS)
    if len(counted) == 1:
        kinds.append(CONSTANT)
    elif rows >= _FEW and len(labels) >= _NEARLY * rows:
        kinds.append(KEY if len(labels) == rows else NEAR_KEY)
    return ScannedColumn(
        name,
        len(labels),
        int(counts[codes == MISSING].sum()),
        direct,
        tuple(kinds),
        int((counts[value] == 1).sum()),
        reversed=len(reversed_hashes(labels, candidates)),
        direct_kinds=direct_kinds,
    )


def _direct(labels: Sequence[str], countries: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    """Return `ScannedColumn.direct` and `ScannedColumn.direct_kinds`."""
    if (found := recognised(labels)) is not None:
        return found.kind, found.kinds
    if (national := national_numbers(labels, countries)) is not None:
        kind, country = national
        return f"{kind} ({country})", (kind,)
    return None, ()


def _has_part(column: ScannedColumn) -> bool:
    """Return True if the column is used to count unique combinations of several columns.

    Keys, near-keys, direct identifiers and free text are left out, because such a column alone
    makes nearly every row unique. Constants are left out, because they make no row unique.
    """
    return column.direct is None and not {KEY, NEAR_KEY, CONSTANT, FREE_TEXT} & {*column.kinds}


def _with_drop(column: ScannedColumn, drop: int | None) -> ScannedColumn:
    return replace(column, drop=drop)


def _alone(source: Source, columns: Sequence[str], rows: int) -> tuple[int | None, dict[str, int]]:
    """Return `ScannedFile.alone`, and the drop of each column by its name.

    columns: the columns to combine. rows: the number of rows.
    """
    if not columns or rows * len(columns) ** 2 > MOST_ROWS_TIMES_COLUMNS_SQUARED:
        return None, {}
    try:
        together = count(source, columns)
    except TooManyCombinationsError:
        return None, {}
    alone = int((together.counts == 1).sum())
    drops = {}
    for column in columns:
        others = together.project([other for other in columns if other != column])
        drops[column] = alone - int((others.counts == 1).sum())
    return alone, drops
