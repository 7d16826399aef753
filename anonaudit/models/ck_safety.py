"""(c, k)-safety: the highest chance of a guess, given the worst k pieces of background knowledge.

Source: Martin, Kifer, Machanavajjhala, Gehrke, Halpern, Worst-Case Background Knowledge for
Privacy-Preserving Data Publishing, ICDE 2007.

An atom is a statement "person X has value v". A basic implication is a statement "if all atoms of
one list are true, then at least one atom of another list is true". It can also express a negation:
each person has one value, so "if Ann has flu, Ann has HIV" means that Ann does not have flu. The
release shows the values of each class, but not which person has which value. All assignments of the
values of a class to its persons are equally likely.

The worst k implications have one atom on each side, and all have the same atom A on the right:
A_1 => A, ..., A_k => A. They are true in two cases only: A is true, or none of A, A_1, ..., A_k is
true. So

    Pr(A | knowledge) = 1 / (1 + Pr(none of A, A_1, ..., A_k is true) / Pr(A))

The paper computes this quotient by two algorithms. MINIMIZE1 computes the least chance that all of
j atoms about persons of one class are false. The chance is least if the atoms about each person
name the most frequent values. Let n be the number of persons of the class, and F(c) the number of
them with one of the c most frequent values. Let c_i be the number of atoms about person i, where
the persons are numbered from 0 such that c_0 >= c_1 >= ... Assign the values to the persons in this
order. There are at least c_i atoms about each of the persons 0 to i - 1. So if all these atoms
are false, none of these persons has one of the c_i most frequent values. Person i then draws from
n - i values, and F(c_i) of them make an atom true. The chance that all atoms about person i are
false is therefore (n - i - F(c_i)) / (n - i). The product of these chances over the persons is the
chance for the class.

MINIMIZE2 computes the least chance for atoms about persons of several classes. Classes are
independent, so their chances are multiplied.
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

# The largest number of entries of the table of MINIMIZE1. If the table for all classes has more
# entries, the classes are processed in parts.
MOST_NUMBERS_AT_ONCE = 2**22


@dataclass(frozen=True, kw_only=True, eq=False)
class ByImplications(Details):
    """The highest chance of a guess if the adversary knows 0, 1, ... implications.

    highest: the chance by the number of implications ("0", "1", ...). The last number is k, or the
    first number at which the chance is 1.
    """

    highest: Mapping[str, float] = fact(
        "highest chance by implications known",
        said="Highest chance by the number of implications known: {}",
        safer="lower",
        given="k",  # the last number of implications
    )


@dataclass(frozen=True)
class CKSafety:
    """(c, k)-safety: no k basic implications raise the chance of a guess to c.

    The text of this module defines basic implications.

    Level: the highest chance that a person has a sensitive value, given the worst k implications
    about persons of any classes. Lower is safer; 1 means that some k implications make a value
    certain. With k = 0, the level is the largest share of a value among the known cells of a class.
    A level equal to c violates the model.

    c: the chance that the level must stay below; None requires nothing. k: the number of
    implications that the adversary knows.

    Edge cases: no rows, undefined. A class with at most k + 1 distinct values has level 1. If a
    class has at most k distinct values, all other classes have level 1 too. A class with no known
    value has no level, and a row in no class is ignored.

    Unknown cells: a class is undecided if its level is below c, but unknown cells of any class
    could raise it to c. In the worst case, all unknown cells of a class with no known value have
    the same value. That value would be certain. With k of 1 or more, all other classes would then
    have level 1.

    The definition requires that each person is in one class and has one value. If a person has
    several different rows, or if classes overlap under wildcards, nothing is measured and the
    outcome is inconclusive. With several sensitive attributes, each is measured by itself.

    Source: Martin, Kifer, Machanavajjhala, Gehrke, Halpern, Worst-Case Background Knowledge for
    Privacy-Preserving Data Publishing, ICDE 2007.

    Example: flu, flu, HIV and gout can be assigned to four persons in 12 ways. The adversary knows
    the implication "if the second person has flu, the first person has flu". It is true in 8 of the
    12 ways, and the first person has flu in 6 of these 8.

    >>> from anonaudit.frequency.classes import equivalence_classes
    >>> from anonaudit.frequency.frequency_set import FrequencySet
    >>> from anonaudit.roles import Roles
    >>> rows = [("x", "flu"), ("x", "flu"), ("x", "HIV"), ("x", "gout")]
    >>> table = FrequencySet.of(["zip", "illness"], rows)
    >>> CKSafety(k=1).measure(equivalence_classes(table, Roles(("zip",), ("illness",)))).measured
    0.75
    """

    name: ClassVar[str] = "ck-safety"
    about: ClassVar[AboutModel] = AboutModel(
        level="chance",
        parameter="c",
        means="An adversary who knows any k implications between values of persons guesses "
        "every value with a chance below c",
        matters="Nobody knows what an adversary knows. The level covers any k implications, "
        "including statements that a person does not have a value.",
        do=SPREAD,
        strict=True,
        facts=(ByImplications,),
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
        """Return the highest chance of a guess over all classes, given k implications."""
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
    """Return the counts if all unknown cells of a class had the most frequent value of the class.

    In a class with no known value, all unknown cells get the same value.
    """
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
    """Return the highest chance over all attributes, by the number of implications.

    highest: for each attribute, the highest chance for 0, 1, ... implications. The arrays may have
    different lengths. Beyond the end of a shorter array, the chance is 1.
    """
    most = max(len(one) for one in highest)
    table = [np.pad(one, (0, most - len(one)), constant_values=1.0) for one in highest]
    return {str(j): float(chance) for j, chance in enumerate(np.max(table, axis=0))}


def _undefined(classes: EquivalenceClasses) -> Iterator[str]:
    """Yield the reasons why (c, k)-safety is undefined for these classes."""
    if classes.compatibility is not None:
        yield (
            "classes overlap under wildcards, but (c, k)-safety is only defined for classes "
            'without common rows; set quasi-identifiers = "own-category" under [conventions]'
        )
    if (unit := classes.roles.unit) is not None:
        persons = len(classes.kept.project([unit]))
        for name in classes.roles.sensitive:
            columns = [unit, *classes.roles.quasi_identifiers, name]
            if (different := len(classes.kept.project(columns))) > persons:
                yield (
                    f"{persons} person(s) have {different} different combinations of class and "
                    f"{name!r}, but (c, k)-safety is defined for one combination per person; audit "
                    "a table with one row per person"
                )


def chances(counts: SensitiveCounts, k: int) -> Levels:
    """The highest chance that a person of each class has a value, by the number of implications.

    Returns shape (n_classes, 1 + j_max): column j is for j implications. j_max is the smaller of k
    and d, where d is the smallest number of distinct values of a class. With d or more
    implications, every chance is 1. NaN for a class with no known value.
    """
    known = counts.totals > 0
    result = np.full((counts.n_classes, 1), np.nan)
    if not known.any():
        return result
    k = min(k, int(counts.distinct[known].min()))  # beyond that, every chance is 1
    frequent = np.zeros((counts.n_classes, k + 1))
    top = counts.rank <= k
    frequent[counts.class_of[top], counts.rank[top]] = counts.count[top]
    histograms = np.column_stack([counts.totals, frequent])[known]
    different, number = np.unique(histograms, axis=0, return_inverse=True)
    none = none_holds(different)[number.ravel()]
    # Column j: Pr(A and j more atoms about the class of A are all false) / Pr(A), where A is the
    # most likely atom of the class.
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
    """Return the least chance that j atoms about persons of one class are all false (MINIMIZE1).

    The minimum is taken over all choices of at most j atoms.

    histograms: shape (n, 1 + atoms). A row describes one class: the number of its persons, then the
        counts of its most frequent values in descending order.

    Returns shape (n, 1 + atoms): column j is for j atoms.

    >>> none_holds(np.array([[5.0, 2.0, 2.0]])).tolist()  # 3/5; 1/5 or 3/5 * 2/4
    [[1.0, 0.6, 0.2]]
    """
    atoms = histograms.shape[1] - 1
    step = max(1, MOST_NUMBERS_AT_ONCE // (atoms + 1) ** 2)
    parts = [histograms[first : first + step] for first in range(0, len(histograms), step)]
    return np.concatenate([_none_holds(part, atoms) for part in parts])


def _none_holds(histograms: Levels, atoms: int) -> Levels:
    size, held = histograms[:, 0], np.cumsum(histograms[:, 1:], axis=1)
    # later[:, c, j]: the least chance that all atoms about the persons after `person` are false,
    # for at most j atoms about these persons together and at most c atoms about each of them.
    later = np.ones((len(size), atoms + 1, atoms + 1))
    for person in reversed(range(atoms)):
        now = np.ones_like(later)
        # `person` persons come before this one. There are at least as many atoms about each of them
        # as about this one, so at most atoms // (person + 1) are about this one.
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
    """Return the least chance that j atoms about persons of other classes are all false.

    The minimum is taken over all choices of at most j atoms (MINIMIZE2).

    none: the result of `none_holds` for each class, shape (n_classes, 1 + k).

    Returns the same shape. Row i, column j is for j atoms about persons of all classes except i.
    """
    k = none.shape[1] - 1
    # k atoms are about persons of at most k classes. So for each j, the k + 1 classes with the
    # least chances suffice: if class i is one of them, k other classes remain.
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
    """The least chance that j atoms about persons of two groups of classes are all false.

    The minimum is taken over all splits of the j atoms between the groups. one, other: the least
    chance of each group for 0, 1, ... atoms; the result has the same form.
    """
    return np.array([(one[: j + 1] * other[j::-1]).min() for j in range(len(one))])
