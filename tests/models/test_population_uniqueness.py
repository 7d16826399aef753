"""Estimates of population uniqueness, against ARX, brute force and simulated populations."""

import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import reduced
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nbinom

import anonaudit
from anonaudit.cells import Convention
from anonaudit.errors import InputError, PolicyError
from anonaudit.findings import Outcome
from anonaudit.models.population_uniqueness import (
    Histogram,
    PopulationUniqueness,
    dankar,
    pitman,
    population_classes,
    snb,
    zayatz,
)
from anonaudit.policy import parse_policy


def columns(policy=""):
    return parse_policy(f'columns.quasi-identifiers = ["zip"]\n{policy}')


@pytest.fixture
def adult(shared):
    table = pd.read_csv(shared / "datasets" / "arx" / "adult.csv", sep=";", dtype=str)
    return table.groupby(list(table.columns)).size().to_numpy()


@pytest.mark.parametrize(
    ("fraction", "estimator", "value"),
    [
        (0.2, zayatz, 0.35770),
        (0.1, zayatz, 0.32074),
        (0.1, pitman, 0.27684),
        (0.01, pitman, 0.14460),
    ],
)
def test_adult_as_in_the_tests_of_arx(adult, fraction, estimator, value):
    """ARX 3.9.2, its adult.csv with all nine attributes; four digits.

    ARX calls them values of Dankar's rule. At 0.2 they are Zayatz's, as its SNB has no solution.
    """
    assert estimator(Histogram.of(adult, fraction)) == pytest.approx(value, abs=1.1e-5)


def test_adult_where_the_rule_takes_snb(adult):
    """It takes the smaller one of Zayatz's and SNB's, so it is below ARX's 0.35770."""
    shares = {name: f(Histogram.of(adult, 0.2)) for name, f in (("zayatz", zayatz), ("snb", snb))}
    assert shares["snb"] < shares["zayatz"]
    assert dankar(shares, 0.2) == "snb"


def chance_of_one(population, size, sample):
    """One row of a class in a sample without replacement, by counting samples."""
    others = population - size
    if sample - 1 > others:
        return Fraction(0)
    return Fraction(size * math.comb(others, sample - 1), math.comb(population, sample))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=8), st.integers(1, 5))
def test_zayatz_by_counting_samples(sizes, times):
    """Bayes' rule, with the classes of the sample for those of the population."""
    n = sum(sizes)
    total = n * times
    found = zayatz(Histogram.of(sizes, 1 / times))
    alone = sizes.count(1)
    if not alone:
        assert found is None
        return
    one = [chance_of_one(total, size, n) for size in sizes]
    of_one = chance_of_one(total, 1, n) * alone
    assert found == pytest.approx(float(Fraction(alone, n) * of_one / sum(one)))


@pytest.mark.parametrize("fraction", [0.03, 0.2, 0.6])
@pytest.mark.parametrize(("a", "b"), [(0.3, 0.05), (1.0, 0.2), (2.5, 0.6)])
def test_snb_inverts_the_expected_counts(a, b, fraction):
    """c1 and c2 summed over every size of a class, by binomial draws: then K b^a is found."""
    known, larger = 1000.0, np.arange(4000)
    size, chance = larger + 1.0, nbinom.pmf(larger, a, b)
    c1 = (chance * size * fraction * (1 - fraction) ** (size - 1)).sum() * known
    pairs = size * (size - 1) / 2
    c2 = (chance * pairs * fraction**2 * (1 - fraction) ** (size - 2.0)).sum() * known
    sample = Histogram(np.array([1.0, 2.0]), np.array([c1, c2]), fraction)
    alone = known * b**a / sample.population
    assert snb(sample, known) == pytest.approx(alone, rel=1e-6)


def drawn(population, fraction, seed):
    """A sample of a population, by class; and the share of the population that is alone."""
    person = np.repeat(np.arange(len(population)), population)
    n = round(len(person) * fraction)
    sizes = np.bincount(np.random.default_rng(seed).choice(person, n, replace=False))
    return Histogram.of(sizes[sizes > 0], fraction), (population == 1).sum() / len(person)


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.2), (1.0, 0.1), (2.0, 0.3)])
def test_snb_on_simulated_populations(a, b):
    """Within 5 % of the truth where K is known; K itself is estimated within 15 %."""
    population = 1 + np.random.default_rng(1).negative_binomial(a, b, 200_000)
    sample, truth = drawn(population, 0.3, 2)
    assert snb(sample, 200_000) == pytest.approx(truth, rel=0.05)
    assert population_classes(sample) == pytest.approx(200_000, rel=0.15)
    assert snb(sample) == snb(sample, population_classes(sample))


def test_pitman_on_a_simulated_population():
    """Drawn person by person as the formula says: within 10 % of the truth."""
    theta, alpha, n, rng = 50.0, 0.5, 40_000, np.random.default_rng(3)
    person, sizes = np.zeros(n, np.int64), []  # the class of each person; large ones attract
    for i, new in enumerate(rng.random(n)):
        # A new class with (theta + alpha u) / (theta + i); an old one with (size - alpha) / ...
        if new < (theta + alpha * len(sizes)) / (theta + i):
            person[i] = len(sizes)
            sizes.append(1)
            continue
        while True:  # the class of a person drawn, refused as often as alpha takes from its size
            chosen = person[rng.integers(i)]
            if rng.random() > alpha / sizes[chosen]:
                person[i] = chosen
                sizes[chosen] += 1
                break
    sample, truth = drawn(np.array(sizes), 0.3, 4)
    assert pitman(sample) == pytest.approx(truth, rel=0.1)


@pytest.mark.parametrize(
    ("sizes", "estimator"),
    [([1, 1, 1], pitman), ([2, 2, 3], pitman), ([1], pitman), ([1, 1, 3], snb), ([2, 3], snb)],
)
def test_no_solution_is_no_estimate(sizes, estimator):
    """All rows alone, none alone, one class, no class of two: the equations have no solution."""
    assert estimator(Histogram.of(sizes, 0.1)) is None


@pytest.mark.parametrize(
    ("shares", "fraction", "taken"),
    [
        ({"pitman": 0.3, "zayatz": 0.2, "snb": 0.1}, 0.1, "pitman"),
        ({"pitman": None, "zayatz": 0.2, "snb": 0.1}, 0.1, "zayatz"),
        ({"pitman": None, "zayatz": None, "snb": 0.1}, 0.1, None),
        ({"pitman": 0.01, "zayatz": 0.2, "snb": 0.3}, 0.11, "zayatz"),
        ({"pitman": 0.01, "zayatz": 0.2, "snb": 0.1}, 0.11, "snb"),
        ({"pitman": 0.01, "zayatz": 0.2, "snb": None}, 0.11, "zayatz"),
    ],
)
def test_the_rule_of_dankar(shares, fraction, taken):
    """Dankar 2012: Pitman up to 0.1, Zayatz in its place; above, the smaller of Zayatz and SNB."""
    assert dankar(shares, fraction) == taken


# 60 of 133 rows are alone.
SIZES = [1] * 60 + [2] * 15 + [3] * 6 + [5, 8, 12]
ROWS = [(str(i),) for i, size in enumerate(SIZES) for _ in range(size)]


def test_a_requirement_holds_only_if_the_estimators_agree():
    estimates = [f(Histogram.of(SIZES, 0.2)) for f in (pitman, zayatz, snb)]
    low, high = min(estimates[1:]), max(estimates)
    classes = reduced(ROWS, [0], [])

    def asked(share, **options):
        return PopulationUniqueness(share, sampling_fraction=0.2, **options).measure(classes)

    assert 0 < low < high < 60 / 133
    assert asked(high + 1e-6).outcome is Outcome.HOLDS
    between = asked((low + high) / 2)
    assert (between.measured, between.outcome) == (low, Outcome.INCONCLUSIVE)
    assert between.notes[0].endswith("is above the limit: estimators disagree")
    assert asked(low - 1e-6).outcome is Outcome.VIOLATED
    one = asked((low + high) / 2, estimator="zayatz")
    assert one.measured == estimates[1]
    assert one.outcome is (Outcome.HOLDS if estimates[1] == low else Outcome.VIOLATED)


@pytest.mark.parametrize(("share", "notes"), [(1.0, 1), (0.1, 2)])
def test_the_note_on_wildcards_stays_without_an_estimate(share, notes):
    """Two of four rows are alone: at most 1 holds without an estimate, at most 0.1 needs one."""
    rows = [("x", "a"), ("x", "a"), ("y", "b"), ("z", None)]
    classes = reduced(rows, [0, 1], [], convention=Convention("wildcard"))
    found = PopulationUniqueness(share=share).measure(classes)
    assert found.measured is None
    assert len(found.notes) == notes
    assert found.notes[0].endswith("count as values of their own, not as wildcards")


def test_what_is_sure_needs_no_estimate():
    """A row that is not alone in the release is not alone in the population."""
    classes = reduced(ROWS, [0], [])
    unknown = PopulationUniqueness(share=60 / 133).measure(classes)
    assert (unknown.measured, unknown.outcome) == (None, Outcome.HOLDS)
    below = PopulationUniqueness(share=0.45).measure(classes)
    assert (below.measured, below.outcome) == (None, Outcome.INCONCLUSIVE)
    assert "no sampling fraction is known" in below.notes[0]
    nobody = reduced([("x",), ("x",)], [0], [])
    found = PopulationUniqueness(share=0, sampling_fraction=0.1).measure(nobody)
    assert (found.measured, found.outcome) == (0, Outcome.HOLDS)
    everybody = PopulationUniqueness(sampling_fraction=1).measure(classes)
    assert everybody.measured == 60 / 133


@pytest.mark.parametrize(
    ("sizes", "fraction", "estimator"),
    [([1, 1, 1, 1, 1, 9], 0.5, "pitman"), ([1, 1, 1, 1, 2, 3], 0.95, "snb")],
)
def test_a_level_is_not_above_the_share_alone(sizes, fraction, estimator):
    rows = [(str(i),) for i, size in enumerate(sizes) for _ in range(size)]
    model = PopulationUniqueness(sampling_fraction=fraction, estimator=estimator)
    found = model.measure(reduced(rows, [0], []))
    assert found.details["estimated shares"][estimator] > found.measured
    assert found.measured == sizes.count(1) / len(rows)


def test_a_policy_gives_the_fraction_or_the_size_or_weights():
    table = pd.DataFrame(ROWS, columns=["zip"]).assign(w="5")
    fraction = anonaudit.audit(table, columns("population.sampling-fraction = 0.2"))
    size = anonaudit.audit(table, columns("population.size = 665"))
    weights = anonaudit.audit(
        table, columns('columns.weight = "w"\nrequire.population-uniqueness.share = 0.9')
    )
    levels = [
        next(m for m in report.models if m.model == "population-uniqueness")
        for report in (fraction, size, weights)
    ]
    assert {level.details["sampling fraction"] for level in levels} == {0.2}
    assert len({level.measured for level in levels}) == 1
    with pytest.raises(InputError, match=r"has 133 rows, more than the population \(132\)"):
        anonaudit.audit(table, columns("population.size = 132"))


@pytest.mark.parametrize(
    ("population", "problem"),
    [
        ("{}", "needs file, size or sampling-fraction"),
        ("{ size = 9, sampling-fraction = 0.5 }", "has size and sampling-fraction; remove one"),
        ("{ size = 0 }", "population.size: must be above 0"),
        ("{ sampling-fraction = 0 }", "population.sampling-fraction: must be above 0"),
        ("{ sampling-fraction = 2 }", "must be a number from 0 to 1, not 2"),
        ("{ size = 9, columns = { zip = 'Z' } }", "population.columns: is valid only with file"),
    ],
)
def test_what_a_policy_says_wrongly_of_a_population(population, problem):
    with pytest.raises(PolicyError) as found:
        columns(f"population = {population}")
    assert problem in str(found.value)


@pytest.mark.long
def test_the_published_calibration_is_what_the_benchmark_prints(shared):
    """The truth is counted in the whole tables; errors on the page are those of the estimates."""
    root = Path(__file__).parents[2]
    page = (root / "docs" / "models" / "population-uniqueness.md").read_text("utf-8")
    command = [sys.executable, root / "benchmarks" / "population_uniqueness.py"]
    printed = subprocess.run(
        [*command, shared / "datasets" / "nist" / "ma2019.csv"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert len(printed.splitlines()) == 8
    assert [line for line in printed.splitlines() if line not in page] == []
