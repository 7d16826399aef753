"""Intervals compared by ranks, beside a membership test at their ends and between them."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonaudit.generalization.labels import Interval
from anonaudit.linking import too_much
from anonaudit.linking.spans import inside, meeting
from anonaudit.linking.too_much import TooMuchError

ends = st.none() | st.integers(-3, 3).map(Fraction)


@st.composite
def intervals(draw):
    low, high = draw(ends), draw(ends)
    if low is not None and high is not None and low > high:
        low, high = high, low
    closed = draw(st.booleans()), draw(st.booleans())
    if low is not None and low == high:
        closed = True, True
    return Interval(low, high, closed[0] and low is not None, closed[1] and high is not None)


def points(label):
    """Which of the whole and half numbers around all ends are in an interval."""
    return {
        x
        for x in (Fraction(n, 2) for n in range(-9, 10))
        if (label.low is None or x > label.low or (label.low_closed and x == label.low))
        and (label.high is None or x < label.high or (label.high_closed and x == label.high))
    }


@given(st.lists(intervals(), max_size=6), st.lists(intervals(), max_size=6))
def test_every_pair_is_compared(ours, theirs):
    one, other = dict(enumerate(ours, 10)), dict(enumerate(theirs, 20))
    for find, holds in ((inside, set.issubset), (meeting, lambda a, b: bool(a & b))):
        found = [(i, j) for i, j in find(one, other).tolist()]
        expected = [
            (i, j) for i, a in one.items() for j, b in other.items() if holds(points(a), points(b))
        ]
        assert sorted(found) == sorted(expected)


def test_too_many_that_meet_are_refused(monkeypatch):
    everything = {code: Interval(None, None, False, False) for code in range(3)}
    monkeypatch.setattr(too_much, "MOST_UNDECIDED", 9)
    assert len(meeting(everything, everything)) == 9
    monkeypatch.setattr(too_much, "MOST_UNDECIDED", 8)
    with pytest.raises(TooMuchError):
        meeting(everything, everything)
