"""Simpson diversity: the number of values in a class, with less weight for rare values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonaudit.about import SPREAD, AboutModel, Need, Unasked, Unions
from anonaudit.findings import Measurement
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.models.level import measurement, real_number


@dataclass(frozen=True)
class SimpsonDiversity:
    """Simpson diversity: two random rows of a class rarely have the same sensitive value.

    Level: l, the smallest 1 / (sum of the squared shares of the values) of a class. Higher is
    safer. m equally frequent values give m, one value gives 1. Edge cases: without rows the level
    is undefined; unknown cells are left out; a class without a known value has no level.

    Source: Simpson, Measurement of Diversity, Nature 163, 1949.
    """

    name: ClassVar[str] = "simpson-diversity"
    about: ClassVar[AboutModel] = AboutModel(
        level="l",
        parameter="l",
        means="Two random {people} of a class have different sensitive values as often as with l "
        "equally frequent values",
        matters="A class of many values is no protection if nearly everybody has one of them.",
        do=SPREAD,
        several_values="l",
        symbol="simpson",
        unasked=(Unasked(needs=frozenset({Need.SENSITIVE})),),
        by_class=True,
        unions=Unions.IF_APART,
    )
    l: float | None = None

    def __post_init__(self) -> None:
        real_number("l", self.l, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Measure the smallest effective number of values in a class."""
        levels = {}
        for attribute, counts in classes.sensitive.items():
            squares = counts.add_up(counts.shares**2)
            known = squares > 0
            levels[attribute] = np.divide(
                1, squares, where=known, out=np.full_like(squares, np.nan)
            )
        return measurement(
            self.name,
            classes,
            levels,
            parameters={"l": self.l},
            required=self.l,
        )
