"""The ends of intervals as ranks, so that comparing many of them is exact and fast."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from anonaudit.arrays import Index
from anonaudit.generalization.labels import Interval


def ranks(intervals: Sequence[Interval]) -> tuple[Index, Index]:
    """The lowest and the highest place of each interval, in an order common to all.

    An end that does not belong to its interval lies one place inside it, where no end is. So two
    intervals have a number in common if their places overlap, and one holds the other if its
    places do.
    """
    ends = {end for i in intervals for end in (i.low, i.high) if end is not None}
    place: dict[Fraction, int] = {end: 2 * rank for rank, end in enumerate(sorted(ends))}
    top = 2 * len(place)
    low = [-1 if i.low is None else place[i.low] + (not i.low_closed) for i in intervals]
    high = [top if i.high is None else place[i.high] - (not i.high_closed) for i in intervals]
    return np.array(low, np.intp), np.array(high, np.intp)
