"""The contract suite: laws for maskers, attacks and models, ours like anyone's.

    >>> from anonaudit.models import KAnonymity
    >>> def everything_to_the_top(frame):
    ...     return frame.assign(q1="*", q2="*") if len(frame) > 1 else None
    >>> check_masker(everything_to_the_top, KAnonymity(2), examples=20)

Each law is tried on small tables that Hypothesis draws and shrinks; all laws that are broken are
reported together, each with the smallest input found, what was promised, and what came. The same
inputs are drawn in every run. A module for tests: it needs hypothesis.
"""

from __future__ import annotations

from anonaudit.testing.attack_laws import check_attack
from anonaudit.testing.laws import Broken, ContractError
from anonaudit.testing.masker_laws import check_masker
from anonaudit.testing.model_laws import check_model

__all__ = ["Broken", "ContractError", "check_attack", "check_masker", "check_model"]
