"""Convert the details of models and attacks to plain JSON values."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Integral, Real

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]

# In details, the values under these keys are treated as cells of the release.
VALUE_KEYS = frozenset({"cells", "labels", "values"})


def plain(value: object) -> Plain:
    """Convert a value to texts, numbers, booleans, lists and objects for JSON.

    Numbers of other libraries become Python numbers. Floats are rounded to 12 significant digits;
    NaN and infinities become None. Sets are sorted. Any other object becomes its text.

    >>> plain({"a": (1, 0.1 + 0.2), 2: float("nan")})
    {'a': [1, 0.3], '2': None}
    """
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if value is None or isinstance(value, (bool, str)):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(part) for key, part in value.items()}
    if isinstance(value, AbstractSet):
        return sorted((plain(part) for part in value), key=repr)
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if hasattr(value, "tolist"):  # numpy's numbers and arrays, pandas' series
        return plain(value.tolist())
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return rounded(float(value))
    return str(value)


def rounded(number: float) -> float | None:
    """Round to 12 significant digits; -0.0 becomes 0.0, and NaN and infinities become None."""
    return float(f"{number:.12g}") + 0.0 if math.isfinite(number) else None


def details_of(details: Mapping[str, object], *, show_values: bool) -> dict[str, Plain]:
    """Return the details as plain values.

    By convention, a model or an attack puts cells of the release under a key in `VALUE_KEYS`, at
    any depth. Unless `show_values` is True, the number of the cells replaces them.
    """
    facts = {str(plain(key)): plain(value) for key, value in details.items()}
    return facts if show_values else _without_values(facts)


def _without_values(facts: Mapping[str, Plain]) -> dict[str, Plain]:
    return {
        key: _number_of(value) if key in VALUE_KEYS else _hidden(value)
        for key, value in facts.items()
    }


def _hidden(value: Plain) -> Plain:
    if isinstance(value, dict):
        return _without_values(value)
    return [_hidden(part) for part in value] if isinstance(value, list) else value


def _number_of(value: Plain) -> Plain:
    if isinstance(value, str):
        return 1
    return len(value) if isinstance(value, (list, dict)) else value


def texts(values: Iterable[str] | str | None) -> Sequence[str]:
    """Return the column names of one role as a sequence.

    values: the names, a single name, or None if no column has the role.
    """
    if values is None:
        return ()
    return (values,) if isinstance(values, str) else tuple(values)
