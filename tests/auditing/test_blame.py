"""Which column is to blame: rows in small classes, counted again by a dictionary."""

from collections import Counter
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit.findings import Blame
from anonaudit.policy.policy import parse_policy
from anonaudit.report import to_dict
from anonaudit.report.sections.first_screen import first_screen

QUASI = ("age", "zip", "sex")


def small(rows, columns, below):
    """How many rows have fewer than so many that are equal on the columns."""
    counts = Counter(tuple(row[column] for column in columns) for row in rows)
    return sum(n for n in counts.values() if n < below)


def audited(rows, require, **columns):
    lines = "".join(f"{key} = {value}\n" for key, value in columns.items())
    policy = f"[columns]\nquasi-identifiers = {list(QUASI)}\nsensitive = ['dx']\n{lines}"
    frame = pd.DataFrame(rows, columns=[*QUASI, "dx"]).assign(person=range(len(rows)))
    return anonaudit.audit(frame, parse_policy(f"{policy}[require]\n{require}\n"))


tables = st.lists(
    st.tuples(*(st.sampled_from("ab") for _ in QUASI), st.sampled_from("fg")),
    min_size=1,
    max_size=12,
)


@given(tables, st.integers(1, 5))
def test_counts(rows, k):
    report = audited(rows, f"k-anonymity = {{k = {k}}}")
    dicts = [dict(zip(QUASI, row, strict=False)) for row in rows]
    expected = Blame(
        k,
        small(dicts, QUASI, k),
        {column: small(dicts, [c for c in QUASI if c != column], k) for column in QUASI},
    )
    assert report.blame == (expected if expected.rows else None)


def test_one_column_singles_everybody_out():
    # Four ages, one zip and one sex; by zip and sex all four are one class.
    rows = [(age, "1", "F", "fg"[age % 2]) for age in range(4)]
    report = audited(rows, "k-anonymity = {k = 2}")
    assert report.blame == Blame(2, 4, {"age": 0, "zip": 4, "sex": 4})
    assert "Without age, 0 instead of 4 rows would be alone." in " ".join(first_screen(report))
    assert to_dict(report)["blame"] == {
        "below": 2,
        "rows": 4,
        "without": {"age": 0, "zip": 4, "sex": 4},
    }


@pytest.mark.parametrize(
    ("require", "columns"),
    [("k-anonymity = {k = 1}", {}), ("k-anonymity = {k = 2}", {"unit": "'person'"})],
)
def test_nobody_is_blamed_where_all_holds_or_persons_are_counted(require, columns):
    rows = [("1", "1", "F", "f"), ("2", "1", "F", "g")]
    report = audited(rows, require, **columns)
    assert report.blame is None
    assert "blame" not in to_dict(report)


def test_no_column_is_named_where_none_helps():
    rows = [("1", "1", "F", "f"), ("2", "2", "M", "g")]
    report = audited(rows, "k-anonymity = {k = 2}")
    assert report.blame == Blame(2, 2, dict.fromkeys(QUASI, 2))
    assert "Without" not in " ".join(first_screen(report))
    helped = replace(report, blame=Blame(5, 9, {"age": 8, "zip": 7}))
    said = " ".join(first_screen(helped))
    assert "Without zip, 7 instead of 9 rows would be in such groups." in said
