"""The report as GitHub's Markdown, for pull requests and job summaries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from anonaudit.findings import AuditReport
from anonaudit.report.document import Section, Table, sections
from anonaudit.report.sections.first_screen import first_screen
from anonaudit.report.sections.verdict import verdict
from anonaudit.report.words import layout

HEADLINE = 160
# Where a line begins, these would begin a list, a heading, a quotation, a rule.
_BEGINS = re.compile(r"([0-9]*)([-+=.)])(?=\s|[-+=]|$)")
_MARKS = re.compile(r"[\\`*_\[\]#|~]")
# Addresses and names that a web site would make links of, and notify people by.
_LINKS = re.compile(
    r"(?<=[a-zA-Z])(?=://)|(?<=[wW])(?=\.)|(?<=[@#])(?=\w)|(?<=:)(?=[a-zA-Z0-9+-])|(?<=[gG][hH]-)(?=[0-9])"
)


def to_markdown(report: AuditReport, *, show_values: bool = False) -> str:
    """The report as Markdown; what comes from elsewhere is escaped, so it stays text.

    show_values: whether cells of the release and labels of warnings may be shown.
    """
    release, *others = sections(report, show_values=show_values)
    blocks = [f"## {escaped(verdict(report, HEADLINE))}"]
    blocks += [*map(escaped, first_screen(report)), *_body(release)]
    for section in others:
        folded = section.folded
        head = f"<details><summary>{escaped(section.title)}</summary>"
        blocks.append(head if folded else f"### {escaped(section.title)}")
        blocks += _body(section)
        blocks += ["</details>"] if folded else []
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    r"""A text that Markdown shows as it is: no mark-up, no link, no mention, one line.

    >>> escaped("<b>*age*</b> | @you")
    '&lt;b&gt;\\*age\\*&lt;/b&gt; \\| @<!-- -->you'
    """
    shown = layout.printable(text).strip().replace("&", "&amp;")
    shown = shown.replace("<", "&lt;").replace(">", "&gt;")
    shown = _MARKS.sub(r"\\\g<0>", shown)
    shown = _LINKS.sub(r"\g<0><!-- -->", shown).replace("$", "<span>$</span>")
    begins = _BEGINS.match(shown)
    return shown if begins is None else f"{begins[1]}\\{shown[begins.start(2) :]}"


def _body(section: Section) -> list[str]:
    blocks = [escaped(section.intro)] if section.intro else []
    if section.table is not None:
        blocks.append(_table(section.table))
    for chart in section.charts:
        rows = [[chart.label, chart.value, ""], *([b.label, b.shown, b.note] for b in chart.bars)]
        blocks += [escaped(chart.title) + ":", _table(Table(rows, (2,)))]
    blocks += _list(f"**{escaped(n)}**: {escaped(t)}" for n, t in section.explained())
    blocks += _list(
        escaped(said) + (f"<br>{escaped(more)}" if more else "") for said, more in section.points
    )
    return blocks + _pairs(section.pairs)


def _list(points: Iterable[str]) -> list[str]:
    lines = "\n".join(f"- {point}" for point in points)
    return [lines] if lines else []


def _pairs(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """A list; what has no name goes on with the one before."""
    together: list[tuple[str, list[str]]] = []
    for name, said in pairs:
        if name or not together:
            together.append((name, []))
        together[-1][1].append(escaped(said))
    return _list(f"{escaped(name)}: {'; '.join(said)}" for name, said in together)


def _table(table: Table) -> str:
    header, *rows = table.rows
    rules = [":--" if i in table.left else "--:" for i in range(len(header))]
    lines = [[escaped(cell) for cell in header], rules]
    for row in rows:
        # The blanks before a part of something would be lost.
        first = "&nbsp;&nbsp;" * row[0].startswith("  ") + escaped(row[0].strip())
        lines.append([first, *map(escaped, row[1:])])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
