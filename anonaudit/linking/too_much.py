"""How many pairs of values and labels that nothing decides are looked at."""

from __future__ import annotations

from typing import Final

from anonaudit.errors import AnonauditError

# More undecided pairs of one column than this are not looked at.
MOST_UNDECIDED: Final = 20_000_000


class TooMuchError(AnonauditError):
    """A comparison would need more time or memory than it may take; the message says what."""


def check_undecided(pairs: int) -> None:
    """Raise TooMuchError if one column has more undecided pairs than MOST_UNDECIDED."""
    if pairs > MOST_UNDECIDED:
        raise TooMuchError(
            f"more than {MOST_UNDECIDED:,} pairs of values and labels of one column "
            "cannot be compared; name a hierarchy or a reading for each column"
        )
