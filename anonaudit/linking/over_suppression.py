"""Over-suppression: count suppressed rows that the release could have kept without lowering k.

A row is suppressed if it is missing from the release or has every quasi-identifier suppressed. A
suppressed row could have been kept in two cases: its generalized quasi-identifiers equal those of a
published class, or k or more suppressed rows would form a class together. Only k is considered: a
class with added rows may still violate l, p or t.

The generalization of a suppressed row is inferred from the rows that were kept:

1. If rows with the same original combination were kept: their released combination.
2. Otherwise, for each column: the only value released for the same original value.
3. Otherwise: the ancestor at the level of the hierarchy to which the whole column was generalized.
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
    """The number of suppressed rows, and how many of them could have been kept.

    suppressed: the number of suppressed rows.
    published: the number of suppressed rows that fit a published class.
    own: the number of suppressed rows that would form new classes of k or more rows. None if k is
        not given and the release has no class, if k counts persons, or if a column is perturbed.
    unknown: the number of suppressed rows whose generalization cannot be inferred.
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

    classes: the classes of the release.
    hierarchies: the hierarchies by column; a column may have none.
    k: the required class size; if None, the size of the smallest class of the release.

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
    cells = alignment.original.columns(quasi)
    combinations, combination = distinct_rows(cells)
    gone = alignment.missing + np.bincount(
        alignment.old[alignment.suppressed],
        alignment.count[alignment.suppressed],
        len(alignment.original),
    )
    rows = np.bincount(combination, gone, len(combinations)).astype(np.int64)
    if alignment.perturbed:  # the released values of suppressed rows cannot be inferred
        lost = int(rows.sum())
        return OverSuppression(suppressed=lost, published=0, own=None, unknown=lost)
    recoded = _recoded(alignment, combinations, combination, hierarchies)
    known = np.all(recoded != NO_CLASS, axis=1)
    keys = classes.keys.columns(quasi)
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
    """The inferred released codes of each original combination; NO_CLASS for an unknown code.

    Codes beyond those of the release stand for values that do not occur in the release.
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
    released = alignment.released.columns(quasi)
    # A combination that was published for the same original combination has priority. If there are
    # several, the first is used.
    place = combination[alignment.old[kept]]
    recoded[place[::-1]] = released[alignment.new[kept]][::-1]
    return recoded


def _single_valued(old: Index, new: Index, n: int) -> Codes:
    """The only code released for each original code; NO_CLASS if there is none or several.

    A missing or suppressed cell counts only if no value was released for the original code.
    """
    single = np.full(n, NO_CLASS, np.int64)
    for silent in (True, False):  # values come last: they overwrite missing and suppressed
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
    """The code of each value's ancestor at the level to which the whole column was generalized.

    NO_CLASS for all values if no single level explains all pairs of an original code (`old`) and
    its released code (`new`), or if there is no hierarchy (`tree`).
    """
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
