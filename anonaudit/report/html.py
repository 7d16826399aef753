"""The report as one HTML page: nothing is loaded, and what comes from elsewhere stays text."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from anonaudit.findings import AuditReport, Disclosure, Measurement, Outcome
from anonaudit.notebook import Shown
from anonaudit.report.document import Section, SectionTable, sections
from anonaudit.report.sections import descriptions, tables
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
    """The report as a page of its own, style and script in it.

    A content security policy lets only these two run, so even a fault in the escaping would
    load and run nothing.

    show_values: whether cells of the release and labels of warnings may be shown.
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


def to_notebook(finding: AuditReport | Disclosure | Measurement | Shown) -> str:
    """A result as a notebook shows it: the verdict and the tables, no values."""
    template = _environment().get_template("notebook.html.j2")
    if isinstance(finding, Measurement):
        rows = tables.model_table(finding)
        shown = f"{wording.title(finding)}: {tables.loud(finding.outcome)}"
        finding = Shown(shown, rows, points=finding.notes)
    if isinstance(finding, Shown):
        inside = [Section("", table=SectionTable([[*row] for row in finding.rows], finding.left))]
        return template.render(
            verdict=finding.title,
            intro="",
            sections=inside if finding.rows else [],
            points=finding.points,
        )
    if isinstance(finding, Disclosure):
        rows = tables.attacks_table([finding])
        table = SectionTable(rows, (0, len(rows[0]) - 1))
        said = [
            f"The adversary knows {finding.knowledge}",
            descriptions.about_attack(finding, show_values=False),
        ]
        return template.render(
            verdict=f"{layout.name(finding.attack)}: {tables.loud(finding.outcome)}",
            intro="",
            sections=[Section("What an adversary learns", table=table)],
            points=[layout.sentences(said)],
        )
    release, *others = sections(finding, show_values=False)
    return template.render(
        verdict=verdict(finding),
        intro=release.intro,
        sections=[section for section in others if section.table is not None],
        points=advice(finding),
    )


def _sealed(report: AuditReport) -> list[tuple[str, str]]:
    """What the first printed page must name, beside what is filled in by hand.

    A report has no date of its own, as the same release and policy give the same bytes.
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
    """The templates; whatever they are given is made visible first, and escaped."""
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
    """No control character and no lone surrogate reaches the page, nor anything that reorders it.

    Only plain texts are strangers' words; those marked as safe are parts of the page.
    """
    return layout.printable(value) if type(value) is str else value


def _hashed(text: str) -> str:
    """How a content security policy names a style or a script."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
