"""Write numbers as text, in all formats that people read.

Rounding never misleads: a share below 1 is never shown as 100%, and two compared numbers get as
many digits as it takes to see which one is larger.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

NO_NUMBER = "-"

# Two levels that differ by less than this count as equal when a requirement is judged.
_EQUAL = 1e-9


def whole(number: float | None) -> str:
    """Write a count with separators for thousands.

    >>> whole(32561), whole(None)
    ('32,561', '-')
    """
    return NO_NUMBER if number is None or not math.isfinite(number) else f"{number:,.0f}"


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Write a count with its noun.

    >>> counted(1, "row"), counted(1200, "class", "classes")
    ('1 row', '1,200 classes')
    """
    return f"{whole(number)} {singular if number == 1 else plural or singular + 's'}"


def level(number: float | None, digits: int = 4) -> str:
    """Write a level with `digits` significant digits, and a whole number in full.

    >>> level(2.0), level(0.7591904426), level(12345.678), level(None)
    ('2', '0.7592', '12,346', '-')
    """
    if number is None or not math.isfinite(number):
        return NO_NUMBER
    if number != 0 and not 1e-6 <= abs(number) < 1e15:
        return f"{number:.{digits}g}"
    if number == int(number):
        return f"{int(number):,}"
    digits = max(digits, len(str(int(abs(number)))))
    return _plain(f"{number:.{digits}g}")


def percent(share: float | None, digits: int = 3) -> str:
    """Write a share in percent; 0% only for 0, and 100% only for 1.

    >>> percent(0.09582), percent(0.5), percent(0.99999), percent(None)
    ('9.58%', '50%', '>99.9%', '-')
    """
    if share is None or not math.isfinite(share):
        return NO_NUMBER
    if 0 < share < 1e-6:
        return "<0.0001%"
    shown = _plain(f"{100 * share:.{digits}g}")
    if shown == "100" and share < 1:
        return ">99." + "9" * (digits - 2) + "%"
    return f"{shown}%"


def between(low: float | None, high: float | None, other: float | None) -> tuple[str, str]:
    """Write a rate that lies between `low` and `high`, and the share (`other`) to compare with it.

    >>> between(0.25, 0.5, 0.3), between(0.25, 0.25, None)
    (('25% to 50%', '30%'), ('25%', '-'))
    """
    shown, compared = apart(low, other, percent)
    if low is None or high is None or high - low <= _EQUAL:
        return shown, compared
    upper, _ = apart(high, other, percent)
    return f"{shown} to {upper}", compared


def apart(
    number: float | None, other: float | None, form: Callable[[float | None, int], str]
) -> tuple[str, str]:
    """Write two compared numbers with as many digits as it takes to see which one is larger.

    form: `level` or `percent`.

    >>> apart(0.20004, 0.2, level), apart(0.7591, 0.2, level)
    (('0.20004', '0.2'), ('0.7591', '0.2'))
    """
    first = 4 if form is level else 3
    shown = form(number, first), form(other, first)
    if number is None or other is None or abs(number - other) <= _EQUAL:
        return shown
    for digits in range(first + 1, 13):
        if shown[0] != shown[1]:
            break
        shown = form(number, digits), form(other, digits)
    return shown


def _plain(shown: str) -> str:
    """Rewrite a number without exponent and trailing zeros, with separators for thousands."""
    value = Decimal(shown)
    return f"{value.normalize() if value else Decimal(0):,f}"
