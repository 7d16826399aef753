"""A shuffle is undone by who knows the program and its seed: the orders that anybody can try.

Source: ours; of the releases that `anonaudit mask` shuffled by numpy's generator with seed 0, all
were put back in order.
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

AT_FIRST = 1_000  # rows that are compared before most orders are given up


class Fits:
    """Which rows of two files fit, under any order of the first.

    person, key: shape (n,), the combination of each row of the two files. pairs: person * keys +
    key of those that fit.
    """

    def __init__(self, person: Index, key: Index, pairs: Index, keys: int) -> None:
        self._place, self._key, self._pairs = person * keys, key, np.sort(pairs)

    def __len__(self) -> int:
        return len(self._key)

    def rows(self, order: Index, agreement: float = 0.0) -> int:
        """How many rows fit; none, as soon as fewer than the share `agreement` can."""
        n, fitting, seen = len(order), 0, 0
        while seen < n and len(self._pairs):
            part = slice(seen, 2 * seen + AT_FIRST)
            place = self._place[order[part]] + self._key[part]
            at = np.searchsorted(self._pairs[:-1], place)  # in the last if beyond all others
            fitting += int((self._pairs[at] == place).sum())
            seen += len(place)
            if (fitting + n - seen) / n < agreement:
                return 0
        return fitting


@dataclass(frozen=True)
class Back:
    """An order that puts the rows of the release back: how many fit, how likely that is by luck."""

    rows: int
    chance: float
    order: str


def put_back(
    fits: Fits, per_person: Amounts, seeds: Sequence[int], agreement: float, allowed: float
) -> Back | None:
    """The first known order that more rows fit than luck explains; None if there is none.

    per_person: shape (n,), how many released rows each row of the other file fits.
    """
    for number, (name, order) in enumerate(known_orders(len(fits), seeds), 1):
        fitting = fits.rows(order, agreement)
        if fitting and (by_luck := luck_bound(fitting, per_person)) < level_of_order(
            number, allowed
        ):
            return Back(fitting, by_luck, name)
    return None


def luck_bound(fitting: int, per_person: Amounts) -> float:
    """An upper bound of the chance that a random order fits at least so many rows.

    By Chatterjee (2007, proposition 1.1) with the mean m of a random order and t more than that:
    2 exp(-t^2 / (4 m + 2 t)). Where all rows fit, also by the theorem of Bregman and Minc: so many
    orders there are at most, and exactly as many where each person fits the rows of one class.

    >>> round(luck_bound(10, np.full(10, 5.0)) * 252, 9)  # two classes of 5: 5! 5! / 10!
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
