"""Find the pairs of intervals that overlap, or of which one contains the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from anonaudit.arrays import Index
from anonaudit.frequency.codes import runs
from anonaudit.generalization.labels import Interval
from anonaudit.generalization.ranks import ranks
from anonaudit.linking.too_much import check_undecided


class _Ranked(NamedTuple):
    codes: Index
    low: Index
    high: Index


def inside(inner: Mapping[int, Interval], outer: Mapping[int, Interval]) -> Index:
    """The pairs of codes whose first interval lies inside the second, shape (n_pairs, 2)."""
    ours, theirs = _ranked(inner, outer)
    pairs = _beginning_in(ours.low, theirs.low, theirs.high)
    held = ours.high[pairs[:, 0]] <= theirs.high[pairs[:, 1]]
    return _codes(ours, theirs, pairs[held])


def meeting(one: Mapping[int, Interval], other: Mapping[int, Interval]) -> Index:
    """The pairs of codes whose intervals have a number in common, shape (n_pairs, 2).

    Raises TooMuchError if there are too many pairs.
    """
    ours, theirs = _ranked(one, other)
    for begins, ranges in ((ours.low, theirs), (theirs.low, ours)):
        check_undecided(int(_run(np.sort(begins), ranges.low, ranges.high)[1].sum()))
    # If two intervals overlap, one of them begins inside the other.
    first = _beginning_in(ours.low, theirs.low, theirs.high)
    second = _beginning_in(theirs.low, ours.low + 1, ours.high)[:, ::-1]
    return _codes(ours, theirs, np.concatenate([first, second]))


def _ranked(one: Mapping[int, Interval], other: Mapping[int, Interval]) -> tuple[_Ranked, _Ranked]:
    low, high = ranks([*one.values(), *other.values()])
    cut = len(one)
    ours = _Ranked(np.array([*one], np.intp), low[:cut], high[:cut])
    return ours, _Ranked(np.array([*other], np.intp), low[cut:], high[cut:])


def _beginning_in(begins: Index, low: Index, high: Index) -> Index:
    """The pairs (i, j) for which begins[i] lies in the range from low[j] to high[j]."""
    order = np.argsort(begins, kind="stable")
    start, length = _run(begins[order], low, high)
    which, within = runs(length)
    return np.column_stack([order[start[which] + within], which])


def _run(begins: Index, low: Index, high: Index) -> tuple[Index, Index]:
    """The position of the first entry of `begins` inside each range, and how many lie inside it.

    begins: positions in ascending order.
    low, high: the ends of the ranges, inclusive.
    """
    start = np.searchsorted(begins, low)
    return start, np.maximum(np.searchsorted(begins, high, side="right") - start, 0)


def _codes(ours: _Ranked, theirs: _Ranked, pairs: Index) -> Index:
    return np.column_stack([ours.codes[pairs[:, 0]], theirs.codes[pairs[:, 1]]])
