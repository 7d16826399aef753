"""Render an AuditReport as text, JSON, HTML, Markdown or SARIF. Each format has its own file.

Cells of the release and labels of warnings appear only with `show_values`.
"""

from __future__ import annotations

from typing import Protocol

from anonaudit.errors import AnonauditError, closest
from anonaudit.findings import AuditReport
from anonaudit.report.html import to_html
from anonaudit.report.json import schema, to_dict, to_json
from anonaudit.report.markdown import to_markdown
from anonaudit.report.sarif import to_sarif
from anonaudit.report.text import to_text


class Renderer(Protocol):
    """The signature of a report format: a function without side effects."""

    def __call__(self, report: AuditReport, *, show_values: bool = False) -> str:
        """Return the report in this format."""
        ...


FORMATS: dict[str, Renderer] = {
    "text": to_text,
    "json": to_json,
    "html": to_html,
    "markdown": to_markdown,
    "sarif": to_sarif,
}


def render(
    report: AuditReport,
    format: str,  # noqa: A002 (the option has this name)
    show_values: bool = False,
) -> str:
    """Return the report in the format with this name.

    Raises AnonauditError for an unknown format. The message lists the known names.
    """
    if format not in FORMATS:
        raise AnonauditError(f"there is no report format {format!r}. {closest(format, FORMATS)}")
    return FORMATS[format](report, show_values=show_values)


__all__ = [
    "FORMATS",
    "Renderer",
    "render",
    "schema",
    "to_dict",
    "to_html",
    "to_json",
    "to_markdown",
    "to_sarif",
    "to_text",
]
