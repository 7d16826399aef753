"""Recognise numbers of persons and accounts by their check digits or their format."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

_MARKS: Final = re.compile(r"[ .-]")
_IBAN: Final = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_CARD: Final = re.compile(r"[2-6][0-9]{11,18}")
# `60647-1234` is a postal code in the USA; no official number of a person has this form.
_ZIP_PLUS_FOUR: Final = re.compile(r"[0-9]{5}-[0-9]{4}")
_DNI_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"


def is_account_or_card(text: str) -> bool:
    """Return True if the text is a bank account number (IBAN) or a payment card number.

    >>> is_account_or_card("GB82 WEST 1234 5698 7654 32"), is_account_or_card("4111111111111112")
    (True, False)
    """
    plain = _MARKS.sub("", text)
    if _IBAN.fullmatch(plain):
        return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1
    return _CARD.fullmatch(plain) is not None and _luhn(plain)


def is_official_number(text: str) -> bool:
    """Return True if the text is an official number of a person, such as a Spanish DNI.

    >>> is_official_number("12345678Z"), is_official_number("12345678A")
    (True, False)
    """
    if _ZIP_PLUS_FOUR.fullmatch(text):
        return False
    plain = _MARKS.sub("", text)
    return any(form.fullmatch(plain) and holds(plain) for form, holds in _OFFICIAL.items())


def _weighted(digits: str, *weights: int) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _luhn(digits: str) -> bool:
    """Return True if the digits pass the Luhn check.

    Every second digit from the right is doubled, and the sum of all digits must end in 0.
    """
    doubled = (str(int(digit) * (1 + place % 2)) for place, digit in enumerate(reversed(digits)))
    return sum(int(digit) for number in doubled for digit in number) % 10 == 0


def _dni(text: str) -> bool:
    """Spain: the last letter encodes the number modulo 23.

    A foreigner's number begins with X, Y or Z, which stands for the digit 0, 1 or 2.
    """
    number = text[:-1].translate(str.maketrans("XYZ", "012"))
    return text[-1] == _DNI_LETTERS[int(number) % 23]


def _cnp(text: str) -> bool:
    """Romania: sex, date of birth, county, serial number, check digit."""
    rest = _weighted(text, 2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9) % 11
    return int(text[-1]) == (1 if rest == 10 else rest)


def _pesel(text: str) -> bool:
    """Poland: date of birth, serial number, check digit."""
    return _weighted(text, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1) % 10 == 0


def _cpf(text: str) -> bool:
    """Brazil: two check digits; eleven equal digits pass the check but are not issued."""
    first = _weighted(text, *range(10, 1, -1)) * 10 % 11 % 10
    second = _weighted(text, *range(11, 1, -1)) * 10 % 11 % 10
    return len(set(text)) > 1 and text[9:] == f"{first}{second}"


def _bsn(text: str) -> bool:
    """The Netherlands: the weighted sum of the digits is a multiple of 11."""
    return _weighted(text, 9, 8, 7, 6, 5, 4, 3, 2, -1) % 11 == 0


_OFFICIAL: Final[Mapping[re.Pattern[str], Callable[[str], bool]]] = {
    re.compile(r"[0-9]{8}[A-Z]|[XYZ][0-9]{7}[A-Z]"): _dni,
    re.compile(r"[1-9][0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9]{6}"): _cnp,
    re.compile(r"[0-9]{2}[0-9][0-9](?:0[1-9]|[12][0-9]|3[01])[0-9]{5}"): _pesel,
    re.compile(r"[0-9]{11}"): _cpf,
    re.compile(r"[0-9]{9}"): _bsn,
    # The United Kingdom (NINO) and Italy (codice fiscale): the form alone is certain enough.
    re.compile(r"(?![DFIQUV])[A-Z](?![DFIQUVO])[A-Z][0-9]{6}[A-D]"): lambda _: True,
    re.compile(r"[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]"): lambda _: True,
}
