"""Delta-disclosure privacy and beta-likeness: how far a class shifts the share of a single value.

Sources: delta-disclosure privacy, Brickell, Shmatikov, The Cost of Privacy, KDD 2008, Definition 4;
beta-likeness, Cao, Karras, Publishing Microdata with a Robust Privacy Guarantee, PVLDB 5(11), 2012,
Definitions 2 and 3.

Shares are shares of the known cells, both in a class and in the whole release. With a unit column,
they are shares of the distinct pairs of a person and a value; a pair counts once in a class and
once in the release. A class is undecided if it could violate the requirement once its unknown cells
are known. Without rows nothing is measured. One class, or one value, gives level 0. A class with no
known value has no level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from anonaudit.about import SPREAD, AboutModel
from anonaudit.arrays import Index
from anonaudit.findings import Measurement
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.sensitive_counts import SensitiveCounts
from anonaudit.models.level import Levels, ParameterError, measurement, real_number


@dataclass(frozen=True)
class DeltaDisclosure:
    """Delta-disclosure privacy: |ln(share in the class / share in the release)| < delta.

    The condition applies to every class and every value of the release. A value that a class lacks
    makes the logarithm infinite, as in the definition; absent="ignored" leaves such values out, as
    some tools do. Level: the largest absolute logarithm. Lower is safer; 0 means that every class
    has the distribution of the whole release, infinity that a class lacks a value. If absent values
    are ignored, a class with a single value of share p in the release has level -ln p.
    """

    name: ClassVar[str] = "delta-disclosure"
    about: ClassVar[AboutModel] = AboutModel(
        level="delta",
        parameter="delta",
        means="The share of every sensitive value in a class differs from its share in the "
        "whole release by a factor below e^delta",
        matters="It limits what an adversary learns about every single value, including rare "
        "values and values that a class lacks.",
        do=SPREAD,
        strict=True,
        by_class=True,
    )
    delta: float | None = None
    absent: Literal["infinite", "ignored"] = "infinite"

    def __post_init__(self) -> None:
        real_number("delta", self.delta, 0, above=True)
        if self.absent not in ("infinite", "ignored"):
            raise ParameterError(f"absent must be infinite or ignored, not {self.absent!r}")

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the largest absolute logarithm."""
        levels = {name: self._level(counts) for name, counts in classes.sensitive.items()}
        apart = classes.apart
        worst = {n: self._worst(counts, apart=apart) for n, counts in classes.sensitive.items()}
        return measurement(
            self.name,
            classes,
            levels,
            worst=worst,
            parameters={"delta": self.delta, "absent": self.absent},
            required=self.delta,
            safer="lower",
            strict=True,
        )

    def _level(self, counts: SensitiveCounts) -> Levels:
        gain = np.abs(np.log(counts.shares / whole_share(counts)))
        level = largest(counts.n_classes, counts.class_of, gain)
        if self.absent == "infinite":
            lacking = counts.distinct < (counts.overall > 0).sum()
            level = np.where(lacking, np.inf, level)
        return np.where(counts.totals > 0, level, np.nan)

    def _worst(self, counts: SensitiveCounts, *, apart: bool) -> Levels:
        """Return an upper bound of the level of each class, whatever its unknown cells are.

        A single unknown cell may have a value that the class otherwise lacks. The logarithm is then
        largest for the most frequent value of the release. apart: see `at_most`.
        """
        class_of, share, whole = at_most(counts, apart=apart)
        far = largest(counts.n_classes, class_of, np.log(share / whole))
        cells = counts.totals + counts.unknown
        unknown = counts.whole.unknown_rows
        everything = counts.overall.sum() + unknown
        least = counts.count / cells[counts.class_of]
        most = (counts.overall + unknown) / max(everything, 1.0)
        np.maximum.at(far, counts.class_of, np.log(most[counts.value] / least))
        once = np.flatnonzero(counts.unknown > 0)
        np.maximum.at(far, once, np.log(most.max(initial=0.0) * cells[once]))
        return far


@dataclass(frozen=True)
class BetaLikeness:
    """Beta-likeness: no value is much more frequent in a class than in the whole release.

    q is the share of a value in a class, p its share in the release. The relative gain is (q - p) /
    p. Basic form: the gain of every value is at most beta. Enhanced form: it is at most beta and at
    most -ln p. Level: the largest relative gain; in the enhanced form, infinite if some gain is
    above -ln p, since no beta allows it. Lower is safer; 0 means that no value is more frequent in
    a class than in the release. A value that a class lacks has no gain, so a class with a single
    value can satisfy a large beta.
    """

    name: ClassVar[str] = "beta-likeness"
    about: ClassVar[AboutModel] = AboutModel(
        level="beta",
        parameter="beta",
        means="The share of every sensitive value in a class is at most (1 + beta) times its "
        "share in the whole release",
        matters="Rare values are often the most sensitive ones. They must not be many times more "
        "frequent in a class than in the release.",
        do=SPREAD,
        by_class=True,
    )
    beta: float | None = None
    form: Literal["basic", "enhanced"] = "basic"

    def __post_init__(self) -> None:
        real_number("beta", self.beta, 0)
        if self.form not in ("basic", "enhanced"):
            raise ParameterError(f"form must be basic or enhanced, not {self.form!r}")

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the largest relative gain."""
        levels = {name: self._level(counts) for name, counts in classes.sensitive.items()}
        apart = classes.apart
        worst = {n: self._worst(counts, apart=apart) for n, counts in classes.sensitive.items()}
        return measurement(
            self.name,
            classes,
            levels,
            worst=worst,
            parameters={"beta": self.beta, "form": self.form},
            required=self.beta,
            safer="lower",
        )

    def _level(self, counts: SensitiveCounts) -> Levels:
        level = self._largest(counts.n_classes, counts.class_of, counts.shares, whole_share(counts))
        return np.where(counts.totals > 0, level, np.nan)

    def _worst(self, counts: SensitiveCounts, *, apart: bool) -> Levels:
        """Return an upper bound of the level of each class, whatever its unknown cells are.

        apart: see `at_most`.
        """
        return self._largest(counts.n_classes, *at_most(counts, apart=apart))

    def _largest(self, n_classes: int, class_of: Index, share: Levels, whole: Levels) -> Levels:
        gain = np.maximum(share - whole, 0) / whole
        if self.form == "enhanced":
            gain = np.where(gain > -np.log(whole) + 1e-12, np.inf, gain)
        return largest(n_classes, class_of, gain)


def at_most(counts: SensitiveCounts, *, apart: bool) -> tuple[Index, Levels, Levels]:
    """Return upper bounds of the shares in a class, and lower bounds of the shares in the release.

    The bounds hold whatever the unknown cells are. For each entry of the counts, all unknown cells
    of the class are taken to have the entry's value, and unknown cells of other classes to have
    other values. Each class with known and unknown cells gets one more entry: all of its unknown
    cells are taken to have the rarest value of the release.

    apart: True if nothing is counted in two classes. Then the unknown cells of a class are added to
    the release too. Otherwise they may have been counted already, and are not added.

    Returns the class of each entry, the upper bound of the share in the class, and the lower bound
    of the share in the release.
    """
    totals, unknown = counts.totals + counts.unknown, counts.unknown
    everything = counts.overall.sum() + counts.whole.unknown_rows
    may = np.flatnonzero((unknown > 0) & (counts.totals > 0))
    rarest = counts.overall[counts.overall > 0].min(initial=np.inf)
    class_of = np.concatenate([counts.class_of, may])
    count = np.concatenate([counts.count, np.zeros(len(may))]) + unknown[class_of]
    seen = np.concatenate([counts.overall[counts.value], np.full(len(may), rarest)])
    if apart:
        seen += unknown[class_of]
    return class_of, count / totals[class_of], seen / max(everything, 1.0)


def whole_share(counts: SensitiveCounts) -> Levels:
    """Return, for each entry of the counts, the share of its value in the whole release."""
    share: Levels = counts.overall[counts.value] / counts.overall.sum()
    return share


def largest(n_classes: int, class_of: Index, entries: Levels) -> Levels:
    """The largest number of each class, at least 0.

    entries: the numbers. class_of: the class of each number.
    """
    level = np.zeros(n_classes)
    np.maximum.at(level, class_of, entries)
    return level
