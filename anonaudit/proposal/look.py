"""Describe the values of one column by counts and kinds, from its frequency set."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Final

from anonaudit.cells import FIRST_VALUE, MISSING, SUPPRESSED
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.labels import ValueSet, exact_number, parse, readings
from anonaudit.generalization.lint import undeclared_missing

_CODE: Final = re.compile(r"[0-9A-Za-z]*[0-9][0-9A-Za-z]*")
_PADDED: Final = re.compile(r"0[0-9]+")
_THOUSANDS: Final = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3})+")
_MASKED: Final = re.compile(r"\*+|suppressed|masked|redacted|hidden", re.IGNORECASE)
# A token for a missing value has no digit and at most 16 characters, so other texts are skipped.
_MAY_BE_TOKEN: Final = re.compile(r"[^0-9]{1,16}|\s*\*+\s*")
# If a column has more different values, a sample of about this size decides the kind of values.
# Generalized columns and columns of categories have far fewer values.
_ENOUGH: Final = 10_000
# An ISO 8601 month or day; a day may be followed by a time and a time zone.
_ISO: Final = re.compile(
    r"""[0-9]{4}-(?:0[1-9]|1[0-2])
        (?:-(?P<day>[0-9]{2})
            (?:[T ](?:[01][0-9]|2[0-3]):?[0-5][0-9](?::?(?:[0-5][0-9]|60)(?:[.,][0-9]+)?)?
                (?:[ ]?(?:[A-Z]{1,5}|[+-][0-9]{2}(?::?[0-9]{2})?))?
            )?
        )?""",
    re.VERBOSE,
)
_YEAR, _MONTH, _DAY = 4, 7, 10  # characters
_SHORTEST_CODE: Final = 3
_LONGEST_CODE: Final = 12
_NEARLY_ALL: Final = 0.9
_WIDEST: Final = 10**15  # wider intervals would group serial numbers, not quantities


@dataclass(frozen=True)
class Look:
    """The counts and the kind of the values of one column.

    rows: the number of rows.
    distinct: the number of different values, without missing and suppressed cells.
    missing, suppressed: the number of missing and of suppressed cells.
    alone: the number of rows whose value no other row has.
    generalized: the number of rows whose cell is suppressed or has a generalized label. With more
        than 10,000 different values, only suppressed cells count.
    missing_tokens, suppressed_tokens: values such as `?` or `**` that probably mean a missing or
        suppressed cell. Tools write these words; they are never data of persons.
    numbers: True if all values except these tokens are numbers with the decimal mark `decimal`.
    whole: True if these numbers are whole.
    consecutive: True if every row has a different whole number, and the numbers are consecutive,
        like row numbers.
    widths: suitable interval widths for these numbers, from narrow to wide; empty if none suits.
    code_length: the number of characters of the codes, if nearly all rows have a code of the same
        length; otherwise None.
    padded: True if a code of this length is all digits and begins with a zero, so that the codes
        are not numbers.
    dates: the numbers of characters to keep for coarser dates, if nearly all rows have an ISO date
        of the same length: 10 for the day (if the dates have a time), 7 for the month (if the dates
        have a day), 4 for the year. Otherwise empty.
    odd: the number of different values in another format, if nearly all rows have a date or a code
        of the same length; otherwise 0.
    """

    rows: int
    distinct: int
    missing: int
    suppressed: int
    alone: int
    generalized: int = 0
    missing_tokens: tuple[str, ...] = ()
    suppressed_tokens: tuple[str, ...] = ()
    numbers: bool = False
    decimal: str = "."
    whole: bool = False
    consecutive: bool = False
    widths: tuple[int, ...] = ()
    code_length: int | None = None
    padded: bool = False
    dates: tuple[int, ...] = ()
    odd: int = 0

    @property
    def known(self) -> int:
        """The number of different values, without the tokens for missing or suppressed cells."""
        return self.distinct - len(self.missing_tokens) - len(self.suppressed_tokens)

    @property
    def all_different(self) -> bool:
        """True if every row has a value, and no two rows have the same value."""
        return 0 < self.rows == self.distinct


def look(column: FrequencySet) -> Look:
    """Return the counts and kinds of the values of a frequency set over one column.

    >>> seen = look(FrequencySet.of(["zip"], [["01234"], ["48201"], ["48201"], [None]]))
    >>> seen.distinct, seen.missing, seen.alone, seen.code_length, seen.padded
    (2, 1, 1, 5, True)
    """
    codes, counts = column.codes[:, 0], column.counts
    values = codes >= FIRST_VALUE
    texts = [column.labels[0][code] for code in codes[values]]
    tokens = _tokens(texts)
    masked = tuple(token for token in tokens if _MASKED.fullmatch(token.strip()))
    suppressed = int(counts[codes == SUPPRESSED].sum())
    seen = Look(
        rows=column.total,
        distinct=len(texts),
        missing=int(counts[codes == MISSING].sum()),
        suppressed=suppressed,
        alone=int((counts[values] == 1).sum()),
        generalized=suppressed,
        missing_tokens=tuple(token for token in tokens if token not in masked),
        suppressed_tokens=masked,
    )
    if len(texts) <= _ENOUGH:
        general = [_is_general(text) and text not in tokens for text in texts]
        seen = replace(seen, generalized=suppressed + int(counts[values][general].sum()))
    certain = {text: int(n) for text, n in zip(texts, counts[values], strict=True)}
    return _with_kind(seen, {text: n for text, n in certain.items() if text not in tokens})


def _tokens(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the texts that probably mean a missing or suppressed cell.

    A set that contains such a text, for example `F,nan`, is a generalized label and is not
    returned.
    """
    warnings = undeclared_missing((text for text in texts if _MAY_BE_TOKEN.fullmatch(text)), "")
    tokens = [group[0] for finding in warnings for group in finding.labels]
    return tuple(token for token in tokens if not isinstance(parse(token), ValueSet))


def _is_general(text: str) -> bool:
    """Return True if a label can only be read as an interval, a prefix or a set."""
    admitted = readings(text)
    return "plain" not in admitted


def _with_kind(seen: Look, rows: Mapping[str, int]) -> Look:
    """Return `seen` with the fields that describe the kind of the values.

    rows: the number of rows with each value.
    """
    if not rows:
        return seen
    texts = list(rows)
    some = texts[:: max(1, len(texts) // _ENOUGH)]
    kind = _as_numbers(seen, some)
    numbers = {text: rows[text] for text in some}
    of_dates = _of_one_length(numbers, _is_date)
    codes = _of_one_length(numbers, _is_code)
    dates = {len(text) for text in of_dates}
    lengths = {len(text) for text in codes}
    alike = of_dates or codes
    return replace(
        kind,
        consecutive=seen.all_different and kind.whole and _is_run(texts),
        code_length=max(lengths, default=None),
        padded=any(map(_PADDED.fullmatch, codes)),
        dates=tuple(n for n in (_DAY, _MONTH, _YEAR) if n < max(dates, default=0)),
        odd=len(some) - len(alike) if alike else 0,
    )


def _as_numbers(seen: Look, texts: Sequence[str]) -> Look:
    """Return `seen` with the properties of numbers, if all texts are numbers."""
    commas = [text for text in texts if "," in text]
    if commas and all(map(_THOUSANDS.fullmatch, commas)):
        return seen  # in `50,000`, the comma may mark thousands or decimals
    for mark in (".", ","):
        values = _parsed(texts, mark)
        if values is not None:
            whole = all(value.denominator == 1 for value in values)
            widths = _widths(max(values) - min(values), whole=whole) if mark == "." else ()
            return replace(seen, numbers=True, decimal=mark, whole=whole, widths=widths)
    return seen


def _is_run(texts: Sequence[str]) -> bool:
    """Return True if the texts are different, consecutive whole numbers."""
    try:
        numbers = {int(text) for text in texts}
    except ValueError:
        return False
    return len(numbers) == len(texts) == max(numbers) - min(numbers) + 1


def _parsed(texts: Iterable[str], mark: str) -> list[Fraction] | None:
    values = []
    for text in texts:
        value = exact_number(text, mark)
        if value is None:
            return None
        values.append(value)
    return values


def _widths(span: Fraction, *, whole: bool) -> tuple[int, ...]:
    """Return three interval widths, each a multiple of the one before; () if none suits.

    The first width is about a twentieth of the span. All widths are 1, 2 or 5 followed by zeros,
    because round numbers reveal little about the values.

    span: the largest value minus the smallest. whole: True if all values are whole numbers.
    """
    step = next(
        (n * 10**power for power in range(16) for n in (1, 2, 5) if span <= 20 * n * 10**power),
        _WIDEST,
    )
    if step >= _WIDEST or span == 0 or (step == 1 and not whole):
        return ()
    first = step // 10 ** (len(str(step)) - 1)
    return tuple(step * factor for factor in ((1, 2, 4) if first == 5 else (1, 5, 10)))


def _of_one_length(rows: Mapping[str, int], holds: Callable[[str], bool]) -> list[str]:
    """Return the texts for which `holds` is True, if they have one length in nearly all rows.

    A few texts of another length or format are left out. Returns [] if no single length covers
    nearly all rows.

    rows: the number of rows with each text.
    """
    by_length: defaultdict[int, list[str]] = defaultdict(list)
    for text in filter(holds, rows):
        by_length[len(text)].append(text)
    total = sum(rows.values())
    for alike in by_length.values():
        if sum(rows[text] for text in alike) >= _NEARLY_ALL * total:
            return alike
    return []


def _is_date(text: str) -> bool:
    """Return True if a text is an ISO month, or an ISO date that exists in the calendar."""
    match = _ISO.fullmatch(text)
    if match is None:
        return False
    try:
        date.fromisoformat(text[:_DAY] if match["day"] else f"{text}-01")
    except ValueError:
        return False
    return True


def _is_code(text: str) -> bool:
    """Return True if a text has 3 to 12 letters and digits, at least one of them a digit."""
    return _SHORTEST_CODE <= len(text) <= _LONGEST_CODE and _CODE.fullmatch(text) is not None
