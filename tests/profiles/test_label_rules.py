"""What labels say of places, dates and ages, by the wording of 45 CFR 164.514(b)(2)(i)(B) and (C)."""

import datetime
import re
from itertools import product

import pandas as pd
import pytest

from anonaudit.errors import InputError
from anonaudit.policy import parse_policy
from anonaudit.profiles import LineStatus, ask, read_areas, read_profile
from anonaudit.profiles.label_rules import RULES, LabelReading
from anonaudit.scanning import scan
from anonaudit.source import open_source

AREAS = {"021": 1_500_000, "036": 18_000, "037": 20_000, "038": 20_001}
KEEPS, BREAKS, OPEN = LabelReading.KEEPS, LabelReading.BREAKS, LabelReading.OPEN


def reading(rule, column, label, areas=None):
    """What a rule says of a label in a column of that name."""
    (scanned,) = scan(pd.DataFrame({column: [label]})).columns
    return RULES[rule].of_column(scanned, areas)(label)


@pytest.mark.parametrize(
    ("labels", "with_table", "without"),
    [
        ("02139 2139 02139-1234 0213* 021390 0213X", BREAKS, BREAKS),
        ("036 037 036** 037XX", BREAKS, OPEN),
        ("021 021** 038 02*** 021XX-XXXX", KEEPS, OPEN),
        ("000 000** ***** XXXXX", KEEPS, KEEPS),
        ("999 9**** 03 3 M5V {021,022} Boston 021-036", OPEN, OPEN),
    ],
)
def test_a_zip_code_has_three_digits_of_an_area_of_more_than_20000(labels, with_table, without):
    """03 may be 03* or 003 without its zero. Of 9 the table has no area at all."""
    for label in labels.split():
        found = reading("zip codes", "zip", label, AREAS), reading("zip codes", "zip", label)
        assert (label, *found) == (label, with_table, without)


@pytest.mark.parametrize(
    ("column", "labels", "wanted"),
    [
        ("admitted", "2001-05-03|3.5.2001|05/03/2001|2001-05-03T10:11|20010503", BREAKS),
        ("admitted", "2001-05|2001-05-**|May 2001|05/2001|2001-Q1|Q1 2001|**.05.2001", BREAKS),
        ("admitted", "2001|1980s|[1980,1989]|198*|20**|2001-**-**|<1950|1980-1989", KEEPS),
        ("admitted", "under 1990|over 1990|after 1990|before 1990|Since 1990|until 1990", KEEPS),
        ("admitted", "circa 1990|ca. 1990|about 1990|year 1990|pre-1990|below 1990", KEEPS),
        ("admitted", "Spring 1990|summer 1990|autumn-1990|Fall 1990|WINTER 1990|mid-1990", BREAKS),
        ("admitted", "Jan 1990|sept. 1990|März 1990|mrz-1990|août 1990|enero 1990", BREAKS),
        ("admitted", "leden 1990|decade 1990|Marriage 1990|before May 1990", OPEN),
        ("admitted", "31-Jan-2001|31 Jan, 2001", BREAKS),
        ("birth", "50 thru 65|50 through 65", KEEPS),
        ("admitted", "7|12|31|Monday|37012|yesterday|[2001-01,2001-03]", OPEN),
        ("age", "7|31|[0,10)|89|90+", KEEPS),
        ("birth", "89|90+", KEEPS),
        ("birth", "1934-02-01", BREAKS),
        ("birth_month", "7|12|[1,12]|{1,2}", OPEN),
        ("dob", "06-15|12-31|31", OPEN),
    ],
)
def test_of_a_date_only_the_year_may_be_left(column, labels, wanted):
    """A number up to 31 is an age under `age`, and may be a day or a month elsewhere."""
    for label in labels.split("|"):
        assert (label, reading("dates", column, label)) == (label, wanted)


@pytest.mark.parametrize("month", range(1, 13))
def test_every_month_in_english(month):
    for form in ("%B %Y", "%b %Y", "%b. %Y", "%b-%Y"):
        label = datetime.date(1990, month, 1).strftime(form)
        assert (label, reading("dates", "admitted", label)) == (label, BREAKS)


def ages_of(low, high, spelling):
    """The label, and the whole ages from 0 to 140 that it denotes; 140 stands for no end."""
    closed = spelling in ("[{},{}]", "{}-{}")
    last = 140 if high is None else high - (not closed)
    first = low + (spelling == ">{}")
    label = spelling.format(low) if high is None else spelling.format(low, high)
    return label, set(range(first, last + 1))


def test_every_range_of_ages_around_90():
    """Broken: only ages over 89, unless it is all of them. Kept: none, or no upper end."""
    category = set(range(90, 141))
    ranges = [
        ages_of(low, high, spelling)
        for low, high in product(range(80, 99), repeat=2)
        for spelling in ("[{},{})", "[{},{}]", "{}-{}")
        if low < high
    ]
    opened = [ages_of(low, None, text) for low in range(80, 99) for text in ("{}+", ">{}")]
    single = [(str(age), {age}) for age in range(131)]
    for label, ages in [*ranges, *opened, *single]:
        wanted = OPEN
        if ages == category or not ages & category or (140 in ages and 89 in ages):
            wanted = KEEPS
        elif ages <= category:
            wanted = BREAKS
        assert (label, reading_of_age(label)) == (label, wanted)


def reading_of_age(label):
    return RULES["ages"].of_column(None, None)(label)


@pytest.mark.parametrize(
    ("labels", "wanted"),
    [
        ("90 and over|over 89|>=90|30s|{88,89}|8*|under 5", KEEPS),
        ("9*|{90,91}|91 and over|['95']", BREAKS),
        ("old|1934|1934-02-01|999|-1|{88,91}|[85,95)", OPEN),
    ],
)
def test_ages_in_words_sets_and_masks(labels, wanted):
    for label in labels.split("|"):
        assert (label, reading_of_age(label)) == (label, wanted)


ANYTHING = "*|**|***|?|Any|all|-|0-*|*-90|()|[]|(5,5)|(-inf,inf)|[-inf,inf]|{*}|{*,30}|[*]|**-**"


@pytest.mark.parametrize("rule", ["ages", "dates"])
@pytest.mark.parametrize("column", ["age", "birth", "admitted"])
def test_a_label_that_may_mean_anything_keeps_no_rule_about_numbers(rule, column):
    """The age may be over 89, and the text may stand for a whole date."""
    for label in ANYTHING.split("|"):
        assert (label, reading(rule, column, label)) == (label, OPEN)


def test_a_zip_code_without_a_digit_names_no_area():
    """Stars hide every digit. The other labels are not understood."""
    for label in ANYTHING.split("|"):
        wanted = KEEPS if set(label) <= {"*", "-"} and "*" in label else OPEN
        assert (label, reading("zip codes", "zip", label, AREAS)) == (label, wanted)


POLICY = 'columns = { quasi-identifiers = ["age"], sensitive = ["dx"] }'


def asked(table, clause, areas=None, policy=POLICY):
    answers = ask(
        read_profile("hipaa-safe-harbor"), open_source(table), parse_policy(policy), areas=areas
    )
    return next(a for a in answers.lines if a.line.asks.startswith(clause))


ZIP, DATE, AGE = "(B)", "(C) There are no elements", "(C) No age"


@pytest.mark.parametrize(
    ("clause", "column", "labels", "areas", "status"),
    [
        (ZIP, "zip", ["021"] * 24 + ["02139"], AREAS, LineStatus.NOT_MET),
        (ZIP, "zip", ["021"] * 24 + ["036"], AREAS, LineStatus.NOT_MET),
        (ZIP, "zip", ["021"] * 24 + ["999"], AREAS, LineStatus.NOT_DECIDABLE),
        (ZIP, "zip", ["021"] * 25, None, LineStatus.NOT_DECIDABLE),
        (ZIP, "zip", ["021"] * 24 + ["000"], AREAS, LineStatus.FOR_A_PERSON),
        (ZIP, "zip", [*["021"] * 23, "999", "036"], AREAS, LineStatus.NOT_MET),
        (DATE, "born", ["1934"] * 24 + ["1934-05-01"], None, LineStatus.NOT_MET),
        (DATE, "born", ["1934"] * 24 + ["spring"], None, LineStatus.NOT_DECIDABLE),
        (DATE, "born", ["1934"] * 25, None, LineStatus.FOR_A_PERSON),
        (AGE, "age", ["30"] * 24 + ["90"], None, LineStatus.NOT_MET),
        (AGE, "age", ["30"] * 24 + ["old"], None, LineStatus.NOT_DECIDABLE),
        (AGE, "age", ["30"] * 24 + ["90+"], None, LineStatus.FOR_A_PERSON),
        (AGE, "age", ["30"] * 23 + ["*", ""], None, LineStatus.FOR_A_PERSON),
    ],
)
def test_one_label_decides_a_line(clause, column, labels, areas, status):
    table = pd.DataFrame({"age": ["30s"] * 25, "dx": ["a"] * 25}).assign(**{column: labels})
    answer = asked(table, clause, areas)
    assert answer.status is status
    assert f"Column '{column}':" in answer.found
    assert not any(label in answer.found for label in labels if len(label) > 4)


def test_rows_are_counted_and_missing_ones_say_nothing():
    ages = ["95"] * 2 + ["30"] * 3 + ["old"] * 4 + ["", "*", "?"]
    table = pd.DataFrame({"age": ages, "dx": ["a"] * 12})
    found = asked(table, AGE, policy=f'{POLICY}\nvalues.missing = ["?"]').found
    assert re.findall(r"\d+ rows? \w+", found) == ["2 rows with", "4 rows with", "3 rows with"]


def test_places_by_name_are_named_and_no_column_is_no_answer():
    table = pd.DataFrame({"age": ["30s"] * 25, "dx": ["a"] * 25, "zip": ["021"] * 25})
    answer = asked(table.assign(county="Essex"), ZIP, AREAS)
    assert answer.found.endswith("columns may hold such values too: 'county'.")
    none = asked(
        table.drop(columns=["zip", "age"]).assign(x="1"), AGE, policy=POLICY.replace("age", "x")
    )
    assert none.status is LineStatus.FOR_A_PERSON
    assert none.found.startswith("anonaudit recognised no column")


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("zip,population\n021,5", "has no column 'zip3'"),
        ("zip3,people\n021,5", "has no column 'population'"),
        (
            "zip3,population\n21,5",
            "column 'zip3' must have three digits, with leading zeros, but 1",
        ),
        ("zip3,population\n021,5\n022,many", "column 'population' must have whole numbers, but 1"),
        ("zip3,population\n021,5\n021,6", "column 'zip3' has an area more than once"),
        ("zip3,population\n021,5\n021,5", "column 'zip3' has an area more than once"),
        ("zip3,population\n021,", "must have whole numbers, but 1 row(s)"),
    ],
)
def test_mistakes_in_a_table_of_areas_are_named(tmp_path, rows, problem):
    path = tmp_path / "areas.csv"
    path.write_text(rows + "\n")
    with pytest.raises(InputError, match=re.escape(problem)):
        read_areas(path)
