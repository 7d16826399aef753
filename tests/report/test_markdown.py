"""Markdown: what GitHub shows is what the text says, and strangers' words stay words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report.arbitrary import audit_reports
from report.golden_files import agrees_with
from report.test_html import NASTY, nasty

from anonaudit.report import to_markdown
from anonaudit.report.markdown import escaped_markdown
from anonaudit.report.words import layout

READER = MarkdownIt("gfm-like", {"linkify": False})

# Written by us: the fold, line breaks, invisible comments that break links, a dollar sign.
OURS = {
    "<details>",
    "</details>",
    "<summary>",
    "</summary>",
    "<br>",
    "<span>",
    "</span>",
    "<!-- -->",
}


def inline(text):
    """The pieces of a text that Markdown finds in it: what they are, and what they say."""
    return [
        (piece.type, piece.content)
        for token in READER.parse(text)
        for piece in (token.children or [token])
        if piece.content
    ]


def shown(text):
    """What a reader sees of a text."""
    return "".join(said for kind, said in inline(text) if kind != "html_inline")


@pytest.mark.parametrize("name", ["violated", "hostile", "elimination"])
def test_golden(reports, name):
    agrees_with(f"{name}.md", to_markdown(reports[name], show_values=name == "hostile"))


def test_headings_and_tables(reports):
    tokens = READER.parse(to_markdown(reports["violated"]))
    heads = [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "heading_open"]
    assert heads[0].startswith("VIOLATED: 3 of 3 requirements broken (k-anonymity, ")
    assert heads[1:] == [
        "What was required",
        "Who is exposed",
        "What would help",
        "What an adversary learns",
        "What was only measured",
        "Warnings",
    ]
    assert sum(token.type == "table_open" for token in tokens) == 3
    rows = sum(token.type == "tr_open" for token in tokens)
    assert rows == 7 + 4 + 4  # with their headers, as in the golden text


def test_no_value_unless_shown(reports):
    for cell in ("Amer-Indian-Eskimo", "chemotherapy", "influenza"):
        assert cell not in to_markdown(reports["elimination"])
        assert cell in to_markdown(reports["elimination"], show_values=True)


HARM = [
    *NASTY,
    "*a* _b_ ~~c~~ `d`",
    "[x](http://evil.example)",
    "![x](http://evil.example/x.png)",
    "# heading",
    "- point",
    "+ point",
    "1. first",
    "1) first",
    "> quoted",
    "a | b",
    "---",
    "===",
    "\\",
    "\\*",
    "\\|",
    "&amp; &lt;",
    "a <b> c",
    "    code",
    "[ ] task",
    "[^1]: note",
    ":::",
    "0.1.0",
    "-5",
]


@pytest.mark.parametrize("text", HARM)
@pytest.mark.parametrize(
    "around", ["{}", "- {}", "**{}**", "## {}", "| a |\n| :-- |\n| {} |", "- **{}**: {}"]
)
def test_a_text_is_shown_as_it_is(text, around):
    written = around.format(*[escaped_markdown(text)] * around.count("{}"))
    found = inline(written)
    kinds = {kind for kind, _ in found}
    assert kinds <= {"text", "text_special", "html_inline", "entity"}
    assert {said for kind, said in found if kind == "html_inline"} <= OURS
    assert text.strip() in shown(written)
    opened = [token.type for token in READER.parse(written) if token.type.endswith("_open")]
    expected = [
        token.type
        for token in READER.parse(around.format("x", "x"))
        if token.type.endswith("_open")
    ]
    assert opened == expected


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("@octocat", "@octocat"),
        ("see #12", "#12"),
        ("http://evil.example", "http://"),
        ("ftp://evil.example", "ftp://"),
        ("www.evil.example", "www."),
        ("WWW.evil.example", "WWW."),
        ("me@evil.example", "me@evil"),
        (":tada:", ":tada:"),
        ("GH-12", "GH-12"),
        ("$x$", "$x"),
    ],
)
def test_nobody_is_called_and_nothing_linked(text, never):
    """GitHub looks for these in what is shown, piece by piece; each is broken in two pieces."""
    assert never not in escaped_markdown(text)
    pieces = re.split(r"<!-- -->|</?span>", escaped_markdown(text))
    assert len(pieces) > 1
    assert shown(escaped_markdown(text)) == text


def test_hostile_reports_add_no_structure(reports):
    report = nasty(reports["elimination"])
    for token in READER.parse(to_markdown(report, show_values=True)):
        assert token.type not in ("fence", "code_block", "blockquote_open", "hr")
        if token.type == "html_block":
            assert set(re.findall(r"<[^>]*>", token.content)) <= OURS
        for piece in token.children or ():
            assert piece.type in (
                "text", "text_special", "strong_open", "strong_close", "html_inline", "softbreak",
            )  # fmt: skip
            assert piece.type != "html_inline" or piece.content in OURS


@given(audit_reports(), st.booleans())
def test_any_report_renders(report, show_values):
    text = to_markdown(report, show_values=show_values)
    text.encode("utf-8")
    assert all(character.isprintable() or character == "\n" for character in text)
    html = [t.content for t in READER.parse(text) if t.type == "html_block"]
    assert all(set(re.findall(r"<[^>]*>", block)) <= OURS for block in html)


@given(st.text())
def test_any_text_is_shown_as_it_is(text):
    assert shown(escaped_markdown(text)) == layout.printable(text).strip()
