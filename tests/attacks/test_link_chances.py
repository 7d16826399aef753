"""Chances of links and of values, worked out by hand."""

import numpy as np
import pytest
from builders import reduced

from anonaudit.attack import Setting
from anonaudit.frequency.frequency_set import FrequencySet
from attacks import link_chances
from attacks.link_chances import views
from attacks.linkage import Linkage

LIKELIEST = "chance of the likeliest value"


def of(*numbers):
    return np.array(numbers)


def test_three_views_of_four_combinations():
    """Two people fit 4 rows, three fit 2, one fits 1, and five fit nothing.

    Released are combinations of 1, 2, 3 and 9 rows, which fit 1, 5, 6 and 0 people.
    """
    found = views(of(4.0, 2, 1, 0), of(2, 3, 1, 5), of(1.0, 5, 6, 0), of(1, 2, 3, 9))
    right = 2 / 4 + 3 / 2 + 1
    assert found == {
        "prosecutor": {"highest": 1, "average": pytest.approx(right / 6)},
        "journalist": {"highest": 1, "average": pytest.approx((1 + 2 / 5 + 3 / 6) / 6)},
        "marketer": {"right links": pytest.approx(right), "share": pytest.approx(right / 11)},
    }


def test_the_highest_chance_need_not_be_1():
    found = views(of(4.0, 2), of(3, 1), of(4.0, 3), of(2, 2))
    assert found["prosecutor"] == {"highest": 1 / 2, "average": (3 / 4 + 1 / 2) / 4}
    assert found["journalist"]["highest"] == 1 / 3
    assert found["journalist"]["average"] == pytest.approx((2 / 4 + 2 / 3) / 4)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_nobody_matches(n):
    assert views(np.zeros(n), np.ones(n, int), np.zeros(2), of(1, 1)) is None


def likeliest(rows, qi, sensitive, people):
    external = FrequencySet.of([str(c) for c in qi], people)
    setting = Setting(classes=reduced(rows, qi, sensitive), external=external)
    return Linkage().run(setting).details.get(LIKELIEST, {})


ROWS = [("1-2", None, "s"), ("1-2", None, "s"), ("1-2", None, "t"), ("2-3", None, "t")]


def test_the_likeliest_value_by_hand():
    """1 fits s, s, t; 2 all four rows, two of each value; there are two of 3, who fit t.

    1-2 fits 1 and 2, and 2-3 three people. So for 2 the rows of 1-2 count 1/2 each, which are s
    by 2/2 and t by 1/2, and the row of 2-3 counts 1/3: s by 1 in 11/6.
    """
    found = likeliest(ROWS, [0], [1, 2], [("1",), ("2",), ("3",), ("3",), ("9",)])
    assert list(found) == ["2"]  # of the other column nothing is known
    assert found["2"]["uniform"] == {
        "highest": 1, "average": pytest.approx((2 / 3 + 2 / 4 + 2 * 1) / 4),
    }  # fmt: skip
    assert found["2"]["by population"] == {
        "highest": 1, "average": pytest.approx((2 / 3 + 6 / 11 + 2 * 1) / 4),
    }  # fmt: skip


def test_an_unknown_value_is_no_value_and_counts_as_a_row():
    """Of four rows of a one is s, and two are unknown; all of b are t."""
    rows = [("a", "s"), ("a", "t"), ("a", None), ("a", "*"), ("b", "t")]
    found = likeliest(rows, [0], [1], [("a",), ("b",), ("b",)])
    assert found["1"]["uniform"] == {"highest": 1, "average": pytest.approx((1 / 4 + 2) / 3)}
    assert likeliest(rows, [0], [1], [("a",)])["1"]["uniform"]["highest"] == 1 / 4


@pytest.mark.parametrize(("most", "told"), [(5, ["1", "2"]), (4, ["2"]), (2, ["2"]), (1, [])])
def test_more_values_than_are_worked_out(most, told, monkeypatch):
    """a meets three values of the first column and b two; of the second each meets one."""
    monkeypatch.setattr(link_chances, "MOST_TRIPLES", most)
    rows = [("a", "s", "u"), ("a", "t", "u"), ("a", "r", "u"), ("b", "s", "u"), ("b", "t", "u")]
    assert list(likeliest(rows, [0], [1, 2], [("a",), ("b",)])) == told
