"""Decides whether a cell is a value, missing or suppressed. No other module decides this.

Code after the source works with integer codes. In every column, code 0 is `MISSING`, code 1 is
`SUPPRESSED`, and the values have the codes from 2 up.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from anonaudit.errors import FOREIGN_FAULTS, InputError

MISSING: Final = 0
SUPPRESSED: Final = 1
FIRST_VALUE: Final = 2

_SEVERAL_VALUES: Final = (
    list,
    tuple,
    dict,
    set,
    frozenset,
    bytes,
    bytearray,
    memoryview,
    np.ndarray,
)
_SECOND: Final = 10**9
_NANOSECONDS: Final = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": _SECOND,
    "m": 60 * _SECOND,
    "h": 3600 * _SECOND,
    "D": 86400 * _SECOND,
    "W": 7 * 86400 * _SECOND,
}

QuasiIdentifierRule = Literal["own-category", "wildcard", "drop-rows"]
SuppressedTupleRule = Literal["exclude", "include"]
SensitiveRule = Literal["unknown", "one-value"]


@dataclass(frozen=True)
class Convention:
    """The rules for counting cells without a value. Every report states the rules it used.

    quasi_identifiers: the rule for a missing or suppressed cell of a quasi-identifier.
        `own-category`: the cell counts as an ordinary value. `wildcard`: the cell matches every
        value, so the class of a row is the set of all rows that are compatible with it.
        `drop-rows`: the row is dropped; the report gives the number of dropped rows.
    wildcard_weight: the weight of a row with a wildcard in the classes of other rows, from 0 to 1
        (full weight). This is the `alpha` of sdcMicro's freqCalc.
    suppressed_tuples: the rule for rows whose quasi-identifiers are all suppressed. `exclude`:
        these rows are in no class and are counted separately. `include`: they are ordinary rows.
    sensitive: the rule for a missing or suppressed cell of a sensitive attribute. `unknown`: the
        cell does not count as a value. `one-value`: all missing and suppressed cells of an
        attribute share one value, which is counted and can be disclosed like any other value.
    missing: texts that mean "missing". An empty cell is always missing.
    suppressed: texts that mean "suppressed".
    """

    quasi_identifiers: QuasiIdentifierRule = "own-category"
    wildcard_weight: float = 1.0
    suppressed_tuples: SuppressedTupleRule = "exclude"
    sensitive: SensitiveRule = "unknown"
    missing: tuple[str, ...] = ()
    suppressed: tuple[str, ...] = ("*",)

    @property
    def first_counted(self) -> int:
        """The smallest code that counts as a sensitive value."""
        return MISSING if self.sensitive == "one-value" else FIRST_VALUE

    @property
    def mark(self) -> str:
        """The text that is written for a suppressed cell."""
        return self.suppressed[0] if self.suppressed else "*"

    def kind(self, text: str | None) -> int:
        """Return `MISSING`, `SUPPRESSED` or `FIRST_VALUE` for the text of a cell.

        >>> Convention(missing=("?",)).kind("?") == MISSING
        True
        """
        if text is None or text == "" or text in self.missing:
            return MISSING
        return SUPPRESSED if text in self.suppressed else FIRST_VALUE


def cell_text(value: object) -> str | None:
    """Return the text of a dataframe cell; None if the cell is missing.

    A text is unchanged. An integer becomes its digits. Any other number becomes Python's text
    (`1.0`, `0.1`), a boolean `True` or `False`, a date or time its ISO text. A numpy duration
    becomes its number of nanoseconds, any other duration Python's text. None, NaN and NaT are
    missing. So `1`, `1.0` and `True` have different texts.

    Raises InputError for a cell that holds several values (list, record, bytes) and for an object
    whose `__str__` fails.

    >>> [cell_text(x) for x in (1, 1.0, True, "01", float("nan"))]
    ['1', '1.0', 'True', '01', None]
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, np.timedelta64):
        return None if np.isnat(value) else _duration(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, (np.float16, np.float32)):
        return None if np.isnan(value) else repr(float(str(value)))
    if isinstance(value, np.floating):
        return None if np.isnan(value) else str(value)
    if isinstance(value, float):
        return None if value != value else repr(value)  # noqa: PLR0124 (NaN is not itself)
    if isinstance(value, decimal.Decimal):
        return None if value.is_nan() else str(value)
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else str(value)
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        spelled = str(value)
        return None if spelled == "NaT" else spelled
    if isinstance(value, _SEVERAL_VALUES):
        raise InputError(
            f"a cell must hold one value, but a cell has the type {type(value).__name__}: "
            "split the column into columns of single values first"
        )
    spelled = _spelled(value)
    return None if spelled in {"<NA>", "NaT"} else spelled


def of_double(value: float) -> str | None:
    """Return the text of a number from a program that stores all numbers as doubles.

    A whole number below 2**53 becomes its digits, as doubles represent all of these exactly. Any
    other number becomes Python's text; NaN is missing.

    >>> [of_double(x) for x in (1.0, -0.0, 0.1, 1e20, float("nan"))]
    ['1', '0', '0.1', '1e+20', None]
    """
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else cell_text(value)


def _spelled(value: object) -> str:
    """Return `str(value)`. Raises InputError if that fails, without the message of the failure.

    The message may quote a cell.
    """
    try:
        return str(value)
    except FOREIGN_FAULTS as error:
        raise InputError(
            f"the `__str__` of a cell of type {type(value).__name__} failed "
            f"({type(error).__name__}): convert the column to texts, numbers or dates first"
        ) from None


def _duration(value: np.timedelta64) -> str:
    """Return the number of nanoseconds; for a unit of variable length (month), numpy's text."""
    unit, step = np.datetime_data(value.dtype)
    if unit not in _NANOSECONDS:
        return str(value)
    return str(int(value.astype(np.int64)) * step * _NANOSECONDS[unit])
