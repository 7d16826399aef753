"""Find doubts: pairs of a value and a label that do not match, but may mean the same.

Example: the label `100` is not equal to the value `10001`, but may be its first digits. `matching`
describes when a pair matches. Each function here finds the doubts of one kind, as pairs of a ground
code and a released code. A pair may also match; the caller drops such pairs.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from fractions import Fraction
from itertools import count, islice
from math import ceil, floor, gcd, lcm
from typing import Final

import numpy as np

from anonaudit.arrays import Index
from anonaudit.generalization.labels import (
    Interval,
    Prefix,
    Rounded,
    Start,
    ValueSet,
    exact_number,
    parse,
    visible,
    without_unknown,
)
from anonaudit.generalization.lint import NO_VALUE
from anonaudit.generalization.spellings import spelled_beginnings
from anonaudit.linking import too_much
from anonaudit.linking.column import Column
from anonaudit.linking.cut_dates import Pairs, cut_dates
from anonaudit.linking.moments import YEAR, known_parts
from anonaudit.linking.spans import inside, meeting

# Numbers of equal length are taken for codes if they have at least this many digits. Shorter
# numbers may be ages or counts.
SHORTEST_CODE: Final = 4
# At least this share of the texts of a column must be digits of this length. The other texts may be
# errors or longer codes.
MOST: Final = 0.9
# Multiples of a step smaller than SMALLEST_STEP are no evidence of rounding. With fewer than
# FEWEST_LABELS labels, the step must be in _STEPS, and the probability that all labels are
# multiples by chance must be at most ROUND_BY_CHANCE.
FEWEST_LABELS: Final = 5
SMALLEST_STEP: Final = 5
ROUND_BY_CHANCE: Final = 0.2
_STEPS: Final = [n * 10**power for power in range(15, -1, -1) for n in (5, 1)][:-1]
_DECADE: Final = re.compile(r"[1-9]0'?s", re.IGNORECASE)
# By decimal mark: the pattern of amounts that seem to be written with this mark. Example: `1,5` and
# `1.200` look like numbers with a decimal comma; `1.5` and `1,200` do not.
_AMOUNT: Final = {
    ",": re.compile(r"[0-9],(?![0-9]{3}(?![0-9]))[0-9]|[0-9]\.[0-9]{3}(?![0-9])"),
    ".": re.compile(r"[0-9]\.(?![0-9]{3}(?![0-9]))[0-9]|[0-9],[0-9]{3}(?![0-9])"),
}
_LAST: Final = chr(0x10FFFF)
_FLOAT: Final = re.compile(r"([0-9]+)\.0+")
_DECIMAL_MASK: Final = re.compile(r"[0-9]+\.[0-9]*\*+")  # a masked number such as `1.2*`
# Marks and words that join several texts into one label, and the pattern of one word.
_JOINT: Final = re.compile(r"\s*(?:[/|;,&+_{}()\[\]]|\b(?:or|and|to)\b)\s*", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+")
# Labels that may stand for any value, and labels that stand for the remaining values.
_ANYTHING: Final = re.compile(
    r"all|any|anything|anyone|anybody|both|each|every|everything|everyone|everybody|either|mixed"
    r"|various|multiple|unspecified|unclassified|(?:not|un)[- ]?(?:stated|specified|reported"
    r"|recorded|known|applicable|disclosed|answered|coded)|no answer|refused"
    r"|(?:any|all) of (?:them|these|the above)|do(?:n['\u2019]?t| not) know",
    re.IGNORECASE,
)
_OTHER: Final = re.compile(
    r"(?:all |any )?others?|(?:the )?rest|others? specified|everything else|misc(?:ellaneous|\.)?|"
    r"none of (?:them|these|the above)|else|remainder|residual",
    re.IGNORECASE,
)


def doubts(column: Column, matched: Collection[tuple[int, int]]) -> Index:
    """The pairs of codes (value, label) of all doubts, shape (n_pairs, 2).

    A pair may occur several times. matched: the pairs that match.

    Raises TooMuchError if there are too many pairs.
    """
    known = {g for g, _ in matched}, {code for _, code in matched}
    pairs: list[Callable[[], Pairs]] = [
        lambda: _cut_digits(column, *known),
        lambda: _cut_texts(column),
        lambda: _cut_starts(column),
        lambda: _spelled_beginnings(column),
        lambda: _without_zeros(column),
        lambda: _masks_without_zeros(column),
        lambda: _unknown_days(column),
        lambda: _anything(column, *known),
        lambda: _joined(column),
        lambda: _decades(column),
        lambda: cut_dates(column.value_moments, column.label_moments),
        lambda: _rounded(column),
        lambda: _undeclared_rounding(column),
        lambda: _in_gaps(column),
        lambda: _cut_fractions(column),
        lambda: _floats(column),
    ]
    pieces = [_array(doubt()) for doubt in pairs]
    pieces += [_masks(column), _misaligned(column), _other_mark(column), _other_readings(column)]
    if column.bands:
        # The true value behind a band may be in any interval that overlaps the band.
        pieces.append(meeting(column.bands, column.spans))
    return np.concatenate(pieces)


def _array(pairs: Pairs) -> Index:
    some = [*islice(pairs, too_much.MOST_UNDECIDED + 1)]
    too_much.check_undecided(len(some))
    return np.array(some, np.intp).reshape(-1, 2)


def _joined(column: Column) -> Pairs:
    """A label that contains a value as a word may stand for this value: `F/M` or `F or M` for `F`.

    The same holds for a value that contains a label. If the longer text is both a value and a
    label, it means only itself and has no doubts.
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
    """Return True for a text of words and marks: no number, date, interval, mask or single word.

    of_value: True if the text is a value, False if it is a label.
    """
    if text.isalnum():
        return False
    if of_value:
        return column.kind_of_value(text) == "text"
    read = column.meanings[column.labels[text]] is not None
    return not read and column.kind_of_label(text) == "text"


def _cut_digits(column: Column, values: AbstractSet[int], labels: AbstractSet[int]) -> Pairs:
    """A label may be the first digits of a value: `100` of `10001`.

    A value may also be the first digits of a label.

    There are doubts if the longer numbers are codes of equal length (see `_code_width`), and in the
    case of `_all_cut`. Spreadsheets drop leading zeros. So if other short labels have three digits,
    the label `21` may be `021`, the beginning of `02139`.

    values, labels: the codes of values and labels that have a match. Such a text is taken to be
        complete, not truncated.
    """
    whole_values, whole_labels = _code_width(column.values), _code_width(column.labels)
    short = {
        label: code
        for label, code in column.labels.items()
        if code not in labels and label.isdecimal() and len(label) < whole_values
    }
    width = max(map(len, short), default=0)
    yield from _all_cut(column, labels)
    short = {label.zfill(width): code for label, code in short.items()} | short
    yield from ((g, code) for code, g in _beginning_with(short, column.values))
    short = {
        value: g
        for value, g in column.values.items()
        if g not in values and value.isdecimal() and len(value) < whole_labels
    }
    yield from _beginning_with(short, column.labels)


def _all_cut(column: Column, labels: AbstractSet[int]) -> Pairs:
    """All labels of digits may be truncated values.

    There are doubts if the policy declares no reading, every label of digits is the beginning of a
    value, and none of these labels matches a value.

    labels: the codes of labels that have a match.
    """
    digits = {label: code for label, code in column.labels.items() if label.isdecimal()}
    if column.reading is None and digits and labels.isdisjoint(digits.values()):
        pairs = [*_beginning_with(digits, column.values)]
        if {code for code, _ in pairs} == {*digits.values()}:
            yield from ((g, code) for code, g in pairs)


def _code_width(texts: Collection[str]) -> int:
    """The length of the codes in a column; 0 if the column does not hold codes.

    A column holds codes if at least 90% of its texts are digits of one length, 4 or more.
    """
    lengths = Counter(len(text) for text in texts if text.isdecimal())
    width, count = max(lengths.items(), key=lambda item: item[1], default=(0, 0))
    return width if width >= SHORTEST_CODE and count >= MOST * len(texts) else 0


def _cut_texts(column: Column) -> Pairs:
    """A text may be a group or a truncation of a longer text: `E11` or `E11.-` of `E11.9`.

    If the shorter text is both a value and a label, it means only itself and has no doubts.
    """
    labels, values = _whole_texts(column)
    yield from ((g, code) for code, g in _beginning_with(_only(labels, column.values), values))
    yield from _beginning_with(_only(values, column.labels), labels)


def _whole_texts(column: Column) -> tuple[dict[str, int], dict[str, int]]:
    """The labels and the values that mean only their own text and are not numbers, by text."""
    labels = {
        text: code
        for text, code in column.labels.items()
        if text not in column.numbers and column.meanings[code] is None
    }
    values = {
        text: g
        for text, g in column.values.items()
        if text not in column.numbers and g not in column.bands
    }
    return labels, values


def _only(texts: Mapping[str, int], others: Collection[str]) -> dict[str, int]:
    """The texts that are not in `others`."""
    return {text: code for text, code in texts.items() if text not in others}


def _beginning_with(
    beginnings: Mapping[str, int], texts: Mapping[str, int]
) -> Iterator[tuple[int, int]]:
    """The pairs of codes (beginning, text) in which the text starts with the beginning.

    Placeholders at the end of a beginning, as in `E11.-`, are unknown characters and are ignored.
    """
    ordered = sorted(texts) if beginnings else []
    for beginning, code in beginnings.items() if texts else ():
        if known := without_unknown(beginning):
            yield from ((code, texts[text]) for text in ordered[_run(ordered, known)])


def _run(ordered: list[str], beginning: str) -> slice:
    """The slice of the sorted texts that begin with `beginning`."""
    return slice(bisect_left(ordered, beginning), bisect_left(ordered, beginning + _LAST))


def _cut_starts(column: Column) -> Pairs:
    """A value may match a label such as `10001*` although the value is too short or too long.

    A shorter value such as `100` may itself be truncated. A longer value such as `1000123` has more
    characters than the label has characters and stars.
    """
    codes: dict[Start, list[int]] = {}
    for code, meaning in column.meanings.items():
        if isinstance(meaning, Start):
            codes.setdefault(meaning, []).append(code)
    ordered = sorted(column.values) if codes else []
    for start, some in codes.items():
        starts = [start.text[:length] for length in range(1, len(start.text))]
        starts = [value for value in starts if value in column.values]
        if (longest := start.longest) is not None:
            run = ordered[_run(ordered, start.text)]
            starts += [value for value in run if len(value) > longest]
        yield from ((column.values[value], code) for value in starts for code in some)


def _spelled_beginnings(column: Column) -> Pairs:
    """A value may match a truncated label except for spelling: `e11.9` and `E11*`.

    The same holds for a truncated value and a longer label.
    """
    cut = {
        code: meaning.text if isinstance(meaning, Start) else meaning.pattern.rstrip("*")
        for code, meaning in column.meanings.items()
        if isinstance(meaning, Start | Prefix)
    }
    cut = {code: known for code, known in cut.items() if known and "*" not in known}
    labels, values = _whole_texts(column)
    of_labels: dict[str, list[int]] = {}
    some = _only(labels, column.values)
    whole = {code: without_unknown(text) for text, code in some.items()}
    for code, known in (cut | whole).items():
        of_labels.setdefault(known, []).append(code)
    for known, value in spelled_beginnings(of_labels, column.values):
        for code in of_labels[known]:
            if code in cut or value in values:
                yield column.values[value], code
    of_values: dict[str, list[int]] = {}
    for text, g in _only(values, column.labels).items():
        if known := without_unknown(text):
            of_values.setdefault(known, []).append(g)
    for known, label in spelled_beginnings(of_values, labels):
        yield from ((g, labels[label]) for g in of_values[known])


def _without_zeros(column: Column) -> Pairs:
    """A value may have lost leading zeros in a spreadsheet: `2139` may be `02139`, as in `021**`.

    A label may have lost leading zeros, too: `21` may be `021` if other labels have three digits.
    """
    padded: dict[str, list[tuple[int, int | None]]] = {}
    short: dict[str, list[int]] = {}
    cut = {code: label for label, code in column.labels.items() if label not in column.values}
    for code, meaning in column.meanings.items():
        if isinstance(meaning, Start):
            known, length = meaning.text, meaning.longest
        elif isinstance(meaning, Prefix):
            known, length = meaning.pattern.rstrip("*"), len(meaning.pattern)
        elif meaning is None and cut.get(code, "").strip("0"):
            known, length = cut[code], None
        else:
            continue
        if known[:1] == "0" and known.isdecimal():
            padded.setdefault(known, []).append((code, length))
        elif known.isdecimal() and isinstance(meaning, Start) and length is None:
            short.setdefault(known, []).append(code)
    digits = _digits(column.values) if padded else {}
    width = max(map(len, digits), default=0)
    stripped = not any(value[0] == "0" for value in digits)
    ordered = sorted(value for value in digits if value[0] != "0")
    for known, labels in padded.items():
        bare = known.lstrip("0")
        zeros = len(known) - len(bare)
        for value in ordered[_run(ordered, bare)] if bare else ordered:
            for code, length in labels:
                whole = length if length is not None else width + zeros * stripped
                if len(value) + zeros <= whole:
                    yield from ((g, code) for g in digits[value])
    longest = max(map(len, [*padded, *short]), default=0)
    ordered = sorted(column.values) if short else []
    for known, codes in short.items():
        if len(known) < longest:
            run = ordered[_run(ordered, known.zfill(longest))]
            yield from ((column.values[value], code) for value in run for code in codes)


def _masks_without_zeros(column: Column) -> Pairs:
    """A mask may hide a code that had lost leading zeros: `21**` of 2139 may be `02139`.

    The mask must fit the code without its zeros, and must not be longer: `21***` is of a code with
    five digits. If some label has kept a leading zero, only masks that are shorter than another
    mask of the column have doubts.
    """
    masks: dict[int, str] = {}
    for code, meaning in column.meanings.items():
        if isinstance(meaning, Prefix):
            mask = meaning.pattern
        elif isinstance(meaning, Start) and meaning.longest is not None:
            mask = meaning.text.ljust(meaning.longest, "*")
        else:
            continue
        if mask.replace("*", "").isdecimal():
            masks[code] = mask
    longest = max(map(len, masks.values()), default=0)
    kept = any(t[0] == "0" and len(t) > 1 and t.rstrip("*").isdecimal() for t in column.labels if t)
    bare: dict[str, list[int]] = {}
    for value, g in column.values.items() if masks else ():
        if value[:1] == "0" and value.isdecimal():
            bare.setdefault(value.lstrip("0"), []).append(g)
    ordered = sorted(bare)
    for code, mask in masks.items():
        if mask[0] in "0*" or (kept and len(mask) == longest):
            continue
        for text in ordered[_run(ordered, mask.partition("*")[0])]:
            fits = all(m in ("*", c) for m, c in zip(mask, text, strict=False))
            if fits and len(mask) <= len(text):
                yield from ((g, code) for g in bare[text])


def _digits(values: Mapping[str, int]) -> dict[str, list[int]]:
    """The codes of whole numbers, by their digits. A float such as `2139.0` has the digits 2139."""
    by_digits: dict[str, list[int]] = {}
    for value, g in values.items():
        bare = _FLOAT.fullmatch(value)
        by_digits.setdefault(bare[1] if bare else value, []).append(g)
    return {digits: codes for digits, codes in by_digits.items() if digits.isdecimal()}


def _floats(column: Column) -> Pairs:
    """`2139.0` may be the code `02139`, because a tool may read a column of codes as floats."""
    labels: dict[str, list[tuple[str, int]]] = {}
    for digits, codes in _digits(column.labels).items():
        labels.setdefault(digits.lstrip("0"), []).extend((digits, code) for code in codes)
    floats = {code for text, code in column.labels.items() if _FLOAT.fullmatch(text)}
    for digits, values in _digits(column.values).items():
        for other, code in labels.get(digits.lstrip("0"), ()):
            if other != digits and (code in floats or digits not in column.values):
                yield from ((g, code) for g in values)


def _unknown_days(column: Column) -> Pairs:
    """A date with unknown parts may be any date that agrees in its known parts.

    So `2020-05-00` may be any day of May 2020, and `0000-00-00` any day at all.
    """
    for ours, theirs, first in (
        (column.label_moments, column.value_moments, False),
        (column.value_moments, column.label_moments, True),
    ):
        unknown = {code: known_parts(m) for code, m in ours.items() if known_parts(m) != m}
        years: dict[str, list[int]] = {}
        for code in theirs if unknown else ():
            years.setdefault(theirs[code][0], []).append(code)
        for code, some in unknown.items():
            for other in years.get(some[0], ()) if some else theirs:
                if all(a == b for a, b in zip(some, known_parts(theirs[other]), strict=False)):
                    yield (code, other) if first else (other, code)


def _anything(column: Column, values: AbstractSet[int], labels: AbstractSet[int]) -> Pairs:
    """`All`, `unknown` or `n/a` may stand for anything, `Other` for any text without a match.

    If `All` is both a value and a label, it matches itself, but rare values may have been merged
    into it. Then it may stand for any text without a match, like `Other`.

    values, labels: the codes of values and labels that have a match.
    """
    for text, code in column.labels.items():
        if rest := _catch_all(text):
            every = rest == "any" and text not in column.values
            some = {*column.values.values()} - column.value_sets.keys()
            yield from ((g, code) for g in some if every or g not in values)
    for text, g in column.values.items():
        if rest := _catch_all(text):
            every = rest == "any" and text not in column.labels
            codes = {*column.labels.values()} - column.label_sets.keys()
            yield from ((g, code) for code in codes if every or code not in labels)


def _catch_all(text: str) -> str:
    """Classify a text: `any` if it may mean everything or no value, `other` if it means the rest.

    Returns "" for any other text.

    >>> _catch_all("Any"), _catch_all("n/a"), _catch_all("Others"), _catch_all("Oslo")
    ('any', 'any', 'other', '')
    """
    shown = visible(text).strip()
    blank = "*" not in shown and not any(map(str.isalnum, shown))
    if blank or NO_VALUE.fullmatch(shown) or _ANYTHING.fullmatch(shown):
        return "any"
    return "other" if _OTHER.fullmatch(shown) else ""


def _masks(column: Column) -> Index:
    """A run of stars may hide fewer or more characters than there are stars: `E11.9` in `E11***`.

    A value that is longer than the mask has no doubt if the column has another mask with the same
    known characters and with the length of the value.
    """
    masks = {
        code: (known, len(meaning.pattern))
        for code, meaning in column.meanings.items()
        if isinstance(meaning, Prefix) and "*" not in (known := meaning.pattern.rstrip("*"))
    }
    entries = sorted((text, len(text), g) for text, g in column.values.items()) if masks else []
    ordered = [text for text, _, _ in entries]
    sizes = np.array([size for _, size, _ in entries], np.intp)
    codes = np.array([g for _, _, g in entries], np.intp)
    of_one: dict[str, list[int]] = {}
    for known, length in masks.values():
        of_one.setdefault(known, []).append(length)
    pieces = [np.zeros((0, 2), np.intp)]
    total = 0
    for code, (known, length) in masks.items():
        run = _run(ordered, known)
        other = (sizes[run] < length) | ~np.isin(sizes[run], of_one[known])
        some = codes[run][other & (sizes[run] != length)]
        total += len(some)
        too_much.check_undecided(total)
        pieces.append(np.column_stack([some, np.full(len(some), code)]))
    return np.concatenate(pieces)


def _misaligned(column: Column) -> Index:
    """A mask cannot be compared with a value of another format or another spelling.

    Examples: `1990-05-**` and `03.05.1990` have digits and marks at different positions. `**139`
    and `2139` have different lengths. `SW** 1AA` and `sw1a 1aa` differ only in case.

    A mask and a value can be compared if they have the same form at each known position of the
    mask: both have the same mark, or both have a letter or digit. Positions behind the end of the
    value do not matter. If the mask begins with a star, mask and value must also have the same
    length. Pairs that cannot be compared are doubts.

    A pair that can be compared is a doubt if the mask has stars before a known character and all
    known characters agree, ignoring case. Then the value may be truncated or spelled differently.
    """
    masks = {
        code: meaning.pattern if isinstance(meaning, Prefix) else f"{meaning.text}*"
        for code, meaning in column.meanings.items()
        if isinstance(meaning, Prefix | Start)
    }
    masks = {
        code: pattern
        for code, pattern in masks.items()
        if pattern.strip("*") and not _DECIMAL_MASK.fullmatch(pattern)
    }
    by_form: dict[str, list[tuple[str, int]]] = {}
    for text, g in column.values.items() if masks else ():
        if g not in column.value_sets:
            by_form.setdefault(_form(text), []).append((text, g))
    pairs = [np.zeros((0, 2), np.intp)]
    total = 0
    for code, pattern in masks.items():
        known = [(i, c) for i, c in enumerate(pattern) if c != "*"]
        starts = len(known) == known[-1][0] + 1
        folded = [(i, c.casefold()) for i, c in known]
        for form, values in by_form.items():
            length = len(form)
            aligned = all(i >= length or _form(c) == form[i] for i, c in known)
            if not aligned or (not starts and length != len(pattern) and pattern[0] == "*"):
                some = [g for _, g in values]
            elif not starts:
                some = [g for text, g in values if _has(text.casefold(), folded)]
            else:
                some = []
            total += len(some)
            too_much.check_undecided(total)
            pairs.append(np.column_stack([np.array(some, np.intp), np.full(len(some), code)]))
    return np.concatenate(pairs)


def _form(text: str) -> str:
    """Replace each letter and digit by `a` and keep all other characters."""
    return "".join("a" if c.isalnum() else c for c in text)


def _has(text: str, known: Iterable[tuple[int, str]]) -> bool:
    """Return True if a text has these characters at these positions.

    Positions behind the end of the text are ignored.
    """
    return all(i >= len(text) or text[i] == c for i, c in known)


def _other_readings(column: Column) -> Index:
    """A label may have its second reading: `1,200` may be two codes, `33~26` a range.

    There are no doubts if the policy declares a reading by name, such as `interval`.
    """
    others = column.second_meanings
    intervals = {code: x for code, x in others if isinstance(x, Interval)}
    codes = _array(
        (column.values[member], code)
        for code, other in others
        if isinstance(other, ValueSet)
        for member in other.members
        if member in column.values
    )
    if not intervals:
        return codes
    return np.concatenate([codes, inside({**column.points, **column.bands}, intervals)])


def _decades(column: Column) -> Pairs:
    """A decade such as `60s` may mean years such as 1965, not only ages from 60 to 69."""
    decades: dict[str, list[int]] = {}
    for label, code in column.labels.items():
        if isinstance(column.meanings[code], Interval) and _DECADE.fullmatch(label.strip()):
            decades.setdefault(label.strip()[0], []).append(code)
    for value, g in column.values.items() if decades else ():
        if YEAR.fullmatch(value):
            yield from ((g, code) for code in decades.get(value[2], ()))


def _other_mark(column: Column) -> Index:
    """A number may use the other decimal mark: `1,5` may be `1.5`, and `20.000` may be 20 thousand.

    There are such doubts for numbers and intervals, in values and in labels, unless the policy
    declares another reading than `interval`.
    """
    if column.reading not in (None, "interval"):
        return np.zeros((0, 2), np.intp)
    other = "," if column.decimal == "." else "."

    def read(texts: Mapping[str, int]) -> dict[int, Interval]:
        """The meaning, by code, of texts that mean another number or a band with the other mark."""
        numbers = {}
        for text, code in texts.items():
            if _AMOUNT[other].search(text):
                value = exact_number(text, other)
                band = parse(text, decimal=other) if value is None else None
                if value is not None and value != column.numbers.get(text):
                    numbers[code] = Interval(value, value, True, True)
                elif isinstance(band, Interval):
                    numbers[code] = band
        return numbers

    labels, values = read(column.labels), read(column.values)
    return np.concatenate(
        [
            inside({**column.points, **column.bands}, labels) if labels else _array(()),
            inside(values, column.spans) if values else _array(()),
        ]
    )


def _rounded(column: Column) -> Pairs:
    """In a column declared as rounded, a number halfway between two multiples may become either.

    A label that is a number, but no multiple of the step, may stand for any number.
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


def _undeclared_rounding(column: Column) -> Pairs:
    """If all labels that are numbers are multiples of a step, they may have been rounded.

    Then each value that is not a multiple is paired with the multiples directly below and above it.
    The step is 5 or more, for example 5, 10 or 1000.

    A single label is no evidence. Two to four labels are evidence only if no label is a band and if
    they are unlikely to be multiples by chance. Example: one in three ground numbers is a multiple,
    but both labels are multiples; by chance this has the probability 1/9.
    """
    labels: dict[int, list[int]] = {}
    for label, code in column.labels.items() if column.reading is None else ():
        value = column.numbers.get(label)
        if value is not None and value.denominator == 1:
            labels.setdefault(value.numerator, []).append(code)
        elif value is not None:
            return
    step = gcd(*labels)
    if len(labels) < FEWEST_LABELS:
        step = next((s for s in _STEPS if step % s == 0), 0)
    if len(labels) < 2 or step < SMALLEST_STEP:
        return
    numbers = [column.numbers[text] for text in column.values if text in column.numbers]
    share = sum(value % step == 0 for value in numbers) / max(len(numbers), 1)
    bands = any(isinstance(meaning, Interval) for meaning in column.meanings.values())
    if len(labels) < FEWEST_LABELS and (bands or share ** len(labels) > ROUND_BY_CHANCE):
        return
    for text, g in column.values.items():
        if text in column.numbers and column.numbers[text] % step:
            below = column.numbers[text] // step * step
            for end in (below, below + step):
                yield from ((g, code) for code in labels.get(end, ()))


def _cut_fractions(column: Column) -> Pairs:
    """A value with more decimals than any label may have been cut or rounded: 34.5 to 34 or 35."""
    labels: dict[Fraction, list[int]] = {}
    for label, code in column.labels.items() if column.reading is None else ():
        if (value := column.numbers.get(label)) is not None and code < column.n_released:
            labels.setdefault(value, []).append(code)
    unit = _unit(labels)
    for text, g in column.values.items() if labels else ():
        steps = column.numbers.get(text, Fraction(0)) / unit
        if steps.denominator > 1:
            for near in (floor(steps), ceil(steps)):
                yield from ((g, code) for code in labels.get(near * unit, ()))


def _in_gaps(column: Column) -> Pairs:
    """A number in the gap between two bands may be in either: 29.5 between `20-29` and `30-39`.

    The number may have been cut or rounded before it was put into a band. So there is a doubt only
    if the number has more decimals than the ends of the bands.
    """
    bands: dict[Interval, list[int]] = {}
    for code, meaning in (*column.meanings.items(), *column.second_meanings):
        if isinstance(meaning, Interval):
            bands.setdefault(meaning, []).append(code)
    lows = sorted({band.low for band in bands if band.low is not None})
    highs = sorted({band.high for band in bands if band.high is not None})
    values: dict[Fraction, list[int]] = {}
    for text, g in column.values.items() if bands else ():
        if text in column.numbers:
            values.setdefault(column.numbers[text], []).append(g)
    ordered = sorted(values)
    for band, codes in bands.items():
        own = [end for end in (band.low, band.high) if end is not None]
        for end, closed, above in (
            (band.low, band.low_closed, False),
            (band.high, band.high_closed, True),
        ):
            if end is None or not closed:
                continue
            unit = _unit(own)
            place = bisect_left(lows, end) if above else bisect_right(highs, end) - 1
            near = lows[place : place + 1] if above else highs[max(place, 0) : place + 1]
            unit = _unit([*own, *(other for other in near if abs(other - end) <= unit)])
            low, high = (end, end + unit) if above else (end - unit, end)
            run = slice(bisect_right(ordered, low), bisect_left(ordered, high))
            yield from ((g, code) for x in ordered[run] for g in values[x] for code in codes)


def _unit(ends: Iterable[Fraction]) -> Fraction:
    """The unit of the last decimal place of these numbers: 1 for 20 and 29, 1/10 for 5 and 5.4."""
    finest = lcm(*(end.denominator for end in ends))
    return Fraction(1, next(10**digits for digits in count() if 10**digits % finest == 0))
