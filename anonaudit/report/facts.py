"""What is said about one model or attack beside its numbers: its details, its notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from anonaudit.findings import AuditReport, Disclosure, Measurement
from anonaudit.report import figures, layout, wording
from anonaudit.report.charts import BY_NUMBER
from anonaudit.report.plain import Plain, details_of


def about_model(model: Measurement, report: AuditReport, *, show_values: bool) -> str:
    """Necessary conditions, attributes unknown in some classes, other conventions, notes."""
    details = details_of(model.details, show_values=show_values)
    if wording.k_beside(model) is not None:
        details.pop("k", None)  # judged, so it stands in the table
    if wording.violations(model) is not None:
        details.pop("classes with a violation", None)
        details.pop("rows with a violation", None)
    said = [_conditions(model, report, details)]
    said += [
        f"{figures.counted(n, 'class has', 'classes have')} no known {layout.name(column)} and "
        f"{'is' if n == 1 else 'are'} left out"
        for column, level in model.per_attribute.items()
        if (n := level.classes_without_known_value)
    ]
    said += [_written_out(details), _other_conventions(model)]
    return sentences([*said, _noted("Note", model.notes)])


def about_attack(attack: Disclosure, *, show_values: bool) -> str:
    """What else it found, and why it is undecided or did not run."""
    details = details_of(attack.details, show_values=show_values)
    said = []
    if attack.attack == "homogeneity":
        if classes := details.pop("classes", None):
            said.append(f"Classes with one value: {_written(classes)}")
        if likely := details.pop("likely", None):
            said.append(f"{_written(likely)} more are likely only, as some values are unknown")
    said += _by_number(details)
    said += [_written_out(details), _noted("Reason", [attack.reason] if attack.reason else [])]
    return sentences([*said, _noted("Note", attack.notes)])


def _by_number(details: dict[str, Plain]) -> list[str]:
    """How many values it takes to rule out, taken out of the details."""
    said = []
    if isinstance(counted := details.pop(BY_NUMBER, None), dict):
        steps = [f"{_written(n)} with {t}" for t, n in counted.items()]
        said.append(f"Exposed by how many values are ruled out at most: {', '.join(steps[:6])}")
    if isinstance(counted := details.pop("classes by least number", None), dict):
        steps = [f"{_written(n)} with {t}" for t, n in counted.items()]
        said.append(f"Classes by the fewest values that expose somebody: {', '.join(steps[:6])}")
    return said


def _conditions(model: Measurement, report: AuditReport, details: dict[str, Plain]) -> str:
    """The necessary conditions of p-sensitivity (TV06, CT06), taken out of the details."""
    p, said = model.required, []
    if isinstance(most := details.pop("maxP", None), (int, float)):
        needed = "" if p is None else f" ({figures.level(p)} needed)"
        said.append(f"maxP = {figures.whole(most)}{needed}")
    groups = details.pop("maxGroups", None)
    bound = groups.get(f"{p}") if isinstance(groups, dict) else None
    if isinstance(bound, (int, float)):
        classes = figures.counted(report.release.classes, "class", "classes")
        said.append(f"{classes} (at most maxGroups = {figures.whole(bound)} allowed)")
    met = details.pop("conditions", None)
    if isinstance(met, dict) and (failed := [key for key, holds in met.items() if not holds]):
        said.append(f"not met: {', '.join(failed)}")
    return f"Necessary conditions: {', '.join(said)}" if said else ""


def _other_conventions(model: Measurement) -> str:
    """The levels that another convention for cells without a value would change."""
    said = [
        f"{figures.level(level)} with {name}"
        for name, level in model.by_convention.items()
        if level is not None and level != model.measured
    ]
    return f"Counted otherwise: {', '.join(said)}" if said else ""


def empty(report: AuditReport) -> list[str]:
    """The conventions under which no model has a level, as no row is in a class."""
    found = [model.by_convention for model in report.models if model.measured is not None]
    names = dict.fromkeys(name for levels in found for name in levels)
    return [n for n in names if all(levels[n] is None for levels in found if n in levels)]


def _noted(kind: str, notes: Sequence[str]) -> str:
    """Other people's words, as they are: they may begin with the name of a column."""
    return f"{kind}: {'; '.join(note.rstrip('.') for note in notes)}" if notes else ""


def _written_out(details: Mapping[str, Plain]) -> str:
    """Details that nothing is known about, by name and value."""
    said = [
        f"{layout.name(key, 60)}{':' if isinstance(value, (list, dict)) else ' ='} {written}"
        for key, value in details.items()
        if value is not None and (written := _written(value))
    ]
    return f"Also: {'; '.join(said)}" if said else ""


def _written(value: Plain, limit: int = 4) -> str:
    """A detail in few words: of a list or an object only its first parts."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return figures.level(value)
    if isinstance(value, str):
        return layout.name(value, 60)
    if value is None:
        return figures.NONE
    if isinstance(value, dict):
        parts = [f"{layout.name(key)} {_written(part, 2)}" for key, part in value.items()]
    else:
        parts = [_written(part, 2) for part in value]
    more = f", and {len(parts) - limit:,} more" if len(parts) > limit else ""
    return ", ".join(parts[:limit]) + more


def sentences(parts: Iterable[str]) -> str:
    """Each part with a full stop, on one line; empty parts are left out."""
    said = [part.strip() for part in parts if part.strip()]
    return " ".join(part if part[-1] in ".!?" else f"{part}." for part in said)
