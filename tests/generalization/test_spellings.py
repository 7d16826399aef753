"""Texts that differ in spelling only: worked examples, every invisible character, a brute force."""

import sys
import unicodedata
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonaudit.generalization.labels import REPAIRS, canonical, visible
from anonaudit.generalization.spellings import (
    name_key,
    spelled_alike,
    spelled_beginnings,
    spelled_otherwise,
)

# Format characters that are seen: they stand over the digits that follow (Unicode 15, property
# Prepended_Concatenation_Mark), and the Syriac one that marks an abbreviation.
SEEN = {chr(i) for i in [*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD]}
VARIATION = [*range(0x180B, 0x180E), 0x180F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]


def test_every_format_character_and_variation_selector_is_spelling():
    """The standard library knows the category of each character of Unicode."""
    formats = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) == "Cf"]
    unseen = [c for c in formats if c not in SEEN] + [chr(i) for i in VARIATION]
    assert len(unseen) > 400
    assert [c for c in unseen if spelled_alike(["ab", f"a{c}b"]) != [("ab", f"a{c}b")]] == []
    assert [c for c in unseen if canonical(f"ab{c}", ["whitespace"]) != "ab"] == []
    assert [c for c in SEEN if visible(f"a{c}") != f"a{c}"] == []


@pytest.mark.parametrize(
    "group",
    [
        ("I20.1", "I201"),
        ("E11 9", "E11-9", "E11.9"),
        ("F32", "F32.-"),  # the German edition of ICD-10 marks a category so
        ("SW1A 1AA", "SW1A1AA"),
        ("A-1", "A1"),
        ("i20.1", "I201"),
        ("Oslo", "oslo\u200f", " OSLO"),
        ("[20, 30[", "[20,30)"),
        ("{a, b}", "{a,b}"),
        ("K\u00f6ln", "Ko\u0308ln"),
        ("St Olav", "St. Olav", "ST.OLAV"),
        ("New York", "NewYork", "new-york", "New_York", "New\u00a0York"),
        ("O'Brien", "O\u2019Brien", "O`BRIEN", "OBrien"),
        ("Never-worked", "Never\u2011worked", "Never\u2013worked"),
        ("U.S.", "US"),
        ("fish", "\ufb01sh"),
        ("Bergen", "\uff22\uff25\uff32\uff27\uff25\uff2e"),
        ("M\u00fcller", "Mu\u0308ller", "Mueller", "MUELLER"),
        ("Malm\u00f6", "Malmoe"),
        ("Saint-\u00c9tienne", "Saint Etienne"),
        ("Stra\u00dfe", "Strasse"),
    ],
)
def test_one_group(group):
    assert spelled_alike([*group, "other", "9"]) == [tuple(sorted(group))]


@pytest.mark.parametrize(
    "texts",
    [
        ("1.5", "15"),
        ("250.01", "25001"),  # ICD-9, or numbers: nobody can tell
        ("A1.12", "A11.2"),
        ("Dose 1.5", "Dose 15"),
        ("A-", "A", "A+"),
        ("Rh-", "Rh"),
        ("F/M", "FM"),
        ("\u0935\u0940", "\u0935"),  # a vowel of Devanagari is no accent
        ("Dose1.5", "Dose15"),  # a code begins with three letters at most
        ("20-30", "2030"),
        ("[20,30]", "[20,30)"),
        ("\u0410", "A"),
        ("C+", "C"),
        ("", " a"),
    ],
)
def test_no_group(texts):
    assert spelled_alike(texts) == []


def test_marks_in_different_places_meet_where_somebody_leaves_them_out():
    assert spelled_alike(["A1.12", "A11.2", "A112"]) == [("A1.12", "A11.2", "A112")]


@given(
    st.sets(st.text(st.sampled_from("aA1 .-_[]()20,;{}*+\u200f\u00e9e\u0301\u212ak"), max_size=6))
)
def test_no_group_is_lost_by_looking_at_few_texts(texts):
    """What the repairs make equal is in one group: every pair is tried."""
    group_of = {text: group for group in spelled_alike(texts) for text in group}
    for one, other in combinations(sorted(texts), 2):
        if canonical(one, REPAIRS) == canonical(other, REPAIRS):
            assert other in group_of[one]
    assert all(len(group) > 1 for group in group_of.values())


@pytest.mark.parametrize(
    ("ours", "theirs", "groups"),
    [
        ("aB", "aB", 0),
        ("aA", "aA", 0),  # two values in both
        ("aA", "a", 1),
        ("a", "aA", 1),
        ("a", "A", 1),
        ("aA", "bB", 0),  # within one table only
        ("", "a", 0),
    ],
)
def test_between_two_tables(ours, theirs, groups):
    assert len(spelled_otherwise(list(ours), list(theirs))) == groups


@pytest.mark.parametrize("name", ["First Name", "first_name", "FIRST.NAME ", "first\u200bname"])
def test_names_of_columns(name):
    assert name_key(name) == "firstname"


def test_a_name_of_marks_only_is_no_empty_name():
    assert name_key("__") != name_key("--")


@pytest.mark.parametrize(
    ("group", "other"),
    [
        (("1", "1.0"), "10"),
        (("3.5", "3.50", " 3.500"), "35"),
        (("0", "0.0", "00"), "0.1"),
        (("-1", "-1.00"), "1.1"),
        (("250.1", "250.10"), "250.01"),
        (("1", "1."), "1.1.0"),
    ],
)
def test_zeros_behind_a_point_if_asked(group, other):
    assert spelled_alike([*group, other], numbers=True) == [tuple(sorted(group))]
    assert spelled_alike(["7", "7.0"]) == []


@pytest.mark.parametrize(
    ("beginning", "text", "is_one"),
    [
        ("SW1", "sw1a", True),
        ("SW1", "SW1 A", False),  # as written
        ("sw1", "SW1 A", True),
        ("SW1A1", "SW1A 1AA", True),
        ("I20.", "I201", True),
        ("I20.", "i20-1", True),
        ("I20.1", "I2012", True),
        ("I20.1", "I2.012", False),  # both have marks, in other places
        ("2020-05-", "20200517", True),
        ("1.", "15.0", False),  # a point of a number is no mark
        ("1.5", "15", False),
        ("Osl", "OSLO", True),
        ("M\u00fc", "Mueller", True),
        ("", "a", False),
        (".", "a", False),
    ],
)
def test_beginnings_but_for_spelling(beginning, text, is_one):
    found = [*spelled_beginnings([beginning], [text, "zz"])]
    assert found == ([(beginning, text)] if is_one else [])


@given(
    st.sets(st.text(st.sampled_from("aAb1 .-"), min_size=1, max_size=3)),
    st.sets(st.text(st.sampled_from("aAb1 .-"), min_size=1, max_size=5)),
)
def test_every_beginning_is_found(beginnings, texts):
    """Every pair is tried: equal without marks and case if one has no marks, else with dots."""

    def marked(text):
        dots = "".join("." if c in " .-" else c for c in " ".join(text.split()).casefold())
        if not set(dots) & set("ab"):  # a number, or marks alone
            return None
        while ".." in dots:
            dots = dots.replace("..", ".")
        return dots

    found = {*spelled_beginnings(beginnings, texts)}
    for one in beginnings:
        for text in texts:
            start, whole = marked(one), marked(text)
            if start is None or whole is None or not start.strip("."):
                continue
            start = start.rstrip(".")
            same = whole.startswith(start)
            same |= "." not in whole and whole.startswith(start.replace(".", ""))
            same |= "." not in start and whole.replace(".", "").startswith(start)
            alike = tuple(b for b in beginnings if (marked(b) or "").rstrip(".") == start)
            two = text.startswith(alike) and any(x.startswith(one) for x in texts)
            assert ((one, text) in found) == (same and not text.startswith(one) and not two)


def test_zeros_before_digits_are_spelling():
    assert spelled_alike(["02139", "2139", "0", "00", "10", "1", "1.0", "A01", "A1"]) == [
        ("0", "00"),
        ("02139", "2139"),
    ]
