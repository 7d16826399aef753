"""Check the results of models and attacks against the theorems that connect them.

Example: if p-sensitive k-anonymity holds with p = 2, the homogeneity attack finds nothing. The
attacks declare the theorems (see `anonaudit.about.Bound`), with the conditions under which they are
proven. If an attack finds more than a theorem allows, the model or the attack is implemented
wrongly. Then no number of the audit can be trusted, and the audit ends with an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.cells import FIRST_VALUE
from anonaudit.findings import Disclosure, Measurement
from anonaudit.plugins import ATTACKS, describe_attack, describe_model
from anonaudit.policy.policy import AttackRequest


class InconsistencyError(RuntimeError):
    """A model and an attack contradict each other: a fault in anonaudit or in a plug-in."""


def check_bounds(
    prepared: PreparedRelease,
    models: Sequence[Measurement],
    attacks: Sequence[tuple[AttackRequest, Disclosure]],
) -> None:
    """Raise InconsistencyError if an attack finds more than a model allows.

    models: all measured models. attacks: (request, result) of all attacks.
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
    sensitive = base.columns(classes.roles.sensitive)
    rows, known = classes.roles.unit is None, not (sensitive < FIRST_VALUE).any()
    apart = classes.compatibility is None
    everywhere = classes.suppressed_tuples == 0 and classes.dropped_rows == 0
    for request, disclosure in attacks:
        for bound in describe_attack(disclosure.attack).bounds:
            speaks = (
                (rows or not bound.rows)
                and (known or not bound.known)
                and (apart or not bound.apart)
                and (everywhere or not bound.everywhere)
            )
            reached = level.get(bound.model.name)
            if speaks and reached is not None:
                with ATTACKS.blamed(disclosure.attack):
                    contradiction = bound.broken(reached, request.options, disclosure)
                if contradiction is not None:
                    yield contradiction


def _plain(model: Measurement) -> bool:
    """Return True if the model was measured by its standard definition, not by a variant."""
    variants = describe_model(model.model).variants
    return not any(name.startswith(variants) for name in model.parameters)
