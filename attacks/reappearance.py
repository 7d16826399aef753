"""Reappearance: count people who are unique in the original and the only match of their row.

Source: NIST's Collaborative Research Cycle (unique exact matches, "apparent match distribution").
Here a generalized or suppressed cell matches every value that it may denote.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anonaudit.attack import Setting
from anonaudit.details import Reappearance
from anonaudit.linking.alignment import Alignment
from anonaudit.linking.matching import Candidates
from attacks.shared import link


def reappearance(setting: Setting, alignment: Alignment) -> Reappearance:
    """Count the people who reappear.

    Parameters
    ----------
    setting
        States how labels are read.
    alignment
        The released rows, paired with those of the original.

    Returns
    -------
    The number of unique people, how many of them reappear, and how many more may.

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
        """Return which rows match their own person, and how many other people each row matches."""
        fitting = np.bincount(pairs.key, people.counts[pairs.person], len(released))
        itself = np.isin(own, pairs.person * len(released) + pairs.key)
        return itself, fitting.astype(np.int64)[row] - itself * people.counts[person]

    (sure, others), (may, at_most) = matched(links.sure), matched(links.widest)
    alone, maybe = unique[person] & sure & (at_most == 0), unique[person] & may & (others == 0)
    lower, upper = (int(alignment.count[chosen].sum()) for chosen in (alone, maybe))
    return Reappearance(unique=int(unique.sum()), alone=lower, maybe=upper - lower)
