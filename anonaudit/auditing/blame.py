"""Which column singles rows out, where the classes of a release are too small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from anonaudit.findings import Blame, Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.plugins import describe_model

# Cells that are grouped for all columns together; more would take seconds.
MOST_CELLS: Final = 50_000_000
_ALONE: Final = 2


def blame(classes: EquivalenceClasses, models: Sequence[Measurement]) -> Blame | None:
    """Return how many rows are in small classes, with all columns and without each.

    Parameters
    ----------
    classes
        The classes of a whole release. They must be apart and count rows: with wildcards, a unit,
        or only some classes at hand, nothing is counted.
    models
        The measured models. Small is below the class size that a violated one requires; without
        one, a class of one row.

    Returns
    -------
    The counts, or None where no class is small, there are fewer than two quasi-identifiers, or
    there is too much to count.
    """
    quasi = classes.roles.quasi_identifiers
    counted = classes.compatibility is None and classes.whole is None and classes.roles.unit is None
    if not counted or len(quasi) < 2 or len(classes) * len(quasi) ** 2 > MOST_CELLS:
        return None
    asked = [
        model.required
        for model in models
        if model.outcome is Outcome.VIOLATED and describe_model(model.model).size_of_class
    ]
    below = max((k for k in asked if k is not None), default=_ALONE)
    counts = classes.keys.counts
    rows = int(counts[counts < below].sum())
    if not rows:
        return None
    without = {}
    for column in quasi:
        left = classes.keys.project([other for other in quasi if other != column]).counts
        without[column] = int(left[left < below].sum())
    return Blame(below, rows, without)
