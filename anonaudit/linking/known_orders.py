"""Row orders that common shuffle functions produce for small seeds: any adversary can try them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from anonaudit.arrays import Index

# The seeds to try. 0 was the default of `anonaudit mask`, and people choose small numbers.
SEEDS: Final = range(100)
MOST_SEED: Final = 2**32 - 1  # the largest seed that both generators accept

# Earlier versions of `anonaudit mask` shuffled with `default_rng`. `RandomState` is used by
# `DataFrame.sample(frac=1, random_state=seed)` and by scikit-learn's `shuffle`.
_GENERATORS: Final[dict[str, Callable[[int, int], Index]]] = {
    "numpy.random.default_rng": lambda seed, n: np.random.default_rng(seed).permutation(n),
    "numpy.random.RandomState": lambda seed, n: np.random.RandomState(seed).permutation(n),
}


def known_orders(n: int, seeds: Sequence[int] = SEEDS) -> Iterator[tuple[str, Index]]:
    """Yield the name and the array of each order of n rows that a known generator produces.

    Entry i of an order is the position in the old file of the row at position i of the new file.
    Each permutation that a generator draws gives two orders: forward, if the new file is
    `old[drawn]`, and backward, if `new[drawn] = old`. The most likely orders come first.

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
    """The significance level of the order with this number, in the sequence of all tried orders.

    number: the position of the order in the sequence, from 1.
    chance: the significance level of all orders together.

    An adversary who tries many orders finds one that fits by chance. So the levels of all orders
    add up to at most `chance`, however many are tried. The first orders get the largest levels.

    >>> [round(level_of_order(number, 0.01), 5) for number in (1, 2, 3)]
    [0.005, 0.00167, 0.00083]
    """
    return chance / (number * (number + 1))
