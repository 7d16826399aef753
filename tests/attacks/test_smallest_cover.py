"""The smallest choice of values that meets every set: each method against counts by hand."""

import math
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pytest

from attacks import smallest_cover as module
from attacks.smallest_cover import (
    MOST_LOOKS,
    _apart,
    _by_matching,
    _by_program,
    _greedy,
    _Search,
    smallest_cover,
)


def frozen(*sets):
    return [frozenset(one) for one in sets]


def covers(sets, values):
    """Every smallest choice of values that meets all sets, by trying all choices."""
    for size in range(len(values) + 1):
        found = [set(c) for c in combinations(values, size) if all(s & set(c) for s in sets)]
        if found:
            return found
    return []


def members(attribute, persons=False):
    return SimpleNamespace(attribute=np.array(attribute), persons=persons)


@pytest.mark.parametrize("attribute", [[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]])
def test_a_matching_covers_every_graph_of_two_by_two(attribute):
    """All sets of one value, and of one of each attribute: 2^8 choices of them."""
    ours, theirs = ([v for v in range(4) if attribute[v] == a] for a in (0, 1))
    edges = [frozenset(pair) for pair in product(ours, theirs)]
    alone = [frozenset({value}) for value in range(4)]
    for chosen in product([False, True], repeat=8):
        sets = [one for one, is_in in zip([*alone, *edges], chosen, strict=True) if is_in]
        if sets:
            assert set(_by_matching(sets, np.array(attribute))) in covers(sets, range(4)), sets


@pytest.mark.parametrize(
    ("sets", "attribute", "wanted"),
    [
        ([{0, 3}, {1, 3}, {2, 3}], [0, 0, 0, 1], [3]),
        ([{0, 3}, {0, 1}, {0, 2}], [0, 1, 1, 1], [0]),
        # A path a-b-c-d-e: b and d.
        ([{0, 3}, {1, 3}, {1, 4}, {2, 4}], [0, 0, 0, 1, 1], [3, 4]),
        ([{0, 2}, {0, 3}, {1, 3}, {1, 4}], [0, 0, 1, 1, 1], [0, 1]),
        ([{0, 2}, {0, 3}, {1, 3}, {1, 4}], [1, 1, 0, 0, 0], [0, 1]),
        # 0 with all of the others, 7 with all of the others: these two, whatever else.
        ([{0, 4}, {0, 5}, {0, 6}, {1, 7}, {2, 7}, {3, 7}, {0, 7}], [0] * 4 + [1] * 4, [0, 7]),
        # 5 must go, and takes two sets along; 0 stands for the two that are left.
        ([{5}, {1, 5}, {2, 5}, {0, 3}, {0, 4}], [0, 0, 0, 1, 1, 1], [0, 5]),
        ([{2}, {5}], [0, 0, 0, 1, 1, 1], [2, 5]),
        # Two stars of four joined: the middles, 2 and 9.
        ([{2, 6}, {2, 7}, {2, 8}, {0, 9}, {1, 9}, {3, 9}], [0] * 5 + [1] * 5, [2, 9]),
    ],
)
def test_the_only_smallest_cover(sets, attribute, wanted):
    """By matching, by program and by search: trees whose smallest cover is one only."""
    limits = [None, None]
    assert _by_matching(frozen(*sets), np.array(attribute)) == wanted
    assert _by_program(frozen(*sets), np.array(attribute), limits).chosen.tolist() == wanted
    assert smallest_cover(frozen(*sets), members(attribute), limits).chosen.tolist() == wanted
    search = _Search(np.array(attribute), limits)
    assert sorted(search.within(frozen(*sets), len(wanted))) == wanted
    assert search.within(frozen(*sets), len(wanted) - 1) is None


TRIANGLES = frozen({0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5})  # two values of each


@pytest.mark.parametrize(
    ("limits", "least"),
    [
        ([None, None, None], 4),
        ([2, 2, 2], 4),
        ([1, None, None], 4),
        ([1, 2, None], 4),
        ([0, 2, 2], 4),
        ([0, 2, 1], None),
        ([1, 1, 1], None),
        ([1, 1, 2], 4),
    ],
)
@pytest.mark.parametrize("looks", [0, MOST_LOOKS])
def test_limits_and_three_attributes(limits, least, looks, monkeypatch):
    """0, 1, 2 are one value of each attribute, and so are 3, 4, 5: of each three two must go.

    Without looks there is no search, and an integer program answers.
    """
    monkeypatch.setattr(module, "MOST_LOOKS", looks)
    attribute = [0, 1, 2, 0, 1, 2]
    cover = smallest_cover(TRIANGLES, members(attribute), limits)
    assert cover.low == cover.high == (math.inf if least is None else least)
    if least is not None:
        found = cover.chosen.tolist()
        assert found == sorted(found)
        assert all(one & set(found) for one in TRIANGLES)
        taken = np.bincount(np.array(attribute)[found], minlength=3)
        assert all(limit is None or n <= limit for n, limit in zip(taken, limits, strict=True))


@pytest.mark.parametrize("looks", [0, MOST_LOOKS])
@pytest.mark.parametrize("limits", [[None], [3], [None, 2]])
def test_a_set_without_values_cannot_be_met(limits, looks, monkeypatch):
    monkeypatch.setattr(module, "MOST_LOOKS", looks)
    assert smallest_cover(frozen({0}, set()), members([0]), limits).low == math.inf
    assert smallest_cover([], members([0]), limits).chosen.tolist() == []


@pytest.mark.parametrize("persons", [False, True])
def test_persons_may_have_two_values_of_one_attribute(persons, monkeypatch):
    """Then the sets are no graph of two sides, and a matching does not answer: a program does."""
    monkeypatch.setattr(module, "MOST_LOOKS", 0)
    used = []
    for name in ("_by_matching", "_by_program"):
        real = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *a, real=real, name=name: used.append(name) or real(*a)
        )
    # A square, which a first look leaves open: two apart, and the greedy choice is three.
    sets = frozen({0, 2}, {0, 3}, {1, 3}, {1, 4}, {0, 4}, {1, 2}, {5, 2}, {5, 3})
    assert len(_greedy(sets)) >= 3
    smallest_cover(sets, members([0, 0, 1, 1, 1, 0], persons), [None, None])
    assert used == (["_by_program"] if persons else ["_by_matching"])


def test_the_greedy_choice_takes_what_most_sets_have_then_the_first():
    """1 is in three sets; then 4 and 5 stand in one set alike."""
    assert _greedy(frozen({0, 1}, {1, 2}, {1, 3}, {4, 5})) == [1, 4]
    assert _greedy(frozen({7, 8}, {8, 9})) == [8]
    assert _greedy([]) == []


def test_sets_apart_are_counted_in_order():
    """{0, 1} takes out {1, 2}; {2, 3} then stands apart, and takes out {3, 0}."""
    assert _apart(frozen({0, 1}, {1, 2}, {2, 3}, {3, 0}, {4})) == 3
    assert _apart([]) == 0


@pytest.mark.parametrize(
    ("limits", "size", "wanted"),
    [
        ([None], 2, [0, 2]),
        ([2], 2, [0, 2]),
        ([1], 2, None),
        ([0], 2, None),
        ([None], 1, None),
        ([None], 3, [0, 2]),
    ],
)
def test_a_search_within_limits(limits, size, wanted):
    """{0, 1} and {2, 3} take one each; the room for values is as before when it is over."""
    search = _Search(np.zeros(4, int), limits)
    room = list(search.room)
    assert search.within(frozen({0, 1}, {2, 3}), size) == wanted
    assert search.room == room


def test_a_search_skips_the_values_there_is_no_room_for():
    """Of the first attribute (0 and 2) one may go: 0, then 3 of the second."""
    search = _Search(np.array([0, 1, 0, 1]), [1, None])
    assert search.within(frozen({0}, {2, 3}), 2) == [0, 3]
    assert _Search(np.array([0, 1]), [0, 1]).within(frozen({0, 1}), 1) == [1]


@pytest.mark.parametrize(("left", "wanted"), [(1, [0]), (0, None), (-1, None)])
def test_a_search_stops_where_its_looks_are_over(left, wanted):
    search = _Search(np.zeros(2, int), [None])
    search.left = left
    assert search.within(frozen({0, 1}), 1) == wanted
    assert search.left == (left - 1 if wanted else left)
    assert search.within([], 0) == []


def test_a_search_begins_with_a_smallest_set():
    """3 must go; then 0 is tried first. Looked at are two sets, and the one that is left."""
    search = _Search(np.zeros(4, int), [None])
    assert search.within(frozen({0, 1, 2}, {3}), 2) == [3, 0]
    assert search.left == MOST_LOOKS - 3


def test_a_program_without_sets():
    assert _by_program([], np.array([0]), [None]).chosen.tolist() == []
