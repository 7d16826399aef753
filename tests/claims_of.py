"""The claims of one paper as parameters of a test, each marked with its id."""

import pytest

from anonaudit.claims import CLAIMS, Claim, recheck


def checked_claims(paper: str) -> list[object]:
    """The claims of a paper that the library can check again."""
    return [
        pytest.param(claim, id=claim.id, marks=pytest.mark.claim(claim.id))
        for claim in CLAIMS
        if claim.paper == paper and claim.check is not None
    ]


def assert_confirmed(claim: Claim) -> None:
    """The check goes through, over at least one input."""
    found = recheck(claim)
    assert (found.outcome, found.found if found.outcome == "refuted" else "") == ("confirmed", "")
    assert found.cases > 0
