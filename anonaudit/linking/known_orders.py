"""Orders that a program gives to the rows of a file from a seed that anybody can try."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from anonaudit.arrays import Index

# The seeds that are tried: 0 was the default of `anonaudit mask`, and small ones are what is typed.
SEEDS: Final = range(100)
MOST_SEED: Final = 2**32 - 1  # that both generators take

# `default_rng` shuffled the releases of `anonaudit mask`; `RandomState` is what
# `DataFrame.sample(frac=1, random_state=seed)` and scikit-learn's `shuffle` draw from.
_GENERATORS: Final[dict[str, Callable[[int, int], Index]]] = {
    "numpy.random.default_rng": lambda seed, n: np.random.default_rng(seed).permutation(n),
    "numpy.random.RandomState": lambda seed, n: np.random.RandomState(seed).permutation(n),
}


def known_orders(n: int, seeds: Sequence[int] = SEEDS) -> Iterator[tuple[str, Index]]:
    """Orders of n rows by a known generator and seed, the likeliest first, each with its name.

    Entry i is the row of the old file that stands at place i of the new one. Every order comes
    forward (the new file is `old[order]`) and backward (`new[order] = old`).

    >>> next(known_orders(3, [0]))
    ('numpy.random.default_rng, forward', array([2, 0, 1]))
    """
    for name, drawn in _GENERATORS.items():
        for seed in seeds:
            yield f"{name}, forward", drawn(seed, n)
        for seed in seeds:
            order = np.empty(n, np.intp)
            order[drawn(seed, n)] = np.arange(n)
            yield f"{name}, backward", order


def level_of_order(number: int, chance: float) -> float:
    """How small the chance of the order tried as `number`, from 1, must be to be believed.

    Someone who tries many orders finds one that fits by luck. The levels of all orders, however
    many are tried, add up to `chance`; the first ones get most of it.

    >>> [round(level_of_order(number, 0.01), 5) for number in (1, 2, 3)]
    [0.005, 0.00167, 0.00083]
    """
    return chance / (number * (number + 1))
