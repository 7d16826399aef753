"""What a notebook shows of a report and of an attack, and their tables."""

import pandas as pd
import pytest
from report.test_html import NASTY, Page, nasty


def test_a_report_shows_its_verdict_and_tables(case):
    report = case[1]
    page = Page(report._repr_html_())
    assert page.elements[0][0] == "div"
    assert {tag for tag, _ in page.elements} <= {
        "div", "p", "strong", "table", "caption", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    assert page.said().startswith(report.outcome.value.upper())


def test_no_value_is_shown(reports):
    for cell in ("Amer-Indian-Eskimo", "chemotherapy", "influenza"):
        assert cell not in reports["elimination"]._repr_html_()
        assert cell not in reports["elimination"].attacks[0]._repr_html_()


def test_hostile_texts_stay_text(reports):
    report = nasty(reports["elimination"])
    for shown in (report, report.attacks[0]):
        page = Page(shown._repr_html_())
        assert not {"script", "img", "svg", "h1"} & {tag for tag, _ in page.elements}
        assert NASTY[0] in page.said()


def test_an_attack_shows_what_the_adversary_knows(reports):
    said = Page(reports["elimination"].attacks[0]._repr_html_()).said()
    assert said.startswith("elimination: VIOLATED")
    assert "The adversary knows the target's quasi-identifiers, and some sensitive values" in said
    assert "2 with 0, 8 with 1, 24 with 2" in said


def test_a_report_as_a_frame(reports):
    frame = reports["violated"].to_frame()
    assert list(frame.columns) == [
        "kind", "name", "required", "measured", "outcome", "classes_violating", "rows_violating",
    ]  # fmt: skip
    assert list(frame["name"]) == [
        "k-anonymity", "p-sensitive-k-anonymity", "t-closeness", "homogeneity",
    ]  # fmt: skip
    k, t, homogeneity = (frame.iloc[i].to_dict() for i in (0, 2, 3))
    assert (k["kind"], k["required"], k["measured"], k["rows_violating"]) == ("model", 5, 1, 424)
    assert pd.isna(t["required"])
    assert pd.isna(t["classes_violating"])
    assert (homogeneity["kind"], homogeneity["required"]) == ("attack", 0.05)
    assert homogeneity["measured"] == pytest.approx(3120 / 32561)
    assert homogeneity["outcome"] == "violated"


def test_every_report_is_a_frame(case):
    report = case[1]
    assert len(report.to_frame()) == len(report.models) + len(report.attacks)
    for attack in report.attacks:
        assert list(attack.to_frame()["attribute"]) == list(attack.per_attribute)


def test_an_attack_as_a_frame(reports):
    frame = reports["elimination"].attacks[0].to_frame()
    assert frame.to_dict("list") == {
        "attribute": ["illness", "treatment"],
        "disclosed": [8, 3],
        "rate": [8 / 24, 3 / 24],
    }
    assert list(reports["inconclusive"].attacks[0].to_frame()["rate"].isna()) == [True]  # no target
