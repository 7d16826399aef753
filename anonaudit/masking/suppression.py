"""Choose the rows to suppress so that every remaining class meets a goal."""

from __future__ import annotations

import numpy as np

from anonaudit.arrays import Bools
from anonaudit.masking.goals import Goal, Groups


def short_rows(
    groups: Groups, goal: Goal, *, whole_persons: bool = True, enough: float = np.inf
) -> Bools:
    """Return a mask of the rows to suppress so that every remaining group meets a goal, shape (n,).

    First, all rows of every group that fails the goal are suppressed. If persons have several rows
    and `whole_persons` is True, all other rows of these persons are suppressed too. Then other
    groups may fail, so both steps are repeated until nothing changes.

    For goals such as k and p, an added row never makes a group fail. For such goals, no smaller set
    of rows is possible: if persons are kept or suppressed as a whole, and every remaining group
    meets the goal, then all rows of the result are suppressed. Merging groups never increases the
    number of suppressed rows.

    groups: the classes that would be released. Its n entries are called rows here.
    whole_persons: False suppresses only the rows of failing groups, in one step.
    enough: if more than this number of rows must be suppressed, the search stops and the function
        returns the rows found so far.

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
