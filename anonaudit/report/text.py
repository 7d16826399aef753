"""Write a report as plain text for a terminal: the verdict first, then the reasons."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from anonaudit.findings import AuditReport
from anonaudit.report.document import Section, sections
from anonaudit.report.sections.first_screen import first_screen
from anonaudit.report.sections.verdict import verdict
from anonaudit.report.words import layout

Extent = Literal["brief", "short", "all"]
_REST: Final = (
    "Run with --all for explanations, the levels of other models, and the settings of this audit."
)


def to_text(
    report: AuditReport,
    *,
    show_values: bool = False,
    width: int = 88,
    extent: Extent = "all",
) -> str:
    """Return the report as text without colour.

    show_values: True if cells of the release and labels of warnings may be shown.
    width: the length of a line in terminal cells, at least 40.
    extent: "brief" for the first screen only, "short" for the sections without explanations, "all"
        for everything.
    """
    width = max(width, layout.LEAST_WIDTH)
    lines = [*layout.paragraph(verdict(report, width), width, rest="  "), ""]
    for sentence in first_screen(report):
        lines += layout.paragraph(sentence, width, rest="  ")
    if extent == "brief":
        return "\n".join(lines) + "\n"
    release, *others = sections(report, show_values=show_values)
    lines += ["", *layout.paragraph(release.intro, width, rest="  "), *_pairs(release.pairs, width)]
    if extent == "short":
        others = [one.shortened() for one in others if one.in_short and not one.folded]
    for section in others:
        lines += layout.section(section.title, _body(section, width))
    if extent == "short":
        lines += ["", *layout.paragraph(_REST, width)]
    return "\n".join(lines) + "\n"


def _body(section: Section, width: int) -> list[str]:
    lines = layout.paragraph(section.intro, width)
    if section.table is not None:
        lines += [""] if lines else []
        lines += layout.table_lines(section.table.rows, left=section.table.left, width=width)
    if said := section.explained():
        lines += [""] if lines else []
        for name, about in said:
            text = f"{name}: {about}"
            lines += layout.paragraph(text, width, first="  ", rest="    ")
    for text, more in section.points:
        lines += layout.paragraph(text, width, first="  - ")
        lines += layout.paragraph(more, width, first="    ")
    return lines + _pairs(section.pairs, width)


def _pairs(parts: Iterable[tuple[str, str]], width: int) -> list[str]:
    """Return lines of name and value, with the values aligned."""
    kept = [(layout.shorten(layout.printable(name), 24), said) for name, said in parts]
    widest = max((layout.width_of(name) for name, _ in kept), default=0)
    lines: list[str] = []
    for name, said in kept:
        first = f"  {layout.pad(name, widest)}  "
        if layout.width_of(first) + layout.longest_word(said) > width:  # a hash stays in one piece
            lines.append(f"  {name}")
            first = "    "
        lines += layout.paragraph(said, width, first=first)
    return lines
