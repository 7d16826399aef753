"""The order of sensitive values: declared by the policy, or recognised where all are numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import InputError
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.labels import PERTURBED, exact_number, parse
from anonaudit.policy.policy import Policy
from anonaudit.policy.repairs import mended


def scale_of(
    column: str,
    classes: EquivalenceClasses,
    policy: Policy,
    known: dict[str, dict[str, float | None]],
) -> Mapping[str, float] | None:
    """The number each value of a sensitive column stands for; None if it has no order.

    known: the numbers of labels that were read before, by column; those read now are added.

    A declared order has all the values that it was declared with. One that is recognised has the
    values of rows in classes, and no other: what a row outside of them holds is in no distribution.
    """
    if column in policy.ordered:
        return {mended(policy, x): float(place) for place, x in enumerate(policy.ordered[column])}
    table = classes.kept if classes.whole is None else classes.whole.values[column]
    labels = table.labels_of(column)
    there = [labels[code] for code in np.unique(table.column(column)) if code >= FIRST_VALUE]
    read = known.setdefault(column, {})
    new = [label for label in there if label not in read]
    numbers = _numbers(new, policy)
    read.update((label, numbers.get(label)) for label in new)
    values = {label: value for label in there if (value := read[label]) is not None}
    return values if len(values) == len(there) > 0 else None


def check_numeric(source: str, column: str, base: FrequencySet, policy: Policy) -> None:
    """Raise InputError if a value of a column that is declared numeric is no number.

    base: the frequency set of all rows, those in no class too.
    """
    labels = base.labels_of(column)[FIRST_VALUE:]
    wrong = len(labels) - len(_numbers(labels, policy))
    if wrong:
        raise InputError(
            f"{source}: column {column!r} is declared numeric, but {wrong} of "
            f"its {len(labels)} different values are no numbers, or too large; declare them "
            "missing, or name the decimal mark"
        )


def check_readings(source: str, labels_of: Mapping[str, Iterable[str]], policy: Policy) -> None:
    """Raise InputError if no label of a column can be read as the policy declares.

    labels_of: by column the labels of all rows. A column without any is passed over.
    """
    for column, reading in policy.readings.items():
        labels = [*labels_of.get(column, ())]
        mark = policy.separators.get(column)
        if not labels or reading in ("plain", PERTURBED):
            continue
        read = (parse(x, reading=reading, decimal=policy.decimal, separator=mark) for x in labels)
        if isinstance(reading, str):
            admitted = any(label is not None for label in read)
        else:  # other labels of a rounded column are read as elsewhere
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


def _numbers(labels: Iterable[str], policy: Policy) -> dict[str, float]:
    """The labels that are numbers, but for those too large for a float."""
    numbers = {}
    for label in labels:
        value = exact_number(label, policy.decimal)
        try:
            numbers.update({} if value is None else {label: float(value)})
        except OverflowError:
            continue
    return numbers
