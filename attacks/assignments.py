"""Assign people to rows of their own: which links are possible, and how likely each link is.

Everybody in an external table has one row in the release. (If persons are counted, read "released
person" for "row".) A link is a pair of a person and a matching row. An assignment gives all people
different rows that match them; all assignments are equally likely. A link that no assignment
contains is ruled out, and a link that all assignments contain is certain.

The functions work on groups of equal nodes. A target is several people with the same values, and a
key is several rows with the same values.

The possible links are found in polynomial time. A maximum flow gives one assignment. Every other
assignment differs from the first assignment by cycles of the residual graph. Each cycle lies inside
a strongly connected component. The number of assignments that contain a link is a permanent. The
permanent is computed for small groups of people only.

Source: Gionis, Mazza, Tassa, "k-anonymization revisited", ICDE 2008, for an adversary who removes
links that no assignment has; Regin, "A filtering algorithm for constraints of difference in CSPs",
AAAI 1994, for the strongly connected components.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from anonaudit.arrays import Bools, Floats, Index, Ints
from anonaudit.linking.matching import Candidates
from anonaudit.linking.too_much import TooMuchError

# With more pairs of a target and a key than this, `possible_links` raises TooMuchError.
MOST_ASSIGNED_LINKS: Final = 5_000_000
# `link_shares` counts the assignments of a group only if this needs at most so many states.
MOST_STATES: Final = 20_000
# The groups are counted from the smallest on, until they have used this many states together.
ALL_STATES: Final = 200_000


class Possible(NamedTuple):
    """The links that occur in some assignment.

    pairs: these links, as pairs of a target and a key. short: shape (n,), True for the targets of a
    connected group in which not everybody can have a row of their own. All links of these targets
    are kept.
    """

    pairs: Candidates
    short: Bools


def possible_links(pairs: Candidates, people: Ints, rows: Ints) -> Possible:
    """Return the links that occur in some assignment of all people to rows of their own.

    Parameters
    ----------
    pairs
        The pairs of a target and a key that match; no pair occurs twice.
    people
        How many people each target is, shape (n,).
    rows
        How many rows each key has, shape (m,).

    Raises
    ------
    TooMuchError
        For more than MOST_ASSIGNED_LINKS pairs.

    Example
    -------
    Person 0 matches both rows, person 1 only the second. So the first row belongs to person 0.

    >>> pairs = Candidates(np.array([0, 0, 1]), np.array([0, 1, 1]))
    >>> possible = possible_links(pairs, np.array([1, 1]), np.array([1, 1]))
    >>> possible.pairs.person.tolist(), possible.pairs.key.tolist(), possible.short.tolist()
    ([0, 1], [0, 1], [False, False])
    """
    from scipy.sparse import csr_matrix  # slow to start
    from scipy.sparse.csgraph import connected_components

    _check_links(pairs)
    n, m = len(people), len(rows)
    if not len(pairs.person):
        return Possible(pairs, people > 0)
    sent = _flow(pairs, people, rows)
    weak, side = joined(pairs, n, m)
    missing = np.bincount(side[:n], people, weak)
    np.subtract.at(missing, side[pairs.person], sent)
    short = missing[side[:n]] > 0
    tail, head = pairs.person, pairs.key + n
    back = sent > 0
    used = np.bincount(pairs.key, sent, m).astype(np.int64)
    spare, taken = np.flatnonzero(used < rows), np.flatnonzero(used)
    sink = n + m
    start = np.concatenate([tail, head[back], spare + n, np.full(len(taken), sink)])
    end = np.concatenate([head, tail[back], np.full(len(spare), sink), taken + n])
    graph = csr_matrix((np.ones(len(start), np.int8), (start, end)), (sink + 1, sink + 1))
    _, strong = connected_components(graph, directed=True, connection="strong")
    keep = back | (strong[tail] == strong[head]) | short[pairs.person]
    return Possible(Candidates(pairs.person[keep], pairs.key[keep]), short)


def most_assigned(pairs: Candidates, people: Ints, rows: Ints) -> int:
    """Return the largest number of people who can have a row of their own at the same time.

    The arguments are those of `possible_links`.

    >>> pairs = Candidates(np.array([0, 1]), np.array([0, 0]))
    >>> most_assigned(pairs, np.array([2, 2]), np.array([3]))
    3
    """
    _check_links(pairs)
    return int(_flow(pairs, people, rows).sum()) if len(pairs.person) else 0


def _check_links(pairs: Candidates) -> None:
    if len(pairs.person) > MOST_ASSIGNED_LINKS:
        raise TooMuchError(
            f"{len(pairs.person)} links are too many to assign everybody a row (at most "
            f"{MOST_ASSIGNED_LINKS}); name more columns, or fewer people"
        )


def _flow(pairs: Candidates, people: Ints, rows: Ints) -> Ints:
    """Return how many people a largest assignment sends along each pair, shape (n_pairs,)."""
    from scipy.sparse import csr_array, csr_matrix
    from scipy.sparse.csgraph import maximum_flow

    n, m = len(people), len(rows)
    source, sink = n + m, n + m + 1
    start = np.concatenate([pairs.person, np.full(n, source), np.arange(m) + n])
    end = np.concatenate([pairs.key + n, np.arange(n), np.full(m, sink)])
    most = np.minimum(people[pairs.person], rows[pairs.key])
    room = np.concatenate([most, people, rows]).astype(np.int32)
    graph = csr_array((room, (start, end)), (sink + 1, sink + 1))
    sent = csr_matrix(maximum_flow(graph, source, sink).flow)
    flow: Ints = np.asarray(sent[pairs.person, pairs.key + n]).ravel().astype(np.int64)
    return np.maximum(flow, 0)


def joined(pairs: Candidates, n: int, m: int) -> tuple[int, Index]:
    """Return the number of connected groups, and the group of each node, shape (n + m,).

    The n targets come first, then the m keys.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(pairs.person), np.int8)
    graph = csr_matrix((ones, (pairs.person, pairs.key + n)), (n + m, n + m))
    number, side = connected_components(graph, directed=False)
    return number, side.astype(np.intp)


class LinkShares(NamedTuple):
    """How likely each link is; all shapes (n_pairs,).

    share: the chance that a person of the target has one of the rows of the key; NaN if it was not
    counted. low, high: bounds of this chance.
    """

    share: Floats
    low: Floats
    high: Floats


def link_shares(
    possible: Possible, people: Ints, rows: Ints, most_states: int = MOST_STATES
) -> LinkShares:
    """Return for each pair the share of assignments that give a target's person a row of the key.

    Parameters
    ----------
    possible
        The links, as `possible_links` returns them.
    people, rows
        How many people each target is, and how many rows each key has.
    most_states
        The largest number of states that one group may need (see `_counted`).

    Notes
    -----
    A group is a set of people and rows that links connect. Its shares are exact if it needs at most
    `most_states` states, and if it and all smaller groups need at most ALL_STATES together.
    Otherwise the shares have bounds only. Let the key have n rows, let p people match exactly the
    rows that the target matches, and let r rows match exactly the people that the key matches. The
    bounds are 0 and n / max(p, r). In a group that is short of rows the bounds are 0 and 1.

    Example
    -------
    Two people match both rows. Each has the first row in one of the two assignments.

    >>> pairs = Candidates(np.array([0, 0]), np.array([0, 1]))
    >>> both = possible_links(pairs, np.array([2]), np.array([1, 1]))
    >>> link_shares(both, np.array([2]), np.array([1, 1])).share.tolist()
    [0.5, 0.5]
    """
    pairs = possible.pairs
    n, m, size = len(people), len(rows), len(pairs.person)
    share, low, high = np.full(size, np.nan), np.zeros(size), np.ones(size)
    number, side = joined(pairs, n, m)
    like_person = _alike(pairs.person, pairs.key, n)
    like_key = _alike(pairs.key, pairs.person, m)
    crowd = np.bincount(like_person, people).astype(np.float64)
    room = np.bincount(like_key, rows).astype(np.float64)
    of_group = rows[pairs.key] / room[like_key[pairs.key]]
    order = np.argsort(side[pairs.person], kind="stable")
    starts = np.searchsorted(side[pairs.person][order], np.arange(number + 1))
    groups = sorted(pairwise(starts.tolist()), key=lambda one: one[1] - one[0])
    budget = ALL_STATES
    for a, b in groups:
        inside = order[a:b]
        if not len(inside) or possible.short[pairs.person[inside[0]]]:
            continue
        who, where = like_person[pairs.person[inside]], like_key[pairs.key[inside]]
        shares, states = _counted(who, where, crowd, room, min(most_states, budget))
        budget = max(budget - states, 0)
        if shares is not None:
            share[inside] = [
                shares[link] for link in zip(who.tolist(), where.tolist(), strict=True)
            ]
            share[inside] *= of_group[inside]
            low[inside] = high[inside] = share[inside]
            continue
        most = np.minimum(1.0, room[where] / np.maximum(crowd[who], 1))
        high[inside] = most * of_group[inside]
    return LinkShares(share, low, high)


def _alike(own: Index, other: Index, n: int) -> Index:
    """Return a number for each of n nodes; nodes with the same neighbours have the same number."""
    from scipy.sparse import csr_matrix

    graph = csr_matrix(
        (np.ones(len(own), np.int8), (own, other)), (n, int(other.max(initial=0)) + 1)
    )
    graph.sort_indices()
    start, end = graph.indptr, graph.indices
    seen: dict[bytes, int] = {}
    names = [end[start[i] : start[i + 1]].tobytes() for i in range(n)]
    return np.array([seen.setdefault(name, len(seen)) for name in names], np.intp)


def _counted(
    who: Index, where: Index, crowd: Floats, room: Floats, most_states: int
) -> tuple[dict[tuple[int, int], float] | None, int]:
    """Return the share of each link between kinds of people and kinds of rows, and the states used.

    All people of one kind match the same rows, and all rows of one kind match the same people. The
    shares are None if more than `most_states` states are needed.

    The people are assigned one by one. A state says how many rows of each kind are free. A kind
    that nobody later in the queue matches counts 0. For each state before a link, the number of
    ways to reach the state is multiplied by the number of ways to continue after the link. The sum
    over the states is the number of assignments with the link.

    who, where: the kind of people and the kind of rows of each link. crowd, room: how many people,
    and how many rows, each kind has.
    """
    fits: defaultdict[int, set[int]] = defaultdict(set)
    for person, key in zip(who.tolist(), where.tolist(), strict=True):
        fits[person].add(key)
    kinds = sorted({key for keys in fits.values() for key in keys})
    if len(kinds) == 1:
        return {(person, kinds[0]): 1.0 for person in fits}, 0
    place = {key: i for i, key in enumerate(kinds)}
    line = sorted(fits, key=lambda person: sorted(place[key] for key in fits[person]))
    queue = [person for person in line for _ in range(int(crowd[person]))]
    last = {place[key]: i for i, person in enumerate(queue) for key in fits[person]}
    layers, states = [{tuple(int(room[key]) for key in kinds): 1}], 1
    for i, person in enumerate(queue):
        following: defaultdict[tuple[int, ...], int] = defaultdict(int)
        for left, ways in layers[-1].items():
            for key in fits[person]:
                at = place[key]
                if left[at]:
                    following[_taken(left, at, i, last)] += ways * left[at]
        states += len(following)
        if states > most_states:
            return None, states
        layers.append(dict(following))
    return _backward(queue, fits, place, last, layers), states


def _taken(left: tuple[int, ...], at: int, step: int, last: dict[int, int]) -> tuple[int, ...]:
    """Return the free rows of each kind after one row of kind `at` is taken.

    A kind that nobody later in the queue matches counts 0.
    """
    return tuple(0 if last[i] <= step else number - (i == at) for i, number in enumerate(left))


def _backward(
    queue: Sequence[int],
    fits: dict[int, set[int]],
    place: dict[int, int],
    last: dict[int, int],
    layers: Sequence[dict[tuple[int, ...], int]],
) -> dict[tuple[int, int], float]:
    """Return the share of each link, given the number of ways to reach each state."""
    onward = dict.fromkeys(layers[-1], 1)
    counted: dict[tuple[int, int], int] = {}
    for i in range(len(queue) - 1, -1, -1):
        person, before = queue[i], {}
        having = dict.fromkeys(fits[person], 0)
        for left, ways in layers[i].items():
            before[left] = 0
            for key in fits[person]:
                number = left[place[key]]
                if number:
                    rest = number * onward[_taken(left, place[key], i, last)]
                    before[left] += rest
                    having[key] += ways * rest
        counted.update({(person, key): n for key, n in having.items()})
        onward = before
    total = next(iter(onward.values()))
    return {link: n / total for link, n in counted.items()}
