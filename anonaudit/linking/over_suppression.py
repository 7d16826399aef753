"""Over-suppression: suppressed rows that the release could have kept, with its own recoding.

A row is suppressed if it is missing from the release or has every quasi-identifier suppressed.
It could have been kept without lowering k if its generalized quasi-identifiers are those of a
published class; or if k or more suppressed rows would form a class of their own. This is about
k alone: a row that is added may well lower l, p or t.

How a row would have been generalized is read off the rows that were kept: what was released for
the same combination; else, column by column, the one value released for the same value; else
what stands for it at the one level of the hierarchy to which the whole column was generalized.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from anonaudit.arrays import Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import Codes, distinct_rows
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.alignment import Alignment

NO_CLASS = -1


@dataclass(frozen=True)
class OverSuppression:
    """How many of the suppressed rows could have been kept.

    suppressed: the suppressed rows. published: those that fit a published class. own: those
        that would have formed classes of k or more among themselves; None where there is no k,
        or where k counts persons. unknown: rows whose recoding cannot be inferred.
    """

    suppressed: int
    published: int
    own: int | None
    unknown: int


def over_suppression(
    alignment: Alignment,
    classes: EquivalenceClasses,
    hierarchies: Mapping[str, Hierarchy],
    k: int | None = None,
) -> OverSuppression:
    """Count the suppressed rows of the original that the release could have kept.

    classes: of the release. hierarchies: by column, as far as they are known.
    k: the size a class must have; the smallest class of the release if not given.

    >>> from anonaudit.linking.alignment import align_by_key
    >>> from anonaudit.frequency.classes import equivalence_classes
    >>> from anonaudit.frequency.frequency_set import FrequencySet
    >>> from anonaudit.roles import Roles
    >>> from anonaudit.linking.validity import unchanged
    >>> old = FrequencySet.of(["id", "zip"], [("1", "a"), ("2", "a"), ("3", "a"), ("4", "b")])
    >>> new = FrequencySet.of(["id", "zip"], [("1", "a"), ("2", "a"), ("3", "*"), ("4", "*")])
    >>> same = {"zip": unchanged(old.labels_of("zip"), new.labels_of("zip"))}
    >>> found = align_by_key(old, new, "id", quasi_identifiers=["zip"], sensitive=[], validity=same)
    >>> over_suppression(found, equivalence_classes(new, Roles(("zip",))), {})
    OverSuppression(suppressed=2, published=1, own=0, unknown=1)
    """
    quasi = alignment.quasi_identifiers
    cells = alignment.original.codes[:, alignment.original.positions(quasi)]
    combinations, combination = distinct_rows(cells)
    gone = alignment.missing + np.bincount(
        alignment.old[alignment.suppressed],
        alignment.count[alignment.suppressed],
        len(alignment.original),
    )
    rows = np.bincount(combination, gone, len(combinations)).astype(np.int64)
    if alignment.perturbed:  # nothing tells what would have been released in their place
        lost = int(rows.sum())
        return OverSuppression(suppressed=lost, published=0, own=None, unknown=lost)
    recoded = _recoded(alignment, combinations, combination, hierarchies)
    known = np.all(recoded != NO_CLASS, axis=1)
    keys = classes.keys.codes[:, classes.keys.positions(quasi)]
    _, place = distinct_rows(np.concatenate([keys, recoded]))
    fits = known & np.isin(place[len(keys) :], place[: len(keys)])
    if classes.roles.unit is not None or (k is None and len(classes) == 0):
        own = None
    else:
        needed = classes.sizes.min() if k is None else k
        rest = known & ~fits
        groups = np.bincount(place[len(keys) :][rest], rows[rest])
        own = int(groups[groups >= needed].sum())
    return OverSuppression(
        suppressed=int(rows.sum()),
        published=int(rows[fits].sum()),
        own=own,
        unknown=int(rows[~known].sum()),
    )


def _recoded(
    alignment: Alignment,
    combinations: Codes,
    combination: Index,
    hierarchies: Mapping[str, Hierarchy],
) -> Codes:
    """The released codes each original combination would have, NO_CLASS where nothing tells.

    Codes beyond those of the release stand for values that it does not have.
    """
    quasi = alignment.quasi_identifiers
    valid = np.logical_and.reduce([alignment.valid(column) for column in quasi])
    kept = valid & ~alignment.suppressed
    recoded = np.full(combinations.shape, NO_CLASS, np.int64)
    for j, column in enumerate(quasi):
        old, new = (codes[kept] for codes in alignment.codes(column))
        single = _single_valued(old, new, len(alignment.original.labels_of(column)))
        at_level = _at_one_level(alignment, column, old, new, hierarchies.get(column))
        recoded[:, j] = np.where(single == NO_CLASS, at_level, single)[combinations[:, j]]
    released = alignment.released.codes[:, alignment.released.positions(quasi)]
    # What was published for the same combination is possible whatever the columns say.
    place = combination[alignment.old[kept]]
    recoded[place[::-1]] = released[alignment.new[kept]][::-1]
    return recoded


def _single_valued(old: Index, new: Index, n: int) -> Codes:
    """The one code released for each original code; suppression of a cell alone is none."""
    single = np.full(n, NO_CLASS, np.int64)
    for silent in (True, False):  # values last, so that they prevail
        chosen = (new < FIRST_VALUE) == silent
        pairs, _ = distinct_rows(np.column_stack([old[chosen], new[chosen]]).astype(np.int64))
        codes, times = np.unique(pairs[:, 0], return_counts=True)
        single[codes] = NO_CLASS
        once = np.isin(pairs[:, 0], codes[times == 1])
        single[pairs[once, 0]] = pairs[once, 1]
    return single


def _at_one_level(
    alignment: Alignment, column: str, old: Index, new: Index, tree: Hierarchy | None
) -> Codes:
    """What stands for each value at the level of a column that has one level throughout."""
    before, after = alignment.original.labels_of(column), alignment.released.labels_of(column)
    levels = np.full(len(before), NO_CLASS, np.int64)
    pairs, _ = distinct_rows(np.column_stack([old, new]).astype(np.int64))
    values = [(before[a], after[b]) for a, b in pairs if a >= FIRST_VALUE]
    if tree is None or not values or not all(label in tree for label, _ in values):
        return levels
    for level in range(tree.height + 1):
        if all(tree.generalize(label, level) == released for label, released in values):
            code_of = {label: code for code, label in enumerate(after) if code}
            for code, label in enumerate(before):
                if code >= FIRST_VALUE and label in tree:
                    above = tree.generalize(label, level)
                    levels[code] = code_of.setdefault(above, len(code_of) + 1)
            break
    return levels
