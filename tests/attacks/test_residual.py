"""Residual: who fits no published class, and the suppressed rows that kept their values."""

import pytest
from builders import reduced

import anonaudit
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE, MISSING
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.policy.policy import parse_policy
from attacks.residual import Residual, _most

PUBLISHED = [("40-49", "flu"), ("40-49", "gout")]


def run(rows, people, unit=None, **more):
    external = FrequencySet.of(["0"], [(age,) for age in people])
    classes = reduced(rows, [0], [1], unit=unit)
    return Residual().run(Setting(classes=classes, external=external, **more))


def test_one_person_and_one_suppressed_row():
    """43 and 48 are published; 90 fits nothing, so the suppressed row is theirs."""
    found = run([*PUBLISHED, ("*", "hiv")], ["43", "48", "90"])
    assert (found.targets, found.identified, found.disclosed) == (3, 1, 1)
    assert found.rate == pytest.approx(1 / 3)
    assert found.details["suppressed rows"] == found.details["fit no published class"] == 1


def test_two_suppressed_rows_of_one_value_disclose_and_identify_nobody():
    found = run([*PUBLISHED, ("*", "hiv"), ("*", "hiv")], ["43", "90", "91"])
    assert (found.identified, found.disclosed) == (0, 2)
    assert found.per_attribute == {"1": 2}


@pytest.mark.parametrize("other", ["flu", None])
def test_two_values_or_an_unknown_one_leave_a_chance(other):
    found = run([*PUBLISHED, ("*", "hiv"), ("*", other)], ["43", "90", "91"])
    assert (found.identified, found.disclosed) == (0, 0)
    assert found.details["share of the most frequent value"] == {"1": 1 / 2}


def test_more_people_than_suppressed_rows_make_nothing_certain():
    found = run([*PUBLISHED, ("*", "hiv")], ["90", "91"])
    assert (found.identified, found.disclosed) == (0, 0)
    assert "some are not released" in found.notes[0]


def test_suppressed_rows_of_one_person():
    rows = [("40-49", "flu", "p"), ("*", "hiv", "q"), ("*", "flu", "q")]
    found = run(rows, ["43", "90"], unit=2)
    assert (found.identified, found.disclosed) == (1, 1)
    assert found.details["suppressed rows"] == 1


def test_what_cannot_be_attacked_is_said():
    assert run(PUBLISHED, ["90"]).outcome is Outcome.SKIPPED
    assert run([("*", "hiv")], []).outcome is Outcome.INCONCLUSIVE
    plain = Setting(classes=reduced([("*", "a")], [0], [1]))
    assert Residual().run(plain).outcome is Outcome.SKIPPED
    with pytest.raises(AnonauditError, match="residual: the external table has none"):
        Residual().run(
            Setting(classes=plain.classes, external=FrequencySet.of(["who"], [("Ann",)]))
        )


def test_through_a_policy_persons_of_one_name_count_once(tmp_path):
    (tmp_path / "people.csv").write_text("who,age\nAnn,43\nZoe,90\nZoe,90\n")
    (tmp_path / "release.csv").write_text("age,dx\n40-49,flu\n40-49,gout\n*,hiv\n")
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\n"
        "attacks.residual = { external = 'people.csv', identity = ['who'], allow-rate = 0.0 }",
        folder=tmp_path,
    )
    report = anonaudit.audit(tmp_path / "release.csv", policy)
    found = next(a for a in report.attacks if a.attack == "residual")
    assert (found.targets, found.disclosed, found.outcome) == (2, 1, Outcome.VIOLATED)


def test_how_many_carry_the_value_that_most_carry():
    table = FrequencySet.of(["s", "id"], [("a", "1"), ("a", "1"), ("b", "1"), ("b", "2")])
    assert (_most(table, "s", None, FIRST_VALUE), _most(table, "s", "id", FIRST_VALUE)) == (2, 2)
    some = FrequencySet.of(["s"], [(None,), (None,), ("*",), ("a",)])
    assert _most(some, "s", None, FIRST_VALUE) == 1
    assert _most(some, "s", None, MISSING) == 2  # the missing cells are a value
    assert _most(FrequencySet.of(["s"], [(None,), ("*",)]), "s", None, FIRST_VALUE) == 0
