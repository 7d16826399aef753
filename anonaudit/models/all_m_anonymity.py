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

# So many sets of columns are looked at, and so many entries (sets times different rows), at most.
MOST_SETS: Final = 10_000
MOST_SETS_WITH_WILDCARDS: Final = 1_100  # ten columns have 1,023
MOST_ENTRIES: Final = 500_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Subsets(Details):
    """What the sets of columns say.

    sets: how many were looked at. by_size: the smallest class of any set of 1, 2, ... columns.
    short: the k of each set that falls short of the k required.
    """

    sets: int = fact("sets of columns", said="Sets of columns looked at: {}")
    by_size: Mapping[str, float] = fact(
        "smallest class by number of columns",
        Kind.STEPS,
        said="The smallest class, by the number of columns: {}",
    )
    short: Mapping[str, float] = fact(
        "smallest class of sets that fall short",
        said="The smallest class of each set of columns that falls short: {}",
    )


@dataclass(frozen=True)
class AllMAnonymity:
    """All-m anonymity: every set of at most m quasi-identifiers is k-anonymous.

    An adversary knows up to m of the quasi-identifiers, and nobody knows which. Level: k, the
    smallest class of any set. Higher is safer; 1 means that m columns single somebody out. A class
    of the release has the size of the smallest class of a set that its rows are in.

    Rows in no class of the release are left out of every set. With a unit column persons are
    counted; wildcards match within a set. A row that is suppressed in all columns of a set is in no
    class of that set, unless suppressed tuples are included.

    Edge cases: no rows, undefined; m of 1, the least frequent value; m of all quasi-identifiers or
    more, k-anonymity where cells have values. At most 10,000 sets are looked at (1,100 under
    wildcards), those of fewer columns first, and at most as many as have 500 million entries, sets
    times different rows. Beyond, only what is violated is decided, and a note counts the sets
    that were not looked at.

    k: required of every set. m: the most columns of a set, from 1 on.

    >>> AllMAnonymity(k=3, m=2).m
    2
    """

    name: ClassVar[str] = "all-m-anonymity"
    about: ClassVar[AboutModel] = AboutModel(
        level="k",
        parameter="k",
        means="Every combination of values of at most m quasi-identifiers is shared by k {people} "
        "or more",
        matters="Few adversaries know all quasi-identifiers. But whoever knows the m columns by "
        "which a person is alone finds that person.",
        do=GENERALIZE,
    )
    k: int | None = None
    m: int = 2

    def __post_init__(self) -> None:
        whole_number("k", self.k, 1)
        whole_number("m", self.m, 1)
        if self.m is None:
            raise ParameterError("m must be given")

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The smallest class of every set of columns."""
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
            f"{sets - most} of {sets} sets of columns were not looked at, so the level may be "
            "lower; lower m, or name fewer quasi-identifiers"
        )
        decided = found.outcome is Outcome.VIOLATED
        return replace(
            found,
            outcome=found.outcome if decided else Outcome.INCONCLUSIVE,
            notes=(*found.notes, note),
        )


def sizes_by_subset(classes: EquivalenceClasses, most: int) -> Iterator[tuple[Names, Levels]]:
    """Every set of at most `most` quasi-identifiers, and how large each class is by it alone.

    Sizes as of `EquivalenceClasses.sizes`, shape (n_classes,); NaN for a class that is suppressed
    in all columns of the set.
    """
    quasi, unit = classes.roles.quasi_identifiers, classes.roles.unit
    rows = classes.kept.project([*quasi, *([] if unit is None else [unit])])
    for number in range(1, min(most, len(quasi)) + 1):
        for columns in combinations(quasi, number):
            inside = equivalence_classes(rows, Roles(columns, unit=unit), classes.convention)
            place = inside.number_of(classes.keys)
            yield columns, np.where(place < 0, np.nan, np.append(inside.sizes, np.nan)[place])
