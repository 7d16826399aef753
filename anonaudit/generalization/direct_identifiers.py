"""Recognise columns that hold direct identifiers by the form of their values.

Some formats are so certain that one value suffices: e-mail addresses, telephone numbers with marks
(`617-555-0134`) and social security numbers with marks (`123-45-6789`). They are searched in every
value, at full length. Other identifiers are recognised by the share of the values that look like
them, in an evenly spread sample of at most 1,000 values:

- numbers with check digits, and network addresses: at least nine in ten values;
- names: at least three in ten values contain a common given name.

In a column of persons (each value stands for a person), a value is a code or a name. In such a
column, a value also counts as a name if it is written like a name. Exception: values that differ
from each other only in single letters, such as `Household A` and `Household B`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Final

from anonaudit.generalization.check_digits import is_account_or_card, is_official_number
from anonaudit.generalization.telephone_numbers import (
    holds_telephone_number,
    may_be_telephone_number,
)

NAMES: Final = "names of persons"
# Shares are computed from at most this many values, and from this many characters of each value.
_ENOUGH: Final = 1_000
_LONGEST: Final = 200

_NEARLY_ALL: Final = 0.9
_MANY: Final = 0.3
_SOME: Final = 0.1
_LEAST_NUMBERS: Final = 5  # fewer may pass a check digit by chance
_LEAST_NAMES: Final = 2
_MOST_WORDS: Final = 6

# A cheap test that comes before the formats. Every text that contains one of the formats matches
# it; plain words, whole numbers and decimal numbers do not.
_MARKED: Final = re.compile(r"[@+]|[0-9](?:[-/ )]|\.[0-9]*[-/. ])")
_DIGITS: Final = re.compile(r"[0-9](?:[^0-9]{0,3}[0-9]){5}")
_EMAIL: Final = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])"
)
# `123-45-6789`, except numbers that are never issued.
_SOCIAL_SECURITY: Final = re.compile(
    r"(?<![\w.-])(?!000|666|9)[0-9]{3}([- ])(?!00)[0-9]{2}\1(?!0000)[0-9]{4}(?![\w-])"
)
# An IP address needs three digits in a row somewhere: `1.2.3.4` may be a chapter or a version.
_NETWORK: Final = {
    "MAC addresses": re.compile(r"(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}"),
    "IP addresses": re.compile(
        r"(?=.*[0-9]{3})(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(?:\.(?!$)|$)){4}"
    ),
}
_DECIMAL: Final = re.compile(r"[+-]?[0-9]*\.[0-9]+")
# An account number has at most 34 characters. Twice this length leaves room for marks.
_LONGEST_NUMBER: Final = 68
_BETWEEN: Final = re.compile(r"[\s,;._'’-]+")
# A text that begins with one of these words is a place, not a name: `San Diego`.
_PLACES: Final = {"san", "santa", "santo", "sao", "saint", "st", "sankt", "fort", "port", "lake"}
# Letters that Unicode does not decompose into a plain letter and an accent.
_PLAIN: Final = str.maketrans({"ø": "o", "ł": "l", "ı": "i", "đ": "d", "æ": "ae", "œ": "oe"})


@dataclass(frozen=True)
class Recognised:
    """The direct identifiers that a column seems to hold.

    kind: the kind in the plural, such as "e-mail addresses"; several kinds are joined by "or".
    values: the number of distinct values that look like such identifiers.
    of: the number of distinct values that were examined.
    certain: False if `values` is so small that chance may explain it.
    kinds: all kinds that were recognised. "network addresses" is followed by "IP addresses", "MAC
        addresses" or both.
    """

    kind: str
    values: int
    of: int
    certain: bool = True
    kinds: tuple[str, ...] = field(default=(), repr=False)

    @property
    def nearly_all(self) -> bool:
        """True if `certain`, and at least nine in ten values look like identifiers."""
        return self.certain and self.values >= _NEARLY_ALL * self.of


def recognised(labels: Sequence[str], *, of_persons: bool = False) -> Recognised | None:
    """Return the direct identifiers that a column seems to hold, and in how many values.

    Parameters
    ----------
    labels
        The distinct values of the column.
    of_persons
        True if each value stands for a person.

    Returns
    -------
    None if nothing was recognised. One e-mail address, telephone number with marks or social
    security number is enough; for other kinds see the module docstring.

    Example
    -------
    >>> recognised(["ann@example.org", "unknown"])
    Recognised(kind='e-mail addresses', values=1, of=2, certain=True)
    """
    marked = (label for label in labels if _MARKED.search(label))
    if by_format := {label: what for label in marked if (what := _format_in(label))}:
        firsts = {*by_format.values()}
        kind = " or ".join(what for what in _FORMATS if what in firsts)
        # `firsts` has only the first format of each value; a value may contain several formats.
        kinds = tuple(what for what, holds in _FORMATS.items() if any(map(holds, by_format)))
        return Recognised(kind, len(by_format), len(labels), kinds=kinds)
    some = [label[:_LONGEST] for label in labels[:: max(1, -(-len(labels) // _ENOUGH))]]
    numbers = _NUMBERS | (_NUMBERS_OF_PERSONS if of_persons else {})
    for what, holds in numbers.items():
        passing = sum(map(holds, some))
        if passing >= max(_LEAST_NUMBERS, _NEARLY_ALL * len(some)):
            kinds = (what, *_networks(some, what))
            return Recognised(what, passing, len(some), kinds=kinds)
    names = [text for text in some if _has_given_name(text)]
    least = _LEAST_NAMES
    if of_persons:
        # Values that differ only in single letters are no names: `Household A`, `Household B`.
        forms = Counter(form for text in some if (form := " ".join(_like_a_name(text))))
        names = [
            text
            for text in some
            if _has_given_name(text) or forms[" ".join(_like_a_name(text))] == 1
        ]
        least = 1
    enough = len(names) >= max(least, _MANY * len(some))
    return Recognised(NAMES, len(names), len(some), kinds=(NAMES,)) if enough else None


def perhaps(labels: Sequence[str], *, of_persons: bool = False) -> Recognised | None:
    """Return the direct identifiers that some values of a column may be, or None.

    Call this function for columns in which `recognised` finds nothing. The rules are weaker:

    - One number with check digits or one network address is enough. All values of at most 68
      characters are tested, except decimal numbers, which are quantities.
    - Names are reported if at least two values, and at least one value in ten, contain a given
      name. In a column of a single value, one name is enough.
    - In a column of persons with fewer than five values, telephone numbers without marks are
      reported if all values are such numbers.

    Parameters
    ----------
    labels
        The distinct values of the column.
    of_persons
        True if each value stands for a person.

    Returns
    -------
    None if no value looks like a direct identifier.

    Example
    -------
    >>> perhaps(["GB82 WEST 1234 5698 7654 32", "cash"])
    Recognised(kind='account or card numbers', values=1, of=2, certain=False)
    """
    short = [x for x in labels if len(x) <= _LONGEST_NUMBER and not _DECIMAL.fullmatch(x)]
    if kinds := Counter(what for label in short if (what := _number(label))):
        kind = " or ".join(what for what in _NUMBERS if what in kinds)
        every = (*kinds, *_networks(short, _ADDRESSES if _ADDRESSES in kinds else ""))
        total = kinds.total()
        return Recognised(kind, total, len(labels), total >= _LEAST_NUMBERS, every)
    if (
        of_persons
        and 0 < len(labels) < _LEAST_NUMBERS
        and all(map(may_be_telephone_number, labels))
    ):
        return Recognised(TELEPHONE, len(labels), len(labels), False, (TELEPHONE,))
    some = [label[:_LONGEST] for label in labels[:: max(1, -(-len(labels) // _ENOUGH))]]
    names = sum(map(_has_given_name, some))
    if names and names >= max(min(_LEAST_NAMES, len(some)), _SOME * len(some)):
        return Recognised(NAMES, names, len(some), names >= _LEAST_NAMES, (NAMES,))
    return None


def _number(text: str) -> str | None:
    """Return the first kind of number that matches the text, or None."""
    return next((what for what, holds in _NUMBERS.items() if holds(text)), None)


def direct_identifiers(labels: Sequence[str], *, of_persons: bool = False) -> str | None:
    """Return the kind of direct identifiers that `recognised` finds, in the plural, or None.

    >>> direct_identifiers(["ann@example.org", "unknown"])
    'e-mail addresses'
    >>> direct_identifiers(["Never married", "Married", "Widowed"]) is None
    True
    """
    identifier = recognised(labels, of_persons=of_persons)
    return None if identifier is None else identifier.kind


def _format_in(text: str) -> str | None:
    """Return the first format that occurs in the text, or None."""
    return next((what for what, holds in _FORMATS.items() if holds(text)), None)


def _networks(texts: Sequence[str], kind: str) -> list[str]:
    """Return the kinds of network addresses among the texts, if `kind` is network addresses."""
    if kind != _ADDRESSES:
        return []
    return [what for what, form in _NETWORK.items() if any(map(form.fullmatch, texts))]


def _holds_email(text: str) -> bool:
    return "@" in text and _EMAIL.search(text) is not None


def _holds_social_security(text: str) -> bool:
    return _SOCIAL_SECURITY.search(text) is not None


def _holds_telephone(text: str) -> bool:
    return _DIGITS.search(text) is not None and holds_telephone_number(text)


def _is_network_address(text: str) -> bool:
    return any(form.fullmatch(text) for form in _NETWORK.values())


def _has_given_name(text: str) -> bool:
    """Return True if the text is a few words, one of them a common given name.

    A text that begins with a word such as `San` is a place.
    """
    words = [_folded(word) for word in _words(text)]
    place = words[:1] and words[0] in _PLACES
    return not place and any(word in _given_names() for word in words)


@cache
def _given_names() -> frozenset[str]:
    """Return the names in given_names.txt."""
    text = resources.files(__package__).joinpath("given_names.txt").read_text("utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(word for line in lines for word in line.split())


def _like_a_name(text: str) -> list[str]:
    """Return the words of a text that is written like a name; for any other text, no words.

    Words of one letter are left out. Two or more words always count as a name. A single word counts
    if it is one capital followed by two or more small letters, or if its script has no case.
    """
    words = [word for word in _words(text) if len(word) > 1]
    if len(words) != 1:
        return words
    (word,) = words
    cased = word.lower() != word.upper()
    like = word == word[0].upper() + word[1:].lower() and len(word) > (2 if cased else 1)
    return words if like else []


def _words(text: str) -> list[str]:
    """Return the words of a text of at most six words; no words if the text has anything else."""
    words = [word for word in _BETWEEN.split(text) if word]
    return words if len(words) <= _MOST_WORDS and all(map(_is_word, words)) else []


def _is_word(text: str) -> bool:
    """Return True for a text of letters and combining marks, which are vowels in some scripts."""
    return text.isalpha() or all(
        c.isalpha() or unicodedata.category(c).startswith("M") for c in text
    )


def _folded(word: str) -> str:
    """Return the word in lower case without accents."""
    apart = unicodedata.normalize("NFKD", word.casefold().translate(_PLAIN))
    return "".join(c for c in apart if not unicodedata.combining(c))


_Holds = Callable[[str], bool]
TELEPHONE: Final = "telephone numbers"
_ADDRESSES: Final = "network addresses"
_FORMATS: Final[Mapping[str, _Holds]] = {
    "e-mail addresses": _holds_email,
    "social security numbers": _holds_social_security,
    TELEPHONE: _holds_telephone,
}
_NUMBERS: Final[dict[str, _Holds]] = {
    "account or card numbers": is_account_or_card,
    "official numbers of persons": is_official_number,
    _ADDRESSES: _is_network_address,
}
_NUMBERS_OF_PERSONS: Final[dict[str, _Holds]] = {TELEPHONE: may_be_telephone_number}
