"""CT06, claim by claim, as far as models and attacks go: its tables, Property 1, Conditions."""

import csv
from itertools import combinations

import oracle
import pandas as pd
import pytest
from builders import all_tables, reduced
from claims_of import assert_confirmed, checked_claims
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit import datasets
from anonaudit.cells import Convention
from anonaudit.errors import HierarchyError
from anonaudit.findings import Outcome
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.counting import count
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.models import ExtendedPSensitiveKAnonymity, PSensitiveKAnonymity
from anonaudit.models.extended_p_sensitive import lift
from anonaudit.papers.claims import ct06
from anonaudit.policy.policy import parse_policy
from anonaudit.roles import Roles
from anonaudit.source.table import open_source

QUASI = ["age", "zip-code", "gender"]


def protected():
    with datasets.path("CT06/protected.csv").open() as file:
        return [row["value"] for row in csv.DictReader(file) if row["attribute"] == "illness"]


def test_table_1_with_table_2_tells_what_sam_and_eric_have():
    report = anonaudit.audit(
        datasets.path("CT06/table1.csv"),
        quasi_identifiers=QUASI,
        sensitive=["illness"],
        external=datasets.path("CT06/table2.csv"),
        identity=["name"],
    )
    levels = {m.model: m.measured for m in report.models}
    linkage, homogeneity = report.attacks
    assert levels["k-anonymity"] == 2
    assert (linkage.targets, linkage.identified, linkage.disclosed) == (6, 0, 2)
    assert homogeneity.disclosed == 2


def release(*rows):
    return "age,zip,illness\n" + "".join(",".join(row) + "\n" for row in rows)


TWO_CANCERS = release(("50s", "431", "Colon Cancer"), ("50s", "431", "Breast Cancer"))


@pytest.mark.claim("CT06-implies")
def test_two_cancers_are_2_sensitive_but_not_extended_2_sensitive(tmp_path):
    """CT06-implies: the converse fails on {Colon Cancer, Breast Cancer} with Cancer protected."""
    (tmp_path / "release.csv").write_text(TWO_CANCERS)
    tree = datasets.path("CT06/hierarchies/illness.csv").as_posix()
    policy = parse_policy(
        f"""
        columns = {{ quasi-identifiers = ['age', 'zip'], sensitive = ['illness'] }}
        hierarchies.illness = {{ file = '{tree}', protected = {protected()} }}
        require.p-sensitive-k-anonymity = {{ p = 2 }}
        require.extended-p-sensitive-k-anonymity = {{ p = 2 }}
        """,
    )
    report = anonaudit.audit(tmp_path / "release.csv", policy)
    basic, extended = report.models[:2]
    assert (basic.measured, basic.outcome) == (2, Outcome.HOLDS)
    assert (extended.measured, extended.outcome) == (1, Outcome.VIOLATED)
    assert extended.details["maxP"] == 1  # one protected subtree in use: no masking can help
    assert extended.details["conditions"] == {
        "1": True,
        "2": True,  # the hierarchy has more protected subtrees than are in use
        "2, in use": False,
        "3": False,
    }


def test_a_value_the_hierarchy_lacks_is_refused_without_showing_it(tmp_path):
    (tmp_path / "release.csv").write_text(release(("50s", "431", "Plague")))
    tree = datasets.path("CT06/hierarchies/illness.csv").as_posix()
    policy = parse_policy(
        f"""
        columns = {{ quasi-identifiers = ['age', 'zip'], sensitive = ['illness'] }}
        hierarchies.illness = {{ file = '{tree}', protected = ['Cancer'] }}
        """,
    )
    with pytest.raises(HierarchyError, match="'illness' lacks 1 value") as caught:
        anonaudit.audit(tmp_path / "release.csv", policy)
    assert caught.value.values == ("Plague",)
    assert "Plague" not in str(caught.value)


# A small tree whose protected zones vary: leaves a..e; P over a, b; Q over P and c; the rest.
PATHS = [["a", "P", "Q", "*"], ["b", "P", "Q", "*"], ["c", "c", "Q", "*"], ["d", "R", "R", "*"]]
TREE = Hierarchy.from_levels("1", PATHS)
PARENT = {"a": "P", "b": "P", "P": "Q", "c": "Q", "Q": "*", "d": "R", "R": "*", "*": None}
INNER = ("P", "Q", "R", "*")


def closed(top):
    """The protected inner values with everything below them (CT06, second requirement)."""
    return {v for v in INNER if any(t in oracle.ancestors(v, PARENT) for t in top)}


@pytest.mark.claim("CT06-prop1")
@pytest.mark.parametrize("top", [c for n in range(4) for c in combinations(INNER[:3], n)])
def test_property_1_a_protected_value_is_strong_iff_its_parent_is_not_protected(top):
    zone = closed(top) | {"a", "b", "c", "d"}
    strong = set(TREE.strong_values(top).values())
    assert strong == {v for v in zone if PARENT[v] not in zone}


@pytest.mark.claim("CT06-equiv")
@pytest.mark.claim("CT06-implies")
@pytest.mark.claim("CT06-cond1")
@pytest.mark.claim("CT06-cond2")
@pytest.mark.claim("CT06-cond3")
@pytest.mark.parametrize("most", [3, pytest.param(4, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "top",
    [
        (),
        ("P",),
        ("Q",),
        ("P", "R"),
        *(pytest.param(top, marks=pytest.mark.long) for top in [("R",), ("P", "Q"), ("Q", "R")]),
    ],
)
def test_extended_sensitivity_against_the_oracle(top, most):
    """CT06-equiv, -implies, -cond1..3, on all tables of up to 3 (long: 4) rows, two classes."""
    zones = {1: (PARENT, closed(top))}
    for rows in all_tables(("x", "y"), ("a", "b", "c", "d"), most=most, least=1):
        classes = reduced(rows, [0], [1])
        model = ExtendedPSensitiveKAnonymity(hierarchies={"1": TREE}, protected={"1": top})
        expected = oracle.extended_p(rows, [0], [1], zones)
        found = model.measure(classes)
        assert found.measured == expected
        assert expected == oracle.extended_p_in_words(rows, [0], [1], zones)
        lifted = lift(classes, {"1": TREE}, {"1": top})
        assert PSensitiveKAnonymity().measure(lifted).measured == expected
        assert found.measured <= PSensitiveKAnonymity().measure(classes).measured
        for p in (2, 3):
            asked = ExtendedPSensitiveKAnonymity(
                p=p, hierarchies={"1": TREE}, protected={"1": top}
            ).measure(classes)
            conditions = asked.details["conditions"]
            assert conditions["3"] == oracle.extended_condition_3(rows, [0], [1], p, zones)
            if asked.outcome is Outcome.HOLDS:
                assert all(conditions.values())


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("abcd")), min_size=1))
def test_protecting_more_never_raises_the_level(rows):
    classes = reduced(rows, [0], [1])
    levels = [
        ExtendedPSensitiveKAnonymity(hierarchies={"1": TREE}, protected={"1": top})
        .measure(classes)
        .measured
        for top in ((), ("P",), ("Q",), ("Q", "R"))
    ]
    assert levels == sorted(levels, reverse=True)


@pytest.mark.parametrize("claim", checked_claims("CT06"))
def test_the_check_of_the_ledger(claim, monkeypatch):
    """Every claim with a check, gone through without a limit of time."""
    assert_confirmed(claim, monkeypatch)


def test_the_keys_of_the_two_steps_are_three():
    """As the claim states; one of the leaves is ragged, and one beside the others."""
    assert sorted(ct06.FLAT.leaves) == ["x", "y", "z"]
    assert sorted(ct06.TREE.leaves) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("rows", "unknown", "one_value"),
    [
        (["a lung", "a any"], 1, 1),  # `any` may be another cancer
        (["a lung", "a any", "a flu"], 2, 2),
        (["a lung", "a "], 1, 2),  # the convention: missing and suppressed cells are one value
        (["a lung", "a any", "a "], 1, 2),
        (["a any", "a *", "a "], None, 1),
        (["a lung", "a ", "b lung", "b flu"], 1, 2),
        (["a lung", "a ", "b lung", "b flu", "b any"], 1, 2),  # class a is as before
        (["a lung", "a ", "* any"], 1, 2),  # a suppressed tuple is in no class
    ],
)
def test_a_value_above_all_protected_subtrees_is_no_value(rows, unknown, one_value):
    paths = [["lung", "cancer", "any"], ["breast", "cancer", "any"], ["flu", "flu", "any"]]
    table = pd.DataFrame([row.split(" ") for row in rows], columns=["q", "illness"])
    counted = count(open_source(table), ("q", "illness"))
    tree = {"illness": Hierarchy("illness", paths)}
    model = ExtendedPSensitiveKAnonymity(2, 2, tree, {"illness": ("cancer",)})
    for rule, expected in (("unknown", unknown), ("one-value", one_value)):
        roles, convention = Roles(("q",), ("illness",)), Convention(sensitive=rule)
        found = model.measure(equivalence_classes(counted, roles, convention))
        assert found.measured == expected, rule
        assert (found.outcome == "holds") == (expected == 2)
