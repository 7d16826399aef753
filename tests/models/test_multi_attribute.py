"""L-diversity over several sensitive attributes beside its level, and GCG08's heuristics, by hand."""

import oracle
import pytest
from builders import reduced

from anonaudit.cells import Convention
from anonaudit.findings import NO_FINITE_LEVEL, Outcome
from anonaudit.models import MultiAttributeLDiversity, cover
from anonaudit.models.level import ParameterError
from anonaudit.models.multi_attribute_l_diversity import figure_6, figure_7

# a with each of 1, 2, 3: without limits a alone deletes the class.
ROWS = [("x", "a", "1"), ("x", "a", "2"), ("x", "a", "3")]
CLASSES = reduced(ROWS, [0], [1, 2])
UNPROTECTED = (
    "{!r} is not protected: a class has only {} of its values, but because of its limit the level "
    "is still L = {}"
)


@pytest.mark.parametrize("limit", [-1, 0.5, True, "1"])
def test_a_limit_is_a_whole_number_from_0(limit):
    with pytest.raises(
        ParameterError, match="at-most for '1' must be a whole number of at least 0"
    ):
        MultiAttributeLDiversity(at_most={"1": limit})
    assert MultiAttributeLDiversity(at_most={"1": 0}).at_most == {"1": 0}
    with pytest.raises(ParameterError, match="at_most must be a table"):
        MultiAttributeLDiversity(at_most=[limit])


def test_only_sensitive_attributes_have_limits():
    with pytest.raises(ParameterError, match="at-most: '0' is not sensitive"):
        MultiAttributeLDiversity(at_most={"0": 1}).measure(CLASSES)


def test_limits_are_parameters_and_what_they_leave_undeleted_is_counted():
    """x and y cannot be deleted without a and b; z has one row, which 1 deletes."""
    rows = [*ROWS, ("y", "b", "1"), ("y", "b", "2"), ("z", "c", "1")]
    classes = reduced(rows, [0], [1, 2])
    found = MultiAttributeLDiversity(l=2, at_most={"1": 0, "2": 1}).measure(classes)
    assert found.parameters == {"l": 2, "at-most 1": 0, "at-most 2": 1}
    assert found.details == {
        "classes that no allowed deletion deletes": 2,
        "fewest values where limited": {"1": 1, "2": 1},
    }
    assert (found.measured, found.outcome, found.classes_violating) == (1, Outcome.VIOLATED, 1)
    free = MultiAttributeLDiversity().measure(classes)
    assert (free.parameters, free.measured) == ({}, 1)
    assert free.details == {"classes that no allowed deletion deletes": 0}


def test_a_class_that_does_not_know_the_attribute_is_not_the_one_with_few_values():
    """In x the three numbers must go, as a may not, and in z; y knows numbers only."""
    rows = [*ROWS, ("y", None, "1"), ("y", None, "2"), ("y", None, "3")]
    rows += [("z", "a", "1"), ("z", "a", "2"), ("z", "b", "3")]
    found = MultiAttributeLDiversity(at_most={"1": 0}).measure(reduced(rows, [0], [1, 2]))
    assert (found.measured, found.notes) == (3, (UNPROTECTED.format("1", 1, 3),))


@pytest.mark.parametrize(
    ("rows", "notes"),
    [
        ([("x", None, "a")], (UNPROTECTED.format("2", 1, "infinity"),)),
        ([("x", None, None)], ()),
        ([], ()),
    ],
)
def test_an_attribute_that_nobody_knows_has_no_value_to_protect(rows, notes):
    found = MultiAttributeLDiversity(at_most={"1": 0, "2": 0}).measure(reduced(rows, [0], [1, 2]))
    assert found.measured is None
    assert found.notes[1:] == notes


@pytest.mark.parametrize(("gap", "apart", "as_value"), [(None, 3, 1), ("*", 3, 1)])
def test_unknown_cells_are_deleted_where_they_count_as_values(gap, apart, as_value):
    """Beside the gaps stand a, b, c; deleting the gap, as one value, deletes all three."""
    rows = [("x", gap, value) for value in "abc"]
    for convention, least in ((None, apart), (Convention(sensitive="one-value"), as_value)):
        classes = reduced(rows, [0], [1, 2], convention=convention)
        assert MultiAttributeLDiversity().measure(classes).measured == least
        full = reduced([("x", v, v) for v in "abc"], [0], [1, 2], convention=convention)
        assert MultiAttributeLDiversity().measure(full).measured == 3


# --- the heuristics -----------------------------------------------------------------------------


def test_figure_6_takes_the_rarest_rows_first():
    """a and 1 have two rows each: (a, 1) sums to 4, the others to 3. Those two share nothing."""
    rows = [("a", "1"), ("a", "2"), ("b", "1")]
    assert figure_6(rows, 2)
    assert not figure_6(rows, 3)
    assert figure_6(rows[:1], 1)
    assert not figure_6([], 1)


def test_figure_7_leaves_a_row_out_that_would_cover_too_much():
    """Every value has two rows, so the rows come in this order; the first and third are disjoint.

    With the second, its values 4 and 7 cover 2 + 2 of three rows: out. The other three are let
    in, and then three values cover 6 of five rows at best. Had the second stayed, 6 of six.
    """
    rows = [(1, 4, 7), (2, 4, 7), (3, 5, 8), (3, 6, 9), (1, 5, 9), (2, 6, 8)]
    texts = [tuple(map(str, row)) for row in rows]
    assert not figure_7(texts, 3, [2, 1, 2])
    assert oracle.multi_attribute_l(texts, [], [0, 1, 2], {0: 2, 1: 1, 2: 2}) == 3
    assert figure_7(texts, 2, [2, 1, 2])


@pytest.mark.parametrize(
    ("l", "outcome", "violating"),
    [
        (None, Outcome.INCONCLUSIVE, None),
        (1, Outcome.HOLDS, 0),
        (2, Outcome.INCONCLUSIVE, 0),
        (3, Outcome.VIOLATED, 1),
    ],
)
def test_a_class_that_was_not_finished_is_undecided_between_its_bounds(
    l, outcome, violating, monkeypatch
):
    """Any two of the rows share a value, so one deletion is sure; two of one attribute suffice."""
    monkeypatch.setattr(cover, "MOST_WORK", 0)
    monkeypatch.setattr(cover, "cover_by_program", lambda *_: cover.Cover(1, None))
    rows = [("1", *row) for row in ("aaa", "abb", "bab", "bba")]
    found = MultiAttributeLDiversity(l=l).measure(reduced(rows, [0], [1, 2, 3]))
    assert (found.measured, found.outcome, found.classes_violating) == (1, outcome, violating)
    assert found.details["classes that were not finished"] == 1
    assert any("for an exact count" in note for note in found.notes)


def test_a_class_that_was_not_finished_is_not_called_infinite(monkeypatch):
    """One deletion of each attribute may suffice: no program has found it, nor shown the contrary."""
    monkeypatch.setattr(cover, "cover_by_program", lambda *_: cover.Cover(1, None))
    limits = {"1": 1, "2": 1, "3": 1}
    rows = [("1", *row) for row in ("aaa", "abb", "bab", "bba")]
    found = MultiAttributeLDiversity(at_most=limits).measure(reduced(rows, [0], [1, 2, 3]))
    assert (found.measured, found.outcome) == (1, Outcome.INCONCLUSIVE)
    assert not any(note.startswith(NO_FINITE_LEVEL) for note in found.notes)
