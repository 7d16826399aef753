"""Risks and classes where a person has several rows; every number counted by hand."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import anonaudit
from anonaudit.errors import InputError
from anonaudit.findings import Outcome
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.models import (
    DeltaDisclosure,
    JournalistRisk,
    KAnonymity,
    KMap,
    MarketerRisk,
    ProsecutorRisk,
    PSensitiveKAnonymity,
    RuleConfidence,
    rule_confidence,
)
from anonaudit.models.k_anonymity import person_histories
from anonaudit.models.rules import count_rules
from anonaudit.policy.policy import parse_policy
from anonaudit.roles import Roles

# Class x has persons 1, 2 (three rows), class y has 1, 3, 4 (three rows).
ROWS = [("x", "1"), ("x", "1"), ("x", "2"), ("y", "1"), ("y", "3"), ("y", "4")]
CLASSES = equivalence_classes(FrequencySet.of(["q", "id"], ROWS), Roles(("q",), unit="id"))


def test_risks_are_averaged_over_persons() -> None:
    found = ProsecutorRisk(threshold=0.4).measure(CLASSES)
    assert found.measured == 0.5
    assert found.details["share above threshold"] == 2 / 5  # the two of x, of two and three
    assert found.details["average"] == pytest.approx(2 / 5)  # (2 * 1/2 + 3 * 1/3) / 5
    marketer = MarketerRisk(population=np.array([4.0, 6.0])).measure(CLASSES)
    assert marketer.measured == pytest.approx(float(Fraction(2, 4) + Fraction(3, 6)) / 5)


@pytest.mark.parametrize("model", [KMap, JournalistRisk, MarketerRisk])
def test_a_file_of_other_people_decides_nothing(model: type) -> None:
    """Class y has three persons, the file two: it is not the population of the release."""
    level = {KMap: {"k": 2}, JournalistRisk: {"highest": 0.5}, MarketerRisk: {"average": 0.5}}
    good = model(**level[model], population=np.array([2.0, 3.0])).measure(CLASSES)
    assert good.outcome is Outcome.HOLDS
    bad = model(**level[model], population=np.array([9.0, 2.0])).measure(CLASSES)
    assert bad.outcome is Outcome.INCONCLUSIVE
    assert bad.notes == (
        (
            "1 class(es) have more people in the release than people of the population file that "
            "surely fit them"
        ),
    )


def test_a_population_must_have_every_quasi_identifier(tmp_path) -> None:
    (tmp_path / "people.csv").write_text("sex\nF\nF\nF\n")
    policy = parse_policy(
        "columns.quasi-identifiers = ['sex', 'zip']\npopulation.file = 'people.csv'\n"
        "require.k-map = { k = 3 }\n",
        folder=tmp_path,
    )
    table = pd.DataFrame({"sex": ["F"], "zip": ["1"]})
    with pytest.raises(InputError, match=r"people\.csv: lacks the quasi-identifier\(s\) 'zip'"):
        anonaudit.audit(table, policy)


def weighted(weights: list[str]) -> anonaudit.AuditReport:
    table = pd.DataFrame([(*row, w) for row, w in zip(ROWS, weights, strict=True)])
    table.columns = ["q", "id", "w"]
    policy = (
        "columns = { quasi-identifiers = ['q'], unit = 'id', weight = 'w' }\n"
        "require.individual-risk = { highest = 1.0 }"
    )
    return anonaudit.audit(table, parse_policy(policy))


def test_individual_risk_counts_a_person_and_a_weight_once() -> None:
    """x: f = 2, weight 100, so 0.018779 (as in the test of rows); y: f = 3, weight 30."""
    risk = weighted(["50", "50", "50", "10", "10", "10"]).models[0]
    assert risk.measured == pytest.approx(0.046368, abs=1e-6)
    # Expected re-identifications: 2 * 0.018779 + 3 * 0.046368.
    assert risk.details["expected re-identifications"] == pytest.approx(0.176662, abs=3e-6)
    with pytest.raises(InputError, match="several sampling weights in one class \\(1 too many\\)"):
        weighted(["50", "51", "50", "10", "10", "10"])


def test_histories_leave_out_suppressed_rows() -> None:
    """1 and 2 share x; a row of 1 that is suppressed sets nobody apart."""
    rows = [("x", "1"), ("x", "2"), ("*", "1")]
    classes = equivalence_classes(FrequencySet.of(["q", "id"], rows), Roles(("q",), unit="id"))
    found = KAnonymity().measure(classes)
    assert (found.measured, found.details["k by whole histories"]) == (2, 2)


def test_a_level_that_is_reached_up_to_rounding_is_not_below_it() -> None:
    """Shares of u: 3/10 in the whole, 9/10 in x, so ln 3; 3/10 is no binary fraction."""
    rows = [("x", "u")] * 9 + [("x", "v")] + [("y", "v")] * 20
    classes = equivalence_classes(FrequencySet.of(["q", "s"], rows), Roles(("q",), ("s",)))
    for delta in (np.log(3), np.nextafter(np.log(3), 9)):
        found = DeltaDisclosure(delta=float(delta), absent="ignored").measure(classes)
        assert found.outcome is Outcome.VIOLATED


@pytest.mark.parametrize(
    ("visits", "sharing"),
    [
        ({"p": "xz", "q": "xz"}, [2]),
        ({"p": "xy", "q": "xz"}, [1, 1]),
        ({"p": "xy", "q": "z"}, [1, 1]),
        ({"p": "xy", "q": "xy", "r": "w"}, [1, 2]),
        ({"p": "xyz", "q": "xyz", "r": "xy", "s": "x"}, [1, 1, 2]),
        ({"p": "xxy", "q": "xyy", "r": "xxy"}, [1, 2]),  # how often counts
        ({"p": "zx", "q": "xz", "r": "z", "s": "z", "t": "x"}, [1, 2, 2]),
    ],
)
def test_who_has_the_same_visits_shares_a_history(visits, sharing) -> None:
    rows = [(place, person) for person, places in visits.items() for place in places]
    base = FrequencySet.of(["q", "id"], rows)
    assert sorted(person_histories(base, ("q",), "id").tolist()) == sharing
    two = FrequencySet.of(["r", "q", "id"], [("c", *row) for row in rows])  # beside a constant
    assert sorted(person_histories(two, ("r", "q"), "id").tolist()) == sharing


# The whole by distinct persons, and three more tables: (rows, t, beta, baseline, largest gain).
VISITS = {
    # flu A; hiv B: halves. Class x is all flu: t = 1/2, a gain of 1/2 on 1/2.
    "one value in two classes": ("xfA yfA yhB", 1 / 2, 1, 1 / 2),
    # Pairs: f A, h A, h B, so 1/3 and 2/3; x is all h, y is halves. Naming h is right for both.
    "two values of one person": ("xhA xhB yfA yhA", 1 / 3, 1 / 2, 1),
    # One class, whatever is in it, is the whole; f A, f B, h B: 2/3 and 1/3, f is right for both.
    "one class": ("xfA xfA xfA xfB xhB", 0, 0, 1),
    # f A, h B, g C: thirds, A's many rows count once. x, y and z have one value each: 2/3 away.
    "many rows of one person": ("xfA xfA xfA xfA yhB zgC", 2 / 3, 2, 1 / 3),
    # f A, f B, h C: x is f by A and B; y is f by A, h by C: halves, 1/6 away; x is 1/3 away.
    "a value that is frequent": ("xfA xfB yfA yhC", 1 / 3, 1 / 2, 2 / 3),
}


@pytest.mark.parametrize("name", VISITS)
def test_the_whole_counts_a_person_and_a_value_once(name: str) -> None:
    text, t, beta, guess = VISITS[name]
    rows = pd.DataFrame([tuple(word) for word in text.split()], columns=["q", "s", "p"])
    policy = parse_policy(
        "columns = { quasi-identifiers = ['q'], sensitive = ['s'], unit = 'p' }\n"
        "[require]\nt-closeness = { t = 1 }\nbeta-likeness = { beta = 9 }\n"
        "[attacks]\nskewness = { factor = 9 }\n"
    )
    report = anonaudit.audit(rows, policy)
    close, like = report.models[:2]
    assert close.measured == pytest.approx(t)
    assert like.measured == pytest.approx(beta)
    skewness = report.attacks[0]
    assert skewness.baseline == pytest.approx(guess)
    assert skewness.details["largest gain"] == {"s": pytest.approx(1 + beta)}
    # What is known of the whole does not depend on how it is divided.
    merged = anonaudit.audit(rows.assign(q="x"), policy)
    assert merged.models[0].measured == 0
    assert merged.attacks[0].baseline == pytest.approx(guess)


def test_condition_2_counts_rows_where_there_are_persons() -> None:
    """One person has a and b in both classes: four rows, two of each value, so 4 - 2 classes."""
    rows = [("x", "a", "P"), ("x", "b", "P"), ("y", "a", "P"), ("y", "b", "P")]
    base, roles = FrequencySet.of(["q", "s", "p"], rows), Roles(("q",), ("s",), unit="p")
    found = PSensitiveKAnonymity(p=2).measure(equivalence_classes(base, roles))
    assert (found.measured, found.details["maxGroups"], found.notes) == (2, {"2": 2}, ())


def _visits(rows, unit="who"):
    names = ["a", "b", "s", "who"]
    roles = Roles(("a", "b"), ("s",), unit=unit)
    return equivalence_classes(FrequencySet.of(names, rows), roles)


def test_an_unasked_rule_confidence_ends_with_a_certain_rule(monkeypatch):
    """Whole classes hold a certain rule, so that no other set of columns is counted."""
    looked = []

    def counted(classes, antecedent, consequent):
        looked.append(antecedent)
        return count_rules(classes, antecedent, consequent)

    monkeypatch.setattr(rule_confidence, "count_rules", counted)
    rows = [("1", "u", "x", "p"), ("1", "u", "x", "q"), ("2", "u", "y", "p"), ("2", "v", "x", "r")]
    found = RuleConfidence().measure(_visits(rows))
    assert (found.measured, found.notes, looked) == (1, (), [("a", "b")])
    looked.clear()
    assert RuleConfidence(below=0.9).measure(_visits(rows)).measured == 1
    assert {*looked} >= {("a",), ("b",), ("a", "b")}


def test_an_unasked_rule_confidence_says_what_its_budget_left_out(monkeypatch):
    """By hand: 1/2 in both classes of a and b, and certain for b alone, as both persons show x."""
    rows = [("1", "u", "x", "p"), ("1", "u", "y", "q"), ("2", "u", "y", "p"), ("2", "u", "x", "q")]
    found = RuleConfidence().measure(_visits(rows))
    assert (found.measured, found.notes) == (1, ())
    monkeypatch.setattr(rule_confidence, "MOST_UNASKED", 4)
    found = RuleConfidence().measure(_visits(rows))
    assert found.measured == 0.5
    assert "rules of 1 of the 3 sets of quasi-identifiers" in found.notes[0]
    assert found.details["largest possible confidence"] == 1
    assert RuleConfidence(below=0.9).measure(_visits(rows)).measured == 1  # asked for: all of them
