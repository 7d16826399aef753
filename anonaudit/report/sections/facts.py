"""What is said about one model or attack beside its numbers: its details, its notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonaudit.about import CLASS_SIZE
from anonaudit.findings import EXPOSED_BY_NUMBER, AuditReport, Disclosure, Measurement, Number
from anonaudit.plugins import ATTACKS, MODELS, describe_attack, describe_model
from anonaudit.report.plain import Plain, details_of
from anonaudit.report.words import figures, layout, wording
from anonaudit.report.words.details import COUNTS, PHRASES, WORDS


def about_model(model: Measurement, report: AuditReport, *, show_values: bool) -> str:
    """Necessary conditions, attributes unknown in some classes, other conventions, notes."""
    details = details_of(model.details, show_values=show_values)
    if wording.k_beside(model) is not None:
        details.pop("k", None)  # judged, so it stands in the table
    if wording.violations(model) is not None:
        details.pop("classes with a violation", None)
        details.pop("rows with a violation", None)
    said = [_only_boundaries(model), _conditions(model, report, details)]
    said += [
        f"{figures.counted(n, 'class has', 'classes have')} no known {layout.name(column)} and "
        f"{'is' if n == 1 else 'are'} left out"
        for column, level in model.per_attribute.items()
        if (n := level.classes_without_known_value)
    ]
    beside = describe_model(model.model).beside
    if beside and (least := details.pop("k", None)) is not None:
        which = "Smallest" if beside == CLASS_SIZE else "Fewest"
        said.append(f"{which} {beside}: {_written(least)}")
    if MODELS.ours(model.model):
        said += _in_words(details)
    said += [_written_out(details), _other_conventions(model)]
    return layout.sentences([*said, _noted("Note", [_clear(note) for note in model.notes])])


def _only_boundaries(model: Measurement) -> str:
    """What is required of a model that is given boundaries and no level."""
    if model.required is not None or not (asked := wording.boundaries(model)):
        return ""
    return f"Required are only {asked}, no level"


def _clear(note: str) -> str:
    """A note of our own without its abbreviations."""
    return wording.plural(_CLEAR.get(note, note))


_CLEAR: Mapping[str, str] = {
    "no finite level: a class has no limit": "the level is infinite, since in some class no "
    "threshold is high enough: it has too few different values, or lacks one",
    "no finite level: no class can be brought down": "the level is infinite, since no allowed "
    "deletion of values brings any class down",
}


def about_attack(attack: Disclosure, *, show_values: bool, people: str = "rows") -> str:
    """What else it found, and why it is undecided or did not run. people: what targets fit."""
    details = details_of(attack.details, show_values=show_values)
    said = []
    about = describe_attack(attack.attack)
    if about.gives_away:
        if classes := details.pop("classes", None):
            said.append(f"Classes with one value: {_written(classes)}")
        if likely := details.pop("likely", None):
            said.append(f"{_written(likely)} more are likely only, as some values are unknown")
    if about.links:
        said += _linked(details, people)
    said += _by_number(details)
    if ATTACKS.ours(attack.attack):
        said += _in_words(details)
    said += [_written_out(details), _noted("Reason", [attack.reason] if attack.reason else [])]
    return layout.sentences([*said, _noted("Note", attack.notes)])


def _linked(details: dict[str, Plain], people: str) -> list[str]:
    """How many targets fit how many rows, taken out of the details."""
    keys = ("no match", "exactly one match", "several matches")
    none, one, several = (wording.number(details.pop(key, None)) for key in keys)
    fewest = wording.number(details.pop("fewest candidates", None))
    least = f" (at least {figures.whole(fewest)})" if fewest is not None and not one else ""
    parts = [
        form.format(figures.whole(n))
        for form, n in (
            (f"{{}} fit no {people[:-1]}", none),
            (f"{{}} fit exactly one {people[:-1]}", one),
            (f"{{}} fit several {people}{least}", several),
        )
        if n
    ]
    said = [f"Of the targets, {', '.join(parts)}"] if parts else []
    said += _chances(details, int((one or 0) + (several or 0)), people[:-1])
    details.pop("pairs", None)
    more = (
        ("unique on both sides", "Targets whose only candidate fits nobody else: {}"),
        ("candidates in several classes", "Targets with candidates in several classes: {}"),
        (
            "fit no published class",
            _ONLY_SUPPRESSED,
        ),
    )
    for key, form in more:
        number = wording.number(details.pop(key, None))
        if number or (number == 0 and key.startswith("unique") and one):
            said.append(form.format(figures.whole(number)))
    if isinstance(found := details.pop("columns that single out", None), dict):
        tried = f"{_written(found.get('of them'))} of {_written(found.get('choices'))}"
        said.append(f"{tried} choices of few columns single somebody out")
        if (columns := found.get("fewest columns")) is not None:
            said.append(f"The fewest columns that do: {_written(columns)}")
    return said


def _chances(details: dict[str, Plain], fitting: int, person: str) -> list[str]:
    """What a guess among the candidates is worth on average; other views are for programs.

    The average is over the targets that fit anything, each taken to be in the release.
    """
    links = details.pop("chance of a right link", None)
    right = _average(links, "prosecutor")
    if right is None:
        return []
    values = details.pop("chance of the likeliest value", None)
    found = values if isinstance(values, dict) else {}
    likely = [
        f"{figures.percent(chance)} ({layout.name(column)})"
        for column, one in found.items()
        if (chance := _average(one, "uniform")) is not None
    ]
    who = f"{figures.whole(fitting)} that {'fits' if fitting == 1 else 'fit'} a {person}"
    told = (
        f"For the {who}, if {'it is' if fitting == 1 else 'they are'} in the release, picking one "
        f"that fits is right with a chance of {figures.percent(right)} on average"
    )
    named = f", naming the most frequent value among those that fit with {', '.join(likely)}"
    return [told + (named if likely else "")]


def _average(chances: Plain, view: str) -> Number | None:
    """The average of one view; None if it has none."""
    one = chances.get(view) if isinstance(chances, dict) else None
    return wording.number(one.get("average")) if isinstance(one, dict) else None


def _in_words(details: dict[str, Plain]) -> list[str]:
    """What is said of details by their keys, taken out of them."""
    said = []
    for key, value in [*details.items()]:
        words: str | None = None
        if key in COUNTS and isinstance(value, (int, float)):
            one, several = COUNTS[key]
            words = (one if value == 1 else several).format(figures.level(value)) if value else ""
        elif key in PHRASES:
            words = "" if value is None else PHRASES[key].format(_written(value))
        elif isinstance(value, str):
            words = WORDS.get((key, value))
        elif key == _UNIQUE and isinstance(value, dict):
            steps = [f"{_written(n)} with {size}" for size, n in value.items()]
            words = f"Rows singled out, by the number of columns it takes: {', '.join(steps[:6])}"
        if words is not None:
            del details[key]
            said.append(words)
    return said


_ONLY_SUPPRESSED = "Targets that fit only rows that are suppressed throughout: {}"
_UNIQUE = "rows with a minimal sample unique of size"


def _by_number(details: dict[str, Plain]) -> list[str]:
    """How many values it takes to rule out, taken out of the details."""
    said = []
    if isinstance(counted := details.pop(EXPOSED_BY_NUMBER, None), dict):
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
