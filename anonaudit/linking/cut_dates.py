"""Dates and times that may have been cut or rounded, although each of them is a whole one.

A month may be written as its first day, a week as its Monday, an hour as `08:00`. The labels of a
column give it away: they all have one day of the month, fall on one weekday, or on full hours.
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

# In months: ten years, five, one, half a year, a quarter, a month.
_YEAR: Final = 12
_PERIODS: Final = (120, 60, _YEAR, 6, 3, 1)
# In seconds: a week between dates; hours and minutes that people cut times to.
WEEK: Final = 7 * SECONDS_OF_DAY
HOURS: Final = (3600, 1800, 900, 300, 60)
# All labels but one fall on a grid by chance so seldom, if they are a sign of a cut.
_RARE: Final = 0.05


def cut_dates(values: Moments, labels: Moments) -> Pairs:
    """The pairs of codes (of a value, of a label) in which the label may be the value, cut.

    Only moments with a known day count.
    """
    values, labels = (
        {code: m for code, m in some.items() if len(m) >= DAY and known_parts(m) == m}
        for some in (values, labels)
    )
    yield from _in_one_period(values, labels)
    yield from _beside_grid(values, labels)


def _in_one_period(values: Moments, labels: Moments) -> Pairs:
    """Labels of one day of the month stand for months; for quarters or years if these divide them.

    So do labels that are all last days of a month. A single date does so if it is a first or a last
    day: 1 January for a year, 1 October for a quarter. A year may be written as any day of it.
    """
    last = bool(labels) and all(int(m[DAY - 1]) == days_in_month(m) for m in labels.values())
    # The last day of a month ends what the first day of the next one begins.
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


def _beside_grid(values: Moments, labels: Moments) -> Pairs:
    """Labels that are whole weeks or hours apart may be any value between them and the next ones.

    So many of the values must lie off the grid that the labels do not lie on it by chance.
    """
    at = {code: seconds_of(m) for code, m in labels.items()}
    dates = all(len(m) == DAY for m in labels.values())
    first = min(at.values(), default=0) if dates else 0
    apart = gcd(*(second - first for second in at.values()))
    step = next((step for step in ((WEEK,) if dates else HOURS) if apart % step == 0), None)
    if step is None or not apart:
        return
    place = {code: divmod(seconds_of(m) - first, step) for code, m in values.items()}
    on_grid = sum(beside == 0 for _, beside in place.values()) / max(len(place), 1)
    if on_grid ** (len({*at.values()}) - 1) > _RARE:
        return
    codes: dict[int, list[int]] = {}
    for code, second in at.items():
        codes.setdefault((second - first) // step, []).append(code)
    for value, (below, beside) in place.items():
        for near in (below, below + 1) if beside else ():
            yield from ((value, label) for label in codes.get(near, ()))


def _month(moment: Moment) -> int:
    """The months from the year 0 on."""
    return 12 * int(moment[0]) + int(moment[1]) - 1
