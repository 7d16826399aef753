"""The proposal itself: one for each column of a release, with its reason and its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.counting import count
from anonaudit.generalization.column_names import PLACE, Hint, hint
from anonaudit.generalization.direct_identifiers import direct_identifiers
from anonaudit.generalization.value_kinds import value_kind
from anonaudit.proposal.choice import Part, choose
from anonaudit.proposal.look import Look, look
from anonaudit.source.table import Source, open_source

# With fewer values there is nothing to generalize step by step.
_LEAST_VALUES = 3


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
    """

    name: str
    part: Part | None
    reason: str
    look: Look
    hierarchy: Suggestion | None = None
    counts_records: bool = False

    @property
    def distinct(self) -> int:
        """How many different values it has, without missing and suppressed cells."""
        return self.look.distinct


@dataclass(frozen=True)
class Proposal:
    """What is proposed for a release: its columns, in their order."""

    source: str
    rows: int
    columns: tuple[ColumnProposal, ...]

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


def propose(source: Any) -> Proposal:
    """Propose a part for every column of a release.

    source: an open Source, or whatever `open_source` opens: a path or a frame.

    The columns are counted one by one, so no more than one is held in memory.
    Raises InputError where the release cannot be read.

    >>> from anonaudit import datasets
    >>> proposal = propose(datasets.path("TV06/table1.csv"))
    >>> [(column.name, column.part) for column in proposal.columns][2:]
    [('sex', 'quasi-identifier'), ('illness', 'sensitive')]
    """
    table = open_source(source)
    columns = _one_unit(tuple(_column(table, name) for name in table.columns))
    rows = columns[0].look.rows if columns else 0
    return Proposal(table.name, rows, columns)


def _column(table: Source, name: str) -> ColumnProposal:
    counted, speaks = count(table, [name]), hint(name)
    seen = look(counted)
    of_persons = speaks is not None and speaks.kind == "person"
    values = counted.labels[0][FIRST_VALUE:]
    direct = direct_identifiers(values, of_persons=of_persons)
    part, reason = choose(speaks, seen, direct, value_kind(values, name))
    is_count = part is None and seen.whole and speaks is not None and speaks.kind == "count"
    if not _is_unicode(name):
        is_count = False
        part, reason = None, "its name is not Unicode text, so no policy can name it; rename it"
    return ColumnProposal(
        name=name,
        part=part,
        reason=reason,
        look=seen,
        hierarchy=_hierarchy(speaks, seen) if part in ("quasi-identifier", "sensitive") else None,
        counts_records=is_count,
    )


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # a lone surrogate, which neither UTF-8 nor TOML can write
        return False
    return True


def _hierarchy(speaks: Hint | None, seen: Look) -> Suggestion | None:
    """Prefixes for codes and dates, intervals for numbers, nothing for what is generalized."""
    if seen.generalized or seen.distinct < _LEAST_VALUES:
        return None
    if seen.dates:
        return Suggestion("prefixes", seen.dates)
    is_place = speaks is not None and speaks.topic == PLACE
    if seen.code_length and (seen.padded or is_place or not seen.numbers):
        return Suggestion("prefixes", tuple(range(seen.code_length - 1, 0, -1)))
    return Suggestion("intervals", seen.widths) if seen.widths else None


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
