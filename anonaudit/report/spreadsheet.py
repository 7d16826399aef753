"""Recognise cells that a spreadsheet would run as formulas when it opens a CSV file."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from anonaudit.generalization.labels import Interval, exact_number, parse, visible

# A spreadsheet that expects another delimiter splits a cell at these characters, despite quotes.
_DELIMITERS: Final = re.compile(r"([,;|\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029])")
_SIGNS: Final = "=+-@"
_CLOSING: Final = ")]}"  # closing brackets of a range or a set of numbers


def is_formula(text: str) -> bool:
    r"""Return True if a spreadsheet would run this cell, or a part of it, as a formula.

    A formula begins with `=`, `+`, `-` or `@`, after any blanks and invisible characters, and
    contains a letter or digit. Spreadsheets expect different delimiters, so the text after a comma,
    semicolon, bar, tab or line end counts as a cell as well. Signed numbers and ranges of them are
    no formulas.

    >>> [is_formula(text) for text in ("=1+1", "@SUM(A1)", "-2+cmd|' /C calc'!A0", "\t=A1")]
    [True, True, True, True]
    >>> [is_formula(text) for text in ("x;=1+1", "a,=1", "\ufeff=1", "\u200b@A1")]
    [True, True, True, True]
    >>> [is_formula(text) for text in ("-5", "+1,5", "-10--5", "[-10,-5)", "<50", "1=1")]
    [False, False, False, False, False, False]
    """
    return defused(text) != text


def defused(text: str) -> str:
    """Put an apostrophe before each formula in the cell.

    This changes the cell, so use it only for tables that no program reads back.

    >>> defused("=1+1"), defused("x;=1+1"), defused("-5")
    ("'=1+1", "x;'=1+1", '-5')
    """
    if not any(sign in unicodedata.normalize("NFKC", text) for sign in _SIGNS) or _is_number(text):
        return text
    parts = _DELIMITERS.split(text)
    return "".join("'" + part if _begins_formula(part) else part for part in parts)


def _begins_formula(part: str) -> bool:
    seen = visible(part).lstrip()
    sign = unicodedata.normalize("NFKC", seen[:1])  # also the full-width signs of East Asia
    if not sign or sign not in _SIGNS or not any(map(str.isalnum, part)):
        return False
    return sign in "=@" or not _is_number(seen.rstrip(_CLOSING))


def _is_number(text: str) -> bool:
    return any(
        exact_number(text, mark) is not None or isinstance(parse(text, decimal=mark), Interval)
        for mark in ".,"
    )
