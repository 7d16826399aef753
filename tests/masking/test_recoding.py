"""Microdata and Recoding: rows read in their order, releases as an auditor reads them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from masking.tables import Row, fewer, microdata, released, tables

from anonaudit.cells import Convention
from anonaudit.errors import HierarchyError, RoleError
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.k_member import k_member
from anonaudit.masking.lattice import recode
from anonaudit.masking.recoding import Microdata, NotAchievableError
from anonaudit.masking.rule_hiding import hide_rules
from anonaudit.models import KAnonymity
from anonaudit.roles import Roles


@fewer
@given(tables(quasi=2, sensitive=2))
def test_rows_come_back_as_they_were(rows: list[Row]) -> None:
    names = ["q0", "q1", "s0", "s1"]
    frame = pd.DataFrame(rows, columns=names, dtype=object)
    data = Microdata.read(frame, Roles(("q0", "q1"), ("s0", "s1")))
    ours = microdata(rows, 2, 2)
    assert (data.codes == ours.codes).all()
    assert data.labels == ours.labels
    assert released(recode(data, (0, 0), k=1)) == rows
    assert data.frequency().total == len(rows)


def test_more_than_nine_rows_keep_their_order() -> None:
    values = [str(i % 7) for i in range(25)]
    data = Microdata.read(pd.DataFrame({"a": values}), Roles(("a",)))
    assert recode(data, (0,), k=1).frame()["a"].tolist() == values


def test_only_what_is_declared_is_released() -> None:
    frame = pd.DataFrame({"name": ["A", "B"], "age": ["1", "2"], "dx": ["x", "y"], "note": "n"})
    data = Microdata.read(frame, Roles(("age",), ("dx",), identifiers=("name",)))
    assert k_member(data, k=2).frame().columns.tolist() == ["age", "dx"]


def test_rows_at_the_top_everywhere_are_a_class_not_suppressed() -> None:
    data = microdata([("0", "0", "x"), ("3", "1", "y")], 2, 1)
    found = recode(data, (2, 1), k=2)
    assert released(found) == [("*", "*", "x"), ("*", "*", "y")]
    assert KAnonymity(k=2).measure(found.classes()).measured == 2


def test_other_words_for_missing_and_suppressed() -> None:
    frame = pd.DataFrame({"a": ["1", "?", "1", "?"], "s": ["x", "x", "x", "gone"]})
    told = Convention(missing=("?",), suppressed=("gone",))
    data = Microdata.read(frame, Roles(("a",), ("s",)), convention=told)
    assert data.codes.tolist() == [[2, 2], [0, 2], [2, 2], [0, 1]]
    found = hide_rules(data, c=0.9, as_printed=True).frame()
    assert found["s"].tolist() == ["gone", "x", "x", "gone"]
    assert found["a"].tolist() == ["1", None, "1", None]


def test_parts_that_masking_cannot_play() -> None:
    frame = pd.DataFrame({"a": ["1"], "s": ["x"], "n": ["1"]})
    for roles in (
        Roles((), ("s",)),
        Roles(("a",), ("s",), count="n"),
        Roles(("nobody",)),
    ):
        with pytest.raises(RoleError):
            Microdata.read(frame, roles)


def test_every_row_says_whom_it_is_about() -> None:
    frame = pd.DataFrame({"a": ["1", "2", "3"], "n": ["7", None, "?"]}, dtype=object)
    told = Convention(missing=("?",))
    with pytest.raises(RoleError, match=r"2 row\(s\) have no value in the unit column 'n'"):
        Microdata.read(frame, Roles(("a",), unit="n"), convention=told)
    data = Microdata.read(frame.head(1), Roles(("a",), unit="n"))
    assert (data.n_persons, data.person_labels[2:]) == (1, ("7",))


def test_inputs_are_left_alone() -> None:
    data = microdata([("0", "0", "x"), ("1", "1", "y"), ("2", "0", "x"), ("3", "1", "y")], 2, 1)
    before = data.codes.copy()
    k_member(data, k=2, p=2)
    hide_rules(data, c=0.5)
    recode(data, (2, 1), k=2, p=2)
    assert np.array_equal(data.codes, before)


def test_a_row_without_a_value_in_the_columns_that_are_masked_is_a_row() -> None:
    """Of the second person only a name is known; both are in one class."""
    frame = pd.DataFrame({"age": ["30", None], "name": ["Ann", "Bob"]}, dtype=object)
    data = Microdata.read(frame, Roles(("age",)))
    assert len(data) == 2
    assert k_member(data, k=1).classes().total_rows == 2


ILLNESSES = Hierarchy.from_levels("s", [["colon", "cancer", "*"], ["skin", "cancer", "*"], ["flu", "flu", "*"]])  # fmt: skip


def test_lifting_keeps_unknown_cells_apart_and_needs_every_value() -> None:
    """CT06 section 4: cancers become cancer; a missing and a suppressed cell stay what they are."""
    cells = ["colon", None, "*", "flu", "skin"]
    table = pd.DataFrame({"q": list("aaaaa"), "s": cells}, dtype=object)
    data = Microdata.read(table, Roles(("q",), ("s",)), {"s": ILLNESSES})
    lifted = data.lifted({"s": ("cancer",)})
    assert lifted.texts("s")[lifted.sensitive[:, 0]].tolist() == ["cancer", None, "*", "flu", "cancer"]  # fmt: skip
    gout = pd.DataFrame({"q": ["a"], "s": ["gout"]}, dtype=object)
    with pytest.raises(HierarchyError) as caught:
        Microdata.read(gout, Roles(("q",), ("s",)), {"s": ILLNESSES}).lifted({"s": ("cancer",)})
    assert caught.value.values == ("gout",)


def test_suppression_takes_all_rows_of_a_person_unless_told_otherwise() -> None:
    table = pd.DataFrame({"q": list("aab"), "who": list("121")}, dtype=object)
    data = Microdata.read(table, Roles(("q",), unit="who"))
    assert data.whole_persons
    # b has one person, so that row must go; with it the other row of that person, and so the class.
    with pytest.raises(NotAchievableError):
        recode(data, (0,), k=2, threshold=1)
    rows = replace(data, whole_persons=False)
    assert recode(rows, (0,), k=2, threshold=1).suppressed.tolist() == [False, False, True]
