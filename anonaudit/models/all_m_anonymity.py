"""All-m anonymity: k-anonymity on every set of at most m quasi-identifiers.

Source: the all-m approach to local suppression, Hundepool et al., Statistical Disclosure Control,
Wiley 2012, section 3.3.3 (mu-Argus), and `localSuppression(combs=)` of sdcMicro.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, islice
from math import comb
from typing import ClassVar, Final

import numpy as np

from anonaudit.about import GENERALIZE, AboutModel
from anonaudit.details import Details, Kind, fact
from anonaudit.findings import Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses, equivalence_classes
from anonaudit.models.level import Levels, ParameterError, measurement, whole_number
from anonaudit.models.rules import Names
from anonaudit.roles import Roles

# Limits of one measurement. The number of entries is the number of sets of columns times the number
# of distinct rows.
MOST_SETS: Final = 10_000
MOST_SETS_WITH_WILDCARDS: Final = 1_100  # ten columns have 1,023
MOST_ENTRIES: Final = 500_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Subsets(Details):
    """The sizes of the smallest classes in the examined sets of quasi-identifiers.

    sets: the number of sets examined. A set in which every row is suppressed does not count.
    by_size: for each number of columns ("1", "2", ...), the size of the smallest class over all
        sets with this number of columns.
    short: for each set with a class of fewer than k rows, the size of its smallest class. The key
        is the column names, for example "age, sex". Empty if no k is required.
    """

    sets: int = fact("sets of columns", said="Sets of columns examined: {}")
    by_size: Mapping[str, float] = fact(
        "smallest class by number of columns",
        Kind.STEPS,
        said="The smallest class, by the number of columns: {}",
        safer="higher",
    )
    short: Mapping[str, float] = fact(
        "smallest class of sets that fall short",
        said="Sets of columns that fall short, and the size of their smallest class: {}",
    )


@dataclass(frozen=True)
class AllMAnonymity:
    """All-m anonymity: every set of at most m quasi-identifiers is k-anonymous.

    The adversary knows at most m of the quasi-identifiers, and the data owner does not know which.

    Level: k, the size of the smallest equivalence class over all sets of at most m
    quasi-identifiers. Higher is safer; 1 means that m columns or fewer single out a person. For one
    class of the release, the level is the smallest number of rows that share its values in one of
    these sets.

    A row that is in no class of the release is ignored in every set. A row that is suppressed in
    all columns of a set is in no class of that set, unless the convention includes suppressed
    tuples. With a unit column, sizes count persons. Under wildcards, the wildcard rule applies
    within each set of columns.

    Edge cases: no rows, undefined; m = 1, the count of the least frequent value; m equal to or
    above the number of quasi-identifiers, k-anonymity if all cells have values.

    At most 10,000 sets are examined (1,100 under wildcards), and at most 500 million entries (sets
    times distinct rows). Sets with fewer columns are examined first. If a limit stops the
    measurement, the outcome is violated if an examined set violates k, and otherwise inconclusive.
    A note gives the number of sets that were not examined.

    k: the required level; None requires nothing. m: the largest number of columns in a set, at
    least 1.

    >>> AllMAnonymity(k=3, m=2).m
    2
    """

    name: ClassVar[str] = "all-m-anonymity"
    about: ClassVar[AboutModel] = AboutModel(
        level="k",
        parameter="k",
        means="Every combination of values of at most m quasi-identifiers is shared by k {people} "
        "or more",
        matters="Few adversaries know all quasi-identifiers. But if m columns single out a person, "
        "an adversary who knows these m columns finds that person.",
        do=GENERALIZE,
        facts=(Subsets,),
    )
    k: int | None = None
    m: int = 2

    def __post_init__(self) -> None:
        whole_number("k", self.k, 1)
        whole_number("m", self.m, 1)
        if self.m is None:
            raise ParameterError("m must be given")

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the size of the smallest class over all sets of at most m quasi-identifiers."""
        level = np.full(len(classes), np.nan)
        smallest: dict[Names, float] = {}
        there = len(classes.roles.quasi_identifiers)
        sets = sum(comb(there, number) for number in range(1, min(self.m, there) + 1))
        limit = MOST_SETS if classes.compatibility is None else MOST_SETS_WITH_WILDCARDS
        most = min(limit, MOST_ENTRIES // max(len(classes.kept), 1))
        for columns, sizes in islice(sizes_by_subset(classes, self.m), most):
            level = np.fmin(level, sizes)
            if not np.isnan(sizes).all():
                smallest[columns] = float(np.nanmin(sizes))
        by_size: dict[str, float] = {}
        for columns, size in smallest.items():
            key = str(len(columns))
            by_size[key] = min(size, by_size.get(key, size))
        found = measurement(
            self.name,
            classes,
            {"": level},
            parameters={"k": self.k, "m": self.m},
            required=self.k,
            whole=classes.convention.wildcard_weight == 1,
            details=Subsets(
                sets=len(smallest),
                by_size=by_size,
                short={
                    ", ".join(columns): size
                    for columns, size in smallest.items()
                    if self.k is not None and size < self.k
                },
            ),
        )
        if sets <= most:
            return found
        note = (
            f"{sets - most} of {sets} sets of columns were not examined, so the level may be "
            "lower; lower m, or name fewer quasi-identifiers"
        )
        decided = found.outcome is Outcome.VIOLATED
        return replace(
            found,
            outcome=found.outcome if decided else Outcome.INCONCLUSIVE,
            notes=(*found.notes, note),
        )


def sizes_by_subset(classes: EquivalenceClasses, most: int) -> Iterator[tuple[Names, Levels]]:
    """Yield every set of at most `most` quasi-identifiers, with the size of each class in the set.

    The size of a class in a set is the number of rows that share its values in the columns of the
    set, counted as in `EquivalenceClasses.sizes`; shape (n_classes,). The size is NaN for a class
    that is suppressed in all columns of the set.
    """
    quasi, unit = classes.roles.quasi_identifiers, classes.roles.unit
    rows = classes.kept.project([*quasi, *([] if unit is None else [unit])])
    for number in range(1, min(most, len(quasi)) + 1):
        for columns in combinations(quasi, number):
            inside = equivalence_classes(rows, Roles(columns, unit=unit), classes.convention)
            place = inside.number_of(classes.keys)
            yield columns, np.where(place < 0, np.nan, np.append(inside.sizes, np.nan)[place])
