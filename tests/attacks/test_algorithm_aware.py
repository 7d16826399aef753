"""The adversary who knows the algorithm: Z07's Table 4, minimality, every filling tried."""

import csv
from collections import Counter
from fractions import Fraction
from itertools import product

import adversaries
import pytest
from builders import reduced
from scipy.stats import binomtest

from anonaudit import datasets
from anonaudit.attack import Setting
from anonaudit.cells import Convention
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from attacks.algorithm_aware import UNSEEN, AlgorithmAware, recover
from attacks.worlds import (
    PossibleOriginals,
    _wilson,
    assignments,
    ground_originals,
    posterior,
    sampled_posterior,
)

COLUMNS = ["date-of-birth", "race", "sex", "zip-code", "disease"]


def z07(name, **options):
    with datasets.path(f"Z07/{name}.csv").open() as file:
        rows = [tuple(row[c] for c in COLUMNS) for row in csv.DictReader(file)]
    setting = Setting(classes=reduced(rows, [0, 1, 2, 3], [4]), options=options)
    return AlgorithmAware().run(setting)


def test_table_4_is_broken_by_who_knows_the_algorithm():
    """Z07-no-certainty: at 70 % and two cells a rule, only three heart diseases give Table 4."""
    found = z07("table4", confidence=0.7, min_suppressed=2)
    assert (found.targets, found.disclosed, found.rate) == (2, 2, 1)
    assert found.witness.rows == 3
    assert z07("table4", confidence=0.7).disclosed == 2  # two cells, if not given
    once = z07("table3", confidence=0.7, min_suppressed=1)
    assert (once.targets, once.disclosed) == (1, 1)


def test_other_parameters_do_not_explain_a_release():
    """Table 3 cannot come from hiding at least two cells: the adversary is wrong, not the data."""
    found = z07("table3", confidence=0.7, min_suppressed=2)
    assert (found.outcome, found.disclosed) == (Outcome.INCONCLUSIVE, 0)
    assert found.reason.startswith("1 suppressed cell(s) are not explained")


def test_section_5_hides_three_classes():
    """At a threshold just reached by 2/3, one cell each in two classes, two in the third.

    Heart disease is certain again. Cancer, Hypertension and a gap come from two cancers or two
    hypertensions, so those cells are not.
    """
    found = z07("section5", confidence=0.66, min_suppressed=1)
    assert (found.targets, found.disclosed) == (4, 2)


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("limit", ["0.3", "0.5", "0.6", "0.7", "1.0"])
@pytest.mark.parametrize("least", [1, 2, 3])
def test_every_release_of_one_class_against_every_filling(n, limit, least):
    """All originals over a, b, c and one value that is nowhere else; each release they give."""
    domain = ["a", "b", "c", UNSEEN]
    releases = {
        adversaries.hide(world, Fraction(limit), least) for world in product(domain, repeat=n)
    }
    for left, gone in releases:
        shown = {value: dict(left).get(value, 0) for value in "abc"}
        if gone and UNSEEN not in dict(left):
            found = recover(shown, gone, n, limit=float(limit), least=least)
            wanted = adversaries.behind_suppressed(shown, gone, domain, Fraction(limit), least)
            assert found == pytest.approx(wanted)


def test_a_class_that_nothing_explains_has_no_chances():
    assert recover({"a": 3}, 1, 4, limit=0.5, least=1) == {}


def test_too_many_fillings_are_not_gone_through():
    shown = {f"v{i}": 10 for i in range(40)}
    assert recover(shown, 200, 1000, limit=0.0101, least=1) is None


# A masker of the tests: one column is generalized for everybody as little as makes all classes
# k-anonymous, and p-sensitive; its levels are given from ground to top.
LEVELS = {
    "41": ("41", "4*", "*"),
    "42": ("42", "4*", "*"),
    "51": ("51", "5*", "*"),
    "52": ("52", "5*", "*"),
}


def minimal(k, p):
    def masker(world):
        for level in range(3):
            rows = [(LEVELS[age][level], *secret) for age, *secret in world]
            groups = {}
            for row in rows:
                groups.setdefault(row[0], []).append(row[1])
            if all(len(g) >= k and len(set(g)) >= p for g in groups.values()):
                return rows
        return None

    return masker


PEOPLE = [("41",), ("41",), ("42",), ("42",)]


def against(masker, people, release, seed=0, **options):
    rows = [tuple(row) for row in release]
    tree = Hierarchy("0", [list(path) for path in LEVELS.values()])
    include = Convention(suppressed=())
    setting = Setting(
        classes=reduced(rows, [0], [1], convention=include),
        hierarchies={"0": tree},
        external=FrequencySet.of(["0"], people, include),
        options=options,
        seed=seed,
    )
    return AlgorithmAware(masker).run(setting)


def test_minimality_gives_values_away():
    """2-sensitive 2-anonymity generalized to 4*: at level 0 some pair shared its diagnosis.

    hiv, hiv, flu, flu under 4*: {41, 41} and {42, 42} are 2-anonymous, so the release was only
    generalized because one pair was alike; then both were. The chance of hiv stays 1/2, but that
    the two of 41 are alike is certain. With three values one pair was alike, which one is open.
    """
    masker = minimal(2, 2)
    release = masker([("41", "hiv"), ("41", "hiv"), ("42", "flu"), ("42", "flu")])
    assert {age for age, _ in release} == {"4*"}
    found = against(masker, PEOPLE, release)
    # Of 6 ways to hand out, 2 (hiv hiv flu flu, flu flu hiv hiv) give the release.
    assert found.details["originals tried"] == 6
    assert found.details["originals that give the release"] == 2
    assert found.disclosed == 0
    odd = masker([("41", "hiv"), ("41", "hiv"), ("42", "flu"), ("42", "gout")])
    found = against(masker, PEOPLE, odd)
    # 12 ways; the pair alike is hiv, at 41 or at 42, and the others in two orders.
    assert found.details["originals tried"] == 12
    assert found.details["originals that give the release"] == 4
    assert found.details["highest chance of a value"] == 1 / 2
    ordinary = [("41", "hiv"), ("41", "flu"), ("42", "flu"), ("42", "hiv")]
    assert against(masker, PEOPLE, ordinary).details["originals that give the release"] == 4


def test_a_person_alone_in_what_failed_is_certain():
    """Three of 41 and two of 42; hiv three times: only the three of 41 can have made it fail."""
    masker = minimal(2, 2)
    people = [("41",), ("41",), ("41",), ("42",), ("42",)]
    release = masker([("41", "hiv"), ("41", "hiv"), ("41", "hiv"), ("42", "flu"), ("42", "gout")])
    found = against(masker, people, release)
    secrets = [(value,) for _, value in release]
    brute = adversaries.who_has_what(people, secrets, masker, release)
    certain = sum(len(chances) == 1 for chances in brute)
    assert found.disclosed == certain
    best = [max(chances.values()) for chances in brute]
    assert found.details["average chance of the likeliest value"] == pytest.approx(sum(best) / 5)


@pytest.mark.parametrize("p", [1, 2])
def test_all_releases_of_four_people_against_every_order(p):
    """Every original of four people over three values, k-minimal (p = 1) and p-k-minimal."""
    masker = minimal(2, p)
    for people in (PEOPLE, [("41",), ("42",), ("51",), ("51",)]):
        for values in product(["a", "b", "c"], repeat=4):
            release = masker([(*who, v) for who, v in zip(people, values, strict=True)])
            if release is None:
                continue
            found = against(masker, people, release)
            by_class = {}
            for row in release:
                by_class.setdefault(row[0], []).append(row)
            everyone = adversaries.who_has_what(people, [(r[1],) for r in release], masker, release)
            if len(by_class) == 1:  # else handing out across classes is impossible anyway
                best = [max(chances.values()) for chances in everyone]
                assert found.disclosed == sum(len(chances) == 1 for chances in everyone)
                assert found.details["highest chance of a value"] == pytest.approx(max(best))
            if p == 1:  # k-minimality looks at no sensitive value, so it tells nothing
                tried, kept = (
                    found.details[key]
                    for key in ("originals tried", "originals that give the release")
                )
                assert tried == kept


def test_what_a_k_minimal_generalization_says_of_the_original():
    """4*, 4*, 4* at k = 2: not all can share one year, or level 0 would have been released.

    Of the 8 originals of three rows the two with all alike give level 0.
    """
    masker = minimal(2, 1)
    release = Counter([("4*", "x"), ("4*", "y"), ("4*", "z")])
    found = ground_originals(list(release), [{"4*": ["41", "42"]}, {}])
    believed = posterior(
        found.every,
        lambda world: Counter(masker(world) or ()),
        release,
        lambda world: {row[1]: row[0] for row in world},
    )
    assert (believed.worlds, believed.kept) == (8, 6)
    assert believed.chances["x"]["41"].share == 1 / 2
    three = sum(len({a, b, c}) == 1 for a, b, c in product(["41", "42"], repeat=3))
    assert believed.worlds - believed.kept == three


def test_sampling_brackets_the_exact_chance_and_is_seeded():
    masker = minimal(2, 2)
    release = masker([("41", "hiv"), ("41", "hiv"), ("42", "flu"), ("42", "gout")])
    secrets = {0: [(v,) for _, v in release]}

    def tried(seed):
        found: PossibleOriginals = assignments(PEOPLE, [0, 0, 0, 0], secrets)
        return sampled_posterior(
            found.draw,
            lambda world: Counter(masker(world) or ()),
            Counter(release),
            lambda world: {i: row[1] for i, row in enumerate(world)},
            samples=3_000,
            seed=seed,
        )

    one = tried(1)
    assert one == tried(1)
    assert one != tried(2)
    assert not one.exact
    assert one.certain() == {}
    assert one.chances[0]["hiv"].low <= 1 / 2 <= one.chances[0]["hiv"].high
    assert one.chances[0]["flu"].low <= 1 / 4 <= one.chances[0]["flu"].high


def test_a_sample_decides_nothing():
    masker = minimal(2, 2)
    release = masker([("41", "hiv"), ("41", "hiv"), ("42", "flu"), ("42", "gout")])
    few = against(masker, PEOPLE, release, worlds=5)
    assert few.outcome is Outcome.INCONCLUSIVE
    assert "too few" in few.reason
    repeated = [("41", "hiv"), ("41", "hiv"), ("42", "flu"), ("42", "gout")] * 3
    people = PEOPLE * 3
    many = against(
        lambda world: [("4*", s) for _, s in world],
        people,
        [("4*", s) for _, s in repeated],
        worlds=200,
    )
    assert (many.outcome, many.details["exact"]) == (Outcome.INCONCLUSIVE, False)


def test_people_must_be_those_of_the_release():
    masker = minimal(2, 1)
    release = [("4*", "hiv"), ("4*", "flu")]
    missing = against(masker, [("41",)], release)
    assert missing.outcome is Outcome.INCONCLUSIVE
    assert "the external table must list exactly the people" in missing.reason
    elsewhere = against(masker, [("41",), ("51",)], release)
    assert "fits no class" in elsewhere.reason
    wrong = against(minimal(3, 1), [("41",), ("42",)], release)
    assert "none of 2 possible originals" in wrong.reason
    no_table = AlgorithmAware(masker).run(Setting(classes=reduced(release, [0], [1])))
    assert no_table.outcome is Outcome.SKIPPED


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "magic"}, "algorithm must be one of 'rule-hiding'"),
        ({"confidence": 2}, "algorithm-aware: confidence"),
        ({"min_suppressed": 0}, "min-suppressed"),
        ({"worlds": 0}, "worlds"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(AnonauditError, match=message):
        z07("table4", **options)


def test_what_cannot_be_attacked_is_said():
    assert z07("table2").outcome is Outcome.SKIPPED
    rows = [("x", "a"), ("*", "*")]
    wild = reduced(
        rows,
        [0],
        [1],
        convention=Convention(quasi_identifiers="wildcard", suppressed_tuples="include"),
    )
    assert AlgorithmAware().run(Setting(classes=wild)).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (3, 10), (8, 10), (10, 10), (400, 1000)])
def test_intervals_are_wilsons(hits, n):
    """Against scipy 1.17.1's binomtest, which has the same interval from another derivation."""
    expected = binomtest(hits, n).proportion_ci(0.95, method="wilson")
    found = _wilson(hits, n)
    assert found.low == pytest.approx(expected.low, abs=1e-9)
    assert found.high == pytest.approx(expected.high, abs=1e-9)


def test_30_samples_that_give_the_release_are_enough():
    told = {"worlds": lambda _: 1, "masker": int, "release": 1, "secrets": lambda _: {0: "a"}}
    few = sampled_posterior(*told.values(), samples=29, seed=0)
    enough = sampled_posterior(*told.values(), samples=30, seed=0)
    assert few is None
    assert enough.chances[0]["a"].high == pytest.approx(1)
