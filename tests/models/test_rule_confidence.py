"""Rule confidence beside its level: parts of classes, wildcards, counted rules; by hand."""

import pytest
from builders import reduced

from anonaudit.cells import Convention
from anonaudit.findings import Outcome
from anonaudit.models import RuleConfidence
from anonaudit.models.rule_confidence import ONLY_HIDDEN
from anonaudit.models.rules import Rule, rules

WILDCARDS = Convention("wildcard", suppressed_tuples="include")
POSSIBLE = "largest possible confidence"
PARTS = "because of {}, only rules on all quasi-identifiers were counted"
TOO_MANY = "too many quasi-identifiers to count the rules of every subset"


@pytest.mark.parametrize(
    ("rows", "min_rows", "level", "possible", "apart"),
    [
        # Both classes hold all four rows: b twice, a once, one unknown.
        ([("x", "a"), ("x", "b"), ("x", "b"), (None, None)], 1, 1 / 2, 3 / 4, 0),
        ([("x", "a"), ("x", "b"), ("x", "b"), (None, None)], 2, 1 / 2, 3 / 4, 0),
        ([("x", "a"), ("x", "b"), ("x", "b"), (None, None)], 3, 0, 3 / 4, 0),
        ([("x", "a"), ("x", "b"), (None, "b")], 1, 2 / 3, 2 / 3, 0),  # nothing is unknown
        # No class holds another's row: x,u shows a, the others nothing.
        ([("x", "u", "a"), ("y", "u", None), (None, "v", None)], 1, 1, 1, 2),
        # x has a, b, a: 2/3. y has a and one unknown: 1/2, or 1.
        ([("x", "a"), ("x", "b"), (None, "a"), ("y", None)], 1, 2 / 3, 1, 0),
    ],
)
def test_whole_classes_under_wildcards(rows, min_rows, level, possible, apart):
    width = len(rows[0]) - 1
    classes = reduced(rows, range(width), [width], convention=WILDCARDS)
    found = RuleConfidence(min_rows=min_rows).measure(classes)
    assert found.measured == pytest.approx(level)
    assert found.details[POSSIBLE] == pytest.approx(possible)
    (level_of,) = found.per_attribute.values()
    assert level_of.classes_without_known_value == apart


def test_whoever_shows_one_value_under_wildcards_may_show_another():
    """p shows a and q shows b, in rows that every class shares: 1/2 each, and 1 is possible."""
    classes = reduced([("x", "a", "p"), (None, "b", "q")], [0], [1], unit=2, convention=WILDCARDS)
    found = RuleConfidence().measure(classes)
    assert (found.measured, found.details[POSSIBLE]) == (1 / 2, 1)


@pytest.mark.parametrize(
    ("quasi", "unit", "min_rows", "outcome", "notes"),
    [
        (2, False, 1, Outcome.HOLDS, ()),  # parts of a class are never surer than the class
        (2, False, 2, Outcome.INCONCLUSIVE, (PARTS.format("wildcards"),)),
        (1, False, 2, Outcome.HOLDS, ()),  # a single column has no parts
        (2, True, 1, Outcome.INCONCLUSIVE, (PARTS.format("wildcards"), ONLY_HIDDEN)),
        (1, True, 1, Outcome.HOLDS, (ONLY_HIDDEN,)),
    ],
)
def test_what_parts_of_wildcard_classes_say_is_left_open(quasi, unit, min_rows, outcome, notes):
    """Both rows are in both classes: a and b, 1/2 each."""
    keys = [("x",) * quasi, (None,) * quasi]
    rows = [(*key, cell, *([cell] if unit else [])) for key, cell in zip(keys, "ab", strict=True)]
    columns = {"unit": quasi + 1} if unit else {}
    classes = reduced(rows, range(quasi), [quasi], convention=WILDCARDS, **columns)
    found = RuleConfidence(below=0.6, min_rows=min_rows).measure(classes)
    assert (found.outcome, found.notes) == (outcome, notes)
    if min_rows == 1:
        broken = RuleConfidence(below=0.5).measure(classes)
        assert (broken.outcome, broken.notes) == (Outcome.VIOLATED, ())


@pytest.mark.parametrize(
    ("quasi", "sensitive", "limit", "counted"),
    [
        (3, 1, 16, True),  # 2^3 times 2^1
        (1, 3, 16, True),
        (3, 1, 15, False),
        (1, 3, 15, False),
        (12, 1, None, False),  # 2^13, above the limit of 2^12
    ],
)
def test_how_many_columns_are_too_many(quasi, sensitive, limit, counted, monkeypatch):
    """One class of a and b in every sensitive column; no rule reaches 0.6."""
    if limit is not None:
        monkeypatch.setattr("anonaudit.models.rule_confidence.MOST_COLUMN_PAIRS", limit)
    rows = [("x",) * quasi + (value,) * sensitive for value in "ab"]
    classes = reduced(rows, range(quasi), range(quasi, quasi + sensitive))
    found = RuleConfidence(below=0.6).measure(classes)
    assert (found.measured, found.outcome) == (1 / 2, Outcome.HOLDS)
    assert found.notes == (() if counted else (TOO_MANY,))
    assert found.details == {POSSIBLE: 1 / 2, **({"rules at or above": 0} if counted else {})}
    assert RuleConfidence().measure(classes).notes == ()
    often = RuleConfidence(below=0.6, min_rows=2).measure(classes)
    left_open = quasi > 1 and not counted
    assert often.outcome is (Outcome.INCONCLUSIVE if left_open else Outcome.HOLDS)
    parts = (PARTS.format("the number of quasi-identifiers"),) if left_open else ()
    assert often.notes == (*(() if counted else (TOO_MANY,)), *parts)


@pytest.mark.parametrize(
    ("below", "outcome", "notes"),
    [
        (0.4, Outcome.VIOLATED, ()),
        (0.41, Outcome.HOLDS, (ONLY_HIDDEN,)),
        (0.8, Outcome.HOLDS, (ONLY_HIDDEN,)),
        (0.81, Outcome.HOLDS, ()),
    ],
)
def test_a_rule_is_hidden_from_its_level_to_what_is_possible(below, outcome, notes):
    """Two of five show a, two cells are unknown: 2/5, at most 4/5."""
    rows = [("x", "a"), ("x", "a"), ("x", None), ("x", None), ("x", "b")]
    found = RuleConfidence(below=below).measure(reduced(rows, [0], [1]))
    assert (found.measured, found.outcome, found.notes) == (0.4, outcome, notes)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([("x", "a"), ("x", "a"), ("y", "b"), ("z", "c"), ("z", "d")], (2, 1, 2)),
        ([("x", "a"), ("x", "a"), ("x", "b")], (1, 2 / 3, 2)),
        # x => a is 2/3; u => a and xu => a are 2/2, v => b and xv => b 1/1.
        ([("x", "u", "a"), ("x", "u", "a"), ("x", "v", "b")], (5, 1, 2)),
        ([("x", "a"), ("x", "b")], (0,)),
    ],
)
def test_the_rules_that_are_too_sure_are_counted_over_all_columns(rows, told):
    width = len(rows[0]) - 1
    found = RuleConfidence(below=0.6).measure(reduced(rows, range(width), [width]))
    names = ("rules at or above", "largest confidence of any subset", "its count")
    shown = {POSSIBLE: found.measured, **dict(zip(names, told, strict=False))}
    assert found.details == pytest.approx(shown)
    assert RuleConfidence().measure(reduced(rows, range(width), [width])).details == {
        POSSIBLE: found.measured
    }


def test_a_class_that_shows_nothing_is_apart_whatever_its_parts_show():
    """x => a is 2/3, and true of x,v too; but in x,v nothing is known."""
    rows = [("x", "u", "a"), ("x", "u", "a"), ("x", "v", None)]
    found = RuleConfidence(min_rows=2).measure(reduced(rows, [0, 1], [2]))
    assert found.measured == 1
    assert found.per_attribute["2"].classes_without_known_value == 1


def test_the_empty_antecedent_is_what_is_left_without_quasi_identifiers():
    found = RuleConfidence(min_rows=2).measure(reduced([("a",), ("a",), ("b",)], [], [0]))
    assert found.measured == pytest.approx(2 / 3)
    assert found.witness.attribute == "0"


def test_a_rule_of_just_the_confidence_is_too_sure():
    classes = reduced([("x", "a"), ("x", "b")], [0], [1])
    assert len(list(rules(classes, 1 / 2))) == 2
    assert RuleConfidence(below=1 / 2).measure(classes).details["rules at or above"] == 2
    assert list(rules(classes, 0.51)) == []


@pytest.mark.parametrize("unit", [False, True])
def test_a_rule_to_two_attributes_needs_both_known(unit):
    """a and u of one row, or person, of two; the other has a, and may have u."""
    rows = [("x", "a", "u", "p"), ("x", "a", None, "q")]
    classes = reduced(rows, [0], [1, 2], **({"unit": 3} if unit else {}))
    assert list(rules(classes, 0.0)) == [
        Rule(("0",), ("1",), 2, 2, 0), Rule(("0",), ("2",), 1, 2, 1),
        Rule(("0",), ("1", "2"), 1, 2, 1),
    ]  # fmt: skip
