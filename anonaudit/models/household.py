"""Household models: an adversary who finds one member of a household has found all members.

Sources: the risk of a household follows mu-Argus and sdcMicro (Templ, Statistical Disclosure
Control for Microdata, Springer 2017, section 3.7, hierarchical risk), except that members in the
same class are counted together. The k of households is TV06 Definition 1 with households in place
of tuples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from anonaudit.about import GENERALIZE, AboutModel, Need, Unasked
from anonaudit.arrays import Ints
from anonaudit.details import Details, fact
from anonaudit.findings import Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.models.k_anonymity import histories
from anonaudit.models.level import Levels, measurement, real_number, whole_number

NO_HOUSEHOLDS = "no household column was given: name it under [columns], household"


@dataclass(frozen=True)
class Households:
    """The number of members of each household in each class.

    There is one entry for each pair of a household and a class with members of it. All arrays have
    shape (n_entries,).

    household: the index of the household, from 0. class_of: the index of the class in the release.
    members: the number of members, counted as rows, or as persons if there is a unit column.
    """

    household: Ints
    class_of: Ints
    members: Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class HouseholdRisks(Details):
    """The number of households, their average risk, and the expected number of households found.

    found: the sum of the risks of all households.
    """

    households: int = fact("households", said="Households in the release: {}")
    average: float = fact("average risk of a household")
    found: float = fact("expected re-identified households", said="Households found on average: {}")


@dataclass(frozen=True)
class HouseholdRisk:
    """Household risk: the chance that an adversary who looks for every member finds the household.

    For each member, the adversary picks a row of the member's class at random. If the class has n
    rows and m of them belong to the household, the pick finds the household with chance m / n. The
    risk is 1 - the product of (1 - m / n) over all members; picks are taken to be independent. If
    no household has two members in one class, this is sdcMicro's 1 - the product of (1 - r), with r
    = 1 / n for each member.

    Level: the highest risk of a household. Lower is safer; 1 means that a household is found with
    certainty, 0 is never reached. A class violates the requirement if it has a member of a
    household whose risk is above `highest`.

    Edge cases: no rows, undefined; no household column, undecided. Members in no class are not
    counted. Under wildcards, a member may be among the compatible rows of another class, so a
    requirement that would otherwise hold is undecided. With a unit column, members are persons.

    highest: the largest risk allowed; None requires nothing. households: the households of the
    measured classes; None without a household column.
    """

    name: ClassVar[str] = "household-risk"
    about: ClassVar[AboutModel] = AboutModel(
        level="risk",
        parameter="highest",
        means="An adversary who looks for every member of a household, and picks one row of "
        "each member's class, finds the household with at most this chance",
        matters="An adversary who finds one member of a household has found all its members.",
        do=GENERALIZE,
        unasked=(Unasked(place=125, needs=frozenset({Need.HOUSEHOLDS})),),
    )
    highest: float | None = None
    households: Households | None = None

    def __post_init__(self) -> None:
        real_number("highest", self.highest, 0, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the highest risk of a household; the details have the average."""
        level, details = np.full(len(classes), np.nan), None
        if self.households is not None and len(classes):
            household, class_of = self.households.household, self.households.class_of
            share = self.households.members / classes.sizes[class_of]
            with np.errstate(divide="ignore"):
                missed = self.households.members * np.log1p(-np.minimum(share, 1))
            risk = -np.expm1(np.bincount(household, missed))
            np.fmax.at(level, class_of, risk[household])
            details = HouseholdRisks(
                households=len(risk), average=float(risk.mean()), found=float(risk.sum())
            )
        result = measurement(
            self.name,
            classes,
            {"": level},
            parameters={"highest": self.highest},
            required=self.highest,
            safer="lower",
            details=details,
        )
        if classes.compatibility is not None and result.outcome is Outcome.HOLDS:
            note = (
                "wildcards: members in compatible classes are not counted, so the risk may be "
                "higher"
            )
            result = replace(result, outcome=Outcome.INCONCLUSIVE, notes=(*result.notes, note))
        return _without_households(result, self.households, classes)


@dataclass(frozen=True)
class HouseholdKAnonymity:
    """k of households: every household has the same composition as k - 1 other households or more.

    The composition of a household is the number of its members in each class. An adversary who
    knows the quasi-identifiers of all members cannot distinguish the household from k - 1 others.
    Level: k, the smallest number of households that share a composition. Higher is safer; 1 means
    that the composition singles out a household. The level of a class is the lowest level of the
    households with a member in it.

    Edge cases: no rows, undefined; no household column, undecided. Members in no class are left out
    of the composition. With a unit column, members are persons. A missing or suppressed cell is a
    value of its own, even under wildcards.

    k: the required level; None requires nothing. households: the households of the measured
    classes; None without a household column.
    """

    name: ClassVar[str] = "household-k-anonymity"
    about: ClassVar[AboutModel] = AboutModel(
        level="k",
        parameter="k",
        means="For every household, k - 1 other households or more have members with the same "
        "quasi-identifiers",
        matters="A family of two parents and three children may be unique, although every member "
        "shares the quasi-identifiers with other persons.",
        do=GENERALIZE,
        unasked=(Unasked(place=126, needs=frozenset({Need.HOUSEHOLDS})),),
    )
    k: int | None = None
    households: Households | None = None

    def __post_init__(self) -> None:
        whole_number("k", self.k, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the smallest number of households that share a composition."""
        level: Levels = np.full(len(classes), np.nan)
        if self.households is not None and len(classes):
            household, class_of = self.households.household, self.households.class_of
            member = np.column_stack([class_of, self.households.members])
            composition = histories(household, member)
            alike = np.bincount(composition)[composition]
            np.fmin.at(level, class_of, alike[household].astype(float))
        result = measurement(
            self.name,
            classes,
            {"": level},
            parameters={"k": self.k},
            required=self.k,
            whole=True,
        )
        return _without_households(result, self.households, classes)


def _without_households(
    result: Measurement, households: Households | None, classes: EquivalenceClasses
) -> Measurement:
    """Return the measurement, with a note on the missing household column if there is none."""
    if households is None and len(classes):
        return replace(result, notes=(NO_HOUSEHOLDS,))
    return result
