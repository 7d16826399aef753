"""Details with a special layout in reports: a table, a chart, or a sentence about several facts."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from anonaudit.details import (
    NEVER,
    Details,
    Kind,
    fact,
    part_of,
    same,
    sum_by_name,
    sum_by_number,
    sum_up_to,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassSize(Details):
    """The k of a model whose level is not k: the smallest size of a class.

    `AboutModel.beside` says what the size counts: rows or persons, or different values.
    """

    k: float | None = fact("k", Kind.PLACED, adds=min, null=True, safer="higher")


@dataclass(frozen=True, kw_only=True, eq=False)
class Histories(Details):
    """Persons compared by all their rows, in a release with several rows for a person.

    k: the smallest number of persons with the same rows.
    alone: the number of persons whose combination of rows no other person has.
    """

    k: int | None = fact(
        "k by whole histories",
        said="For an adversary who knows all rows of a person, k is {}",
        null=True,
        safer="higher",
    )
    alone: int = fact(
        "persons alone by history",
        Kind.COUNT,
        one="1 person is unique by all its rows together",
        said="{} persons are unique by all their rows together",
        safer="lower",
        whole="persons",
    )


def alone_by_history(details: Iterable[Mapping[str, object]]) -> int:
    """Return `Histories.alone` of the first details that contain it; 0 if none do."""
    known = (part_of(one, Histories) for one in details)
    return next((one.alone for one in known if one is not None), 0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Conditions(ClassSize):
    """Necessary conditions of p-sensitivity (TV06 Conditions 1 and 2, CT06 Conditions 1 to 3).

    max_p: the largest possible p.
    max_groups: p, as text -> the largest possible number of classes; None if it is unlimited.
    protected_subtrees: sensitive column -> the number of its protected subtrees (CT06).
    conditions: name of a condition -> True if it is met.
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
        """What p counts in a class, as a noun: `value` or `protected subtree`."""
        return "value" if self.protected_subtrees is None else "protected subtree"


class Counted(enum.StrEnum):
    """How violations of generalization boundaries were counted."""

    WITH_ORIGINAL = "counted against the original"
    WITHOUT_ORIGINAL = (
        "without the original: every released value that is above the boundary of a leaf below it"
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class BeyondBoundaries(Details):
    """Values that are generalized beyond a boundary.

    inner: the other facts of the model.
    by_column: column -> the number of values beyond their boundary.
    suspected: column -> how many of these values only their original values can decide; None if
        there are none.
    classes, rows: the numbers of classes and of rows with at least one value beyond its boundary
        for sure.
    undecided_classes: the number of classes that may violate the model only because of values of
        `suspected`; None if there are none.
    undecided_rows: the number of rows with such a value in these classes, and no value beyond its
        boundary for sure; None if there are none.
    how: how these values were counted, one of `Counted`.
    """

    inner: Mapping[str, object] = field(default_factory=dict)
    by_column: Mapping[str, int] = fact(
        "constraint violations",
        said="Values beyond their boundary: {}",
        adds=sum_by_name,
        safer="lower",
        whole="rows",
    )
    suspected: Mapping[str, int] | None = fact(
        "suspected violations",
        said="Of these, values that only their original values can decide: {}",
        adds=sum_by_name,
        optional=True,
    )
    classes: int = fact("classes with a violation", Kind.PLACED, adds=sum)
    rows: int = fact("rows with a violation", Kind.PLACED, adds=sum, safer="lower", whole="rows")
    undecided_classes: int | None = fact(
        "classes undecided by suspected violations", Kind.PLACED, adds=sum, optional=True
    )
    undecided_rows: int | None = fact(
        "rows undecided by suspected violations", Kind.PLACED, adds=sum, optional=True
    )
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
        """The number of values beyond their boundary, over all columns."""
        return sum(self.by_column.values())

    @property
    def certain(self) -> dict[str, int]:
        """The number of values that are beyond their boundary for sure, by column."""
        suspected = self.suspected or {}
        return {column: n - suspected.get(column, 0) for column, n in self.by_column.items()}

    @property
    def leaves_open(self) -> bool:
        """True if only their original values can decide some values."""
        return bool(self.suspected)

    def notes(
        self, measured: float | None, required: float | None, parameters: Mapping[str, object]
    ) -> tuple[str, ...]:
        """Return a note on the values that only the original can decide."""
        del measured, required, parameters
        if not self.suspected:
            return ()
        named, number = ", ".join(self.suspected), sum(self.suspected.values())
        said = f"{number} value(s) of {named} may be beyond their boundary"
        if self.how == Counted.WITH_ORIGINAL:
            lost = "their row has no original row, or their original cell has no value"
            return (f"{said}, because {lost}: complete the original",)
        return (f"{said}, depending on their original values: give the original",)


@dataclass(frozen=True, kw_only=True, eq=False)
class BestGuess(Details):
    """The chances that the adversary's best guesses are right, for targets with a candidate.

    certain, nine_tenths, half: the numbers of targets with a chance of 1, of at least 0.9, and of
        at least 0.5.
    mean: the mean chance.
    base: the chance of a guess without the quasi-identifiers; None if it is not known.
    bounded: the number of targets whose chance is known only within bounds. The lower bound is
        counted.
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
    """The guesses with a chance of at least `least` and below the `least` of the next band.

    people: the number of people whose value is guessed.
    chance: the mean chance.
    right: the number of right guesses.
    low, high: the ends of the 95% confidence interval of the share of right guesses.
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

    people: the number of people whose true value is known.
    right: method (the attack or a baseline) -> its share of right guesses.
    balanced: method -> its balanced accuracy: for each value, the share of right guesses among the
        people who have it, averaged over the values that enough people have. None if there is no
        such value.
    gains: baseline -> the balanced accuracy of the attack minus that of the baseline.
    precision: share of people, such as `0.1` -> the share of right guesses for the people with the
        surest guesses. With `0.1` these are the tenth of the people with the surest guesses.
    bands: the guesses in bands of their chances, lowest first.
    """

    people: int = fact("people")
    right: Mapping[str, float] = fact("right guesses")
    balanced: Mapping[str, float | None] = fact("balanced accuracy")
    gains: Mapping[str, Gain] = fact("gain over")
    precision: Mapping[str, float] = fact("right at coverage")
    bands: Sequence[ChanceBand] = fact("calibration")

    @property
    def gain(self) -> tuple[str, Gain] | None:
        """The baseline with the smallest gain, and this gain; None if there are no gains."""
        each = list(self.gains.items())
        return min(each, key=lambda one: one[1].value) if each else None


@dataclass(frozen=True, kw_only=True, eq=False)
class Reappearance(Details):
    """People who are unique in the original, and whose released row matches nobody else.

    unique: the number of people who are unique in the original.
    alone: the number of unique people whose released row matches only them; they reappear.
    maybe: the number of further unique people who may reappear, because labels were not understood.
    """

    unique: int = fact("unique in the original")
    alone: int = fact("reappear")
    maybe: int = fact("may reappear")


@dataclass(frozen=True, kw_only=True, eq=False)
class SinglingOut(Details):
    """Predicates: combinations of values of a few columns that exactly one released row has.

    predicates: the number of predicates.
    alone: the number of predicates that match exactly one person of the original.
    maybe: the number of further predicates that may match exactly one person, because labels were
        not understood.
    by_chance: the expected number of predicates that would match exactly one person if the columns
        were independent.
    """

    predicates: int = fact("predicates")
    alone: int = fact("single out one person")
    maybe: int = fact("may single out")
    by_chance: float = fact("expected by chance")


@dataclass(frozen=True, kw_only=True, eq=False)
class Learned(Details):
    """Results of guessing sensitive values by machine learning.

    learner: sensitive column -> the learner that predicts best.
    best_value: sensitive column -> the chances of the best guess.
    without: sensitive column -> the mean chance of the best guess without the rows of the target's
        class.
    sure: a target counts as exposed if its chance is at least `sure`; None means 1.
    scores: sensitive column -> the scores of its guesses.
    reappearance: see `Reappearance`.
    singling_out: number of columns, as text -> the predicates over this number of columns.

    The last three fields are None if there is no original.
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

    classes: sensitive column -> the number of classes that disclose a value of it.
    likely: the number of targets whose value may be disclosed, depending on unknown cells.
    sure: a target counts as exposed if its chance is at least `sure`; None means 1.
    best_value: sensitive column -> the chances of the best guess of the value.
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
    """The chances of the best guess of a sensitive value.

    sure: a target counts as exposed if its chance is at least `sure`; None means 1.
    best_value: sensitive column -> the chances of the best guess of the value.
    """

    sure: float | None = fact(
        "sure", said="A target is exposed from a chance of {} on", optional=True
    )
    best_value: Mapping[str, BestGuess] | None = fact(
        "best guess of the value", Kind.PLACED, optional=True
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class ByEliminations(Details):
    """The number of values that an adversary must rule out to expose somebody.

    at_most: the number of values that the policy allows the adversary to rule out.
    exposed: number n, as text -> the number of targets exposed by ruling out at most n values.
    classes: number n, as text -> the number of classes in which n is the least number of values to
        rule out to expose somebody. The key `none` counts classes in which nobody can be exposed.
    bounded: the number of targets for whom only bounds of this number are known.
    replay: the values to rule out in the witness class, and the attribute that they expose.
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
        """The least number of values to rule out to expose somebody; 0 if nobody is exposed."""
        return min((int(number) for number in self.classes if number != NEVER), default=0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Chance(Details):
    """The highest and the average chance over all targets (or rows) that have a match."""

    highest: float = fact("highest")
    average: float = fact("average")


@dataclass(frozen=True, kw_only=True, eq=False)
class Marketer(Details):
    """The expected number of right links if each target is linked with a random match.

    right: the expected number.
    share: the expected number divided by the number of targets.
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
    """The chance of the likeliest sensitive value, under two assumptions.

    uniform: all candidate rows are equally likely.
    by_population: a row that matches n people of the external table has the weight 1/n.
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

    fewest: the size of the smallest set that singles somebody out; None if no set does.
    choices: the number of sets tried.
    successful: the number of sets that single somebody out.
    best: number of columns, as text -> the set of this size that singles out the most people.
    """

    fewest: int | None = fact("fewest columns", null=True)
    choices: int = fact("choices")
    successful: int = fact("of them")
    best: Mapping[str, Choice] = fact("best")


@dataclass(frozen=True, kw_only=True, eq=False)
class Guesses(Details):
    """The results of guessing among the matching rows.

    right_link: the chance that a link is right.
    likeliest: sensitive column -> the chance of its likeliest value.
    truth: the numbers of claims and of right claims, checked against the original.
    few_columns: see `FewColumns`.
    sure: a target counts as exposed if its chance is at least `sure`; None means 1.
    best_link: the chances of the best guess of the row (or person).
    best_value: sensitive column -> the chances of the best guess of the value.
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
    """Numbers of persons of an identified table, by the number of released rows that they match.

    none, one, several: the numbers of persons with no match, exactly one match, several matches.
    pairs: the number of matching pairs of person and row.
    mutual: the number of persons whose only match matches no other person.
    fewest: the least number of matches of a person with a match; None if nobody has one.
    split: the number of persons with matches in several classes.
    unpublished: the number of persons who match only fully suppressed rows.
    guesses: see `Guesses`.
    firm: the number of persons with exactly one match if fully suppressed rows are left out.
    events: the largest number of known rows of a person.
    singled_out: number of known rows of a person, as text -> the number of persons with one match.
    assigned: the number of persons who have several matches but are identified, because all
        matches but one can be ruled out.
    uncompared: the number of persons with no match who may have one, because labels cannot be
        compared with their values; None if there are none.
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
    uncompared: int | None = fact(
        "no match, but not all labels compared",
        Kind.COUNT,
        one="1 of the targets that fit no row may fit one, because labels cannot be compared",
        said="{} of the targets that fit no row may fit one, because labels cannot be compared",
        optional=True,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Price(Details):
    """The cost of meeting a requirement by masking.

    most_classes: the largest possible number of classes.
    max_p, max_groups, protected_subtrees, conditions: as in `Conditions`.
    by_attribute: sensitive column -> its max_groups.
    maximum_classes: the number of classes of the maximum allowed microdata (MCT08).
    suppressed: the number of rows that must be suppressed (OUT).
    at_most: an upper bound of `suppressed`, if the exact number is unknown.
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
