"""Rule confidence: the largest confidence of a rule from quasi-identifiers to sensitive values."""

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

# The rules of all subsets of columns are counted only if there are at most this many pairs of a
# subset of quasi-identifiers and a subset of sensitive attributes.
MOST_COLUMN_PAIRS = 1 << 12
# If no level is required, the number of distinct rows times the number of sets of quasi-identifiers
# is at most this number.
MOST_UNASKED = 3_000_000
ONLY_HIDDEN = (
    "as released, every confidence is below the limit, but unknown cells may raise one to the limit"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Rules(Details):
    """Facts about the rules with a high confidence.

    possible: the largest confidence if every unknown cell has the value of the rule; None without
        rows or sensitive attributes.
    too_sure: the number of rules, from any subset of quasi-identifiers to any subset of sensitive
        attributes, that reach the limit; None if they were not counted.
    confidence, shown: the highest confidence of these rules, and the number of rows that have X and
        Y of the rule with this confidence; None without such a rule.
    """

    possible: float | None = fact(
        "largest possible confidence",
        said="Whatever values the unknown cells have, the largest confidence is at most {}",
        adds=max,
        null=True,
        bounds_level=True,
    )
    too_sure: int | None = fact(
        "rules at or above",
        Kind.COUNT,
        one="1 rule from any set of quasi-identifiers reaches the limit",
        said="{} rules from any set of quasi-identifiers reach the limit",
        optional=True,
        safer="lower",
        given="below",
    )
    confidence: float | None = fact(
        "largest confidence of any subset",
        said="The surest of them has a confidence of {}",
        optional=True,
    )
    shown: int | None = fact("its count", said="Rows that show this rule: {}", optional=True)

    def notes(
        self, measured: float | None, required: float | None, parameters: Mapping[str, object]
    ) -> tuple[str, ...]:
        """Return a note if rules are below the limit only because some cells are unknown."""
        del parameters
        if measured is None or required is None or self.possible is None:
            return ()
        return (ONLY_HIDDEN,) if measured < required <= self.possible else ()


@dataclass(frozen=True)
class RuleConfidence:
    """The largest confidence of a sensitive association rule (Z07 sections 3 and 4).

    A rule X => Y goes from values of one or more quasi-identifiers to values of one or more
    sensitive attributes. Its confidence is the share of the rows with X that have Y. A missing or
    suppressed cell never has Y.

    Rules from all quasi-identifiers to one sensitive attribute suffice for the largest confidence.
    Adding sensitive attributes to Y never raises the confidence. The confidence of a rule from
    fewer quasi-identifiers is a weighted mean of confidences of rules from all quasi-identifiers.
    So the largest confidence is the largest share of a value in a class, which is the alpha of
    (alpha, k)-anonymity.

    There are two exceptions, in which the rules from all subsets of quasi-identifiers are counted:

    - `min_rows` is above 1. Rules with fewer rows are ignored, but several small classes together
      may have enough rows for a rule from fewer quasi-identifiers.
    - There is a unit column. Persons are counted, and a person may be in several classes.

    below: every rule must have a confidence below this limit; None requires nothing. Without a
        requirement, counting ends at the first rule with confidence 1. It also ends when (number of
        distinct rows) times (number of sets of quasi-identifiers) reaches MOST_UNASKED; then a note
        says that the level may be higher.
    min_rows: rules for which fewer rows (or persons) have X and Y are ignored.

    Level: the largest confidence if no unknown cell has the value of the rule. For a class: the
    largest confidence of a rule about its rows. Lower is safer; 1 means that a rule is certain, 0
    that no rule has enough rows.

    `details` also has the largest confidence if every unknown cell has the value of the rule.
    Suppressing cells hides a rule, but does not make it false. This possible confidence does not
    decide the requirement. If it reaches the limit and the level does not, a note says so.

    Edge cases: no rows, or no known value, undefined; one class, the largest share of a value; a
    class with no known value has no level, but counts for the largest possible confidence; without
    quasi-identifiers, all rows have the same empty X. An unknown quasi-identifier cell is counted
    by the convention. Under wildcards only the rules from all quasi-identifiers are counted.
    """

    name: ClassVar[str] = "rule-confidence"
    about: ClassVar[AboutModel] = AboutModel(
        level="confidence",
        parameter="below",
        means="Every rule from quasi-identifier values to sensitive values has a confidence below "
        "the required level",
        matters="An adversary may know only some quasi-identifiers. A rule from these alone can be "
        "certain.",
        do="Suppress cells in the rows that show the surest rules, or generalize the "
        "quasi-identifiers of these rules, and audit again.",
        strict=True,
        facts=(Rules,),
        unasked=(Unasked(place=100, needs=frozenset({Need.SENSITIVE})),),
        by_class=True,
        unions=Unions.IF_APART,
        only_with={"min_rows": 1},  # otherwise rules from fewer columns count too
    )
    below: float | None = None
    min_rows: int = 1

    def __post_init__(self) -> None:
        real_number("below", self.below, 0, 1, above=True)
        whole_number("min-rows", self.min_rows, 1)
        if self.min_rows is None:
            raise ParameterError("min-rows must be given")

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the largest confidence of any rule; the details are `Rules`."""
        quasi = classes.roles.quasi_identifiers
        wild = classes.compatibility is not None
        pairs = 2 ** len(quasi) * 2 ** len(classes.roles.sensitive)
        countable = pairs <= MOST_COLUMN_PAIRS
        parts_matter = len(quasi) > 1 and (self.min_rows > 1 or classes.roles.unit is not None)
        go_through = parts_matter and countable and not wild
        # The set of all quasi-identifiers comes first.
        antecedents = list(subsets(quasi))[::-1] if go_through else [quasi]
        most = len(antecedents)
        if self.below is None:  # without a requirement, limit the work
            most = min(most, max(1, MOST_UNASKED // max(len(classes.kept), 1)))
        levels, possible, skipped = {}, 0.0, False
        for name in classes.roles.sensitive:
            if wild:
                levels[name], highest = _of_wildcard_classes(classes, name, self.min_rows)
            else:
                certain = self.below is None  # stop at confidence 1, which no rule exceeds
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
                f"rules of {most} of the {len(antecedents)} sets of quasi-identifiers were "
                "counted, so the largest confidence may be higher; require rule-confidence to "
                "count all of them"
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
            why = "wildcards" if wild else "the number of quasi-identifiers"
            text = f"because of {why}, only rules on all quasi-identifiers were counted"
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
    """Return the largest confidences of the rules from `antecedents` to the attribute `name`.

    Returns two results. The first is the largest confidence of a rule about each class, if no
    unknown cell has the value of the rule; shape (n_classes,), NaN for a class with no known value.
    The second is the largest confidence over all rules, if every unknown cell has the value of the
    rule.

    antecedents: sets of quasi-identifiers. stop: True to end at the first set with a rule of
    confidence 1, because no confidence is higher.
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
    """Return the results of `_of_rules` for classes that overlap under wildcards.

    Only rules from all quasi-identifiers are counted. The second result is an upper bound.
    """
    counts = classes.sensitive[name]
    share = np.where(counts.largest >= min_rows, counts.largest / classes.sizes, 0.0)
    unknown = np.maximum(classes.sizes - counts.totals, 0)
    possible = (counts.largest + unknown) / classes.sizes
    if classes.roles.unit is not None:  # a person may have several values
        possible = np.ones(len(classes))
    return np.where(counts.totals > 0, share, np.nan), float(possible.max(initial=0.0))


def _surest(rules: Rules, classes: EquivalenceClasses, below: float, min_rows: int) -> Rules:
    """Return `rules` with the facts about the rules that reach the limit `below`.

    The facts are the number of these rules, over all sets of columns, and the highest confidence.
    """
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
