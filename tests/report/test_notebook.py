"""What a notebook shows of every result, its tables and pictures, and no cell."""

import re
from dataclasses import replace

import pandas as pd
import pytest
from report.test_html import NASTY, Page, nasty

import anonaudit
from anonaudit.auditing.audit import audit
from anonaudit.auditing.feasibility import feasibility
from anonaudit.auditing.preparation import prepare
from anonaudit.checking.check_policies import check_policies
from anonaudit.findings import Outcome
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.maskers import Original, mask
from anonaudit.matrix import Cell, Matrix, MatrixRow, matrix
from anonaudit.notebook import Result
from anonaudit.policy import parse_policy
from anonaudit.profiles import ask, read_profile
from anonaudit.proposal.proposed_columns import propose
from anonaudit.remedies import take, tried_out
from anonaudit.remedies.trial import Trial
from anonaudit.report import to_text
from anonaudit.scanning import scan
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
    """A row for the release first, then one for each attribute; the counts as in the report."""
    frame = reports["violated"].to_frame()
    assert list(frame.columns) == [
        "kind", "number", "name", "parameters", "attribute", "convention", "status", "measured",
        "required", "outcome", "classes_violating", "rows_violating", "classes_undecided", "highest_rate",
        "targets", "identified", "disclosed", "undecided",
    ]  # fmt: skip
    whole = frame[frame["attribute"].isna() & (frame["convention"] == "as audited")]
    assert list(whole["name"]) == [
        "k-anonymity", "p-sensitive-k-anonymity", "t-closeness", "homogeneity",
    ]  # fmt: skip
    k, t, homogeneity = (whole.iloc[i].to_dict() for i in (0, 2, 3))
    assert (k["kind"], k["required"], k["measured"], k["rows_violating"]) == ("model", 5, 1, 424)
    assert pd.isna(t["required"])
    assert pd.isna(t["classes_violating"])
    assert (homogeneity["kind"], homogeneity["required"]) == ("attack", 0.05)
    assert homogeneity["measured"] == pytest.approx(3120 / 32561)
    assert homogeneity["outcome"] == "violated"


def test_every_report_is_a_frame(case):
    """Nothing of the report is left out, and nothing stands twice."""
    report, frame = case[1], case[1].to_frame()
    models = [1 + len(m.per_attribute) + len(m.by_convention) for m in report.models]
    attacks = [1 + (a.outcome != "skipped") * len(a.per_attribute) for a in report.attacks]
    assert len(frame) == sum(models) + sum(attacks)
    assert not frame.duplicated(["kind", "number", "attribute", "convention"]).any()
    for attack in report.attacks:
        assert list(attack.to_frame()["attribute"]) == list(attack.per_attribute)


def test_levels_that_are_no_number_are_told_apart():
    """By hand: c is infinite where all have one value; without an illness nothing is measured."""
    one_value = {"age": ["30", "30", "40", "40"], "ill": ["a", "a", "a", "a"]}
    asked = {"quasi_identifiers": ["age"], "sensitive": ["ill"]}
    frame = anonaudit.audit(pd.DataFrame(one_value), **asked).to_frame().set_index("name")
    of_c = frame.loc[["recursive-c-l-diversity"]]
    assert list(of_c["status"]) == ["infinite", "infinite"]  # of the release, and of ill
    assert list(of_c["measured"]) == [float("inf")] * 2
    k = frame.loc["k-anonymity", "measured"]
    assert (k, type(k)) == (2, int)
    unknown = anonaudit.audit(pd.DataFrame(one_value | {"ill": [None] * 4}), **asked).to_frame()
    of_l = unknown[unknown["name"] == "l-diversity"]
    assert list(of_l["status"])[:2] == ["no data", "no data"]
    assert of_l["measured"].isna().tolist()[:2] == [True, True]


def test_another_convention_can_make_a_level_infinite():
    """The two rows without an age fit both classes, so with wildcards each class has a and b."""
    rows = {"age": ["30", "30", "", "40", "40"], "ill": ["a", "a", "b", "a", "b"]}
    report = anonaudit.audit(pd.DataFrame(rows), quasi_identifiers=["age"], sensitive=["ill"])
    frame = report.to_frame()
    of_c = frame[(frame["name"] == "recursive-c-l-diversity") & frame["attribute"].isna()]
    status = dict(zip(of_c["convention"], of_c["status"], strict=True))
    assert status["as audited"] == "infinite"  # the two of age 30 both have a
    assert status["quasi-identifiers = wildcard"] == "measured"
    assert status["quasi-identifiers = drop-rows"] == "infinite"
    wild = parse_policy(
        'columns = { quasi-identifiers = ["age"], sensitive = ["ill"] }\n'
        'conventions.quasi-identifiers = "wildcard"'
    )
    said = to_text(anonaudit.audit(pd.DataFrame(rows), wild), extent="all")
    assert "ratio = infinite (quasi-identifiers = own-category)" in " ".join(said.split())


def test_an_attack_that_decides_little_is_no_measured_rate(reports):
    frame = reports["inconclusive"].to_frame()
    attack = frame[(frame["kind"] == "attack") & frame["attribute"].isna()].iloc[0]
    assert (attack["status"], attack["outcome"]) == ("undecided", "inconclusive")
    open_ = replace(reports["violated"].attacks[0], rate=0.25, targets=8, undecided=2)
    row = replace(reports["violated"], models=(), attacks=(open_,)).to_frame().iloc[0]
    assert (row["status"], row["measured"], row["highest_rate"]) == ("undecided", 0.25, 0.5)
    skipped = replace(open_, outcome=Outcome.SKIPPED, rate=None)
    row = replace(reports["violated"], models=(), attacks=(skipped,)).to_frame().iloc[0]
    assert (row["status"], row["measured"] is pd.NA) == ("not measured", True)


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


def test_a_masked_release_shows_counts():
    masked = mask(open_source(ORIGINAL), RULES)
    rows, left_out = len(masked.release), int(masked.recoding.suppressed.sum())
    assert rows + left_out == 4
    for shown in (repr(masked), masked._repr_html_()):
        assert f"{rows} rows, {left_out} left out, loss " in shown
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
    assert "release policy loss linkage homogeneity" in said
    assert "mondrian k skipped 50% 25% to 50% - none none made -" in said
    assert repr(found) == "<Matrix of o.csv: 2 attacks on 2 releases>"


SECRET = "canary"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Every kind of result there is, of a table and labels that hold the secret."""
    folder = tmp_path_factory.mktemp("results")
    leaves = [f"{SECRET}{i};{SECRET} region\n" for i in range(3)]
    (folder / "city.csv").write_text("".join(leaves))
    rules = parse_policy(
        f"""
        columns = {{ quasi-identifiers = ["age", "city"], sensitive = ["ill"] }}
        hierarchies.age = {{ intervals = [10], origin = 0 }}
        hierarchies.city = {{ file = "city.csv" }}
        values.ordered.ill = ["{SECRET} a", "{SECRET} b", "{SECRET} c"]
        require.k-anonymity = {{ k = 3 }}
        require.l-diversity = {{ l = 2 }}
        attacks.homogeneity = {{ allow-rate = 0.0 }}
        """,
        folder=folder,
    )
    ages = ["21", "24", "35", "38", "41", "47", "35", "21"]
    table = pd.DataFrame({"age": ages})
    table["city"] = [f"{SECRET}{i // 3}" for i in range(8)]
    table["ill"] = [f"{SECRET} {'abc'[i % 3]}" for i in range(8)]
    found = tried_out(table, rules)
    report = audit(table, rules, original=table, align="order")
    prepared = prepare(open_source(table), rules)
    masked = mask(table, rules)
    taken = take(table, rules)
    profile = read_profile("cms-11")
    (folder / "r.csv").write_text(table.to_csv(index=False))
    written = "release.file = 'r.csv'\ncolumns = { quasi-identifiers = ['city'] }\n"
    policy = folder / "p.anonaudit.toml"
    policy.write_text(written + "require.k-anonymity = { k = 3 }")
    shown = matrix(table, rules, algorithms=["mondrian"], only=["homogeneity"])
    beside = anonaudit.compare({"theirs": table}, rules, original=table, only=["homogeneity"])
    return [
        *(report, *report.models, *report.attacks, masked, masked.recoding, masked.recoding.data),
        *(Original.read(table, rules), shown, *shown.rows, beside, *beside.rows, rules),
        *(found, found.remedies, *found.remedies.tried, taken),
        *(Trial.read(open_source(table), rules, 0), scan(table), profile),
        *(ask(profile, open_source(table), rules), *feasibility(table, rules), check_policies([policy])),
        *(propose(table), prepared, prepared.classes),
    ]  # fmt: skip


def kinds(kind=Result):
    return {kind}.union(*map(kinds, kind.__subclasses__()))


def test_every_result_is_looked_at(results):
    ours = {kind for kind in kinds() if kind.__module__.startswith("anonaudit.")}
    assert ours - {Result} == {type(result) for result in results}


def test_no_result_shows_a_cell(results):
    for result in results:
        for shown in (repr(result), result._repr_html_()):
            assert shown
            assert SECRET not in shown, type(result)
        assert len(repr(result)) < 200
        assert "\n" not in repr(result)


def test_every_result_is_valid_html(results):
    for result in results:
        tags = {tag for tag, _ in Page(result._repr_html_()).elements}
        assert tags <= {
            "div", "p", "strong", "table", "caption", "thead", "tbody", "tr", "th", "td",
        }  # fmt: skip


def test_a_name_that_no_stream_can_hold_is_written_out(reports):
    release = replace(reports["holds"].release, source="age\ud800\x1b[2J")
    shown = repr(replace(reports["holds"], release=release))
    assert shown.startswith(r"<AuditReport of age\ud800\x1b[2J: ")


def test_a_hierarchy_does_not_show_its_root():
    tree = Hierarchy("city", [["a", SECRET]])
    assert repr(tree) == "Hierarchy('city', 1 leaves, height 1)"


# --- pictures


def texts_of(picture):
    return re.findall(r"<text[^>]*>([^<]*)</text>", picture.svg.decode())


@pytest.fixture(scope="module")
def drawn():
    """By hand: one class of 2 rows and one of 3, k = 3 required; 2 of 5 people have one value."""
    rules = parse_policy(
        'columns = { quasi-identifiers = ["age"], sensitive = ["ill"] }\n'
        "require.k-anonymity = { k = 3 }\nattacks.homogeneity = { allow-rate = 0.3 }"
    )
    table = pd.DataFrame({"age": ["30"] * 2 + ["40"] * 3, "ill": ["a", "a", "a", "b", "c"]})
    return anonaudit.audit(table, rules)


def test_a_report_is_drawn(drawn):
    """The sizes and their counts, what is required, and the rate beside the one that is allowed."""
    texts = texts_of(drawn.plot())
    assert {"2", "3", "1", "k = 3", "homogeneity", "40% (allowed 30%)"} <= {*texts}


def test_the_same_report_gives_the_same_picture(drawn):
    first, second = drawn.plot(), drawn.plot()
    assert (first.svg, first.png) == (second.svg, second.png)
    assert first.png.startswith(b"\x89PNG")
    assert first._repr_svg_().startswith("<?xml")


def test_a_report_without_classes_is_drawn(reports):
    empty = replace(reports["inconclusive"], attacks=(), models=())
    assert texts_of(empty.plot()) == [empty.plot().title]


def test_a_picture_is_saved_by_the_ending_of_the_name(drawn, tmp_path):
    picture = drawn.plot()
    for form in ("svg", "png"):
        picture.save(tmp_path / f"p.{form}")
        assert (tmp_path / f"p.{form}").read_bytes() == getattr(picture, form)
    with pytest.raises(ValueError, match=r"p\.pdf: .*\.svg or \.png"):
        picture.save(tmp_path / "p.pdf")
    assert {path.name for path in tmp_path.iterdir()} == {"p.svg", "p.png"}
