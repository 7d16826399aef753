"""Choose the rows and columns of the matrix: the ways to mask, and the attacks to run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from anonaudit.attack import Attack
from anonaudit.errors import InputError, closest
from anonaudit.masking.aims import BOUNDARIES, GOALS, PROTECTED, Aim
from anonaudit.masking.maskers import ALGORITHMS, UNMASKED
from anonaudit.matrix.attack_cells import Defence
from anonaudit.plugins import describe_attack
from anonaudit.policy.policy import AttackRequest, Policy

_SHORT = {GOALS: "L", PROTECTED: "protected", BOUNDARIES: "boundaries"}


def defences(aim: Aim, algorithms: Sequence[str] = ()) -> list[Defence]:
    """Return the ways to mask that the matrix compares.

    The first way is no masking. After it, each algorithm has up to three ways: k alone; all goals
    that the algorithm can aim at, if there are such goals beyond k; and all these goals with hidden
    rules, if the policy limits the confidence of rules.

    aim: the goals of the policy.
    algorithms: the names of the algorithms to compare, in this order; all if empty.

    Raises InputError if an algorithm does not exist.

    >>> [one.name for one in defences(Aim(k=5, p=2), ["mondrian"])]
    ['unmasked', 'mondrian k', 'mondrian k p']
    """
    for name in algorithms:
        if name not in ALGORITHMS:
            raise InputError(f"unknown algorithm {name!r}. {closest(name, ALGORITHMS)}")
    rows = [Defence(UNMASKED, UNMASKED, Aim(), tuple(sorted(_asked(aim))))]
    for name in algorithms or ALGORITHMS:
        rows += _of_algorithm(name, aim)
    return rows


def _of_algorithm(name: str, aim: Aim) -> Iterator[Defence]:
    lacks = ALGORITHMS[name].lacks & aim.beyond
    plain = Aim(k=aim.k)
    whole = replace(aim.without(lacks), confidence=None, only_measured=())
    steps = [plain] if plain == whole else [plain, whole]
    if aim.confidence is not None:
        steps.append(replace(whole, confidence=aim.confidence))
    for step in steps:
        asked = _asked(step)
        label = " ".join([name, "k", *(word for word in _asked(aim) if word in asked)])
        yield Defence(label, name, step, tuple(sorted(_asked(aim).keys() - asked.keys())))


def _asked(aim: Aim) -> dict[str, None]:
    """Return the goals of an aim beyond k, as short words: the keys of a dict, in a fixed order."""
    words = ["p"] if aim.p > 1 else []
    words += [_SHORT[name] for name in sorted(aim.beyond, key=list(_SHORT).index)]
    words += ["rules"] if aim.confidence is not None else []
    return dict.fromkeys(words)


def requests(
    policy: Policy,
    known: Mapping[str, type[Attack]],
    confidence: float | None,
    only: Collection[str] = (),
) -> dict[str, AttackRequest]:
    """Return the attacks to run, by their labels.

    First come the attacks of the policy, then all installed attacks that the policy does not name.
    An attack that does not run by default is left out unless the policy or `only` names it.

    The field `external` of a request is None if the policy has no identified table for the attack.
    The matrix later gives such an attack the quasi-identifiers of everybody in the original.

    known: the classes of all installed attacks, by name.
    confidence: the limit that the policy sets for the confidence of rules, or None. The attack
        association, if the policy does not name it, counts the rules that reach this confidence.
    only: the names of the attacks to run; all if empty.

    Raises InputError if an attack does not exist.
    """
    for name in only:
        if name not in known:
            raise InputError(f"unknown attack {name!r}. {closest(name, known)}")
    theirs = {request.name for request in policy.attacks}
    asked = [*policy.attacks]
    asked += [
        AttackRequest(n, _usual(n, confidence))
        for n in known
        if n not in theirs and (n in only or describe_attack(n).matrix.unasked)
    ]
    asked = [request for request in asked if not only or request.name in only]
    often = Counter(request.name for request in asked)
    labelled: dict[str, AttackRequest] = {}
    for request in asked:
        label = request.name
        if often[label] > 1:
            options = ", ".join(f"{k.replace('_', '-')} = {v}" for k, v in request.options.items())
            label = f"{label} ({options or 'as is'})"
        while label in labelled:
            label += "'"
        labelled[label] = request
    return labelled


def _usual(name: str, confidence: float | None) -> dict[str, Any]:
    """Return the options of an attack that the policy does not request."""
    usual = describe_attack(name).matrix
    limited = {usual.confidence: confidence} if usual.confidence and confidence is not None else {}
    return {**usual.options, **limited}
