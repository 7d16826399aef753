"""Propose a role for each column of a release, with the reason and the counts of its values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from anonaudit import notebook
from anonaudit.cells import FIRST_VALUE, Convention
from anonaudit.frequency.counting import count
from anonaudit.generalization.column_names import PLACE, Hint, hint
from anonaudit.generalization.direct_identifiers import direct_identifiers
from anonaudit.generalization.labels import exact_number
from anonaudit.generalization.value_kinds import DIAGNOSES, value_kind
from anonaudit.proposal.choice import Part, choose
from anonaudit.proposal.dictionary import ColumnDescription, Dictionary
from anonaudit.proposal.look import Look, look
from anonaudit.source.table import Source, open_source

# With fewer values, no hierarchy is needed: only the root would be above the values.
_LEAST_VALUES = 3
# The numbers of characters to keep of an ICD-10 code: 3 for the category, 1 for the first letter,
# which nearly gives the chapter.
_ICD_10 = (3, 1)


@dataclass(frozen=True)
class Suggestion:
    """A hierarchy that suits a column: `prefixes` of codes or dates, or `intervals` of numbers.

    levels: the number of characters to keep, or the widths of the intervals, finest level first.
    """

    kind: Literal["prefixes", "intervals"]
    levels: tuple[int, ...]


@dataclass(frozen=True)
class ColumnProposal:
    """The proposal for one column.

    part: the proposed role; None if the user must decide.
    reason: the reason for the role, without any value of the column.
    look: the counts and kinds of the values.
    hierarchy: a suitable hierarchy; None if the values are generalized already, or none suits.
    counts_records: True if the column may hold the number of records of each row.
    described: the description in the dictionary; None if there is none.
    missing: the texts in the column that mean a missing value according to the dictionary.
    tokens: the values of the column that, according to the dictionary, mean a missing value in
        another column.
    unlisted: the number of different values that the dictionary does not list; 0 if it lists no
        values of the column.
    diagnoses: True if the values are ICD-10 codes.
    """

    name: str
    part: Part | None
    reason: str
    look: Look
    hierarchy: Suggestion | None = None
    counts_records: bool = False
    described: ColumnDescription | None = None
    missing: tuple[str, ...] = field(default=(), repr=False)
    tokens: tuple[str, ...] = field(default=(), repr=False)
    unlisted: int = 0
    diagnoses: bool = False

    @property
    def distinct(self) -> int:
        """The number of different values, without missing and suppressed cells."""
        return self.look.distinct


@dataclass(frozen=True, repr=False)
class Proposal(notebook.Result):
    """The proposals for all columns of a release.

    source: the name of the release.
    rows: the number of rows.
    columns: the proposals in the order of the columns.
    absent: the columns that the dictionary describes, but the release lacks.
    """

    source: str
    rows: int
    columns: tuple[ColumnProposal, ...]
    absent: tuple[str, ...] = ()

    def _line(self) -> str:
        return f"for {self.source}: {self.rows:,} rows, {len(self.columns)} column(s)"

    def _shown(self) -> notebook.Shown:
        """Return a table for a notebook, with a row for each column."""
        rows = [["column", "part", "values", "why"]]
        rows += [
            [one.name, one.part or "to decide", f"{one.distinct:,}", one.reason]
            for one in self.columns
        ]
        return notebook.Shown(f"Proposal {self._line()}", rows, (0, 1, 3))

    def of(self, part: Part | None) -> tuple[ColumnProposal, ...]:
        """Return the columns with a proposed role; with None, the columns without a role."""
        return tuple(column for column in self.columns if column.part == part)

    @property
    def unit(self) -> ColumnProposal | None:
        """The column by which persons are counted; None if there is none."""
        return next(iter(self.of("unit")), None)

    @property
    def people(self) -> int:
        """The number of persons; the number of rows if there is no unit column."""
        return self.rows if self.unit is None else self.unit.distinct


def propose(source: Any, dictionary: Dictionary | None = None) -> Proposal:
    """Propose a role for every column of a release.

    The columns are counted one by one, so that only one column is in memory at a time.

    source: an open Source, or any input of `open_source`, for example a path or a dataframe.
    dictionary: descriptions of the columns, see `read_dictionary`; None for no descriptions.

    Raises InputError if the release cannot be read.

    >>> from anonaudit import datasets
    >>> proposal = propose(datasets.path("TV06/table1.csv"))
    >>> [(column.name, column.part) for column in proposal.columns][2:]
    [('sex', 'quasi-identifier'), ('illness', 'sensitive')]
    """
    table = open_source(source)
    known = dictionary or {}
    tokens = {token for described in known.values() for token in described.missing}
    columns = _one_unit(
        tuple(_column(table, name, known.get(name), tokens) for name in table.columns)
    )
    rows = columns[0].look.rows if columns else 0
    absent = tuple(name for name in known if name not in table.columns)
    return Proposal(table.name, rows, columns, absent)


def _column(
    table: Source, name: str, described: ColumnDescription | None, tokens: set[str]
) -> ColumnProposal:
    """Return the proposal for a column.

    described: the description of the column; None if there is none. tokens: all texts that the
    dictionary declares as missing in any column.
    """
    said = described or ColumnDescription()
    every = count(table, [name])
    there = {*every.labels[0][FIRST_VALUE:]}
    missing = tuple(token for token in said.missing if token in there)
    counted = count(table, [name], Convention(missing=missing)) if missing else every
    speaks = hint(name)
    if speaks is None and (labelled := hint(said.label)):
        speaks = labelled._replace(of="label")
    seen = look(counted)
    of_persons = speaks is not None and speaks.kind == "person"
    values = counted.labels[0][FIRST_VALUE:]
    direct = direct_identifiers(values, of_persons=of_persons)
    kind = value_kind(values, name)
    part, reason = choose(speaks, seen, direct, kind, role=said.part, coded=bool(said.codes))
    unlisted = [value for value in values if said.codes and value not in said.codes]
    if said.ranged:
        unlisted = [value for value in unlisted if exact_number(value) is None]
    is_count = part is None and seen.whole and speaks is not None and speaks.kind == "count"
    if not _is_unicode(name):
        is_count = False
        part, reason = None, "no policy can hold the name, which is not valid Unicode; rename it"
    return ColumnProposal(
        name=name,
        part=part,
        reason=reason,
        look=seen,
        hierarchy=_hierarchy(speaks, seen, kind, coded=bool(said.codes) and not said.ranged)
        if part in ("quasi-identifier", "sensitive")
        else None,
        counts_records=is_count,
        described=described,
        missing=missing,
        tokens=tuple(sorted(tokens.intersection(values))),
        unlisted=len(unlisted),
        diagnoses=kind == DIAGNOSES,
    )


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # a lone surrogate, which neither UTF-8 nor TOML can represent
        return False
    return True


def _hierarchy(
    speaks: Hint | None, seen: Look, kind: str | None, *, coded: bool
) -> Suggestion | None:
    """Return a suitable hierarchy: prefixes for codes and dates, or intervals for numbers.

    Returns None if a cell is generalized already, if there are fewer than 3 different values, or if
    neither prefixes nor intervals suit.

    coded: True if the dictionary lists the values, so that numbers are codes and not quantities.
    """
    if seen.generalized or seen.distinct < _LEAST_VALUES:
        return None
    if kind == DIAGNOSES:
        return Suggestion("prefixes", _ICD_10)
    if seen.dates:
        return Suggestion("prefixes", seen.dates)
    is_place = speaks is not None and speaks.topic == PLACE
    if seen.code_length and (seen.padded or is_place or not seen.numbers):
        return Suggestion("prefixes", tuple(range(seen.code_length - 1, 0, -1)))
    return Suggestion("intervals", seen.widths) if seen.widths and not coded else None


def _one_unit(columns: tuple[ColumnProposal, ...]) -> tuple[ColumnProposal, ...]:
    """Return the columns with at most one unit.

    The candidate with the most different values stays the unit. The other candidates get no role.
    """
    candidates = [column for column in columns if column.part == "unit"]
    unit = max(candidates, key=lambda column: column.distinct, default=None)

    def settled() -> Iterator[ColumnProposal]:
        for column in columns:
            if column.part == "unit" and column is not unit:
                reason = f"{column.reason}; another column distinguishes more persons"
                yield replace(column, part=None, reason=reason)
            else:
                yield column

    return tuple(settled())
