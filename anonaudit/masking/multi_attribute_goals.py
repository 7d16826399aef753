"""Goals over several sensitive attributes at once (GCG08): their L-diversity, and Exponential-L.

All groups of a split are decided together here. To read Figures 5 to 7 beside the paper, one group
at a time, see `papers/published/gcg08.py`; by test, both decide the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from anonaudit.arrays import Bools, Floats
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import closest
from anonaudit.frequency.codes import distinct_rows
from anonaudit.masking.goals import Groups, KAnonymous, distinct_values, too_few
from anonaudit.masking.recoding import NotAchievableError
from anonaudit.models.cover import cover_bounds, disjoint_rows
from anonaudit.models.level import ParameterError, whole_number
from anonaudit.models.multi_attribute_l_diversity import figure_7

CoverSearch = Literal["exact", "heuristic"]


@dataclass(frozen=True)
class MultiAttributeL:
    """L-diversity over all sensitive attributes, and k rows (GCG08 Definitions 6 and 7).

    An unknown cell may be any value that the group has of the attribute.

    at_most: the limits L_i by attribute. check: "exact"; or "heuristic", Figure 6, and with
    limits Figure 7 corrected, both of which say no to some groups that meet the goal.
    """

    l: int
    k: int = 1
    at_most: Mapping[str, int] = field(default_factory=dict)
    check: CoverSearch = "exact"

    def __post_init__(self) -> None:
        whole_number("l", self.l, 1)
        whole_number("k", self.k, 1)

    def met(self, groups: Groups) -> Bools:
        """Each check settles some groups. The next one takes longer and sees only the others."""
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
            # All values of one attribute delete a group in which it is known at all.
            open_ &= np.all((groups.distinct >= self.l) | (groups.distinct == 0), axis=0)
        met_if(self._exact)
        return met

    def _limits(self, names: Sequence[str]) -> list[int | None]:
        """L_i of each attribute, None for no limit."""
        for name in self.at_most:
            if name not in names:
                raise ParameterError(f"at-most: {name!r}. {closest(name, names)}")
        return [self.at_most.get(name) for name in names]

    def _figure_6(self, groups: Groups) -> Bools:
        """L rows without a common value need L deletions (GCG08 Figure 6, Theorems 2, 4, 5)."""
        return _disjoint(groups) >= self.l

    def _figure_7(self, groups: Groups) -> Bools:
        """GCG08 Figure 7, group by group, as it adds one row after the other."""
        limits = [self.at_most.get(name, self.l) for name in groups.names]
        order = np.argsort(groups.of, kind="stable")
        parts = np.split(groups.cells[order], np.flatnonzero(np.diff(groups.of[order])) + 1)
        known = [part[np.all(part >= FIRST_VALUE, axis=1)] for part in parts]
        return np.array([figure_7([tuple(map(str, r)) for r in p], self.l, limits) for p in known])

    def _spared(self, groups: Groups) -> Bools:
        """A bound for limited attributes, so that few groups need an integer program.

        Where more than L_i values of attribute i are left than may be deleted, one is spared; if
        its rows alone include L without a common value elsewhere, L deletions are needed.
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
        """The cover number itself (Definitions 6 and 7), as far as it can be counted."""
        rows = groups.of, groups.cells, groups.number
        low, _ = cover_bounds(*rows, self._limits(groups.names), filled=True, enough=self.l)
        reached: Bools = low >= self.l  # NaN, no known value, is no
        return reached

    def shortfall(self, whole: Groups) -> NotAchievableError:
        """The whole table has too few values, or too few rows."""
        if whole.sizes[0] < self.k:
            return KAnonymous(self.k).shortfall(whole)
        limits = self._limits(whole.names)
        (low,), (high,) = cover_bounds(whole.of, whole.cells, 1, limits, filled=True)
        if low < self.l <= high:
            message = (
                f"whether L = {self.l} can be reached is undecided: the table has too many "
                f"different sensitive rows for an exact count. L = {int(low)} can be"
            )
            return NotAchievableError(message, reason="undecided", nearest={"l": int(low)})
        if high >= self.l:
            message = f"L = {self.l} is met, but the heuristic does not find that; check exactly"
            return NotAchievableError(message, reason="heuristic", nearest={"check": "exact"})
        return too_few("L", self.l, int(high) if high >= 1 else 0)


@dataclass(frozen=True)
class ExponentialL:
    """l values of each attribute among the rows equal on all other sensitive attributes, k rows.

    Machanavajjhala's L-diversity for several attributes, as GCG08 section 3.2 reads it. Unlike
    the other goals it may fail for a union of groups that meet it.
    """

    l: int
    k: int = 1

    def __post_init__(self) -> None:
        whole_number("l", self.l, 1)
        whole_number("k", self.k, 1)

    def met(self, groups: Groups) -> Bools:
        """By the numbers of values in every part of a group."""
        met = groups.sizes >= self.k
        for j in range(len(groups.names)):
            others = np.delete(groups.cells, j, axis=1)
            parts, part = distinct_rows(np.column_stack([groups.of, others]))
            values = distinct_values(part, groups.cells[:, j], len(parts))
            met[parts[values < self.l, 0]] = False
        return met

    def shortfall(self, whole: Groups) -> NotAchievableError:
        """The whole table does not meet it; a part of it might."""
        if whole.sizes[0] < self.k:
            return KAnonymous(self.k).shortfall(whole)
        message = f"the whole table as one group is not {self.l}-diverse in each attribute, the "
        return NotAchievableError(message + "others being equal (Exponential-L)", reason="l")


def _disjoint(groups: Groups) -> Floats:
    """How many rows without a common value each group has (GCG08 Figure 6)."""
    return disjoint_rows(groups.of, groups.cells, groups.counts, groups.number)
