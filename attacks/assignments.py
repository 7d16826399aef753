"""Assignments of people to rows of their own: which links are possible, and how likely each is.

Everybody of an external table is in the release, one row (person) each. A world is an assignment
of all people to different rows that fit them. Every world is as likely. A link that no world has is
not a link; one that every world has is certain.

Which links occur in some world is polynomial: a maximum flow gives one world, and the others differ
from it by cycles, which lie inside the strongly connected components of what the flow leaves open.
How many worlds have a link is a permanent, which is counted while a group of people is small.
Source: Gionis, Mazza, Tassa, "k-anonymization revisited", ICDE 2008, for an adversary who removes
links that no assignment has; Regin, "A filtering algorithm for constraints of difference in CSPs",
AAAI 1994, for the components.
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

# More links than this are not assigned.
MOST_ASSIGNED_LINKS: Final = 5_000_000
# Chances are counted where a group of people needs no more states than this.
MOST_STATES: Final = 20_000
# All groups together, the smallest first, have no more states than this.
ALL_STATES: Final = 200_000


class Possible(NamedTuple):
    """The links that occur in some assignment.

    pairs: those links. short: the people who cannot all have a row of their own, shape (n,); their
    links are left as they were.
    """

    pairs: Candidates
    short: Bools


def possible_links(pairs: Candidates, people: Ints, rows: Ints) -> Possible:
    """The links that occur in some assignment of all people to rows of their own.

    Parameters
    ----------
    pairs
        Which rows fit whom; no pair stands twice.
    people
        How many people each target stands for, shape (n,).
    rows
        How many rows each key stands for, shape (m,).

    Raises
    ------
    TooMuchError
        For more than MOST_ASSIGNED_LINKS pairs.

    Example
    -------
    One fits both rows, the other only the second. So the first row belongs to the first.

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
    """How many people can have a row of their own at once; arguments as of `possible_links`.

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
    """How many people of each pair one largest assignment sends along it, shape (n_pairs,)."""
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
    """How many groups of people and rows no link joins, and the group of each, people first."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(pairs.person), np.int8)
    graph = csr_matrix((ones, (pairs.person, pairs.key + n)), (n + m, n + m))
    number, side = connected_components(graph, directed=False)
    return number, side.astype(np.intp)


class LinkShares(NamedTuple):
    """How likely each link is.

    share: of each pair, over all rows of its key; NaN where it was not counted. low, high: bounds.
    """

    share: Floats
    low: Floats
    high: Floats


def link_shares(
    possible: Possible, people: Ints, rows: Ints, most_states: int = MOST_STATES
) -> LinkShares:
    """The share of all assignments in which a person of the target has a row of the key.

    Parameters
    ----------
    possible
        The links, as `possible_links` returns them.
    people, rows
        How many people each target is, and how many rows each key.
    most_states
        Where counting stops.

    Notes
    -----
    Exact where a group of people that share rows needs at most `most_states` states, and the groups
    that are no larger need no more than ALL_STATES with it. Beyond that a
    link between 0 and 1 is bounded: no row is likelier than 1 in the people who fit the same rows,
    nor than 1 in the rows that fit the same people.

    Example
    -------
    Two people fit both rows: each has the first in one of the two assignments.

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
    """A number for each of n nodes; those with the same neighbours have the same."""
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
    """The share of each link between kinds of people and kinds of rows, and the states it took.

    The shares are None for too many states.

    Assigns the people one by one. A state is how many rows of each kind are left, as far as
    anybody still to come fits them. Ways forward times ways backward give a link's assignments.
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
    """What is left after a row of one kind is taken; a kind that nobody needs any more counts 0."""
    return tuple(0 if last[i] <= step else number - (i == at) for i, number in enumerate(left))


def _backward(
    queue: Sequence[int],
    fits: dict[int, set[int]],
    place: dict[int, int],
    last: dict[int, int],
    layers: Sequence[dict[tuple[int, ...], int]],
) -> dict[tuple[int, int], float]:
    """The share of each link, from how many ways lead to each state."""
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
