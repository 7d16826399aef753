"""Unsorted matching: the chance of a fit by every order there is, and each way to end; by hand."""

from itertools import permutations

import numpy as np
import pytest
from builders import reduced
from scipy.stats import norm

from anonaudit.attack import Setting
from anonaudit.findings import Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.source.table import ROW_NUMBER
from attacks import unsorted_matching
from attacks.unsorted_matching import DRAWS, UnsortedMatching, _chance

FITS = {  # persons' combinations, rows' combinations, and which fit which
    "alike": ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 0, 1], [(0, 0), (1, 1)]),
    "three": ([0, 1, 2, 0, 1, 2], [0, 0, 1, 1, 2, 2], [(0, 0), (0, 1), (1, 1), (2, 2)]),
    "uneven": ([0, 0, 0, 0, 1, 2], [0, 1, 1, 1, 1, 1], [(0, 0), (1, 1), (2, 0)]),
    "one": ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [(i, i) for i in range(6)]),
    "broad": ([0, 1, 2, 3], [0, 1, 2, 2], [(0, 0), (0, 1), (0, 2), (1, 1), (2, 2), (2, 0)]),
}


def every_order(person, key, fit):
    """How many rows fit, in each order of the second file."""
    return [
        sum(pair in fit for pair in zip(person, order, strict=True)) for order in permutations(key)
    ]


@pytest.mark.parametrize("name", FITS)
def test_the_spread_over_all_orders(name, monkeypatch):
    """The normal tail from half a row below, with the mean and the spread of all orders there are."""
    monkeypatch.setattr(unsorted_matching, "FEW_ROWS", 0)
    person, key, fit = FITS[name]
    counts = every_order(person, key, fit)
    pairs = tuple(np.array(fit).T)
    for found in range(len(person) + 1):
        chance = _chance(found, np.array(person), np.array(key), pairs, np.random.default_rng(0))
        tail = norm.sf((found - 0.5 - np.mean(counts)) / np.std(counts))
        assert chance == pytest.approx(tail, rel=1e-9)


@pytest.mark.parametrize("name", FITS)
def test_orders_that_are_drawn_are_as_likely(name):
    """9,999 orders, of which as many fit so well as of all orders; and the one that is seen."""
    person, key, fit = FITS[name]
    counts = np.array(every_order(person, key, fit))
    pairs = tuple(np.array(fit).T)
    for found in (counts.min(), int(np.median(counts)), counts.max()):
        chance = _chance(found, np.array(person), np.array(key), pairs, np.random.default_rng(0))
        assert chance == pytest.approx((counts >= found).mean(), abs=0.02)
    best = _chance(
        len(person) + 1, np.array(person), np.array(key), pairs, np.random.default_rng(0)
    )
    assert best == 1 / 10_000


@pytest.mark.parametrize("n", [3, 1_500])
def test_rows_that_all_fit_in_any_order(n):
    rows, fit = np.zeros(n, int), (np.array([0]), np.array([0]))
    for found, chance in ((n - 1, 1), (n, 1)):
        assert _chance(found, rows, rows, fit, np.random.default_rng(0)) == chance
    more = _chance(n + 1, rows, rows, fit, np.random.default_rng(0))
    assert more == (1 / (DRAWS + 1) if n == 3 else 0)


def test_up_to_a_thousand_rows_orders_are_drawn(monkeypatch):
    """A chance that was drawn is a whole number of ten-thousandths."""
    monkeypatch.setattr(unsorted_matching, "DRAWS", 99)
    for n in (1_000, 1_001):
        rows, fit = np.arange(n) % 7, (np.arange(7), np.arange(7))
        chance = _chance(n // 7 + 5, rows, rows, fit, np.random.default_rng(0))
        assert (chance * 100 == pytest.approx(round(chance * 100), abs=1e-9)) == (n == 1_000)
        assert 0.05 < chance < 0.6


def run(ours, theirs, sensitive=True, allowed=None, **options):
    """Our people by the rows of their file, and the cells of the release, row by row."""
    numbered = {
        name: FrequencySet.of([ROW_NUMBER, "0"], [(str(i + 1), x) for i, x in enumerate(cells)])
        for name, cells in (("people", ours), ("release", theirs))
    }
    rows = [(x, "st"[i % 2]) for i, x in enumerate(theirs)]
    return UnsortedMatching().run(
        Setting(
            classes=reduced(rows, [0], [1] if sensitive else []),
            external=FrequencySet.of(["0"], [(x,) for x in ours]),
            ordered=lambda: (numbered["release"], numbered["people"]),
            options=options,
            allowed=allowed,
        )
    )


EIGHT = list("abcdefgh")
MIXED = ["a", "b", "c", "a", "d", "e", "f", "g"]


@pytest.mark.parametrize(
    ("ours", "theirs", "options", "identified", "outcome", "reason"),
    [
        (EIGHT, EIGHT, {}, 8, Outcome.VIOLATED, None),
        (MIXED, MIXED, {}, 8, Outcome.VIOLATED, None),
        # Seven fit, of which the chance is small: 7/8 is 0.875.
        ([*EIGHT[:7], "x"], EIGHT, {}, 0, Outcome.HOLDS, None),
        ([*EIGHT[:7], "x"], EIGHT, {"agreement": 0.88}, 0, Outcome.HOLDS, None),
        ([*EIGHT[:7], "x"], EIGHT, {"agreement": 0.875}, 7, Outcome.VIOLATED, None),
        (["x", *EIGHT[1:]], EIGHT, {"agreement": 0.875}, 7, Outcome.VIOLATED, None),
        # Two fit in half of all orders.
        (["a", "b"], ["a", "b"], {}, 0, Outcome.INCONCLUSIVE, "a random order would fit"),
        (["a", "b"], ["a", "b"], {"chance": 0.6}, 2, Outcome.VIOLATED, None),
        (["a", "b"], ["b", "a"], {"chance": 0.6}, 0, Outcome.HOLDS, None),
        # The classes stand together, in order of text or not.
        (list("aaabbbcc"), list("aaabbbcc"), {}, 0, Outcome.INCONCLUSIVE, "the rows of each class"),
        (list("cccaabbb"), list("cccaabbb"), {}, 0, Outcome.INCONCLUSIVE, "the rows of each class"),
        (list("aabbbcca"), list("aabbbcca"), {}, 8, Outcome.VIOLATED, None),
        # One class: any order fits.
        (list("aaaa"), list("aaaa"), {}, 0, Outcome.INCONCLUSIVE, "a random order would fit"),
        # Sorted, but not theirs: nothing is linked, and nothing unfinished.
        (list("aaabbbcc"), list("bbbaaacc"), {}, 0, Outcome.HOLDS, None),
        (["x", "y"], ["a", "b"], {}, 0, Outcome.INCONCLUSIVE, "2 label(s) of 0 cannot be compared"),
    ],
)  # fmt: skip
def test_how_it_ends(ours, theirs, options, identified, outcome, reason):
    found = run(ours, theirs, allowed=0.0, **options)
    assert (found.targets, found.identified, found.disclosed) == (len(ours), identified, identified)
    assert (found.rate, found.outcome) == (identified / len(ours), outcome)
    assert found.reason is None if reason is None else found.reason.startswith(reason)
    fit = sum(a == b for a, b in zip(ours, theirs, strict=True))
    by_chance = sum(ours.count(x) * theirs.count(x) for x in set(theirs)) / len(ours)
    assert found.details["rows that fit"] == fit
    assert found.details["rows that fit by chance"] == pytest.approx(by_chance)
    assert found.baseline == pytest.approx(by_chance / len(ours))
    none = run(ours, theirs, sensitive=False, **options)
    assert (none.identified, none.disclosed, none.rate) == (identified, 0, identified / len(ours))


def test_a_chance_that_is_just_reached_is_too_large():
    """Eight rows that differ fit in one order of 40,320: drawn is none, so it is 1 in 10,000."""
    assert run(EIGHT, EIGHT, chance=0.000_1).details["chance of that many"] == 0.000_1
    assert run(EIGHT, EIGHT, chance=0.000_1).identified == 0
    assert run(EIGHT, EIGHT, chance=0.000_11).identified == 8


@pytest.mark.parametrize(("ours", "theirs"), [(2, 3), (3, 2), (0, 0), (0, 1)])
def test_as_many_rows_or_none(ours, theirs):
    found = run(EIGHT[:ours], EIGHT[:theirs])
    assert (found.outcome, found.rate) == (Outcome.SKIPPED, None)
    assert found.reason == (
        f"the file has {ours} rows and the release {theirs}, so the order cannot be the same"
    )


def test_it_needs_both_files():
    classes = reduced([("a",)], [0], [])
    table = FrequencySet.of(["0"], [("a",)])
    for more in ({}, {"external": table}, {"ordered": lambda: (table, table)}):
        found = UnsortedMatching().run(Setting(classes=classes, **more))
        assert found.outcome is Outcome.SKIPPED
        assert found.reason == "no external table with an order of rows was given"
