"""What a policy costs before anything is masked."""

from dataclasses import replace
from itertools import combinations_with_replacement

import pandas as pd
import pytest

import anonaudit
from anonaudit import datasets
from anonaudit.feasibility import feasibility
from anonaudit.frequency import FrequencySet
from anonaudit.model_inputs import model_of
from anonaudit.models.p_sensitive import max_groups
from anonaudit.policy import parse_policy
from anonaudit.preparation import prepare
from anonaudit.source import open_source

ADULT = """
[columns]
quasi-identifiers = ["age", "marital-status", "race", "sex"]
sensitive = ["occupation", "income", "capital-gain"]
"""


def answers(table, policy, **kwargs):
    found = feasibility(prepare(open_source(table), parse_policy(policy, **kwargs)))
    return {answer.model: answer for answer in found}


def test_what_adult_allows():
    """Adult has two incomes, and 24,720 people have the lower one (counted with SQL)."""
    found = answers(
        datasets.path("adult/adult.csv.gz"),
        ADULT
        + """
        [require]
        k-anonymity = { k = 5 }
        p-sensitive-k-anonymity = { p = 2, k = 5 }
        l-diversity = { l = 3 }
        alpha-k-anonymity = { alpha = 0.8 }
        """,
    )
    assert found["k-anonymity"].feasible
    assert found["k-anonymity"].reachable == 32_561
    p = found["p-sensitive-k-anonymity"]
    assert (p.feasible, p.reachable, p.bottleneck) == (True, 2, "income")
    assert p.price["maxP"] == 2
    assert p.price["maxGroups by attribute"]["income"] == {"2": 32_561 - 24_720}
    assert p.price["most classes"] == min(p.price["maxGroups"]["2"], 32_561 // 5)
    assert (found["l-diversity"].feasible, found["l-diversity"].bottleneck) == (False, "income")
    assert not found["alpha-k-anonymity"].feasible  # no capital gain: 91.7%
    assert found["alpha-k-anonymity"].bottleneck == "capital-gain"


def test_boundaries_cost_suppression():
    """MCT08 figures 2 and 3: all may meet within the boundaries, for k = 2; not for k = 3."""
    location = datasets.path("MCT08/hierarchies/location.csv").as_posix()
    policy = f"""
        columns.quasi-identifiers = ["age", "location", "sex", "race"]
        [hierarchies]
        location = {{ file = "{location}", max-generalization = ["California", "Kansas", "Midwest"] }}
        [require]
        constrained-k-anonymity = {{ k = %d }}
    """
    table = datasets.path("MCT08/figure3.csv")
    # California has r1, r2; Kansas (Wichita, Kansas City) r3, r4, r7; Lincoln's Midwest r5, r6.
    two = answers(table, policy % 2)["constrained-k-anonymity"]
    assert (two.feasible, two.reachable, two.price["rows to suppress (OUT)"]) == (True, 2, 0)
    three = answers(table, policy % 3)["constrained-k-anonymity"]
    assert (three.feasible, three.reachable) == (False, 2)
    assert three.price["rows to suppress (OUT)"] == 4


@pytest.mark.parametrize(("p", "feasible"), [(2, True), (3, False)])
def test_what_is_feasible_is_reached_by_one_class(tmp_path, p, feasible):
    (tmp_path / "t.csv").write_text("age,dx\n1,a\n2,a\n3,b\n")
    policy = (
        "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\n"
        f"require.p-sensitive-k-anonymity = {{ p = {p} }}"
    )
    found = answers(tmp_path / "t.csv", policy)["p-sensitive-k-anonymity"]
    assert found.feasible == feasible
    (tmp_path / "m.csv").write_text("age,dx\n*,a\n*,a\n*,b\n")
    masked = anonaudit.audit(
        tmp_path / "m.csv", parse_policy(policy + "\nconventions.suppressed-tuples = 'include'")
    )
    assert (masked.models[0].outcome.value == "holds") == feasible
    assert max_groups({}, p) is None


# What requirement by requirement is tried on every grouping of the rows.
REQUIREMENTS = """
    k-anonymity = { k = 2 }
    p-sensitive-k-anonymity = { p = 2 }
    l-diversity = { l = 2 }
    multi-attribute-l-diversity = { l = 2 }
    entropy-l-diversity = { l = 1.9 }
    recursive-c-l-diversity = { c = 1.5, l = 2 }
    alpha-k-anonymity = { alpha = 0.5 }
    rule-confidence = { below = 0.6 }
    prosecutor-risk = { highest = 0.4 }
    marketer-risk = { average = 0.4 }
    t-closeness = { t = 0.1 }
"""


def groupings(n):
    """Every way to put n rows into classes, each class named by a number."""
    found = [()]
    for _ in range(n):
        found = [(*g, c) for g in found for c in range(max(g, default=-1) + 2)]
    return found


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("unit", [(), ("unit = 'person'",)])
def test_what_no_grouping_reaches_and_what_one_class_does(unit, step):
    """The definition of feasible, tried out; and no release has more classes than the price."""
    columns = ", ".join(["quasi-identifiers = ['q']", "sensitive = ['s']", *unit])
    rules = parse_policy(f"columns = {{ {columns} }}\n[require]{REQUIREMENTS}")
    kinds = [(p, s) for p in "123" for s in "uv"] if unit else [("1", s) for s in "uvw"]
    undecided = 0
    tables = [r for n in (1, 2, 3, 4) for r in combinations_with_replacement(kinds, n)]
    for rows in tables[::step]:
        table = pd.DataFrame([("0", *row) for row in rows], columns=["q", "person", "s"])
        original = prepare(open_source(table), rules)
        masked = []
        for grouping in groupings(len(rows)):
            cells = [(str(g), *row) for g, row in zip(grouping, rows, strict=True)]
            base = FrequencySet.of(["q", "person", "s"], cells)
            masked.append(replace(original, base=base, classes=original.classes.recounted(base)))
        for requirement, answer in zip(rules.requirements, feasibility(original), strict=True):
            undecided += answer.feasible is None
            for release in masked:
                found = model_of(release, requirement).measure(release.classes)
                if found.outcome == "holds":
                    assert answer.feasible is not False, (requirement, rows)
                    assert len(release.classes) <= answer.price.get("most classes", len(rows))
            if answer.feasible:
                one = masked[0]
                assert model_of(one, requirement).measure(one.classes).outcome == "holds"
    assert (undecided > 0) == bool(unit)


def test_persons_in_several_classes_may_reach_more_than_one_class(tmp_path):
    """By hand: u, u, u, v as one class; {u, v} three times where v's person is in all three."""
    (tmp_path / "t.csv").write_text("q,id,s\n1,1,u\n2,2,u\n3,3,u\n1,9,v\n2,9,v\n3,9,v\n")
    policy = (
        "columns = { quasi-identifiers = ['q'], sensitive = ['s'], unit = 'id' }\n"
        "require.entropy-l-diversity = { l = 2 }\nrequire.k-anonymity = { k = 2 }\n"
    )
    found = answers(tmp_path / "t.csv", policy)
    assert found["entropy-l-diversity"].feasible is None
    assert found["k-anonymity"].price["most classes"] == 3  # six rows, two a class
    assert anonaudit.audit(tmp_path / "t.csv", parse_policy(policy)).outcome == "holds"


def test_boundaries_on_intervals(tmp_path):
    """A hierarchy that is built has its ground values in the original."""
    (tmp_path / "t.csv").write_text("age\n21\n24\n31\n38\n47\n")
    policy = (
        "columns.quasi-identifiers = ['age']\n[hierarchies]\n"
        "age = { intervals = [10, 20], origin = 0, max-generalization = ['[20,30)', '[20,40)'] }\n"
        "[require]\nconstrained-k-anonymity = { k = 2 }\n"
    )
    found = answers(tmp_path / "t.csv", policy)["constrained-k-anonymity"]
    # 21, 24 may become [20-30); 31, 38 become [20-40); 47 has no boundary.
    assert found.price["classes of the maximum allowed microdata"] == 3
    assert (found.reachable, found.price["rows to suppress (OUT)"]) == (1, 1)
