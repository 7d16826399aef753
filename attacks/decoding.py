"""Turn labels into numbers that a learner can read.

A label becomes the average of the features of the people whose value it may denote (see
`linking.matching`). Intervals, prefixes, sets, nodes of a hierarchy and suppressed cells are such
labels. An exact value keeps its own features. So exact values and labels of all kinds share one
scale.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Floats
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.frequency.wildcards import sparse_table
from anonaudit.generalization.labels import exact_number
from anonaudit.linking.matching import ColumnMatch, match_columns

# A column with at least this many different numbers is numeric. Other columns get indicators.
FEWEST_NUMBERS = 13
# Only this many of the most frequent values of a column get an indicator.
MOST_INDICATORS = 50


def decoded(setting: Setting, people: FrequencySet, *tables: FrequencySet) -> list[Floats]:
    """Return the features of the people, then the features of each table.

    Parameters
    ----------
    setting
        States how labels are read.
    people
        The people with their exact values. A cell without a value gets the average of all people.
    tables
        Tables with labels, over the same columns. If a label matches nobody's value, it gets the
        average of all people. But if it is a number in a numeric column, it keeps its own value.

    Returns
    -------
    One array for the people, then one for each table, each of shape (entries, features). All arrays
    have the same features.

    Example
    -------
    One person is 30 years old and one is 50. `20-40` matches the first person, `*` both.

    >>> from anonaudit.frequency.classes import equivalence_classes
    >>> from anonaudit.roles import Roles
    >>> people = FrequencySet.of(["age"], [("30",), ("50",)])
    >>> release = FrequencySet.of(["age"], [("20-40",), ("*",)])
    >>> here = Setting(equivalence_classes(release, Roles(("age",))))
    >>> [each.tolist() for each in decoded(here, people, release)]
    [[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [1.0, 0.0]]]
    """
    columns: list[list[Floats]] = [[] for _ in range(1 + len(tables))]
    matched = [
        match_columns(
            people,
            table,
            hierarchies=setting.hierarchies,
            readings=setting.readings,
            separators=setting.separators,
            decimal=setting.decimal,
        )
        for table in tables
    ]
    for j, name in enumerate(people.attributes):
        labels, codes = people.labels_of(name), people.column(name)
        weight = np.bincount(codes, people.counts, len(labels)).astype(np.float64)
        values, one_number = _features(labels, weight, setting.decimal)
        average = _average(values[FIRST_VALUE:], weight[FIRST_VALUE:])
        values[:FIRST_VALUE] = average
        columns[0].append(values[codes])
        for k, table in enumerate(tables):
            theirs = table.labels_of(name)
            means, nobody = _means(matched[k][j], values, weight, len(theirs), average)
            if one_number:
                _own_numbers(means, nobody, theirs, setting.decimal)
            columns[1 + k].append(means[table.column(name)])
    return [np.hstack(each) if each else np.zeros((0, 0)) for each in columns]


def _features(labels: Sequence[str], weight: Floats, decimal: str) -> tuple[Floats, bool]:
    """Return the features of each value, shape (n_labels, features), and True if they are numeric.

    A numeric column has two features. The first is the number, or for a text the mean of all
    numbers. The second is 1 for a number and 0 for a text. Any other column has one indicator (0 or
    1) for each of its most frequent values. weight: how many people have each value.
    """
    numbers = [exact_number(label, decimal) for label in labels[FIRST_VALUE:]]
    if sum(n is not None for n in numbers) >= FEWEST_NUMBERS:
        each = np.array([np.nan if n is None else float(n) for n in numbers])
        there = ~np.isnan(each)
        middle = float(each[there].mean())
        columns = np.column_stack([np.where(there, each, middle), there])
        return np.vstack([np.zeros((FIRST_VALUE, 2)), columns]).astype(np.float64), True
    often = FIRST_VALUE + np.argsort(-weight[FIRST_VALUE:], kind="stable")[:MOST_INDICATORS]
    indicators = np.zeros((len(labels), len(often)))
    indicators[often, np.arange(len(often))] = 1
    return indicators, False


def _average(values: Floats, weight: Floats) -> Floats:
    total = weight.sum()
    return weight @ values / total if total else np.zeros(values.shape[1])


def _means(
    match: ColumnMatch, values: Floats, weight: Floats, n_labels: int, average: Floats
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the average features of the people each label matches, shape (n_labels, features).

    The second result is True for the labels that match nobody, shape (n_labels,). Such labels get
    the features `average`.
    """
    place, label = match.of(np.arange(FIRST_VALUE, len(values)))
    ground = FIRST_VALUE + place
    shares = sparse_table(weight[ground], label, ground, (n_labels, len(values)))
    people = np.asarray(shares.sum(axis=1)).ravel()
    sums = np.asarray(shares @ values)
    nobody = people <= 0
    means: Floats = sums / np.where(nobody, 1, people)[:, None]
    means[nobody] = average
    return means, nobody


def _own_numbers(
    means: Floats, nobody: npt.NDArray[np.bool_], labels: Sequence[str], decimal: str
) -> None:
    """Set in `means` the features of each number that matches nobody to the number itself."""
    for code in np.flatnonzero(nobody).tolist():
        own = exact_number(labels[code], decimal)
        if code >= FIRST_VALUE and own is not None:
            means[code] = float(own), 1.0
