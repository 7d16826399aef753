"""Rules of a guideline about the labels of a column: places, dates and ages.

A rule applies to the columns that are recognised by their name or by the kind of their values. Each
label keeps the rule, breaks it, or is undecided. A label that is not understood is undecided.

Source of the rules in this module: 45 CFR 164.514(b)(2)(i)(B) and (C).
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

from anonaudit.cells import FIRST_VALUE, Convention
from anonaudit.errors import InputError
from anonaudit.frequency.counting import count
from anonaudit.generalization.column_names import PLACE, hint
from anonaudit.generalization.labels import Interval, Prefix, ValueSet, exact_number, parse
from anonaudit.generalization.value_kinds import MIXED_DATES, POSTAL_NAME, is_date
from anonaudit.scanning import ScannedColumn
from anonaudit.source.table import Source, open_source

MOST_ALONE: Final = 20_000  # the rule forbids to name an area of at most this many people
_TOP: Final = 90  # this age and all higher ages must be one category
_OLDEST: Final = 130
_YEARS: Final = range(1800, 2101)
_DAYS: Final = 31
_BIRTH, _DAY = "age or birth", "a day or a year"
_AGE: Final = re.compile(
    r"(?:^|[^a-z])(?:ages?|alter|altersgruppe|edad|eta|idade|varsta)(?:[^a-z]|$)", re.IGNORECASE
)

_UNKNOWN: Final = r"[*xX#]"
_FULL_ZIP: Final = re.compile(rf"[0-9]{{4,9}}{_UNKNOWN}*|[0-9]{{4,5}}-(?:[0-9]|{_UNKNOWN})+")
_AREA: Final = re.compile(rf"([0-9]{{3}}){_UNKNOWN}*(?:-{_UNKNOWN}+)?")
_WIDER: Final = re.compile(rf"([0-9]{{1,2}}){_UNKNOWN}+(?:-{_UNKNOWN}+)?")
_NOTHING: Final = re.compile(rf"{_UNKNOWN}+(?:-{_UNKNOWN}+)?")
_YEAR_ONLY: Final = re.compile(
    r"(?:18|19|20)(?:[0-9]{2}|[0-9]\*|\*\*)(?:(?:[-/.][*xX]{1,2}){0,2}|\*{1,6})"
)
# Words before a year that name a part of it, such as a month or a season, in English, German,
# French or Spanish.
_PARTS_OF_YEAR: Final = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|spring|summer|autumn|fall|winter|early|mid|late"
    "|januar|jän(?:ner)?|februar|feber|märz?|maerz|mrz|mai|juni|juli|okt(?:ober)?|dez(?:ember)?"
    "|frühling|frühjahr|sommer|herbst"
    "|janv(?:ier)?|f[ée]vr?(?:ier)?|mars|avr(?:il)?|juin|juil(?:let)?|ao[ûu]t|septembre|octobre"
    "|novembre|d[ée]c(?:embre)?|printemps|[ée]té|automne|hiver"
    "|ene(?:ro)?|febrero|marzo|abr(?:il)?|mayo|jun(?:io)?|jul(?:io)?|ago(?:sto)?|set|sep?tiembre"
    "|octubre|noviembre|dic(?:iembre)?|primavera|verano|otoño|invierno"
)
_MONTH: Final = re.compile(
    r"(?:18|19|20)[0-9]{2}[-/.](?:0?[1-9]|1[0-2])(?:[-/.][*xX]{1,2})?"
    r"|(?:[*xX]{1,2}[-/.])?(?:0?[1-9]|1[0-2])[-/.](?:18|19|20)[0-9]{2}"
    rf"|(?i:{_PARTS_OF_YEAR})\.?[ -](?:18|19|20)[0-9]{{2}}"
    r"|(?:18|19|20)[0-9]{2}[ -]?[Qq][1-4]|[Qq][1-4][ -/]?(?:18|19|20)[0-9]{2}"
    r"|(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
)
# A year after one of these words says no more than the year does.
_WORDED_YEAR: Final = re.compile(
    r"(?:before|after|since|until|till|from|under|over|above|below|pre|post|year|born"
    r"|c|ca|circa|approx|about|around)\.?[ -](?:18|19|20)[0-9]{2}",
    re.IGNORECASE,
)
_PREFIX: Final = re.compile(r"[0-9]+\*+")


class LabelReading(enum.Enum):
    """The result of a rule for one label."""

    KEEPS = enum.auto()
    BREAKS = enum.auto()
    OPEN = enum.auto()


@dataclass(frozen=True)
class ColumnRead:
    """How many rows of a column keep a rule, break it, or are undecided (open)."""

    name: str
    keeps: int
    breaks: int
    open: int


Areas = Mapping[str, int]
Read = Callable[[str], LabelReading]


@dataclass(frozen=True)
class LabelRule:
    """A rule about labels.

    concerns: a function that returns True for a column that the rule applies to.
    of_column: a function of a column and of the number of people in each three-digit zip code area
        (None without a table of areas). It returns the function that reads the column's labels.
    breaks: words for the labels that break the rule.
    opens: words for the undecided labels.
    maybe: a function that returns True for another column whose name suggests that the rule may
        apply.
    """

    concerns: Callable[[ScannedColumn], bool]
    of_column: Callable[[ScannedColumn, Areas | None], Read]
    breaks: str
    opens: str
    maybe: Callable[[ScannedColumn], bool] = lambda _: False

    def apply(
        self,
        source: Source,
        columns: tuple[ScannedColumn, ...],
        convention: Convention,
        areas: Areas | None,
    ) -> Iterator[ColumnRead]:
        """Yield the result for each column that the rule applies to, in the order of the columns.

        Rows with a missing or suppressed value are not counted.
        """
        for column in filter(self.concerns, columns):
            counted, read = count(source, [column.name], convention), self.of_column(column, areas)
            rows = dict.fromkeys(LabelReading, 0)
            for code, n in zip(counted.column(column.name), counted.counts, strict=True):
                if code >= FIRST_VALUE:
                    rows[read(counted.labels[0][code].strip())] += int(n)
            yield ColumnRead(
                column.name,
                rows[LabelReading.KEEPS],
                rows[LabelReading.BREAKS],
                rows[LabelReading.OPEN],
            )


def read_areas(path: Path) -> dict[str, int]:
    r"""Return the number of people in each three-digit zip code area, by its digits.

    path: a table with the columns zip3 (three digits) and population (a whole number).

    Raises InputError if a column is missing, a cell is not valid, or an area occurs twice.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "areas.csv"
    ...     _ = table.write_text("zip3,population\n021,1500000\n036,18000\n")
    ...     read_areas(table)
    {'021': 1500000, '036': 18000}
    """
    source = open_source(path)
    for name in ("zip3", "population"):
        if name not in source.columns:
            raise InputError(
                f"{source.name}: has no column {name!r}; the table of areas needs the columns zip3 "
                "and population"
            )
    counted = count(source, ["zip3", "population"])
    names, people = (
        [labels[code].strip() for code in counted.column(name)]
        for name, labels in zip(("zip3", "population"), counted.labels, strict=True)
    )
    bad = sum(not re.fullmatch("[0-9]{3}", name) for name in names)
    if bad:
        raise InputError(
            f"{source.name}: column 'zip3' must have three digits, with leading zeros, but {bad} "
            "row(s) hold something else"
        )
    bad = sum(not re.fullmatch("[0-9]+", number) for number in people)
    if bad:
        raise InputError(
            f"{source.name}: column 'population' must have whole numbers, but {bad} row(s) hold "
            "something else"
        )
    if len(set(names)) < counted.total:
        raise InputError(
            f"{source.name}: column 'zip3' has an area more than once; keep one row for each area"
        )
    return {name: int(number) for name, number in zip(names, people, strict=True)}


def _zip(label: str, areas: Areas | None) -> LabelReading:
    """Return the result for a zip code.

    More than three digits break the rule, and so does an area of at most 20,000 people. 000 keeps
    the rule, because the rule requires 000 in place of the digits of a small area.
    """
    if _FULL_ZIP.fullmatch(label):
        return LabelReading.BREAKS
    if _NOTHING.fullmatch(label):
        return LabelReading.KEEPS
    if area := _AREA.fullmatch(label):
        people = MOST_ALONE + 1 if area[1] == "000" else (areas or {}).get(area[1])
        if people is None:
            return LabelReading.OPEN
        return LabelReading.KEEPS if people > MOST_ALONE else LabelReading.BREAKS
    if wider := _WIDER.fullmatch(label):
        # The table may lack areas with these digits, so the sum is a lower bound.
        people = sum(n for name, n in (areas or {}).items() if name.startswith(wider[1]))
        return LabelReading.KEEPS if people > MOST_ALONE else LabelReading.OPEN
    return LabelReading.OPEN


def _date(label: str, youngest: int) -> LabelReading:
    """Return the result for a date.

    A date that is more exact than a year breaks the rule, also a season. A year, a span of years
    and an age keep the rule. An unknown word before a year is undecided: it may be a month.

    youngest: the smallest number that is taken for an age.
    """
    if is_date(label) or _MONTH.fullmatch(label):
        return LabelReading.BREAKS
    if _YEAR_ONLY.fullmatch(label) or _WORDED_YEAR.fullmatch(label):
        return LabelReading.KEEPS
    span = _span(label)
    if span is None:
        return LabelReading.OPEN
    ends = [end for end in (span.low, span.high) if end is not None]
    years = all(end in _YEARS for end in ends)
    ages = all(youngest <= end <= _OLDEST for end in ends)
    return LabelReading.KEEPS if years or ages else LabelReading.OPEN


def _age(label: str) -> LabelReading:
    """Return the result for an age.

    An age over 89 breaks the rule. The single category of all ages from 90 on keeps it. A range
    such as 80-95, which is partly over 89, is undecided.
    """
    parsed = parse(label)
    if isinstance(parsed, ValueSet):
        members = {_age(member) for member in parsed.members}
        return members.pop() if len(members) == 1 else LabelReading.OPEN
    span = _span(label)
    if span is None or not all(
        0 <= end <= _OLDEST for end in (span.low, span.high) if end is not None
    ):
        return LabelReading.OPEN  # a year of birth, a date, a placeholder
    # Ages are whole years, so `over 89` and `90 or older` are the same category.
    from_top = Interval(Fraction(_TOP), None, low_closed=True, high_closed=False)
    from_below = Interval(Fraction(_TOP - 1), None, low_closed=False, high_closed=False)
    above = span.low is not None and (
        span.low > _TOP - 1 or (span.low == _TOP - 1 and not span.low_closed)
    )
    if span in (from_top, from_below):
        return LabelReading.KEEPS
    if above:
        return LabelReading.BREAKS
    below = span.high is not None and (
        span.high < _TOP or (span.high == _TOP and not span.high_closed)
    )
    return LabelReading.KEEPS if below or span.high is None else LabelReading.OPEN


def _span(label: str) -> Interval | None:
    """Return the range of numbers that a label means; None if it means no range or any number.

    The label may be a number, an interval, or digits followed by stars: `3*` is 30 to 39. Stars
    without a digit, and an interval without ends, may mean anything.
    """
    if (number := exact_number(label)) is not None:
        return Interval(number, number, low_closed=True, high_closed=True)
    parsed = parse(label)
    if isinstance(parsed, Prefix) and _PREFIX.fullmatch(parsed.pattern):
        low, high = (Fraction(parsed.pattern.replace("*", digit)) for digit in "09")
        return Interval(low, high, low_closed=True, high_closed=True)
    if isinstance(parsed, Interval) and (parsed.low, parsed.high) != (None, None):
        return parsed
    return None


def _topic(column: ScannedColumn) -> str:
    found = hint(column.name)
    return "" if found is None else found.topic


def _of_dates(column: ScannedColumn, _: Areas | None) -> Read:
    """Return the function that reads the labels of a column of dates.

    A number up to 31 may be a day or a month. So it is taken for an age only if the name of the
    column says "age" in one of the known languages.
    """
    youngest = 0 if _AGE.search(column.name) else _DAYS + 1
    return lambda label: _date(label, youngest)


def _is_zip(column: ScannedColumn) -> bool:
    return POSTAL_NAME.search(column.name) is not None


RULES: Final[Mapping[str, LabelRule]] = {
    "zip codes": LabelRule(
        concerns=_is_zip,
        of_column=lambda _, areas: lambda label: _zip(label, areas),
        breaks="a zip code of more than three digits, or an area of 20,000 people or fewer",
        opens="an area that is missing in the table of areas (--zip-areas), or a label that was "
        "not understood",
        maybe=lambda column: _topic(column) == PLACE and not _is_zip(column),
    ),
    "dates": LabelRule(
        concerns=lambda column: (
            "ages" not in column.kinds
            and (bool({"dates", MIXED_DATES} & {*column.kinds}) or _topic(column) in (_BIRTH, _DAY))
        ),
        of_column=_of_dates,
        breaks="a date more exact than its year",
        opens="a label that was not understood",
    ),
    "ages": LabelRule(
        concerns=lambda column: "ages" in column.kinds or _topic(column) == _BIRTH,
        of_column=lambda _, __: _age,
        breaks="an age over 89 other than the one category 90+",
        opens="an age range across 90, a date or a year of birth (the age may be over 89), or a "
        "label that was not understood",
    ),
}
