"""Mondrian: groups are cut as long as all parts meet the goal; and the k-d split of GCG08."""

from __future__ import annotations

from typing import Final

import numpy as np

from anonaudit.arrays import Bools, Floats, Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import Codes, distinct_rows
from anonaudit.masking.aims import BOUNDARIES, PROTECTED
from anonaudit.masking.cuts import cut
from anonaudit.masking.goals import Goal, Groups, require
from anonaudit.masking.recoding import Microdata, NotAchievableError, Recoding
from anonaudit.masking.task import Algorithm, Task
from anonaudit.masking.trees import generalized, numbers_of


def mondrian(data: Microdata, goal: Goal, *, medians: bool = False) -> Recoding:
    """A partition into groups that meet a goal, cut from one group of all rows.

    A group is cut along the children of a hierarchy node, or at the median of numbers, wherever all
    parts meet the goal, and where that saves the most information loss for its size; see `cut`.

    goal: `KAnonymous`, `PSensitive`, `MultiAttributeL` (exact or heuristic, with limits by
        column or without) or `ExponentialL`, each with its k.
    medians: the k-d split of GCG08 Figure 5 instead, which halves groups at medians whatever the
        hierarchies are (see `partition`). It suits tables that are released by `anatomize`, where
        a group's values are not generalized.

    Returns a Recoding whose groups are the final ones, released with their lowest common
    ancestors, numbers without a hierarchy with the closed interval that holds them. Publish it
    as a table, or by `anatomize`. No row is suppressed; nothing is left to chance.

    Raises NotAchievableError if all rows as one group do not meet the goal; reason "merged" if
    groups that meet it are released with equal values and together do not (Exponential-L, and
    entropy where persons have several rows).

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
    classes = distinct_rows(keys)[1][group]
    merged = Groups.of_rows(data, np.arange(len(data)), classes, int(classes.max()) + 1)
    if not goal.met(merged).all():
        raise NotAchievableError(
            "groups that meet the goal are released with equal values and together do not; "
            "anatomize the partition instead",
            reason="merged",
        )
    name = "k-d split" if medians else "mondrian"
    return Recoding(data, group, domains, keys, name, {"goal": goal})


def partition(data: Microdata, goal: Goal, *, every_attribute: bool = True) -> tuple[Index, int]:
    """The k-d split of GCG08 Figure 5, corrected: the final group of each row, and their number.

    From one group of all rows on, a group is split at the median of its widest quasi-identifier
    if both halves meet the goal; where they do not, at that of the next widest, and so on; where
    no attribute will do it is final. Values are made z-scores first: numbers
    as they are, others numbered in the order of their hierarchy's leaves or of their text; cells
    without a value come before all others. Rows at the median go to the lower half.

    Figure 5 as printed goes on with one half if only that meets the goal, and the records of the
    other are in no group (`split` in `papers/published/`).

    goal: as of `mondrian`; the rows as one group must meet it.
    every_attribute: False tries the widest attribute only, as Figure 5 has it. One attribute with
        most rows at its largest value then ends the search; the k-d tree that the paper refers to
        (LeFevre, DeWitt, Ramakrishnan, ICDE 2006) takes any attribute that allows a split.

    All groups of a depth are split at once. Source: GCG08 Figure 5, "Anonymize algorithm".
    """
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
    """Which groups are split, shape (number,), and which of the rows go to the upper half."""
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
    """The lower median of each group; 0 for groups without rows here."""
    ordered = value[np.lexsort((value, of))]
    size = np.bincount(of, minlength=number)
    middle = np.cumsum(size) - size + np.maximum(size - 1, 0) // 2
    return np.where(size > 0, ordered[np.minimum(middle, len(ordered) - 1)], 0.0)


def standardized(data: Microdata) -> Floats:
    """The quasi-identifiers as z-scores, shape (n, number of them); constants are all 0."""
    points = np.column_stack(
        [_order(data, a)[data.quasi[:, j]] for j, a in enumerate(data.roles.quasi_identifiers)]
    )
    deviation = points.std(axis=0)
    scores: Floats = (points - points.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return scores


def _order(data: Microdata, attribute: str) -> Floats:
    """The number that stands for each code of a quasi-identifier, shape (n_codes,)."""
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
