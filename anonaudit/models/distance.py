"""Earth mover's distances from each class to the whole release, for all classes at once.

Source: Li, Li, Venkatasubramanian, t-Closeness, ICDE 2007, section 3. Every function returns shape
(n_classes,), from 0 to 1. It ignores unknown cells, both in the class and in the release, and
returns NaN for a class with no known value.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import HierarchyError
from anonaudit.frequency.sensitive_counts import SensitiveCounts
from anonaudit.frequency.table_entries import added_up
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.models.level import Levels


def equal_distance(counts: SensitiveCounts) -> Levels:
    """The distance if any two values are 1 apart (total variation).

    It is half the sum over all values of |share in the class - share in the release|. A value that
    is absent from the class adds its share in the release. All absent values together add 1 minus
    the sum of the release shares of the values that are present.
    """
    whole = counts.overall / max(counts.overall.sum(), 1)
    here = whole[counts.value]
    absent = 1 - counts.add_up(here)
    distance = (counts.add_up(np.abs(counts.shares - here)) + absent) / 2
    return np.where(counts.totals > 0, np.clip(distance, 0, 1), np.nan)


def ordered_distance(counts: SensitiveCounts, position: npt.NDArray[np.float64]) -> Levels:
    """The earth mover's distance on a line: the area between the cumulative distributions.

    position: shape (n_codes,), the position of each value, from 0 to 1; values with the same
        position are treated as one value.

    Between two neighbouring values of a class, the cumulative share of the class is constant, while
    the cumulative share of the release rises. A binary search finds where the cumulative share of
    the release passes this constant. The areas on both sides are then read from a table of the area
    under the cumulative distribution of the release.
    """
    used = np.flatnonzero(counts.overall > 0)
    if len(used) == 0:
        return np.full(counts.n_classes, np.nan)
    place, step = np.unique(position[used], return_inverse=True)
    total = np.bincount(step, weights=counts.overall[used])
    cumulated = np.cumsum(total) / total.sum()
    gap = np.append(np.diff(place), 0.0)
    # The area under the cumulative distribution of the release, up to each step.
    area = np.concatenate([[0.0], np.cumsum(cumulated * gap)])
    reach = np.concatenate([[0.0], np.cumsum(gap)])

    step_of = np.zeros(len(position), np.intp)
    step_of[used] = step
    order = np.lexsort((step_of[counts.value], counts.class_of))
    class_of, at = counts.class_of[order], step_of[counts.value][order]
    running = np.cumsum(counts.count[order])
    own = counts.count[order]
    begins = np.append(True, class_of[1:] != class_of[:-1])[: len(own)]
    before = np.maximum.accumulate(np.where(begins, running - own, 0))
    level = (running - before) / counts.totals[class_of]  # sums of integers: exact
    following = np.append(at[1:], len(place))
    last = np.append(class_of[1:] != class_of[:-1], True)[: len(own)]
    end = np.where(last, len(place), following[: len(own)])

    def between(
        height: npt.NDArray[np.float64], a: npt.NDArray[np.intp], b: npt.NDArray[np.intp]
    ) -> npt.NDArray[np.float64]:
        """The area between a height and the release's cumulative distribution, steps a to b."""
        cross = np.clip(np.searchsorted(cumulated, height), a, b)
        above = height * (reach[cross] - reach[a]) - (area[cross] - area[a])
        below = (area[b] - area[cross]) - height * (reach[b] - reach[cross])
        total: npt.NDArray[np.float64] = above + below
        return total

    distance = np.bincount(class_of, between(level, at, end), counts.n_classes).astype(np.float64)
    start = np.full(counts.n_classes, len(place))
    np.minimum.at(start, class_of, at)
    distance += area[start]  # before its first value, the cumulative share of a class is 0
    return np.where(counts.totals > 0, np.clip(distance, 0, 1), np.nan)


def hierarchical_distance(counts: SensitiveCounts, tree: Hierarchy) -> Levels:
    """The earth mover's distance if the distance of two values comes from a hierarchy.

    The distance of two values is (level of their lowest common ancestor) / (height of the
    hierarchy).

    The paper moves mass at every node: the surplus of some children covers the deficit of others,
    and the cost is the level of the node. This function sums by levels, which gives the same
    result. For each of the `height` levels below the root, it generalizes all values to this level.
    The equal distance between the generalized distributions is the mass that must move between
    groups of this level. The hierarchical distance is the mean of these equal distances. It never
    exceeds the equal distance of the values themselves.

    If the common ancestor spans several levels, the lowest of these levels counts. A released inner
    value is treated as a value of its own at its level.

    Raises HierarchyError for values that the hierarchy lacks.
    """
    used = [int(code) for code in np.flatnonzero(counts.overall > 0)]
    known = [code for code in used if code >= FIRST_VALUE]
    lost = sorted({counts.labels[c] for c in known if counts.labels[c] not in tree})
    if lost:
        raise HierarchyError(
            f"the hierarchy of {counts.attribute!r} lacks {len(lost)} value(s) of the release; a "
            "hierarchical distance needs a place for every value",
            lost,
        )
    total = np.zeros(counts.n_classes)
    for level in range(tree.height):
        group = np.arange(len(counts.labels))  # a counted unknown cell is its own group
        first: dict[str, int] = {}
        for code in known:
            group[code] = first.setdefault(tree.generalize(counts.labels[code], level), code)
        total += equal_distance(_grouped(counts, group))
    return total / tree.height


def _grouped(counts: SensitiveCounts, group: npt.NDArray[np.intp]) -> SensitiveCounts:
    """Return the counts after each value is replaced by its group.

    group: the code of the group of each value, shape (n_codes,).
    """
    table = added_up(counts.count, counts.class_of, group[counts.value])
    overall = np.bincount(group, counts.overall, len(group)).astype(np.float64)
    whole = replace(counts.whole, overall=overall)
    merged = SensitiveCounts.build(counts.attribute, counts.labels, table, counts.unknown, whole)
    # The same totals at every level avoid rounding differences between levels.
    return replace(merged, totals=counts.totals)
