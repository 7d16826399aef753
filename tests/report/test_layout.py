"""Layout and figures: nothing breaks a line, columns stay aligned, no number lies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.arbitrary import texts

from anonaudit.report.words import figures, layout


@given(st.lists(st.tuples(texts, st.integers(0, 10**6)), min_size=1), st.integers(40, 120))
def test_tables_are_aligned_whatever_the_names(rows, width):
    cells = [[name, f"{number:,}"] for name, number in rows]
    lines = layout.table_lines([["name", "number"], *cells], left=(0,), width=width)
    numbers = [f"{number:,}" for _, number in rows]
    ends = [line for line in lines if line.endswith("number") or line.split(" ")[-1] in numbers]
    # A long name has lines of its own, as many as 240 cells take, half of each may be empty.
    assert len(lines) <= (2 + 2 * 240 // (width - 4)) * len(rows) + 1
    assert all(layout.width_of(line) <= width for line in lines)
    assert len(ends) >= len(rows) + 1
    assert layout.width_of(lines[0]) == layout.width_of(lines[-1])  # numbers end at one column


def test_a_long_name_is_not_cut():
    rows = [["name", "a", "b"], ["multi-attribute-l-diversity (at-most income = 1)", "1", "2" * 10]]
    assert layout.table_lines(rows, left=(0,), width=50) == [
        "  name                               a           b",
        "  multi-attribute-l-diversity (at-most income = 1)",
        "                                     1  2222222222",
    ]


@given(texts, st.integers(40, 120))
def test_paragraphs_fit_and_lose_nothing(text, width):
    lines = layout.paragraph(text, width, first="- ", rest="  ")
    assert all(layout.width_of(line) <= width for line in lines)
    kept = "".join(line[2:] for line in lines)
    assert kept.replace(" ", "") == layout.printable(text).replace(" ", "")


@given(texts, st.integers(1, 40))
def test_shortened_names_fit(text, limit):
    found = layout.shorten(layout.printable(text), limit)
    assert layout.width_of(found) <= limit
    assert len(found) <= 4 * limit + 1


def test_shortened_names_keep_both_ends():
    assert layout.shorten("extended-p-sensitive-k-anonymity", 20) == "extended-p…anonymity"
    assert layout.shorten("住所の郵便番号", 9) == "住所…番号"
    assert layout.shorten("e" + "\u0301" * 10000, 5).count("\u0301") < 20


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("age", "age"),
        ("a b", "a b"),
        ("", '""'),
        (" a", '" a"'),
        ("a  b", '"a  b"'),
        ("a,b", '"a,b"'),
        ("\x1b[0m", r"\x1b[0m"),
        ("\u200bage", r"\u200bage"),
        ("a\xa0b", r"a\xa0b"),
        ("\ud800", r"\ud800"),
        ("C:\\data", "C:\\data"),
        ("é", "é"),
    ],
)
def test_names_in_sentences(text, shown):
    assert layout.name(text) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (None, "-"),
        (float("nan"), "-"),
        (0.0, "0%"),
        (1.0, "100%"),
        (0.5, "50%"),
        (0.0958201529, "9.58%"),
        (1 / 3, "33.3%"),
        (0.00123456, "0.123%"),
        (1e-9, "<0.0001%"),
        (0.9994, "99.9%"),
        (0.99951, ">99.9%"),
        (0.999999999, ">99.9%"),
    ],
)
def test_percent(share, shown):
    assert figures.percent(share) == shown


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        (None, "-"),
        (float("inf"), "-"),
        (5, "5"),
        (5.0, "5"),
        (11089, "11,089"),
        (0.7591904426, "0.7592"),
        (2.5, "2.5"),
        (1.99999, "2"),
        (12345.678, "12,346"),
        (0, "0"),
        (1e-9, "1e-09"),
        (0.00012345, "0.0001234"),
        (-0.0, "0"),
        (10, "10"),
        (1e20, "1e+20"),
    ],
)
def test_level(level, shown):
    assert figures.level(level) == shown


def test_numbers_that_are_compared_can_be_told_apart():
    assert figures.apart(1.99999, 2, figures.level) == ("1.99999", "2")
    assert figures.apart(0.2000004, 0.2, figures.level) == ("0.2000004", "0.2")
    assert figures.apart(0.05004, 0.05, figures.percent) == ("5.004%", "5%")
    assert figures.apart(1.9999999999, 2, figures.level) == ("2", "2")  # equal for the models too
    assert figures.apart(None, 2, figures.level) == ("-", "2")


@given(st.floats(0, 1), st.floats(0, 1))
def test_shares_that_differ_read_differently(share, other):
    shown = figures.apart(share, other, figures.percent)
    if abs(share - other) > 1e-6:
        assert shown[0] != shown[1]
