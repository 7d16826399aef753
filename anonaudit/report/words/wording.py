"""How requirements, parameters and conventions are put into words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from numbers import Integral, Real

from anonaudit.details import BeyondBoundaries, part_of
from anonaudit.findings import NO_DATA, NO_FINITE_LEVEL, AuditReport, Measurement, Number, Parameter
from anonaudit.plugins import MODELS, describe_attack, describe_model
from anonaudit.report.words import figures, layout

INFINITE = "infinite"


def title(model: Measurement) -> str:
    """The name of a model, with the parameters that are no level."""
    known = describe_model(model.model)
    shown = {known.parameter, "k"} if known.beside else {known.parameter}  # beside the level
    extra = [
        parameter(value) if isinstance(value, str) else f"{key} = {parameter(value)}"
        for key, value in model.parameters.items()
        if key not in shown and (known.level or value != model.required)
    ]
    return model.model + (f" ({', '.join(extra)})" if extra else "")


def requirement(model: Measurement, shown: str) -> str:
    """What was required of a level, as in `k >= 5`; `shown` is the number."""
    if model.required is None:
        return figures.NO_NUMBER if violations(model) is None else "boundaries"
    known = describe_model(model.model)
    sign = "<" if known.strict else ">=" if model.safer == "higher" else "<="
    return f"{known.level} {sign} {shown}".strip()


def variant(model: Measurement) -> str:
    """The name of a model, with which of its forms is meant (a distance, a reading), if several."""
    forms = [v for v in model.parameters.values() if isinstance(v, str) and model.model in MODELS]
    return f"{model.model} ({', '.join(forms)})" if forms else model.model


def instead_of_level(model: Measurement) -> str:
    """What stands for a level that is no number: it is infinite, or there is none."""
    return INFINITE if is_infinite(model.notes) else figures.NO_NUMBER


def is_infinite(notes: Sequence[str]) -> bool:
    """Whether a level that is no number is infinite, by the notes of its model."""
    return any(note.startswith(NO_FINITE_LEVEL) for note in notes)


def is_without_data(notes: Sequence[str]) -> bool:
    """Whether there was nothing to measure a level on, by the notes of its model."""
    return any(note.startswith(NO_DATA) for note in notes)


def reached(model: Measurement, column: str, report: AuditReport) -> str:
    """The level of one attribute, as it is told."""
    level = model.per_attribute[column]
    known = level.classes_without_known_value < report.release.classes
    if level.measured is None and model.measured is None and known:
        return instead_of_level(model)
    return figures.level(level.measured)


def goal(model: Measurement) -> str:
    """The same inside a sentence: `k = 5`, `p = 2 with k = 3`, or the name of the model."""
    known = describe_model(model.model)
    parts = []
    if model.required is not None and known.parameter:
        shown = figures.level(model.required)
        same = known.parameter == known.level
        parts.append(f"{known.level} = {shown}" if same else requirement(model, shown))
    if (k := k_beside(model)) is not None and k != model.required:
        parts.append(f"k = {figures.level(k)}")
    return " with ".join(parts) or boundary_words(model) or title(model)


def boundary_words(model: Measurement) -> str:
    """Which boundaries a model has, in words; empty if it has none."""
    if (beyond := part_of(model.details, BeyondBoundaries)) is None:
        return ""
    columns = list(beyond.by_column)
    of = f" (max-generalization of {layout.name_list(columns)})" if columns else ""
    return f"the boundaries{of}"


def plural(text: str) -> str:
    """The text with every `row(s)` after a number as `row` or `rows`.

    >>> plural("1 row(s) and 1,200 sensitive cell(s)")
    '1 row and 1,200 sensitive cells'
    """
    return _EITHER.sub(lambda match: match[1] + ("" if match[2] == "1" else "s"), text)


def k_beside(model: Measurement) -> Number | None:
    """The k that a model requires beside its own level, None if it requires none."""
    return as_number(model.parameters.get("k")) if describe_model(model.model).beside else None


def violations(model: Measurement) -> int | None:
    """How many values lie beyond a generalization boundary; None if the model has none."""
    beyond = part_of(model.details, BeyondBoundaries)
    return None if beyond is None else beyond.total


def judged(model: Measurement) -> bool:
    """Whether anything was required of the model."""
    return model.judged


def attack_meaning(attack: str, report: AuditReport) -> str:
    """What an attack does; empty for one that does not say."""
    return describe_attack(attack).means.replace("{people}", people(report))


def model_meaning(model: str, report: AuditReport) -> str:
    """What holds where a model holds; empty for one that does not say."""
    return describe_model(model).means.replace("{people}", people(report))


def people(report: AuditReport) -> str:
    """What is counted: rows, or persons where the release has a unit column."""
    return "rows" if report.release.persons is None else "persons"


def convention(rules_by_key: Mapping[str, Parameter]) -> list[str]:
    """How cells without a value were counted, a phrase each; unknown rules by name and value."""
    rules = {key.replace("_", "-"): value for key, value in rules_by_key.items()}
    phrases = []
    for key, value in rules.items():
        if key == "wildcard-weight":
            if rules.get("quasi-identifiers") == "wildcard" and value != 1:
                phrases.append(f"wildcards count with weight {parameter(value)}")
        elif key in ("missing", "suppressed") and isinstance(value, tuple):
            cells = ["the empty cell"] if key == "missing" else []
            cells += [f'"{text}"' for text in value]
            phrases.append(f"{key}: {' and '.join(cells) or 'no cell'}")
        elif key == "normalize" and isinstance(value, tuple):
            repaired = f"labels are repaired before they are compared: {parameter(value)}"
            phrases.append(repaired if value else "labels are compared as they are written")
        else:
            known = _RULES.get((key, value)) if isinstance(value, str) else None
            phrases.append(known or f"{key}: {parameter(value)}")
    return phrases


_EITHER = re.compile(r"((?<![0-9.,])([0-9][0-9,]*)(?: [a-z-]+){1,3})\(s\)")

_RULES: Mapping[tuple[str, str], str] = {
    ("quasi-identifiers", "own-category"): "a quasi-identifier without a value has a value of its "
    "own",
    ("quasi-identifiers", "wildcard"): "a quasi-identifier without a value matches every value",
    ("quasi-identifiers", "drop-rows"): "rows with a quasi-identifier without a value are left out",
    ("suppressed-tuples", "exclude"): "rows with all quasi-identifiers suppressed are in no class",
    ("suppressed-tuples", "include"): "rows with all quasi-identifiers suppressed are a class",
    ("sensitive", "unknown"): "a sensitive cell without a value is unknown, never a value",
    ("sensitive", "one-value"): "all sensitive cells without a value are one value",
}


def parameter(value: object) -> str:
    """A parameter of a model, a convention or an audit, in a few characters."""
    if isinstance(value, tuple):
        return layout.name_list([str(part) for part in value])
    figure = as_number(value)
    return layout.name(str(value), 80) if figure is None else figures.level(figure)


def as_number(value: object) -> Number | None:
    """The value if it is a number; details and parameters may hold anything."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    return int(value) if isinstance(value, Integral) else float(value)
