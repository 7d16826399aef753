"""Rows that look like the total of a table: warned of, whatever part their column plays."""

from pathlib import Path

import pandas as pd
import pytest

import anonaudit
from anonaudit.masking.maskers import mask
from anonaudit.policy.policy import parse_policy
from anonaudit.report.words.explanations import explanation


@pytest.mark.parametrize(
    "columns",
    [
        "{ quasi-identifiers = ['ward', 'sex'], sensitive = ['dx'] }",
        "{ quasi-identifiers = ['sex'], sensitive = ['ward'] }",
        "{ quasi-identifiers = ['sex'], sensitive = ['dx'], unit = 'ward' }",
        "{ quasi-identifiers = ['sex'], sensitive = ['dx'], identifiers = ['ward'] }",
        "{ quasi-identifiers = ['sex'], sensitive = ['dx'] }",
    ],
)
def test_a_total_row_is_suspected_in_every_column(columns: str) -> None:
    rows = [("A", "F", "flu"), ("B", "M", "gout"), ("Total", "", "4")]
    table = pd.DataFrame(rows, columns=["ward", "sex", "dx"])
    report = anonaudit.audit(table, parse_policy(f"columns = {columns}"))
    found = [notice for notice in report.warnings if notice.code == "total-row"]
    assert [notice.column for notice in found] == ["ward"]
    assert found[0].message.startswith("1 label may be the total")
    assert "Total" not in found[0].message
    without = anonaudit.audit(table[:2], parse_policy(f"columns = {columns}"))
    assert "total-row" not in {notice.code for notice in without.warnings}
    assert explanation("total-row")


@pytest.mark.parametrize(
    ("part", "column", "total"),
    [
        ("external", "name", "Total"),
        ("external", "ward", "Sum"),
        ("second", "ward", "Grand total"),
        ("second", "name", "TOTAL"),
        ("population", "ward", "Total"),
    ],
)
def test_a_total_row_is_suspected_in_every_other_table(
    tmp_path: Path, part: str, column: str, total: str
) -> None:
    rows = [("Ann", "A", "flu"), ("Bob", "B", "gout"), ("", "", "")]
    other = pd.DataFrame(rows, columns=["name", "ward", "dx"])
    other.loc[2, [column, "dx"]] = [total, "2"]
    other.to_csv(tmp_path / "other.csv", index=False)
    rules = {
        "external": "attacks.linkage = { external = 'other.csv', identity = ['name'] }",
        "second": "attacks.composition = { second = 'other.csv', external = 'other.csv', "
        "identity = ['name'] }",
        "population": "population = { file = 'other.csv' }",
    }
    columns = "columns = { quasi-identifiers = ['ward'], sensitive = ['dx'] }\n"
    policy = parse_policy(columns + rules[part], folder=tmp_path)
    table = pd.DataFrame([("A", "flu"), ("B", "gout")], columns=["ward", "dx"])
    found = [n for n in anonaudit.audit(table, policy).warnings if n.code == "total-row"]
    assert {notice.column for notice in found} == {column}
    assert all(notice.message.startswith("the ") for notice in found)


@pytest.mark.parametrize("part", ["identifiers", "quasi-identifiers"])
def test_masking_tells_of_a_total_row(part: str) -> None:
    """Nobody sees it in the release: three people with flu would be four, with two values."""
    rows = [("A", "F", "flu"), ("B", "M", "flu"), ("C", "M", "flu"), ("Total", "3", "3")]
    table = pd.DataFrame(rows, columns=["name", "sex", "dx"])
    columns = {"quasi-identifiers": ["sex"], "sensitive": ["dx"], "identifiers": list[str]()}
    columns[part] = [*columns[part], "name"]
    named = ", ".join(f"{key} = {value}" for key, value in columns.items())
    policy = parse_policy(f"columns = {{ {named} }}\nrequire.k-anonymity = {{ k = 4 }}")
    assert any("total of a table" in note for note in mask(table, policy).notes)
    policy = parse_policy(f"columns = {{ {named} }}\nrequire.k-anonymity = {{ k = 3 }}")
    assert not any("total of a table" in note for note in mask(table[:3], policy).notes)


@pytest.mark.parametrize("kind", ["object", "string", "category"])
def test_a_total_is_found_beside_missing_cells(kind: str) -> None:
    table = pd.DataFrame({"name": ["Ann", None, "Total"], "ward": ["A", "B", "2"]})
    policy = parse_policy("columns = { identifiers = ['name'], quasi-identifiers = ['ward'] }")
    report = anonaudit.audit(table.astype({"name": kind}), policy)
    assert [n.column for n in report.warnings if n.code == "total-row"] == ["name"]
