"""The contract suite: laws that every masker, attack and model must keep, plug-ins included.

    >>> from anonaudit.models import KAnonymity
    >>> def everything_to_the_top(frame):
    ...     return frame.assign(q1="*", q2="*") if len(frame) > 1 else None
    >>> check_masker(everything_to_the_top, KAnonymity(2), examples=20)

Hypothesis draws small tables for each law and shrinks them. All broken laws are reported together,
each with the promise, the result, and the smallest input. Every run draws the same inputs. This
module is for tests and needs hypothesis.
"""

from __future__ import annotations

from anonaudit.testing.attack_laws import check_attack
from anonaudit.testing.laws import Broken, ContractError
from anonaudit.testing.masker_laws import check_masker
from anonaudit.testing.model_laws import check_model

__all__ = ["Broken", "ContractError", "check_attack", "check_masker", "check_model"]
