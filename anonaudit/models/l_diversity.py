"""l-diversity of one sensitive attribute at a time: distinct, entropy and recursive.

Source: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, l-Diversity: Privacy Beyond k-Anonymity,
ACM TKDD 1(1), 2007, Definitions 3.1 to 3.3 of its section on instantiations.

All three models ignore unknown cells when they compute the level. A class with no known value has
no level; `per_attribute` has the number of these classes. Without rows nothing is measured. A class
is undecided if it meets the requirement, but might not meet it if its unknown cells were known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from anonaudit.about import SPREAD, AboutModel, Need, Unasked, Unions
from anonaudit.findings import Measurement
from anonaudit.frequency.classes import EquivalenceClasses, equivalence_classes
from anonaudit.frequency.sensitive_counts import SensitiveCounts
from anonaudit.models.level import (
    Chosen,
    Levels,
    ParameterError,
    measurement,
    real_number,
    whole_number,
)
from anonaudit.models.p_sensitive import known_levels

SensitiveReading = Literal["each", "joint", "others-known"]
READINGS: tuple[SensitiveReading, ...] = ("each", "joint", "others-known")


def levels_by_reading(
    classes: EquivalenceClasses,
    reading: SensitiveReading,
    level: Callable[[SensitiveCounts], Levels],
) -> tuple[dict[str, Levels], dict[str, Levels]]:
    """Return the levels of each class, if there are several sensitive attributes.

    level: computes the level of each class from the counts of an attribute, shape (n_classes,).
    reading: how several sensitive attributes are combined.

    - `each`: every attribute is measured by itself, and the worst attribute decides.
    - `joint`: each combination of values of all attributes is one value. This hides an attribute
      that is constant in a class.
    - `others-known`: the adversary knows all sensitive attributes but one. For each attribute, the
      others count as quasi-identifiers and split a class into parts. The level of the class is the
      level of its worst part.

    Returns two dicts from attributes to levels: the levels that ignore unknown cells, and the
    levels with the worst values of the unknown cells.
    """
    read: Mapping[str, SensitiveCounts] = classes.sensitive
    if reading == "others-known" and len(classes.sensitive) > 1:
        return _with_others_known(classes, level)
    if reading == "joint" and len(classes.sensitive) > 1:
        counts = classes.combined()
        read = {counts.attribute: counts}
    return (
        {name: level(counts) for name, counts in read.items()},
        {name: level(counts.filled()) for name, counts in read.items()},
    )


def _with_others_known(
    classes: EquivalenceClasses, level: Callable[[SensitiveCounts], Levels]
) -> tuple[dict[str, Levels], dict[str, Levels]]:
    """Return the levels of the reading `others-known`, in the form of `levels_by_reading`.

    If a cell of another sensitive attribute is unknown in the release, the adversary may still know
    its value. The row is then in a part that the release does not show, and may be alone in it. So
    the worst level of its class is 1.
    """
    if classes.compatibility is not None:
        raise ParameterError(
            "the reading others-known is not defined under wildcards, because an unknown "
            "sensitive value would match every value; use another reading or convention"
        )
    levels, least = {}, {}
    # `classes.kept` has only the rows that are in a class. No row may be left out because the other
    # sensitive attributes, now quasi-identifiers, are unknown.
    decided = replace(
        classes.convention, suppressed_tuples="include", quasi_identifiers="own-category"
    )
    for attribute in classes.sensitive:
        others = [name for name in classes.sensitive if name != attribute]
        finer = equivalence_classes(classes.kept, classes.roles.promote(*others), decided)
        counts = finer.sensitive[attribute]
        levels[attribute] = _worst_part(finer, classes, level(counts))
        sure = _worst_part(finer, classes, level(counts.filled()))
        lacking = np.any([classes.sensitive[name].unknown > 0 for name in others], axis=0)
        least[attribute] = np.where(lacking, np.fmin(sure, 1.0), sure)
    return levels, least


def _worst_part(finer: EquivalenceClasses, classes: EquivalenceClasses, levels: Levels) -> Levels:
    """The lowest level among the parts of each class, shape (n_classes,).

    finer: the parts, as equivalence classes. levels: the level of each part, shape (n_parts,).
    """
    part_of = classes.number_of(finer.keys)
    worst = np.full(len(classes), np.inf)
    known = ~np.isnan(levels) & (part_of >= 0)
    np.minimum.at(worst, part_of[known], levels[known])
    return np.where(np.isinf(worst), np.nan, worst)


@dataclass(frozen=True)
class LDiversity:
    """Distinct l-diversity: every class has at least l distinct sensitive values.

    Level: l, the least number of distinct known values in a class. Higher is safer; 1 means that
    all known values of some class are equal.

    l: the required level; None requires nothing. reading: how several sensitive attributes are
    combined, see `levels_by_reading`.
    """

    name: ClassVar[str] = "l-diversity"
    about: ClassVar[AboutModel] = AboutModel(
        level="l",
        parameter="l",
        means="Every class has l or more different sensitive values",
        matters="If a class has few different values, an adversary who guesses has few to choose "
        "from.",
        do=SPREAD,
        several_values="l",
        variants=("reading",),
        named_by=("reading",),
        unasked=(Unasked(place=50, needs=frozenset({Need.SENSITIVE})),),
        by_class=True,
        unions=Unions.ALWAYS,
    )
    l: int | None = None
    reading: SensitiveReading = "each"

    def __post_init__(self) -> None:
        whole_number("l", self.l, 1)
        _check_reading(self.reading)

    def measure(
        self, classes: EquivalenceClasses, also_violating: Chosen | None = None
    ) -> Measurement:
        """Return the least number of distinct known values.

        also_violating: see `measurement`.
        """
        levels, worst = levels_by_reading(classes, self.reading, known_levels)
        return measurement(
            self.name,
            classes,
            levels,
            worst=worst,
            parameters=_parameters(self.l, self.reading),
            required=self.l,
            whole=True,
            also_violating=also_violating,
        )


@dataclass(frozen=True)
class EntropyLDiversity:
    """Entropy l-diversity: the entropy of every class is at least log l.

    Level: l = exp(H), where H is the smallest Shannon entropy of a class, with natural logarithms.
    Higher is safer; m equally frequent values give exactly m, one value gives 1. The level is never
    above the level of distinct l-diversity.

    l: the required level; None requires nothing. reading: how several sensitive attributes are
    combined, see `levels_by_reading`.
    """

    name: ClassVar[str] = "entropy-l-diversity"
    about: ClassVar[AboutModel] = AboutModel(
        level="l",
        parameter="l",
        means="The sensitive values of every class have at least the entropy of l equally "
        "frequent values",
        matters="Several values do not help if nearly all rows of a class have the same value. "
        "Entropy takes the frequencies into account.",
        do=SPREAD,
        several_values="l",
        variants=("reading",),
        named_by=("reading",),
        unasked=(Unasked(place=60, needs=frozenset({Need.SENSITIVE})),),
        by_class=True,
        unions=Unions.IF_APART,
    )
    l: float | None = None
    reading: SensitiveReading = "each"

    def __post_init__(self) -> None:
        real_number("l", self.l, 1)
        _check_reading(self.reading)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return exp(H) for the smallest entropy H of a class."""
        levels, worst = levels_by_reading(classes, self.reading, effective_number)
        return measurement(
            self.name,
            classes,
            levels,
            worst=worst,
            parameters=_parameters(self.l, self.reading),
            required=self.l,
        )


def effective_number(counts: SensitiveCounts) -> Levels:
    """Return exp(H), H the entropy of the shares in each class; NaN without a known value."""
    entropy = counts.add_up(-counts.shares * np.log(counts.shares))
    return np.where(counts.totals > 0, np.exp(entropy), np.nan)


@dataclass(frozen=True)
class RecursiveCLDiversity:
    """Recursive (c,l)-diversity: r1 < c (r_l + ... + r_m) in every class.

    r1 >= r2 >= ... >= r_m are the counts of the m distinct values of a class.

    Level: the largest ratio r1 / (r_l + ... + r_m) of a class, which must be below c. Lower is
    safer; the level is infinite if a class has fewer than l distinct values.

    c: the requirement; None requires nothing. l: at least 1.
    """

    name: ClassVar[str] = "recursive-c-l-diversity"
    about: ClassVar[AboutModel] = AboutModel(
        level="ratio",
        parameter="c",
        means="In every class the most frequent sensitive value occurs less than c times as "
        "often as the l-th most frequent and all rarer values together",
        infinite="some class has fewer than l different values, so no c is high enough for it",
        matters="An adversary may rule out some values of a class. The most frequent value must "
        "not become too likely then.",
        do=SPREAD,
        strict=True,
        several_values="l",
        unasked=(Unasked(place=70, needs=frozenset({Need.SENSITIVE})),),
        by_class=True,
        unions=Unions.IF_APART,
    )
    c: float | None = None
    l: int = 2

    def __post_init__(self) -> None:
        real_number("c", self.c, 0, above=True)
        whole_number("l", self.l, 1)
        if self.l is None:
            raise ParameterError("l must be given")

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the largest ratio of a class, which must be below c."""
        levels = {name: self.ratio(counts) for name, counts in classes.sensitive.items()}
        worst = {name: self.ratio(counts.filled()) for name, counts in classes.sensitive.items()}
        return measurement(
            self.name,
            classes,
            levels,
            worst=worst,
            parameters={"c": self.c, "l": self.l},
            required=self.c,
            safer="lower",
            strict=True,
        )

    def ratio(self, counts: SensitiveCounts) -> Levels:
        """Return r1 / (r_l + ... + r_m) of each class; infinite if it has fewer than l values."""
        tail = counts.add_up(np.where(counts.rank >= self.l - 1, counts.count, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = counts.largest / tail
        return np.where(counts.totals > 0, ratio, np.nan)


def _check_reading(reading: object) -> None:
    if reading not in READINGS:
        raise ParameterError(f"reading must be one of {', '.join(READINGS)}, not {reading!r}")


def _parameters(
    level: float | None, reading: SensitiveReading
) -> Mapping[str, int | float | str | None]:
    return {"l": level, "reading": None if reading == "each" else reading}
