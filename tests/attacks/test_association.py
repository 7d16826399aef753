"""Association rules: Z07's table, two engines against the oracle, named targets."""

import csv
from fractions import Fraction

import adversaries
import oracle
import pandas as pd
import pytest
from builders import all_tables, reduced
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit import datasets
from anonaudit.attack import Setting
from anonaudit.cells import Convention
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.models import AlphaKAnonymity
from attacks import association
from attacks.association import Association, rule_tables, sets_of

COLUMNS = ["date-of-birth", "race", "sex", "zip-code", "disease"]
CELLS = st.sampled_from(["a", "b", "a", "b", "*", None])


def z07(name):
    with datasets.path(f"Z07/{name}.csv").open() as file:
        return [tuple(row[c] for c in COLUMNS) for row in csv.DictReader(file)]


def run(rows, qi, sensitive, external=None, allowed=None, unit=None, **options):
    classes = reduced(rows, qi, sensitive, unit=unit)
    people = None if external is None else FrequencySet.of(*external)
    return Association().run(
        Setting(classes=classes, external=people, options=options, allowed=allowed)
    )


def listed(classes, least, min_rows, engine):
    sets, cut = sets_of(classes.roles.quasi_identifiers, len(classes.roles.quasi_identifiers))
    assert cut is None
    tables = rule_tables(classes, sets, least, min_rows, engine, joint=True)
    return sorted(
        (sorted(r.antecedent), sorted(r.consequent), r.shown, r.of)
        for table in tables
        for r in map(table.rule, range(len(table.of)))
    )


def test_white_males_born_in_1968_have_heart_disease():
    """Z07 Table 2: 13 rules above 70 %, all about the three rows of one class."""
    found = run(z07("table2"), [0, 1, 2, 3], [4], confidence=0.7)
    assert found.details["rules"] == 13
    assert (found.targets, found.disclosed) == (12, 3)
    # Born in 1968, or white and male, or the zip code: one column is enough.
    assert found.details["targets by columns known"] == {"1": 3}
    surest = found.details["surest rule"]
    assert (surest["confidence"], surest["rows"], surest["cells"]["4"]) == (1, 3, "Heart disease")
    assert found.witness.rows == 3


@pytest.mark.parametrize("table", ["table3", "table4"])
def test_after_hiding_no_rule_is_left(table):
    found = run(z07(table), [0, 1, 2, 3], [4], confidence=0.7, engine="mlxtend")
    assert (found.details["rules"], found.disclosed) == (0, 0)


@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), min_size=1, max_size=9),
    st.sampled_from([0.5, 0.6, 2 / 3, 0.75, 1.0]),
    st.integers(1, 2),
)
def test_both_engines_find_what_the_oracle_finds(rows, least, min_rows):
    """Rules to one value; of missing and suppressed cells there are none."""
    classes = reduced(rows, [0, 1], [2, 3])
    if not len(classes):
        return
    exact = listed(classes, least, min_rows, "exact")
    assert listed(classes, least, min_rows, "mlxtend") == exact
    wanted = [
        (
            sorted((str(c), x) for c, x in rule.antecedent),
            [(str(rule.consequent[0]), rule.consequent[1])],
            rule.both,
            rule.of,
        )
        for rule in oracle.rules(rows, [0, 1], [2, 3])
        if rule.both >= min_rows and rule.both / rule.of >= least
        if all(oracle.known([x]) for _, x in rule.antecedent)
    ]
    assert [rule for rule in exact if len(rule[1]) == 1] == sorted(wanted)


def test_a_confidence_exactly_at_the_threshold_is_not_lost():
    """Every share i/n for n up to 40, where dividing rounded supports goes wrong for some."""
    for n in range(1, 41):
        for i in range(1, n + 1):
            rows = [("x", "a")] * i + [("x", "b")] * (n - i)
            classes = reduced(rows, [0], [1])
            for engine in ("exact", "mlxtend") if n % 13 == 0 else ("exact",):
                found = listed(classes, i / n, 1, engine)
                assert any(shown == i for _, _, shown, _ in found), (i, n, engine)


@pytest.mark.long
def test_the_least_knowledge_on_all_small_tables():
    for rows in all_tables(("a", "b"), ("a", None), ("a", "b", None), most=3, least=1):
        for confidence in (0.6, 1.0):
            found = run(rows, [0, 1], [2], confidence=confidence)
            least = [
                adversaries.least_knowledge(rows, [0, 1], [2], i, confidence)
                for i in range(len(rows))
            ]
            sizes = {str(n): least.count(n) for n in (1, 2) if n in least}
            assert found.details["targets by columns known"] == sizes, (rows, confidence)
            assert found.disclosed == sum(n is not None for n in least)


@pytest.mark.long
def test_no_rule_above_alpha():
    """(alpha, k)-anonymity bounds the attack: the surest rule is no surer."""
    for rows in all_tables(("a", "b"), ("u", "v"), ("a", "b", None), most=4, least=1):
        alpha = AlphaKAnonymity().measure(reduced(rows, [0, 1], [2])).measured
        if alpha is not None and alpha < 1:
            assert run(rows, [0, 1], [2], confidence=min(1.0, alpha + 0.01)).disclosed == 0


def test_named_targets_with_ground_values():
    """Of those in their forties 2 of 3 have flu; Ann is 43, Bob unknown, Cyd 61."""
    rows = [("40-49", "flu"), ("40-49", "flu"), ("40-49", "hiv"), ("60-69", "hiv")]
    people = (["who", "0"], [("Ann", "43"), ("Bob", None), ("Cyd", "61"), ("Dov", "10")])
    found = run(rows, [0], [1], people, confidence=0.6)
    assert (found.targets, found.disclosed) == (4, 2)
    assert run(rows, [0], [1], people, confidence=0.7).disclosed == 1


def test_a_target_that_may_be_in_two_classes_is_judged_by_both():
    """35 is in both labels: 3 of their 5 rows show flu."""
    rows = [("20-39", "flu")] * 2 + [("30-49", "flu"), ("30-49", "hiv"), ("30-49", "hiv")]
    people = (["0"], [("35",), ("25",)])
    assert run(rows, [0], [1], people, confidence=0.6).disclosed == 2
    assert run(rows, [0], [1], people, confidence=0.7).disclosed == 1


def test_persons_are_counted_by_person():
    """Rows say 3 of 4 flu; of the two persons one shows flu."""
    rows = [("x", "flu", "p"), ("x", "flu", "p"), ("x", "flu", "p"), ("x", "hiv", "q")]
    assert run(rows, [0], [1], confidence=0.7).disclosed == 4
    assert run(rows, [0], [1], unit=2, confidence=0.7).disclosed == 0
    assert run(rows, [0], [1], unit=2, confidence=0.5).disclosed == 2
    with pytest.raises(AnonauditError, match="unit column"):
        run(rows, [0], [1], unit=2, engine="mlxtend")


def test_too_many_sets_are_cut_and_nothing_is_called_safe():
    rows = [(*("ab"[(i >> j) % 2] for j in range(14)), "uv"[i % 2]) for i in (1, 2)]
    found = run(rows, list(range(14)), [14], confidence=1.0, min_rows=2, allowed=0.0)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "of the 14 quasi-identifiers" in found.reason
    known = run(rows, list(range(14)), [14], min_rows=2, allowed=0.0, most_known=2)
    assert known.outcome is Outcome.HOLDS


def test_mlxtend_is_not_given_more_than_it_can_hold(monkeypatch):
    monkeypatch.setattr(association, "MOST_ITEMSETS", 3)
    found = run([("x", "a"), ("y", "b")], [0], [1], engine="mlxtend", allowed=0.5)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "too many for mlxtend; use engine = 'exact'" in found.reason


def test_itemsets_are_counted_on_where_the_limit_is_just_reached(monkeypatch):
    """x and y are two, which is allowed; a and b beside them are not."""
    monkeypatch.setattr(association, "MOST_ITEMSETS", 2)
    found = run([("x", "a"), ("y", "b")], [0], [1], engine="mlxtend", allowed=0.5)
    assert found.outcome is Outcome.INCONCLUSIVE
    monkeypatch.setattr(association, "MOST_ITEMSETS", 6)  # x, y, a, b, xa, yb
    found = run([("x", "a"), ("y", "b")], [0], [1], engine="mlxtend", allowed=0.5)
    assert (found.outcome, found.disclosed) == (Outcome.VIOLATED, 2)


def test_few_of_many_columns_are_counted_one_by_one():
    """Every one of 30 columns is enough; of their 2^30 subsets only 30 are looked at."""
    rows = [(*["a"] * 30, "u"), (*["b"] * 30, "v")]
    found = run(rows, list(range(30)), [30], most_known=1)
    assert (found.details["rules"], found.disclosed) == (60, 2)


def test_the_surest_rule_comes_before_one_that_more_rows_show():
    """x shows a in 2 of 2 rows, y in 3 of 4."""
    rows = [("x", "a")] * 2 + [("y", "a")] * 3 + [("y", "b")]
    surest = run(rows, [0], [1], confidence=0.5).details["surest rule"]
    assert (surest["confidence"], surest["rows"], surest["cells"]) == (1, 2, {"0": "x", "1": "a"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 0}, "association: confidence must be a number above 0"),
        ({"confidence": "high"}, "confidence"),
        ({"min_rows": 0}, "min-rows"),
        ({"most_known": 0}, "most-known"),
        ({"engine": "spark"}, "engine must be one of 'auto', 'mlxtend', 'exact'"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(AnonauditError, match=message):
        run([("x", "a")], [0], [1], **options)


def test_what_cannot_be_attacked_is_said():
    assert run([("x",)], [0], []).outcome is Outcome.SKIPPED
    empty = run([], [0], [1])
    assert (empty.outcome, empty.reason) == (Outcome.INCONCLUSIVE, "there is no class to attack")
    wild = reduced(
        [("*", "a"), ("x", "b"), ("x", "a")],
        [0],
        [1],
        convention=Convention(quasi_identifiers="wildcard", suppressed_tuples="include"),
    )
    assert Association().run(Setting(classes=wild)).outcome is Outcome.INCONCLUSIVE


def test_adult_by_both_engines(shared):
    """30,162 rows: the same rules, and a share that a plain count in pandas gives too."""
    frame = pd.read_csv(shared / "datasets" / "arx" / "adult.csv", sep=";", dtype=str)
    quasi = ["sex", "race", "marital-status", "education"]
    counts = frame.groupby([*quasi, "salary-class"]).size()
    shares = counts / counts.groupby(level=quasi).transform("sum")
    frame = frame[[*quasi, "salary-class"]].map(str)
    table = FrequencySet.of(frame.columns.tolist(), list(frame.itertuples(index=False)))
    from anonaudit.frequency.classes import equivalence_classes
    from anonaudit.roles import Roles

    classes = equivalence_classes(table, Roles(tuple(quasi), ("salary-class",)))
    found = {e: listed(classes, 0.9, 30, e) for e in ("exact", "mlxtend")}
    assert found["exact"] == found["mlxtend"]
    whole = [rule for rule in found["exact"] if len(rule[0]) == 4]
    assert len(whole) == int(((shares >= 0.9) & (counts >= 30)).sum())
    assert all(Fraction(shown, of) >= Fraction(9, 10) for _, _, shown, of in found["exact"])


def test_through_a_policy(tmp_path):
    (tmp_path / "people.csv").write_text("who,age\nAnn,43\nBob,61\n")
    (tmp_path / "release.csv").write_text("age,dx\n40-49,flu\n40-49,flu\n60-69,flu\n60-69,hiv\n")
    (tmp_path / "policy.toml").write_text(
        "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\n"
        "[attacks.association]\nconfidence = 0.9\nmin-rows = 2\nexternal = 'people.csv'\n"
        "identity = ['who']\nallow-rate = 0.4\n"
    )
    report = anonaudit.audit(tmp_path / "release.csv", tmp_path / "policy.toml")
    found = next(a for a in report.attacks if a.attack == "association")
    assert (found.targets, found.disclosed, found.outcome) == (2, 1, Outcome.VIOLATED)


def test_a_rule_exactly_at_the_threshold_reaches_a_named_target():
    """55 of 100 rows are 0.55, though 0.55 times 100 is more than 55 in floating point."""
    rows = [("x", "flu")] * 55 + [("x", "hiv")] * 45
    assert run(rows, [0], [1], confidence=0.55).disclosed == 100
    assert run(rows, [0], [1], (["0"], [("x",)]), confidence=0.55).disclosed == 1
    assert run(rows, [0], [1], (["0"], [("x",)]), confidence=0.56).disclosed == 0


BY_HAND = [("a", "u", "x"), ("a", "u", "x"), ("a", "v", "y"), ("b", "u", "y")]


@pytest.mark.parametrize(
    ("options", "rules", "disclosed", "by_columns"),
    [
        ({}, 5, 4, {"1": 2, "2": 2}),  # b, v, (a, u), (a, v), (b, u) are certain
        ({"most_known": 2}, 5, 4, {"1": 2, "2": 2}),
        ({"most_known": 1}, 2, 2, {"1": 2}),
        ({"min_rows": 2}, 1, 2, {"2": 2}),
        ({"min_rows": 3}, 0, 0, {}),
        ({"confidence": 0.6}, 7, 4, {"1": 4}),  # a and u show x in two of three rows
        ({"confidence": 0.7}, 5, 4, {"1": 2, "2": 2}),
    ],
)
def test_everything_that_is_told_by_hand(options, rules, disclosed, by_columns):
    found = Association().run(Setting(classes=reduced(BY_HAND, [0, 1], [2]), options=options))
    assert (found.targets, found.identified, found.disclosed) == (4, 0, disclosed)
    assert (found.rate, found.baseline, found.reason) == (disclosed / 4, 1 / 2, None)
    assert found.per_attribute == {"2": disclosed}
    assert found.details["confidence"] == options.get("confidence", 1)
    assert found.details["rules"] == rules
    assert found.details["targets by columns known"] == by_columns
    if "most_known" not in options or options["most_known"] == 2:
        surest = {
            "confidence": 1.0,
            "rows": 2,
            "columns known": ["0", "1"],
            "discloses": ["2"],
            "cells": {"0": "a", "1": "u", "2": "x"},
        }
        assert found.details.get("surest rule") == (surest if rules else None)
    if disclosed:
        rows = 1 if options.get("most_known") == 1 else 2
        assert (found.witness.rows, found.witness.attribute) == (rows, "2")
    else:
        assert found.witness is None


def test_named_targets_by_hand():
    """a,u takes both columns, a,v the second; of c nobody shows anything, and u is not enough."""
    people = FrequencySet.of(["0", "1"], [("a", "u"), ("a", "v"), ("c", "u"), ("a", "u")])
    classes = reduced(BY_HAND, [0, 1], [2])
    found = Association().run(Setting(classes=classes, external=people))
    assert (found.targets, found.disclosed, found.rate) == (4, 3, 3 / 4)
    assert found.details["targets by columns known"] == {"1": 1, "2": 2}
    assert (found.per_attribute, found.witness) == ({"2": 3}, None)


@pytest.mark.parametrize(
    ("most", "limit", "sizes", "cut"),
    [
        (3, 7, [1, 1, 1, 2, 2, 2, 3], None),
        (9, 7, [1, 1, 1, 2, 2, 2, 3], None),
        (3, 6, [1, 1, 1, 2, 2, 2, 3], "only sets of up to 2 of the 3 quasi-identifiers"),
        (3, 5, [1, 1, 1, 3], "only sets of up to 1 of the 3 quasi-identifiers"),
        (2, 5, [1, 1, 1], "only sets of up to 1 of the 3 quasi-identifiers"),
        (2, 6, [1, 1, 1, 2, 2, 2], None),
        (1, 3, [1, 1, 1], None),
    ],
)
def test_which_sets_of_columns_are_counted(most, limit, sizes, cut, monkeypatch):
    """Three sets of one, three of two, one of all; all columns are always among the known ones."""
    monkeypatch.setattr("attacks.association.MOST_KNOWN_SETS", limit)
    sets, reason = sets_of(("a", "b", "c"), most)
    assert [len(one) for one in sets] == sizes
    assert reason is None if cut is None else reason.startswith(cut)
