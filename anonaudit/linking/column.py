"""Parse the values and labels of one column, each text once, for all comparisons of the column.

A value is a text of the external or original table (the ground table); a label is a text of the
release.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from anonaudit.arrays import Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.generalization.labels import (
    Interval,
    Label,
    Prefix,
    Reading,
    Start,
    Truncated,
    ValueSet,
    exact_number,
    parse,
    readings,
    without_unknown,
)
from anonaudit.linking.moments import DAY, Moment, moment, moments
from anonaudit.linking.sets import Sets, taken_apart

_YEAR: Final = 4  # digits
_DIGIT: Final = re.compile("[0-9]")
_CODE: Final = re.compile(r"[A-Za-z]*[0-9][A-Za-z0-9]*(?:\.[A-Za-z0-9]+)*\.?")
_LETTERS: Final = re.compile(r"[A-Za-z]\s*[-\u2010-\u2015]\s*[A-Za-z]")  # `A-F`
# Words in labels that span several values, such as "10 to 20".
_SPANNING: Final = re.compile(
    r"\b(?:to|through|thru|till|until|under|below|before|less|up|over|above|after|since|more"
    r"|older|younger|from|between|not|except)\b"
)
_RUN: Final = re.compile(r"[^\W\d_]+|[0-9][0-9.,]*")


# Every label with two readings contains one of these characters.
_JOINED: Final = re.compile(r"[,~\-\u2010-\u2015\u2212]")


@dataclass(frozen=True)
class Column:
    """One column of a ground table and of a release, with all its texts parsed.

    values: the code of each value, by its text (a ground code).
    labels: the code of each label, by its text (a released code).
    value_sets, label_sets: the codes of the members of each set, by the code of the set. Members
        are added to `values` and `labels`. A member that is not itself a text of the table gets a
        new code: `n_ground` or higher for a value, `n_released` or higher for a label.
    meanings: the parsed label by released code; None for a label that means only its own text.
    numbers: the number by text, for values and labels that are numbers.
    value_moments, label_moments: the parsed date by code, for texts that are a date, a month or a
        year.
    reading, decimal: how labels are parsed, see `labels.parse`.
    n_ground, n_released: the number of codes of each table, with those of missing and suppressed.
    """

    values: Mapping[str, int]
    labels: Mapping[str, int]
    value_sets: Sets
    label_sets: Sets
    meanings: Mapping[int, Label | None]
    numbers: Mapping[str, Fraction]
    value_moments: Mapping[int, Moment]
    label_moments: Mapping[int, Moment]
    reading: Reading | None
    decimal: str
    n_ground: int
    n_released: int

    @classmethod
    def read(
        cls,
        ground: Sequence[str],
        released: Sequence[str],
        reading: Reading | None,
        decimal: str,
        separator: str | None,
    ) -> Column:
        """Parse a column.

        ground, released: texts by code, all different, as in a FrequencySet.
        reading, decimal, separator: see `labels.parse`.
        """
        values, labels = (
            {text: code for code, text in enumerate(texts) if code >= FIRST_VALUE}
            for texts in (ground, released)
        )
        own = frozenset(labels)
        denoted: dict[str, Label | None] = {}

        def members(label: str) -> Collection[str]:
            if label in own:
                meaning = _meaning(label, reading, decimal, separator)
            else:  # a member of a set: the reading `set` applies to labels, not to their members
                meaning = _meaning(label, None if reading == "set" else reading, decimal, None)
            denoted[label] = meaning
            return meaning.members if isinstance(meaning, ValueSet) else ()

        label_sets = taken_apart(labels, len(released), members)
        value_sets = (
            taken_apart(values, len(ground), lambda text: _certain_members(text, decimal))
            if reading != "plain"
            else {}
        )
        texts = [text for text in {**values, **labels} if _DIGIT.search(text)]
        numbers = {t: n for t in texts if (n := exact_number(t, decimal)) is not None}
        moment_of = {
            t: m
            for t in texts
            if (t not in numbers or len(t) == _YEAR) and (m := moment(t)) is not None
        }
        meanings = {labels[label]: meaning for label, meaning in denoted.items()}
        if isinstance(reading, Truncated):
            meanings = _padded_to_each_code(meanings, labels)
        value_moments, label_moments = (
            moments({code: moment_of[text] for text, code in some.items() if text in moment_of})
            for some in (values, labels)
        )
        return cls(
            values,
            labels,
            value_sets,
            label_sets,
            meanings,
            numbers,
            value_moments,
            label_moments,
            reading,
            decimal,
            len(ground),
            len(released),
        )

    def outside(self, pairs: Index, tree: Collection[str]) -> Index:
        """The pairs without those of which both texts are in `tree`, the nodes of the hierarchy."""
        if not tree or not len(pairs):
            return pairs
        inner = [
            np.isin(pairs[:, side], [code for text, code in codes.items() if text in tree])
            for side, codes in enumerate((self.values, self.labels))
        ]
        return pairs[~(inner[0] & inner[1])]

    @cached_property
    def bands(self) -> dict[int, Interval]:
        """The values that are intervals (bands), by code.

        Empty if no label is a number or an interval.
        """
        numeric = any(isinstance(meaning, Interval) for meaning in self.meanings.values())
        if not numeric and not any(label in self.numbers for label in self.labels):
            return {}
        texts = (text for text in self.values if text not in self.numbers and _DIGIT.search(text))
        read = ((self.values[text], parse(text, decimal=self.decimal)) for text in texts)
        return {g: band for g, band in read if isinstance(band, Interval)}

    @cached_property
    def points(self) -> dict[int, Interval]:
        """The values that are numbers, by code, as intervals of one number."""
        return {
            g: _point(self.numbers[text]) for text, g in self.values.items() if text in self.numbers
        }

    @cached_property
    def spans(self) -> dict[int, Interval]:
        """The labels that are intervals or numbers, by code, as intervals."""
        intervals = {
            code: span for code, span in self.meanings.items() if isinstance(span, Interval)
        }
        for label, code in self.labels.items():
            if code not in intervals and label in self.numbers:
                intervals[code] = _point(self.numbers[label])
        return intervals

    @cached_property
    def second_meanings(self) -> list[tuple[int, Label]]:
        """The other meanings of labels that can be read in several ways, with the released codes.

        Empty if the policy declares a reading by name, such as `interval`.
        """
        return [
            (code, other)
            for label, code in self.labels.items()
            if not isinstance(self.reading, str) and _JOINED.search(label)
            for other in readings(label, decimal=self.decimal).values()
            if other is not None and other != self.meanings[code]
        ]

    def kind_of_value(self, text: str) -> str:
        """The kind of a value: `number`, `date` (with a day), `month`, `band` or `text`."""
        if text in self.numbers:
            return "number"
        g = self.values[text]
        return "band" if g in self.bands else kind_of(self.value_moments.get(g))

    def kind_of_label(self, text: str) -> str:
        """The kind of a label that means only its own text: `number`, `date`, `month`, `text`."""
        if text in self.numbers:
            return "number"
        return kind_of(self.label_moments.get(self.labels[text]))


def _meaning(
    label: str, reading: Reading | None, decimal: str, separator: str | None
) -> Label | None:
    """Parse a label. Without a declared reading, numbers and dates mean only their own text."""
    if reading is None and (exact_number(label, decimal) is not None or moment(label) is not None):
        return None
    return parse(label, reading=reading, decimal=decimal, separator=separator)


def _certain_members(value: str, decimal: str) -> Collection[str]:
    """The members of a value that is certainly a set (`{F,M}`, `F~M`); empty for any other value.

    `Sales,Retail` is not certainly a set.
    """
    if value[:1] not in "{[" and "~" not in value:
        return ()
    meaning = parse(value, decimal=decimal)
    return meaning.members if isinstance(meaning, ValueSet) else ()


def kind_of(parts: Moment | None) -> str:
    """The kind of a text that is not a number: `date`, `month` or `text`.

    parts: the parsed date of the text; None if it is not a date.
    """
    return "text" if parts is None else "date" if len(parts) >= DAY else "month"


def _point(value: Fraction) -> Interval:
    return Interval(value, value, True, True)


def shape(text: str) -> str:
    """The pattern of a composite text: each word becomes `a`, each number `9`, the rest is kept.

    Words such as "to" or "under", which labels of several values contain, are kept, too. Plain
    codes and plain words are not composite: their shape is "". Placeholders at the end, as in
    `E11.-` and `482##`, are dropped first.

    >>> [shape(text) for text in ("E11.9", "E11-E14", "15-25%", "A-F", "Never-worked", "E11.-")]
    ['', 'a9-a9', '9-9%', 'a-a', '', '']
    >>> [shape(text) for text in ("E10 to E14", "grade 3", "Ward A to D", "under 6 months")]
    ['a9 to a9', 'a 9', 'a a to a', 'under 9 a']
    """
    known = without_unknown(text)
    lower = known.lower()
    spanning = _SPANNING.search(lower)
    if _CODE.fullmatch(known) or not (spanning or _DIGIT.search(text) or _LETTERS.fullmatch(text)):
        return ""

    def of_run(match: re.Match[str]) -> str:
        run = match[0]
        if not run[0].isalpha():
            return "9"
        return run if _SPANNING.fullmatch(run) else "a"

    return " ".join(_RUN.sub(of_run, lower).split())


def _padded_to_each_code(
    meanings: Mapping[int, Label | None], labels: Mapping[str, int]
) -> dict[int, Label | None]:
    """Correct the meanings of labels with the same prefix and different numbers of stars.

    A prefix hierarchy pads labels with stars to the longest code of a group. So a star stands for
    one character or for none. But if a column has both `E11**` and `E11***`, each code was padded
    to its own length, as earlier versions of anonaudit did. Then each star stands for exactly one
    character: `E11**` stands only for codes of five characters.
    """
    lengths: dict[str, set[int]] = {}
    for meaning in meanings.values():
        if isinstance(meaning, Start) and meaning.longest is not None:
            lengths.setdefault(meaning.text, set()).add(meaning.longest)
    padded = dict(meanings)
    for label, code in labels.items():
        meaning = meanings[code]
        if isinstance(meaning, Start) and len(lengths.get(meaning.text, ())) > 1:
            padded[code] = meaning if meaning.longest is None else Prefix(label.strip())
    return padded
