"""Which rows to suppress so that no class falls short: rows, or all rows of their persons."""

from __future__ import annotations

import numpy as np

from anonaudit.arrays import Bools
from anonaudit.masking.goals import Goal, Groups


def short_rows(
    groups: Groups, goal: Goal, *, whole_persons: bool = True, enough: float = np.inf
) -> Bools:
    """The rows to suppress so that every group that is left meets a goal.

    The rows of every group that falls short go. If persons have several rows and `whole_persons`,
    then all rows of the persons go who have lost a row, so that other groups may fall short, and
    so on until nothing changes. That is the largest release of whole persons in these groups, if
    a goal that some rows meet is met by more rows too, as k and p are: a person who has to go in
    one round could stay in no such release. So what goes becomes less if groups are united.

    groups: the classes that would be released. whole_persons: False takes the rows that fall
    short alone. enough: stop once more than so many rows have to go, with those found so far.

    Returns the rows to suppress, shape (n,).

    >>> from anonaudit.masking.goals import KAnonymous
    >>> of, persons = np.array([0, 0, 1, 1, 2]), np.array([7, 8, 8, 9, 7])
    >>> cells, ones = np.zeros((5, 0), np.int64), np.ones(5, np.int64)
    >>> short_rows(Groups((), cells, of, 3, ones, persons), KAnonymous(2)).tolist()
    [True, True, True, True, True]
    """
    gone: Bools = ~goal.met(groups)[groups.of]
    persons = groups.persons
    if persons is None or not whole_persons or not gone.any():
        return gone
    counts, left = groups.counts, np.arange(len(gone))  # left: the rows that `groups` still has
    lost = np.zeros(int(persons.max()) + 1, bool)
    while counts[gone].sum() <= enough:
        lost[persons[gone[left]]] = True
        out = lost[persons]
        gone[left] = out
        groups, left, persons = groups.where(~out), left[~out], persons[~out]
        short = ~goal.met(groups)[groups.of]
        if not short.any():
            break
        gone[left] = short
    return gone
