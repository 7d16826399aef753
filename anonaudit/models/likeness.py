"""Delta-disclosure privacy and beta-likeness: how far a class shifts the share of a single value.

Sources: delta-disclosure privacy, Brickell, Shmatikov, The Cost of Privacy, KDD 2008, Definition 4;
beta-likeness, Cao, Karras, Publishing Microdata with a Robust Privacy Guarantee, PVLDB 5(11), 2012,
Definitions 2 and 3.

Shares are shares of the known cells, both in a class and in the whole release. With a unit column,
they are shares of the distinct pairs of a person and a value; a pair counts once in each class, and
once in the release. A class is undecided if it meets the requirement, but might not meet it if the
unknown cells were known. Without rows nothing is measured. A release with one class, or with one
value, has level 0. A class with no known value has no level.
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
    makes the logarithm infinite, as in the definition.

    Level: the largest absolute logarithm. Lower is safer; 0 means that every class has the
    distribution of the whole release, infinity that a class lacks a value.

    delta: the level must be below delta; None requires nothing. absent: "ignored" leaves out the
    values that a class lacks, as some tools do. Then a class with a single value, whose share in
    the release is p, has level -ln p.
    """

    name: ClassVar[str] = "delta-disclosure"
    about: ClassVar[AboutModel] = AboutModel(
        level="delta",
        parameter="delta",
        means="The share of every sensitive value in a class differs from its share in the "
        "whole release by a factor below e^delta",
        infinite="some class lacks a value of the release, so no delta is high enough for it",
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
        """Return the largest |ln(share in the class / share in the release)|."""
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
        """Return an upper bound of the level of each class for any values of the unknown cells.

        If one unknown cell of a class of n cells has a value that the class otherwise lacks, the
        share of this value in the class is 1/n. The absolute logarithm is then largest for the most
        frequent value of the release. apart: see `at_most`.
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

    Let q be the share of a value in a class, and p its share in the release. The relative gain of
    the value is (q - p) / p. Basic form: every gain is at most beta. Enhanced form: every gain is
    at most beta and at most -ln p.

    Level: the largest relative gain. In the enhanced form, the level is infinite if some gain is
    above -ln p, because no beta allows it. Lower is safer; 0 means that no value has a larger share
    in a class than in the release. A value that a class lacks has no gain, so a class with a single
    value can satisfy a large beta.

    beta: the largest gain allowed; None requires nothing. form: "basic" or "enhanced".
    """

    name: ClassVar[str] = "beta-likeness"
    about: ClassVar[AboutModel] = AboutModel(
        level="beta",
        parameter="beta",
        means="The share of every sensitive value in a class is at most (1 + beta) times its "
        "share in the whole release",
        infinite="the share of a value in some class is larger than any beta allows",
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
        """Return the largest relative gain of a value in a class."""
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
        """Return an upper bound of the level of each class for any values of the unknown cells.

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

    The bounds hold for any values of the unknown cells. For each entry (class, value) of the
    counts, all unknown cells of the class are taken to have this value, and unknown cells of other
    classes to have other values. Each class with known and unknown cells gets one more entry, for a
    value that it may lack: all of its unknown cells are taken to have the rarest value of the
    release.

    apart: see `EquivalenceClasses.apart`. If True, the count of the value in the release includes
        the unknown cells of the class. If False, it does not, because another class may already
        count the same row, or the same person with this value.

    Returns three arrays of shape (n_entries,): the class of each entry, the upper bound of its
    share in the class, and the lower bound of its share in the release.
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
    """Return the largest entry of each class, or 0 if it has none above 0; shape (n_classes,).

    class_of, entries: the class and the number of each entry, shape (n_entries,).
    """
    level = np.zeros(n_classes)
    np.maximum.at(level, class_of, entries)
    return level
