"""From levels to a measurement, on levels made up: classes of one, two and three rows."""

import math

import numpy as np
import pytest
from builders import reduced

from anonaudit.findings import AttributeLevel, Outcome, Witness
from anonaudit.models.level import ParameterError, measurement, real_number, whole_number

CLASSES = reduced([("x",)] + [("y",)] * 2 + [("z",)] * 3, [0], [])
NAN, INF = math.nan, math.inf


def measured(levels, required=None, classes=CLASSES, **how):
    levels = {name: np.array(level, float) for name, level in levels.items()}
    return measurement("m", classes, levels, parameters={}, required=required, **how)


TWO = {"a": [2, NAN, 3], "b": [5, 1, NAN]}


def test_the_worst_known_level_of_any_attribute_counts():
    found = measured(TWO, 2)
    assert (found.measured, found.required, found.safer) == (1.0, 2, "higher")
    assert (found.outcome, found.witness) == (Outcome.VIOLATED, Witness(1, 2, "b"))
    assert found.violating.tolist() == [False, True, False]
    assert (found.classes_violating, found.rows_violating) == (1, 2)
    assert found.per_attribute == {
        "a": AttributeLevel(2.0, 0, 0, 1), "b": AttributeLevel(1.0, 1, 2, 1),
    }  # fmt: skip


def test_where_lower_is_safer_the_highest_counts():
    found = measured(TWO, 2, safer="lower")
    assert (found.measured, found.required, found.safer) == (5.0, 2, "lower")
    assert (found.outcome, found.witness) == (Outcome.VIOLATED, Witness(0, 1, "b"))
    assert found.violating.tolist() == [True, False, True]
    assert (found.classes_violating, found.rows_violating) == (2, 4)
    assert found.per_attribute == {
        "a": AttributeLevel(3.0, 1, 3, 1), "b": AttributeLevel(5.0, 1, 1, 1),
    }  # fmt: skip


@pytest.mark.parametrize("safer", ["higher", "lower"])
def test_without_a_requirement_the_level_is_measured_only(safer):
    found = measured(TWO, safer=safer)
    assert (found.outcome, found.required, found.violating) == (Outcome.MEASURED, None, None)
    assert (found.classes_violating, found.rows_violating) == (None, None)
    assert {(a.classes_violating, a.rows_violating) for a in found.per_attribute.values()} == {
        (None, None)
    }


def test_parameters_details_and_notes_are_told_as_given():
    levels = {"": np.array([1.0, 2.0, 3.0])}
    found = measurement(
        "m", CLASSES, levels, parameters={"k": 1, "l": None}, required=1, details={"d": 1},
        notes=("n",),
    )  # fmt: skip
    assert (found.model, found.parameters, found.details) == ("m", {"k": 1}, {"d": 1})
    assert (found.notes, found.per_attribute, found.witness) == (("n",), {}, Witness(0, 1))
    found = measurement("m", CLASSES, levels, parameters={}, required=None)
    assert (found.parameters, found.details, found.notes) == ({}, {}, ())


@pytest.mark.parametrize(
    ("level", "safer", "outcome", "witness", "why"),
    [
        ([INF, NAN, 1], "lower", Outcome.VIOLATED, 0, "some class misses every threshold"),
        ([NAN, INF, INF], "higher", Outcome.HOLDS, 1, "no class has a finite level"),
        ([INF, NAN, 1], "higher", Outcome.VIOLATED, 2, None),
    ],
)
def test_infinity_is_a_level_but_not_a_finite_one(level, safer, outcome, witness, why):
    found = measured({"a": [NAN] * 3, "b": level}, 2, safer=safer)
    assert found.measured == (None if why else 1)
    assert found.outcome is outcome
    assert found.witness == Witness(witness, witness + 1, "b")
    assert found.notes == ((f"no finite level: {why}",) if why else ())
    known = found.per_attribute["b"]
    assert (known.measured, known.classes_without_known_value) == (found.measured, 1)
    assert found.per_attribute["a"] == AttributeLevel(None, 0, 0, 3)


@pytest.mark.parametrize(
    ("levels", "classes", "what"),
    [
        ({}, CLASSES, "no class with a known sensitive value"),
        ({"a": [NAN] * 3}, CLASSES, "no class with a known sensitive value"),
        ({"a": [NAN]}, reduced([("x",)], [0], []), "no class with a known sensitive value"),
        ({"a": []}, reduced([], [0], []), "no row in a class"),
        ({}, reduced([], [0], []), "no row in a class"),
    ],
)
def test_no_data_is_never_a_pass(levels, classes, what):
    found = measured(levels, 1, classes, notes=("n",))
    assert (found.measured, found.outcome, found.witness) == (None, Outcome.INCONCLUSIVE, None)
    assert found.notes == (
        "n", f"no data: the release has {what}, so there is nothing to measure",
    )  # fmt: skip
    assert measured(levels, None, classes).outcome is Outcome.INCONCLUSIVE
    if len(classes):
        broken = np.arange(len(classes)) == 0
        found = measured(levels, None, classes, also_violating=broken)
        assert (found.outcome, found.classes_violating) == (Outcome.VIOLATED, 1)


def test_what_breaks_another_part_of_the_definition_is_added():
    alone, none = np.array([True, False, False]), np.zeros(3, bool)
    levels = {"a": [3, 1, 3]}
    both = measured(levels, 2, also_violating=alone)
    assert (both.classes_violating, both.rows_violating) == (2, 3)
    assert both.per_attribute["a"] == AttributeLevel(1.0, 1, 2, 0)  # by the level alone
    other = measured(levels, also_violating=alone)
    assert (other.outcome, other.violating.tolist()) == (Outcome.VIOLATED, alone.tolist())
    kept = measured(levels, also_violating=none)
    assert (kept.outcome, kept.classes_violating, kept.rows_violating) == (Outcome.HOLDS, 0, 0)


@pytest.mark.parametrize(
    ("level", "whole", "shown"), [(2.0, True, 2), (2.5, True, 2.5), (2.0, False, 2.0)]
)
def test_counts_are_whole_numbers(level, whole, shown):
    found = measured({"a": [level] * 3}, whole=whole)
    for number in (found.measured, found.per_attribute["a"].measured):
        assert (number, type(number)) == (shown, type(shown))


@pytest.mark.parametrize(
    ("required", "level", "how", "holds"),
    [
        (3, 3, {"whole": True}, True),
        (3, 3 - 1e-12, {"whole": True}, False),  # counts need no slack
        (3, 2, {"whole": True}, False),
        (3, 3 - 2e-9, {}, True),  # a thousand-millionth of what is asked for
        (3, 3 - 4e-9, {}, False),
        (0.3, 0.3 + 2e-10, {"safer": "lower"}, True),
        (0.3, 0.3 + 4e-10, {"safer": "lower"}, False),
        (0, 9e-16, {"safer": "lower"}, True),  # of a millionth, where less is asked for
        (0, 2e-15, {"safer": "lower"}, False),
        (0.5, 0.5, {"safer": "lower", "strict": True}, False),
        (0.5, 0.5 - 4e-13, {"safer": "lower", "strict": True}, False),  # within rounding of it
        (0.5, 0.5 - 6e-13, {"safer": "lower", "strict": True}, True),
        (4, 4 + 3e-12, {"strict": True}, False),
        (4, 4 + 5e-12, {"strict": True}, True),
    ],
)
def test_a_level_reaches_what_is_asked_for_up_to_rounding(required, level, how, holds):
    found = measured({"": [level] * 3}, required, **how)
    assert found.outcome is (Outcome.HOLDS if holds else Outcome.VIOLATED)


def test_the_limits_of_a_number_are_told():
    with pytest.raises(ParameterError, match=r"^k must be a whole number of at least 2, not 1$"):
        whole_number("k", 1, 2)
    whole_number("k", 2, 2)
    whole_number("k", None, 2)
    for low, high, above, said in [
        (0, 1, False, "at least 0 and at most 1"),
        (0, 1, True, "above 0 and at most 1"),
        (0, INF, True, "above 0"),
        (0, INF, False, "at least 0"),
    ]:
        with pytest.raises(ParameterError, match=f"^t must be a number {said}, not -1$"):
            real_number("t", -1, low, high, above=above)
        real_number("t", 1, low, high, above=above)
        real_number("t", None, low, high, above=above)
    with pytest.raises(ParameterError, match=r"^t must be a number at least 0, not inf$"):
        real_number("t", INF, 0)
    real_number("t", 0, 0)
