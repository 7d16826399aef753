"""t-closeness: every class looks much like the whole release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from anonaudit.classes import EquivalenceClasses
from anonaudit.findings import Measurement
from anonaudit.models.level import Levels, ParameterError, measurement, real_number
from anonaudit.sensitive_counts import SensitiveCounts

Distance = Literal["equal", "ordered", "numeric"]
DISTANCES: tuple[Distance, ...] = ("equal", "ordered", "numeric")


@dataclass(frozen=True)
class TCloseness:
    """t-closeness: the earth mover's distance of every class to the whole is at most t.

    distance: `equal`, every two values are 1 apart: half the sum of the differences of shares
        (total variation). `ordered`, m values in order are 0, 1, ..., m-1 steps of 1/(m-1)
        apart, equal values being one step. `numeric`, they are apart by their difference over
        the range of all values.
    scale: for `ordered` and `numeric`, the number each value of an attribute stands for.
        Attributes without one are measured with the equal distance.

    Level: t, the largest distance. Lower is safer; 0 means that no class tells anything that
    the whole does not, which does not exclude homogeneity: a release with one value has t = 0.
    Edge cases: no rows, undefined; unknown cells are left out of both distributions.

    Source: Li, Li, Venkatasubramanian, t-Closeness: Privacy Beyond k-Anonymity and
    l-Diversity, ICDE 2007, Definition 2 and section 3 on numerical attributes.
    """

    name: ClassVar[str] = "t-closeness"
    t: float | None = None
    distance: Distance = "equal"
    scale: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        real_number("t", self.t, 0, 1)
        if self.distance not in DISTANCES:
            raise ParameterError(
                f"distance must be one of {', '.join(DISTANCES)}, not {self.distance!r}"
            )

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The largest distance of a class to the whole release."""
        levels: dict[str, Levels] = {}
        unscaled = []
        for name, counts in classes.sensitive.items():
            if self.distance != "equal" and name in self.scale:
                levels[name] = ordered_distance(counts, self._positions(counts, self.scale[name]))
            else:
                unscaled.append(name)
                levels[name] = equal_distance(counts)
        notes: tuple[str, ...] = ()
        if self.distance != "equal" and unscaled:
            named = ", ".join(unscaled)
            notes = (f"no order is known for {named}: measured with the equal distance",)
        return measurement(
            self.name,
            classes,
            levels,
            parameters={"t": self.t, "distance": self.distance},
            required=self.t,
            safer="lower",
            notes=notes,
        )

    def _positions(
        self, counts: SensitiveCounts, scale: Mapping[str, float]
    ) -> npt.NDArray[np.float64]:
        """Where each code lies between 0 and 1; NaN for codes that do not occur."""
        used = np.flatnonzero(counts.overall > 0)
        lost = [code for code in used if counts.labels[code] not in scale]
        if lost:
            raise ParameterError(
                f"{len(lost)} value(s) of {counts.attribute!r} have no place in its order; an "
                "ordered distance needs a number or a place for every value"
            )
        number = np.array([scale[counts.labels[code]] for code in used])
        if self.distance == "ordered":
            number = np.unique(number, return_inverse=True)[1].astype(np.float64)
        span = number.max() - number.min() if len(number) else 0.0
        positions = np.full(len(counts.labels), np.nan)
        positions[used] = (number - number.min()) / span if span else 0.0
        return positions


def equal_distance(counts: SensitiveCounts) -> Levels:
    """Half the sum over all values of |share in the class - share in the whole|.

    Values absent from a class add their whole share: 1 minus the shares of those present.
    """
    whole = counts.overall / max(counts.overall.sum(), 1)
    here = whole[counts.value]
    absent = 1 - counts.add_up(here)
    distance = (counts.add_up(np.abs(counts.shares - here)) + absent) / 2
    return np.where(counts.totals > 0, np.clip(distance, 0, 1), np.nan)


def ordered_distance(counts: SensitiveCounts, position: npt.NDArray[np.float64]) -> Levels:
    """The earth mover's distance on a line: the area between the cumulated shares.

    position: shape (n_codes,), where each value lies, from 0 to 1; equal places are one value.
    Between two values of a class its cumulated share stays, while that of the whole climbs;
    with the area under the whole tabulated, each such stretch costs one search.
    """
    used = np.flatnonzero(counts.overall > 0)
    if len(used) == 0:
        return np.full(counts.n_classes, np.nan)
    place, step = np.unique(position[used], return_inverse=True)
    total = np.bincount(step, weights=counts.overall[used], minlength=len(place))
    cumulated = np.cumsum(total) / total.sum()
    gap = np.append(np.diff(place), 0.0)
    area = np.concatenate([[0.0], np.cumsum(cumulated * gap)])  # under the whole, up to a step
    reach = np.concatenate([[0.0], np.cumsum(gap)])

    step_of = np.zeros(len(position), np.intp)
    step_of[used] = step
    order = np.lexsort((step_of[counts.value], counts.class_of))
    class_of, at = counts.class_of[order], step_of[counts.value][order]
    running = np.cumsum(counts.count[order])
    own = counts.count[order]
    begins = np.append(True, class_of[1:] != class_of[:-1])[: len(own)]
    before = np.maximum.accumulate(np.where(begins, running - own, 0))
    level = (running - before) / counts.totals[class_of]  # whole counts: no rounding adds up
    following = np.append(at[1:], len(place))
    last = np.append(class_of[1:] != class_of[:-1], True)[: len(own)]
    end = np.where(last, len(place), following[: len(own)])

    def between(
        height: npt.NDArray[np.float64], a: npt.NDArray[np.intp], b: npt.NDArray[np.intp]
    ) -> npt.NDArray[np.float64]:
        """The area between a constant height and the cumulated whole over steps a to b."""
        cross = np.clip(np.searchsorted(cumulated, height), a, b)
        above = height * (reach[cross] - reach[a]) - (area[cross] - area[a])
        below = (area[b] - area[cross]) - height * (reach[b] - reach[cross])
        total: npt.NDArray[np.float64] = above + below
        return total

    distance = np.bincount(class_of, between(level, at, end), minlength=counts.n_classes)
    start = np.full(counts.n_classes, len(place))
    np.minimum.at(start, class_of, at)
    distance += area[start]  # before its first value the class has nothing
    return np.where(counts.totals > 0, np.clip(distance, 0, 1), np.nan)
