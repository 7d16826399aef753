"""Goals against the oracle's definitions, on every small group and on random larger ones."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations_with_replacement, product

import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from masking.tables import Row, microdata

from anonaudit.findings import Outcome
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.masking.goals import (
    EntropyL,
    Goal,
    Groups,
    KAnonymous,
    PSensitive,
    require,
)
from anonaudit.masking.multi_attribute_goals import ExponentialL, MultiAttributeL
from anonaudit.masking.recoding import Microdata, NotAchievableError
from anonaudit.models.l_diversity import EntropyLDiversity
from anonaudit.models.level import ParameterError
from anonaudit.models.multi_attribute_l_diversity import figure_7
from anonaudit.papers.published import figure_6 as printed_figure_6
from anonaudit.papers.published import figure_7 as printed_figure_7
from anonaudit.roles import Roles


def meets(goal: Goal, rows: list[Row], sensitive: int) -> bool:
    """The rows as one group."""
    data = microdata([("0", *row) for row in rows], 1, sensitive)
    return bool(goal.met(Groups.whole(data))[0])


@pytest.mark.parametrize(
    "cells",
    [
        ("ab", "xy"),
        pytest.param(("abc", "xyz"), marks=pytest.mark.long),
        pytest.param(("ab", "xy", "12"), marks=pytest.mark.long),
    ],
)
def test_every_small_group(cells: tuple[str, ...]) -> None:
    q = len(cells)
    columns = range(q)
    for n in range(1, 5 if len(cells[0]) == q else 4):
        for rows in combinations_with_replacement(list(product(*cells)), n):
            deletions = oracle.least_deletions(rows, columns)
            assert deletions is not None
            least = min(len(oracle.distinct(rows, c)) for c in columns)
            exponential = min(oracle.others_known_l(rows, (), columns, c) or 0 for c in columns)
            for l in (1, 2, 3):
                group = list(rows)
                assert meets(MultiAttributeL(l), group, q) is (deletions >= l)
                assert not meets(MultiAttributeL(l, check="heuristic"), group, q) or deletions >= l
                assert meets(ExponentialL(l), group, q) is (exponential >= l)
                assert meets(PSensitive(l, max(l, 2)), group, q) is (least >= l and n >= max(l, 2))


@given(
    st.lists(st.tuples(*[st.sampled_from("abc*")] * 2), min_size=1, max_size=9),
    st.integers(1, 4),
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
)
def test_limits_by_column(rows: list[Row], l: int, limits: tuple[int, int]) -> None:
    at_most = {"s0": limits[0], "s1": limits[1]}
    number = oracle.least_deletions(rows, (0, 1), dict(enumerate(limits)))
    exact = number is not None and number >= l
    assert meets(MultiAttributeL(l, at_most=at_most), rows, 2) is exact
    assert not meets(MultiAttributeL(l, at_most=at_most, check="heuristic"), rows, 2) or exact
    one = {"s1": limits[1]}
    number = oracle.least_deletions(rows, (0, 1), {1: limits[1]})
    assert meets(MultiAttributeL(l, at_most=one), rows, 2) is (number is not None and number >= l)


@given(
    st.lists(st.tuples(*[st.sampled_from("abc")] * 2), min_size=1, max_size=9),
    st.integers(1, 4),
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
)
def test_the_heuristic_is_figure_7_of_gcg08(
    rows: list[Row], l: int, limits: tuple[int, int]
) -> None:
    """With limits the literal form, and without them Figure 6: not the exact number."""
    rows = sorted(rows)
    at_most = {"s0": limits[0], "s1": limits[1]}
    limited = MultiAttributeL(l, at_most=at_most, check="heuristic")
    assert meets(limited, rows, 2) == printed_figure_7(rows, l, limits, reading="exactly x")
    assert meets(MultiAttributeL(l, check="heuristic"), rows, 2) == printed_figure_6(rows, l)


@given(st.lists(st.sampled_from("abc*"), min_size=1, max_size=9), st.integers(1, 3))
def test_entropy(values: list[str], l: int) -> None:
    rows: list[Row] = [(value,) for value in values]
    known = oracle.known_in(rows, 0)
    most = max(known, key=known.count, default="a")
    filled = [(most if value == "*" else value,) for value in values]  # Schur: it is least so
    expected = bool(known) and math.exp(oracle.entropy(filled, 0)) >= l - 1e-9
    assert meets(EntropyL(l), rows, 1) is expected


@given(
    st.lists(st.tuples(st.integers(0, 3), *[st.sampled_from("abc")] * 2), min_size=4, max_size=20)
)
def test_groups_are_judged_each_on_its_own(rows: list[tuple[int, str, str]]) -> None:
    data = microdata([("0", *row[1:]) for row in rows], 1, 2)
    _, of = np.unique([row[0] for row in rows], return_inverse=True)
    groups = Groups.of_rows(data, np.arange(len(rows)), of, int(of.max()) + 1)
    for goal in (
        KAnonymous(3),
        PSensitive(2),
        PSensitive(3, 4),
        EntropyL(2),
        MultiAttributeL(2, 2),
        MultiAttributeL(2, at_most={"s0": 1}, check="heuristic"),
        MultiAttributeL(3, check="heuristic"),
        ExponentialL(2),
    ):
        for number, met in enumerate(goal.met(groups)):
            alone = [row[1:] for row, g in zip(rows, of, strict=True) if g == number]
            assert met == meets(goal, alone, 2), (goal, number)


def test_figure_7_as_printed_says_yes_where_one_deletion_is_enough() -> None:
    rows = [("2", "1"), ("2", "1")]
    assert oracle.least_deletions(rows, (0, 1), {0: 0, 1: 1}) == 1
    assert printed_figure_7(rows, 2, (0, 1))
    assert not figure_7(rows, 2, (0, 1))
    assert not meets(MultiAttributeL(2, at_most={"s0": 0, "s1": 1}), rows, 2)


def test_figure_8_of_gcg08() -> None:
    rows = [("D1", "T1"), ("D2", "T1"), ("D3", "T2"), ("D4", "T2"), ("D5", "T3"), ("D6", "T3")]
    assert meets(MultiAttributeL(3), rows, 2)
    assert not meets(MultiAttributeL(4), rows, 2)
    for check in ("exact", "heuristic"):
        limited = MultiAttributeL(4, at_most={"s0": 4, "s1": 2}, check=check)
        assert meets(limited, rows, 2)
    assert printed_figure_7(rows, 4, (4, 2))


def test_refusals() -> None:
    data = microdata([("0", "a", "x"), ("1", "a", "y"), ("2", "b", "z")], 1, 2)
    for goal, reason, nearest in (
        (KAnonymous(4), "k", {"k": 3}),
        (PSensitive(3), "maxP", {"p": 2}),
        (PSensitive(2, 4), "k", {"k": 3}),
        (EntropyL(3), "l", {"l": 1.889}),  # 3 / 2**(2/3) = 1.8899 of a, a, b; rounded down
        (EntropyL(1, 5), "k", {"k": 3}),
        (MultiAttributeL(3), "l", {"l": 2}),
        (MultiAttributeL(3, 3), "l", {"l": 2}),
        (MultiAttributeL(1, 4), "k", {"k": 3}),
        (ExponentialL(2), "l", {}),
        (ExponentialL(2, 3), "l", {}),
        (ExponentialL(1, 5), "k", {"k": 3}),
    ):
        with pytest.raises(NotAchievableError) as caught:
            require(goal, data)
        assert (caught.value.reason, caught.value.nearest) == (reason, nearest), goal
        require(replace(goal, **nearest) if nearest else KAnonymous(1), data)
    # The unknown cell may be an a, and then one deletion deletes both rows.
    unknown = microdata([("0", "a", "x"), ("0", None, "y")], 1, 2)
    with pytest.raises(NotAchievableError) as caught:
        require(MultiAttributeL(2), unknown)
    assert (caught.value.reason, caught.value.nearest) == ("l", {"l": 1})
    missed = microdata([("0", "a", "x", "1"), ("0", "a", "y", "2"), ("0", "b", "x", "2")], 1, 3)
    require(MultiAttributeL(2), missed)  # any two rows share a value, all three share none
    with pytest.raises(NotAchievableError) as caught:
        require(MultiAttributeL(2, check="heuristic"), missed)
    assert (caught.value.reason, caught.value.nearest) == ("heuristic", {"check": "exact"})
    with pytest.raises(NotAchievableError):
        require(KAnonymous(1), data.take(np.array([], int)))
    with pytest.raises(ParameterError, match="There are"):
        MultiAttributeL(2, at_most={"nobody": 1}).met(Groups.whole(data))


@pytest.mark.parametrize("k", [0, -1, 1.5, True, math.nan])
@pytest.mark.parametrize("goal", [KAnonymous(1), EntropyL(1), MultiAttributeL(1), ExponentialL(1)])
def test_every_goal_refuses_a_k_that_is_no_number_of_persons(goal: Goal, k: float) -> None:
    with pytest.raises(ParameterError, match="k must be a whole number of at least 1"):
        replace(goal, k=k)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: PSensitive(3, 2), "p must be at most k"),
        (lambda: PSensitive(0), "p must be a whole number of at least 1"),
        (lambda: MultiAttributeL(0), "l must be a whole number of at least 1"),
        (lambda: ExponentialL(0), "l must be a whole number of at least 1"),
        (lambda: EntropyL(0), "l must be a number at least 1"),
        (lambda: EntropyL(-2.5), "l must be a number at least 1"),
        (lambda: EntropyL(math.nan), "l must be a number at least 1"),
        (lambda: EntropyL(math.inf), "l must be a number at least 1"),
        (lambda: EntropyL(True), "l must be a number at least 1"),
        (lambda: MultiAttributeL(2, at_most={"s0": 0.5}), "at-most for 's0' must be a whole"),
        (lambda: MultiAttributeL(2, at_most={"s0": -1}), "at-most for 's0' must be a whole"),
        (lambda: MultiAttributeL(2, check="fast"), "check must be exact or heuristic, not 'fast'"),
    ],
)
def test_parameters_that_no_goal_has(wrong: Callable[[], Goal], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        wrong()


@pytest.mark.parametrize("n", [1, 2, 3, pytest.param(4, marks=pytest.mark.long)])
def test_entropy_of_persons_with_several_rows(n: int) -> None:
    """The goal is never weaker than the definition, whatever the unknown cells of a person are.

    A person with one value in several rows counts once for this value. The goal is the model, which
    counts each unknown cell as one more person with the most frequent value.
    """
    for rows in combinations_with_replacement(list(product("PQR", "ab*")), n):
        table = pd.DataFrame(rows, columns=["who", "s0"]).assign(q0="0")
        data = Microdata.read(table, Roles(("q0",), ("s0",), unit="who"))
        counted = FrequencySet.of(["who", "s0"], rows)
        classes = equivalence_classes(counted, Roles(sensitive=("s0",), unit="who"))
        worlds = product(*["abc" if value == "*" else value for _, value in rows])
        pairs = [{(who, v) for (who, _), v in zip(rows, one, strict=True)} for one in worlds]
        least = min(math.exp(oracle.entropy([(v,) for _, v in one], 0)) for one in pairs)
        for l in (1, 1.5, 1.8, 2):
            met = bool(EntropyL(l).met(Groups.whole(data))[0])
            assert not met or least >= l - 1e-9, (rows, l)
            assert met is (EntropyLDiversity(l).measure(classes).outcome is Outcome.HOLDS)
