"""What an attack is, and where attacks come from.

An attack is a class with a `name`, its `knowledge`, and a method `run`. It is found through
the entry-point group `anonaudit.attacks`, ours like anyone's: name the class there and it
runs in every audit that asks for it. What it says of itself in reports is its `about`, an
`anonaudit.about.AboutAttack`; one without is reported with its numbers.
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
    """What an audit hands to an attack.

    classes: the release, reduced. hierarchies: by column, as far as they are known.
    readings, separators, decimal: how generalized labels of a column are read (see labels.py).
    orders: by column its values from low to high, as far as a policy declares them.
    external: the identified table, counted over its identity and quasi-identifier columns, as
        far as it has them; None if there is none. identity: which of them name a person.
    ordered: counts the release and the external table once more, each over its row numbers
        (ROW_NUMBER) and the quasi-identifiers the external table has; None if there is none.
    rows: counts the release once more, over its row numbers and the columns it is given, or over
        all its columns in their order if it is given none; None if its rows have no order.
    population: counts another sample of the population over its sensitive attributes and the
        quasi-identifiers it has; None if there is none.
    second: another release of the same or overlapping people, reduced; None if there is none.
    others: more such releases. Only an attack with `AboutAttack.several` is given any.
    alignment: the release's rows paired with the original's, if that is at hand: the truth.
    protected: by sensitive column the protected values of its hierarchy (CT06 Def. 3).
    options: the attack's own parameters from the policy.
    seed: for attacks that draw at random. allowed: the rate that is still accepted.
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

    name: lower case with hyphens; it stands in policies and reports.
    knowledge: what the adversary is taken to know, in a sentence.
    options: the parameters its section of a policy may have, beside `allow-rate`; one that
        has `external` is given the identified table, one that has `second` another release.
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
    return dict(ATTACKS)


def attack_names() -> list[str]:
    """The names of all attacks that are installed; none is loaded."""
    return list(ATTACKS)


def attack_named(name: str) -> type[Attack]:
    """One attack by its name. Raises AnonauditError, with the closest names, if there is none."""
    if name not in ATTACKS:
        raise AnonauditError(f"there is no attack {name!r}. {closest(name, ATTACKS)}")
    attack: type[Attack] = ATTACKS[name]
    return attack


def judge(rate: float | None, allowed: float | None, highest_rate: float | None = None) -> Outcome:
    """The outcome of an attack that ran. Violated comes before undecided, undecided before holds.

    An attack of which nothing is allowed is measured, unless it decided nobody.

    rate: the share of targets that are exposed for certain; None decides nothing.
    allowed: the rate that is accepted. highest_rate: the share of those that may be exposed, the
    undecided ones included; the rate itself if None.
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
    """An attack that did not run, or decided nothing: never "safe", always with a reason."""
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
    """How often an adversary is right who knows only the release's overall distributions.

    The share of the rows in classes, or of the persons, that have the most frequent value, among
    those with a known one; the largest over the sensitive attributes.
    """
    shares = [counts.whole.most_likely for counts in classes.sensitive.values()]
    return max((share for share in shares if share is not None), default=None)
