"""Choose the rows to suppress so that every remaining class meets a goal."""

from __future__ import annotations

import numpy as np

from anonaudit.arrays import Bools
from anonaudit.masking.goals import Goal, Groups


def short_rows(
    groups: Groups, goal: Goal, *, whole_persons: bool = True, enough: float = np.inf
) -> Bools:
    """Return the rows to suppress so that every remaining group meets a goal, shape (n,).

    First, all rows of every group that fails the goal are suppressed. If persons have several rows
    and `whole_persons` is True, all other rows of these persons are suppressed too. Other groups
    may fail then, so both steps are repeated until nothing changes.

    For goals such as k and p, adding rows to a group never makes the group fail. For these goals no
    release can keep more: if every person is kept or suppressed as a whole, and every group meets
    the goal, all its rows are among the rows that are left here. Merging groups never increases the
    number of suppressed rows.

    groups: the classes that would be released.
    whole_persons: False suppresses only the rows of failing groups, in one step.
    enough: stop as soon as more than this number of rows must be suppressed, and return the rows
        found so far.

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
    counts, left = groups.counts, np.arange(len(gone))  # left: the rows still in `groups`
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
