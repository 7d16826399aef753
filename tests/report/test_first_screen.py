"""The first screen: what a reader who knows no model learns from the first fifteen lines.

Expected numbers are those of the reports typed by hand, or counts of small tables by hand.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from report.arbitrary import audit_reports

import anonaudit
from anonaudit.findings import Outcome, Remedies, Remedy, Step
from anonaudit.report import to_html, to_markdown, to_text
from anonaudit.report.sections.first_screen import first_screen
from anonaudit.report.sections.tables import required_table
from anonaudit.report.words import layout

# Two groups: 30 with one illness throughout, 40 with two.
PAIRS = "age,illness\n30,flu\n30,flu\n40,flu\n40,gout\n"
ALONE = "age,zip,illness\n30,1,flu\n31,1,flu\n40,2,gout\n40,2,flu\n"


def audited(tmp_path, text, requires="", **columns):
    """The report of a small file."""
    file = tmp_path / "r.csv"
    file.write_text(text, "utf-8")
    if not requires:
        return anonaudit.audit(file, **columns)
    policy = tmp_path / "p.toml"
    quasi = ", ".join(f'"{c}"' for c in text.split("\n")[0].split(",")[:-1])
    policy.write_text(
        f'[columns]\nquasi-identifiers = [{quasi}]\nsensitive = ["illness"]\n{requires}'
    )
    return anonaudit.audit(file, policy)


def test_who_is_exposed_to_whom(tmp_path):
    report = audited(tmp_path, PAIRS, quasi_identifiers=["age"], sensitive=["illness"])
    assert first_screen(report)[1] == (
        "Nobody is alone in this release, and yet 2 people's illness is certain to whoever knows "
        "their age."
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("age,illness\n30,flu\n30,gout\n", "Nobody is alone in this release."),
        (
            "age,illness\n30,flu\n40,flu\n40,gout\n",
            (
                "1 person is alone in this release, and 1 person's illness is certain to whoever knows "
                "their age."
            ),
        ),
        (
            "age,illness\n30,flu\n40,\n",
            (
                "2 people are alone in this release, and 1 person's illness is certain to whoever "
                "knows their age."
            ),
        ),
        # A quasi-identifier that is suppressed throughout tells nobody anything.
        (
            "age,sex,illness\n30,*,flu\n30,*,flu\n",
            (
                "Nobody is alone in this release, and yet 2 people's illness is certain to whoever "
                "knows their age."
            ),
        ),
    ],
)
def test_who_is_alone(tmp_path, text, said):
    report = audited(
        tmp_path, text, "[require]\nk-anonymity = {k = 1}\n[attacks]\nhomogeneity={}\n"
    )
    assert first_screen(report)[1] == said


def test_nobody_is_alone_only_under_every_way_to_count(tmp_path):
    report = audited(tmp_path, PAIRS, quasi_identifiers=["age"], sensitive=["illness"])
    k = next(model for model in report.models if model.model == "k-anonymity")
    doubtful = replace(k, by_convention={"quasi-identifiers = drop-rows": 1})
    said = first_screen(replace(report, models=(doubtful,), attacks=()))[1]
    assert said == "Nobody is alone in this release under the chosen convention for empty cells."


def test_a_person_alone_in_two_groups_is_not_counted_as_two(tmp_path):
    text = "p,age,illness\n1,30,flu\n1,31,gout\n2,40,flu\n3,40,gout\n"
    report = audited(tmp_path, text, quasi_identifiers=["age"], sensitive=["illness"], unit="p")
    assert first_screen(report)[1].startswith("2 groups of this release have only one person")


def test_decision(reports):
    decided = {name: first_screen(reports[name])[0] for name in reports}
    assert decided["holds"].endswith("release of this file: 4 of 4 requirements hold.")
    assert (
        decided["violated"] == "Do not release this file as it is: it breaks 3 of 3 requirements."
    )
    assert decided["inconclusive"].startswith("Do not release this file yet: 3 of 3 requirements")
    assert decided["measured"].startswith("Nothing was required")


def test_direct_identifiers_stand_before_what_holds(tmp_path):
    text = "age,mail,illness\n" + "30,a@example.org,flu\n30,a@example.org,gout\n" * 2
    report = audited(tmp_path, text, "[require]\nk-anonymity = {k = 2}\n")
    assert report.outcome is Outcome.HOLDS
    assert first_screen(report)[0].startswith(
        "Do not release this file before you have checked column 'mail'"
    )


def test_class_size_that_is_not_met_in_words(tmp_path):
    report = audited(tmp_path, PAIRS, "[require]\nk-anonymity = {k = 3}\n")
    assert "4 rows are in groups of fewer than 3." in first_screen(report)


@pytest.mark.parametrize("boundary", ["a", "ab"])
def test_suspected_values_do_not_make_rows_violate(tmp_path, boundary):
    """Only k fails, by the two rows of c. With the boundary a, ab may come from b: undecided."""
    (tmp_path / "q.csv").write_text("a,ab,*\nb,ab,*\nc,c,*\n")
    (tmp_path / "p.toml").write_text(
        'columns.quasi-identifiers = ["q", "z"]\n'
        f'hierarchies.q = {{ file = "q.csv", max-generalization = ["{boundary}"] }}\n'
        "require.constrained-k-anonymity = { k = 3 }\n"
    )
    (tmp_path / "r.csv").write_text("q,z\n" + "ab,1\n" * 3 + "c,2\n" * 2)
    report = anonaudit.audit(tmp_path / "r.csv", tmp_path / "p.toml")
    assert any(s.startswith("2 rows are in groups of fewer than 3.") for s in first_screen(report))
    model, open_ = report.models[0], boundary == "a"
    assert (model.classes_violating, model.rows_violating) == (1, 2)
    assert model.classes_undecided == open_
    table = [row[1:5] for row in required_table(report) if "boundaries" in row[0]]
    assert table == [["0", "0", "0", "0"], *([["", "3", "1", "3"]] if open_ else [])]


def test_broken_rule_in_words(tmp_path):
    # No group has one value; by a share of 1/2 each breaks alpha = 0.4.
    text = "age,illness\n30,flu\n30,gout\n40,flu\n40,gout\n"
    report = audited(tmp_path, text, "[require]\nalpha-k-anonymity = {alpha = 0.4, k = 2}\n")
    assert any(
        one.startswith("4 rows are in groups that break this rule: no sensitive value has")
        for one in first_screen(report)
    )


def test_a_long_rule_is_named_not_cut(tmp_path):
    text = "age,illness\n30,flu\n30,flu\n30,gout\n30,HIV\n"
    report = audited(tmp_path, text, "[require]\nrecursive-c-l-diversity = {c = 0.5, l = 2}\n")
    named = 'violate recursive-c-l-diversity (see "What the models mean").'
    assert f"4 rows are in groups that {named}" in first_screen(report)


def test_values_beyond_a_boundary_are_no_small_group(tmp_path):
    """Both rows are in a class of 2, and only the boundary is violated: no size is missed."""
    (tmp_path / "zip.csv").write_text("11;1*;*\n12;1*;*\n21;2*;*\n", "utf-8")
    limit = 'hierarchies.zip = { file = "zip.csv", max-generalization = ["1*", "2*"] }\n'
    (tmp_path / "r.csv").write_text("zip,illness\n*,flu\n*,gout\n", "utf-8")
    for level in ("", "require.constrained-k-anonymity = { k = 2 }\n"):
        (tmp_path / "p.toml").write_text(
            'columns.quasi-identifiers = ["zip"]\ncolumns.sensitive = ["illness"]\n'
            'values.suppressed = ["-"]\n' + limit + level,
            "utf-8",
        )
        report = anonaudit.audit(tmp_path / "r.csv", tmp_path / "p.toml")
        said = " ".join(first_screen(report))
        assert "2 rows are in groups that violate constrained-k-anonymity" in said
        assert "groups of fewer than" not in said


def test_a_file_that_looks_unmasked(tmp_path):
    many = "age,illness\n" + "".join(f"{age},flu\n" for age in range(5)) + "9,flu\n9,gout\n" * 5
    half = "age,illness\n1,flu\n2,flu\n3,flu\n3,gout\n4,flu\n4,gout\n"  # 2 of 4 groups
    columns = {"quasi_identifiers": ["age"], "sensitive": ["illness"]}
    said = "This file looks unmasked: most groups are one person. Try anonaudit mask."
    assert said in first_screen(audited(tmp_path, many, **columns))
    assert said not in first_screen(audited(tmp_path, half, **columns))


def test_cheapest_remedy(reports):
    dear = Remedy((Step("suppress", rows=7, classes=2),), (), Outcome.HOLDS, 7, 0, 0.2)
    cheap = Remedy((Step("merge", ("age",), 9, 3),), (), Outcome.HOLDS, 0, 9, 0.1)
    short = Remedy((Step("drop", ("sex",)),), (), Outcome.VIOLATED, 0, 0, 0.0)
    for tried, said in (
        ((cheap, dear), "remedy: merge classes (deletes 0 rows, changes 9 cells)."),
        ((dear, short), "remedy: suppress rows (deletes 7 rows, changes 0 cells)."),
        ((short,), "None of the tried remedies suffices."),
    ):
        report = replace(reports["violated"], remedies=Remedies(tried))
        assert any(one.endswith(said) for one in first_screen(report)), said


def test_what_is_undecided_is_said(reports):
    assert any(
        "Undecided, so not safe: homogeneity as a whole, k-anonymity" in one
        for one in first_screen(reports["inconclusive"])
    )
    attack = replace(reports["violated"].attacks[0], undecided=17)
    report = replace(reports["violated"], attacks=(attack,))
    assert "homogeneity for 17 of 32,561" in first_screen(report)[-1]
    many = tuple(replace(attack, attack=f"long-third-party-name-{i}") for i in range(4))
    last = first_screen(replace(report, attacks=many))[-1]
    assert "long-third-party-name-0 for 17 of 32,561 targets and 3 more. Not checked" in last


def test_long_names_take_no_more_than_fifteen_lines(reports):
    names = tuple(f"{letter * 60} {letter * 60}" for letter in "abcdefgh")
    base = reports["violated"]
    model = replace(base.models[0], by_convention={names[0]: 1}, measured=2)
    attack = replace(
        base.attacks[0], per_attribute=dict.fromkeys(names, 10**9), disclosed=10**9, undecided=10**9
    )
    others = [replace(attack, attack=name, details={}) for name in names]
    report = replace(
        base,
        columns={"quasi_identifiers": names, "sensitive": names},
        models=(model, *base.models),
        attacks=(attack, *others),
    )
    assert len(brief(report)) <= 15


def brief(report):
    """The lines of the first screen below the verdict."""
    return to_text(report, extent="brief").split("\n\n", 1)[1].rstrip("\n").split("\n")


@given(audit_reports())
def test_at_most_fifteen_lines(report):
    lines = brief(report)
    assert len(lines) <= 15
    assert all(layout.width_of(line) <= 88 for line in lines)


def test_every_format_for_people_opens_with_it(case):
    report = case[1]
    decision = first_screen(report)[0]
    text = to_text(report)
    assert text.startswith(to_text(report, extent="brief"))
    first = text.index("\n\n")
    assert first < text.index(decision[:60]) < text.index("\n\n", first + 2)
    assert decision[:30] in to_markdown(report).split("\n\n")[1]
    assert f"<p>{decision[:30]}" in to_html(report)


def test_many_undecided_models_are_named_whole_or_counted(tmp_path):
    text = "a,b,illness\n*,*,flu\n*,*,gout\n"
    requires = "[require]\nk-anonymity = { k = 2 }\np-sensitive-k-anonymity = { p = 2 }\n"
    requires += "[attacks]\nhomogeneity = { allow-rate = 0 }\n"
    (said,) = (line for line in first_screen(audited(tmp_path, text, requires)) if "so not" in line)
    assert "\u2026" not in said
    assert said.startswith("Undecided, so not safe: homogeneity as a whole")
    assert "2 rows are in no group." in said


def test_short_text_leaves_out_explanations_alone(reports):
    short, everything = (to_text(reports["violated"], extent=one) for one in ("short", "all"))
    for title in ("What was required", "Who is exposed", "What an adversary learns", "Warnings"):
        assert title in short
    for title in ("What was only measured", "How this was audited", "What the models mean"):
        assert title in everything
        assert title not in short
    assert "What was only measured" in to_text(reports["measured"], extent="short")


def test_persons_alone_by_all_their_rows_are_said(tmp_path):
    """Every group has two or three persons, and yet no two persons have the same groups."""
    text = "age,illness,p\n10,a,1\n10,b,2\n20,a,1\n20,b,3\n30,a,2\n30,b,3\n30,c,1\n"
    report = audited(tmp_path, text, quasi_identifiers=["age"], sensitive=["illness"], unit="p")
    assert first_screen(report)[1] == (
        "Nobody is alone in a group of this release, but 3 people are unique by all their rows "
        "together."
    )


def test_a_place_or_an_attack_that_does_not_fit_is_left_out_whole(reports):
    base = reports["violated"]
    attack = replace(base.attacks[0], details={}, identified=12_345, disclosed=12_345)
    attack = replace(attack, targets=12_345)
    others = [replace(attack, attack=name) for name in ("linkage", "composition", "best-guess")]
    said = first_screen(replace(base, attacks=tuple(others)))
    (about,) = [one for one in said if one.startswith("The attacks")]
    one = "identifies 12,345 and learns a value of 12,345 of 12,345 targets"
    assert about == f"The attacks linkage {one}, and 2 more attacks succeed."
    long = "household_income_of_last_year"
    witness = replace(base.models[1].witness, rows=105, attribute=long)
    witness = replace(witness, positions=(1_000_101, 1_000_102, 1_000_103))
    models = (replace(base.models[1], witness=witness, outcome=Outcome.VIOLATED),)
    said = first_screen(replace(base, models=models, attacks=()))
    (place,) = [one for one in said if one.startswith("The worst")]
    assert place == (
        "The worst group by household_in…f_last_year has 105 rows (data rows 1,000,101, ...)."
    )


def test_without_quasi_identifiers_everybody_knows_what_is_certain(tmp_path):
    text = "illness,other\nflu,1\nflu,2\n"
    report = audited(tmp_path, text, quasi_identifiers=[], sensitive=["illness"])
    said = first_screen(report)
    assert any("2 people's illness is certain to everybody." in one for one in said)
    assert (
        "Assumed: the adversary knows no quasi-identifier; each row counts as one person."
        in " ".join(said)
    )
