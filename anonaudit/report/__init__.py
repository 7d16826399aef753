"""Render an AuditReport as text, JSON, HTML, Markdown or SARIF. Each format has its own file.

Cells of the release and labels of warnings appear only with `show_values`.

Each format is loaded at its first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol

from anonaudit.errors import AnonauditError, closest
from anonaudit.findings import AuditReport

if TYPE_CHECKING:
    from anonaudit.report.html import to_html
    from anonaudit.report.json import schema, to_dict, to_json
    from anonaudit.report.markdown import to_markdown
    from anonaudit.report.sarif import to_sarif
    from anonaudit.report.text import to_text

FORMATS: Final = ("text", "json", "html", "markdown", "sarif")  # the modules of the formats

_HOME: Final = {f"to_{name}": name for name in FORMATS} | {"schema": "json", "to_dict": "json"}


class Renderer(Protocol):
    """The signature of a report format: a function without side effects."""

    def __call__(self, report: AuditReport, *, show_values: bool = False) -> str:
        """Return the report in this format."""
        ...


def renderer(format: str) -> Renderer:  # noqa: A002 (the option has this name)
    """Return the function that renders a report in the format with this name.

    Raises AnonauditError for an unknown format. The message lists the known names.
    """
    if format not in FORMATS:
        raise AnonauditError(f"there is no report format {format!r}. {closest(format, FORMATS)}")
    function: Renderer = __getattr__(f"to_{format}")
    return function


def render(
    report: AuditReport,
    format: str,  # noqa: A002 (the option has this name)
    show_values: bool = False,
) -> str:
    """Return the report in the format with this name. Raises what `renderer` raises."""
    return renderer(format)(report, show_values=show_values)


__all__ = [
    "FORMATS",
    "Renderer",
    "render",
    "renderer",
    "schema",
    "to_dict",
    "to_html",
    "to_json",
    "to_markdown",
    "to_sarif",
    "to_text",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'anonaudit.report' has no attribute {name!r}")
    return getattr(import_module(f"anonaudit.report.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
