"""Distance linkage against a brute force over people and rows, and by hand."""

import math
import statistics
from itertools import product

import numpy as np
import pandas as pd
import pytest
from builders import reduced

import anonaudit
from anonaudit.attack import Setting
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.policy import parse_policy
from attacks import distance_linkage
from attacks.distance_linkage import DistanceLinkage
from attacks.distances import column_distances

POLICY = """
    columns = { quasi-identifiers = ["age", "job"], sensitive = ["illness"] }
    values.reading = { age = "perturbed" }
    original = { file = "original.csv", align = "order" }
    attacks.distance-linkage = { allow-rate = 0.4 }
"""


def attacked(original: pd.DataFrame, release: pd.DataFrame, policy: str = POLICY):
    original.to_csv("original.csv", index=False)
    return anonaudit.audit(release, parse_policy(policy)).attacks[0]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def brute_force(original, release):
    """The right links to the nearest and to the second nearest row, and who has one nearest row."""
    unit = statistics.pstdev(float(age) for age, _ in release) or 1.0
    right, second, alone = 0.0, 0.0, 0
    for person, (age, job) in enumerate(original):
        apart = [((float(a) - float(age)) / unit) ** 2 + (j != job) for a, j in release]
        ranks = [sum(a < b and not math.isclose(a, b) for a in apart) for b in apart]
        nearest = [row for row, rank in enumerate(ranks) if rank == 0]
        runners_up = nearest
        if len(nearest) == 1:
            alone += 1
            runners_up = [row for row, rank in enumerate(ranks) if rank == 1]
        right += (person in nearest) / len(nearest)
        second += (person in runners_up) / len(runners_up) if runners_up else 0
    return right, second, alone


@pytest.mark.parametrize("seed", range(5))
def test_right_links_are_those_of_a_brute_force(seed):
    """Few ages and jobs, so that rows are often equally near."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    ages, jobs = rng.integers(20, 30, n), rng.choice(["clerk", "nurse", "smith"], n)
    noisy = ages + rng.integers(-3, 4, n) / 2
    swapped = np.where(rng.random(n) < 0.2, rng.permutation(jobs), jobs)
    original = pd.DataFrame({"age": ages.astype(str), "job": jobs, "illness": "flu"})
    release = pd.DataFrame({"age": noisy.astype(str), "job": swapped, "illness": "flu"})
    found = attacked(
        original, release, POLICY.replace('"perturbed"', '"perturbed", job="perturbed"')
    )
    right, second, alone = brute_force(
        *([*zip(t["age"], t["job"], strict=True)] for t in (original, release))
    )
    assert found.rate == pytest.approx(right / n)
    assert found.details["right links"] == pytest.approx(right)
    assert found.details["right links to the second nearest"] == pytest.approx(second)
    assert (found.targets, found.details["one nearest row"]) == (n, alone)
    assert (found.baseline, found.undecided) == (1 / n, 0)
    assert found.outcome == ("violated" if right / n > 0.4 else "holds")


def people(*rows):
    return pd.DataFrame(rows, columns=["age", "job", "illness"])


def test_links_by_hand():
    """Ages 30, 40 and 50 became 33, 44 and 43: the second and the third are swapped.

    The nearest of 30 is 33, of 40 43, of 50 44. So one of three links is right. The second nearest
    of 30 is 43, of 40 44, and of 50 43; so the other two are right.
    """
    jobs = "clerk", "flu"
    original = people(("30", *jobs), ("40", *jobs), ("50", *jobs))
    found = attacked(original, people(("33", *jobs), ("44", *jobs), ("43", *jobs)))
    assert (found.rate, found.identified, found.outcome) == (1 / 3, 1, "holds")
    assert found.details["right links to the second nearest"] == 2


def test_blocks_and_the_limit(monkeypatch):
    """Blocks of one person find the same; above the limit nothing is decided."""
    jobs = "clerk", "flu"
    original = people(*((str(age), *jobs) for age in range(30, 40)))
    release = people(*((str(age + 0.4), *jobs) for age in range(30, 40)))
    monkeypatch.setattr(distance_linkage, "PAIRS_AT_ONCE", 1)
    assert attacked(original, release).rate == 1.0
    monkeypatch.setattr(distance_linkage, "MOST_COMPARED", 10 * 10 * 2 - 1)
    found = attacked(original, release)
    assert (found.outcome, found.rate) == ("inconclusive", None)
    assert "too many" in found.reason


EXTERNAL = POLICY.replace("{ allow", "{ external = 'voters.csv', identity = ['name'], allow")


def test_a_named_person_is_any_row_of_the_original_with_these_values():
    """Two rows of 30 became 31 and 39. Ann is 30: her row is the first with a chance of 1/2.

    Bob is 40, and so is one row, which became 41. Zoe is 60, and no row of the original is.
    """
    jobs = "clerk", "flu"
    original = people(("30", *jobs), ("30", *jobs), ("40", *jobs))
    release = people(("31", *jobs), ("36", *jobs), ("41", *jobs))
    voters = pd.DataFrame({"name": ["Ann", "Bob", "Zoe"], "age": ["30", "40", "60"]})
    voters.to_csv("voters.csv", index=False)
    found = attacked(original, release, EXTERNAL)
    assert (found.targets, found.details["right links"]) == (3, 1.5)
    assert (found.rate, found.undecided, found.outcome) == (0.5, 1, "violated")
    assert found.highest_rate == pytest.approx(2.5 / 3)  # Zoe's link may be right


@pytest.mark.parametrize("age", ["{}.0", "[{},{}]", ""])
def test_people_who_are_written_otherwise_than_the_original_are_undecided(age):
    """All three are linked rightly, and no text of theirs is in the original."""
    jobs = "clerk", "flu"
    original = people(*((str(n), *jobs) for n in (30, 40, 50)))
    release = people(*((str(n + 1), *jobs) for n in (30, 40, 50)))
    ages = [age.format(n, n) for n in (30, 40, 50)]
    pd.DataFrame({"name": ["A", "B", "C"], "age": ages}).to_csv("voters.csv", index=False)
    found = attacked(original, release, EXTERNAL)
    assert (found.targets, found.undecided, found.outcome) == (3, 3, "inconclusive")
    assert "the original has no row with the values of 3 of the people" in found.reason


@pytest.mark.parametrize("age", ["19{}-03-0{}", "0{}:0{}:00", "{}{} kg", "0{}{}"])
def test_perturbed_texts_with_digits_are_undecided(age):
    """Each date moved by a day, each weight by a kilo: no two texts are equal, and all are near."""
    jobs = "clerk", "flu"
    original = people(*((age.format(n + 10, 3), *jobs) for n in range(5)))
    release = people(*((age.format(n + 10, 4), *jobs) for n in range(5)))
    found = attacked(original, release)
    assert (found.rate, found.undecided, found.outcome) == (0.2, 4, "inconclusive")


def test_one_huge_value_does_not_make_all_rows_as_near():
    """Incomes 30, 33, ... each moved by 1: every nearest row is right, and the outlier's too."""
    jobs = "clerk", "flu"
    incomes = [*range(30, 66, 3), 99_999_999_999]
    original = people(*((str(n), *jobs) for n in incomes))
    release = people(*((str(n + 1), *jobs) for n in incomes))
    assert attacked(original, release).rate == 1.0


@pytest.mark.parametrize("pairing", ["", 'original = { file = "original.csv" }'])
def test_without_the_truth_everybody_is_undecided(pairing):
    """No original, or one whose rows are paired by their values: no link is known to be right."""
    jobs = "clerk", "flu"
    voters = pd.DataFrame({"name": ["Ann", "Bob"], "age": ["30", "40"]})
    voters.to_csv("voters.csv", index=False)
    table = people(("30", *jobs), ("41", *jobs), ("41", *jobs))
    policy = EXTERNAL.replace('original = { file = "original.csv", align = "order" }', pairing)
    found = attacked(table, table, policy.replace('values.reading = { age = "perturbed" }', ""))
    assert (found.outcome, found.undecided, found.rate) == ("inconclusive", 2, 0)
    assert found.details["one nearest row"] == 1  # two rows of 41 are as near to Bob
    assert "original" in found.reason


def test_rows_that_were_not_released_are_no_targets():
    key = POLICY.replace('align = "order"', 'key = "id"')
    original = people(("30", "clerk", "flu"), ("40", "clerk", "flu")).assign(id=["1", "2"])
    found = attacked(original, original.iloc[1:], key)
    assert (found.targets, found.rate, found.details["not released"]) == (1, 1.0, 1)


@pytest.mark.parametrize(("allowed", "outcome"), [("0.3", "violated"), ("0.4", "inconclusive")])
def test_a_text_among_perturbed_numbers_is_not_compared(allowed, outcome):
    """The standard deviation of 41 and 61 is 10, and a text is at a distance of 1 from everybody.

    35 is nearest to 41, so is 40, and 50 too: one of three links is right. The others may be.
    """
    jobs = "clerk", "flu"
    original = people(("35", *jobs), ("40", *jobs), ("50", *jobs))
    release = people(("about 30", *jobs), ("41", *jobs), ("61", *jobs))
    found = attacked(original, release, POLICY.replace("0.4", allowed))
    assert (found.rate, found.undecided, found.outcome) == (1 / 3, 2, outcome)
    assert "1 label(s)" in found.reason


def test_persons_with_several_rows_are_not_linked():
    table = people(("30", "clerk", "flu")).assign(who=["a"])
    policy = POLICY.replace("sensitive", 'unit = "who", sensitive')
    found = attacked(table, table, policy)
    assert (found.outcome, "persons" in found.reason) == ("skipped", True)


def test_categories_must_be_quasi_identifiers():
    classes = reduced([("1",)], [0], [])
    for wrong in ("0", ["x"], 3):
        with pytest.raises(AnonauditError, match="categories must be a list"):
            DistanceLinkage().run(Setting(classes=classes, options={"categories": wrong}))


def distances(values, labels, **more):
    """The squared distance of each value to each label of one column."""
    rows, table = (FrequencySet.of(["0"], [(x,) for x in some]) for some in (labels, values))
    setting = Setting(classes=reduced([(x,) for x in labels], [0], []), **more)
    coded = ("0",) if more.pop("coded", False) else ()
    (column,) = column_distances(setting, table, rows, coded)
    apart = column.between(slice(len(table)))
    ours, theirs = ([t.labels_of("0")[code] for code in t.column("0")] for t in (table, rows))
    return {
        (a, b): round(float(apart[i, j]), 4)
        for (i, a), (j, b) in product(enumerate(ours), enumerate(theirs))
    }


def test_numbers_are_apart_by_standard_deviations_and_intervals_by_their_gap():
    """The released numbers 20 and 40 have a standard deviation of 10."""
    assert distances(["25", ""], ["20", "40", "*"]) == {
        ("25", "20"): 0.25, ("25", "40"): 2.25, ("25", "*"): 1.0,
        ("", "20"): 1.0, ("", "40"): 1.0, ("", "*"): 1.0,
    }  # fmt: skip
    found = distances(["25", "65"], ["20", "40", "[30,60)"])
    assert found[("25", "[30,60)")] == 0.25
    assert found[("65", "[30,60)")] == 0.25
    assert distances(["35"], ["20", "40", "[30,60)"])[("35", "[30,60)")] == 0


def test_codes_with_leading_zeros_are_equal_or_not():
    """The numbers 6 and 10 have a standard deviation of 2, so 9 is 1.5 and 0.5 of it apart."""
    assert distances(["009"], ["006", "010"]) == {("009", "006"): 1, ("009", "010"): 1}
    assert distances(["006"], ["006", "010"]) == {("006", "006"): 0, ("006", "010"): 1}
    assert distances(["9"], ["6", "10"]) == {("9", "6"): 2.25, ("9", "10"): 0.25}


def test_other_values_are_equal_or_not_and_ordered_ones_apart_by_places():
    assert distances(["F"], ["F", "M"]) == {("F", "F"): 0, ("F", "M"): 1}
    unknown = distances(["F", ""], ["F", "*"])
    assert unknown == {("F", "F"): 0, ("F", "*"): 1, ("", "F"): 1, ("", "*"): 1}
    sizes = distances(["S"], ["S", "M", "L"], orders={"0": ["S", "M", "L"]})
    assert sizes == {("S", "S"): 0, ("S", "M"): 0.25, ("S", "L"): 1}
    jobs = Hierarchy.from_levels("0", [("nurse", "care", "*"), ("smith", "craft", "*")])
    assert distances(["nurse"], ["care", "craft"], hierarchies={"0": jobs}) == {
        ("nurse", "care"): 0, ("nurse", "craft"): 1,
    }  # fmt: skip
    coded = {("1", "1"): 0, ("1", "2"): 1, ("1", "9"): 1}
    assert distances(["1"], ["1", "2", "9"], readings={"0": "plain"}) == coded
    perturbed = {"0": "perturbed"}
    assert distances(["F"], ["F", "M"], readings=perturbed) == {("F", "F"): 0, ("F", "M"): 1}


def test_nobody_to_link_decides_nothing():
    nobody = FrequencySet.of(["0"], [])
    found = DistanceLinkage().run(Setting(classes=reduced([("1",)], [0], []), external=nobody))
    assert found.outcome == Outcome.INCONCLUSIVE
