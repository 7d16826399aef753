"""Compute the posterior of an adversary who knows the algorithm that made the release.

A world is one possible original. The adversary runs the algorithm on every world and keeps the
worlds that give the release. A value is certain if a target has it in all kept worlds. If there are
few worlds, all are tried. Otherwise a seeded sample gives chances with 95% intervals.

Source: Wong, Fu, Wang, Pei 2007 (minimality attack); Cormode, Srivastava, Li, Krishnamurthy 2010.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import NamedTuple, TypeVar

import numpy as np

from anonaudit.errors import AnonauditError

World = TypeVar("World")
PersonRow = tuple[str, ...]
Who = TypeVar("Who", bound=Hashable)

# If a sample keeps fewer worlds than this, it decides nothing.
LEAST_KEPT = 30


class PossibleOriginals(NamedTuple):
    """The worlds that the adversary considers before running the algorithm.

    number: how many worlds there are. every: yields each world with its prior weight. draw: returns
    a random world. A world has one row for each person.
    """

    number: int
    every: Iterator[tuple[tuple[PersonRow, ...], float]]
    draw: Callable[[np.random.Generator], tuple[PersonRow, ...]]


@dataclass(frozen=True)
class BoundedChance:
    """The chance that a target has a value, with the bounds of its 95% interval.

    The bounds of an exact chance are equal.
    """

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Posterior:
    """The chance of each value of each target, given the release.

    chances: by target, then by value. worlds: how many worlds were tried. kept: how many of them
    give the release. exact: True if all worlds were tried, False for a sample.
    """

    chances: Mapping[Hashable, Mapping[str, BoundedChance]] = field(repr=False)
    worlds: int
    kept: int
    exact: bool

    def certain(self) -> dict[Hashable, str]:
        """Return each target that has only one possible value, with this value.

        The result is empty for a sample, because a sample makes nothing certain.
        """
        if not self.exact:
            return {}
        return {
            who: next(iter(possible))
            for who, possible in self.chances.items()
            if len(possible) == 1
        }


def posterior(
    worlds: Iterable[tuple[World, float]],
    masker: Callable[[World], object],
    release: object,
    secrets: Callable[[World], Mapping[Who, str]],
) -> Posterior:
    """Return the exact posterior over all worlds.

    worlds: all worlds, each with its prior weight.
    masker: returns the masked world in a form that can be compared with `release`, for example a
        Counter of rows if the order is irrelevant; None if it fails.
    secrets: returns the value of each target in a world.

    Raises AnonauditError if no world gives the release. An assumption of the adversary is then
    wrong.

    >>> worlds = [(("a", "a"), 1.0), (("a", "b"), 1.0), (("b", "a"), 1.0)]
    >>> after = posterior(worlds, lambda w: len(set(w)), 1, lambda w: {"first": w[0]})
    >>> after.certain(), after.kept
    ({'first': 'a'}, 1)
    """
    weights: dict[Hashable, Counter[str]] = {}
    total, tried, kept = 0.0, 0, 0
    for world, weight in worlds:
        tried += 1
        if weight <= 0 or masker(world) != release:
            continue
        kept += 1
        total += weight
        for who, value in secrets(world).items():
            weights.setdefault(who, Counter())[value] += weight  # type: ignore[assignment]
    if not kept:
        raise AnonauditError(
            f"none of {tried} possible originals gives this release; the algorithm, its "
            "parameters or the possible originals must be wrong"
        )
    chances = {
        who: {value: _exactly(weight / total) for value, weight in sorted(weight_of.items())}
        for who, weight_of in weights.items()
    }
    return Posterior(chances, tried, kept, exact=True)


def sampled_posterior(
    draw: Callable[[np.random.Generator], World],
    masker: Callable[[World], object],
    release: object,
    secrets: Callable[[World], Mapping[Who, str]],
    *,
    samples: int,
    seed: int,
) -> Posterior | None:
    """Return the posterior from a seeded sample of worlds, with 95% Wilson intervals.

    draw: returns a random world according to the prior. samples: how many worlds to draw. The other
    arguments are those of `posterior`. The result is None if fewer than LEAST_KEPT samples give the
    release.

    >>> after = sampled_posterior(
    ...     lambda rng: rng.integers(0, 2, 2).tolist(), sum, 1, lambda w: {0: str(w[0])},
    ...     samples=400, seed=0,
    ... )
    >>> after.chances[0]["1"].low < 0.5 < after.chances[0]["1"].high
    True
    """
    rng = np.random.default_rng(seed)
    counts: dict[Hashable, Counter[str]] = {}
    kept = 0
    for _ in range(samples):
        world = draw(rng)
        if masker(world) == release:
            kept += 1
            for who, value in secrets(world).items():
                counts.setdefault(who, Counter())[value] += 1
    if kept < LEAST_KEPT:
        return None
    chances = {
        who: {value: _wilson(n, kept) for value, n in sorted(count_of.items())}
        for who, count_of in counts.items()
    }
    return Posterior(chances, samples, kept, exact=False)


def assignments(
    people: Sequence[PersonRow], groups: Sequence[int], secrets: Mapping[int, Sequence[PersonRow]]
) -> PossibleOriginals:
    """Return the possible originals of a release with known classes.

    An original gives each person of a class the sensitive values of one row of this class.

    people: the quasi-identifiers of each person. groups: the class of each person. secrets: by
    class, the released sensitive values of its rows, one tuple for each person.

    The rows of an original follow the order of `people`. All originals are equally likely. If two
    people exchange equal sensitive values, this makes no new original.

    Raises AnonauditError if a class has more or fewer sensitive rows than people.
    """
    members = {g: [i for i, other in enumerate(groups) if other == g] for g in sorted(set(groups))}
    for g, inside in members.items():
        if len(secrets.get(g, ())) != len(inside):
            raise AnonauditError(
                f"class {g} has {len(inside)} person(s) but {len(secrets.get(g, ()))} released "
                "row(s); the external table must list exactly the people of the release"
            )
    number = math.prod(_arrangements(secrets[g]) for g in members)

    def world(orders: Iterable[Sequence[PersonRow]]) -> tuple[PersonRow, ...]:
        placed: dict[int, PersonRow] = {}
        for inside, order in zip(members.values(), orders, strict=True):
            placed.update(
                {i: (*people[i], *secret) for i, secret in zip(inside, order, strict=True)}
            )
        return tuple(placed[i] for i in range(len(people)))

    def every() -> Iterator[tuple[tuple[PersonRow, ...], float]]:
        for orders in product(*(_orders(secrets[g]) for g in members)):
            yield world(orders), 1.0

    def draw(rng: np.random.Generator) -> tuple[PersonRow, ...]:
        return world([[secrets[g][i] for i in rng.permutation(len(secrets[g]))] for g in members])

    return PossibleOriginals(number, every(), draw)


def ground_originals(
    released: Sequence[PersonRow], meanings: Sequence[Mapping[str, Sequence[str]]]
) -> PossibleOriginals:
    """Return the possible originals of generalized rows.

    An original has in each cell one of the ground values that the released label may denote.

    meanings: for each column, a mapping from released labels to the ground values they may denote.
    A label without an entry denotes itself. All originals are equally likely.

    >>> originals = ground_originals([("4*", "flu")], [{"4*": ["41", "42"]}, {}])
    >>> originals.number, [world for world, _ in originals.every]
    (2, [(('41', 'flu'),), (('42', 'flu'),)])
    """
    choices = [
        [list(under.get(cell, [cell])) for cell, under in zip(row, meanings, strict=True)]
        for row in released
    ]
    number = math.prod(len(cell) for row in choices for cell in row)

    def every() -> Iterator[tuple[tuple[PersonRow, ...], float]]:
        for world in product(*(list(product(*row)) for row in choices)):
            yield world, 1.0

    def draw(rng: np.random.Generator) -> tuple[PersonRow, ...]:
        return tuple(tuple(cell[rng.integers(len(cell))] for cell in row) for row in choices)

    return PossibleOriginals(number, every(), draw)


def _orders(rows: Sequence[PersonRow]) -> Iterator[tuple[PersonRow, ...]]:
    """Yield every different order of the rows, in ascending order. Equal rows are not exchanged."""
    order = sorted(rows)
    while True:
        yield tuple(order)
        # The next order raises the last row that a greater row follows, as little as possible.
        rises = [i for i, (row, after) in enumerate(pairwise(order)) if row < after]
        if not rises:
            return
        last = rises[-1]
        above = max(i for i, row in enumerate(order) if i > last and row > order[last])
        order[last], order[above] = order[above], order[last]
        order[last + 1 :] = order[:last:-1]


def _arrangements(rows: Sequence[PersonRow]) -> int:
    repeated = math.prod(math.factorial(n) for n in Counter(rows).values())
    return math.factorial(len(rows)) // repeated


def _exactly(share: float) -> BoundedChance:
    return BoundedChance(share, share, share)


def _wilson(hits: int, n: int) -> BoundedChance:
    """Return the share hits / n with its 95% Wilson interval."""
    z, share = 1.959963984540054, hits / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return BoundedChance(share, max(middle - half, 0.0), min(middle + half, 1.0))
