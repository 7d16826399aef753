"""Scores of guesses, by hand and by scipy."""

import numpy as np
import pytest
from scipy.stats import binomtest

from attacks.guess_scores import accuracy, at_coverage, balanced, calibration, gain, wilson

# Groups of people: 30 with value 0, of whom 20 are right; 10 with value 1, 4 right; 9 with value 2.
VALUE, COUNT = np.array([0, 0, 1, 1, 2]), np.array([20, 10, 4, 6, 9])
RIGHT = np.array([True, False, True, False, True])


def test_accuracy_and_balanced_accuracy():
    """The nine people of value 2 count in the first only."""
    assert accuracy(RIGHT, COUNT) == pytest.approx(33 / 49)
    assert balanced(RIGHT, VALUE, COUNT) == pytest.approx((20 / 30 + 4 / 10) / 2)


def test_a_guess_of_the_most_frequent_value_scores_one_in_the_number_of_values():
    value = np.array([0, 1, 2, 3])
    assert balanced(value == 0, value, np.array([900, 50, 30, 10])) == 1 / 4


def test_too_few_people_of_each_value_have_no_balanced_accuracy():
    few = np.array([9, 9])
    assert balanced(np.array([True, True]), np.array([0, 1]), few) is None
    right, value = np.array([True, True]), np.array([0, 1])
    assert gain(right, np.array([True, False]), value, few, value, 0) is None


def test_a_gain_and_its_interval():
    """600 of 1,000 right, and 500 of them without, everybody a class: normal, near enough."""
    right, without = np.arange(1000) < 600, np.arange(1000) < 500
    value, count = np.zeros(1000, int), np.ones(1000, int)
    found = gain(right, without, value, count, np.arange(1000), 1)
    assert found.value == pytest.approx(0.1)
    half = 1.96 * (0.1 * 0.9 / 1000) ** 0.5  # of a share of 0.1 among 1000
    assert (found.low, found.high) == pytest.approx((0.1 - half, 0.1 + half), abs=0.003)
    assert gain(right, right, value, count, np.arange(1000), 1).high == 0


def test_people_of_one_class_are_drawn_together():
    """The same people in 40 classes of 25: the interval is 25 ** 0.5 = 5 times as wide."""
    right, without = np.arange(1000) < 600, np.arange(1000) < 500
    value, count = np.zeros(1000, int), np.ones(1000, int)
    found = gain(right, without, value, count, np.arange(1000) // 25, 1)
    half = 1.96 * (0.1 * 0.9 / 40) ** 0.5
    assert found.value == pytest.approx(0.1)
    assert found.high - found.low == pytest.approx(2 * half, abs=0.03)


def test_a_loss_is_below_nought():
    """Three quarters of value 1 are right only without; the classes of ten people differ."""
    worse, better = np.zeros(5, bool), np.array([False, True, True, True, False])
    value, count = np.array([0, 1, 1, 1, 1]), np.full(5, 10)
    found = gain(worse, better, value, count, np.arange(5), 0)
    assert found.value == -0.375
    assert -0.5 <= found.low < -0.375 < found.high <= 0


@pytest.mark.long
def test_where_guesses_know_nothing_the_interval_has_nought():
    """200 classes of 5 of one value each, guessed by lot: in 95 of 100 draws, give or take.

    If people were drawn one by one, it would be about 60.
    """
    inside = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        value = np.repeat(rng.integers(0, 2, 200), 5)
        right = np.repeat(rng.integers(0, 2, 200), 5) == value
        without, group = value == 0, np.repeat(np.arange(200), 5)
        found = gain(right, without, value, np.ones(1000, int), group, seed)
        inside += found.low <= 0 <= found.high
    assert inside >= 180


def test_the_surest_are_looked_at_first():
    """Ten people at 0.9, all right; thirty at 0.5, ten of them right."""
    chance, right = np.array([0.5, 0.9, 0.5]), np.array([True, True, False])
    found = at_coverage(chance, right, np.array([10, 10, 20]))
    assert found[0.1] == found[0.25] == 1
    assert found[0.5] == pytest.approx((10 + 10 / 3) / 20)
    assert found[1.0] == pytest.approx(20 / 40)


def test_calibration_by_tenths():
    chance, right = np.array([0.85, 0.8, 0.3, 1.0]), np.array([True, False, True, True])
    found = calibration(chance, right, np.array([30, 10, 5, 2]))
    assert [(b.least, b.people, b.right) for b in found] == [
        (0.0, 5, 5),
        (0.8, 40, 30),
        (1.0, 2, 2),
    ]
    assert found[1].chance == pytest.approx((0.85 * 30 + 0.8 * 10) / 40)


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (3, 7), (7, 7), (120, 1000)])
def test_the_interval_of_a_share_is_that_of_scipy(hits, n):
    """scipy.stats.binomtest(...).proportion_ci(method="wilson")."""
    theirs = binomtest(hits, n).proportion_ci(method="wilson")
    assert wilson(hits, n) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
