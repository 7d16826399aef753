"""Sort released rows, and draw random orders that an adversary cannot repeat.

An adversary knows this program. If the program shuffled rows with a constant or printed seed, the
adversary could repeat the shuffle, and link each released row to its row of the original. If the
program drew suppressed cells with such a seed, the adversary could repeat the draw. So a release is
sorted by its own values, which reveals nothing more than the values, and secret draws come from the
operating system.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pandas as pd

from anonaudit.arrays import Index


def by_values(*tables: pd.DataFrame) -> Index:
    """Return the row numbers that sort rows by the first column, then by the second, and so on.

    Empty cells come first. The other cells are sorted by the code points of their texts.

    tables: tables with the same rows. The columns of the first table decide first; the columns of
    the next table break ties.

    >>> table = pd.DataFrame({"age": ["30", None, "20", "30"], "dx": ["b", "b", "c", "a"]})
    >>> by_values(table).tolist()
    [1, 2, 3, 0]
    """
    cells = [table.iloc[:, j] for table in tables for j in range(table.shape[1])]
    ranks = [pd.factorize(column.to_numpy(object), sort=True)[0] for column in cells]
    return np.lexsort(ranks[::-1])


def drawing(seed: int | None = None) -> Callable[[int], Index]:
    """Return a function of n that returns the numbers 0 to n - 1 in a new random order.

    seed: None draws from the operating system, so nobody can repeat the order. With a number,
    anybody who knows the number can repeat the order, an adversary too. Use a number for
    experiments, never for a release.
    """
    if seed is not None:
        return np.random.default_rng(seed).permutation
    return lambda n: np.argsort(np.frombuffer(os.urandom(8 * n), np.uint64), kind="stable")
