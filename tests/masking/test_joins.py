"""What joins the values of a column: trees by their paths, numbers by their ends."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from masking.tables import hierarchies

from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.goals import KAnonymous
from anonaudit.masking.joins import SpanJoins, TreeJoins, WideTreeJoins, joins_of
from anonaudit.masking.k_member import k_member
from anonaudit.masking.loss import information_loss
from anonaudit.masking.mondrian import mondrian
from anonaudit.masking.recoding import Microdata
from anonaudit.masking.trees import tree_of
from anonaudit.roles import Roles

MISSING, SUPPRESSED, FIRST = 0, 1, 2  # the codes


@given(
    numbers=st.lists(st.fractions(-50, 50, max_denominator=4), min_size=1, max_size=8),
    data=st.data(),
)
def test_an_interval_holds_all_that_was_taken_in(
    numbers: list[Fraction], data: st.DataObject
) -> None:
    joins = SpanJoins(numbers)
    taken = data.draw(st.lists(st.integers(0, len(numbers) + 1), min_size=1, max_size=6))
    node = np.array([joins.start(taken[0])])
    for code in taken[1:]:
        then = joins.with_code(node, code)
        assert joins.losses_with(int(node[0]))[code] == joins.loss(then)[0]
        assert joins.with_node(node, joins.start(code)) == then
        assert joins.joined(int(node[0]), code) == then[0]
        node = then
    # By definition: the width of all numbers over that of the column; `*` loses all.
    apart = {MISSING, SUPPRESSED} & {*taken}
    held = {numbers[code - FIRST] for code in taken if code >= FIRST}
    if len(held) + len(apart) == 1:
        expected = 0.0
    elif apart:
        expected = 1.0
    else:
        expected = float((max(held) - min(held)) / (max(numbers) - min(numbers)))
    assert joins.loss(node)[0] == pytest.approx(expected)


def test_a_missing_number_is_alone_or_under_the_root() -> None:
    joins = SpanJoins([Fraction(3), Fraction(7)])
    missing = np.array([joins.start(MISSING)])
    assert joins.loss(missing).tolist() == [0.0]
    assert joins.with_code(missing, MISSING).tolist() == missing.tolist()
    root = joins.with_code(missing, SUPPRESSED)
    assert joins.loss(root).tolist() == [1.0]
    assert joins.with_code(root, FIRST).tolist() == root.tolist()


@pytest.mark.parametrize("kind", [TreeJoins, WideTreeJoins])
@pytest.mark.parametrize("name", ["q0", "q1", "q2"])
def test_what_joins_two_nodes_of_a_tree(name: str, kind: type[TreeJoins | WideTreeJoins]) -> None:
    """By its paths: the lowest node above all that is below either."""
    hierarchy = hierarchies(name)[name]
    # A missing and a suppressed cell are below the root alone.
    above = {None: (None, "*"), "*": ("*",), **hierarchy.paths}
    values = sorted(hierarchy.paths)
    data = Microdata.read(pd.DataFrame({name: values}), Roles((name,)), {name: hierarchy})
    tree, codes = tree_of(data, name), range(len(values) + FIRST)
    joins, cells = kind(tree), [None, "*", *values]
    below = {node: {c for c in cells if node in above[c]} for node in tree.labels}
    some = np.arange(len(tree.labels))
    for node, label in enumerate(tree.labels):
        for found, other in zip(joins.with_node(some, node), tree.labels, strict=True):
            held = below[label] | below[other]
            expected = {n for n in below if held <= below[n]}
            assert below[tree.labels[found]] == min((below[n] for n in expected), key=len)
        single = [joins.joined(node, code) for code in codes]
        assert single == joins.with_node(joins.start(np.array(codes)), node).tolist()
        assert single == [int(joins.with_code(np.array([node]), code)[0]) for code in codes]
        assert joins.losses_with(node).tolist() == tree.loss[single].tolist()


def test_memory_grows_with_the_values_of_a_column_and_not_with_their_square() -> None:
    """20,000 dates: a table of all pairs of nodes would take 3.5 GB, one of covers 0.4 GB."""
    days = pd.date_range("1960-01-01", periods=20_000).strftime("%Y-%m-%d")
    paths = [[day, day[:7], day[:4]] for day in days]
    table = pd.DataFrame({"born": days})
    data = Microdata.read(table, Roles(("born",)), {"born": Hierarchy("born", paths)})
    tracemalloc.start()
    (joins,) = joins_of(data)
    node = joins.joined(int(joins.start(FIRST)), FIRST + 40)  # 1 January and 10 February 1960
    losses = joins.losses_with(node)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 100e6
    # The year for its own days, the root for all others.
    in_1960 = np.array([day.startswith("1960") for day in data.labels_of("born")[FIRST:]])
    assert losses[FIRST:].tolist() == np.where(in_1960, 2 / 3, 1.0).tolist()


def test_twenty_thousand_numbers() -> None:
    joins = SpanJoins([Fraction(i) for i in range(20_000)])
    last = FIRST + 19_999
    ends = joins.with_code(joins.start(np.array([FIRST])), last)
    assert joins.loss(ends).tolist() == [1.0]
    assert joins.with_code(ends, FIRST + 7).tolist() == ends.tolist()
    near = joins.with_node(joins.start(np.array([last])), joins.start(np.array([last - 1])))
    assert joins.loss(near).tolist() == [1 / 19_999]
    missing = joins.with_code(ends, MISSING)
    assert missing.tolist() == joins.with_code(joins.start(np.array([MISSING])), last).tolist()
    assert missing.tolist() != ends.tolist()


def test_large_numbers_close_together_stay_apart() -> None:
    joins = SpanJoins([Fraction(10**18 + i) for i in range(3)])
    middle = joins.with_code(np.array([joins.start(FIRST)]), FIRST + 1)
    assert joins.loss(middle).tolist() == [0.5]


def test_clusters_of_numbers_are_released_as_intervals() -> None:
    # By hand: the cheapest pairs are (1, 2) and (8, 9), each of width 1 of 8.
    table = {"age": ["1", "9", "2", "8"], "sex": ["m"] * 4}
    data = Microdata.read(pd.DataFrame(table), Roles(("age", "sex")))
    found = k_member(data, k=2).frame()
    assert found["age"].tolist() == ["[1,2]", "[8,9]", "[1,2]", "[8,9]"]
    assert joins_of(data)[0].loss(np.array([1])).tolist() == [0.125]


@pytest.mark.parametrize("sign", ["", "-"])
def test_numbers_that_one_float_cannot_tell_apart(sign: str) -> None:
    """By hand: the interval is as wide as the column, and 5 is in the interval of all three."""
    near = [f"{sign}1000000000000000{last}" for last in "01"]
    low, high = sorted(near, key=int)
    data = Microdata.read(pd.DataFrame({"a": near}), Roles(("a",)))
    found = k_member(data, k=2)
    assert found.frame()["a"].tolist() == [f"[{low},{high}]"] * 2
    assert information_loss(found) == 2
    three = Microdata.read(pd.DataFrame({"a": [*near, "5"]}), Roles(("a",)))
    ends = sorted([*near, "5"], key=int)
    for masker in (k_member, lambda table, k: mondrian(table, KAnonymous(k))):
        assert masker(three, k=3).frame()["a"].tolist() == [f"[{ends[0]},{ends[2]}]"] * 3
