"""How much more an adversary knows of a value after seeing a class: delta and beta.

Sources: delta-disclosure privacy, Brickell, Shmatikov, The Cost of Privacy, KDD 2008,
Definition 4; beta-likeness, Cao, Karras, Publishing Microdata with a Robust Privacy Guarantee,
PVLDB 5(11), 2012, Definitions 2 and 3.

Shares are taken of the known cells, in a class as in the whole; a class that could fall short if
its unknown cells had some value of the release is undecided. Where the release has persons, of
the pairs of a person and a value, each of which counts once in a class and once in the whole.
Without rows nothing is measured; one class, or one value, gives 0; a class with no known value is
apart.
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
    """Delta-disclosure privacy: |ln(share in the class / share in the whole)| < delta, strictly.

    For every value of the whole release and every class. A value absent from a class makes the
    logarithm infinite, as the definition has it; absent="ignored" leaves such values out, as
    some tools do. Level: the largest absolute logarithm. Lower is safer; 0 means that every
    class has the distribution of the whole, infinity that a class lacks a value. With
    absent values ignored, a class of one value of share p in the whole has the level -ln p.
    """

    name: ClassVar[str] = "delta-disclosure"
    about: ClassVar[AboutModel] = AboutModel(
        level="delta",
        parameter="delta",
        means="The share of every sensitive value in a class differs from its share in the "
        "whole release by a factor below e^delta",
        matters="It limits what is learned about every single value, including rare values and "
        "values that a class lacks.",
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
        """The largest absolute logarithm."""
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
        """What no class exceeds, whatever its unknown cells are; apart: as of `at_most`.

        Among them a value that the class lacks may be, once; the most frequent loses most by it.
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
    """Beta-likeness: no value's share grows by more than beta times its share in the whole.

    Basic: (q - p) / p <= beta for every value whose share q in a class is above p, its share in
    the whole. Enhanced: <= min(beta, -ln p). Level: the largest relative gain; for the enhanced
    form infinite where some gain is above -ln p, which no beta allows. Lower is safer; 0 means
    that no value is more frequent in a class than in the whole. Values absent from a class lose
    share, which beta does not forbid: a homogeneous class can satisfy a large one.
    """

    name: ClassVar[str] = "beta-likeness"
    about: ClassVar[AboutModel] = AboutModel(
        level="beta",
        parameter="beta",
        means="No sensitive value's share in a class exceeds its share in the whole release by "
        "more than beta times that share",
        matters="Rare values are often the most sensitive ones. They must not become many times "
        "likelier in a class.",
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
        """The largest relative gain."""
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
        """What no class exceeds, whatever its unknown cells are; apart: as of `at_most`."""
        return self._largest(counts.n_classes, *at_most(counts, apart=apart))

    def _largest(self, n_classes: int, class_of: Index, share: Levels, whole: Levels) -> Levels:
        gain = np.maximum(share - whole, 0) / whole
        if self.form == "enhanced":
            gain = np.where(gain > -np.log(whole) + 1e-12, np.inf, gain)
        return largest(n_classes, class_of, gain)


def at_most(counts: SensitiveCounts, *, apart: bool) -> tuple[Index, Levels, Levels]:
    """How frequent a value may be in a class, beside how rare in the whole, were all cells known.

    Every entry of the counts, with all unknown cells of its class added and none elsewhere; and
    for each class with unknown cells the rarest value of the release, as it may be in all of them.

    apart: whether nothing is counted in two classes. Then what a class adds is added to the whole;
    otherwise it may have been there.

    Returns the class, the share in it (no value has more) and the share in the whole (no less).
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
    """For each entry the share of its value in the whole release."""
    share: Levels = counts.overall[counts.value] / counts.overall.sum()
    return share


def largest(n_classes: int, class_of: Index, entries: Levels) -> Levels:
    """The largest number per entry of each class, 0 at least; class_of: the class of each entry."""
    level = np.zeros(n_classes)
    np.maximum.at(level, class_of, entries)
    return level
