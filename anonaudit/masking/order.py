"""The order of released rows and of secret draws: nobody can undo either.

An adversary knows this program. A shuffle from a seed that is a constant, or that is printed, can
be put back; then row i of the release is row i of the original, and every suppressed cell that was
drawn is drawn again. So a release is sorted by its own values, which says nothing beyond them, and
secret draws come from the operating system.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pandas as pd

from anonaudit.arrays import Index


def by_values(*tables: pd.DataFrame) -> Index:
    """The rows in the order of their texts: by the first column, ties by the second, and so on.

    Empty cells come first, the others by the code points of their texts. tables: of the same
    rows; the columns of the first decide before those of the second.

    >>> table = pd.DataFrame({"age": ["30", None, "20", "30"], "dx": ["b", "b", "c", "a"]})
    >>> by_values(table).tolist()
    [1, 2, 3, 0]
    """
    cells = [table.iloc[:, j] for table in tables for j in range(table.shape[1])]
    ranks = [pd.factorize(column.to_numpy(object), sort=True)[0] for column in cells]
    return np.lexsort(ranks[::-1])


def drawing(seed: int | None = None) -> Callable[[int], Index]:
    """A function that draws the numbers from 0 to n - 1 in a random order, a new one each time.

    seed: None draws from the operating system, and nobody can draw that order again. A number
    makes draws that can be repeated, by an adversary too: for experiments, not for releases.
    """
    if seed is not None:
        return np.random.default_rng(seed).permutation
    return lambda n: np.argsort(np.frombuffer(os.urandom(8 * n), np.uint64), kind="stable")
