"""ISO dates and times, compared as far as both are written: `2020-05` holds `2020-05-17`.

A year alone is a number too. It is compared with dates that have a day, and with nothing else.
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
    """The year, month, day, hour, ... that a text writes, as far as it goes; None for other texts.

    Zeros at the end of the parts of a second are left out. A time with a zone is another text.
    A day or month `00`, or all of `0000-00-00`, is unknown, see `known_parts`.

    >>> moment("2020-05"), moment("2020-05-17T08:30"), moment("2019-20")
    (('2020', '05'), ('2020', '05', '17', '08', '30'), None)
    """
    match = _ISO.fullmatch(text.strip())
    if match is None:
        return None
    *parts, fraction = match.groups()
    return tuple(filter(None, (*parts, fraction and fraction.rstrip("0"))))


def known_parts(parts: Moment) -> Moment:
    """The parts before an unknown day, month or year: the month of `2020-05-00`, else all.

    >>> known_parts(("2020", "05", "00")), known_parts(("2020", "05", "17", "00", "00"))
    (('2020', '05'), ('2020', '05', '17', '00', '00'))
    """
    if parts[0] == "0000":
        return ()
    return parts[: parts.index("00")] if "00" in parts[:DAY] else parts


def days_in_month(parts: Moment) -> int:
    """How many days the month of a moment has."""
    return monthrange(max(int(parts[0]), 1), int(parts[1]))[1]


def seconds_of(parts: Moment) -> int:
    """The seconds of a moment with a day from the year 1 on, without fractions.

    A date such as 30 February counts on from the first of its month.
    """
    year, month, day, *time = map(int, parts[:6])
    hour, minute, second = (*time, 0, 0, 0)[:3]
    days = date(max(year, 1), month, 1).toordinal() + day
    return SECONDS_OF_DAY * days + 3600 * hour + 60 * minute + second


def moments(by_code: Mapping[int, Moment]) -> Mapping[int, Moment]:
    """The moments that the texts of a column write, by code, as the whole column is read.

    Where every time is midnight, the column holds dates that a tool wrote with a time. Where every
    month has the number of the following year, `2009-10` may be a year that begins in autumn.
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
    """The pairs of codes of which one moment holds the other, if one of them has a day.

    A moment without a known day or month is none of them.
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
    """The pairs in which the second moment is how the first one begins, or the same."""
    codes: dict[Moment, list[int]] = {}
    for code, parts in shorter.items():
        codes.setdefault(parts, []).append(code)
    most = max(map(len, longer.values()), default=0) - shorter_only
    lengths = sorted({len(parts) for parts in codes if len(parts) <= most})
    for code, parts in longer.items() if lengths else ():
        for length in lengths:
            if length <= len(parts) - shorter_only and (length > _YEAR or len(parts) >= DAY):
                yield from ((code, other) for other in codes.get(parts[:length], ()))
