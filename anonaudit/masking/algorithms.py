"""The registry of masking algorithms, and the choice of the algorithm for a policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from anonaudit.errors import InputError, listed
from anonaudit.masking import greedy_cka, k_member, lattice, mondrian
from anonaudit.masking.aims import Aim
from anonaudit.masking.recoding import Microdata, NotAchievableError, Recoding
from anonaudit.masking.task import Algorithm, Task
from anonaudit.source.memory import amount, available

# The order matters: `algorithm_for` chooses the first algorithm that can aim at all goals.
ALGORITHMS: Final[Mapping[str, Algorithm]] = {
    file.ALGORITHM.name: file.ALGORITHM for file in (lattice, mondrian, greedy_cka, k_member)
}
# The name of the unmasked table, which is compared with the masked releases.
UNMASKED: Final = "unmasked"


def unmasked(task: Task) -> Recoding:
    """Return a recoding that changes nothing, for comparison with the masked releases."""
    return lattice.recode(task.data, (0,) * len(task.data.roles.quasi_identifiers), k=1)


def check_memory(algorithm: str, data: Microdata) -> None:
    """Raise NotAchievableError (reason "memory") if a table needs more memory than is available.

    The estimate is rows times columns times `Algorithm.bytes_a_cell`. If the available memory is
    unknown, the function raises nothing.
    """
    columns = len(data.attributes) + (data.persons is not None)
    needed, left = len(data) * columns * ALGORITHMS[algorithm].bytes_a_cell, available()
    if left is not None and needed > left:
        raise NotAchievableError(
            f"{algorithm} needs about {amount(needed)} of memory for {len(data):,} rows of "
            f"{columns} columns, but only {amount(left)} is available; mask the table in parts, or "
            "use a machine with more memory",
            reason="memory",
        )


def algorithm_for(aim: Aim, data: Microdata) -> str:
    """Return the name of the first algorithm that can aim at everything in `aim`.

    Raises InputError if no algorithm can aim at everything.
    """
    trees = all(name in data.hierarchies for name in data.roles.quasi_identifiers)
    for name, algorithm in ALGORITHMS.items():
        if not lacking(name, aim) and (trees or not algorithm.every_hierarchy):
            return name
    raise InputError(
        f"no algorithm can aim at all of: {listed(sorted(aim.beyond))}"
        + ("" if trees else "; give every quasi-identifier a hierarchy to allow more algorithms")
    )


def lacking(algorithm: str, aim: Aim) -> list[str]:
    """Return the kinds of goals in `aim` that an algorithm cannot aim at."""
    return sorted(ALGORITHMS[algorithm].lacks & aim.beyond)
