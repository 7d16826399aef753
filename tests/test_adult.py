"""Adult: counts that were computed with other tools, and hold for the whole way through.

UCI Adult and the ARX copy of it: SQL in DuckDB and plain Python, agreeing with pycanon 1.3.6
where that is right.
"""

from pathlib import Path

import pandas as pd
import pytest

import anonaudit
from anonaudit import datasets
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.models import MultiAttributeLDiversity
from anonaudit.policy.policy import parse_policy
from anonaudit.roles import Roles

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


def test_exact_diversity_over_three_attributes_of_every_class_of_adult():
    """80 classes of age decade, sex and race; L is 1 where a query finds one value only."""
    table = pd.read_csv(datasets.path("adult/adult.csv.gz"), dtype=str, keep_default_na=False)
    table["age"] = table["age"].str[:1].where(table["age"].str.len() == 2, "0") + "x"
    quasi, sensitive = ["age", "sex", "race"], ["occupation", "workclass", "income"]
    base = FrequencySet.of([*quasi, *sensitive], table[[*quasi, *sensitive]].to_numpy().tolist())
    classes = equivalence_classes(base, Roles(tuple(quasi), tuple(sensitive)))
    distinct = table.groupby(quasi)[sensitive].nunique()
    homogeneous = (distinct == 1).any(axis=1)
    found = MultiAttributeLDiversity(l=2).measure(classes)
    assert len(classes) == len(distinct)
    assert found.measured == 1
    # One deletion deletes a class only if all its rows carry that value.
    assert found.classes_violating == homogeneous.sum()
    three = MultiAttributeLDiversity(l=3).measure(classes)
    assert three.classes_violating >= (distinct == 2).any(axis=1).sum()
