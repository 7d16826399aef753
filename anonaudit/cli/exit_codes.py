"""How a command ends: its exit codes, and what each of them means."""

from __future__ import annotations

import enum
from typing import Final

from anonaudit.findings import Outcome


class ExitCode(enum.IntEnum):
    """The exit codes of every command. They are a contract (docs/versioning.md)."""

    HOLDS = 0  # every requirement holds, or nothing was required
    VIOLATED = 1  # a requirement is violated, or a release that was asked for cannot be made
    NO_AUDIT = 2  # bad input, a bad policy, or something required that could not be decided
    INTERNAL = 3  # a fault of anonaudit itself
    INTERRUPTED = 130  # Ctrl-C


# An audit that decides nothing ends like one that could not run: neither is a pass.
OF_OUTCOME: Final = {
    Outcome.HOLDS: ExitCode.HOLDS,
    Outcome.MEASURED: ExitCode.HOLDS,
    Outcome.VIOLATED: ExitCode.VIOLATED,
    Outcome.INCONCLUSIVE: ExitCode.NO_AUDIT,
}
