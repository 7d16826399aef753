"""Delta-presence: a limit of the chance that a person of the population is in the release.

Source: Nergiz, Atzori, Clifton, Hiding the Presence of Individuals from Shared Databases, SIGMOD
2007, Definition 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from anonaudit.about import GENERALIZE, AboutModel
from anonaudit.arrays import Floats
from anonaudit.details import Details, fact
from anonaudit.findings import Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.models.disclosure_risk import members
from anonaudit.models.level import measurement, real_number


@dataclass(frozen=True, kw_only=True, eq=False)
class Presence(Details):
    """The lowest chance, over all classes, that a person who fits the class is in the release."""

    lowest: float | None = fact(
        "lowest presence",
        said="Somebody who fits a class is in the release with a chance of at least {}",
        null=True,
    )


@dataclass(frozen=True)
class DeltaPresence:
    """Delta-presence: the chance that a person of the population is in the release.

    A person fits a class if the person's quasi-identifiers match those of the class. If F people of
    the population fit a class with n rows, each of them is in the release with chance n / F.

    Level: the highest chance over all classes. Lower is safer; 1 means that everybody who fits some
    class is known to be in the release, 0 is never reached. `details` has the lowest chance.

    The paper also has a lower bound, delta-min. It is not a requirement here: a person who fits no
    class is known not to be in the release. So delta-min is 0 for every release that does not cover
    its population.

    Edge cases: no rows, undefined; no population, 1, because the release is taken as the
    population. A requirement that would otherwise hold is undecided in three cases, and a note says
    why:

    - Fewer people of the population fit a class than it has rows. Then its chance is taken as 1,
      but the population file lacks people of the release.
    - A person fits several classes. This person is more likely to be in the release than n / F.
    - A row is in no class (suppressed in all quasi-identifiers, or dropped). Such a row may be
      about anybody.

    A violated requirement is undecided if it is not violated with `possible` in place of
    `population`.

    most: the largest chance allowed, delta-max. population, possible: see `KMap`. overlapping: the
    number of people of the population who fit or may fit several classes.
    """

    name: ClassVar[str] = "delta-presence"
    about: ClassVar[AboutModel] = AboutModel(
        level="chance",
        parameter="most",
        means="A person of the population who fits a class is in the release with at most this "
        "chance",
        matters="The fact that a person is in the release may itself be sensitive, for example in "
        "a register of patients.",
        do=f"{GENERALIZE} The population is named in [population] of the policy.",
    )
    most: float | None = None
    population: Floats | None = None
    possible: Floats | None = None
    overlapping: int = 0

    def __post_init__(self) -> None:
        real_number("most", self.most, 0, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the highest chance of a class; the details have the lowest."""
        inside = members(classes)
        there = inside if self.population is None else self.population
        chance = inside / np.maximum(there, inside)
        result = measurement(
            self.name,
            classes,
            {"": chance},
            parameters={"most": self.most},
            required=self.most,
            safer="lower",
            details=Presence(lowest=float(chance.min()) if len(chance) else None),
        )
        return self._decided(result, inside, classes)

    def _decided(
        self, result: Measurement, inside: Floats, classes: EquivalenceClasses
    ) -> Measurement:
        """Return the measurement, with the outcome inconclusive if the population cannot decide."""
        notes, doubtful = [], False
        if self.population is None:
            notes.append("no population file was given: the release is taken as the population")
        elif (short := int((self.population < inside).sum())) > 0:
            notes.append(
                f"{short} class(es) have more people in the release than people of the population "
                "file that surely fit them"
            )
            doubtful = True
        if self.overlapping:
            who = "1 person of the population fits several classes, and is"
            if self.overlapping > 1:
                who = f"{self.overlapping} people of the population fit several classes, and are"
            notes.append(f"{who} more likely to be in the release than is measured")
            doubtful = True
        if apart := classes.suppressed_tuples + classes.dropped_rows:
            notes.append(
                f"{apart} row(s) of the release are in no class and may be of anybody, so people "
                "may be more likely to be in the release than is measured; fill in their "
                "quasi-identifiers, or remove the rows"
            )
            doubtful = True
        outcome = result.outcome
        if outcome is Outcome.HOLDS and doubtful:
            outcome = Outcome.INCONCLUSIVE
        if outcome is Outcome.VIOLATED and self.possible is not None:
            least = replace(self, population=self.possible, possible=None).measure(classes)
            if least.outcome is not Outcome.VIOLATED:
                outcome = Outcome.INCONCLUSIVE
                notes.append(
                    "more people of the population file may fit: cells are unknown, or labels "
                    "cannot be compared (declare hierarchies or values.reading)"
                )
        return replace(result, outcome=outcome, notes=(*result.notes, *notes))
