"""Which column is to blame: rows in small classes, counted again by a dictionary."""

from collections import Counter, defaultdict
from dataclasses import replace

import pandas as pd
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


def test_nobody_is_blamed_where_all_holds():
    rows = [("1", "1", "F", "f"), ("2", "1", "F", "g")]
    report = audited(rows, "k-anonymity = {k = 1}")
    assert report.blame is None
    assert "blame" not in to_dict(report)


def persons_in_small(rows, columns, below):
    """The rows and the persons in classes of fewer persons; a person is the last cell of a row."""
    members = defaultdict(set)
    for row in rows:
        members[tuple(row[column] for column in columns)].add(row["person"])
    inside = [row for row in rows if len(members[tuple(row[c] for c in columns)]) < below]
    return len(inside), len({row["person"] for row in inside})


@given(
    st.lists(
        st.tuples(*(st.sampled_from("ab") for _ in QUASI), st.sampled_from("stuvw")),
        min_size=1,
        max_size=14,
    ),
    st.integers(1, 4),
)
def test_persons(rows, k):
    """Persons with rows in several classes are counted once."""
    frame = pd.DataFrame(rows, columns=[*QUASI, "person"])
    lines = f"columns.quasi-identifiers = {list(QUASI)}\ncolumns.unit = 'person'\n"
    report = anonaudit.audit(frame, parse_policy(f"{lines}require.k-anonymity.k = {k}"))
    dicts = frame.to_dict("records")
    inside, persons = persons_in_small(dicts, QUASI, k)
    without = {
        column: persons_in_small(dicts, [c for c in QUASI if c != column], k)[1] for column in QUASI
    }
    assert report.blame == (Blame(k, inside, without, persons) if inside else None)


def test_persons_are_named():
    """Two persons of three rows each: by zip and sex they are one class, by age three of one."""
    rows = [(str(age), "1", "F", "f", p) for p in "st" for age in (1, 2, 3 + (p == "t"))]
    frame = pd.DataFrame(rows, columns=[*QUASI, "dx", "person"])
    lines = f"columns.quasi-identifiers = {list(QUASI)}\ncolumns.unit = 'person'\n"
    report = anonaudit.audit(frame, parse_policy(f"{lines}require.k-anonymity.k = 2"))
    # Ages 1 and 2 have two persons, ages 3 and 4 one each.
    assert report.blame == Blame(2, 2, {"age": 0, "zip": 2, "sex": 2}, 2)
    assert to_dict(report)["blame"]["persons"] == 2
    assert "Without age, 0 instead of 2 people would be alone." in " ".join(first_screen(report))


def test_no_column_is_named_where_none_helps():
    rows = [("1", "1", "F", "f"), ("2", "2", "M", "g")]
    report = audited(rows, "k-anonymity = {k = 2}")
    assert report.blame == Blame(2, 2, dict.fromkeys(QUASI, 2))
    assert "Without" not in " ".join(first_screen(report))
    helped = replace(report, blame=Blame(5, 9, {"age": 8, "zip": 7}))
    said = " ".join(first_screen(helped))
    assert "Without zip, 7 instead of 9 rows would be in such groups." in said
