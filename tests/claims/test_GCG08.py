"""GCG08, claim by claim, as far as models go: its figures and Theorems 1, 2, 5."""

import csv
import math
from itertools import combinations

import oracle
import pytest
from builders import all_tables, reduced
from claims_of import assert_confirmed, checked_claims

from anonaudit import datasets
from anonaudit.models import KAnonymity, LDiversity
from anonaudit.models.multi_attribute_l_diversity import (
    MultiAttributeLDiversity,
    figure_6,
    figure_7,
)
from anonaudit.papers import published
from anonaudit.papers.claims import gcg08


def rows_of(name, *columns):
    with datasets.path(f"GCG08/{name}.csv").open() as file:
        return [tuple(row[c] for c in columns) for row in csv.DictReader(file)]


def measured(rows, qi, sensitive, **limits):
    classes = reduced(rows, qi, sensitive)
    return MultiAttributeLDiversity(at_most=limits).measure(classes).measured


@pytest.mark.claim("GCG08-fig1-2")
def test_figure_2_is_4_anonymous_3_diverse_by_attribute_and_L_is_2():
    """GCG08-fig1-2."""
    rows = rows_of("figure2", "age", "disease-type", "treatment")
    classes = reduced(rows, [0], [1, 2])
    assert KAnonymity().measure(classes).measured == 4
    levels = LDiversity().measure(classes).per_attribute
    assert {name: level.measured for name, level in levels.items()} == {"1": 3, "2": 3}
    assert measured(rows, [0], [1, 2]) == 2
    left = {treatment for _, disease, treatment in rows if disease != "Heart disease"}
    assert left == {"Intravenous therapy"}


@pytest.mark.claim("GCG08-fig1-2")
def test_example_1():
    """The first three patients are 3-anonymous with two diseases: without one, patient 3 has flu."""
    rows = rows_of("figure2", "age", "disease-type")[:3]
    classes = reduced(rows, [0], [1])
    assert KAnonymity().measure(classes).measured == 3
    assert LDiversity().measure(classes).measured == 2
    assert {disease for _, disease in rows if disease != "Heart disease"} == {"Flu"}


@pytest.mark.claim("GCG08-fig4")
@pytest.mark.claim("GCG08-fig8")
def test_figure_4_has_L_3_and_4_with_at_most_2_treatments():
    """GCG08-fig4, -fig8: and the steps of Figure 7 reach 4."""
    rows = rows_of("figure4", "disease-type", "treatment")
    assert measured(rows, [], [0, 1]) == 3
    assert measured(rows, [], [0, 1], **{"0": 4, "1": 2}) == 4
    assert figure_6(rows, 3)
    assert not figure_6(rows, 4)
    assert figure_7(rows, 4, [4, 2])


@pytest.mark.claim("GCG08-thm1")
def test_theorem_1_for_definition_6():
    """GCG08-thm1: after eliminating L-2 values two distinct values stay in every attribute."""
    for rows in all_tables(("a", "b", "c"), ("1", "2", "3"), most=4, least=2):
        level = oracle.multi_attribute_l(rows, [], [0, 1])
        assert measured(rows, [], [0, 1]) == level
        values = {(j, row[j]) for row in rows for j in (0, 1)}
        for gone in combinations(values, max(level - 2, 0)):
            left = [row for row in rows if not any((j, row[j]) in gone for j in (0, 1))]
            if level >= 2:
                assert all(len({row[j] for row in left}) >= 2 for j in (0, 1))


@pytest.mark.claim("GCG08-thm1-columnwise")
def test_theorem_1_does_not_carry_over_to_definition_7():
    rows = [("3", "3"), ("2", "0"), ("0", "3"), ("1", "0")]
    assert measured(rows, [], [0, 1], **{"0": 4, "1": 1}) == 3
    left = [row for row in rows if row[1] != "0"]
    assert len({second for _, second in left}) == 1  # one value eliminated, one value left


@pytest.mark.claim("GCG08-thm6")
@pytest.mark.claim("GCG08-fig7")
def test_theorem_6_says_nothing_where_fewer_than_L_values_may_be_chosen():
    """Limits 0 and 1 leave one value; its sum is at most |C|, and one deletion deletes both rows."""
    rows, limits = [("2", "1"), ("2", "1")], [0, 1]
    assert measured(rows, [], [0, 1], **{"0": 0, "1": 1}) == 1
    assert not figure_7(rows, 2, limits)
    assert not published.figure_7(rows, 2, limits, reading="exactly x")
    assert published.figure_7(rows, 2, limits)  # as many as there are: unsound


@pytest.mark.claim("GCG08-fig8")
def test_the_steps_of_figure_8_depend_on_the_order_of_the_rows():
    """The remaining rows reversed are added in that order, so Figure 8 shows the given one."""
    rows = rows_of("figure4", "disease-type", "treatment")
    order = []
    for some in (rows, [*rows[::2], *rows[:0:-2]]):
        steps = []
        assert published.figure_7(some, 4, [4, 2], steps=steps)
        order.append([[some[i] for i in step.rows] for step in steps])
    assert order[0][1][-1] == ("D2", "T1")
    assert order[1][1][-1] == ("D6", "T3")


@pytest.mark.claim("GCG08-fig3")
def test_a_guess_from_the_anatomized_tables_is_right_with_a_quarter():
    """The third patient is 49: group 1, four rows, and one of them has the flu."""
    qit, types = rows_of("figure3-qit", "age", "group-id"), rows_of("figure3-disease-type", "group-id", "disease-type", "count")  # fmt: skip
    (group,) = [group for age, group in qit if age == "49"]
    counts = {name: int(n) for number, name, n in types if number == group}
    assert counts["Flu"] / sum(counts.values()) == 0.25
    generalized = rows_of("figure2", "age", "disease-type")
    assert [row[1] for row in generalized if row[0] == "41-50"].count("Flu") / 4 == 0.25


@pytest.mark.claim("GCG08-thm5")
def test_theorem_5_a_subset_bounds_its_group():
    for rows in all_tables(("a", "b"), ("1", "2", "3"), most=5, least=2):
        assert measured(rows[:-1], [], [0, 1]) <= measured(rows, [], [0, 1])


@pytest.mark.claim("GCG08-Lm")
@pytest.mark.parametrize("l", [2, 3])
def test_exponential_l_needs_l_to_the_m_rows(l):
    """GCG08-Lm, for two attributes: the least class with Exponential-L of l."""
    values = "abc"[:l]
    whole = [(x, y) for x in values for y in "123"[:l]]
    model = LDiversity(l=l, reading="others-known")
    assert len(whole) == l**2
    assert model.measure(reduced(whole, [], [0, 1])).measured == l
    for gone in range(len(whole)):
        fewer = whole[:gone] + whole[gone + 1 :]
        assert model.measure(reduced(fewer, [], [0, 1])).measured < l


def test_no_deletion_within_the_limits_is_an_outcome_of_its_own():
    rows = [("a", "1"), ("b", "2")]
    assert oracle.multi_attribute_l(rows, [], [0, 1], {0: 0, 1: 1}) == math.inf
    found = MultiAttributeLDiversity(l=2, at_most={"0": 0, "1": 1}).measure(
        reduced(rows, [], [0, 1])
    )
    assert gcg08.measured_l(rows, 0, 1) == math.inf  # as the checks of the ledger say it
    assert found.measured is None
    assert found.outcome.value == "holds"
    assert found.details["classes that no allowed deletion deletes"] == 1


@pytest.mark.parametrize("claim", checked_claims("GCG08"))
def test_the_check_of_the_ledger(claim, monkeypatch):
    """Every claim with a check, gone through without a limit of time."""
    assert_confirmed(claim, monkeypatch)
