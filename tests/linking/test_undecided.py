"""Pairs of a value and a label that nothing decides: by hand, kind by kind."""

from fractions import Fraction

import numpy as np
import pytest

from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import Rounded, Truncated
from anonaudit.linking import too_much
from anonaudit.linking.matching import match_column
from anonaudit.linking.too_much import TooMuchError

JOBS = Hierarchy("job", [["clerk", "office", "*"], ["welder", "shop", "*"]])
ICD = Hierarchy(
    "icd",
    [["E11.9", "E11", "E", "*"], ["E11.65", "E11", "E", "*"], ["E11", "E", "*"], ["I10", "I", "*"]],
)
TENS = Hierarchy("age", [["35", "30-39", "*"], ["41", "40-49", "*"]])
ZIPS = Hierarchy.from_prefixes("zip", ["48201", "53715"], keep=[3, 1])
YEARS = Hierarchy("year", [["1968", "[1960,1970)", "*"], ["1971", "[1970,1980)", "*"]])


def told(values, labels, **more):
    """The pairs that match, and those that may match, as texts."""
    found = match_column(["", "*", *values], ["", "*", *labels], maybe=True, **more)

    def pairs(match):
        place, code = match.of(np.arange(2, len(values) + 2))
        return {(values[g], labels[c - 2]) for g, c in zip(place, code, strict=True) if c > 1}

    sure = pairs(found)
    assert found.unread == len({label for _, label in pairs(found.widest) - sure})
    return sure, pairs(found.widest) - sure


@pytest.mark.parametrize(
    ("values", "labels", "sure", "maybe"),
    [
        # A word for a band, beside bands: it may hold every number.
        (["30", "41"], ["[30,40)", "about 40"], {("30", "[30,40)")}, "30 about 40|41 about 40"),
        (["30"], ["thirties"], set(), "30 thirties"),
        # Numbers are compared, whatever the other labels are.
        (["30", "41"], ["30", "42"], {("30", "30")}, ""),
        (["30"], ["42", "[50,60)"], set(), ""),
        # A number and a date, a word and an interval cannot be compared.
        (["68"], ["1968-01-05"], set(), "68 1968-01-05"),
        (["1968-01-05"], ["68"], set(), "1968-01-05 68"),
        (["old"], ["[30,40)"], set(), "old [30,40)"),
        (["1968-01-05"], ["1968-01-06"], set(), ""),
        # A date that was cut holds its days, and no other; a year alone is a number elsewhere.
        (["2020-05-17", "2020-06-01"], ["2020-05"], {("2020-05-17", "2020-05")}, ""),
        (["2020-05-17", "2021-05-17"], ["2020"], {("2020-05-17", "2020")}, ""),
        (["2020-05-17"], ["2019"], set(), ""),
        (["2020-05"], ["2020-05-17", "2020-06-17"], {("2020-05", "2020-05-17")}, ""),
        (["1968"], ["1968-01-05"], {("1968", "1968-01-05")}, ""),
        (["2020-05"], ["2020", "2020-06"], set(), "2020-05 2020"),
        (["2020-05-17"], ["2020-05-17T08:30"], {("2020-05-17", "2020-05-17T08:30")}, ""),
        (["2020-05-17 08:30:00"], ["2020-05-17"], {("2020-05-17 08:30:00", "2020-05-17")}, ""),
        (
            ["2020-05-17T08:30"],
            ["2020-05-17 08:30:00.000"],
            {("2020-05-17T08:30", "2020-05-17 08:30:00.000")},
            "",
        ),
        (["2020-05-17 08:30"], ["2020-05-17 09:30"], set(), ""),
        (["2020-05-17"], ["2020-05-17T08:30Z"], set(), "2020-05-17 2020-05-17T08:30Z"),
        (["2019-20"], ["2019"], set(), "2019-20 2019"),
        # Midnight throughout is how tools write a date.
        (
            ["2020-05-17 08:30", "2020-05-18 00:00"],
            ["2020-05-17 00:00:00"],
            {("2020-05-17 08:30", "2020-05-17 00:00:00")},
            "",
        ),
        (["2020-05-17 08:30"], ["2020-05-17 00:00", "2020-05-17 01:00"], set(), ""),
        # Days that are all the first of a month may be months, and of a year years.
        (["2020-05-17", "2020-06-17"], ["2020-05-01"], set(), "2020-05-17 2020-05-01"),
        (["2020-05-17"], ["2020-05-01", "2020-06-02"], set(), ""),
        (["2020-05-01", "2020-06-01"], ["2020-05-01"], {("2020-05-01", "2020-05-01")}, ""),
        (["2020-05-17", "2021-01-01"], ["2020-01-01"], set(), "2020-05-17 2020-01-01"),
        # First days of quarters; one that may be; and of years that begin in April.
        (
            ["2021-05-17", "2021-03-31", "2022-08-01"],
            ["2021-04-01", "2021-01-01", "2021-07-01"],
            set(),
            "2021-03-31 2021-01-01|2021-05-17 2021-04-01",
        ),
        (["2020-12-31", "2021-01-01"], ["2020-10-01"], set(), "2020-12-31 2020-10-01"),
        (["2020-06-30", "2020-11-30"], ["2020-05-01"], set(), ""),
        (
            ["2021-02-03", "2019-03-31"],
            ["2020-04-01", "2021-04-01"],
            set(),
            "2021-02-03 2020-04-01|2021-02-03 2021-04-01",
        ),
        # A range of padded codes may be two codes; the same text is the same all the same.
        (["00-00"], ["00-00"], {("00-00", "00-00")}, ""),
        (["02109-10002"], ["02109-10002"], {("02109-10002", "02109-10002")}, ""),
        # Last days of months, of quarters; and first days of decades.
        (
            ["2020-02-03", "2020-04-30"],
            ["2020-01-31", "2020-02-29", "2020-03-31"],
            set(),
            "2020-02-03 2020-02-29",
        ),
        (
            ["2021-02-03", "2021-04-30", "2021-10-01"],
            ["2021-03-31", "2021-06-30", "2022-03-31"],
            set(),
            "2021-02-03 2021-03-31|2021-04-30 2021-06-30",
        ),
        (
            ["1953-05-05", "1949-12-31", "1969-12-31"],
            ["1950-01-01", "1960-01-01"],
            set(),
            "1953-05-05 1950-01-01|1969-12-31 1960-01-01",
        ),
        # Mondays: the Monday before, or after.
        (
            ["2024-05-15", "2024-05-26", "2024-05-31"],
            ["2024-05-06", "2024-05-13", "2024-05-20"],
            set(),
            "2024-05-15 2024-05-13|2024-05-15 2024-05-20|2024-05-26 2024-05-20",
        ),
        (["2024-05-15", "2024-05-19"], ["2024-05-06", "2024-05-13", "2024-05-21"], set(), ""),
        # Two Mondays are chance where many are Mondays; and the values are all there.
        (
            ["2024-05-14", "2024-05-20", "2024-05-27", "2024-06-03"],
            ["2024-05-06", "2024-05-13"],
            set(),
            "",
        ),
        # Full hours and quarters of an hour.
        (
            ["2024-05-15T08:40", "2024-05-15T10:12"],
            ["2024-05-15T08:00", "2024-05-15T09:00"],
            set(),
            "2024-05-15T08:40 2024-05-15T08:00|2024-05-15T08:40 2024-05-15T09:00",
        ),
        (
            ["2024-05-15T08:40:01", "2024-05-15T08:00:05"],
            ["2024-05-15T08:45:00", "2024-05-15T08:30:00"],
            set(),
            "2024-05-15T08:40:01 2024-05-15T08:30:00|2024-05-15T08:40:01 2024-05-15T08:45:00",
        ),
        (["2024-05-15T08:41"], ["2024-05-15T08:40", "2024-05-15T08:43"], set(), ""),
        # A decade of ages, or of years; a number or two codes; a code in a set that is a band.
        (["1965", "62", "1955"], ["60s"], {("62", "60s")}, "1965 60s"),
        (
            ["1,200", "1", "200", "1200", "2"],
            ["1,200"],
            {("1,200", "1,200"), ("1200", "1,200")},
            "1 1,200|200 1,200",
        ),
        # A set holds what one of its members holds, each as if it stood alone.
        (["25", "45"], ["{20-29,30-39}"], {("25", "{20-29,30-39}")}, ""),
        (["29.5", "45"], ["{20-29,30-39}"], set(), "29.5 {20-29,30-39}"),
        (
            ["48201", "02139", "53715"],
            ["{482**,021**}"],
            {("48201", "{482**,021**}"), ("02139", "{482**,021**}")},
            "",
        ),
        (["male", "female"], ["{M,F}"], set(), "male {M,F}|female {M,F}"),
        (["E11.9", "I10"], ["{E11,E12}", "I10"], {("I10", "I10")}, "E11.9 {E11,E12}"),
        (
            ["oslo", "Skien", "Chad"],
            ["{Oslo,Bergen}", "Skien"],
            {("Skien", "Skien")},
            "oslo {Oslo,Bergen}",
        ),
        (
            ["2020-01-01", "2020-02-17", "2021-03-01"],
            ["{2020-01-01,2020-02}"],
            {("2020-01-01", "{2020-01-01,2020-02}"), ("2020-02-17", "{2020-01-01,2020-02}")},
            "",
        ),
        (
            ["1000", "2000.0", "3"],
            ["{1,000;2,000}"],
            {("1000", "{1,000;2,000}"), ("2000.0", "{1,000;2,000}")},
            "",
        ),
        (["25", "41"], ["{20-29}"], {("25", "{20-29}")}, ""),
        (
            ["Oslo", "Bergen"],
            ["{Oslo,unknown}"],
            {("Oslo", "{Oslo,unknown}")},
            "Bergen {Oslo,unknown}",
        ),
        # A value that is a set is in a label that holds all its members.
        (
            ["{F,M}", "F"],
            ["F", "{M,F}", "X"],
            {("{F,M}", "{M,F}"), ("F", "F"), ("F", "{M,F}")},
            "{F,M} F",
        ),
        (["{F,M}", "x"], ["1", "x"], {("x", "x")}, "{F,M} 1"),
        (["{20,35}"], ["20-29", "30-39", "40-49"], set(), "{20,35} 20-29|{20,35} 30-39"),
        (["a~b", "c"], ["a", "b", "c"], {("c", "c")}, "a~b a|a~b b"),
        (["30.0", "32.0"], ["{30,31}"], {("30.0", "{30,31}")}, ""),
        # A value that is a band itself.
        (["30s", "60s"], ["30s", "[40,50)"], {("30s", "30s")}, ""),
        (
            ["30-34", "35-44", "30-59"],
            ["[30,40)", "[50,60)"],
            {("30-34", "[30,40)")},
            "35-44 [30,40)|30-59 [30,40)|30-59 [50,60)",
        ),
        (["<5", "5"], ["<=4", "under 5", "5+"], {("<5", "under 5"), ("5", "5+")}, "<5 <=4"),
        (["30s", "35"], ["35", "45", "[40,50)"], {("35", "35")}, "30s 35"),
        (["999", "25000"], ["20,000-29,999"], {("25000", "20,000-29,999")}, ""),
        (["25000"], ["$20,000-$29,999"], set(), "25000 $20,000-$29,999"),
        # Texts are of one kind where both columns have one of them.
        (["f", "m"], ["f"], {("f", "f")}, ""),
        (["f", "m"], ["female", "male"], set(), "f female|f male|m female|m male"),
        (["1", "2"], ["f", "m"], set(), "1 f|1 m|2 f|2 m"),
        # 1.55 has no more digits than the ends, although all of these are multiples of 0.02.
        (["1.55"], ["[1.50,1.56)", "[1.56,1.62)"], {("1.55", "[1.50,1.56)")}, ""),
        (
            ["1.555"],
            ["[1.50,1.56)", "[1.56,1.62)"],
            {("1.555", "[1.50,1.56)")},
            "1.555 [1.56,1.62)",
        ),
        # Masks beside values whose characters are of other kinds, of other lengths, or spelled
        # otherwise.
        (
            ["03.05.1990", "07.02.2001"],
            ["1990-05-**"],
            set(),
            "03.05.1990 1990-05-**|07.02.2001 1990-05-**",
        ),
        (
            ["3/5/1990", "12/11/2001"],
            ["**/**/1990", "**/**/2001"],
            {("12/11/2001", "**/**/2001")},
            "3/5/1990 **/**/1990|3/5/1990 **/**/2001",
        ),
        (
            ["1990-05-03 00:00", "2001-02-07"],
            ["1990-**-**", "2001-**-**"],
            {("2001-02-07", "2001-**-**")},
            "1990-05-03 00:00 1990-**-**",
        ),
        (["2139", "10027"], ["**139", "**027"], {("10027", "**027")}, "2139 **139|2139 **027"),
        (["sw1a 1aa", "SW2A 1AA"], ["SW1* 1AA"], set(), "sw1a 1aa SW1* 1AA"),
        (["1990-05-03"], ["1991-**-**"], set(), ""),
        (["Bergen", "Oslo"], ["Osl*", "Ber***"], {("Bergen", "Ber***"), ("Oslo", "Osl*")}, ""),
        (["02139", "10027"], ["02***", "10***"], {("02139", "02***"), ("10027", "10***")}, ""),
        # Codes of which a column of floats made numbers, and zeros that were lost.
        (["02139", "10027"], ["2139.0", "10027.0"], {("10027", "10027.0")}, "02139 2139.0"),
        (["2139.0", "10027"], ["02139", "10027"], {("10027", "10027")}, "2139.0 02139"),
        (
            ["2139.0", "10027.0"],
            ["021**", "100**"],
            set(),
            "2139.0 021**|10027.0 100**|2139.0 100**|10027.0 021**",
        ),
        (["2139", "10027"], ["021", "100**"], {("10027", "100**")}, "2139 021"),
        (["2139", "10027"], ["021", "10027"], {("10027", "10027")}, "2139 021"),
        # Fractions beside whole numbers.
        (["34.5", "55.0"], ["34", "35", "55"], {("55.0", "55")}, "34.5 34|34.5 35"),
        (["34.5", "55.0"], ["34", "34.4", "55"], {("55.0", "55")}, ""),
        (["48.8566", "10.5"], ["48.9", "10.5"], {("10.5", "10.5")}, "48.8566 48.9"),
        (["52.516"], ["52.51", "52.5"], set(), "52.516 52.51"),
        # Values that may have been merged into an `Other` that both columns have.
        (
            ["Norway", "Other", "Sweden"],
            ["Other", "Sweden"],
            {("Other", "Other"), ("Sweden", "Sweden")},
            "Norway Other",
        ),
        (
            ["F", "Unknown", "M"],
            ["Unknown", "M"],
            {("Unknown", "Unknown"), ("M", "M")},
            "F Unknown",
        ),
        (["43", "40"], ["40~45"], {("43", "40~45"), ("40", "40~45")}, ""),
        # A range, or two codes: what is in the range only is not sure.
        (
            ["02139", "02109", "60601"],
            ["02109-10002", "60601"],
            {("02109", "02109-10002"), ("60601", "60601")},
            "02139 02109-10002",
        ),
        # Labels that span values, though a text of another shape is shared.
        (
            ["E11.9", "J45.9"],
            ["E10 to E14", "J45.9"],
            {("J45.9", "J45.9")},
            "E11.9 E10 to E14|J45.9 E10 to E14",
        ),
        (
            ["grade 3", "grade 9"],
            ["grade 1 to 5", "grade 9"],
            {("grade 9", "grade 9")},
            "grade 3 grade 1 to 5|grade 9 grade 1 to 5",
        ),
        (
            ["level 2", "level 9"],
            ["level 1 or 2", "level 9"],
            {("level 9", "level 9")},
            "level 2 level 1 or 2|level 9 level 1 or 2",
        ),
        (
            ["25kg", "50kg"],
            ["20 to 29 kg", "50kg"],
            {("50kg", "50kg")},
            "25kg 20 to 29 kg|50kg 20 to 29 kg",
        ),
        (["15%", "50%"], ["under 20%", "50%"], {("50%", "50%")}, "15% under 20%|50% under 20%"),
        (["A5", "B7"], ["A1..A9", "B7"], {("B7", "B7")}, "A5 A1..A9|B7 A1..A9"),
        (["A5", "B7"], ["not A1", "B7"], {("B7", "B7")}, "A5 not A1|B7 not A1"),
        (
            ["Ward B", "Hall"],
            ["Ward A to D", "Hall"],
            {("Hall", "Hall")},
            "Ward B Ward A to D|Hall Ward A to D",
        ),
        (["3 months", "9 months"], ["8 months", "9 months"], {("9 months", "9 months")}, ""),
        (["grade 3", "grade 9"], ["grade 12", "grade 9"], {("grade 9", "grade 9")}, ""),
        # Labels with the words of others, though a text is shared.
        (["M", "F", "X"], ["F/M", "F"], {("F", "F")}, "M F/M|F F/M"),
        (["M", "X"], ["F or M", "X"], {("X", "X")}, "M F or M"),
        (
            ["Norway", "Chad", "Bergen"],
            ["Norway; Chad", "Bergen"],
            {("Bergen", "Bergen")},
            "Norway Norway; Chad|Chad Norway; Chad",
        ),
        (
            ["Private", "Local"],
            ["Not Private", "Local"],
            {("Local", "Local")},
            "Private Not Private|Local Not Private",
        ),
        (
            ["New York", "Bergen"],
            ["New York/Boston", "Bergen"],
            {("Bergen", "Bergen")},
            "New York New York/Boston",
        ),
        (["{F,M}", "X"], ["F", "X"], {("X", "X")}, "{F,M} F"),
        (["male"], ["F", "male"], {("male", "male")}, ""),
        # A label is the value of somebody else.
        (["n/a", "30"], ["n/a"], {("n/a", "n/a")}, "30 n/a"),
        # Masks of a length that no value has, and sets of another kind.
        (["48201"], ["482**"], {("48201", "482**")}, ""),
        (["48201"], ["47***"], set(), ""),
        (["48", "48201"], ["482**"], {("48201", "482**")}, ""),
        (["4820"], ["482**"], set(), "4820 482**"),
        (["7"], ["{a,b}"], set(), "7 {a,b}"),
        (["c"], ["{a,b}"], set(), "c {a,b}"),
        (["c", "a"], ["{a,b}"], {("a", "{a,b}")}, ""),
        (["E11.9", "E11.65", "E1", "E12.9"], ["E11***"], {("E11.65", "E11***")}, "E11.9 E11***"),
        (["c", "a"], ["{a,b}", "d"], {("a", "{a,b}")}, ""),
        # One decimal mark in a table, and the other in the other.
        (["1.5", "2.5"], ["1,5", "3,5"], set(), "1.5 1,5"),
        (["1,5", "2"], ["1.5", "2"], {("2", "2")}, "1,5 1.5|1,5 2"),
        (["25000", "25"], ["20.000-29.999"], {("25", "20.000-29.999")}, "25000 20.000-29.999"),
        (["1.200"], ["1200", "1000-1999", "1300"], set(), "1.200 1200|1.200 1000-1999"),
        (["1,014", "1"], ["<=1,013"], {("1", "<=1,013")}, ""),
        # Zeros that a spreadsheet dropped, in either table; both tables having both is no doubt.
        (["02139", "10001"], ["2139", "10001"], {("10001", "10001")}, "02139 2139"),
        (["5", "6"], ["05"], set(), "5 05"),
        (["1", "01"], ["1", "01"], {("1", "1"), ("01", "01")}, ""),
        (["02139", "10027", "11375"], ["21", "100"], set(), "02139 21|10027 100"),
        (["2139", *(f"1002{i}" for i in range(9))], ["021**", "5****"], set(), "2139 021**"),
        # A mask of a code that had lost its zero, shorter than other codes. 2100 has its length.
        (
            ["02139", "10001", "2100"],
            ["21**", "100**"],
            {("2100", "21**"), ("10001", "100**")},
            "02139 21**",
        ),
        (
            ["02139", "10001", "2100"],
            ["2*39", "100**"],
            {("10001", "100**")},
            "02139 2*39",
        ),
        (["02139", "21390"], ["21***", "100**"], {("21390", "21***")}, ""),
        # A label that nobody understands, or a value, beside numbers and texts that meet.
        (["5-bis-9", "7"], ["7"], {("7", "7")}, "5-bis-9 7"),
        (["20s", "25", "35"], ["25", "35"], {("25", "25"), ("35", "35")}, "20s 25"),
        (["68", "1968-01-05"], ["1968-01-05"], {("1968-01-05", "1968-01-05")}, "68 1968-01-05"),
        (
            ["E12.1", "I10"],
            ["E11-E14", "I10"],
            {("I10", "I10")},
            "E12.1 E11-E14|I10 E11-E14",
        ),
        (["10%", "20%"], ["10%", "15-25%"], {("10%", "10%")}, "10% 15-25%|20% 15-25%"),
        (
            ["1/15/2020", "2/3/2020"],
            ["1/2020", "2/3/2020"],
            {("2/3/2020", "2/3/2020")},
            "1/15/2020 1/2020|2/3/2020 1/2020",
        ),
        (["B", "M"], ["A-F", "M"], {("M", "M")}, "B A-F|M A-F"),
        (["Never-worked", "Private"], ["Private", "Local-gov"], {("Private", "Private")}, ""),
        # A code and its group, whichever table has which; a text of both tables is what it is.
        (["E11.9", "I10", "J45"], ["E11", "I10"], {("I10", "I10")}, "E11.9 E11"),
        (["E11", "I10"], ["E11.9", "I10"], {("I10", "I10")}, "E11 E11.9"),
        (["E11.9"], ["E11.9", "E11"], {("E11.9", "E11.9")}, "E11.9 E11"),
        (["E11.9", "E11"], ["E11.9"], {("E11.9", "E11.9")}, "E11 E11.9"),
        (["e11.9"], ["e11.9", "E11"], {("e11.9", "e11.9")}, "e11.9 E11"),
        (["E11.9", "I10"], ["E11.x", "I10"], {("I10", "I10")}, "E11.9 E11.x"),
        (["E11.9", "I10"], ["E11.-", "I10"], {("I10", "I10")}, "E11.9 E11.-"),
        (["E11.9", "E11"], ["E11", "E11.9"], {("E11", "E11"), ("E11.9", "E11.9")}, ""),
        (
            ["Married-civ", "Single"],
            ["Married", "Single"],
            {("Single", "Single")},
            "Married-civ Married",
        ),
        # One star for all that follows; a longer code has a mask of its own, or has not.
        (["E11.9", "E11.65"], ["E11.*"], {("E11.9", "E11.*")}, "E11.65 E11.*"),
        (
            ["E11.9", "E11.65"],
            ["E11.*", "E11.**"],
            {("E11.9", "E11.*"), ("E11.65", "E11.**")},
            "E11.9 E11.**",
        ),
        (["02139", "02139-1234"], ["021**", "022**"], {("02139", "021**")}, "02139-1234 021**"),
        # Another spelling of a text that was cut.
        (["sw1a", "XX"], ["SW1*", "XX"], {("XX", "XX")}, "sw1a SW1*"),
        (
            ["SW1A 1AA", "XX"],
            ["SW1A1**", "XX"],
            {("XX", "XX")},
            "SW1A 1AA SW1A1**|SW1A 1AA XX|XX SW1A1**",
        ),
        (["e11.9", "J45"], ["E11", "J45"], {("J45", "J45")}, "e11.9 E11"),
        (["E11", "J45"], ["e11.9", "J45"], {("J45", "J45")}, "E11 e11.9"),
        (["E11", "e11.9"], ["E11", "J45"], {("E11", "E11")}, ""),
        (["E11", "J45"], ["E11", "e11.9"], {("E11", "E11")}, ""),
        (["I201", "ABCD"], ["I20.*", "ABCD"], {("ABCD", "ABCD")}, "I201 I20.*|ABCD I20.*"),
        (["I20-1", "I20.1"], ["I20.*"], {("I20.1", "I20.*")}, "I20-1 I20.*"),
        (["oslo", "Bergen"], ["Osl*", "Bergen"], {("Bergen", "Bergen")}, "oslo Osl*"),
        (["Osl*", "Bergen"], ["oslo", "Bergen"], {("Bergen", "Bergen")}, "Osl* oslo|Osl* Bergen"),
        (
            ["20200517", "20210517"],
            ["2020-05-**"],
            set(),
            "20200517 2020-05-**|20210517 2020-05-**",
        ),
        (["C34"], ["C34.*", "C34.x"], set(), "C34 C34.*|C34 C34.x"),
        # Two spellings that both have a mask of their own.
        (["abc", "ABC"], ["ab*", "AB*"], {("abc", "ab*"), ("ABC", "AB*")}, ""),
        (["15.0"], ["1.**"], set(), ""),
        # Marks between letters, typographic ones, letters that are two.
        (["St. Olav", "x"], ["St Olav", "x"], {("x", "x")}, "St. Olav St Olav"),
        (["NewYork", "x"], ["New York", "x"], {("x", "x")}, "NewYork New York"),
        (["O'Brien", "x"], ["O\u2019Brien", "x"], {("x", "x")}, "O'Brien O\u2019Brien"),
        (["Rh\u2011neg", "x"], ["Rh-neg", "x"], {("x", "x")}, "Rh\u2011neg Rh-neg"),
        # Not both readings match: a range that falls, or two codes.
        (["5000", "02109", "12"], ["10002-02109"], {("02109", "10002-02109")}, "5000 10002-02109"),
        (["30", "26"], ["33~26"], {("26", "33~26")}, "30 33~26"),
        (["25", "30"], ["30~20"], {("30", "30~20")}, "25 30~20"),
        (["29.5", "30"], ["29~20"], set(), "29.5 29~20"),
        # An unknown day or month.
        (
            ["2020-05-17", "2020-06-01", "2021-01-01"],
            ["2020-05-00", "2020-00-00"],
            set(),
            "2020-05-17 2020-05-00|2020-05-17 2020-00-00|2020-06-01 2020-00-00",
        ),
        (["2020-05-00"], ["2020-05-17", "2020-06-17"], set(), "2020-05-00 2020-05-17"),
        (["2020-05-17"], ["2020-05-01", "2021-01-00"], set(), "2020-05-17 2020-05-01"),
        (
            ["2020-00-00", "2020-05"],
            ["2020-05", "2021-05-01"],
            {("2020-05", "2020-05")},
            "2020-00-00 2020-05",
        ),
        (
            ["2020-05-17", "2020-05-00"],
            ["2020-05-00", "2021-05-03"],
            {("2020-05-00", "2020-05-00")},
            "2020-05-17 2020-05-00",
        ),
        (
            ["2020-05-17 08:30"],
            ["2020-05-00 00:00", "2020-05-18 07:00"],
            set(),
            "2020-05-17 08:30 2020-05-00 00:00",
        ),
        # Words for everything, for nothing and for the rest.
        (["Oslo", "Bergen"], ["Oslo", "Any"], {("Oslo", "Oslo")}, "Oslo Any|Bergen Any"),
        (["Oslo", "Bergen"], ["Oslo", "n/a"], {("Oslo", "Oslo")}, "Oslo n/a|Bergen n/a"),
        (["Oslo", "Bergen"], ["Oslo", "Other"], {("Oslo", "Oslo")}, "Bergen Other"),
        (["Oslo", "All"], ["Oslo", "All"], {("Oslo", "Oslo"), ("All", "All")}, ""),
        (
            ["Oslo", "not stated"],
            ["Oslo", "Bergen"],
            {("Oslo", "Oslo")},
            "not stated Oslo|not stated Bergen",
        ),
        (["Oslo", "Bergen"], ["Oslo", "Norway"], {("Oslo", "Oslo")}, ""),
        # A number finer than the ends of the bands.
        (
            ["29.5", "0.2"],
            ["20-29", "30-39", "0-0.5"],
            {("0.2", "0-0.5")},
            "29.5 20-29|29.5 30-39",
        ),
        (
            ["29.5", "45"],
            ["20-29", "30-39", "[40.25,50)"],
            {("45", "[40.25,50)")},
            "29.5 20-29|29.5 30-39",
        ),
        (["35"], ["20-29", "40-49"], set(), ""),
        (["29.5", "35.5"], ["20-29", "30-39"], {("35.5", "30-39")}, "29.5 20-29|29.5 30-39"),
        (
            ["5.47", "5.4"],
            ["4.5-5.4", "5.5-6.4"],
            {("5.4", "4.5-5.4")},
            "5.47 4.5-5.4|5.47 5.5-6.4",
        ),
        (["29.5", "60"], ["[20,30)", "[40,50)"], {("29.5", "[20,30)")}, ""),
        (["5", "3"], ["5 years", "Under 5 years"], {("5", "5 years"), ("3", "Under 5 years")}, ""),
        # Birthdays that all became one day of the year; years that begin in autumn.
        (
            ["1980-03-17", "1982-07-01"],
            ["1980-07-01", "1981-07-01"],
            set(),
            "1980-03-17 1980-07-01",
        ),
        (
            ["1980-03-17", "1980-04-15"],
            ["1980-03-15", "1981-07-15"],
            set(),
            "1980-03-17 1980-03-15",
        ),
        (["1980-03-17"], ["1980-03-15"], set(), ""),
        (["2010-12-03"], ["2009-10", "2010-11"], set(), "2010-12-03 2009-10|2010-12-03 2010-11"),
        (["2010-12-03"], ["2010-11", "2010-12"], {("2010-12-03", "2010-12")}, ""),
        # Many numbers that are all multiples of 5 may be rounded; few may be so by chance, but
        # not where hardly any of the values is one.
        (["34", "39", "40"], ["35", "40"], {("40", "40")}, "34 35|39 35|39 40"),
        (["34", "39", "41"], ["40"], set(), ""),
        (["34", "39", "40"], ["35", "40", "20-23"], {("40", "40")}, ""),
        (["34", "39", "40", "45"], ["35", "40"], {("40", "40")}, ""),
        (["34", "35", "40"], ["35", "40"], {("35", "35"), ("40", "40")}, ""),
        (["1203", "1298"], ["1200", "1300"], set(), "1203 1200|1203 1300|1298 1200|1298 1300"),
        (["20", "33", "39"], ["34", "51"], set(), ""),
        (
            ["34", "39", "40", "71"],
            ["30", "35", "40", "45", "60"],
            {("40", "40")},
            "34 30|34 35|39 35|39 40",
        ),
        (["34", "39"], ["35", "40", "45", "60"], set(), "34 35|39 35|39 40"),
        (["34", "39"], ["35", "40", "45", "60", "61"], set(), ""),
        (["34", "39"], ["32", "36", "40", "44", "48"], set(), ""),
        (["23500"], ["23000", "24000", "25000", "30000", "0"], set(), "23500 23000|23500 24000"),
        (
            [*(f"1000{i}" for i in range(9)), "abroad"],
            ["10001", "200", "abroad"],
            {("10001", "10001"), ("abroad", "abroad")},
            "",
        ),
        (
            ["20001", *(f"1000{i}" for i in range(9)), "abroad"],
            ["200", "abroad"],
            {("abroad", "abroad")},
            "20001 200",
        ),
        (["200", "100"], ["20001", "10002", "30003"], set(), "200 20001|100 10002"),
        (["10001", "11345"], ["100", "200"], set(), "10001 100"),
        # Digits that are all the beginning of a longer value, and of which none is a value.
        (["30", "41"], ["3"], set(), "30 3"),
        (["10001", "113"], ["100"], set(), "10001 100"),
        (["36.6", "37.2"], ["36", "37"], set(), "36.6 36|36.6 37|37.2 37"),
        (["30", "41"], ["3", "5"], set(), ""),
        (["30", "3"], ["3"], {("3", "3")}, ""),
        (["10001", "113"], ["1001"], set(), ""),
    ],
)
def test_without_a_hierarchy(values, labels, sure, maybe):
    found = told(values, labels)
    every = {f"{value} {label}": (value, label) for value in values for label in labels}
    expected = {every[pair] for pair in maybe.split("|") if pair}
    assert found == (sure, expected)


@pytest.mark.parametrize(
    ("tree", "values", "labels", "sure", "maybe"),
    [
        (JOBS, ["clerk"], ["office", "shop"], {("clerk", "office")}, set()),
        # The hierarchy lacks the value, or the label.
        (JOBS, ["nurse"], ["office"], set(), {("nurse", "office")}),
        (JOBS, ["nurse"], ["clerk"], set(), {("nurse", "clerk")}),
        (JOBS, ["nurse", "clerk"], ["clerk", "welder"], {("clerk", "clerk")},
         {("nurse", "clerk"), ("nurse", "welder")}),
        (JOBS, ["1", "2"], ["clerk"], set(), {("1", "clerk"), ("2", "clerk")}),
        (JOBS, ["nurse"], ["{clerk,welder}"], set(), {("nurse", "{clerk,welder}")}),
        (JOBS, ["clerk"], ["ward"], set(), {("clerk", "ward")}),
        (JOBS, ["clerk", "nurse"], ["ward", "office"], {("clerk", "office")},
         {("clerk", "ward"), ("nurse", "ward"), ("nurse", "office")}),
        (ICD, ["E11.7"], ["E11", "I10"], set(), {("E11.7", "E11"), ("E11.7", "I10")}),
        (TENS, ["47"], ["35", "30-39", "40-49"], {("47", "40-49")}, set()),
        # A set of groups, and one of ground values.
        (JOBS, ["clerk", "welder"], ["{office,nurse}", "{nurse,welder}"],
         {("clerk", "{office,nurse}"), ("welder", "{nurse,welder}")},
         {("welder", "{office,nurse}"), ("clerk", "{nurse,welder}")}),
        (JOBS, ["clerk", "nurse"], ["{office,ward}"], {("clerk", "{office,ward}")},
         {("nurse", "{office,ward}")}),
        (ICD, ["E11.9", "E11.7", "I10"], ["{E11,E12}"], {("E11.9", "{E11,E12}")},
         {("E11.7", "{E11,E12}"), ("I10", "{E11,E12}")}),
        # A group that is called like a set: the hierarchy decides.
        (Hierarchy("x", [["a", "{a,b}", "*"], ["b", "other", "*"]]), ["a", "b"], ["{a,b}"],
         {("a", "{a,b}")}, set()),
        # A value that is a group may be all below it, and a ground value that is one only itself.
        (JOBS, ["office"], ["clerk", "welder", "shop"], set(), {("office", "clerk")}),
        (ICD, ["E11", "E11.9", "E11.65"], ["E11", "E11.9"],
         {("E11", "E11"), ("E11.9", "E11"), ("E11.65", "E11"), ("E11.9", "E11.9")}, set()),
        (ICD, ["E"], ["E11.9", "I10"], set(), {("E", "E11.9")}),
        # Labels with another number of stars name the same prefix.
        (ZIPS, ["48201", "53715"], ["482*", "5*"], {("48201", "482*"), ("53715", "5*")}, set()),
        (ZIPS, ["48201", "53715"], ["482**", "482***"], {("48201", "482**"), ("48201", "482***")},
         set()),
        # An interval of the hierarchy is compared with a number that it lacks.
        (YEARS, ["1969"], ["[1960,1970)", "[1970,1980)"], {("1969", "[1960,1970)")}, set()),
        (YEARS, ["unborn"], ["[1960,1970)"], set(), {("unborn", "[1960,1970)")}),
    ],
)  # fmt: skip
def test_with_a_hierarchy(tree, values, labels, sure, maybe):
    assert told(values, labels, hierarchy=tree) == (sure, maybe)


TWO = Truncated(frozenset({2}))
FIVE = Rounded(Fraction(5))
THREE = Truncated(frozenset({1, 3}))


@pytest.mark.parametrize(
    ("reading", "values", "labels", "sure", "maybe"),
    [
        # Nobody knows where a number halfway went, nor what a label is that is no multiple.
        (FIVE, ["37", "38", "42", "43"], ["40"], {("38", "40"), ("42", "40")}, set()),
        (FIVE, ["37.5", "42.5"], ["40"], set(), {("37.5", "40"), ("42.5", "40")}),
        (FIVE, ["37.5"], ["40", "35", "45"], set(), {("37.5", "40"), ("37.5", "35")}),
        (FIVE, ["41", "3"], ["42"], set(), {("41", "42"), ("3", "42")}),
        (FIVE, ["old"], ["40"], set(), {("old", "40")}),
        (FIVE, ["38", "42.5"], ["40 years", "41 years"], {("38", "40 years")},
         {("42.5", "40 years"), ("38", "41 years"), ("42.5", "41 years")}),
        (FIVE, ["88", "84"], ["85 and over"], {("88", "85 and over")}, set()),
        # Codes that were cut, and one that the adversary knows in part only.
        ("prefix", ["02139", "10027"], ["021"], {("02139", "021")}, set()),
        ("prefix", ["02139", "021391234"], ["02139"],
         {("02139", "02139"), ("021391234", "02139")}, set()),
        ("prefix", ["021", "100"], ["02139"], set(), {("021", "02139")}),
        ("prefix", ["E1", "J4"], ["E11"], set(), {("E1", "E11")}),
        # A prefix hierarchy cuts to some lengths; its stars may stand for nothing.
        (THREE, ["E11.9", "E11.65", "E12.9"], ["E11"],
         {("E11.9", "E11"), ("E11.65", "E11")}, set()),
        (THREE, ["E11.9", "E11.65", "E11", "E12.9"], ["E11***"],
         {("E11.9", "E11***"), ("E11.65", "E11***"), ("E11", "E11***")}, set()),
        (THREE, ["E11.9", "E11.65"], ["E11**"], {("E11.9", "E11**")}, {("E11.65", "E11**")}),
        (THREE, ["E11.9", "E11.65"], ["E11**", "E11*"], {("E11.9", "E11**")},
         {("E11.9", "E11*"), ("E11.65", "E11**"), ("E11.65", "E11*")}),
        # Zeros that a spreadsheet dropped, of a value or of a label.
        ("prefix", ["2139", "10027"], ["021", "100"], {("10027", "100")}, {("2139", "021")}),
        ("prefix", ["02139", "10027"], ["21", "100"], {("10027", "100")}, {("02139", "21")}),
        ("prefix", ["2139", "2140"], ["021"], set(), {("2139", "021"), ("2140", "021")}),
        ("prefix", ["21399", "02139"], ["021"], {("02139", "021")}, set()),
        (THREE, ["02139", "10027"], ["213*", "100**"], {("10027", "100**")}, {("02139", "213*")}),
        (THREE, ["02139", "21399"], ["213**", "100**"], {("21399", "213**")}, set()),
        (TWO, ["02139", "10027"], ["21*", "10*"], set(),
         {("02139", "21*"), ("10027", "10*")}),
        (TWO, ["02139", "10027"], ["21**", "02***", "10***"],
         {("02139", "02***"), ("10027", "10***")}, {("02139", "21**")}),
        (TWO, ["02139", "21399"], ["21*", "02*"], set(), {("02139", "02*"), ("21399", "21*")}),
        (THREE, ["2139", "10027"], ["021**", "100**"], {("10027", "100**")}, {("2139", "021**")}),
        (THREE, ["48201", "48201-1234"], ["482**"], {("48201", "482**")},
         {("48201-1234", "482**")}),
        (THREE, ["e11.9", "J45.9"], ["E11**"], set(), {("e11.9", "E11**")}),
        ("prefix", ["sw1a", "XX"], ["SW1"], set(), {("sw1a", "SW1")}),
        # Placeholders behind the beginning; and labels that are no beginning.
        ("prefix", ["E11.9", "J45.9"], ["E11.x", "J45"], {("E11.9", "E11.x"), ("J45.9", "J45")}, set()),
        ("prefix", ["02139", "10027"], ["021xx", "100.."], {("02139", "021xx"), ("10027", "100..")}, set()),
        ("prefix", ["E11.9", "J45"], ["E10-E14", "J45"], {("J45", "J45")}, {("E11.9", "E10-E14"), ("J45", "E10-E14")}),
        ("prefix", ["AB-123", "CD-123"], ["AB-1", "CD-1"], {("AB-123", "AB-1"), ("CD-123", "CD-1")}, set()),
        # Members of sets are rounded, or cut, like other labels.
        (FIVE, ["38", "42.5", "50"], ["{40,45}"], {("38", "{40,45}")}, {("42.5", "{40,45}")}),
        (FIVE, ["29.5", "20"], ["20-29", "30-39", "40"], {("20", "20-29")},
         {("29.5", "20-29"), ("29.5", "30-39")}),
        ("set", ["25", "45"], ["{20-29,30-39}"], {("25", "{20-29,30-39}")}, set()),
        (THREE, ["E11.9", "E11.65"], ["E11**", "E11***"],
         {("E11.9", "E11**"), ("E11.65", "E11***")}, {("E11.9", "E11***")}),
        (THREE, ["E11.9", "J45.9"], ["E****"], {("E11.9", "E****")}, set()),
    ],
)  # fmt: skip
def test_with_a_reading(reading, values, labels, sure, maybe):
    assert told(values, labels, reading=reading) == (sure, maybe)


def test_dates_in_a_column_that_is_declared_plain_are_texts():
    assert told(["2020-05-17"], ["2020-05"], reading="plain") == (set(), set())


def test_a_column_that_is_declared_plain_is_decided():
    assert told(["f", "m"], ["female"], reading="plain") == (set(), set())


def test_nobody_asked_and_nothing_is_looked_for():
    assert match_column(["", "*", "f"], ["", "*", "female"]).maybe is None


def test_too_many_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(too_much, "MOST_UNDECIDED", 3)
    assert told(["a"], ["x", "y", "z"])[1]
    with pytest.raises(TooMuchError, match="more than 3 pairs of values and labels"):
        told(["a", "b"], ["x", "y"])
