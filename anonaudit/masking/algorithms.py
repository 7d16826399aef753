"""The masking algorithms by name, each a function of one task, and which of them a policy gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from anonaudit.errors import InputError, listed
from anonaudit.masking.aims import BOUNDARIES, GOALS, PROTECTED, Aim
from anonaudit.masking.goals import Every, Goal, Groups, KAnonymous, PSensitive, Unshared
from anonaudit.masking.greedy_cka import greedy_cka
from anonaudit.masking.k_member import k_member
from anonaudit.masking.lattice import k_minimal, p_k_minimal, recode
from anonaudit.masking.mondrian import mondrian
from anonaudit.masking.recoding import Microdata, NotAchievableError, Recoding
from anonaudit.models.boundaries import Boundaries
from anonaudit.source.memory import amount, available


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


def _full_domain(task: Task) -> Recoding:
    aim, boundaries = task.aim, task.boundaries if task.aim.bounded else None
    if aim.p == 1 and aim.protected is None:  # k alone, whatever is known of sensitive values
        return k_minimal(task.data, k=aim.k, threshold=task.threshold or 0, boundaries=boundaries)
    return p_k_minimal(
        task.data,
        p=aim.p,
        k=aim.k,
        threshold=task.threshold or 0,
        protected=aim.protected,
        boundaries=boundaries,
    )


def _greedy_cka(task: Task) -> Recoding:
    return greedy_cka(
        task.data,
        k=task.aim.k,
        p=task.aim.p,
        goal=task.more,
        boundaries=task.boundaries,
        most_suppressed=task.threshold,
        seed=task.seed,
    )


def _k_member(task: Task) -> Recoding:
    return k_member(task.data, k=task.aim.k, p=task.aim.p, goal=task.more, seed=task.seed)


def _mondrian(task: Task) -> Recoding:
    return mondrian(task.data, task.goal)


def unmasked(task: Task) -> Recoding:
    """No masker: the table as it is, as what the maskers make is told."""
    return recode(task.data, (0,) * len(task.data.roles.quasi_identifiers), k=1)


@dataclass(frozen=True)
class Algorithm:
    """A masker, and what must be known of it to choose it.

    lacks: what of an aim it does not know. every_hierarchy: it needs one of every quasi-identifier.
    bytes_a_cell: of memory at its peak, for each row and column, as measured; see `check_memory`.
    """

    run: Callable[[Task], Recoding]
    lacks: frozenset[str]
    bytes_a_cell: int
    every_hierarchy: bool = False


ALGORITHMS: Final[Mapping[str, Algorithm]] = {
    "full-domain": Algorithm(_full_domain, frozenset({GOALS}), 110, every_hierarchy=True),
    "mondrian": Algorithm(_mondrian, frozenset({PROTECTED, BOUNDARIES}), 110),
    "greedy-cka": Algorithm(_greedy_cka, frozenset({PROTECTED}), 150),
    "k-member": Algorithm(_k_member, frozenset({PROTECTED, BOUNDARIES}), 150),
}
# No masker: the original's columns as they are, to compare with.
UNMASKED: Final = "unmasked"


def check_memory(algorithm: str, data: Microdata) -> None:
    """Refuse a table that needs more memory than is left, before the machine ends the process.

    Memory grows with rows times columns. Where nobody tells what is left, nothing is refused.

    Raises NotAchievableError, reason "memory".
    """
    columns = len(data.attributes) + (data.persons is not None)
    needed, left = len(data) * columns * ALGORITHMS[algorithm].bytes_a_cell, available()
    if left is not None and needed > left:
        raise NotAchievableError(
            f"{algorithm} on {len(data):,} rows of {columns} columns takes about "
            f"{amount(needed)} of memory, and {amount(left)} is left; memory grows with the number "
            "of rows: mask parts of the table one by one, or on a machine with more memory",
            reason="memory",
        )


def algorithm_for(aim: Aim, data: Microdata) -> str:
    """The masker a policy gets if none is named: the first that knows all of its aims.

    Raises InputError if none does.
    """
    trees = all(name in data.hierarchies for name in data.roles.quasi_identifiers)
    for name, algorithm in ALGORITHMS.items():
        if not lacking(name, aim) and (trees or not algorithm.every_hierarchy):
            return name
    raise InputError(
        f"no algorithm masks for {listed(sorted(aim.beyond))} together"
        + ("" if trees else ", unless every quasi-identifier has a hierarchy")
    )


def lacking(algorithm: str, aim: Aim) -> list[str]:
    """What of an aim an algorithm does not know."""
    return sorted(ALGORITHMS[algorithm].lacks & aim.beyond)
