"""Write a report as one HTML page. The page loads nothing, and all content is escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from anonaudit.findings import (
    AuditReport,
    Disclosure,
    Feasibility,
    Measurement,
    Outcome,
    Remedies,
)
from anonaudit.notebook import Result, Shown
from anonaudit.report.document import Section, SectionTable, sections
from anonaudit.report.feasible_report import WORDS, price
from anonaudit.report.sections import descriptions, tables, tried
from anonaudit.report.sections.advice import advice
from anonaudit.report.sections.first_screen import first_screen
from anonaudit.report.sections.verdict import verdict
from anonaudit.report.words import layout, wording

if TYPE_CHECKING:
    from jinja2 import Environment

_CLASSES = {
    Outcome.HOLDS: "good",
    Outcome.VIOLATED: "bad",
    Outcome.INCONCLUSIVE: "open",
    Outcome.SKIPPED: "open",
}
_OUTCOMES = {tables.loud(outcome): name for outcome, name in _CLASSES.items()}


def to_html(report: AuditReport, *, show_values: bool = False) -> str:
    """Return the report as an HTML page that includes its style and script.

    The content security policy of the page allows only this style and this script. So even after a
    fault in the escaping, the page would load and run nothing else.

    show_values: True if cells of the release and labels of warnings may be shown.
    """
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            outcome=report.outcome.value,
            source=report.release.source,
            verdict=verdict(report),
            first_screen=first_screen(report),
            sections=sections(report, show_values=show_values),
            sealed=_sealed(report),
            show_values=show_values,
            style=_part("page.css"),
            script=_part("page.js"),
        )
    )


def to_notebook(result: Result) -> str:
    """Return a result as HTML for a notebook: the verdict and the tables, without any cell."""
    if isinstance(result, AuditReport):
        release, *others = sections(result, show_values=False)
        tabled = [section for section in others if section.table is not None]
        return _shown(verdict(result), tabled, advice(result), release.intro)
    if isinstance(result, Disclosure):
        rows = tables.attacks_table([result])
        said = [
            f"The adversary knows {result.knowledge}",
            descriptions.about_attack(result, show_values=False),
        ]
        title = f"{layout.name(result.attack)}: {tables.loud(result.outcome)}"
        shown = Shown(title, rows, (0, len(rows[0]) - 1), (layout.sentences(said),))
    elif isinstance(result, Measurement):
        title = f"{wording.title(result)}: {tables.loud(result.outcome)}"
        shown = Shown(title, tables.model_table(result), points=result.notes)
    elif isinstance(result, Feasibility):
        title = f"{result.model}: {WORDS[result.feasible]}"
        shown = Shown(title, price(result), (0, 1), result.notes)
    elif isinstance(result, Remedies):
        shown = Shown(tried.remedies_introduction(result), tried.remedies_table(result), (0, 4))
    else:
        shown = result._shown()  # noqa: SLF001 (only this function calls it)
    inside = [Section("", table=SectionTable([[*row] for row in shown.rows], shown.left))]
    return _shown(shown.title, inside if len(shown.rows) > 1 else [], shown.points)


def _shown(title: str, tabled: Sequence[Section], points: Sequence[str], intro: str = "") -> str:
    template = _environment().get_template("notebook.html.j2")
    return template.render(verdict=title, intro=intro, sections=tabled, points=points)


def _sealed(report: AuditReport) -> list[tuple[str, str]]:
    """Return the hashes and the version that the first printed page shows above the signature.

    The date is filled in by hand: a report has no date, so that the same release and policy give
    the same bytes.
    """
    provenance = report.provenance
    facts = [
        ("release sha256", report.release.sha256),
        ("policy sha256", provenance.get("policy_sha256")),
        ("anonaudit", provenance.get("version")),
    ]
    return [(name, str(said)) for name, said in facts if said is not None]


def _part(name: str) -> str:
    return resources.files("anonaudit.report").joinpath("page", name).read_text("utf-8")


@cache
def _environment() -> Environment:
    """Return the templates. Each inserted text is escaped, with control characters visible."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_part),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        keep_trailing_newline=True,
    )
    environment.filters["hashed"] = _hashed
    environment.filters["name"] = layout.name
    environment.globals["outcomes"] = _OUTCOMES
    return environment


def _visible(value: object) -> object:
    """Return a plain text with control, bidirectional and lone surrogate characters as escapes.

    A text marked as safe is a part of the page itself and is returned unchanged.
    """
    return layout.printable(value) if type(value) is str else value


def _hashed(text: str) -> str:
    """Return the hash by which a content security policy allows a style or a script."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
