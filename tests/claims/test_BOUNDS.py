"""Bounds between models and attacks, as the ledger checks them."""

import pytest
from claims_of import assert_confirmed, checked_claims


@pytest.mark.parametrize("claim", checked_claims("BOUNDS"))
def test_the_check_of_the_ledger(claim, monkeypatch):
    """Every bound, gone through without a limit of time."""
    assert_confirmed(claim, monkeypatch)
