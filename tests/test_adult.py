"""Adult: counts that were computed with other tools, and hold for the whole way through.

UCI Adult and the ARX copy of it: SQL in DuckDB and plain Python, agreeing with pycanon 1.3.6
where that is right.
"""

from pathlib import Path

import pytest

import anonaudit
from anonaudit import datasets
from anonaudit.policy import parse_policy

ARX_QUASI = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass"]


@pytest.mark.parametrize(
    ("quasi", "classes", "alone"),
    [
        (ARX_QUASI, 11_089, 7_653),
        ([*ARX_QUASI, "occupation", "salary-class"], 19_502, None),
    ],
)
def test_the_copy_of_arx(shared: Path, quasi: list[str], classes: int, alone: int | None) -> None:
    policy = parse_policy(f"columns.quasi-identifiers = {quasi}\nrequire.k-anonymity = {{ k = 2 }}")
    report = anonaudit.audit(shared / "datasets" / "arx" / "adult.csv", policy)
    found = report.models[0]
    assert (report.release.rows, report.release.classes) == (30_162, classes)
    assert found.measured == 1
    if alone is not None:
        assert found.rows_violating == found.classes_violating == alone


def test_uci_adult_by_age_race_and_sex() -> None:
    policy = parse_policy(
        """
        columns = { quasi-identifiers = ['age', 'race', 'sex'], sensitive = ['income', 'occupation'] }
        require.k-anonymity = [{ k = 2 }, { k = 5 }]
        """
    )
    report = anonaudit.audit(datasets.path("adult/adult.csv.gz"), policy)
    two, five = report.models[:2]
    levels = {(m.model, m.parameters.get("distance")): m for m in report.models}
    homogeneity = report.attacks[0]
    assert (report.release.rows, report.release.classes) == (32_561, 546)
    assert (two.rows_violating, five.rows_violating) == (65, 424)
    income = levels["t-closeness", "equal"].per_attribute["income"]
    assert income.measured == pytest.approx(0.7591904426, abs=1e-10)
    assert levels["l-diversity", None].per_attribute["income"].measured == 1
    assert homogeneity.details["classes"] == {"income": 232, "occupation": 75}
    assert homogeneity.per_attribute == {"income": 3_113, "occupation": 86}


def test_the_masked_release_of_adult() -> None:
    """Counted in plain Python by datasets/build_release.py, and again with pandas."""
    policy = parse_policy(
        """
        [columns]
        quasi-identifiers = ['age', 'marital-status', 'race', 'sex']
        sensitive = ['occupation', 'income', 'capital-gain']
        [require]
        k-anonymity = { k = 3 }
        p-sensitive-k-anonymity = { p = 2 }
        """
    )
    report = anonaudit.audit(datasets.path("adult/release.csv.gz"), policy)
    k, p = report.models[:2]
    assert (report.release.rows, report.release.classes, k.measured) == (32_554, 47, 3)
    assert {name: level.measured for name, level in p.per_attribute.items()} == {
        "occupation": 3,
        "income": 1,
        "capital-gain": 1,
    }
    assert (p.classes_violating, p.rows_violating) == (10, 299)
    homogeneity = report.attacks[0]
    assert homogeneity.per_attribute == {"occupation": 0, "income": 227, "capital-gain": 79}
    assert homogeneity.disclosed == 299
