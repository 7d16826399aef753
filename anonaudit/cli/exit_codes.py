"""How a command ends: its exit codes, and what each of them means."""

from __future__ import annotations

import enum
from typing import Final

from anonaudit.findings import Outcome


class ExitCode(enum.IntEnum):
    """The exit codes of every command. They are a contract (docs/versioning.md)."""

    HOLDS = 0  # every requirement holds, or nothing was required
    # The answer is no: a requirement violated, nothing written, a claim refuted, a report worse.
    VIOLATED = 1
    # No answer: wrong arguments, bad input or policy, too little memory, or undecided.
    NO_AUDIT = 2
    INTERNAL = 3  # a fault of anonaudit itself
    INTERRUPTED = 130  # Ctrl-C; other signals end with 128 and their number, see signals.py


# Inconclusive exits with 2, like an audit that could not run.
OF_OUTCOME: Final = {
    Outcome.HOLDS: ExitCode.HOLDS,
    Outcome.MEASURED: ExitCode.HOLDS,
    Outcome.VIOLATED: ExitCode.VIOLATED,
    Outcome.INCONCLUSIVE: ExitCode.NO_AUDIT,
}
