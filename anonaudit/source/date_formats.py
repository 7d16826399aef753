"""Write the dates and times of SPSS, Stata and SAS as text.

These programs store dates and times as numbers, such as days or seconds since a fixed first day.
The display format of a column says what its numbers count. Some formats show only a part of the
date: `YEAR4.` of SAS shows only the year. The text always has everything that the number states.

Sources: IBM SPSS Statistics, Command Syntax Reference, "Date and Time Formats"; Stata, Data
Management Reference Manual, "Datetime"; SAS 9.4 Formats and Informats, "Formats by Category".
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

Write = Callable[[float], str]

_SECOND: Final = 1_000_000  # in microseconds
_DAY: Final = 86_400 * _SECOND
_1582: Final = datetime.date(1582, 10, 14)
_1960: Final = datetime.date(1960, 1, 1)


def _date(day_0: datetime.date, unit: int, *, timed: bool = False) -> Write:
    """Return a function that writes a number as a date, with the time of day unless it is midnight.

    day_0: the day that the number 0 stands for. unit: the microseconds that the number 1 stands
    for. timed: True writes the time of day always, also at midnight.
    """

    def write(number: float) -> str:
        days, rest = divmod(round(Fraction(number) * unit), _DAY)
        date = day_0 + datetime.timedelta(days=days)
        return f"{date} {_clock(rest)}" if rest or timed else f"{date}"

    return write


def _time(unit: int) -> Write:
    """Return a function that writes a number as a time, also above 24 hours. unit: see `_date`."""
    return lambda number: _clock(round(Fraction(number) * unit))


def _clock(micros: int) -> str:
    """Write a time in microseconds as `13:45:00`, with six more digits if it has a fraction."""
    seconds, micro = divmod(abs(micros), _SECOND)
    minutes, second = divmod(seconds, 60)
    shown = f"{minutes // 60:02}:{minutes % 60:02}:{second:02}" + (f".{micro:06}" if micro else "")
    return f"-{shown}" if micros < 0 else shown


def _part_of_year(parts: int, mark: str, digits: int = 1) -> Write:
    """Return a function that writes a number of months, quarters, half-years or weeks since 1960.

    parts: the number of these parts in a year. The number 0 stands for the first part of 1960.
    mark: the text between the year and the part. digits: the smallest number of digits of the part.

    The function raises ValueError for a number that is not whole, and OverflowError for a year
    outside 1 to 9999.

    >>> _part_of_year(4, "q")(-1), _part_of_year(12, "-", 2)(723)
    ('1959q4', '2020-04')
    """

    def write(number: float) -> str:
        if number % 1:
            raise ValueError
        years, part = divmod(int(number), parts)
        if not datetime.MINYEAR <= 1960 + years <= datetime.MAXYEAR:
            raise OverflowError
        return f"{1960 + years:04}{mark}{part + 1:0{digits}}"

    return write


_DATES, _MOMENTS, _TIMES = "dates", "moments", "times"
_SPSS_NAMES: Final = {
    _DATES: "DATE ADATE EDATE JDATE SDATE QYR MOYR WKYR",
    _MOMENTS: "DATETIME YMDHMS",
    _TIMES: "TIME DTIME MTIME",
}
_SAS_NAMES: Final = {
    _DATES: """
        DATE DAY DOWNAME MONNAME MONTH MONYY YYMON QTR QTRR YEAR WEEKDAY WEEKDATE WEEKDATX WORDDATE
        WORDDATX WEEKU WEEKV WEEKW JULIAN JULDAY PDJULG PDJULI NENGO MINGUO HDATE HEBDATE B8601DA
        E8601DA IS8601DA EURDFDD EURDFDE EURDFDN EURDFDWN EURDFMN EURDFMY EURDFWDX EURDFWKX""",
    _MOMENTS: """
        DATETIME DATEAMPM MDYAMPM DTDATE DTMONYY DTWKDATX DTYEAR DTYYQC B8601DN B8601DT B8601DX
        B8601DZ B8601LX IS8601DN IS8601DT IS8601DZ E8601DN E8601DT E8601DX E8601DZ E8601LX
        EURDFDT""",
    _TIMES: """
        TIME TIMEAMPM TOD HHMM HOUR MMSS NLTIME NLTIMAP NLTIMMAP B8601TM B8601TX B8601TZ B8601LZ
        IS8601TM IS8601TZ E8601TM E8601TX E8601TZ E8601LZ""",
}
# Formats whose names have endings: `DDMMYYD10.` is DDMMYY with hyphens, `NLDATEYM7.` shows year and
# month.
_SAS_FAMILIES: Final = {
    _DATES: re.compile(r"(?:DDMMYY|MMDDYY|YYMMDD|MMYY|YYMM|YYQ|YYQR)[BCDNPSZ]?|NLDATE[A-Z]*"),
    _MOMENTS: re.compile("NLDATM[A-Z]*"),
}
_SPSS: Final = {
    _DATES: _date(_1582, _SECOND),
    _MOMENTS: _date(_1582, _SECOND, timed=True),
    _TIMES: _time(_SECOND),
}
_SAS: Final = {
    _DATES: _date(_1960, _DAY),
    _MOMENTS: _date(_1960, _SECOND, timed=True),
    _TIMES: _time(_SECOND),
}
_STATA: Final[dict[str, Write]] = {
    "d": _date(_1960, _DAY),
    "c": _date(_1960, _SECOND // 1000, timed=True),
    "w": _part_of_year(52, "w"),
    "m": _part_of_year(12, "-", 2),
    "q": _part_of_year(4, "q"),
    "h": _part_of_year(2, "h"),
}
# Formats such as `%tcHH:MM`, which show milliseconds as a time of day without a date.
_STATA_CLOCK: Final = re.compile(r"%-?tc[HhMmSsAaPp:._+ ]+")
_STATA_FORMAT: Final = re.compile(r"%-?(?:t(?P<kind>[dcwmqh])|d)")
# Formats that are not translated: %tb counts days of a business calendar, which is in another file;
# %tC counts leap seconds, which needs a list of them.
UNTRANSLATED: Final = ("%tb", "%-tb", "%tC", "%-tC")


def writer_of(program: str, display: str) -> Write | None:
    """Return the function that writes the numbers of a column as dates or times.

    program: `SPSS`, `Stata` or `SAS`. display: the format of the column, such as `DATE9.` or `%td`.

    Returns None if the format shows neither dates nor times, and for the formats in UNTRANSLATED.
    The returned function raises OverflowError for a date outside the years 1 to 9999, and
    ValueError for a number that the format does not allow.

    >>> writer_of("SAS", "MONYY7.")(21914), writer_of("Stata", "%tq")(240)
    ('2019-12-31', '2020q1')
    >>> writer_of("SPSS", "F8.2") is None
    True
    """
    if program == "Stata":
        if _STATA_CLOCK.fullmatch(display):
            return _time(_SECOND // 1000)
        match = _STATA_FORMAT.match(display)
        return None if match is None else _STATA[match["kind"] or "d"]
    name = re.sub(r"[0-9.]*$", "", display.upper())
    names, writers = (_SPSS_NAMES, _SPSS) if program == "SPSS" else (_SAS_NAMES, _SAS)
    kinds = [kind for kind, known in names.items() if name in known.split()]
    if program == "SAS":
        kinds += [kind for kind, family in _SAS_FAMILIES.items() if family.fullmatch(name)]
    return writers[kinds[0]] if kinds else None
