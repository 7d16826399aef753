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
    assert gain(np.array([True, True]), np.array([True, False]), np.array([0, 1]), few, 0) is None


def test_a_gain_and_its_interval():
    """60 of 100 right, and 50 without, ten by the way: the difference is normal, near enough."""
    right, without = np.array([True, True, False]), np.array([True, False, False])
    found = gain(right, without, np.zeros(3, int), np.array([500, 100, 400]), 1)
    assert found.value == pytest.approx(0.1)
    half = 1.96 * (0.1 * 0.9 / 1000) ** 0.5  # of a share of 0.1 among 1000
    assert (found.low, found.high) == pytest.approx((0.1 - half, 0.1 + half), abs=0.003)
    assert gain(right, right, np.zeros(3, int), np.array([500, 100, 400]), 1).high == 0


def test_a_loss_is_below_nought():
    worse, better = np.array([False, False]), np.array([True, False])
    found = gain(worse, better, np.array([0, 1]), np.array([10, 10]), 0)
    assert found.value == -0.5
    assert found.low <= -0.5 <= found.high


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
    assert [(b.low, b.people, b.right) for b in found] == [(0.0, 5, 5), (0.8, 40, 30), (1.0, 2, 2)]
    assert found[1].chance == pytest.approx((0.85 * 30 + 0.8 * 10) / 40)


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (3, 7), (7, 7), (120, 1000)])
def test_the_interval_of_a_share_is_that_of_scipy(hits, n):
    """scipy.stats.binomtest(...).proportion_ci(method="wilson")."""
    theirs = binomtest(hits, n).proportion_ci(method="wilson")
    assert wilson(hits, n) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
