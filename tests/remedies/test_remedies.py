"""Remedies: counted by hand or by brute force, and true of the release that comes of them."""

import itertools
import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import jsonschema
import oracle
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonaudit
from anonaudit import cli, datasets
from anonaudit.errors import InputError
from anonaudit.findings import Outcome
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.policy.policy import AttackRequest, OriginalFile, PeopleFile, parse_policy
from anonaudit.remedies import changes, remedies, search, tried_out
from anonaudit.remedies.changes import suppressed
from anonaudit.remedies.column_levels import ColumnLevels
from anonaudit.remedies.trial import Trial
from anonaudit.report import FORMATS, render, schema
from anonaudit.source.table import open_source

# A search audits a dozen releases, so it gets fewer examples than other properties.
few = settings(max_examples=max(settings.default.max_examples // 6, 5))

COLUMNS = "columns = { quasi-identifiers = ['a', 'b'], sensitive = ['s'] }\n"
K2 = COLUMNS + "require.k-anonymity = { k = 2 }\n"
P2 = COLUMNS + "require.p-sensitive-k-anonymity = { p = 2 }\n"


def frame(*rows, columns=("a", "b", "s")):
    return pd.DataFrame(rows, columns=columns, dtype=object)


def by_kind(found):
    """The remedies by the kinds of their steps."""
    return {tuple(step.kind for step in remedy.steps): remedy for remedy in found.tried}


def short_rows(table, policy):
    """How many rows the remedy deletes that only suppresses; None if there is none."""
    rules = parse_policy(policy) if isinstance(policy, str) else policy
    found = suppressed(Trial.read(open_source(table), rules, 0))
    return found.steps[0].rows if found is not None and found.passed else None


def fewest_rows(rows, holds):
    """The least number of rows in classes whose deletion makes the rest hold, by brute force."""
    classes = list(oracle.classes(rows, (0, 1)).values())
    best = None
    for n in range(len(classes)):
        for gone in itertools.combinations(range(len(classes)), n):
            left = [row for i, one in enumerate(classes) if i not in gone for row in one]
            lost = len(rows) - len(left)
            if holds(left) and (best is None or lost < best):
                best = lost
    return best


tables = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from("uv"), st.sampled_from("123")),
    min_size=1,
    max_size=14,
)


@pytest.mark.parametrize("k", [2, 3])
@few
@given(rows=tables)
def test_no_fewer_rows_make_a_release_k_anonymous(k, rows):
    best = fewest_rows(rows, lambda left: oracle.k_anonymity(left, (0, 1)) >= k)
    if best is not None and (best == 0 or 2 * best > len(rows)):
        best = None  # nothing to do, or more than half of the release
    assert short_rows(frame(*rows), K2.replace("2", str(k))) == best


@few
@given(rows=tables)
def test_no_fewer_rows_make_a_release_p_sensitive(rows):
    best = fewest_rows(rows, lambda left: oracle.p_sensitivity(left, (0, 1), (2,)) >= 2)
    if best is not None and (best == 0 or 2 * best > len(rows)):
        best = None
    assert short_rows(frame(*rows), P2) == best


def figure_3(sex_level, zip_level):
    """TV06 Figure 3, recoded to a node of its lattice."""
    table = pd.read_csv(datasets.path("TV06/figure3.csv"), dtype=str)
    for column, level in (("sex", sex_level), ("zip-code", zip_level)):
        tree = Hierarchy.read(datasets.path(f"TV06/hierarchies/{column}.csv"), attribute=column)
        table[column] = [tree.generalize(value, level) for value in table[column]]
    return table


TREES = "".join(
    f"hierarchies.{column} = {{ file = '{datasets.path(f'TV06/hierarchies/{column}.csv').as_posix()}' }}\n"
    for column in ("sex", "zip-code")
)
FIGURE_3 = (
    f"columns.quasi-identifiers = ['sex', 'zip-code']\n{TREES}require.k-anonymity = {{ k = 3 }}\n"
)


def steps(remedy):
    return [(s.kind, s.columns, s.levels or None, s.rows) for s in remedy.steps]


def test_one_level_further_in_the_lattice_of_tv06():
    """Figure 3 of TV06 gives the tuples below k = 3 at each node; 7 of 10 at <S0, Z1>."""
    found = remedies(figure_3(0, 1), parse_policy(FIGURE_3))
    told = [steps(remedy) for remedy in found.tried if remedy.steps[0].kind == "generalize"]
    assert told == [
        [("generalize", ("zip-code",), {"zip-code": (1, 2)}, 10)],  # <S0, Z2> has none
        [  # <S1, Z1> has 2
            ("generalize", ("sex",), {"sex": (0, 1)}, 10),
            ("suppress", (), None, 2),
        ],
    ]
    assert all(remedy.suffices for remedy in found.tried)
    # Of 20 cells, 10 lose half a height more; 8 lose a whole one and 2 rows all they had left.
    losses = [remedy.loss for remedy in found.tried if remedy.steps[0].kind == "generalize"]
    assert losses == [pytest.approx(5 / 20), pytest.approx((8 + 2 * 1.5) / 20)]
    assert ("suppress",) not in by_kind(found)  # 7 of 10 rows are more than half


def test_the_top_of_the_lattice_of_tv06():
    found = remedies(figure_3(1, 1), parse_policy(FIGURE_3))
    assert steps(by_kind(found)["suppress",]) == [("suppress", (), None, 2)]
    assert steps(by_kind(found)["generalize",]) == [
        ("generalize", ("zip-code",), {"zip-code": (1, 2)}, 10)
    ]


def test_table_1_of_tv06():
    """Both men of 20 have diabetes: they go, or join those of 50, or nobody's age is told."""
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age', 'zip-code', 'sex'], sensitive = ['illness'] }\n"
        f"{TREES}hierarchies.age = {{ intervals = [60], origin = 0 }}\n"
        "require.p-sensitive-k-anonymity = { p = 2 }\n"
    )
    out = tried_out(datasets.path("TV06/table1.csv"), policy)
    found = by_kind(out.remedies)
    assert (found["suppress",].rows_suppressed, found["suppress",].steps[0].classes) == (2, 1)
    assert steps(found["generalize",]) == [("generalize", ("age",), {"age": (0, 1)}, 6)]
    # With the men of 50 the age is lost at level 1 of 2, and nothing else; with the women of 30
    # the sex would be lost as well.
    merge = found["merge",]
    assert [(s.kind, s.columns, s.rows, s.classes) for s in merge.steps] == [
        ("merge", ("age",), 4, 2)
    ]
    assert (merge.cells_changed, merge.rows_suppressed) == (4, 0)
    assert merge.loss == pytest.approx(4 * 0.5 / (6 * 3))
    release = out.releases[out.remedies.tried.index(merge)]
    assert release["age"].tolist() == ["[0,60)", "30", "30", "[0,60)", "[0,60)", "[0,60)"]
    for remedy in found.values():
        (p,) = remedy.requirements
        assert (p.before, p.required, p.outcome_before) == (1, 2, "violated")
        held = [one.name for one in remedy.requirements if one.outcome is Outcome.HOLDS]
        assert held == ["p-sensitive-k-anonymity"]


def test_table_1_of_ct06():
    """Intervals without a hierarchy are joined to the interval that holds both."""
    gender = datasets.path("CT06/hierarchies/gender.csv").as_posix()
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age', 'gender'], sensitive = ['illness'] }\n"
        f"hierarchies.gender = {{ file = '{gender}' }}\n"
        "require.p-sensitive-k-anonymity = { p = 2 }\n"
        "attacks.homogeneity = { allow-rate = 0.0 }\n"
    )
    out = tried_out(datasets.path("CT06/table1.csv"), policy)
    found = by_kind(out.remedies)
    # Nothing helps against one illness at 20-30 but another age; that the same two rows can be
    # suppressed after the gender was given up as well is not worth telling.
    assert set(found) == {("suppress",), ("merge",), ("generalize",)}
    assert not found["generalize",].suffices
    assert out.remedies.tried[-1] == found["generalize",]
    merge = found["merge",]
    release = out.releases[out.remedies.tried.index(merge)]
    assert release["age"].tolist() == ["[20,60]", "30-40", "30-40", "[20,60]", "[20,60]", "[20,60]"]
    assert [(d.kind, d.before, d.after) for d in merge.requirements] == [
        ("model", 1, 2),
        ("attack", pytest.approx(1 / 3), 0),
    ]


def test_an_attack_with_a_limit_takes_no_more_classes_than_it_must():
    """Classes of 1, 2, 3 rows with one value, and 14 others: 6 of 20 where 5 of 19 are allowed."""
    rows = [("x", "u", "1")] + [("x", "v", "1")] * 2 + [("y", "u", "1")] * 3
    rows += [("y", "v", str(i)) for i in range(14)]
    policy = COLUMNS + "attacks.homogeneity = { allow-rate = 0.264 }"  # 5/19 = 0.263
    assert short_rows(frame(*rows), policy) == 1
    assert short_rows(frame(*rows), policy.replace("0.264", "0.0")) == 6


def test_a_class_may_fall_short_of_the_k_beside_another_level():
    """Two classes have two values; that of two rows has too few rows."""
    rows = [("x", "u", "1"), ("x", "u", "2"), ("y", "u", "1"), ("y", "u", "2"), ("y", "u", "2")]
    assert short_rows(frame(*rows), P2.replace("p = 2", "p = 2, k = 3")) == 2
    assert short_rows(frame(*rows), P2.replace("p = 2", "p = 2, k = 2")) is None


LAID_OPEN = {
    # Of classes of 2, 3 and 4 rows with 2, 3 and 4 values, one elimination opens the first.
    "elimination = { values = 1, allow-rate = 0.0 }": (["12", "123", "1234"], 2),
    # 1 is 4 of 10 values; all of 2 rows is more than twice that, 2 of 8 is less.
    "skewness = { factor = 2, allow-rate = 0.0 }": (["11", "11233223"], 2),
    # Only the rule from the first class is sure.
    "association = { confidence = 0.9, allow-rate = 0.0 }": (["11", "1122"], 2),
    # Influenza and asthma are both diseases of the lung.
    "similarity = { allow-rate = 0.0 }": (["fa", "fafx", "xxy"], 2),
}


@pytest.mark.parametrize("attack", LAID_OPEN)
def test_the_classes_that_an_attack_lays_open_go(attack, tmp_path):
    (tmp_path / "s.csv").write_text("f;lung;*\na;lung;*\nx;x;*\ny;y;*\n")
    tree = "hierarchies.s = { file = 's.csv', protected = ['lung'] }\n"
    classes, gone = LAID_OPEN[attack]
    rows = [(str(i), "u", value) for i, values in enumerate(classes) for value in values]
    told = COLUMNS + (tree if "similarity" in attack else "") + f"attacks.{attack}"
    assert short_rows(frame(*rows), parse_policy(told, folder=tmp_path)) == gone


def test_linkage_takes_the_classes_of_those_it_finds():
    """Ann is alone, Bob's two candidates have one illness; Eve has two candidates with two."""
    rows = [("x", "u", "1"), ("y", "u", "1"), ("y", "u", "1"), ("z", "u", "1"), ("z", "u", "2")]
    rows += [("w", "v", "1")] * 3  # nobody known
    people = frame(("x", "u", "Ann"), ("y", "u", "Bob"), ("z", "u", "Eve"), columns=("a", "b", "n"))
    request = AttackRequest("linkage", allowed=0.0, external=PeopleFile(people, identity=("n",)))
    assert short_rows(frame(*rows), replace(parse_policy(COLUMNS), attacks=(request,))) == 3


def test_a_level_of_the_whole_release_loses_its_smallest_classes():
    """Marketer risk is classes over rows: 5 of 13, then 4 of 12 without the class of one row."""
    rows = [("a", "u", "1")] + [(x, "u", "1") for x in "bcde" for _ in range(3)]
    policy = COLUMNS + "require.marketer-risk = { average = 0.34 }"
    assert short_rows(frame(*rows), policy) == 1


def test_rows_suppressed_as_a_whole_that_give_themselves_away_are_deleted():
    """Whoever fits no class is one of the suppressed rows, all of which have HIV."""
    rows = [("x", "u", "flu"), ("x", "u", "cold"), ("*", "*", "HIV"), ("*", "*", "HIV")] * 2
    people = frame(("x", "u", "Ann"), ("z", "v", "Bob"), columns=("a", "b", "name"))
    request = AttackRequest(
        "residual", allowed=0.0, external=PeopleFile(people, identity=("name",))
    )
    policy = replace(parse_policy(COLUMNS), attacks=(request,))
    (remedy,) = remedies(frame(*rows), policy).tried
    assert remedy.steps[0].kind == "suppress"
    assert (remedy.rows_suppressed, remedy.steps[0].classes) == (4, 0)
    assert remedy.outcome is not Outcome.VIOLATED
    assert not remedy.suffices  # nobody is hidden any more, so the attack has nothing to decide


def test_an_identifier_is_left_out_first():
    rows = [("x", "u", "1", "Ann"), ("x", "u", "2", "Bob"), ("y", "u", "1", "Eve")]
    table = frame(*rows, columns=("a", "b", "s", "name"))
    policy = K2.replace("sensitive", "identifiers = ['name', 'ssn'], sensitive")
    found = remedies(table, parse_policy(policy))
    assert {tuple(s.kind for s in r.steps) for r in found.tried} == {
        ("drop", "merge"),
        ("drop", "suppress"),
    }
    assert {r.steps[0].columns for r in found.tried} == {("name",)}
    out = tried_out(table.head(2), parse_policy(policy))
    (only,) = out.remedies.tried
    assert [s.kind for s in only.steps] == ["drop"]
    assert (only.loss, only.cells_changed, only.rows_suppressed) == (0, 0, 0)
    assert [d.kind for d in only.requirements] == ["model", "identifiers"]
    assert list(out.releases[0].columns) == ["a", "b", "s"]


def test_what_no_masking_can_meet_is_said_and_not_tried():
    same = frame(("x", "u", "1"), ("x", "v", "1"))
    found = remedies(same, parse_policy(P2))
    assert (found.tried, found.unreachable) == ((), ("p-sensitive-k-anonymity",))
    assert remedies(same, parse_policy(K2.replace("2", "3"))).unreachable == ("k-anonymity",)
    assert remedies(same, parse_policy(K2)).unreachable == ()


def test_a_release_that_passes_gets_none():
    good = frame(("x", "u", "1"), ("x", "u", "2"))
    for policy in (K2, P2, COLUMNS):
        found = remedies(good, parse_policy(policy))
        assert (found.tried, found.reason, found.unreachable) == ((), None, ())


def test_what_is_only_undecided_gets_a_reason():
    empty = frame(("*", "*", "1"))
    found = remedies(empty, parse_policy(K2))
    assert (found.tried, "undecided" in found.reason) == ((), True)


def test_nothing_is_tried_on_large_releases(monkeypatch):
    monkeypatch.setattr(search, "MOST_ROWS", 2)
    table, policy = frame(*[("x", "u", "1")] * 2, ("y", "u", "1")), parse_policy(K2)
    for report in (None, anonaudit.audit(table, policy)):
        found = remedies(table, policy, report=report)
        assert found.tried == ()
        assert "more than 2 rows" in found.reason


def test_merging_is_not_tried_where_it_takes_too_long(monkeypatch):
    monkeypatch.setattr(changes, "MOST_MERGED_PAIRS", 1)
    found = remedies(frame(*[("x", "u", "1")] * 2, ("y", "u", "1")), parse_policy(K2))
    assert set(by_kind(found)) == {("suppress",)}
    assert "merging classes was not tried" in found.reason


def test_an_identifier_that_pairs_rows_with_the_original_is_not_left_out():
    rows = [("x", "u", "1", "p1"), ("x", "u", "2", "p2"), ("y", "u", "1", "p3")]
    table = frame(*rows, columns=("a", "b", "s", "name"))
    policy = parse_policy(K2.replace("sensitive", "identifiers = ['name'], sensitive"))
    policy = replace(policy, original=OriginalFile(table, key="name"))
    found = remedies(table, policy)
    assert (found.tried, "identifiers" in found.reason) == ((), True)


def test_nothing_is_tried_on_rows_without_an_order():
    source = open_source(frame(("x", "u", "1"), ("y", "u", "1")))
    source.ordered = False  # as a table of Spark's
    assert "Spark" in remedies(source, parse_policy(K2)).reason


def test_records_are_counted_where_a_row_stands_for_several():
    """The class of 1 record goes, not that of 3 in one row."""
    table = frame(("x", "u", "1", "3"), ("y", "u", "1", "1"), columns=("a", "b", "s", "n"))
    policy = K2.replace("sensitive", "count = 'n', sensitive")
    assert short_rows(table, policy) == 1
    assert short_rows(table.iloc[::-1], policy) == 1


def test_persons_are_counted_where_they_have_several_rows():
    """Three rows of one person are a class of one person."""
    rows = [("x", "u", "1", "p1")] * 3 + [("y", "u", "1", f"p{i}") for i in (2, 3, 4)]
    table = frame(*rows, columns=("a", "b", "s", "id"))
    assert short_rows(table, K2.replace("sensitive", "unit = 'id', sensitive")) == 3


def test_rows_stay_paired_with_an_original_in_the_same_order():
    """A deleted row takes its original with it; none of the others becomes a wrong one."""
    original = frame(("1", "u", "1"), ("7", "u", "2"), ("2", "u", "3"), ("3", "u", "4"))
    release = original.assign(a=["[0,5)", "[5,9)", "[0,5)", "[0,5)"])
    policy = replace(
        parse_policy(f"{K2}\nrequire.valid-generalization = {{}}"),
        original=OriginalFile(original, align="order"),
    )
    found = by_kind(remedies(release, policy))
    assert found["suppress",].suffices
    assert found["suppress",].rows_suppressed == 1
    assert [d.after for d in found["suppress",].requirements] == [3, 0]


@pytest.mark.parametrize("rows", [0, 3, 5])
def test_an_original_of_another_length_is_refused_as_an_audit_does(rows):
    release = frame(("1", "u", "1"), ("2", "u", "2"), ("3", "u", "3"), ("3", "u", "4"))
    original = pd.concat([release, release]).head(rows)
    policy = replace(parse_policy(K2), original=OriginalFile(original, align="order"))
    told = []
    for run in (anonaudit.audit, remedies):
        with pytest.raises(InputError) as refused:
            run(release, policy)
        told.append(str(refused.value))
    assert told[0] == told[1]
    assert f"has {rows} rows and the release 4" in told[0]


# --- what the audit would not see is no remedy


def test_no_row_is_merged_out_of_the_audit():
    """Nearest is what would leave `*` in both columns; the next one is taken, and 5 cells change.

    A row of loss 0 + 1 joins 2 of loss 1 + 0: 3 * 2 - 1 - 2 = 3. With 2 rows of loss 0 the set of
    both values and `*`: 3 * 2 - 1 - 0 = 5.
    """
    table = frame(("x", "*", "1"), *[("*", "u", "1")] * 2, *[("y", "v", "1")] * 2)
    out = tried_out(table, parse_policy(K2))
    merge = by_kind(out.remedies)["merge",]
    assert (merge.suffices, merge.cells_changed) == (True, 5)
    release = out.releases[out.remedies.tried.index(merge)]
    assert release["a"].tolist() == ["{x,y}", "*", "*", "{x,y}", "{x,y}"]
    with_all = by_kind(
        remedies(table, parse_policy(K2 + "conventions.suppressed-tuples='include'"))
    )
    assert with_all["merge",].cells_changed == 1 + 2  # where such rows are a class like others


def test_no_row_is_merged_into_those_that_are_dropped():
    """Codes with nothing in common would meet in `*`, and rows with a `*` are dropped."""
    table = frame(("482**", "u", "1"), *[("591**", "u", "1")] * 2, *[("483**", "v", "1")] * 2)
    found = by_kind(remedies(table, parse_policy(K2)))["merge",]
    assert (found.steps[0].columns, found.cells_changed) == (("a",), 3)
    dropped = parse_policy(K2 + "conventions.quasi-identifiers = 'drop-rows'")
    out = tried_out(table, dropped)
    found = by_kind(out.remedies)["merge",]
    release = out.releases[out.remedies.tried.index(found)]
    assert release["a"].tolist() == ["48***", "591**", "591**", "48***", "48***"]
    assert found.suffices


def test_classes_that_cannot_be_merged_hide_no_class_that_can():
    """The five smallest classes meet every other in `*`. Only 986** and 987** can be merged.

    7 of 10 rows are alone before, 5 after. The limit is 5. No four of the seven suffice.
    """
    alone = ["111**", "222**", "333**", "444**", "555**", "986**", "987**"]
    table = frame(*[(code, "1") for code in [*alone, *["000**"] * 3]], columns=("a", "s"))
    policy = "columns.quasi-identifiers = ['a']\nrequire.sample-uniques = { share = 0.5 }"
    out = tried_out(table, parse_policy(policy))
    merge = by_kind(out.remedies)["merge",]
    assert (merge.suffices, merge.cells_changed) == (True, 2)
    release = out.releases[out.remedies.tried.index(merge)]
    assert release["a"].tolist() == [*alone[:5], "98***", "98***", *["000**"] * 3]


def test_no_attribute_is_generalized_out_of_the_audit():
    """With `*` in the only other column, nobody would be in a class."""
    table = frame(("F", "*", "1"), *[("M", "*", "1")] * 2)
    tree = datasets.path("TV06/hierarchies/sex.csv").as_posix()
    policy = f"{K2}hierarchies.a = {{ file = '{tree}' }}\n"
    assert set(by_kind(remedies(table, parse_policy(policy)))) == {("suppress",)}
    included = parse_policy(policy + "conventions.suppressed-tuples = 'include'")
    assert by_kind(remedies(table, included))["generalize",].suffices


# --- any release

cells = st.sampled_from(["1", "4", "7", "", "*"])
POLICIES = [
    "require = { k-anonymity = { k = 2 } }",
    "require = { k-anonymity = { k = 3 }, p-sensitive-k-anonymity = { p = 2 } }",
    "require = { k-anonymity = { k = 2 } }\nattacks.homogeneity = { allow-rate = 0.0 }",
    "require = { l-diversity = { l = 2 }, t-closeness = { t = 0.4 } }",
    "require = { alpha-k-anonymity = { alpha = 0.5, k = 2 } }",
    "require = { prosecutor-risk = { highest = 0.5 }, sample-uniques = { share = 0.1 } }",
    "require = { k-anonymity = { k = 2 } }\nconventions.quasi-identifiers = 'wildcard'",
    "require = { k-anonymity = { k = 2 } }\nconventions.quasi-identifiers = 'drop-rows'",
    "require = { k-anonymity = { k = 2 } }\nconventions.suppressed-tuples = 'include'",
    "attacks.elimination = { values = 1, allow-rate = 0.1 }\nattacks.skewness.allow-rate = 0.3",
]
GIVEN = [
    "",
    "hierarchies.a = { intervals = [3, 9], origin = 0 }",
    "hierarchies = { a = { intervals = [9], origin = 0 }, b = { prefixes = [0] } }",
]


releases = {
    "rows": st.lists(st.tuples(cells, cells, st.sampled_from("123")), min_size=2, max_size=16),
    "policy": st.sampled_from(POLICIES),
    "trees": st.sampled_from(GIVEN),
}


def check(file, trees, rows, policy):
    """Written to a file and audited afresh, a changed release is what was told of it."""
    table = frame(*[[cell or None for cell in row] for row in rows])
    rules = parse_policy(f"{COLUMNS}{trees}\n{policy}")
    before = anonaudit.audit(table, rules)
    out = tried_out(table, rules)
    again = tried_out(table, rules, report=before)
    assert out.remedies == again.remedies
    if before.passed:
        assert out.remedies.tried == ()
    for remedy, release in zip(out.remedies.tried, out.releases, strict=True):
        release.to_csv(file, index=False)
        after = anonaudit.audit(file, rules)
        assert after.outcome == remedy.outcome
        levels = [m.measured for m in after.models if m.classes_violating is not None]
        levels += [attack.rate for attack in after.attacks if attack.allowed is not None]
        assert levels == [demanded.after for demanded in remedy.requirements]
        # No row is invented, no sensitive value changed, no row lost that was not told.
        assert release["s"].tolist() == table["s"].loc[release.index].tolist()
        assert release.index.is_unique
        assert len(table) - len(release) == remedy.rows_suppressed <= len(table) / 2
        changed = (release != table.loc[release.index]) & ~(
            release.isna() & table.loc[release.index].isna()
        )
        assert int(changed.sum().sum()) == remedy.cells_changed
        apart = after.release.suppressed_tuples + after.release.dropped_rows
        assert apart <= before.release.suppressed_tuples + before.release.dropped_rows
        assert 0 <= remedy.loss <= 1


@settings(max_examples=5)
@given(**releases)
def test_every_remedy_keeps_what_it_says(tmp_path_factory, trees, rows, policy):
    check(tmp_path_factory.getbasetemp() / "changed.csv", trees, rows, policy)


@pytest.mark.long
@settings(max_examples=100)
@given(**releases)
def test_every_remedy_keeps_what_it_says_many_times(tmp_path_factory, trees, rows, policy):
    check(tmp_path_factory.getbasetemp() / "changed.csv", trees, rows, policy)


ground = {
    "rows": st.lists(
        st.tuples(st.sampled_from("1479"), st.sampled_from(["x1", "x2", "y"]), st.just("1")),
        min_size=2,
        max_size=12,
    ),
    "trees": st.sampled_from(GIVEN),
}


def bad_cells(rows, trees):
    """The cells of every changed release that are wrong, as the audit against an original has it."""
    table, rules = frame(*rows), parse_policy(f"{K2}{trees}")
    for release in tried_out(table, rules).releases:
        report = anonaudit.audit(release, rules, original=table)
        yield from (m.measured for m in report.models if m.model == "valid-generalization")


@settings(max_examples=5)
@given(**ground)
def test_what_is_released_stands_for_what_was_there(rows, trees):
    assert not any(bad_cells(rows, trees))


@pytest.mark.long
@settings(max_examples=60)
@given(**ground)
def test_what_is_released_stands_for_what_was_there_many_times(rows, trees):
    assert not any(bad_cells(rows, trees))


# --- what stands for two values


def column(*labels, policy=""):
    return ColumnLevels("a", labels, parse_policy(f"columns.quasi-identifiers = ['a']\n{policy}"))


@pytest.mark.parametrize(
    ("labels", "joined"),
    [
        (("20", "35"), "[20,35]"),
        (("[20,30)", "[30,40)"), "[20,40)"),
        (("20-29", "45"), "[20,45]"),
        (("(20,30]", "[20,25]"), "[20,30]"),
        (("[20,30)", "[25,30]"), "[20,30]"),
        (("[20,30]", "[25,30)"), "[20,30]"),
        (("<30", "[20,40)"), "(-inf,40)"),
        (("[20,30)", "50+"), "[20,inf)"),
        (("482**", "48301"), "48***"),
        (("482**", "591**"), "*"),
        (("482**", "4820"), "*"),  # codes of different lengths
        (("nurse", "clerk"), "{clerk,nurse}"),
        (("{a,b}", "c"), "{a,b,c}"),
        (("{a,b,c}", "{d,e,f,g}"), "*"),  # more members than anybody reads
        (("01234", "01235"), "{01234,01235}"),  # codes, no numbers
        (("a", None), "*"),
        (("a", "*"), "*"),
        (("9-May", "[1,2]"), "*"),
        (("a, b", "c"), "*"),  # would be read as three values
    ],
)
def test_the_least_general_label_of_two(labels, joined):
    there = [label for label in labels if label not in (None, "*")]
    assert column(*there).join(*labels) == joined
    assert column(*there).join(*reversed(labels)) == joined
    assert column(*there).join(joined, labels[0]) == joined


@pytest.mark.parametrize(
    ("reading", "labels", "joined"),
    [
        ("'prefix'", ("482**", "48301"), "48***"),
        ("'prefix'", ("482", "483"), "*"),  # nothing says how long these codes are
        ("{ rounded = 5 }", ("35", "40"), "(32.5,42.5)"),
        ("{ rounded = 5 }", ("85 and over", "80"), "(77.5,inf)"),
    ],
)
def test_labels_are_joined_as_they_are_read(reading, labels, joined):
    there = column(*labels, policy=f"values.reading = {{ a = {reading} }}")
    assert there.join(*labels) == there.join(*reversed(labels)) == joined


def test_labels_of_a_hierarchy_meet_in_it():
    found = column("[20,30)", "[30,40)", "[60,70)", policy=AGES)
    assert found.join("[20,30)", "[30,40)") == "[20,40)"
    assert found.join("[20,30)", "[60,70)") == "*"
    assert (found.level, found.raised()) == (
        1,
        {"[20,30)": "[20,40)", "[30,40)": "[20,40)", "[60,70)": "[60,80)"},
    )
    # Heights over the height of the tree, which is 3: ground, 10, 20, everything.
    assert [found.loss(x) for x in ("23", "[20,30)", "[20,40)", "*")] == [0, 1 / 3, 2 / 3, 1]


AGES = "hierarchies.a = { intervals = [10, 20], origin = 0 }"


def test_the_lowest_labels_of_a_column_go_up_first():
    found = column("482**", "48301", policy="hierarchies.a = { prefixes = [3, 2] }")
    assert (found.level, found.raised()) == (0, {"482**": "482**", "48301": "483**"})
    assert column("*****", policy="hierarchies.a = { prefixes = [3, 0] }").raised() is None


@pytest.mark.parametrize("label", ["[20,30]", "[25,35)", "young", "[20, 30)"])
def test_a_level_is_not_guessed(label):
    """Intervals that the hierarchy does not have, or not spelled like that, have no next level."""
    found = column(label, "[30,40)", policy=AGES)
    assert found.raised() is None


def test_losses_without_a_hierarchy():
    numbers = column("20", "30", "60")
    assert [numbers.loss(x) for x in ("20", "[20,30]", "[20,60]", "<30", "*", None)] == [
        0, 1 / 4, 1, 1, 1, 0,
    ]  # fmt: skip
    names = column("a", "b", "c")
    assert [names.loss(x) for x in ("a", "{a,b}", "{a,b,c}")] == [0, 1 / 2, 1]
    assert column("48201").loss("482**") == 2 / 5


# --- where it is told

ADULT = [datasets.path(f"adult/release.{end}") for end in ("csv.gz", "toml")]


@pytest.fixture
def command(monkeypatch, capsys):
    """The command line, without a process of its own: exit code and output."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["anonaudit", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return ended.value.code, capsys.readouterr().out

    return run


def small(tmp_path: Path):
    """A release of secrets that falls short of k = 2, and its policy."""
    table = frame(*[("x0secret", "u0secret", "s0secret")] * 3, ("y0secret", "u0secret", "s1secret"))
    table.to_csv(tmp_path / "r.csv", index=False)
    (tmp_path / "p.toml").write_text(K2)
    return tmp_path / "r.csv", tmp_path / "p.toml"


def test_the_command_line_tells_what_was_tried_out(tmp_path, command):
    release, policy = small(tmp_path)
    code, plain = command("audit", release, policy)
    assert code == 1
    assert "tried out\n--" not in plain
    code, told = command("audit", release, policy, "--remedies")
    assert code == 1
    start = told.index("\nWhat was tried out\n")
    end = start + told[start:].index("\n\nWhat an adversary learns")
    # What was tried out stands where the advice was that nobody has tried, and in the first screen.
    assert "No remedy was tried: --remedies tries some" in plain
    assert "Cheapest remedy: suppress rows (deletes 1 row, changes 0 cells)." in told
    screen = told.index("\nWhat was required")
    plain = told[:screen] + plain[plain.index("\nWhat was required") :]
    advice = plain.index("\nWhat would help\n")
    assert plain[advice:].startswith("\nWhat would help\n---------------\nDerived from the numbers")
    after = plain.index("\nWhat an adversary learns")
    assert told[:start] + told[end + 1 :] == plain[:advice] + plain[after:]
    _, whole = command("audit", release, policy, "--remedies", "--all")
    start = whole.index("\nWhat was tried out\n")
    end = start + whole[start:].index("\n\nWhat an adversary learns")
    lines = [" ".join(line.split()) for line in whole[start:end].splitlines()]
    # One of 4 rows goes; or 4 cells become {x, y}, a set of all there is.
    assert "1 suppress rows 1 0 25% holds" in lines
    assert "2 merge classes 0 4 50% holds" in lines
    said = " ".join(lines)  # the page is narrower than a line
    assert "1 suppress rows: 1 row in 1 class deleted. Then: k-anonymity 1 -> 3." in said
    assert "2 merge classes: 2 classes with 4 rows merged by generalizing a. Then: k-" in said


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("show", [[], ["--show-values"]])
def test_no_form_of_a_report_shows_what_a_cell_became(format_, show, tmp_path, command):
    """Values are shown of the release if asked for; of the changed ones never."""
    release, policy = small(tmp_path)
    _, told = command("audit", release, policy, "--remedies", "-f", format_, *show)
    assert "{x0secret,y0secret}" not in told
    assert show or "secret" not in told
    if format_ != "sarif":
        assert ("remedies" if format_ == "json" else "What was tried out") in told


def test_json_obeys_its_schema_with_remedies_and_without(tmp_path, command):
    release, policy = small(tmp_path)
    found = [
        json.loads(command("audit", release, policy, "-f", "json", *more)[1])
        for more in ([], ["--remedies"])
    ]
    for report in found:
        jsonschema.validate(report, schema())
    assert "remedies" not in found[0]
    tried = found[1].pop("remedies")
    assert found[0] == found[1]
    assert [one["rows_suppressed"] for one in tried["tried"]] == [1, 0]
    broken = {**found[0], "remedies": {**tried, "tried": [{**tried["tried"][0], "steps": [{}]}]}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema())


def test_a_report_says_why_nothing_was_tried(tmp_path, command):
    release, policy = small(tmp_path)
    policy.write_text(K2.replace("k = 2", "k = 5"))
    _, told = command("audit", release, policy, "--remedies")
    assert "can satisfy the policy; k-anonymity out of reach" in " ".join(told.split())
    policy.write_text(COLUMNS)
    code, told = command("audit", release, policy, "--remedies")
    assert (code, "tried out\n--" in told) == (0, False)


@pytest.mark.long
def test_adult():
    """The rows in classes with one income or one capital gain, counted by pandas."""
    out = tried_out(*(ADULT[0], anonaudit.read_policy(ADULT[1])))
    table = pd.read_csv(ADULT[0], dtype=str, keep_default_na=False)
    quasi = ["age", "marital-status", "race", "sex"]
    values = table.groupby(quasi)[["income", "capital-gain"]].transform("nunique")
    alone = by_kind(out.remedies)["suppress",]
    assert alone.rows_suppressed == int((values.min(axis=1) < 2).sum())
    assert all(remedy.suffices for remedy in out.remedies.tried)
    losses = [remedy.loss for remedy in out.remedies.tried]
    assert losses == sorted(losses)
    report = anonaudit.audit(*ADULT)
    text = render(replace(report, remedies=out.remedies), "text").splitlines()
    page = (Path(__file__).parents[2] / "docs" / "reports.md").read_text("utf-8")
    shown = page.partition("```text\n")[2].partition("```")[0].splitlines()
    assert len(shown) == 4
    words = [line.split() for line in text]
    assert all(line.split() in words for line in shown)
    for remedy, release in zip(out.remedies.tried, out.releases, strict=True):
        groups = release.groupby(quasi)
        assert groups.size().min() >= 3
        assert groups[["income", "capital-gain"]].nunique().min().min() >= 2
        was = table.loc[release.index]
        assert Counter(zip(was["age"], release["age"], strict=True)).total() == len(was)
        assert (was["income"].to_numpy() == release["income"].to_numpy()).all()
        assert remedy.rows_suppressed == len(table) - len(release)


def test_every_engine_gets_the_same_remedies():
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    table, policy = figure_3(1, 1), parse_policy(FIGURE_3)
    found = [
        remedies(one, policy)
        for one in (
            table,
            table.set_index(pd.Index(range(10, 20))),
            polars.from_pandas(table),
            polars.from_pandas(table).lazy(),
            arrow.Table.from_pandas(table),
        )
    ]
    assert found[0].tried
    assert all(one == found[0] for one in found)


@settings(max_examples=3)
@given(seed=st.integers(0, 10**6))
def test_the_order_of_rows_does_not_matter(seed):
    rows = [("1", "u", "1"), ("4", "u", "2"), ("7", "u", "3"), ("7", "u", "1"), ("9", "v", "2")]
    table = frame(*rows)
    shuffled = table.sample(frac=1, random_state=seed)
    policy = parse_policy(K2)
    assert remedies(shuffled, policy) == remedies(table, policy)


def test_every_format_renders_remedies_of_every_kind():
    report = anonaudit.audit(figure_3(0, 1), parse_policy(FIGURE_3))
    found = remedies(figure_3(0, 1), parse_policy(FIGURE_3), report=report)
    told = anonaudit.AuditReport(**{**vars(report), "remedies": found})
    for format_ in ("text", "markdown", "html"):
        text = " ".join(render(told, format_).split())
        assert "sex generalized from level 0 to 1, in " in text
        assert "2 rows in 2 classes deleted" in text or "2 rows in 1 class deleted" in text


def test_labels_outside_the_hierarchy_make_widths_the_scale_of_all():
    """[10,20) and [12,33] of 10 to 1000: joined they are 23 wide, each before 10 and 21."""
    rules = parse_policy(
        "columns.quasi-identifiers = ['a']\n"
        "hierarchies.a = { intervals = [10, 20], origin = 0 }\n"
        "require.k-anonymity = { k = 2 }\n"
    )
    frame = pd.DataFrame({"a": ["[10,20)", "[12,33]", "1000", "1000"]})
    found = {r.steps[0].kind: r for r in remedies(frame, rules).tried}
    assert found["merge"].suffices
    assert found["merge"].loss == pytest.approx((2 * 23 - 10 - 21) / 990 / 4)
