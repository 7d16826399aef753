"""Elimination against GCG08's figures and an adversary who tries every choice of values."""

import csv
import math
from types import SimpleNamespace

import adversaries
import numpy as np
import oracle
import pandas as pd
import pytest
from builders import all_tables, least_eliminations, reduced
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit import datasets
from anonaudit.attack import Setting
from anonaudit.cells import Convention
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.policy.policy import parse_policy
from anonaudit.report.json import to_dict
from attacks.elimination import Elimination
from attacks.homogeneity import Homogeneity
from attacks.members import members_of
from attacks.smallest_cover import MOST_LOOKS, _apart, _greedy, _Search, smallest_cover

CELLS = st.sampled_from(["a", "b", "c", "d", None])


def run(rows, qi, sensitive, unit=None, allowed=None, convention=None, **options):
    classes = reduced(rows, qi, sensitive, unit=unit, convention=convention)
    return Elimination().run(Setting(classes=classes, options=options, allowed=allowed))


def figure_2():
    with datasets.path("GCG08/figure2.csv").open() as file:
        return [(r["age"], r["disease-type"], r["treatment"]) for r in csv.DictReader(file)]


def expected(rows, qi, sensitive, values, limits=None, unit=None):
    """How many rows, or persons, the adversary exposes, in all and by column."""
    least = [
        adversaries.least_eliminations(rows, qi, sensitive, i, limits, unit)
        for i in range(len(rows))
    ]

    def count(hits):
        return len({rows[i][unit] for i in hits}) if unit is not None else len(hits)

    every = range(len(rows))
    whole = count([i for i in every if min(least[i].values()) <= values])
    return whole, {str(c): count([i for i in every if least[i][c] <= values]) for c in sensitive}


def test_without_heart_disease_the_treatment_is_certain():
    """GCG08 Figure 2: nobody is exposed at once, and everybody by one elimination.

    Patients 3 and 4 have no heart disease, so intravenous therapy is certain. Patients 1 and 2
    have no intravenous therapy, so heart disease is certain.
    """
    assert run(figure_2(), [0], [1, 2], values=0).disclosed == 0
    found = run(figure_2(), [0], [1, 2])
    assert (found.targets, found.disclosed) == (4, 4)
    assert found.per_attribute == {"1": 2, "2": 2}
    assert found.details["exposed by number eliminated"] == {"1": 4}
    assert found.details["classes by least number"] == {"1": 1}
    # One elimination cannot be had from the disease where none of it may be eliminated.
    assert run(figure_2(), [0], [1, 2], at_most={"1": 0}).per_attribute == {"1": 2, "2": 0}


def test_a_witness_can_be_replayed_by_hand():
    found = run(figure_2(), [0], [1, 2])
    witness = found.details["witness"]
    gone = {int(c): {v} for c, v in zip(witness["eliminated of"], witness["values"], strict=True)}
    rows = [[None, *row[1:]] for row in figure_2()]
    survive = adversaries.values_that_survive(rows, gone, int(witness["attribute"]))
    assert survive == {witness["survives"]["values"]}


@pytest.mark.long
def test_on_all_small_tables_of_two_attributes():
    for rows in all_tables(("x",), ("a", "b", None), ("a", "b", "c"), most=3, least=1):
        for values in (0, 1, 2):
            found = run(rows, [0], [1, 2], values=values)
            whole, per = expected(rows, [0], [1, 2], values)
            assert (found.disclosed, dict(found.per_attribute)) == (whole, per), (rows, values)


@given(
    st.lists(st.tuples(st.sampled_from("xy"), CELLS, CELLS, CELLS), min_size=1, max_size=7),
    st.integers(0, 3),
    st.dictionaries(st.sampled_from([1, 2, 3]), st.integers(0, 2)),
)
def test_three_attributes_with_limits(rows, values, limits):
    at_most = {str(column): most for column, most in limits.items()}
    found = run(rows, [0], [1, 2, 3], values=values, at_most=at_most)
    whole, per = expected(rows, [0], [1, 2, 3], values, limits)
    assert (found.disclosed, dict(found.per_attribute)) == (whole, per)


@given(
    st.lists(
        st.tuples(st.sampled_from("xy"), CELLS, CELLS, st.sampled_from("pqr")),
        min_size=1,
        max_size=6,
    ),
    st.integers(0, 2),
)
def test_persons_with_several_rows(rows, values):
    """A value eliminates the persons who have it; a person of several classes is exposed by one."""
    found = run(rows, [0], [1, 2], unit=3, values=values)
    whole, per = expected(rows, [0], [1, 2], values, unit=3)
    assert (found.disclosed, dict(found.per_attribute)) == (whole, per)


@given(
    st.lists(st.tuples(st.sampled_from("xyz"), CELLS, CELLS), min_size=1, max_size=8),
    st.integers(0, 3),
)
def test_bounds(rows, values):
    """No values: homogeneity. L-diversity (GCG08 Def. 6, Theorem 1): none up to L - 2 values."""
    homogeneity = Homogeneity().run(Setting(classes=reduced(rows, [0], [1, 2])))
    found = run(rows, [0], [1, 2], values=0)
    assert found.disclosed == homogeneity.disclosed
    assert dict(found.per_attribute) == dict(homogeneity.per_attribute)
    level = oracle.multi_attribute_l(rows, [0], [1, 2])
    if level is not None and values <= level - 2:
        assert run(rows, [0], [1, 2], values=values).disclosed == 0


def test_a_large_class_by_matching_and_a_larger_one_by_program():
    """A grid of n by n values: to leave one value of a column, the n - 1 others must go."""
    n = 6
    grid = [("x", f"a{i}", f"b{j}") for i in range(n) for j in range(n)]
    found = run(grid, [0], [1, 2])
    assert found.details["exposed by number eliminated"] == {str(n - 1): n * n}
    cube = [(*row, f"c{k}") for row in grid for k in range(2)]
    assert run(cube, [0], [1, 2, 3]).details["exposed by number eliminated"] == {"1": 2 * n * n}
    fewer = run(cube, [0], [1, 2, 3], at_most={"3": 0})
    assert fewer.details["exposed by number eliminated"] == {str(n - 1): 2 * n * n}


def test_wildcards_bring_rows_of_other_classes_in():
    """Row 2 may be in both classes of the others: each has two values, so one elimination each."""
    rows = [("x", "a"), ("*", "b"), ("y", "c")]
    convention = Convention(quasi_identifiers="wildcard")
    plain = run(rows, [0], [1], values=0)
    assert (plain.targets, plain.disclosed) == (2, 2)
    wild = run(
        rows,
        [0],
        [1],
        convention=Convention(quasi_identifiers="wildcard", suppressed_tuples="include"),
        values=0,
    )
    assert (wild.targets, wild.disclosed) == (3, 0)
    one = run(
        rows,
        [0],
        [1],
        convention=Convention(quasi_identifiers="wildcard", suppressed_tuples="include"),
    )
    assert one.disclosed == 2  # the target of the middle row has two values against it
    assert run(rows, [0], [1], convention=convention, values=0).disclosed == 2


def test_when_the_budget_runs_out_it_says_so_and_is_never_safe():
    """Two eliminations are needed and enough for everybody, but no bound decides it."""
    rows = [("x", a, b) for a, b in ("db", "bc", "dd", "ac", "ca")]
    assert run(rows, [0], [1, 2], values=2).disclosed == expected(rows, [0], [1, 2], 2)[0] == 5
    cut = run(rows, [0], [1, 2], values=2, allowed=0.0, budget=0)
    assert (cut.outcome, cut.disclosed) == (Outcome.INCONCLUSIVE, 0)
    assert "budget" in cut.reason
    assert cut.details["targets with bounds only"] == 5
    sure = run(rows, [0], [1, 2], values=1, allowed=0.0, budget=0)
    assert sure.outcome is Outcome.HOLDS  # one value is decided without it


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"values": -1}, "elimination: values must be a whole number of at least 0, not -1"),
        ({"values": True}, "values"),
        ({"budget": "much"}, "budget"),
        ({"at_most": 3}, "at-most must be a table"),
        ({"at_most": {"9": 1}}, "'9', which is not sensitive"),
        ({"at_most": {"1": -1}}, "at-most for '1'"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(AnonauditError, match=message):
        run([("x", "a")], [0], [1], **options)


def test_without_rows_there_is_nobody():
    members = members_of(reduced([], [0], [1]))
    assert (members.n_units, len(members.unit), len(members.attribute)) == (0, 0, 0)
    assert [len(bound) for bound in least_eliminations(members, [None])] == [0, 0]


def test_nothing_to_attack():
    assert run([("x",)], [0], []).outcome is Outcome.SKIPPED
    empty = run([], [0], [1])
    assert (empty.outcome, empty.rate) == (Outcome.INCONCLUSIVE, None)
    assert math.isclose(run([("x", "a")], [0], [1]).rate, 1)


def test_values_are_shown_only_where_asked_for():
    frame = pd.DataFrame(figure_2(), columns=["age", "disease", "treatment"])
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age'], sensitive = ['disease', 'treatment'] }\n"
        "attacks.elimination = { values = 1, allow-rate = 0.1, at-most = { disease = 1 } }"
    )
    report = anonaudit.audit(frame, policy)
    assert report.outcome is Outcome.VIOLATED
    assert "Heart disease" not in str(to_dict(report))
    assert "Intravenous" not in str(to_dict(report))
    shown = str(to_dict(report, show_values=True))
    assert "Heart disease" in shown or "Intravenous therapy" in shown


FOUR = [("y", "heart", "pill"), ("y", "heart", "knife"), ("y", "flu", "iv"), ("y", "gut", "iv")]


@pytest.mark.parametrize(
    ("values", "disclosed", "per_attribute"),
    [(0, 2, {"1": 2, "2": 0}), (1, 6, {"1": 4, "2": 4}), (2, 6, {"1": 6, "2": 6})],
)
def test_everything_that_is_told_by_hand(values, disclosed, per_attribute):
    """x shows a at once, and u without v, v without u. In y, iv is certain without heart, and
    heart without iv; pill without knife and iv, knife without pill and iv; flu without heart and
    gut, gut without heart and flu. z shows nothing.
    """
    rows = [("x", "a", "u"), ("x", "a", "v"), *FOUR, ("z", None, None)]
    found = run(rows, [0], [1, 2], values=values)
    assert (found.targets, found.identified, found.disclosed) == (7, 0, disclosed)
    assert (found.rate, found.outcome, found.reason) == (disclosed / 7, Outcome.MEASURED, None)
    assert found.per_attribute == per_attribute
    assert found.details["eliminated at most"] == values
    assert found.details["exposed by number eliminated"] == {"0": 2, "1": 6}
    assert found.details["classes by least number"] == {"0": 1, "1": 1, "none": 1}
    assert found.details["witness"] == {
        "attribute": "1", "eliminated of": [], "values": [], "survives": {"values": "a"},
    }  # fmt: skip
    assert (found.witness.class_number, found.witness.rows, found.witness.attribute) == (0, 2, "1")
    assert "targets with bounds only" not in found.details


def test_the_witness_is_of_the_largest_class_that_the_fewest_eliminations_expose():
    """w and y both take one; y has four rows. Its first row in order of text is flu and iv."""
    found = run([("w", "a", "u"), ("w", "b", "v"), *FOUR], [0], [1, 2])
    assert (found.witness.class_number, found.witness.rows, found.witness.attribute) == (1, 4, "2")
    assert found.details["witness"] == {
        "attribute": "2", "eliminated of": ["1"], "values": ["heart"], "survives": {"values": "iv"},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("at_most", "disclosed"), [({"1": 0}, 2), ({"2": 0}, 2), ({"1": 0, "2": 0}, 0)]
)
def test_limits_by_hand(at_most, disclosed):
    """Heart may not go: iv is safe, heart is not, as only iv must go; and the other way round."""
    found = run(FOUR, [0], [1, 2], at_most=at_most)
    assert (found.disclosed, found.rate) == (disclosed, disclosed / 4)


def test_somebody_alone_is_the_witness_of_no_elimination():
    found = run([("w", "a", "u"), ("w", "b", "v"), ("z", "c", "w")], [0], [1, 2])
    assert (found.witness.class_number, found.witness.rows, found.witness.attribute) == (1, 1, "1")
    assert found.details["witness"]["survives"] == {"values": "c"}
    assert found.details["exposed by number eliminated"] == {"0": 1, "1": 3}


@pytest.mark.parametrize(
    ("sets", "apart", "least"),
    [
        ([{0}, {1}], 2, 2),
        ([{0}, {1}, {0}], 2, 2),
        ([{0, 1}, {1, 2}], 1, 1),
        ([{0, 1}, {1, 2}, {0, 2}], 1, 2),
        ([{0}, {0}, {0}], 1, 1),
        ([{0, 1}, {2, 3}, {0, 3}, {1, 2}], 2, 2),
        ([{0, 2}, {1, 2}, {3, 2}], 1, 1),
    ],
)
def test_bounds_and_covers_by_hand(sets, apart, least):
    """Sets without a common value need one each; the smallest cover is counted by hand."""
    frozen = [frozenset(one) for one in sets]
    assert (_apart(frozen), len(_greedy(frozen)) >= least) == (apart, True)
    members = SimpleNamespace(attribute=np.zeros(4, int), persons=False)
    found = smallest_cover(frozen, members, [None]).chosen.tolist()
    assert len(found) == least
    assert all(one & set(found) for one in frozen)


@pytest.mark.parametrize(("weight", "disclosed"), [(1.0, 0), (0.0, 1)])
def test_rows_of_weight_0_stand_in_nobodys_way(weight, disclosed):
    """x shows a at once where the row that may be x does not count for it."""
    convention = Convention("wildcard", weight, suppressed_tuples="include")
    found = run([("x", "a"), (None, "b")], [0], [1], convention=convention, values=0)
    assert found.disclosed == disclosed


def test_the_witness_is_the_value_that_the_fewest_eliminations_leave():
    """Both persons have b; that p has a is never certain, as q has nothing else to rule out."""
    found = run([("x", "a", "p"), ("x", "b", "p"), ("x", "b", "q")], [0], [1], unit=2, values=0)
    assert (found.targets, found.disclosed) == (2, 2)
    assert found.details["witness"]["survives"] == {"values": "b"}


def test_a_value_that_is_carried_together_does_not_stand_for_those_apart():
    """a and 1 have two of four rows each, and one in common: without 1, c still stands beside a.

    Row by row, every value takes two: a without b or 1 and c or 3; b without a and c or 3; ...
    """
    rows = [("y", "a", "1"), ("y", "a", "2"), ("y", "b", "1"), ("y", "c", "3")]
    found = run(rows, [0], [1, 2])
    assert (found.disclosed, found.details["exposed by number eliminated"]) == (0, {"2": 4})
    assert run(rows, [0], [1, 2], values=2).disclosed == 4


def test_the_witness_is_a_row_of_the_class_itself():
    """b, twice in x, is certain without a; that a row without a key may be in x is no witness."""
    convention = Convention("wildcard", suppressed_tuples="include")
    rows = [("x", "b", "2"), ("x", "b", "2"), (None, "a", "1")]
    found = run(rows, [0], [1, 2], convention=convention)
    assert found.witness.rows == 2
    assert found.details["witness"] == {
        "attribute": "1", "eliminated of": ["1"], "values": ["a"], "survives": {"values": "b"},
    }  # fmt: skip


def test_who_is_left_undecided_without_a_budget():
    """All four take two (a: 1 and d; b and c show 1 without a and d; d: a and 1), bounds say 2 to 3.

    The first has one known value, and is undecided like the others.
    """
    rows = [("y", "a", None), ("y", "b", "1"), ("y", "c", "1"), ("y", "d", "2")]
    assert run(rows, [0], [1, 2], values=2).disclosed == 4
    found = run(rows, [0], [1, 2], values=2, budget=0)
    assert (found.outcome, found.disclosed) == (Outcome.INCONCLUSIVE, 0)
    assert found.reason.startswith("4 target(s) were left undecided")
    assert found.details["targets with bounds only"] == 4


@pytest.mark.parametrize(("most", "disclosed"), [(2, 3), (1, 0)])
def test_a_limit_that_is_just_reached_needs_no_budget(most, disclosed):
    """Each of three values is certain without the two others, and not without one of them."""
    rows = [("x", "a"), ("x", "b"), ("x", "c")]
    found = run(rows, [0], [1], values=2, at_most={"1": most}, budget=0, allowed=1.0)
    assert found.disclosed == disclosed


def test_bounds_stay_open_in_a_large_class_without_a_budget():
    """a1 stands beside b1 to b6, and b7 beside a2 to a7.

    That a1 is certain takes b7, that b7 is takes a1. That b1 is certain of a target that has a1
    takes b2 to b7, six. So it does for each of b1 to b6 and a2 to a7; two are too few at a glance.
    """
    rows = [("x", "a1", f"b{i}") for i in range(1, 7)]
    rows += [("x", f"a{i}", "b7") for i in range(2, 8)]
    members = members_of(reduced(rows, [0], [1, 2]))
    for budget, bound in ((0, 2), (10_000_000, 6)):
        low, high = least_eliminations(members, [None, None], budget)
        assert sorted(low) == [1] * 12 + [bound] * 12
        assert sorted(high) == [1] * 12 + [6] * 12


def test_branching_begins_with_the_smallest_set():
    """It has one value, which meets both sets: after one look at two sets all is done."""
    search = _Search(np.zeros(4, int), [None])
    assert search.within([frozenset({0, 1, 2, 3}), frozenset({3})], 1) == [3]
    assert search.left == MOST_LOOKS - 2
