"""Values that may be behind a label although they are of one kind with it and do not match.

Each function is one doubt: it returns the pairs of a ground code and a released code that it
applies to. A pair that matches after all is taken out by the caller.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import count, islice
from math import gcd, lcm
from typing import Final

import numpy as np
import numpy.typing as npt

from anonaudit.generalization.labels import (
    Interval,
    Prefix,
    Rounded,
    Start,
    ValueSet,
    number,
    parse,
    readings,
)
from anonaudit.linking import too_much
from anonaudit.linking.column import Column, without_unknown
from anonaudit.linking.moments import DAY, YEAR, Moment
from anonaudit.linking.spans import inside, meeting

Index = npt.NDArray[np.intp]
Pairs = Iterable[tuple[int, int]]

# Digits of one length are codes from this length on; shorter ones may be ages or counts.
SHORTEST_CODE: Final = 4
# So many of the values must have that length; the others may be mistakes, or have more digits.
MOST: Final = 0.9
# Fewer labels, or multiples of less, are no sign of rounding.
FEW: Final = 5
SMALLEST_STEP: Final = 5
_DECADE: Final = re.compile(r"[1-9]0'?s", re.IGNORECASE)
# Amounts that are other numbers with this decimal mark; not `1,200`, whose comma separates
# thousands, nor `1.5`.
_AMOUNT: Final = {
    ",": re.compile(r"[0-9],(?![0-9]{3}(?![0-9]))[0-9]|[0-9]\.[0-9]{3}(?![0-9])"),
    ".": re.compile(r"[0-9]\.(?![0-9]{3}(?![0-9]))[0-9]|[0-9],[0-9]{3}(?![0-9])"),
}
_LAST: Final = chr(0x10FFFF)
# What joins texts into one label, and one word of a text.
_JOINT: Final = re.compile(r"\s*(?:[/|;,&+_{}()\[\]]|\b(?:or|and|to)\b)\s*", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+")


def doubts(column: Column, matched: Collection[tuple[int, int]]) -> Index:
    """The pairs of all doubts, shape (n_pairs, 2); a pair may occur twice.

    matched: the pairs that match. Raises TooMuchError if there are too many.
    """
    known = {g for g, _ in matched}, {code for _, code in matched}
    pairs: list[Callable[[], Pairs]] = [
        lambda: _cut_digits(column, *known),
        lambda: _cut_texts(column),
        lambda: _cut_starts(column),
        lambda: _lists(column),
        lambda: _joined(column),
        lambda: _decades(column),
        lambda: _same_period(column),
        lambda: _rounded(column),
        lambda: _rounded_in_silence(column),
        lambda: _in_gaps(column),
    ]
    found = [_array(doubt()) for doubt in pairs]
    found += [_masks(column), _other_mark(column)]
    if column.bands:
        # A value that is a band may be in every interval that it meets.
        found.append(meeting(column.bands, column.spans))
    return np.concatenate(found)


def _array(pairs: Pairs) -> Index:
    some = [*islice(pairs, too_much.MOST_UNDECIDED + 1)]
    too_much.check_undecided(len(some))
    return np.array(some, np.intp).reshape(-1, 2)


def _joined(column: Column) -> Pairs:
    """`F/M`, `F or M`, `Not Private` have `F`, `M`, `Private` in them, and may stand for these.

    Also where the external table has the longer text. A text that both tables have is a value.
    """
    for longer, shorter, first in (
        (column.labels, column.values, False),
        (column.values, column.labels, True),
    ):
        for text, code in longer.items():
            if text in shorter or not _is_words(column, text, of_value=first):
                continue
            for part in {*_JOINT.split(text), *_WORD.findall(text)}:
                if (other := shorter.get(part)) is not None:
                    yield (code, other) if first else (other, code)


def _is_words(column: Column, text: str, *, of_value: bool) -> bool:
    """Whether a text is neither a number, a date, an interval, nor a mask."""
    if text.isalnum():
        return False
    if of_value:
        return column.kind_of_value(text) == "text"
    read = column.meanings[column.labels[text]] is not None
    return not read and column.kind_of_label(text) == "text"


def _cut_digits(column: Column, values: Collection[int], labels: Collection[int]) -> Pairs:
    """`100` may be the beginning of `10001` where digits of one length are codes.

    `21` may be that of `02139` where other labels have three digits: spreadsheets drop zeros.
    values, labels: those that match something, which are what they are.
    """
    whole_values, whole_labels = _code_width(column.values), _code_width(column.labels)
    short = {
        label: code
        for label, code in column.labels.items()
        if code not in labels and label.isdecimal() and len(label) < whole_values
    }
    width = max(map(len, short), default=0)
    short = {label.zfill(width): code for label, code in short.items()} | short
    yield from ((g, code) for code, g in _beginning_with(short, column.values))
    short = {
        value: g
        for value, g in column.values.items()
        if g not in values and value.isdecimal() and len(value) < whole_labels
    }
    yield from _beginning_with(short, column.labels)


def _code_width(texts: Collection[str]) -> int:
    """The length that most texts have, if they are digits and long enough to be codes; else 0."""
    lengths = Counter(len(text) for text in texts if text.isdecimal())
    width, count = max(lengths.items(), key=lambda item: item[1], default=(0, 0))
    return width if width >= SHORTEST_CODE and count >= MOST * len(texts) else 0


def _cut_texts(column: Column) -> Pairs:
    """`E11`, `E11.x` and `E11.-` may be the group of `E11.9`, or cut from it.

    A text that both columns have is what it is.
    """
    labels = {
        text: code
        for text, code in column.labels.items()
        if text not in column.values
        and text not in column.numbers
        and column.meanings[code] is None
    }
    values = {
        text: g
        for text, g in column.values.items()
        if text not in column.labels and text not in column.numbers and g not in column.bands
    }
    yield from ((g, code) for code, g in _beginning_with(labels, values))
    yield from _beginning_with(values, labels)


def _beginning_with(
    beginnings: Mapping[str, int], texts: Mapping[str, int]
) -> Iterator[tuple[int, int]]:
    """The pairs of codes of a beginning and a text that begins with its known characters."""
    ordered = sorted(texts) if beginnings else []
    for beginning, code in beginnings.items() if texts else ():
        if known := without_unknown(beginning):
            yield from ((code, texts[text]) for text in ordered[_run(ordered, known)])


def _run(ordered: list[str], beginning: str) -> slice:
    """Where the sorted texts are that begin with another."""
    return slice(bisect_left(ordered, beginning), bisect_left(ordered, beginning + _LAST))


def _cut_starts(column: Column) -> Pairs:
    """A value may be cut itself: `100` of the beginning `10001`."""
    for code, meaning in column.meanings.items():
        if isinstance(meaning, Start):
            for length in range(1, len(meaning.text)):
                if (g := column.values.get(meaning.text[:length])) is not None:
                    yield g, code


def _masks(column: Column) -> Index:
    """A run of stars may hide fewer or more characters than it has: `E11.9` of `E11***`.

    A longer value has a mask of its own where the column has one of its length. `2139` may be
    `02139` where most values have five digits.
    """
    masks = {
        code: (known, len(meaning.pattern))
        for code, meaning in column.meanings.items()
        if isinstance(meaning, Prefix) and "*" not in (known := meaning.pattern.rstrip("*"))
    }
    width = _code_width(column.values) if masks else 0
    entries = sorted(
        entry
        for text, g in (column.values.items() if masks else ())
        for entry in {(text, len(text), g), (text.zfill(width) if text.isdecimal() else text, 0, g)}
        if entry[1] or entry[0] != text
    )
    ordered = [text for text, _, _ in entries]
    sizes = np.array([size for _, size, _ in entries], np.intp)
    codes = np.array([g for _, _, g in entries], np.intp)
    of_one: dict[str, list[int]] = {}
    for known, length in masks.values():
        of_one.setdefault(known, []).append(length)
    found = [np.zeros((0, 2), np.intp)]
    total = 0
    for code, (known, length) in masks.items():
        run = _run(ordered, known)
        other = (sizes[run] < length) | ~np.isin(sizes[run], of_one[known])
        some = codes[run][other & (sizes[run] != length)]
        total += len(some)
        too_much.check_undecided(total)
        found.append(np.column_stack([some, np.full(len(some), code)]))
    return np.concatenate(found)


def _lists(column: Column) -> Pairs:
    """`1,200` and `10002-01002-02108` may be lists of codes, if no reading is declared."""
    for label, code in column.labels.items() if column.reading is None else ():
        amount = "," in label and label in column.numbers
        if amount or (label.count("-") > 1 and len({*map(len, label.split("-"))}) == 1):
            codes = readings(label, decimal=column.decimal).get("set")
            for member in codes.members if isinstance(codes, ValueSet) else ():
                if member in column.values:
                    yield column.values[member], code


def _decades(column: Column) -> Pairs:
    """`60s` may be years: `1965`."""
    decades: dict[str, list[int]] = {}
    for label, code in column.labels.items():
        if isinstance(column.meanings[code], Interval) and _DECADE.fullmatch(label.strip()):
            decades.setdefault(label.strip()[0], []).append(code)
    for value, g in column.values.items() if decades else ():
        if YEAR.fullmatch(value):
            yield from ((g, code) for code in decades.get(value[2], ()))


def _other_mark(column: Column) -> Index:
    """`1,5` may be `1.5`, and `20.000-29.999` twenty to thirty thousand, if people write so."""
    if column.reading not in (None, "interval"):
        return np.zeros((0, 2), np.intp)
    other = "," if column.decimal == "." else "."

    def read(texts: Mapping[str, int]) -> dict[int, Interval]:
        """The texts that are other numbers or bands with the other decimal mark."""
        found = {}
        for text, code in texts.items():
            if _AMOUNT[other].search(text):
                value = number(text, other)
                band = parse(text, decimal=other) if value is None else None
                if value is not None and value != column.numbers.get(text):
                    found[code] = Interval(value, value, True, True)
                elif isinstance(band, Interval):
                    found[code] = band
        return found

    labels, values = read(column.labels), read(column.values)
    return np.concatenate(
        [
            inside({**column.points, **column.bands}, labels) if labels else _array(()),
            inside(values, column.spans) if values else _array(()),
        ]
    )


def _same_period(column: Column) -> Pairs:
    """Dates that all have one day of the month, or of the year, may stand for any day of it."""
    kept = _kept(column.label_moments.values())
    periods: dict[Moment, list[int]] = {}
    for g, day in column.value_moments.items() if kept else ():
        if len(day) >= DAY:
            periods.setdefault(day[:kept], []).append(g)
    for code, day in column.label_moments.items() if periods else ():
        if len(day) >= DAY:
            yield from ((g, code) for g in periods.get(day[:kept], ()))


def _kept(moments: Iterable[Moment]) -> int:
    """How many parts of a date were kept if the others are the same throughout.

    2 if all have one day of the month, 1 if one day of the year, 0 if nothing suggests that dates
    were cut. A single date suggests it if it is a first day.
    """
    days = [*{m[:DAY] for m in moments if len(m) >= DAY}]
    for kept in (1, 2):
        rest = {day[kept:] for day in days}
        if len(rest) == 1 and (len(days) > 1 or {*rest.pop()} == {"01"}):
            return kept
    return 0


def _rounded(column: Column) -> Pairs:
    """In a rounded column a number halfway between two multiples may have become either.

    A label that is no multiple may stand for any number.
    """
    reading = column.reading
    if not isinstance(reading, Rounded):
        return
    numbers = {
        g: column.numbers[text] for text, g in column.values.items() if text in column.numbers
    }
    halfway: dict[Fraction | None, list[int]] = {}
    for g, value in numbers.items():
        if reading.halfway(value):
            halfway.setdefault(value, []).append(g)
    for label, code in column.labels.items():
        meaning = column.meanings[code]
        if meaning is None and label in column.numbers:
            yield from ((g, code) for g in numbers)
        for end in (meaning.low, meaning.high) if isinstance(meaning, Interval) else ():
            yield from ((g, code) for g in halfway.get(end, ()))


def _rounded_in_silence(column: Column) -> Pairs:
    """Numbers that are all multiples of 5, 10, 1000, ... may be rounded in any direction.

    Nothing is concluded from few labels.
    """
    labels: dict[int, list[int]] = {}
    for label, code in column.labels.items() if column.reading is None else ():
        value = column.numbers.get(label)
        if value is not None and value.denominator == 1:
            labels.setdefault(value.numerator, []).append(code)
        elif value is not None:
            return
    step = gcd(*labels)
    if len(labels) < FEW or step < SMALLEST_STEP:
        return
    for text, g in column.values.items():
        if text in column.numbers and column.numbers[text] % step:
            below = column.numbers[text] // step * step
            for end in (below, below + step):
                yield from ((g, code) for code in labels.get(end, ()))


def _in_gaps(column: Column) -> Pairs:
    """A number with more digits than the ends of all bands: `29.5` of `20-29`, in whole years.

    It may have been cut or rounded before it was put into a band.
    """
    ends = [
        (end, code, above)
        for code, meaning in column.meanings.items()
        if isinstance(meaning, Interval) and not isinstance(column.reading, Rounded)
        for end, closed, above in (
            (meaning.low, meaning.low_closed, False),
            (meaning.high, meaning.high_closed, True),
        )
        if end is not None and closed
    ]
    finest = lcm(*(end.denominator for end, _, _ in ends))
    unit = Fraction(1, next(10**digits for digits in count() if 10**digits % finest == 0))
    finer: dict[int, list[int]] = {}
    for text, g in column.values.items() if ends else ():
        if text in column.numbers and (column.numbers[text] / unit).denominator > 1:
            finer.setdefault(column.numbers[text] // unit, []).append(g)
    for end, code, above in ends if finer else ():
        yield from ((g, code) for g in finer.get(int(end / unit) - (not above), ()))
