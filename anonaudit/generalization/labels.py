"""Parse generalized labels: intervals, masks, sets and plain values.

This is the only module that parses labels. It reads the spellings that anonymizers write:
`[20,30)`, `[20, 30[`, `]30, 40]`, `[25-97]`, `20-30`, `0.0 - 5.0`, `26~33`, `<50`, `>=40`, `50+`;
`482**`; `{a,b}`, `Local-gov~Self-emp-inc`, `F,M`, `['F,M']`. It also reads bands in English words
(see `worded`): `20 to 29`, `under 5`, `85 and over`, `20s`. Every other label is plain and means
only itself.

Some spellings have two readings. `readings` returns both, the default first:

    00501-10001        interval or set: the leading zero may show that these are codes
    10002-02109        set or interval: the first end of a range is usually the lower one
    26~33              interval or set: `~` joins the ends of ranges and the members of sets
    F,M                set or plain: one text may hold a comma (`F, M` with a blank is always plain)
    1,200              plain or set: a number with a separator of thousands, or two codes
    10002-01002-02108  plain or set: a list of codes, or a code such as a phone number

A policy can declare the reading of a column. `prefix`, `Truncated` and `Rounded` give labels a
meaning that their spelling does not show. In a `perturbed` column, a label need not be the true
value of the record, so nothing follows from the label.

Numbers are exact fractions, so no comparison depends on rounding. Parsing a label never raises an
exception.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple, get_args

from anonaudit.errors import AnonauditError, closest

_UNKNOWN: Final = re.compile(r"(?<=[0-9])[-xX#?_.… ]+$")
Spelled = Literal["interval", "set", "prefix", "plain", "perturbed"]
# The reading of values changed by noise, swapping, microaggregation or PRAM: nothing is certain.
PERTURBED: Final = "perturbed"
Repair = Literal["whitespace", "case", "intervals", "unicode"]
REPAIRS: Final[tuple[Repair, ...]] = get_args(Repair)

# A number with more digits than this is taken for text: `1e999999999` in full would fill the
# memory. The square of a number with at most this many digits is a finite float.
_LONGEST: Final = 150
# Invisible characters outside the Unicode category Cf: variation selectors, joiners, fillers.
_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
# Visible characters of the category Cf: signs that stand over the digits that follow.
_SEEN: Final = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
_BLANKS: Final = "".join(c for c in map(chr, range(0x3001)) if c.isspace())  # as strip() removes
_QUOTED: Final = _BLANKS + "'"
_MARKS: Final = frozenset("[]()<>≤≥")
_PADDED: Final = re.compile(r"[-+]?0[0-9]")
_CODES: Final = re.compile(r"[0-9]+(?:-[0-9]+)+")
# A list without brackets, such as `F,M`, does not begin with a bracket and has no blank next to a
# comma.
_PROSE: Final = re.compile(r"^[][(){}]|,\s|\s,")


class _Patterns(NamedTuple):
    number: re.Pattern[str]
    brackets: re.Pattern[str]
    compared: re.Pattern[str]
    pair: re.Pattern[str]


class _Parts(NamedTuple):
    opening: str
    separator: str
    members: tuple[str, ...]


_DASH: Final = r"[-\u2010-\u2015\u2212]"
_DECIMALS: Final = {".": r"\.", ",": ","}  # the pattern of each decimal mark


def _digits(mark: str) -> str:
    """Return the pattern of a number without a sign.

    mark: the pattern of the decimal mark, point or comma; the other of the two separates thousands.
    """
    thousands = "," if mark == r"\." else r"\."
    whole = rf"(?:[1-9][0-9]{{0,2}}(?:{thousands}[0-9]{{3}})+|[0-9]+)"
    return rf"(?:{whole}(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][-+]?[0-9]+)?"


# Patterns are compiled at first use: that takes milliseconds, and few audits need them all.
@cache
def _patterns(decimal: str) -> _Patterns:
    digits = _digits(_DECIMALS[decimal])
    end = rf"[-+]?{digits}"
    # Outside brackets, a text that begins with a plus sign is a phone number, not a range.
    unsigned = rf"-?{digits}"
    dash, infinite = _DASH, r"(?i:inf|infinity|∞)"
    low, high = rf"(?:({end})|-{infinite})", rf"(?:({end})|\+?{infinite})"
    return _Patterns(
        number=re.compile(end),
        brackets=re.compile(rf"([][(])\s*{low}\s*([,;]|{dash})\s*{high}\s*([])[])"),
        compared=re.compile(rf"(<=|>=|[<>≤≥])\s*({end})|({end})\s*\+"),
        pair=re.compile(rf"({unsigned})\s*(~|{dash})\s*({unsigned})"),
    )


class _Words(NamedTuple):
    between: re.Pattern[str]
    open: tuple[tuple[re.Pattern[str], bool, bool], ...]


@cache
def _words(decimal: str) -> _Words:
    """Return the patterns of `worded`.

    open: the patterns of bands with one end, each with two flags: whether the band lies above its
        end, and whether the end belongs to the band. For `over 89` they are True and False.
    """
    end = rf"([-+]?{_digits(_DECIMALS[decimal])})"
    least, most = r"(>=?|≥|over|above)", r"(<=?|≤|under|below|less than)"
    to = rf"(?:to|through|thru|\.\.|…|{_DASH})"

    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE)

    low = "over|above|up|upwards?|older|more|greater|higher"
    high = "under|below|less|fewer|younger|lower"
    return _Words(
        between=compiled(rf"(?:{least}\s*)?{end}\s*{to}\s*(?:{most}\s*)?{end}"),
        open=(
            (compiled(rf"(?:over|above|more than|greater than|older than)\s+{end}"), True, False),
            (compiled(rf"at least\s+{end}"), True, True),
            (compiled(rf"{end}\s*(?:(?:and|or|&)\s+(?:{low})|plus)"), True, True),
            (compiled(rf"(?:under|below|less than|fewer than|younger than)\s+{end}"), False, False),
            (compiled(rf"(?:at most|up to)\s+{end}"), False, True),
            (compiled(rf"{end}\s*(?:and|or|&)\s+(?:{high})"), False, True),
        ),
    )


# Every band in words contains one of these words, two dots, or a sign.
_KEYWORD: Final = (
    r"to|thr|and|or|&|plus|over|above|than|least|under|below|most|up|year|yr|yo|y/o|age|[0-9]s\b"
)
_WORD: Final = re.compile(rf"{_KEYWORD}|…|\.\.|[<>≤≥]", re.IGNORECASE)
# Every other label that is not plain contains one of these signs.
_SIGN: Final = re.compile(rf"[][(){{*,;~+<>≤≥…]|\.\.|{_DASH}")
# Most labels with digits have this form; they are plain.
_CODE: Final = re.compile(r"[A-Za-z]{0,3}[0-9]+(?:\.[0-9]+)*")
_DIGIT: Final = re.compile("[0-9]")
_DECADE: Final = re.compile(r"([0-9]*[1-9]0)s", re.IGNORECASE)
_AGED: Final = re.compile(r"^(?:age[ds]?|from)\s+", re.IGNORECASE)
_YEARS: Final = re.compile(
    r"(?<=[0-9+])\s*(?:years?|yrs?\.?|y/?o)(?:[- ]olds?| of age)?(?![a-z0-9])", re.IGNORECASE
)
# A number with separators of thousands, unless it is part of a longer list of numbers.
_THOUSANDS: Final = re.compile(r"(?<![0-9A-Za-z.,])[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9,])")


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers between two ends. Parsed intervals are never empty.

    low, high: the ends; None if the interval is unbounded on this side.
    low_closed, high_closed: whether the end belongs to the interval.

    >>> Interval(Fraction(20), Fraction(30), True, False).canonical()
    '[20,30)'
    """

    low: Fraction | None
    high: Fraction | None
    low_closed: bool
    high_closed: bool

    def canonical(self, decimal: str = ".") -> str:
        """Return the standard spelling: `[20,30)`, `(-inf,10]`; with decimal comma `[1,5;2,5)`."""
        low = "-inf" if self.low is None else _written(self.low, decimal)
        high = "inf" if self.high is None else _written(self.high, decimal)
        mark = ";" if decimal == "," else ","
        return f"{'(['[self.low_closed]}{low}{mark}{high}{')]'[self.high_closed]}"


@dataclass(frozen=True, slots=True)
class Prefix:
    """A mask: known characters, and `*` for each unknown character, at any position.

    So `482*` stands for values of exactly four characters, as in the hierarchies of ARX. Exception:
    the label `*` stands for any value of any length.
    """

    pattern: str


@dataclass(frozen=True, slots=True)
class Start:
    """The label of a truncated value: it stands for every value that begins with `text`.

    longest: the largest number of characters that the value may have; None if there is no limit.
    """

    text: str
    longest: int | None = None


@dataclass(frozen=True, slots=True)
class ValueSet:
    """A set of members, as written. Linkage parses each member as a label (see `linking.sets`)."""

    members: frozenset[str]


Label = Interval | Prefix | Start | ValueSet


@dataclass(frozen=True, slots=True)
class Rounded:
    """The reading of a column of numbers that were rounded to the nearest multiple of `step`.

    A multiple stands for the numbers that are nearer to it than to any other multiple. A number
    halfway between two multiples may have been rounded either way, so it is undecided (see
    `linking.doubts`). Every other label is read as in a column without a declared reading.
    """

    step: Fraction

    def halfway(self, value: Fraction) -> bool:
        """Return True if a number lies halfway between two multiples."""
        return value % self.step == self.step / 2

    def around(self, value: Fraction) -> Interval | None:
        """Return the interval of numbers that are rounded to `value`; None if it is no multiple."""
        half = self.step / 2
        return None if value % self.step else Interval(value - half, value + half, False, False)


@dataclass(frozen=True, slots=True)
class Truncated:
    """The reading of a column of codes that a prefix hierarchy masked or cut.

    lengths: the numbers of characters that the hierarchy keeps. A label with one of these lengths,
        not counting stars at its end, stands for the codes that begin with it. Each star then
        stands for one character or for none, because the hierarchy pads labels to the longest code
        of a group.
    every: True if labels of other lengths, without stars, stand for the codes that begin with them,
        too. This is so if the policy declares the reading `prefix`.
    """

    lengths: frozenset[int]
    every: bool = False


Declared = Spelled | Rounded
Reading = Declared | Truncated
_ONLY_PLAIN: Final[Mapping[Reading, Label | None]] = {"plain": None}


def is_padded(text: str) -> bool:
    """Return True if the text is a code with leading zeros, and so no number: `02139`.

    >>> is_padded("02139"), is_padded("0"), is_padded("0.5")
    (True, False, False)
    """
    return _PADDED.match(text) is not None


def exact_number(text: str, decimal: str = ".") -> Fraction | None:
    """Return the text of a cell as an exact number; None if it is not a number.

    A number has digits, and may have a sign, one decimal mark, an exponent, and blanks around it.
    `decimal` is the decimal mark, `.` or `,`; the other of the two may separate thousands. `nan`
    and `inf` are not numbers. A number that would need more than about 150 characters without an
    exponent, such as `1e200`, is not read as a number either.

    >>> exact_number("-1.50"), exact_number("1,5", ",")
    (Fraction(-3, 2), Fraction(3, 2))
    >>> exact_number("1_000"), exact_number("1e999999999")
    (None, None)
    >>> exact_number("1,200.50"), exact_number("1.200,50", ","), exact_number("12,00")
    (Fraction(2401, 2), Fraction(2401, 2), None)
    """
    if decimal not in _DECIMALS:
        _one_of("decimal", decimal, tuple(_DECIMALS))
    text = text.strip()
    return _value(text, decimal) if _patterns(decimal).number.fullmatch(text) else None


def as_float(text: str, decimal: str = ".") -> float:
    """Return the text of a cell as a float; NaN if it is not a number.

    >>> as_float("0.5"), as_float("low")
    (0.5, nan)
    """
    number = exact_number(text, decimal)
    return math.nan if number is None else float(number)


def without_unknown(text: str) -> str:
    """Return the known characters of a code: `E11` for `E11.x`, `E11.-` and `E11##`."""
    return _UNKNOWN.sub("", text.strip())


def parse(
    text: str,
    *,
    reading: Reading | None = None,
    decimal: str = ".",
    separator: str | None = None,
) -> Label | None:
    """Return the meaning of a released label; None for a plain value, which means only itself.

    reading: the reading of the column. None uses the default of the table in the module docstring.
        A label that does not admit the reading is plain, with two exceptions: a number read as an
        interval is the interval of that number, and a plain text read as a prefix is the beginning
        of a value (`Start`). A perturbed label is plain.
    decimal: the decimal mark, `.` or `,`. With a decimal comma, the ends of intervals are separated
        by `;` or a dash.
    separator: the text between the members of a set, only with reading="set". None recognises
        braces, `~`, `,` and dashes between codes of equal width, but never dashes between words.

    >>> parse("[20, 30[") == parse("[20,30)"), parse(">50K"), parse("9-May")
    (True, None, None)
    >>> parse("M-F", reading="set", separator="-") == ValueSet(frozenset("FM"))
    True
    """
    if isinstance(reading, str):
        _one_of("reading", reading, get_args(Spelled))
    if separator and reading != "set":
        raise AnonauditError("separator requires reading='set'")
    text = text.strip()
    if reading is None and decimal in _DECIMALS and _CODE.fullmatch(text):
        return None
    admitted = readings(text, decimal=decimal)
    if isinstance(reading, Rounded) and (rounded := _amount(text, admitted, decimal)) is not None:
        return reading.around(rounded)
    if isinstance(reading, Truncated) and (start := _cut(text, reading)) is not None:
        return start
    if reading == "prefix" and text and "plain" in admitted:
        return Start(without_unknown(text))
    if not isinstance(reading, str):
        return next(iter(admitted.values()))
    if reading == "set" and separator:
        parts = _split(text, decimal, separator)
        return ValueSet(frozenset(parts.members)) if parts else None
    if reading == "interval" and reading not in admitted:
        value = exact_number(_unwrapped(text), decimal)
        return None if value is None else Interval(value, value, True, True)
    return admitted.get(reading)


# Each label of a column is parsed several times. The cache has a place for every label, because no
# more labels of a column are examined than its size.
@lru_cache(maxsize=2**16)
def readings(text: str, *, decimal: str = ".") -> Mapping[Reading, Label | None]:
    """Return the readings that a label admits and its meaning under each, the default first.

    The result is never empty.

    >>> list(readings("10002-02109")), list(readings("20-30")), readings("9-May")
    (['set', 'interval'], ['interval'], {'plain': None})
    """
    text = text.strip()
    simple = _CODE.fullmatch(text) or not (_DIGIT.search(text) or _SIGN.search(text))
    if simple and decimal in _DECIMALS:
        return _ONLY_PLAIN  # most texts: skip the patterns
    if exact_number(text, decimal) is not None:
        codes = text.split(",") if decimal == "." else []
        if len(codes) < 2 or not all(code.isdigit() and code[0] != "0" for code in codes):
            return _ONLY_PLAIN
        return {"plain": None, "set": ValueSet(frozenset(codes))}
    if not _SIGN.search(text) and not _WORD.search(text):
        return _ONLY_PLAIN
    inner = _unwrapped(text)
    interval = _marked(inner, decimal) or worded(inner, decimal)
    if interval is not None:
        return {"interval": interval}
    if pair := _patterns(decimal).pair.fullmatch(inner):
        ends = _pair(pair[1], pair[2], pair[3], decimal)
        if inner == text or "interval" in ends:
            return ends
    if parts := _split(text, decimal):
        members = ValueSet(frozenset(parts.members))
        if parts.separator == "-":
            return {"plain": None, "set": members}
        certain = parts.opening or parts.separator == "~"
        return {"set": members} if certain else {"set": members, "plain": None}
    return {"prefix": Prefix(text)} if "*" in text else {"plain": None}


def ambiguous(labels: Iterable[str], *, decimal: str = ".") -> tuple[str, ...]:
    """Return the labels of a column that have two readings, sorted.

    The other labels of the column matter. If it has a list of three or more codes, such as
    `10002-01002-02108`, the label `10001-10002` may be a list of two codes, so it is ambiguous. If
    it has a number that cannot be a list of codes, such as `20,000`, then `1,200` is a number, too,
    and not ambiguous.

    >>> ambiguous(["10001-10002"]), ambiguous(["10001-10002", "10002-01002-02108"])
    ((), ('10001-10002', '10002-01002-02108'))
    """
    distinct = set(labels)
    lists = any(text.count("-") > 1 and _codes(text) for text in distinct)
    several = {text for text in distinct if len(readings(text, decimal=decimal)) > 1}
    if several and any(is_amount(text, decimal) for text in distinct - several):
        several = {text for text in several if not is_amount(text, decimal)}
    return tuple(sorted(several | {text for text in distinct if lists and _codes(text)}))


def is_amount(text: str, decimal: str = ".") -> bool:
    """Return True if the label is a number with separators of thousands: `20,000`, `1,200.50`."""
    mark = "," if decimal == "." else "."
    return mark in text and exact_number(text, decimal) is not None


def visible(text: str) -> str:
    r"""Return the text without invisible characters; blanks are kept.

    Invisible are the format characters of Unicode (category Cf: marks of direction, soft hyphens,
    joiners, ...), control characters, variation selectors and fillers.

    >>> visible("a\u200fb\u00ad \ufe0f")
    'ab '
    """
    if text.isascii():
        if text.isprintable():
            return text
    else:
        text = _UNSEEN.sub("", text)
    if text.isprintable():
        return text
    return "".join(
        c for c in text if c in _SEEN or c.isspace() or unicodedata.category(c) not in {"Cf", "Cc"}
    )


def canonical(text: str, repairs: Collection[Repair]) -> str:
    """Return the label after the given repairs.

    whitespace: removes blanks around the text, in intervals and around the marks of sets, leaves
        one blank between words, and removes invisible characters (see `visible`).
    case: folds case.
    unicode: composes characters (the normal form NFC).
    intervals: writes brackets as in `[20,30)`; a label without brackets is unchanged.

    >>> [canonical(x, REPAIRS) for x in ("]30, 40]", "20 - 30", " Ostby ")]
    ['(30,40]', '20-30', 'ostby']
    """
    for repair in repairs:
        _one_of("repair", repair, REPAIRS)
    if "whitespace" in repairs:
        text = " ".join(visible(text).split())
    if "case" in repairs:
        # casefold() works on single characters, so accented letters are decomposed first.
        text = (unicodedata.normalize("NFD", text) if "unicode" in repairs else text).casefold()
    if "unicode" in repairs:
        text = unicodedata.normalize("NFC", text)
    core = text.strip()
    # Removing blanks would change the meaning of bands in words and of `[1,000, 2,000)`.
    loose = not (_WORD.search(core) and worded(core, ".")) and not _THOUSANDS.search(core)
    spaced = "whitespace" in repairs and " " in core and loose
    turned = "intervals" in repairs and (core[:1] == "]" or core[-1:] == "[")
    if (spaced or turned) and _is_interval(core):
        tight = core.replace(" ", "") if spaced else core
        if turned:
            left = "(" if tight[0] == "]" else tight[0]
            tight = left + tight[1:-1] + (")" if tight[-1] == "[" else tight[-1])
        return text.replace(core, tight)
    return _squeezed(text) if spaced else text


def _marked(text: str, decimal: str) -> Interval | None:
    """Return the interval of a label with brackets, a comparison sign or a plus sign at its end.

    Returns None for any other label.
    """
    patterns = _patterns(decimal)
    if text[:1] not in _MARKS and text[-1:] != "+":
        return None  # most labels: skip the patterns
    if match := patterns.brackets.fullmatch(text):
        left, first, mark, second, right = match.groups()
        if decimal == "," and mark == "," and text.count(",") == 2:
            return None  # `[1,5,2)`: the ends are 1 and 5,2, or 1,5 and 2
        if mark == "," and text.count(",") > 1 and decimal == "." and ", " not in text:
            return None  # `[1,100,200)`: the ends are 1 and 100,200, or 1,100 and 200
        if left != "[" and right != "]" and mark not in ",;":
            return None  # `(555-1234)`
        return _interval(first, second, decimal, left=left == "[", right=right == "]")
    if match := patterns.compared.fullmatch(text):
        sign, first, second = match.groups()
        if sign and sign[0] in "<≤":
            return _interval(None, first, decimal, left=False, right=sign != "<")
        return _interval(first or second, None, decimal, left=sign != ">", right=False)
    return None


def _interval(
    first: str | None, second: str | None, decimal: str, *, left: bool, right: bool
) -> Interval | None:
    """Return the interval with these ends; None if it is empty, or if an end is too long to read.

    first, second: the ends as text; None if the interval is unbounded on this side.
    left, right: whether the end belongs to the interval.
    """
    low = None if first is None else _value(first, decimal)
    high = None if second is None else _value(second, decimal)
    if (low is None and first is not None) or (high is None and second is not None):
        return None  # an end that is too long must not count as a missing end
    empty = low is not None and low == high and not (left and right)
    if empty or (low is not None and high is not None and low > high):
        return None
    return Interval(low, high, left and low is not None, right and high is not None)


def _value(text: str, decimal: str) -> Fraction | None:
    """Return the number in a text that matches the pattern of numbers; None if it is too long."""
    if len(text) > _LONGEST:
        return None
    text = text.replace("," if decimal == "." else ".", "")
    if text.isdigit():
        return Fraction(int(text))
    mantissa, _, power = text.lower().partition("e")
    exponent = int(power) if power else 0
    if len(text) + abs(exponent) > _LONGEST:
        return None
    whole, _, part = mantissa.partition(decimal)
    digits, shift = int(whole + part), exponent - len(part)
    return Fraction(digits * 10**shift) if shift >= 0 else Fraction(digits, 10**-shift)


def worded(text: str, decimal: str = ".") -> Interval | None:
    """Return the interval that a band in English words means; None if the text is no such band.

    Examples: `20 to 29`, `20..29`, `20-<30`, `under 5`, `over 89`, `at least 18`, `85 and over`,
    `4 or younger`, `20s`, `1990s`. `years` may follow, as in `20-29 years` and `5 years`, and
    `aged` may come before. Two forms are not read, because they are uncertain: `1900s` may be ten
    years or a hundred, and `0-11 months` may have another unit than the rest of the column.

    >>> worded("85 and over") == worded("85+ years"), worded("20s").canonical()
    (True, '[20,30)')
    """
    if not (_DIGIT.search(text) and _WORD.search(text)):
        return None  # most labels: skip the patterns
    bare = _YEARS.sub("", _AGED.sub("", text)).strip()
    words = _words(decimal)
    if match := _DECADE.fullmatch(bare):
        low = Fraction(int(match[1]))
        return Interval(low, low + 10, True, False)
    if match := words.between.fullmatch(bare):
        least, first, most, second = match.groups()
        left, right = _belongs(least), _belongs(most)
        return _interval(first, second, decimal, left=left, right=right)
    if bare != text and (value := exact_number(bare, decimal)) is not None:
        return Interval(value, value, True, True)  # `5 years`
    for pattern, above, closed in words.open:
        if match := pattern.fullmatch(bare):
            low_end, high_end = (match[1], None) if above else (None, match[1])
            return _interval(low_end, high_end, decimal, left=closed, right=closed)
    return _marked(bare, decimal) if bare != text else None


def _belongs(word: str | None) -> bool:
    """Return True if an end belongs to its band, by the sign or word before the end (or None)."""
    return not word or "=" in word or word in "≤≥"


def _pair(first: str, mark: str, second: str, decimal: str) -> dict[Reading, Label | None]:
    """Return the readings of two numbers joined by a dash or `~`: interval, set, both, or plain."""
    rising = _interval(first, second, decimal, left=True, right=True)
    interval = rising or _interval(second, first, decimal, left=True, right=True)
    padded = _PADDED.match(first) or _PADDED.match(second)
    if rising and not padded and mark != "~":
        return {"interval": rising}
    if not interval or (mark != "~" and (len(first) != len(second) or "-" in first + second)):
        return {"plain": None}  # no codes: `2020-05`, `2019-20`, `030-1234567`, `10--5`
    codes = ValueSet(frozenset((first, second)))
    return {"interval": rising, "set": codes} if rising else {"set": codes, "interval": interval}


def _split(text: str, decimal: str, separator: str = "") -> _Parts | None:
    """Return the members of a set, with its brackets and separator; None if the text is no set.

    separator: the text between the members; "" to find it in the text.
    """
    opening, inner = "", text
    if text[:1] == "{" and text[-1:] == "}":
        opening, inner = "{", text[1:-1]
    elif (unwrapped := _unwrapped(text)) != text:
        opening, inner = "['", unwrapped
    if not separator and opening:
        # With a decimal comma `{1,5}` has one member.
        separator = ";" if ";" in inner or exact_number(inner, decimal) is not None else ","
    elif not separator and "~" in inner:
        separator = "~"
    elif not separator and _codes(inner):
        separator = "-"
    elif not separator and not _PROSE.search(inner) and not _THOUSANDS.search(inner):
        separator = ","
    if not separator or (not opening and separator not in inner):
        return None
    edges = _QUOTED if opening == "['" else None
    members = tuple(part.strip(edges) for part in inner.split(separator))
    patterns = _patterns(decimal)
    if (
        separator == ","
        and not opening
        and any(
            patterns.pair.fullmatch(member) or patterns.compared.fullmatch(member)
            for member in members
        )
    ):
        return None  # in `1,5-2,5` and `<1,5`, commas are decimal marks or separate bands
    return _Parts(opening, separator, members) if all(members) else None


def _codes(text: str) -> bool:
    """Return True for codes of equally many digits joined by dashes: `00501-02109-10001`."""
    return _CODES.fullmatch(text) is not None and len({len(c) for c in text.split("-")}) == 1


def _cut(text: str, reading: Truncated) -> Start | None:
    """Return the beginning of codes that a label of a prefix hierarchy shows.

    Returns None for a label that the reading does not cover.
    """
    known = text.rstrip("*")
    if len(known) not in reading.lengths or "*" in known or not known:
        return Start(text) if reading.every and text and "*" not in text else None
    return Start(known, len(text) if known != text else None)


def _amount(text: str, admitted: Mapping[Reading, Label | None], decimal: str) -> Fraction | None:
    """Return the number that a label means: `35`, `35 years`, `['35']`; None if it means none."""
    label = admitted.get("interval")
    if isinstance(label, Interval) and label.low == label.high:
        return label.low
    return exact_number(_unwrapped(text), decimal)


def _unwrapped(text: str) -> str:
    """Return `35-44` for `['35-44']`, a Python list written as text; any other text unchanged."""
    return text[2:-2] if len(text) > 4 and text[:2] == "['" and text[-2:] == "']" else text


def _is_interval(text: str) -> bool:
    """Return True if the label is an interval under either decimal mark."""
    marks = (".", ",") if "," in text else (".",)
    return any("interval" in readings(text, decimal=mark) for mark in marks)


def _squeezed(text: str) -> str:
    """Return a set without blanks around its marks; any other text unchanged."""
    parts = _split(text, ".")
    if parts is None:
        return text
    closing = {"": "", "{": "}", "['": "']"}[parts.opening]
    return parts.opening + parts.separator.join(parts.members) + closing


def _written(value: Fraction, decimal: str) -> str:
    """Return a number in decimal digits, or as a fraction if it needs over 150 decimal places."""
    scales = (k for k in range(_LONGEST + 1) if 10**k % value.denominator == 0)
    places = next(scales, None)
    if places is None:
        return str(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator).zfill(places + 1)
    part = decimal + digits[-places:] if places else ""
    return ("-" if value < 0 else "") + digits[: len(digits) - places] + part


def _one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        hint = closest(value, choices)
        raise AnonauditError(f"{name}={value!r} is unknown. {hint}")
