"""The three kinds of change to a release: suppress rows, generalize a column, merge classes.

No change alters a sensitive value. In this package, suppression deletes rows. It would not be
enough to replace all quasi-identifiers of a row by `*`: the sensitive values would stay visible,
but the row would be in no class, so the audit would not see it.
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

# The largest number of rounds of suppression or merging. After a round, other classes may break a
# requirement.
ROUNDS: Final = 10
ROUNDS_BY_PERSON: Final = 100
# A change that suppresses more than this share of the records is not offered.
MOST_SUPPRESSED: Final = 0.5
# In one round of merging, at most this many pairs of classes are compared, and at most this many
# pairs of labels are joined.
MOST_MERGED_PAIRS: Final = 50_000_000
MOST_JOINS: Final = 1_000_000

LevelsOfColumns = Mapping[str, ColumnLevels]


def suppressed(start: Trial) -> Trial | None:
    """Suppress few rows so that the release satisfies its requirements.

    The suppression has rounds. A round suppresses the rows of the first rule that applies:

    1. All classes that violate a model of single classes, and all classes that an attack exposes if
       the policy allows this attack no exposed target.
    2. If the policy allows an attack some exposed targets, but it exposes more: the smallest
       exposed classes, only as many as needed. If a violated model measures the release as a whole:
       the smallest of all classes, only as many as needed.
    3. If an attack exceeds its limit, but the audit names no class: the rows with `*` in every
       quasi-identifier.

    If there is a unit column, all rows of a person are suppressed together, unless the policy sets
    masking.suppress = "rows". After each round, the release is audited again. The rounds end if
    the release passes or if no further suppression is possible, at the latest after ROUNDS rounds
    (ROUNDS_BY_PERSON with a unit column).

    Returns None if the first round has nothing to suppress, or would suppress more than half of the
    records, or if even all classes of rule 2 are not enough. If this happens in a later round, the
    release before that round is returned.
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

    # If all rows of a person are suppressed, each round may make other classes too small.
    by_person = start.policy.roles.unit is not None
    return _again(start, once, ROUNDS_BY_PERSON if by_person else ROUNDS)


def _again(
    start: Trial, once: Callable[[Trial], Trial | None], rounds: int = ROUNDS
) -> Trial | None:
    """Repeat a change until the release passes, cannot be changed, or `rounds` are over.

    once: makes the change one time. It returns None or the same release if no change is possible.

    Returns None if nothing changed.
    """
    trial = start
    for _ in range(rounds):
        changed = None if trial.passed else once(trial)
        if changed is None or changed is trial:
            break
        trial = changed
    return None if trial is start else trial


def _deleted(trial: Trial, gone: Bools, left: float) -> Trial | None:
    """Delete rows, together with the other rows of their persons (see `with_whole_persons`).

    gone: a mask of the rows, shape (n,). Returns None if fewer than `left` records would remain.
    """
    gone = trial.with_whole_persons(gone)
    return None if trial.records[~gone].sum() < left else trial.without_rows(gone)


def _deleted_classes(trial: Trial, chosen: Bools, left: float) -> Trial | None:
    return _deleted(trial, trial.inside(chosen), left)


def _fewest(trial: Trial, classes: Bools, change: Callable[[Bools], Trial | None]) -> Trial | None:
    """Change only as many of these classes as needed, so that `Faults.enough` has no class left.

    The smallest classes are changed first. A binary search finds how many of them to change. It
    finds the least number, provided that changing more classes never makes a requirement worse.

    classes: a mask, shape (n_classes,). change: changes the classes in a mask. It returns None if
        these are too many, and `trial` itself if it can change none of them.

    Returns None if no number of classes is enough.
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
        if changed is None:  # too many classes for the change
            high = middle - 1
        elif changed.faults().enough.any():
            low = middle + 1
        else:
            best, high = changed, middle - 1
    return best


def one_level_up(start: Trial, column: ColumnLevels) -> Trial | None:
    """Generalize a column to one level above the lowest level of its labels.

    Labels that are already on the higher level or above do not change. Returns None if there is no
    hierarchy, if it lacks a label, if there is no higher level, or if more rows would then be in no
    class.
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
    """Merge each class that breaks a requirement with the nearest class.

    The nearest class is the one whose merger adds the least information loss. Classes that still
    break a requirement are merged again in the next round.

    Returns None if no class is known to break a requirement, if too many classes break one (see
    `too_many_to_merge`), or if nothing can be merged.
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
    """Return True if it would take too long to find the nearest class of each of these classes.

    chosen: a mask of the classes, shape (n_classes,).
    """
    n, keys = int(chosen.sum()), trial.prepared.classes.keys
    values = sum(len(labels) for labels in keys.labels)
    return n * len(keys) > MOST_MERGED_PAIRS or n * values > MOST_JOINS


def _joined(trial: Trial, chosen: Bools, columns: LevelsOfColumns) -> Trial | None:
    """Merge each of these classes with the nearest class, the smallest class first.

    Returns None if there are too many classes, and `trial` itself if none of them can be merged.
    """
    keys = trial.prepared.classes.keys
    if too_many_to_merge(trial, chosen):
        return None
    groups = MergedClasses(trial, columns)
    sizes = trial.prepared.classes.rows
    for number in np.flatnonzero(chosen)[np.argsort(sizes[chosen], kind="stable")].tolist():
        groups.merge(number)
    if (groups.of == np.arange(len(keys))).all():
        return trial
    cells = {}
    for j, name in enumerate(trial.quasi):
        own = groups.nodes[groups.of, j]
        moved = (trial.class_of >= 0) & (own != keys.codes[:, j])[trial.class_of]
        column = trial.rows[name].to_numpy(object).copy()
        column[moved] = np.array(groups.texts[j], object)[own[trial.class_of[moved]]]
        cells[name] = column
    return trial.with_cells(cells)
