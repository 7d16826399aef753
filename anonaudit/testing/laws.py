"""Laws, how each is tried and shrunk, and the error that lists the broken ones."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy

from anonaudit.strategies import Row, Table

# Counts, rates and levels that differ by less are equal: sums of shares are rounded.
CLOSE = 1e-9
T = TypeVar("T")
Complaint = str | None
Call = Callable[..., T]


class Broken(NamedTuple):
    """A broken law, and the smallest input that shows it."""

    law: str
    promised: str
    came: str
    input: str


class ContractError(AssertionError):
    """Laws are broken. `broken` lists them; the message has an example of each."""

    def __init__(self, what: str, tried: int, broken: Sequence[Broken]) -> None:
        self.broken = tuple(broken)
        parts = [
            f"{one.law}\n  promised: {one.promised}\n  came: {_indented(one.came)}\n"
            f"  smallest input: {_indented(one.input)}"
            for one in broken
        ]
        super().__init__("\n\n".join([f"{what}: {len(broken)} of {tried} laws broken", *parts]))


def _indented(lines: str) -> str:
    return lines.replace("\n", "\n    ")


@dataclass(frozen=True)
class Law:
    """A law by its name, what it promises, and a function that complains of an input or not.

    inputs: strategies for one kind of input each; each kind gets its share of the examples.
    """

    name: str
    promised: str
    complaint: Callable[[Any], Complaint]
    inputs: tuple[SearchStrategy[Any], ...]


def check_laws(what: str, laws: Iterable[Law], skip: Sequence[str], examples: int) -> None:
    """Try every law, and raise ContractError for those that are broken."""
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
    """The laws that some drawn input breaks, and where; laws about the same inputs share draws."""
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
    """The smallest input that breaks a law, by shrinking; `broken` if it cannot be found again."""
    last = [broken]

    def one(drawn: object) -> None:
        complaint = law.complaint(drawn)
        if complaint is not None:
            last.append(Broken(law.name, law.promised, complaint, str(drawn)))
            raise AssertionError(complaint)

    # HypothesisException: the failure comes and goes.
    with contextlib.suppress(AssertionError, HypothesisException):
        _draw(inputs, one, examples)
    return last[-1]


def _draw(inputs: SearchStrategy[Any], look: Callable[[Any], None], examples: int) -> None:
    """Call a function with inputs, the same ones whenever it is called, and shrink if it raises."""
    search = settings(
        max_examples=examples,
        database=None,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=False,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    # A function of its own, as Hypothesis takes no defaults.
    seed(0)(search(given(inputs)(lambda drawn: look(drawn))))()  # noqa: PLW0108


def raised(run: Callable[[T], object], drawn: T) -> Complaint:
    """The complaint that something was raised."""
    try:
        run(drawn)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def safely(
    run: Callable[[Table], T], complaint: Callable[[T], Complaint]
) -> Callable[[Table], Complaint]:
    """The complaint about what comes, none where nothing comes: that is another law."""

    def about(table: Table) -> Complaint:
        try:
            came = run(table)
        except Exception:
            return None
        return complaint(came)

    return about


def remembered(run: Callable[[Table], T]) -> Callable[[Table], T]:
    """The function, which is not called again with one of the last two tables.

    All laws about a table ask what comes of it, most of them beside a changed one. An equal table
    that is another object is run again.
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
    """What comes of two tables; None where nothing comes: that is another law."""
    try:
        return run(table), run(other)
    except Exception:
        return None


def of_persons(table: Table, rows_each: int) -> Table:
    """The table with a person for each row, who has that row so often; persons are counted."""
    rows = tuple(
        (*row, f"person {i}") for i, row in enumerate(table.rows) for _ in range(rows_each)
    )
    return replace(table, roles=replace(table.roles, unit="person"), rows=rows)


def turned(table: Table) -> Table:
    """The table with its rows in the opposite order."""
    return replace(table, rows=tuple(reversed(table.rows)))


def classes_turned(table: Table) -> Table:
    """The values of each quasi-identifier exchanged, so that classes stand in another order."""
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
    """The table with its quasi-identifiers and its sensitive attributes in the opposite order."""
    quasi, sensitive = table.roles.quasi_identifiers[::-1], table.roles.sensitive[::-1]
    parts = replace(table.roles, quasi_identifiers=quasi, sensitive=sensitive)
    place = {name: j for j, name in enumerate(table.columns)}
    order = [place[name] for name in (*parts.identifiers, *quasi, *sensitive)]
    rows = tuple(tuple(row[j] for j in order) for row in table.rows)
    return Table(parts, rows, table.hierarchies)


def renamed(table: Table) -> Table:
    """Sensitive values by other names, in the opposite order of their text."""
    start = len(table.columns) - len(table.roles.sensitive)

    def name(cell: str | None) -> str | None:
        return cell if cell in (None, "*") else "".join(chr(0x2000 - ord(c)) for c in str(cell))

    rows = tuple((*row[:start], *(name(cell) for cell in row[start:])) for row in table.rows)
    return replace(table, rows=rows)
