"""Detect dates and times that were truncated or rounded although they look complete.

A month may be written as its first day, a week as its Monday, an hour as `08:00`. All labels of a
column together show that this was done: they have the same day of the month, the same weekday, or
full hours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd
from typing import Final

from anonaudit.linking.moments import (
    DAY,
    SECONDS_OF_DAY,
    Moment,
    days_in_month,
    known_parts,
    seconds_of,
)

Pairs = Iterable[tuple[int, int]]
Moments = Mapping[int, Moment]

# In months: ten years, five years, a year, half a year, a quarter, a month.
_YEAR: Final = 12
_PERIODS: Final = (120, 60, _YEAR, 6, 3, 1)
# In seconds: dates are truncated to weeks, and times to full hours or 30, 15, 5 or 1 minutes.
WEEK: Final = 7 * SECONDS_OF_DAY
HOURS: Final = (3600, 1800, 900, 300, 60)
# Labels on a grid are evidence of truncation only if the probability that all of them are on the
# grid by chance is at most this. The first label is not counted, because a grid of dates starts at
# this label.
_RARE: Final = 0.05


def cut_dates(values: Moments, labels: Moments) -> Pairs:
    """The pairs of codes (value, label) in which the label may be the truncated or rounded value.

    values, labels: the parsed dates by code. Only dates with a known day are considered.
    """
    values, labels = (
        {code: m for code, m in some.items() if len(m) >= DAY and known_parts(m) == m}
        for some in (values, labels)
    )
    yield from _in_one_period(values, labels)
    yield from _between_grid_points(values, labels)


def _in_one_period(values: Moments, labels: Moments) -> Pairs:
    """Pair each label with the values in the month or longer period that the label may stand for.

    There are pairs only if all labels have the same day of the month, or all are last days of
    months. The period is the longest of a month, a quarter, half a year, a year, 5 and 10 years of
    which all distances between labels are multiples. A single label must be a first or last day of
    a month: 1 January may stand for a year, 1 October for a quarter. If the period is a year,
    labels such as 1 July 2020 and 1 July 2021 are paired both with their calendar year and with the
    year that begins in July.
    """
    last = bool(labels) and all(int(m[DAY - 1]) == days_in_month(m) for m in labels.values())
    # Count the last day of a month as the beginning of the next month, where the period ends.
    months = {code: _month(m) + last for code, m in labels.items()}
    days = {m[DAY - 1] for m in labels.values()}
    alone = len({*months.values()}) == 1
    if not last and (len(days) != 1 or (alone and days != {"01"})):
        return
    first = min(months.values())
    apart = first % _YEAR if alone else gcd(*(month - first for month in months.values()))
    step = next(step for step in _PERIODS if apart % step == 0 and (step <= _YEAR or not alone))
    months = {code: month - step * last for code, month in months.items()}
    starts = (first, 0) if step == _YEAR else (first,)
    for start in starts:
        periods: dict[int, list[int]] = {}
        for code, m in values.items():
            periods.setdefault((_month(m) - start) // step, []).append(code)
        for label, month in months.items():
            yield from ((code, label) for code in periods.get((month - start) // step, ()))


def _between_grid_points(values: Moments, labels: Moments) -> Pairs:
    """Pair each value between two grid points with the labels at these points.

    There are pairs only if the labels form a grid: dates whole weeks apart, or times at full hours,
    half hours or multiples of 15, 5 or 1 minutes. There are no pairs if many of the values are on
    the grid, too, because then the labels may be on it by chance.
    """
    at = {code: seconds_of(m) for code, m in labels.items()}
    dates = all(len(m) == DAY for m in labels.values())
    first = min(at.values(), default=0) if dates else 0
    apart = gcd(*(second - first for second in at.values()))
    step = next((step for step in ((WEEK,) if dates else HOURS) if apart % step == 0), None)
    if step is None or not apart:
        return
    place = {code: divmod(seconds_of(m) - first, step) for code, m in values.items()}
    on_grid = sum(offset == 0 for _, offset in place.values()) / max(len(place), 1)
    if on_grid ** (len({*at.values()}) - 1) > _RARE:
        return
    codes: dict[int, list[int]] = {}
    for code, second in at.items():
        codes.setdefault((second - first) // step, []).append(code)
    for value, (below, offset) in place.items():
        for near in (below, below + 1) if offset else ():
            yield from ((value, label) for label in codes.get(near, ()))


def _month(moment: Moment) -> int:
    """The number of months since January of the year 0."""
    return 12 * int(moment[0]) + int(moment[1]) - 1
