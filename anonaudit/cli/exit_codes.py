"""The exit codes of the commands."""

from __future__ import annotations

import enum
from typing import Final

from anonaudit.findings import Outcome


class ExitCode(enum.IntEnum):
    """The exit codes of every command. They are a contract (docs/versioning.md)."""

    HOLDS = 0  # every requirement holds, or nothing was required
    # A requirement is violated, nothing was written, a claim is refuted, or a report got worse.
    VIOLATED = 1
    # Wrong arguments, bad input or policy, too little memory, or a requirement is undecided.
    NO_AUDIT = 2
    INTERNAL = 3  # an error inside anonaudit
    INTERRUPTED = 130  # Ctrl-C; for other signals 128 plus the signal number, see signals.py


# The exit code of each outcome of an audit. Inconclusive exits with 2, like an audit that could not
# run.
OF_OUTCOME: Final = {
    Outcome.HOLDS: ExitCode.HOLDS,
    Outcome.MEASURED: ExitCode.HOLDS,
    Outcome.VIOLATED: ExitCode.VIOLATED,
    Outcome.INCONCLUSIVE: ExitCode.NO_AUDIT,
}
