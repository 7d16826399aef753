"""Find texts that differ only in spelling, within a table and between two tables.

Blanks, case, invisible characters, composed letters and brackets are spelling (see
`labels.canonical`). So are the following differences:

- marks in a code (`I20.1` and `I201`), and zeros before digits (`02139` and `2139`);
- blanks, dots, dashes and apostrophes between letters (`St. Olav` and `St Olav`), and the kind of
  dash, apostrophe or letter form (`O'Brien` with a typographic apostrophe, ligatures);
- accents of Latin letters, and German and Nordic letters that are written as two letters (`Müller`
  and `Mueller`).

Column names are compared without case, blanks and marks, see `name_key`. Two texts that differ only
in spelling may still be different values; this module does not decide it.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from anonaudit.generalization.labels import REPAIRS, canonical

# A code, in lower case: up to three letters, then a digit.
_CODE: Final = re.compile(r"[a-z]{1,3}[-.]?[0-9][-. /_0-9a-z*]*")
_MARKS: Final = re.compile(r"[-. /_']+")
_DASHES: Final = re.compile(r"[- /_]+")
# Marks between letters, and a dot behind a word.
_BETWEEN: Final = re.compile(r"(?<=[^\W\d_])[-. '_]+(?=[^\W\d_])|(?<=[^\W\d_])\.$")
_DECIMAL: Final = re.compile(r"\s*([-+]?[0-9]+)(\.[0-9]*)?\s*")
_LETTER: Final = re.compile(r"[^\W\d_]")
# Typographic apostrophes, and the dashes that NFKC does not replace.
_APOSTROPHES: Final = "\u2018\u2019\u201a\u201b\u2032\u02bc\u02b9\u00b4`"
_TYPED: Final = {ord(c): "'" for c in _APOSTROPHES} | dict.fromkeys(
    [*range(0x2010, 0x2016), 0x2212], "-"
)
_TWO_LETTERS: Final = str.maketrans(
    {"\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue", "\u00e5": "aa", "\u00f8": "oe", "\u00e6": "ae"}
)
_ACCENTS: Final = re.compile(r"(?<=[a-z])[\u0300-\u036f]+")
_LAST: Final = chr(0x10FFFF)
# The cheap key of a text is the text without these characters. Texts that are spelled alike have
# the same cheap key. So the exact key is computed only for texts that share a cheap key.
_DROPPED: Final = dict.fromkeys(i for i in range(128) if not chr(i).isalnum() and i not in b"*+")


def spelled_alike(texts: Iterable[str], *, numbers: bool = False) -> list[tuple[str, ...]]:
    """Return the groups of distinct texts that differ only in spelling, each group sorted.

    numbers: True if zeros behind a decimal point are spelling too, as in `1` and `1.0`.

    Codes with marks at the same positions are alike (`I20.1`, `I20-1`). A code without marks is
    alike to all codes that equal it when their marks are removed (`I201`, `I20.1`). If the texts
    have no such code, codes with marks at different positions are different (`A1.12`, `A11.2`).

    >>> spelled_alike(["Oslo", "OSLO ", "Bergen", "I20.1", "I201", "A1.12", "A11.2"])
    [('I20.1', 'I201'), ('OSLO ', 'Oslo')]
    """
    crude: defaultdict[str, list[str]] = defaultdict(list)
    for text in set(texts):
        plain = text if text.isascii() else _plain(text)
        plain = _short(plain) if numbers else plain
        crude[plain.translate(_DROPPED).casefold().lstrip("0")].append(text)
    groups = [
        tuple(sorted(group))
        for some in crude.values()
        if len(some) > 1
        for group in _by_key(some, numbers=numbers)
        if len(group) > 1
    ]
    return sorted(groups)


def _plain(text: str) -> str:
    """Return the text after all repairs, with plain marks and letters."""
    spelled = canonical(text, REPAIRS)
    if not spelled.isascii():
        typed = unicodedata.normalize("NFKC", spelled.translate(_TYPED)).translate(_TYPED)
        bare = unicodedata.normalize("NFD", canonical(typed, REPAIRS).translate(_TWO_LETTERS))
        return unicodedata.normalize("NFC", _ACCENTS.sub("", bare))
    return canonical(spelled.replace("`", "'"), REPAIRS) if "`" in spelled else spelled


def _short(text: str) -> str:
    """Return a decimal number without zeros at its end and without a trailing point.

    Any other text is returned unchanged.
    """
    match = _DECIMAL.fullmatch(text)
    return text if match is None else match[1] + (match[2] or "").rstrip("0").rstrip(".")


def _by_key(texts: Iterable[str], *, numbers: bool) -> Iterable[list[str]]:
    """Return the texts in groups with the same exact key; a group may be a single text."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    marked: set[str] = set()
    for text in texts:
        key = _short(_plain(text)) if numbers else _plain(text)
        if _CODE.fullmatch(key):
            key = _MARKS.sub(".", key).rstrip(".")
            marked.add(key)
        elif key.isdecimal():
            key = key.lstrip("0") or "0"
        else:
            key = _BETWEEN.sub("", key)
        groups[key].append(text)
    for key in sorted(marked):
        bare = key.replace(".", "")
        if bare in marked and bare != key:
            groups[bare] += groups.pop(key)
    return groups.values()


def spelled_otherwise(ours: Collection[str], theirs: Collection[str]) -> list[tuple[str, ...]]:
    """Return the groups of texts that two tables spell differently.

    ours, theirs: the values of the same column in both tables. If both tables have both spellings,
    the two spellings are taken for two values and make no group.

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
    """Return True if `one` of our texts and `other` of theirs may be two spellings of one value.

    The caller ensures that the two texts are spelled alike. They are taken for two different values
    if both tables have both texts.
    """
    there = one != other and one in ours and other in theirs
    return there and not (one in theirs and other in ours)


def spelled_beginnings(
    beginnings: Collection[str], texts: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a beginning and a text that begins with it only if spelling is ignored.

    Spelling is defined as in `spelled_alike`. Marks are ignored if the beginning or the text has
    none. A text that begins with the beginning exactly as written makes no pair with it.

    Two beginnings that differ only in spelling (`E11` and `e11`) are taken for different values if
    some text begins with `E11` and another text with `e11`, exactly as written. Then `E11` makes no
    pair with a text that begins with `e11`.

    >>> list(spelled_beginnings(["SW1", "E11"], ["sw1a", "SW1 A", "E11.9", "E1.12", "J45"]))
    [('SW1', 'sw1a'), ('E11', 'E1.12')]
    """
    if not beginnings:
        return
    keys = {text: _marked(text) for text in texts}
    bare = {text: key.replace("-", "") for text, key in keys.items()}
    without = {text: key for text, key in keys.items() if key == bare[text]}
    marked = {text: key for text, key in bare.items() if text not in without}
    indices = [sorted((k, text) for text, k in some.items()) for some in (keys, without, marked)]
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for beginning in beginnings:
        key = _marked(beginning)
        key = key.rstrip("-") if _LETTER.search(key) else key
        if key.strip("-"):
            groups[key].append(beginning)
    for key, group in groups.items():
        wanted = [(indices[0], key)]
        wanted.append((indices[1], key.replace("-", "")) if "-" in key else (indices[2], key))
        matches = {text for ordered, start in wanted for text in _starting(ordered, start)}
        written = {
            beginning for beginning in group if any(x.startswith(beginning) for x in matches)
        }
        for text in sorted(matches):
            apart = written if text.startswith(tuple(group)) else ()
            for beginning in group:
                if beginning not in apart and not text.startswith(beginning):
                    yield beginning, text


def _marked(text: str) -> str:
    """Return the text with one dash for each run of marks; without letters, dots are kept."""
    plain = _plain(text)
    return (_MARKS if _LETTER.search(plain) else _DASHES).sub("-", plain)


def _starting(ordered: list[tuple[str, str]], start: str) -> Iterable[str]:
    """Return the texts whose keys begin with `start`.

    ordered: pairs (key, text), sorted.
    """
    first = bisect_left(ordered, (start,))
    last = bisect_left(ordered, (start + _LAST,))
    return (text for _, text in ordered[first:last])


def name_key(name: str) -> str:
    r"""Return the name of a column in lower case, without blanks and marks between words.

    >>> name_key("First Name") == name_key("first_name\u200b") == name_key("FIRST.NAME")
    True
    """
    folded = canonical(name, REPAIRS)
    return _MARKS.sub("", folded) or folded
