"""Shuffles undone: releases as older versions made them, and others that nothing undoes."""

import random
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

import anonaudit
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.policy.policy import parse_policy
from attacks.known_shuffles import Fits, luck_bound, put_back

AGES = [str(21 + i * 7 % 40) for i in range(40)]  # all different, four decades of ten


def run(tmp_path, rows, ages=AGES, options=""):
    """The attack on rows of a decade and an illness, in the order given."""
    pd.DataFrame(rows, columns=["age", "dx"]).to_csv(tmp_path / "release.csv", index=False)
    pd.DataFrame({"age": ages}).to_csv(tmp_path / "people.csv", index=False)
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\n"
        f"[attacks.unsorted-matching]\nexternal = 'people.csv'\nallow-rate = 0.0\n{options}",
        folder=tmp_path,
    )
    return anonaudit.audit(tmp_path / "release.csv", policy).attacks[0]


def masked(ages=AGES):
    decades = [f"[{(int(a) - 1) // 10 * 10 + 1},{(int(a) - 1) // 10 * 10 + 11})" for a in ages]
    return [*zip(decades, (f"dx{i * 3 % 7}" for i in range(len(ages))), strict=True)]


SHUFFLES = {
    "numpy.random.default_rng, forward": lambda rows, seed: [
        rows[i] for i in np.random.default_rng(seed).permutation(len(rows))
    ],
    "numpy.random.RandomState, forward": lambda rows, seed: [
        rows[i] for i in pd.DataFrame(rows).sample(frac=1, random_state=seed).index
    ],
    "numpy.random.default_rng, backward": lambda rows, seed: [
        row for _, row in sorted(zip(np.random.default_rng(seed).permutation(len(rows)), rows, strict=True))
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", SHUFFLES)
@pytest.mark.parametrize("seed", [0, 1, 42, 99])
def test_a_release_that_a_known_seed_shuffled_is_put_back(tmp_path, name, seed):
    """Ten rows of each of four decades fit at random with 10!^4 / 40!, about 2e-22."""
    found = run(tmp_path, SHUFFLES[name](masked(), seed))
    assert (found.targets, found.identified, found.outcome) == (40, 40, Outcome.VIOLATED)
    assert found.details["order undone"] == name
    assert found.details["rows that fit"] == 40
    assert str(seed) not in found.details["order undone"]


def test_seeds_beyond_those_tried_are_found_only_if_they_are_named(tmp_path):
    rows = SHUFFLES["numpy.random.default_rng, forward"](masked(), 2026)
    assert run(tmp_path, rows).identified == 0
    assert run(tmp_path, rows, options="seeds = [5, 2026]").identified == 40
    assert run(tmp_path, rows, options="seeds = []").identified == 0


@pytest.mark.parametrize("seeds", ["3", "[-1]", "[1.5]", "['a']", "[4294967296]", "[true]"])
def test_seeds_are_whole_numbers(tmp_path, seeds):
    with pytest.raises(AnonauditError, match="unsorted-matching: seeds"):
        run(tmp_path, masked(), options=f"seeds = {seeds}")


def test_what_a_seed_of_ten_rows_proves(tmp_path):
    """T2-49: two classes of five fit with 5! 5! / 10! = 1/252, which the likeliest seed may have.

    It is tried first, so 0.005 is enough. The next may have 0.0017, which is less than 1/252.
    """
    ages = ["21", "41", "42", "22", "23", "43", "24", "44", "45", "25"]
    rows = masked([str(int(a) + 1) for a in ages])
    rows = [
        (f"[{age[0]}0,{int(age[0]) + 1}0)", dx) for age, (_, dx) in zip(ages, rows, strict=True)
    ]
    shuffled = {seed: SHUFFLES["numpy.random.default_rng, forward"](rows, seed) for seed in (0, 1)}
    first, second = (run(tmp_path, shuffled[seed], ages) for seed in (0, 1))
    assert (first.identified, second.identified) == (10, 0)
    assert first.details["chance of that many"] == pytest.approx(1 / 252)
    assert run(tmp_path, shuffled[1], ages, "seeds = [1]").identified == 10


def test_rows_that_do_not_fit_are_allowed_where_said(tmp_path):
    rows = SHUFFLES["numpy.random.default_rng, forward"](masked(), 3)
    ages = [*AGES[:-2], "70", "71"]
    assert run(tmp_path, rows, ages).identified == 0
    found = run(tmp_path, rows, ages, "agreement = 0.95")
    assert (found.identified, found.outcome) == (38, Outcome.VIOLATED)


@pytest.mark.parametrize("n", [12, 40])
def test_an_order_from_the_operating_system_is_not_undone(n):
    """Of 50 at most 1 % may be mistaken; three or more have a chance of 0.014 even so."""
    classes, mistaken = np.arange(n) % 4, 0
    for _ in range(50):
        released = classes.tolist()
        random.SystemRandom().shuffle(released)
        fits = Fits(classes, np.array(released), np.arange(4) * 4 + np.arange(4), 4)
        mistaken += put_back(fits, np.full(n, n // 4), range(100), 1.0, 0.01) is not None
    assert mistaken <= 2


def test_sorted_rows_are_not_taken_for_shuffled_ones(tmp_path):
    """The file of people is in such an order that seed 0 makes a sorted release of it."""
    rows = sorted(masked())
    ages = [a for _, a in sorted(zip(masked(), AGES, strict=True))]
    order = np.random.default_rng(0).permutation(40)
    people = [""] * 40
    for place, age in zip(order, ages, strict=True):
        people[place] = age
    assert run(tmp_path, rows, people).identified == 0
    rows[0], rows[-1] = rows[-1], rows[0]  # no longer sorted, and seed 0 puts 38 rows back
    assert run(tmp_path, rows, people, "agreement = 0.95").identified == 38


@pytest.mark.parametrize(
    "fit",  # which rows each of six people fits
    [
        [[0, 1, 2]] * 3 + [[3, 4, 5]] * 3,
        [[0, 1], [0, 1], [1, 2, 3], [3], [3, 4], [4, 5]],
        [[0], [1], [2], [3], [4], [5]],
        [[0, 1, 2, 3, 4, 5]] * 5 + [[5]],
    ],
)
def test_the_bound_of_a_chance_is_one(fit):
    """Never below the share of all orders that fit as well."""
    counts = np.array([sum(k in fit[i] for i, k in enumerate(o)) for o in permutations(range(6))])
    per_person = np.array([len(rows) for rows in fit])
    for found in range(1, 7):
        assert luck_bound(found, per_person) >= (counts >= found).mean() - 1e-12


def test_the_bound_is_the_chance_where_each_person_fits_one_class():
    """All six orders of three in one class, and both of two in the other: 3! 2! of 5!."""
    assert luck_bound(5, np.array([3, 3, 3, 2, 2])) == pytest.approx(12 / 120)
    every = [sum(a // 3 == b // 3 for a, b in enumerate(o)) == 5 for o in permutations(range(5))]
    assert np.mean(every) == pytest.approx(12 / 120)


def test_many_rows_that_do_not_all_fit_have_a_bound_too():
    """Drawn: of 2,000 random orders of 60 rows in six classes, how many fit 20 rows or more."""
    rng, classes = np.random.default_rng(1), np.repeat(np.arange(6), 10)
    fits = np.array([(rng.permutation(classes) == classes).sum() for _ in range(2_000)])
    for found in (15, 20, 25):
        assert luck_bound(found, np.full(60, 10)) >= (fits >= found).mean()
    assert luck_bound(55, np.full(60, 10)) < 1e-6
    assert luck_bound(10, np.full(60, 10)) == 1
