"""What a model that holds leaves an attack to find: nothing, or so much.

Each of these is proven where its conditions hold. A release in which a model reaches its level
and its attack finds more than that allows shows a fault in one of the two, here, not in the
release; so an audit ends with an error then, and no number of it is to be trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.cells import FIRST_VALUE
from anonaudit.findings import Disclosure, Measurement
from anonaudit.policy.policy import AttackRequest


class InconsistencyError(RuntimeError):
    """A model and an attack contradict each other: a fault of anonaudit (or of an attack)."""


def check_bounds(
    prepared: PreparedRelease,
    models: Sequence[Measurement],
    attacks: Sequence[tuple[AttackRequest, Disclosure]],
) -> None:
    """Raise InconsistencyError if an attack finds more than a model allows.

    models: all that were measured. attacks: with what was asked of them.
    """
    broken = list(_broken(prepared, models, attacks))
    if broken:
        raise InconsistencyError("; ".join(broken))


def _broken(
    prepared: PreparedRelease,
    models: Sequence[Measurement],
    attacks: Sequence[tuple[AttackRequest, Disclosure]],
) -> Iterator[str]:
    level = {m.model: m.measured for m in models if m.measured is not None and _plain(m)}
    classes, base = prepared.classes, prepared.base
    sensitive = base.codes[:, base.positions(classes.roles.sensitive)]
    known, rows = not (sensitive < FIRST_VALUE).any(), classes.roles.unit is None
    everywhere = classes.suppressed_tuples == 0 and classes.dropped_rows == 0
    for request, found in attacks:
        name, asked = found.attack, request.options
        # Persons may have several values, so that all of them share one of several.
        if name == "homogeneity" and rows and level.get("p-sensitive-k-anonymity", 0) >= 2:
            yield from _none(found, "p-sensitive-k-anonymity with p >= 2")
        elif name == "similarity" and rows:
            if level.get("extended-p-sensitive-k-anonymity", 0) >= 2:
                yield from _none(found, "extended-p-sensitive-k-anonymity with p >= 2")
        elif name == "elimination" and rows and known and not asked.get("at_most"):
            most = level.get("multi-attribute-l-diversity", 0) - 2  # GCG08 Theorem 1
            if isinstance(asked.get("values"), int) and asked["values"] <= most:
                yield from _none(found, f"multi-attribute-l-diversity with L = {most + 2}")
        elif name == "association" and rows and known and classes.compatibility is None:
            confidence = asked.get("confidence")
            if isinstance(confidence, float) and level.get("alpha-k-anonymity", 1) < confidence:
                yield from _none(found, f"alpha-k-anonymity with alpha < {confidence}")
        elif name == "linkage" and everywhere and classes.compatibility is None:
            # Whoever fits a row fits its whole class.
            fewest, k = found.details.get("fewest candidates"), level.get("k-anonymity", 0)
            if isinstance(fewest, (int, float)) and fewest < k:
                yield f"linkage leaves {fewest} candidates although k-anonymity has k = {k}"


def _plain(model: Measurement) -> bool:
    """Whether a level is that of the definition the bound speaks of, not of a variant."""
    variants = {"reading", *(name for name in model.parameters if name.startswith("at-most"))}
    return variants.isdisjoint(model.parameters)


def _none(found: Disclosure, model: str) -> Iterator[str]:
    if found.disclosed or np.any([*found.per_attribute.values()]):
        yield f"{found.attack} discloses {found.disclosed} of {found.targets} although {model}"
