"""The hint that persons seem to have several rows, where the policy counts rows.

The table has 6 rows of 3 patients, counted by hand.
"""

import pandas as pd
import pytest

import anonaudit
from anonaudit import Outcome
from anonaudit.cli import main
from anonaudit.masking.maskers import mask
from anonaudit.policy.policy import parse_policy
from anonaudit.proposal import propose

ROWS = {
    "age": ["30"] * 6,
    "dx": ["flu", "gout"] * 3,
    "patient_id": ["a", "b", "c", "a", "b", "c"],
}
RULES = "columns = { quasi-identifiers = ['age'], sensitive = ['dx']%s }\n"
K = "require.k-anonymity = { k = 6 }\n"


def hints(report):
    return [(n.column, n.message) for n in report.warnings if n.code == "undeclared-unit"]


def test_a_number_of_persons_with_several_rows_is_warned_of_and_changes_no_verdict():
    table = pd.DataFrame(ROWS)
    report = anonaudit.audit(table, parse_policy(RULES % "" + K))
    ((column, message),) = hints(report)
    assert column == propose(table).unit.name == "patient_id"
    assert "6 rows have 3 values" in message
    assert report.outcome is Outcome.HOLDS
    by_persons = anonaudit.audit(table, parse_policy(RULES % ", unit = 'patient_id'" + K))
    assert hints(by_persons) == []
    assert (by_persons.outcome, by_persons.models[0].measured) == (Outcome.VIOLATED, 3)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("patient_id", list("abcdef")),  # every row has its own
        ("patient_id", ["a"] * 6),  # one number for all is none of persons
        ("visit_id", list("abcabc")),
        ("ward", list("abcabc")),
    ],
)
def test_columns_that_count_no_persons_are_passed_over(column, values):
    table = pd.DataFrame({"age": ROWS["age"], "dx": ROWS["dx"], column: values})
    assert hints(anonaudit.audit(table, parse_policy(RULES % ""))) == []


def test_a_table_of_counts_has_no_persons():
    table = pd.DataFrame({**ROWS, "n": ["2"] * 6})
    assert hints(anonaudit.audit(table, parse_policy(RULES % ", count = 'n'"))) == []


def test_the_masker_tells_of_it_before_anything_is_released():
    notes = mask(pd.DataFrame(ROWS), parse_policy(RULES % "" + K), algorithm="mondrian").notes
    assert any("'patient_id': the column seems to have IDs of persons" in note for note in notes)


def test_feasible_warns_of_its_table_as_an_audit_does(tmp_path, monkeypatch, capsys):
    table = pd.DataFrame({**ROWS, "dx": ["flu", "FLU", "gout", "flu", "gout", "NULL"]})
    table.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "p.toml").write_text(RULES % "" + K)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["anonaudit", "feasible", "t.csv", "p.toml", "--quiet"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    said = capsys.readouterr().err
    audited = anonaudit.audit(table, parse_policy(RULES % "" + K)).warnings
    for code in ("undeclared-unit", "near-duplicate-labels", "undeclared-missing-token"):
        (notice,) = [one for one in audited if one.code == code]
        assert f"t.csv: {code} in {notice.column!r}: {notice.message}" in said
    assert "FLU" not in said
