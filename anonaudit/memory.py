"""Whether the table of combinations, which Python holds, fits into memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from anonaudit.errors import InputError

# Measured at the peak of an audit, per combination and column: 86 bytes where every row is a
# combination of its own, less elsewhere. A little less is asked for, so as to refuse nothing that
# would have gone well.
BYTES_A_CELL: Final = 64
_MEMINFO: Final = Path("/proc/meminfo")
_OF_THE_CONTAINER: Final = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


class TooManyCombinationsError(InputError):
    """More combinations of values than there is memory for. needed: bytes, about."""

    def __init__(self, combinations: int, columns: int, needed: int) -> None:
        self.combinations, self.columns, self.needed = combinations, columns, needed
        super().__init__(
            f"its {columns} named columns have {combinations:,} different combinations of values, "
            f"and to work on them takes about {needed / 1e9:.1f} GB of memory, more than there is"
        )


def check_combinations(number: int, columns: int) -> None:
    """Refuse what the memory that is left cannot hold, before the machine ends the process.

    Raises TooManyCombinationsError.
    """
    needed, left = number * columns * BYTES_A_CELL, available()
    if left is not None and needed > left:
        raise TooManyCombinationsError(number, columns, needed)


def available() -> int | None:
    """The bytes of memory that are left to this process; None where the system does not tell."""
    return min(_limits(), default=None)


def _limits() -> Iterator[int]:
    try:
        for line in _MEMINFO.read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                yield int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    for path in _OF_THE_CONTAINER:
        try:
            yield int(path.read_text("ascii"))
        except (OSError, ValueError):  # not there, or "max"
            continue
