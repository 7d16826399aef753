"""Find a smallest set of values that meets every given set: a minimum hitting set.

Two sets meet if they share a value. The elimination attack solves one such problem for each target
that the bounds do not decide. A value is here a vertex of `Members`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anonaudit.arrays import Index
from anonaudit.models.cover import Cover, cover_by_program
from attacks.members import Members

Limits = Sequence[int | None]
NO_COVER = Cover(np.inf, None)

# The search for one target stops after it has examined this many sets.
MOST_LOOKS = 10_000


def smallest_cover(sets: Sequence[frozenset[int]], members: Members, limits: Limits) -> Cover:
    """Return a smallest set of values that meets every one of `sets` within the limits.

    limits: by attribute, how many of its values may be chosen; None for no limit. The result is
    NO_COVER if no choice within the limits meets every set.

    Disjoint sets, found greedily, give a lower bound of the size. Without limits, the size of a
    greedy choice is an upper bound. A search that branches on the values of a smallest set tries
    the sizes from the lower to the upper bound. If the search stops early, another method is used:
    maximum matching if rows are counted and have two attributes without limits, otherwise an
    integer program.
    """
    if any(not one for one in sets):
        return NO_COVER
    free = all(limit is None for limit in limits)
    high = len(members.attribute) + 1
    if free:
        greedy = _greedy(sets)
        high = len(greedy)
    search = _Search(members.attribute, limits)
    for size in range(_apart(sets), min(high, len(sets) + 1)):
        cover = search.within(list(sets), size)
        if cover is not None:
            return _least(cover)
        if search.left <= 0:
            break
    else:  # no tried size suffices: the greedy choice is smallest, or limits allow no choice
        return _least(greedy) if free else NO_COVER
    if free and len(limits) == 2 and not members.persons:
        return _least(_by_matching(sets, members.attribute))
    return _by_program(sets, members.attribute, limits)


def _least(chosen: Sequence[int]) -> Cover:
    """Return a Cover for a choice that is known to be smallest."""
    return Cover(len(chosen), np.array(sorted(chosen), np.intp))


def _apart(sets: Sequence[frozenset[int]]) -> int:
    """Return how many disjoint sets a greedy search finds.

    Each of these sets needs a value of its own, so no smaller choice meets all sets.
    """
    used: set[int] = set()
    number = 0
    for one in sets:
        if used.isdisjoint(one):
            used |= one
            number += 1
    return number


class _Search:
    """A search that branches on the values of a smallest unmet set; it stops after MOST_LOOKS."""

    def __init__(self, attribute: Index, limits: Limits) -> None:
        self.attribute = attribute
        self.room = [np.inf if limit is None else limit for limit in limits]
        self.left = MOST_LOOKS

    def within(self, sets: list[frozenset[int]], size: int) -> list[int] | None:
        """Return at most `size` values that meet every set.

        The result is None if there are no such values, or if the search stopped (`left` <= 0).
        """
        if not sets:
            return []
        if self.left <= 0 or _apart(sets) > size:
            return None
        smallest: frozenset[int] = min(sets, key=len)
        for value in sorted(smallest):
            j = self.attribute[value]
            if self.room[j] < 1:
                continue
            self.left -= len(sets)
            self.room[j] -= 1
            cover = self.within([one for one in sets if value not in one], size - 1)
            self.room[j] += 1
            if cover is not None:
                return [value, *cover]
        return None


def _greedy(sets: Sequence[frozenset[int]]) -> list[int]:
    left, chosen = list(sets), []
    while left:
        counts: dict[int, int] = {}
        for one in left:
            for value in one:
                counts[value] = counts.get(value, 0) + 1
        best = min(counts, key=lambda value: (-counts[value], value))
        chosen.append(best)
        left = [one for one in left if best not in one]
    return chosen


def _by_matching(sets: Sequence[frozenset[int]], attribute: Index) -> list[int]:
    """Return a smallest choice, from a maximum matching (König's theorem).

    Each set has one value, or two values of different attributes. The sets of two values are the
    edges of a bipartite graph, and the choice is a smallest vertex cover.
    """
    from scipy import sparse  # slow to start
    from scipy.sparse.csgraph import maximum_bipartite_matching

    forced = {next(iter(one)) for one in sets if len(one) == 1}
    edges = [
        sorted(one, key=lambda value: attribute[value]) for one in sets if forced.isdisjoint(one)
    ]
    if not edges:
        return sorted(forced)
    used, place = np.unique(np.array(edges), return_inverse=True)
    left, right = place.reshape(-1, 2).T
    graph = sparse.csr_array((np.ones(len(left)), (left, right)), shape=(len(used), len(used)))
    partner = maximum_bipartite_matching(graph, perm_type="column")  # of each left vertex, or -1
    owner = np.full(len(used), -1)
    owner[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    seen, stack = set(), [int(x) for x in np.unique(left) if partner[x] < 0]
    while stack:  # follow alternating paths from the unmatched left side
        x = stack.pop()
        seen.add(x)
        for y in right[left == x].tolist():
            if y not in seen:
                seen.add(y)
                stack.append(int(owner[y]))  # y has an owner, because the matching is maximum
    cover = [x for x in np.unique(left).tolist() if x not in seen]
    cover += [y for y in np.unique(right).tolist() if y in seen]
    return sorted({*forced, *(int(used[x]) for x in cover)})


def _by_program(sets: Sequence[frozenset[int]], attribute: Index, limits: Limits) -> Cover:
    """Return a smallest choice by an integer program (HiGHS)."""
    from scipy import sparse  # slow to start

    used = np.array(sorted(set().union(*sets)), np.intp)
    if not len(used):
        return _least([])
    place = {int(value): i for i, value in enumerate(used)}
    row = np.repeat(np.arange(len(sets)), [len(one) for one in sets])
    column = np.array([place[value] for one in sets for value in sorted(one)], np.intp)
    meets: Any = sparse.csr_array((np.ones(len(row)), (row, column)), shape=(len(sets), len(used)))
    cover = cover_by_program(meets, attribute[used], limits)
    return cover if cover.chosen is None else Cover(cover.low, used[cover.chosen])
