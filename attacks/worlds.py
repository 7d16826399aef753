"""The posterior of an adversary who knows the algorithm: all originals that give this release.

A world is one possible original. The adversary runs the algorithm on every world it thinks
possible and keeps those that give the release it sees; what holds in all of them is certain.
Source: Wong, Fu, Wang, Pei 2007 (minimality attack); Cormode, Srivastava, Li, Krishnamurthy 2010.

Exact by enumeration while the worlds are few, else by seeded sampling with an interval.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import NamedTuple, TypeVar

import numpy as np

from anonaudit.errors import AnonauditError

World = TypeVar("World")
PersonRow = tuple[str, ...]
Who = TypeVar("Who", bound=Hashable)

# Fewer kept samples than this decide nothing.
LEAST_KEPT = 30


class PossibleOriginals(NamedTuple):
    """What the adversary thinks possible before looking at the algorithm.

    number: of worlds. every: all of them, each with a weight. draw: one of them, at random.
    """

    number: int
    every: Iterator[tuple[tuple[PersonRow, ...], float]]
    draw: Callable[[np.random.Generator], tuple[PersonRow, ...]]


@dataclass(frozen=True)
class BoundedChance:
    """How likely a target has a value, and between which bounds with 95 % confidence.

    Exact numbers have equal bounds.
    """

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Posterior:
    """What the adversary believes of each target.

    chances: by target, then value. worlds: how many were tried. kept: how many gave the release.
    exact: whether all worlds were tried, not a sample.
    """

    chances: Mapping[Hashable, Mapping[str, BoundedChance]] = field(repr=False)
    worlds: int
    kept: int
    exact: bool

    def certain(self) -> dict[Hashable, str]:
        """The targets with one possible value, and it. A sample makes nothing certain."""
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
    """The exact posterior: over all worlds, each with how likely it was beforehand.

    masker: what the algorithm makes of a world, in a form that can be compared with `release`
        (for example a Counter of rows, where the order tells nothing); None where it fails.
    secrets: the value of each target in a world.

    Raises AnonauditError if no world gives the release: then the adversary knows something wrong.

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
            "parameters or the possible originals are not those of the release"
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
    """The posterior from a seeded sample of worlds, with Wilson intervals of 95 %.

    draw: one world, as likely as the adversary thinks it beforehand.
    Returns None where too few samples give the release (see LEAST_KEPT) to say anything.

    >>> after = sampled_posterior(
    ...     lambda rng: rng.integers(0, 2, 2).tolist(), sum, 1, lambda w: {0: str(w[0])},
    ...     samples=400, seed=0,
    ... )
    >>> after.chances[0]["1"].low < 0.5 < found.chances[0]["1"].high
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
    """The originals of a release whose classes are known: who in a class has which secrets.

    people: their quasi-identifiers. groups: the class of each. secrets: by class the sensitive
    rows that were released, as many as people in it.
    Rows stand in the order of people; each original is as likely, and rows with equal secrets
    are not told apart.

    Raises AnonauditError where a class has not as many secrets as people.
    """
    members = {g: [i for i, other in enumerate(groups) if other == g] for g in sorted(set(groups))}
    for g, inside in members.items():
        if len(secrets.get(g, ())) != len(inside):
            raise AnonauditError(
                f"class {g} has {len(inside)} people but {len(secrets.get(g, ()))} released rows; "
                "everybody of the table must be in the release, in one class"
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
        for orders in product(*(sorted(set(permutations(secrets[g]))) for g in members)):
            yield world(orders), 1.0

    def draw(rng: np.random.Generator) -> tuple[PersonRow, ...]:
        return world([[secrets[g][i] for i in rng.permutation(len(secrets[g]))] for g in members])

    return PossibleOriginals(number, every(), draw)


def ground_originals(
    released: Sequence[PersonRow], meanings: Sequence[Mapping[str, Sequence[str]]]
) -> PossibleOriginals:
    """The originals of generalized rows: every ground value that each cell may stand for.

    meanings: by column the ground values under a released label; a label that is not there
    stands for itself. Each original is as likely.

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


def _arrangements(rows: Sequence[PersonRow]) -> int:
    repeated = math.prod(math.factorial(n) for n in Counter(rows).values())
    return math.factorial(len(rows)) // repeated


def _exactly(share: float) -> BoundedChance:
    return BoundedChance(share, share, share)


def _wilson(hits: int, n: int) -> BoundedChance:
    """Wilson's interval for a share, at 95 %."""
    z, share = 1.959963984540054, hits / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return BoundedChance(share, max(middle - half, 0.0), min(middle + half, 1.0))
