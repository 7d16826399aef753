"""Pairs of a ground value and a released label of which nothing says whether they match.

Nothing unread is safe: whoever is in such a pair may be behind the label, or may not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from anonaudit.errors import AnonauditError
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import (
    Interval,
    Label,
    Prefix,
    Reading,
    Rounded,
    Start,
    ValueSet,
    number,
    parse,
    readings,
)
from anonaudit.generalization.spellings import differ, spelled_otherwise
from anonaudit.linking.moments import DAY, Moment, moment
from anonaudit.linking.spans import ranks

Index = npt.NDArray[np.intp]

# More undecided pairs of one column than this are not looked at.
MOST_UNDECIDED: Final = 20_000_000
# Digits of one length are codes from this length on; shorter ones may be ages or counts.
SHORTEST_CODE: Final = 4
_DECADE: Final = re.compile(r"[1-9]0'?s", re.IGNORECASE)
_YEAR: Final = re.compile(r"[12][0-9]{3}")


class TooMuchError(AnonauditError):
    """A comparison would need more time or memory than it may take; the message says what."""


def undecided_pairs(
    values: Sequence[tuple[int, str]],
    meanings: Mapping[int, Label | None],
    pairs: Sequence[tuple[int, int]],
    code_of: Mapping[str, int],
    hierarchy: Hierarchy | None,
    decimal: str,
    reading: Reading | None = None,
) -> Index:
    """The undecided pairs of one column, shape (n_pairs, 2): ground code, released code.

    values: ground code and value. meanings: by released code what its label denotes, None for a
        plain text. pairs: those that match. code_of: the released code of each label.
    reading: how the column is read.

    A pair that does not match is a mismatch where
    - the hierarchy has both; but a value that is a group, and no ground value, may be all that is
      below it;
    - the label is an interval and the value a number, or the label is a set or a mask of values
      of that kind, or the label is the beginning of values; but a text that the hierarchy lacks may
      be any member of a set that it has;
    - both are numbers, or both are dates;
    - the label is the value of somebody else, and no hierarchy has it;
    - both are texts, there is no hierarchy, and some text is in both columns, alone or in a set:
      then they hold values of one kind.
    All other pairs are undecided, and so are those that `_Doubts` finds. Raises TooMuchError if
    there are more than MOST_UNDECIDED.
    """
    tree = frozenset(hierarchy.nodes) if hierarchy is not None else frozenset[str]()
    leaves, coarse = frozenset[str](), dict[str, int]()
    if hierarchy is not None:
        leaves = frozenset(leaf for leaf in hierarchy.leaves if not hierarchy.children(leaf))
        coarse = {x: g for g, x in values if x in tree and x not in hierarchy.paths}
    inner = tree - leaves
    matched = {code for _, code in pairs}
    lengths = {len(value) for _, value in values}
    groups: dict[tuple[bool, str], list[int]] = {}
    bands = bands_among(values, meanings.values(), decimal)
    group_of = {
        g: (value in tree, "band" if g in bands else _kind(value, decimal)) for g, value in values
    }
    for g, group in group_of.items():
        groups.setdefault(group, []).append(g)
    value_of = dict(values)
    label_of = {code: label for label, code in code_of.items()}
    shared_text = hierarchy is None and any(
        _kind(value_of[g], decimal) == "text"
        and (isinstance(meanings[code], ValueSet) or label_of[code] == value_of[g])
        for g, code in pairs
    )
    doubts = _Doubts(value_of, label_of, meanings, bands, matched, decimal, reading)
    found: list[Index] = []
    total = 0
    for label, code in code_of.items():
        meaning, own = meanings[code], _kind(label, decimal)
        doubtful = doubts.of(label, code, meaning)
        if coarse and hierarchy is not None and label in tree:
            above = hierarchy.ancestors(label)[1:]
            doubtful = {*doubtful, *(coarse[node] for node in above if node in coarse)}
        for (in_tree, kind), members in groups.items():
            if in_tree and label in tree:
                decided = True
            elif meaning is not None:
                strange = kind == "text" and not in_tree
                unsure = tree if strange else inner
                decided = _decided_by(meaning, kind, lengths, unsure, decimal)
            elif label in inner:
                decided = False  # a group, and a value that the hierarchy lacks
            elif kind == own != "text" or _comparable(kind, own, label):
                decided = True
            else:
                decided = label not in tree and (code in matched or (kind == own and shared_text))
            open_ = [g for g in doubtful if group_of[g] == (in_tree, kind)] if decided else members
            if open_:
                total += len(open_)
                if total > MOST_UNDECIDED:
                    raise TooMuchError(
                        f"more than {MOST_UNDECIDED:,} pairs of values and labels of one column "
                        "cannot be compared; name a hierarchy or a reading for each column"
                    )
                found.append(np.column_stack([open_, np.full(len(open_), code)]))
    if not found:
        return np.zeros((0, 2), np.intp)
    every = np.concatenate(found)
    there = set(pairs)
    return every[[(g, code) not in there for g, code in every.tolist()]]


def respelled_pairs(
    values: Sequence[tuple[int, str]],
    meanings: Mapping[int, Label | None],
    code_of: Mapping[str, int],
) -> list[tuple[int, int]]:
    """The pairs of a ground value and a label, or a member of a set, that differ only in spelling.

    Two spellings that both tables have are two values in both, and no pair.

    values, meanings, code_of: as of `undecided_pairs`.
    """
    place = {value: g for g, value in values}
    codes: dict[str, list[int]] = {label: [code] for label, code in code_of.items()}
    for code, meaning in meanings.items():
        for member in meaning.members if isinstance(meaning, ValueSet) else ():
            codes.setdefault(member, []).append(code)
    return [
        (place[value], code)
        for group in spelled_otherwise(codes, place)
        for text in group
        for value in group
        if differ(text, value, codes, place)
        for code in codes[text]
    ]


def _decided_by(
    meaning: Label, kind: str, lengths: Collection[int], unsure: Collection[str], decimal: str
) -> bool:
    """Whether a label that denotes more than itself can be compared with values of a kind.

    lengths: of all values. unsure: members of a set that may stand for one of the values.
    """
    if isinstance(meaning, Start):
        return True
    if isinstance(meaning, Interval):
        return kind in {"number", "band"}
    if isinstance(meaning, Prefix):
        return meaning.pattern == "*" or len(meaning.pattern) in lengths
    plain = not any(
        parse(member, decimal=decimal) is not None or member in unsure for member in meaning.members
    )
    return plain and kind in {_kind(member, decimal) for member in meaning.members}


def _comparable(kind: str, own: str, label: str) -> bool:
    """Whether a value can be compared with a plain label (`own`: its kind) of another kind."""
    if kind == "date":
        return own == "month" or _YEAR.fullmatch(label) is not None
    return (kind, own) in {("month", "date"), ("band", "number")}


def bands_among(
    values: Sequence[tuple[int, str]], meanings: Collection[Label | None], decimal: str
) -> dict[int, Interval]:
    """The values that are bands themselves, by ground code; none where no label is an interval."""
    if not any(isinstance(meaning, Interval) for meaning in meanings):
        return {}
    read = ((g, parse(value, decimal=decimal)) for g, value in values)
    return {g: band for g, band in read if isinstance(band, Interval)}


class _Doubts:
    """Values that may be behind a label although they are of one kind with it and do not match.

    - A number that codes of one length begin with may be their truncation: `100` of `10001`.
    - `1,200` may be a list of two codes, if no reading is declared.
    - `60s` may be years: `1965`.
    - The stars behind a mask may stand for nothing, as in a prefix hierarchy: `E11.9` of `E11***`.
    - A value may be cut itself: `100` of the beginning `10001`. One that is a band may be in every
      interval that it meets.
    - Dates that are all the first of a month, or of a year, may stand for any day of it.
    - In a rounded column a number halfway between two multiples may have become either, and a
      number that is no multiple may have been any.
    """

    def __init__(
        self,
        value_of: Mapping[int, str],
        label_of: Mapping[int, str],
        meanings: Mapping[int, Label | None],
        bands: Mapping[int, Interval],
        matched: Collection[int],
        decimal: str,
        reading: Reading | None,
    ) -> None:
        self._value_of, self._matched = value_of, matched
        self._place = {value: g for g, value in value_of.items()}
        self._decimal, self._reading = decimal, reading
        self._width = _width_of_codes(value_of.values())
        self._beginnings: dict[int, dict[str, list[int]]] = {}
        dates = {g: m for g, value in value_of.items() if len(m := moment(value) or ()) >= DAY}
        self._kept = _first_days(label_of.values())
        self._same_period: dict[Moment, list[int]] = {}
        for g, found in dates.items() if self._kept else ():
            self._same_period.setdefault(found[: self._kept], []).append(g)
        self._bands = np.array([*bands], np.intp)
        spans = _spans(label_of, meanings, decimal) if bands else {}
        self._span = {code: len(bands) + place for place, code in enumerate(spans)}
        self._low, self._high = ranks([*bands.values(), *spans.values()])
        self._numbers = {
            g: n
            for g, value in value_of.items()
            if isinstance(reading, Rounded) and (n := number(value, decimal)) is not None
        }
        self._halfway: dict[Fraction, list[int]] = {}
        for g, n in self._numbers.items():
            if isinstance(reading, Rounded) and reading.halfway(n):
                self._halfway.setdefault(n, []).append(g)

    def of(self, label: str, code: int, meaning: Label | None) -> Collection[int]:
        """The ground codes of those values; few, and most often none."""
        value = number(label, self._decimal)
        if value is not None and isinstance(self._reading, Rounded):
            if meaning is None:
                return self._numbers.keys()
            half = self._reading.step / 2
            return {g for end in (value - half, value + half) for g in self._halfway.get(end, ())}
        found: set[int] = set()
        if self._reading is None and isinstance(
            codes := readings(label, decimal=self._decimal).get("set"), ValueSet
        ):
            found |= {self._place[one] for one in codes.members if one in self._place}
        if value is not None and len(label) < self._width and code not in self._matched:
            found |= {g for g, text in self._value_of.items() if text.startswith(label)}
        if isinstance(meaning, Interval) and _DECADE.fullmatch(label.strip()):
            decade = label.strip()[0]
            found |= {
                g
                for g, text in self._value_of.items()
                if _YEAR.fullmatch(text) and text[2] == decade
            }
        if (at := self._span.get(code)) is not None:
            count = len(self._bands)
            meets = (self._low[:count] <= self._high[at]) & (self._high[:count] >= self._low[at])
            found |= {*self._bands[meets].tolist()}
        if isinstance(meaning, Prefix) and "*" not in (known := meaning.pattern.rstrip("*")):
            longest = len(meaning.pattern)
            found |= {g for g in self._begin_with(known) if len(self._value_of[g]) < longest}
        if isinstance(meaning, Start):
            shorter = (meaning.text[:length] for length in range(1, len(meaning.text)))
            found |= {self._place[text] for text in shorter if text in self._place}
        if self._kept and len(day := moment(label) or ()) >= DAY:
            found |= {*self._same_period.get(day[: self._kept], ())}
        return found

    def _begin_with(self, text: str) -> Collection[int]:
        """The ground codes of the values that begin with a text."""
        if not text:
            return ()
        if len(text) not in self._beginnings:
            found = self._beginnings.setdefault(len(text), {})
            for g, value in self._value_of.items():
                found.setdefault(value[: len(text)], []).append(g)
        return self._beginnings[len(text)].get(text, ())


def _spans(
    label_of: Mapping[int, str], meanings: Mapping[int, Label | None], decimal: str
) -> dict[int, Interval]:
    """The labels that are intervals or numbers, as intervals by code."""
    found = {code: span for code, span in meanings.items() if isinstance(span, Interval)}
    for code, label in label_of.items():
        if code not in found and (n := number(label, decimal)) is not None:
            found[code] = Interval(n, n, True, True)
    return found


def _first_days(labels: Collection[str]) -> int:
    """How many parts of a date were kept if all labels are first days.

    2 if they are the first of a month, 1 of a year, 0 if nothing suggests that dates were cut.
    """
    found = [m for m in map(moment, labels) if m is not None and len(m) >= DAY]
    firsts = [kept for kept in (1, 2) if all(m[kept:DAY] == ("01",) * (DAY - kept) for m in found)]
    return firsts[0] if found and firsts else 0


def _width_of_codes(values: Collection[str]) -> int:
    """The length of all values, if they are digits and long enough to be codes; else 0."""
    lengths = {len(value) for value in values}
    codes = len(lengths) == 1 and all(value.isdecimal() for value in values)
    return max(lengths) if codes and min(lengths) >= SHORTEST_CODE else 0


def _kind(text: str, decimal: str) -> str:
    """`number`, `date` (with a day), `month` or `text`."""
    if number(text, decimal) is not None:
        return "number"
    parts = len(moment(text) or ())
    return "date" if parts >= DAY else "month" if parts else "text"
