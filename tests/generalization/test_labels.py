"""What labels denote: spellings of real tools, exact numbers, repairs, and laws."""

import itertools
import json
import unicodedata
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonaudit.errors import AnonauditError
from anonaudit.generalization import labels as module
from anonaudit.generalization.labels import (
    REPAIRS,
    Interval,
    Prefix,
    Rounded,
    Start,
    Truncated,
    ValueSet,
    ambiguous,
    canonical,
    exact_number,
    parse,
    readings,
)
from anonaudit.generalization.lint import overlapping_intervals
from anonaudit.linking.matching import match_column

INF = None


def behind(label, cells):
    """The ground cells that may stand behind a released label, as linkage finds them."""
    match = match_column(["", "*", *cells], ["", "*", label])
    return [cell for g, cell in enumerate(cells, 2) if 2 in match.of(np.array([g]))[1]]


def never_empty(label):
    """Whether an interval holds a number."""
    if label.low is None or label.high is None:
        return True
    return label.low < label.high or (
        label.low == label.high and label.low_closed and label.high_closed
    )


def interval(low, high, ends):
    """An interval with its ends as text; `ends` are two brackets such as `[)`."""
    return Interval(
        None if low is INF else Fraction(low),
        None if high is INF else Fraction(high),
        ends[0] == "[",
        ends[1] == "]",
    )


def members(*names):
    return ValueSet(frozenset(names))


@pytest.mark.parametrize(
    ("text", "low", "high", "ends"),
    [
        ("[20,30)", "20", "30", "[)"),
        ("[20, 30[", "20", "30", "[)"),  # ARX
        ("[ 20 , 30 [", "20", "30", "[)"),
        ("[20;30)", "20", "30", "[)"),
        ("]30, 40]", "30", "40", "(]"),
        ("(30,40]", "30", "40", "(]"),
        ("]30,40[", "30", "40", "()"),
        ("(30,40)", "30", "40", "()"),
        ("[20,30]", "20", "30", "[]"),
        ("[5,5]", "5", "5", "[]"),
        ("(20.999, 30.0]", "20.999", "30", "(]"),  # pandas.cut
        ("(1e+03,2e+03]", "1000", "2000", "(]"),  # cut() of R
        ("[25-97]", "25", "97", "[]"),  # polarfrost
        ("[0.0-97.0]", "0", "97", "[]"),  # pyikaild
        ("[20-30)", "20", "30", "[)"),
        ("['35-44']", "35", "44", "[]"),  # anonypy
        ("20-30", "20", "30", "[]"),
        ("20 - 30", "20", "30", "[]"),
        (" 20-30 ", "20", "30", "[]"),
        ("20–30", "20", "30", "[]"),
        ("20—30", "20", "30", "[]"),
        ("20−30", "20", "30", "[]"),
        ("0.0 - 5.0", "0", "5", "[]"),
        ("51.0-54", "51", "54", "[]"),
        ("97-97", "97", "97", "[]"),
        ("-10--5", "-10", "-5", "[]"),
        ("-10 - -5", "-10", "-5", "[]"),
        ("-5-5", "-5", "5", "[]"),
        ("-5 - 5", "-5", "5", "[]"),
        ("[-10,-5)", "-10", "-5", "[)"),
        ("[-10--5]", "-10", "-5", "[]"),
        ("26~33", "26", "33", "[]"),
        ("<50", INF, "50", "()"),
        ("< 50", INF, "50", "()"),
        ("<=50", INF, "50", "(]"),
        ("≤50", INF, "50", "(]"),
        (">=40", "40", INF, "[)"),
        ("≥ 40", "40", INF, "[)"),
        ("> 40", "40", INF, "()"),
        (">-1.5", "-1.5", INF, "()"),
        ("50+", "50", INF, "[)"),
        ("50 +", "50", INF, "[)"),
        ("[65, inf)", "65", INF, "[)"),
        ("[65, +Inf]", "65", INF, "[)"),
        ("[65,∞[", "65", INF, "[)"),
        ("(-inf, 10]", INF, "10", "(]"),
        ("]-Infinity;10]", INF, "10", "(]"),
        ("(-inf,inf)", INF, INF, "()"),
        ("00501-10001", "501", "10001", "[]"),
        ("05-09", "5", "9", "[]"),
    ],
)
def test_intervals(text, low, high, ends):
    assert parse(text) == interval(low, high, ends)


@pytest.mark.parametrize(
    ("text", "low", "high", "ends"),
    [
        ("[1,5; 2,5)", "1.5", "2.5", "[)"),
        ("[1,5;2[", "1.5", "2", "[)"),
        ("[20, 30[", "20", "30", "[)"),  # one comma must stand between the two ends
        ("[1,5, 2,5)", "1.5", "2.5", "[)"),
        ("1,5-2,5", "1.5", "2.5", "[]"),
        ("1,5 ~ 2,5", "1.5", "2.5", "[]"),
        ("<=0,5", INF, "0.5", "(]"),
        ("0,5+", "0.5", INF, "[)"),
    ],
)
def test_intervals_with_a_decimal_comma(text, low, high, ends):
    assert parse(text, decimal=",") == interval(low, high, ends)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "43", "-43", "4.5", "1e5", "5E-7", "Ostby", "NA", "nan", "inf", "-inf",
        "<=50K", ">50K", "9-May", "10-Dec", "May-14", "State-gov", "Never-married", "7th-8th",
        "Outlying-US(Guam-USVI-etc)", "Trinadad&Tobago", "M-F", "-", "--", "+", "<", "50-",
        "~5", "5~", "a~", "{}", "{,}", "{a,}", "{a,bc", "['']", "[]", "()", "[5]", "[,]", "[,5]", "[5,)",
        "[a, b]", "(a,b)", "[1,2,3]", "Springfield, IL", "a ,b", ",a", "a,",
        "030-1234567", "555-123-4567", "+49-30-1234", "+49-30", "(030) 1234", "(555-1234)", "]20-30[", "20--30",
        "2020-05", "2020-05-17", "2019-20", "20-5", "10--5", "20 -- 30", "20-30-40",
        "[30,20]", "[600, 1.200[", "(5,5)", "[5,5)", "[inf,5]", "[5,-inf]", "[1_000,2_000)",
        "[1 000, 2 000)", "²-3", "٣-٥", "0x1-2", "1e-",
    ],
)  # fmt: skip
def test_plain(text):
    assert parse(text) is None


@pytest.mark.parametrize("text", ["[1,5,2)", "1,5", "[1.5;2.5)", "1.5-2.5", "<1.5"])
def test_plain_with_a_decimal_comma(text):
    assert parse(text, decimal=",") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{a,b}", members("a", "b")),
        ("{ a , b }", members("a", "b")),
        ("{20,30}", members("20", "30")),
        ("{20;30,5}", members("20", "30,5")),
        ("{a}", members("a")),
        ("Local-gov~Self-emp-inc", members("Local-gov", "Self-emp-inc")),
        ("Male ~ Female", members("Male", "Female")),
        ("Never-married~Divorced~Widowed", members("Never-married", "Divorced", "Widowed")),
        ("7~5", members("7", "5")),
        ("1~2~9", members("1", "2", "9")),
        ("F,M", members("F", "M")),
        ("01001,10002", members("01001", "10002")),
        ("80,82,97.0,unknown", members("80", "82", "97.0", "unknown")),
        ("High School,Primary School", members("High School", "Primary School")),
        ("['F']", members("F")),
        ("['55']", members("55")),
        ("['01001,10002']", members("01001", "10002")),
        ("['F', 'M']", members("F", "M")),
        ("['F\t', '\u00a0M ']", members("F", "M")),
        ("['030-1234567']", members("030-1234567")),
        ("10002-02109", members("10002", "02109")),
    ],
)
def test_sets(text, expected):
    assert parse(text) == expected


def test_a_single_member_with_a_decimal_comma():
    assert parse("{1,5}", decimal=",") == members("1,5")
    assert parse("{1,5;2}", decimal=",") == members("1,5", "2")
    assert parse("{a,b}", decimal=",") == members("a", "b")


@pytest.mark.parametrize(
    ("mask", "covered", "not_covered"),
    [
        ("482**", ["48201", "482ab", "482**"], ["4820", "482010", "48301", "", "482"]),
        ("4767*", ["47677"], ["4767", "476770"]),
        ("*****", ["00501", "abcde"], ["", "0050", "005011"]),
        ("*7*", ["171"], ["181", "17"]),
        ("SW1A ***", ["SW1A 2AA"], ["sw1a 2aa", "SW1B 2AA"]),
        ("**", ["ab"], ["a"]),
        ("*", ["a", "48201", ""], []),
        ("07**", ["0712"], ["712", "7120", "00712"]),  # B07
    ],
)
def test_masks(mask, covered, not_covered):
    assert parse(mask) == Prefix(mask)
    assert behind(mask, covered + not_covered) == covered


def test_members_of_sets_are_compared_as_numbers_but_for_codes():
    assert behind("{0712,43}", ["0712", "712", "43", "43.0", ""]) == ["0712", "43", "43.0"]
    assert behind("{30,31}", ["30.0", "31", "32.0", "3e1"]) == ["30.0", "31", "3e1"]
    assert behind("{1.0,2.0}", ["1", "2", "02", "3"]) == ["1", "2"]
    assert behind("{a,2}", ["2.00", "a", "A"]) == ["2.00", "a"]


def test_b10_candidates_of_each_target():
    # The numbers are those of the case: 25, 35, 45, 50, 60 against these seven rows.
    rows = ["[20,40[", "[20,40[", "[30,50[", "[30,50[", "[30,50[", "[50,60[", "[50,60["]
    ages = ["25", "35", "45", "50", "60"]
    assert [sum(age in behind(row, ages) for row in rows) for age in ages] == [2, 5, 3, 2, 0]


WORDED = [
    ("20 to 29", "20", "29", "[]"),
    ("20 TO 29", "20", "29", "[]"),
    ("20 through 29", "20", "29", "[]"),
    ("-5 to 5", "-5", "5", "[]"),
    ("1.5..2.5", "1.5", "2.5", "[]"),
    ("20..29", "20", "29", "[]"),
    ("20-<30", "20", "30", "[)"),
    ("20 - < 30", "20", "30", "[)"),
    ("20–<30", "20", "30", "[)"),
    (">20-30", "20", "30", "(]"),
    (">=20-<30", "20", "30", "[)"),
    ("20 to under 30", "20", "30", "[)"),
    ("20 to less than 30", "20", "30", "[)"),
    ("over 20 to 30", "20", "30", "(]"),
    ("under 5", INF, "5", "()"),
    ("Under 5", INF, "5", "()"),
    ("below 5", INF, "5", "()"),
    ("less than 5", INF, "5", "()"),
    ("younger than 5", INF, "5", "()"),
    ("up to 5", INF, "5", "(]"),
    ("at most 5", INF, "5", "(]"),
    ("4 and under", INF, "4", "(]"),
    ("4 or younger", INF, "4", "(]"),
    ("4 or less", INF, "4", "(]"),
    ("over 89", "89", INF, "()"),
    ("more than 89", "89", INF, "()"),
    ("older than 89", "89", INF, "()"),
    ("at least 18", "18", INF, "[)"),
    ("85 and over", "85", INF, "[)"),
    ("85 & over", "85", INF, "[)"),
    ("90 or older", "90", INF, "[)"),
    ("90 and above", "90", INF, "[)"),
    ("90 or more", "90", INF, "[)"),
    ("65 plus", "65", INF, "[)"),
    ("20s", "20", "30", "[)"),
    ("30S", "30", "40", "[)"),
    ("1990s", "1990", "2000", "[)"),
    ("20-29 years", "20", "29", "[]"),
    ("20 to 29 years", "20", "29", "[]"),
    ("20 years to 29 years", "20", "29", "[]"),
    ("20-29 yrs", "20", "29", "[]"),
    ("20-29 years old", "20", "29", "[]"),
    ("20-29 year olds", "20", "29", "[]"),
    ("aged 20-29", "20", "29", "[]"),
    ("ages 20 to 29", "20", "29", "[]"),
    ("85 years and over", "85", INF, "[)"),
    ("85+ years", "85", INF, "[)"),
    ("<1 year", INF, "1", "()"),
    ("under 1 year", INF, "1", "()"),
    ("20,000-29,999", "20000", "29999", "[]"),
    ("20,000 - 29,999", "20000", "29999", "[]"),
    ("20,000 to 29,999", "20000", "29999", "[]"),
    ("1,000,000 or more", "1000000", INF, "[)"),
    ("[20,000, 30,000)", "20000", "30000", "[)"),
    ("[20,000;30,000)", "20000", "30000", "[)"),
    ("<20,000", INF, "20000", "()"),
    ("100,000+", "100000", INF, "[)"),
    ("under 20,000.50", INF, "20000.5", "()"),
]


@pytest.mark.parametrize(("text", "low", "high", "ends"), WORDED)
def test_bands_as_people_write_them(text, low, high, ends):
    assert parse(text) == interval(low, high, ends)
    assert parse(canonical(text, REPAIRS)) == parse(text)
    assert list(readings(text)) == ["interval"]


@pytest.mark.parametrize(
    "text",
    [
        # A century or a decade; a unit that the column may not have; nothing but words.
        "1900s", "2000s", "0s", "25s", "s", "0-11 months", "6 weeks", "5 kg", "over the hill",
        "under", "and over", "20 to", "to 29", "29 to 20", "20 or so", "about 40", "20..", "..29",
        "early 20s", "years", "age", "bis 29", "unter 5",
        # A dollar is no list; nor are these ends certain.
        "$20,000-$29,999", "20,000 EUR", "[20,000,30,000)", "[1,100,200)", "20,00-30,00",
        "1,5-2,5", "<1,5", "1,5+", "20-29,30-39",
    ],
)  # fmt: skip
def test_bands_that_are_not_read(text):
    assert parse(text) is None


def test_bands_with_a_decimal_comma():
    assert parse("1.000-1.999", decimal=",") == interval("1000", "1999", "[]")
    assert parse("1,5 to 2,5", decimal=",") == interval("1.5", "2.5", "[]")
    assert parse("under 20.000,50", decimal=",") == interval(INF, "20000.5", "()")
    assert parse("1.5 to 2.5", decimal=",") is None


def test_a_number_with_thousands_may_be_a_list_of_codes():
    assert list(readings("1,200")) == ["plain", "set"]
    assert list(readings("20,000")) == list(readings("1,200.50")) == ["plain"]
    assert parse("1,200", reading="set") == members("1", "200")
    assert parse("1,200", reading="interval") == interval("1200", "1200", "[]")
    assert ambiguous(["1,200", "F"]) == ("1,200",)
    assert ambiguous(["1,200", "20,000"]) == ()
    assert parse("180,182,unknown") == members("180", "182", "unknown")


def test_prefixes_without_stars_by_a_declared_reading():
    assert parse("021", reading="prefix") == Start("021")
    assert parse("021**", reading="prefix") == Prefix("021**")
    assert parse("20-30", reading="prefix") is None
    assert parse("", reading="prefix") is None


def test_labels_of_a_prefix_hierarchy():
    three = Truncated(frozenset({1, 3}))
    assert parse("E11", reading=three) == Start("E11")
    assert parse("E11**", reading=three) == Start("E11", 5)
    assert parse("E*", reading=three) == Start("E", 2)
    assert parse("E11.9", reading=three) is None
    assert parse("E1*.9", reading=three) == Prefix("E1*.9")
    assert parse("E1***", reading=three) == Prefix("E1***")
    assert parse("***", reading=three) == Prefix("***")
    every = Truncated(frozenset({3}), every=True)
    assert parse("E11.9", reading=every) == Start("E11.9")


def test_rounded_numbers():
    five = Rounded(Fraction(5))
    assert parse("40", reading=five) == interval("37.5", "42.5", "()")
    assert parse("0", reading=five) == interval("-2.5", "2.5", "()")
    assert parse("1,005", reading=five) == interval("1002.5", "1007.5", "()")
    assert parse("42", reading=five) is None
    assert parse("85 and over", reading=five) == interval("85", INF, "[)")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("[20,40[", "[30,50[", True),
        ("[30,50[", "[50,60[", False),
        ("[30,50]", "[50,60[", True),
        ("[30,50]", "]50,60[", False),
        ("[0,10)", "[0,20)", True),
        ("<50", ">=50", False),
        ("<=50", ">=50", True),
        ("<50", "<10", True),
        (">1", ">2", True),
        ("(-inf,inf)", "5-5", True),
        ("(1,2)", "(1.9,3)", True),
    ],
)
def test_overlaps(one, other, expected):
    for pair in ([one, other], [other, one]):
        assert (overlapping_intervals(pair, "c") != ()) is expected
    assert overlapping_intervals([one, one], "c") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("43", ["plain"]),
        ("20-30", ["interval"]),
        ("2019 - 2020", ["interval"]),
        ("[20,30)", ["interval"]),
        ("['20-30']", ["interval"]),
        ("00501-10001", ["interval", "set"]),
        ("['00501-10001']", ["interval", "set"]),
        ("05-09", ["interval", "set"]),
        ("10002-02109", ["set", "interval"]),
        ("30-20", ["set", "interval"]),
        ("1.5-0.5", ["set", "interval"]),
        ("0.5-1.5", ["interval"]),
        ("26~33", ["interval", "set"]),
        ("33~26", ["set", "interval"]),
        ("1~2~3", ["set"]),
        ("{1,2}", ["set"]),
        ("F,M", ["set", "plain"]),
        ("1,5", ["set", "plain"]),
        ("['F,M']", ["set"]),
        ("10002-01002-02108", ["plain", "set"]),
        ("555-123-4567", ["plain"]),
        ("482**", ["prefix"]),
        ("*", ["prefix"]),
        ("9-May", ["plain"]),
        ("", ["plain"]),
    ],
)
def test_readings_the_default_first(text, expected):
    admitted = readings(text)
    assert list(admitted) == expected
    assert admitted[expected[0]] == parse(text)


@pytest.mark.parametrize(
    ("text", "reading", "expected"),
    [
        ("10002-02109", "interval", interval("2109", "10002", "[]")),
        ("10002-02109", "set", members("10002", "02109")),
        ("10002-02109", "plain", None),
        ("10002-02109", "prefix", None),
        ("00501-10001", "set", members("00501", "10001")),
        ("00501-02109-10001", "set", members("00501", "02109", "10001")),
        ("26~33", "set", members("26", "33")),
        ("2019.0", "interval", interval("2019", "2019", "[]")),
        ("['55']", "interval", interval("55", "55", "[]")),
        ("Ostby", "interval", None),
        ("20-30", "set", None),
        ("Asian-Pac-Islander", "set", None),
        ("Asian-Pac-Islander,Black", "set", members("Asian-Pac-Islander", "Black")),
        ("F,M", "plain", None),
        ("[20,30)", "plain", None),
        ("482**", "prefix", Prefix("482**")),
        ("482**", "interval", None),
        ("48201", "prefix", Start("48201")),
    ],
)
def test_a_declared_reading(text, reading, expected):
    assert parse(text, reading=reading) == expected


@pytest.mark.parametrize(
    ("text", "separator", "expected"),
    [
        ("M-F", "-", members("M", "F")),
        ("M - F", "-", members("M", "F")),
        ("M", "-", None),
        ("a|b", "|", members("a", "b")),
        ("{a|b}", "|", members("a", "b")),
        ("Bonn, Ulm", ",", members("Bonn", "Ulm")),
        ("20-30", "-", members("20", "30")),
        ("M--F", "-", None),
    ],
)
def test_a_declared_separator(text, separator, expected):
    assert parse(text, reading="set", separator=separator) == expected


def test_pairs_are_ambiguous_in_a_column_of_lists():
    column = ["10001-10002", "10001", "20-30", "10002-01002-02108", "555-1234", "555-123-4567"]
    assert ambiguous(column) == ("10001-10002", "10002-01002-02108", "20-30")
    assert ambiguous(column[:3]) == ()
    assert ambiguous(["20-30", "1234-555-444"]) == ()
    assert ambiguous(iter(["F,M", "26~33", "F"])) == ("26~33", "F,M")
    assert ambiguous(["1,5", "2,5"], decimal=",") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("43", 43), ("-43", -43), ("+43", 43), (" 43 ", 43), ("007", 7), ("0", 0), ("-0", 0),
        ("1.50", Fraction(3, 2)), (".5", Fraction(1, 2)), ("5.", 5), ("-.25", Fraction(-1, 4)),
        ("1e3", 1000), ("1E+3", 1000), ("15e-1", Fraction(3, 2)), ("1.5e1", 15), ("1.25e1", Fraction(25, 2)),
        ("0.1", Fraction(1, 10)), ("9" * 150, 10**150 - 1),
        ("", None), (" ", None), (".", None), ("-", None), ("e5", None), ("1e", None), ("1e1.5", None),
        ("nan", None), ("inf", None), ("1_000", None), ("1,5", None),
        ("1,000", 1000), ("12,345,678.25", Fraction(1234567825, 100)), ("-1,000", -1000), ("1,00", None),
        ("0,123", None), ("1000,000", None), ("1,0000", None), ("1,000,00", None), ("1.5,000", None), ("1 000", None),
        ("1.000.000", None), ("--1", None), ("0x10", None), ("٣", None), ("²", None), ("1/2", None),
        ("9" * 151, None), ("1e149", None), ("1e-149", None), ("1e-999999999999", None), ("12a", None),
    ],
)  # fmt: skip
def test_number(text, expected):
    assert exact_number(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1,5", Fraction(3, 2)), ("-0,25", Fraction(-1, 4)), (",5", Fraction(1, 2)), ("15", 15), ("1.5", None), ("1.000", 1000), ("1.000.000,5", Fraction(2000001, 2)), ("0.123", None), ("1,5,2", None)],
)  # fmt: skip
def test_number_with_a_decimal_comma(text, expected):
    assert exact_number(text, ",") == expected


def test_the_longest_number():
    assert exact_number("1e145") == 10**145  # five characters and 145 zeros
    assert exact_number("1e146") is None
    assert parse("[0,1e146)") is None  # too long to read is not an open side
    assert parse("<1e146") is None
    assert parse("0-1e146") is None
    assert parse("1" * 2000 + "-" + "2" * 2000) is None


LONG_FLOATS = st.floats(1e-100, 1e100) | st.floats(-1e100, -1e-100)


@given(st.one_of(st.integers(-(10**30), 10**30), LONG_FLOATS))
def test_number_round_trips(x):
    assert exact_number(str(x)) == Fraction(Decimal(str(x)))
    assert (
        exact_number(f" {x} ")
        == exact_number(str(x))
        == exact_number(str(x).replace(".", ","), ",")
    )


ENDS = st.decimals(-1000, 1000, places=2) | st.integers(-1000, 1000).map(Decimal)
STYLES = ["[)", "[[", "(]", "]]", "[]", "()", "][", "])", "(["]


@st.composite
def written(draw):
    """An interval as text, and its low end, high end, and which of them belong to it."""
    low, high = sorted((draw(ENDS), draw(ENDS)))
    style = draw(st.sampled_from(STYLES)) if low < high else "[]"
    blank = st.sampled_from(["", " ", "  "])
    # A dash between two open ends, `(20-30)`, is no interval.
    mark = draw(
        st.sampled_from([",", ";", "-"] if style[0] == "[" or style[1] == "]" else [",", ";"])
    )
    text = style[0] + draw(blank) + str(low) + draw(blank) + mark + draw(blank) + str(high)
    return text + draw(blank) + style[1], low, high, style[0] == "[", style[1] == "]"


@given(written())
def test_every_style_parses_like_its_canonical_form(case):
    text = case[0]
    label = parse(text)
    assert parse(label.canonical()) == label
    assert parse(label.canonical(","), decimal=",") == label
    assert parse(canonical(text, REPAIRS)) == label
    for repair in REPAIRS:
        assert parse(canonical(text, [repair])) == label


@given(written(), ENDS)
def test_contains_agrees_with_the_definition(case, x):
    text, low, high, low_closed, high_closed = case
    for value in (x, low, high, (low + high) / 2):
        above = value >= low if low_closed else value > low
        below = value <= high if high_closed else value < high
        assert behind(text, [f"{value:f}"]) == ([f"{value:f}"] if above and below else [])


@given(written(), written())
def test_overlap_is_a_common_number(one, other):
    # Between and at the ends is everywhere an answer can change.
    ends = sorted({*one[1:3], *other[1:3]})
    cells = [f"{x:f}" for x in ends + [(p + q) / 2 for p, q in itertools.pairwise(ends)]]
    common = bool({*behind(one[0], cells)} & {*behind(other[0], cells)})
    same = parse(one[0]) == parse(other[0])
    for pair in ([one[0], other[0]], [other[0], one[0]]):
        assert (overlapping_intervals(pair, "c") != ()) is (common and not same)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("[20, 30[", "[20,30)"),
        ("20-30", "[20,30]"),
        ("0-5", "[0,5]"),
        ("-1.50 - .5", "[-1.5,0.5]"),
        ("]0.05,100]", "(0.05,100]"),
        ("<=10", "(-inf,10]"),
        ("65+", "[65,inf)"),
        ("(-inf,inf)", "(-inf,inf)"),
        ("[1e-3,1e3)", "[0.001,1000)"),
    ],
)
def test_the_one_spelling_of_an_interval(label, expected):
    assert parse(label).canonical() == expected


def test_ends_that_no_decimal_writes():
    assert Interval(Fraction(1, 3), Fraction(-1, 7), True, True).canonical() == "[1/3,-1/7]"


@pytest.mark.parametrize(
    ("text", "repairs", "expected"),
    [
        ("Ostby ", [], "Ostby "),
        (" New \t York\u00a0", ["whitespace"], "New York"),
        ("Bonn\u200b", ["whitespace"], "Bonn"),
        ("[ 20 , 30 [", ["whitespace"], "[20,30["),
        ("20 - 30", ["whitespace"], "20-30"),
        ("['20 - 30']", ["whitespace"], "['20-30']"),
        ("> 40", ["whitespace"], ">40"),
        ("50 +", ["whitespace"], "50+"),
        ("[1,5; 2,5)", ["whitespace"], "[1,5;2,5)"),
        ("{ New  York , Ulm }", ["whitespace"], "{New York,Ulm}"),
        ("['F', 'M']", ["whitespace"], "['F,M']"),
        ("Male ~ Female", ["whitespace"], "Male~Female"),
        ("M - F", ["whitespace"], "M - F"),
        ("Springfield, IL", ["whitespace"], "Springfield, IL"),
        ("OSTBY", ["case"], "ostby"),
        ("Straße", ["case"], "strasse"),
        ("[20, 30[", ["intervals"], "[20, 30)"),
        (" ]30, 40] ", ["intervals"], " (30, 40] "),
        ("]30,40[", ["intervals"], "(30,40)"),
        ("[20,30]", ["intervals"], "[20,30]"),
        ("20-30", ["intervals"], "20-30"),
        ("[1,5;2,5[", ["intervals"], "[1,5;2,5)"),
        ("]a, b[", ["intervals"], "]a, b["),
        ("Ko\u0308ln", ["unicode"], "K\u00f6ln"),
        ("Ko\u0308ln", ["whitespace", "case", "intervals"], "ko\u0308ln"),
        ("\u212a", ["unicode"], "K"),
        ("]65, INF[", list(REPAIRS), "(65,inf)"),
    ],
)
def test_repairs(text, repairs, expected):
    assert canonical(text, repairs) == expected


def test_case_is_folded_without_regard_to_the_order_of_accents():
    # An iota below folds to a letter, and a letter keeps an accent from moving past it.
    assert canonical("\u03b1\u0345\u0301", REPAIRS) == canonical("\u03b1\u0301\u0345", REPAIRS)


def test_b09_classes_after_each_repair():
    rows = [
        ("[20, 30[", "Ostby"), ("[20,30)", "ostby"), ("[20,30[", "Ostby "), ("[ 20 , 30 [", "OSTBY"),
        ("]30, 40]", "Vika"), ("(30,40]", "Vika"), ("[20,30]", "Ostby"), ("[20,30]", "Ostby"),
    ]  # fmt: skip

    def sizes(repairs):
        keys = [tuple(canonical(cell, repairs) for cell in row) for row in rows]
        return {key: keys.count(key) for key in keys}

    assert len(sizes([])) == 7
    assert len(sizes(["whitespace"])) == 6
    assert sizes(REPAIRS) == {
        ("[20,30)", "ostby"): 4,
        ("(30,40]", "vika"): 2,
        ("[20,30]", "ostby"): 2,
    }


ALPHABET = st.sampled_from("0123456789.,;-–+~<>=≤()[]{}'* eEinfabK\u0301\u0345\u200b\u00a0∞")
ANY_TEXT = st.text() | st.text(ALPHABET, max_size=12)


@given(ANY_TEXT, st.sampled_from([".", ","]))
def test_no_text_raises(text, decimal):
    for reading in (None, "interval", "set", "prefix", "plain"):
        label = parse(text, reading=reading, decimal=decimal)
        if isinstance(label, Interval):
            assert never_empty(label)
            assert parse(label.canonical(decimal), decimal=decimal) == label
    assert readings(text, decimal=decimal)
    assert set(ambiguous([text], decimal=decimal)) <= {text}
    value = exact_number(text, decimal)
    assert value is None or isinstance(value, Fraction)


@given(ANY_TEXT, st.sets(st.sampled_from(REPAIRS)))
def test_repairs_are_done_once(text, repairs):
    repaired = canonical(text, repairs)
    assert canonical(repaired, repairs) == repaired
    assert canonical(text, set()) == text


@given(ANY_TEXT)
def test_repairs_undo_blanks_case_and_decomposition(text):
    for spelled in (f"  {text} ", text.replace(" ", " \t "), unicodedata.normalize("NFD", text)):
        assert canonical(spelled, REPAIRS) == canonical(text, REPAIRS)


@pytest.mark.parametrize(
    "text",
    ["[" * 50_000, "['" * 20_000 + "']" * 20_000, "1" * 50_000, "1," * 20_000 + "1", "1-" * 20_000 + "1",
     "[1" + " " * 50_000 + "x", "~" * 20_000, "*" * 50_000, "{" * 20_000 + "}" * 20_000, "1e" + "9" * 900],
)  # fmt: skip
def test_long_labels_are_read_in_one_pass(text):
    parse(text)
    parse(text, decimal=",")
    parse(text, reading="set", separator="-")
    canonical(text, REPAIRS)


@pytest.mark.parametrize(
    "call",
    [
        lambda: parse("5", reading="sets"),
        lambda: parse("5", decimal=";"),
        lambda: exact_number("5", ""),
        lambda: readings("5", decimal="'"),
        lambda: canonical("5", {"brackets"}),
        lambda: parse("a-b", separator="-"),
        lambda: parse("a-b", reading="interval", separator="-"),
    ],
)
def test_wrong_arguments_raise_our_own_error(call):
    with pytest.raises(AnonauditError):
        call()


def test_a_wrong_argument_is_named_with_the_closest_choice():
    with pytest.raises(AnonauditError, match=r"reading='sets'.*Did you mean 'set'"):
        parse("5", reading="sets")


def test_labels_are_frozen_and_can_be_members_of_sets():
    labels = [parse(text) for text in ("20-30", "[20,30]", "48*", "48*", "{a,b}", "b~a")]
    assert len(set(labels)) == 3
    for label, field in zip(labels[::2], ("low", "pattern", "members"), strict=True):
        with pytest.raises(FrozenInstanceError):
            setattr(label, field, None)


def test_cases_file_says_the_same(shared):
    """The hand-copied numbers of B09 and B10 above are those of the file of cases."""
    with (shared / "cases" / "cases.jsonl").open(encoding="utf-8") as lines:
        cases = {case["id"]: case["expected"] for case in map(json.loads, lines)}
    assert cases["B09-label-spelling"]["whitespace_only"]["n_classes"] == 6
    assert cases["B09-label-spelling"]["canonical"]["sizes"]["[20,30)|ostby"] == 4
    assert list(cases["B10-overlapping-intervals"]["candidates"].values()) == [2, 5, 3, 2, 0]


def test_codes_are_read_without_patterns_as_with_them(monkeypatch):
    """Every code of up to five characters; with a pattern that fits nothing the slow way is left."""
    codes = [
        text
        for size in range(1, 6)
        for text in map("".join, itertools.product("aS01.", repeat=size))
        if module._CODE.fullmatch(text)
    ]
    assert len(codes) > 300
    slow = readings.__wrapped__  # a label that was read before is not read again
    monkeypatch.setattr(module, "_CODE", module.re.compile("(?!)"))
    for mark in (".", ","):
        assert all(slow(text, decimal=mark) == {"plain": None} for text in codes)
