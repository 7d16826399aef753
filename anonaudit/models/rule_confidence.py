"""Rule confidence: how sure a rule from quasi-identifiers to sensitive values is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from anonaudit.about import AboutModel, Need, Unasked, Unions
from anonaudit.details import Details, Kind, fact
from anonaudit.findings import Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.models.level import (
    Levels,
    ParameterError,
    measurement,
    real_number,
    whole_number,
)
from anonaudit.models.rules import Names, column_pairs, count_rules, subsets

# All subsets of more quasi-identifiers than this are too many rules to count in a report.
MOST_COLUMN_PAIRS = 1 << 12
# Combinations of a release times sets of quasi-identifiers that are gone through unasked.
MOST_UNASKED = 3_000_000
ONLY_HIDDEN = "hidden as released, but unknown cells may make a rule as sure as before"


@dataclass(frozen=True, kw_only=True, eq=False)
class Rules(Details):
    """The surest rules.

    possible: the largest confidence with every unknown cell taken as Y. too_sure: rules of any
    columns that reach the limit. confidence, shown: of the surest of them, and its rows.
    """

    possible: float | None = fact(
        "largest possible confidence",
        said="Were all unknown values known, the confidence could be {}",
        adds=max,
        null=True,
    )
    too_sure: int | None = fact(
        "rules at or above",
        Kind.COUNT,
        one="1 rule from any of the quasi-identifiers is that sure or surer",
        said="{} rules from any of the quasi-identifiers are that sure or surer",
        optional=True,
    )
    confidence: float | None = fact(
        "largest confidence of any subset",
        said="The surest of them has a confidence of {}",
        optional=True,
    )
    shown: int | None = fact("its count", said="Rows that bear it out: {}", optional=True)

    def notes(
        self, measured: float | None, required: float | None, parameters: Mapping[str, object]
    ) -> tuple[str, ...]:
        """A note where rules are below the limit only as long as unknown cells are unknown."""
        del parameters
        if measured is None or required is None or self.possible is None:
            return ()
        return (ONLY_HIDDEN,) if measured < required <= self.possible else ()


@dataclass(frozen=True)
class RuleConfidence:
    """The largest confidence of a sensitive association rule (Z07 sections 3 and 4).

    A rule X => Y goes from values of one or more quasi-identifiers to values of one or more
    sensitive attributes. Its confidence is the share of the rows with X that show Y; a missing
    or suppressed cell shows nothing. A rule with a longer Y is never surer. A rule on fewer
    quasi-identifiers is a weighted mean of rules on all of them, so the largest confidence is
    that of a whole class; it is the alpha of (alpha, k)-anonymity. That does not hold with
    `min_rows` above 1, which spares small classes but not what they have in common, nor for
    persons, who may be in several classes: then all subsets are gone through. Unasked, that ends
    with the first certain rule, or after MOST_UNASKED combinations of cells, which a note says.

    below: the confidence every rule must stay below, strictly.
    min_rows: rules shown by fewer rows do not count.

    Level: the largest confidence, every unknown cell taken as something else; of a class, that
    of the surest rule about its rows. Lower is safer; 1 means that a rule is certain, 0 that no
    rule is shown often enough to count. `details` has the largest possible confidence too (every
    unknown cell taken as Y): a hidden rule may still be true.

    Edge cases: no rows, or no known value, undefined; one class, the largest share in it; a
    class without a known value is apart, yet may hide a certain rule; without quasi-identifiers
    the one antecedent left is the empty one. An unknown quasi-identifier cell follows the
    convention; under wildcards only the rules of whole classes are looked at.
    """

    name: ClassVar[str] = "rule-confidence"
    about: ClassVar[AboutModel] = AboutModel(
        level="confidence",
        parameter="below",
        means="No rule from quasi-identifier values to sensitive values reaches this confidence",
        matters="An adversary may know only some quasi-identifiers. A rule about these can be "
        "certain.",
        do="Suppress cells of the rows behind the surest rules, or generalize the "
        "quasi-identifiers they use, and audit again.",
        strict=True,
        unasked=(Unasked(place=100, needs=frozenset({Need.SENSITIVE})),),
        by_class=True,
        unions=Unions.IF_APART,
        only_with={"min_rows": 1},  # more spare small classes, but not what they have in common
    )
    below: float | None = None
    min_rows: int = 1

    def __post_init__(self) -> None:
        real_number("below", self.below, 0, 1, above=True)
        whole_number("min-rows", self.min_rows, 1)
        if self.min_rows is None:
            raise ParameterError("min-rows must be given")

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The largest confidence of any rule, its count, and how many rules are too sure."""
        quasi = classes.roles.quasi_identifiers
        wild = classes.compatibility is not None
        pairs = 2 ** len(quasi) * 2 ** len(classes.roles.sensitive)
        countable = pairs <= MOST_COLUMN_PAIRS
        parts_matter = len(quasi) > 1 and (self.min_rows > 1 or classes.roles.unit is not None)
        go_through = parts_matter and countable and not wild
        antecedents = list(subsets(quasi))[::-1] if go_through else [quasi]  # whole classes first
        most = len(antecedents)
        if self.below is None:  # what nobody asked for may not cost more than the rest
            most = min(most, max(1, MOST_UNASKED // max(len(classes.kept), 1)))
        levels, possible, skipped = {}, 0.0, False
        for name in classes.roles.sensitive:
            if wild:
                levels[name], highest = _of_wildcard_classes(classes, name, self.min_rows)
            else:
                certain = self.below is None  # then the answer is known once a rule is certain
                levels[name], highest = _of_rules(
                    classes, antecedents[:most], name, self.min_rows, stop=certain
                )
                surest = float(np.nanmax(levels[name], initial=0.0))
                skipped = skipped or (most < len(antecedents) and surest < 1)
            possible = max(possible, highest)
        possible = 1.0 if skipped else possible
        details = Rules(possible=possible if len(classes) and levels else None)
        notes: tuple[str, ...] = ()
        if skipped:
            why = (
                f"rules of {most} of the {len(antecedents)} sets of quasi-identifiers were looked "
                "at, so the largest confidence is at least this; require rule-confidence to have "
                "all of them looked at"
            )
            notes = (why,)
        if self.below is not None and not countable:
            notes = ("too many quasi-identifiers to count the rules of every subset",)
        elif self.below is not None and len(classes) and classes.whole is None:
            details = _surest(details, classes, self.below, self.min_rows)
        level = measurement(
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
        if parts_matter and not go_through and level.outcome is Outcome.HOLDS:
            why = "wildcards" if wild else "so many quasi-identifiers"
            text = f"only rules of whole classes were looked at, because of {why}"
            level = replace(level, outcome=Outcome.INCONCLUSIVE, notes=(*level.notes, text))
        hidden = details.notes(level.measured, self.below, level.parameters)
        return replace(level, notes=(*level.notes, *hidden))


def _of_rules(
    classes: EquivalenceClasses,
    antecedents: Sequence[Names],
    name: str,
    min_rows: int,
    *,
    stop: bool,
) -> tuple[Levels, float]:
    """The confidence of the surest rule to one attribute for each class; the largest possible.

    stop: at the first antecedent that leaves a rule certain, as no other rule is surer.
    """
    level, possible = np.full(len(classes), np.nan), 0.0
    for antecedent in antecedents:
        rule = count_rules(classes, antecedent, (name,))
        share = np.where(rule.shown >= min_rows, rule.shown / rule.of, 0.0)
        best = np.full(len(rule.size), np.nan)
        np.fmax.at(best, rule.group, share)
        level = np.fmax(level, best[rule.group_of])
        for most, of in ((rule.shown + rule.unknown, rule.of), (rule.doubt, rule.size)):
            possible = max(possible, float((most / of)[most >= min_rows].max(initial=0.0)))
        if stop and np.nanmax(level, initial=0.0) == 1:
            break
    known = classes.sensitive[name].totals > 0
    return np.where(known, level, np.nan), possible


def _of_wildcard_classes(
    classes: EquivalenceClasses, name: str, min_rows: int
) -> tuple[Levels, float]:
    """The same for whole classes that overlap; the largest possible confidence is a bound."""
    counts = classes.sensitive[name]
    share = np.where(counts.largest >= min_rows, counts.largest / classes.sizes, 0.0)
    unknown = np.maximum(classes.sizes - counts.totals, 0)
    possible = (counts.largest + unknown) / classes.sizes
    if classes.roles.unit is not None:  # whoever shows something may show something else too
        possible = np.ones(len(classes))
    return np.where(counts.totals > 0, share, np.nan), float(possible.max(initial=0.0))


def _surest(rules: Rules, classes: EquivalenceClasses, below: float, min_rows: int) -> Rules:
    """The same with how many rules of any columns are too sure, and the surest of them."""
    number, best = 0, (0.0, 0)
    for antecedent, consequent in column_pairs(classes):
        counted = count_rules(classes, antecedent, consequent)
        sure = counted.sure(below, min_rows)
        number += int(sure.sum())
        if sure.any():
            confidence = counted.shown[sure] / counted.of[sure]
            top = confidence.max()
            best = max(best, (float(top), int(counted.shown[sure][confidence == top].max())))
    if not number:
        return replace(rules, too_sure=0)
    return replace(rules, too_sure=number, confidence=best[0], shown=best[1])
