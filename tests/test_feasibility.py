"""What a policy costs before anything is masked."""

import pytest

import anonaudit
from anonaudit import datasets
from anonaudit.feasibility import feasibility
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
