"""Text: what a person reads. The golden files show whole reports; here are the rules."""

import textwrap
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.arbitrary import audit_reports
from report.golden_files import agrees_with

from anonaudit.attack import attacks
from anonaudit.findings import Feasibility, Notice, Outcome
from anonaudit.models import MODELS
from anonaudit.models.rule_confidence import Rules
from anonaudit.models.uniqueness import Uniques
from anonaudit.report import feasible_report, to_text
from anonaudit.report.words import layout, wording
from anonaudit.special_details import BeyondBoundaries, ClassSize, Price


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
            "MEASURED: nothing was required; homogeneity discloses 3,120 of 32,561 (k = 1 and 4 more)",
        ),
        (
            "inconclusive",
            (
                "INCONCLUSIVE, which is no pass: 3 of 3 requirements undecided "
                "(k-anonymity, p-sensitive-k-anonymity, homogeneity)"
            ),
        ),
        ("linkage", "VIOLATED: 1 of 2 requirements broken, 1 undecided (linkage)"),
        ("persons", "VIOLATED: 1 of 1 requirement broken (k-anonymity)"),
        ("identifiers", "VIOLATED: 1 of 5 requirements broken (identifiers name, ssn)"),
    ],
)
def test_verdict_is_the_first_line(reports, name, first):
    assert said(to_text(reports[name]).split("\n\n")[0]) == first


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
      requirement                required  measured  classes   rows  outcome
      k-anonymity                  k >= 5         1      190    424  VIOLATED
      p-sensitive-k-anonymity      p >= 2         1      235  3,120  VIOLATED
        income                                    1      232  3,113
        occupation                                1       75     86
        class size                 k >= 2         1
      homogeneity              rate <= 5%     9.58%                  VIOLATED
    """
    assert textwrap.dedent(expected).strip() in textwrap.dedent(text.replace("\n  ", "\n"))
    expected = """
      attack        targets  identified  disclosed   rate   base  allowed  outcome
      homogeneity    32,561           0      3,120  9.58%  75.9%       5%  VIOLATED
        income                               3,113
        occupation                              86
    """
    assert textwrap.dedent(expected).strip() in textwrap.dedent(text.replace("\n  ", "\n"))


def test_a_class_that_is_many_witnesses_is_named_once(reports):
    assert block(to_text(reports["persons"]), "Who is exposed") == [
        "Run with --show-values to see the values of these classes.",
        "  - A class of 4 persons with 19 rows (data rows 4, 90, 91, 92, 300, ...): the worst for",
        "    k-anonymity; exposed by homogeneity (illness).",
    ]


def test_what_holds_exposes_nobody(reports):
    assert "Who is exposed" not in to_text(reports["holds"])


def test_names_of_others_are_bare(reports):
    text = to_text(reports["third_party"])
    assert "  shadow       10           0          1   10%     -  measured" in text
    assert "  shadow: Also: rules: values 2, confidence 1.\n" in text


def test_persons_are_called_persons(reports):
    text = said(to_text(reports["persons"]))
    assert "5,200 rows of 812 persons in 90 classes of 4 to 40 persons" in text
    assert "shared by k persons or more" in text
    assert "31 rows dropped for a missing or suppressed quasi-identifier" in text
    assert "rows with a missing or suppressed quasi-identifier are dropped" in text


def test_hostile_names_stay_on_their_line(reports):
    text = to_text(reports["hostile"])
    assert all(character.isprintable() or character == "\n" for character in text)
    assert r"\x1b[2J\x1b[31mage" in text
    assert r"zip\ncode" in text
    assert '""' in text
    assert '" sex "' in text
    # Each name has one line in the table of models: 13 attributes, the model and the header.
    rows = block(to_text(reports["hostile"], width=200), "What was required")
    assert rows[0].startswith("classes, rows: ")
    table = to_text(reports["hostile"], width=200).split("\n\n")[4].split("\n")
    assert len(table) == 15
    assert len({layout.width_of(line) for line in table[2:]}) == 1


@given(audit_reports(), st.booleans())
def test_any_report_renders(report, show_values):
    text = to_text(report, show_values=show_values)
    text.encode("utf-8")
    assert text.endswith("\n")
    assert all(character.isprintable() or character == "\n" for character in text)


def test_notices_without_a_column(reports):
    report = replace(reports["holds"], warnings=(Notice("no-header", "the file has no header"),))
    assert block(to_text(report), "Warnings") == ["  - no-header: the file has no header"]


def test_one_sensitive_attribute_gets_no_line_of_its_own(reports):
    entropy = reports["measured"].models[2]
    one = {"income": entropy.per_attribute["income"]}
    text = to_text(replace(reports["measured"], models=(replace(entropy, per_attribute=one),)))
    assert "entropy-l-diversity  l             1  higher\n\n" in text


def test_a_model_of_others_that_is_only_measured(reports):
    model = replace(
        reports["third_party"].models[0],
        required=None,
        outcome=Outcome.MEASURED,
        classes_violating=None,
        rows_violating=None,
        parameters={},
    )
    text = to_text(replace(reports["measured"], models=(model,)))
    assert text.startswith(
        "MEASURED: nothing was required; homogeneity discloses 3,120 of 32,561\n"
    )
    assert "  other-presence  -           0.3  lower\n" in text


def test_inconclusive_without_a_visible_cause_claims_no_count(reports):
    report = replace(reports["holds"], outcome=Outcome.INCONCLUSIVE)
    assert to_text(report).startswith("INCONCLUSIVE\n")


@pytest.mark.parametrize(
    ("k", "reached", "line"),
    [
        (2, 2.0, None),  # no more than p itself asks for, and met
        (2, 1.0, "    class size                 k >= 2         1"),
        (3, 3.0, "    class size                 k >= 3         3"),
        (2, None, "    class size                 k >= 2         -"),
    ],
)
def test_class_size_is_told_where_it_tells_something(reports, k, reached, line):
    report = reports["violated"]
    p = replace(report.models[1], parameters={"p": 2, "k": k}, details=ClassSize(k=reached))
    lines = to_text(replace(report, models=(p,))).split("\n")
    assert [text for text in lines if "class size" in text] == ([line] if line else [])


def test_identifiers_that_are_kept_out_are_a_requirement_met(reports):
    report = replace(
        reports["measured"], outcome=Outcome.HOLDS, columns={"identifiers": ("name", "ssn")}
    )
    assert to_text(report).startswith("HOLDS: 1 of 1 requirement met\n")


def test_requirements_left_open_by_leave_of_the_policy(reports):
    linkage = replace(reports["linkage"].attacks[1], outcome=Outcome.INCONCLUSIVE)
    report = replace(reports["holds"], attacks=(linkage,))
    assert to_text(report).startswith("HOLDS: 3 of 4 requirements met, 1 undecided (linkage)\n")


@pytest.mark.parametrize(
    ("rule", "phrase"),
    [
        ({"normalize": ()}, "labels are compared as they are written"),
        ({"normalize": ("trim", "case")}, "repaired before they are compared: trim, case"),
        ({"quasi_identifiers": "wildcard"}, "matches every value"),
        ({"quasi-identifiers": "wildcard", "wildcard-weight": 0.5}, "count with weight 0.5"),
        ({"missing": ("?", "NA")}, 'missing: the empty cell and "?" and "NA"'),
        ({"suppressed": ()}, "suppressed: no cell"),
        ({"sensitive": "one-value"}, "all missing and suppressed sensitive cells are one value"),
        (
            {"quasi_identifiers": "own-category", "wildcard_weight": 0.5},
            "quasi-identifier counts as a value",
        ),
        ({"rounding": 3}, "rounding: 3"),
        ({"folded": ("a", "b")}, "folded: a, b"),
    ],
)
def test_conventions_in_words(reports, rule, phrase):
    report = reports["holds"]
    text = to_text(replace(report, release=replace(report.release, convention=rule)))
    assert phrase in text
    assert text.count("weight") == ("wildcard-weight" in rule)


def test_a_class_size_alone_is_a_requirement(reports):
    report = reports["violated"]
    p = replace(report.models[1], parameters={"k": 2}, required=None)
    text = to_text(replace(report, models=(p,), attacks=()))
    assert text.startswith("VIOLATED: 1 of 1 requirement broken (p-sensitive-k-anonymity)\n")
    assert "p-sensitive-k-anonymity - 1 235 3,120 VIOLATED" in said(text)
    assert "class size k >= 2 1" in said(text)
    assert "fall short of k = 2 (p-sensitive-k-anonymity):" in said(text)


@pytest.mark.parametrize(("columns", "more"), [(8, False), (9, True)])
def test_columns_with_missing_cells_beyond_eight_are_counted(reports, columns, more):
    release = replace(reports["holds"].release, missing_cells={f"c{i}": 1 for i in range(columns)})
    text = to_text(replace(reports["holds"], release=release))
    assert ("and 1 column more" in text) is more


@pytest.mark.parametrize(("width", "beside"), [(82, True), (81, False)])
def test_a_hash_stays_in_one_piece(reports, width, beside):
    text = to_text(replace(reports["holds"], provenance={}), width=width)
    assert (f"  release sha256  {'5fa1c3e7' * 8}\n" in text) is beside
    assert (f"  release sha256\n    {'5fa1c3e7' * 8}\n" in text) is not beside


def test_every_model_and_attack_of_ours_is_explained(reports):
    for name in MODELS:
        assert wording.model_meaning(name, reports["holds"]), name
    for name, attack in attacks().items():
        if attack.__module__.startswith("attacks."):
            assert wording.attack_meaning(name, reports["holds"]), name


def test_few_broken_requirements_are_all_named(reports):
    text = to_text(reports["bounds"])
    assert said(text.split("\n\n")[0]) == (
        "VIOLATED: 4 of 4 requirements broken (k-anonymity, p-sensitive-k-anonymity, "
        "p-sensitive-k-anonymity, extended-p-sensitive-k-anonymity)"
    )
    assert "requirements broken (constrained-k-anonymity" in to_text(reports["other_models"])
    assert "more)" in to_text(reports["other_models"]).split("\n")[0]


def test_boundaries_alone_are_a_requirement_in_words(reports):
    report = reports["other_models"]
    model = replace(report.models[0], parameters={}, required=None)
    text = said(to_text(replace(report, models=(model,))))
    assert "constrained-k-anonymity boundaries 6 0 0 VIOLATED beyond boundaries 0 12 1 12" in text
    assert (
        "The policy requires only the boundaries (max-generalization of age, zip), no level."
        in text
    )


def test_models_of_one_name_stand_together(reports):
    k, p, t = reports["holds"].models
    other = replace(t, parameters={"t": 0.5, "distance": "ordered"})
    text = said(to_text(replace(reports["holds"], models=(t, k, p, other))))
    assert "t-closeness (equal) t <= 0.5 0.31 0 0 holds t-closeness (ordered) t <= 0.5" in text


def test_identifiers_are_said_to_be_absent_or_not(reports):
    text = to_text(reports["identifiers"])
    assert "must be absent name, ssn (in the release), e-mail (absent)" in said(text)
    assert "identifiers absent 2 present VIOLATED name present ssn present" in said(text)
    absent = replace(reports["holds"], columns=reports["identifiers"].columns)
    assert "must be absent name, ssn, e-mail (absent)" in said(to_text(absent))
    assert "identifiers absent absent holds" in said(to_text(absent))


def test_levels_of_attributes_are_infinite_too(reports):
    report = reports["infinite"]
    level = report.models[0].per_attribute["income"]
    both = {"income": level, "none": replace(level, classes_without_known_value=546)}
    model = replace(report.models[0], per_attribute=both)
    text = said(to_text(replace(report, models=(model,))))
    assert "income infinite 375" in text
    assert "none - 375" in text


def test_details_of_our_own_are_told_in_words(reports):
    report = reports["holds"]
    rules = Rules(possible=None, too_sure=1, confidence=0.5)
    uniques = Uniques(alone=0, by_size={"1": 5, "2": 7}, highest_score=None)
    by_hand = BeyondBoundaries(by_column={"age": 3}, classes=1, rows=3, how="by hand")
    models = [replace(report.models[0], details=found) for found in (rules, uniques, by_hand)]
    text = said(to_text(replace(report, models=tuple(models))))
    assert "1 rule from any set of quasi-identifiers reaches the limit. The surest of" in text
    assert "5 with 1, 7 with 2." in text
    assert "Values beyond their boundary: age 3. Also: how violations were found = by hand." in text
    assert "alone in their" not in text


def test_counts_in_notes_are_singular_or_plural():
    assert (
        wording.plural("1 row(s), 2 blank line(s), column(s)") == "1 row, 2 blank lines, column(s)"
    )


@pytest.mark.parametrize(
    ("written", "one", "two"),
    [
        ("row(s) are in no class", "row is in no class", "rows are in no class"),
        ("class(es) have no value", "class has no value", "classes have no value"),
        ("cell(s) were changed", "cell was changed", "cells were changed"),
        ("row(s) of the file are lost", "row of the file is lost", "rows of the file are lost"),
        ("value(s) of are differ", "value of are differs", "values of are differ"),
        ("row(s), which are whole", "row, which are whole", "rows, which are whole"),
        ("class(es) may fall short", "class may fall short", "classes may fall short"),
    ],
)
def test_a_verb_after_a_count_agrees_with_it(written, one, two):
    assert wording.plural(f"1 {written}") == f"1 {one}"
    assert wording.plural(f"2 {written}") == f"2 {two}"


def test_feasible_in_words():
    price = Price(
        max_p=3,
        max_groups={"2": 7, "3": 5},
        by_attribute={"a": {"2": 7, "3": 6}, "b": {"2": 8}},
    )
    text = feasible_report.to_text(
        "x.csv", [Feasibility("p-sensitive-k-anonymity", 2, 3, True, "a", price)]
    )
    assert "(maxP): 3" in text
    assert "    p  maxGroups  by a  by b\n    2          7     7     8\n    3" in text
    assert text.endswith(
        "Attacks and identifiers were not checked. Audit the release after masking.\n"
    )
