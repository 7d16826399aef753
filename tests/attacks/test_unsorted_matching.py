"""Unsorted matching: rows linked by where they stand, and when that proves nothing."""

import random

import numpy as np
import pandas as pd
import pytest
from builders import reduced

import anonaudit
from anonaudit.attack import Setting
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.policy.policy import parse_policy
from attacks.unsorted_matching import UnsortedMatching, _chance

AGES = [23, 41, 35, 28, 47, 31, 22, 44, 39, 26]


def run(tmp_path, labels, ages, options="", secrets=None):
    frame = pd.DataFrame({"age": labels, "dx": secrets or ["flu", "hiv"] * (len(labels) // 2)})
    frame.to_csv(tmp_path / "release.csv", index=False)
    people = pd.DataFrame({"who": [f"p{i}" for i in range(len(ages))], "age": ages})
    people.to_csv(tmp_path / "people.csv", index=False)
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\n"
        f"[attacks.unsorted-matching]\nexternal = 'people.csv'\nallow-rate = 0.0\n{options}",
        folder=tmp_path,
    )
    return anonaudit.audit(tmp_path / "release.csv", policy).attacks[0]


def decades(ages):
    return [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in ages]


def test_the_same_order_links_everybody(tmp_path):
    """By chance (4² + 3² + 3²) / 10 = 3.4 of the ten rows fit; all do."""
    found = run(tmp_path, decades(AGES), AGES)
    assert (found.targets, found.identified, found.disclosed) == (10, 10, 10)
    assert found.outcome is Outcome.VIOLATED
    assert found.details["rows that fit by chance"] == pytest.approx(3.4)
    assert found.baseline == pytest.approx(0.34)
    # In 4! 3! 3! of the 10! orders all fit: 1 in 4,200. Drawn are 10,000.
    assert found.details["chance of that many"] == pytest.approx(1 / 4200, abs=6e-4)


def test_a_shuffled_release_is_safe_from_it(tmp_path):
    shuffled = decades(AGES)
    random.Random(3).shuffle(shuffled)
    found = run(tmp_path, shuffled, AGES)
    fits = sum(a == b for a, b in zip(shuffled, decades(AGES), strict=True))
    assert found.details["rows that fit"] == fits < 10
    assert (found.identified, found.outcome) == (0, Outcome.HOLDS)


def test_a_sorted_release_proves_nothing_within_its_classes(tmp_path):
    found = run(tmp_path, decades(sorted(AGES)), sorted(AGES))
    assert (found.identified, found.outcome) == (0, Outcome.INCONCLUSIVE)
    assert "rows of each class are adjacent" in found.reason


def in_order(rows):
    return [list(column) for column in zip(*sorted(rows), strict=True)]


def test_two_sorted_files_fit_because_they_are_sorted(tmp_path):
    """Ten people of different ages, their decades sorted by hand, and within them by illness.

    Decades of four, three and three rows with three or two illnesses each can stand in
    (4! / 2!) (3!) (3!) = 432 orders, of which one is sorted: less than one in a hundred.
    """
    illness = ["a", "a", "b", "c", "a", "b", "c", "a", "b", "c"]
    labels, secrets = in_order(zip(decades(sorted(AGES)), illness, strict=True))
    found = run(tmp_path, labels, sorted(AGES), secrets=secrets)
    assert (found.identified, found.outcome, found.reason) == (0, Outcome.HOLDS, None)
    assert found.notes == (
        "both files are sorted by their own values, which explains why they fit",
    )
    secrets[0], secrets[3] = secrets[3], secrets[0]  # no longer sorted by illness
    assert run(tmp_path, labels, sorted(AGES), secrets=secrets).outcome is Outcome.INCONCLUSIVE


def test_a_sorted_release_may_be_sorted_by_luck(tmp_path):
    """One of (4! / 2! 2!) (3! / 2!) (3! / 2!) = 54 orders, more than one in a hundred."""
    illness = ["a", "a", "b", "b", "a", "a", "b", "a", "b", "b"]
    labels, secrets = in_order(zip(decades(sorted(AGES)), illness, strict=True))
    found = run(tmp_path, labels, sorted(AGES), secrets=secrets)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert run(tmp_path, labels, sorted(AGES), "chance = 0.02", secrets).outcome is Outcome.HOLDS


def test_equal_rows_have_no_order(tmp_path):
    """Each decade has one illness: there is one order, and whoever fits a decade has its rows."""
    labels, secrets = in_order(zip(decades(sorted(AGES)), "aaaabbbccc", strict=True))
    assert run(tmp_path, labels, sorted(AGES), secrets=secrets).outcome is Outcome.HOLDS
    assert run(tmp_path, ["*"] * 10, sorted(AGES), secrets=["a"] * 10).outcome is Outcome.HOLDS
    broad = ["20-29"] * 4 + ["20-39"] * 3 + ["40-49"] * 3  # those under 30 fit two classes
    assert run(tmp_path, broad, sorted(AGES), secrets=secrets).outcome is Outcome.INCONCLUSIVE


def test_people_who_are_alike_may_stand_in_the_order_of_their_illness(tmp_path):
    """Then the file says more than it shows, and row by row it may be right."""
    ages = [21] * 4 + [31] * 3 + [41] * 3
    illness = ["a", "a", "b", "c", "a", "b", "c", "a", "b", "c"]
    labels, secrets = in_order(zip(decades(ages), illness, strict=True))
    assert run(tmp_path, labels, ages, secrets=secrets).outcome is Outcome.INCONCLUSIVE
    other = [24, 23, 22, 21, 33, 32, 31, 43, 42, 41]  # in an order that their ages do not explain
    assert run(tmp_path, labels, other, secrets=secrets).outcome is Outcome.INCONCLUSIVE


def test_a_column_without_a_part_is_looked_at_too(tmp_path):
    """Within equal rows it may stand in the order of people."""
    illness = ["a", "a", "b", "c", "a", "b", "c", "a", "b", "c"]
    labels, secrets = in_order(zip(decades(sorted(AGES)), illness, strict=True))
    people = pd.DataFrame({"age": sorted(AGES)})
    people.to_csv(tmp_path / "people.csv", index=False)
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\n"
        "attacks.unsorted-matching = { external = 'people.csv', allow-rate = 0.0 }\n",
        folder=tmp_path,
    )
    for more, outcome in (("stuvwxyzzz", "holds"), ("tsuvwxyzzz", "inconclusive")):
        release = pd.DataFrame({"age": labels, "dx": secrets, "more": list(more)})
        assert anonaudit.audit(release, policy).attacks[0].outcome == outcome
    nested = release.assign(more=[[1]] * 10)  # its cells cannot be compared
    assert anonaudit.audit(nested, policy).attacks[0].outcome == "inconclusive"


def test_where_any_order_fits_nothing_is_shown(tmp_path):
    found = run(tmp_path, ["*"] * 9 + ["20-29"], AGES)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert found.identified == 0


def test_a_few_rows_out_of_place_are_allowed_where_said(tmp_path):
    labels = decades(AGES)
    labels[0], labels[1] = labels[1], labels[0]
    assert run(tmp_path, labels, AGES).identified == 0
    assert run(tmp_path, labels, AGES, "agreement = 0.8").identified == 8


def test_what_cannot_be_attacked_is_said(tmp_path):
    found = run(tmp_path, decades(AGES), AGES[:-1])
    assert found.outcome is Outcome.SKIPPED
    assert "has 9 rows and the release 10" in found.reason
    plain = Setting(classes=reduced([("x", "a")], [0], [1]))
    assert UnsortedMatching().run(plain).outcome is Outcome.SKIPPED
    for option in ("agreement = 0", "chance = 2.0"):
        with pytest.raises(AnonauditError, match=f"unsorted-matching: {option[:6]}"):
            run(tmp_path, decades(AGES), AGES, option)


def test_an_agreement_exactly_reached_counts(tmp_path):
    """55 of 100 rows are 0.55, though 0.55 times 100 is more than 55 in floating point."""
    ages = list(range(100, 200))
    labels = ages[:55] + ages[56:] + ages[55:56]  # the last 45, each one place off
    assert run(tmp_path, labels, ages, "agreement = 0.55").identified == 55
    assert run(tmp_path, labels, ages, "agreement = 0.56").identified == 0


@pytest.mark.parametrize(
    ("rows", "chance"),
    [(8, 1 / 70), (6, 1 / 20), (4, 1 / 6)],  # n/2! n/2! / n!, by hand
)
def test_two_classes_of_few_rows_show_nothing(tmp_path, rows, chance):
    """With independent rows it would be 1/256 for eight, and below the 0.01 that is allowed."""
    ages = [31, 41] * (rows // 2)
    ages[1:3] = ages[2:0:-1]  # not sorted, nor one class after the other
    found = run(tmp_path, decades(ages), ages)
    assert found.details["chance of that many"] == pytest.approx(chance, rel=0.2)
    assert (found.identified, found.outcome) == (0, Outcome.INCONCLUSIVE)


def test_many_rows_go_by_the_spread_of_a_random_order():
    """Against orders drawn outright, and against the hypergeometric tail of two classes."""
    from scipy.stats import hypergeom

    rng = np.random.default_rng(5)
    n, first = 1_200, 900
    ours = np.repeat([0, 1], [first, n - first])
    same = (np.array([0, 1]), np.array([0, 1]))
    for both in (685, 700):  # of the 900 first rows, 675 meet one of their own on average
        found = 2 * both + n - 2 * first  # those of the second class that meet their own follow
        exact = hypergeom.sf(both - 1, n, first, first)
        assert _chance(found, ours, ours, same, rng) == pytest.approx(exact, rel=0.25, abs=1e-4)
    drawn = [(ours == rng.permutation(ours)).sum() for _ in range(4_000)]
    found = int(np.quantile(drawn, 0.9))
    share = np.mean([d >= found for d in drawn])
    assert _chance(found, ours, ours, same, rng) == pytest.approx(share, abs=0.03)


def test_where_all_rows_are_alike_every_order_fits():
    rows, same = np.zeros(1_500, int), (np.array([0]), np.array([0]))
    assert _chance(1_500, rows, rows, same, np.random.default_rng(0)) == 1


def test_without_sensitive_columns_people_are_identified_all_the_same(tmp_path):
    pd.DataFrame({"age": decades(AGES)}).to_csv(tmp_path / "release.csv", index=False)
    pd.DataFrame({"age": AGES}).to_csv(tmp_path / "people.csv", index=False)
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age'] }\n"
        "[attacks.unsorted-matching]\nexternal = 'people.csv'\n",
        folder=tmp_path,
    )
    found = anonaudit.audit(tmp_path / "release.csv", policy).attacks[0]
    assert (found.targets, found.identified, found.disclosed, found.rate) == (10, 10, 0, 1.0)


def test_rows_beyond_everything_that_fits_do_not_fit(tmp_path):
    """Only the first row fits; the others are of no age that anybody has."""
    found = run(tmp_path, ["1", "8", "9", "9"], ["1", "2", "3", "4"])
    assert found.details["rows that fit"] == 1
    assert found.details["rows that fit by chance"] == pytest.approx(1 / 4)


def test_it_needs_an_order_of_rows():
    from anonaudit.frequency.frequency_set import FrequencySet

    people = FrequencySet.of(["0"], [("x",)])
    found = UnsortedMatching().run(Setting(classes=reduced([("x",)], [0], []), external=people))
    assert (found.attack, found.outcome) == ("unsorted-matching", Outcome.SKIPPED)
    assert found.reason == "no external table with an order of rows was given"


def test_rows_that_all_differ_do_not_stand_together(tmp_path):
    """By chance one of six fits; all six do, and no two are of one class."""
    found = run(tmp_path, list("123456"), list("123456"))
    assert (found.identified, found.outcome) == (6, Outcome.VIOLATED)


def test_rows_that_stand_for_several_people_have_no_order(tmp_path):
    release = pd.DataFrame({"age": ["20-29", "30-39"], "n": [2, 3]})
    release.to_csv(tmp_path / "release.csv", index=False)
    pd.DataFrame({"age": [23, 35]}).to_csv(tmp_path / "people.csv", index=False)
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age'], count = 'n' }\n"
        "[attacks.unsorted-matching]\nexternal = 'people.csv'\n",
        folder=tmp_path,
    )
    found = anonaudit.audit(tmp_path / "release.csv", policy).attacks[0]
    assert found.outcome is Outcome.SKIPPED
    assert "aggregated release" in found.reason


def test_nobody_fits_anywhere(tmp_path):
    found = run(tmp_path, ["1", "2"], ["3", "4"])
    assert found.details["rows that fit"] == found.details["rows that fit by chance"] == 0
    assert found.identified == 0


@pytest.mark.parametrize("found", [685, 690])
def test_the_normal_tail_begins_half_a_row_below(found):
    """Only first rows that meet first rows fit: as many as the hypergeometric law says.

    Of 1,200 rows 900 are such, so 675 fit on average. 690 or more have a chance of 1.36 %, by
    scipy. From 689.5 on the normal tail is 1.28 %; it is 1.05 % from 690 and 1.89 % from 688.5.
    """
    from scipy.stats import hypergeom

    rows = np.repeat([0, 1], [900, 300])
    only = (np.array([0]), np.array([0]))
    chance = _chance(found, rows, rows, only, np.random.default_rng(0))
    assert chance == pytest.approx(hypergeom.sf(found - 1, 1_200, 900, 900), rel=0.08)
