"""The limit on the number of undecided pairs of values and labels."""

from __future__ import annotations

from typing import Final

from anonaudit.errors import AnonauditError

# The largest number of undecided pairs of one column that is processed.
MOST_UNDECIDED: Final = 20_000_000


class TooMuchError(AnonauditError):
    """A comparison would need too much time or memory."""


def check_undecided(pairs: int) -> None:
    """Raise TooMuchError if one column has more undecided pairs than MOST_UNDECIDED."""
    if pairs > MOST_UNDECIDED:
        raise TooMuchError(
            f"more than {MOST_UNDECIDED:,} pairs of values and labels of one column are undecided; "
            "name a hierarchy or a reading for each column"
        )
