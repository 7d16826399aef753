"""What a model or an attack reports beside its level: frozen dataclasses of labelled facts.

A field made by `fact` is a fact. Its label is its key in reports; code uses the attribute. A report
lays out facts by their kinds, and the classes of this module by places of their own: a table, a
chart, a sentence that several facts share. A model or an attack with other facts has a class of its
own beside it.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, Final, Self, TypeVar

Combine = Callable[[Sequence[Any]], Any]
_FACT: Final = "fact"
_NEVER: Final = "none"


class Kind(enum.Enum):
    """How a report lays out a fact. Facts of `PLACED` have a place of their own in reports."""

    NUMBER = "a number, or numbers by name"
    COUNT = "a count, which is not mentioned where it is 0"
    STEPS = "counts by a number, in ascending order"
    TEXT = "a text, with a sentence for each that is known"
    PLACED = "laid out with other facts of its class"


@dataclass(frozen=True)
class Fact:
    """One fact.

    label: its key in reports. unit: what it counts, in the singular.
    said: a sentence, with `{}` for the value; without one, label and value are written.
    one: of a count, the sentence for 1. words: of a text, a sentence for each value.
    """

    label: str
    value: object
    unit: str = ""
    kind: Kind = Kind.NUMBER
    said: str = ""
    one: str = ""
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Label:
    fact: Fact
    adds: Combine | None
    null: bool


def fact(
    label: str,
    kind: Kind = Kind.NUMBER,
    *,
    unit: str = "",
    said: str = "",
    one: str = "",
    words: Mapping[str, str] | None = None,
    adds: Combine | None = None,
    null: bool = False,
    optional: bool = False,
) -> Any:
    """A field of `Details` that is a fact.

    Parameters
    ----------
    label, kind, unit, said, one, words
        As of `Fact`.
    adds
        How the values of parts of a release give that of the release. None: they do not, and it is
        left out where a release is audited in parts.
    null
        A value of None is reported as null. Otherwise the fact is left out then.
    optional
        None unless given.

    Returns
    -------
    The field, for a dataclass.

    Example
    -------
    >>> @dataclass(frozen=True, kw_only=True, eq=False)
    ... class Crowds(Details):
    ...     small: int = fact("small classes", Kind.COUNT, unit="class", adds=sum)
    >>> dict(Crowds(small=2)), Crowds(small=2).small
    ({'small classes': 2}, 2)
    >>> dict(Crowds.together([Crowds(small=2), Crowds(small=3)]))
    {'small classes': 5}
    """
    labelled = Fact(label, None, unit, kind, said, one, words or {})
    return field(
        default=None if optional else MISSING,
        metadata={_FACT: _Label(labelled, adds, null)},
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Details(Mapping[str, object]):
    """The facts of one model or attack; also a mapping from labels to values.

    A field that holds other `Details` and is no fact has their facts spliced in.

    in_parts: added up over parts of a release; facts that cannot be are left out then.
    """

    in_parts: bool = field(default=False, repr=False)

    def facts(self) -> Iterator[Fact]:
        """Every fact that is there, in the order of the fields."""
        for each in fields(self):
            value, label = getattr(self, each.name), each.metadata.get(_FACT)
            if label is not None:
                if value is not None or (label.null and not self.in_parts):
                    yield replace(label.fact, value=value)
            elif isinstance(value, Details):
                yield from value.facts()

    def __getitem__(self, label: str) -> object:
        """The value of a label."""
        for one in self.facts():
            if one.label == label:
                return one.value
        raise KeyError(label)

    def __iter__(self) -> Iterator[str]:
        """The labels."""
        return (one.label for one in self.facts())

    def __len__(self) -> int:
        """How many facts there are."""
        return sum(1 for _ in self.facts())

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """The facts of a release, from those of its parts.

        Raises ValueError where parts disagree on what is known of the whole release.
        """
        values: dict[str, Any] = {}
        for each in fields(cls):
            there = [one for part in parts if (one := getattr(part, each.name)) is not None]
            label = each.metadata.get(_FACT)
            if label is not None:
                values[each.name] = label.adds(there) if label.adds and there else None
            elif there and isinstance(there[0], Details):
                values[each.name] = type(there[0]).together(there)
        return cls(**{**values, "in_parts": True})

    def notes(
        self, measured: float | None, required: float | None, parameters: Mapping[str, object]
    ) -> tuple[str, ...]:
        """Notes of a model that follow from its facts and its level; none unless a class has some.

        measured: the level, infinity included; None without data.
        """
        del measured, required, parameters
        return ()


D = TypeVar("D", bound=Details)


def part_of(details: Mapping[str, object], kind: type[D]) -> D | None:
    """The facts of a class among the details of a model or an attack; None if it has none."""
    if isinstance(details, kind):
        return details
    if isinstance(details, Details):
        inner = [
            getattr(details, each.name) for each in fields(details) if _FACT not in each.metadata
        ]
        parts = [part_of(one, kind) for one in inner if isinstance(one, Details)]
        return next((one for one in parts if one is not None), None)
    return None


def label_of(kind: type[Details], name: str) -> str:
    """The label of one fact of a class, by the name of its field.

    >>> label_of(Histories, "alone")
    'persons alone by history'
    """
    (label,) = (each.metadata[_FACT].fact.label for each in fields(kind) if each.name == name)
    return str(label)


# --- how parts add up


def same(values: Sequence[Any]) -> Any:
    """What every part says alike, as it is known of the whole release. Raises ValueError if not."""
    if any(value != values[0] for value in values):
        raise ValueError("parts of a release do not agree on what is known of all of it")
    return values[0]


def sum_by_name(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """The sum of each name.

    >>> sum_by_name([{"a": 1}, {"a": 2, "b": 3}])
    {'a': 3, 'b': 3}
    """
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: sum(table.get(name, 0) for table in tables) for name in names}


def least_by_name(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """The least of each name.

    >>> least_by_name([{"a": 1}, {"a": 2, "b": 3}])
    {'a': 1, 'b': 3}
    """
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: min(table[name] for table in tables if name in table) for name in names}


def sum_by_number(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """The sum of each number, in ascending order; what has no number stands at the end.

    >>> sum_by_number([{"2": 1, "none": 4}, {"1": 2, "2": 3}])
    {'1': 2, '2': 4, 'none': 4}
    """
    added = sum_by_name(tables)
    order = sorted(added, key=lambda key: float("inf") if key == _NEVER else int(key))
    return {key: added[key] for key in order}


def sum_up_to(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """The sum of tables that say how many there are up to each number.

    >>> sum_up_to([{"1": 2, "3": 5}, {"2": 1}])
    {'1': 2, '2': 3, '3': 6}
    """
    numbers = sorted({int(number) for table in tables for number in table})
    return {
        str(number): sum(
            max((n for t, n in table.items() if int(t) <= number), default=0) for table in tables
        )
        for number in numbers
    }


# --- facts that reports have a place for


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassSize(Details):
    """k: the size of the smallest class, of a model that has a level of its own.

    A model whose `about.beside` counts something else than people means that by k.
    """

    k: float | None = fact("k", Kind.PLACED, adds=min, null=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class Histories(Details):
    """How many persons share all their rows, in a release with several rows of a person.

    k: the fewest that do. alone: persons whose rows together nobody else has.
    """

    k: int | None = fact(
        "k by whole histories", said="Counted by all rows of a person together, k is {}", null=True
    )
    alone: int = fact(
        "persons alone by history",
        Kind.COUNT,
        one="1 person is told apart by all its rows together",
        said="{} persons are told apart by all their rows together",
    )


def alone_by_history(details: Iterable[Mapping[str, object]]) -> int:
    """How many persons nobody shares all rows with, by the first of these details that says so."""
    known = (part_of(one, Histories) for one in details)
    return next((one.alone for one in known if one is not None), 0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Conditions(ClassSize):
    """Necessary conditions of p-sensitivity (TV06 Conditions 1 and 2, CT06 Conditions 1 to 3).

    max_p: the largest p there can be.
    max_groups: by p the most classes there can be; None where any number can.
    protected_subtrees: by sensitive column. conditions: which of them are met.
    """

    max_p: int | None = fact("maxP", Kind.PLACED, adds=same, null=True)
    max_groups: Mapping[str, int | None] | None = fact("maxGroups", Kind.PLACED, adds=same)
    protected_subtrees: Mapping[str, int] | None = fact(
        "protected subtrees",
        said="Different protected subtrees in the release: {}",
        adds=same,
        optional=True,
    )
    conditions: Mapping[str, bool] | None = fact("conditions", Kind.PLACED, optional=True)

    def most_classes(self, p: float | None) -> int | None:
        """maxGroups of one p; None if it is not known, or bounds nothing."""
        return (self.max_groups or {}).get(f"{p}")

    @property
    def counted(self) -> str:
        """What a class needs p of."""
        return "value" if self.protected_subtrees is None else "protected subtree"


class Counted(enum.StrEnum):
    """How violations of boundaries were counted."""

    WITH_ORIGINAL = "counted against the original"
    WITHOUT_ORIGINAL = (
        "without the original: every released value above the boundary of a leaf below it"
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class BeyondBoundaries(Details):
    """Values beyond a generalization boundary, beside the facts of the model that has boundaries.

    by_column: how many, of each column. classes, rows: those with one. how: they were counted.
    """

    inner: Mapping[str, object] = field(default_factory=dict)
    by_column: Mapping[str, int] = fact(
        "constraint violations", said="Values beyond their boundary: {}", adds=sum_by_name
    )
    classes: int = fact("classes with a violation", Kind.PLACED, adds=sum)
    rows: int = fact("rows with a violation", Kind.PLACED, adds=sum)
    how: str = fact(
        "how violations were found",
        Kind.TEXT,
        words={
            Counted.WITH_ORIGINAL: "They were counted against the original",
            Counted.WITHOUT_ORIGINAL: "Without the original, every value above the boundary of "
            "something below it counts",
        },
        adds=same,
    )

    @property
    def total(self) -> int:
        """How many values are beyond their boundary."""
        return sum(self.by_column.values())


@dataclass(frozen=True, kw_only=True, eq=False)
class BestGuess(Details):
    """The chances of the best guess about each target that fits anything.

    certain, nine_tenths, half: targets whose chance is 1, at least 0.9, at least 0.5. mean: the
    mean chance. base: the chance of the same guess without the release's quasi-identifiers.
    bounded: targets whose chance is known within bounds only; their lower bound counts.
    """

    certain: int = fact("at 1", adds=sum)
    nine_tenths: int = fact("at 0.9 and above", adds=sum)
    half: int = fact("at 0.5 and above", adds=sum)
    mean: float = fact("mean")
    base: float | None = fact("baseline", null=True)
    bounded: int = fact("within bounds only", adds=sum)


@dataclass(frozen=True, kw_only=True, eq=False)
class Gain(Details):
    """How much one score exceeds another, and the ends of its 95% interval."""

    value: float = fact("gain")
    low: float = fact("lower end")
    high: float = fact("upper end")


@dataclass(frozen=True, kw_only=True, eq=False)
class ChanceBand(Details):
    """The guesses with a chance of at least `least`, below the next band.

    people: whom they are about. chance: their mean. right: how many are right. low, high: the ends
    of the 95% interval of the share that is right.
    """

    least: float = fact("from")
    people: int = fact("people")
    chance: float = fact("mean chance")
    right: int = fact("right")
    low: float = fact("lower end")
    high: float = fact("upper end")


@dataclass(frozen=True, kw_only=True, eq=False)
class GuessScores(Details):
    """How good the guesses of one column are, by the original.

    people: those with a true value. right: the share of right guesses, by who guesses. balanced:
    the same, averaged over the values. gains: in `balanced`, by the baseline that is exceeded.
    precision: the right share of the surest guesses, by the share of people they are about.
    """

    people: int = fact("people")
    right: Mapping[str, float] = fact("right guesses")
    balanced: Mapping[str, float | None] = fact("balanced accuracy")
    gains: Mapping[str, Gain] = fact("gain over")
    precision: Mapping[str, float] = fact("right at coverage")
    bands: Sequence[ChanceBand] = fact("calibration")

    @property
    def gain(self) -> tuple[str, Gain] | None:
        """The better baseline, and the gain over it; None where too few people have each value."""
        each = list(self.gains.items())
        return min(each, key=lambda one: one[1].value) if each else None


@dataclass(frozen=True, kw_only=True, eq=False)
class Reappearance(Details):
    """People who are unique in the original, and whose released row fits nobody else.

    unique: how many are unique. alone: how many of them reappear. maybe: of how many more that is
    open, as labels were not understood.
    """

    unique: int = fact("unique in the original")
    alone: int = fact("reappear")
    maybe: int = fact("may reappear")


@dataclass(frozen=True, kw_only=True, eq=False)
class SinglingOut(Details):
    """Combinations of labels of few columns that one released row has.

    predicates: how many combinations. alone: how many fit exactly one person of the original.
    maybe: of how many more that is open, as labels were not understood. by_chance: how many would
    be expected to fit one person if the columns were independent.
    """

    predicates: int = fact("predicates")
    alone: int = fact("single out one person")
    maybe: int = fact("may single out")
    by_chance: float = fact("expected by chance")


@dataclass(frozen=True, kw_only=True, eq=False)
class Learned(Details):
    """What is guessed by learning, by sensitive column.

    learner: the one that predicts best. best_value: the chances of the best guess. without: their
    mean before the class of the target is looked at. sure: from which chance on a target counts as
    exposed; None if from 1 on. The others need the original; singling_out is by the number of
    columns.
    """

    learner: Mapping[str, str] = fact("learner", said="The learner that predicts best: {}")
    best_value: Mapping[str, BestGuess] | None = fact(
        "best guess of the value", Kind.PLACED, optional=True
    )
    without: Mapping[str, float] = fact("mean chance without the victim", Kind.PLACED)
    sure: float | None = fact(
        "sure", said="A target is exposed from a chance of {} on", optional=True
    )
    scores: Mapping[str, GuessScores] | None = fact("scores", Kind.PLACED, optional=True)
    reappearance: Reappearance | None = fact("reappearance", Kind.PLACED, optional=True)
    singling_out: Mapping[str, SinglingOut] | None = fact(
        "singling out", Kind.PLACED, optional=True
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class GivenAway(Details):
    """Classes that give a sensitive value away.

    classes: by sensitive column. likely: targets whose value is likely only, as cells are unknown.
    sure: from which chance on a target counts as exposed; None if from 1 on. best_value: the
    chances of the best guess of the value, by sensitive column.
    """

    classes: Mapping[str, int] = fact("classes", Kind.PLACED, adds=sum_by_name)
    likely: int = fact("likely", Kind.PLACED, adds=sum)
    sure: float | None = fact(
        "sure", said="A target is exposed from a chance of {} on", adds=same, optional=True
    )
    best_value: Mapping[str, BestGuess] | None = fact(
        "best guess of the value", Kind.PLACED, optional=True
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class GuessedValues(Details):
    """The chances of the best guess of the value, by sensitive column.

    sure: from which chance on a target counts as exposed; None if from 1 on.
    """

    sure: float | None = fact(
        "sure", said="A target is exposed from a chance of {} on", optional=True
    )
    best_value: Mapping[str, BestGuess] | None = fact(
        "best guess of the value", Kind.PLACED, optional=True
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class ByEliminations(Details):
    """How many values must be ruled out to expose somebody.

    at_most: how many may be. exposed: the targets by the number that suffices. classes: by the
    least number that exposes somebody in them; `none` where none does. bounded: targets of whom
    only bounds are known. replay: the values to rule out in the class of the witness.
    """

    at_most: int = fact("eliminated at most", said="Values ruled out at most: {}", adds=same)
    exposed: Mapping[str, int] = fact("exposed by number eliminated", Kind.PLACED, adds=sum_up_to)
    classes: Mapping[str, int] = fact("classes by least number", Kind.PLACED, adds=sum_by_number)
    bounded: int | None = fact("targets with bounds only", adds=sum, optional=True)
    replay: Mapping[str, object] | None = fact("witness", said="For example: {}", optional=True)

    @property
    def least(self) -> int:
        """The least number that exposes somebody; 0 where none does."""
        return min((int(number) for number in self.classes if number != _NEVER), default=0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Chance(Details):
    """A chance of each target: the highest, and the average over those who match a row."""

    highest: float = fact("highest")
    average: float = fact("average")


@dataclass(frozen=True, kw_only=True, eq=False)
class Marketer(Details):
    """Links that are right on average, if everybody is linked, and their share."""

    right: float = fact("right links")
    share: float = fact("share")


@dataclass(frozen=True, kw_only=True, eq=False)
class RightLink(Details):
    """The chance of a right link, as three adversaries see it."""

    prosecutor: Chance = fact("prosecutor")
    journalist: Chance = fact("journalist")
    marketer: Marketer = fact("marketer")


@dataclass(frozen=True, kw_only=True, eq=False)
class LikeliestValue(Details):
    """The chance of the likeliest value, if candidates are as likely, or by the population."""

    uniform: Chance = fact("uniform")
    by_population: Chance = fact("by population")


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice(Details):
    """Some columns, and how many persons they single out."""

    columns: Sequence[str] = fact("columns")
    persons: int = fact("persons")


@dataclass(frozen=True, kw_only=True, eq=False)
class FewColumns(Details):
    """Which few columns single people out.

    fewest: columns that single anybody out; None if none do. choices: how many were tried.
    successful: choices that single somebody out. best: by their number, the columns that single
    out the most people.
    """

    fewest: int | None = fact("fewest columns", null=True)
    choices: int = fact("choices")
    successful: int = fact("of them")
    best: Mapping[str, Choice] = fact("best")


@dataclass(frozen=True, kw_only=True, eq=False)
class Guesses(Details):
    """What guesses among matching rows are worth.

    likeliest: by sensitive column. truth: how many claims are right, by the original. sure: from
    which chance on a target counts as exposed. best_link: of the row (person); best_value: of the
    value, by sensitive column.
    """

    right_link: RightLink | None = fact("chance of a right link", Kind.PLACED, optional=True)
    likeliest: Mapping[str, LikeliestValue] | None = fact(
        "chance of the likeliest value", Kind.PLACED, optional=True
    )
    truth: Mapping[str, float] | None = fact("truth", said="By the original: {}", optional=True)
    few_columns: FewColumns | None = fact("columns that single out", Kind.PLACED, optional=True)
    sure: float | None = fact(
        "sure", said="A target is exposed from a chance of {} on", optional=True
    )
    best_link: BestGuess | None = fact("best guess of the row", Kind.PLACED, optional=True)
    best_value: Mapping[str, BestGuess] | None = fact(
        "best guess of the value", Kind.PLACED, optional=True
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Matches(Details):
    """How many of the persons of an identified table match how many released rows.

    none, one, several: persons by the number of rows. pairs: of a person and a row. mutual:
    persons who are the only match of their only match. fewest: rows that a person matches, if any.
    split: persons with matches in several classes. unpublished: persons who match only rows that
    are suppressed throughout. firm: persons with one match if rows that are suppressed throughout
    are nobody's. events: rows that are known of one person, at most. singled_out: persons with one
    match, by how many of these rows are known. assigned: persons identified although several rows
    match, as everybody has a row of their own.
    """

    none: int = fact("no match", Kind.PLACED)
    one: int = fact("exactly one match", Kind.PLACED)
    several: int = fact("several matches", Kind.PLACED)
    pairs: int = fact("pairs", Kind.PLACED)
    mutual: int = fact("unique on both sides", Kind.PLACED)
    fewest: int | None = fact("fewest candidates", Kind.PLACED, null=True)
    split: int = fact("candidates in several classes", Kind.PLACED)
    unpublished: int = fact("fit no published class", Kind.PLACED)
    guesses: Guesses
    firm: int | None = fact(
        "exactly one match without rows suppressed throughout",
        Kind.COUNT,
        one="1 target has exactly one candidate without the rows that are suppressed throughout",
        said="{} targets have exactly one candidate without the rows that are suppressed "
        "throughout",
        optional=True,
    )
    events: int | None = fact(
        "most known rows", said="Up to {} different rows are known of one target", optional=True
    )
    singled_out: Mapping[str, int] | None = fact(
        "singled out by known rows",
        Kind.STEPS,
        said="Targets singled out by how many of their rows are known: {}",
        optional=True,
    )
    assigned: int | None = fact(
        "identified by assignment",
        Kind.COUNT,
        one="1 target fits several candidates and is identified, as the others are other people",
        said="{} targets fit several candidates and are identified, as the others are other people",
        optional=True,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Price(Details):
    """What it costs to meet a requirement by masking.

    most_classes: there may be. max_p, max_groups: as of `Conditions`; by_attribute: max_groups of
    each sensitive column. maximum_classes: of the maximum allowed microdata. suppressed: rows that
    must be (OUT); at_most: rows of which some must be.
    """

    most_classes: int | None = fact("most classes", said="most classes there can be", optional=True)
    max_p: int | None = fact("maxP", said="largest p there can be (maxP)", optional=True)
    max_groups: Mapping[str, int | None] | None = fact("maxGroups", Kind.PLACED, optional=True)
    by_attribute: Mapping[str, Mapping[str, int | None]] | None = fact(
        "maxGroups by attribute", Kind.PLACED, optional=True
    )
    protected_subtrees: Mapping[str, int] | None = fact("protected subtrees", optional=True)
    conditions: Mapping[str, bool] | None = fact("conditions", optional=True)
    maximum_classes: int | None = fact("classes of the maximum allowed microdata", optional=True)
    suppressed: int | None = fact("rows to suppress (OUT)", optional=True)
    at_most: int | None = fact("rows to suppress, at most", optional=True)
