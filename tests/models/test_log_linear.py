"""The log-linear model of Skinner and Shlomo, against sums, a general fit, and simulation."""

import math
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from builders import reduced
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize

import anonaudit
from anonaudit.errors import PolicyError
from anonaudit.findings import Outcome
from anonaudit.models import log_linear
from anonaudit.models.log_linear import NoFitError, expected_uniques
from anonaudit.models.population_uniqueness import PopulationUniqueness
from anonaudit.policy import parse_policy


def by_definition(mean, chance):
    """P(F = 1 | f = 1) and E(1 / F | f = 1), summed over every F, for one class of one row."""
    joint = [
        math.exp(-mean + total * math.log(mean) - math.lgamma(total + 1))
        * (total * chance * (1 - chance) ** (total - 1))
        for total in range(1, 150)
    ]
    return joint[0] / sum(joint), sum(p / total for total, p in enumerate(joint, 1)) / sum(joint)


def fitted_means(cells, people, pairs):
    """The means of highest Poisson likelihood over the whole table, by a general optimizer."""
    values = [sorted({cell[i] for cell in cells}) for i in range(len(cells[0]))]
    table = list(product(*values))
    observed = np.array([dict(zip(cells, people, strict=True)).get(cell, 0.0) for cell in table])
    groups = [(i,) for i in range(len(values))]
    groups += list(combinations(range(len(values)), 2)) if pairs else []
    design = [np.ones(len(table))]
    for group in groups:
        levels = sorted({tuple(cell[i] for i in group) for cell in table})
        design += [
            np.array([tuple(cell[i] for i in group) == level for cell in table], float)
            for level in levels
        ]
    x = np.column_stack(design)

    def unlikeliness(at):
        mean = np.exp(x @ at)
        return mean.sum() - observed @ (x @ at), x.T @ (mean - observed)

    best = minimize(
        unlikeliness, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B",
        options={"maxiter": 5000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-9},
    )  # fmt: skip
    return dict(zip(table, np.exp(x @ best.x), strict=True))


CELLS = [(a, b, c) for a in range(2) for b in range(3) for c in range(2)]


@given(
    st.lists(st.sampled_from([1, 1, 2, 0, 3, 4]), min_size=12, max_size=12),
    st.sampled_from([0.1, 0.5, 0.9]),
    st.booleans(),
)
def test_by_a_general_fit_and_sums_over_the_population(sizes, fraction, pairs):
    """Each pair of values has somebody, for then the likelihood has its maximum inside."""
    sizes = [*sizes, 2, 3]
    cells = [*CELLS, (0, 0, 0), (1, 2, 1)]
    counted = {}
    for cell, size in zip(cells, sizes, strict=True):
        counted[cell] = counted.get(cell, 0) + size
    there = [cell for cell in counted if counted[cell]]
    seen = {(i, j, c[i], c[j]) for c in there for i, j in combinations(range(3), 2)}
    assume(len(seen) == 2 * 3 + 2 * 2 + 3 * 2)
    n = np.array([counted[cell] for cell in there], float)
    means = fitted_means(there, n / fraction, pairs)
    alone = [
        by_definition(means[c], fraction) for c in there if counted[c] == 1 and means[c] > 1e-6
    ]
    assume(len(alone) == (n == 1).sum())  # a mean of 0: the maximum lies on the border
    found = expected_uniques(there, n, n / fraction, pairs=pairs)
    assert found.alone == pytest.approx(sum(p for p, _ in alone), rel=0.03, abs=0.01)
    assert found.matches == pytest.approx(sum(p for _, p in alone), rel=0.03, abs=0.01)


def test_independent_columns_in_closed_form():
    """Eight rows of a fifth: margins 5, 3 and 6, 2; the cell (1, 1) is alone, so 40 * 3/8 * 2/8."""
    cells, n = [(0, 0), (0, 1), (1, 0), (1, 1)], np.array([4.0, 1, 2, 1])
    means = [40 * 5 / 8 * 2 / 8, 40 * 3 / 8 * 2 / 8]
    found = expected_uniques(cells, n, n * 5)
    assert found.alone == pytest.approx(sum(math.exp(-0.8 * mean) for mean in means))
    wanted = [(1 - math.exp(-0.8 * mean)) / (0.8 * mean) for mean in means]
    assert found.matches == pytest.approx(sum(wanted))


def test_each_row_has_the_chance_of_its_own_weight():
    """Rows that stand for 2 and 30: the margins are of people, and pi is 1/2 and 1/30."""
    cells = [(0, 0), (0, 1), (1, 0), (1, 1)]
    sizes, people = np.array([4.0, 1, 2, 1]), np.array([20.0, 2, 10, 30])
    means = {(0, 1): 22 * 32 / 62, (1, 1): 40 * 32 / 62}
    others = [means[0, 1] / 2, means[1, 1] * 29 / 30]
    found = expected_uniques(cells, sizes, people)
    assert found.alone == pytest.approx(sum(math.exp(-m) for m in others))


def test_everybody_in_the_release_is_no_estimate():
    n = np.array([1.0, 1, 2])
    assert expected_uniques([(0, 0), (0, 1), (1, 0)], n, n) == (2.0, 2.0)
    assert expected_uniques([(0, 0), (0, 1), (1, 0)], n, n / 2) == expected_uniques(
        [(7, 5), (7, 9), (3, 5)], n, n / 2
    )


@pytest.mark.parametrize("pairs", [False, True])
def test_on_simulated_populations_of_the_model(pairs):
    """20,000 people, drawn of the model that is fitted; tau1 and tau2 within 10 % of the truth."""
    rng = np.random.default_rng(5)
    shape = (12, 10, 8, 9)
    effects = [rng.normal(0, 1.0, size) for size in shape]
    log_mean = sum(
        e.reshape([-1 if k == i else 1 for k in range(4)]) for i, e in enumerate(effects)
    )
    if pairs:
        for i, j in combinations(range(4), 2):
            form = [shape[k] if k in (i, j) else 1 for k in range(4)]
            log_mean = log_mean + rng.normal(0, 0.4, form)
    chances = np.exp(log_mean).ravel()
    population = rng.multinomial(20_000, chances / chances.sum())
    sample = rng.binomial(population, 0.3)
    here = sample > 0
    cells = np.column_stack(np.unravel_index(np.flatnonzero(here), shape))
    found = expected_uniques(cells, sample[here].astype(float), sample[here] / 0.3, pairs=pairs)
    alone = sample == 1
    assert found.alone == pytest.approx((population[alone] == 1).sum(), rel=0.1)
    assert found.matches == pytest.approx((1 / population[alone]).sum(), rel=0.1)


ROWS = [(a, b, c) for a in "aab" for b in "xxyz" for c in "mmmf"]
ROWS += [("c", "x", "m"), ("d", "z", "f"), ("c", "y", "f")]


def asked(share, **options):
    options = {"sampling_fraction": 0.2, "estimator": "log-linear"} | options
    return PopulationUniqueness(share, **options).measure(reduced(ROWS, [0, 1, 2], []))


def test_the_level_is_tau1_over_the_rows():
    classes, n = np.unique(np.array(ROWS), axis=0, return_counts=True)
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in classes.T])
    wanted = expected_uniques(codes, n.astype(float), n * 5.0)
    found = asked(0.5)
    assert found.measured == pytest.approx(wanted.alone / len(ROWS))
    assert found.details["expected population uniques"] == pytest.approx(wanted.alone)
    assert found.details["expected right matches"] == pytest.approx(wanted.matches)
    assert found.details["estimator"] == "log-linear"
    assert "expected right matches" not in PopulationUniqueness(
        sampling_fraction=0.2
    ).measure(reduced(ROWS, [0, 1, 2], [])).details  # fmt: skip


def test_with_interactions_both_models_must_say_that_it_holds():
    both = asked(1.0, interactions=True).details["estimated shares"]
    low, high = both["log-linear by pairs"], both["log-linear"]
    assert 0 < low < high
    between = asked((low + high) / 2, interactions=True)
    assert (between.measured, between.outcome) == (low, Outcome.INCONCLUSIVE)
    assert "the estimate by log-linear is above the limit" in between.notes[0]
    assert asked(high, interactions=True).outcome is Outcome.HOLDS
    assert asked(low * 0.99, interactions=True).outcome is Outcome.VIOLATED
    assert asked((low + high) / 2).outcome is Outcome.VIOLATED


def test_a_column_of_different_values_is_not_taken_for_shared():
    """Each of 200 licence plates is one of its own. The fit by columns takes each for ten people."""
    table = pd.DataFrame({"plate": [f"N{n:03}" for n in range(200)]})
    policy = parse_policy("""
        columns.quasi-identifiers = ["plate"]
        population.sampling-fraction = 0.1
        require.population-uniqueness = { share = 0.05, estimator = "log-linear" }
    """)
    [found] = [m for m in anonaudit.audit(table, policy).models if m.model.startswith("population")]
    assert found.measured < 0.05
    assert found.outcome == Outcome.INCONCLUSIVE
    assert "dankar" in found.notes[-1]


def test_a_fit_that_is_too_large_or_does_not_settle_is_undecided(monkeypatch):
    monkeypatch.setattr(log_linear, "MOST_CELLS", 3)
    found = asked(0.01, interactions=True)
    assert (found.measured, found.outcome) == (None, Outcome.INCONCLUSIVE)
    assert found.notes == (
        "the fit by pairs has more than 3 cells; set interactions to false, or generalize",
    )
    monkeypatch.undo()
    monkeypatch.setattr(log_linear, "_SWEEPS", 1)
    with pytest.raises(NoFitError, match="did not converge in 1 sweeps"):
        expected_uniques(CELLS, np.arange(1.0, 13), np.arange(1.0, 13) ** 2, pairs=True)


def test_a_policy_gives_weights_in_proportion():
    """Weights seven times as large say the same, and the fraction counts; equal ones say nothing."""
    table = pd.DataFrame(ROWS, columns=["a", "b", "c"])
    table["w"] = np.where(table.index < len(table) - 3, "1", "3")

    def level(w, sampling):
        policy = f"""
            columns = {{ quasi-identifiers = ["a", "b", "c"], weight = "w" }}
            require.population-uniqueness = {{ share = 0.5, estimator = "log-linear" }}
            {sampling}"""
        return anonaudit.audit(table.assign(w=w), parse_policy(policy)).models[0].measured

    fraction = "population.sampling-fraction = 0.2"
    scaled = [str(float(w) * 7) for w in table["w"]]
    assert level(table["w"], fraction) == pytest.approx(level(scaled, fraction))
    assert level(table["w"], fraction) != pytest.approx(level("1", fraction))
    assert level("5", "") == pytest.approx(level("1", fraction))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (
            'estimator = "pitman", interactions = true',
            "requires the estimator 'log-linear'",
        ),
        ('estimator = "log-linear", interactions = 1', "must be true or false"),
        ('estimator = "loglinear"', "must be one of dankar, pitman, zayatz, snb, log-linear"),
    ],
)
def test_what_a_policy_says_wrongly_of_the_model(options, problem):
    with pytest.raises(PolicyError) as found:
        parse_policy(
            'columns.quasi-identifiers = ["a"]\n'
            f"require.population-uniqueness = {{ share = 0.1, {options} }}"
        )
    assert problem in str(found.value)
