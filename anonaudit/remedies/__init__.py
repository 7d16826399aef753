"""Find remedies for a release that breaks its policy: change the release and audit it again."""

from __future__ import annotations

from anonaudit.remedies.search import MOST_ROWS, TriedOut, remedies, tried_out
from anonaudit.remedies.taking import NoRemedyError, Remedied, take

__all__ = ["MOST_ROWS", "NoRemedyError", "Remedied", "TriedOut", "remedies", "take", "tried_out"]
