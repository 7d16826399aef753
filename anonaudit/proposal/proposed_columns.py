"""The proposal itself: one for each column of a release, with its reason and its numbers."""

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

# With fewer values there is nothing to generalize step by step.
_LEAST_VALUES = 3
_ICD_10 = (3, 1)  # characters of a category, and of what stands for its chapter


@dataclass(frozen=True)
class Suggestion:
    """A hierarchy that would suit a column: `prefixes` of codes or dates, `intervals` of numbers.

    levels: the characters to keep, or the widths, from the finest level on.
    """

    kind: Literal["prefixes", "intervals"]
    levels: tuple[int, ...]


@dataclass(frozen=True)
class ColumnProposal:
    """What is proposed for one column, and why.

    part: the part it may play; None where a person has to decide.
    reason: in plain words, without any value of the column.
    look: its numbers.
    hierarchy: one that would suit its values, if they are not generalized yet.
    counts_records: whether the column may say for how many records a row stands.
    described: what the dictionary says of it; None without one, or if it says nothing. missing: the
    texts that mean a missing value by the dictionary and stand in the column. tokens: texts that
    mean one in another column, and are values here. unlisted: how many different values are not
    among those that the dictionary lists. diagnoses: whether they are ICD-10 codes.
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
        """How many different values it has, without missing and suppressed cells."""
        return self.look.distinct


@dataclass(frozen=True, repr=False)
class Proposal(notebook.Result):
    """What is proposed for a release: its columns, in their order.

    absent: the columns that the dictionary describes and the release lacks.
    """

    source: str
    rows: int
    columns: tuple[ColumnProposal, ...]
    absent: tuple[str, ...] = ()

    def _line(self) -> str:
        return f"for {self.source}: {self.rows:,} rows, {len(self.columns)} column(s)"

    def _shown(self) -> notebook.Shown:
        """A row for each column."""
        rows = [["column", "part", "values", "why"]]
        rows += [
            [one.name, one.part or "a person decides", f"{one.distinct:,}", one.reason]
            for one in self.columns
        ]
        return notebook.Shown(f"Proposal {self._line()}", rows, (0, 1, 3))

    def of(self, part: Part | None) -> tuple[ColumnProposal, ...]:
        """The columns proposed for one part."""
        return tuple(column for column in self.columns if column.part == part)

    @property
    def unit(self) -> ColumnProposal | None:
        """The column that tells persons apart, if there is one."""
        return next(iter(self.of("unit")), None)

    @property
    def people(self) -> int:
        """How many persons there are, or rows if nothing tells persons apart."""
        return self.rows if self.unit is None else self.unit.distinct


def propose(source: Any, dictionary: Dictionary | None = None) -> Proposal:
    """Propose a part for every column of a release.

    source: an open Source, or whatever `open_source` opens: a path or a frame.
    dictionary: what is known of its columns, see `read_dictionary`.

    The columns are counted one by one, so no more than one is held in memory.
    Raises InputError where the release cannot be read.

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
    """The proposal for a column. tokens: what means a missing value in any column."""
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
        part, reason = None, "its name is not Unicode text, so no policy can name it; rename it"
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
    except UnicodeEncodeError:  # a lone surrogate, which neither UTF-8 nor TOML can write
        return False
    return True


def _hierarchy(
    speaks: Hint | None, seen: Look, kind: str | None, *, coded: bool
) -> Suggestion | None:
    """Prefixes for codes and dates, intervals for numbers, nothing for what is generalized.

    coded: whether the values are codes of a dictionary, so that numbers are no quantities.
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
    """A release has one unit: of several candidates, the one that tells most persons apart."""
    candidates = [column for column in columns if column.part == "unit"]
    unit = max(candidates, key=lambda column: column.distinct, default=None)

    def settled() -> Iterator[ColumnProposal]:
        for column in columns:
            if column.part == "unit" and column is not unit:
                yield replace(
                    column, part=None, reason=f"{column.reason}; another column tells more apart"
                )
            else:
                yield column

    return tuple(settled())
