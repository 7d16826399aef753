"""Write requirements, parameters and conventions in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from numbers import Integral, Real

from anonaudit.details import part_of
from anonaudit.findings import NO_DATA, NO_FINITE_LEVEL, AuditReport, Measurement, Number, Parameter
from anonaudit.plugins import MODELS, describe_attack, describe_model
from anonaudit.report.words import figures, layout
from anonaudit.special_details import BeyondBoundaries

INFINITE = "infinite"


def title(model: Measurement) -> str:
    """Return the name of a model with its parameters, except those that set the required level.

    A `k` beside the level is left out too.
    """
    known = describe_model(model.model)
    # The report shows the values of these parameters elsewhere.
    shown = {known.parameter, "k"} if known.beside else {known.parameter}
    extra = [
        parameter(value) if isinstance(value, str) else f"{key} = {parameter(value)}"
        for key, value in model.parameters.items()
        if key not in shown and (known.level or value != model.required)
    ]
    return model.model + (f" ({', '.join(extra)})" if extra else "")


def requirement(model: Measurement, shown: str) -> str:
    """Return the required level, for example `k >= 5`.

    If no level is required, return `boundaries` if the model has boundaries, otherwise `-`.

    shown: the required number as text.
    """
    if model.required is None:
        return figures.NO_NUMBER if violations(model) is None else "boundaries"
    known = describe_model(model.model)
    sign = "<" if known.strict else ">=" if model.safer == "higher" else "<="
    return f"{known.level} {sign} {shown}".strip()


def variant(model: Measurement) -> str:
    """Return the name of a model with its text parameters, for example `t-closeness (equal)`."""
    forms = [v for v in model.parameters.values() if isinstance(v, str) and model.model in MODELS]
    return f"{model.model} ({', '.join(forms)})" if forms else model.model


def instead_of_level(model: Measurement) -> str:
    """Return the text for a level without a number: `infinite`, or `-` if there is no level."""
    return INFINITE if is_infinite(model.notes) else figures.NO_NUMBER


def is_infinite(notes: Sequence[str]) -> bool:
    """Return True if the notes of a model say that its level is infinite."""
    return any(note.startswith(NO_FINITE_LEVEL) for note in notes)


def is_infinite_for(notes: Sequence[str], unknown: int, classes: int | None) -> bool:
    """Return True if a level of one attribute that is not a number is infinite.

    If the level of the release is infinite, so is the level of an attribute that has a known value
    in some class.

    notes: the notes of the model.
    unknown: the number of classes that have no known value of the attribute.
    classes: the number of all classes; None if it is not known. Then some class counts as known.
    """
    return is_infinite(notes) and (classes is None or unknown < classes)


def is_without_data(notes: Sequence[str]) -> bool:
    """Return True if the notes of a model say that there was no data to measure."""
    return any(note.startswith(NO_DATA) for note in notes)


def reached(model: Measurement, column: str, report: AuditReport) -> str:
    """Return the level of one attribute as text."""
    level = model.per_attribute[column]
    unknown, classes = level.classes_without_known_value, report.release.classes
    infinite = level.measured is None and is_infinite_for(model.notes, unknown, classes)
    return INFINITE if infinite else figures.level(level.measured)


def goal(model: Measurement) -> str:
    """Return the requirement for a sentence: `k = 5` or `p = 2 with k = 3`.

    If no level is required, return the boundaries in words, or else the name of the model.
    """
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
    """Return the boundaries of a model in words; empty if it has none."""
    if (beyond := part_of(model.details, BeyondBoundaries)) is None:
        return ""
    columns = list(beyond.by_column)
    of = f" (max-generalization of {layout.name_list(columns)})" if columns else ""
    return f"the boundaries{of}"


def plural(text: str) -> str:
    """Replace the ending `(s)` or `(es)` of every noun after a number; after a 1 it disappears.

    A verb of `_SINGULAR` after the noun agrees with it, also if `of` and one word is between them.

    >>> plural("1 row(s) and 1,200 sensitive cell(s)")
    '1 row and 1,200 sensitive cells'
    >>> plural("1 class(es) have no value, 2 row(s) of age are empty, 1 row(s) of age are not")
    '1 class has no value, 2 rows of age are empty, 1 row of age is not'
    """
    return _EITHER.sub(_agreed, text)


def _agreed(match: re.Match[str]) -> str:
    counted, number, ending, of, verb = match.groups(default="")
    if number == "1":
        ending, verb = "", _SINGULAR.get(verb, "")
    return counted + ending + (f"{of} {verb}" if verb else "")


def k_beside(model: Measurement) -> Number | None:
    """Return the k that a model requires in addition to its level, or None."""
    return as_number(model.parameters.get("k")) if describe_model(model.model).beside else None


def violations(model: Measurement) -> int | None:
    """Return the number of values beyond a boundary; None if the model has no boundaries."""
    beyond = part_of(model.details, BeyondBoundaries)
    return None if beyond is None else beyond.total


def judged(model: Measurement) -> bool:
    """Return True if the policy requires anything of the model."""
    return model.judged


def attack_meaning(attack: str, report: AuditReport) -> str:
    """Return a sentence on what an attack does; empty if its class does not say."""
    return describe_attack(attack).means.replace("{people}", people(report))


def model_meaning(model: str, report: AuditReport) -> str:
    """Return a sentence on what a model guarantees; empty if its class does not say."""
    return describe_model(model).means.replace("{people}", people(report))


def people(report: AuditReport) -> str:
    """Return what is counted: "persons" if the release has a unit column, else "rows"."""
    return "rows" if report.release.persons is None else "persons"


def convention(rules_by_key: Mapping[str, Parameter]) -> list[str]:
    """Return a phrase for each setting of a convention.

    rules_by_key: setting -> value, as in `Release.convention`. The phrase for an unknown setting is
        its name and value.
    """
    rules = {key.replace("_", "-"): value for key, value in rules_by_key.items()}
    phrases = []
    for key, value in rules.items():
        if key == "wildcard-weight":
            if rules.get("quasi-identifiers") == "wildcard" and value != 1:
                phrases.append(f"wildcards count with weight {parameter(value)}")
        elif key in ("missing", "suppressed") and isinstance(value, tuple):
            cells = ["the empty cell"] if key == "missing" else []
            cells += [f'"{text}"' for text in value if text]
            phrases.append(f"{key}: {' and '.join(cells) or 'no cell'}")
        elif key == "normalize" and isinstance(value, tuple):
            repaired = f"labels are repaired before they are compared: {parameter(value)}"
            phrases.append(repaired if value else "labels are compared as they are written")
        else:
            known = _RULES.get((key, value)) if isinstance(value, str) else None
            phrases.append(known or f"{key}: {parameter(value)}")
    return phrases


_SINGULAR = {"are": "is", "were": "was", "have": "has", "differ": "differs", "hold": "holds"}
_EITHER = re.compile(
    r"((?<![0-9.,])([0-9][0-9,]*)(?: [a-z-]+){1,3})\((e?s)\)"
    rf"(?:((?: of (?:the )?\S+)?) ({'|'.join(_SINGULAR)})\b)?"
)

_RULES: Mapping[tuple[str, str], str] = {
    ("quasi-identifiers", "own-category"): "a missing or suppressed quasi-identifier counts as a "
    "value",
    ("quasi-identifiers", "wildcard"): "a missing or suppressed quasi-identifier matches every "
    "value",
    ("quasi-identifiers", "drop-rows"): "rows with a missing or suppressed quasi-identifier are "
    "dropped",
    ("suppressed-tuples", "exclude"): "rows with all quasi-identifiers suppressed are in no class",
    ("suppressed-tuples", "include"): "rows with all quasi-identifiers suppressed form one class",
    ("sensitive", "unknown"): "a missing or suppressed sensitive cell is unknown, not a value",
    ("sensitive", "one-value"): "all missing and suppressed sensitive cells are one value",
}


def parameter(value: object) -> str:
    """Return a parameter of a model, a convention or an audit as a short text."""
    if isinstance(value, tuple):
        return layout.name_list([str(part) for part in value])
    figure = as_number(value)
    return layout.name(str(value), 80) if figure is None else figures.level(figure)


def as_number(value: object) -> Number | None:
    """Return the value if it is a number, else None. Details and parameters may hold anything."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    return int(value) if isinstance(value, Integral) else float(value)
