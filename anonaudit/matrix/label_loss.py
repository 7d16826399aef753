"""Compute the information loss of a release from its labels, because its masker is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import Codes, distinct_rows
from anonaudit.frequency.frequency_set import Counts, FrequencySet
from anonaudit.generalization.hierarchy import ROOT
from anonaudit.generalization.labels import Interval, Prefix, ValueSet, parse
from anonaudit.masking.maskers import Original
from anonaudit.masking.trees import heights, numbers_of
from anonaudit.report.words import figures, layout


@dataclass(frozen=True)
class Loss:
    """Bounds of the information loss, as a share of the largest possible loss.

    least, most: the bounds. Both are None if the loss is unknown, because the release has more rows
        than the original or the original has no row.
    notes: sentences. They say why the loss is unknown, which cells make the bounds differ, and for
        which columns the loss is computed from the width of the labels.
    """

    least: float | None
    most: float | None
    notes: tuple[str, ...] = ()


def by_width(bases: Iterable[FrequencySet], table: Original) -> frozenset[str]:
    """Return the columns whose intervals and masks are compared by width, not by height.

    These are the quasi-identifiers with a hierarchy that lacks a label of some release. Such a
    label has no height in the hierarchy. So the losses of the releases would not be comparable if
    other labels lost their height.

    bases: the frequency sets of the releases.
    table: the original, with the hierarchies.
    """
    outside = set()
    for base in bases:
        for column, tree in table.trees.items():
            if column in table.data.roles.quasi_identifiers:
                labels = set(base.labels_of(column)[FIRST_VALUE:]) - {ROOT}
                if not labels <= {*tree.nodes, *table.data.labels_of(column)}:
                    outside.add(column)
    return frozenset(outside)


def loss_of_release(
    base: FrequencySet, table: Original, widths: frozenset[str] = frozenset()
) -> Loss:
    """Return the information loss (MCT08 Definitions 10 and 11) of a release, from its labels.

    base: the frequency set of the release.
    table: the original, with the hierarchies of the policy.
    widths: the columns that are compared by width, see `by_width`.

    A row that is not in the release loses 1 in every quasi-identifier. In a released row, a cell
    loses

    - 0, if its label is a value of the original;
    - the height of the subtree below the label divided by the height of the hierarchy, if the
      hierarchy contains the label (intervals and codes like `482**` only if the column is not in
      `widths`);
    - the width of the label divided by the range of the original's values, if the label is an
      interval of numbers;
    - the share of the label's characters that are masked, if the label is a code like `482**`;
    - (members - 1) / (values of the original - 1), if the label is a set of values of the original;
    - 1, if the label is `*`.

    If a column of the original has m missing cells, m missing cells of the release lose 0, and each
    further missing cell loses 1. The same holds for suppressed cells.

    In three cases a cell may lose anything from 0 to 1. Then `least` and `most` differ, and a note
    counts the cells or rows:

    - The label is of none of these kinds.
    - A value is more frequent in the release than in the original. The surplus cells were changed.
    - A row without a generalized cell is more frequent in the release than in the original. The
      surplus rows were changed.

    Not detected: values that were swapped between rows, if the rows also have generalized cells.
    The frequency of each value is then unchanged.
    """
    data = table.data
    n, gone = len(data), len(data) - base.total
    columns = data.roles.quasi_identifiers
    if gone < 0:
        more = figures.counted(-gone, "row")
        reason = f"the release has {more} more than the original"
        return Loss(None, None, (f"the information loss is unknown: {reason}",))
    if not n:
        return Loss(None, None, ("the information loss is unknown: the original has no row",))
    least = float(gone * len(columns))
    open_, beyond = 0.0, 0
    notes = [
        f"{layout.name(column)}: the loss of intervals and masks is their width, not their height "
        "in the hierarchy, because a release has labels that the hierarchy lacks"
        for column in columns
        if column in widths
    ]
    for j, column in enumerate(columns):
        cells = _cells(base, column)
        labels = base.labels_of(column)[FIRST_VALUE:]
        before = np.bincount(data.quasi[:, j], minlength=len(data.labels_of(column)))
        least += float(np.maximum(cells[:FIRST_VALUE] - before[:FIRST_VALUE], 0).sum())
        losses = _losses(column, labels, table, by_width=column in widths)
        known = np.array([0.0 if loss is None else loss for loss in losses])
        unread = int(sum(cells[FIRST_VALUE:][[loss is None for loss in losses]]))
        least += float((known * cells[FIRST_VALUE:]).sum())
        ground = _codes_of(base.labels_of(column), data.labels_of(column))[FIRST_VALUE:]
        there = ground >= FIRST_VALUE
        surplus = cells[FIRST_VALUE:][there] - before[ground[there]]
        if changed := int(np.maximum(surplus, 0).sum()):
            beyond += changed
            notes.append(
                f"{layout.name(column)}: {figures.counted(changed, 'cell')} with a value that is "
                "less frequent in the original than in the release: the values were changed, not "
                "generalized; the loss of each is unknown, between 0 and 1"
            )
        open_ += unread
        if unread:
            notes.append(
                f"{layout.name(column)}: {figures.counted(unread, 'cell')} with a label that is "
                "neither a value of the original nor understood as a generalization; the loss of "
                "each is unknown, between 0 and 1 (a hierarchy in the policy decides it)"
            )
    changed = _changed(base, table)
    open_ += max(changed * len(columns), beyond)
    if changed:
        notes.append(
            f"{figures.counted(changed, 'row')} with ungeneralized values in a combination that is "
            "less frequent in the original than in the release: the values were changed, not "
            "generalized; the loss of each cell is unknown, between 0 and 1"
        )
    most = n * len(columns)
    open_ = min(open_, most - least)
    return Loss(least / most, (least + open_) / most, tuple(notes))


def _changed(base: FrequencySet, table: Original) -> int:
    """Return the number of released rows that have no generalized cell and were changed.

    If the release has more equal rows than the original, the difference is counted.
    """
    data = table.data
    ground = np.column_stack(
        [
            _codes_of(base.labels_of(column), data.labels_of(column))[base.column(column)]
            for column in data.roles.quasi_identifiers
        ]
    )
    plain = (ground >= FIRST_VALUE).all(axis=1)
    both, which = distinct_rows(np.vstack([data.quasi, ground[plain]]))
    before = np.bincount(which[: len(data)], minlength=len(both))
    after = np.bincount(which[len(data) :], base.counts[plain], len(both))
    return int(np.maximum(after - before, 0).sum())


def _codes_of(labels: Sequence[str], values: Sequence[str]) -> Codes:
    """Return the code that the original has for each label of a release; -1 if it has none.

    labels, values: the texts by code of the release and of the original. The codes of missing and
        suppressed also give -1.
    """
    code = {value: i for i, value in enumerate(values[FIRST_VALUE:], FIRST_VALUE)}
    return np.array([-1] * FIRST_VALUE + [code.get(label, -1) for label in labels[FIRST_VALUE:]])


def _cells(base: FrequencySet, column: str) -> Counts:
    """Return the number of rows with each code of a column, shape (number of codes,)."""
    codes = base.column(column)
    cells = np.bincount(codes, base.counts, len(base.labels_of(column)))
    return cells.astype(np.int64)


def _losses(
    column: str, labels: tuple[str, ...], table: Original, *, by_width: bool
) -> list[float | None]:
    """Return the loss of each label; None for a label that is not understood."""
    values = table.data.labels_of(column)
    numbers = numbers_of(values)
    tree = table.trees.get(column)
    depth: Mapping[str | None, int] = {} if tree is None else heights(tree)
    known, policy = set(values[FIRST_VALUE:]), table.policy
    lengths = set(map(len, known))

    def loss(label: str) -> float | None:
        if label in known:
            return 0.0
        if label == ROOT:
            return 1.0
        meaning = parse(
            label,
            reading=policy.readings.get(column),
            decimal=policy.decimal,
            separator=policy.separators.get(column),
        )
        by_itself = by_width and isinstance(meaning, (Interval, Prefix))
        if tree is not None and label in tree and not by_itself:
            return depth[label] / max(depth[tree.root], 1)
        if isinstance(meaning, Interval) and numbers is not None:
            return _width(meaning, min(numbers), max(numbers))
        if isinstance(meaning, Prefix) and len(meaning.pattern) in lengths:
            return meaning.pattern.count("*") / len(meaning.pattern)
        if isinstance(meaning, ValueSet) and meaning.members <= known:
            return (len(meaning.members) - 1) / max(len(known) - 1, 1)
        return None

    return [loss(label) for label in labels]


def _width(interval: Interval, first: Fraction, last: Fraction) -> float | None:
    """Return the share of the range from `first` to `last` that an interval covers.

    Returns None if the interval is a single number or lies outside the range, or if the range is a
    single number.
    """
    low = first if interval.low is None else max(interval.low, first)
    high = last if interval.high is None else min(interval.high, last)
    if low > high or interval.low == interval.high or first == last:
        return None
    return float((high - low) / (last - first))
