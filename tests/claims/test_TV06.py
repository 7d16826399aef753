"""TV06, claim by claim, as far as models and attacks go: its tables and examples.

Expected values are printed in the paper, or counted by hand in the table at hand.
"""

import csv
from collections import defaultdict
from functools import partial
from itertools import accumulate

import oracle
import pytest
from builders import all_tables, reduced
from claims_of import assert_confirmed, checked_claims
from hypothesis import given

import anonaudit
from anonaudit import datasets
from anonaudit.cells import Convention
from anonaudit.findings import Outcome
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.models import AlphaKAnonymity
from anonaudit.models.p_sensitive import algorithm_1, algorithm_2, max_groups, max_p
from anonaudit.papers.claims.tv06 import masked, maskings
from anonaudit.policy.policy import parse_policy
from anonaudit.roles import Roles

QUASI = ["age", "zip-code", "sex"]


@pytest.mark.claim("TV06-table1")
def test_table_1_is_2_anonymous_and_tells_what_sam_and_eric_have(tmp_path):
    """TV06-table1: no identity is linked, two persons have Diabetes."""
    # The adversary knows that ages were generalized to multiples of 10.
    tree = "29;20\n34;30\n38;30\n51;50\n"
    (tmp_path / "age.csv").write_text(tree)
    policy = parse_policy(
        f"""
        columns = {{ quasi-identifiers = {QUASI}, sensitive = ['illness'] }}
        hierarchies.age = {{ file = 'age.csv' }}
        require.k-anonymity = {{ k = 2 }}
        [attacks.linkage]
        external = '{datasets.path("TV06/table2.csv").as_posix()}'
        identity = ['name']
        """,
        folder=tmp_path,
    )
    report = anonaudit.audit(datasets.path("TV06/table1.csv"), policy)
    linkage, homogeneity = report.attacks
    assert report.models[0].measured == 2
    assert report.outcome is Outcome.HOLDS
    assert (linkage.targets, linkage.identified, linkage.disclosed) == (6, 0, 2)
    assert linkage.details["several matches"] == 6
    assert (homogeneity.targets, homogeneity.disclosed) == (6, 2)


@pytest.mark.claim("TV06-table3")
@pytest.mark.parametrize(("table", "p"), [("table3", 1), ("table3-variant", 2)])
def test_table_3_is_1_sensitive_and_2_sensitive_with_another_income(table, p):
    """TV06-table3."""
    report = anonaudit.audit(
        datasets.path(f"TV06/{table}.csv"), quasi_identifiers=QUASI, sensitive=["illness", "income"]
    )
    levels = {m.model: m for m in report.models}
    assert levels["k-anonymity"].measured == 3
    assert levels["p-sensitive-k-anonymity"].measured == p


def frequencies(name):
    """A frequency table of the paper as a release of one class: rank r of S is the value r."""
    found = defaultdict(dict)
    with datasets.path(f"TV06/{name}.csv").open() as file:
        for row in csv.DictReader(file):
            found[row["attribute"]][row["rank"]] = int(row["frequency"])
    return found


def one_class(by_attribute):
    """Rows with these frequencies in every attribute, all in one class."""
    columns = [
        [value for value, n in counts.items() for _ in range(n)] for counts in by_attribute.values()
    ]
    names = tuple(by_attribute)
    base = FrequencySet.of(names, list(zip(*columns, strict=True)))
    return equivalence_classes(base, Roles((), names))


@pytest.mark.claim("TV06-cond2")
def test_example_1_allows_300_100_50_and_25_groups():
    """TV06-cond2 with Tables 5 and 6."""
    sensitive = one_class(frequencies("table5")).sensitive
    assert max_p(sensitive) == 5
    assert [max_groups(sensitive, p) for p in (2, 3, 4, 5)] == [300, 100, 50, 25]
    assert max_groups(sensitive, 6) == 0  # beyond maxP nothing is allowed
    assert max_groups(sensitive, 1) is None


@pytest.mark.claim("TV06-cond2")
def test_900_90_5_3_2_allows_10_groups_of_3_values():
    sensitive = one_class(frequencies("section3-frequencies")).sensitive
    assert max_groups(sensitive, 3) == 10


@pytest.mark.claim("TV06-cond2")
def test_table_6_is_table_5_added_up():
    """Its last row is the largest of each rank, as far as every attribute has values."""
    added = {name: list(accumulate(n.values())) for name, n in frequencies("table5").items()}
    with datasets.path("TV06/table6.csv").open() as file:
        told = defaultdict(list)
        for row in csv.DictReader(file):
            told[row["attribute"]].append(int(row["cumulative-frequency"]))
    assert added == told
    with datasets.path("TV06/table6-maximum.csv").open() as file:
        most = [int(row["cumulative-frequency"]) for row in csv.DictReader(file)]
    assert most == [700, 900, 950, 960, 1000]  # of 5 ranks, as S1 has 5 values
    assert most == [max(told[name][i] for name in told) for i in range(5)]


@pytest.mark.claim("TV06-half-guess")
@pytest.mark.parametrize(("values", "chance"), [("ab", 1 / 2), ("aabb", 1 / 2), ("aab", 2 / 3)])
def test_a_guess_is_right_with_half_if_both_values_are_equally_frequent(values, chance):
    rows = [("x", value) for value in values]
    assert AlphaKAnonymity().measure(reduced(rows, [0], [1])).measured == pytest.approx(chance)


@pytest.mark.claim("TV06-bounds-generalization")
@given(maskings())
def test_generalization_alone_changes_neither_bound(drawn):
    table, node, _ = drawn
    release = masked(table, node, range(len(table.rows)))
    assert oracle.max_p(release, [2, 3]) == oracle.max_p(table.rows, [2, 3])
    before, after = (
        reduced([r[2:] for r in rows], [], [0, 1]).sensitive for rows in (table.rows, release)
    )
    assert max_p(before) == max_p(after)
    for p in (2, 3, 4):
        assert max_groups(before, p) == max_groups(after, p)
        assert oracle.max_groups(release, [2, 3], p) == max_groups(after, p)


def generalized(tree, level, value):
    return tree.generalize(value, level)


@pytest.mark.claim("TV06-fig3-table4")
def test_figure_3_counts_the_tuples_that_break_3_anonymity():
    """TV06-fig3-table4: 10, 7, 7, 2, 0, 0 by node of the lattice."""
    with datasets.path("TV06/figure3.csv").open() as file:
        base = FrequencySet.of(
            ["sex", "zip"], [tuple(row.values()) for row in csv.DictReader(file)]
        )
    trees = {
        "sex": anonaudit.Hierarchy.read(datasets.path("TV06/hierarchies/sex.csv")),
        "zip": anonaudit.Hierarchy.read(datasets.path("TV06/hierarchies/zip-code.csv")),
    }
    found = {}
    for s in (0, 1):
        for z in (0, 1, 2):
            level = {"sex": s, "zip": z}
            up = {a: partial(generalized, trees[a], level[a]) for a in trees}
            convention = Convention(suppressed_tuples="include")
            classes = equivalence_classes(
                base.relabel(up, convention), Roles(("sex", "zip")), convention
            )
            found[f"<S{s}, Z{z}>"] = int(classes.rows[classes.sizes < 3].sum())
    with datasets.path("TV06/figure3-counts.csv").open() as file:
        assert found == {row["node"]: int(row["tuples"]) for row in csv.DictReader(file)}


@pytest.mark.claim("TV06-p-le-k")
def test_p_is_never_above_k():
    """TV06-p-le-k, on all tables of up to 5 rows."""
    for rows in all_tables(("x", "y"), ("a", "b", "c"), most=5, least=1):
        classes = reduced(rows, [0], [1])
        assert classes.sensitive["1"].distinct.min() <= classes.sizes.min()


@pytest.mark.claim("TV06-cond1")
@pytest.mark.claim("TV06-cond2")
@pytest.mark.claim("TV06-alg1-2")
def test_conditions_are_necessary_and_algorithms_1_and_2_agree():
    """TV06-cond1, -cond2, -alg1-2; and how often the conditions decide without the details."""
    decided = defaultdict(int)
    for rows in all_tables(("x", "y", "z"), ("a", "b", "c"), most=4, least=1):
        classes = reduced(rows, [0], [1])
        for p, k in ((2, 2), (2, 3), (3, 3)):
            quick = algorithm_2(classes, p, k)
            holds = oracle.is_p_sensitive_k_anonymous(rows, [0], [1], p, k)
            assert quick.holds == algorithm_1(classes, p, k) == holds
            decided[quick.decided_by] += 1
            if holds:
                assert p <= max_p(classes.sensitive)
                assert len(classes) <= max_groups(classes.sensitive, p)
    assert decided["condition 1"] > 100
    assert decided["condition 2"] > 100


@pytest.mark.claim("TV06-thm1")
@pytest.mark.claim("TV06-thm2")
@pytest.mark.long
def test_conditions_carry_over_from_the_initial_microdata():
    """TV06-thm1, -thm2: suppressing tuples never raises maxP or maxGroups, for every subset."""
    for rows in all_tables(("a", "b", "c"), ("1", "2"), most=5, least=1):
        whole = reduced(rows, [], [0, 1]).sensitive
        for gone in range(len(rows)):
            part = reduced(rows[:gone] + rows[gone + 1 :], [], [0, 1]).sensitive
            if len(rows) == 1:
                continue  # nothing is left
            assert max_p(part) <= max_p(whole)
            for p in (2, 3, 4):
                assert max_groups(part, p) <= max_groups(whole, p)


@pytest.mark.claim("TV06-thm1")
@pytest.mark.claim("TV06-thm2")
@given(maskings())
def test_theorems_1_and_2_on_recodings_drawn_at_random(drawn):
    """Any node of ragged hierarchies, any suppression; counted by the oracle and by the library."""
    table, node, kept = drawn
    release = masked(table, node, kept)
    whole, left = (reduced([row[2:] for row in rows], [], [0, 1]) for rows in (table.rows, release))
    assert oracle.max_p(release, [2, 3]) <= oracle.max_p(table.rows, [2, 3])
    assert max_p(left.sensitive) == oracle.max_p(release, [2, 3])
    for p in (2, 3, 4):
        assert oracle.max_groups(release, [2, 3], p) <= oracle.max_groups(table.rows, [2, 3], p)
        assert max_groups(left.sensitive, p) == oracle.max_groups(release, [2, 3], p)
        assert max_groups(left.sensitive, p) <= max_groups(whole.sensitive, p)


@pytest.mark.claim("TV06-p-le-k")
@pytest.mark.claim("TV06-thm1")
@pytest.mark.claim("TV06-thm2")
def test_with_unknown_cells_the_bounds_fail_as_the_ledger_says():
    rows = [("x", None), ("y", "a"), ("y", "b")]
    assert (oracle.k_anonymity(rows, [0]), oracle.p_sensitivity(rows, [0], [1])) == (1, 2)
    rows = [("a", "1"), (None, "1"), (None, "2")]
    assert [oracle.max_p(part, [0, 1]) for part in (rows, rows[1:])] == [1, 2]
    one_person = [("x", "a", "p"), ("x", "b", "p")]
    assert oracle.k_persons(one_person, [0], 2) == 1
    assert oracle.p_sensitivity(one_person, [0], [1]) == 2


@pytest.mark.parametrize("claim", checked_claims("TV06"))
def test_the_check_of_the_ledger(claim, monkeypatch):
    """Every claim with a check, gone through without a limit of time."""
    assert_confirmed(claim, monkeypatch)
