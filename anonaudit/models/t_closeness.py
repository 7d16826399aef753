"""t-closeness: the distribution in every class is close to the distribution in the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from anonaudit.about import SPREAD, AboutModel, Need, Unasked
from anonaudit.cells import FIRST_VALUE
from anonaudit.findings import Measurement
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.sensitive_counts import SensitiveCounts
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.models.distance import equal_distance, hierarchical_distance, ordered_distance
from anonaudit.models.level import Chosen, Levels, ParameterError, measurement, real_number

Distance = Literal["equal", "ordered", "numeric", "hierarchical"]
DISTANCE_ROUNDING = 1e-14
DISTANCES: tuple[Distance, ...] = ("equal", "ordered", "numeric", "hierarchical")


@dataclass(frozen=True)
class TCloseness:
    """t-closeness: the earth mover's distance from every class to the whole release is at most t.

    t: the largest distance allowed; None requires nothing.
    distance: how the distance of two values is defined, from 0 to 1.
        `equal`: any two different values are 1 apart. The earth mover's distance is then half the
        sum of the absolute differences of shares (total variation).
        `ordered`: m values in order have the positions 0, 1/(m-1), ..., 1. The distance is the
        difference of the positions. Values with equal numbers share a position.
        `numeric`: the difference of the numbers, divided by the range of all released numbers.
        `hierarchical`: the level of the lowest common ancestor, divided by the height of the
        hierarchy.
    scale: for `ordered` and `numeric`: for each attribute, the number of each value. With
        `ordered`, all values of the scale have a position, even those that the release lacks.
    hierarchies: for `hierarchical`: by sensitive attribute. A hierarchy must have every released
        value. A released inner value is a value of its own. Its lowest common ancestor with a value
        below it is the inner value itself.

    An attribute without the scale or the hierarchy that `distance` needs is measured with the equal
    distance, and a note says so.

    Level: t, the largest distance of a class. Lower is safer; 0 means that every class has the
    distribution of the whole release; 1 is never reached, because every class is part of the
    release. A level of 0 does not exclude homogeneous classes: a release with one value has t = 0.

    Edge cases: no rows, undefined; one class, 0; a value absent from a class counts with its share
    in the whole release; unknown cells and rows in no class are left out of both distributions. A
    class is undecided if its distance is at most t, but might exceed t if the unknown cells were
    known.

    With a unit column, shares are shares of the distinct pairs of a person and a value. A pair
    counts once in a class and once in the release, however many rows it has.

    `measure` raises ParameterError if a value of an attribute in `scale` has no number, for example
    an unknown cell that the convention counts as a value. It raises HierarchyError for values that
    a hierarchy lacks.

    Source: Li, Li, Venkatasubramanian, t-Closeness: Privacy Beyond k-Anonymity and l-Diversity,
    ICDE 2007, Definition 2 and its sections on numerical and on categorical attributes.
    """

    name: ClassVar[str] = "t-closeness"
    about: ClassVar[AboutModel] = AboutModel(
        level="t",
        parameter="t",
        means="The sensitive values of every class are distributed like those of the whole "
        "release, within a distance t",
        matters="A class whose values are distributed differently from the whole release reveals "
        "something new about its people, even if the values are diverse.",
        do=f"{SPREAD} A distance that fits the attribute (ordered, hierarchical) may be more "
        "suitable than the equal distance.",
        named_by=("distance",),
        unasked=(
            Unasked(place=110, needs=frozenset({Need.SENSITIVE})),
            Unasked(place=170, needs=frozenset({Need.ORDER}), form={"distance": "ordered"}),
        ),
        by_class=True,
    )
    t: float | None = None
    distance: Distance = "equal"
    scale: Mapping[str, Mapping[str, float]] = field(default_factory=dict, repr=False)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)

    def __post_init__(self) -> None:
        real_number("t", self.t, 0, 1)
        if self.distance not in DISTANCES:
            raise ParameterError(
                f"distance must be one of {', '.join(DISTANCES)}, not {self.distance!r}"
            )

    def measure(
        self, classes: EquivalenceClasses, also_violating: Chosen | None = None
    ) -> Measurement:
        """Return the largest distance from a class to the whole release.

        also_violating: see `measurement`.
        """
        levels: dict[str, Levels] = {}
        plain = []
        by_tree = self.distance == "hierarchical"
        for name, counts in classes.sensitive.items():
            if by_tree and name in self.hierarchies:
                levels[name] = hierarchical_distance(counts, self.hierarchies[name])
            elif self.distance in ("ordered", "numeric") and name in self.scale:
                levels[name] = ordered_distance(counts, self._positions(counts, self.scale[name]))
            else:
                plain.append(name)
                levels[name] = equal_distance(counts)
        # Equal distributions must have distance 0, in spite of rounding errors.
        levels = {name: np.where(far < DISTANCE_ROUNDING, 0.0, far) for name, far in levels.items()}
        apart = classes.apart
        worst = {
            name: _farthest(levels[name], counts, apart=apart)
            for name, counts in classes.sensitive.items()
        }
        notes: tuple[str, ...] = ()
        if self.distance != "equal" and plain:
            named, lacks = ", ".join(plain), "hierarchy" if by_tree else "order"
            notes = (f"no {lacks} is known for {named}: measured with the equal distance",)
        return measurement(
            self.name,
            classes,
            levels,
            worst=worst,
            parameters={"t": self.t, "distance": self.distance},
            required=self.t,
            safer="lower",
            also_violating=also_violating,
            notes=notes,
        )

    def _positions(
        self, counts: SensitiveCounts, scale: Mapping[str, float]
    ) -> npt.NDArray[np.float64]:
        """The position of each code, from 0 to 1; NaN for codes that the release lacks, (n_codes,).

        scale: the number of each value. Raises ParameterError if a released value has no number.
        """
        used = np.flatnonzero(counts.overall > 0)
        lost = [code for code in used if counts.labels[code] not in scale]
        if lost and lost[0] < FIRST_VALUE:
            raise ParameterError(
                f"column {counts.attribute!r}: its missing and suppressed cells count as a value, "
                f"but this value has no place in the order that the {self.distance} distance "
                'needs; set conventions.sensitive = "unknown", or distance = "equal"'
            )
        if lost:
            raise ParameterError(
                f"{len(lost)} value(s) of {counts.attribute!r} have no place in its order; add "
                f"them to values.ordered, because the {self.distance} distance needs a place for "
                "every value"
            )
        number = np.array([float(scale[counts.labels[code]]) for code in used])
        low, span = number.min(initial=np.inf), np.ptp(number) if len(number) else 0.0
        if self.distance == "ordered":  # positions among all values of the scale
            steps = np.unique([*scale.values()])
            number, low, span = np.searchsorted(steps, number), 0.0, len(steps) - 1.0
        positions = np.full(len(counts.labels), np.nan)
        positions[used] = (number - low) / span if span else 0.0
        return positions


def _farthest(level: Levels, counts: SensitiveCounts, *, apart: bool) -> Levels:
    """Return an upper bound of the distance of each class for any values of the unknown cells.

    If a share u of the cells becomes known, the distribution moves by at most u under every
    distance, because no two values are more than 1 apart.

    level: the distance of each class without its unknown cells, shape (n_classes,).
    apart: see `EquivalenceClasses.apart`. If True, the release is a mixture of the class and the
        other rows. Then the distance of the class to the release is its distance to the other rows,
        times the share of the other rows in the release. With a single class it is 0.
    """
    known, unknown = counts.overall.sum(), counts.whole.unknown_rows
    cells, everything = counts.totals + counts.unknown, max(known + unknown, 1.0)
    moved = counts.unknown / np.maximum(cells, 1.0)
    farthest: Levels
    if apart:
        rest_known, rest = known - counts.totals, everything - cells
        moved += (unknown - counts.unknown) / np.maximum(rest, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            to_rest = np.where(rest_known > 0, level * known / rest_known, 1.0)
        farthest = np.minimum(to_rest + moved, 1.0) * rest / everything
    else:
        most = np.minimum(level + moved + unknown / everything, 1.0)
        farthest = np.where(cells == everything, 0.0, most)
    return farthest
