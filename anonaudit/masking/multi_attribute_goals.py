"""Goals over several sensitive attributes at once (GCG08): L-diversity and Exponential-L.

This module decides all groups of a split together. `papers/published/gcg08.py` follows Figures 5 to
7 of the paper step by step, one group at a time. Tests check that both give the same decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

import numpy as np

from anonaudit.arrays import Bools, Floats
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import closest
from anonaudit.frequency.codes import distinct_rows
from anonaudit.masking.goals import Groups, KAnonymous, distinct_values, too_few
from anonaudit.masking.recoding import NotAchievableError
from anonaudit.models.cover import cover_bounds, disjoint_rows
from anonaudit.models.level import ParameterError, whole_number
from anonaudit.models.multi_attribute_l_diversity import MultiAttributeLDiversity, figure_7

CoverSearch = Literal["exact", "heuristic"]
SEARCHES: Final = get_args(CoverSearch)


@dataclass(frozen=True)
class MultiAttributeL:
    """L-diversity over all sensitive attributes, and at least k persons (GCG08 Definitions 6, 7).

    Deleting a sensitive value from a group deletes all rows with this value. In every group, at
    least l values must be deleted to delete all rows. An unknown cell may be any value that the
    attribute has in the group.

    l: the least number of deletions.
    k: the least number of persons in a group. If every row is a person, k counts rows.
    at_most: the limits L_i by attribute: at most L_i values of attribute i may be deleted.
    check: "exact" counts the deletions exactly, or uses a lower bound if the count would take too
        long (see `cover_bounds`). "heuristic" uses Figure 6 and, with limits, also Figure 7,
        corrected. It is faster, but rejects some groups that meet the goal.
    """

    l: int
    k: int = 1
    at_most: Mapping[str, int] = field(default_factory=dict)
    check: CoverSearch = "exact"

    def __post_init__(self) -> None:
        MultiAttributeLDiversity(self.l, at_most=self.at_most)
        whole_number("k", self.k, 1)
        if self.check not in SEARCHES:
            raise ParameterError(f"check must be {' or '.join(SEARCHES)}, not {self.check!r}")

    def met(self, groups: Groups) -> Bools:
        """Return a mask of the groups that meet the goal, shape (groups.number,).

        Fast checks come first; each slower check sees only the undecided groups.
        """
        limits = self._limits(groups.names)
        limited = any(limit is not None for limit in limits)
        met, open_ = np.zeros(groups.number, bool), groups.sizes >= self.k

        def met_if(check: Callable[[Groups], Bools]) -> None:
            if open_.any():
                met[open_] = check(groups.chosen(open_))
                open_[met] = False

        met_if(self._figure_6)
        if self.check == "heuristic":
            if limited:
                met_if(self._figure_7)
            return met
        if limited:
            met_if(self._spared)
        else:
            # Deleting all values of one attribute deletes the group, so each attribute needs
            # at least L values. An attribute without a known value deletes nothing.
            open_ &= np.all((groups.distinct >= self.l) | (groups.distinct == 0), axis=0)
        met_if(self._exact)
        return met

    def _limits(self, names: Sequence[str]) -> list[int | None]:
        """Return the limit L_i of each attribute; None for no limit."""
        for name in self.at_most:
            if name not in names:
                raise ParameterError(
                    f"at-most: {name!r} is not a sensitive attribute. {closest(name, names)}"
                )
        return [self.at_most.get(name) for name in names]

    def _figure_6(self, groups: Groups) -> Bools:
        """Return a mask of the groups with at least L rows that pairwise share no value.

        L deletions are needed to delete these rows (GCG08 Figure 6, Theorems 2, 4 and 5).
        """
        return _disjoint(groups) >= self.l

    def _figure_7(self, groups: Groups) -> Bools:
        """Return a mask of the groups that Figure 7 of GCG08 accepts.

        The groups are checked one by one, because Figure 7 adds one row after the other.
        """
        limits = [self.at_most.get(name, self.l) for name in groups.names]
        order = np.argsort(groups.of, kind="stable")
        parts = np.split(groups.cells[order], np.flatnonzero(np.diff(groups.of[order])) + 1)
        known = [part[np.all(part >= FIRST_VALUE, axis=1)] for part in parts]
        return np.array([figure_7([tuple(map(str, r)) for r in p], self.l, limits) for p in known])

    def _spared(self, groups: Groups) -> Bools:
        """Return a mask of the groups that certainly meet the goal because of a limit L_i.

        At most L_i values of attribute i may be deleted. Call a value of attribute i rich if L of
        the rows with this value pairwise share no value of any other attribute. If there are more
        than L_i rich values, at least one rich value is not deleted. To delete the rows with this
        value, L values of the other attributes must be deleted. After this check, only few groups
        are left for the integer program.
        """
        met = np.zeros(groups.number, bool)
        for j, limit in enumerate(self._limits(groups.names)):
            known = groups.cells[:, j] >= FIRST_VALUE
            if limit is None or not known.any():
                continue
            part_of, part = distinct_rows(np.column_stack([groups.of, groups.cells[:, j]])[known])
            others = np.delete(groups.cells[known], j, axis=1)
            parts = Groups(groups.names, others, part, len(part_of), groups.counts[known])
            rich = _disjoint(parts) >= self.l
            met |= np.bincount(part_of[rich, 0], minlength=groups.number) > limit
        return met

    def _exact(self, groups: Groups) -> Bools:
        """Return a mask of the groups whose cover number is certainly at least L.

        The cover number is the least number of deletions that delete all rows of a group
        (Definitions 6 and 7). If it takes too long to compute, a lower bound decides.
        """
        rows = groups.of, groups.cells, groups.number
        low, _ = cover_bounds(*rows, self._limits(groups.names), filled=True, enough=self.l)
        reached: Bools = low >= self.l  # False for NaN: a group without known values
        return reached

    def shortfall(self, whole: Groups) -> NotAchievableError:
        """Return the error that the whole table has too few values or rows, or is undecided."""
        if whole.sizes[0] < self.k:
            return KAnonymous(self.k).shortfall(whole)
        limits = self._limits(whole.names)
        (low,), (high,) = cover_bounds(whole.of, whole.cells, 1, limits, filled=True)
        if low < self.l <= high:
            message = (
                f"it is undecided whether L = {self.l} can be reached: the table has too many "
                "distinct combinations of sensitive values for an exact count. "
                f"L = {int(low)} can be reached"
            )
            return NotAchievableError(message, reason="undecided", nearest={"l": int(low)})
        if high >= self.l:
            message = f"the table meets L = {self.l}, but the heuristic check fails; check exactly"
            return NotAchievableError(message, reason="heuristic", nearest={"check": "exact"})
        return too_few("L", self.l, int(high) if high >= 1 else 0)


@dataclass(frozen=True)
class ExponentialL:
    """Exponential-L diversity, and at least k persons, in every group.

    If every row is a person, k counts rows. The rule for each sensitive attribute: among the rows
    of a group that are equal on all other sensitive attributes, the attribute must have at least l
    different values. This is the L-diversity of Machanavajjhala for several attributes, as GCG08
    section 3.2 reads it. If each of several groups meets the goal, their union may still fail it.
    """

    l: int
    k: int = 1

    def __post_init__(self) -> None:
        whole_number("l", self.l, 1)
        whole_number("k", self.k, 1)

    def met(self, groups: Groups) -> Bools:
        """Return a mask of the groups that meet the goal, shape (groups.number,)."""
        met = groups.sizes >= self.k
        for j in range(len(groups.names)):
            others = np.delete(groups.cells, j, axis=1)
            parts, part = distinct_rows(np.column_stack([groups.of, others]))
            values = distinct_values(part, groups.cells[:, j], len(parts))
            met[parts[values < self.l, 0]] = False
        return met

    def shortfall(self, whole: Groups) -> NotAchievableError:
        """Return the error that the whole table as one group fails the goal.

        A part of the table may still meet the goal.
        """
        if whole.sizes[0] < self.k:
            return KAnonymous(self.k).shortfall(whole)
        message = (
            f"the whole table as one group is not Exponential-L diverse for L = {self.l}: some "
            "rows that are equal on all sensitive attributes but one have fewer different values "
            "of that one"
        )
        return NotAchievableError(message, reason="l")


def _disjoint(groups: Groups) -> Floats:
    """Return the number of rows in each group that pairwise share no value (GCG08 Figure 6).

    The rows are chosen greedily, so a larger set may exist.
    """
    return disjoint_rows(groups.of, groups.cells, groups.counts, groups.number)
