"""What is said about one model or attack in a paragraph: its meaning, its details, its notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonaudit.findings import AuditReport, Disclosure, Measurement
from anonaudit.report import figures, layout, wording
from anonaudit.report.plain import Plain, details_of


def about_model(model: Measurement, report: AuditReport, *, show_values: bool) -> str:
    """What the model means, the bounds its definition speaks of, and its notes."""
    details = details_of(model.details, show_values=show_values)
    if "k" in model.parameters:
        details.pop("k", None)  # judged, so it stands in the table
    said = [wording.words(model.model).meaning.format(people=wording.people(report))]
    if isinstance(most := details.pop("maxP", None), (int, float)):
        said.append(f"no masking can reach more than maxP = {figures.whole(most)}")
    groups = details.pop("maxGroups", None)
    bound = groups.get(f"{model.required}") if isinstance(groups, dict) else None
    if isinstance(bound, (int, float)):
        said.append(
            f"p = {figures.level(model.required)} allows at most maxGroups = "
            f"{figures.whole(bound)} classes, there are {figures.whole(report.release.classes)}"
        )
    conditions = details.pop("conditions", None)
    if isinstance(conditions, dict):
        failed = [key for key, met in conditions.items() if not met]
        said.append(f"necessary conditions not met: {', '.join(failed) or 'none'}")
    unknown = [
        f"{figures.counted(n, 'class', 'classes')} without a known {layout.name(column)}"
        for column, level in model.per_attribute.items()
        if (n := level.classes_without_known_value)
    ]
    said += [f"{part}, left out" for part in unknown]
    return _joined([*said, *_written_out(details), *model.notes])


def about_attack(attack: Disclosure, report: AuditReport, *, show_values: bool) -> str:
    """What the attack does, what the adversary knows, what else it found, why it did not run."""
    details = details_of(attack.details, show_values=show_values)
    said = [wording.ATTACKS.get(attack.attack, "").format(people=wording.people(report))]
    if attack.knowledge:
        said.append(f"known to the adversary: {attack.knowledge}")
    if attack.attack == "homogeneity":
        if classes := details.pop("classes", None):
            said.append(f"classes with one value: {_written(classes)}")
        if likely := details.pop("likely", None):
            said.append(f"{_written(likely)} more are likely only, as some values are unknown")
    said += _written_out(details)
    return _joined([*said, attack.reason or "", *attack.notes])


def _written_out(details: Mapping[str, Plain]) -> list[str]:
    """Details that nothing is known about, by name and value."""
    found = {key: _written(value) for key, value in details.items() if value is not None}
    return [f"{layout.name(key, 60)}: {value}" for key, value in found.items() if value]


def _written(value: Plain, limit: int = 4) -> str:
    """A detail in few words: of a list or an object only its first parts."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return figures.level(value)
    if isinstance(value, str):
        return layout.shorten(layout.visible(value), 60)
    if value is None:
        return figures.NONE
    if isinstance(value, dict):
        parts = [f"{layout.name(key)} {_written(part, 2)}" for key, part in value.items()]
    else:
        parts = [_written(part, 2) for part in value]
    more = f", and {len(parts) - limit:,} more" if len(parts) > limit else ""
    return ", ".join(parts[:limit]) + more


def _joined(parts: Sequence[str]) -> str:
    said = [part.strip().rstrip(".") for part in parts]
    return "; ".join(part for part in said if part) + "." if any(said) else ""
