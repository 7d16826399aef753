"""Originals and what is believed of them, counted by hand."""

from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest

from anonaudit.errors import AnonauditError
from attacks.worlds import (
    Posterior,
    _arrangements,
    _wilson,
    assignments,
    ground_originals,
    posterior,
    sampled_posterior,
)


def believed(worlds, release="r"):
    """Of worlds (what it is released as, who has what, how likely): None cannot be masked."""
    return posterior(
        [((masked, has), weight) for masked, has, weight in worlds],
        lambda world: world[0],
        release,
        lambda world: dict(zip(["Ann", "Bob"], world[1], strict=True)),
    )


def shares(found):
    """The share of each value of each target; exact numbers have equal bounds."""
    for chances in found.chances.values():
        assert all(chance.low == chance.share == chance.high for chance in chances.values())
    return {
        who: {value: chance.share for value, chance in chances.items()}
        for who, chances in found.chances.items()
    }


def test_worlds_count_by_their_weight_and_those_that_give_the_release():
    """Of weights 1, 0.5 and 2.5 that give it; one cannot be, one gives another, one fails."""
    worlds = [
        ("other", "xu", 8.0), ("r", "xu", 1.0), ("r", "yu", 0.0), ("r", "xv", 0.5),
        (None, "zu", 1.0), ("r", "yu", 2.5), ("r", "yw", -1.0),
    ]  # fmt: skip
    found = believed(worlds)
    assert (found.worlds, found.kept, found.exact) == (7, 3, True)
    assert shares(found) == {
        "Ann": {"x": 1.5 / 4, "y": 2.5 / 4},
        "Bob": {"u": 3.5 / 4, "v": 0.5 / 4},
    }
    assert found.certain() == {}
    assert list(found.chances["Ann"]) == ["x", "y"]  # in order, however they came


def test_what_all_worlds_agree_on_is_certain():
    found = believed([("r", "yu", 0.25), ("r", "xu", 0.25), ("s", "zv", 9.0)])
    assert (found.certain(), found.worlds, found.kept) == ({"Bob": "u"}, 3, 2)
    assert shares(found) == {"Ann": {"x": 1 / 2, "y": 1 / 2}, "Bob": {"u": 1}}
    assert Posterior(found.chances, 3, 2, exact=False).certain() == {}


@pytest.mark.parametrize("worlds", [[], [("s", "xu", 1.0)], [("r", "xu", 0.0), (None, "xu", 1.0)]])
def test_worlds_that_do_not_give_the_release(worlds):
    with pytest.raises(AnonauditError, match=f"none of {len(worlds)} possible originals gives"):
        believed(worlds)


def test_a_sample_is_counted():
    """Every second world gives the release, every fourth with b: 50 of 100, half of them."""
    turn = iter(range(1_000))
    found = sampled_posterior(
        lambda _: next(turn),
        lambda world: world % 2,
        1,
        lambda world: {"Ann": "ab"[world % 4 // 2], "Bob": "c"},
        samples=100,
        seed=0,
    )
    assert (found.worlds, found.kept, found.exact) == (100, 50, False)
    assert {v: chance.share for v, chance in found.chances["Ann"].items()} == {"a": 0.5, "b": 0.5}
    assert found.chances["Bob"]["c"].share == 1
    assert found.certain() == {}
    assert next(turn) == 100


PEOPLE = [("p",), ("q",), ("r",), ("s",)]


def test_who_in_a_class_has_which_secrets():
    """In class 5 are p and r, with x and y; in 2 q and s, with y twice: two originals."""
    found = assignments(PEOPLE, [5, 2, 5, 2], {5: [("x",), ("y",)], 2: [("y",), ("y",)], 7: []})
    assert found.number == 2
    worlds = dict(found.every)
    assert set(worlds) == {
        (("p", "x"), ("q", "y"), ("r", "y"), ("s", "y")),
        (("p", "y"), ("q", "y"), ("r", "x"), ("s", "y")),
    }
    assert len(set(worlds.values())) == 1
    rng = np.random.default_rng(0)
    drawn = Counter(found.draw(rng) for _ in range(40))
    assert set(drawn) == set(worlds)
    assert min(drawn.values()) > 5


@pytest.mark.parametrize(
    ("secrets", "message"),
    [
        ({1: [("x",)]}, "class 1 has 2 person\\(s\\) but 1 released row"),
        ({1: [("x",)] * 3}, "class 1 has 2 person\\(s\\) but 3 released row"),
        ({}, "class 1 has 2 person\\(s\\) but 0 released row"),
    ],
)
def test_people_and_rows_must_be_as_many(secrets, message):
    with pytest.raises(AnonauditError, match=message):
        assignments(PEOPLE[:2], [1, 1], secrets)


@pytest.mark.parametrize(
    ("rows", "number"), [("", 1), ("a", 1), ("ab", 2), ("aab", 3), ("aabb", 6), ("abcd", 24)]
)
def test_orders_of_rows_that_differ(rows, number):
    found = _arrangements([(row,) for row in rows])
    assert (found, type(found)) == (number, int)


@pytest.mark.parametrize(
    ("rows", "orders"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("aaa", ["aaa"]),
        ("baa", ["aab", "aba", "baa"]),
        ("cab", ["abc", "acb", "bac", "bca", "cab", "cba"]),
        ("abab", ["aabb", "abab", "abba", "baab", "baba", "bbaa"]),
        ("b" + "a" * 29, ["a" * (29 - i) + "b" + "a" * i for i in range(30)]),
        ("a" * 3_000, ["a" * 3_000]),
    ],
)
def test_every_order_once_and_in_ascending_order(rows, orders):
    """The work follows the number of different orders, not the 30! orders of 30 rows."""
    people = [(str(i),) for i in range(len(rows))]
    found = assignments(people, [1] * len(rows), {1: [(row,) for row in rows]})
    assert found.number == len(orders)
    assert ["".join(secret for _, secret in world) for world, _ in found.every] == orders


@pytest.mark.parametrize("rows", ["abcabc", "aabbbb", "cbaed", "ccccab"])
def test_orders_of_a_class_are_those_of_all_permutations(rows):
    found = assignments([("p",)] * len(rows), [1] * len(rows), {1: [(row,) for row in rows]})
    worlds = [tuple(secret for _, secret in world) for world, _ in found.every]
    assert worlds == sorted(set(permutations(rows)))


def test_ground_values_of_every_cell():
    """4* may be two values, and flu stands for itself: 2 for the first row, 2 * 3 for the second."""
    meanings = [{"4*": ["41", "42"]}, {"sick": ["flu", "hiv", "gout"]}]
    found = ground_originals([("4*", "flu"), ("4*", "sick")], meanings)
    assert found.number == 2 * 1 * 2 * 3
    wanted = {
        ((a, "flu"), (b, c))
        for a, b, c in product(["41", "42"], ["41", "42"], ["flu", "hiv", "gout"])
    }
    worlds = list(found.every)
    assert {world for world, _ in worlds} == wanted
    assert (len(worlds), len({weight for _, weight in worlds})) == (12, 1)
    rng = np.random.default_rng(0)
    assert {found.draw(rng) for _ in range(300)} == wanted


def test_chances_lie_between_0_and_1():
    """All of n, or none, though the bounds of some n are rounded to more than 1."""
    for n in range(1, 100):
        assert 0 < _wilson(n, n).low < 1 == _wilson(n, n).share
        assert _wilson(n, n).high <= 1
        assert _wilson(0, n).low >= 0
        assert 0 < _wilson(0, n).high < 1
