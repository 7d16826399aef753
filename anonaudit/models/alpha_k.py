"""(alpha, k)-anonymity: no value takes more than a share alpha of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonaudit.about import CLASS_SIZE, SPREAD, AboutModel, Need, Unasked, Unions
from anonaudit.details import ClassSize
from anonaudit.findings import Measurement
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.sensitive_counts import SensitiveCounts
from anonaudit.models.level import Levels, measurement, real_number, whole_number


@dataclass(frozen=True)
class AlphaKAnonymity:
    """(alpha, k)-anonymity.

    k-anonymity, and in every class the most frequent value of every sensitive attribute has a
    share of at most alpha. The share is the confidence of the rule "class => value": its count
    over all rows of the class, those with an unknown value too.

    Level: alpha, the largest share. Lower is safer; 1 means that a class gives its value away.
    k is 1 if not given. Edge cases: no rows, undefined; a class with no known value is apart.
    A class whose unknown cells could take a value beyond alpha is undecided.

    Source: Wong, Li, Fu, Wang, (alpha, k)-anonymity: an enhanced k-anonymity model for
    privacy preserving data publishing, KDD 2006, Definitions 1 and 2, with every value taken
    as sensitive.
    """

    name: ClassVar[str] = "alpha-k-anonymity"
    about: ClassVar[AboutModel] = AboutModel(
        level="alpha",
        parameter="alpha",
        symbol="alpha",
        means="No sensitive value takes more than a share alpha of its class",
        matters="A value that most of a class has is nearly certain for each of it.",
        do=SPREAD,
        beside=CLASS_SIZE,
        rows=("k",),
        unasked=(Unasked(place=90, needs=frozenset({Need.SENSITIVE})),),
        by_class=True,
        unions=Unions.IF_APART,
    )
    alpha: float | None = None
    k: int | None = None

    def __post_init__(self) -> None:
        real_number("alpha", self.alpha, 0, 1)
        whole_number("k", self.k, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The largest share of one value in a class."""

        def share(counts: SensitiveCounts) -> Levels:
            most = np.minimum(counts.largest, classes.sizes)  # filled, it may exceed the persons
            return np.where(counts.totals > 0, most / classes.sizes, np.nan)

        levels = {name: share(counts) for name, counts in classes.sensitive.items()}
        worst = {name: share(counts.filled()) for name, counts in classes.sensitive.items()}
        return measurement(
            self.name,
            classes,
            levels,
            worst=worst,
            parameters={"alpha": self.alpha, "k": self.k},
            required=self.alpha,
            safer="lower",
            also_violating=None if self.k is None else classes.sizes < self.k,
            details=ClassSize(k=float(classes.sizes.min()) if len(classes) else None),
        )
