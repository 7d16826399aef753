"""The ends of intervals as ranks, so that comparing many of them is exact and fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from anonaudit.generalization.labels import Interval
from anonaudit.linking.too_much import check_undecided

Index = npt.NDArray[np.intp]


class _Ranked(NamedTuple):
    codes: Index
    low: Index
    high: Index


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


def inside(inner: Mapping[int, Interval], outer: Mapping[int, Interval]) -> Index:
    """The pairs, shape (n_pairs, 2), of codes of which the second interval holds the first."""
    ours, theirs = _ranked(inner, outer)
    pairs = _beginning_in(ours.low, theirs.low, theirs.high)
    held = ours.high[pairs[:, 0]] <= theirs.high[pairs[:, 1]]
    return _codes(ours, theirs, pairs[held])


def meeting(one: Mapping[int, Interval], other: Mapping[int, Interval]) -> Index:
    """The pairs, shape (n_pairs, 2), of codes of which the intervals have a number in common.

    Raises TooMuchError if there are too many.
    """
    ours, theirs = _ranked(one, other)
    for begins, ranges in ((ours.low, theirs), (theirs.low, ours)):
        check_undecided(int(_run(np.sort(begins), ranges.low, ranges.high)[1].sum()))
    # Of two intervals that meet, one begins in the other.
    first = _beginning_in(ours.low, theirs.low, theirs.high)
    second = _beginning_in(theirs.low, ours.low + 1, ours.high)[:, ::-1]
    return _codes(ours, theirs, np.concatenate([first, second]))


def _ranked(one: Mapping[int, Interval], other: Mapping[int, Interval]) -> tuple[_Ranked, _Ranked]:
    low, high = ranks([*one.values(), *other.values()])
    cut = len(one)
    ours = _Ranked(np.array([*one], np.intp), low[:cut], high[:cut])
    return ours, _Ranked(np.array([*other], np.intp), low[cut:], high[cut:])


def _beginning_in(begins: Index, low: Index, high: Index) -> Index:
    """The pairs of a beginning and a range that it lies in, by their places."""
    order = np.argsort(begins, kind="stable")
    start, length = _run(begins[order], low, high)
    which = np.repeat(np.arange(len(low)), length)
    within = np.arange(len(which)) - np.repeat(np.cumsum(length) - length, length)
    return np.column_stack([order[start[which] + within], which])


def _run(begins: Index, low: Index, high: Index) -> tuple[Index, Index]:
    """Where the sorted beginnings in each range start, and how many they are."""
    start = np.searchsorted(begins, low)
    return start, np.maximum(np.searchsorted(begins, high, side="right") - start, 0)


def _codes(ours: _Ranked, theirs: _Ranked, pairs: Index) -> Index:
    return np.column_stack([ours.codes[pairs[:, 0]], theirs.codes[pairs[:, 1]]])
