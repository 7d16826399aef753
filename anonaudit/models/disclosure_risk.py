"""Re-identification risk under three adversaries, and k-map.

The prosecutor knows that the target is in the release, so the risk depends on class sizes in the
release. The journalist does not know this, so the risk depends on class sizes in the population.
The marketer wants many matches, so the risk is an average over all rows.

Sources: El Emam, Dankar, Protecting Privacy Using k-Anonymity, JAMIA 15(5), 2008 (prosecutor and
journalist); Dankar, El Emam, A Method for Evaluating Marketer Re-identification Risk, PAIS 2010;
Sweeney 2002 (k-map).

A row in no class (suppressed as a whole, or dropped) has no risk and is in no average. The size of
a class is its number of rows, or of persons if there is a unit column. Under wildcards, it includes
all rows compatible with the class. Averages and shares are over rows, or over persons if there is a
unit column. A person with rows in several classes counts once in each of them. Sensitive values are
not used, so missing ones do not matter.

A person of the population fits a class if the person's quasi-identifiers match those of the class.
If fewer persons fit a class than it has rows, the population file is not the population of the
release. A model that would otherwise hold is then undecided.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from anonaudit.about import GENERALIZE, AboutModel, Need, Unasked, Unions
from anonaudit.arrays import Floats
from anonaudit.details import Details, fact
from anonaudit.findings import Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.models.level import (
    Levels,
    ParameterError,
    measurement,
    real_number,
    whole_number,
)


def members(classes: EquivalenceClasses) -> Floats:
    """The number of rows, or persons, of each class, shape (n_classes,).

    Unlike `EquivalenceClasses.sizes`, it excludes compatible rows of other classes.
    """
    return replace(classes, compatibility=None).sizes


@dataclass(frozen=True, kw_only=True, eq=False)
class Risks(Details):
    """The highest and the average risk of rows (or persons), and the share above a threshold.

    All but the threshold are None if no row is in a class.
    """

    threshold: float | None = fact("threshold", said="The threshold of the risk is {}")
    share_above: float | None = fact(
        "share above threshold",
        said="The share of {people} with a risk above this threshold is {}",
        null=True,
    )
    highest: float | None = fact("highest", said="The highest risk is {}", null=True)
    average: float | None = fact("average", said="The average risk is {}", null=True)


def risk_summary(risk: Levels, classes: EquivalenceClasses, threshold: float) -> Risks:
    """Return the highest and the average risk, and the share of rows above `threshold`.

    risk: the risk of each class, shape (n_classes,). With a unit column, persons are counted.
    """
    each = members(classes)
    n = each.sum()
    if n == 0:
        return Risks(threshold=threshold, share_above=None, highest=None, average=None)
    return Risks(
        threshold=threshold,
        share_above=float(each[risk > threshold].sum() / n),
        highest=float(risk.max()),
        average=float((risk * each).sum() / n),
    )


@dataclass(frozen=True)
class ProsecutorRisk:
    """Prosecutor risk: the chance that a random row of a target's class is the row of the target.

    The risk of a class is 1 / size. Level: the highest risk. Lower is safer; 1 means that a person
    is alone in a class, 0 is never reached. `details` has the average risk, and the share of rows
    whose risk is above `threshold`.

    highest: the largest risk allowed; None requires nothing. threshold: from 0 to 1.

    Edge cases: no rows, undefined; one class of n rows, 1/n.
    """

    name: ClassVar[str] = "prosecutor-risk"
    about: ClassVar[AboutModel] = AboutModel(
        level="risk",
        parameter="highest",
        means="An adversary who knows that a target is in the release, and picks a random row "
        "of its class, is right with at most this chance",
        matters="It is the risk of a person who is known to be in the release, the highest of the "
        "three risks.",
        do=GENERALIZE,
        unasked=(Unasked(place=120),),
        by_class=True,
        unions=Unions.ALWAYS,
    )
    highest: float | None = None
    threshold: float = 0.2

    def __post_init__(self) -> None:
        real_number("highest", self.highest, 0, 1)
        _check_threshold(self.threshold)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the highest risk; the details have the average and the share above `threshold`."""
        risk = 1 / classes.sizes
        return measurement(
            self.name,
            classes,
            {"": risk},
            parameters={"highest": self.highest},
            required=self.highest,
            safer="lower",
            details=risk_summary(risk, classes, self.threshold),
        )


@dataclass(frozen=True)
class MarketerRisk:
    """Marketer risk: the expected share of rows that an adversary links correctly.

    The adversary links every row with a random person who fits its class: a person of the
    population, or of the release if no population is given. The risk of a row is 1 / (number of
    these persons). If fewer persons of the population fit a class than it has rows, the class size
    in the release is used.

    Level: the average risk of all rows. Lower is safer; 1 means that everybody is alone, 0 is never
    reached. If there is no population, no unit column and no wildcard, the level is (number of
    classes) / (number of rows). No single class decides an average, so there is no witness.

    Edge cases: no rows, undefined.

    average: the largest average risk allowed; None requires nothing.
    population: for each class, the number of persons of the population who certainly fit it, shape
        (n_classes,); None if there is no population.
    possible: for each class, the number of persons who fit it or may fit it, because some values
        cannot be compared; None if all values can be compared.
    """

    name: ClassVar[str] = "marketer-risk"
    about: ClassVar[AboutModel] = AboutModel(
        level="risk",
        parameter="average",
        means="An adversary who links every row with a random person who fits it is right for "
        "at most this share of rows",
        matters="It is the risk of an adversary who wants many links and accepts wrong ones.",
        do=GENERALIZE,
        of_the_whole=True,
        unions=Unions.IF_APART,
    )
    average: float | None = None
    population: Floats | None = None
    possible: Floats | None = None

    def __post_init__(self) -> None:
        real_number("average", self.average, 0, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the average risk over all rows, or persons."""
        sizes = _at_least_sample(self, classes)
        each = members(classes)
        average = float((each / sizes).sum() / each.sum()) if len(classes) else np.nan
        level = np.full(len(classes), average)
        risk = measurement(
            self.name,
            classes,
            {"": level},
            parameters={"average": self.average},
            required=self.average,
            safer="lower",
            notes=_smaller(self, classes),
        )
        return replace(_doubted(self, classes, risk), witness=None)


@dataclass(frozen=True)
class JournalistRisk:
    """Journalist risk: the chance to link a row with its person in the population.

    The adversary links the row with a random person of the population who fits its class.

    The risk of a class is 1 / (number of persons of the population who fit it). If fewer persons
    fit a class than it has rows, the class size in the release is used, and a note says so. Level:
    the highest risk. Lower is safer; 1 means that a person is alone in the population, 0 is never
    reached. `details` has the average risk, and the share of rows whose risk is above `threshold`.

    Edge cases: no rows, undefined; no population, the prosecutor risk.

    highest: the largest risk allowed; None requires nothing. threshold: from 0 to 1.
    population: for each class, the number of persons of the population who certainly fit it, shape
        (n_classes,); None if there is no population.
    possible: for each class, the number of persons who fit it or may fit it, because some values
        cannot be compared; None if all values can be compared.
    """

    name: ClassVar[str] = "journalist-risk"
    about: ClassVar[AboutModel] = AboutModel(
        level="risk",
        parameter="highest",
        means="An adversary who links a row with a random person of the population who fits it "
        "is right with at most this chance",
        matters="It is the risk if nobody knows who is in the release. Then everybody in the "
        "population who fits a row may be its person.",
        do=f"{GENERALIZE} The population is named in [population] of the policy.",
        unasked=(Unasked(place=140, needs=frozenset({Need.POPULATION})),),
        unions=Unions.IF_APART,
    )
    highest: float | None = None
    threshold: float = 0.2
    population: Floats | None = None
    possible: Floats | None = None

    def __post_init__(self) -> None:
        real_number("highest", self.highest, 0, 1)
        _check_threshold(self.threshold)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the highest risk; the details have the average and the share above `threshold`."""
        risk = 1 / _at_least_sample(self, classes)
        result = measurement(
            self.name,
            classes,
            {"": risk},
            parameters={"highest": self.highest},
            required=self.highest,
            safer="lower",
            details=risk_summary(risk, classes, self.threshold),
            notes=_smaller(self, classes),
        )
        return _doubted(self, classes, result)


@dataclass(frozen=True)
class KMap:
    """k-map: at least k persons of the population fit every class.

    Level: k, the smallest number of persons of the population who fit a class. Higher is safer; 0
    means that nobody in the population file fits some class, so the file is not the population of
    the release.

    Edge cases: no rows, undefined; no population, the k of k-anonymity.

    k: the required level; None requires nothing.
    population: for each class, the number of persons of the population who certainly fit it, shape
        (n_classes,); None if there is no population.
    possible: for each class, the number of persons who fit it or may fit it, because some values
        cannot be compared; None if all values can be compared.
    """

    name: ClassVar[str] = "k-map"
    about: ClassVar[AboutModel] = AboutModel(
        level="k",
        parameter="k",
        means="At least k persons of the population fit every class",
        matters="A class may be small in the release although many persons of the population fit "
        "it. Then the class singles out nobody.",
        do=f"{GENERALIZE} The population is named in [population] of the policy.",
        unasked=(Unasked(place=130, needs=frozenset({Need.POPULATION})),),
        unions=Unions.ALWAYS,
    )
    k: int | None = None
    population: Floats | None = None
    possible: Floats | None = None

    def __post_init__(self) -> None:
        whole_number("k", self.k, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the smallest number of persons of the population who fit a class."""
        sizes = classes.sizes if self.population is None else self.population
        level = measurement(
            self.name,
            classes,
            {"": sizes},
            parameters={"k": self.k},
            required=self.k,
            whole=self.population is not None or classes.convention.wildcard_weight == 1,
            notes=_smaller(self, classes),
        )
        return _doubted(self, classes, level)


def _at_least_sample(model: JournalistRisk | MarketerRisk, classes: EquivalenceClasses) -> Floats:
    population = classes.sizes if model.population is None else model.population
    return np.maximum(population, classes.sizes)


def _check_threshold(threshold: object) -> None:
    if threshold is None:
        raise ParameterError("threshold must be given")
    real_number("threshold", threshold, 0, 1)


OfPopulation = JournalistRisk | KMap | MarketerRisk


def _doubted(model: OfPopulation, classes: EquivalenceClasses, result: Measurement) -> Measurement:
    """Return the measurement, with the outcome inconclusive if the population cannot decide.

    There are two cases. The model holds, but fewer persons of the population fit a class than it
    has rows. The model is violated, but would not be if all persons of `possible` fitted the class.
    """
    if result.outcome is Outcome.VIOLATED and model.possible is not None:
        most = replace(model, population=model.possible, possible=None).measure(classes)
        if most.outcome is not Outcome.VIOLATED:
            return replace(result, outcome=Outcome.INCONCLUSIVE)
    doubtful = model.population is not None and (model.population < members(classes)).any()
    if doubtful and result.outcome is Outcome.HOLDS:
        return replace(result, outcome=Outcome.INCONCLUSIVE)
    return result


def _smaller(model: OfPopulation, classes: EquivalenceClasses) -> tuple[str, ...]:
    if model.population is None:
        return ("no population file was given: the release is taken as the population",)
    short = int((model.population < members(classes)).sum())
    notes = []
    if model.possible is not None:
        open_ = int((model.population < model.possible).sum())
        notes.append(
            f"more people of the population file may fit {open_} class(es): cells are unknown, "
            "columns are perturbed, or labels cannot be compared (declare hierarchies or "
            "values.reading)"
        )
    if short:
        notes.append(
            f"{short} class(es) have more people in the release than people of the population file "
            "that surely fit them"
        )
    return tuple(notes)
