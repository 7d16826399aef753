"""Cells that a spreadsheet would run as formulas when it opens a CSV file."""

from __future__ import annotations

import re
from typing import Final

from anonaudit.generalization.labels import Interval, number, parse

# Blanks before the sign are passed over by some programs; the wide signs are those of East Asia.
_BEGINS: Final = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_SIGNED: Final = re.compile(r"\s*[-+]")


def is_formula(text: str) -> bool:
    r"""Whether a spreadsheet would take this cell for a formula.

    That is a text that begins with `=`, `+`, `-` or `@`, after any blanks, and has a letter or
    digit. Numbers with a sign and ranges of them are none.

    >>> [is_formula(text) for text in ("=1+1", "@SUM(A1)", "-2+cmd|' /C calc'!A0", "\t=A1")]
    [True, True, True, True]
    >>> [is_formula(text) for text in ("-5", "+1,5", "-10--5", "-", "<50", "1=1")]
    [False, False, False, False, False, False]
    """
    if _BEGINS.match(text) is None or not any(map(str.isalnum, text)):
        return False
    if _SIGNED.match(text) is None:
        return True
    return not any(
        number(text, mark) is not None or isinstance(parse(text, decimal=mark), Interval)
        for mark in ".,"
    )


def defused(text: str) -> str:
    """The cell with an apostrophe before it where it is a formula, for tables nobody reads back.

    >>> defused("=1+1"), defused("-5")
    ("'=1+1", '-5')
    """
    return "'" + text if is_formula(text) else text
