"""p-sensitive k-anonymity, its two necessary conditions, and Algorithms 1 and 2 of TV06."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from anonaudit.about import CLASS_SIZE, SPREAD, AboutModel, Need, Unasked, Unions
from anonaudit.findings import Measurement
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.sensitive_counts import SensitiveCounts
from anonaudit.models.level import Chosen, Levels, ParameterError, measurement, whole_number
from anonaudit.special_details import Conditions

# A report lists maxGroups for p = 2, 3, ... up to this number, not up to maxP, because maxP is
# large if every sensitive attribute has many distinct values.
MOST_SHOWN = 10


@dataclass(frozen=True)
class PSensitiveKAnonymity:
    """p-sensitive k-anonymity (TV06 Definition 2).

    The release is k-anonymous, and every class has at least p distinct values of every sensitive
    attribute.

    p: the required level; None requires nothing. k: the smallest class size allowed; None means p,
    the least k that the definition allows (p <= k).

    Level: p, the least number of distinct known values over all classes and attributes. Higher is
    safer; 1 means that all known values of an attribute are equal in some class.

    Edge cases: no rows, undefined; one value in the whole release, p = 1; an unknown cell is never
    a distinct value; a class with no known value has no level, and `per_attribute` has the number
    of these classes. If the required p exceeds maxP, a note says that no masking can reach it.
    """

    name: ClassVar[str] = "p-sensitive-k-anonymity"
    about: ClassVar[AboutModel] = AboutModel(
        level="p",
        parameter="p",
        symbol="p",
        means="Every class has p or more different values of every sensitive attribute",
        matters="A large class protects nobody if all of its rows have the same illness: "
        "k-anonymity ignores sensitive values.",
        do=f"{SPREAD} `anonaudit feasible` computes from the original which p can be reached "
        "(maxP) and with how many classes (maxGroups).",
        beside=CLASS_SIZE,
        several_values="p",
        rows=("k", "p"),
        facts=(Conditions,),
        unasked=(Unasked(place=30, needs=frozenset({Need.SENSITIVE})),),
        by_class=True,
        unions=Unions.ALWAYS,
    )
    p: int | None = None
    k: int | None = None

    def __post_init__(self) -> None:
        whole_number("p", self.p, 1)
        whole_number("k", self.k, 1)
        if self.p is not None and self.k is not None and self.p > self.k:
            raise ParameterError(f"p must be at most k, but p = {self.p} and k = {self.k}")

    def measure(
        self, classes: EquivalenceClasses, also_violating: Chosen | None = None
    ) -> Measurement:
        """Return the least number of distinct values; the details have k, maxP and maxGroups.

        also_violating: see `measurement`.
        """
        return measure_p(self.name, classes, classes.sensitive, self.p, self.k, also_violating)


def measure_p(
    name: str,
    classes: EquivalenceClasses,
    sensitive: Mapping[str, SensitiveCounts],
    p: int | None,
    k: int | None,
    also_violating: Chosen | None = None,
    *,
    subtrees: Mapping[str, int] | None = None,
    met: Mapping[str, bool] | None = None,
) -> Measurement:
    """Return the measurement of (extended) p-sensitive k-anonymity.

    name: the name of the model.
    sensitive: the counts of each sensitive attribute. Extended p-sensitive k-anonymity passes the
        counts of strong ancestors.
    p, k: as in `PSensitiveKAnonymity`. also_violating: see `measurement`.
    subtrees, met: only for extended p-sensitive k-anonymity: the number of protected subtrees of
        each attribute, and which of its conditions are met.
    """
    levels = {attribute: known_levels(counts) for attribute, counts in sensitive.items()}
    least_k = k if k is not None else p
    short = None if least_k is None else classes.sizes < least_k
    if also_violating is not None:
        short = also_violating if short is None else short | also_violating
    most = max_p(sensitive)
    notes: tuple[str, ...] = ()
    if p is not None and most is not None and p > most:
        notes = (f"p = {p} cannot be reached by any masking: Condition 1, maxP = {most}",)
    elif p is not None and all_apart(classes):
        notes = tuple(
            f"p = {p} allows at most {allowed:,} class(es) with a known {attribute!r}, but the "
            f"release has {there:,} (Condition 2)"
            for attribute, there, allowed in too_many_classes(sensitive, p)
        )
    return measurement(
        name,
        classes,
        levels,
        parameters={"p": p, "k": least_k},
        required=p,
        whole=True,
        also_violating=short,
        details=Conditions(
            k=float(classes.sizes.min()) if len(classes) else None,
            max_p=most,
            max_groups=max_groups_by_p(sensitive, p, least_k or 1),
            protected_subtrees=subtrees,
            conditions=met,
        ),
        notes=notes,
    )


def known_levels(counts: SensitiveCounts) -> Levels:
    """The number of distinct known values of each class; NaN for a class with no known value."""
    return np.where(counts.totals > 0, counts.distinct.astype(np.float64), np.nan)


def max_p(sensitive: Mapping[str, SensitiveCounts]) -> int | None:
    """maxP: the least number of distinct values of a sensitive attribute (TV06 Condition 1).

    No grouping of the rows is p-sensitive for a larger p. An attribute with no known value is
    ignored; None if no attribute has a known value.
    """
    distinct = [int((counts.overall > 0).sum()) for counts in sensitive.values()]
    return min((s for s in distinct if s), default=None)


def max_groups(sensitive: Mapping[str, SensitiveCounts], p: int, k: int = 1) -> int | None:
    """maxGroups(p): the largest number of classes that p-sensitivity allows (TV06 Condition 2).

    For one attribute, let n be the number of rows with a known value, and cf_i the number of rows
    with one of the i most frequent values (cf_i = n if there are fewer than i values). Then the
    number of classes with a known value is at most

        min over 1 <= i <= p-1 of floor((n - cf_{p-i}) / i)

    A class with no known value is p-sensitive in any case. If u rows have no known value, there are
    at most floor(u / k) classes without a known value, and this number is added. If p exceeds the
    number of distinct values, no grouping is p-sensitive and the bound is 0. The result is the
    least bound over the attributes. None if p = 1, which sets no bound, or if no attribute has a
    known value.

    k: the smallest number of rows that a class may have. Rows are counted even with a unit column,
    because a row is in one class only, but a person may be in several.
    """
    bounds = [
        bound + counts.whole.unknown_rows // k if bound else bound
        for counts in sensitive.values()
        if (bound := _most_that_know(counts, p)) is not None
    ]
    return min(bounds, default=None)


def max_groups_by_p(
    sensitive: Mapping[str, SensitiveCounts], p: int | None = None, k: int = 1
) -> dict[str, int | None]:
    """maxGroups for the required p, and for each p from 2 to the smaller of maxP and MOST_SHOWN."""
    shown = {*range(2, min(max_p(sensitive) or 0, MOST_SHOWN) + 1), *([p] if p and p > 1 else [])}
    return {str(q): max_groups(sensitive, q, k) for q in sorted(shown)}


def _most_that_know(counts: SensitiveCounts, p: int) -> int | None:
    """The bound of `max_groups` for classes with a known value of one attribute.

    None if no row has a known value, or if p = 1.
    """
    rows = counts.whole.rows
    cumulative = np.cumsum(np.sort(rows)[::-1])
    n = cumulative[-1] if len(cumulative) else 0.0
    if n == 0:
        return None
    if p > (rows > 0).sum():
        return 0
    covered = [cumulative[min(p - i, len(cumulative)) - 1] for i in range(1, p)]
    return min((int((n - cf) // i) for i, cf in enumerate(covered, 1)), default=None)


def few_enough_classes(sensitive: Mapping[str, SensitiveCounts], p: int) -> bool:
    """Return True if Condition 2 is met for every attribute; see `too_many_classes`."""
    return not any(too_many_classes(sensitive, p))


def too_many_classes(
    sensitive: Mapping[str, SensitiveCounts], p: int
) -> Iterator[tuple[str, int, int]]:
    """Yield each attribute that breaks Condition 2, with a number of classes and the bound.

    The number counts the classes with a known value of the attribute. The attribute breaks the
    condition if this number exceeds the bound.
    """
    for attribute, counts in sensitive.items():
        bound, there = _most_that_know(counts, p), int((counts.totals > 0).sum())
        if bound is not None and there > bound:
            yield attribute, there, bound


def all_apart(classes: EquivalenceClasses) -> bool:
    """Return True if Condition 2 applies.

    It applies if `classes` has all classes of the release, and classes do not overlap under
    wildcards.
    """
    return classes.compatibility is None and classes.whole is None


class Decision(NamedTuple):
    """The answer of Algorithm 2, and the step that decided it.

    decided_by: "condition 1", "condition 2", or "details" if every class was checked.
    """

    holds: bool
    decided_by: str


def algorithm_1(classes: EquivalenceClasses, p: int, k: int) -> bool:
    """Return True if the classes are p-sensitive k-anonymous, by TV06 Algorithm 1.

    The algorithm tests k-anonymity, then every class and attribute in turn. The result is False if
    there are no rows, or no known sensitive values. p, k: at least 2, and p <= k.
    """
    check_p_and_k(p, k)
    if len(classes) == 0 or (classes.sizes < k).any():
        return False
    if all((counts.totals == 0).all() for counts in classes.sensitive.values()):
        return False
    return not any((known_levels(c) < p).any() for c in classes.sensitive.values())


def algorithm_2(classes: EquivalenceClasses, p: int, k: int) -> Decision:
    """Decide p-sensitive k-anonymity by TV06 Algorithm 2.

    The algorithm tests the two necessary conditions, and then runs Algorithm 1. p, k: as for
    `algorithm_1`.
    """
    check_p_and_k(p, k)
    most = max_p(classes.sensitive)
    if most is not None and p > most:
        return Decision(False, "condition 1")
    # Condition 2 assumes that each row is in one class. Under wildcards, classes overlap.
    if all_apart(classes) and not few_enough_classes(classes.sensitive, p):
        return Decision(False, "condition 2")
    return Decision(algorithm_1(classes, p, k), "details")


def check_p_and_k(p: int, k: int) -> None:
    """Raise ParameterError unless 2 <= p <= k, the input of Algorithms 1 to 3 of TV06."""
    whole_number("p", p, 2)
    whole_number("k", k, 2)
    if p > k:
        raise ParameterError(f"p must be at most k, but p = {p} and k = {k}")
