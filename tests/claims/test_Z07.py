"""Z07, claim by claim, as far as models go: Tables 2 to 4 and section 5."""

import csv

import oracle
import pytest
from builders import all_tables, reduced
from claims_of import assert_confirmed, checked_claims

from anonaudit import datasets
from anonaudit.cells import Convention
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.models import AlphaKAnonymity, KAnonymity, LDiversity
from anonaudit.models.rule_confidence import RuleConfidence
from anonaudit.models.rules import rules
from anonaudit.roles import Roles

QUASI = [0, 1, 2, 3]
COLUMNS = ["date-of-birth", "race", "sex", "zip-code", "disease"]


def table(name):
    with datasets.path(f"Z07/{name}.csv").open() as file:
        return [tuple(row[c] for c in COLUMNS) for row in csv.DictReader(file)]


@pytest.mark.claim("Z07-table2")
@pytest.mark.claim("Z07-one-rule")
def test_table_2_has_13_rules_above_70_percent():
    """Z07-table2, -one-rule: one with a maximal antecedent, 13 if X may be any subset."""
    classes = reduced(table("table2"), QUASI, [4])
    assert KAnonymity().measure(classes).measured == 3
    found = RuleConfidence(below=0.7).measure(classes)
    assert found.measured == 1
    assert found.details["rules at or above"] == 13
    assert found.details["its count"] == 3
    whole = [rule for rule in rules(classes, 0.7) if len(rule.antecedent) == 4]
    assert [(rule.shown, rule.of) for rule in whole] == [(3, 3)]


@pytest.mark.claim("Z07-table3")
@pytest.mark.claim("Z07-table4")
@pytest.mark.claim("Z07-sec5")
@pytest.mark.claim("Z07-k-kept")
@pytest.mark.parametrize(
    ("name", "largest"), [("table3", 2 / 3), ("table4", 2 / 3), ("section5", 1 / 3)]
)
def test_suppression_lowers_the_largest_confidence(name, largest):
    """Z07-table3, -table4, -sec5; and the unknown cells may still make the rule certain."""
    classes = reduced(table(name), QUASI, [4])
    found = RuleConfidence(below=0.7).measure(classes)
    assert found.measured == pytest.approx(largest)
    assert found.outcome.value == "holds"
    assert found.details["largest possible confidence"] == 1
    assert found.notes
    assert KAnonymity().measure(classes).measured == 3  # Z07-k-kept


@pytest.mark.claim("Z07-full-antecedent")
@pytest.mark.long
def test_the_largest_confidence_is_that_of_a_whole_class_and_is_alpha():
    """Z07-full-antecedent, on all small tables; and every rule against the oracle."""
    for rows in all_tables(("x", "y"), ("u", "v"), ("a", "b", None), most=3, least=1):
        classes = reduced(rows, [0, 1], [2])
        expected = oracle.rules(rows, [0, 1], [2])
        largest = max((rule.confidence for rule in expected), default=None)
        found = RuleConfidence().measure(classes)
        assert found.measured == (None if largest is None else pytest.approx(float(largest)))
        alpha = AlphaKAnonymity().measure(classes)
        assert found.measured == alpha.measured
        for least in (0.5, 0.7, 1.0):
            ours = sorted((r.shown, r.of, r.unknown) for r in rules(classes, least))
            theirs = sorted((r.both, r.of, r.unknown) for r in expected if r.confidence >= least)
            assert ours == theirs


@pytest.mark.claim("Z07-table4-2-diverse")
@pytest.mark.parametrize(("cells", "l"), [("unknown", 1), ("one-value", 2)])
def test_table_4_is_2_diverse_only_if_a_suppressed_cell_is_a_value(cells, l):
    """The class of 1968 shows *, * and Heart disease."""
    convention = Convention(sensitive=cells)
    base = FrequencySet.of(COLUMNS, table("table4"), convention)
    classes = equivalence_classes(base, Roles(tuple(COLUMNS[:4]), ("disease",)), convention)
    assert LDiversity().measure(classes).measured == l


@pytest.mark.parametrize("claim", checked_claims("Z07"))
def test_the_check_of_the_ledger(claim, monkeypatch):
    """Every claim with a check, gone through without a limit of time."""
    assert_confirmed(claim, monkeypatch)
