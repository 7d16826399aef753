"""What a notebook shows of a report and of an attack, and their tables."""

import pandas as pd
import pytest
from report.test_html import NASTY, Page, nasty

import anonaudit
from anonaudit.findings import Outcome
from anonaudit.masking.maskers import mask
from anonaudit.matrix import Cell, Matrix, MatrixRow
from anonaudit.policy import parse_policy
from anonaudit.source import open_source


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


# Four rows of two ages, counted by hand: k = 2 once the last digit is left out.
ORIGINAL = pd.DataFrame({"age": ["21", "24", "35", "38"], "ill": ["canary", "b", "canary", "c"]})
RULES = parse_policy(
    'columns = { quasi-identifiers = ["age"], sensitive = ["ill"] }\nrequire.k-anonymity = { k = 2 }'
)


def test_a_measurement_shows_its_levels():
    report = anonaudit.audit(ORIGINAL, RULES)
    said = Page(report.models[0]._repr_html_()).said()
    assert said.startswith("k-anonymity: VIOLATED")
    assert "k >= 2 4 4" in " ".join(said.split())  # required, classes and rows that fall short
    assert all("canary" not in model._repr_html_() for model in report.models)


def test_a_policy_shows_the_parts_of_columns():
    said = " ".join(Page(RULES._repr_html_()).said().split())
    assert "quasi-identifiers age sensitive ill required k-anonymity" in said


def test_a_masked_release_shows_no_row():
    masked = mask(open_source(ORIGINAL), RULES)
    rows, left_out = len(masked.release), int(masked.recoding.suppressed.sum())
    assert rows + left_out == 4
    for shown in (repr(masked), masked._repr_html_()):
        assert f"{rows} rows, {left_out} left out, loss " in shown
        assert "canary" not in shown
    assert len(repr(masked)) < 100


def test_a_matrix_shows_a_rate_a_cell():
    """Of 8 targets 2 are exposed and 2 undecided: 25% to 50%; where nothing was decided, no rate."""
    cells = (
        Cell("linkage", Outcome.MEASURED, 8, exposed=2, rate=0.25, undecided=2),
        Cell("homogeneity", Outcome.INCONCLUSIVE, 8),
    )
    rows = (
        MatrixRow("mondrian k", "mondrian", loss=0.5, cells=cells),
        MatrixRow("none", "x", reason="y"),
    )
    known = {"linkage": "names", "homogeneity": "nothing"}
    found = Matrix(8, ("k-anonymity",), known, rows, 0, "p.toml", None, "o.csv")
    said = " ".join(Page(found._repr_html_()).said().split())
    assert "masked by loss linkage homogeneity mondrian k 50% 25% to 50% - none" in said
    assert repr(found) == "<Matrix of o.csv: 2 attacks on 2 ways to mask>"
