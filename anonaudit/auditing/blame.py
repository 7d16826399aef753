"""Find the column that is responsible for small classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from anonaudit.findings import Blame, Measurement, Number, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import by_column, distinct_rows, row_numbers
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.plugins import describe_model

# To leave out each column in turn, up to rows x columns^2 cells are grouped. Above this limit it
# would take seconds, and nothing is counted.
MOST_BLAMED_CELLS: Final = 50_000_000
_ALONE: Final = 2  # a class below this size has one row or person


def blame(classes: EquivalenceClasses, models: Sequence[Measurement]) -> Blame | None:
    """Count the rows in small classes, with all quasi-identifiers and with each one left out.

    A quasi-identifier is responsible for small classes if few rows are in small classes without it.

    Parameters
    ----------
    classes
        The classes of a release. If it has a unit column, persons are counted.
    models
        The measured models. A class is small if its size is below the largest class size that a
        violated model requires. If no violated model requires a class size, a class is small if it
        has one row or person.

    Returns
    -------
    The counts. None if no class is small, if there are fewer than two quasi-identifiers, if rows
    times columns squared is above MOST_BLAMED_CELLS, under wildcards, or for a part of a release.
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
    """The number of rows and of persons in small classes. persons: None without a unit column."""

    rows: int
    persons: int | None


def _in_small(
    table: FrequencySet, columns: Sequence[str], unit: str | None, below: Number
) -> _Small:
    """Count the rows, and the persons if there is a unit, in classes smaller than `below`.

    table: without a unit, a frequency set over exactly `columns`; with a unit, a frequency set over
        the unit, `columns` and maybe more.
    columns: the columns that define the classes.
    below: a number of persons if there is a unit, else of rows.
    """
    if unit is None:
        return _Small(int(table.counts[table.counts < below].sum()), None)
    class_of = row_numbers(table.codes, table.positions(columns))
    person = table.column(unit)
    pairs, _ = distinct_rows(by_column([class_of, person]))
    small = (np.bincount(pairs[:, 0]) < below)[class_of]
    persons = np.count_nonzero(np.bincount(person[small]))
    return _Small(int(table.counts[small].sum()), int(persons))
