"""What models, attacks and conventions mean, in short plain sentences, by their names.

A report knows models and attacks by name only. A name that is not here, somebody's own model
or attack, is reported with its numbers and without a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from anonaudit.findings import AuditReport, Measurement, Number, Parameter
from anonaudit.report import figures, layout


class Words(NamedTuple):
    """How a model is spoken of.

    level: what its level is called. parameter: which parameter requires that level.
    meaning: what holds where the model holds; `{people}` stands for rows or persons.
    strict: whether reaching the required level exactly is not enough.
    """

    level: str
    parameter: str
    meaning: str
    strict: bool = False


MODELS: Mapping[str, Words] = {
    "k-anonymity": Words(
        "k", "k", "Every combination of quasi-identifier values is shared by k {people} or more"
    ),
    "p-sensitive-k-anonymity": Words(
        "p", "p", "Every class has p or more different values of every sensitive attribute"
    ),
    "extended-p-sensitive-k-anonymity": Words(
        "p", "p", "Every class has sensitive values from p or more different protected subtrees"
    ),
    "l-diversity": Words("l", "l", "Every class has l or more different sensitive values"),
    "entropy-l-diversity": Words(
        "l", "l", "The sensitive values of every class are as mixed as l equally frequent ones"
    ),
    "recursive-c-l-diversity": Words(
        "ratio",
        "c",
        "In every class the most frequent sensitive value occurs less than c times as often as "
        "the l-th most frequent and all rarer ones together; the ratio is what c must exceed",
        strict=True,
    ),
    "alpha-k-anonymity": Words(
        "alpha", "alpha", "No sensitive value takes more than a share alpha of its class"
    ),
    "t-closeness": Words(
        "t",
        "t",
        "The sensitive values of every class are distributed like those of the whole release, "
        "within a distance t",
    ),
}

ATTACKS: Mapping[str, str] = {
    "homogeneity": "A class whose {people} all share one sensitive value gives that value away",
    "linkage": "Each person of the table is matched with the released rows that may be theirs: "
    "one match identifies, matches that agree on a sensitive value disclose it",
}

_UNKNOWN = Words("", "", "")


def words(model: str) -> Words:
    """The words for a model; all empty for one that is not known here."""
    return MODELS.get(model, _UNKNOWN)


def title(model: Measurement) -> str:
    """The name of a model, with the parameters that are no level."""
    known = words(model.model)
    extra = [
        parameter(value) if isinstance(value, str) else f"{key} = {parameter(value)}"
        for key, value in model.parameters.items()
        if key not in (known.parameter, "k") and (known.level or value != model.required)
    ]
    return model.model + (f" ({', '.join(extra)})" if extra else "")


def requirement(model: Measurement, shown: str) -> str:
    """What was required of a level, as in `k >= 5`; `shown` is the number."""
    if model.required is None:
        return figures.NONE
    known = words(model.model)
    sign = "<" if known.strict else ">=" if model.safer == "higher" else "<="
    return f"{known.level} {sign} {shown}".strip()


def goal(model: Measurement) -> str:
    """The same inside a sentence: `k = 5`, `p = 2 with k = 3`, or the name of the model."""
    known = words(model.model)
    parts = []
    if model.required is not None and known.parameter:
        parts.append(f"{known.parameter} = {figures.level(model.required)}")
    if class_size_asked(model) is not None and model.parameters["k"] != model.required:
        parts.append(f"k = {figures.level(class_size_asked(model))}")
    return " with ".join(parts) or title(model)


def class_size_asked(model: Measurement) -> Number | None:
    """The k that a model requires beside its own level, None if it requires none."""
    return None if words(model.model).parameter == "k" else number(model.parameters.get("k"))


def judged(model: Measurement) -> bool:
    """Whether anything was required of the model."""
    return model.required is not None or model.classes_violating is not None


def people(report: AuditReport) -> str:
    """What is counted: rows, or persons where the release has a unit column."""
    return "rows" if report.release.persons is None else "persons"


def convention(found: Mapping[str, Parameter]) -> list[str]:
    """How cells without a value were counted, a phrase each; unknown rules by name and value."""
    rules = {key.replace("_", "-"): value for key, value in found.items()}
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
        return layout.names([str(part) for part in value])
    figure = number(value)
    return layout.name(str(value), 80) if figure is None else figures.level(figure)


def number(value: object) -> Number | None:
    """The value if it is a number; details and parameters may hold anything."""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
