"""The masking algorithms by name, and which of them a policy gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from anonaudit.errors import InputError, listed
from anonaudit.masking import greedy_cka, k_member, lattice, mondrian
from anonaudit.masking.aims import Aim
from anonaudit.masking.recoding import Microdata, NotAchievableError, Recoding
from anonaudit.masking.task import Algorithm, Task
from anonaudit.source.memory import amount, available

# In this order: a policy that names none gets the first that knows what it requires.
ALGORITHMS: Final[Mapping[str, Algorithm]] = {
    file.ALGORITHM.name: file.ALGORITHM for file in (lattice, mondrian, greedy_cka, k_member)
}
# No masker: the original's columns as they are, to compare with.
UNMASKED: Final = "unmasked"


def unmasked(task: Task) -> Recoding:
    """No masker: the table as it is, as what the maskers make is told."""
    return lattice.recode(task.data, (0,) * len(task.data.roles.quasi_identifiers), k=1)


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
