"""Linkage: chances, truth and the sweep over columns, by hand counts and the oracle."""

import json
import time
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import oracle
import pandas as pd
import pytest
from builders import reduced
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit.attack import Setting
from anonaudit.cells import Convention
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.models import KAnonymity
from anonaudit.policy.policy import parse_policy
from anonaudit.roles import Roles
from attacks.homogeneity import Homogeneity
from attacks.linkage import Linkage, sweep

VIEWS, LIKELIEST = "chance of a right link", "chance of the likeliest value"
BEST = "best guess of the row", "best guess of the value"


def run(rows, qi, sensitive, people, unit=None, hierarchies=None, **options):
    classes = reduced(rows, qi, sensitive, unit=unit)
    external = FrequencySet.of([str(c) for c in qi], people)
    trees = hierarchies or {}
    setting = Setting(classes=classes, external=external, hierarchies=trees, options=options)
    return Linkage().run(setting)


def test_chances_by_hand():
    """43 fits 2 rows, 61 one, 35 both labels (3 rows), 10 none.

    Right links: 1/2 + 1 + 1/3. Rows of 30-49 fit 43 and 35 and those of 60-69 fit 61; the row of
    20-39 fits 35 only.
    """
    rows = [("30-49", "flu"), ("30-49", "hiv"), ("60-69", "flu"), ("20-39", "flu")]
    found = run(rows, [0], [1], [("43",), ("61",), ("35",), ("10",)]).details
    assert found["pairs"] == 6
    assert found[VIEWS]["prosecutor"]["highest"] == 1
    assert found[VIEWS]["marketer"]["right links"] == pytest.approx(1 / 2 + 1 + 1 / 3)
    assert found[VIEWS]["marketer"]["share"] == pytest.approx((1 / 2 + 1 + 1 / 3) / 4)
    assert found[VIEWS]["prosecutor"]["average"] == pytest.approx((1 / 2 + 1 + 1 / 3) / 3)
    assert found[VIEWS]["journalist"]["highest"] == 1
    assert found[VIEWS]["journalist"]["average"] == pytest.approx((1 / 2 + 1 / 2 + 1 + 1) / 4)
    # Uniform: 43 has flu by 1/2, 61 by 1, 35 by 2/3. By population the rows of 30-49 count half
    # for 35: (1/2 + 1) of 2 is 3/4.
    assert found[LIKELIEST]["1"]["uniform"]["average"] == pytest.approx((1 / 2 + 1 + 2 / 3) / 3)
    by_population = found[LIKELIEST]["1"]["by population"]
    assert by_population["average"] == pytest.approx((1 / 2 + 1 + 3 / 4) / 3)


@given(
    st.lists(
        st.tuples(*[st.sampled_from(["a", "b", "*"])] * 2, st.sampled_from(["u", "v", None])),
        min_size=1,
        max_size=8,
    ),
    st.lists(st.tuples(*[st.sampled_from(["a", "b", None])] * 2), min_size=1, max_size=6),
)
def test_chances_against_the_oracle(rows, people):
    """Candidates by the oracle; the chances in fractions, person by person."""

    def matches(_, theirs, released):
        return theirs is None or released == "*" or theirs == released

    sets = oracle.linkage(people, rows, matches)
    matched = [one for one in sets if one]
    found = run(rows, [0, 1], [2], people)
    if not matched:
        assert VIEWS not in found.details
        return
    right = sum(Fraction(1, len(one)) for one in matched)
    chances = found.details[VIEWS]
    assert chances["prosecutor"]["highest"] == max(1 / len(one) for one in matched)
    assert chances["marketer"]["right links"] == pytest.approx(float(right))
    fitting = [sum(i in one for one in sets) for i in range(len(rows))]
    journalist = [1 / n for n in fitting if n]
    assert chances["journalist"]["average"] == pytest.approx(sum(journalist) / len(journalist))
    values = {row[2] for row in rows} - {None}
    if not values:
        return
    for how in ("uniform", "by population"):
        weight = [1.0 if how == "uniform" else 1 / max(n, 1) for n in fitting]
        best = []
        for one in matched:
            shares = [sum(weight[i] for i in one if rows[i][2] == v) for v in values]
            best.append(max(shares) / sum(weight[i] for i in one))
        assert found.details[LIKELIEST]["2"][how]["average"] == pytest.approx(sum(best) / len(best))


def test_k_bounds_the_chance_of_a_link():
    """Full-domain recoding: no chance above 1/k, for whomever."""
    rows = [(f"{10 * (i % 3)}-{10 * (i % 3) + 9}", "ab"[i % 2]) for i in range(11)]
    k = KAnonymity().measure(reduced(rows, [0], [1])).measured
    found = run(rows, [0], [1], [(str(age),) for age in range(40)])
    assert found.details[VIEWS]["prosecutor"]["highest"] == pytest.approx(1 / k)


def test_claims_are_held_against_the_original(tmp_path):
    """The release swaps the diagnoses of Ann and Bob and lacks Cyd.

    Ann and Bob have one candidate each, and it is theirs; but the values claimed are wrong. Cyd
    fits Dov's row only: the link is wrong, and so is the value. Dov is right in both.
    """
    (tmp_path / "original.csv").write_text("id,age,dx\n1,23,flu\n2,34,hiv\n3,45,hiv\n4,46,flu\n")
    (tmp_path / "release.csv").write_text("id,age,dx\n1,20-29,hiv\n2,30-39,flu\n4,40-49,flu\n")
    (tmp_path / "people.csv").write_text("who,age\nAnn,23\nBob,34\nCyd,45\nDov,46\n")
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\n"
        "original = { file = 'original.csv', key = 'id' }\n"
        "attacks.linkage = { external = 'people.csv', identity = ['who'] }",
        folder=tmp_path,
    )
    report = anonaudit.audit(tmp_path / "release.csv", policy)
    found = next(a for a in report.attacks if a.attack == "linkage")
    assert found.details["truth"] == {
        "identities claimed": 4,
        "identities right": 3.0,
        "dx claimed": 4,
        "dx right": 1.0,
    }


def test_a_claim_about_one_of_two_equal_people_is_half_right(tmp_path):
    (tmp_path / "original.csv").write_text("id,age,dx\n1,23,flu\n2,23,hiv\n")
    (tmp_path / "release.csv").write_text("id,age,dx\n1,23,flu\n")
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\n"
        "original = { file = 'original.csv', key = 'id' }\n"
        "attacks.linkage = { external = 'original.csv', identity = ['id'] }",
        folder=tmp_path,
    )
    report = anonaudit.audit(tmp_path / "release.csv", policy)
    found = next(a for a in report.attacks if a.attack == "linkage").details["truth"]
    assert found["identities claimed"] == found["dx claimed"] == 2
    assert found["identities right"] == found["dx right"] == pytest.approx(1.0)


def test_which_few_columns_single_people_out(shared):
    """Case B21: pairs of q01, q02, q12 isolate a row, one column alone never does."""
    lines = (shared / "cases" / "cases.jsonl").read_text().splitlines()
    case = next(c for c in map(json.loads, lines) if c["id"] == "B21-many-qi")
    header, *rows = (line.split(",") for line in case["csv"].split())
    table = FrequencySet.of(header, rows)
    classes = equivalence_classes(table, Roles(tuple(header)))
    found = sweep(Setting(classes=classes), table, table.counts, 3)
    expected = case["expected"]
    assert found["fewest columns"] == expected["min_columns_to_single_out"] == 2
    assert found["best"]["1"]["persons"] == 0
    assert found["best"]["2"]["columns"] in expected["pairs"]
    pairs = sweep(Setting(classes=classes), table, table.counts, 2)
    assert (pairs["choices"], pairs["of them"]) == (78, len(expected["pairs"]))
    with pytest.raises(AnonauditError, match="choices of up to 12 of 12 columns are too many"):
        sweep(Setting(classes=classes), table, table.counts, 12)


def test_the_sweep_is_run_where_asked_for():
    rows = [("a", "u", "x"), ("a", "v", "x"), ("b", "u", "y")]
    people = [("a", "u"), ("a", "v"), ("b", "u")]
    found = run(rows, [0, 1], [2], people, sweep=2).details["columns that single out"]
    # `a` fits two, `u` fits two: one column singles one person out; both single out all three.
    assert found["best"] == {
        "1": {"columns": ["0"], "persons": 1},
        "2": {"columns": ["0", "1"], "persons": 3},
    }
    assert found["fewest columns"] == 1
    assert "columns that single out" not in run(rows, [0, 1], [2], people).details
    with pytest.raises(AnonauditError, match="linkage: sweep"):
        run(rows, [0, 1], [2], people, sweep=-1)


def test_chances_of_persons_count_persons():
    rows = [("x", "u", "p"), ("x", "u", "p"), ("x", "v", "q")]
    found = run(rows, [0], [1], [("x",)], unit=2)
    assert found.details[VIEWS]["prosecutor"]["highest"] == 1 / 2
    assert LIKELIEST not in found.details


def test_people_of_whom_nothing_is_known_make_no_cross_product(monkeypatch):
    """3 people, 3 rows, all 9 pairs match: more than may be looked at, so it says so."""
    rows, people = [("a", "x"), ("b", "x"), ("c", "x")], [(None,)] * 3
    assert run(rows, [0], [1], people).details["pairs"] == 9
    monkeypatch.setattr("attacks.shared.MOST_PAIRS", 2)
    found = run(rows, [0], [1], people)
    assert (found.outcome, found.rate) == (Outcome.INCONCLUSIVE, None)
    assert "pairs of 1 external and 3 released combinations match" in found.reason
    # Known cells match one row each, so nothing is too much.
    assert run(rows[:2], [0], [1], [("a",), ("b",)]).identified == 2


@pytest.mark.long
def test_100_000_people_against_a_million_rows_within_two_minutes():
    """Candidates of ground values under intervals, prefixes and suppressed cells."""
    rng = np.random.default_rng(0)
    n, m = 1_000_000, 100_000
    truth = {
        "age": rng.integers(0, 90, n),
        "zip": rng.integers(10000, 20000, n),
        "sex": rng.integers(0, 2, n),
        "edu": rng.integers(0, 16, n),
    }
    low = truth["age"] // 5 * 5
    frame = pd.DataFrame(
        {
            "age": [f"{a}-{a + 4}" for a in low],
            "zip": [f"{z // 10}*" for z in truth["zip"]],
            "sex": truth["sex"].astype(str),
            "edu": np.where(rng.random(n) < 0.01, "*", truth["edu"].astype(str)),
            "dx": rng.integers(0, 20, n).astype(str),
        }
    )
    chosen = rng.choice(n, m, replace=False)
    people = pd.DataFrame({name: column[chosen].astype(str) for name, column in truth.items()})
    begun = time.monotonic()
    report = anonaudit.audit(
        frame, quasi_identifiers=["age", "zip", "sex", "edu"], sensitive=["dx"], external=people
    )
    assert time.monotonic() - begun < 120
    found = next(a for a in report.attacks if a.attack == "linkage")
    assert found.targets == m
    assert found.details["no match"] == 0


RELEASE = [("a", "u", "x"), ("a", "u", "x"), ("a", "v", "y"), ("b", "w", "x")]
PEOPLE = [("a", "u"), ("a", "v"), ("b", "w"), ("c", "t"), ("c", "t")]


def test_everything_that_is_told_by_hand():
    """a,u fits two rows with x; a,v and b,w one each; the two people of c,t none."""
    found = run(RELEASE, [0, 1], [2], PEOPLE)
    assert (found.attack, found.outcome, found.allowed) == ("linkage", Outcome.MEASURED, None)
    assert (found.targets, found.identified, found.disclosed) == (5, 2, 3)
    assert (found.rate, found.baseline, found.per_attribute) == (3 / 5, 3 / 4, {"2": 3})
    counts = {key: value for key, value in found.details.items() if not isinstance(value, Mapping)}
    assert counts == {
        "no match": 2,
        "exactly one match": 2,
        "several matches": 1,
        "pairs": 4,
        "unique on both sides": 2,
        "fewest candidates": 1,
        "candidates in several classes": 0,
        "fit no published class": 0,
    }
    assert set(found.details) - set(counts) == {VIEWS, LIKELIEST, *BEST}
    assert (found.reason, found.notes) == (None, ())
    assert found.exposed.tolist() == [True, True, True]


def test_the_classes_that_are_met_are_marked():
    """a fits two rows that differ, b one row, c two rows alike; nobody is looked for in d."""
    rows = [("a", "x"), ("a", "y"), ("b", "x"), ("c", "z"), ("c", "z"), ("d", "x")]
    found = run(rows, [0], [1], [("a",), ("b",), ("c",)])
    assert found.exposed.tolist() == [False, True, True, False]


def test_a_row_that_was_suppressed_as_a_whole_fits_everybody():
    """It is the only row that fits c,t, and shows z; who else fits it has more than one row."""
    found = run([*RELEASE, ("*", "*", "z")], [0, 1], [2], PEOPLE[:4])
    assert (found.targets, found.identified, found.disclosed, found.rate) == (4, 0, 0, 0)
    assert (found.undecided, found.highest_rate) == (4, 1)
    assert found.details["exactly one match without rows suppressed throughout"] == 2
    told = ["no match", "exactly one match", "several matches", "pairs", "unique on both sides"]
    assert [found.details[key] for key in told] == [0, 1, 3, 8, 0]
    told = ["fewest candidates", "candidates in several classes", "fit no published class"]
    assert [found.details[key] for key in told] == [1, 3, 1]


def test_a_release_without_sensitive_columns_discloses_nothing():
    found = run([row[:2] for row in RELEASE], [0, 1], [], PEOPLE)
    assert (found.identified, found.disclosed, found.rate, found.per_attribute) == (2, 0, 2 / 5, {})


def test_nobody_matches():
    """Two people of a,w: both texts are in the release, and never together."""
    found = run(RELEASE, [0, 1], [2], [("a", "w"), ("a", "w")])
    assert (found.targets, found.identified, found.disclosed, found.rate) == (2, 0, 0, None)
    assert (found.outcome, found.undecided) == (Outcome.INCONCLUSIVE, 2)
    assert found.reason == "nobody in the external table matches the release"
    assert (found.details["fewest candidates"], found.details["no match"]) == (None, 2)
    nobody = run(RELEASE, [0, 1], [2], [])
    assert (nobody.outcome, nobody.reason) == (
        Outcome.INCONCLUSIVE, "the external table has no rows",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("most", "choices", "of_them", "best"),
    [
        (1, 2, 2, {"1": (["1"], 2)}),
        (2, 3, 3, {"1": (["1"], 2), "2": (["0", "1"], 2)}),
        (9, 3, 3, {"1": (["1"], 2), "2": (["0", "1"], 2)}),
    ],
)
def test_the_sweep_by_hand(most, choices, of_them, best, monkeypatch):
    """The first column singles out b only, the second v and w, both together no more."""
    monkeypatch.setattr("attacks.linkage.MOST_CHOICES", choices)
    found = run(RELEASE, [0, 1], [2], PEOPLE, sweep=most).details["columns that single out"]
    told = {size: {"columns": c, "persons": n} for size, (c, n) in best.items()}
    assert found == {"fewest columns": 1, "choices": choices, "of them": of_them, "best": told}
    monkeypatch.setattr("attacks.linkage.MOST_CHOICES", choices - 1)
    with pytest.raises(AnonauditError, match=f"{choices} choices of up to {min(most, 2)} of 2"):
        run(RELEASE, [0, 1], [2], PEOPLE, sweep=most)


def test_a_sweep_that_singles_nobody_out():
    found = run(RELEASE[:2], [0, 1], [2], PEOPLE, sweep=2).details["columns that single out"]
    assert (found["fewest columns"], found["of them"]) == (None, 0)


def test_a_value_is_certain_if_every_candidate_person_shows_it():
    """p shows x and y, q x only: x is certain; r shows nothing that is known."""
    rows = [("a", "x", "p"), ("a", "y", "p"), ("a", "x", "q"), ("b", None, "r"), ("c", "x", "p")]
    found = run(rows, [0], [1], [("a",), ("b",), ("c",), ("d",)], unit=2)
    assert (found.targets, found.identified, found.disclosed) == (4, 2, 2)
    assert found.details["pairs"] == 4
    assert found.rate == 3 / 4  # b is one person, who tells nothing, and found


@pytest.mark.parametrize(
    ("more", "exposed", "undecided"),
    [
        ([("*", "gout", "b")], 1, 0),  # a and b have flu, whether the row is Ann's or not
        ([("*", "flu", "c")], 1, 0),
        ([("*", "hiv", "c")], 0, 1),  # only without c
        ([("*", "flu", "c"), ("*", "hiv", "c")], 1, 0),  # c has both rows or none
    ],
)
def test_rows_of_persons_that_may_be_anybodys(more, exposed, undecided):
    """A starred row of somebody who fits can only add values; one of somebody else a person."""
    rows = [("30", "flu", "a"), ("30", "gout", "a"), ("30", "flu", "b")]
    found = run([*rows, *more], [0], [1], [("30",)], unit=2)
    assert (found.disclosed, found.undecided) == (exposed, undecided)


def test_a_value_that_only_a_doubtful_row_gives_to_a_person():
    """b has hiv, and gout in a starred row: all have gout if it counts, nothing otherwise."""
    rows = [("30", "flu", "a"), ("30", "gout", "a"), ("30", "hiv", "b"), ("*", "gout", "b")]
    found = run(rows, [0], [1], [("30",)], unit=2)
    assert (found.disclosed, found.undecided) == (0, 1)


def test_unknown_cells_are_one_value_by_convention():
    """An empty and a starred cell are one value then, which both rows have; else nothing is known."""
    rows = [("30", None), ("30", "*")]
    external = FrequencySet.of(["0"], [("30",)])
    for convention, disclosed in ((None, 0), (Convention(sensitive="one-value"), 1)):
        classes = reduced(rows, [0], [1], convention=convention)
        found = Linkage().run(Setting(classes=classes, external=external))
        assert (found.disclosed, found.undecided) == (disclosed, 0)


@pytest.mark.parametrize(
    ("rows", "undecided"),
    [
        ([("30", "flu", "a"), ("30", "gout", "b"), ("30", None, "b")], 1),  # b may have flu too
        ([("30", "flu", "a"), ("30", "gout", "b")], 0),
        ([("30", "flu", "a"), ("30", "gout", "b"), ("30", None, "c")], 0),
        ([("30", "flu", "a"), ("30", None, "a"), ("30", "gout", "b"), ("30", None, "b")], 1),
    ],
)
def test_a_person_who_lacks_a_cell_in_one_of_several_rows(rows, undecided):
    classes = reduced(rows, [0], [1], unit=2)
    external = FrequencySet.of(["0"], [("30",)])
    found = Linkage().run(Setting(classes=classes, external=external))
    assert (found.disclosed, found.undecided) == (0, undecided)
    alike = Homogeneity().run(Setting(classes=classes))
    people = len({who for _, _, who in rows})
    assert (alike.disclosed, alike.undecided) == (0, undecided * people)


@pytest.mark.parametrize("silent", [("*****", "*"), ("*", "***")])
def test_a_row_that_is_suppressed_with_more_stars_may_be_anybodys(silent):
    """T2-30 with another token: Ann and Bob have one row each, and may have that one."""
    rows = [("02139", "F", "flu"), ("10027", "M", "gout"), (*silent, "hiv")]
    found = run(rows, [0, 1], [2], [("02139", "F"), ("10027", "M")])
    assert (found.identified, found.undecided, found.targets) == (0, 2, 2)


@pytest.mark.parametrize(
    ("rows", "people", "uncompared", "undecided"),
    [
        # Two rows of each year and two diseases: nobody is exposed, whatever the labels match.
        ([("1967", "flu"), ("1967", "hiv")], ["1967/01/01", "1980/02/02"], 2, 0),
        # One row: it may be of either.
        ([("1967", "flu")], ["1967/01/01", "1980/02/02"], 2, 2),
        # An undecided label beside one that fits: only the second person has no match.
        ([("20-29", "flu"), ("20-29", "hiv"), ("old", "flu"), ("old", "hiv")], ["25", "60"], 1, 0),
        # Compared, and no row fits.
        ([("20-29", "flu"), ("20-29", "hiv")], ["25", "60"], None, 0),
    ],
)
def test_targets_that_could_not_be_compared_are_counted(rows, people, uncompared, undecided):
    """With the labels, the policy lines and the numbers by hand."""
    found = run(rows, [0], [1], [(value,) for value in people])
    key = "no match, but not all labels compared"
    assert found.details.get(key) == uncompared
    assert found.undecided == undecided
    said = found.reason if undecided else "; ".join(found.notes)
    assert ("1 label(s) of 0 cannot be compared with the external table" in said) is (
        uncompared is not None
    )
