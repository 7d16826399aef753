"""What a cell means: a value, a missing cell, or a suppressed one.

This is the only place that decides it. Everything behind the source works with integer
codes: `MISSING` and `SUPPRESSED` are the first two of every column, values follow.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from anonaudit.errors import InputError

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
    """How cells without a value are counted. The report always names the one it used.

    quasi_identifiers: `own-category`, a missing or suppressed cell is an ordinary value;
        `wildcard`, it matches anything, so the class of a row is every row compatible with
        it; `drop-rows`, rows with such a cell are left out and their number is reported.
    wildcard_weight: how much a row with a wildcard counts for the classes of other rows,
        from 0 to 1. At 1 it counts in full. (The `alpha` of sdcMicro's freqCalc.)
    suppressed_tuples: rows whose quasi-identifiers are all suppressed are left out of the
        classes and counted apart (`exclude`), or treated like any other row (`include`).
    sensitive: a missing or suppressed sensitive cell is `unknown`, never a distinct value;
        or all of them together are `one-value`, one value of the attribute, which is counted
        and can be disclosed like any other.
    missing: texts that mean "missing", beside the empty cell, which always does.
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
        """The least code of a sensitive cell that counts as a value."""
        return MISSING if self.sensitive == "one-value" else FIRST_VALUE

    @property
    def mark(self) -> str:
        """How a suppressed cell is written."""
        return self.suppressed[0] if self.suppressed else "*"

    def kind(self, text: str | None) -> int:
        """`MISSING`, `SUPPRESSED` or `FIRST_VALUE` for the text of a cell.

        >>> Convention(missing=("?",)).kind("?") == MISSING
        True
        """
        if text is None or text == "" or text in self.missing:
            return MISSING
        return SUPPRESSED if text in self.suppressed else FIRST_VALUE


def cell_text(value: object) -> str | None:
    """The text of one dataframe cell, None if it is missing.

    The rule: text stays as it is; whole numbers are written in digits; fractions as Python
    writes them (`1.0`, `0.1`); truth values `True`, `False`; dates and times in ISO form;
    None, NaN and NaT are missing. So `1`, `1.0`, `True` and `"True"` keep apart where their
    types do.

    Durations are a number of nanoseconds where numpy holds them.

    Raises InputError for cells that hold more than one value (lists, records, bytes), or whose
    class gives no text.

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
            f"a cell must hold one value, but here is one of type {type(value).__name__}: "
            "unpack such columns into one column a value first"
        )
    spelled = _spelled(value)
    return None if spelled in {"<NA>", "NaT"} else spelled


def of_double(value: float) -> str | None:
    """The text of a number of a program that holds all its numbers as doubles.

    A whole number is written in digits as long as doubles hold every one (below 2**53), any other
    as Python writes it; NaN is missing.

    >>> [of_double(x) for x in (1.0, -0.0, 0.1, 1e20, float("nan"))]
    ['1', '0', '0.1', '1e+20', None]
    """
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else cell_text(value)


def _spelled(value: object) -> str:
    """What an object of any class says of itself; its own error may quote the cell."""
    try:
        return str(value)
    except Exception as error:
        raise InputError(
            f"a cell of type {type(value).__name__} has no text ({type(error).__name__} in its "
            "`__str__`): convert the column to texts, numbers or dates first"
        ) from None


def _duration(value: np.timedelta64) -> str:
    """A duration in nanoseconds; as numpy writes it where its unit is none of fixed length."""
    unit, step = np.datetime_data(value.dtype)
    if unit not in _NANOSECONDS:
        return str(value)
    return str(int(value.astype(np.int64)) * step * _NANOSECONDS[unit])
