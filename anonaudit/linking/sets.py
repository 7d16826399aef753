"""Derive the pairs of sets such as `{F,M}` from the pairs of their members."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final

import numpy as np

from anonaudit.arrays import Index
from anonaudit.frequency.codes import distinct_rows, runs
from anonaudit.linking.too_much import check_undecided

Sets = Mapping[int, frozenset[int]]

# Nested sets are split into members down to this depth.
DEEPEST_SET: Final = 5


def taken_apart(
    codes: dict[str, int], first: int, members_of: Callable[[str], Collection[str]]
) -> Sets:
    """The codes of the members of each set, by the code of the set.

    codes: the code of each text. The dict is changed: members without a code get codes from `first`
        on.
    members_of: returns the members of a text that is a set, and nothing for any other text. It is
        called once for each text.

    The members of a set include the members of sets nested in it. A set that is nested deeper than
    DEEPEST_SET is not split.
    """
    sets: dict[int, frozenset[int]] = {}
    level = [*codes]
    for depth in range(DEEPEST_SET + 1):
        new: list[str] = []
        for text in level:
            members = members_of(text)
            if members and depth < DEEPEST_SET:
                for member in sorted(members):
                    if member not in codes:
                        codes[member] = first
                        first += 1
                        new.append(member)
                sets[codes[text]] = frozenset(codes[member] for member in members)
        level = new
    # A member is shorter than its set. So when a set is reached, its members are complete.
    for text in sorted(codes, key=len):
        if inner := sets.get(codes[text]):
            sets[codes[text]] = inner.union(*(sets.get(member, ()) for member in inner))
    return sets


def with_label_sets(pairs: Index, sets: Sets) -> Index:
    """The pairs (value, label that is a set) for which `pairs` has (value, a member of the set).

    Raises TooMuchError if there are too many pairs.
    """
    return _of_holders(pairs, sets)


def with_value_sets(pairs: Index, sets: Sets, *, every: bool) -> Index:
    """The pairs (value that is a set, label) for which `pairs` has (a member of the set, label).

    every: True if all members must be paired with the label, False if one is enough.

    Raises TooMuchError if there are too many pairs.
    """
    leaves = {code: members - sets.keys() for code, members in sets.items()}
    held = _of_holders(pairs[:, ::-1], leaves)[:, ::-1]
    if every and len(held):
        table, which = distinct_rows(held.astype(np.int64))
        needed = np.array([len(leaves[code]) for code in table[:, 0].tolist()])
        held = table[np.bincount(which, minlength=len(table)) == needed]
    return held


def _of_holders(pairs: Index, sets: Sets) -> Index:
    """Replace the second code of each pair by each set that contains it.

    Pairs whose second code is in no set are dropped.
    """
    edges = np.array(
        [(member, code) for code, members in sets.items() for member in members], np.intp
    ).reshape(-1, 2)
    edges = edges[np.argsort(edges[:, 0], kind="stable")]
    pairs = distinct_rows(pairs.astype(np.int64))[0] if len(pairs) else pairs
    start = np.searchsorted(edges[:, 0], pairs[:, 1])
    length = np.searchsorted(edges[:, 0], pairs[:, 1], side="right") - start
    check_undecided(int(length.sum()))
    place, within = runs(length)
    return np.column_stack([pairs[place, 0], edges[start[place] + within, 1]])
