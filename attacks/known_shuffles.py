"""Undo a shuffle by trying the orders that known programs produce from known seeds.

Source: our own. The method restored the order of every release that `anonaudit mask` had shuffled
with numpy's generator and seed 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Index
from anonaudit.linking.known_orders import known_orders, level_of_order

Amounts = npt.NDArray[np.int64] | npt.NDArray[np.float64]

AT_FIRST = 1_000  # rows to compare first; they suffice to reject most wrong orders


class Fits:
    """Counts the rows of two files that match, for any order of the first file.

    person, key: shape (n,), the number of the combination of each row, in the first and in the
    second file. keys: how many combinations the second file has. pairs: person * keys + key, for
    each matching pair of combinations.
    """

    def __init__(self, person: Index, key: Index, pairs: Index, keys: int) -> None:
        self._place, self._key, self._pairs = person * keys, key, np.sort(pairs)

    def __len__(self) -> int:
        return len(self._key)

    def rows(self, order: Index, agreement: float = 0.0) -> int:
        """Return how many rows match if the first file is put into this order.

        order: shape (n,), the row of the first file at each position. The result is 0 if less than
        the share `agreement` of the rows match.
        """
        n, fitting, seen = len(order), 0, 0
        while seen < n and len(self._pairs):
            part = slice(seen, 2 * seen + AT_FIRST)
            place = self._place[order[part]] + self._key[part]
            at = np.searchsorted(self._pairs[:-1], place)  # the last pair if `place` is beyond it
            fitting += int((self._pairs[at] == place).sum())
            seen += len(place)
            if (fitting + n - seen) / n < agreement:
                return 0
        return fitting


@dataclass(frozen=True)
class Back:
    """An order that restores the rows of the release.

    rows: how many rows match. chance: an upper bound of the chance that a random order matches as
    many rows. order: the name of the order.
    """

    rows: int
    chance: float
    order: str


def put_back(
    fits: Fits, per_person: Amounts, seeds: Sequence[int], agreement: float, allowed: float
) -> Back | None:
    """Return the first known order that matches more rows than chance explains, or None.

    per_person: shape (n,), how many released rows match each row of the other file. seeds: the
    seeds of the orders to try. agreement: the least share of the rows that must match. allowed: the
    largest chance that any of the tried orders is accepted by luck.
    """
    for number, (name, order) in enumerate(known_orders(len(fits), seeds), 1):
        fitting = fits.rows(order, agreement)
        if fitting and (by_luck := luck_bound(fitting, per_person)) < level_of_order(
            number, allowed
        ):
            return Back(fitting, by_luck, name)
    return None


def luck_bound(fitting: int, per_person: Amounts) -> float:
    """Return an upper bound of the chance that a random order matches at least `fitting` rows.

    Chatterjee (2007, proposition 1.1) bounds the chance to match t more rows than the mean m by
    2 exp(-t^2 / (4 m + 2 t)). If all rows match, the theorem of Bregman and Minc gives a second
    bound. The second bound is exact if each person matches the rows of one class. In the example,
    two classes of 5 rows give 5! 5! / 10! = 1 / 252. The result is the smaller bound.

    per_person: see `put_back`.

    >>> round(luck_bound(10, np.full(10, 5.0)) * 252, 9)
    1.0
    """
    from scipy.special import gammaln  # slow to start

    n, mean = len(per_person), float(per_person.sum()) / len(per_person)
    more = fitting - mean
    bounds = [1.0]
    if more > 0:
        bounds.append(2 * math.exp(-(more**2) / (4 * mean + 2 * more)))
    if fitting == n:
        orders = (gammaln(per_person + 1) / per_person).sum()
        bounds.append(math.exp(min(orders - gammaln(n + 1), 0.0)))
    return min(bounds)
