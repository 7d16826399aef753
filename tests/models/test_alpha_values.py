"""(alpha, k)-anonymity for named values, alone and within generalization boundaries.

Wong et al. name one sensitive value; every expected share is counted by hand or by plain counting.
"""

from fractions import Fraction

import pandas as pd
import pytest
from builders import all_tables, reduced

import anonaudit
from anonaudit import datasets
from anonaudit.errors import PolicyError
from anonaudit.findings import Outcome
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.models import AlphaKAnonymity, ConstrainedAlphaKAnonymity
from anonaudit.models.level import ParameterError
from anonaudit.policy.policy import parse_policy

TREE = Hierarchy.from_levels(
    "1", [["colon", "cancer", "*"], ["breast", "cancer", "*"], ["flu", "flu", "*"], ["gout", "gout", "*"]]
)  # fmt: skip
TREES = {"1": TREE}
# x: colon, breast, flu, flu. y: gout, gout, flu.
ROWS = [("x", "colon"), ("x", "breast"), ("x", "flu"), ("x", "flu"),
        ("y", "gout"), ("y", "gout"), ("y", "flu")]  # fmt: skip


def level(rows, *values, trees=None, alpha=None, **columns):
    model = AlphaKAnonymity(alpha=alpha, values=values, hierarchies=trees or {})
    return model.measure(reduced(rows, [0], [1], **columns))


@pytest.mark.parametrize(
    ("values", "share"),
    [
        (("flu",), 2 / 4),  # 2 of 4 in x, 1 of 3 in y
        (("gout",), 2 / 3),  # none in x
        (("colon",), 1 / 4),
        (("cancer",), 2 / 4),  # colon and breast, an inner value
        (("cancer", "gout"), 2 / 3),  # the larger of two named ones; each by itself
        (("gout", "cancer"), 2 / 3),  # in whatever order
        (("colon", "breast"), 1 / 4),  # not added up: they are two values
        ((), 2 / 3),  # every value
    ],
)
def test_shares_of_named_values(values, share):
    found = level(ROWS, *values, trees=TREES)
    assert found.measured == pytest.approx(share)


def test_every_small_table_by_plain_counting():
    """All tables of up to 4 rows over 2 classes and the four leaves, for each value and both kinds."""
    below = {
        "cancer": {"colon", "breast"},
        "flu": {"flu"},
        "*": {"colon", "breast", "flu", "gout"},
    }
    for rows in all_tables(("x", "y"), ("colon", "breast", "flu"), most=4, least=1):
        for value, leaves in below.items():
            shares = [
                Fraction(sum(cell in leaves for cell in cells), len(cells))
                for key in {row[0] for row in rows}
                if (cells := [cell for k, cell in rows if k == key])
            ]
            found = level(rows, value, trees=TREES)
            assert found.measured == pytest.approx(float(max(shares)))


def test_unknown_cells_are_in_the_class_and_no_named_value():
    """Of flu, an empty cell and a suppressed one flu is 1/3; a class without a known one is apart."""
    rows = [("x", "flu"), ("x", None), ("x", "*"), ("y", None)]
    assert level(rows, "flu").measured == pytest.approx(1 / 3)


def test_a_person_with_two_values_below_an_inner_one_counts_once():
    """x: one person with colon and breast, one with flu: 1 of 2 has cancer, not 2 of 2."""
    rows = [("x", "colon", "ann"), ("x", "breast", "ann"), ("x", "flu", "bob")]
    assert level(rows, "cancer", trees=TREES, unit=2).measured == 0.5


@pytest.mark.parametrize(
    ("cell", "alpha", "outcome"),
    [
        ("cancer", 0.5, "inconclusive"),  # may be colon: 1/4 for sure, 3/4 at most
        ("cancer", 0.75, "holds"),
        ("cancer", 0.2, "violated"),  # 1/4 for sure
        ("tumour", 0.5, "inconclusive"),  # not in the hierarchy
        ("flu", 0.5, "holds"),  # another value
        ("breast", 0.5, "holds"),
    ],
)
def test_a_released_value_that_may_be_a_named_one_leaves_it_open(cell, alpha, outcome):
    rows = [("x", "colon"), ("x", cell), ("x", cell), ("x", "gout")]
    found = level(rows, "colon", trees=TREES, alpha=alpha)
    assert found.outcome.value == outcome
    assert any("complete the hierarchy" in note for note in found.notes) == (
        outcome == "inconclusive"
    )
    assert not any(cell in note for note in found.notes)


@pytest.mark.parametrize("values", [("HVI",), ("flu", "HVI"), ("Flu",), ("cancer",)])
def test_a_named_value_that_nothing_has_is_no_pass(values):
    """A slip of the pen would hold otherwise. `cancer` is known only to a hierarchy."""
    found = level(ROWS, *values, alpha=0.9)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert any("1 of the" in note for note in found.notes)
    assert level(ROWS, "flu", alpha=0.9).outcome is Outcome.HOLDS
    assert level(ROWS, "cancer", trees=TREES, alpha=0.9).outcome is Outcome.HOLDS
    assert level(ROWS, "HVI", "gout", alpha=0.5).outcome is Outcome.VIOLATED  # gout is 2/3


def test_a_value_of_two_attributes_counts_in_both():
    rows = [("x", "flu", "pill"), ("x", "gout", "flu"), ("x", "gout", "flu")]
    found = AlphaKAnonymity(values=("flu",)).measure(reduced(rows, [0], [1, 2]))
    assert found.measured == pytest.approx(2 / 3)
    assert {n: one.measured for n, one in found.per_attribute.items()} == {
        "1": pytest.approx(1 / 3),
        "2": pytest.approx(2 / 3),
    }


@pytest.mark.parametrize("values", ["HIV", [""], [1]])
def test_values_are_a_list_of_texts(values):
    with pytest.raises(ParameterError, match="values must be a list"):
        AlphaKAnonymity(values=values)


PATIENTS = pd.DataFrame(
    [("x", "HIV"), ("x", "flu"), ("x", "flu"), ("y", "HIV"), ("y", "HIV"), ("y", "gout")],
    columns=["zip", "illness"],
)


def asked(require, **more):
    policy = parse_policy(
        f"columns.quasi-identifiers = ['zip']\ncolumns.sensitive = ['illness']\n{require}"
    )
    return anonaudit.audit(PATIENTS, policy, **more)


def test_in_a_policy():
    """x has 1/3 HIV and 2/3 flu, y 2/3 HIV."""
    report = asked('require.alpha-k-anonymity = { alpha = 0.7, k = 3, values = ["HIV"] }')
    assert report.models[0].measured == pytest.approx(2 / 3)
    assert report.models[0].parameters["values"] == "1 named"
    assert report.models[0].outcome is Outcome.HOLDS
    report = asked('require.alpha-k-anonymity = { alpha = 0.5, values = ["gout", "flu"] }')
    assert (report.models[0].outcome, report.models[0].rows_violating) == (Outcome.VIOLATED, 3)
    report = asked('require.alpha-k-anonymity = { alpha = 0.4, values = ["gout"] }')
    assert report.models[0].outcome is Outcome.HOLDS
    with pytest.raises(PolicyError, match="list of sensitive values"):
        asked('require.alpha-k-anonymity = { alpha = 0.4, values = "gout" }')


def test_a_level_of_named_values_bounds_no_attack_on_others():
    """gout is 1/3 of y, yet y is HIV with 2/3: no contradiction between model and attack."""
    report = asked(
        'require.alpha-k-anonymity = { alpha = 0.4, values = ["gout"] }\n'
        "attacks.association = { confidence = 0.6, allow-rate = 1.0 }"
    )
    assert report.attacks[0].disclosed == 6
    assert report.outcome is Outcome.HOLDS


def test_constrained_alpha_k_on_figure_4_of_mct08():
    """Diagnoses by class. MM2: r1, r2 AIDS, asthma; r3, r4, r7 asthma twice, diabetes; r5, r6 one each.

    So asthma has 2/3, diabetes 1/2. MM1 breaks its boundaries three times.
    """
    path = datasets.path
    patients = pd.read_csv(path("MCT08/figure3.csv"), dtype=str)
    for figure, violations in (("figure4b", 0), ("figure4a", 3)):
        release = pd.read_csv(path(f"MCT08/{figure}.csv"), dtype=str)
        release = release.merge(patients[["record", "diagnosis"]], on="record")
        policy = parse_policy(f"""
            columns.quasi-identifiers = ["age", "location", "sex", "race"]
            columns.sensitive = ["diagnosis"]
            [hierarchies.location]
            file = '{path("MCT08/hierarchies/location.csv").as_posix()}'
            max-generalization = ["California", "Kansas", "Midwest"]
            [require]
            constrained-alpha-k-anonymity = [
                {{ alpha = 0.7, k = 2 }},
                {{ alpha = 0.5, k = 2 }},
                {{ alpha = 0.5, k = 2, values = ["Diabetes"] }},
                {{ alpha = 0.7, k = 3 }},
            ]
        """)
        found = anonaudit.audit(release, policy, original=patients, key="record").models[:4]
        assert [sum(m.details["constraint violations"].values()) for m in found] == [violations] * 4
        if not violations:
            assert [m.measured for m in found] == [
                pytest.approx(x) for x in (2 / 3, 2 / 3, 0.5, 2 / 3)
            ]
            outcomes = [m.outcome.value for m in found]
            assert outcomes == ["holds", "violated", "holds", "violated"]  # k is 2
        else:
            assert {m.outcome for m in found} == {Outcome.VIOLATED}


def test_the_model_within_boundaries_is_the_model():
    inner = ConstrainedAlphaKAnonymity(alpha=0.5, k=2, values=("flu",), hierarchies=TREES).inner
    assert inner == AlphaKAnonymity(0.5, 2, ("flu",), TREES)


def test_a_named_value_that_the_hierarchy_lacks_may_be_below_its_root() -> None:
    """Class a is HIV, flu and two rows of the root Any, which may be HIV: 3 of 4 then."""
    tree = Hierarchy.from_levels("1", [("flu", "Any"), ("gout", "Any")])
    rows = [("a", "HIV"), ("a", "flu"), ("a", "Any"), ("a", "Any"), ("b", "HIV"), ("b", "flu")]
    model = AlphaKAnonymity(alpha=0.5, values=("HIV",), hierarchies={"1": tree})
    assert model.measure(reduced(rows, [0], [1])).outcome is Outcome.INCONCLUSIVE
    leaves = [(q, "gout" if value == "Any" else value) for q, value in rows]
    assert model.measure(reduced(leaves, [0], [1])).outcome is Outcome.HOLDS


@pytest.mark.parametrize(("alpha", "outcome"), [(0.4, "inconclusive"), (0.5, "holds")])
def test_an_unknown_cell_may_be_a_named_value(alpha, outcome):
    """HIV is one of four rows, or two if the unknown cell is HIV too."""
    rows = [("a", "HIV"), ("a", "flu"), ("a", "gout"), ("a", None)]
    found = AlphaKAnonymity(alpha=alpha, values=("HIV",)).measure(reduced(rows, [0], [1]))
    assert (found.measured, found.outcome) == (0.25, outcome)
    assert found.classes_undecided == (outcome == "inconclusive")
