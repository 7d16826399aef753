"""The distances between people and released rows, by column.

Source: Domingo-Ferrer and Torra 2001: numbers in standard deviations, categories as 0 or 1, ordered
categories by rank. Labels are read as in linkage (see `linking.matching`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from anonaudit.arrays import Floats, Ints
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.labels import (
    PERTURBED,
    Interval,
    Truncated,
    as_float,
    is_padded,
    parse,
)
from anonaudit.linking.matching import match_column
from anonaudit.linking.too_much import check_undecided


@dataclass(frozen=True)
class ColumnDistance:
    """The squared distances in one column.

    table: the squared distance by the code of the person and the code of the row, shape (codes of
    the people, codes of the rows). None if the distances are computed from numbers.
    of_people, of_rows: the code of each person's cell, and of each row's cell. If `table` is None,
    the number in the cell, in standard deviations or steps; NaN if it has none.
    unread: how many released labels could not be compared.
    """

    of_people: Floats | Ints
    of_rows: Floats | Ints
    table: Floats | None = None
    unread: int = 0

    def between(self, people: slice) -> Floats:
        """Return the squared distances of these people to each row, shape (people, rows)."""
        some = self.of_people[people]
        if self.table is not None:
            return self.table[some][:, self.of_rows]
        apart = np.subtract.outer(some, self.of_rows)
        np.square(apart, out=apart)
        apart[np.isnan(apart)] = 1
        return apart


def column_distances(
    setting: Setting,
    people: FrequencySet,
    rows: FrequencySet,
    categories: Collection[str] = (),
) -> list[ColumnDistance]:
    """Return the squared distances between the people and the rows in each column.

    The distances are:

    - Two numbers: their difference, divided by the standard deviation of the released numbers. (If
      this is 0, by that of the people's numbers; if both are 0, by 1.)
    - A number and an interval: the gap between them, divided by the same deviation; 0 for a number
      inside.
    - Two values of a declared order: the difference of their ranks, divided by the number of steps.
    - Other values: 0 if the released label may denote the value, otherwise 1.

    A cell without a value, or a label that is not understood, has the distance 1 to everything.

    Parameters
    ----------
    setting
        States how labels are read. A perturbed label denotes its own value only.
    people, rows
        The combinations of the people and of the release, over the same columns in the same order.
    categories
        The columns whose numbers are codes. Numbers are also codes in a column whose reading is
        plain or prefix.

    Raises
    ------
    TooMuchError
        If a column with other values than numbers has too many pairs of values and labels.

    Example
    -------
    The standard deviation of 30 and 50 is 10. An age of 32 is 0.2 deviations from 30 and 1.8 from
    50.

    >>> from anonaudit.frequency.classes import equivalence_classes
    >>> from anonaudit.roles import Roles
    >>> rows = FrequencySet.of(["age"], [("30",), ("50",)])
    >>> here = Setting(equivalence_classes(rows, Roles(("age",))))
    >>> column = column_distances(here, FrequencySet.of(["age"], [("32",)]), rows)[0]
    >>> column.between(slice(1)).round(2).tolist()
    [[0.04, 3.24]]
    """
    return [
        _column_distance(setting, people, rows, column, coded=column in categories)
        for column in people.attributes
    ]


def _column_distance(
    setting: Setting, people: FrequencySet, rows: FrequencySet, column: str, *, coded: bool
) -> ColumnDistance:
    ours, theirs = people.labels_of(column), rows.labels_of(column)
    order, reading = setting.orders.get(column), setting.readings.get(column)
    perturbed = reading == PERTURBED
    coded = coded or reading in ("plain", "prefix") or isinstance(reading, Truncated)
    before, after = (_numbers(labels, setting.decimal) for labels in (ours, theirs))
    if order is not None:
        place = {value: at / max(len(order) - 1, 1) for at, value in enumerate(order)}
        before, after = (np.array([place.get(x, np.nan) for x in some]) for some in (ours, theirs))
    elif coded:
        before, after = (np.full(len(some), np.nan) for some in (ours, theirs))
    else:
        unit = _deviation(after, rows, column) or _deviation(before, people, column) or 1.0
        before, after = before / unit, after / unit
    if not np.isnan(before[FIRST_VALUE:]).any() and not np.isnan(after[FIRST_VALUE:]).any():
        return ColumnDistance(before[people.column(column)], after[rows.column(column)])
    check_undecided(len(ours) * len(theirs))
    match = match_column(
        ours,
        theirs,
        hierarchy=setting.hierarchies.get(column),
        reading="plain" if perturbed else reading,
        separator=None if perturbed else setting.separators.get(column),
        decimal=setting.decimal,
        maybe=True,
    )
    table = np.square(np.subtract.outer(before, after))
    table[np.isnan(table)] = 1
    if not coded and not perturbed and order is None:
        for code, (low, high) in _bands(theirs, setting, column).items():
            gap = np.maximum(np.maximum(low / unit - before, before - high / unit), 0)
            table[:, code] = np.where(np.isnan(gap), 1, np.square(gap))
    unread = match.unread
    if perturbed and not coded and order is None:
        # A text among numbers, or a text with digits such as a date, is not a category. It counts
        # as a label that cannot be compared.
        texts = [label for label, n in zip(theirs, after, strict=True) if np.isnan(n)][FIRST_VALUE:]
        mixed = len(texts) < len(theirs) - FIRST_VALUE
        unread += sum(mixed or any(map(str.isdigit, label)) for label in texts)
    place_, code_ = match.of(np.arange(len(ours)))
    table[place_, code_] = 0
    table[:FIRST_VALUE], table[:, :FIRST_VALUE] = 1, 1
    return ColumnDistance(people.column(column), rows.column(column), table, unread)


def _numbers(labels: Sequence[str], decimal: str) -> Floats:
    """Return the number of each label, shape (n_labels,).

    The number is NaN for a cell without a value, for a text, and for a code such as `007`.
    """
    numbers = [
        np.nan if is_padded(label) else as_float(label, decimal) for label in labels[FIRST_VALUE:]
    ]
    return np.array([np.nan] * FIRST_VALUE + numbers)


def _bands(labels: Sequence[str], setting: Setting, column: str) -> dict[int, tuple[float, float]]:
    """Return by code the lower and the upper end of each label that is an interval."""
    bands = {}
    for code, label in enumerate(labels[FIRST_VALUE:], FIRST_VALUE):
        meaning = parse(
            label,
            reading=setting.readings.get(column),
            decimal=setting.decimal,
            separator=setting.separators.get(column),
        )
        if isinstance(meaning, Interval):
            low = -np.inf if meaning.low is None else float(meaning.low)
            bands[code] = low, np.inf if meaning.high is None else float(meaning.high)
    return bands


def _deviation(numbers: Floats, table: FrequencySet, column: str) -> float:
    """Return the standard deviation of the numbers of a column over its rows; 0 without a number.

    numbers: the number of each label, NaN for none.
    """
    each, weight = numbers[table.column(column)], table.counts
    there = ~np.isnan(each)
    if not there.any():
        return 0.0
    each, weight = each[there], weight[there]
    middle = np.average(each, weights=weight)
    return float(np.sqrt(np.average(np.square(each - middle), weights=weight)))
