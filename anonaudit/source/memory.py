"""Check that the different combinations of cells fit into memory. Python holds all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from anonaudit.errors import InputError

# Bytes per combination and column. The peak of an audit was measured at 86 bytes if every row is a
# different combination, and less otherwise. A smaller number is used so that no audit is refused
# that would have succeeded.
BYTES_A_CELL: Final = 64
_MEMINFO: Final = Path("/proc/meminfo")
# For containers (cgroup v2 and v1): folder, file of the limit, file of the memory in use, and the
# entry of memory.stat with the cache, which the kernel frees when needed.
_CONTAINERS: Final = (
    (Path("/sys/fs/cgroup"), "memory.max", "memory.current", "inactive_file"),
    (
        Path("/sys/fs/cgroup/memory"),
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        "total_inactive_file",
    ),
)


class TooManyCombinationsError(InputError):
    """The different combinations of cells do not fit into memory.

    combinations: number of combinations. columns: number of columns of a combination. needed:
    estimate of their memory, in bytes. source: name of the table; empty if it is not known yet.
    """

    def __init__(self, combinations: int, columns: int, needed: int, source: str = "") -> None:
        self.combinations, self.columns, self.needed = combinations, columns, needed
        message = (
            f"{combinations:,} different combinations of cells in {columns} "
            f"column{'s' * (columns != 1)} need about {amount(needed)} of memory, more than is "
            "left; generalize first, or name fewer columns"
        )
        super().__init__(f"{source}: {message}" if source else message)

    def of(self, source: str) -> TooManyCombinationsError:
        """Return the same error with the name of the table in its message."""
        return TooManyCombinationsError(self.combinations, self.columns, self.needed, source)


def amount(size: int) -> str:
    """Write a number of bytes as in `1.2 GB`."""
    unit, name = next(((u, n) for u, n in ((1e9, "GB"), (1e6, "MB")) if size >= u), (1e3, "kB"))
    return f"{size / unit:.1f} {name}"


def check_combinations(number: int, columns: int) -> None:
    """Raise TooManyCombinationsError if the combinations do not fit into the memory that is left.

    Without this check, the operating system might kill the process.

    number: number of combinations. columns: number of columns of a combination.
    """
    needed, left = number * columns * BYTES_A_CELL, available()
    if left is not None and needed > left:
        raise TooManyCombinationsError(number, columns, needed)


def parts_needed(number: int, columns: int) -> int:
    """Return the number of parts in which to process `number` combinations.

    A part of average size takes at most a quarter of the memory left. Another quarter is for the
    engine, which holds all combinations at the same time. The number is 1 if the memory left is
    unknown. It is never greater than the number of combinations.

    columns: number of columns of a combination.
    """
    left = available()
    needed = number * columns * BYTES_A_CELL
    return 1 if left is None else min(max(number, 1), -(-4 * needed // max(left, 1)))


def available() -> int | None:
    """Return the memory left on the machine or in its container, in bytes; None if unknown."""
    left = min(_left(), default=None)
    return None if left is None else max(left, 0)  # a container may be over its limit


def _left() -> Iterator[int]:
    """Yield the memory left according to each readable file of the system, in bytes."""
    if (left := _figure(_MEMINFO, "MemAvailable:")) is not None:
        yield left * 1024
    for folder, limit, used, cache in _CONTAINERS:
        most, now = _figure(folder / limit), _figure(folder / used)
        if most is not None and now is not None:
            yield most - now + (_figure(folder / "memory.stat", cache) or 0)


def _figure(path: Path, name: str = "") -> int | None:
    """Return the number after `name` in a system file; None if there is none.

    If `name` is empty, return the first word of the file as a number.
    """
    try:
        words = path.read_text("ascii").split()
        return int(words[words.index(name) + 1 if name else 0])
    except (OSError, ValueError, IndexError):  # no such file, no limit ("max"), or no such entry
        return None
