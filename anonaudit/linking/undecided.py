"""Pairs of a ground value and a released label of which nothing says whether they match.

Nothing unread is safe: whoever is in such a pair may be behind the label, or may not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from anonaudit.errors import AnonauditError
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import Interval, Label, Prefix, ValueSet, number
from anonaudit.generalization.spellings import differ, spelled_otherwise

Index = npt.NDArray[np.intp]

# More undecided pairs of one column than this are not looked at.
MOST_UNDECIDED: Final = 20_000_000
# Digits of one length are codes from this length on; shorter ones may be ages or counts.
SHORTEST_CODE: Final = 4
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+)?")


class TooMuchError(AnonauditError):
    """A comparison would need more time or memory than it may take; the message says what."""


def undecided_pairs(
    values: Sequence[tuple[int, str]],
    meanings: Mapping[int, Label | None],
    pairs: Sequence[tuple[int, int]],
    code_of: Mapping[str, int],
    hierarchy: Hierarchy | None,
    decimal: str,
) -> Index:
    """The undecided pairs of one column, shape (n_pairs, 2): ground code, released code.

    values: ground code and value. meanings: by released code what its label denotes, None for a
        plain text. pairs: those that match. code_of: the released code of each label.

    A pair that does not match is a mismatch where
    - the hierarchy has both, or the label is one of its leaves;
    - the label is an interval and the value a number, or the label is a set or a mask of values
      of that kind;
    - both are numbers, or both are dates; but a number that codes of one length begin with may be
      their truncation (`100` of `10001`);
    - the label is the value of somebody else;
    - both are texts, there is no hierarchy, and some text is in both columns, alone or in a set:
      then they hold values of one kind.
    All other pairs are undecided. Raises TooMuchError if there are more than MOST_UNDECIDED.
    """
    tree = frozenset(hierarchy.nodes) if hierarchy is not None else frozenset[str]()
    leaves = frozenset(hierarchy.leaves) if hierarchy is not None else frozenset[str]()
    matched = {code for _, code in pairs}
    lengths = {len(value) for _, value in values}
    groups: dict[tuple[bool, str], list[int]] = {}
    for g, value in values:
        groups.setdefault((value in tree, _kind(value, decimal)), []).append(g)
    value_of = dict(values)
    label_of = {code: label for label, code in code_of.items()}
    shared_text = hierarchy is None and any(
        _kind(value_of[g], decimal) == "text"
        and (isinstance(meanings[code], ValueSet) or label_of[code] == value_of[g])
        for g, code in pairs
    )
    width = _width_of_codes(value_of.values())
    found: list[Index] = []
    total = 0
    for label, code in code_of.items():
        meaning, own = meanings[code], _kind(label, decimal)
        for (in_tree, kind), members in groups.items():
            open_ = members
            if label in leaves or (in_tree and label in tree):
                decided = True
            elif isinstance(meaning, Interval):
                decided = kind == "number"
            elif isinstance(meaning, Prefix):
                decided = meaning.pattern == "*" or len(meaning.pattern) in lengths
            elif isinstance(meaning, ValueSet):
                decided = kind in {_kind(member, decimal) for member in meaning.members}
            elif label in tree:
                decided = False  # a group, and a value that the hierarchy lacks
            elif kind == own == "number" and len(label) < width and code not in matched:
                open_ = [g for g in members if value_of[g].startswith(label)]
                decided = not open_
            elif kind == own:
                decided = kind != "text" or code in matched or shared_text
            else:
                decided = code in matched
            if not decided:
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


def _width_of_codes(values: Collection[str]) -> int:
    """The length of all values, if they are digits and long enough to be codes; else 0."""
    lengths = {len(value) for value in values}
    codes = len(lengths) == 1 and all(value.isdecimal() for value in values)
    return max(lengths) if codes and min(lengths) >= SHORTEST_CODE else 0


def _kind(text: str, decimal: str) -> str:
    """`number`, `date` or `text`."""
    if number(text, decimal) is not None:
        return "number"
    return "date" if _DATE.fullmatch(text.strip()) else "text"
