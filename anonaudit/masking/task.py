"""What a masking algorithm is given, and what each says of itself beside its function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from anonaudit.masking.aims import Aim
from anonaudit.masking.goals import Every, Goal, Groups, KAnonymous, PSensitive, Unshared
from anonaudit.masking.recoding import Microdata, Recoding
from anonaudit.models.boundaries import Boundaries


@dataclass(frozen=True)
class Task:
    """A table to mask: its rows, what to aim at, and what may be lost.

    seed: of the first row that k-member and GreedyCKA start from. It is no secret. Whoever knows it
    and the quasi-identifiers of everybody can run the algorithm again and learn which class is
    whose. The models grant this already: k and p are counted in each class by itself, so that they
    hold against an adversary who knows the class. What an algorithm betrays by stopping where it
    did is the attack algorithm-aware, with or without a seed. Nothing that is suppressed, and no
    order of rows, depends on it.
    """

    data: Microdata
    aim: Aim
    boundaries: Boundaries
    threshold: int | None
    seed: int

    @property
    def goal(self) -> Goal:
        """Everything aimed at, for maskers that take one goal."""
        sensitive = PSensitive(self.aim.p, self.aim.k) if self.aim.p > 1 else KAnonymous(self.aim.k)
        return Every((sensitive, *([self.more] if self.more else [])))

    @cached_property
    def more(self) -> Goal | None:
        """What is aimed at beyond k and p.

        Where persons have several rows, p values do not keep all persons of a class from having
        one of them. So that is an aim too, if p is above 1 and the whole table can have it.
        """
        goals: tuple[Goal, ...] = self.aim.more
        if self.data.persons is not None and self.aim.p > 1:
            goals += (Unshared(),) if Unshared().met(Groups.whole(self.data)).all() else ()
        return Every(goals) if goals else None


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """A masker, and what must be known of it to choose it; it stands in the file of the masker.

    name: on the command line and in reports. run: makes a release, or raises NotAchievableError.
    lacks: what of an aim it does not know (see `aims`). every_hierarchy: it needs one of every
    quasi-identifier. bytes_a_cell: of memory at its peak, for each row and column, as measured; see
    `check_memory`.
    """

    name: str
    run: Callable[[Task], Recoding]
    lacks: frozenset[str]
    bytes_a_cell: int
    every_hierarchy: bool = False
