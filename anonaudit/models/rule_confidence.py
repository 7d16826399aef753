"""Rule confidence: how sure a rule from quasi-identifiers to sensitive values is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from anonaudit.cells import FIRST_VALUE
from anonaudit.classes import EquivalenceClasses
from anonaudit.findings import Measurement
from anonaudit.frequency import FrequencySet, distinct_rows
from anonaudit.models.level import ParameterError, measurement, real_number, whole_number

# All subsets of more quasi-identifiers than this are too many rules to count in a report.
MOST_QUASI_IDENTIFIERS = 12


@dataclass(frozen=True)
class RuleConfidence:
    """The largest confidence of a sensitive association rule (Z07 sections 3 and 4).

    A rule X => Y goes from values of one or more quasi-identifiers to values of one or more
    sensitive attributes. Its confidence is the share of the rows with X that show Y; a missing
    or suppressed cell shows nothing. Since a rule on fewer quasi-identifiers is a weighted mean
    of rules on all of them, the largest confidence is that of a whole class; it is the alpha of
    (alpha, k)-anonymity. With `min_rows` above 1 that no longer holds, and all subsets are gone
    through.

    below: the confidence every rule must stay below, strictly.
    min_rows: rules shown by fewer rows do not count.

    Level: the largest confidence, every unknown cell taken as something else. Lower is safer; 1
    means that a rule is certain, 0 that no value is known. `details` has the largest possible
    confidence too (every unknown cell taken as Y): a hidden rule may still be true.
    """

    name: ClassVar[str] = "rule-confidence"
    below: float | None = None
    min_rows: int = 1

    def __post_init__(self) -> None:
        real_number("below", self.below, 0, 1, above=True)
        whole_number("min-rows", self.min_rows, 1)
        if self.min_rows is None:
            raise ParameterError("min-rows must be given")

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The largest confidence of any rule, its count, and how many rules are too sure."""
        levels, possible = {}, 0.0
        for name, counts in classes.sensitive.items():
            supported = counts.largest >= self.min_rows
            share = np.where(supported, counts.largest / classes.sizes, 0.0)
            levels[name] = np.where(counts.totals > 0, share, np.nan)
            unknown = np.maximum(classes.sizes - counts.totals, 0)
            best = (counts.largest + unknown) / classes.sizes
            possible = max(possible, float(best.max(initial=0.0)))
        details: dict[str, object] = {"largest possible confidence": possible}
        notes: tuple[str, ...] = ()
        enumerable = len(classes.roles.quasi_identifiers) <= MOST_QUASI_IDENTIFIERS
        if self.below is not None and len(classes) and enumerable:
            found = list(rules(classes, self.below, self.min_rows))
            details["rules at or above"] = len(found)
            if found:
                sure = max(found, key=lambda rule: (rule.confidence, rule.shown))
                details["largest confidence of any subset"] = sure.confidence
                details["its count"] = sure.shown
        elif self.below is not None and not enumerable:
            notes = ("too many quasi-identifiers to count the rules of every subset",)
        result = measurement(
            self.name,
            classes,
            levels,
            parameters={"below": self.below, "min-rows": self.min_rows},
            required=self.below,
            safer="lower",
            strict=True,
            details=details,
            notes=notes,
        )
        hidden = result.measured is not None and self.below is not None
        if hidden and result.measured < self.below <= possible:  # type: ignore[operator]
            text = "hidden as released, but unknown cells may make a rule as sure as before"
            return replace(result, notes=(*result.notes, text))
        return result


class Rule(NamedTuple):
    """One rule by its columns: rows that show it, rows with its antecedent, unknown ones."""

    antecedent: tuple[str, ...]
    consequent: tuple[str, ...]
    shown: int
    of: int
    unknown: int

    @property
    def confidence(self) -> float:
        """The share of the rows with the antecedent that show the consequent."""
        return self.shown / self.of


def rules(classes: EquivalenceClasses, least: float, min_rows: int = 1) -> Iterator[Rule]:
    """Every rule X => Y of at least this confidence, shown by at least so many rows.

    X runs over the values of every non-empty set of quasi-identifiers, Y over the known values
    of every non-empty set of sensitive attributes. Counted exactly, in whole numbers.
    """
    unit = classes.roles.unit

    def counted(attributes: tuple[str, ...]) -> FrequencySet:
        if unit is None:
            return classes.kept.project(attributes)
        return classes.kept.distinct(attributes, unit)

    for antecedent in _subsets(classes.roles.quasi_identifiers):
        having = counted(antecedent)
        for consequent in _subsets(classes.roles.sensitive):
            both = counted((*antecedent, *consequent))
            of, known = _totals(both, having, consequent)
            sure = known & (both.counts >= min_rows) & (both.counts / of >= least)
            shown = np.bincount(
                _entry(both, having)[known], weights=both.counts[known], minlength=len(having)
            )
            gaps = (having.counts - shown)[_entry(both, having)]
            for i in np.flatnonzero(sure):
                count, total = int(both.counts[i]), int(of[i])
                yield Rule(antecedent, consequent, count, total, int(gaps[i]))


def _subsets(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return chain.from_iterable(combinations(names, size + 1) for size in range(len(names)))


def _entry(both: FrequencySet, having: FrequencySet) -> npt.NDArray[np.intp]:
    return distinct_rows(both.codes[:, : len(having.attributes)])[1]


def _totals(
    both: FrequencySet, having: FrequencySet, consequent: tuple[str, ...]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """For each entry the rows that have its antecedent, and whether its consequent is known."""
    known = np.all(both.codes[:, -len(consequent) :] >= FIRST_VALUE, axis=1)
    return having.counts[_entry(both, having)], known
