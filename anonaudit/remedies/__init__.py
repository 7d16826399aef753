"""What would mend a release that falls short, tried out: each remedy is made and audited again."""

from __future__ import annotations

from anonaudit.remedies.search import MOST_ROWS, TriedOut, remedies, tried_out

__all__ = ["MOST_ROWS", "TriedOut", "remedies", "tried_out"]
