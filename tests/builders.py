"""Small tables for tests: rows as the oracle takes them, turned into what the library takes."""

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product

import numpy as np

from anonaudit.arrays import Floats
from anonaudit.cells import Convention
from anonaudit.frequency.classes import EquivalenceClasses, equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.models.cover import cover_bounds
from anonaudit.roles import Roles
from attacks.least_eliminations import BUDGET, affordable, bounds_of, open_targets, solve
from attacks.members import Members
from attacks.smallest_cover import Limits

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


def least_eliminations(
    members: Members, limits: Limits, budget: int = BUDGET, first: int = 0
) -> tuple[Floats, Floats]:
    """The bounds of all members together, after what the budget pays for has been solved."""
    low, high = bounds_of(members, limits)
    (paid,) = affordable([open_targets(members, low, high, first)], budget)
    solve(members, paid, low, high, limits)
    return low, high


def all_tables(*columns: Sequence[str | None], most: int, least: int = 0) -> Iterator[list[Row]]:
    """Every table of `least` to `most` rows over these columns of possible cells.

    As multisets: that the order of rows does not matter is a law of its own.
    """
    for n in range(least, most + 1):
        yield from (list(rows) for rows in combinations_with_replacement(product(*columns), n))


def cover_numbers(*given, **options):
    """The bounds of the cover numbers, which meet in all classes but very large ones."""
    low, high = cover_bounds(*given, **options)
    np.testing.assert_array_equal(low, high)
    return low
