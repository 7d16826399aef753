"""The claims of the papers. Each has a statement, a verdict and, if possible, a check.

`CLAIMS` is the list of all claims, and `recheck` repeats the check of a claim. `anonaudit claims`
prints the list, and docs/claims.md is generated from it.
"""

from __future__ import annotations

from anonaudit.papers.claims import attack_bounds, ct06, gcg08, mct08, tv06, z07
from anonaudit.papers.claims.ledger import (
    Cases,
    Claim,
    Ledger,
    Rechecked,
    RefutedError,
    Verdict,
    claim_among,
    recheck,
    recheck_all,
)

LEDGERS: tuple[Ledger, ...] = (
    tv06.TV06,
    ct06.CT06,
    mct08.MCT08,
    z07.Z07,
    gcg08.GCG08,
    attack_bounds.BOUNDS,
)
CLAIMS: tuple[Claim, ...] = tuple(claim for ledger in LEDGERS for claim in ledger.claims)


def claim_named(wanted: str) -> Claim:
    """Return a claim by its id. Raises AnonauditError, with the closest ids, for an unknown id."""
    return claim_among(CLAIMS, wanted)


__all__ = [
    "CLAIMS",
    "LEDGERS",
    "Cases",
    "Claim",
    "Ledger",
    "Rechecked",
    "RefutedError",
    "Verdict",
    "claim_named",
    "recheck",
    "recheck_all",
]
