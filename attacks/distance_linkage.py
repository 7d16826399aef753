"""Distance linkage: link each person with the released row whose values are nearest.

Source: Pagliuca and Seri 1999 (distance-based record linkage), Domingo-Ferrer and Torra 2001 (the
share of right links as the risk of perturbed data).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor
from typing import ClassVar, Final, NamedTuple

import numpy as np

from anonaudit.about import AboutAttack, InMatrix
from anonaudit.arrays import Bools, Floats, Index, Ints
from anonaudit.attack import Setting, judge
from anonaudit.details import Details, Kind, fact
from anonaudit.errors import listed
from anonaudit.findings import Disclosure, Outcome, highest
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.alignment import Alignment, How
from anonaudit.linking.too_much import TooMuchError
from anonaudit.models.level import ROUNDING, ParameterError
from attacks.distances import ColumnDistance, column_distances
from attacks.link_chances import matching_entries
from attacks.shared import bounded, known_columns, nothing, persons_of

# An attack that needs more distances than this is refused. It needs one for each triple of a
# combination of the people, a released combination, and a column. This many take about a minute.
MOST_COMPARED: Final = 10_000_000_000
# One block computes about this many distances at once; a few arrays of this size are in memory.
PAIRS_AT_ONCE: Final = 2_000_000
# Without a paired original, everybody is undecided for this reason.
NO_TRUTH: Final = (
    "it is not known which links are right, because no original is given whose rows are paired by "
    "a key or by order (original.key or original.align)"
)
# Distances whose ratio differs from 1 by at most this much are equal.
TIED: Final = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class NearestRows(Details):
    """The people linked with the rows nearest to them.

    right: the expected number of right links. second: the expected number of right links if each
    person is linked with the second nearest row. alone: people with a single nearest row.
    not_released: rows of the original that the release lacks; their people are no targets.

    Without an original whose pairs are known, right and second are None. Without any original,
    not_released is 0.
    """

    right: float | None = fact("right links", said="Right links to the nearest row: {}")
    second: float | None = fact(
        "right links to the second nearest", said="Right links to the second nearest row: {}"
    )
    alone: int = fact("one nearest row", said="People with a single nearest row: {}")
    not_released: int = fact(
        "not released",
        Kind.COUNT,
        one="1 row of the original was not released and is no target",
        said="{} rows of the original were not released and are no targets",
    )


class Truth(NamedTuple):
    """The released combinations of each target's own rows, as parallel arrays.

    target, row: the numbers of the target and of the released combination. weight: how many people
    of the target have their row in this combination. unknown: how many people have no known row, so
    that their links may be right or wrong.
    """

    target: Index
    row: Index
    weight: Floats
    unknown: int = 0


class Nearest(NamedTuple):
    """The nearest and the second nearest rows of some people.

    chance, second: shape (people, combinations), the chance that the adversary takes a given row of
    the combination as the nearest row, and as the second nearest row. alone: shape (people,), True
    if a single row is nearest.
    """

    chance: Floats
    second: Floats
    alone: Bools


class DistanceLinkage:
    """The adversary links each person with the released row whose values are nearest.

    A perturbed value is near the true value, but seldom equal to it. So each person of the external
    table is linked with the row at the smallest distance over all known quasi-identifiers (see
    `distances`). Without an external table, the people of the original are linked. If several rows
    are nearest, one of them is taken at random.

    Success: the link is right, that is, the row is the person's own. The right links are known only
    if the rows of the original are paired with the release by a key or by order. Otherwise
    everybody is undecided. The rate is the expected share of right links: a person whose own row is
    one of m nearest rows counts 1/m.

    People of the original who were not released are no targets. A person of an external table may
    be any row of the original with the same values. A person without such a row is undecided.

    Options: external, identity; categories, the columns whose numbers are codes. Equal codes have
    the distance 0, different codes the distance 1. No model bounds this attack. Baseline: a random
    one of the n released rows is right with the chance 1/n.
    """

    name: ClassVar[str] = "distance-linkage"
    knowledge: ClassVar[str] = "a table with the true quasi-identifiers of its persons"
    options: ClassVar[tuple[str, ...]] = ("external", "identity", "categories")
    about: ClassVar[AboutAttack] = AboutAttack(
        means="Each person is linked with the released row of the nearest values",
        matters="Noise and swapping change values, but the changed row is often still the nearest "
        "one to its person.",
        do="Perturb the quasi-identifiers more, or microaggregate them in larger groups.",
        certain=False,
        matrix=InMatrix(unasked=False),
    )

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """Link everybody with the nearest row, and count the right links."""
        classes, alignment = setting.classes, setting.alignment
        categories = self._categories(setting)
        if classes.roles.unit is not None:
            reason = "this attack links rows, but the release counts persons; omit columns.unit"
            return nothing(self, setting, reason)
        if alignment is not None and alignment.how is How.PERMUTATION:
            alignment = None  # a best permutation pairs similar rows, not the rows of one person
        people = setting.external
        if people is not None:
            known: Sequence[str] = known_columns(self.name, setting, people)
            outside, sharing = persons_of(setting, people, known)
        elif alignment is not None:
            known = classes.roles.quasi_identifiers
            outside, sharing = _released_people(alignment, known)
        else:
            reason = (
                "no external table was given, and no original that is paired by a key or by order"
            )
            return nothing(self, setting, reason)
        inside = classes.base.project(known)
        if not known or not len(inside) or not sharing.sum():
            reason = "there is nobody to link, or no row to link with"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        if len(outside) * len(inside) * len(known) > MOST_COMPARED:
            raise TooMuchError(
                f"the people have {len(outside)} combinations of values, too many to compare with "
                f"{len(inside)} released combinations; name fewer people"
            )
        columns = column_distances(setting, outside, inside, categories)
        truth = None
        if alignment is not None:
            truth = _truth(alignment, known, outside, inside)
            if people is not None:
                truth = _of_people(truth, alignment, known, outside, sharing)
        return self._linked(setting, columns, inside, sharing, truth)

    def _linked(
        self,
        setting: Setting,
        columns: Sequence[ColumnDistance],
        inside: FrequencySet,
        sharing: Ints,
        truth: Truth | None,
    ) -> Disclosure:
        """Return the Disclosure with the share of right links."""
        alone, right, second, certain = 0, 0.0, 0.0, 0.0
        for first, nearest in _nearest(columns, inside.counts, len(sharing)):
            last = first + len(nearest.alone)
            alone += int(sharing[first:last][nearest.alone].sum())
            if truth is None:
                continue
            here = (truth.target >= first) & (truth.target < last)
            target, row, weight = truth.target[here] - first, truth.row[here], truth.weight[here]
            right += float((nearest.chance[target, row] * weight).sum())
            second += float((nearest.second[target, row] * weight).sum())
            certain += float(weight[nearest.chance[target, row] == 1].sum())
        targets, unread = int(sharing.sum()), sum(column.unread for column in columns)
        rate, undecided = 0.0, targets
        reasons = [] if truth is not None else [NO_TRUTH]
        if truth is not None:
            rate, undecided = min(right / targets, 1.0), truth.unknown
            if unread:
                undecided = targets - floor(right)
            if truth.unknown:
                reasons.append(
                    f"the original has no row with the values of {truth.unknown} of the people, so "
                    "it is not known whether their links are right (write the values "
                    "the same way in both files)"
                )
        if unread:
            reasons.append(
                f"{unread} label(s) cannot be compared (state what they denote: hierarchies or "
                "values.reading)"
            )
        return Disclosure(
            self.name,
            self.knowledge,
            targets,
            floor(certain + ROUNDING),
            0,
            rate,
            1 / inside.total,
            judge(rate, setting.allowed, highest(rate, targets, undecided)),
            allowed=setting.allowed,
            undecided=undecided,
            reason="; ".join(reasons) or None,
            details=NearestRows(
                right=None if truth is None else right,
                second=None if truth is None else second,
                alone=alone,
                not_released=0
                if setting.alignment is None
                else int(setting.alignment.missing.sum()),
            ),
        )

    def _categories(self, setting: Setting) -> tuple[str, ...]:
        """Return the option `categories`: names of quasi-identifiers."""
        value = setting.options.get("categories", ())
        quasi = setting.classes.roles.quasi_identifiers
        if isinstance(value, str) or not isinstance(value, Sequence) or not {*value} <= {*quasi}:
            raise ParameterError(
                f"{self.name}: categories must be a list of quasi-identifiers; there are: "
                f"{listed(quasi)}"
            )
        return tuple(value)


def _released_people(alignment: Alignment, known: Sequence[str]) -> tuple[FrequencySet, Ints]:
    """Return the combinations of the original's rows, and how many rows of each were released."""
    outside = alignment.original.project(known)
    target = outside.entry_of(alignment.original)[alignment.old]
    sharing = np.bincount(target, alignment.count, len(outside))
    return outside, sharing.astype(np.int64)


def _truth(
    alignment: Alignment, known: Sequence[str], outside: FrequencySet, inside: FrequencySet
) -> Truth:
    """Return the released combinations of the rows of each target."""
    target = matching_entries(outside, alignment.original, known)[alignment.old]
    row = matching_entries(inside, alignment.released, known)[alignment.new]
    there = (target >= 0) & (row >= 0)
    lost = int(alignment.count[~there & (target >= 0)].sum())
    return Truth(target[there], row[there], alignment.count[there].astype(np.float64), lost)


def _of_people(
    truth: Truth,
    alignment: Alignment,
    known: Sequence[str],
    outside: FrequencySet,
    sharing: Ints,
) -> Truth:
    """Return the truth for the people of an external table, given that of the original's rows.

    Each person is equally likely to be any row of the original with the same values. sharing: how
    many people each target is.
    """
    target = matching_entries(outside, alignment.original, known)
    there = target >= 0
    rows = np.bincount(target[there], alignment.original.counts[there], len(outside))
    weight = truth.weight * (sharing / np.maximum(rows, 1))[truth.target]
    unknown = int(sharing[rows == 0].sum()) + truth.unknown
    return truth._replace(weight=weight, unknown=min(unknown, int(sharing.sum())))


def _nearest(
    columns: Sequence[ColumnDistance], rows: Ints, n: int
) -> Iterator[tuple[int, Nearest]]:
    """Yield the nearest rows of n people, a block of people at a time.

    Each item is the number of the first person of the block, and the nearest rows of the block.
    rows: how many rows have each released combination.
    """
    step = max(PAIRS_AT_ONCE // len(rows), 1)
    for first in range(0, n, step):
        block = slice(first, min(first + step, n))
        apart = columns[0].between(block)
        for column in columns[1:]:
            apart = apart + column.between(block)
        chance, alone = _tied(apart, rows)
        apart[chance > 0] = np.inf
        runner_up, _ = _tied(apart, rows)
        # If several rows are nearest, the second nearest row is one of these rows too.
        yield first, Nearest(chance, np.where(alone[:, np.newaxis], runner_up, chance), alone)


def _tied(apart: Floats, rows: Ints) -> tuple[Floats, Bools]:
    """Return the chance that a given row of each combination is taken as the nearest row.

    apart: the squared distances, shape (people, combinations). rows: how many rows have each
    combination. The second result is True for the people with a single nearest row.
    """
    least = apart.min(axis=1, keepdims=True)
    tied = np.isfinite(least) & (apart <= least * (1 + TIED))
    number = tied @ rows
    return tied / np.maximum(number, 1)[:, np.newaxis], number == 1
