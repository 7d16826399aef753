"""What an attack is, and where attacks come from.

An attack is a class with a `name`, its `knowledge`, and a method `run`. It is found through
the entry-point group `anonaudit.attacks`, ours like anyone's: name the class there and it
runs in every audit that asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import ClassVar, Protocol

from anonaudit.classes import EquivalenceClasses
from anonaudit.errors import AnonauditError, closest
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency import FrequencySet
from anonaudit.hierarchy import Hierarchy
from anonaudit.labels import Reading

GROUP = "anonaudit.attacks"


@dataclass(frozen=True)
class Setting:
    """What an audit hands to an attack.

    classes: the release, reduced. hierarchies: by column, as far as they are known.
    readings, separators, decimal: how generalized labels of a column are read (see labels.py).
    external: the identified table, counted over its identity and quasi-identifier columns, as
        far as it has them; None if there is none. identity: which of them name a person.
    options: the attack's own parameters from the policy.
    seed: for attacks that draw at random. allowed: the rate that is still accepted.
    """

    classes: EquivalenceClasses
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    readings: Mapping[str, Reading] = field(default_factory=dict)
    separators: Mapping[str, str] = field(default_factory=dict)
    decimal: str = "."
    external: FrequencySet | None = None
    identity: tuple[str, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)
    seed: int = 0
    allowed: float | None = None


class Attack(Protocol):
    """The contract of an attack.

    name: lower case with hyphens; it stands in policies and reports.
    knowledge: what the adversary is taken to know, in a sentence.
    options: the parameters its section of a policy may have, beside `allow-rate`; one that
        has `external` is given the identified table.
    """

    name: ClassVar[str]
    knowledge: ClassVar[str]
    options: ClassVar[tuple[str, ...]]

    def run(self, setting: Setting) -> Disclosure:
        """Attack the release. An attack that cannot run says so; that is never "safe"."""
        ...


def attacks() -> dict[str, type[Attack]]:
    """Every installed attack by name, in order of name.

    Raises AnonauditError for one that cannot be loaded: an audit must not go on without it.
    """
    found: dict[str, type[Attack]] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            found[point.name] = point.load()
        except Exception as error:
            raise AnonauditError(
                f"the attack {point.name!r} ({point.value}) cannot be loaded "
                f"({type(error).__name__}); mend or remove the package it comes from"
            ) from error
    return found


def attack_named(name: str) -> type[Attack]:
    """One attack by its name. Raises AnonauditError, with the closest names, if there is none."""
    known = attacks()
    if name not in known:
        raise AnonauditError(f"there is no attack {name!r}. {closest(name, known)}")
    return known[name]


def judge(rate: float | None, allowed: float | None) -> Outcome:
    """The outcome of an attack that ran: an undefined rate decides nothing."""
    if rate is None:
        return Outcome.INCONCLUSIVE
    if allowed is None:
        return Outcome.MEASURED
    return Outcome.HOLDS if rate <= allowed else Outcome.VIOLATED


def baseline(classes: EquivalenceClasses) -> float | None:
    """How often an adversary is right who knows only the release's overall distributions.

    The share of the most frequent value, the largest over the sensitive attributes.
    """
    shares = [
        float(counts.overall.max() / counts.overall.sum())
        for counts in classes.sensitive.values()
        if counts.overall.sum() > 0
    ]
    return max(shares, default=None)
