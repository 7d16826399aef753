"""What the values of one column look like, from its frequency set: counts and kinds, no values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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
# No token that stands for a missing value has a digit or is longer, so most texts need no look.
_MAY_BE_TOKEN: Final = re.compile(r"[^0-9]{1,16}|\s*\*+\s*")
# Of more values than this, so many are looked at to tell their kind; generalized columns, and
# columns of categories, have far fewer.
_ENOUGH: Final = 10_000
# A month, or a day, as ISO 8601 writes it; a time of the day and its zone may follow.
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
_WIDEST: Final = 10**15  # of intervals; wider ones group serial numbers, not quantities


@dataclass(frozen=True)
class Look:
    """The numbers of one column, and what kind of values it has.

    distinct: different values, without missing and suppressed cells.
    alone: rows whose value no other row has.
    generalized: rows whose cell is suppressed, or a label that denotes more than itself; labels
        are looked at only where there are few.
    missing_tokens, suppressed_tokens: values such as `?` or `**` that probably are none. They are
        words that tools write, never data.
    numbers: whether all other values are numbers, with the mark `decimal`.
    whole: whether those numbers are whole. consecutive: whether they also count the rows.
    widths: of intervals that would suit those numbers, from narrow to wide.
    code_length: how many characters each value has, where all are codes of one length.
    padded: whether one of those codes begins with a zero, so that they are no numbers.
    dates: where all values are ISO dates of one length, how many characters to keep for coarser
        ones: the day (of times), the month, the year.
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

    @property
    def known(self) -> int:
        """How many different values certainly are values."""
        return self.distinct - len(self.missing_tokens) - len(self.suppressed_tokens)

    @property
    def all_different(self) -> bool:
        """Whether every row has a value, and no two have the same."""
        return 0 < self.rows == self.distinct


def look(column: FrequencySet) -> Look:
    """What the one column of a frequency set looks like.

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
    return _with_kind(seen, [text for text in texts if text not in tokens])


def _tokens(texts: Sequence[str]) -> tuple[str, ...]:
    """Values that stand for no value; not the sets that list one among values, as `F,nan`."""
    warnings = undeclared_missing((text for text in texts if _MAY_BE_TOKEN.fullmatch(text)), "")
    tokens = [group[0] for finding in warnings for group in finding.labels]
    return tuple(token for token in tokens if not isinstance(parse(token), ValueSet))


def _is_general(text: str) -> bool:
    """Whether a label certainly is an interval, a prefix or a set."""
    admitted = readings(text)
    return "plain" not in admitted


def _with_kind(seen: Look, texts: Sequence[str]) -> Look:
    """The same numbers, with what kind of values these texts are."""
    if not texts:
        return seen
    some = texts[:: max(1, len(texts) // _ENOUGH)]
    kind = _as_numbers(seen, some)
    length = _code_length(some)
    return replace(
        kind,
        consecutive=seen.all_different and kind.whole and _is_run(texts),
        code_length=length,
        padded=length is not None and any(map(_PADDED.fullmatch, some)),
        dates=_dates(some),
    )


def _as_numbers(seen: Look, texts: Sequence[str]) -> Look:
    """The same, with what there is to say of the texts as numbers, if all are numbers."""
    commas = [text for text in texts if "," in text]
    if commas and all(map(_THOUSANDS.fullmatch, commas)):
        return seen  # `50,000`: nobody can say what the comma stands for
    for mark in (".", ","):
        values = _parsed(texts, mark)
        if values is not None:
            whole = all(value.denominator == 1 for value in values)
            widths = _widths(max(values) - min(values), whole=whole) if mark == "." else ()
            return replace(seen, numbers=True, decimal=mark, whole=whole, widths=widths)
    return seen


def _is_run(texts: Sequence[str]) -> bool:
    """Whether the texts are so many whole numbers in a row."""
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
    """Three widths of which each holds the one before, the first about a twentieth of the span.

    The widths are 1, 2 or 5 with zeros: round numbers that say little of the values.
    """
    step = next(
        (n * 10**power for power in range(16) for n in (1, 2, 5) if span <= 20 * n * 10**power),
        _WIDEST,
    )
    if step >= _WIDEST or span == 0 or (step == 1 and not whole):
        return ()
    first = step // 10 ** (len(str(step)) - 1)
    return tuple(step * factor for factor in ((1, 2, 4) if first == 5 else (1, 5, 10)))


def _dates(texts: Sequence[str]) -> tuple[int, ...]:
    """The characters to keep of ISO dates, from fine to coarse; none for anything else."""
    length = len(texts[0])
    if not all(len(text) == length and _is_date(text) for text in texts):
        return ()
    return tuple(kept for kept in (_DAY, _MONTH, _YEAR) if kept < length)


def _is_date(text: str) -> bool:
    """Whether a text is an ISO date whose day is in the calendar, or a month."""
    match = _ISO.fullmatch(text)
    if match is None:
        return False
    try:
        date.fromisoformat(text[:_DAY] if match["day"] else f"{text}-01")
    except ValueError:
        return False
    return True


def _code_length(texts: Sequence[str]) -> int | None:
    """The length that all have, if all are of digits and letters with a digit among them."""
    length = len(texts[0])
    if not _SHORTEST_CODE <= length <= _LONGEST_CODE:
        return None
    alike = all(len(text) == length and _CODE.fullmatch(text) for text in texts)
    return length if alike else None
