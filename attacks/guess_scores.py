"""How good guesses are, by the truth: right ones, rare ones, the surest ones, and what is gained.

Balanced accuracy: the right share of the people with each value, averaged over the values, so that
a guess of the most frequent value scores 1 / values. Intervals: the stratified bootstrap (Efron and
Tibshirani 1993, 8.3), which draws the people of each value anew, as many as there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

# Values of fewer people are left out of balanced accuracy.
FEWEST_PEOPLE: Final = 10
DRAWS: Final = 1000
COVERAGES: Final = (0.1, 0.25, 0.5, 1.0)
BINS: Final = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True)
class Gain:
    """A difference of two scores, and the interval that holds it in 95 of 100 draws."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Bin:
    """The guesses whose chance is from `low` on and below the next.

    people: how many. chance: their average. right: how many are right. low_right, high_right: the
    interval of the share that is right (Wilson 1927).
    """

    low: float
    people: int
    chance: float
    right: int
    low_right: float
    high_right: float


def accuracy(right: Bools, count: Whole) -> float:
    """The share of the people who are guessed right; right, count: shape (groups,).

    >>> accuracy(np.array([True, False]), np.array([3, 1]))
    0.75
    """
    return float(count[right].sum() / max(int(count.sum()), 1))


def balanced(right: Bools, value: Whole, count: Whole) -> float | None:
    """The right share of each value, averaged over the values of at least `FEWEST_PEOPLE` people.

    right, value, count: shape (groups,). None where no value has so many.

    Ten of twenty people with value 0 are guessed right, and none of ten with value 1:

    >>> balanced(np.array([True, False, False]), np.array([0, 0, 1]), np.array([10, 10, 10]))
    0.25
    """
    people, hits = _by_value(right, value, count)
    often = people >= FEWEST_PEOPLE
    return float((hits[often] / people[often]).mean()) if often.any() else None


def gain(right: Bools, without: Bools, value: Whole, count: Whole, seed: int) -> Gain | None:
    """How much balanced accuracy rises from the guesses `without` to the others.

    right, without, value, count: shape (groups,). None where no value has enough people.
    """
    people, _ = _by_value(right, value, count)
    kind = 2 * right.astype(np.int64) + without
    cells = np.zeros((len(people), 4))
    np.add.at(cells, (value, kind), count)
    cells, people = cells[people >= FEWEST_PEOPLE], people[people >= FEWEST_PEOPLE]
    if not len(people):
        return None
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(people.astype(np.int64), cells / people[:, None], (DRAWS, len(people)))
    differences = ((drawn[..., 2] - drawn[..., 1]) / people).mean(axis=1)
    low, high = np.quantile(differences, [0.025, 0.975])
    return Gain(float(((cells[:, 2] - cells[:, 1]) / people).mean()), float(low), float(high))


def at_coverage(chance: Numbers, right: Bools, count: Whole) -> dict[float, float]:
    """The right share of the surest guesses, by the share of the people that they are about.

    Guesses of one chance are together; they count in proportion.

    >>> at_coverage(np.array([0.9, 0.5]), np.array([True, False]), np.array([5, 5]))[0.5]
    1.0
    """
    levels, place = np.unique(-chance, return_inverse=True)
    people = np.bincount(place, count, len(levels))
    hits = np.bincount(place, count * right, len(levels))
    total = people.sum()
    upto = np.concatenate([[0.0], np.cumsum(people)])
    rights = np.concatenate([[0.0], np.cumsum(hits)])
    return {
        share: float(np.interp(share * total, upto, rights) / (share * total))
        for share in COVERAGES
        if total
    }


def calibration(chance: Numbers, right: Bools, count: Whole) -> list[Bin]:
    """Whether guesses are right as often as their chances say; bins without people are left out."""
    found = []
    number = np.searchsorted(BINS, chance + 1e-9, side="right") - 1
    for place in np.unique(number):
        inside = number == place
        n, hits = int(count[inside].sum()), int(count[inside & right].sum())
        low, high = wilson(hits, n)
        average = float(chance[inside] @ count[inside] / n)
        found.append(Bin(BINS[place], n, average, hits, low, high))
    return found


def wilson(hits: int, n: int) -> tuple[float, float]:
    """The 95% interval of a share (Wilson 1927).

    >>> [round(end, 3) for end in wilson(8, 10)]
    [0.49, 0.943]
    """
    z = 1.959963984540054
    share, spread = hits / n, z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * ((share * (1 - share) + spread / 4) / n) ** 0.5
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _by_value(right: Bools, value: Whole, count: Whole) -> tuple[Numbers, Numbers]:
    size = int(value.max(initial=-1)) + 1
    people, hits = np.bincount(value, count, size), np.bincount(value, count * right, size)
    return people.astype(np.float64), hits.astype(np.float64)


@dataclass(frozen=True)
class Scores:
    """What the guesses of one attribute are worth; `people` have a true value.

    accuracy, balanced: by whose guesses. gains: over the other guesses, of balanced accuracy.
    coverage: the right share of the surest. bins: calibration.
    """

    people: int
    accuracy: Mapping[str, float]
    balanced: Mapping[str, float | None]
    gains: Mapping[str, Gain | None]
    coverage: Mapping[float, float]
    bins: list[Bin]
