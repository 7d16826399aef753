"""Delta-presence: nobody of the population is too likely to be in the release.

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
    """The lowest chance to be in the release, of somebody who fits a class."""

    lowest: float | None = fact(
        "lowest presence",
        said="Somebody who fits a class is in the release with a chance of at least {}",
        null=True,
    )


@dataclass(frozen=True)
class DeltaPresence:
    """Delta-presence: the chance that somebody of the population is in the release.

    Of F people of the population who fit a class with n rows, each is in the release with the
    chance n / F. Level: the highest of these. Lower is safer; 1 means that everybody who fits some
    class is known to be in the release, 0 is never reached. `details` has the lowest.

    Nergiz's lower bound, delta-min, is not a requirement here: whoever fits no class of the release
    is known not to be in it, so it is 0 for every release that does not cover its population.

    Edge cases: no rows, undefined; no population, 1, as the release stands for it; a class that
    fits fewer people than it has rows, 1, and a requirement that would hold is undecided, as the
    file is of other people. Somebody who fits several classes may be in any of them, so the
    chance n / F is too low: a requirement that would hold is undecided then, and a note says so. A
    row in no class (suppressed in all quasi-identifiers, or dropped) may be of anybody, so with one
    the same is said.

    most: delta-max. population, possible: as of `KMap`. overlapping: how many people of the
    population fit or may fit several classes.
    """

    name: ClassVar[str] = "delta-presence"
    about: ClassVar[AboutModel] = AboutModel(
        level="chance",
        parameter="most",
        means="A person of the population who fits a class is in the release with at most this "
        "chance",
        matters="Being in the release may itself be sensitive, as in a register of patients.",
        do=f"{GENERALIZE} The population is named in [population] of the policy.",
    )
    most: float | None = None
    population: Floats | None = None
    possible: Floats | None = None
    overlapping: int = 0

    def __post_init__(self) -> None:
        real_number("most", self.most, 0, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The highest and the lowest chance of a class."""
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
        """The measurement, undecided where the population file does not decide it."""
        notes, doubtful = [], False
        if self.population is None:
            notes.append("no population file was given: the release stands for its population")
        elif (short := int((self.population < inside).sum())) > 0:
            what = (
                "class(es) have more people in the release than surely fit in the population file"
            )
            notes.append(f"{short} {what}")
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
                    "cannot be compared (hierarchies or values.reading decide)"
                )
        return replace(result, outcome=outcome, notes=(*result.notes, *notes))
