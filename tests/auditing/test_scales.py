"""The order of sensitive values: rows in no class have no say in one that is recognised."""

from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit.auditing import scales
from anonaudit.auditing.feasibility import feasibility_of
from anonaudit.auditing.preparation import prepare
from anonaudit.errors import InputError
from anonaudit.policy.policy import parse_policy
from anonaudit.source.table import open_source

COLUMNS = "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"


def measured(rows, more="", distance="ordered"):
    policy = parse_policy(
        f"{COLUMNS}require.t-closeness = {{ t = 1, distance = '{distance}' }}\n{more}"
    )
    return anonaudit.audit(pd.DataFrame(rows, columns=["q", "s"]), policy).models[0]


IN_CLASSES = [("x", "10"), ("x", "10"), ("y", "20")]


@pytest.mark.parametrize("outside", [[], [("*", "50")], [("*", "15"), ("*", "n/a")], [("*", "-1")]])
def test_a_suppressed_tuple_is_no_step_of_a_recognised_order(outside):
    """10 has 2/3 of the whole; y has none of it, so that much moves the one step to 20."""
    for distance in ("ordered", "numeric"):
        found = measured([*IN_CLASSES, *outside], distance=distance)
        assert (found.measured, found.notes) == (pytest.approx(2 / 3), ())


def test_a_dropped_row_is_no_step_either():
    more = "conventions.quasi-identifiers = 'drop-rows'"
    assert measured([*IN_CLASSES, (None, "50")], more).measured == pytest.approx(2 / 3)


def test_a_declared_order_stays_as_declared():
    """Two steps from 10 to 50: 2/3 moves one of them."""
    more = "values.ordered = { s = ['10', '20', '50'] }"
    assert measured(IN_CLASSES, more).measured == pytest.approx(1 / 3)
    assert measured([*IN_CLASSES, ("*", "50")], more).measured == pytest.approx(1 / 3)


def test_a_text_outside_takes_no_order_away():
    """Thirds of 10, 20 and 30: y is (1/3 + 2/3) / 2 from the whole."""
    rows = [("x", "10"), ("x", "20"), ("y", "30"), ("*", "unknown to us")]
    found = measured(rows)
    assert (found.measured, found.notes) == (pytest.approx(1 / 2), ())
    assert measured([*rows, ("x", "a text")]).notes == (
        "no order is known for s: measured with the equal distance",
    )
    with pytest.raises(InputError, match="which is not so for 1 of its 4 different values"):
        measured(rows, "values.numeric = ['s']")


def test_where_such_rows_are_a_class_their_values_are_in_the_order():
    """10, 20, 50 are 1/2, 3/4 and all of the whole: the class of 50 is (1/2 + 3/4) / 2 away."""
    rows = [*IN_CLASSES, ("*", "50")]
    included = measured(rows, "conventions.suppressed-tuples = 'include'")
    assert included.measured == pytest.approx(5 / 8)
    assert measured(rows).by_convention["suppressed-tuples = include"] == pytest.approx(5 / 8)


def test_one_class_of_all_rows_has_an_order_of_all_values():
    policy = parse_policy(f"{COLUMNS}require.k-e-anonymity = {{ k = 2, e = 40 }}")
    rows = pd.DataFrame([("x", "10"), ("*", "50")], columns=["q", "s"])
    prepared = prepare(open_source(rows), policy)
    assert prepared.scales == {"s": {"10": 10.0}}
    [answer] = feasibility_of(prepared)
    assert (answer.feasible, answer.reachable) == (True, 40)
    nobody = replace(
        prepared, classes=prepared.classes.recounted(prepared.base.where(prepared.base.counts < 0))
    )
    assert nobody.scales == {}


@given(st.from_regex(r"[0-9]{1,25}(\.[0-9]{1,25})?", fullmatch=True))
def test_a_plain_number_is_rounded_as_its_fraction(text):
    """Fraction reads the text exactly, and float() of a fraction is the nearest float."""
    assert scales._number(text, parse_policy(COLUMNS)) == float(Fraction(text))


def test_a_number_of_more_than_150_digits_is_none():
    for text in ("9" * 150, "9" * 151, "1e400"):
        there = float(text) if len(text) == 150 else None
        assert scales._number(text, parse_policy(COLUMNS)) == there
