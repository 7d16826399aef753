"""The input of a masking algorithm (`Task`) and the description of an algorithm (`Algorithm`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from anonaudit.masking.aims import Aim
from anonaudit.masking.goals import Every, Goal, Groups, KAnonymous, PSensitive, Unshared
from anonaudit.masking.recoding import Microdata, Recoding
from anonaudit.models.boundaries import Boundaries
from anonaudit.models.level import whole_number


@dataclass(frozen=True)
class Task:
    """A table to mask, the goals, and the limits of suppression and generalization.

    data: the rows.
    aim: the goals.
    boundaries: the maximum allowed generalization values.
    threshold: the largest number of rows that may be suppressed. None leaves the limit to the
        algorithm.
    seed: the seed that draws the row from which k-member and GreedyCKA start.

    The seed is not a secret. An adversary who knows the seed and everybody's quasi-identifiers can
    run the algorithm again and learn each person's class. The models already assume such an
    adversary: k and p are counted within each class, so they also protect against somebody who
    knows the class. An adversary may also infer sensitive values from the choices of the algorithm.
    The attack algorithm-aware measures this, and needs no seed. Neither suppression nor the order
    of the released rows depends on the seed.
    """

    data: Microdata
    aim: Aim
    boundaries: Boundaries
    threshold: int | None
    seed: int

    def __post_init__(self) -> None:
        whole_number("threshold", self.threshold, 0)

    @property
    def goal(self) -> Goal:
        """All goals as one goal, for maskers that take a single goal."""
        sensitive = PSensitive(self.aim.p, self.aim.k) if self.aim.p > 1 else KAnonymous(self.aim.k)
        return Every((sensitive, *([self.more] if self.more else [])))

    @cached_property
    def more(self) -> Goal | None:
        """The goals beyond k and p, as one goal; None if there are none.

        If persons have several rows, a class with p different values may still have one value that
        all its persons share. So if p is above 1 and the whole table meets `Unshared`, the goal
        `Unshared` is added.
        """
        goals: tuple[Goal, ...] = self.aim.more
        if self.data.persons is not None and self.aim.p > 1:
            goals += (Unshared(),) if Unshared().met(Groups.whole(self.data)).all() else ()
        return Every(goals) if goals else None


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """A masking algorithm and the facts that decide whether it suits a policy.

    name: the name on the command line and in reports.
    run: masks the table of a task, or raises NotAchievableError.
    lacks: the kinds of goals that the algorithm cannot aim at: GOALS, PROTECTED or BOUNDARIES of
        `aims.py`.
    bytes_a_cell: the measured peak of memory in bytes, divided by rows times columns; see
        `check_memory`.
    every_hierarchy: True if the algorithm needs a hierarchy for every quasi-identifier.
    """

    name: str
    run: Callable[[Task], Recoding]
    lacks: frozenset[str]
    bytes_a_cell: int
    every_hierarchy: bool = False
