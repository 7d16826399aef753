"""What is said about one model or attack beside its numbers: its details, its notes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from anonaudit.about import CLASS_SIZE
from anonaudit.details import (
    BestGuess,
    ByEliminations,
    ClassSize,
    Conditions,
    Details,
    Fact,
    GivenAway,
    GuessedValues,
    Guesses,
    GuessScores,
    Kind,
    Learned,
    Matches,
    part_of,
)
from anonaudit.findings import NO_LIMIT, NOT_BROUGHT_DOWN, AuditReport, Disclosure, Measurement
from anonaudit.plugins import describe_model
from anonaudit.report.plain import Plain, details_of, plain
from anonaudit.report.words import figures, layout, wording


def about_model(model: Measurement, report: AuditReport, *, show_values: bool) -> str:
    """Necessary conditions, attributes unknown in some classes, other conventions, notes."""
    said = [_only_boundaries(model), _conditions(model, report)]
    said += [
        f"{figures.counted(n, 'class has', 'classes have')} no known {layout.name(column)} and "
        f"{'is' if n == 1 else 'are'} left out"
        for column, level in model.per_attribute.items()
        if (n := level.classes_without_known_value)
    ]
    beside, size = describe_model(model.model).beside, part_of(model.details, ClassSize)
    if beside and size is not None and size.k is not None and wording.k_beside(model) is None:
        which = "Smallest" if beside == CLASS_SIZE else "Fewest"
        said.append(f"{which} {beside}: {_written(plain(size.k))}")
    said += _laid_out(model.details, show_values=show_values)
    said.append(_other_conventions(model))
    return layout.sentences([*said, _noted("Note", [_clear(note) for note in model.notes])])


def _only_boundaries(model: Measurement) -> str:
    """What is required of a model that is given boundaries and no level."""
    if model.required is not None or not (asked := wording.boundary_words(model)):
        return ""
    return f"Required are only {asked}, no level"


def _clear(note: str) -> str:
    """A note of our own without its abbreviations."""
    return wording.plural(_CLEAR.get(note, note))


_CLEAR: Mapping[str, str] = {
    NO_LIMIT: "the level is infinite, since in some class no "
    "threshold is high enough: it has too few different values, or lacks one",
    NOT_BROUGHT_DOWN: "the level is infinite, since no allowed "
    "deletion of values brings any class down",
}


def about_attack(attack: Disclosure, *, show_values: bool, people: str = "rows") -> str:
    """What else it found, and why it is undecided or did not run. people: what targets fit."""
    said = []
    if (given := part_of(attack.details, GivenAway)) is not None:
        if given.classes:
            said.append(f"Classes with one value: {_written(plain(given.classes))}")
        if given.likely:
            likely = _written(given.likely)
            said.append(f"{likely} more are likely only, as some values are unknown")
        said += _best({}, given.best_value)
    if (guessed := part_of(attack.details, GuessedValues)) is not None:
        said += _best({}, guessed.best_value)
    if (matches := part_of(attack.details, Matches)) is not None:
        said += _linked(matches, people)
    if (eliminations := part_of(attack.details, ByEliminations)) is not None:
        said += _by_number(eliminations)
    if (learned := part_of(attack.details, Learned)) is not None:
        said += _learned(learned)
    said += _laid_out(attack.details, show_values=show_values)
    said.append(_noted("Reason", [attack.reason] if attack.reason else []))
    return layout.sentences([*said, _noted("Note", attack.notes)])


def _linked(matches: Matches, people: str) -> list[str]:
    """How many targets fit how many rows."""
    one_of, least = people[:-1], ""
    if matches.fewest is not None and not matches.one:
        least = f" (at least {figures.whole(matches.fewest)})"
    parts = [
        form.format(figures.whole(n))
        for form, n in (
            (f"{{}} fit no {one_of}", matches.none),
            (f"{{}} fit exactly one {one_of}", matches.one),
            (f"{{}} fit several {people}{least}", matches.several),
        )
        if n
    ]
    said = [f"Of the targets, {', '.join(parts)}"] if parts else []
    said += _guessed(matches.guesses, matches.one + matches.several, one_of)
    link, values = matches.guesses.best_link, matches.guesses.best_value
    said += _best({} if link is None else {f"the {one_of}": link}, values)
    if matches.mutual or matches.one:
        mutual = figures.whole(matches.mutual)
        said.append(f"Targets whose only candidate fits nobody else: {mutual}")
    if matches.split:
        said.append(f"Targets with candidates in several classes: {figures.whole(matches.split)}")
    if matches.unpublished:
        hidden = figures.whole(matches.unpublished)
        said.append(f"Targets that fit only rows that are suppressed throughout: {hidden}")
    if (few := matches.guesses.few_columns) is not None:
        tried = f"{_written(few.successful)} of {_written(few.choices)}"
        said.append(f"{tried} choices of few columns single somebody out")
        if few.fewest is not None:
            said.append(f"The fewest columns that do: {_written(few.fewest)}")
    return said


def _guessed(guesses: Guesses, fitting: int, person: str) -> list[str]:
    """What a guess among the candidates is worth on average; other views are for programs.

    The average is over the targets that fit anything, each taken to be in the release.
    """
    if guesses.right_link is None:
        return []
    likely = [
        f"{figures.percent(chances.uniform.average)} ({layout.name(column)})"
        for column, chances in (guesses.likeliest or {}).items()
    ]
    who = f"{figures.whole(fitting)} that {'fits' if fitting == 1 else 'fit'} a {person}"
    right = figures.percent(guesses.right_link.prosecutor.average)
    link = (
        f"For the {who}, if {'it is' if fitting == 1 else 'they are'} in the release, picking one "
        f"that fits is right with a chance of {right} on average"
    )
    named = f", naming the most frequent value among those that fit with {', '.join(likely)}"
    return [link + (named if likely else "")]


def _best(links: Mapping[str, BestGuess], values: Mapping[str, BestGuess] | None) -> list[str]:
    """How many targets have a best guess of which chance."""
    named = {layout.name(column): one for column, one in (values or {}).items()}
    said = []
    for what, one in {**links, **named}.items():
        base = "" if one.base is None else f", {figures.percent(one.base)} without the release"
        bounds = f", {_written(one.bounded)} known within bounds only" if one.bounded else ""
        said.append(
            f"Best guess of {what}: {_written(one.certain)} of the targets have a chance of 1, "
            f"{_written(one.nine_tenths)} of 0.9 or more, {_written(one.half)} of 0.5 or more, "
            f"{figures.percent(one.mean)} on average{base}{bounds}"
        )
    return said


# Guesses of a lower chance are more often wrong than right.
_EVEN: Final = 0.5


def _learned(learned: Learned) -> list[str]:
    """How likely the guesses are, how often they are right, and what the target's class adds."""
    said = _best({}, learned.best_value)
    for column, mean in learned.without.items():
        name = layout.name(column)
        said.append(
            f"Without the target's class, the best guess of {name} has a chance of "
            f"{figures.percent(mean)} on average"
        )
        if learned.scores is not None and column in learned.scores:
            said += _scored(name, learned.scores[column])
    if (again := learned.reappearance) is not None:
        more = f", and {_written(again.maybe)} more may be" if again.maybe else ""
        said.append(
            f"{_written(again.alone)} of {_written(again.unique)} people who are unique in the "
            f"original are the only ones who fit their released row{more}"
        )
    for columns, one in (learned.singling_out or {}).items():
        if one.predicates:
            more = f", and {_written(one.maybe)} more may" if one.maybe else ""
            said.append(
                f"{_written(one.alone)} of {_written(one.predicates)} combinations of labels of "
                f"{columns} column{'' if columns == '1' else 's'} that only one row has fit "
                f"exactly one person of the original{more}; by chance "
                f"{figures.level(one.by_chance, 3)} would"
            )
    return said


def _scored(name: str, scores: GuessScores) -> list[str]:
    """How good the guesses of a column are by the original; all bands are for programs."""
    right = [f"{figures.percent(share)} by {who}" for who, share in scores.right.items()]
    said = [f"Right guesses of {name} by the original: {', '.join(right)}"]
    if scores.gain is not None:
        over, gain = scores.gain
        score = figures.percent(next(iter(scores.balanced.values())))
        points = [f"{100 * part:.3g}" for part in (gain.value, gain.low, gain.high)]
        said.append(
            f"Balanced accuracy of {name}: {score}, a gain of {points[0]} points over {over} (95% "
            f"interval: {points[1]} to {points[2]})"
        )
    for share, surest in list(scores.precision.items())[:1]:
        said.append(
            f"Of the surest {figures.percent(float(share))} of the guesses of {name}, "
            f"{figures.percent(surest)} are right"
        )
    bands = [band for band in scores.bands if band.least >= _EVEN]
    if bands:
        expected = figures.level(sum(band.people * band.chance for band in bands))
        said.append(
            f"Of {_written(sum(band.people for band in bands))} guesses of {name} with a chance of "
            f"{_EVEN:g} or more, {_written(sum(band.right for band in bands))} are right, "
            f"{expected} by their chances"
        )
    return said


def _laid_out(details: Mapping[str, object], *, show_values: bool) -> list[str]:
    """A sentence for each fact that has one; the others by label and value, in one sentence."""
    facts = {one.label: one for one in details.facts()} if isinstance(details, Details) else {}
    said, others = [], []
    for label, value in details_of(details, show_values=show_values).items():
        one = facts.get(label, Fact(label, value))
        if one.kind is Kind.PLACED or value is None:
            continue
        sentence = _sentence(one, value)
        if sentence is not None:
            said.append(sentence)
        elif written := _written(value):
            sign = ":" if isinstance(value, (list, dict)) else " ="
            unit = f" {one.unit}" if one.unit else ""
            others.append(f"{layout.name(one.label, 60)}{sign} {written}{unit}")
    return [*said, f"Also: {'; '.join(others)}" if others else ""]


def _sentence(one: Fact, value: Plain) -> str | None:
    """A fact in words; empty if it is not worth mentioning, None if it has no words."""
    if one.kind is Kind.TEXT:
        return one.words.get(value) if isinstance(value, str) else None
    if not one.said:
        return None
    if one.kind is Kind.COUNT:
        return ((one.one if value == 1 else one.said) if value else "").format(_written(value))
    if one.kind is Kind.STEPS and isinstance(value, dict):
        return one.said.format(_steps(value))
    return one.said.format(_written(value))


def _steps(counts: Mapping[str, Plain] | Mapping[str, int]) -> str:
    """The first counts, each with its number."""
    return ", ".join([f"{_written(n)} with {number}" for number, n in counts.items()][:6])


def _by_number(eliminations: ByEliminations) -> list[str]:
    """How many values it takes to rule out."""
    return [
        f"Exposed by how many values are ruled out at most: {_steps(eliminations.exposed)}",
        f"Classes by the fewest values that expose somebody: {_steps(eliminations.classes)}",
    ]


def _conditions(model: Measurement, report: AuditReport) -> str:
    """The necessary conditions of p-sensitivity (TV06, CT06)."""
    conditions = part_of(model.details, Conditions)
    if conditions is None:
        return ""
    p, said = model.required, []
    if conditions.max_p is not None:
        needed = "" if p is None else f" ({figures.level(p)} needed)"
        said.append(f"maxP = {figures.whole(conditions.max_p)}{needed}")
    if (bound := conditions.most_classes(p)) is not None:
        classes = figures.counted(report.release.classes, "class", "classes")
        said.append(f"{classes} (at most maxGroups = {figures.whole(bound)} allowed)")
    if failed := [name for name, met in (conditions.conditions or {}).items() if not met]:
        said.append(f"not met: {', '.join(failed)}")
    return f"Necessary conditions: {', '.join(said)}" if said else ""


def _other_conventions(model: Measurement) -> str:
    """The levels that another convention for cells without a value would change."""
    said = [
        f"{wording.INFINITE if math.isinf(level) else figures.level(level)} with {name}"
        for name, level in model.by_convention.items()
        if level is not None and level != model.measured
        if not (math.isinf(level) and wording.is_infinite(model.notes))
    ]
    return f"Counted otherwise: {', '.join(said)}" if said else ""


def empty(report: AuditReport) -> list[str]:
    """The conventions under which no model has a level, as no row is in a class."""
    by_convention = [model.by_convention for model in report.models if model.measured is not None]
    names = dict.fromkeys(name for levels in by_convention for name in levels)
    return [n for n in names if all(levels[n] is None for levels in by_convention if n in levels)]


def _noted(kind: str, notes: Sequence[str]) -> str:
    """Other people's words, as they are: they may begin with the name of a column."""
    return f"{kind}: {'; '.join(note.rstrip('.') for note in notes)}" if notes else ""


def _written(value: Plain, limit: int = 4) -> str:
    """A detail in few words: of a list or an object only its first parts."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return figures.level(value)
    if isinstance(value, str):
        return layout.name(value, 60)
    if value is None:
        return figures.NO_NUMBER
    if isinstance(value, dict):
        parts = [f"{layout.name(key)} {_written(part, 2)}" for key, part in value.items()]
    else:
        parts = [_written(part, 2) for part in value]
    more = f", and {len(parts) - limit:,} more" if len(parts) > limit else ""
    return ", ".join(parts[:limit]) + more
