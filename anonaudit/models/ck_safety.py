"""(c, k)-safety: the chance of a guess in the worst case of k pieces of background knowledge.

Source: Martin, Kifer, Machanavajjhala, Gehrke, Halpern, Worst-Case Background Knowledge for
Privacy-Preserving Data Publishing, ICDE 2007.

An atom says that a person has a value. A basic implication says that if some atoms all hold, then
one of some other atoms holds; "Ann does not have flu" is one: if Ann has flu, she has HIV. The
release shows the values of each class, not whose they are; all ways to hand them out are as likely.

The worst k implications have one atom each side, and the same atom A on the right: A_1 => A, ...,
A_k => A. They leave the worlds in which A holds, and those in which none of A, A_1, ..., A_k does:

    Pr(A | knowledge) = 1 / (1 + Pr(none of A, A_1, ..., A_k) / Pr(A))

In one class the chance that none of some atoms holds is least if each person has the most frequent
values (MINIMIZE1). Person i (from 0, the one with the most atoms first) then has one of the
n - F(c_i) - i values that are left to it among n - i, where F(c) is how often the c most frequent
values occur. Classes are independent, so the chances of several classes multiply (MINIMIZE2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from anonaudit.about import SPREAD, AboutModel, Unions
from anonaudit.details import Details, fact
from anonaudit.findings import Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.sensitive_counts import SensitiveCounts
from anonaudit.models.level import Levels, ParameterError, measurement, real_number, whole_number

# Numbers that one table of MINIMIZE1 may hold; more classes are worked on in turn.
MOST_NUMBERS_AT_ONCE = 2**22


@dataclass(frozen=True, kw_only=True, eq=False)
class ByImplications(Details):
    """The highest chance of a guess, by the number of implications known; up to k, or to a 1."""

    highest: Mapping[str, float] = fact(
        "highest chance by implications known",
        said="Highest chance by the number of implications known: {}",
    )


@dataclass(frozen=True)
class CKSafety:
    """(c, k)-safety: whatever k basic implications are known, every chance is below c, strictly.

    Level: the highest chance that a person of a class has a sensitive value, given the worst k
    implications about persons of any classes. Lower is safer; 1 means that k implications make a
    value certain. With k = 0 it is the largest share of a value among the known cells of a class.

    Edge cases: no rows, undefined; a class of at most k + 1 values is at 1; a class of at most k
    values takes all others to 1. A class with no known value has no level, and a row in no class is
    apart. A class whose unknown cells could take a chance to c, in it or in another class, is
    undecided: those of a class with no known value may all have one value, which makes that certain
    and with k from 1 on takes all others to 1.
    The definition gives each person one value in one class. Where persons have several rows that
    differ, or classes overlap under wildcards, nothing is measured and a requirement is
    inconclusive. Several sensitive attributes: each by itself.

    Source: Martin, Kifer, Machanavajjhala, Gehrke, Halpern, Worst-Case Background Knowledge for
    Privacy-Preserving Data Publishing, ICDE 2007.

    >>> from anonaudit.frequency.classes import equivalence_classes
    >>> from anonaudit.frequency.frequency_set import FrequencySet
    >>> from anonaudit.roles import Roles
    >>> rows = [("x", "flu"), ("x", "flu"), ("x", "HIV"), ("x", "gout")]
    >>> table = FrequencySet.of(["zip", "illness"], rows)
    >>> CKSafety(k=1).measure(equivalence_classes(table, Roles(("zip",), ("illness",)))).measured
    0.6666666666666666
    """

    name: ClassVar[str] = "ck-safety"
    about: ClassVar[AboutModel] = AboutModel(
        level="chance",
        parameter="c",
        means="An adversary who knows any k implications between values of persons guesses "
        "every value with a chance below c",
        matters="Nobody knows what an adversary knows. The level covers all knowledge of k "
        "pieces, including eliminations.",
        do=SPREAD,
        strict=True,
        unions=Unions.IF_APART,
    )
    c: float | None = None
    k: int = 1

    def __post_init__(self) -> None:
        real_number("c", self.c, 0, 1, above=True)
        whole_number("k", self.k, 0)
        if self.k is None:
            raise ParameterError("k must be given")

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The highest chance of each class, given k implications."""
        parameters = {"c": self.c, "k": self.k}
        undefined = tuple(_undefined(classes))
        if undefined:
            return Measurement(
                model=self.name,
                parameters={n: value for n, value in parameters.items() if value is not None},
                measured=None,
                required=self.c,
                safer="lower",
                outcome=Outcome.INCONCLUSIVE,
                notes=undefined,
            )
        tables = {name: chances(counts, self.k) for name, counts in classes.sensitive.items()}
        worst = {n: chances(_filled(c), self.k)[:, -1] for n, c in classes.sensitive.items()}
        highest = [np.nanmax(table, axis=0) for table in tables.values() if (table >= 0).any()]
        return measurement(
            self.name,
            classes,
            {name: table[:, -1] for name, table in tables.items()},
            worst=worst,
            parameters=parameters,
            required=self.c,
            safer="lower",
            strict=True,
            details=ByImplications(highest=_by_number(highest)) if highest else None,
        )


def _filled(counts: SensitiveCounts) -> SensitiveCounts:
    """The same, had all unknown cells of each class one value: its most frequent one, if any."""
    full = counts.filled()
    nothing = np.flatnonzero((counts.totals == 0) & (counts.unknown > 0))
    new = counts.unknown[nothing]
    class_of = np.concatenate([full.class_of, nothing])
    order = np.argsort(class_of, kind="stable")
    totals = full.totals.copy()
    totals[nothing] = new
    return replace(
        full,
        class_of=class_of[order],
        value=np.concatenate([full.value, np.zeros(len(nothing), np.int64)])[order],
        count=np.concatenate([full.count, new])[order],
        totals=totals,
    )


def _by_number(highest: list[Levels]) -> dict[str, float]:
    """The highest chance of any attribute by the number of implications.

    An attribute with fewer columns is at 1 from its last on.
    """
    most = max(len(one) for one in highest)
    table = [np.pad(one, (0, most - len(one)), constant_values=1.0) for one in highest]
    return {str(j): float(chance) for j, chance in enumerate(np.max(table, axis=0))}


def _undefined(classes: EquivalenceClasses) -> Iterator[str]:
    """Why persons do not have one value in one class each."""
    if classes.compatibility is not None:
        yield (
            "classes overlap under wildcards, and (c, k)-safety is defined for classes that do "
            'not; set quasi-identifiers = "own-category" under [conventions]'
        )
    if (unit := classes.roles.unit) is not None:
        persons = len(classes.kept.project([unit]))
        for name in classes.roles.sensitive:
            columns = [unit, *classes.roles.quasi_identifiers, name]
            if (different := len(classes.kept.project(columns))) > persons:
                yield (
                    f"{persons} person(s) have {different} different combinations of class and "
                    f"{name!r}, and (c, k)-safety is defined for one each; audit a table of one "
                    "row a person"
                )


def chances(counts: SensitiveCounts, k: int) -> Levels:
    """The highest chance that a person of each class has a value, by the implications known.

    Returns shape (n_classes, 1 + k): column j is for j implications. Of the columns after the first
    in which every class is at 1, none is there. NaN for a class with no known value.
    """
    known = counts.totals > 0
    result = np.full((counts.n_classes, 1), np.nan)
    if not known.any():
        return result
    k = min(k, int(counts.distinct[known].min()))  # from there on all are at 1
    frequent = np.zeros((counts.n_classes, k + 1))
    top = counts.rank <= k
    frequent[counts.class_of[top], counts.rank[top]] = counts.count[top]
    histograms = np.column_stack([counts.totals, frequent])[known]
    different, number = np.unique(histograms, axis=0, return_inverse=True)
    none = none_holds(different)[number.ravel()]
    # Pr(none of A and j more of its class) / Pr(A), for the likeliest atom A of the class.
    ratio = none[:, 1:] * (histograms[:, 0] / histograms[:, 1])[:, None]
    elsewhere = none_elsewhere(none[:, :-1])
    least = np.min(
        [
            np.pad(ratio[:, [here]] * elsewhere[:, : k + 1 - here], ((0, 0), (here, 0)),
                   constant_values=np.inf)
            for here in range(k + 1)
        ],
        axis=0,
    )  # fmt: skip
    result = np.full((counts.n_classes, k + 1), np.nan)
    result[known] = 1 / (1 + least)
    return result


def none_holds(histograms: Levels) -> Levels:
    """The least chance that none of at most j atoms about persons of one class holds (MINIMIZE1).

    histograms: shape (n, 1 + atoms), the persons of a class, and how many have each of its most
        frequent values, in descending order.

    Returns shape (n, 1 + atoms), for j from 0 on.

    >>> none_holds(np.array([[5.0, 2.0, 2.0]])).tolist()  # 3/5; 1/5 or 3/5 * 2/4
    [[1.0, 0.6, 0.2]]
    """
    atoms = histograms.shape[1] - 1
    step = max(1, MOST_NUMBERS_AT_ONCE // (atoms + 1) ** 2)
    parts = [histograms[first : first + step] for first in range(0, len(histograms), step)]
    return np.concatenate([_none_holds(part, atoms) for part in parts])


def _none_holds(histograms: Levels, atoms: int) -> Levels:
    size, held = histograms[:, 0], np.cumsum(histograms[:, 1:], axis=1)
    # [:, c, j]: for the persons from `person` on, of whom none has more than c of at most j atoms.
    later = np.ones((len(size), atoms + 1, atoms + 1))
    for person in reversed(range(atoms)):
        now = np.ones_like(later)
        # Nobody before has fewer atoms, so `person` has no more than this.
        for each in range(1, atoms // (person + 1) + 1):
            left = np.maximum(size - held[:, each - 1] - person, 0.0)
            free = left / np.maximum(size - person, 1.0)
            now[:, each] = now[:, each - 1]
            exactly = free[:, None] * later[:, each, : atoms + 1 - each]
            now[:, each, each:] = np.minimum(now[:, each, each:], exactly)
        now[:, each + 1 :] = now[:, [each]]
        later = now
    return later[:, atoms]


def none_elsewhere(none: Levels) -> Levels:
    """The least chance that none of at most j atoms about persons of other classes holds.

    none: shape (n_classes, 1 + k), that of each class by itself (MINIMIZE2 multiplies them).

    Returns the same shape: for each class without itself.
    """
    k = none.shape[1] - 1
    # At most k classes have atoms, so k + 1 classes with the least chance of each j are enough:
    # where one of them is the class itself and others are taken, one is left.
    best = np.unique(np.argsort(none[:, 1:], axis=0, kind="stable")[: k + 1])
    before = [np.ones(k + 1)]
    for number in best:
        before.append(_both(before[-1], none[number]))
    result = np.tile(before[-1], (len(none), 1))
    after = np.ones(k + 1)
    for place in reversed(range(len(best))):
        result[best[place]] = _both(before[place], after)
        after = _both(after, none[best[place]])
    return result


def _both(one: Levels, other: Levels) -> npt.NDArray[np.float64]:
    """The least chance that none of at most j atoms holds, some in one part, others in another."""
    return np.array([(one[: j + 1] * other[j::-1]).min() for j in range(len(one))])
