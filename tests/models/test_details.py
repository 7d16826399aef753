"""What measurements tell beside the level: details, notes, what else breaks the model.

Every number is counted by hand in the rows beside it.
"""

import re

import numpy as np
import pytest
from builders import reduced

from anonaudit.cells import Convention
from anonaudit.errors import HierarchyError
from anonaudit.findings import Outcome, Witness
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.alignment import align_by_key
from anonaudit.models import (
    AlphaKAnonymity,
    ConstrainedAlphaKAnonymity,
    ConstrainedKAnonymity,
    ConstrainedLDiversity,
    ConstrainedPSensitiveKAnonymity,
    ConstrainedTCloseness,
    EntropyLDiversity,
    ExtendedPSensitiveKAnonymity,
    KAnonymity,
    KEAnonymity,
    LDiversity,
    MarketerRisk,
    MultiAttributeLDiversity,
    ProsecutorRisk,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    RuleConfidence,
    SampleUniques,
    TCloseness,
)
from anonaudit.models.boundaries import Boundaries, Violations
from anonaudit.models.level import ParameterError
from anonaudit.models.multi_attribute_l_diversity import figure_7
from anonaudit.models.p_sensitive import (
    algorithm_1,
    algorithm_2,
    few_enough_classes,
    max_groups,
    max_groups_by_p,
    max_p,
)
from anonaudit.models.rules import rules
from anonaudit.roles import Roles

# x: a, a; y: a, b, b. n = 5, the most frequent value has 3 rows: 2 groups at most for p = 2.
ROWS = [("x", "a"), ("x", "a"), ("y", "a"), ("y", "b"), ("y", "b")]
WILDCARDS = Convention("wildcard", suppressed_tuples="include")


def test_the_classes_that_fall_short_are_marked():
    """x has two rows, y three."""
    classes = reduced(ROWS, [0], [])
    found = KAnonymity(k=3).measure(classes)
    assert found.violating.tolist() == [True, False]
    assert (found.classes_violating, found.rows_violating) == (1, 2)
    assert KAnonymity().measure(classes).violating is None


def test_what_falls_short_is_told_by_column():
    """x has one value in the first sensitive column; all others have two or more."""
    two = [(*row, str(i)) for i, row in enumerate(ROWS)]
    found = PSensitiveKAnonymity(p=2).measure(reduced(two, [0], [1, 2]))
    told = {c: (a.classes_violating, a.rows_violating) for c, a in found.per_attribute.items()}
    assert told == {"1": (1, 2), "2": (0, 0)}
    measured = PSensitiveKAnonymity().measure(reduced(two, [0], [1, 2]))
    told = {(a.classes_violating, a.rows_violating) for a in measured.per_attribute.values()}
    assert told == {(None, None)}


def test_maxp_maxgroups_and_k_stand_beside_p():
    found = PSensitiveKAnonymity(p=2).measure(reduced(ROWS, [0], [1]))
    assert found.details == {"k": 2, "maxP": 2, "maxGroups": {"2": 2}}
    assert found.notes == ()
    assert isinstance(found.measured, int)
    nobody = PSensitiveKAnonymity().measure(reduced([], [0], [1]))
    assert nobody.details == {"k": None, "maxP": None, "maxGroups": {}}
    assert nobody.outcome is Outcome.INCONCLUSIVE


def test_max_groups_is_shown_for_the_first_p_and_for_the_one_asked_for():
    """12 values once each: maxGroups(p) <= 12 - (p - 1), and (12 - 1) // 11 = 1 for p = 12."""
    sensitive = reduced([("x", f"v{i}") for i in range(12)], [0], [1]).sensitive
    assert set(max_groups_by_p(sensitive)) == {str(p) for p in range(2, 11)}
    asked = max_groups_by_p(sensitive, 12)
    assert set(asked) == {str(p) for p in [*range(2, 11), 12]}
    assert (asked["2"], asked["12"]) == (11, 1)
    assert "1" not in max_groups_by_p(sensitive, 1)
    assert max_groups_by_p(sensitive, 13)["13"] == 0


def test_an_attribute_that_nobody_knows_bounds_nothing():
    """Two classes of a, b; the other attribute is empty. n = 4, cf_1 = 2: 2 groups at most."""
    rows = [("x", "a", None), ("x", "b", None), ("y", "a", None), ("y", "b", None)]
    classes = reduced(rows, [0], [1, 2])
    assert (max_p(classes.sensitive), max_groups(classes.sensitive, 2)) == (2, 2)
    nobody = reduced([("x", None)], [0], [1]).sensitive
    assert (max_p(nobody), max_groups(nobody, 2)) == (None, None)
    assert algorithm_1(classes, 2, 2)
    assert not algorithm_1(reduced([("x", None)] * 2, [0], [1]), 2, 2)


def test_condition_2_counts_the_classes_that_know_the_attribute():
    """Two rows know it, of two values: 2 - 1 = 1 class may, and does in the first table only."""
    one = reduced([("x", "a"), ("x", "b"), ("y", None), ("z", None)], [0], [1])
    assert few_enough_classes(one.sensitive, 2)
    assert algorithm_2(one, 2, 2).decided_by == "details"
    two = reduced([("x", "a"), ("y", "b"), ("z", None)], [0], [1])
    assert not few_enough_classes(two.sensitive, 2)


def test_a_class_that_shows_nothing_is_left_out_of_p():
    found = PSensitiveKAnonymity(p=2).measure(reduced([*ROWS[2:], ("z", None)], [0], [1]))
    assert (found.measured, found.per_attribute["1"].classes_without_known_value) == (2, 1)
    assert (found.classes_violating, found.rows_violating) == (1, 1)  # z has one row, k is 2


def test_algorithm_1_wants_p_values_of_every_attribute():
    """The first has two in x, the second one."""
    classes = reduced([("x", "a", "u"), ("x", "b", "u")], [0], [1, 2])
    assert not algorithm_1(classes, 2, 2)
    assert algorithm_1(reduced([("x", "a", "u"), ("x", "b", "v")], [0], [1, 2]), 2, 2)


def test_the_p_asked_for_is_shown_beyond_max_p():
    assert max_groups_by_p(reduced([("x", "a")], [0], [1]).sensitive, 2) == {"2": 0}


def test_unknown_cells_that_count_as_a_value_are_rows_too():
    """Three rows of two values, as missing and suppressed are one: 3 - 2 groups for p = 2."""
    convention = Convention(sensitive="one-value")
    rows = [("x", "a"), ("x", None), ("x", "*")]
    sensitive = reduced(rows, [0], [1], convention=convention).sensitive
    assert (max_p(sensitive), max_groups(sensitive, 2)) == (2, 1)


def test_conditions_1_and_2_are_named_where_they_fail():
    """x: a, a; y: a, b; z: a. Four of five rows are a: one group at most, and there are three."""
    rows = [("x", "a"), ("x", "a"), ("y", "a"), ("y", "b"), ("z", "a")]
    classes = reduced(rows, [0], [1])
    assert PSensitiveKAnonymity(p=3).measure(classes).notes == (
        "p = 3 cannot be reached by any masking: Condition 1, maxP = 2",
    )
    [note] = PSensitiveKAnonymity(p=2).measure(classes).notes
    assert re.findall(r"\d+", note) == ["2", "1", "1", "3", "2"]  # p = 2, 1 of '1', Condition 2
    assert PSensitiveKAnonymity(p=1).measure(classes).notes == ()
    assert PSensitiveKAnonymity().measure(classes).notes == ()
    assert PSensitiveKAnonymity(p=2).measure(reduced(ROWS, [0], [1])).notes == ()
    assert algorithm_2(classes, 2, 2) == (False, "condition 2")
    assert algorithm_2(classes, 3, 3) == (False, "condition 1")


def test_condition_2_is_no_condition_where_classes_overlap():
    """b, whose key is missing, is in the classes of x and y too: each has a and b.

    Classes that are apart could be (3 - 2) // 1 = 1 only, and there are three.
    """
    rows = [("x", "a"), (None, "b"), ("y", "a")]
    classes = reduced(rows, [0], [1], convention=WILDCARDS)
    found = PSensitiveKAnonymity(p=2).measure(classes)
    assert (found.measured, found.outcome, found.notes) == (2, Outcome.HOLDS, ())
    assert algorithm_2(classes, 2, 2) == (True, "details")


@pytest.mark.parametrize(
    ("p", "k", "beyond", "short"),
    [
        (None, None, [False, True], (1, 3)),  # y by the boundary alone
        (1, 3, [False, True], (2, 5)),  # x by its size, y by the boundary
        (2, 2, [False, True], (2, 5)),  # x by its values
        (1, 3, [False, False], (1, 2)),
    ],
)
def test_what_breaks_another_part_of_the_definition_counts_too(p, k, beyond, short):
    classes = reduced(ROWS, [0], [1])
    found = PSensitiveKAnonymity(p, k).measure(classes, also_violating=np.array(beyond))
    assert (found.classes_violating, found.rows_violating) == short
    assert found.outcome is Outcome.VIOLATED


@pytest.mark.parametrize("model", [KAnonymity(k=2), LDiversity(l=1), TCloseness(t=1.0)])
def test_a_boundary_breaks_every_constrained_model(model):
    found = model.measure(reduced(ROWS, [0], [1]), also_violating=np.array([False, True]))
    assert (found.classes_violating, found.rows_violating) == (1, 3)
    assert found.outcome is Outcome.VIOLATED


def test_k_above_the_number_of_rows_cannot_be_reached():
    classes = reduced(ROWS, [0], [1])
    unreachable = ("k = 6 cannot be reached by any masking: there are 5 rows",)
    assert KAnonymity(k=6).measure(classes).notes == unreachable
    assert KAnonymity(k=5).measure(classes).notes == ()
    assert KAnonymity().measure(classes).notes == ()
    assert KAnonymity().measure(classes).details == {}
    assert KAnonymity(k=2).measure(reduced([("x",)], [0], [])).notes == (
        "k = 2 cannot be reached by any masking: there are 1 rows",
    )
    assert len(KAnonymity(k=1).measure(reduced([], [0], [])).notes) == 1  # that there is no data
    assert KAnonymity().measure(classes).per_attribute == {}
    assert KAnonymity().measure(classes).witness == Witness(0, 2)
    assert isinstance(KAnonymity().measure(classes).measured, int)


def test_k_above_the_number_of_persons_cannot_be_reached():
    """Three rows of two persons, in one class: k = 2, by whole histories 1 and 1."""
    classes = reduced([("x", "1"), ("x", "1"), ("x", "2")], [0], [], unit=1)
    found = KAnonymity(k=3).measure(classes)
    assert found.notes == ("k = 3 cannot be reached by any masking: there are 2 persons",)
    assert KAnonymity(k=2).measure(classes).notes == ()
    assert (found.measured, found.details["k by whole histories"]) == (2, 1)
    assert found.details["persons alone by history"] == 2


def test_half_a_row_is_no_whole_number():
    """x has its own row, and half of the row with a wildcard."""
    convention = Convention("wildcard", 0.5, suppressed_tuples="include")
    classes = reduced([("x",), (None,)], [0], [], convention=convention)
    found = KAnonymity(k=2).measure(classes)
    assert (found.measured, found.classes_violating) == (1.5, 1)


# --- readings of several sensitive attributes ---------------------------------------------------

# x: (a, 1), (a, 2); y: (a, 1), (b, 1), (b, 2).
PAIRS = [("x", "a", "1"), ("x", "a", "2"), ("y", "a", "1"), ("y", "b", "1"), ("y", "b", "2")]


def levels(model, rows, qi=(0,), convention=None):
    quasi, width = list(qi), len(rows[0])
    found = model.measure(reduced(rows, quasi, range(len(quasi), width), convention=convention))
    return found.measured, [level.measured for level in found.per_attribute.values()]


@pytest.mark.parametrize("model", [LDiversity, EntropyLDiversity])
def test_readings_by_hand(model):
    """Each: a alone in x. Joint: two pairs in x, three in y. Others known: in y, 2 goes with b
    alone, and a with 1 alone; in x each of 1 and 2 goes with a, and a with both."""
    each = levels(model(), PAIRS)
    assert each[0] == 1
    assert each[1][0] == 1
    assert each[1][1] == pytest.approx(2 if model is LDiversity else 3 / 4 ** (1 / 3))
    assert levels(model(reading="joint"), PAIRS)[0] == pytest.approx(2)
    assert len(levels(model(reading="joint"), PAIRS)[1]) == 1
    assert levels(model(reading="others-known"), PAIRS) == (1, [1, 1])
    assert levels(model(reading="others-known"), PAIRS[:2]) == (1, [1, pytest.approx(2)])
    one = [row[:2] for row in PAIRS]
    for reading in ("joint", "others-known"):
        found = model(reading=reading).measure(reduced(one, [0], [1]))
        assert found.measured == 1
        assert list(found.per_attribute) == ["1"]


def test_what_others_know_is_a_cell_like_any_other():
    """a and b stand beside the same gap: 2. A row that is left out by its own cells stays so."""
    known = LDiversity(reading="others-known")
    gaps = [("x", "a", None), ("x", "b", None)]
    drop = Convention("drop-rows")
    assert levels(known, gaps, convention=drop) == (2, [2, None])
    assert levels(known, [*gaps, (None, "c", None)], convention=drop) == (2, [2, None])
    assert levels(known, [("a", "*"), ("b", "*")], qi=()) == (2, [2, None])
    part = [("x", None, "1"), ("x", "a", "2"), ("x", "b", "2")]  # 1 stands beside nothing known
    assert levels(known, part)[1] == [2, 1]
    with pytest.raises(ParameterError, match="others-known is not defined under wildcards"):
        levels(known, [*gaps, (None, "c", None)], convention=WILDCARDS)
    alone = [("x", "a"), ("x", "b"), (None, "c")]  # one attribute: nothing else is known
    assert levels(known, alone, convention=WILDCARDS)[0] == 3


def test_a_class_that_shows_nothing_has_no_diversity():
    rows = [("w", "a"), ("w", "b"), ("x", "a"), ("x", "b"), ("y", None)]
    every = (LDiversity(), EntropyLDiversity(), RecursiveCLDiversity(), TCloseness())
    for model in (*every, AlphaKAnonymity()):
        found = model.measure(reduced(rows, [0], [1]))
        assert found.per_attribute["1"].classes_without_known_value == 1
    assert levels(EntropyLDiversity(), rows)[0] == pytest.approx(2)
    assert levels(RecursiveCLDiversity(), rows)[0] == 1
    assert levels(TCloseness(), rows)[0] == 0
    assert levels(RecursiveCLDiversity(l=1), [("x", "a")])[0] == 1  # one row shows its value
    assert levels(AlphaKAnonymity(), [("x", "a")])[0] == 1
    assert levels(AlphaKAnonymity(), rows)[0] == 1 / 2


# --- t-closeness --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("distance", "expected"), [("equal", 1 / 2), ("ordered", 3 / 8), ("numeric", 5 / 12)]
)
def test_distances_by_hand(distance, expected):
    """x: 1, 2; y: 4, 4. Cumulated, x is 1/4 and 1/2 ahead of the whole, y behind.

    Ordered: both gaps are 1/2 wide, (1/4 + 1/2) / 2. Numeric: 1/3 and 2/3, 1/12 + 1/3. Equal: half
    of the whole is in neither.
    """
    rows = [("x", "1"), ("x", "2"), ("y", "4"), ("y", "4")]
    classes = reduced(rows, [0], [1])
    scale = {"1": {value: float(value) for value in "124"}}
    found = TCloseness(distance=distance, scale=scale).measure(classes)
    assert (found.measured, found.notes) == (pytest.approx(expected), ())
    assert found.safer == "lower"
    whole = {"1": {value: int(value) for value in "124"}}
    assert TCloseness(distance=distance, scale=whole).measure(classes) == found
    shifted = {"1": {value: float(value) - 9 for value in "124"}}
    assert TCloseness(distance=distance, scale=shifted).measure(classes).measured == (
        pytest.approx(expected)
    )


@pytest.mark.parametrize("distance", ["ordered", "numeric", "hierarchical"])
def test_without_an_order_or_hierarchy_distances_are_equal_and_it_says_so(distance):
    lacks = "hierarchy" if distance == "hierarchical" else "order"
    found = TCloseness(distance=distance).measure(reduced(ROWS, [0], [1]))
    assert found.measured == pytest.approx(0.4)
    assert found.notes == (f"no {lacks} is known for 1: measured with the equal distance",)
    assert TCloseness().measure(reduced(ROWS, [0], [1])).notes == ()


# --- extended p-sensitivity ---------------------------------------------------------------------

TREE = Hierarchy("1", [["a", "g", "*"], ["b", "g", "*"], ["c", "h", "*"], ["d", "h", "*"]])


def test_conditions_of_extended_sensitivity_and_the_subtrees():
    """g is protected: a and b are one subtree, c and d one each. x: a, b; y: a, c, d."""
    rows = [("x", "a"), ("x", "b"), ("y", "a"), ("y", "c"), ("y", "d")]
    model = {"hierarchies": {"other": TREE, "1": TREE}, "protected": {"1": ("g",)}}
    classes = reduced(rows, [0], [1])
    found = ExtendedPSensitiveKAnonymity(**model).measure(classes)
    assert (found.measured, found.details["maxP"]) == (1, 3)
    assert found.details["protected subtrees"] == {"1": 3}
    assert "conditions" not in found.details
    # g has 3 of 5 rows: at most 2 classes of 2 subtrees, and 1 of 3 (min of 5 - 4 and 2 // 2).
    for p, k, third in ((2, None, True), (3, 3, False), (2, 2, True)):
        found = ExtendedPSensitiveKAnonymity(p, k, **model).measure(classes)
        expected = {"1": True, "2": True, "2, in use": True, "3": third}
        assert found.details["conditions"] == expected
    found = ExtendedPSensitiveKAnonymity(4, **model).measure(classes)
    assert found.details["conditions"] == {"1": True, "2": False, "2, in use": False, "3": False}
    found = ExtendedPSensitiveKAnonymity(2, **model).measure(
        reduced([*rows, (None, "c")], [0], [1], convention=WILDCARDS)
    )  # classes overlap: no third condition
    assert found.details["conditions"] == {"1": True, "2": True, "2, in use": True}
    nobody = ExtendedPSensitiveKAnonymity(2, **model).measure(reduced([], [0], [1]))
    assert nobody.details["conditions"]["2, in use"]
    flat = {"hierarchies": {"1": TREE, "2": Hierarchy("2", [["u", "*"]])}}
    two = reduced([(*row, "u") for row in rows], [0], [1, 2])
    found = ExtendedPSensitiveKAnonymity(2, **flat).measure(two)
    assert found.details["protected subtrees"] == {"1": 4, "2": 1}  # 1 < 2 breaks Condition 2
    assert found.details["conditions"] == {"1": True, "2": False, "2, in use": False, "3": False}
    plain = ExtendedPSensitiveKAnonymity(hierarchies={"1": TREE}).measure(classes)
    assert (plain.measured, plain.details["protected subtrees"]) == (2, {"1": 4})


def test_a_value_above_all_protected_subtrees_is_in_none():
    """g and h are protected; i is above them, so x shows one subtree and y two."""
    tree = Hierarchy("1", [["a", "g", "i"], ["b", "g", "i"], ["c", "h", "i"]])
    rows = [("x", "a"), ("x", "i"), ("y", "b"), ("y", "c")]
    model = ExtendedPSensitiveKAnonymity(hierarchies={"1": tree}, protected={"1": ("g", "h")})
    found = model.measure(reduced(rows, [0], [1]))
    assert (found.measured, found.details["maxP"]) == (1, 2)


def test_the_number_of_lacking_values_is_said():
    classes = reduced([("x", "a"), ("x", "u"), ("x", "v"), ("x", None)], [0], [1])
    with pytest.raises(HierarchyError, match=r"lacks 2 value\(s\)"):
        ExtendedPSensitiveKAnonymity(hierarchies={"1": TREE}).measure(classes)


# --- constrained models -------------------------------------------------------------------------

ZIP = Hierarchy("0", [["1", "1*", "*"], ["2", "2*", "*"]])
AT_GROUP = Boundaries({"0": ZIP}, {"0": ("1*", "2*")})
ABOVE = [("1*", "a"), ("1*", "a"), ("2", "a"), ("2", "b"), ("2", "b")]
# Nothing below is allowed above 1 and 2 themselves: the two rows of 1* break that.
AT_GROUND = Boundaries({"0": ZIP}, {"0": ("1", "2")})


@pytest.mark.parametrize(
    ("model", "measured", "name"),
    [
        (ConstrainedKAnonymity, 2, "constrained-k-anonymity"),
        (ConstrainedPSensitiveKAnonymity, 1, "constrained-p-sensitive-k-anonymity"),
        (ConstrainedLDiversity, 1, "constrained-l-diversity"),
        (ConstrainedAlphaKAnonymity, 1, "constrained-alpha-k-anonymity"),
        (ConstrainedTCloseness, 0.4, "constrained-t-closeness"),
    ],
)
def test_the_level_is_the_inner_models_and_a_violation_breaks_it(model, measured, name):
    classes = reduced(ABOVE, [0], [1])
    kept = model(boundaries=AT_GROUP).measure(classes)
    assert (kept.model, kept.measured) == (name, pytest.approx(measured))
    assert kept.details["constraint violations"] == {"0": 0}
    assert kept.details["classes with a violation"] == 0
    assert kept.outcome is not Outcome.VIOLATED
    broken = model(boundaries=AT_GROUND).measure(classes)
    assert (broken.measured, broken.outcome) == (pytest.approx(measured), Outcome.VIOLATED)
    assert broken.details["constraint violations"] == {"0": 2}
    assert broken.details["classes with a violation"] == 1
    assert broken.details["rows with a violation"] == 2
    assert (broken.classes_violating, broken.rows_violating) == (1, 2)
    assert broken.details["how violations were found"].startswith("without the original")


@pytest.mark.parametrize("rows", [[1, 0], [0, 0]])
def test_one_violation_breaks_the_model_also_of_a_row_in_no_class(rows):
    exact = Violations({"0": 1}, np.array(rows), {"0": 0}, np.zeros(2, int))
    found = ConstrainedKAnonymity(k=1, exact=exact).measure(reduced(ABOVE, [0], [1]))
    assert (found.measured, found.outcome) == (2, Outcome.VIOLATED)
    assert found.classes_violating == sum(rows)
    assert found.details["classes with a violation"] == sum(rows)
    assert found.details["rows with a violation"] == sum(rows)
    assert found.details["how violations were found"] == "counted against the original"


def test_emptied_and_invented_cells_against_the_original():
    """Only 1 has a boundary, at 1*; the boundary of 2 is the root, so 2 may be emptied.

    An emptied 1 is beyond; so is a row of 1 at the root that the original does not have, while
    one at 2* is not.
    """
    tree = Hierarchy("0", [["1", "1*", "any"], ["2", "2*", "any"]])
    bounds = Boundaries({"0": tree}, {"0": ("1*",)})

    def counted(released):
        names = ["0", "c", "id"]
        ground = FrequencySet.of(names, [("1", "c", "r1"), ("2", "c", "r2")])
        table = FrequencySet.of(names, released)
        pairing = align_by_key(
            ground, table, "id", quasi_identifiers=["0", "c"], sensitive=[], validity={}
        )
        classes = equivalence_classes(table, Roles(("0", "c")))
        found = bounds.counted(pairing, classes)
        return found.by_attribute, int(found.rows.sum())

    assert counted([("1*", "c", "r1"), (None, "c", "r2")]) == ({"0": 0}, 0)
    assert counted([("1", "c", "r1"), ("*", "c", "r2")]) == ({"0": 0}, 0)
    assert counted([(None, "c", "r1"), ("any", "c", "r2")]) == ({"0": 1}, 1)
    assert counted([("1", "c", "r1"), ("2", "c", "r2"), ("any", "c", "r9")]) == ({"0": 1}, 1)
    assert counted([("1", "c", "r1"), ("2", "c", "r2"), ("2*", "c", "r9")]) == ({"0": 0}, 0)


def test_the_inner_model_has_the_parameters():
    tree = {"1": TREE}
    assert ConstrainedKAnonymity(k=3).inner == KAnonymity(3)
    assert ConstrainedPSensitiveKAnonymity(p=2, k=3).inner == PSensitiveKAnonymity(2, 3)
    assert ConstrainedLDiversity(l=3).inner == LDiversity(3)
    assert ConstrainedTCloseness(
        t=0.3, distance="hierarchical", hierarchies=tree
    ).inner == TCloseness(0.3, "hierarchical", hierarchies=tree)
    assert ConstrainedTCloseness().inner == TCloseness()
    for bad in (ConstrainedKAnonymity, ConstrainedLDiversity):
        with pytest.raises(Exception, match="whole number"):
            bad(0)


def test_boundaries_that_cannot_be_checked_leave_what_would_hold_undecided():
    classes = reduced(ABOVE, [0], [1])
    unchecked = Boundaries(unchecked=("age", "zip"))
    holds = ConstrainedKAnonymity(k=2, boundaries=unchecked).measure(classes)
    assert holds.outcome is Outcome.INCONCLUSIVE
    [note] = holds.notes
    assert "age, zip" in note
    assert "give the original" in note
    assert ConstrainedKAnonymity(k=3, boundaries=unchecked).measure(classes).outcome is (
        Outcome.VIOLATED
    )
    assert ConstrainedKAnonymity(k=2).measure(classes).outcome is Outcome.HOLDS
    assert ConstrainedKAnonymity(k=2).measure(classes).notes == ()


# --- other models -------------------------------------------------------------------------------


def test_k_stands_beside_alpha():
    assert AlphaKAnonymity().measure(reduced(ROWS, [0], [1])).details == {"k": 2}
    assert AlphaKAnonymity().measure(reduced([], [0], [1])).details == {"k": None}


def test_the_witness_is_the_worst_class_with_its_attribute():
    assert PSensitiveKAnonymity().measure(reduced(ROWS, [0], [1])).witness == Witness(0, 2, "1")
    assert MarketerRisk().measure(reduced(ROWS, [0], [1])).witness is None
    rows = [("x", "a", "u"), ("x", "b", "u"), ("y", "a", "u"), ("y", "a", "v"), ("y", "b", "w")]
    found = PSensitiveKAnonymity().measure(reduced(rows, [0], [1, 2]))  # the second, in x
    assert found.witness == Witness(0, 2, "2")
    assert PSensitiveKAnonymity().measure(reduced([("x",)], [0], [])).measured is None


def test_one_attribute_with_few_values_breaks_k_e():
    """x has one number in the first column, and two in both others; the range is 1 or more."""
    rows = [("x", "1", "1"), ("x", "1", "3"), ("y", "1", "1"), ("y", "2", "3")]
    scale = {"1": {"1": 1.0, "2": 2.0}, "2": {"1": 1.0, "3": 3.0}}
    found = KEAnonymity(k=2, scale=scale).measure(reduced(rows, [0], [1, 2]))
    assert (found.classes_violating, found.rows_violating) == (1, 2)
    assert (found.details, found.notes) == ({"k": 1}, ())
    part = {"1": scale["1"]}
    found = KEAnonymity(scale=part).measure(reduced(rows, [0], [1, 2]))
    assert found.notes == ("not numeric, so left out: 2",)


@pytest.mark.parametrize(("gap", "outcome"), [(1e-7, Outcome.HOLDS), (1e-5, Outcome.VIOLATED)])
def test_a_level_is_compared_up_to_rounding_at_its_own_scale(gap, outcome):
    """A thousandth of a millionth of what is asked for: 1e-6 of 1000."""
    scale = {"1": {"a": 0.0, "b": 1000.0 - gap}}
    classes = reduced([("x", "a"), ("x", "b")], [0], [1])
    assert KEAnonymity(e=1000.0, scale=scale).measure(classes).outcome is outcome


@pytest.mark.parametrize(
    ("l", "at_most", "measured", "named"),
    [
        (None, {"1": 0}, 3, {"1": 3}),  # a must stay, so 1, 2 and 3 go
        (2, {"1": 0}, 3, {"1": 2}),
        (1, {"1": 0}, 3, {}),
        (2, {"1": 1}, 1, {}),
        (None, {"1": 0, "2": 0}, None, {"1": "infinity", "2": "infinity"}),
        (None, {"2": 2}, 1, {}),
        (None, {}, 1, {}),
    ],
)
def test_what_a_limit_leaves_unprotected_is_named(l, at_most, measured, named):
    """One class: a with each of 1, 2, 3. Without limits a alone deletes it."""
    rows = [("x", "a", "1"), ("x", "a", "2"), ("x", "a", "3")]
    found = MultiAttributeLDiversity(l, at_most).measure(reduced(rows, [0], [1, 2]))
    assert found.measured == measured
    values = {"1": 1, "2": 3}
    notes = [note for note in found.notes if "not protected" in note]
    for note, (name, against) in zip(notes, named.items(), strict=True):
        assert note.startswith(f"{name!r} is not protected: a class has only {values[name]} of")
        assert note.endswith(f"L = {against}")


def test_figure_7_takes_as_many_rows_without_a_common_value_as_asked_for():
    assert figure_7([("a", "1"), ("b", "2")], 2, [2, 2])
    assert not figure_7([("a", "1"), ("a", "2")], 2, [2, 2])


def test_who_may_show_a_rule_too():
    """p shows a, and has a gap beside it: only q may show a too, but p and q may show b."""
    rows = [("x", "a", "p"), ("x", None, "p"), ("x", None, "q"), ("x", "b", "r")]
    found = rules(reduced(rows, [0], [1], unit=2), 0.3)
    assert sorted((r.shown, r.of, r.unknown) for r in found) == [(1, 3, 1), (1, 3, 2)]
    found = rules(reduced([row[:2] for row in rows], [0], [1]), 0.0)
    assert [(r.shown, r.of, r.unknown) for r in found] == [(1, 4, 2), (1, 4, 2)]


def test_a_gap_that_counts_as_a_value_may_be_what_a_rule_shows():
    convention = Convention(sensitive="one-value")
    rows = [("x", None), ("x", None), ("x", "a")]
    found = rules(reduced(rows, [0], [1], convention=convention), 0.0)
    assert sorted((r.shown, r.of, r.unknown) for r in found) == [(1, 3, 0), (2, 3, 0)]


def test_risks_under_wildcards_are_averaged_over_the_rows_of_each_class():
    """x fits 3 rows, y 2, the row that may be any 4: (2 / 3 + 1 / 2 + 1 / 4) / 4."""
    classes = reduced([("x",), ("x",), ("y",), (None,)], [0], [], convention=WILDCARDS)
    found = ProsecutorRisk(threshold=0.4).measure(classes)
    assert (found.measured, found.details["average"]) == (1 / 2, pytest.approx(17 / 48))
    assert found.details["share above threshold"] == 1 / 4
    nobody = ProsecutorRisk().measure(reduced([], [0], []))
    assert nobody.details == {
        "threshold": 0.2, "share above threshold": None, "highest": None, "average": None,
    }  # fmt: skip


def test_the_most_that_is_allowed_is_asked_of_leaves_alone():
    table = FrequencySet.of(["0"], [("1",), ("1*",)])
    with pytest.raises(HierarchyError):
        AT_GROUP.maximum_allowed_microdata(table, ["0"], Convention())
    table = FrequencySet.of(["0", "c"], [("1", "u"), ("2", "v")])
    found = AT_GROUP.maximum_allowed_microdata(table, ["0", "c"], Convention())
    shown = [found.labels_of("0")[code] for code in found.column("0")]
    assert sorted(shown) == ["1*", "2*"]
    assert (found.column("c") == 1).all()  # no boundary: suppressed


def test_the_surest_rule_of_any_columns():
    """x shows a in two of three rows, y shows c in its one; b is too seldom."""
    classes = reduced([("x", "a"), ("x", "a"), ("x", "b"), ("y", "c")], [0], [1])
    found = RuleConfidence(below=0.6).measure(classes)
    told = ("rules at or above", "largest confidence of any subset", "its count")
    assert [found.details[key] for key in told] == [2, 1.0, 1]
    assert (
        RuleConfidence(below=0.6)
        .measure(reduced([("x", None)], [0], [1]))
        .details["rules at or above"]
        == 0
    )


def test_why_nothing_is_measured_or_has_no_limit():
    none = "no data: the release has {}, so there is nothing to measure"
    for model in (LDiversity(), TCloseness()):
        assert model.measure(reduced([], [0], [1])).notes == (none.format("no row in a class"),)
        assert model.measure(reduced([("x", None)], [0], [1])).notes == (
            none.format("no class with a known sensitive value"),
        )
    found = RecursiveCLDiversity().measure(reduced(ROWS, [0], [1]))
    assert (found.measured, found.notes) == (
        None,
        ("no finite level: some class misses every threshold",),
    )
    found = MultiAttributeLDiversity(at_most={"1": 0}).measure(reduced(ROWS, [0], [1]))
    assert found.notes[0] == "no finite level: no class has a finite level"


def test_minimal_sample_uniques_take_no_cell_for_a_wildcard():
    classes = reduced([("x",), (None,)], [0], [], convention=WILDCARDS)
    found = SampleUniques().measure(classes)
    assert ["wildcard" in note for note in found.notes] == [True]
    assert SampleUniques().measure(reduced([("x",)], [0], [])).notes == ()


def test_without_rows_no_confidence_is_possible():
    found = RuleConfidence().measure(reduced([], [0], [1]))
    assert found.details["largest possible confidence"] is None
    found = RuleConfidence().measure(reduced([("x",)], [0], []))
    assert found.details["largest possible confidence"] is None
    rows = [(*map(str, range(13)), "a"), (*map(str, range(13, 26)), "a")]
    found = RuleConfidence(below=0.9, min_rows=2).measure(reduced(rows, list(range(13)), [13]))
    assert any("number of quasi-identifiers" in note for note in found.notes)


@pytest.mark.parametrize(("weight", "least"), [(1.0, 2), (0.5, 2), (0.0, 1)])
def test_rows_of_weight_0_are_in_no_other_class(weight, least):
    """x has a, and b as far as the row that may be x counts; that row's own class has both."""
    convention = Convention("wildcard", weight, suppressed_tuples="include")
    classes = reduced([("x", "a"), (None, "b")], [0], [1], convention=convention)
    assert MultiAttributeLDiversity().measure(classes).measured == least
