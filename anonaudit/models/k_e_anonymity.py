"""(k, e)-anonymity: every class has k distinct numbers or more, with a range of at least e."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from anonaudit.about import AboutModel, Unions
from anonaudit.cells import FIRST_VALUE
from anonaudit.findings import Measurement
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.sensitive_counts import SensitiveCounts
from anonaudit.models.level import Levels, ParameterError, measurement, real_number, whole_number
from anonaudit.special_details import ClassSize


@dataclass(frozen=True)
class KEAnonymity:
    """(k, e)-anonymity of numeric sensitive attributes.

    Every class has at least k distinct values of every attribute, and their range (the largest
    minus the smallest) is at least e. Values are distinct if they are written differently: 1 and
    1.0 are two values.

    Level: e, the smallest range of a class, in the unit of the attribute; `details` has k. Higher
    is safer; 0 means that all known numbers of some class are equal.

    Edge cases: no rows, undefined; a class with one value has range 0; unknown cells are ignored; a
    class with no known value has no level. Attributes without numbers are left out, with a note. If
    no sensitive attribute has numbers, nothing is measured.

    k: the least number of distinct values; None requires nothing. e: the least range; None requires
        nothing.
    scale: for each attribute, the number of each value, for example {"pay": {"10": 10.0}}. If only
        an order of the values is known, the number of a value is its position in the order, and a
        range is a number of steps.

    Raises ParameterError if a released value of an attribute in `scale` has no number.

    Source: Zhang, Koudas, Srivastava, Yu, Aggregate Query Answering on Anonymized Tables, ICDE
    2007.
    """

    name: ClassVar[str] = "k-e-anonymity"
    about: ClassVar[AboutModel] = AboutModel(
        level="e",
        parameter="e",
        means="Every class has k or more different numbers, and the largest exceeds the "
        "smallest by e or more",
        matters="If the numbers of a class are close together, an adversary knows the amount "
        "almost exactly, although the numbers differ.",
        do="Merge classes until the range of each class is large enough, and audit again.",
        beside="different values",
        facts=(ClassSize,),
        by_class=True,
        unions=Unions.ALWAYS,
    )
    k: int | None = None
    e: float | None = None
    scale: Mapping[str, Mapping[str, float]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        whole_number("k", self.k, 1)
        real_number("e", self.e, 0)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the smallest range of a class; the details have the fewest distinct values."""
        numeric = {n: c for n, c in classes.sensitive.items() if n in self.scale}
        levels = {name: self._range(counts) for name, counts in numeric.items()}
        few = np.zeros(len(classes), bool)
        fewest = None
        for counts in numeric.values():
            known = counts.totals > 0
            few |= known & (counts.distinct < (self.k or 1))
            if known.any():
                least = int(counts.distinct[known].min())
                fewest = least if fewest is None else min(fewest, least)
        left_out = [name for name in classes.sensitive if name not in numeric]
        return measurement(
            self.name,
            classes,
            levels,
            parameters={"k": self.k, "e": self.e},
            required=self.e,
            also_violating=few if self.k is not None else None,
            details=ClassSize(k=fewest),
            notes=(f"not numeric, so left out: {', '.join(left_out)}",) if left_out else (),
        )

    def _range(self, counts: SensitiveCounts) -> Levels:
        scale = self.scale[counts.attribute]
        # An unknown cell has no number, even if the convention counts it as a value.
        number = counts.value >= FIRST_VALUE
        class_of, value = counts.class_of[number], counts.value[number]
        used = np.flatnonzero(counts.overall > 0)
        lost = [code for code in used[used >= FIRST_VALUE] if counts.labels[code] not in scale]
        if lost:
            raise ParameterError(
                f"{len(lost)} value(s) of {counts.attribute!r} have no number; add them to "
                "values.ordered, because a range needs a number for every value"
            )
        place = np.array([scale.get(label, np.nan) for label in counts.labels])
        low, high = np.full(counts.n_classes, np.inf), np.full(counts.n_classes, -np.inf)
        np.minimum.at(low, class_of, place[value])
        np.maximum.at(high, class_of, place[value])
        there = high >= low
        spread = np.full(counts.n_classes, np.nan)
        spread[there] = high[there] - low[there]
        return spread
