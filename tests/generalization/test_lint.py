"""What the lint of a column finds: worked examples, real spellings, a brute-force sweep."""

import re
import unicodedata
from dataclasses import FrozenInstanceError
from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anonaudit.generalization.labels import REPAIRS, Interval, canonical, parse
from anonaudit.generalization.lint import (
    ambiguous_labels,
    date_like,
    lint,
    near_duplicates,
    overlapping_intervals,
    placeholder_numbers,
    same_meaning,
    totals,
    undeclared_missing,
    unreadable_intervals,
    unshared_texts,
)

CHECKS = [
    near_duplicates, same_meaning, overlapping_intervals, unreadable_intervals, date_like,
    ambiguous_labels, undeclared_missing, placeholder_numbers,
]  # fmt: skip


def shown(findings):
    """Each code with its groups of labels."""
    return {finding.code: finding.labels for finding in findings}


def flagged(findings):
    """The single labels of the only finding, or none."""
    return [text for finding in findings for (text,) in finding.labels]


def test_b09_near_duplicates_of_both_columns():
    ages = ["[20, 30[", "[20,30)", "[20,30[", "[ 20 , 30 [", "]30, 40]", "(30,40]", "[20,30]"]
    (found,) = near_duplicates(ages, "age")
    assert found.code == "near-duplicate-labels"
    assert found.column == "age"
    assert found.count == 2
    assert {frozenset(group) for group in found.labels} == {
        frozenset(ages[:4]),
        frozenset(ages[4:6]),
    }
    (found,) = near_duplicates(["Ostby", "ostby", "Ostby ", "OSTBY", "Vika"], "town")
    assert found.labels == (("OSTBY", "Ostby", "Ostby ", "ostby"),)


@pytest.mark.parametrize(
    ("labels", "needed"),
    [
        (["Bonn", "Bonn "], "['whitespace']"),
        (["Bonn", "Bonn\u200b"], "['whitespace']"),
        (["Bonn", "BONN"], "['case']"),
        (["[20,30)", "[20,30["], "['intervals']"),
        (["K\u00f6ln", "Ko\u0308ln"], "['unicode']"),
        (["[20, 30[", "[20,30)", "Bonn", "bonn"], "['case', 'intervals', 'whitespace']"),
    ],
)
def test_the_message_names_the_repairs_needed(labels, needed):
    (found,) = near_duplicates(labels, "c")
    assert f"normalize = {needed}" in found.message


@pytest.mark.parametrize("labels", [["1", "1.0"], ["I20.1", "I201"], ["St Olav", "St. Olav"]])
def test_what_no_repair_does_is_said(labels):
    (found,) = near_duplicates(labels, "c")
    assert found.message.endswith(
        "write each value in one way, with the same letters, digits, marks and blanks."
    )
    assert found.labels == (tuple(sorted(labels)),)


@pytest.mark.parametrize(
    ("ours", "theirs", "found"),
    [
        ("Oslo Norway", "Oslo Bergen", ["Norway"]),
        ("Oslo Norway Chad", "Oslo Bergen", ["Chad", "Norway"]),
        ("Oslo Norway", "Oslo", []),  # nobody is left whom it may cover
        ("Norway", "Bergen", []),  # nothing in common: undecided anyway
        ("OSLO Norway", "Oslo Bergen", ["Norway"]),
        ("Oslo 20-29 {a,b} E11", "Oslo 25 a", []),  # no words
        ("Oslo", "Oslo Bergen", []),
    ],
)
def test_words_of_one_table_only(ours, theirs, found):
    told = unshared_texts(ours.split(), theirs.split(), "c", "the population")
    assert [label for finding in told for (label,) in finding.labels] == found
    assert {finding.code for finding in told} <= {"unshared-labels"}


def test_one_of_two_repairs_that_both_do():
    # The Kelvin sign becomes a k by folding case, and a K by composing.
    (found,) = near_duplicates(["K", "\u212a"], "c")
    assert found.message.endswith(("normalize = ['case'].", "normalize = ['unicode']."))


@pytest.mark.parametrize(
    "labels", [[], ["a"], ["a", "b"], ["[20,30]", "[20,30)"], ["20-30", "[20,30]"], ["А", "A"]]
)
def test_no_near_duplicates(labels):
    assert near_duplicates(labels, "c") == ()


@pytest.mark.parametrize(
    ("labels", "suspected"),
    [
        (["31", "45", "58", "999", "-9"], ["-9", "999"]),
        (["1", "2", "9"], ["9"]),
        (["1", "2", "98", "99"], ["98", "99"]),
        ([*map(str, range(1, 10)), "99"], ["99"]),  # 7, 8 and 9 are next to others
        ([*map(str, range(17, 91)), "99"], ["99"]),
        ([*map(str, range(100))], []),
        (["0", "1", "2", "-1", "-9"], ["-9"]),
        (["3", "40", "-1"], ["-1"]),  # all others are above zero
        (["-1", "0", "1"], []),
        (["-30", "-10", "-9", "5"], []),  # not at the edge
        (["20-29", "30-39", "99"], ["99"]),
        (["80-89", "90-99", "99", "999"], ["999"]),
        (["1900", "1950", "2000", "9999.0"], ["9999.0"]),
        (["1900", "1950", "9999", "20000"], []),
        (["10", "20", "100"], []),  # no placeholder
        (["1", "9"], []),  # nothing says how far apart numbers are
        (["A", "B", "9"], []),
        ([], []),
    ],
)
def test_numbers_that_may_stand_for_a_missing_value(labels, suspected):
    assert flagged(placeholder_numbers(labels, "c")) == suspected


def test_placeholders_with_a_decimal_comma_and_those_that_are_declared():
    (found,) = placeholder_numbers(["1,5", "2,5", "99,0"], "c", decimal=",")
    assert (found.code, found.count, found.column) == ("placeholder-numbers", 1, "c")
    assert "99" not in found.message
    assert "placeholder-numbers" in shown(lint(["1", "2", "9"], "c"))
    assert "placeholder-numbers" not in shown(lint(["1", "2", "9"], "c", declared=["9"]))


def test_missing_tokens_with_invisible_marks():
    assert flagged(undeclared_missing(["NA\u200f", "\u200b", "a"], "c")) == ["NA\u200f", "\u200b"]


@pytest.mark.parametrize(
    ("labels", "groups"),
    [
        (["20-30", "[20,30]", "20.0 - 30"], (("20-30", "20.0 - 30", "[20,30]"),)),
        (["['35-44']", "35-44"], (("35-44", "['35-44']"),)),
        ([">=50", "50+", "[50,inf)", ">50"], (("50+", ">=50", "[50,inf)"),)),
        (["a~b", "b~a", "{b,a}", "a~c"], (("a~b", "b~a", "{b,a}"),)),
        (["44-46", "44-46.0"], (("44-46", "44-46.0"),)),  # umbra
        (["20-30", "43", "43.0"], (("43", "43.0"),)),
        (["20-30", "20 - 30"], ()),  # a repair makes them one
        (["43", "43.0"], ()),  # no intervals, so these are words
        (["F,M", "M,F"], ()),  # sets or text: nothing is concluded
        (["10002-02109", "02109-10002"], ()),
        (["482**", "a", "b"], ()),
        ([], ()),
    ],
)  # fmt: skip
def test_same_meaning(labels, groups):
    assert shown(same_meaning(labels, "c")).get("same-meaning-labels", ()) == groups


def test_same_meaning_of_a_declared_reading():
    labels = ["10002-02109", "02109-10002", "F"]
    (found,) = same_meaning(labels, "zip", reading="set")
    assert found.labels == (("02109-10002", "10002-02109"),)
    assert found.count == 1
    (found,) = same_meaning(["1,5-2", "1,50-2"], "c", decimal=",")
    assert found.count == 1


def test_b10_exactly_one_pair():
    found = overlapping_intervals(["[20,40[", "[30,50[", "[50,60["], "age")
    assert shown(found) == {"overlapping-intervals": (("[20,40[", "[30,50["),)}
    assert found[0].count == 1


@pytest.mark.parametrize(
    ("labels", "partial", "nested"),
    [
        ([], (), ()),
        (["20-30"], (), ()),
        (["20-29", "30-39"], (), ()),
        (["20-30", "30-40"], (("20-30", "30-40"),), ()),
        (["[20,30)", "[30,40)", "(40,50]"], (), ()),
        (["[0,10)", "[0,20)"], (), (("[0,20)", "[0,10)"),)),
        (["[10,20)", "[0,20)"], (), (("[0,20)", "[10,20)"),)),
        (["[10,20)", "[10,20]"], (), (("[10,20]", "[10,20)"),)),
        (["(10,20]", "[10,20)"], (("[10,20)", "(10,20]"),), ()),
        (["<50", ">=50"], (), ()),
        (["<50", ">=40"], (("<50", ">=40"),), ()),
        (["<50", "<40"], (), (("<50", "<40"),)),
        (["(-inf,inf)", "5+"], (), (("(-inf,inf)", "5+"),)),
        (["40-49", "43"], (), (("40-49", "43"),)),
        (["40-49", "43", "50"], (), (("40-49", "43"),)),
        (["43", "43.0", "44"], (), ()),
        (["20-30", "[20,30]"], (), ()),
        (["0.1-0.3", "0.25-0.5"], (("0.1-0.3", "0.25-0.5"),), ()),
        (["[0,0.1)", "[0.1,0.2)"], (), ()),
        (["00501-02109", "01001-10001"], (), ()),  # ranges or codes: nothing is concluded
        (["a~b", "9-May", "482**"], (), ()),
    ],
)  # fmt: skip
def test_overlaps(labels, partial, nested):
    found = shown(overlapping_intervals(labels, "c"))
    assert found.get("overlapping-intervals", ()) == partial
    assert found.get("nested-intervals", ()) == nested


def test_overlaps_of_a_declared_reading():
    labels = ["00501-02109", "01001-10001", "00501"]
    found = shown(overlapping_intervals(labels, "zip", reading="interval"))
    assert found["overlapping-intervals"] == (("00501-02109", "01001-10001"),)
    assert found["nested-intervals"] == (("00501-02109", "00501"),)
    assert overlapping_intervals(labels, "zip", reading="set") == ()
    assert overlapping_intervals(["20-30", "25-35"], "age", reading="plain") == ()
    assert overlapping_intervals(["1,5-2,5", "2-3"], "c", decimal=",")[0].count == 1


def test_pairs_in_a_column_of_lists_are_left_out():
    labels = ["10001-10003", "10002-10004", "10002-10003-10004"]
    assert overlapping_intervals(labels, "zip") == ()
    assert overlapping_intervals(labels[:2], "zip") != ()


ENDS = st.integers(0, 12)
STYLES = ["[]", "[)", "(]", "()"]


@st.composite
def columns(draw):
    """Distinct intervals in one style: every pair of them that meets is to be found."""
    ends = st.tuples(ENDS, ENDS).map(sorted)
    rays = [f"{sign}{n}" for n in range(12) for sign in ("<", ">=", "<=", ">")]
    found = draw(st.sets(st.sampled_from(rays)))
    for (low, high), style in draw(st.lists(st.tuples(ends, st.sampled_from(STYLES)))):
        found.add(f"{style[0]}{low},{high}{style[1]}" if low < high else f"[{low},{low}]")
    return sorted(found)


def numbers_in(label: Interval) -> set[float]:
    """By trying: between whole numbers, halves stand for all there is."""

    def holds(x: float) -> bool:
        after = label.low is None or (x >= label.low if label.low_closed else x > label.low)
        before = label.high is None or (x <= label.high if label.high_closed else x < label.high)
        return after and before

    return {n / 2 for n in range(-4, 30) if holds(n / 2)}


@given(columns())
def test_the_sweep_finds_what_all_pairs_show(labels):
    partial, nested = set(), set()
    for one, other in combinations(labels, 2):
        a, b = numbers_in(parse(one)), numbers_in(parse(other))
        if a & b:
            (nested if a <= b or b <= a else partial).add(frozenset((one, other)))
    found = overlapping_intervals(labels, "c", limit=10_000)
    pairs = {code: {frozenset(pair) for pair in groups} for code, groups in shown(found).items()}
    assert pairs.get("overlapping-intervals", set()) == partial
    assert pairs.get("nested-intervals", set()) == nested
    assert {f.code: f.count for f in found} == {code: len(p) for code, p in pairs.items()}
    assert all(len(group) == 2 for f in found for group in f.labels)


@given(columns(), st.randoms())
def test_the_order_of_labels_does_not_matter(labels, random):
    shuffled = labels * 2
    random.shuffle(shuffled)
    assert lint(shuffled, "c") == lint(labels, "c")


def test_all_pairs_are_counted_and_few_are_kept():
    n = 20_000
    labels = [f"{i}-{2 * n - i}" for i in range(n)]
    (found,) = overlapping_intervals(labels, "c", limit=3)
    assert found.code == "nested-intervals"
    assert found.count == n * (n - 1) // 2
    assert len(found.labels) == 3
    labels.append(f"{n - 1}-{3 * n}")
    partial, nested = overlapping_intervals(labels, "c")
    assert [len(partial.labels), len(nested.labels)] == [20, 20]
    # The last meets all others in part, but for the innermost, which lies inside it.
    assert partial.count == n - 1
    assert nested.count == n * (n - 1) // 2 + 1


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        (["[0, 600[", "[600, 1.200[", "[1.200, 1.800["], ["[600, 1.200["]),  # a release of pycanon
        (["[1,200,1,800[", "[1,200, 1,800["], ["[1,200,1,800["]),
        (["[30,20]", "[5,5)", "]5-4]"], ["[30,20]", "[5,5)", "]5-4]"]),
        (["[1_000, 2_000)", "[1 000,2 000)"], ["[1 000,2 000)", "[1_000, 2_000)"]),
        (["(555-1234)", "(5,5)", "[a, b]", "[5]", "{30,20}", "20-10", "[20,30)", "['1,2']"], []),
    ],
)
def test_unreadable_intervals(labels, found):
    assert flagged(unreadable_intervals(labels, "c")) == found


@pytest.mark.parametrize(
    "text",
    ["9-May", "10-Dec", "May-14", "05-may", "9/May", "9 May", "Oct-2014", "10. Okt", "5-Mrz", "Sept-10", " 9-May ",
     "10-août", "9-ene"],
)  # fmt: skip
def test_date_like(text):
    assert flagged(date_like([text, "20-30"], "age")) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "May",
        "20-30",
        "9-Mayor",
        "99-May",
        "2020-05-17",
        "May-1",
        "Mayo-14",
        "5",
        "",
        "9May",
        "Set-12",
    ],
)
def test_not_date_like(text):
    assert date_like([text], "age") == ()


def test_ambiguous_labels():
    labels = ["00501-10001", "10002-02109", "20-30", "F,M", "26~33", "Never-married", "5"]
    assert flagged(ambiguous_labels(labels, "c")) == ["00501-10001", "10002-02109", "26~33", "F,M"]
    assert ambiguous_labels(["1,5"], "c", decimal=",") == ()


@pytest.mark.parametrize(
    "text",
    ["NA", "na", "N/A", "n.a.", "#N/A", "<NA>", "nan", "NaN", "NaT", "NULL", "Null", "(null)", "None", "?", "-", "--", ".", "..", ":",
     "\\N", "missing", "Unknown", "suppressed", "masked", "Not available", "**", "*****", " ", " NA ",
     "k.A.", "k. a.", "keine Angabe", "Unbekannt", "inconnue", "non renseigné", "desconocido", "sconosciuta",
     "F,nan", "['F,nan']", "['nan']", "{a,?}", "a~None", "80,82,unknown"],
)  # fmt: skip
def test_undeclared_missing(text):
    assert flagged(undeclared_missing([text, "F"], "sex")) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "*",
        "482**",
        "Nancy",
        "NAN-1",
        "Namibia",
        "Nobody",
        "-5",
        "F,M",
        "Never-married",
        "Kai",
        "0",
        "{a,*}",
    ],
)
def test_not_missing(text):
    assert undeclared_missing([text], "c") == ()


def test_declared_tokens_are_left_alone_as_written():
    assert undeclared_missing(["NA", "F,NA"], "c", declared=["NA"]) == ()
    assert flagged(undeclared_missing(["NA", "na", "*"], "c", declared=["NA"])) == ["*", "na"]


def test_lint_reports_in_a_fixed_order():
    labels = [
        "Ostby", "OSTBY", "20-30", "[20,30]", "25-35", "22-23", "[600, 1.200[", "9-May", "F,M", "NA", "*", "",
    ]  # fmt: skip
    assert [(f.code, f.count) for f in lint(labels, "c")] == [
        ("near-duplicate-labels", 1),
        ("same-meaning-labels", 1),
        ("overlapping-intervals", 1),
        ("nested-intervals", 1),
        ("unreadable-intervals", 1),
        ("date-like-labels", 1),
        ("ambiguous-labels", 1),
        ("undeclared-missing-token", 1),
    ]


def test_lint_of_a_declared_reading():
    labels = ["00501-02109", "01001-10001", "[1, 2, 3]"]
    codes = {
        reading: [f.code for f in lint(labels, "c", reading=reading)]
        for reading in (None, "interval", "set", "plain")
    }
    assert codes == {
        None: ["unreadable-intervals", "ambiguous-labels"],
        "interval": ["overlapping-intervals", "unreadable-intervals"],
        "set": [],
        "plain": [],
    }


@pytest.mark.parametrize(
    "text",
    ["Total", "TOTALS", "Grand total", "Sub-total", "subtotal:", "Sum", "Gesamt", "Insgesamt",
     "Summe", "Totale", "Total général", " total "],
)  # fmt: skip
def test_totals(text):
    assert flagged(totals([text, "A"], "ward")) == [text]
    assert "total-row" in {found.code for found in lint([text, "A"], "ward")}


def test_words_that_are_no_totals():
    assert totals(["Totally", "total loss", "All", "sumo", "summer", "subtle"], "ward") == ()


def test_lint_passes_on_the_decimal_mark_and_the_declared_tokens():
    assert lint(["1,5-2,5", "2,5"], "c", decimal=",")[0].code == "nested-intervals"
    assert lint(["1,50-2", "1,5-2"], "c", decimal=",")[0].code == "same-meaning-labels"
    assert lint(["[1.00,2.00["], "c", decimal=",")[0].code == "unreadable-intervals"
    assert lint(["1,5"], "c", decimal=",") == ()
    assert lint(["NA", "F"], "c", declared=["NA"]) == ()
    assert lint(["NA", "na"], "c", declared=["NA"])[0].code == "undeclared-missing-token"


@pytest.mark.parametrize(
    "labels",
    [[], ["F"], ["F", "M"], ["20-29", "30-39", "40+"], ["<=50K", ">50K"], ["005**", "010**"]],
)
def test_a_clean_column(labels):
    assert lint(labels, "c") == ()


def test_a_finding_is_frozen_and_does_not_print_its_labels():
    (found,) = date_like(["11-Dec"], "age")
    with pytest.raises(FrozenInstanceError):
        found.count = 2
    assert found.labels == (("11-Dec",),)
    assert "11-Dec" not in repr(found)


@given(st.lists(st.text(st.sampled_from("abAB019-,[](){}~'* \u0301"), min_size=1, max_size=8)))
@example(["0", "00"])
def test_findings_of_any_labels(labels):
    for check in CHECKS:
        for found in check(labels, "c"):
            assert found.count >= len(found.labels) > 0
            assert {text for group in found.labels for text in group} <= set(labels)
            assert found.message.count(str(found.count)) >= 1
            # The words of a message depend on the count and the repairs only.
            assert not any(f"'{text}'" in found.message for text in labels)
    for found in near_duplicates(labels, "c"):
        for group in found.labels:
            plain = [unicodedata.normalize("NFD", text).replace("\u0301", "") for text in group]
            # Zeros before digits are spelling, as in `02139` and `2139`.
            same = {re.sub("(?<![0-9])0+(?=[0-9])", "", canonical(text, REPAIRS)) for text in plain}
            assert len(same) == 1 < len(set(group))


@pytest.mark.long
@pytest.mark.parametrize("check", CHECKS)
def test_a_hundred_thousand_labels(check):
    n = 100_000
    for labels in (
        [f"[{i}, {i + 9}[" for i in range(n)],
        [f"{i}-{2 * n - i}" for i in range(n)],
        [f"{i:06d},{i + 1:06d}" for i in range(n)],
    ):
        for found in check(labels, "c"):
            assert found.count <= n * n


@pytest.mark.parametrize(
    ("labels", "begin"),
    [
        (["F", "f"], "1 group of labels that differ only in spelling. "),
        (["F", "f", "M", "m"], "2 groups of labels that differ only in spelling. "),
        (
            ["NA", "F"],
            "1 label may stand for a missing or suppressed value, or for a set of ",
        ),
        (["NA", "?", "F"], "2 labels may stand for a missing or suppressed value, or for a set "),
        (["31", "45", "999"], "1 number may stand for a missing value: code books use such "),
        (["31", "45", "999", "-9"], "2 numbers may stand for a missing value: code books use "),
        (["[20,40[", "[30,50["], "1 pair of intervals that overlap in part. "),
        (["Total", "flu"], "1 label may be the total of a table. "),
    ],
)
def test_the_message_begins_with_the_count(labels, begin):
    (found,) = lint(labels, "c", reading="plain" if labels[0] == "Total" else None)
    assert found.message.startswith(begin)
