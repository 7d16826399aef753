"""What a policy costs before anything is masked."""

import json
import sys
from dataclasses import replace
from itertools import combinations_with_replacement, product

import oracle
import pandas as pd
import pytest
from builders import reduced

import anonaudit
from anonaudit import cli, datasets
from anonaudit.auditing.feasibility import feasibility
from anonaudit.auditing.model_inputs import model_of
from anonaudit.auditing.preparation import prepare
from anonaudit.errors import InputError, PolicyError
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.models import MODELS
from anonaudit.models.p_sensitive import max_groups
from anonaudit.policy.policy import parse_policy, read_policy
from anonaudit.source.table import TableFile, open_source

ADULT = """
[columns]
quasi-identifiers = ["age", "marital-status", "race", "sex"]
sensitive = ["occupation", "income", "capital-gain"]
"""


def answers(table, policy, **kwargs):
    return {answer.model: answer for answer in in_order(table, parse_policy(policy, **kwargs))}


def in_order(table, policy):
    return list(feasibility(table, policy))


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
    assert found["alpha-k-anonymity"].feasible is False  # no capital gain: 91.7%
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
    l-diversity = { l = 2 }
    multi-attribute-l-diversity = { l = 2 }
    entropy-l-diversity = { l = 1.9 }
    recursive-c-l-diversity = { c = 1.5, l = 2 }
    alpha-k-anonymity = { alpha = 0.5 }
    prosecutor-risk = { highest = 0.4 }
    marketer-risk = { average = 0.4 }
    t-closeness = { t = 0.1 }
    k-e-anonymity = { k = 2, e = 1 }
    sample-uniques = { share = 0.0 }
    delta-disclosure = { delta = 0.5 }
    beta-likeness = { beta = 0.5 }
    ck-safety = { c = 0.8, k = 1 }
    k-map = { k = 2 }
    journalist-risk = { highest = 0.4 }
    individual-risk = { highest = 0.4 }
    all-m-anonymity = { k = 2 }
    delta-presence = { most = 0.4 }
    population-uniqueness = { share = 0.4 }
    household-risk = { highest = 0.4 }
    household-k-anonymity = { k = 2 }

    [[require.rule-confidence]]
    below = 0.6

    [[require.rule-confidence]]
    below = 0.6
    min-rows = 2

    [[require.p-sensitive-k-anonymity]]
    k = 2

    [[require.p-sensitive-k-anonymity]]
    p = 2
"""


def groupings(n):
    """Every way to put n rows into classes, each class named by a number."""
    found = [()]
    for _ in range(n):
        found = [(*g, c) for g in found for c in range(max(g, default=-1) + 2)]
    return found


@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("unit", [(), ("unit = 'person'",)])
def test_what_no_grouping_reaches_and_what_one_class_does(unit, step):
    """The definition of feasible, tried out; and no release has more classes than the price."""
    columns = ", ".join(["quasi-identifiers = ['q']", "sensitive = ['s']", *unit])
    rules = parse_policy(f"columns = {{ {columns} }}\n[require]{REQUIREMENTS}")
    kinds = [(p, s) for p in "123" for s in "12"] if unit else [("1", s) for s in "124"]
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
        for requirement, answer in zip(rules.requirements, feasibility(table, rules), strict=True):
            undecided += answer.feasible is None and requirement.name == "entropy-l-diversity"
            for release in masked:
                found = model_of(release, requirement).measure(release.classes)
                if found.outcome == "holds":
                    assert answer.feasible is not False, (requirement, rows)
                    assert len(release.classes) <= answer.price.get("most classes", len(rows))
            if answer.feasible:
                one = masked[0]
                assert model_of(one, requirement).measure(one.classes).outcome == "holds"
    assert (undecided > 0) == bool(unit)


# Cells of one sensitive attribute, or of two, and the most rows.
UNKNOWN = [
    ([("a",), ("b",), ("c",), (None,)], 6),
    ([("a", "u"), ("a", None), ("b", "v"), (None, "u"), (None, None)], 5),
]


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize(("kinds", "most"), UNKNOWN)
def test_no_grouping_that_an_audit_accepts_has_more_classes_than_max_groups(kinds, most, step):
    """Every grouping of every small table: a class that knows nothing of an attribute is no fault."""
    sensitive = [*range(1, len(kinds[0]) + 1)]
    tables = [r for n in range(1, most + 1) for r in combinations_with_replacement(kinds, n)]
    reached = apart = 0
    for rows in tables[::step]:
        found = reduced([("x", *row) for row in rows], [0], sensitive).sensitive
        every = [[(str(g), *row) for g, row in zip(grouping, rows, strict=True)]
                 for grouping in groupings(len(rows))]  # fmt: skip
        for p, k in ((2, 2), (2, 3), (3, 3)):
            largest = max(
                (
                    len(oracle.classes(grouped, [0]))
                    for grouped in every
                    if oracle.is_p_sensitive_k_anonymous(grouped, [0], sensitive, p, k)
                ),
                default=0,
            )
            most_classes = min(len(rows) // k, max_groups(found, p, k) or 0)
            if largest:
                assert largest <= most_classes, (rows, p, k)
                reached += largest == most_classes
            apart += largest > min(oracle.max_groups(rows_of(rows, c), [0], p) for c in (0, -1))
            if len(sensitive) == 1 and all(row[0] for row in rows):  # TV06-tight
                assert largest == most_classes
    assert reached > 10
    assert apart > 0  # so it does not do to count the rows that know the attribute alone


def rows_of(rows, column):
    """The known cells of one column, as rows of one cell."""
    return [(row[column],) for row in rows if row[column] is not None]


def test_classes_that_know_nothing_are_counted_among_the_most(tmp_path):
    """u, v in x, two unknown rows in y: two classes of two rows, and the audit holds."""
    (tmp_path / "f.csv").write_text("q,s\nx,u\nx,v\ny,\ny,\n")
    policy = parse_policy(
        "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"
        "require.p-sensitive-k-anonymity = { p = 2, k = 2 }\n"
    )
    [answer] = in_order(tmp_path / "f.csv", policy)
    assert answer.price == {
        "most classes": 2,
        "maxP": 2,
        "maxGroups": {"2": 2},
        "maxGroups by attribute": {"s": {"2": 2}},
    }
    report = anonaudit.audit(tmp_path / "f.csv", policy)
    assert report.outcome == "holds"
    assert report.models[0].details["maxGroups"] == {"2": 2}


BOUNDED = """
columns = {{ quasi-identifiers = ["q"], sensitive = ["s"] }}
hierarchies.q = {{ file = "tree.csv", max-generalization = ["A", "B"] }}
require.constrained-p-sensitive-k-anonymity = {{ p = 2, k = {k} }}
"""


@pytest.mark.parametrize("k", [2, 3])
def test_what_must_go_is_the_least_or_called_enough(tmp_path, k):
    """Every choice of rows to keep: those of A, and of B, must do as one class, or be none."""
    (tmp_path / "tree.csv").write_text("0;A;*\n1;A;*\n2;B;*\n")
    policy = parse_policy(BOUNDED.format(k=k), folder=tmp_path)
    kinds = [(q, s) for q in "02" for s in ("a", "b", None)]
    tables = [r for n in range(1, 5) for r in combinations_with_replacement(kinds, n)]
    more = 0
    for rows in [*tables[::5], (("0", "a"), *[("0", None)] * 3)]:
        least = len(rows)
        for kept in product((True, False), repeat=len(rows)):
            left = [row for row, stays in zip(rows, kept, strict=True) if stays]
            groups = [[row[1] for row in left if row[0] == q] for q in "02"]
            if all(len(g) >= k and len({*g} - {None}) != 1 for g in groups if g):
                least = min(least, len(rows) - len(left))
        [answer] = in_order(pd.DataFrame(rows, columns=["q", "s"]), policy)
        if "rows to suppress (OUT)" in answer.price:
            assert answer.price["rows to suppress (OUT)"] == least, rows
        else:
            assert answer.price["rows to suppress, at most"] >= least > 0
            more += answer.price["rows to suppress, at most"] > least
            assert any(s is None for _, s in rows)
    assert more > 0


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


def test_every_model_is_tried_on_every_grouping():
    """But those with a test of their own, and those that need an original."""
    apart = {"valid-generalization", "interval-disclosure", "no-direct-identifiers"}
    apart |= {"extended-p-sensitive-k-anonymity"}
    apart |= {name for name in MODELS if name.startswith("constrained-")}
    assert {name for name in MODELS if name not in REQUIREMENTS} == apart


WILD = [("1", "2", "a"), ("1", "3", "a"), ("2", "1", "a"), ("3", "1", "a")]


def test_overlapping_classes_may_reach_more_than_one_class(tmp_path):
    """By hand: two thirds of the values are a; where (1,*) and (*,1) are b, each class has half."""
    policy = (
        "columns = { quasi-identifiers = ['x', 'y'], sensitive = ['s'] }\n"
        "conventions.quasi-identifiers = 'wildcard'\n"
        "require.alpha-k-anonymity = { alpha = 0.5, k = 2 }\n"
        "require.p-sensitive-k-anonymity = { p = 2 }\n"
    )
    for name, last in (("o", ["1,5,b", "5,1,b"]), ("m", ["1,*,b", "*,1,b"])):
        lines = ["x,y,s", *(",".join(row) for row in WILD), *last]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    found = answers(tmp_path / "o.csv", policy)
    assert found["alpha-k-anonymity"].feasible is None
    assert found["p-sensitive-k-anonymity"].price == {}
    masked = anonaudit.audit(tmp_path / "m.csv", parse_policy(policy))
    assert masked.outcome == "holds"
    assert masked.release.classes == 6
    assert not any("Condition 2" in note for model in masked.models for note in model.notes)


def test_persons_within_boundaries_may_reach_more_than_the_maximum_allowed(tmp_path):
    """By hand: half of all have v; of A two of three, and one of two in each of A0 and A1, as
    person 3 is in both. Of B three of seven: 1/14 from a half.
    """
    (tmp_path / "tree.csv").write_text("A0;A;*\nA1;A;*\nB0;B;*\nB1;B;*\n")
    lines = ["A0,v,1", "A0,u,3", "A1,v,2", "A1,u,3", *(f"B0,v,{i}" for i in (4, 5, 6))]
    lines += [f"B0,u,{i}" for i in (7, 8, 9, 10)]
    (tmp_path / "o.csv").write_text("\n".join(["q,s,id", *lines, ""]))
    policy = parse_policy(
        "columns = { quasi-identifiers = ['q'], sensitive = ['s'], unit = 'id' }\n"
        "hierarchies.q = { file = 'tree.csv', max-generalization = ['A', 'B'] }\n"
        "require.constrained-t-closeness = { t = 0.1 }\n",
        folder=tmp_path,
    )
    [answer] = in_order(tmp_path / "o.csv", policy)
    assert (answer.feasible, answer.reachable) == (None, pytest.approx(1 / 6))
    assert anonaudit.audit(tmp_path / "o.csv", policy).models[0].outcome == "holds"


def test_columns_without_a_boundary_keep_nobody_apart(tmp_path):
    """San Diego twice, one age unknown: (California, *) twice is 2-anonymous."""
    (tmp_path / "tree.csv").write_text("San Diego;California;US\nWichita;Kansas;US\n")
    (tmp_path / "o.csv").write_text("place,age\nSan Diego,30\nSan Diego,\n")
    policy = parse_policy(
        "columns.quasi-identifiers = ['place', 'age']\n"
        "hierarchies.place = { file = 'tree.csv', max-generalization = ['California'] }\n"
        "require.constrained-k-anonymity = { k = 2 }\n",
        folder=tmp_path,
    )
    [answer] = in_order(tmp_path / "o.csv", policy)
    assert (answer.feasible, answer.reachable) == (True, 2)
    assert answer.price["rows to suppress (OUT)"] == 0


def test_extended_sensitivity_has_the_price_of_its_protected_subtrees(tmp_path):
    """CT06: two of three illnesses are cancers, one subtree; so two values at most, and by rows:
    four of the five rows are cancers, so maxGroups(2) = 5 - 4."""
    (tmp_path / "tree.csv").write_text("colon;cancer;ill\nbreast;cancer;ill\nflu;flu;ill\n")
    (tmp_path / "o.csv").write_text("q,s\n1,colon\n2,colon\n3,breast\n4,breast\n5,flu\n")
    policy = parse_policy(
        "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"
        "hierarchies.s = { file = 'tree.csv', protected = ['cancer'] }\n"
        "require.extended-p-sensitive-k-anonymity = [{ p = 2 }, { p = 3 }]\n",
        folder=tmp_path,
    )
    two, three = in_order(tmp_path / "o.csv", policy)
    assert (two.feasible, two.reachable, two.bottleneck) == (True, 2, "s")
    assert (two.price["maxP"], two.price["maxGroups"], two.price["most classes"]) == (
        2,
        {"2": 1},
        1,
    )
    assert two.price["conditions"] == {"1": True, "2": True, "2, in use": True, "3": True}
    assert three.feasible is False
    assert three.price["conditions"]["2"] is False


def test_constrained_models_within_their_boundaries(tmp_path):
    """California has x, y; Kansas x, x: so p and l reach 1, and Kansas' two rows would have to go."""
    (tmp_path / "tree.csv").write_text("SD;California;US\nLA;California;US\nW;Kansas;US\n")
    (tmp_path / "o.csv").write_text("q,s\nSD,x\nLA,y\nW,x\nW,x\n")
    policy = parse_policy(
        "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"
        "hierarchies.q = { file = 'tree.csv', max-generalization = ['California', 'Kansas'] }\n"
        "[require]\nconstrained-p-sensitive-k-anonymity = { p = 2, k = 2 }\n"
        "constrained-l-diversity = { l = 2 }\nconstrained-t-closeness = { t = 0.25 }\n",
        folder=tmp_path,
    )
    p, l, t = in_order(tmp_path / "o.csv", policy)
    for answer in (p, l):
        assert (answer.feasible, answer.reachable) == (False, 1)
        assert answer.price["rows to suppress (OUT)"] == 2
    # x is 3/4 of all, 1/2 of California and all of Kansas: both 1/4 away.
    assert (t.feasible, t.reachable) == (True, 0.25)
    # Without those two rows the rest is masked, and all three hold in the released rows.
    (tmp_path / "m.csv").write_text("q,s\nCalifornia,x\nCalifornia,y\n")
    held = anonaudit.audit(tmp_path / "m.csv", policy)
    assert [model.outcome for model in held.models[:3]] == ["holds"] * 3
    (tmp_path / "m.csv").write_text("q,s\nUS,x\nUS,y\n")
    broken = anonaudit.audit(tmp_path / "m.csv", policy)
    assert [model.outcome for model in broken.models[:3]] == ["violated"] * 3
    assert [model.rows_violating for model in broken.models[:3]] == [2] * 3


def test_constrained_alpha_needs_some_rows_to_go_not_all_of_their_classes(tmp_path):
    """California has x, y; Kansas x, x, y, so x is 2/3: one row of Kansas would do at alpha = 1/2."""
    (tmp_path / "tree.csv").write_text("SD;California;US\nLA;California;US\nW;Kansas;US\n")
    (tmp_path / "o.csv").write_text("q,s\nSD,x\nLA,y\nW,x\nW,x\nW,y\n")
    policy = parse_policy(
        "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"
        "hierarchies.q = { file = 'tree.csv', max-generalization = ['California', 'Kansas'] }\n"
        "require.constrained-alpha-k-anonymity = { alpha = 0.5, k = 2 }\n",
        folder=tmp_path,
    )
    (found,) = in_order(tmp_path / "o.csv", policy)
    assert (found.feasible, found.reachable) == (False, pytest.approx(2 / 3))
    assert "rows to suppress (OUT)" not in found.price
    assert 3 in found.price.values()  # enough, not the fewest
    (tmp_path / "m.csv").write_text("q,s\nCalifornia,x\nCalifornia,y\nKansas,x\nKansas,y\n")
    assert anonaudit.audit(tmp_path / "m.csv", policy).models[0].outcome == "holds"


COMMAND = "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\n"


@pytest.mark.parametrize(
    ("require", "code", "verdict"),
    [
        ("p-sensitive-k-anonymity = { p = 2 }", 0, "FEASIBLE: the requirement"),
        ("p-sensitive-k-anonymity = { k = 2 }", 0, "FEASIBLE: the requirement"),
        ("p-sensitive-k-anonymity = { p = 3 }", 1, "NOT FEASIBLE: 1 of 1"),
        ("rule-confidence = { below = 0.5, min-rows = 2 }", 2, "UNDECIDED"),
        ("k-map = { k = 5 }", 0, "FEASIBLE"),
        ("k-map = { k = 6 }", 1, "NOT FEASIBLE"),
        ("journalist-risk = { highest = 0.2 }", 0, "FEASIBLE"),
        ("marketer-risk = { average = 0.2 }", 0, "FEASIBLE"),
    ],
)
def test_the_command(tmp_path, monkeypatch, capsys, require, code, verdict):
    """Three rows; the population has five people."""
    (tmp_path / "o.csv").write_text("age,dx\n1,a\n2,a\n3,b\n")
    (tmp_path / "people.csv").write_text("age\n1\n2\n3\n3\n4\n")
    text = f"{COMMAND}population.file = 'people.csv'\nrequire.{require}\n"
    (tmp_path / "policy.toml").write_text(text)
    for form in ("text", "json"):
        arguments = [str(tmp_path / "o.csv"), str(tmp_path / "policy.toml"), "--format", form]
        monkeypatch.setattr(sys, "argv", ["anonaudit", "feasible", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        told = capsys.readouterr()
        assert (ended.value.code, told.err) == (code, "")
        if form == "text":
            assert told.out.startswith(verdict)
        else:
            answer = json.loads(told.out)["feasible"][0]
            assert answer["feasible"] == {0: True, 1: False, 2: None}[code]


@pytest.mark.parametrize(
    ("original", "why"),
    [
        ("file = 'gone.csv'", "is not there"),
        ("file = 'other.csv'", "it lacks the column"),
        ("file = 'o.csv'\nkey = 'record'", "there is no key column 'record'"),
        ("file = 'longer.csv'\nalign = 'order'", "has 5 rows and the release 4"),
    ],
)
def test_the_original_of_the_policy_is_the_table_itself(tmp_path, original, why):
    """By hand: four rows, two of each value. What the release is paired with later is not read."""
    (tmp_path / "o.csv").write_text("q,s\n1,u\n2,u\n3,v\n4,v\n")
    (tmp_path / "longer.csv").write_text("q,s\n1,u\n2,u\n3,v\n4,v\n5,v\n")
    (tmp_path / "other.csv").write_text("r\n1\n")
    (tmp_path / "gone.csv").write_text("q\n1\n")
    (tmp_path / "p.toml").write_text(
        "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"
        "require = { k-anonymity = { k = 3 }, p-sensitive-k-anonymity = { p = 2 } }\n"
        f"[original]\n{original}\n"
    )
    policy = read_policy(tmp_path / "p.toml")
    (tmp_path / "gone.csv").unlink()
    table = pd.read_csv(tmp_path / "o.csv", dtype=str)
    for given in (
        tmp_path / "o.csv",
        str(tmp_path / "o.csv"),
        TableFile(tmp_path / "o.csv"),
        table,
    ):
        k, p = feasibility(given, policy)
        assert (k.feasible, k.reachable, k.price["most classes"]) == (True, 4, 1)
        assert (p.feasible, p.reachable, p.price["maxP"]) == (True, 2, 2)
    with pytest.raises(InputError, match=why):  # an audit of the same table reads it
        anonaudit.audit(tmp_path / "o.csv", policy)


def test_a_table_that_cannot_be_asked_about_is_refused_at_once():
    policy = parse_policy("columns.quasi-identifiers = ['q']\nrequire.k-anonymity = { k = 3 }")
    with pytest.raises(PolicyError, match="no column 'q'"):
        feasibility(pd.DataFrame({"a": ["1"]}), policy)
