"""Columns that hold direct identifiers, recognised by the look of their values.

Some formats are certain enough for one value to count: e-mail addresses, telephone numbers and
social security numbers with their marks. They are looked for in every value, to its end. Numbers
with check digits count where nearly all values pass. Names count where many values have a common
given name among their words. For these shares, values evenly spread are looked at. The values of a
column that stands for persons are codes or names, so there it is enough that they are words.
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
# To tell a share, so many values are looked at, evenly spread; and so much of each.
_ENOUGH: Final = 1_000
_LONGEST: Final = 200

_NEARLY_ALL: Final = 0.9
_MANY: Final = 0.3
_SOME: Final = 0.1
_LEAST_NUMBERS: Final = 5  # fewer may pass a check digit by chance
_LEAST_NAMES: Final = 2
_MOST_WORDS: Final = 6

# No text without one of these marks has a format, and few numbers and dates have one.
_MARKED: Final = re.compile(r"[@+]|[0-9](?:[-/ )]|\.[0-9]*[-/. ])")
_DIGITS: Final = re.compile(r"[0-9](?:[^0-9]{0,3}[0-9]){5}")
_EMAIL: Final = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])"
)
# `123-45-6789`, without the numbers that are never given out.
_SOCIAL_SECURITY: Final = re.compile(
    r"(?<![\w.-])(?!000|666|9)[0-9]{3}([- ])(?!00)[0-9]{2}\1(?!0000)[0-9]{4}(?![\w-])"
)
# `1.2.3.4` may as well be a chapter or a version.
_NETWORK: Final = {
    "MAC addresses": re.compile(r"(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}"),
    "IP addresses": re.compile(
        r"(?=.*[0-9]{3})(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(?:\.(?!$)|$)){4}"
    ),
}
_DECIMAL: Final = re.compile(r"[+-]?[0-9]*\.[0-9]+")
# An account number of 34 characters, with marks between them.
_LONGEST_NUMBER: Final = 68
_BETWEEN: Final = re.compile(r"[\s,;._'’-]+")
# `San Diego` is a place.
_PLACES: Final = {"san", "santa", "santo", "sao", "saint", "st", "sankt", "fort", "port", "lake"}
# Letters that no accent makes of another one.
_PLAIN: Final = str.maketrans({"ø": "o", "ł": "l", "ı": "i", "đ": "d", "æ": "ae", "œ": "oe"})


@dataclass(frozen=True)
class Recognised:
    """The direct identifiers that a column seems to hold.

    kind: in the plural; several are joined by "or". values: how many different values look like
    them. of: how many different values were looked at. certain: whether so many are no chance, if
    they are nearly all. kinds: each kind by itself, and of network addresses whether they are IP
    addresses, MAC addresses or both.
    """

    kind: str
    values: int
    of: int
    certain: bool = True
    kinds: tuple[str, ...] = field(default=(), repr=False)

    @property
    def nearly_all(self) -> bool:
        """Whether at least nine in ten of the values look like them."""
        return self.certain and self.values >= _NEARLY_ALL * self.of


def recognised(labels: Sequence[str], *, of_persons: bool = False) -> Recognised | None:
    """Return the direct identifiers that a column seems to hold, and in how many values.

    Parameters
    ----------
    labels
        The different values of the column.
    of_persons
        Whether each of them stands for a person.

    Returns
    -------
    None where nothing was recognised. One value of a certain format is enough.

    Example
    -------
    >>> recognised(["ann@example.org", "unknown"])
    Recognised(kind='e-mail addresses', values=1, of=2, certain=True)
    """
    marked = (label for label in labels if _MARKED.search(label))
    if by_format := {label: what for label in marked if (what := _format_in(label))}:
        firsts = {*by_format.values()}
        kind = " or ".join(what for what in _FORMATS if what in firsts)
        # A value may hold several formats.
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
        # What only initials tell apart is numbered by letters: `Household A`, `Household B`.
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
    """Return the direct identifiers that some values of a column look like, where few do.

    It is for columns in which `recognised` finds nothing, and for those who must not overlook any.
    One number that passes its check, or one network address, is enough; every value is looked at.
    Of names two are, if they are one in ten; one is in a column of one value. A decimal number is a
    quantity, whatever its digits. of_persons, as of `recognised`: telephone numbers without marks
    are enough if they are all there is.

    Example:
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
    """The first kind of number that the text is."""
    return next((what for what, holds in _NUMBERS.items() if holds(text)), None)


def direct_identifiers(labels: Sequence[str], *, of_persons: bool = False) -> str | None:
    """Return the kind of direct identifiers that `recognised` finds, in the plural; None for none.

    >>> direct_identifiers(["ann@example.org", "unknown"])
    'e-mail addresses'
    >>> direct_identifiers(["Never married", "Married", "Widowed"]) is None
    True
    """
    identifier = recognised(labels, of_persons=of_persons)
    return None if identifier is None else identifier.kind


def _format_in(text: str) -> str | None:
    """The first format that the text holds."""
    return next((what for what, holds in _FORMATS.items() if holds(text)), None)


def _networks(texts: Sequence[str], kind: str) -> list[str]:
    """Which addresses there are among network addresses; none of another kind."""
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
    """Whether a text is a few words, one of them a common given name."""
    words = [_folded(word) for word in _words(text)]
    place = words[:1] and words[0] in _PLACES
    return not place and any(word in _given_names() for word in words)


@cache
def _given_names() -> frozenset[str]:
    """The names of given_names.txt."""
    text = resources.files(__package__).joinpath("given_names.txt").read_text("utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(word for line in lines for word in line.split())


def _like_a_name(text: str) -> list[str]:
    """The words of a text, without initials, if it is written like a name; else none.

    Several words are, and one in capital and small letters or in a script that has none.
    """
    words = [word for word in _words(text) if len(word) > 1]
    if len(words) != 1:
        return words
    (word,) = words
    cased = word.lower() != word.upper()
    like = word == word[0].upper() + word[1:].lower() and len(word) > (2 if cased else 1)
    return words if like else []


def _words(text: str) -> list[str]:
    """The words of a text that is a few words and nothing else; none of any other."""
    words = [word for word in _BETWEEN.split(text) if word]
    return words if len(words) <= _MOST_WORDS and all(map(_is_word, words)) else []


def _is_word(text: str) -> bool:
    """Whether a text is letters; in some scripts vowels are marks on them."""
    return text.isalpha() or all(
        c.isalpha() or unicodedata.category(c).startswith("M") for c in text
    )


def _folded(word: str) -> str:
    """A word in small letters without accents."""
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
