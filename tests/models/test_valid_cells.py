"""Valid generalization on pairs of rows by key, all counted by hand; no cell may change here."""

from dataclasses import replace

import pytest

from anonaudit.findings import AttributeLevel, Outcome
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.alignment import How, LeftOver, align_by_key
from anonaudit.linking.validity import unchanged
from anonaudit.models.level import ParameterError
from anonaudit.models.valid_generalization import ValidGeneralization
from anonaudit.roles import Roles

NAMES = ["p", "q", "s", "id"]
ORIGINAL = [
    ("a", "1", "flu", "1"), ("a", "1", "hiv", "2"), ("b", "1", "flu", "3"), ("b", "2", "flu", "4"),
    ("b", "2", "flu", "5"), ("c", "2", "flu", "6"), (None, "2", None, "9"), ("a", "1", "flu", "10"),
]  # fmt: skip
RELEASED = [
    ("a", "1", "flu", "1"),
    ("b", "1", "hiv", "2"),  # p is bad
    ("b", "2", "hiv", "3"),  # q is bad, and s changed
    ("b", "2", "flu", "4"),
    ("*", "2", "*", "5"),  # p is suppressed, s hidden; 6 is missing
    ("c", "1", "flu", "7"), ("c", "1", "hiv", "8"),  # come from no row
    (None, "2", None, "9"),  # nothing there, before as after
    ("*", "1", "flu", "10"),
]  # fmt: skip


def paired(original, released):
    tables = [FrequencySet.of(NAMES, rows) for rows in (original, released)]
    same = {c: unchanged(*(table.labels_of(c) for table in tables)) for c in "pqs"}
    pairs = align_by_key(
        *tables, "id", quasi_identifiers=["p", "q"], sensitive=["s"], validity=same
    )
    return pairs, equivalence_classes(tables[1], Roles(("p", "q"), ("s",)))


PAIRS, CLASSES = paired(ORIGINAL, RELEASED)
# The classes in their order: missing 2; suppressed 1, suppressed 2; a 1; b 1; b 2; c 1.
BROKEN = [False, False, False, False, True, True, True]
DETAILS = {
    "rows paired by": "key",
    "rows compared": 7,
    "rows explained": 5,
    "rows with a bad cell": 2,
    "unexplained rows paired by": "none",
    "cells checked": {"p": 7, "q": 7},
    "cells suppressed": {"p": 2, "q": 0},
    "sensitive cells changed": {"s": 1},
    "sensitive cells hidden": {"s": 1},
    "rows invented": 2,
    "rows missing": 1,
    "suppressed tuples": 1,
    # What becomes of c no kept row tells.
    "could have been kept": {
        "in a published class": 0, "in classes of their own": 0, "not known": 1,
    },
}  # fmt: skip
BESIDE = (
    "{} sensitive cell(s) were changed and {} row(s) have no original; generalization does neither"
)


def test_everything_that_is_wrong_is_counted():
    found = ValidGeneralization(alignment=PAIRS).measure(CLASSES)
    assert (found.model, found.parameters) == ("valid-generalization", {})
    assert (found.measured, found.required, found.safer) == (2, 0, "lower")
    assert found.outcome is Outcome.VIOLATED
    assert found.violating.tolist() == BROKEN
    assert (found.classes_violating, found.rows_violating) == (3, 4)
    assert found.per_attribute == {
        "p": AttributeLevel(1, rows_violating=1), "q": AttributeLevel(1, rows_violating=1),
    }  # fmt: skip
    assert found.details == DETAILS
    assert found.notes == (BESIDE.format(1, 2),)


def test_measured_only_nothing_falls_short():
    found = ValidGeneralization(asked=False, alignment=PAIRS).measure(CLASSES)
    assert (found.measured, found.required, found.outcome) == (2, None, Outcome.MEASURED)
    assert (found.violating, found.classes_violating, found.rows_violating) == (None, None, None)
    assert set(found.per_attribute.values()) == {AttributeLevel(1)}
    assert found.details == DETAILS


@pytest.mark.parametrize(
    ("row", "outcome", "notes"),
    [
        (("a", "1", "flu", "1"), Outcome.HOLDS, ()),
        (("b", "1", "flu", "1"), Outcome.VIOLATED, ()),
        (("a", "1", "hiv", "1"), Outcome.VIOLATED, (BESIDE.format(1, 0),)),
        (("a", "1", "flu", "7"), Outcome.VIOLATED, (BESIDE.format(0, 1),)),
    ],
)
def test_one_row_is_enough_to_compare(row, outcome, notes):
    pairs, classes = paired(ORIGINAL[:1], [row])
    found = ValidGeneralization(alignment=pairs).measure(classes)
    assert (found.outcome, found.notes) == (outcome, notes)
    assert found.classes_violating == (0 if outcome is Outcome.HOLDS else 1)
    assert found.measured == (row[0] == "b")


def test_how_the_rows_were_paired_is_told():
    pairs, classes = paired(ORIGINAL[:1], ORIGINAL[:1])
    drawn = replace(pairs, how=How.PERMUTATION, left_over=LeftOver.ORDER)
    found = ValidGeneralization(alignment=drawn).measure(classes)
    assert found.details["rows paired by"] == "best permutation"
    assert found.details["unexplained rows paired by"] == "in order"
    (note,) = found.notes
    assert note.startswith("paired by a permutation with which as many rows as possible are valid")


def test_suppressed_rows_that_could_have_been_kept():
    """Two of (a, 1) are missing and fit the published class; of two of (c, 2) nobody knows."""
    rows = [("a", "1", "flu", str(i)) for i in range(3)] + [("c", "2", "flu", str(i)) for i in "89"]
    pairs, classes = paired(rows, rows[:1])
    found = ValidGeneralization(alignment=pairs).measure(classes)
    assert (found.details["rows missing"], found.details["suppressed tuples"]) == (4, 4)
    assert list(found.details["could have been kept"].values()) == [2, 0, 2]
    nobody = paired(rows, [("*", "*", "flu", "1")])
    found = ValidGeneralization(alignment=nobody[0]).measure(nobody[1])
    assert list(found.details["could have been kept"].values()) == [0, "not known", 5]


@pytest.mark.parametrize("bad", [0, 1.5, True])
def test_k_is_a_whole_number_from_1(bad):
    assert ValidGeneralization(needed_k=1).needed_k == 1
    with pytest.raises(ParameterError, match=r"^needed_k must be a whole number of at least 1"):
        ValidGeneralization(needed_k=bad)


def test_without_an_original_or_rows_nothing_is_decided():
    empty = paired(ORIGINAL[:1], [])
    for pairs, why in (
        (None, "there is no original to compare with; name one"),
        (empty[0], "no data: the release has no row, so there is nothing to compare"),
    ):
        found = ValidGeneralization(alignment=pairs).measure(empty[1])
        assert (found.model, found.parameters) == ("valid-generalization", {})
        assert (found.measured, found.outcome, found.safer) == (None, Outcome.INCONCLUSIVE, "lower")
        assert (found.required, found.classes_violating, found.rows_violating) == (0, 0, 0)
        assert found.notes == (why,)
        found = ValidGeneralization(asked=False, alignment=pairs).measure(empty[1])
        assert (found.required, found.classes_violating, found.rows_violating) == (None,) * 3
