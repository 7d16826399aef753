"""Translate the requirements of a policy into goals for a masker.

If no masker can aim at a requirement, the requirement is only measured in the finished release.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from math import ceil
from typing import Any, Final

from anonaudit.auditing.model_inputs import protected_by
from anonaudit.masking.goals import EntropyL, Goal
from anonaudit.masking.multi_attribute_goals import MultiAttributeL
from anonaudit.models import (
    MODELS,
    EntropyLDiversity,
    ExtendedPSensitiveKAnonymity,
    KAnonymity,
    LDiversity,
    Model,
    MultiAttributeLDiversity,
    ProsecutorRisk,
    PSensitiveKAnonymity,
    RuleConfidence,
)
from anonaudit.models.constrained import Constrained
from anonaudit.policy.policy import Policy

# The kinds of goals that some algorithms cannot aim at, see `Algorithm.lacks`.
GOALS: Final = "goals beyond k and p"
PROTECTED: Final = "protected values"
BOUNDARIES: Final = "boundaries"


@dataclass(frozen=True)
class Aim:
    """The requirements of a policy as goals of a masker.

    k: the least number of persons in a class. If every row is a person, k counts rows.
    p: the least number of different values of each sensitive attribute in a class.
    more: goals beyond k and p.
    protected: the protected values of each sensitive attribute, for extended p-sensitivity; None
        if the policy does not require extended p-sensitivity.
    bounded: True if no value may be generalized beyond its boundary.
    confidence: every rule that predicts a sensitive value from quasi-identifiers must have a
        confidence below this number; None for no limit.
    only_measured: the names of the requirements that no masker aims at.
    """

    k: int = 1
    p: int = 1
    more: tuple[Goal, ...] = ()
    protected: Mapping[str, Sequence[str]] | None = None
    bounded: bool = False
    confidence: float | None = None
    only_measured: tuple[str, ...] = ()

    @property
    def beyond(self) -> frozenset[str]:
        """The kinds of goals beyond k and p that this aim has: GOALS, PROTECTED, BOUNDARIES."""
        asked = {
            GOALS: bool(self.more),
            PROTECTED: self.protected is not None,
            BOUNDARIES: self.bounded,
        }
        return frozenset(name for name, there in asked.items() if there)

    def without(self, lacking: Iterable[str]) -> Aim:
        """Return this aim without the kinds of goals in `lacking`."""
        left: dict[str, Any] = {GOALS: (), PROTECTED: None, BOUNDARIES: False}
        fields = {GOALS: "more", PROTECTED: "protected", BOUNDARIES: "bounded"}
        return replace(self, **{fields[name]: left[name] for name in lacking})


def aim_of(policy: Policy) -> Aim:
    """Return the requirements of a policy as goals of a masker."""
    aim = Aim()
    for requirement in policy.requirements:
        model = MODELS[requirement.name](**requirement.parameters)
        aim = _aimed_at(model, aim, policy)
    return aim


@singledispatch
def _aimed_at(model: Model, aim: Aim, _policy: Policy) -> Aim:
    """Return the aim extended by one model.

    A model without an overload below is only measured, because no masker aims at it.
    """
    return _only_measured(model, aim)


@_aimed_at.register
def _(model: Constrained, aim: Aim, policy: Policy) -> Aim:
    inner = _aimed_at(model.inner, replace(aim, bounded=True), policy)
    if inner.only_measured == aim.only_measured:
        return inner
    return replace(inner, only_measured=(*aim.only_measured, model.name))


@_aimed_at.register
def _(model: KAnonymity, aim: Aim, _policy: Policy) -> Aim:
    return _larger(aim, k=model.k)


@_aimed_at.register
def _(model: PSensitiveKAnonymity, aim: Aim, _policy: Policy) -> Aim:
    return _larger(aim, k=model.k, p=model.p)


@_aimed_at.register
def _(model: ExtendedPSensitiveKAnonymity, aim: Aim, policy: Policy) -> Aim:
    return replace(_larger(aim, k=model.k, p=model.p), protected=protected_by(policy))


@_aimed_at.register
def _(model: LDiversity, aim: Aim, _policy: Policy) -> Aim:
    if model.reading != "each":
        return _only_measured(model, aim)
    return _larger(aim, p=model.l)


@_aimed_at.register
def _(model: EntropyLDiversity, aim: Aim, _policy: Policy) -> Aim:
    if model.reading != "each" or model.l is None:
        return _only_measured(model, aim)
    return replace(aim, more=(*aim.more, EntropyL(model.l)))


@_aimed_at.register
def _(model: MultiAttributeLDiversity, aim: Aim, _policy: Policy) -> Aim:
    if model.l is None:
        return _only_measured(model, aim)
    return replace(aim, more=(*aim.more, MultiAttributeL(model.l, at_most=model.at_most)))


@_aimed_at.register
def _(model: ProsecutorRisk, aim: Aim, _policy: Policy) -> Aim:
    if not model.highest:
        return _only_measured(model, aim)
    return _larger(aim, k=ceil(1 / model.highest))


@_aimed_at.register
def _(model: RuleConfidence, aim: Aim, _policy: Policy) -> Aim:
    if model.below is None or model.min_rows != 1:
        return _only_measured(model, aim)
    limits = [limit for limit in (aim.confidence, model.below) if limit is not None]
    return replace(aim, confidence=min(limits))


def _larger(aim: Aim, *, k: int | None = None, p: int | None = None) -> Aim:
    """Return the aim with k and p raised to at least these numbers.

    p different values need p rows, so k is raised to p.
    """
    most = max(aim.p, p or 1)
    return replace(aim, k=max(aim.k, k or 1, most), p=most)


def _only_measured(model: Model, aim: Aim) -> Aim:
    """Return the aim with the name of the model added to `only_measured`."""
    return replace(aim, only_measured=(*aim.only_measured, model.name))
