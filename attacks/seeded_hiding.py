"""Rule hiding is undone by who knows the seed that its cells were drawn with.

Hiding takes the cells of a value in the order of a draw, the first ones. So a value that is shown
in a row is in no gap that was drawn later. `anonaudit mask` once drew with a known seed.
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

MISTAKEN_SEED = 0.01  # that a draw from the operating system is mistaken for one from a known seed


@dataclass(frozen=True)
class Gaps:
    """The suppressed cells of one attribute in one class.

    attribute, number: which. cells: the rows that have them. shown: the rows that show each value.
    fillings: every way to fill the cells that the algorithm can have left: how many are of which
    value.
    """

    attribute: str
    number: int
    cells: Index
    shown: Mapping[str, Index]
    fillings: Sequence[Filling]

    @cached_property
    def if_secret(self) -> float:
        """The logarithm of how many fillings a secret draw turns into this class, on average.

        Every filling of the cells is as likely as the next, and gives just these gaps with a chance
        of one in the choices of cells there are for each value.
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
    """The place of each row in the draw of a known seed that explains all gaps; None if none does.

    A seed is believed where the release is so much likelier with it than with a secret draw that
    luck does not explain it: a random order reaches a ratio of x with a chance of 1/x at most
    (Markov), and the seed tried as number j needs 1 / level_of_order(j, CHANCE).
    """
    attributes = {one.attribute for one in gaps}
    orders = islice(known_orders(rows, seeds), len(seeds) if gaps else 0)  # forward, as drawn
    for number, (_, order) in enumerate(orders, 1):
        place = np.empty(rows, np.intp)
        place[order] = np.arange(rows)
        # One draw serves all attributes, so their ratios are no independent evidence: the largest
        # counts, divided by their number.
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
    """The chance of each value behind each cell, given the place of each row in the draw.

    >>> shown = {"a": np.array([1]), "b": np.array([2]), "c": np.array([3])}
    >>> one = Gaps("dx", 0, np.array([0]), shown, [{"a": 1}, {"b": 1}, {"c": 1}])
    >>> cell_chances(one, np.array([2, 1, 3, 0]))  # drawn were c, a, the gap, b
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
    """When the first row that shows a value was drawn: before that, its gaps were."""
    values = {value for filling in gaps.fillings for value in filling}
    rows = {value: gaps.shown.get(value, ()) for value in values}
    return {
        value: float(place[there].min()) if len(there) else math.inf
        for value, there in rows.items()
    }


def _ways(filling: Filling, drawn: Index, last: Mapping[str, float]) -> int:
    """In how many ways cells drawn at these places can hold a filling."""
    used, ways = 0, 1
    for value in sorted(filling, key=lambda value: last[value]):
        early = int((drawn < last[value]).sum()) - used
        ways *= math.comb(max(early, 0), filling[value])
        used += filling[value]
    return ways


def _log_ratio(gaps: Gaps, place: Index) -> float:
    """How much likelier a class is with this draw than with a secret one, as a logarithm."""
    drawn, last = place[gaps.cells], _last(gaps, place)
    known = sum(_ways(filling, drawn, last) for filling in gaps.fillings)
    return math.log(known) - gaps.if_secret if known else -math.inf
