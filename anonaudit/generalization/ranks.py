"""Replace the ends of intervals by integer ranks, to compare many intervals exactly and fast."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from anonaudit.arrays import Index
from anonaudit.generalization.labels import Interval


def ranks(intervals: Sequence[Interval]) -> tuple[Index, Index]:
    """Return the lowest and the highest rank of each interval, two arrays of shape (n_intervals,).

    The distinct ends of all intervals, in ascending order, have the ranks 0, 2, 4, ... An end that
    does not belong to its interval has the odd rank next to it, on the inner side. Example: with
    the ends 20 and 30, `[20,30]` has the ranks 0 to 2, `[20,30)` has 0 to 1, and `(20,30)` has 1 to
    1. A missing lower end has the rank -1, and a missing upper end a rank above all others.

    Two intervals have a number in common if and only if their ranges of ranks overlap. One interval
    contains another if and only if its range of ranks contains the other range.
    """
    ends = {end for i in intervals for end in (i.low, i.high) if end is not None}
    place: dict[Fraction, int] = {end: 2 * rank for rank, end in enumerate(sorted(ends))}
    top = 2 * len(place)
    low = [-1 if i.low is None else place[i.low] + (not i.low_closed) for i in intervals]
    high = [top if i.high is None else place[i.high] - (not i.high_closed) for i in intervals]
    return np.array(low, np.intp), np.array(high, np.intp)
