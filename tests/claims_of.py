"""The claims of one paper as parameters of a test, each marked with its id."""

import pytest

from anonaudit.papers.claims import CLAIMS, Claim, recheck

# Checks that take three seconds or more; each of their papers has others that run every time.
LONG = {
    "CT06-two-step", "CT06-equiv", "TV06-minimal-all", "TV06-alg3", "MCT08-cka", "MCT08-prop2",
    "MCT08-prop4", "BOUNDS-elimination",
}  # fmt: skip


def checked_claims(paper: str) -> list[object]:
    """The claims of a paper that the library can check again."""
    return [
        pytest.param(claim, id=claim.id, marks=_marks(claim))
        for claim in CLAIMS
        if claim.paper == paper and claim.check is not None
    ]


def _marks(claim: Claim) -> list[pytest.MarkDecorator]:
    return [pytest.mark.claim(claim.id), *([pytest.mark.long] if claim.id in LONG else [])]


def assert_confirmed(claim: Claim) -> None:
    """The check goes through, over at least one input."""
    found = recheck(claim)
    assert (found.outcome, found.found if found.outcome == "refuted" else "") == ("confirmed", "")
    assert found.cases > 0
