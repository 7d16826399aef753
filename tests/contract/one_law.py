"""One law of a check by itself.

Every law is tried on inputs of its own draws, whatever other laws there are: what breaks a law
among the others breaks it alone, at a small part of the time.
"""

import pytest

from anonaudit.testing import ContractError


def breaks(law, check, *args, **options):
    """Whether a check finds this law broken, and tries no other."""
    with pytest.raises(ValueError, match="the laws are: ") as refused:
        check(*args, **options, skip=["no law"])
    names = str(refused.value).partition("the laws are: ")[2].split(", ")
    assert law in names
    try:
        check(*args, **options, skip=[name for name in names if name != law])
    except ContractError as error:
        return [one.law for one in error.broken] == [law]
    return False
