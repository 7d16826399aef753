"""Whether the table of combinations, which Python holds, fits into the memory that is left."""

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
# Of a container: its limit, what is used of that, and what of this is a cache that gives way.
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
    """More different combinations of cells than there is memory for. needed: bytes, about."""

    def __init__(self, combinations: int, columns: int, needed: int, source: str = "") -> None:
        self.combinations, self.columns, self.needed = combinations, columns, needed
        message = (
            f"{combinations:,} different combinations of cells in {columns} columns take about "
            f"{amount(needed)} of memory to work on, more than is left; generalize first, or "
            "name fewer columns"
        )
        super().__init__(f"{source}: {message}" if source else message)

    def of(self, source: str) -> TooManyCombinationsError:
        """The same error of a table with a name."""
        return TooManyCombinationsError(self.combinations, self.columns, self.needed, source)


def amount(size: int) -> str:
    """A number of bytes in words, as in 1.2 GB."""
    unit, name = next(((u, n) for u, n in ((1e9, "GB"), (1e6, "MB")) if size >= u), (1e3, "kB"))
    return f"{size / unit:.1f} {name}"


def check_combinations(number: int, columns: int) -> None:
    """Refuse what the memory that is left cannot hold, before the machine ends the process.

    Raises TooManyCombinationsError.
    """
    needed, left = number * columns * BYTES_A_CELL, available()
    if left is not None and needed > left:
        raise TooManyCombinationsError(number, columns, needed)


def parts_needed(number: int, columns: int) -> int:
    """In how many parts to work on so many combinations, each with a quarter of what is left.

    The engine, which holds them all meanwhile, may grow into another quarter. One where nobody
    tells what is left, and never more parts than combinations.
    """
    left = available()
    needed = number * columns * BYTES_A_CELL
    return 1 if left is None else min(max(number, 1), -(-4 * needed // max(left, 1)))


def available() -> int | None:
    """The bytes that the machine and its container have left; None where neither tells."""
    left = min(_left(), default=None)
    return None if left is None else max(left, 0)  # a container may be over its limit


def _left() -> Iterator[int]:
    if (left := _figure(_MEMINFO, "MemAvailable:")) is not None:
        yield left * 1024
    for folder, limit, used, cache in _CONTAINERS:
        most, now = _figure(folder / limit), _figure(folder / used)
        if most is not None and now is not None:
            yield most - now + (_figure(folder / "memory.stat", cache) or 0)


def _figure(path: Path, name: str = "") -> int | None:
    """The number behind a name in a file of the system; the file's only one without a name."""
    try:
        words = path.read_text("ascii").split()
        return int(words[words.index(name) + 1 if name else 0])
    except (OSError, ValueError, IndexError):  # not there, no number ("max"), no such line
        return None
