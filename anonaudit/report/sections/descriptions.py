"""Describe the details and notes of one model or attack in sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from anonaudit.about import CLASS_SIZE
from anonaudit.details import Details, Fact, Kind, part_of
from anonaudit.findings import NO_LIMIT, NOT_BROUGHT_DOWN, AuditReport, Disclosure, Measurement
from anonaudit.plugins import describe_model
from anonaudit.report.plain import Plain, details_of, plain
from anonaudit.report.words import figures, layout, wording
from anonaudit.special_details import (
    BestGuess,
    ByEliminations,
    ClassSize,
    Conditions,
    GivenAway,
    GuessedValues,
    Guesses,
    GuessScores,
    Learned,
    Matches,
)


def about_model(model: Measurement, report: AuditReport, *, show_values: bool) -> str:
    """Return sentences on a model: its details, conditions, other conventions and notes.

    show_values: True if cells of the release may be shown.
    """
    said = [_only_boundaries(model), _conditions(model, report)]
    said += [
        f"{figures.counted(n, 'class has', 'classes have')} no known value of "
        f"{layout.name(column)} and {'is' if n == 1 else 'are'} skipped"
        for column, level in model.per_attribute.items()
        if (n := level.classes_without_known_value)
    ]
    beside, size = describe_model(model.model).beside, part_of(model.details, ClassSize)
    if beside and size is not None and size.k is not None and wording.k_beside(model) is None:
        which = "Smallest" if beside == CLASS_SIZE else "Fewest"
        said.append(f"{which} {beside}: {_written(plain(size.k))}")
    level, people = model.measured, wording.people(report)
    said += _laid_out(model.details, people, level=level, show_values=show_values)
    said.append(_other_conventions(model))
    return layout.sentences([*said, *_noted("Note", [_clear(note, model) for note in model.notes])])


def _only_boundaries(model: Measurement) -> str:
    """Return a sentence for a model that the policy gives boundaries but no level."""
    if model.required is not None or not (asked := wording.boundary_words(model)):
        return ""
    return f"The policy requires only {asked}, no level"


def _clear(note: str, model: Measurement) -> str:
    """Return the note, with known notes replaced by a longer explanation."""
    if note == NO_LIMIT:
        why = describe_model(model.model).infinite or "no threshold is high enough for some class"
        return f"the level is infinite, because {why}"
    if note == NOT_BROUGHT_DOWN:
        return "the level is infinite, because no allowed deletion of values deletes a whole class"
    return note


def about_attack(attack: Disclosure, *, show_values: bool, people: str = "rows") -> str:
    """Return sentences on an attack: its details, the reason for its outcome, and its notes.

    show_values: True if cells of the release may be shown.
    people: the word for the candidates of a target, "rows" or "persons".
    """
    said = []
    if (given := part_of(attack.details, GivenAway)) is not None:
        if given.classes:
            said.append(f"Classes with one value: {_written(plain(given.classes))}")
        if given.likely:
            likely = figures.counted(given.likely, "more target")
            said.append(f"For {likely}, a value is only likely, because some values are unknown")
        said += _best({}, given.best_value)
    if (guessed := part_of(attack.details, GuessedValues)) is not None:
        said += _best({}, guessed.best_value)
    if (matches := part_of(attack.details, Matches)) is not None:
        said += _linked(matches, people)
    if (eliminations := part_of(attack.details, ByEliminations)) is not None:
        said += _by_number(eliminations, show_values=show_values)
    if (learned := part_of(attack.details, Learned)) is not None:
        said += _learned(learned)
    said += _laid_out(attack.details, people, show_values=show_values)
    said += _noted("Reason", [attack.reason] if attack.reason else [])
    return layout.sentences([*said, *_noted("Note", attack.notes)])


def _linked(matches: Matches, people: str) -> list[str]:
    """Return the sentences on how many targets fit no row, one row or several rows."""
    one_of, least = people[:-1], ""
    if matches.fewest is not None and not matches.one:
        least = f" ({figures.whole(matches.fewest)} or more each)"
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
        said.append(f"Targets whose only candidate fits no other target: {mutual}")
    if matches.split:
        said.append(f"Targets with candidates in several classes: {figures.whole(matches.split)}")
    if matches.unpublished:
        hidden = figures.whole(matches.unpublished)
        said.append(f"Targets that fit only rows with all quasi-identifiers suppressed: {hidden}")
    if (few := matches.guesses.few_columns) is not None:
        tried = f"{_written(few.successful)} of {_written(few.choices)}"
        said.append(f"{tried} small sets of columns single somebody out")
        if few.fewest is not None:
            said.append(f"Columns in the smallest such set: {_written(few.fewest)}")
    return said


def _guessed(guesses: Guesses, fitting: int, person: str) -> list[str]:
    """Return sentences on the average chance that a guess among the candidates is right.

    The average is over the targets with at least one candidate, which are assumed to be in the
    release. The chances under other assumptions are only in JSON reports.

    fitting: the number of these targets.
    person: the word for a candidate, "row" or "person".
    """
    if guesses.right_link is None:
        return []
    likely = [
        f"{figures.percent(chances.uniform.average)} ({layout.name(column)})"
        for column, chances in (guesses.likeliest or {}).items()
    ]
    one = fitting == 1
    who = f"{figures.counted(fitting, 'target')} that {'fits' if one else 'fit'} a {person}"
    right = figures.percent(guesses.right_link.prosecutor.average)
    link = (
        f"Suppose the {who} {'is' if one else 'are'} in the release. Then a random pick among the "
        f"fitting {person}s is right with a chance of {right} on average"
    )
    named = (
        f"The most frequent value of these {person}s is right with a chance of {', '.join(likely)}"
    )
    return [link, *([named] if likely else [])]


def _best(links: Mapping[str, BestGuess], values: Mapping[str, BestGuess] | None) -> list[str]:
    """Return sentences on each best guess, with the numbers of targets by chance.

    links: what is guessed ("the row" or "the person") -> the best guess.
    values: sensitive column -> the best guess of its value; None if there are none.
    """
    named = {layout.name(column): one for column, one in (values or {}).items()}
    said = []
    for what, one in {**links, **named}.items():
        base = f"base: {figures.percent(one.base)}"
        if what in links:
            candidate = what.removeprefix("the ")
            base = f"{figures.percent(one.base)} for a random {candidate} of the release"
        base = "" if one.base is None else f" ({base})"
        bounded = figures.counted(one.bounded, "target")
        bounds = f". For {bounded} only bounds of the chance are known; the lower bound counts"
        said.append(
            f"Best guess of {what}: the chance is 100% for "
            f"{figures.counted(one.certain, 'target')}, at least 90% for "
            f"{_written(one.nine_tenths)}, and at least 50% for {_written(one.half)}. The average "
            f"chance is {figures.percent(one.mean)}{base}{bounds if one.bounded else ''}"
        )
    return said


# A guess with a lower chance is more often wrong than right.
_EVEN: Final = 0.5


def _learned(learned: Learned) -> list[str]:
    """Return the sentences on learned guesses: their chances, and how often they are right."""
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
        more = f", and maybe of {_written(again.maybe)} more" if again.maybe else ""
        said.append(
            f"Of {figures.counted(again.unique, 'person', 'people')} unique in the original, "
            f"nobody else fits the released row of {_written(again.alone)}{more}"
        )
    for columns, one in (learned.singling_out or {}).items():
        if one.predicates:
            more = f", and maybe {_written(one.maybe)} more" if one.maybe else ""
            said.append(
                f"In only one released row: {figures.counted(one.predicates, 'combination')} of "
                f"labels of {columns} column{'' if columns == '1' else 's'}. Exactly one person of "
                f"the original fits {_written(one.alone)} of them{more} "
                f"({figures.level(one.by_chance, 3)} expected by chance)"
            )
    return said


def _scored(name: str, scores: GuessScores) -> list[str]:
    """Return the sentences on how often guesses of a column agree with the original.

    Guesses with a chance below `_EVEN` are only in JSON reports.
    """
    right = [f"{figures.percent(share)} by {who}" for who, share in scores.right.items()]
    said = [f"Guesses of {name} that agree with the original: {', '.join(right)}"]
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
        guesses = figures.counted(sum(band.people for band in bands), "guess", "guesses")
        correct = sum(band.right for band in bands)
        said.append(
            f"Of {guesses} of {name} with a chance of {_EVEN:g} or more, {_written(correct)} "
            f"{'is' if correct == 1 else 'are'} right ({expected} expected from their chances)"
        )
    return said


def _laid_out(
    details: Mapping[str, object],
    people: str,
    *,
    level: float | None = None,
    show_values: bool,
) -> list[str]:
    """Return a sentence for each fact that has words, and one sentence with the other facts.

    Facts of `Kind.PLACED` are left out, because other functions write them.

    people: "rows" or "persons", in place of `{people}` in the sentences.
    level: the level of the model. A fact with `Fact.bounds_level` is left out if it is equal.
    """
    facts = {one.label: one for one in details.facts()} if isinstance(details, Details) else {}
    said, others = [], []
    for label, value in details_of(details, show_values=show_values).items():
        one = facts.get(label, Fact(label, value))
        if one.kind is Kind.PLACED or value is None or (one.bounds_level and value == level):
            continue
        sentence = _sentence(one, value, people)
        if sentence is not None:
            said.append(sentence)
        elif written := _written(value):
            sign = ":" if isinstance(value, (list, dict)) else " ="
            unit = f" {one.unit}" if one.unit else ""
            others.append(f"{layout.name(one.label, 60)}{sign} {written}{unit}")
    return [*said, f"Also: {'; '.join(others)}" if others else ""]


def _sentence(one: Fact, value: Plain, people: str) -> str | None:
    """Return a fact as a sentence; None if the fact has no words.

    The sentence is empty for a count of 0 and for an empty list or mapping.
    """
    if one.kind is Kind.TEXT:
        return one.words.get(value) if isinstance(value, str) else None
    if not one.said:
        return None
    if isinstance(value, (list, dict)) and not value:
        return ""
    if one.kind is Kind.COUNT:
        said = (one.one if value == 1 else one.said) if value else ""
        return said.format(_written(value), people=people)
    if one.kind is Kind.STEPS and isinstance(value, dict):
        return one.said.format(_steps(value), people=people)
    return one.said.format(_written(value), people=people)


def _steps(counts: Mapping[str, Plain] | Mapping[str, int]) -> str:
    """Return the first six counts, for example `2 with 0, 8 with 1`."""
    return ", ".join([f"{_written(n)} with {number}" for number, n in counts.items()][:6])


def _by_number(eliminations: ByEliminations, *, show_values: bool) -> list[str]:
    """Return sentences on how many values the adversary must rule out, and an example."""
    said = [
        "Targets exposed if at most this many values are ruled out: "
        + _steps(eliminations.exposed),
        "Classes, by how many values must be ruled out to expose somebody: "
        + _steps(eliminations.classes),
    ]
    return said + _example(eliminations.replay or {}, show_values=show_values)


def _example(replay: Mapping[str, object], *, show_values: bool) -> list[str]:
    """Return a sentence with an example: values to rule out in a class, and what they disclose.

    replay: `ByEliminations.replay`.
    """
    attribute, columns, values, survives = (
        replay.get(key) for key in ("attribute", "eliminated of", "values", "survives")
    )
    if not (isinstance(attribute, str) and isinstance(columns, Sequence)):
        return []
    disclosed, names = layout.name(attribute), [layout.name(str(column)) for column in columns]
    ruled_out = [
        f"{figures.counted(number, 'value')} of {name}" for name, number in Counter(names).items()
    ]
    if show_values and isinstance(values, Sequence) and isinstance(survives, Mapping):
        pairs = zip(names, values, strict=False)
        ruled_out = [f"{name} = {layout.name(str(value))}" for name, value in pairs]
        disclosed += f" = {layout.name(str(survives.get('values', '')))}"
    if not ruled_out:
        return [f"For example, one class discloses {disclosed} if no value is ruled out"]
    return [f"For example, ruling out {', '.join(ruled_out)} in one class discloses {disclosed}"]


def _conditions(model: Measurement, report: AuditReport) -> str:
    """Return a sentence on the necessary conditions of p-sensitivity (TV06, CT06)."""
    conditions = part_of(model.details, Conditions)
    if conditions is None:
        return ""
    p, said = model.required, []
    if conditions.max_p is not None:
        needed = "" if p is None else f" ({figures.level(p)} needed)"
        said.append(f"maxP = {figures.whole(conditions.max_p)}{needed}")
    if (bound := conditions.most_classes(p)) is not None:
        classes = figures.counted(report.release.classes, "class", "classes")
        said.append(f"maxGroups = {figures.whole(bound)} (the release has {classes})")
    if failed := [name for name, met in (conditions.conditions or {}).items() if not met]:
        which = "Condition" if len(failed) == 1 else "Conditions"
        said.append(f"{which} {', '.join(failed)} not met")
    return f"Necessary conditions: {', '.join(said)}" if said else ""


def _other_conventions(model: Measurement) -> str:
    """Return a sentence on the levels that differ under other conventions; empty if none differ.

    A convention says how missing and suppressed cells are counted.
    """
    name_of_level = describe_model(model.model).level
    symbol = f"{name_of_level} = " if name_of_level else ""
    said = [
        f"{symbol}{wording.INFINITE if math.isinf(level) else figures.level(level)} ({name})"
        for name, level in model.by_convention.items()
        if level is not None and level != model.measured
        if not (math.isinf(level) and wording.is_infinite(model.notes))
    ]
    return f"Under other conventions: {', '.join(said)}" if said else ""


def empty(report: AuditReport) -> list[str]:
    """Return the names of the conventions under which no row is in a class.

    Under such a convention, no model has a level.
    """
    by_convention = [model.by_convention for model in report.models if model.measured is not None]
    names = dict.fromkeys(name for levels in by_convention for name in levels)
    return [n for n in names if all(levels[n] is None for levels in by_convention if n in levels)]


def _noted(kind: str, notes: Sequence[str]) -> list[str]:
    """Return a sentence for each note, for example `Note: a`.

    The notes keep their first letters, because a note may begin with the name of a column.
    """
    return [f"{kind}: {wording.plural(note.rstrip('.'))}" for note in notes]


def _written(value: Plain, limit: int = 4) -> str:
    """Return a value of the details as text, with the first `limit` parts of a list or object."""
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
