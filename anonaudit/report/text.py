"""The report as plain text, for a person at a terminal: the verdict first, then the reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from anonaudit.findings import AuditReport, Measurement, Release
from anonaudit.report import facts, figures, layout, tables, wording
from anonaudit.report.advice import advice
from anonaudit.report.exposed import exposed
from anonaudit.report.plain import texts
from anonaudit.report.verdict import verdict

# Identifiers are declared, and hopefully not in the release.
_PARTS = {"identifiers": "named as identifiers"}


def to_text(report: AuditReport, *, show_values: bool = False, width: int = 88) -> str:
    """The report as text without colour.

    show_values: whether cells of the release and labels of warnings may be shown.
    width: of a line, in cells of a terminal; at least 40.
    """
    width = max(width, layout.LEAST_WIDTH)
    lines = [
        verdict(report, width),
        "",
        *_release(report, width),
        *layout.section("What was required", _required(report, width, show_values=show_values)),
        *layout.section(
            "What was only measured", _measured(report, width, show_values=show_values)
        ),
        *layout.section(
            "What an adversary learns", _attacks(report, width, show_values=show_values)
        ),
        *layout.section("Who is exposed", _exposed(report, width, show_values=show_values)),
        *layout.section("Warnings", _warnings(report, width, show_values=show_values)),
        *layout.section("What would help", _help(report, width)),
        *layout.section("How this was audited", _provenance(report, width)),
    ]
    return "\n".join(lines) + "\n"


def _release(report: AuditReport, width: int) -> list[str]:
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
        (_PARTS.get(part, part.replace("_", "-")), layout.names(texts(columns), 20))
        for part, columns in report.columns.items()
    ]
    parts += [
        ("in no class", _apart(release)),
        ("missing cells", _per_column(release.missing_cells)),
        ("suppressed cells", _per_column(release.suppressed_cells)),
    ]
    return [*layout.paragraph(said, width, rest="  "), *_pairs(parts, width)]


def _apart(release: Release) -> str:
    """Rows that were read and are in no class."""
    counts = (
        (release.suppressed_tuples, "with every quasi-identifier suppressed"),
        (release.dropped_rows, "dropped for a quasi-identifier without a value"),
    )
    return ", ".join(f"{figures.counted(n, 'row')} {why}" for n, why in counts if n)


def _per_column(cells: Mapping[str, int]) -> str:
    counts = [f"{layout.name(column)} {figures.whole(n)}" for column, n in cells.items() if n]
    rest = len(counts) - 8
    more = f" and {figures.counted(rest, 'column')} more" if rest > 0 else ""
    return ", ".join(counts[:8]) + more


def _required(report: AuditReport, width: int, *, show_values: bool) -> list[str]:
    models = [model for model in report.models if wording.judged(model)]
    if not models:
        return []
    intro = "Classes and rows are those that fall short of what was required."
    return [
        *layout.paragraph(intro, width),
        "",
        *layout.table(tables.required(models), left=(0, 5), width=width),
        *_explained(models, report, width, show_values=show_values),
    ]


def _measured(report: AuditReport, width: int, *, show_values: bool) -> list[str]:
    models = [model for model in report.models if not wording.judged(model)]
    if not models:
        return []
    return [
        *layout.table(tables.measured(models), left=(0, 1, 3), width=width),
        *_explained(models, report, width, show_values=show_values),
    ]


def _explained(
    models: Sequence[Measurement], report: AuditReport, width: int, *, show_values: bool
) -> list[str]:
    said = [
        (
            model.model,
            facts.sentences([wording.model_meaning(model.model, report)]),
            facts.about_model(model, report, show_values=show_values),
        )
        for model in models
    ]
    return _named(said, width)


def _attacks(report: AuditReport, width: int, *, show_values: bool) -> list[str]:
    if not report.attacks:
        return []
    intro = (
        "Rate is the share of targets identified or with a sensitive value disclosed for certain; "
        "guess, how often naming the most frequent value is right, without any certainty."
    )
    rows = tables.attacks(report.attacks)
    said = [
        (
            attack.attack,
            facts.sentences(
                [
                    f"The adversary knows {attack.knowledge}" if attack.knowledge else "",
                    wording.attack_meaning(attack.attack, report),
                ]
            ),
            facts.about_attack(attack, show_values=show_values),
        )
        for attack in report.attacks
    ]
    return [
        *layout.paragraph(intro, width),
        "",
        *layout.table(rows, left=(0, len(rows[0]) - 1), width=width),
        *_named(said, width),
    ]


def _exposed(report: AuditReport, width: int, *, show_values: bool) -> list[str]:
    lines: list[str] = []
    for one in exposed(report):
        lines += layout.paragraph(one.said(), width, first="  - ")
        if show_values:
            lines += layout.paragraph(one.cells(), width, first="    ")
    return lines


def _warnings(report: AuditReport, width: int, *, show_values: bool) -> list[str]:
    lines: list[str] = []
    for notice in report.warnings:
        where = "" if notice.column is None else f" in {layout.name(notice.column)}"
        lines += layout.paragraph(f"{notice.code}{where}: {notice.message}", width, first="  - ")
        if show_values:
            lines += layout.paragraph(layout.names(notice.labels), width, first="    ")
    return lines


def _help(report: AuditReport, width: int) -> list[str]:
    found = advice(report)
    if not found:
        return []
    intro = "Drawn from the numbers above, and not tried out:"
    bullets = (layout.paragraph(text, width, first="  - ") for text in found)
    return [*layout.paragraph(intro, width), *(line for lines in bullets for line in lines)]


def _provenance(report: AuditReport, width: int) -> list[str]:
    phrases = wording.convention(report.release.convention)
    parts = [("" if i else "convention", phrase) for i, phrase in enumerate(phrases)]
    parts += [("file sha256", report.release.sha256 or "")]
    parts += [
        (key.replace("_", " "), wording.parameter(value))
        for key, value in report.provenance.items()
        if value is not None
    ]
    return _pairs(parts, width)


def _named(parts: Iterable[tuple[str, str, str]], width: int) -> list[str]:
    """A blank line, and for each name what it means, said once, and what was found."""
    lines: list[str] = []
    explained: set[str] = set()
    for name, meaning, found in parts:
        said = " ".join(part for part in ("" if name in explained else meaning, found) if part)
        explained.add(name)
        if said:
            text = f"{layout.name(name)}: {said}"
            lines += layout.paragraph(text, width, first="  ", rest="    ")
    return ["", *lines] if lines else []


def _pairs(parts: Iterable[tuple[str, str]], width: int) -> list[str]:
    """Aligned lines of a name and what it is; those without content are left out."""
    kept = [(layout.shorten(layout.visible(name), 24), said) for name, said in parts if said]
    widest = max((layout.width_of(name) for name, _ in kept), default=0)
    lines: list[str] = []
    for name, said in kept:
        first = f"  {layout.pad(name, widest)}  "
        if layout.width_of(first) + layout.longest_word(said) > width:  # a hash stays in one piece
            lines.append(f"  {name}")
            first = "    "
        lines += layout.paragraph(said, width, first=first)
    return lines
