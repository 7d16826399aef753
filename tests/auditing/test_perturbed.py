"""A perturbed column: classes count its cells, and nothing is claimed from comparing them."""

import numpy as np
import pandas as pd
import pytest

import anonaudit
from anonaudit.errors import InputError
from anonaudit.linking.matching import match_column
from anonaudit.policy import parse_policy
from anonaudit.report import to_text

POLICY = """
    columns = { quasi-identifiers = ["age", "sex"], sensitive = ["illness"] }
"""
READ = 'values.reading = { age = "perturbed" }\n'
PEOPLE = pd.DataFrame(
    {
        "age": ["30", "40", "50", "60"],
        "sex": ["F", "F", "F", "M"],
        "illness": ["flu", "HIV", "flu", "flu"],
    }
)
RELEASE = PEOPLE.assign(age=["32", "41", "51", "58"])


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    PEOPLE.to_csv("people.csv", index=False)


def audited(more, release=RELEASE, read=READ):
    return anonaudit.audit(release, parse_policy(POLICY + read + more))


def test_a_perturbed_value_matches_nothing_for_certain_and_may_match_everything():
    ground, released = ["", "*", "30", "40"], ["", "*", "30", "33"]
    match = match_column(ground, released, reading="perturbed", maybe=True)
    of = [side.of(np.array([2]))[1].tolist() for side in (match, match.widest)]
    assert (of, match.unread) == ([[0, 1], [0, 1, 2, 3]], 2)


LINKAGE = "attacks.linkage = { external = 'people.csv', allow-rate = "


def test_a_mismatch_of_perturbed_cells_is_no_safety():
    """As written no age matches, and nobody is found. The man is the only one, whatever his age."""
    as_written = audited(LINKAGE + "0.1 }", read="")
    assert as_written.attacks[0].identified == 0
    found = audited(LINKAGE + "0.1 }").attacks[0]
    assert (found.identified, found.undecided, found.outcome) == (1, 3, "violated")
    found = audited(LINKAGE + "0.5 }").attacks[0]
    assert (found.rate, found.highest_rate, found.outcome) == (0.25, 1, "inconclusive")
    assert "'age' is perturbed and not compared" in found.reason


def test_no_attack_holds_that_compares_perturbed_columns_only():
    both = 'values.reading = { age = "perturbed", sex = "perturbed" }\n'
    attacks = "".join(
        f"attacks.{name} = {{ external = 'people.csv', allow-rate = 0.9 }}\n"
        for name in ("linkage", "residual", "unsorted-matching", "best-guess", "association")
    )
    report = audited(attacks, read=both)
    asked = [a for a in report.attacks if a.allowed is not None]
    assert [a.outcome for a in asked] == ["inconclusive"] * 5
    assert all("'age', 'sex' are perturbed" in (a.reason or "") for a in asked)


def test_a_perturbed_sensitive_value_is_believed():
    report = audited(LINKAGE + "0.9 }", read='values.reading = { illness = "perturbed" }\n')
    found = next(a for a in report.attacks if a.attack == "linkage")
    note = (
        "illness is perturbed, so a disclosed value may not be the true one: it is believed, not "
    )
    assert f"{note}certain" in found.notes
    assert "believed, not certain" in " ".join(to_text(report).split())


def test_the_warning_says_what_levels_mean():
    report = audited("require.k-anonymity = { k = 1 }")
    assert [(w.code, w.column) for w in report.warnings if w.code == "perturbed-columns"] == [
        ("perturbed-columns", "age")
    ]
    assert (report.models[0].measured, report.models[0].outcome) == (1, "holds")


@pytest.mark.parametrize(("k", "outcome"), [(1, "inconclusive"), (2, "violated")])
def test_a_population_fits_perturbed_classes_by_the_other_columns_at_most(k, outcome):
    """Nobody fits a class for certain; the one man fits the man's class at most."""
    found = audited(f"population.file = 'people.csv'\nrequire.k-map = {{ k = {k} }}")
    model = next(m for m in found.models if m.model == "k-map")
    assert (model.measured, model.outcome) == (0, outcome)


ORIGINAL = "original = { file = 'people.csv', align = 'order' }\n"


def test_a_perturbed_column_is_not_compared_with_its_original():
    required = ORIGINAL + "require.valid-generalization = true"
    assert audited(required, read="").models[0].measured == 4
    found = audited(required).models[0]
    assert (found.measured, found.outcome) == (0, "inconclusive")
    assert "age (4 cell(s))" in found.notes[0]
    found = audited(required, RELEASE.assign(sex=["M", "F", "F", "M"])).models[0]
    assert (found.measured, found.outcome) == (1, "violated")


def test_interval_disclosure_is_measured_unasked_where_columns_are_perturbed():
    """The standard deviation of 32, 41, 51 and 58 is 11.4; only 40 and 50 are within 0.1 of it."""
    found = next(m for m in audited(ORIGINAL).models if m.model == "interval-disclosure")
    assert found.measured == 0
    required = ORIGINAL + "require.interval-disclosure = { most = 0.4, within = 0.1 }"
    found = audited(required).models[0]
    assert (found.measured, found.outcome) == (0.5, "violated")


def test_rows_are_not_paired_by_perturbed_values():
    with pytest.raises(InputError, match="'age' is perturbed; name a key"):
        audited("original.file = 'people.csv'")


def test_every_column_perturbed():
    both = 'values.reading = { age = "perturbed", sex = "perturbed", illness = "perturbed" }\n'
    report = audited(ORIGINAL + "attacks.best-guess = {}\nattacks.distance-linkage = {}", read=both)
    found = {a.attack: a for a in report.attacks}
    assert found["best-guess"].outcome == "inconclusive"
    assert found["distance-linkage"].rate == 1.0
