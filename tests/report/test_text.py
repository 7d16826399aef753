"""Text: what a person reads. The golden files show whole reports; here are the rules."""

import textwrap
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.arbitrary import audit_reports, texts
from report.golden_files import agrees_with

from anonaudit.findings import Notice, Outcome
from anonaudit.report import figures, layout, to_text
from anonaudit.report.advice import advice


def block(text, title):
    """The lines of one section."""
    lines = text.split("\n")
    start = lines.index(title) + 2
    return lines[start : next(i for i in range(start, len(lines)) if not lines[i].strip("-"))]


def said(text):
    """The text without its line breaks."""
    return " ".join(text.split())


def test_golden(case):
    name, report = case
    agrees_with(f"{name}.txt", to_text(report))


@pytest.mark.parametrize(("name", "width"), [("violated", 88), ("hostile", 80)])
def test_golden_with_values(reports, name, width):
    agrees_with(f"{name}-values-{width}.txt", to_text(reports[name], show_values=True, width=width))


@pytest.mark.parametrize("width", [80, 88, 120])
def test_no_line_is_wider_than_asked(case, width):
    for line in to_text(case[1], show_values=True, width=width).split("\n"):
        assert layout.width_of(line) <= width, line


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("holds", "HOLDS: 4 of 4 requirements met"),
        (
            "violated",
            "VIOLATED: 3 of 3 requirements broken (k-anonymity, p-sensitive-k-anonymity, homogeneity)",
        ),
        (
            "measured",
            "MEASURED: nothing was required, so nothing is judged (k = 1, p = 1, l = 1 and 2 more)",
        ),
        (
            "inconclusive",
            "INCONCLUSIVE, which is no pass: 3 of 3 requirements undecided (k-anonymity and 2 more)",
        ),
        ("linkage", "VIOLATED: 1 of 2 requirements broken, 1 undecided (linkage)"),
        ("persons", "VIOLATED: 1 of 1 requirement broken (k-anonymity)"),
        ("identifiers", "VIOLATED: 2 of 6 requirements broken (identifier name, identifier ssn)"),
    ],
)
def test_verdict_is_the_first_line(reports, name, first):
    assert to_text(reports[name]).split("\n")[:2] == [first, ""]


def test_a_verdict_without_a_visible_cause_claims_no_count(reports):
    report = replace(reports["holds"], outcome=Outcome.VIOLATED)
    assert to_text(report).startswith("VIOLATED\n")


def test_no_cell_unless_shown(reports):
    for name, cell in (("violated", "Amer-Indian-Eskimo"), ("third_party", "30-39")):
        assert cell not in to_text(reports[name])
        assert cell in to_text(reports[name], show_values=True)
    assert "HIV" not in to_text(reports["third_party"])
    assert '" White"' in to_text(reports["violated"], show_values=True)


def test_tables(reports):
    text = to_text(reports["violated"])
    expected = """
      model                    required  measured  classes   rows  outcome
      k-anonymity                k >= 5         1      190    424  VIOLATED
      p-sensitive-k-anonymity    p >= 2         1      235  3,120  VIOLATED
        income                                  1      232  3,113
        occupation                              1       75     86
        class size               k >= 2         1
    """
    assert textwrap.dedent(expected).strip() in textwrap.dedent(text.replace("\n  ", "\n"))
    expected = """
      attack        targets  identified  disclosed   rate  guess  allowed  outcome
      homogeneity    32,561           0      3,120  9.58%  75.9%       5%  VIOLATED
        income                               3,113
        occupation                              86
    """
    assert textwrap.dedent(expected).strip() in textwrap.dedent(text.replace("\n  ", "\n"))


def test_a_class_that_is_many_witnesses_is_named_once(reports):
    assert block(to_text(reports["persons"]), "Who is exposed") == [
        "  - A class of 19 rows (data rows 4, 90, 91, 92, 300, ...): the worst for k-anonymity;",
        "    laid open by homogeneity (illness).",
    ]


def test_what_holds_exposes_nobody(reports):
    assert "Who is exposed" not in to_text(reports["holds"])


def test_names_of_others_are_bare(reports):
    text = to_text(reports["third_party"])
    assert "  shadow       10           0          1   10%      -  measured" in text
    assert "  shadow: Also: rules: values 2, confidence 1.\n" in text


def test_persons_are_called_persons(reports):
    text = said(to_text(reports["persons"]))
    assert "5,200 rows of 812 persons in 90 classes of 4 to 40 persons" in text
    assert "shared by k persons or more" in text
    assert "31 rows dropped for a quasi-identifier without a value" in text
    assert "rows with a quasi-identifier without a value are left out" in text


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("holds", []),
        ("third_party", []),
        ("identifiers", ["Remove the identifier columns name, ssn from the release."]),
        ("measured", ["Nothing was required: put the levels this release needs into a policy."]),
        (
            "inconclusive",
            [
                "No row is in any class (3 rows read, 3 suppressed or dropped), so nothing can be "
                "decided. Look whether this is the right file, and whether the missing and "
                "suppressed values fit."
            ],
        ),
        (
            "persons",
            [
                "1 class with 19 rows (0.365% of all) falls short of k = 5: suppress those rows, or "
                "merge these classes with others by generalizing a quasi-identifier further, and "
                "audit again."
            ],
        ),
        (
            "bounds",
            [
                "k = 50 is out of reach: the release has only 20 rows. Require less, or release "
                "more.",
                "p = 3 is out of reach: no masking gives every class more than 2 values (maxP). "
                "Require less, or leave out the attribute income, which has only 2 values.",
                "2 classes with 3 rows (15% of all) fall short of p = 2; 2 classes with 3 rows (15% "
                "of all) fall short of p = 2 with k = 3: suppress those rows, or merge these classes "
                "with others by generalizing a quasi-identifier further, and audit again.",
                "p = 2 allows at most 4 classes (maxGroups), the release has 6: generalize until no "
                "more are left.",
            ],
        ),
    ],
)
def test_advice(reports, name, found):
    assert advice(reports[name]) == found


def test_advice_for_attacks(reports):
    found = advice(reports["linkage"])
    assert found[0] == "linkage is undecided: nobody in the external table matches the release."
    assert found[1] == "linkage did not run: no external table was given."
    assert found[2].startswith("linkage tells 1,500 of 1,500 targets apart from everyone else")
    assert found[3].startswith("linkage learns a sensitive value of 1,500 of 1,500 targets")
    assert len(found) == 4


def test_advice_does_not_suppress_most_of_the_release(reports):
    report = reports["violated"]
    most = replace(report.models[0], rows_violating=20000)
    [found] = advice(replace(report, models=(most,), attacks=()))
    assert "merge these classes" in found
    assert "suppress those rows" not in found


def test_advice_cannot_merge_a_single_class(reports):
    report = reports["violated"]
    release = replace(report.release, classes=1)
    model = replace(report.models[0], classes_violating=1)
    [found] = advice(replace(report, release=release, models=(model,), attacks=()))
    assert "merge" not in found
    assert "the only class" in found


def test_advice_does_not_guess_which_attribute_is_scarce(reports):
    report = reports["bounds"]
    levels = dict(report.models[1].per_attribute, illness=report.models[1].per_attribute["income"])
    model = replace(report.models[1], per_attribute=levels)
    [found] = advice(replace(report, models=(model,)))
    assert found.endswith("leave out the attribute with only 2 values (among income, illness).")


def test_hostile_names_stay_on_their_line(reports):
    text = to_text(reports["hostile"])
    assert all(character.isprintable() or character == "\n" for character in text)
    assert r"\x1b[2J\x1b[31mage" in text
    assert r"zip\ncode" in text
    assert '""' in text
    assert '" sex "' in text
    # Each name has one line in the table of models: 13 attributes, the model and the header.
    rows = block(to_text(reports["hostile"], width=200), "What was required")
    assert rows[0].startswith("Classes and rows")
    table = to_text(reports["hostile"], width=200).split("\n\n")[3].split("\n")
    assert len(table) == 15
    assert len({layout.width_of(line) for line in table[2:]}) == 1


@given(audit_reports(), st.booleans())
def test_any_report_renders(report, show_values):
    text = to_text(report, show_values=show_values)
    text.encode("utf-8")
    assert text.endswith("\n")
    assert all(character.isprintable() or character == "\n" for character in text)


@given(st.lists(st.tuples(texts, st.integers(0, 10**6)), min_size=1), st.integers(40, 120))
def test_tables_are_aligned_whatever_the_names(rows, width):
    cells = [[name, f"{number:,}"] for name, number in rows]
    lines = layout.table([["name", "number"], *cells], left=(0,), width=width)
    assert len(lines) == len(rows) + 1
    assert len({layout.width_of(line) for line in lines}) == 1  # numbers end at one column
    assert layout.width_of(lines[0]) <= width


@given(texts, st.integers(40, 120))
def test_paragraphs_fit_and_lose_nothing(text, width):
    lines = layout.paragraph(text, width, first="- ", rest="  ")
    assert all(layout.width_of(line) <= width for line in lines)
    kept = "".join(line[2:] for line in lines)
    assert kept.replace(" ", "") == layout.visible(text).replace(" ", "")


@given(texts, st.integers(1, 40))
def test_shortened_names_fit(text, limit):
    found = layout.shorten(layout.visible(text), limit)
    assert layout.width_of(found) <= limit
    assert len(found) <= 4 * limit + 1


def test_shortened_names_keep_both_ends():
    assert layout.shorten("extended-p-sensitive-k-anonymity", 20) == "extended-p…anonymity"
    assert layout.shorten("住所の郵便番号", 9) == "住所…番号"
    assert layout.shorten("e" + "\u0301" * 10000, 5).count("\u0301") < 20


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("age", "age"), ("a b", "a b"), ("", '""'), (" a", '" a"'), ("a  b", '"a  b"'),
        ("a,b", '"a,b"'), ("\x1b[0m", r"\x1b[0m"), ("\u200bage", r"\u200bage"),
        ("a\xa0b", r"a\xa0b"), ("\ud800", r"\ud800"), ("C:\\data", "C:\\data"), ("é", "é"),
    ],
)
def test_names_in_sentences(text, shown):
    assert layout.name(text) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (None, "-"), (float("nan"), "-"), (0.0, "0%"), (1.0, "100%"), (0.5, "50%"),
        (0.0958201529, "9.58%"), (1 / 3, "33.3%"), (0.00123456, "0.123%"), (1e-9, "<0.0001%"),
        (0.9994, "99.9%"), (0.99951, ">99.9%"), (0.999999999, ">99.9%"),
    ],
)
def test_percent(share, shown):
    assert figures.percent(share) == shown


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        (None, "-"), (float("inf"), "-"), (5, "5"), (5.0, "5"), (11089, "11,089"),
        (0.7591904426, "0.7592"), (2.5, "2.5"), (1.99999, "2"), (12345.678, "12,346"), (0, "0"),
        (1e-9, "1e-09"), (0.00012345, "0.0001234"), (-0.0, "0"), (10, "10"), (1e20, "1e+20"),
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


def test_notices_without_a_column(reports):
    report = replace(reports["holds"], warnings=(Notice("no-header", "the file has no header"),))
    assert block(to_text(report), "Warnings") == ["  - no-header: the file has no header"]
