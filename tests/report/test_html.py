"""HTML: one page that loads nothing, in which strangers' words stay words, readable for all."""

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.arbitrary import audit_reports
from report.browser import opened

from anonaudit.findings import AttributeLevel, Notice, Outcome, Witness
from anonaudit.frequency import class_sizes
from anonaudit.report import to_html
from anonaudit.report.document import sections
from anonaudit.report.sections import charts
from anonaudit.report.words import layout
from anonaudit.special_details import ByEliminations

# What would run, load or break out if it were taken for anything but text.
NASTY = (
    "<script>top.hacked=1;document.title='hacked'</script>",
    "<img src=x onerror=\"document.title='hacked'\">",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "</title></style></textarea></script><h1>hacked</h1>",
    "{{ 7 * 191 }}{% raw %}",
    "&lt;b&gt; &#60;",
    "javascript:alert(1)",
    "]]><!--",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=//evil.example/'>",
)
VOID = {"meta", "rect", "br", "link", "img", "base"}


class Page(HTMLParser):
    """The elements and texts of a page; elements that are not closed in order are an error."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts, self.open = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))

    def of(self, tag):
        return [attrs for found, attrs in self.elements if found == tag]

    def said(self):
        return " ".join(
            " ".join(t for tag, t in self.texts if tag not in ("style", "script")).split()
        )


def nasty(report):
    """The report with hostile text wherever a text can be."""
    first, *_ = NASTY
    cells = {f"{i} {text}": text for i, text in enumerate(NASTY)}
    model = replace(
        report.models[0],
        notes=NASTY,
        witness=Witness(0, 3, first, (1, 2, 3), cells),
        parameters={"k": 5, first: first},
        details={first: first, "values": list(NASTY)},
        per_attribute=dict.fromkeys(NASTY, AttributeLevel(1, 1, 1)),
    )
    attack = replace(
        report.attacks[0],
        attack=NASTY[1],
        knowledge=NASTY[2],
        notes=NASTY,
        outcome=Outcome.VIOLATED,
        per_attribute=dict.fromkeys(NASTY, 1),
        details=ByEliminations(at_most=1, exposed=dict.fromkeys(NASTY, 1), classes={}),
    )
    return replace(
        report,
        outcome=Outcome.VIOLATED,
        release=replace(report.release, source=NASTY[4], convention={NASTY[0]: NASTY[1]}),
        columns={"quasi_identifiers": NASTY, NASTY[1]: NASTY[0]},
        models=(model, replace(model, model=NASTY[0])),
        attacks=(attack,),
        warnings=tuple(Notice(text, text, text, NASTY) for text in NASTY),
        provenance={text: text for text in NASTY},
    )


@pytest.fixture
def every(reports):
    """All shared reports and the nasty one, as pages with values."""
    named = {**reports, "nasty": nasty(reports["elimination"])}
    return {name: to_html(report, show_values=True) for name, report in named.items()}


@pytest.mark.parametrize("show_values", [False, True])
def test_every_page_is_whole_and_says_what_the_text_does(case, show_values):
    report = case[1]
    page = Page(to_html(report, show_values=show_values))
    said = page.said()
    for section in sections(report, show_values=show_values):
        parts = [section.title, section.intro, *(said_ for _, said_ in section.explained())]
        parts += [said_ for _, said_ in section.pairs]
        parts += [
            cell for t in (section.table, section.worst) if t for row in t.rows for cell in row
        ]
        parts += [] if section.worst else [part for point in section.points for part in point]
        for part in parts:
            assert " ".join(layout.printable(part).split()) in said


def test_the_verdict_is_the_first_heading(reports):
    page = Page(to_html(reports["violated"]))
    headings = [(tag, text) for tag, text in page.texts if tag in ("h1", "h2")]
    assert headings[0] == (
        "h1",
        "VIOLATED: 3 of 3 requirements broken (k-anonymity, p-sensitive-k-anonymity, homogeneity)",
    )
    assert [text for tag, text in headings if tag == "h2"] == [
        "What was required",
        "Who is exposed",
        "What would help",
        "What an adversary learns",
        "What was only measured",
        "Warnings",
        "How this was audited",
        "What the models mean",
    ]
    assert [text for tag, text in page.texts if tag == "title"] == ["violated: adult.csv.gz"]


def test_no_value_unless_shown(reports):
    hidden, shown = (to_html(reports["elimination"], show_values=v) for v in (False, True))
    for cell in ("Amer-Indian-Eskimo", "chemotherapy", "influenza", "[20,30)"):
        assert cell not in hidden
        assert cell in shown
    assert "This page shows no value of the release." in hidden
    assert "handle it like the release" in shown


def test_tables_name_their_rows_and_columns(case):
    page = Page(to_html(case[1], show_values=True))
    assert {attrs.get("scope") for attrs in page.of("th")} <= {"row", "col"}
    assert len(page.of("caption")) == len(page.of("table"))
    # A drawing is for the eye: the numbers stand beside it, and nothing else would be read out.
    assert all(attrs.get("aria-hidden") == "true" for attrs in page.of("svg"))
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert {a["aria-labelledby"] for a in page.of("section")} == {a["id"] for a in page.of("h2")}
    assert page.of("html") == [{"lang": "en"}]
    assert len(page.of("h1")) == len(page.of("main")) == 1


def test_nothing_is_loaded_and_only_its_own_script_and_style_run(every):
    for name, text in every.items():
        page = Page(text)
        tags = {tag for tag, _ in page.elements}
        assert not tags & {"img", "link", "base", "iframe", "object", "form", "a", "video"}, name
        names = {key for _, attrs in page.elements for key in attrs}
        assert not {key for key in names if key.startswith("on")}
        assert not names & {"style", "src", "href", "action", "srcset"}
        policy = page.of("meta")[1]["content"]
        assert "default-src 'none'" in policy
        for tag, rule in (("style", "style-src"), ("script", "script-src")):
            (inside,) = [data for where, data in page.texts if where == tag]
            digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
            assert f"{rule} 'sha256-{digest}'" in policy
        assert not re.search(
            r"url\(|@import|https?:", text[text.index("<style>") :].split("</style>")[0]
        )


def test_hostile_texts_stay_text(reports):
    page = Page(to_html(nasty(reports["elimination"]), show_values=True))
    assert len(page.of("script")) == len(page.of("style")) == len(page.of("h1")) == 1
    assert "1337" not in page.said()  # 7 * 191
    for text in NASTY:
        assert " ".join(text.split()) in page.said()


def test_same_report_same_bytes(case):
    text = to_html(case[1])
    assert text == to_html(case[1])
    text.encode("utf-8")
    rest = text.replace("\n", "")
    assert all(character.isprintable() for character in rest)


@given(audit_reports(), st.booleans())
def test_any_report_is_a_page(report, show_values):
    page = Page(to_html(report, show_values=show_values))
    assert len(page.of("script")) == 1


# --- drawings


def binned(sizes):
    return class_sizes.binned(*np.unique(sizes, return_counts=True))


def test_class_sizes_by_hand():
    sizes = [1, 1, 2, 4, 5, 9, 10, 19, 20, 49, 50, 99, 100, 199, 200, 499, 500, 999, 1000, 123456]
    assert binned(sizes) == {
        "classes of 1": 2,
        "classes of 2": 1,
        "classes of 4": 1,
        "classes of 5 to 9": 2,
        "classes of 10 to 19": 2,
        "classes of 20 to 49": 2,
        "classes of 50 to 99": 2,
        "classes of 100 to 199": 2,
        "classes of 200 to 499": 2,
        "classes of 500 to 999": 2,
        "classes of 1000 to 1999": 1,
        "classes of 100000 to 199999": 1,
    }
    assert binned([0.5, 4.5]) == {"classes of 0": 1, "classes of 4": 1}
    assert binned([]) == {}


@given(st.lists(st.integers(1, 10**9)))
def test_every_class_is_in_one_bin(sizes):
    assert sum(binned(sizes).values()) == len(sizes)
    for size in sizes:
        (key,) = binned([size])
        low, _, high = key.removeprefix("classes of ").partition(" to ")
        assert int(low) <= size <= int(high or low)


def test_bars_of_class_sizes(reports):
    chart = charts.histogram(reports["elimination"])
    assert [(bar.label, bar.shown, bar.share, bar.note) for bar in chart.bars] == [
        ("1", "2", 1.0, "below k = 5"),
        ("4", "1", 0.5, "below k = 5"),
        ("5 to 9", "1", 0.5, ""),
        ("10 to 19", "1", 0.5, ""),
    ]
    assert charts.histogram(reports["violated"]) is None  # it counts no class sizes


@pytest.mark.parametrize(
    ("k", "in_front", "below"),
    [
        (1, {"1": "k = 1"}, ""),
        (5, {"5 to 9": "k = 5"}, ""),
        (7, {"5 to 9": "k = 7, inside the next bar"}, ""),
        (19, {"10 to 19": "k = 19, inside the next bar"}, ""),
        (20, {}, "k = 20"),
    ],
)
def test_the_required_size_is_drawn(reports, k, in_front, below):
    """Bars of 1, 4, 5 to 9 and 10 to 19."""
    models = [
        replace(model, required=k) if model.model == "k-anonymity" else model
        for model in reports["elimination"].models
    ]
    report = replace(reports["elimination"], models=tuple(models))
    chart = charts.histogram(report)
    assert {bar.label: bar.threshold for bar in chart.bars if bar.threshold} == in_front
    assert chart.threshold == below
    page = to_html(report)
    assert page.count('<tr class="threshold">') == 1
    place = page.index('<tr class="threshold">')
    behind = page.find('<tr><th scope="row">' + next(iter(in_front), "none"))
    assert below or 0 < behind - place < 120  # it stands right in front of its bar


def test_what_a_printed_page_is_signed_with(reports):
    report = replace(reports["elimination"], provenance={"version": "9", "policy_sha256": "abc"})
    head = to_html(report).partition("</header>")[0]
    signed = head[head.index('<dl class="pairs signed">') :]
    assert re.findall("<dt>(.*?)</dt><dd.*?>(.*?)</dd>", signed) == [
        *([("release sha256", report.release.sha256)] if report.release.sha256 else []),
        ("policy sha256", "abc"),
        ("anonaudit", "9"),
        *((name, "") for name in ("date", "purpose", "name", "signature")),
    ]


def test_bars_of_what_is_exposed(reports):
    (chart,) = charts.exposures(reports["elimination"])
    assert [(bar.label, bar.shown, round(bar.share, 4)) for bar in chart.bars] == [
        ("0", "2 (8.33%)", 0.0833),
        ("1", "8 (33.3%)", 0.3333),
        ("2", "24 (100%)", 1.0),
    ]
    assert charts.exposures(reports["violated"]) == ()


# --- colours, by the formula of WCAG 2.1 (relative luminance, contrast ratio)


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_by_known_values():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_colours_can_be_read(reports):
    palettes = [
        dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{([^}]*)\}", to_html(reports["holds"]))
    ]
    assert len(palettes) == 3  # light, dark, print
    for palette in palettes:
        for ink in ("ink", "quiet", "good", "bad", "open", "even"):
            for ground in ("ground", "raised"):
                assert contrast(palette[ink], palette[ground]) >= 4.5, (ink, ground, palette)


# --- in a browser

LOOK = """(window, document) => {
  const loaded = window.performance.getEntriesByType("resource").map((entry) => entry.name);
  const shown = document.body.innerText;
  const orders = [];
  for (const button of document.querySelectorAll("th button")) {
    for (let i = 0; i < 2; i++) {
      button.click();
      const rows = Array.from(button.closest("table").tBodies[0].rows);
      const head = button.parentElement;
      orders.push([head.textContent, head.getAttribute("aria-sort"),
                   rows.map((row) => row.cells[head.cellIndex].textContent)]);
    }
  }
  return {
    loaded, shown, orders, title: document.title, hacked: "hacked" in window,
    scripts: document.scripts.length, overflow: document.documentElement.scrollWidth,
    ground: window.getComputedStyle(document.body).backgroundColor,
  };
}"""


def test_pages_in_a_browser(every):
    seen = opened(every, LOOK)
    assert seen.console == []
    assert seen.requests == []
    for name, found in seen.found.items():
        assert found["loaded"] == []
        assert (found["hacked"], found["scripts"]) == (False, 1)
        assert found["overflow"] <= 390, name  # a phone; wide tables scroll by themselves
        assert found["ground"] == "rgb(255, 255, 255)"
    for text in NASTY:
        assert " ".join(text.split()) in " ".join(seen.found["nasty"]["shown"].split())
    assert seen.found["nasty"]["title"] == f"violated: {NASTY[4]}"
    orders = seen.found["violated"]["orders"]
    assert orders[:2] == [
        ["rows", "ascending", ["1", "1", "2", "344"]],
        ["rows", "descending", ["344", "2", "1", "1"]],
    ]
    # 271 before 3464 and 22221: numbers in a column of text, too, are put in order as numbers.
    assert orders[2][2] == ["18, 52, 71, 104, 131, ...", "271", "3464, 14191", "22221"]


CUT = """(window, document) => Array.from(document.querySelectorAll(".scroll"))
  .filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => [one.getAttribute("aria-label"), one.scrollWidth - one.clientWidth])"""


def test_no_column_is_cut_on_a_small_page(every):
    own = {name: page for name, page in every.items() if name != "nasty"}  # no words to break at
    seen = opened(own, CUT, width=500)
    assert {name: cut for name, cut in seen.found.items() if cut} == {}


def test_a_dark_page_for_dark_browsers(every):
    dark = ["--blink-settings=preferredColorScheme=0"]
    seen = opened({"holds": every["holds"]}, LOOK, width=1000, extra=dark)
    assert seen.found["holds"]["ground"] == "rgb(20, 23, 27)"  # #14171b, the dark ground
    assert seen.console == []


def test_the_browser_would_tell():
    """A page that does what ours must not is seen doing it."""
    page = (
        "<!doctype html><title>x</title><body><script>hacked = 1</script><img src=beacon.png>"
        "<img src=//evil.example/x.png><p style='width:900px'>x</p>"
    )
    seen = opened({"bad": page}, LOOK)
    assert seen.requests == ["/beacon.png"]
    assert any("evil.example" in address for address in seen.found["bad"]["loaded"])
    assert (seen.found["bad"]["hacked"], seen.found["bad"]["overflow"] > 390) == (True, True)
