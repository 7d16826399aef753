"""(k, e)-anonymity, delta and beta, and distances, on small tables by hand."""

import math

import pytest
from builders import reduced

import anonaudit
from anonaudit.cells import Convention
from anonaudit.errors import HierarchyError
from anonaudit.findings import Outcome
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.models import BetaLikeness, DeltaDisclosure, KEAnonymity, TCloseness
from anonaudit.models.level import ParameterError
from anonaudit.policy import parse_policy

SCALE = {c: {str(n): float(n) for n in range(1, 8)} for c in "12"}


@pytest.mark.parametrize("turned", [False, True])
def test_k_e_of_two_attributes_of_which_classes_know_some(turned):
    """First: x has 1 and 2, y has 3. Second: x has 5 and 7. z knows nothing.

    So the ranges are 1 and 0, and 2; k is 1, in y alone, whichever attribute comes first.
    """
    rows = [("x", "1", "5"), ("x", "2", "7"), ("y", "3", None), ("z", None, None)]
    rows = [(a, c, b) if turned else (a, b, c) for a, b, c in rows]
    found = KEAnonymity(k=2, scale=SCALE).measure(reduced(rows, [0], [1, 2]))
    assert (found.measured, found.details, found.outcome) == (0, {"k": 1}, Outcome.VIOLATED)
    assert found.violating.tolist() == [False, True, False]
    levels = [(a.measured, a.classes_without_known_value) for a in found.per_attribute.values()]
    assert levels == ([(2, 2), (0, 1)] if turned else [(0, 1), (2, 2)])
    assert KEAnonymity(k=1, scale=SCALE).measure(reduced(rows, [0], [1, 2])).classes_violating == 0
    wide = KEAnonymity(e=1, scale=SCALE).measure(reduced(rows[:2], [0], [1, 2]))
    assert (wide.measured, wide.outcome) == (1, Outcome.HOLDS)


def test_a_gap_that_counts_as_a_value_is_no_number():
    """With the gap there are two values, but one number: the range is 0, and of y there is none."""
    convention = Convention(sensitive="one-value")
    classes = reduced([("x", "1"), ("x", None), ("y", None)], [0], [1], convention=convention)
    found = KEAnonymity(scale=SCALE).measure(classes)
    assert (found.measured, found.details) == (0, {"k": 1})
    assert found.per_attribute["1"].classes_without_known_value == 1


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("x", "1")], 0),
        ([("x", "1"), ("y", "1")], 0),
        ([("x", "1"), ("y", "2")], 1 / 2),
        ([("x", "1"), ("y", "2"), ("y", None), ("z", None)], 1 / 2),
        ([("x", "1"), ("x", "1"), ("x", "1"), ("y", "7")], 3 / 4),
    ],
)
@pytest.mark.parametrize("distance", ["equal", "ordered", "numeric"])
def test_of_two_values_every_distance_is_the_difference_of_shares(distance, rows, expected):
    scale = {"1": {value: float(value) for _, value in rows if value}}
    found = TCloseness(distance=distance, scale=scale).measure(reduced(rows, [0], [1]))
    assert found.measured == pytest.approx(expected)
    apart = found.per_attribute["1"].classes_without_known_value
    assert apart == (1 if ("z", None) in rows else 0)


@pytest.mark.parametrize(
    ("distance", "expected"),
    [("equal", 3 / 4), ("ordered", (1 / 2 + 3 / 4) / 2), ("numeric", 1 / 2 / 3 + 3 / 4 * 2 / 3)],
)
def test_a_class_at_the_end_of_three_values(distance, expected):
    """The whole has 1/2, 1/4, 1/4 of 1, 3, 7; y has 7 alone, so it is 1/2 and 3/4 behind."""
    scale = {"1": {"1": 1.0, "3": 3.0, "7": 7.0}}
    rows = [("x", "1"), ("x", "1"), ("x", "3"), ("y", "7")]
    found = TCloseness(distance=distance, scale=scale).measure(reduced(rows, [0], [1]))
    assert found.measured == pytest.approx(expected)


@pytest.mark.parametrize(
    ("model", "rows", "level"),
    [
        (DeltaDisclosure(), [("x", "a"), ("y", "a")], 0),
        (DeltaDisclosure(), [("x", "a"), ("y", "a"), ("y", "b")], None),  # x lacks the one b
        (DeltaDisclosure(absent="ignored"), [("x", "a"), ("y", "b")], math.log(2)),
        (BetaLikeness(form="enhanced"), [("x", "a"), ("y", "a")], 0),
        (BetaLikeness(form="enhanced"), [("x", "a"), ("y", "b")], None),  # 1 > ln 2
        (BetaLikeness(), [("x", "a"), ("y", "b")], 1),
        (BetaLikeness(form="enhanced"), [("x", "a"), ("x", "b"), ("y", "a"), ("y", "b")], 0),
        # x: a twice, b; y: a, b. a gains (2/3 - 3/5) / (3/5), b in y (1/2 - 2/5) / (2/5).
        (BetaLikeness(form="enhanced"), [("x", "a"), ("x", "a"), ("x", "b"), ("y", "a"),
                                         ("y", "b")], 1 / 4),
    ],
)  # fmt: skip
def test_likeness_of_few_rows(model, rows, level):
    found = model.measure(reduced([*rows, ("z", None)], [0], [1]))
    assert found.measured == (None if level is None else pytest.approx(level))
    assert found.per_attribute["1"].classes_without_known_value == 1


def test_delta_must_stay_below_and_beta_may_be_reached():
    """Each class has its value twice as often as the whole: ln 2, and a gain of 1."""
    classes = reduced([("x", "a"), ("y", "b")], [0], [1])
    for delta, outcome in ((math.log(2), Outcome.VIOLATED), (0.7, Outcome.HOLDS)):
        found = DeltaDisclosure(delta=delta, absent="ignored").measure(classes)
        assert found.outcome is outcome
    assert BetaLikeness(beta=1).measure(classes).outcome is Outcome.HOLDS
    assert BetaLikeness(beta=0.99).measure(classes).outcome is Outcome.VIOLATED


TREE = {"1": Hierarchy("1", [["a", "g", "any"], ["b", "g", "any"]])}


def test_a_gap_that_counts_as_a_value_meets_nothing_in_a_hierarchy():
    """x: a and a gap; y: b twice. Of the whole a and the gap have 1/4, b has 1/2.

    By values x differs by (1/4 + 1/4 + 1/2) / 2, by groups, g and the gap, by (1/4 + 1/4) / 2.
    So does y: (1/4 + 1/4 + 1/2) / 2 and (1/4 + 1/4) / 2. The mean of both is 3/8.
    """
    rows = [("x", "a"), ("x", None), ("y", "b"), ("y", "b")]
    classes = reduced(rows, [0], [1], convention=Convention(sensitive="one-value"))
    found = TCloseness(distance="hierarchical", hierarchies=TREE).measure(classes)
    assert found.measured == pytest.approx(3 / 8)


def test_a_hierarchy_needs_a_place_for_the_values_of_the_classes():
    """Not for one that only a suppressed row has."""
    model = TCloseness(distance="hierarchical", hierarchies=TREE)
    rows = [("x", "a"), ("y", "b"), ("*", "u")]
    assert model.measure(reduced(rows, [0], [1])).measured == pytest.approx(1 / 4)
    with pytest.raises(HierarchyError, match=r"lacks 2 value\(s\) of the release; a hierarchical"):
        model.measure(reduced([*rows, ("x", "u"), ("x", "v")], [0], [1]))


@pytest.mark.parametrize("distance", ["ordered", "numeric"])
@pytest.mark.parametrize("model", ["t-closeness", "constrained-t-closeness"])
def test_an_unknown_cell_that_is_a_value_has_no_place_in_an_order(tmp_path, model, distance):
    """The message names the column, the convention and the two ways out. Both work."""
    (tmp_path / "release.csv").write_text("q,pay\nx,1\nx,\ny,2\ny,3\n")

    def audited(sensitive, distance):
        policy = f"""
            columns = {{ quasi-identifiers = ["q"], sensitive = ["pay"] }}
            conventions.sensitive = "{sensitive}"
            require.{model} = {{ t = 1, distance = "{distance}" }}
            """
        return anonaudit.audit(tmp_path / "release.csv", parse_policy(policy)).models[0].outcome

    with pytest.raises(ParameterError) as caught:
        audited("one-value", distance)
    said = str(caught.value)
    assert said.startswith("column 'pay': its missing and suppressed cells count as a value")
    assert said.endswith('set conventions.sensitive = "unknown", or distance = "equal"')
    assert audited("unknown", distance) == audited("one-value", "equal") == "holds"


@pytest.mark.parametrize(
    "required", ['t-closeness = { t = 1, distance = "ordered" }', "k-e-anonymity = { e = 1 }"]
)
def test_a_value_that_the_declared_order_lacks_is_to_be_added(tmp_path, required):
    (tmp_path / "release.csv").write_text("q,size\nx,S\nx,M\ny,L\n")
    policy = f"""
        columns = {{ quasi-identifiers = ["q"], sensitive = ["size"] }}
        values.ordered.size = ["S", "M"]
        require.{required}
        """
    with pytest.raises(ParameterError, match=r"1 value\(s\) of 'size'.* add them to values\.order"):
        anonaudit.audit(tmp_path / "release.csv", parse_policy(policy))
