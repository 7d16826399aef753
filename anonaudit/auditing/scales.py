"""The order of sensitive values: declared by the policy, or numerical if all are numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Final

from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import InputError
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.labels import PERTURBED, as_float, exact_number, parse
from anonaudit.policy.policy import Policy
from anonaudit.policy.repairs import mended

# Common spellings of numbers. For these, float(text) equals float(exact_number(text)).
_PLAIN: Final = re.compile(r"[0-9]{1,70}(?:\.[0-9]{1,70})?")


def scale_of(
    column: str,
    classes: EquivalenceClasses,
    policy: Policy,
    known: dict[str, dict[str, float | None]],
) -> Mapping[str, float] | None:
    """Return value -> its number, for a sensitive column; None if the column has no order.

    There are two kinds of order:

    - The policy declares it: the number of a value is its position, from 0. All declared values are
      included.
    - All values are numbers: the number is the value. Only values of rows in classes are included,
      because only they are part of a distribution.

    known: cache of parsed numbers, column -> label -> number or None. It is extended.
    """
    if column in policy.ordered:
        return {mended(policy, x): float(place) for place, x in enumerate(policy.ordered[column])}
    table = classes.kept if classes.whole is None else classes.whole.values[column]
    labels = table.labels_of(column)
    there = [labels[code] for code in table.values(column)]
    read = known.setdefault(column, {})
    values = {}
    for label in reversed(there):  # words are sorted after numbers; the first word ends the loop
        if label not in read:
            read[label] = _number(label, policy)
        value = read[label]
        if value is None:
            return None
        values[label] = value
    return dict(reversed(values.items())) or None


def check_numeric(source: str, column: str, base: FrequencySet, policy: Policy) -> None:
    """Raise InputError if a column that is declared numeric has a value that is not a number.

    source: the name of the release in the message.
    base: the frequency set of all rows, including rows in no class.
    """
    labels = base.labels_of(column)[FIRST_VALUE:]
    wrong = sum(_number(label, policy) is None for label in labels)
    if wrong:
        raise InputError(
            f"{source}: column {column!r} is declared numeric, which is not so for {wrong} of "
            f"its {len(labels)} different values (not a number, or too large); declare them as "
            "missing, or declare the decimal mark"
        )


def check_readings(source: str, labels_of: Mapping[str, Iterable[str]], policy: Policy) -> None:
    """Raise InputError if a column has a declared reading but no label that can be read so.

    source: the name of the release in the message.
    labels_of: column -> the labels of all its rows. A column without labels is skipped.
    """
    for column, reading in policy.readings.items():
        labels = [*labels_of.get(column, ())]
        mark = policy.separators.get(column)
        if not labels or reading in ("plain", PERTURBED):
            continue
        read = (parse(x, reading=reading, decimal=policy.decimal, separator=mark) for x in labels)
        if isinstance(reading, str):
            admitted = any(label is not None for label in read)
        else:  # a rounded column: at least one label must be a number
            admitted = any(
                label is not None and exact_number(text, policy.decimal) is not None
                for text, label in zip(labels, read, strict=True)
            )
        if not admitted:
            said = f"{reading!r}" if isinstance(reading, str) else f"rounded to {reading.step}"
            raise InputError(
                f"{source}: no label of column {column!r} can be read as its declared reading, "
                f"{said}; correct or remove values.reading for it"
            )


def _number(label: str, policy: Policy) -> float | None:
    """Return the number that a label represents; None if it is not a number."""
    if policy.decimal == "." and _PLAIN.fullmatch(label):
        return float(label)
    value = as_float(label, policy.decimal)
    return None if math.isnan(value) else value
