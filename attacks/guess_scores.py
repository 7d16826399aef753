"""Score guesses by the truth: overall, for rare values, for the surest guesses, against baselines.

For each value, take the share of right guesses among the people with this value. Balanced accuracy
is the mean of these shares. With v values, an adversary who always guesses the most frequent value
scores 1/v.

The intervals come from a stratified bootstrap (Efron and Tibshirani 1993, 8.3). For each value,
whole classes of people are drawn with replacement, because the people of one class get the same
guess and are not independent draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from anonaudit.arrays import Bools, Floats, Index, Ints
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.alignment import Alignment
from anonaudit.special_details import ChanceBand, Gain, GuessScores
from attacks.learned_chances import FEWEST_PEOPLE, LearnedChances
from attacks.link_chances import matching_entries

INTERVAL_DRAWS: Final = 1000
# The shares of people, the surest first, for which the share of right guesses is computed.
COVERAGES: Final = (0.1, 0.25, 0.5, 1.0)
# The lower ends of the bands of chances.
BANDS: Final = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
GUESS: Final = "the guess"
WITHOUT: Final = "guesses without the victim"
POPULATION: Final = "guesses by the population"
MODE: Final = "the most frequent value"


def scores_of(
    alignment: Alignment, outside: FrequencySet, guesses: Mapping[str, LearnedChances], seed: int
) -> dict[str, GuessScores]:
    """Score the guesses of each column by the original.

    Each person of the original gets the guess about the target with the same quasi-identifiers.
    People who are no target, and people with an unknown true value, are not scored.

    Parameters
    ----------
    alignment
        The rows of the original, paired with the release.
    outside
        The targets, over the columns that the adversary knows.
    guesses
        By sensitive column, the guesses about the targets.
    seed
        The seed of the bootstrap.

    Returns
    -------
    The scores by column. A column is left out if the original lacks it, or if no target has a known
    value.
    """
    original = alignment.original
    whose = matching_entries(outside, original, list(outside.attributes))
    by_column = {}
    for name, guess in guesses.items():
        if name not in alignment.sensitive:
            continue
        there = (whose >= 0) & (original.column(name) >= FIRST_VALUE)
        if there.any():
            truth = codes_of(guess.labels, original.labels_of(name))[original.column(name)]
            by_column[name] = scores(
                guess, whose[there], truth[there], original.counts[there], seed
            )
    return by_column


def codes_of(labels: Sequence[str], names: Sequence[str]) -> Ints:
    """Return the position of each name in `labels`; a name that is absent gets a larger number."""
    code = {label: i for i, label in enumerate(labels)}
    return np.array([code.get(name, len(code) + i) for i, name in enumerate(names)], np.int64)


def scores(
    guess: LearnedChances, target: Index, value: Ints, count: Ints, seed: int
) -> GuessScores:
    """Score the guesses of one column.

    target, value, count: parallel arrays of shape (n,); `count[i]` people of the target `target[i]`
    have the true value number `value[i]`. seed: the seed of the bootstrap.
    """
    tables = {GUESS: guess.chances, WITHOUT: guess.without}
    if guess.population is not None:
        tables[POPULATION] = guess.population
    plain = {who: guess.likeliest(each)[target] == value for who, each in tables.items()}
    rare = {who: guess.raised(each)[target] == value for who, each in tables.items()}
    # The most frequent value is a baseline too: a learner may be worse than this constant guess.
    plain[MODE] = rare[MODE] = np.argmax(guess.counts) == value
    # A target without candidates is a class by itself.
    group = np.where(guess.home >= 0, guess.home, -1 - np.arange(len(guess.home)))[target]
    gains = {
        who: gain(rare[GUESS], right, value, count, group, seed)
        for who, right in rare.items()
        if who != GUESS
    }
    chance = guess.chance[target]
    return GuessScores(
        people=int(count.sum()),
        right={who: accuracy(right, count) for who, right in plain.items()},
        balanced={who: balanced(right, value, count) for who, right in rare.items()},
        gains={who: each for who, each in gains.items() if each is not None},
        precision={str(c): p for c, p in at_coverage(chance, plain[GUESS], count).items()},
        bands=calibration(chance, plain[GUESS], count),
    )


def accuracy(right: Bools, count: Ints) -> float:
    """Return the share of the people who are guessed right.

    right, count: for each of n groups of people, whether the guess is right, and how many they are.

    >>> accuracy(np.array([True, False]), np.array([3, 1]))
    0.75
    """
    return float(count[right].sum() / max(int(count.sum()), 1))


def balanced(right: Bools, value: Ints, count: Ints) -> float | None:
    """Return the balanced accuracy: the mean over the values of the share of right guesses.

    Only values of at least `FEWEST_PEOPLE` people count; the result is None if there is no such
    value.

    right, value, count: for each of n groups of people, whether the guess is right, their true
    value, and how many they are.

    In the example 10 of the 20 people with the value 0 are guessed right, and none of the 10 people
    with the value 1. So the result is (1/2 + 0) / 2.

    >>> balanced(np.array([True, False, False]), np.array([0, 0, 1]), np.array([10, 10, 10]))
    0.25
    """
    people, hits = _by_value(right, value, count)
    often = people >= FEWEST_PEOPLE
    return float((hits[often] / people[often]).mean()) if often.any() else None


def gain(
    right: Bools, without: Bools, value: Ints, count: Ints, group: Ints, seed: int
) -> Gain | None:
    """Return how much higher the balanced accuracy of `right` is than that of `without`.

    right, without: for each of n groups of people, whether the guess is right, and whether the
    guess of the baseline is right. value, count: see `balanced`. group: the class of each group of
    people; the people of a class are drawn together. seed: the seed of the bootstrap.

    The result has a 95% interval. It is None if no value has at least `FEWEST_PEOPLE` people.
    """
    rng, often = np.random.default_rng(seed), np.bincount(value, count) >= FEWEST_PEOPLE
    means, draws = [], []
    for each in np.flatnonzero(often):
        of_value = value == each
        _, place = np.unique(group[of_value], return_inverse=True)
        people = np.bincount(place, count[of_value]).astype(np.float64)
        more = right[of_value].astype(np.float64) - without[of_value]
        risen = np.bincount(place, count[of_value] * more)
        means.append(risen.sum() / people.sum())
        drawn = rng.multinomial(len(people), np.full(len(people), 1 / len(people)), INTERVAL_DRAWS)
        draws.append(drawn @ risen / (drawn @ people))
    if not means:
        return None
    low, high = np.quantile(np.mean(draws, axis=0), [0.025, 0.975])
    return Gain(value=float(np.mean(means)), low=float(low), high=float(high))


def at_coverage(chance: Floats, right: Bools, count: Ints) -> dict[float, float]:
    """Return the share of right guesses among the surest guesses, by the share of people covered.

    chance, right, count: for each of n groups of people, the chance of the guess, whether it is
    right, and how many people they are. The guesses with the highest chances come first. If only a
    part of the guesses with some chance fit into the covered share of the people, each of these
    guesses counts in proportion.

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


def calibration(chance: Floats, right: Bools, count: Ints) -> list[ChanceBand]:
    """Return how many guesses are right in each band of chances, without empty bands.

    The arguments are those of `at_coverage`.
    """
    bands = []
    number = np.searchsorted(BANDS, chance + 1e-9, side="right") - 1
    for place in np.unique(number):
        inside = number == place
        n, hits = int(count[inside].sum()), int(count[inside & right].sum())
        low, high = wilson(hits, n)
        average = float(chance[inside] @ count[inside] / n)
        bands.append(
            ChanceBand(least=BANDS[place], people=n, chance=average, right=hits, low=low, high=high)
        )
    return bands


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Return the 95% confidence interval of the share hits / n (Wilson 1927).

    >>> [round(end, 3) for end in wilson(8, 10)]
    [0.49, 0.943]
    """
    z = 1.959963984540054
    share, spread = hits / n, z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * ((share * (1 - share) + spread / 4) / n) ** 0.5
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _by_value(right: Bools, value: Ints, count: Ints) -> tuple[Floats, Floats]:
    size = int(value.max(initial=-1)) + 1
    people, hits = np.bincount(value, count, size), np.bincount(value, count * right, size)
    return people.astype(np.float64), hits.astype(np.float64)
