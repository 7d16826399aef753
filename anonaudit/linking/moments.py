"""Parse ISO dates and times, and compare two dates by the parts that both have.

So `2020-05` contains `2020-05-17`. A year alone may also be an ordinary number, so it is compared
only with dates that have a day.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final

Moment = tuple[str, ...]

YEAR: Final = re.compile(r"[12][0-9]{3}")
_ISO: Final = re.compile(
    rf"({YEAR.pattern}|0000(?=-00-00))(?:-(0[1-9]|1[0-2]|00(?=-00))(?:-([0-3][0-9])"
    r"(?:[T ]([0-2][0-9]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]*))?)?)?)?)?"
)
_YEAR: Final = 1
_MONTH: Final = 2
DAY: Final = 3
SECONDS_OF_DAY: Final = 86_400


def moment(text: str) -> Moment | None:
    """Split a text into year, month, day, hour, ...; None if it is not an ISO date or time.

    Parts that the text lacks are left out, and so are trailing zeros of a fraction of a second. A
    time with a time zone gives None. The month `00`, the day `00` and the date `0000-00-00` are
    allowed and mean "unknown" (see `known_parts`).

    >>> moment("2020-05"), moment("2020-05-17T08:30"), moment("2019-20")
    (('2020', '05'), ('2020', '05', '17', '08', '30'), None)
    """
    match = _ISO.fullmatch(text.strip())
    if match is None:
        return None
    *parts, fraction = match.groups()
    return tuple(filter(None, (*parts, fraction and fraction.rstrip("0"))))


def known_parts(parts: Moment) -> Moment:
    """The parts before an unknown year, month or day; all parts if none is unknown.

    >>> known_parts(("2020", "05", "00")), known_parts(("2020", "05", "17", "00", "00"))
    (('2020', '05'), ('2020', '05', '17', '00', '00'))
    """
    if parts[0] == "0000":
        return ()
    return parts[: parts.index("00")] if "00" in parts[:DAY] else parts


def days_in_month(parts: Moment) -> int:
    """The number of days in the month of a date."""
    return monthrange(max(int(parts[0]), 1), int(parts[1]))[1]


def seconds_of(parts: Moment) -> int:
    """The number of whole seconds from a fixed early day to a date. The date must have a day.

    Only differences of these numbers have a meaning. An impossible date is counted from the first
    of its month: 30 February is 29 days after 1 February.
    """
    year, month, day, *time = map(int, parts[:6])
    hour, minute, second = (*time, 0, 0, 0)[:3]
    days = date(max(year, 1), month, 1).toordinal() + day
    return SECONDS_OF_DAY * days + 3600 * hour + 60 * minute + second


def moments(by_code: Mapping[int, Moment]) -> Mapping[int, Moment]:
    """Return code -> date for a column, after two corrections that need the whole column.

    If every time is midnight, a tool wrote dates with times, and the times are dropped. Texts such
    as `2009-10` may be school years. They are left out of the result if, in all texts with a year
    and a month only, the month equals the last two digits of the following year.
    """
    months = [m for m in by_code.values() if len(m) == _MONTH]
    if all(int(year) % 100 + 1 == int(month) for year, month in months):
        by_code = {code: m for code, m in by_code.items() if len(m) != _MONTH}
    if all(set(m[DAY:]) <= {"00"} for m in by_code.values()):
        return {code: m[:DAY] for code, m in by_code.items()}
    return by_code


def same_moments(
    values: Mapping[int, Moment], labels: Mapping[int, Moment]
) -> list[tuple[int, int]]:
    """The pairs of codes (value, label) in which one date contains the other or equals it.

    A date with an unknown part (`00`) has no pairs. A year alone is paired only with dates that
    have a day.
    """
    values, labels = (
        {code: m for code, m in some.items() if known_parts(m) == m} for some in (values, labels)
    )
    return [
        *_beginning(values, labels, shorter_only=False),
        *((value, label) for label, value in _beginning(labels, values, shorter_only=True)),
    ]


def _beginning(
    longer: Mapping[int, Moment], shorter: Mapping[int, Moment], *, shorter_only: bool
) -> Iterable[tuple[int, int]]:
    """The pairs of codes (longer, shorter) in which the longer date begins with the shorter one.

    shorter_only: whether to leave out pairs of equal dates.
    """
    codes: dict[Moment, list[int]] = {}
    for code, parts in shorter.items():
        codes.setdefault(parts, []).append(code)
    most = max(map(len, longer.values()), default=0) - shorter_only
    lengths = sorted({len(parts) for parts in codes if len(parts) <= most})
    for code, parts in longer.items() if lengths else ():
        for length in lengths:
            if length <= len(parts) - shorter_only and (length > _YEAR or len(parts) >= DAY):
                yield from ((code, other) for other in codes.get(parts[:length], ()))
