"""Cells beyond their boundary, counted by hand, by attribute and by row."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from anonaudit.cells import Convention, QuasiIdentifierRule, SuppressedTupleRule
from anonaudit.errors import HierarchyError
from anonaudit.findings import Outcome
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.alignment import align_by_key
from anonaudit.models.boundaries import Boundaries, out
from anonaudit.models.constrained import ConstrainedKAnonymity
from anonaudit.roles import Roles

NAMES = ["p", "q", "c", "id"]
QUASI = ["p", "q", "c"]
TREES = {
    "p": Hierarchy("p", [["a", "A", "any"], ["b", "A", "any"], ["d", "D", "any"]]),
    "q": Hierarchy("q", [["1", "1*", "any"], ["2", "1*", "any"], ["7", "7*", "any"]]),
}
# a and b may become A at most, 1 and 2 1*; d and 7 may become anything.
BOUNDS = Boundaries(TREES, {"p": ("A",), "q": ("1*",)})


def violations(original, released, bounds=BOUNDS):
    """By attribute; and of the rows of each class, by its first two cells."""
    ground, table = FrequencySet.of(NAMES, original), FrequencySet.of(NAMES, released)
    pairing = align_by_key(
        ground, table, "id", quasi_identifiers=QUASI, sensitive=[], validity={}
    )  # fmt: skip
    classes = equivalence_classes(table, Roles(tuple(QUASI)))
    found = bounds.counted(pairing, classes)
    keys = [classes.keys.labels_of(name) for name in ("p", "q")]
    cells = [classes.keys.column(name) for name in ("p", "q")]
    named = [f"{keys[0][x]} {keys[1][y]}" for x, y in zip(*cells, strict=True)]
    rows = {name: n for name, n in zip(named, found.rows.tolist(), strict=True) if n}
    return dict(found.by_attribute), rows


ORIGINAL = [("a", "1", "c", f"r{i}") for i in range(1, 5)] + [("d", "7", "c", "r5")]


def test_a_row_beyond_one_boundary_or_both_counts_once():
    released = [
        ("any", "1*", "c", "r1"), ("A", "any", "c", "r2"), ("any", "any", "c", "r3"),
        ("A", "1*", "c", "r4"), ("any", "any", "c", "r5"),
    ]  # fmt: skip
    assert violations(ORIGINAL, released) == (
        {"p": 2, "q": 2}, {"any 1*": 1, "A any": 1, "any any": 1},
    )  # fmt: skip


def test_rows_that_come_from_no_original_are_suspected():
    """r8 and r9 are no one's: what stands above a boundary of any leaf is beyond it."""
    released = [
        ("any", "1*", "c", "r1"), ("any", "1*", "c", "r8"), ("D", "any", "c", "r9"),
        ("D", "7*", "c", "r7"),
    ]  # fmt: skip
    assert violations(ORIGINAL, released) == ({"p": 2, "q": 1}, {"any 1*": 2, "D any": 1})
    # Suppressed as a whole, or in every column that counts, it is in no class; in part, it is.
    assert violations(ORIGINAL, [("*", "*", "*", "r8")]) == ({"p": 0, "q": 0}, {})
    beside = [("*", "*", "*", "r8"), ("any", "1*", "c", "r9")]
    assert violations(ORIGINAL, beside) == ({"p": 1, "q": 0}, {"any 1*": 1})
    assert violations(ORIGINAL, [("*", "1*", "*", "r8")]) == ({"p": 1, "q": 0}, {"* 1*": 1})
    assert violations(ORIGINAL, [(None, "7", "c", "r8")]) == ({"p": 1, "q": 0}, {" 7": 1})


def test_released_labels_with_other_stars_name_the_same_prefix():
    """E11.9 and E11.65 may become E11 at most; once `E11**` and `E11***` were two labels of it."""
    tree = Hierarchy.from_prefixes("p", ["E11.9", "E11.65", "J45.9"], keep=[3, 1])
    bounds = Boundaries({"p": tree}, {"p": ("E11**",)})
    ground = [("E11.9", "1", "c", "r1"), ("E11.65", "1", "c", "r2"), ("E11.9", "1", "c", "r3")]
    released = [
        ("E11**", "1", "c", "r1"), ("E11***", "1", "c", "r2"), ("E****", "1", "c", "r3"),
        ("E11*", "1", "c", "r8"), ("E******", "1", "c", "r9"),
    ]  # fmt: skip
    assert violations(ground, released, bounds) == ({"p": 2}, {"E**** 1": 1, "E****** 1": 1})


def test_emptied_cells_are_as_general_as_the_root():
    """Of a, not of d; a whole row may be suppressed."""
    released = [(None, "1*", "c", "r1"), ("*", "1*", "c", "r2"), ("*", "*", "*", "r3")]
    assert violations(ORIGINAL, released) == ({"p": 2, "q": 0}, {" 1*": 1, "* 1*": 1})
    assert violations(ORIGINAL, [(None, "*", "c", "r5")]) == ({"p": 0, "q": 0}, {})
    # An original cell without a value: A is allowed for every leaf below it, any not for a and b.
    ground = [(None, "1", "c", "r1"), (None, "1", "c", "r2")]
    released = [("any", "1", "c", "r1"), ("A", "1", "c", "r2")]
    assert violations(ground, released) == ({"p": 1, "q": 0}, {"any 1": 1})


def test_the_cells_and_rows_that_are_only_suspected_with_the_original():
    """r1 is certain by q, r2 only suspected by p; r8 has no original row. Counted by hand."""
    ground = FrequencySet.of(NAMES, [(None, "1", "c", "r1"), (None, "1", "c", "r2")])
    table = FrequencySet.of(
        NAMES,
        [("any", "1*", "c", "r1"), ("any", "1", "c", "r2"), ("any", "1", "c", "r8")],
    )
    pairing = align_by_key(
        ground, table, "id", quasi_identifiers=QUASI, sensitive=[], validity={}
    )  # fmt: skip
    found = CASE_BOUNDS.counted(pairing, equivalence_classes(table, Roles(tuple(QUASI))))
    assert (found.by_attribute, found.suspected) == ({"p": 3, "q": 1}, {"p": 3, "q": 0})
    assert sorted(found.rows.tolist()) == [1, 2]
    assert sorted(found.suspected_rows.tolist()) == [0, 2]
    classes = equivalence_classes(table, Roles(tuple(QUASI)))
    model = ConstrainedKAnonymity(k=1, boundaries=CASE_BOUNDS, exact=found).measure(classes)
    assert (model.classes_violating, model.classes_undecided) == (1, 1)
    [note] = model.notes  # the original is there, so the note asks for what it lacks
    assert "give the original" not in note
    assert "no original row" in note


def test_a_value_beside_the_path_of_its_leaf_is_beyond_it():
    assert violations(ORIGINAL, [("b", "7*", "c", "r1")]) == ({"p": 1, "q": 1}, {"b 7*": 1})
    assert violations(ORIGINAL, [("a", "1", "c", "r1")]) == ({"p": 0, "q": 0}, {})


@pytest.mark.parametrize("cell", ["A", "nowhere"])
def test_original_values_must_be_leaves(cell):
    with pytest.raises(HierarchyError, match="'p'"):
        violations([(cell, "1", "c", "r1")], [("A", "1", "c", "r1")])
    # Where nobody has it in the pairing, it is not asked for.
    assert violations([(cell, "1", "c", "r2"), *ORIGINAL[:1]], [ORIGINAL[0]])[1] == {}


def test_only_columns_with_a_boundary_are_looked_at():
    one = Boundaries(TREES, {"p": ("A",), "q": ()})
    assert one.bounded(("p", "q", "c")) == ["p"]
    assert Boundaries({"q": TREES["q"]}, {"p": ("A",)}).bounded(("p", "q")) == []
    assert violations(ORIGINAL, [("any", "any", "c", "r1")], one) == ({"p": 1}, {"any any": 1})


def test_without_the_original_every_row_above_a_boundary_is_suspected():
    """Four rows of (any, 1*), one of (A, any), two of (D, 7*), one without p; * is the root."""
    rows = [("any", "1*")] * 4 + [("A", "any")] + [("D", "7*")] * 2 + [(None, "7*"), ("*", "*")]
    classes = equivalence_classes(FrequencySet.of(["p", "q"], rows), Roles(("p", "q")))
    found = BOUNDS.suspected(classes)
    assert dict(found.by_attribute) == {"p": 5, "q": 1}
    assert sorted(found.rows.tolist()) == [0, 1, 1, 4]
    assert BOUNDS.too_general("p") == {"any"}
    assert BOUNDS.magset("q") == {"1*", "any"}
    for bad in ("b2", "z"):
        odd = equivalence_classes(FrequencySet.of(["p", "q"], [(bad, "1")]), Roles(("p", "q")))
        with pytest.raises(HierarchyError, match=r"'p' lacks 1 value\(s\)"):
            BOUNDS.suspected(odd)


# One row for each case. Of p, a and b may become A, d anything. Of q, 1 and 2 may become nothing, so
# no leaf below 1* allows it. Outcomes by hand from MCT08 Definition 5: "only suspected" without the
# original is inconclusive. An original cell without a value decides no released value.
SILENT = [("*", "*", "*")]
CASE_BOUNDS = Boundaries(TREES, {"p": ("A",), "q": ("1", "2")})
CASES = {
    "within": ([("A", "1", "c")], [("a", "1", "c")], "holds", "holds"),
    "a suppressed tuple": (SILENT, [("a", "1", "c")], "holds", "holds"),
    "the root for a": ([("any", "1", "c")], [("a", "1", "c")], "inconclusive", "violated"),
    "the root for d": ([("any", "1", "c")], [("d", "1", "c")], "inconclusive", "holds"),
    "a star for a": ([("*", "1", "c")], [("a", "1", "c")], "inconclusive", "violated"),
    "empty for a": ([(None, "1", "c")], [("a", "1", "c")], "inconclusive", "violated"),
    "empty in both": ([(None, "1", "c")], [(None, "1", "c")], "inconclusive", "holds"),
    "A for empty": ([("A", "1", "c")], [(None, "1", "c")], "holds", "holds"),
    "the root for empty": ([("any", "1", "c")], [(None, "1", "c")], "inconclusive", "inconclusive"),
    "1* for 1": ([("A", "1*", "c")], [("a", "1", "c")], "violated", "violated"),
    "1* for empty": ([("A", "1*", "c")], [("a", None, "c")], "violated", "violated"),
}


@pytest.mark.parametrize("suppressed", get_args(SuppressedTupleRule))
@pytest.mark.parametrize("quasi", get_args(QuasiIdentifierRule))
@pytest.mark.parametrize("case", CASES)
def test_the_original_never_reverses_an_outcome(case, quasi, suppressed):
    """Without the original the outcome is the same or inconclusive, under every convention."""
    released, original, alone, compared = CASES[case]
    # A row within its boundaries, so that some row is always in a class.
    released, original = [*released, ("a", "1", "c")], [*original, ("a", "1", "c")]
    numbered = [[(*row, str(i)) for i, row in enumerate(rows)] for rows in (original, released)]
    ground, table = (FrequencySet.of(NAMES, rows) for rows in numbered)
    convention = Convention(quasi_identifiers=quasi, suppressed_tuples=suppressed)
    classes = equivalence_classes(table, Roles(tuple(QUASI)), convention)
    pairing = align_by_key(
        ground, table, "id", quasi_identifiers=QUASI, sensitive=[], validity={}
    )  # fmt: skip
    model = ConstrainedKAnonymity(k=1, boundaries=CASE_BOUNDS)
    assert model.measure(classes).outcome.value == alone
    exact = CASE_BOUNDS.counted(pairing, classes)
    assert replace(model, exact=exact).measure(classes).outcome.value == compared


def test_a_value_that_no_leaf_allows_is_a_violation_without_the_original():
    """Every leaf below A stops at itself, so A is too general for each; any is allowed for d."""
    bounds = Boundaries(TREES, {"p": ("a", "b")})
    assert (bounds.too_general("p"), bounds.never_allowed("p")) == ({"A", "any"}, {"A"})
    rows = [("A", "1"), ("A", "1"), ("any", "1")]
    classes = equivalence_classes(FrequencySet.of(["p", "q"], rows), Roles(("p", "q")))
    found = ConstrainedKAnonymity(k=1, boundaries=bounds).measure(classes)
    assert found.outcome is Outcome.VIOLATED
    assert (found.classes_violating, found.rows_violating) == (1, 2)
    assert found.details["constraint violations"] == {"p": 3}
    assert found.details["suspected violations"] == {"p": 1}
    # The class of A violates; that of any is undecided.
    assert (found.details["classes with a violation"], found.details["rows with a violation"]) == (
        1, 2,
    )  # fmt: skip
    assert found.classes_undecided == 1
    assert found.details["rows undecided by suspected violations"] == 1
    [note] = found.notes
    assert note.startswith("1 value(s) of p may be beyond their boundary")


def test_the_maximum_allowed_and_what_is_out_of_it():
    """a and b become A, d the root; c has no boundary. Sizes 3 and 1: at k = 2 one is out."""
    rows = [("a", "x"), ("b", "y"), ("b", "x"), ("d", "x")]
    table = FrequencySet.of(["p", "c"], rows)
    found = BOUNDS.maximum_allowed_microdata(table, ["p", "c"], Convention())
    shown = {
        found.labels_of("p")[code]: n
        for code, n in zip(found.column("p"), found.counts.tolist(), strict=True)
    }
    assert shown == {"A": 3, "any": 1}
    assert out(np.array([3, 1, 2]), 2).tolist() == [False, True, False]
    with pytest.raises(HierarchyError, match="'p'"):
        BOUNDS.maximum_allowed_microdata(
            FrequencySet.of(["p", "c"], [("A", "x")]), ["p", "c"], Convention()
        )
