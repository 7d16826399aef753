"""Rows that look like the total of a table: warned of, whatever part their column plays."""

import pandas as pd
import pytest

import anonaudit
from anonaudit.policy.policy import parse_policy
from anonaudit.report.words.explanations import explanation


@pytest.mark.parametrize(
    "columns",
    [
        "{ quasi-identifiers = ['ward', 'sex'], sensitive = ['dx'] }",
        "{ quasi-identifiers = ['sex'], sensitive = ['ward'] }",
        "{ quasi-identifiers = ['sex'], sensitive = ['dx'], unit = 'ward' }",
        "{ quasi-identifiers = ['sex'], sensitive = ['dx'] }",
    ],
)
def test_a_total_row_is_suspected_in_every_column(columns: str) -> None:
    rows = [("A", "F", "flu"), ("B", "M", "gout"), ("Total", "", "4")]
    table = pd.DataFrame(rows, columns=["ward", "sex", "dx"])
    report = anonaudit.audit(table, parse_policy(f"columns = {columns}"))
    found = [notice for notice in report.warnings if notice.code == "total-row"]
    assert [notice.column for notice in found] == ["ward"]
    assert ": 1." in found[0].message
    assert "Total" not in found[0].message
    without = anonaudit.audit(table[:2], parse_policy(f"columns = {columns}"))
    assert "total-row" not in {notice.code for notice in without.warnings}
    assert explanation("total-row")
