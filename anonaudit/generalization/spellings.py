"""Texts that differ in nothing but how they are spelled, in one table and across tables.

Blanks, case, invisible characters, composed letters and brackets are spelling (see
`labels.canonical`), and so are the marks in a code (`I20.1` and `I201`) and zeros before digits
(`02139` and `2139`). The same goes for the names of columns. Nobody knows whether such texts were
meant to be one value, so nothing here decides it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Final

from anonaudit.generalization.labels import REPAIRS, canonical

# A code begins with up to three letters and a digit, once its case is folded.
_CODE: Final = re.compile(r"[a-z]{1,3}[-.]?[0-9][-. /_0-9a-z*]*")
_MARKS: Final = re.compile(r"[-. /_]+")
# Texts without these are equal if the texts are spelled alike, so few keys must be looked at.
_DROPPED: Final = dict.fromkeys(i for i in range(128) if not chr(i).isalnum() and i not in b"*+")


def spelled_alike(texts: Iterable[str]) -> list[tuple[str, ...]]:
    """The groups of two or more different texts that differ only in spelling, each sorted.

    Codes belong together that have the same marks (`I20.1`, `I20-1`), and with a code without
    marks all that are equal to it without theirs. `A1.12` and `A11.2` are two codes.

    >>> spelled_alike(["Oslo", "OSLO ", "Bergen", "I20.1", "I201", "A1.12", "A11.2"])
    [('I20.1', 'I201'), ('OSLO ', 'Oslo')]
    """
    crude: defaultdict[str, list[str]] = defaultdict(list)
    for text in set(texts):
        plain = text if text.isascii() else canonical(text, REPAIRS)
        crude[plain.translate(_DROPPED).casefold().lstrip("0")].append(text)
    found = [
        tuple(sorted(group))
        for some in crude.values()
        if len(some) > 1
        for group in _by_key(some)
        if len(group) > 1
    ]
    return sorted(found)


def _by_key(texts: Iterable[str]) -> Iterable[list[str]]:
    """The texts by what is left without spelling."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    marked: set[str] = set()
    for text in texts:
        key = canonical(text, REPAIRS)
        if _CODE.fullmatch(key):
            key = _MARKS.sub(".", key).rstrip(".")
            marked.add(key)
        elif key.isdecimal():
            key = key.lstrip("0") or "0"
        groups[key].append(text)
    for key in sorted(marked):
        bare = key.replace(".", "")
        if bare in marked and bare != key:
            groups[bare] += groups.pop(key)
    return groups.values()


def spelled_otherwise(ours: Collection[str], theirs: Collection[str]) -> list[tuple[str, ...]]:
    """The groups of texts that two tables spell differently, so that they do not meet.

    ours, theirs: the values of the same column in both. Two spellings that both tables have are
    two values in both, and no group.

    >>> spelled_otherwise(["Oslo", "BERGEN", "a", "A"], ["Oslo", "Bergen", "a", "A"])
    [('BERGEN', 'Bergen')]
    """
    here, there = set(ours), set(theirs)
    if here == there:
        return []
    return [
        group
        for group in spelled_alike(here | there)
        if any(differ(one, other, here, there) for one in group for other in group)
    ]


def differ(one: str, other: str, ours: Collection[str], theirs: Collection[str]) -> bool:
    """Whether `one` of our texts and `other` of theirs, spelled alike, may be the same value.

    They may, unless both tables have both.
    """
    there = one != other and one in ours and other in theirs
    return there and not (one in theirs and other in ours)


def name_key(name: str) -> str:
    r"""The name of a column without what is spelling: case, blanks, marks between words.

    >>> name_key("First Name") == name_key("first_name\u200b") == name_key("FIRST.NAME")
    True
    """
    folded = canonical(name, REPAIRS)
    return _MARKS.sub("", folded) or folded
