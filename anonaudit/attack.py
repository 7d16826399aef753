"""The interface of attacks, and the registry of the installed attacks.

An attack is a class with a `name`, its `knowledge`, its `options`, and a method `run`. A package
registers the class in the entry-point group `anonaudit.attacks`; the attacks of anonaudit itself
are registered in the same way. The class attribute `about`, an `anonaudit.about.AboutAttack`,
describes the attack in reports. If a class has no `about`, a report shows only the attack's
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from anonaudit.errors import AnonauditError, closest
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import PERTURBED, Reading
from anonaudit.linking.alignment import Alignment
from anonaudit.plugins import ATTACKS


@dataclass(frozen=True)
class Setting:
    """The input of an attack.

    classes: the equivalence classes of the release.
    hierarchies: column -> hierarchy, for the columns that have one.
    readings, separators, decimal: how generalized labels are parsed (see
        `anonaudit.generalization.labels`). Readings and separators are by column.
    orders: column -> its values from low to high, for the columns whose order the policy declares.
    external: the identified table as a frequency set over its identity columns and the
        quasi-identifiers that it has; None if there is no such table.
    identity: the columns of `external` that name a person.
    ordered: a function that returns two frequency sets that keep the order of the rows, one of the
        release and one of the external table. Their columns are the row number (`ROW_NUMBER`) and
        the quasi-identifiers of the external table. None if there is no external table.
    rows: a function that takes column names and returns the frequency set of the release over the
        row number and these columns. An empty argument means all columns. None if the rows have no
        order.
    population: a function that returns the frequency set of another sample of the population, over
        the sensitive attributes and quasi-identifiers that the sample has; None if there is none.
    second: another release about the same or overlapping people; None if there is none.
    others: further releases of this kind; empty unless `AboutAttack.several` is True.
    alignment: the rows of the release paired with the rows of the original; None if there is no
        original.
    protected: column -> the protected values of its hierarchy (CT06 Def. 3).
    options: the attack's parameters in the policy.
    seed: the seed of attacks that draw at random.
    allowed: the highest rate that the policy accepts, from 0 to 1; None if the policy sets none.
    """

    classes: EquivalenceClasses
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    readings: Mapping[str, Reading] = field(default_factory=dict)
    separators: Mapping[str, str] = field(default_factory=dict)
    decimal: str = "."
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    external: FrequencySet | None = None
    identity: tuple[str, ...] = ()
    ordered: Callable[[], tuple[FrequencySet, FrequencySet]] | None = None
    rows: Callable[[Sequence[str]], FrequencySet] | None = None
    population: Callable[[], FrequencySet] | None = None
    second: EquivalenceClasses | None = None
    others: tuple[EquivalenceClasses, ...] = ()
    alignment: Alignment | None = None
    protected: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    seed: int = 0
    allowed: float | None = None

    @property
    def perturbed(self) -> tuple[str, ...]:
        """The quasi-identifiers and sensitive columns that are declared perturbed."""
        columns = (*self.classes.roles.quasi_identifiers, *self.classes.roles.sensitive)
        return tuple(c for c in columns if self.readings.get(c) == PERTURBED)


class Attack(Protocol):
    """The contract of an attack.

    name: lower case with hyphens, as used in policies and reports.
    knowledge: what the adversary is assumed to know, in one sentence.
    options: the parameters allowed in the attack's section of a policy, besides `allow-rate`. An
        attack with the option `external` gets the identified table; with `second`, another release.
    """

    name: ClassVar[str]
    knowledge: ClassVar[str]
    options: ClassVar[tuple[str, ...]]

    def run(self, setting: Setting) -> Disclosure:
        """Attack the release. An attack that cannot run returns the result of `undecided`."""
        ...


def attacks() -> dict[str, type[Attack]]:
    """Return all installed attacks by name, sorted by name.

    Raises AnonauditError for an attack that cannot be loaded: an audit must not go on without it.
    """
    return dict(ATTACKS)


def attack_names() -> list[str]:
    """Return the names of all installed attacks without loading the attacks."""
    return list(ATTACKS)


def attack_named(name: str) -> type[Attack]:
    """Return one attack. Raises AnonauditError, with the closest names, for an unknown name."""
    if name not in ATTACKS:
        raise AnonauditError(f"there is no attack {name!r}. {closest(name, ATTACKS)}")
    attack: type[Attack] = ATTACKS[name]
    return attack


def judge(rate: float | None, allowed: float | None, highest_rate: float | None = None) -> Outcome:
    """Return the outcome of an attack that ran.

    The outcome is violated if `rate` exceeds `allowed`, and holds if `highest_rate` does not exceed
    it. It is inconclusive if `allowed` lies between the two, or if `rate` is None. If `allowed` is
    None, the outcome is measured, or inconclusive if every target is undecided.

    rate: the share of targets that are certainly exposed; None if nothing was decided.
    allowed: the highest rate that the policy accepts; None if the policy sets none.
    highest_rate: the share of targets that are exposed or undecided; None if it equals `rate`.
    """
    if rate is None:
        return Outcome.INCONCLUSIVE
    if allowed is None:
        nobody = rate == 0 and highest_rate == 1
        return Outcome.INCONCLUSIVE if nobody else Outcome.MEASURED
    if rate > allowed:
        return Outcome.VIOLATED
    decided = highest_rate is None or highest_rate <= allowed
    return Outcome.HOLDS if decided else Outcome.INCONCLUSIVE


def undecided(
    attack: Attack,
    reason: str,
    outcome: Outcome = Outcome.SKIPPED,
    *,
    allowed: float | None = None,
    details: Mapping[str, object] | None = None,
) -> Disclosure:
    """Return the result of an attack that did not run, or that decided nothing.

    reason: why, in words.
    outcome: skipped if the attack did not run, inconclusive if it decided nothing. Neither counts
        as safe.
    allowed, details: as in `Disclosure`.
    """
    return Disclosure(
        attack.name,
        attack.knowledge,
        0,
        0,
        0,
        None,
        None,
        outcome,
        allowed=allowed,
        reason=reason,
        details=details or {},
    )


def baseline(classes: EquivalenceClasses) -> float | None:
    """Return the success rate of an adversary who guesses from the overall distributions alone.

    The guess is the most frequent value of a sensitive attribute. The success rate for the
    attribute is the share of this value among the rows (or persons) that are in a class and have a
    known value. The result is the largest rate over the attributes; None if no value is known.
    """
    shares = [counts.whole.most_likely for counts in classes.sensitive.values()]
    return max((share for share in shares if share is not None), default=None)
