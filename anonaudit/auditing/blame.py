"""Which column singles rows, or persons, out, where the classes of a release are too small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from anonaudit.findings import Blame, Measurement, Number, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import by_column, distinct_rows, row_numbers
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.plugins import describe_model

# Cells that are grouped for all columns together; more would take seconds.
MOST_BLAMED_CELLS: Final = 50_000_000
_ALONE: Final = 2


def blame(classes: EquivalenceClasses, models: Sequence[Measurement]) -> Blame | None:
    """Return how many rows are in small classes, with all columns and without each.

    Parameters
    ----------
    classes
        The classes of a whole release. With a unit, persons are counted. With wildcards, or only
        some classes at hand, nothing is counted.
    models
        The measured models. Small is below the class size that a violated one requires; without
        one, a class of one row or person.

    Returns
    -------
    The counts, or None where no class is small, there are fewer than two quasi-identifiers, or
    there is too much to count.
    """
    quasi, unit = classes.roles.quasi_identifiers, classes.roles.unit
    if classes.compatibility is not None or classes.whole is not None or len(quasi) < 2:
        return None
    rows = classes.keys if unit is None else classes.kept.project([*quasi, unit])
    if len(rows) * len(quasi) ** 2 > MOST_BLAMED_CELLS:
        return None
    asked = [
        model.required
        for model in models
        if model.outcome is Outcome.VIOLATED and describe_model(model.model).size_of_class
    ]
    below = max((k for k in asked if k is not None), default=_ALONE)
    in_small = _in_small(rows, quasi, unit, below)
    if not in_small.rows:
        return None
    without = {}
    for column in quasi:
        left = [other for other in quasi if other != column]
        fewer = rows.project(left) if unit is None else rows
        small = _in_small(fewer, left, unit, below)
        without[column] = small.rows if small.persons is None else small.persons
    return Blame(below, in_small.rows, without, in_small.persons)


class _Small(NamedTuple):
    """The rows in small classes, and the persons; None where rows are counted."""

    rows: int
    persons: int | None


def _in_small(
    table: FrequencySet, columns: Sequence[str], unit: str | None, below: Number
) -> _Small:
    """Who is in a class of fewer rows, or persons, by these columns.

    table: over these columns; with a unit, over that and these columns at least.
    """
    if unit is None:
        return _Small(int(table.counts[table.counts < below].sum()), None)
    class_of = row_numbers(table.codes, table.positions(columns))
    person = table.column(unit)
    pairs, _ = distinct_rows(by_column([class_of, person]))
    small = (np.bincount(pairs[:, 0]) < below)[class_of]
    persons = np.count_nonzero(np.bincount(person[small]))
    return _Small(int(table.counts[small].sum()), int(persons))
