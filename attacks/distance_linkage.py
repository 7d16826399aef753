"""Distance linkage: each person is linked with the released row of the nearest values.

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

# More pairs of a person and a row, times columns, are not compared: about a minute.
MOST_COMPARED: Final = 10_000_000_000
# So many distances are in memory at once, some times over.
PAIRS_AT_ONCE: Final = 2_000_000
# Why everybody is undecided without the original.
NO_TRUTH: Final = (
    "nobody can tell which links are right without the original, paired by a key or by order "
    "(original.key or original.align)"
)
# Distances are equal within rounding.
TIED: Final = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class NearestRows(Details):
    """People linked with the rows nearest to them.

    right: how many links are expected to be right; second: how many would be right if the second
    nearest row were taken. alone: people with a single nearest row. not_released: rows of the
    original that the release lacks, who are no targets. All but `alone` need the original.
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
    """Which released combination the rows of each target have, pair by pair.

    weight: how many people of the target the pair stands for. unknown: how many people have no row
    that is known, so that no link of theirs is known to be wrong.
    """

    target: Index
    row: Index
    weight: Floats
    unknown: int = 0


class Nearest(NamedTuple):
    """The nearest and the second nearest rows of some people, shape (people, combinations).

    chance, second: the chance that a row of the combination is taken for the nearest row, and for
    the second nearest. alone: whether a single row is nearest, shape (people,).
    """

    chance: Floats
    second: Floats
    alone: Bools


class DistanceLinkage:
    """The adversary links each person with the released row whose values are nearest.

    A perturbed value is near the true one, and seldom equal to it. So each person of the external
    table, or of the original where no table is given, is linked with the row at the smallest
    distance over all quasi-identifiers that are known (see `distances`); of m rows at the same
    distance one is taken at random.

    Success: the link is right, and the row is the person's own. That is known with the original,
    whose rows are paired with the release by a key or by their order. The rate is the expected
    share of right links: a person whose own row is among m nearest rows counts 1/m. Without
    the original no link is known to be right or wrong, so everybody is undecided.

    People of the original who were not released are no targets. A person of an external table is
    any row of the original with the same values. A person without such a row is undecided.

    Options: external, identity; categories, the columns whose numbers are codes, which are equal or
    not. No model bounds this attack. Baseline: a row at random is right with the chance 1/n.
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
            reason = "rows are linked here, and the release counts persons; leave out columns.unit"
            return nothing(self, setting, reason)
        if alignment is not None and alignment.how is How.PERMUTATION:
            alignment = None  # pairs that explain the values do not say whose row it is
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
                f"{len(outside)} combinations of values of people are too many to compare with "
                f"{len(inside)} released ones; name fewer people"
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
        """The share of right links, judged."""
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
                    f"{truth.unknown} of the people have no row of the original with the same "
                    "values, so nobody knows whether their links are right (write both alike)"
                )
        if unread:
            reasons.append(
                f"{unread} label(s) cannot be compared (hierarchies or values.reading says what "
                "they denote)"
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
        """The option `categories`: names of quasi-identifiers."""
        value = setting.options.get("categories", ())
        quasi = setting.classes.roles.quasi_identifiers
        if isinstance(value, str) or not isinstance(value, Sequence) or not {*value} <= {*quasi}:
            raise ParameterError(
                f"{self.name}: categories must be a list of quasi-identifiers; there are: "
                f"{listed(quasi)}"
            )
        return tuple(value)


def _released_people(alignment: Alignment, known: Sequence[str]) -> tuple[FrequencySet, Ints]:
    """The values of the original's rows, and how many of the rows with each were released."""
    outside = alignment.original.project(known)
    target = outside.entry_of(alignment.original)[alignment.old]
    sharing = np.bincount(target, alignment.count, len(outside))
    return outside, sharing.astype(np.int64)


def _truth(
    alignment: Alignment, known: Sequence[str], outside: FrequencySet, inside: FrequencySet
) -> Truth:
    """Which rows are whose, for the targets and the released combinations there are."""
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
    """The same for the people of a table, who may each be any row of the original like them."""
    target = matching_entries(outside, alignment.original, known)
    there = target >= 0
    rows = np.bincount(target[there], alignment.original.counts[there], len(outside))
    weight = truth.weight * (sharing / np.maximum(rows, 1))[truth.target]
    unknown = int(sharing[rows == 0].sum()) + truth.unknown
    return truth._replace(weight=weight, unknown=min(unknown, int(sharing.sum())))


def _nearest(
    columns: Sequence[ColumnDistance], rows: Ints, n: int
) -> Iterator[tuple[int, Nearest]]:
    """The nearest rows of n people, in blocks: the first of a block, and theirs.

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
        # Of several nearest rows, the second nearest is one of the same.
        yield first, Nearest(chance, np.where(alone[:, np.newaxis], runner_up, chance), alone)


def _tied(apart: Floats, rows: Ints) -> tuple[Floats, Bools]:
    """The chance of a row of each combination to be taken for the nearest, and where one row is."""
    least = apart.min(axis=1, keepdims=True)
    tied = np.isfinite(least) & (apart <= least * (1 + TIED))
    number = tied @ rows
    return tied / np.maximum(number, 1)[:, np.newaxis], number == 1
