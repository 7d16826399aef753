"""Laws, the search for inputs that break a law, and the error that lists the broken laws."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy

from anonaudit.errors import FOREIGN_FAULTS
from anonaudit.strategies import Row, Table

# Counts, rates and levels that differ by less than this are equal, because sums of shares carry
# rounding errors.
CLOSE = 1e-9
T = TypeVar("T")
Complaint = str | None
Call = Callable[..., T]


class Broken(NamedTuple):
    """A broken law: its name, its promise, the actual result, and the smallest input found."""

    law: str
    promised: str
    came: str
    input: str


class ContractError(AssertionError):
    """Some laws are broken. `broken` lists them; the message shows an input for each."""

    def __init__(self, what: str, tried: int, broken: Sequence[Broken]) -> None:
        self.broken = tuple(broken)
        parts = [
            f"{one.law}\n  promised: {one.promised}\n  got: {_indented(one.came)}\n"
            f"  smallest input: {_indented(one.input)}"
            for one in broken
        ]
        super().__init__("\n\n".join([f"{what}: {len(broken)} of {tried} laws broken", *parts]))


def _indented(lines: str) -> str:
    return lines.replace("\n", "\n    ")


@dataclass(frozen=True)
class Law:
    """A law: its name, its promise, and a check.

    complaint: takes an input; returns a text that says how the input breaks the law, or None if the
        law is kept.
    inputs: strategies for different kinds of input; the number of examples is divided among them.
    """

    name: str
    promised: str
    complaint: Callable[[Any], Complaint]
    inputs: tuple[SearchStrategy[Any], ...]


def check_laws(what: str, laws: Iterable[Law], skip: Sequence[str], examples: int) -> None:
    """Test every law except those named in `skip`.

    what: the beginning of the error message. examples: the number of inputs for each law.

    Raises ContractError with all broken laws, and ValueError if `skip` names an unknown law.
    """
    known = list(laws)
    unknown = set(skip) - {law.name for law in known}
    if unknown:
        names = ", ".join(law.name for law in known)
        raise ValueError(f"there is no law {min(unknown)!r}; the laws are: {names}")
    tried = [law for law in known if law.name not in skip]
    broken = [_smallest(*suspect) for suspect in _suspects(tried, examples)]
    if broken:
        raise ContractError(what, len(tried), broken)


Suspect = tuple[Law, Broken, SearchStrategy[Any], int]


def _suspects(laws: Sequence[Law], examples: int) -> list[Suspect]:
    """Return the broken laws, each with an input that breaks it.

    Laws with the same `inputs` object are tested on the same drawn inputs.
    """
    suspects: dict[str, Suspect] = {}
    for kinds in {id(law.inputs): law.inputs for law in laws}.values():
        for inputs in kinds:
            share = -(-examples // len(kinds))

            def look(
                drawn: object, kinds: object = kinds, of: Any = inputs, share: int = share
            ) -> None:
                for law in laws:
                    if law.inputs is kinds and law.name not in suspects:
                        complaint = law.complaint(drawn)
                        if complaint is not None:
                            broken = Broken(law.name, law.promised, complaint, str(drawn))
                            suspects[law.name] = (law, broken, of, share)

            _draw(inputs, look, share)
    return [suspects[law.name] for law in laws if law.name in suspects]


def _smallest(law: Law, broken: Broken, inputs: SearchStrategy[Any], examples: int) -> Broken:
    """Return the broken law with the smallest input found; `broken` if no input breaks it again."""
    last = [broken]

    def one(drawn: object) -> None:
        complaint = law.complaint(drawn)
        if complaint is not None:
            last.append(Broken(law.name, law.promised, complaint, str(drawn)))
            raise AssertionError(complaint)

    # HypothesisException: the failure is not reproducible.
    with contextlib.suppress(AssertionError, HypothesisException):
        _draw(inputs, one, examples)
    return last[-1]


def _draw(inputs: SearchStrategy[Any], look: Callable[[Any], None], examples: int) -> None:
    """Call `look` with generated inputs. If it raises, shrink the input and raise the exception.

    Every run generates the same inputs.
    """
    search = settings(
        max_examples=examples,
        database=None,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=False,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    # The lambda is needed because Hypothesis rejects functions with default arguments.
    seed(0)(search(given(inputs)(lambda drawn: look(drawn))))()  # noqa: PLW0108


def raised(run: Callable[[T], object], drawn: T) -> Complaint:
    """Return the exception that `run` raises, as a complaint; None if it raises none."""
    try:
        run(drawn)
    except FOREIGN_FAULTS as error:
        return f"{type(error).__name__}: {error}"
    return None


def safely(
    run: Callable[[Table], T], complaint: Callable[[T], Complaint]
) -> Callable[[Table], Complaint]:
    """Return a function that runs `run` and returns the complaint about its result.

    If `run` raises an exception, there is no complaint, because the law `runs` reports it.
    """

    def about(table: Table) -> Complaint:
        try:
            came = run(table)
        except FOREIGN_FAULTS:
            return None
        return complaint(came)

    return about


def remembered(run: Callable[[Table], T]) -> Callable[[Table], T]:
    """Return `run` with a cache of its results for the last two tables.

    Most laws compare the results for a table and for a changed copy of it.
    """
    kept: OrderedDict[int, tuple[Table, T]] = OrderedDict()

    def once(table: Table) -> T:
        if id(table) not in kept:
            kept[id(table)] = table, run(table)
            if len(kept) > 2:
                kept.popitem(last=False)
        kept.move_to_end(id(table))
        return kept[id(table)][1]

    return once


def before_and_after(run: Callable[[Table], T], table: Table, other: Table) -> tuple[T, T] | None:
    """Return the results for two tables; None if `run` raises (the law `runs` reports that)."""
    try:
        return run(table), run(other)
    except FOREIGN_FAULTS:
        return None


def of_persons(table: Table, rows_each: int) -> Table:
    """Return the table with a unit column: each row becomes `rows_each` rows of one person."""
    rows = tuple(
        (*row, f"person {i}") for i, row in enumerate(table.rows) for _ in range(rows_each)
    )
    return replace(table, roles=replace(table.roles, unit="person"), rows=rows)


def turned(table: Table) -> Table:
    """Return the table with its rows in reverse order."""
    return replace(table, rows=tuple(reversed(table.rows)))


def classes_turned(table: Table) -> Table:
    """Return the table with other quasi-identifier values, so that the order of classes changes.

    In each column, the sorted values are replaced by the same values in reverse order.
    """
    start, width = len(table.roles.identifiers), len(table.roles.quasi_identifiers)
    other = []
    for j in range(start, start + width):
        values = sorted({row[j] for row in table.rows} - {None, "*"}, key=str)
        other.append(dict(zip(values, reversed(values), strict=True)))

    def row_of(row: Row) -> Row:
        keys = zip(other, row[start : start + width], strict=True)
        return (*row[:start], *(new.get(cell, cell) for new, cell in keys), *row[start + width :])

    return replace(table, rows=tuple(map(row_of, table.rows)))


def columns_turned(table: Table) -> Table:
    """Return the table with its quasi-identifiers and its sensitive attributes in reverse order."""
    quasi, sensitive = table.roles.quasi_identifiers[::-1], table.roles.sensitive[::-1]
    parts = replace(table.roles, quasi_identifiers=quasi, sensitive=sensitive)
    place = {name: j for j, name in enumerate(table.columns)}
    order = [place[name] for name in (*parts.identifiers, *quasi, *sensitive)]
    rows = tuple(tuple(row[j] for j in order) for row in table.rows)
    return Table(parts, rows, table.hierarchies)


def renamed(table: Table) -> Table:
    """Return the table with other sensitive values, in reverse alphabetical order of the old."""
    start = len(table.columns) - len(table.roles.sensitive)

    def name(cell: str | None) -> str | None:
        return cell if cell in (None, "*") else "".join(chr(0x2000 - ord(c)) for c in str(cell))

    rows = tuple((*row[:start], *(name(cell) for cell in row[start:])) for row in table.rows)
    return replace(table, rows=rows)
