"""A model that holds bounds its attack, in every audit; a contradiction is an error of ours."""

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit.about import AboutAttack, Bound
from anonaudit.attack import attack_named
from anonaudit.auditing.bounds import InconsistencyError
from anonaudit.models import MODELS, KAnonymity
from anonaudit.policy.policy import parse_policy

CELLS = st.sampled_from(["a", "b", "*", ""])


@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), min_size=1, max_size=12),
    unit=st.booleans(),
    values=st.integers(0, 2),
    people=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4),
    rule=st.sampled_from(["own-category", "wildcard", "drop-rows"]),
)
@pytest.mark.long
def test_no_audit_contradicts_itself(tmp_path_factory, rows, unit, values, people, rule) -> None:
    folder = tmp_path_factory.mktemp("bounds")
    names = [f"p{i}" for i in range(len(people))]
    outside = pd.DataFrame(people, columns=["q1", "q2"]).assign(name=names)
    outside.to_csv(folder / "people.csv", index=False)
    table = pd.DataFrame(rows, columns=["q1", "q2", "s1", "s2"])
    table["id"] = [str(i % 3) for i in range(len(rows))]
    (folder / "tree.csv").write_text("a;A;top\nb;B;top\n")
    text = (
        "[columns]\nquasi-identifiers = ['q1', 'q2']\nsensitive = ['s1', 's2']\n"
        + ("unit = 'id'\n" if unit else "")
        + f"[conventions]\nquasi-identifiers = '{rule}'\n"
        "[hierarchies]\ns1 = { file = 'tree.csv', protected = ['A'] }\n"
        "[attacks]\nhomogeneity = {}\nsimilarity = {}\nassociation = { confidence = 0.7 }\n"
        f"elimination = {{ values = {values} }}\n"
        "linkage = { external = 'people.csv', identity = ['name'] }\n"
    )
    report = anonaudit.audit(table, parse_policy(text, folder=folder))
    assert {attack.attack for attack in report.attacks} >= {"homogeneity", "linkage"}


@pytest.mark.parametrize(
    ("name", "section"),
    [
        ("homogeneity", "homogeneity = {}"),
        ("elimination", "elimination = { values = 0 }"),
        ("elimination", "elimination = {}"),  # one value is ruled out, and L = 3
        ("elimination", "elimination = { at-most = { s = 1 } }"),
        ("association", "association = { confidence = 0.9 }"),
        ("association", "association = { confidence = 1 }"),
        ("association", "association = {}"),
    ],
)
def test_an_attack_that_finds_what_cannot_be_is_an_error(
    monkeypatch: pytest.MonkeyPatch, name: str, section: str
) -> None:
    kind = attack_named(name)
    honest = kind.run
    monkeypatch.setattr(
        kind, "run", lambda self, setting: replace(honest(self, setting), disclosed=1)
    )
    table = pd.DataFrame({"q": list("aaabbb"), "s": list("uvwuvw"), "t": list("xyzxyz")})
    columns = "columns = { quasi-identifiers = ['q'], sensitive = ['s', 't'] }\n"
    policy = f"{columns}[attacks]\n{section}"
    with pytest.raises(InconsistencyError, match=f"{name} discloses 1 of 6 although"):
        anonaudit.audit(table, parse_policy(policy))


def test_linkage_below_k_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = attack_named("linkage")
    honest = kind.run

    def lie(self, setting):
        found = honest(self, setting)
        return replace(found, details=replace(found.details, fewest=1))

    monkeypatch.setattr(kind, "run", lie)
    table = pd.DataFrame({"q": list("aabb"), "s": list("uvuv")})
    people = pd.DataFrame({"q": ["a"], "name": ["Ann"]})
    with pytest.raises(InconsistencyError, match="1 candidates although k-anonymity has k = 2"):
        anonaudit.audit(
            table, quasi_identifiers=["q"], sensitive=["s"], external=people, identity=["name"]
        )


def test_linkage_with_k_candidates_is_none() -> None:
    """Ann fits the two rows of her class, which is what k = 2 leaves."""
    table = pd.DataFrame({"q": list("aabb"), "s": list("uvuv")})
    people = pd.DataFrame({"q": ["a"], "name": ["Ann"]})
    report = anonaudit.audit(
        table, quasi_identifiers=["q"], sensitive=["s"], external=people, identity=["name"]
    )
    [found] = [attack for attack in report.attacks if attack.attack == "linkage"]
    assert found.details["fewest candidates"] == 2


CONDITIONS = {  # a release that does not meet the condition of this name
    "rows": (
        pd.DataFrame({"q": list("aabb"), "s": list("uvuv"), "id": list("wxyz")}),
        "unit = 'id'",
    ),
    "known": (pd.DataFrame({"q": list("aabb"), "s": ["u", "v", "u", None]}), ""),
    "apart": (pd.DataFrame({"q": ["a", "a", "b", None], "s": list("uvuv")}), ""),
    "everywhere": (pd.DataFrame({"q": ["a", "a", "*"], "s": list("uvu")}), ""),
}


@pytest.mark.parametrize("condition", [None, *CONDITIONS])
@pytest.mark.parametrize("unmet", CONDITIONS)
def test_a_theorem_is_checked_where_its_conditions_hold(monkeypatch, condition, unmet):
    """A bound that every audit breaks, under one condition or none."""
    kind = attack_named("homogeneity")
    flags = {} if condition is None else {condition: True}
    always = Bound(model=KAnonymity, broken=lambda *_: "broken", **flags)
    monkeypatch.setattr(kind, "about", AboutAttack(bounds=(always,)))
    table, unit = CONDITIONS[unmet]
    rule = "wildcard" if unmet == "apart" else "own-category"
    policy = parse_policy(
        f"[columns]\nquasi-identifiers = ['q']\nsensitive = ['s']\n{unit}\n"
        f"[conventions]\nquasi-identifiers = '{rule}'\n[attacks]\nhomogeneity = {{}}"
    )
    if condition == unmet:
        anonaudit.audit(table, policy)
    else:
        with pytest.raises(InconsistencyError, match="broken"):
            anonaudit.audit(table, policy)


@pytest.mark.parametrize(
    ("model", "variant"),
    [
        ("l-diversity", "reading = 'joint'"),
        ("entropy-l-diversity", "reading = 'joint'"),
        ("alpha-k-anonymity", "values = ['u']"),
        ("multi-attribute-l-diversity", "at-most = { s = 1 }"),
    ],
)
def test_a_theorem_does_not_speak_of_a_variant_of_its_model(monkeypatch, model, variant):
    """A bound that every audit breaks; another reading, or other parameters, ask another question."""
    kind = attack_named("homogeneity")
    always = Bound(model=MODELS[model], broken=lambda *_: "broken")
    monkeypatch.setattr(kind, "about", AboutAttack(bounds=(always,)))
    table = pd.DataFrame({"q": list("aabb"), "s": list("uvuv"), "t": list("xyxy")})
    level = "alpha = 0.9" if model == "alpha-k-anonymity" else "l = 1"
    text = (
        "[columns]\nquasi-identifiers = ['q']\nsensitive = ['s', 't']\n[attacks]\nhomogeneity = {}"
    )
    anonaudit.audit(table, parse_policy(f"{text}\n[require]\n{model} = {{ {level}, {variant} }}"))
    with pytest.raises(InconsistencyError, match="broken"):
        anonaudit.audit(table, parse_policy(f"{text}\n[require]\n{model} = {{ {level} }}"))
