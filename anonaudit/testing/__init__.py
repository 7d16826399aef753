"""The contract suite: laws that every masker, attack and model must keep, including plug-ins.

A law is a property that must hold for every input, for example "the level does not depend on the
order of the rows".

    >>> from anonaudit.models import KAnonymity
    >>> def everything_to_the_top(frame):
    ...     return frame.assign(q1="*", q2="*") if len(frame) > 1 else None
    >>> check_masker(everything_to_the_top, KAnonymity(2), examples=20)

Hypothesis draws small tables and tests each law on them. If a law is broken, Hypothesis looks for
the smallest table that breaks it. All broken laws are reported together, each with the promise, the
result, and this table. Every run draws the same tables. This module is for tests and needs
hypothesis.
"""

from __future__ import annotations

from anonaudit.testing.attack_laws import check_attack
from anonaudit.testing.laws import Broken, ContractError
from anonaudit.testing.masker_laws import check_masker
from anonaudit.testing.model_laws import check_model

__all__ = ["Broken", "ContractError", "check_attack", "check_masker", "check_model"]
