"""Undo rule hiding whose cells were drawn with a known seed.

Rule hiding draws a random order of the rows. To hide some cells of a value, it suppresses the cells
of this value that come first in the order. So if a row shows a value, no suppressed cell later in
the order has this value. Older versions of `anonaudit mask` drew the order with a known seed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice

import numpy as np

from anonaudit.arrays import Index
from anonaudit.linking.known_orders import known_orders, level_of_order

Filling = Mapping[str, int]

# The largest chance that a secret draw is taken for the draw of a known seed.
MISTAKEN_SEED = 0.01


@dataclass(frozen=True)
class Gaps:
    """The suppressed cells of one attribute in one class.

    attribute, number: the attribute, and the number of the class. cells: the numbers of the rows
    with a suppressed cell. shown: by value, the numbers of the rows of the class that show it.
    fillings: every filling that the algorithm can have suppressed. A filling states how many
    suppressed cells have each value.
    """

    attribute: str
    number: int
    cells: Index
    shown: Mapping[str, Index]
    fillings: Sequence[Filling]

    @cached_property
    def if_secret(self) -> float:
        """The logarithm of the likelihood of the released class under a secret draw.

        The likelihood is a sum over all fillings, and over all ways to write the values of a
        filling into the cells. Each way adds the chance that a secret draw suppresses exactly these
        cells. This chance is 1/c, where c is the number of ways to choose which cells of each value
        to suppress.
        """
        total = Fraction(0)
        for filling in self.fillings:
            ways = Fraction(math.factorial(len(self.cells)))
            for value, hidden in filling.items():
                choices = math.comb(len(self.shown.get(value, ())) + hidden, hidden)
                ways /= math.factorial(hidden) * choices
            total += ways
        return math.log(total.numerator) - math.log(total.denominator)


def drawn_by(gaps: Sequence[Gaps], rows: int, seeds: Sequence[int]) -> Index | None:
    """Return the place of each row in the draw of a known seed that explains all gaps.

    The places have the shape (rows,). They are None if no seed explains the gaps.

    rows: how many rows the release has. seeds: the known seeds, in the order of the trials.

    For each seed, the likelihood of the release under this seed is divided by the likelihood under
    a secret draw. If the draw was secret, this ratio is at least x with a chance of at most 1/x
    (Markov's inequality). The j-th order that is tried is accepted if its ratio is above
    1 / level_of_order(j, MISTAKEN_SEED).
    """
    attributes = {one.attribute for one in gaps}
    # `known_orders` yields each draw and its inverse. Rule hiding uses the draw itself.
    orders = islice(known_orders(rows, seeds), len(seeds) if gaps else 0)
    for number, (_, order) in enumerate(orders, 1):
        place = np.empty(rows, np.intp)
        place[order] = np.arange(rows)
        # One draw serves all attributes, so their ratios are not independent evidence. Only the
        # largest ratio counts, divided by the number of attributes.
        ratios = dict.fromkeys(attributes, -math.log(len(attributes)))
        for one in gaps:
            ratios[one.attribute] += _log_ratio(one, place)
            if ratios[one.attribute] == -math.inf:
                break
        else:
            if max(ratios.values()) > -math.log(level_of_order(number, MISTAKEN_SEED)):
                return place
    return None


def cell_chances(gaps: Gaps, place: Index) -> list[dict[str, float]]:
    """Return the chances of the values of each suppressed cell, given each row's place in the draw.

    In the example the rows were drawn in this order: the row that shows c, the row that shows a,
    the row with the suppressed cell, the row that shows b. So the cell can only be b.

    >>> shown = {"a": np.array([1]), "b": np.array([2]), "c": np.array([3])}
    >>> one = Gaps("dx", 0, np.array([0]), shown, [{"a": 1}, {"b": 1}, {"c": 1}])
    >>> cell_chances(one, np.array([2, 1, 3, 0]))
    [{'b': 1.0}]
    """
    drawn, last = place[gaps.cells], _last(gaps, place)
    total = sum(_ways(filling, drawn, last) for filling in gaps.fillings)
    known: dict[frozenset[str], dict[str, float]] = {}
    chances = []
    for at in range(len(drawn)):
        able = frozenset(value for value, end in last.items() if drawn[at] < end)
        if able not in known:
            others = np.delete(drawn, at)
            counts = {
                value: sum(
                    _ways({**filling, value: filling[value] - 1}, others, last)
                    for filling in gaps.fillings
                    if filling.get(value, 0)
                )
                for value in sorted(able)
            }
            known[able] = {value: n / total for value, n in counts.items() if n}
        chances.append(known[able])
    return chances


def _last(gaps: Gaps, place: Index) -> dict[str, float]:
    """Return by value the place of the first row that shows it; infinite if no row shows it.

    All suppressed cells with this value were drawn before this place.
    """
    values = {value for filling in gaps.fillings for value in filling}
    rows = {value: gaps.shown.get(value, ()) for value in values}
    return {
        value: float(place[there].min()) if len(there) else math.inf
        for value, there in rows.items()
    }


def _ways(filling: Filling, drawn: Index, last: Mapping[str, float]) -> int:
    """Return in how many ways the values of a filling can be written into the suppressed cells.

    drawn: the place of each suppressed cell in the draw. last: by value, see `_last`.
    """
    used, ways = 0, 1
    for value in sorted(filling, key=lambda value: last[value]):
        early = int((drawn < last[value]).sum()) - used
        ways *= math.comb(max(early, 0), filling[value])
        used += filling[value]
    return ways


def _log_ratio(gaps: Gaps, place: Index) -> float:
    """Return the logarithm of the likelihood ratio of a class: this draw to a secret draw."""
    drawn, last = place[gaps.cells], _last(gaps, place)
    known = sum(_ways(filling, drawn, last) for filling in gaps.fillings)
    return math.log(known) - gaps.if_secret if known else -math.inf
