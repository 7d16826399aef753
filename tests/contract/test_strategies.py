"""The strategies: what they reach, the smallest witness, and that what they promise is so."""

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from anonaudit.cells import Convention
from anonaudit.findings import Outcome
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.models import (
    ExtendedPSensitiveKAnonymity,
    KAnonymity,
    LDiversity,
    MultiAttributeLDiversity,
    PSensitiveKAnonymity,
    TCloseness,
)
from anonaudit.models.level import ParameterError
from anonaudit.policy.policy import Policy
from anonaudit.roles import Roles
from anonaudit.strategies import (
    boundaries,
    hierarchies,
    near_misses,
    policies,
    protected_values,
    protected_zones,
    releases,
    roles,
    tables,
)

ONE = Roles(("q1",), ("s1",))
ILLNESS = Hierarchy.from_levels(
    "s1", [["a", "Cancer"], ["b", "Cancer"], ["c", "Virus"], ["d", "Virus"], ["e"]]
)
EXTENDED = ExtendedPSensitiveKAnonymity(
    p=2, k=3, hierarchies={"s1": ILLNESS}, protected={"s1": ("Cancer", "Virus")}
)
MODELS = [
    KAnonymity(3),
    PSensitiveKAnonymity(2, 3),
    EXTENDED,
    LDiversity(3),
    MultiAttributeLDiversity(3),
]
quick = settings(max_examples=25)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_releases_satisfy_their_model_by_construction(model):
    @quick
    @given(releases(model))
    def check(table):
        assert model.measure(table.classes()).outcome is Outcome.HOLDS

    check()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_near_misses_have_exactly_one_class_that_falls_short(model):
    @quick
    @given(near_misses(model))
    def check(table):
        assert model.measure(table.classes()).classes_violating == 1

    check()


def level(model, table, convention=None):
    return model.measure(table.classes(convention)).measured


def test_k_anonymous_but_homogeneous():
    """The smallest witness: two equal rows."""
    found = find(
        releases(KAnonymity(2), ONE), lambda table: level(PSensitiveKAnonymity(), table) == 1
    )
    assert found.rows == (("0", "a"), ("0", "a"))


def test_p_sensitive_but_similar():
    """Two cancers: the smallest class of two values below one protected value."""
    model = ExtendedPSensitiveKAnonymity(hierarchies={"s1": ILLNESS}, protected={"s1": ("Cancer",)})
    found = find(
        tables(ONE, {"s1": ILLNESS}),
        lambda table: level(PSensitiveKAnonymity(), table) >= 2 and level(model, table) == 1,
    )
    assert sorted(found.rows) == [("a", "a"), ("a", "b")]


def test_a_class_that_survives_only_through_a_suppressed_cell():
    """As a wildcard `*` or a missing cell makes two of two rows; as a value of its own it does not."""
    wild = Convention(quasi_identifiers="wildcard")

    def survives(table):
        alone, joined = (level(KAnonymity(), table, c) for c in (Convention(), wild))
        return alone == 1 and joined is not None and joined >= 2

    two = Roles(("q1", "q2"), ("s1",))
    found = find(tables(two, unknown_quasi=True), survives)
    assert len(found.rows) == 2
    assert sum(cell in (None, "*") for row in found.rows for cell in row[:2]) == 1


def test_diverse_but_not_close():
    """2-diverse in every class, and yet a class tells much more than the whole."""
    close = TCloseness()
    found = find(releases(LDiversity(2), ONE), lambda table: level(close, table) >= 0.2)
    assert len(found.rows) <= 6


def test_l_below_the_values_of_each_attribute():
    """GCG08 Figure 1: three values of each attribute, and two deletions delete the class."""
    free = Roles((), ("s1", "s2"))

    def hidden(table):
        values = [len({row[j] for row in table.rows}) for j in (0, 1)]
        return min(values) >= 3 and level(MultiAttributeLDiversity(), table) == 2

    assert len(find(tables(free), hidden).rows) == 4


def test_hierarchies_reach_raggedness_and_shrink_to_a_flat_tree():
    flat = find(hierarchies("q1", "abc"), lambda _: True)
    assert flat.paths == {v: (v, "*") for v in "abc"}

    def ragged(tree):
        heights = {len(dict.fromkeys(path)) for path in tree.paths.values()}
        return len(heights) > 1

    found = find(hierarchies("q1", "abc"), ragged)
    assert found.height == 2


@given(hierarchies("q1", "abcde", levels=3))
def test_hierarchies_have_all_values_as_leaves_below_one_root(tree):
    assert set(tree.leaves) == set("abcde")
    assert tree.lowest_common_ancestor(tree.leaves) in tree.ancestors("a")
    assert tree.root == "*"


def test_boundaries_reach_nested_ones():
    tree = Hierarchy.from_levels("q1", [["a", "P", "Q"], ["b", "P", "Q"], ["c", "c", "Q"]])
    found = find(boundaries(tree), lambda values: sorted(values) == ["P", "Q"])
    assert tree.maximum_allowed(found) == {"a": "P", "b": "P", "c": "Q"}


@given(hierarchies("s1", "abcde").flatmap(lambda t: st.tuples(st.just(t), protected_zones(t))))
def test_protected_zones_are_closed_downwards(drawn):
    tree, zone = drawn
    assert set(tree.leaves) <= zone
    assert all(child in zone for value in zone for child in tree.children(value))


@given(hierarchies("s1", "abcde").flatmap(lambda t: st.tuples(st.just(t), protected_values(t))))
def test_protected_values_are_inner_ones(drawn):
    tree, values = drawn
    assert set(values).isdisjoint(tree.leaves)
    tree.strong_values(values)


@given(roles(("w", "x", "y", "z")))
def test_roles_give_each_column_one_part(drawn):
    assert drawn.quasi_identifiers
    assert sorted(column for _, column in drawn.named()) == ["w", "x", "y", "z"]
    assert not drawn.problems(("w", "x", "y", "z"))


@quick
@given(policies())
def test_policies_can_be_read(policy):
    assert isinstance(policy, Policy)
    assert policy.roles.quasi_identifiers == ("q1", "q2")


def test_policies_reach_several_requirements():
    assert find(policies(), lambda policy: len(policy.requirements) == 3)


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        (lambda: releases(TCloseness(0.2)), "no construction"),
        (lambda: near_misses(KAnonymity(1)), "require 2 or more"),
        (lambda: releases(PSensitiveKAnonymity(2), Roles(("q1",))), "name no column"),
        (lambda: releases(PSensitiveKAnonymity(9), ONE), "not 9"),
    ],
)
def test_what_cannot_be_built_is_said(strategy, message):
    with pytest.raises(ParameterError, match=message):
        find(strategy(), lambda _: True)


def test_a_table_is_shown_as_text():
    table = find(tables(ONE, unknown_sensitive=True), lambda t: t.rows[0][1] is None)
    assert repr(table) == "\nq1  s1\na   ?"
    assert table.frame()["s1"].tolist() == [None]
