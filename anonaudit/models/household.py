"""Households: whoever finds one member of a household has found them all.

Sources: the risk of a household is that of the methodology of mu-Argus and sdcMicro (Templ,
Statistical Disclosure Control for Microdata, Springer 2017, section 3.7, hierarchical risk), with
the members of one class counted together. The k of households is that of whole households as
respondents (TV06 Definition 1, with households for tuples).
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
    """Which households have how many members in which class; one entry a household and class.

    household: its number, from 0 on. class_of: of the release. members: rows, or persons. All of
    shape (n_entries,).
    """

    household: Ints
    class_of: Ints
    members: Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class HouseholdRisks(Details):
    """How many households there are, and how many are found on average."""

    households: int = fact("households", said="Households in the release: {}")
    average: float = fact("average risk of a household")
    found: float = fact("expected re-identified households", said="Households found on average: {}")


@dataclass(frozen=True)
class HouseholdRisk:
    """Household risk: the chance that an adversary who looks for each member finds the household.

    He looks for a member in its class of n rows and picks one of them. If m of these belong to the
    household, he has found it with the chance m / n, by that member. Over all members the chance
    is 1 - the product of (1 - m / n). Picks are taken to be independent. Where no household has two
    members in one class it is sdcMicro's 1 - the product of (1 - r), with r = 1 / n of each member.

    Level: the highest risk of a household. Lower is safer; 1 means that a household is found for
    sure, 0 is never reached. A class falls short if it has a member of a household that does.

    Edge cases: no rows, undefined; no household column, undecided; members in no class are not
    found by their rows; under wildcards members may be among the compatible rows of other classes,
    so a requirement that would hold is undecided. With a unit column members are persons.

    highest: required. households: of the classes that are measured.
    """

    name: ClassVar[str] = "household-risk"
    about: ClassVar[AboutModel] = AboutModel(
        level="risk",
        parameter="highest",
        means="An adversary who looks for every member of a household, and picks one row of "
        "each class, finds the household with at most this chance",
        matters="Whoever finds one member of a household knows all its members.",
        do=GENERALIZE,
        unasked=(Unasked(place=125, needs=frozenset({Need.HOUSEHOLDS})),),
    )
    highest: float | None = None
    households: Households | None = None

    def __post_init__(self) -> None:
        real_number("highest", self.highest, 0, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The highest and the average risk of a household."""
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
            note = "wildcards: members in compatible classes are not counted, so the risk is higher"
            result = replace(result, outcome=Outcome.INCONCLUSIVE, notes=(*result.notes, note))
        return _without_households(result, self.households, classes)


@dataclass(frozen=True)
class HouseholdKAnonymity:
    """k of households: every household has the same members, by class, as k - 1 others or more.

    An adversary who knows the quasi-identifiers of all members of a household cannot tell it from
    k - 1 others. Level: k, the fewest households with the same members. Higher is safer; 1 means
    that a household is told apart by its composition. A class has the level of its worst household.

    Edge cases: no rows, undefined; no household column, undecided; members in no class are unknown
    to the adversary. With a unit column members are persons. A cell without a value is a value of
    its own, under wildcards too.

    k: required. households: of the classes that are measured.
    """

    name: ClassVar[str] = "household-k-anonymity"
    about: ClassVar[AboutModel] = AboutModel(
        level="k",
        parameter="k",
        means="Every household has the same quasi-identifiers, of all its members, as k - 1 "
        "others or more",
        matters="A family of two parents and three children may be alone, although each of its "
        "members has others like them.",
        do=GENERALIZE,
        unasked=(Unasked(place=126, needs=frozenset({Need.HOUSEHOLDS})),),
    )
    k: int | None = None
    households: Households | None = None

    def __post_init__(self) -> None:
        whole_number("k", self.k, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The fewest households of one composition."""
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
    """The measurement, with the reason why there is no level without a household column."""
    if households is None and len(classes):
        return replace(result, notes=(NO_HOUSEHOLDS,))
    return result
