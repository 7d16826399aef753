"""Replace the ends of intervals by integer ranks, to compare many intervals exactly and fast."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from anonaudit.arrays import Index
from anonaudit.generalization.labels import Interval


def ranks(intervals: Sequence[Interval]) -> tuple[Index, Index]:
    """Return the lowest and the highest rank of each interval, on a scale common to all intervals.

    An end that belongs to its interval has an even rank. An end that does not belong to it has the
    odd rank next to this even rank, on the inner side. Two intervals have a number in common if and
    only if their ranges of ranks overlap, and an interval contains another if and only if its range
    of ranks does.
    """
    ends = {end for i in intervals for end in (i.low, i.high) if end is not None}
    place: dict[Fraction, int] = {end: 2 * rank for rank, end in enumerate(sorted(ends))}
    top = 2 * len(place)
    low = [-1 if i.low is None else place[i.low] + (not i.low_closed) for i in intervals]
    high = [top if i.high is None else place[i.high] - (not i.high_closed) for i in intervals]
    return np.array(low, np.intp), np.array(high, np.intp)
