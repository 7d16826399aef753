"""Laws of the frequency set.

project keeps the total; projecting twice is projecting once; relabelling after counting is
counting after relabelling (roll-up); classes partition the rows; k never falls under
generalization.
"""

from collections import defaultdict

import numpy as np
import pytest
from builders import reduced
from hypothesis import given
from hypothesis import strategies as st

from anonaudit.cells import Convention
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.codes import distinct_rows, row_numbers
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.models import KAnonymity
from anonaudit.roles import Roles

cells = st.one_of(st.none(), st.sampled_from(["*", "a", "b", "c", "d"]))
tables = st.lists(st.tuples(cells, cells, cells), max_size=30)
NAMES = ["x", "y", "z"]
GROUP = {"a": "ab", "b": "ab", "c": "*", "d": "d"}


def content(table):
    """A frequency set as a dictionary from texts to counts."""
    return {
        tuple(labels[c] for labels, c in zip(table.labels, codes, strict=True)): int(n)
        for codes, n in zip(table.codes, table.counts, strict=True)
    }


@pytest.mark.theorem
@given(tables)
def test_project_keeps_the_total_and_composes(rows):
    table = FrequencySet.of(NAMES, rows)
    assert table.total == len(rows)
    assert table.project(["z", "x"]).total == len(rows)
    assert content(table.project(["x", "z"]).project(["z"])) == content(table.project(["z"]))


@pytest.mark.theorem
@given(tables)
def test_roll_up(rows):
    convention = Convention()
    counted = FrequencySet.of(NAMES, rows).relabel({"x": GROUP.__getitem__}, convention)
    masked = [(x if x in (None, "*") else GROUP[x], y, z) for x, y, z in rows]
    assert content(counted) == content(FrequencySet.of(NAMES, masked))


@pytest.mark.theorem
@given(tables)
def test_classes_partition_the_rows_and_the_suppressed_tuples(rows):
    classes = reduced(rows, [0, 1], [2])
    assert classes.rows.sum() + classes.suppressed_tuples == len(rows)
    counts = classes.sensitive["2"]
    unknown = sum(z in (None, "*") for x, y, z in rows if (x, y) != ("*", "*"))
    assert counts.totals.sum() == classes.rows.sum() - unknown


@pytest.mark.theorem
@given(tables)
def test_k_never_falls_under_generalization(rows):
    whole = Convention(suppressed_tuples="include")
    fine = reduced(rows, [0, 1], [2], convention=whole)
    table = fine.base.relabel({"0": GROUP.__getitem__}, whole)
    coarse = fine.recounted(table)
    if rows:
        assert KAnonymity().measure(coarse).measured >= KAnonymity().measure(fine).measured


@st.composite
def codes(draw):
    """Rows of three codes: few different, many, more than one number holds; in order or not."""
    low, high = draw(st.sampled_from([(-1, 2), (-1, 2**15), (0, 2**40), (-(2**62), 2**62)]))
    rows = draw(st.lists(st.tuples(*[st.integers(low, high)] * 3), max_size=30))
    return sorted(rows) if draw(st.booleans()) else rows


@given(codes(), st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True))
def test_distinct_rows_is_unique_even_where_codes_are_huge(rows, columns):
    whole = np.array(rows, np.int64).reshape(-1, 3)
    for table in (whole, np.asfortranarray(whole)):
        unique, group = distinct_rows(table, columns)
        chosen = [tuple(row[j] for j in columns) for row in rows]
        expected = sorted(set(chosen))
        assert [tuple(row) for row in unique.tolist()] == expected
        assert [expected[g] for g in group] == chosen


PERSONS = st.lists(st.tuples(cells, cells, st.sampled_from("1234")), max_size=20)
RULES = ("own-category", "drop-rows", "wildcard")


@given(PERSONS, st.sampled_from(RULES), st.integers(0, 2**12 - 1))
def test_the_people_of_some_classes_are_those_with_a_row_in_one(rows, rule, picked):
    """By sets: who has a row whose quasi-identifiers are those of a chosen class."""
    roles = Roles(("x",), ("y",), unit="who")
    base = FrequencySet.of(["x", "y", "who"], rows)
    classes = equivalence_classes(base, roles, Convention(quasi_identifiers=rule))
    chosen = np.array([picked >> i & 1 for i in range(len(classes))], dtype=bool)
    keys = {key for (key,), there in zip(content(classes.keys), chosen, strict=True) if there}
    people = {who for x, _, who in rows if ("" if x is None else x) in keys}
    assert classes.people(chosen) == len(people)


@given(PERSONS)
def test_persons_of_a_combination_are_counted_once(rows):
    """By sets; missing cells are the text '' and suppressed ones the text '*'."""
    people = defaultdict(set)
    for x, y, who in rows:
        people[x or "", y or ""].add(who)
    table = FrequencySet.of(["x", "y", "who"], rows).distinct(["x", "y"], "who")
    assert content(table) == {key: len(some) for key, some in people.items()}
    assert sorted(content(table)) == list(content(table))


def test_columns_too_many_for_one_number_are_told_apart():
    """Five columns of 2**15 values each have more combinations than a number of 64 bits."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2**15, (500, 5))[rng.integers(0, 500, 2_000)]
    codes[0] = 2**15 - 1
    different, number = distinct_rows(codes)
    assert different.tolist() == sorted(map(list, {*map(tuple, codes.tolist())}))
    assert np.array_equal(different[number], codes)
    assert np.array_equal(row_numbers(codes, range(5)), number)
    ordered = codes[np.lexsort(codes.T[::-1])]
    assert np.array_equal(distinct_rows(ordered)[0], different)
