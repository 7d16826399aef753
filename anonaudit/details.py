"""Details: the labelled facts that a model or an attack reports in addition to its level.

Details are frozen dataclasses. A field created by `fact` is a fact. Its label is the key in
reports; code uses the attribute. A report lays out each fact by its `Kind`. The classes in this
module have special layouts: a table, a chart, or a sentence about several facts. A model or an
attack with other facts defines its own `Details` class in its own module.
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
    """How a report lays out a fact. A `PLACED` fact is part of a special layout."""

    NUMBER = "a number, or numbers by name"
    COUNT = "a count, which is not mentioned where it is 0"
    STEPS = "counts by a number, in ascending order"
    TEXT = "a text, with a sentence for each text in `words`"
    PLACED = "laid out with other facts of its class"


@dataclass(frozen=True)
class Fact:
    """A labelled value.

    label: the key in reports. unit: the unit of a count, in the singular.
    said: a sentence with `{}` for the value; if empty, the report writes label and value.
    one: the sentence for a count of 1. words: the sentence for each value of a text.
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
    """Return a dataclass field that is a fact of `Details`.

    Parameters
    ----------
    label, kind, unit, said, one, words
        As in `Fact`.
    adds
        Combines the values from the parts of a release into the value of the release. None: they
        cannot be combined, so the fact is left out if a release is audited in parts.
    null
        Report the value None as null. By default a fact with the value None is left out.
    optional
        Make None the default value.

    Returns
    -------
    The field.

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
    """The facts of a model or an attack; also a mapping from labels to values.

    A field that holds `Details`, and is not a fact itself, contributes all its facts.

    in_parts: the values are combined from parts of a release; facts that cannot be combined are
    left out.
    """

    in_parts: bool = field(default=False, repr=False)

    def facts(self) -> Iterator[Fact]:
        """Yield the facts that have a value, in the order of the fields."""
        for each in fields(self):
            value, label = getattr(self, each.name), each.metadata.get(_FACT)
            if label is not None:
                if value is not None or (label.null and not self.in_parts):
                    yield replace(label.fact, value=value)
            elif isinstance(value, Details):
                yield from value.facts()

    def __getitem__(self, label: str) -> object:
        """Return the value of a label."""
        for one in self.facts():
            if one.label == label:
                return one.value
        raise KeyError(label)

    def __iter__(self) -> Iterator[str]:
        """The labels."""
        return (one.label for one in self.facts())

    def __len__(self) -> int:
        """The number of facts."""
        return sum(1 for _ in self.facts())

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """Combine the facts of the parts of a release into the facts of the release.

        Raises ValueError if parts disagree about a fact of the whole release.
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
        """Return notes that follow from the facts and the level of a model; by default none.

        measured: the level, possibly infinite; None without data.
        """
        del measured, required, parameters
        return ()


D = TypeVar("D", bound=Details)


def part_of(details: Mapping[str, object], kind: type[D]) -> D | None:
    """Return the facts of type `kind` in the details of a model or an attack; None without any."""
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
    """Return the label of the fact with this field name.

    >>> label_of(Histories, "alone")
    'persons alone by history'
    """
    (label,) = (each.metadata[_FACT].fact.label for each in fields(kind) if each.name == name)
    return str(label)


# --- combining parts


def same(values: Sequence[Any]) -> Any:
    """Return the common value. Raises ValueError if the parts have different values."""
    if any(value != values[0] for value in values):
        raise ValueError("the parts of a release disagree about a fact of the whole release")
    return values[0]


def sum_by_name(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum for each name.

    >>> sum_by_name([{"a": 1}, {"a": 2, "b": 3}])
    {'a': 3, 'b': 3}
    """
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: sum(table.get(name, 0) for table in tables) for name in names}


def least_by_name(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the least value for each name.

    >>> least_by_name([{"a": 1}, {"a": 2, "b": 3}])
    {'a': 1, 'b': 3}
    """
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: min(table[name] for table in tables if name in table) for name in names}


def sum_by_number(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum for each number, in ascending order; the key `none` comes last.

    >>> sum_by_number([{"2": 1, "none": 4}, {"1": 2, "2": 3}])
    {'1': 2, '2': 4, 'none': 4}
    """
    added = sum_by_name(tables)
    order = sorted(added, key=lambda key: float("inf") if key == _NEVER else int(key))
    return {key: added[key] for key in order}


def sum_up_to(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Add tables of cumulative counts: for each number, the count of everything up to it.

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


# --- facts with a special layout in reports


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassSize(Details):
    """k, the size of the smallest class, for a model whose level is not k.

    `AboutModel.beside` says what k counts, if not people.
    """

    k: float | None = fact("k", Kind.PLACED, adds=min, null=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class Histories(Details):
    """Persons compared by all their rows, in a release with several rows for a person.

    k: the smallest number of persons with the same rows. alone: persons whose rows, taken
    together, no other person has.
    """

    k: int | None = fact(
        "k by whole histories", said="k is {} if persons are compared by all their rows", null=True
    )
    alone: int = fact(
        "persons alone by history",
        Kind.COUNT,
        one="1 person is unique by all its rows together",
        said="{} persons are unique by all their rows together",
    )


def alone_by_history(details: Iterable[Mapping[str, object]]) -> int:
    """Return `Histories.alone` from the first of these details that has it, otherwise 0."""
    known = (part_of(one, Histories) for one in details)
    return next((one.alone for one in known if one is not None), 0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Conditions(ClassSize):
    """Necessary conditions of p-sensitivity (TV06 Conditions 1 and 2, CT06 Conditions 1 to 3).

    max_p: the largest possible p.
    max_groups: for each p, the largest possible number of classes; None if it is unlimited.
    protected_subtrees: their number, by sensitive column. conditions: True for those that are met.
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
        """Return maxGroups for a p; None if it is unknown or unlimited."""
        return (self.max_groups or {}).get(f"{p}")

    @property
    def counted(self) -> str:
        """The thing that p counts in a class: `value` or `protected subtree`."""
        return "value" if self.protected_subtrees is None else "protected subtree"


class Counted(enum.StrEnum):
    """How violations of generalization boundaries were counted."""

    WITH_ORIGINAL = "counted against the original"
    WITHOUT_ORIGINAL = (
        "without the original: every released value that is above the boundary of a leaf below it"
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class BeyondBoundaries(Details):
    """Values beyond a generalization boundary, in addition to the model's own facts (`inner`).

    by_column: the number of such values. classes, rows: the number of classes and rows with at
    least one. how: how they were counted.
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
            Counted.WITH_ORIGINAL: "They were counted by comparison with the original",
            Counted.WITHOUT_ORIGINAL: "The original is not given, so a released value counts if it "
            "is above the boundary of at least one original value that it may stand for",
        },
        adds=same,
    )

    @property
    def total(self) -> int:
        """The number of values beyond their boundary."""
        return sum(self.by_column.values())


@dataclass(frozen=True, kw_only=True, eq=False)
class BestGuess(Details):
    """The chances that the adversary's best guesses are right, for targets with a candidate.

    certain, nine_tenths, half: targets with a chance of 1, of at least 0.9, of at least 0.5.
    mean: the mean chance. base: the chance without the quasi-identifiers of the release.
    bounded: targets for whom the chance is known only within bounds; the lower bound is used.
    """

    certain: int = fact("at 1", adds=sum)
    nine_tenths: int = fact("at 0.9 and above", adds=sum)
    half: int = fact("at 0.5 and above", adds=sum)
    mean: float = fact("mean")
    base: float | None = fact("baseline", null=True)
    bounded: int = fact("within bounds only", adds=sum)


@dataclass(frozen=True, kw_only=True, eq=False)
class Gain(Details):
    """The difference of two scores, and the ends of its 95% confidence interval."""

    value: float = fact("gain")
    low: float = fact("lower end")
    high: float = fact("upper end")


@dataclass(frozen=True, kw_only=True, eq=False)
class ChanceBand(Details):
    """The guesses with a chance from `least` up to the next band.

    people: the number of people guessed. chance: the mean chance. right: the number of right
    guesses. low, high: the ends of the 95% confidence interval of the share of right guesses.
    """

    least: float = fact("from")
    people: int = fact("people")
    chance: float = fact("mean chance")
    right: int = fact("right")
    low: float = fact("lower end")
    high: float = fact("upper end")


@dataclass(frozen=True, kw_only=True, eq=False)
class GuessScores(Details):
    """Scores of the guesses of one column, checked against the original.

    people: those with a true value. right: the share of right guesses of the attack and of each
    baseline. balanced: the share of right guesses among the people with a value, averaged over the
    values that enough people have. gains: by baseline, how much better the attack's `balanced` is.
    precision: for each share of people, the share of right guesses among the surest guesses, as
    many as cover this share.
    """

    people: int = fact("people")
    right: Mapping[str, float] = fact("right guesses")
    balanced: Mapping[str, float | None] = fact("balanced accuracy")
    gains: Mapping[str, Gain] = fact("gain over")
    precision: Mapping[str, float] = fact("right at coverage")
    bands: Sequence[ChanceBand] = fact("calibration")

    @property
    def gain(self) -> tuple[str, Gain] | None:
        """The best baseline and the gain over it; None if every value has too few people."""
        each = list(self.gains.items())
        return min(each, key=lambda one: one[1].value) if each else None


@dataclass(frozen=True, kw_only=True, eq=False)
class Reappearance(Details):
    """People who are unique in the original, and whose released row matches nobody else.

    unique: people who are unique. alone: those of them who reappear. maybe: further ones who may
    reappear, because labels were not understood.
    """

    unique: int = fact("unique in the original")
    alone: int = fact("reappear")
    maybe: int = fact("may reappear")


@dataclass(frozen=True, kw_only=True, eq=False)
class SinglingOut(Details):
    """Predicates: combinations of values of a few columns that exactly one released row has.

    predicates: their number. alone: predicates that match exactly one person of the original.
    maybe: further ones that may, because labels were not understood. by_chance: the expected number
    that would match exactly one person if the columns were independent.
    """

    predicates: int = fact("predicates")
    alone: int = fact("single out one person")
    maybe: int = fact("may single out")
    by_chance: float = fact("expected by chance")


@dataclass(frozen=True, kw_only=True, eq=False)
class Learned(Details):
    """Results of guessing by machine learning, by sensitive column.

    learner: the learner that predicts best. best_value: the chances of the best guess. without:
    the mean chance of the best guess before the target's class is considered. sure: the chance from
    which a target counts as exposed; None means 1. scores, reappearance and singling_out need the
    original; singling_out is by the number of columns.
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
    """Classes that disclose a sensitive value.

    classes: their number, by sensitive column. likely: targets who may be disclosed, depending on
    unknown cells. sure: the chance from which a target counts as exposed; None means 1. best_value:
    the chances of the best guess of the value, by sensitive column.
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

    sure: the chance from which a target counts as exposed; None means 1.
    """

    sure: float | None = fact(
        "sure", said="A target is exposed from a chance of {} on", optional=True
    )
    best_value: Mapping[str, BestGuess] | None = fact(
        "best guess of the value", Kind.PLACED, optional=True
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class ByEliminations(Details):
    """The number of values an adversary must rule out to expose somebody.

    at_most: the number that the policy grants the adversary. exposed: for each number, the targets
    exposed by ruling out at most this number of values. classes: their number, by the least
    number that exposes somebody in the class; `none` if no number does. bounded: targets for whom
    only bounds are known. replay: the values to rule out in the witness class.
    """

    at_most: int = fact(
        "eliminated at most", said="Values that the adversary may rule out: {} at most", adds=same
    )
    exposed: Mapping[str, int] = fact("exposed by number eliminated", Kind.PLACED, adds=sum_up_to)
    classes: Mapping[str, int] = fact("classes by least number", Kind.PLACED, adds=sum_by_number)
    bounded: int | None = fact("targets with bounds only", adds=sum, optional=True)
    replay: Mapping[str, object] | None = fact("witness", Kind.PLACED, optional=True)

    @property
    def least(self) -> int:
        """The least number that exposes somebody; 0 if none does."""
        return min((int(number) for number in self.classes if number != _NEVER), default=0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Chance(Details):
    """The highest and the average chance over all targets, or rows, with a match."""

    highest: float = fact("highest")
    average: float = fact("average")


@dataclass(frozen=True, kw_only=True, eq=False)
class Marketer(Details):
    """The expected right links if everybody is linked with a random match.

    right: their number. share: their number divided by the number of targets.
    """

    right: float = fact("right links")
    share: float = fact("share")


@dataclass(frozen=True, kw_only=True, eq=False)
class RightLink(Details):
    """The chance of a right link for the prosecutor, the journalist and the marketer."""

    prosecutor: Chance = fact("prosecutor")
    journalist: Chance = fact("journalist")
    marketer: Marketer = fact("marketer")


@dataclass(frozen=True, kw_only=True, eq=False)
class LikeliestValue(Details):
    """The chance of the likeliest sensitive value.

    uniform: all candidate rows are equally likely. by_population: a row that matches n people of
    the external table has the weight 1/n.
    """

    uniform: Chance = fact("uniform")
    by_population: Chance = fact("by population")


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice(Details):
    """A set of columns, and the number of persons that it singles out."""

    columns: Sequence[str] = fact("columns")
    persons: int = fact("persons")


@dataclass(frozen=True, kw_only=True, eq=False)
class FewColumns(Details):
    """Small sets of columns that single people out.

    fewest: the least number of columns that singles anybody out; None if no set does. choices:
    the number of sets tried. successful: the number of sets that single somebody out. best: by
    the number of columns, the set that singles out the most people.
    """

    fewest: int | None = fact("fewest columns", null=True)
    choices: int = fact("choices")
    successful: int = fact("of them")
    best: Mapping[str, Choice] = fact("best")


@dataclass(frozen=True, kw_only=True, eq=False)
class Guesses(Details):
    """The results of guessing among the matching rows.

    likeliest: by sensitive column. truth: the numbers of claims and of right claims, checked
    against the original. sure: the chance from which a target counts as exposed; None means 1.
    best_link: the best guess of the row (person). best_value: the best guess of the value, by
    sensitive column.
    """

    right_link: RightLink | None = fact("chance of a right link", Kind.PLACED, optional=True)
    likeliest: Mapping[str, LikeliestValue] | None = fact(
        "chance of the likeliest value", Kind.PLACED, optional=True
    )
    truth: Mapping[str, float] | None = fact(
        "truth", said="Checked against the original: {}", optional=True
    )
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
    """Persons of an identified table, by the number of released rows that they match.

    none, one, several: persons by the number of matches. pairs: matching pairs of person and row.
    mutual: persons whose only match matches no other person. fewest: the least number of matches,
    among persons with a match. split: persons with matches in several classes. unpublished: persons
    who match only fully suppressed rows. firm: persons with one match if fully suppressed rows are
    left out. events: the largest number of known rows of a person. singled_out: persons with one
    match, by the number of their rows that are known. assigned: persons with several matches who
    are identified, because all matches but one can be ruled out.
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
        one="1 target has exactly one candidate if fully suppressed rows are left out",
        said="{} targets have exactly one candidate if fully suppressed rows are left out",
        optional=True,
    )
    events: int | None = fact(
        "most known rows", said="Up to {} different rows of a target are known", optional=True
    )
    singled_out: Mapping[str, int] | None = fact(
        "singled out by known rows",
        Kind.STEPS,
        said="Targets singled out, by the number of their rows that are known: {}",
        optional=True,
    )
    assigned: int | None = fact(
        "identified by assignment",
        Kind.COUNT,
        one="1 target is identified although it has several candidates: all others are ruled out",
        said="{} targets are identified although they have several candidates: all others are "
        "ruled out",
        optional=True,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Price(Details):
    """The cost of meeting a requirement by masking.

    most_classes: the largest possible number of classes. max_p, max_groups: as in `Conditions`.
    by_attribute: max_groups by sensitive column. maximum_classes: the number of classes of the
    maximum allowed microdata. suppressed: the number of rows that must be suppressed (OUT).
    at_most: an upper bound of this number, if the exact one is unknown.
    """

    most_classes: int | None = fact(
        "most classes", said="largest possible number of classes", optional=True
    )
    max_p: int | None = fact("maxP", said="largest possible p (maxP)", optional=True)
    max_groups: Mapping[str, int | None] | None = fact("maxGroups", Kind.PLACED, optional=True)
    by_attribute: Mapping[str, Mapping[str, int | None]] | None = fact(
        "maxGroups by attribute", Kind.PLACED, optional=True
    )
    protected_subtrees: Mapping[str, int] | None = fact("protected subtrees", optional=True)
    conditions: Mapping[str, bool] | None = fact("conditions", optional=True)
    maximum_classes: int | None = fact("classes of the maximum allowed microdata", optional=True)
    suppressed: int | None = fact("rows to suppress (OUT)", optional=True)
    at_most: int | None = fact("rows to suppress, at most", optional=True)
