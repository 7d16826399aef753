"""The chance to be in the release, against the oracle and counted by hand."""

from collections import Counter

import numpy as np
import oracle
import pandas as pd
import pytest
from builders import all_tables, reduced

import anonaudit
from anonaudit.findings import Outcome
from anonaudit.models import DeltaPresence
from anonaudit.policy import parse_policy


@pytest.mark.parametrize("more", [[("x",)], [("y",), ("y",)], [("x",), ("y",), ("z",)]])
def test_every_small_table(more):
    """The population has everybody of the release, and some more."""
    for rows in all_tables(("x", "y"), most=4, least=1):
        population = [*rows, *more]
        classes = reduced(rows, [0], [])
        keys = [classes.keys.labels[0][code] for code in classes.keys.codes[:, 0]]
        fits = np.array([float(population.count((key,))) for key in keys])
        found = DeltaPresence(population=fits).measure(classes)
        assert found.measured == float(oracle.delta_presence(rows, [0], population))


@pytest.mark.parametrize("most", [0.4, 0.5, 0.8])
def test_suppressed_rows_may_be_anybodys(most):
    """Every table, and everybody whose the suppressed rows may be."""
    outcomes = Counter()
    for rows in all_tables(("x", "y", "*"), most=4, least=1):
        population = [("x",)] * 5 + [("y",)] * 4
        classes = reduced(rows, [0], [])
        keys = [classes.keys.labels[0][code] for code in classes.keys.codes[:, 0]]
        fits = np.array([float(population.count((key,))) for key in keys])
        outcome = DeltaPresence(most, population=fits).measure(classes).outcome
        highest = oracle.possible_presence(rows, [0], population)
        outcomes[outcome] += 1
        if outcome is Outcome.HOLDS:
            assert highest is not None
            assert highest <= most + 1e-12
        if ("*",) not in rows:
            assert (outcome is Outcome.HOLDS) == (highest <= most + 1e-12)
    assert min(outcomes[o] for o in (Outcome.HOLDS, Outcome.VIOLATED, Outcome.INCONCLUSIVE)) > 0


@pytest.mark.parametrize("rule", ["own-category", "drop-rows", "wildcard"])
@pytest.mark.parametrize("tuples", ["include", "exclude"])
@pytest.mark.parametrize("cell", ["*", ""])
def test_five_of_ten_are_suppressed(tmp_path, cell, rule, tuples):
    """All ten people of 30 are in the release, so the chance is 1, and 0.5 does not hold."""
    more = f"conventions = {{ quasi-identifiers = '{rule}', suppressed-tuples = '{tuples}' }}"
    found = audited(tmp_path, ["30"] * 10, ["30"] * 5 + [cell] * 5, 0.5, more)
    assert found.outcome is not Outcome.HOLDS
    if (cell, rule, tuples) == ("*", "own-category", "exclude"):
        assert (found.measured, found.outcome) == (0.5, Outcome.INCONCLUSIVE)
        assert found.notes[0].startswith("5 row(s) of the release are in no class")


def audited(tmp_path, ages, rows, most, more=""):
    pd.DataFrame({"age": ages, "name": "N"}).to_csv(tmp_path / "people.csv", index=False)
    policy = parse_policy(
        f"""
        columns.quasi-identifiers = ["age"]
        population.file = "people.csv"
        require.delta-presence = {{ most = {most} }}
        {more}
        """,
        folder=tmp_path,
    )
    report = anonaudit.audit(pd.DataFrame({"age": rows, "ill": "flu"}), policy)
    return report.models[0]


def test_generalized_rows_and_a_population_of_ages(tmp_path):
    """2 of the 4 thirty-somethings and 1 of the 5 others: 1/2 and 1/5."""
    ages = ["31", "33", "38", "39", "41", "42", "45", "45", "49"]
    rows = ["[30,40)", "[30,40)", "[40,50)"]
    found = audited(tmp_path, ages, rows, 0.5)
    assert (found.measured, found.outcome) == (0.5, Outcome.HOLDS)
    assert found.details["lowest presence"] == 0.2
    short = audited(tmp_path, ages, rows, 0.49)
    assert (short.outcome, short.classes_violating, short.rows_violating) == ("violated", 1, 2)


def test_who_fits_several_classes_may_be_in_any_of_them(tmp_path):
    """The one of 35 fits both labels: 1/2 in each, and so 1 in fact. A half does not hold."""
    found = audited(tmp_path, ["31", "35", "39"], ["[30,36)", "[35,40)"], 0.5)
    assert (found.measured, found.outcome) == (0.5, Outcome.INCONCLUSIVE)
    assert found.notes[0].startswith("1 person of the population fits several classes, and is")


def test_a_population_without_the_people_of_the_release(tmp_path):
    """Two rows, one person who fits: the file is of other people, and even 1 is not sure."""
    found = audited(tmp_path, ["31"], ["[30,40)", "[30,40)"], 1.0)
    assert (found.measured, found.outcome) == (1, Outcome.INCONCLUSIVE)
    assert "more people in the release than people of the population file" in found.notes[0]


def test_people_who_may_fit(tmp_path):
    """One of three has no age: 1/2 of those who fit, 1/3 of those who may. 0.4 is undecided."""
    found = audited(tmp_path, ["31", "33", ""], ["[30,40)"], 0.4)
    assert (found.measured, found.outcome) == (0.5, Outcome.INCONCLUSIVE)
    assert audited(tmp_path, ["31", "33", ""], ["[30,40)"], 0.3).outcome is Outcome.VIOLATED


def test_without_a_population_the_release_stands_for_it():
    found = DeltaPresence(0.9).measure(reduced([("x",), ("y",)], [0], []))
    assert (found.measured, found.outcome) == (1, Outcome.VIOLATED)
    assert found.notes == ("no population file was given: the release is taken as the population",)
