"""Mondrian multidimensional partitioning, and the k-d split of GCG08.

Both algorithms divide groups of rows as long as every part meets the goal.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from anonaudit.arrays import Bools, Floats, Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import Codes
from anonaudit.masking.aims import BOUNDARIES, PROTECTED
from anonaudit.masking.cuts import cut
from anonaudit.masking.goals import Goal, Groups, require
from anonaudit.masking.recoding import (
    Microdata,
    NotAchievableError,
    Recoding,
    released_classes,
)
from anonaudit.masking.task import Algorithm, Task
from anonaudit.masking.trees import generalized, numbers_of


def mondrian(data: Microdata, goal: Goal, *, medians: bool = False) -> Recoding:
    """Divide a table into groups that meet a goal, starting from one group of all rows.

    A group is divided by the children of a hierarchy node, or at the median of numbers, if all
    parts meet the goal. Among the possible divisions, the one that saves the most information
    loss in relation to the entropy of its part sizes is taken (see `cut`). No choice is random.

    goal: for example `KAnonymous`, `PSensitive`, `MultiAttributeL` (exact or heuristic, with or
        without limits by column) or `ExponentialL`.
    medians: True uses the k-d split of GCG08 Figure 5 instead, which divides groups at medians
        and ignores the inner nodes of hierarchies (see `partition`). Use it for tables that are
        published by `anatomize`, because such tables do not generalize the values of a group.

    Returns a Recoding whose groups are released with the lowest common ancestors of their values.
    Numbers without a hierarchy are released as the smallest closed interval that contains the
    numbers of the group. No row is suppressed. Publish the recoding as a table or by `anatomize`.

    Raises NotAchievableError if all rows as one group do not meet the goal. Raises the same error
    with the reason "merged" if groups that meet the goal are released with equal values, and their
    union fails the goal. This can happen with `ExponentialL` and, if persons have several rows,
    with `EntropyL` and `Unshared`.

    Source: LeFevre, DeWitt, Ramakrishnan, ICDE 2006; GCG08 Figure 5, "Anonymize algorithm".

    >>> from anonaudit.masking.goals import KAnonymous
    >>> from anonaudit.roles import Roles
    >>> import pandas as pd
    >>> ages = pd.DataFrame({"age": ["21", "24", "38", "39"]})
    >>> mondrian(Microdata.read(ages, Roles(("age",))), KAnonymous(2)).frame()["age"].tolist()
    ['[21,24]', '[21,24]', '[38,39]', '[38,39]']
    """
    require(goal, data)
    group, number = partition(data, goal) if medians else cut(data, goal)
    domains, keys = generalized(data, group, number)
    classes = released_classes(domains, keys)[group]
    merged = Groups.of_rows(data, np.arange(len(data)), classes, int(classes.max()) + 1)
    if not goal.met(merged).all():
        raise NotAchievableError(
            "several groups meet the goal but are released with equal values, and together they "
            "fail it; publish the partition by anatomy instead",
            reason="merged",
        )
    name = "k-d split" if medians else "mondrian"
    return Recoding(data, group, domains, keys, name, {"goal": goal})


def partition(data: Microdata, goal: Goal, *, every_attribute: bool = True) -> tuple[Index, int]:
    """Divide a table by the k-d split of GCG08 Figure 5, corrected.

    Returns the group of each row, shape (n,), and the number of groups.

    The split starts with one group of all rows. A group is split at the median of its widest
    quasi-identifier if both halves meet the goal. If they do not, the next widest quasi-identifier
    is tried, and so on. A group that no quasi-identifier can split is final. Rows at the median go
    to the lower half.

    Before the split, every column becomes a column of numbers. Numbers stay as they are. Other
    values are numbered in the order of the leaves of their hierarchy, or else of their texts.
    Missing and suppressed cells get lower numbers than all values. The columns are then
    standardized to z-scores, so that their widths can be compared.

    Correction: if only one half meets the goal, the group is not split. Figure 5 as printed
    continues with this half, and the records of the other half are in no group (`split` in
    `papers/published/`).

    goal: as in `mondrian`; all rows as one group must meet it.
    every_attribute: False tries only the widest attribute of a group, as Figure 5 does. The group
        is then final, for example, if its median is the largest value of this attribute. The k-d
        tree that the paper refers to (LeFevre, DeWitt, Ramakrishnan, ICDE 2006) takes any attribute
        that allows a split.

    Source: GCG08 Figure 5, "Anonymize algorithm".
    """
    # All groups of one depth are split in one pass, with arrays.
    points = standardized(data)
    group = np.zeros(len(data), np.intp)
    rows, of, number = np.arange(len(data)), np.zeros(len(data), np.intp), 1
    finished = 0
    while number:
        split, right = _halves(data, goal, points, rows, of, number, every_attribute)
        final = ~split[of]
        place = np.cumsum(~split) - 1
        group[rows[final]] = finished + place[of[final]]
        finished += int((~split).sum())
        place = np.cumsum(split) - 1
        rows, of = rows[~final], 2 * place[of[~final]] + right[~final]
        number = 2 * int(split.sum())
    return group, finished


def _halves(
    data: Microdata,
    goal: Goal,
    points: Floats,
    rows: Index,
    of: Index,
    number: int,
    every_attribute: bool,
) -> tuple[Bools, Bools]:
    """Return a mask of the groups that are split, and a mask of the rows in the upper halves.

    rows: the rows of all groups that may still be split, shape (n,). of: the group of each of these
    rows. number: the number of groups. The masks have the shapes (number,) and (n,).
    """
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(number))
    along = points[rows[order]]
    width = np.maximum.reduceat(along, starts) - np.minimum.reduceat(along, starts)
    widest = np.argsort(-width, axis=1, kind="stable")
    split, right = np.zeros(number, bool), np.zeros(len(rows), bool)
    for attempt in range(widest.shape[1] if every_attribute else 1):
        trying = np.flatnonzero(~split[of])
        if not len(trying):
            break
        value = points[rows[trying], widest[of[trying], attempt]]
        above = value > _medians(value, of[trying], number)[of[trying]]
        halves = Groups.of_rows(data, rows[trying], 2 * of[trying] + above, 2 * number)
        both: Bools = np.all(goal.met(halves).reshape(number, 2), axis=1)
        right[trying] |= above & both[of[trying]]
        split |= both
    return split, right


def _medians(value: Floats, of: Index, number: int) -> Floats:
    """Return the lower median of each group, shape (number,); 0 for a group without rows."""
    ordered = value[np.lexsort((value, of))]
    size = np.bincount(of, minlength=number)
    middle = np.cumsum(size) - size + np.maximum(size - 1, 0) // 2
    return np.where(size > 0, ordered[np.minimum(middle, len(ordered) - 1)], 0.0)


def standardized(data: Microdata) -> Floats:
    """Return the quasi-identifiers as z-scores, shape (n, quasi-identifiers).

    A column with only one value is 0 everywhere.
    """
    points = np.column_stack(
        [_order(data, a)[data.quasi[:, j]] for j, a in enumerate(data.roles.quasi_identifiers)]
    )
    deviation = points.std(axis=0)
    scores: Floats = (points - points.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return scores


def _order(data: Microdata, attribute: str) -> Floats:
    """Return the number that represents each code of a quasi-identifier, shape (n_codes,)."""
    labels = data.labels_of(attribute)
    values: Codes | list[float]
    if numbers := numbers_of(labels):
        values = [float(n) for n in numbers]
    elif attribute in data.hierarchies:
        place = {leaf: i for i, leaf in enumerate(data.hierarchies[attribute].leaves)}
        values = [place[label] for label in labels[FIRST_VALUE:]]
    else:
        values = np.arange(len(labels) - FIRST_VALUE)
    lowest = float(min(values, default=0.0))
    return np.array([lowest - 2, lowest - 1, *values], np.float64)


def _run(task: Task) -> Recoding:
    return mondrian(task.data, task.goal)


ALGORITHM: Final = Algorithm(
    name="mondrian",
    run=_run,
    lacks=frozenset({PROTECTED, BOUNDARIES}),
    bytes_a_cell=110,
)
