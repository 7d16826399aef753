"""Reappearance: count unique people of the original whose released row matches nobody else.

A person is unique if no other row of the original has the same quasi-identifiers. A generalized or
suppressed cell matches every value that it may denote.

Source: NIST's Collaborative Research Cycle (unique exact matches, "apparent match distribution").
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anonaudit.attack import Setting
from anonaudit.linking.alignment import Alignment
from anonaudit.linking.matching import Candidates
from anonaudit.special_details import Reappearance
from attacks.shared import link


def reappearance(setting: Setting, alignment: Alignment) -> Reappearance:
    """Count the people who reappear: unique people whose released row matches nobody else.

    Parameters
    ----------
    setting
        States how labels are read.
    alignment
        The released rows, paired with those of the original.

    Returns
    -------
    The number of unique people, how many of them reappear, and how many more may reappear.

    Raises
    ------
    TooMuchError
        If too many pairs of people and rows match.
    """
    quasi = alignment.quasi_identifiers
    people, released = alignment.original.project(quasi), alignment.released.project(quasi)
    links = link(setting, people, released)
    person = people.entry_of(alignment.original)[alignment.old]
    row = released.entry_of(alignment.released)[alignment.new]
    own = person * len(released) + row
    unique = people.counts == 1

    def matched(pairs: Candidates) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
        """Return two arrays over the pairs of rows in `alignment`.

        The first is True if the released row matches its own person. The second is how many other
        people the released row matches.
        """
        fitting = np.bincount(pairs.key, people.counts[pairs.person], len(released))
        itself = np.isin(own, pairs.person * len(released) + pairs.key)
        return itself, fitting.astype(np.int64)[row] - itself * people.counts[person]

    (sure, others), (may, at_most) = matched(links.sure), matched(links.widest)
    alone, maybe = unique[person] & sure & (at_most == 0), unique[person] & may & (others == 0)
    lower, upper = (int(alignment.count[chosen].sum()) for chosen in (alone, maybe))
    return Reappearance(unique=int(unique.sum()), alone=lower, maybe=upper - lower)
