"""Find results of other packages whose outcome contradicts their own numbers.

Without this check, an audit would pass if an attack of another package says that it holds although
its targets are undecided, or a model although its level is less safe than required. The laws in
`anonaudit.testing` check the classes of anonaudit.
"""

from __future__ import annotations

import math

from anonaudit.attack import judge
from anonaudit.findings import Disclosure, Measurement, Outcome
from anonaudit.models.level import TOLERANCE


def of_measurement(found: Measurement, model: str, n_classes: int) -> str | None:
    """Return what is wrong with the result of a model, in words; None if nothing is.

    model: the name of the model. n_classes: the number of classes of the release.
    """
    level, holds = found.level, found.outcome is Outcome.HOLDS
    short = [found.classes_violating or 0, found.rows_violating or 0, found.classes_undecided]
    if found.model != model:
        return f"it names the model {found.model!r}"
    if min(short) < 0:
        return "a count is negative"
    if level is not None and math.isnan(level):
        return "its level is not a number"
    if found.witness is not None and found.witness.class_number not in range(n_classes):
        return "its witness is no class of the release"
    if holds and any(short):
        return "it holds, but classes or rows fall short or are undecided"
    if holds and level is None:
        return "it holds, but has no level"
    if holds and found.required is not None and level is not None:
        gap = found.required - level if found.safer == "higher" else level - found.required
        if gap > TOLERANCE * max(abs(found.required), 1e-6):
            return "it holds, but its level is less safe than required"
    return None


def of_disclosure(found: Disclosure, attack: str, allowed: float | None) -> str | None:
    """Return what is wrong with the result of an attack, in words; None if nothing is.

    attack: the name of the attack. allowed: the highest rate that the policy accepts.
    """
    if found.attack != attack:
        return f"it names the attack {found.attack!r}"
    counts = (found.targets, found.identified, found.disclosed, found.undecided)
    if min(*counts, *found.per_attribute.values()) < 0:
        return "a count is negative"
    if found.rate is not None and not 0 <= found.rate <= 1:
        return "its rate is not between 0 and 1"
    decided = judge(found.rate, allowed, found.highest_rate)
    if found.outcome is Outcome.HOLDS and decided is not Outcome.HOLDS:
        return f"it holds, but with its rate and its undecided targets it is {decided}"
    return None
