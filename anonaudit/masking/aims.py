"""What of a policy a masker can aim at; the rest is only measured in what it makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Final

from anonaudit.auditing.model_inputs import protected_by
from anonaudit.masking.goals import EntropyL, Goal
from anonaudit.masking.multi_attribute_goals import MultiAttributeL
from anonaudit.policy.policy import Policy, Requirement

GOALS: Final = "goals beyond k and p"
PROTECTED: Final = "protected values"
BOUNDARIES: Final = "boundaries"


@dataclass(frozen=True)
class Aim:
    """What of a policy a masker can aim at.

    k, p: rows and different values of every sensitive attribute in a class. more: other goals.
    protected: the protected values of extended p-sensitivity, None without it. bounded: whether
    boundaries must be kept. confidence: what no rule may reach, None if nothing is said.
    only_measured: requirements nobody aims at.
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
        """What it asks for beyond k and p, in the words that `Algorithm.lacks` uses."""
        asked = {
            GOALS: bool(self.more),
            PROTECTED: self.protected is not None,
            BOUNDARIES: self.bounded,
        }
        return frozenset(name for name, there in asked.items() if there)

    def without(self, lacking: Iterable[str]) -> Aim:
        """The same aim but for what a masker does not know."""
        left: dict[str, Any] = {GOALS: (), PROTECTED: None, BOUNDARIES: False}
        fields = {GOALS: "more", PROTECTED: "protected", BOUNDARIES: "bounded"}
        return replace(self, **{fields[name]: left[name] for name in lacking})


def aim_of(policy: Policy) -> Aim:
    """What the requirements of a policy come to for a masker."""
    aim = Aim()
    for requirement in policy.requirements:
        aim = _with(aim, requirement, policy)
    return aim


def _with(aim: Aim, requirement: Requirement, policy: Policy) -> Aim:
    asked, name = requirement.parameters, requirement.name
    if name.startswith("constrained-"):
        aim, name = replace(aim, bounded=True), name.removeprefix("constrained-")
    k, p = max(aim.k, asked.get("k") or 1), max(aim.p, asked.get("p") or 1)
    k = max(k, p)
    if name in {"k-anonymity", "p-sensitive-k-anonymity"}:
        return replace(aim, k=k, p=p)
    if name == "extended-p-sensitive-k-anonymity":
        return replace(aim, k=k, p=p, protected=protected_by(policy))
    if name == "l-diversity" and asked.get("reading", "each") == "each":
        least = max(aim.p, asked["l"])
        return replace(aim, k=max(aim.k, least), p=least)
    if name == "entropy-l-diversity" and asked.get("reading", "each") == "each":
        return replace(aim, more=(*aim.more, EntropyL(asked["l"])))
    if name == "multi-attribute-l-diversity":
        goal = MultiAttributeL(asked["l"], at_most=asked.get("at_most", {}))
        return replace(aim, more=(*aim.more, goal))
    if name == "prosecutor-risk" and asked["highest"] > 0:
        return replace(aim, k=max(aim.k, ceil(1 / asked["highest"])))
    if name == "rule-confidence" and asked.get("min_rows", 1) == 1:
        limits = [c for c in (aim.confidence, asked["below"]) if c is not None]
        return replace(aim, confidence=min(limits))
    return replace(aim, only_measured=(*aim.only_measured, requirement.name))
