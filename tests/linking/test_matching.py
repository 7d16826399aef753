"""Candidate sets against a brute-force adversary that tries every pair of rows."""

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.matching import candidates, match_column

TREE = Hierarchy.from_levels(
    "place",
    [
        ["San Diego", "California", "West", "USA"],
        ["Los Angeles", "California", "West", "USA"],
        ["Wichita", "Kansas", "Midwest", "USA"],
        ["Lincoln", "Nebraska", "Midwest", "USA"],
    ],
)
ABOVE = {leaf: set(path) for leaf, path in TREE.paths.items()}

# Per column: ground values, released labels, and what is literally behind each label.
AGES = ["5", "20", "25", "30", "-3", "2.5"]
INTERVALS = {
    "[20,30)": lambda x: 20 <= x < 30,
    "]20,30]": lambda x: 20 < x <= 30,
    "5-20": lambda x: 5 <= x <= 20,
    "<20": lambda x: x < 20,
    "25+": lambda x: x >= 25,
    "[-10,-3]": lambda x: -10 <= x <= -3,
}
ZIPS = ["43102", "43103", "0712", "712"]
MASKS = {
    "431**": lambda x: len(x) == 5 and x.startswith("431"),
    "4****": lambda x: len(x) == 5 and x.startswith("4"),
    "07**": lambda x: len(x) == 4 and x.startswith("07"),
    "{712,0712}": lambda x: x in ("712", "0712"),
}


def literal(column, ground, released):
    """What a ground cell may stand behind, said cell by cell."""
    if ground in (None, "*") or released in (None, "*") or ground == released:
        return True
    if column == 0:
        return released in ABOVE[ground]
    if column == 1:
        return released in INTERVALS and INTERVALS[released](float(ground))
    return released in MASKS and MASKS[released](ground)


ground_rows = st.tuples(
    st.sampled_from([*TREE.leaves, None]),
    st.sampled_from([*AGES, None]),
    st.sampled_from([*ZIPS, "*"]),
)
released_rows = st.tuples(
    st.sampled_from([*TREE.nodes, "*"]),
    st.sampled_from([*AGES, *INTERVALS, None]),
    st.sampled_from([*ZIPS, *MASKS, "*"]),
)


@given(st.lists(ground_rows, max_size=8), st.lists(released_rows, max_size=12))
def test_every_pair_is_found_and_no_other(people, rows):
    external = FrequencySet.of(["place", "age", "zip"], people)
    release = FrequencySet.of(["place", "age", "zip"], rows)
    matches = [
        match_column(external.labels[j], release.labels[j], hierarchy=TREE if j == 0 else None)
        for j in range(3)
    ]
    found = candidates(external, release, matches)
    cell = lambda table, j, code: (None, "*")[code] if code < 2 else table.labels[j][code]  # noqa: E731
    who = [tuple(cell(external, j, c) for j, c in enumerate(row)) for row in external.codes]
    what = [tuple(cell(release, j, c) for j, c in enumerate(row)) for row in release.codes]
    expected = oracle.linkage(who, what, literal)
    pairs = sorted((i, k) for i, places in enumerate(expected) for k in places)
    assert list(zip(found.person.tolist(), found.key.tolist(), strict=True)) == pairs


def test_where_the_hierarchy_knows_both_sides_it_decides():
    # "10-20" is a node here, and holds 30 but not 15.
    tree = Hierarchy.from_levels("x", [["30", "10-20"], ["15", "other"]])
    match = match_column(["", "*", "15", "30"], ["", "*", "10-20"], hierarchy=tree)
    assert match.of(np.array([2]))[1].tolist() == [0, 1]
    assert match.of(np.array([3]))[1].tolist() == [0, 1, 2]


@pytest.mark.long
def test_a_million_pairs_that_cannot_match_cost_nothing():
    """100,000 persons against 100,000 classes, each person fitting one: no cross product."""
    n = 100_000
    labels = ("", "*", *(f"{i:06}" for i in range(n)))
    codes = np.arange(2, n + 2)[:, None]
    table = FrequencySet(("id",), (labels,), codes, np.ones(n, np.int64))
    found = candidates(table, table, [match_column(labels, labels)])
    assert (found.person == found.key).all()
    assert len(found.person) == n


@pytest.mark.parametrize("decimal", [".", ","])
def test_numbers_are_compared_exactly(decimal):
    number = "0.1" if decimal == "." else "0,1"
    label = "[0.1,0.3)" if decimal == "." else "[0,1;0,3)"
    match = match_column(["", "*", number], ["", "*", label], decimal=decimal)
    assert match.of(np.array([2]))[1].tolist() == [0, 1, 2]


def test_the_same_number_in_two_spellings_matches_and_codes_do_not():
    match = match_column(["", "*", "2023", "0712"], ["", "*", "2023.0", "712", "712.0"])
    assert match.of(np.array([2]))[1].tolist() == [0, 1, 2]
    assert match.of(np.array([3]))[1].tolist() == [0, 1]


def test_a_star_that_is_not_suppressed_stands_for_any_value():
    match = match_column(["", "*", "43102"], ["", "*", "*"])
    assert match.of(np.array([2]))[1].tolist() == [0, 1, 2]
