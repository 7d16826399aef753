"""Build the sections of a report, which every format then lays out.

A section has a title and, in this order: an introduction, a table, names with explanations, points
of a list, and pairs of name and value. All formats show the same content.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from anonaudit.findings import AuditReport, Measurement, Outcome, Release
from anonaudit.report.plain import texts
from anonaudit.report.sections import charts, demands, descriptions, tables, tried
from anonaudit.report.sections.advice import advice
from anonaudit.report.sections.exposed import exposed
from anonaudit.report.words import figures, layout, wording

# The words for a role, if they are not the name of the role.
_PARTS = {"identifiers": "must be absent"}


@dataclass(frozen=True)
class SectionTable:
    """Rows of cells, the header first.

    left: the indices of the columns of text, which are aligned left. All others hold numbers.
    """

    rows: tables.TableRows
    left: tuple[int, ...]


@dataclass(frozen=True)
class Section:
    """One section of a report. A section without a title comes directly below the verdict.

    named: (name, meaning, finding) for each explained name. The finding says what the audit found.
    points: (sentence, addition) for each point of a list.
    folded: True for a section that is long and seldom needed first. Markdown folds it away, and a
        short report omits it.
    pairs: (name, value) for each pair.
    worst: the points as a table, for formats that can sort tables.
    in_short: True if a short report contains the section, unless it is folded.
    """

    title: str
    intro: str = ""
    table: SectionTable | None = None
    named: tuple[tuple[str, str, str], ...] = ()
    points: tuple[tuple[str, str], ...] = ()
    folded: bool = False
    pairs: tuple[tuple[str, str], ...] = ()
    charts: tuple[charts.Chart, ...] = ()
    worst: SectionTable | None = None
    in_short: bool = True

    def shortened(self) -> Section:
        """Return the section without the explanations of its names."""
        return replace(self, named=())

    def explained(self) -> list[tuple[str, str]]:
        """Return (name, explanation) pairs.

        An explanation is the meaning of the name and the finding. If several names share a meaning,
        only the first explanation contains it.
        """
        meanings: list[tuple[str, str]] = []
        explained: set[str] = set()
        for name, meaning, finding in self.named:
            parts = ("" if meaning in explained else meaning, finding)
            said = " ".join(part for part in parts if part)
            explained.add(meaning)
            if said:
                meanings.append((name, said))
        return meanings


def sections(report: AuditReport, *, show_values: bool) -> list[Section]:
    """Return all sections that are not empty, the section on the release first.

    show_values: True if cells of the release and labels of warnings may be shown.
    """
    possible = [
        _required(report, show_values=show_values),
        _exposed(report, show_values=show_values),
        _help(report),
        _tried_out(report),
        _attacks(report, show_values=show_values),
        _measured(report, show_values=show_values),
        _warnings(report, show_values=show_values),
        _provenance(report),
        _meanings(report),
    ]
    return [_release(report), *(section for section in possible if section is not None)]


def _release(report: AuditReport) -> Section:
    release, sizes = report.release, report.release.class_sizes
    whose = "" if release.persons is None else f" of {figures.counted(release.persons, 'person')}"
    said = f"{release.source}: {figures.counted(release.rows, 'row')}{whose} in "
    said += figures.counted(release.classes, "class", "classes")
    if sizes.get("max") is not None and sizes.get("min") == sizes.get("max"):
        each = wording.people(report)[: -1 if sizes.get("max") == 1 else None]
        said += f" of {figures.level(sizes.get('max'))} {each} each"
    elif sizes.get("max") is not None:
        least, most, middle, mean = (
            figures.level(sizes.get(which)) for which in ("min", "max", "median", "mean")
        )
        said += f" of {least} to {most} {wording.people(report)} (median {middle}, mean {mean})"
    parts = [
        (_PARTS.get(part, part.replace("_", "-")), layout.name_list(texts(columns), 20))
        for part, columns in report.columns.items()
        if part != "identifiers"
    ]
    parts = [
        (_PARTS["identifiers"], _identifiers(report)),
        *parts,
        ("in no class", _apart(release)),
        ("missing cells", _per_column(release.missing_cells)),
        ("suppressed cells", _per_column(release.suppressed_cells)),
    ]
    histogram = charts.histogram(report)
    return Section("", said, pairs=_filled(parts), charts=() if histogram is None else (histogram,))


def _identifiers(report: AuditReport) -> str:
    """Return the identifiers as a text that says which of them are in the release."""
    named = demands.identifiers(report)
    there = [column for column, present in named.items() if present]
    absent = [column for column, present in named.items() if not present]
    said = [f"{layout.name_list(there, 20)} (in the release)"] if there else []
    return ", ".join(said + ([f"{layout.name_list(absent, 20)} (absent)"] if absent else []))


def _apart(release: Release) -> str:
    """Return the numbers of rows that are in no class, and the reasons, as a text."""
    counts = (
        (release.suppressed_tuples, "with every quasi-identifier suppressed"),
        (release.dropped_rows, "dropped for a missing or suppressed quasi-identifier"),
    )
    return ", ".join(f"{figures.counted(n, 'row')} {why}" for n, why in counts if n)


def _per_column(cells: Mapping[str, int]) -> str:
    counts = [f"{layout.name(column)} {figures.whole(n)}" for column, n in cells.items() if n]
    rest = len(counts) - 8
    more = f" and {figures.counted(rest, 'column')} more" if rest > 0 else ""
    return ", ".join(counts[:8]) + more


def _required(report: AuditReport, *, show_values: bool) -> Section | None:
    models = [model for model in report.models if wording.judged(model)]
    rows = tables.required_table(report)
    if len(rows) == 1:
        return None
    return Section(
        "What was required",
        "classes, rows: the numbers of classes and rows that fall short of the requirement.",
        SectionTable(rows, (0, 5)),
        _explained(models, report, show_values=show_values),
    )


def _measured(report: AuditReport, *, show_values: bool) -> Section | None:
    models = [model for model in report.models if not wording.judged(model)]
    if not models:
        return None
    return Section(
        "What was only measured",
        table=SectionTable(tables.measured_table(report), (0, 1, 3)),
        named=_explained(models, report, show_values=show_values),
        in_short=report.outcome is Outcome.MEASURED,
    )


def _explained(
    models: Sequence[Measurement], report: AuditReport, *, show_values: bool
) -> tuple[tuple[str, str, str], ...]:
    return tuple(
        (
            layout.name(wording.variant(model)),
            "",
            descriptions.about_model(model, report, show_values=show_values),
        )
        for model in tables.together(models)
    )


def _meanings(report: AuditReport) -> Section | None:
    """Return the section that says for each model what its definition guarantees."""
    named = tuple(
        (layout.name(model), layout.sentences([meaning]), "")
        for model in dict.fromkeys(model.model for model in report.models)
        if (meaning := wording.model_meaning(model, report))
    )
    return Section("What the models mean", named=named, folded=True) if named else None


def _attacks(report: AuditReport, *, show_values: bool) -> Section | None:
    if not report.attacks:
        return None
    rows = tables.attacks_table(report.attacks)
    said = tuple(
        (
            layout.name(attack.attack),
            layout.sentences(
                [
                    f"The adversary knows {attack.knowledge}" if attack.knowledge else "",
                    wording.attack_meaning(attack.attack, report),
                ]
            ),
            descriptions.about_attack(
                attack, show_values=show_values, people=wording.people(report)
            ),
        )
        for attack in report.attacks
    )
    return Section(
        "What an adversary learns",
        "rate: the share of targets that are identified or have a sensitive value disclosed for "
        "certain. base: the share of right guesses without any attack, if the guess is the most "
        "frequent value of the whole release.",
        SectionTable(rows, (0, len(rows[0]) - 1)),
        said,
        charts=charts.exposures(report),
    )


def _exposed(report: AuditReport, *, show_values: bool) -> Section | None:
    classes = exposed(report)
    if not classes:
        return None
    rows = tables.exposed_table(classes, show_values=show_values)
    return Section(
        "Who is exposed",
        "" if show_values else "Run with --show-values to see the values of these classes.",
        points=tuple((one.said(), one.cells() if show_values else "") for one in classes),
        worst=SectionTable(rows, tuple(range(1, len(rows[0])))),
    )


def _warnings(report: AuditReport, *, show_values: bool) -> Section | None:
    points = []
    for notice in report.warnings:
        where = "" if notice.column is None else f" in {layout.name(notice.column)}"
        labels = layout.name_list(notice.labels) if show_values else ""
        points.append((f"{notice.code}{where}: {wording.plural(notice.message)}", labels))
    return Section("Warnings", points=tuple(points)) if points else None


def _help(report: AuditReport) -> Section | None:
    sentences = advice(report)
    if not sentences:
        return None
    intro = "Derived from the numbers above, but not tried:"
    return Section("What would help", intro, points=tuple((text, "") for text in sentences))


def _tried_out(report: AuditReport) -> Section | None:
    remedies = report.remedies
    if remedies is None or not (remedies.tried or remedies.reason):
        return None
    named = [
        (tried.remedy_name(number, remedy), "", tried.remedy_details(remedy))
        for number, remedy in enumerate(remedies.tried, 1)
    ]
    return Section(
        "What was tried out",
        tried.remedies_introduction(remedies),
        SectionTable(tried.remedies_table(remedies), (0, 4)) if named else None,
        tuple(named),
    )


def _provenance(report: AuditReport) -> Section | None:
    phrases = wording.convention(report.release.convention)
    parts = [("" if i else "convention", phrase) for i, phrase in enumerate(phrases)]
    parts += [
        ("", f"with {name} no row would be in a class") for name in descriptions.empty(report)
    ]
    parts += [("release sha256", report.release.sha256 or "")]
    parts += [
        (key.replace("_", " "), wording.parameter(value))
        for key, value in report.provenance.items()
        if value is not None
    ]
    pairs = _filled(parts)
    return Section("How this was audited", pairs=pairs, folded=True) if pairs else None


def _filled(parts: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the parts that have content. A part without a name continues the previous part."""
    return tuple((name, said) for name, said in parts if said)
