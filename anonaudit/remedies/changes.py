"""The three kinds of change to a release that leave its sensitive values and its rows as they are.

Suppressing, here: the rows are deleted. A row that stays with `*` in every quasi-identifier keeps
its sensitive values for everybody to see, is in no class, and so escapes the audit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import numpy as np

from anonaudit.arrays import Bools
from anonaudit.remedies.column_levels import ColumnLevels
from anonaudit.remedies.groups import MergedClasses
from anonaudit.remedies.trial import Trial

# A release may fall short again once its worst classes are gone or merged.
ROUNDS: Final = 10
ROUNDS_BY_PERSON: Final = 100
# A remedy that takes more than this share of the rows is none.
MOST_SUPPRESSED: Final = 0.5
# Pairs of classes, and of values, that are compared in a round of merging.
MOST_MERGED_PAIRS: Final = 50_000_000
MOST_JOINS: Final = 1_000_000

LevelsOfColumns = Mapping[str, ColumnLevels]


def suppressed(start: Trial) -> Trial | None:
    """The release without the rows that break its requirements, as few of them as can be.

    A class that falls short of a model goes as a whole, and so does one that an attack must not
    lay open. Where some may be laid open, and for levels of the whole release, the smallest
    classes go first, and no more than it takes. With a unit, all rows of a person go together,
    unless the policy suppresses rows. Then all is looked at again.

    None if nothing is known to be at fault, or if more than half of the rows would go.
    """
    left = (1 - MOST_SUPPRESSED) * start.records.sum()

    def once(trial: Trial) -> Trial | None:
        faults = trial.faults()
        if faults.every.any():
            return _deleted(trial, trial.inside(faults.every), left)
        if faults.enough.any():
            return _fewest(trial, faults.enough, partial(_deleted_classes, trial, left=left))
        if trial.attacked and trial.quasi and trial.silent.any():
            return _deleted(trial, trial.silent, left)
        return None

    by_person = start.policy.roles.unit is not None  # each round may make other classes too small
    return _again(start, once, ROUNDS_BY_PERSON if by_person else ROUNDS)


def _again(
    start: Trial, once: Callable[[Trial], Trial | None], rounds: int = ROUNDS
) -> Trial | None:
    """A change made until all is within limits or nothing more can be done; None if none was."""
    trial = start
    for _ in range(rounds):
        changed = None if trial.passed else once(trial)
        if changed is None:
            break
        trial = changed
    return None if trial is start else trial


def _deleted(trial: Trial, gone: Bools, left: float) -> Trial | None:
    """The release without these rows, or these persons; None if fewer than `left` would be left."""
    gone = trial.with_whole_persons(gone)
    return None if trial.records[~gone].sum() < left else trial.without_rows(gone)


def _deleted_classes(trial: Trial, chosen: Bools, left: float) -> Trial | None:
    return _deleted(trial, trial.inside(chosen), left)


def _fewest(trial: Trial, classes: Bools, change: Callable[[Bools], Trial | None]) -> Trial | None:
    """The change to as few of these classes, the smallest first, as brings all within limits.

    Found by halving, so it is the least number if a change of more classes is never worse.
    """
    numbers = np.flatnonzero(classes)
    numbers = numbers[np.argsort(trial.prepared.classes.rows[numbers], kind="stable")]
    best: Trial | None = None
    low, high = 1, len(numbers)
    while low <= high:
        middle = (low + high) // 2
        chosen = np.zeros(len(classes), bool)
        chosen[numbers[:middle]] = True
        changed = change(chosen)
        if changed is None:  # more than may be changed
            high = middle - 1
        elif changed.faults().enough.any():
            low = middle + 1
        else:
            best, high = changed, middle - 1
    return best


def one_level_up(start: Trial, column: ColumnLevels) -> Trial | None:
    """The release with one attribute one level above the lowest that its values are on.

    None where that level is not known, or there is none.
    """
    above, level = column.raised(), column.level
    if above is None or level is None:
        return None
    texts, codes = start.column(column.name)
    new = [above.get(text, text) if text is not None else None for text in texts]
    cells = start.rows[column.name].to_numpy(object).copy()
    moved = np.array([a != b for a, b in zip(texts, new, strict=True)])[codes]
    cells[moved] = np.array(new, object)[codes[moved]]
    raised = start.with_cells({column.name: cells})
    if raised is None:
        return None
    return raised.noted(start, "generalize", {column.name: (level, level + 1)})


def merged(start: Trial, columns: LevelsOfColumns) -> Trial | None:
    """The release with each class that falls short merged with the one nearest to it.

    Nearest is the one with which it adds the least information loss. What falls short after that
    is merged again. None if no class is known to be at fault, or if there are too many (see
    `too_many_to_merge`).
    """

    def once(trial: Trial) -> Trial | None:
        faults = trial.faults()
        if faults.every.any():
            return _joined(trial, faults.every, columns)
        if faults.enough.any():
            return _fewest(trial, faults.enough, partial(_joined, trial, columns=columns))
        return None

    changed = _again(start, once)
    return None if changed is None else changed.noted(start, "merge", {})


def too_many_to_merge(trial: Trial, chosen: Bools) -> bool:
    """Whether it would take too long to find the nearest of each of these classes."""
    n, keys = int(chosen.sum()), trial.prepared.classes.keys
    values = sum(len(labels) for labels in keys.labels)
    return n * len(keys) > MOST_MERGED_PAIRS or n * values > MOST_JOINS


def _joined(trial: Trial, chosen: Bools, columns: LevelsOfColumns) -> Trial | None:
    """One round of merging: each of these classes, the smallest first, with the nearest."""
    keys = trial.prepared.classes.keys
    if len(keys) < 2 or too_many_to_merge(trial, chosen):
        return None
    groups = MergedClasses(trial, columns)
    sizes = trial.prepared.classes.rows
    for number in np.flatnonzero(chosen)[np.argsort(sizes[chosen], kind="stable")].tolist():
        groups.merge(number)
    cells = {}
    for j, name in enumerate(trial.quasi):
        own = groups.nodes[groups.of, j]
        moved = (trial.class_of >= 0) & (own != keys.codes[:, j])[trial.class_of]
        column = trial.rows[name].to_numpy(object).copy()
        column[moved] = np.array(groups.texts[j], object)[own[trial.class_of[moved]]]
        cells[name] = column
    return trial.with_cells(cells) if (groups.of != np.arange(len(keys))).any() else None
