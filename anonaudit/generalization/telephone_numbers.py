"""Recognise telephone numbers by their marks: a number without marks may be any code."""

from __future__ import annotations

import re
from typing import Final

# `(617) 555-0134`, `+1 617.555.0134`.
_AMERICAN: Final = re.compile(
    r"(?<![\w.+-])(?:\+?1[-. ])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[-. ])[0-9]{3}[-. ][0-9]{4}"
    r"(?![\w-])"
)
# `+49 151 12345678`; not `+1234567.50`.
_INTERNATIONAL: Final = re.compile(
    r"(?<![\w+])\+[1-9](?:[-. ()/]{0,2}[0-9]){7,14}(?![\w-])(?<!\.[0-9])(?<!\.[0-9]{2})"
)
# `0171 1234567`, `(030) 123456`, `01 42 68 53 00`.
_NATIONAL: Final = re.compile(
    r"(?<![\w.+/-])(?<![0-9] )\(?0[1-9][0-9]{0,4}\)?((?:[-/. ]{1,3}[0-9]{2,8}){1,5})(?![\w-])"
)
_GROUP: Final = re.compile(r"[0-9]+")
_MARK: Final = re.compile(r"[-/. ]+")
_DATE: Final = re.compile(r"[0-9]{2}[-/. ][0-9]{2}[-/. ](?:19|20)[0-9]{2}")
_BARE: Final = re.compile(r"0?0[1-9][0-9]{8,11}")
_LEAST, _MOST = 9, 12  # digits, area code included


def holds_telephone_number(text: str) -> bool:
    """Return True if the text contains a telephone number with marks that only such numbers have.

    >>> holds_telephone_number("call 617-555-0134"), holds_telephone_number("02100-02109")
    (True, False)
    """
    if _AMERICAN.search(text) or _INTERNATIONAL.search(text):
        return True
    return any(_is_national(match) for match in _NATIONAL.finditer(text))


def may_be_telephone_number(text: str) -> bool:
    """Return True for a number that could be dialled: `0` or `00`, then 9 to 12 more digits."""
    return _BARE.fullmatch(text) is not None


def _is_national(match: re.Match[str]) -> bool:
    """Return True if a match of `_NATIONAL` is a telephone number.

    Such a match may also be a date, a range, a decimal number or another code.
    """
    groups = [len(group) for group in _GROUP.findall(match[0])]
    marks = _MARK.findall(match[1])
    if not _LEAST <= sum(groups) <= _MOST or _DATE.match(match[0]):
        return False
    if len(marks) == 1:  # `02100-02109` is a range of codes, `012345.678` a number
        return marks[0] != "." and groups[1] - groups[0] >= (2 if marks[0] == "-" else 1)
    # After the first mark, which follows the area code, all marks must be equal. A last group of
    # fewer than three digits after a dash is no telephone number: `0378-1805-10` is a drug code.
    alike = len(set(marks[1:])) == 1
    return alike and not (marks[-1] == "-" and groups[-1] < 3)
