"""Write a report as GitHub's Markdown, for pull requests and job summaries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from anonaudit.findings import AuditReport
from anonaudit.report.document import Section, SectionTable, sections
from anonaudit.report.sections.first_screen import first_screen
from anonaudit.report.sections.verdict import verdict
from anonaudit.report.words import layout

# At the start of a line, these characters would begin a list, a heading or a rule.
_BEGINS = re.compile(r"([0-9]*)([-+=.)])(?=\s|[-+=]|$)")
_MARKS = re.compile(r"[\\`*_\[\]#|~]")
# Places in addresses and names that GitHub would turn into links or mentions.
_LINKS = re.compile(
    r"(?<=[a-zA-Z])(?=://)|(?<=[wW])(?=\.)|(?<=[@#])(?=\w)|(?<=:)(?=[a-zA-Z0-9+-])|(?<=[gG][hH]-)(?=[0-9])"
)


def to_markdown(report: AuditReport, *, show_values: bool = False) -> str:
    """Return the report as Markdown. All content is escaped, so that it stays text.

    show_values: True if cells of the release and labels of warnings may be shown.
    """
    release, *others = sections(report, show_values=show_values)
    blocks = [f"## {escaped_markdown(verdict(report))}"]
    blocks += [*map(escaped_markdown, first_screen(report)), *_body(release)]
    for section in others:
        folded = section.folded
        head = f"<details><summary>{escaped_markdown(section.title)}</summary>"
        blocks.append(head if folded else f"### {escaped_markdown(section.title)}")
        blocks += _body(section)
        blocks += ["</details>"] if folded else []
    return "\n\n".join(blocks) + "\n"


def escaped_markdown(text: str) -> str:
    r"""Escape a text, so that Markdown shows it unchanged on one line, without links or mentions.

    >>> escaped_markdown("<b>*age*</b> | @you")
    '&lt;b&gt;\\*age\\*&lt;/b&gt; \\| @<!-- -->you'
    """
    shown = layout.printable(text).strip().replace("&", "&amp;")
    shown = shown.replace("<", "&lt;").replace(">", "&gt;")
    shown = _MARKS.sub(r"\\\g<0>", shown)
    shown = _LINKS.sub(r"\g<0><!-- -->", shown).replace("$", "<span>$</span>")
    begins = _BEGINS.match(shown)
    return shown if begins is None else f"{begins[1]}\\{shown[begins.start(2) :]}"


def _body(section: Section) -> list[str]:
    blocks = [escaped_markdown(section.intro)] if section.intro else []
    if section.table is not None:
        blocks.append(_table(section.table))
    for chart in section.charts:
        rows = [[chart.label, chart.value, ""], *([b.label, b.shown, b.note] for b in chart.bars)]
        blocks += [escaped_markdown(chart.title) + ":", _table(SectionTable(rows, (2,)))]
    blocks += _list(
        f"**{escaped_markdown(n)}**: {escaped_markdown(t)}" for n, t in section.explained()
    )
    blocks += _list(
        escaped_markdown(said) + (f"<br>{escaped_markdown(more)}" if more else "")
        for said, more in section.points
    )
    return blocks + _pairs(section.pairs)


def _list(points: Iterable[str]) -> list[str]:
    lines = "\n".join(f"- {point}" for point in points)
    return [lines] if lines else []


def _pairs(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Return the pairs as a list. A pair without a name continues the previous item."""
    together: list[tuple[str, list[str]]] = []
    for name, said in pairs:
        if name or not together:
            together.append((name, []))
        together[-1][1].append(escaped_markdown(said))
    return _list(f"{escaped_markdown(name)}: {'; '.join(said)}" for name, said in together)


def _table(table: SectionTable) -> str:
    header, *rows = table.rows
    rules = [":--" if i in table.left else "--:" for i in range(len(header))]
    lines = [[escaped_markdown(cell) for cell in header], rules]
    for row in rows:
        # Markdown drops the leading blanks that mark the row of an attribute.
        first = "&nbsp;&nbsp;" * row[0].startswith("  ") + escaped_markdown(row[0].strip())
        lines.append([first, *map(escaped_markdown, row[1:])])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
