"""The claims of the papers, one by one: what each says, whether it holds, and how that is shown.

`CLAIMS` is the ledger; `recheck` goes through a claim again. `anonaudit claims` prints it, and
docs/claims.md is written from it.
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
    """One claim by its id. Raises AnonauditError, with the closest ids, if there is none."""
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
