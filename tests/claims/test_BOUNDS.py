"""Bounds between models and attacks, as the ledger checks them."""

import pytest
from claims_of import assert_confirmed, checked_claims

from anonaudit.papers.claims.attack_bounds import ILLNESS


@pytest.mark.parametrize("claim", checked_claims("BOUNDS"))
def test_the_check_of_the_ledger(claim, monkeypatch):
    """Every bound, gone through without a limit of time."""
    assert_confirmed(claim, monkeypatch)


def test_two_protected_subtrees_of_the_bound_of_similarity():
    """a and b below P, c and d below Q; the other values are below neither."""
    below = {value: ILLNESS.strong_values(("P", "Q"))[value] for value in "abcdefgh"}
    assert below == {"a": "P", "b": "P", "c": "Q", "d": "Q", **{v: v for v in "efgh"}}
