"""Re-identification risk under three adversaries, and k-map.

The prosecutor knows that the target is in the release; the journalist does not, so the
population counts; the marketer wants many matches, so the average counts.
Source: El Emam, Dankar, Protecting Privacy Using k-Anonymity, JAMIA 15(5), 2008 (prosecutor and
journalist); Dankar, El Emam, A Method for Evaluating Marketer Re-identification Risk, PAIS
2010; Sweeney 2002 (k-map).

A row that is in no class (suppressed as a whole, or dropped) has no risk and is in no average.
With a unit column the sizes count persons, with wildcards all compatible rows; averages and
shares are always over rows. No sensitive value is looked at: missing ones do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from anonaudit.classes import EquivalenceClasses
from anonaudit.findings import Measurement
from anonaudit.models.level import (
    Levels,
    ParameterError,
    measurement,
    real_number,
    whole_number,
)

Sizes = npt.NDArray[np.float64]


def risk_summary(risk: Levels, rows: npt.NDArray[np.int64], threshold: float) -> dict[str, object]:
    """Share of rows above a threshold, highest and average risk of a row."""
    n = int(rows.sum())
    limit: dict[str, object] = {"threshold": threshold}
    if n == 0:
        return {**limit, "share above threshold": None, "highest": None, "average": None}
    return {
        **limit,
        "share above threshold": float(rows[risk > threshold].sum() / n),
        "highest": float(risk.max()),
        "average": float((risk * rows).sum() / n),
    }


@dataclass(frozen=True)
class ProsecutorRisk:
    """Prosecutor risk: 1 over the size of the class, the chance to pick a target's own row.

    Level: the highest. Lower is safer; 1 means that somebody is alone, 0 is never reached.
    `details`: the share of rows whose risk is above `threshold`, and the average.
    Edge cases: no rows, undefined; one class of n rows, 1/n.
    """

    name: ClassVar[str] = "prosecutor-risk"
    highest: float | None = None
    threshold: float = 0.2

    def __post_init__(self) -> None:
        real_number("highest", self.highest, 0, 1)
        _check_threshold(self.threshold)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The highest, the average, and the share above the threshold."""
        risk = 1 / classes.sizes
        return measurement(
            self.name,
            classes,
            {"": risk},
            parameters={"highest": self.highest},
            required=self.highest,
            safer="lower",
            details=risk_summary(risk, classes.rows, self.threshold),
        )


@dataclass(frozen=True)
class MarketerRisk:
    """Marketer risk: the expected share of rows an adversary links correctly.

    Every row is linked with a random row of its class in the population, or in the release if
    there is none: the average of 1 over that size. A population that has fewer people in a
    class than the release is taken to have as many. Level: that average. Lower is safer; 1 means
    that everybody is alone, 0 is never reached; without a population and unit it is the number
    of classes over that of rows. No class decides an average, so there is no witness.
    Edge cases: no rows, undefined.

    population: for each class how many persons of the population may be in it.
    """

    name: ClassVar[str] = "marketer-risk"
    average: float | None = None
    population: Sizes | None = None

    def __post_init__(self) -> None:
        real_number("average", self.average, 0, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The average over all rows."""
        sizes = classes.sizes if self.population is None else _at_least_sample(self, classes)
        n = int(classes.rows.sum())
        average = float((classes.rows / sizes).sum() / n) if n else np.nan
        level = np.full(len(classes), average)
        found = measurement(
            self.name,
            classes,
            {"": level},
            parameters={"average": self.average},
            required=self.average,
            safer="lower",
            notes=_smaller(self, classes),
        )
        return replace(found, witness=None)


@dataclass(frozen=True)
class JournalistRisk:
    """Journalist risk: 1 over the size of the class in the population the release is from.

    Level: the highest. Lower is safer; 1 means that somebody is alone in the population, 0 is
    never reached. A class the population file lacks was not drawn from it; then the sample's
    own size is the bound, and the report says so. Edge cases: no rows, undefined; no
    population, the prosecutor's risk.

    population: for each class how many persons of the population may be in it.
    """

    name: ClassVar[str] = "journalist-risk"
    highest: float | None = None
    threshold: float = 0.2
    population: Sizes | None = None

    def __post_init__(self) -> None:
        real_number("highest", self.highest, 0, 1)
        _check_threshold(self.threshold)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The highest, the average, and the share above the threshold."""
        risk = 1 / _at_least_sample(self, classes)
        return measurement(
            self.name,
            classes,
            {"": risk},
            parameters={"highest": self.highest},
            required=self.highest,
            safer="lower",
            details=risk_summary(risk, classes.rows, self.threshold),
            notes=_smaller(self, classes),
        )


@dataclass(frozen=True)
class KMap:
    """k-map: every class fits k or more persons of the population.

    Level: k, the fewest persons of the population that fit a class. Higher is safer; 0 means
    that the population file lacks people who are in the release, so it is not its population.
    Edge cases: no rows, undefined; no population, the k of k-anonymity.

    population: for each class how many persons of the population may be in it.
    """

    name: ClassVar[str] = "k-map"
    k: int | None = None
    population: Sizes | None = None

    def __post_init__(self) -> None:
        whole_number("k", self.k, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The fewest persons of the population in a class."""
        sizes = classes.sizes if self.population is None else self.population
        return measurement(
            self.name,
            classes,
            {"": sizes},
            parameters={"k": self.k},
            required=self.k,
            whole=self.population is not None or classes.convention.wildcard_weight == 1,
            notes=_smaller(self, classes),
        )


def _at_least_sample(model: JournalistRisk | MarketerRisk, classes: EquivalenceClasses) -> Sizes:
    population = classes.sizes if model.population is None else model.population
    return np.maximum(population, classes.sizes)


def _check_threshold(threshold: object) -> None:
    if threshold is None:
        raise ParameterError("threshold must be given")
    real_number("threshold", threshold, 0, 1)


def _smaller(
    model: JournalistRisk | KMap | MarketerRisk, classes: EquivalenceClasses
) -> tuple[str, ...]:
    if model.population is None:
        return ("no population file was given: the release stands for its population",)
    short = int((model.population < classes.sizes).sum())
    if short:
        return (f"{short} class(es) have more people in the release than in the population file",)
    return ()
