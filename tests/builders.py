"""Small tables for tests: rows as the oracle takes them, turned into what the library takes."""

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product

from anonaudit.cells import Convention
from anonaudit.frequency.classes import EquivalenceClasses, equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.roles import Roles

Row = tuple[str | None, ...]


def reduced(
    rows: Sequence[Row],
    qi: Sequence[int],
    sensitive: Sequence[int],
    *,
    unit: int | None = None,
    convention: Convention | None = None,
) -> EquivalenceClasses:
    """The equivalence classes of rows; columns are called 0, 1, 2, ... ."""
    width = len(qi) + len(sensitive) + (unit is not None)
    names = [str(i) for i in range(width)]
    roles = Roles(
        tuple(str(i) for i in qi),
        tuple(str(i) for i in sensitive),
        unit=None if unit is None else str(unit),
    )
    base = FrequencySet.of(names, [row[:width] for row in rows], convention)
    return equivalence_classes(base, roles, convention)


def all_tables(*columns: Sequence[str | None], most: int, least: int = 0) -> Iterator[list[Row]]:
    """Every table of `least` to `most` rows over these columns of possible cells.

    As multisets: that the order of rows does not matter is a law of its own.
    """
    for n in range(least, most + 1):
        yield from (list(rows) for rows in combinations_with_replacement(product(*columns), n))
