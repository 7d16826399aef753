"""Association: infer sensitive values with rules from some quasi-identifiers to a value.

Source: Z07 sections 2 and 3 (White, Male, 1968, 40242 => heart disease); Agrawal and Srikant 1994
for mining. Two engines count the rules: mlxtend's frequent itemsets, and an exact count over all
sets of quasi-identifiers. mlxtend is used if the table is small enough (`engine_for`) and there is
no unit column, because it cannot count persons. Both engines find the same rules. They count whole
rows, so rounding loses no rule whose confidence is exactly the threshold.

In the order of the paper: `rule_tables` finds the rules of enough confidence (section 4.1, step 2;
`papers/published/z07.py` has each step), and `Association.run` applies them to people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from anonaudit.about import AboutAttack, Bound, InMatrix, discloses
from anonaudit.arrays import Bools
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.details import Details, fact, part_of
from anonaudit.errors import AnonauditError
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency.classes import EquivalenceClasses, count_entries
from anonaudit.frequency.codes import Codes, distinct_rows
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.frequency.wildcards import SparseTable, sparse_table
from anonaudit.linking.matching import Candidates
from anonaudit.linking.too_much import TooMuchError
from anonaudit.models.alpha_k import AlphaKAnonymity
from anonaudit.models.rules import Names, count_rules, subsets
from attacks.shared import (
    AWAY,
    bounded,
    choice_option,
    disclosure,
    flag_option,
    largest_class,
    link,
    most_of,
    nothing,
    number_option,
    persons_of,
    share_option,
    shared_columns,
    unknown_cells,
)

# An audit counts at most this many sets of quasi-identifiers.
MOST_KNOWN_SETS = 4_096
# If a policy requests mlxtend: the most cells of its one-hot table, and the most itemsets.
MOST_ONE_HOT_CELLS = 50_000_000
MOST_ITEMSETS = 200_000
# If the policy names no engine, mlxtend is used up to these limits. Above them the exact count is
# much faster.
MOST_CELLS_BY_DEFAULT = 1_000_000
MOST_ITEMSETS_BY_DEFAULT = 2_000


@dataclass(frozen=True, kw_only=True, eq=False)
class DescribedRule(Details):
    """One rule for a report. Reports hide `cells` unless values may be shown."""

    confidence: float = fact("confidence")
    rows: int = fact("rows")
    known: Sequence[str] = fact("columns known")
    discloses: Sequence[str] = fact("discloses")
    cells: Mapping[str, str] = fact("cells")


@dataclass(frozen=True, kw_only=True, eq=False)
class Believed(Details):
    """The rules to one value that reach the required confidence.

    confidence: the required confidence. rules: how many rules reach it. counted_by: the engine.
    surest: a rule of the highest confidence. by_known: how many targets are disclosed by a rule on
    one column, how many need a rule on two columns, and so on.
    """

    confidence: float = fact("confidence")
    rules: int = fact("rules")
    counted_by: str = fact("rules counted by")
    surest: DescribedRule | None = fact("surest rule", optional=True)
    by_known: Mapping[str, int] = fact("targets by columns known")


def _surer(alpha: float, _options: Mapping[str, Any], disclosure: Disclosure) -> str | None:
    """Return an error text if rules disclose a value although alpha is below `confidence`.

    alpha: the level of (alpha, k)-anonymity, the largest share of a value in a class. No rule has a
    confidence above alpha; the theorem is in RuleConfidence. None means no error.
    """
    believed = part_of(disclosure.details, Believed)
    if believed is None or alpha >= believed.confidence:
        return None
    return discloses(disclosure, f"{AlphaKAnonymity.name} with alpha < {believed.confidence}")


class Association:
    """The adversary knows any subset of a target's quasi-identifiers.

    Success: a rule X => Y with at least the given confidence applies to the target. X are values of
    one or more quasi-identifiers, Y is a value of a sensitive attribute, and the confidence is the
    share of the rows (persons) with X that also have Y.

    A row with a missing or suppressed cell in a column of X is in no rule on this column: it counts
    neither among the rows with X nor among those with Y. A row with an unknown cell in the column
    of Y counts among the rows with X only, unless the convention makes all unknown cells one value.
    A rule to several sensitive values has at most the confidence of the rule to one of them, so the
    attack considers only rules to a single value.

    Options:

    - confidence: the required confidence (default 1).
    - min-rows: how many rows a rule must have at least (default 1).
    - most-known: how many quasi-identifiers the adversary may know (default all).
    - engine: "mlxtend" or "exact" (default: see `engine_for`).
    - external, identity: a table of named targets. Without it everybody in the release is a target.
      A named target may match several generalized combinations; their rows are then counted
      together, each person once.
    - everyone-released: true if all named targets are in the release. A target that matches no row
      is then undecided.

    Bounded by rule confidence, and by alpha of (alpha, k)-anonymity, because no rule has a
    confidence above alpha. Baseline: guess the most frequent value of the release.

    `details` is `Believed`. It has the number of rules, the engine that counted them, the rule of
    the highest confidence, and how many targets are disclosed, by the number of columns that an
    adversary must know at least.
    """

    name: ClassVar[str] = "association"
    knowledge: ClassVar[str] = "any of the target's quasi-identifiers"
    options: ClassVar[tuple[str, ...]] = (
        "confidence",
        "min_rows",
        "most_known",
        "engine",
        "external",
        "identity",
        "everyone_released",
    )
    about: ClassVar[AboutAttack] = AboutAttack(
        means="A rule from some quasi-identifiers to a sensitive value, with enough confidence, "
        "discloses the value of everybody with these quasi-identifiers",
        matters="An adversary who knows only some quasi-identifiers may still be certain.",
        do="Require a rule-confidence, and suppress cells of the rows behind the surest rules.",
        confidence="confidence",
        matrix=InMatrix(confidence="confidence", people=False),
        bounds=(Bound(model=AlphaKAnonymity, broken=_surer, rows=True, known=True, apart=True),),
    )

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """Find the targets to whom a rule of enough confidence applies."""
        classes, roles = setting.classes, setting.classes.roles
        least = share_option(self.name, setting, "confidence", 1.0)
        min_rows = number_option(self.name, setting, "min_rows", 1, 1)
        most = number_option(self.name, setting, "most_known", len(roles.quasi_identifiers) or 1, 1)
        if not roles.sensitive or not roles.quasi_identifiers:
            return nothing(self, setting, "rules need quasi-identifiers and a sensitive column")
        if not len(classes):
            return nothing(self, setting, "there is no class to attack", Outcome.INCONCLUSIVE)
        if classes.compatibility is not None:
            reason = "under wildcards a row matches several combinations, so rules are not defined"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        quasi, people = roles.quasi_identifiers, setting.external
        if people is not None:
            quasi = tuple(shared_columns(self.name, setting, people))
            people, persons = persons_of(setting, people, quasi)
            people = replace(people, counts=persons)
        sets, cut = sets_of(quasi, most)
        engine = _engine(self.name, setting, sets, min_rows)
        entries = classes.keys if people is None else people
        targets = _Targets(len(entries), roles.sensitive)
        number, surest = 0, None
        for rules in rule_tables(classes, sets, least, min_rows, engine):
            number += len(rules.shown)
            surest = max(filter(None, (surest, rules.surest())), key=_sureness, default=None)
            if people is None:
                (name,) = rules.consequent
                targets.disclose(name, rules.about(entries), len(rules.antecedent))
        if people is not None:
            _apply_to_people(targets, setting, people, sets, least, min_rows)
        elif (classes.base.columns(roles.sensitive) < FIRST_VALUE).any():
            targets.leave_open(*_may_tell(classes, sets, least, min_rows))
        hit = targets.fewest_known > 0
        # The sets of columns that were left out may disclose any of the other targets.
        may = ~hit if cut is not None else targets.may & ~hit
        count = classes.people if people is None else lambda one: int(people.counts[one].sum())
        sizes = np.unique(targets.fewest_known[hit]).tolist()
        witness = largest_class(classes, hit) if people is None else None
        if witness is not None:
            most_disclosed = most_of(targets.by_attribute, witness.class_number)
            witness = replace(witness, attribute=most_disclosed)
        return disclosure(
            self,
            setting,
            targets=count(np.ones(len(entries), bool)),
            disclosed=count(hit),
            undecided=count(may),
            reason=cut or ("; ".join(dict.fromkeys(targets.causes)) if may.any() else None),
            per_attribute={name: count(one) for name, one in targets.by_attribute.items()},
            details=Believed(
                confidence=least,
                rules=number,
                counted_by=engine,
                surest=None if surest is None else surest.described(),
                by_known={str(n): count(targets.fewest_known == n) for n in sizes},
            ),
            witness=witness,
            exposed=hit if people is None else None,
        )


class _Targets:
    """What the rules disclose about n targets. A target is here a class or external combination.

    fewest_known: shape (n,), the fewest columns of a rule about each target; 0 without a rule.
    by_attribute: by sensitive attribute, True for the disclosed targets, shape (n,).
    may: shape (n,), True for the targets to which a rule may apply. causes: why the targets of
    `may` are undecided.
    """

    def __init__(self, n: int, sensitive: Names) -> None:
        self.fewest_known = np.zeros(n, np.int64)
        self.by_attribute = {name: np.zeros(n, bool) for name in sensitive}
        self.may: Bools = np.zeros(n, bool)
        self.causes: list[str] = []

    def disclose(self, attribute: str, some: Bools, columns: int) -> None:
        """Record that a rule on so many columns discloses an attribute of some targets.

        some: shape (n,), True for these targets.
        """
        self.fewest_known = _at_most(self.fewest_known, some, columns)
        self.by_attribute[attribute] |= some

    def leave_open(self, some: Bools, causes: Sequence[str]) -> None:
        """Record that a rule may apply to the targets in `some`, shape (n,), and why."""
        self.may |= some
        self.causes += causes


def _apply_to_people(
    targets: _Targets,
    setting: Setting,
    people: FrequencySet,
    sets: Sequence[Names],
    least: float,
    min_rows: int,
) -> None:
    """Count the rules of named targets, and record in `targets` what they disclose.

    The rules of a target are counted over all rows that match, or may match, what is known of the
    target. The other parameters are those of `rule_tables`.
    """
    if flag_option(Association.name, setting, "everyone_released"):
        fitting = link(setting, people, setting.classes.base.project(people.attributes))
        away = ~_any_of(len(people), fitting.widest.person)
        targets.leave_open(away, [AWAY] if away.any() else [])
    for columns in sets:
        for name in setting.classes.roles.sensitive:
            sure, open_, causes = _reached_by_rules(setting, people, columns, name, least, min_rows)
            targets.disclose(name, sure, len(columns))
            targets.leave_open(open_, causes)


class CellRule(NamedTuple):
    """One rule X => Y. X is the antecedent, Y the consequent; both are pairs (column, label).

    shown: how many rows (persons) have X and Y. of: how many have X.
    """

    antecedent: tuple[tuple[str, str], ...]
    consequent: tuple[tuple[str, str], ...]
    shown: int
    of: int

    def described(self) -> DescribedRule:
        """Return the rule for a report."""
        return DescribedRule(
            confidence=self.shown / self.of,
            rows=self.shown,
            known=[column for column, _ in self.antecedent],
            discloses=[column for column, _ in self.consequent],
            cells=dict((*self.antecedent, *self.consequent)),
        )


@dataclass(frozen=True)
class RuleTable:
    """The rules X => Y from the columns `antecedent` to the columns `consequent`.

    cells: one entry for each rule, over the antecedent and then the consequent. The count of the
    entry is the number of rows (persons) with X and Y.
    of: shape (n_rules,), how many rows (persons) have X. unknown: shape (n_rules,), how many rows
    (persons) with X have an unknown cell that may be Y.
    """

    antecedent: Names
    consequent: Names
    cells: FrequencySet
    of: npt.NDArray[np.int64]
    unknown: npt.NDArray[np.int64]

    def where(self, some: Bools) -> RuleTable:
        """Return the selected rules; `some` has the shape (n_rules,)."""
        return replace(
            self, cells=self.cells.where(some), of=self.of[some], unknown=self.unknown[some]
        )

    @property
    def shown(self) -> npt.NDArray[np.int64]:
        """How many rows (persons) have X and Y, by rule."""
        return self.cells.counts

    def rule(self, i: int) -> CellRule:
        """Return rule i with its labels."""
        cells, n = self.cells, len(self.antecedent)
        named = [
            (column, labels[code])
            for column, labels, code in zip(
                cells.attributes, cells.labels, cells.codes[i], strict=True
            )
        ]
        return CellRule(tuple(named[:n]), tuple(named[n:]), int(self.shown[i]), int(self.of[i]))

    def surest(self) -> CellRule | None:
        """Return the rule of the highest confidence; of several, the one with the most rows.

        Returns None if there is no rule.
        """
        if not len(self.of):
            return None
        ties = tuple(self.cells.codes.T[::-1])
        return self.rule(int(np.lexsort((*ties, -self.shown, -self.shown / self.of))[0]))

    def about(self, keys: FrequencySet) -> Bools:
        """Return True for the combinations of `keys` to which a rule applies, shape (len(keys),).

        keys: from the same release as the rules, so that both have the same codes.
        """
        x = self.cells.codes[:, : len(self.antecedent)]
        if not len(x):
            return np.zeros(len(keys), bool)
        theirs = keys.columns(self.antecedent)
        _, number = distinct_rows(np.concatenate([x, theirs]))
        return np.isin(number[len(x) :], number[: len(x)])


def _sureness(rule: CellRule) -> tuple[float, int, int, object]:
    named = rule.antecedent, rule.consequent  # makes ties independent of the counting order
    return rule.shown / rule.of, rule.shown, -len(rule.antecedent), named


def _at_most(known: npt.NDArray[np.int64], disclosed: Bools, size: int) -> npt.NDArray[np.int64]:
    return np.where(disclosed & ((known == 0) | (known > size)), size, known)


def sets_of(quasi: Names, most: int) -> tuple[list[Names], str | None]:
    """Return the sets of quasi-identifiers to count, smallest first, and why some are left out.

    most: the largest size of a set. The reason is None if no set is left out.
    """
    most = min(most, len(quasi))
    total, size = 0, 0
    while size < most and total + comb(len(quasi), size + 1) <= MOST_KNOWN_SETS:
        size += 1
        total += comb(len(quasi), size)
    sets = [one for n in range(1, size + 1) for one in combinations(quasi, n)]
    if size == most:
        return sets, None
    if most == len(quasi):
        sets.append(quasi)
    reason = f"only sets of up to {size} of the {len(quasi)} quasi-identifiers were counted"
    return sets, f"{reason}; set most-known to {size}, or name fewer columns"


def _engine(attack: str, setting: Setting, sets: Sequence[Names], min_rows: int) -> str:
    """Return the engine that the policy names, otherwise the one that `engine_for` chooses."""
    asked = choice_option(attack, setting, "engine", ("auto", "mlxtend", "exact"))
    return engine_for(setting.classes, sets, min_rows) if asked == "auto" else asked


def engine_for(classes: EquivalenceClasses, sets: Sequence[Names], min_rows: int = 1) -> str:
    """Return the engine that counts the rules if the policy names none.

    "mlxtend" if rows are counted, its one-hot table has up to 1,000,000 cells, and there are up to
    2,000 itemsets; otherwise "exact". The parameters are those of `rule_tables`.
    """
    if classes.roles.unit is not None:
        return "exact"
    table, least, longest = _mined(classes, sets, 1)
    known = (
        np.unique(table.column(c)) >= low for c, low in zip(table.attributes, least, strict=True)
    )
    if table.total * sum(int(some.sum()) for some in known) > MOST_CELLS_BY_DEFAULT:
        return "exact"
    most = MOST_ITEMSETS_BY_DEFAULT
    number = _number_of_itemsets(table, least, min_rows, longest, most)
    return "mlxtend" if number <= most else "exact"


def rule_tables(
    classes: EquivalenceClasses,
    sets: Sequence[Names],
    least: float,
    min_rows: int = 1,
    engine: str = "exact",
    *,
    joint: bool = False,
) -> Iterator[RuleTable]:
    """Yield all rules X => Y of enough confidence, X over `sets`, Y over the sensitive attributes.

    There is one RuleTable for each set of columns and each consequent. X has no missing or
    suppressed cell. Y has such a cell only if the convention counts it as a value.

    least: the required confidence. min_rows: the fewest rows of a rule.
    engine: "exact" or "mlxtend"; both find the same rules.
    joint: True if Y also runs over sets of several sensitive attributes.

    Raises TooMuchError if mlxtend would need more than MOST_ONE_HOT_CELLS or MOST_ITEMSETS.

    >>> from anonaudit.frequency.classes import equivalence_classes
    >>> from anonaudit.roles import Roles
    >>> rows = [("30s", "flu"), ("30s", "flu"), ("40s", "flu"), ("40s", "hiv")]
    >>> table = FrequencySet.of(["age", "dx"], rows)
    >>> classes = equivalence_classes(table, Roles(("age",), ("dx",)))
    >>> [rules.surest() for rules in rule_tables(classes, [("age",)], 0.9)]
    [CellRule(antecedent=(('age', '30s'),), consequent=(('dx', 'flu'),), shown=2, of=2)]
    """
    names = classes.roles.sensitive
    consequents = list(subsets(names)) if joint else [(name,) for name in names]
    if engine == "mlxtend":
        counted = _counted_by_mlxtend(classes, sets, consequents, min_rows)
    else:
        counted = _counted_exactly(classes, sets, consequents)
    for table in counted:
        sure = (table.shown >= min_rows) & (table.shown / table.of >= least)
        yield table.where(sure)


def _counted_exactly(
    classes: EquivalenceClasses, sets: Sequence[Names], consequents: Sequence[Names]
) -> Iterator[RuleTable]:
    for antecedent, part in _parts(classes, sets):
        for consequent in consequents:
            counted = count_rules(part, antecedent, consequent)
            cells = replace(_cells(part, antecedent, consequent), counts=counted.shown)
            rules = RuleTable(antecedent, consequent, cells, counted.of, counted.unknown)
            yield rules.where(_nameable(cells, antecedent))


def _may_tell(
    classes: EquivalenceClasses, sets: Sequence[Names], least: float, min_rows: int
) -> tuple[Bools, list[str]]:
    """Return the classes to which a rule may apply, shape (n_classes,), and a list of reasons.

    A rule may apply if it reaches the confidence once unknown cells have the value of the rule. The
    list is empty if there is no such class.
    """
    may = {name: np.zeros(len(classes), bool) for name in classes.roles.sensitive}
    for table in _counted_exactly(classes, sets, [(name,) for name in may]):
        most = table.shown + table.unknown
        open_ = (table.unknown > 0) & (most >= min_rows) & (most / table.of >= least)
        may[table.consequent[0]] |= table.where(open_).about(classes.keys)
    unknown = np.logical_or.reduce(list(may.values()))
    return unknown, [unknown_cells(may)] if unknown.any() else []


def _parts(
    classes: EquivalenceClasses, sets: Sequence[Names]
) -> Iterator[tuple[Names, EquivalenceClasses]]:
    """Yield each set of columns with the release reduced to these columns.

    The reduced release has fewer entries and the same rules. If all subsets of the columns are few
    enough, each reduced release is computed from a reduced release with one column more.
    """
    roles, wanted = classes.roles, set(sets)
    columns = tuple(dict.fromkeys(c for one in sets for c in one))
    rest = (*roles.sensitive, *(() if roles.unit is None else (roles.unit,)))
    if 2 ** len(columns) > MOST_KNOWN_SETS:
        for one in sets:
            kept = classes.kept.project((*one, *rest))
            yield one, replace(classes, kept=kept, keys=kept.project(one))
        return

    def below(
        table: FrequencySet, names: Names, start: int
    ) -> Iterator[tuple[Names, FrequencySet]]:
        if names in wanted:
            yield names, table
        for i in range(start, len(names)):
            fewer = (*names[:i], *names[i + 1 :])
            if fewer:
                yield from below(table.project((*fewer, *rest)), fewer, i)

    for names, kept in below(classes.kept.project((*columns, *rest)), columns, 0):
        yield names, replace(classes, kept=kept, keys=kept.project(names))


def _cells(classes: EquivalenceClasses, antecedent: Names, consequent: Names) -> FrequencySet:
    """Return one entry for each rule of `count_rules`, in the same order."""
    both = classes.kept.project((*antecedent, *consequent))
    least = classes.convention.first_counted
    return both.where(np.all(both.codes[:, len(antecedent) :] >= least, axis=1))


def _nameable(table: FrequencySet, columns: Names) -> Bools:
    """Return the entries of a table that have a value in all of these columns."""
    nameable: Bools = np.all(table.columns(columns) >= FIRST_VALUE, axis=1)
    return nameable


class _Fitting(NamedTuple):
    """How many rows (persons) match each of n external combinations.

    shown: how many match and have each value, shape (n, values). every: how many match, shape (n,).
    gaps: how many match and have an unknown value, shape (n,).
    """

    shown: SparseTable
    every: Codes
    gaps: Codes


def _any_of(n: int, some: npt.NDArray[np.integer]) -> Bools:
    """Return True for the numbers 0, ..., n - 1 that occur in `some`, shape (n,)."""
    return np.bincount(some, minlength=n) > 0


def _reached_by_rules(
    setting: Setting,
    outside: FrequencySet,
    columns: Names,
    name: str,
    least: float,
    min_rows: int,
) -> tuple[Bools, Bools, list[str]]:
    """Return the external combinations to which a rule applies, and those to which one may apply.

    The third result has the reasons why the latter are undecided. Both arrays have the shape
    (len(outside),).

    The rules lead from `columns` to a value of the attribute `name`. A row with an unknown cell in
    `columns` does not count for any rule.
    """
    classes, unit = setting.classes, setting.classes.roles.unit
    rows = classes.kept.where(_nameable(classes.kept, columns))
    keys, people = rows.project(columns), outside.project(columns)
    links = link(setting, people, keys)
    entry, value = keys.entry_of(rows), rows.column(name)
    known = value >= classes.convention.first_counted

    def of_all_that_fit(looks: SparseTable, some: Bools, value: Codes) -> SparseTable:
        """Count the rows (persons) that match, by external combination and value."""
        shape = (len(keys), int(value.max(initial=0)) + 1)
        part = rows.where(some)
        found = count_entries(part, unit, entry[some], value[some], shape, looks.__matmul__)
        return sparse_table(found.number, found.row, found.column, (len(people), shape[1]))

    def counted(pairs: Candidates) -> _Fitting:
        ones, shape = np.ones(len(pairs.key)), (len(people), len(keys))
        looks = sparse_table(ones, pairs.person, pairs.key, shape)
        every, gaps = (
            of_all_that_fit(looks, some, np.zeros_like(value)).toarray().ravel()
            for some in (np.ones(len(rows), bool), ~known)
        )
        return _Fitting(of_all_that_fit(looks, known, value), every, gaps)

    fewest = most = counted(links.sure)
    if links.widest is not links.sure:
        most = counted(links.widest)
    values = most.shown.tocoo()
    who, low, high = values.row, values.data, values.data
    if most is not fewest and len(who):
        low = np.asarray(fewest.shown.tocsr()[who, values.col])
    # The confidence is lowest if the doubtful rows without the value match, and no others. It is
    # highest if the doubtful rows with the value or an unknown cell match, and no others. A person
    # may have rows of both kinds, so the bounds are wider for persons.
    with_it = high - low if unit is None else np.zeros_like(high)
    new_gaps = (most.gaps - fewest.gaps)[who] if unit is None else with_it
    # `rule_tables` divides too. To compare `low` with `least` times a number would be less exact,
    # because the product may be rounded up.
    lowest = low / np.maximum(most.every[who] - with_it, 1)
    could = high + most.gaps[who]
    highest = could / np.maximum(fewest.every[who] + with_it + new_gaps, 1)
    # For people with an unknown cell in these columns, smaller sets of columns have the rules.
    named = np.all(people.codes >= FIRST_VALUE, axis=1)
    disclosed = _any_of(len(people), who[(low >= min_rows) & (lowest >= least)]) & named
    may = _any_of(len(people), who[(could >= min_rows) & (highest >= least)]) & named & ~disclosed
    causes = links.unread_labels
    if (may & (most.gaps > 0)).any():
        causes.append(unknown_cells({name: may}))
    place = people.entry_of(outside)
    return disclosed[place], may[place], causes


def _counted_by_mlxtend(
    classes: EquivalenceClasses,
    sets: Sequence[Names],
    consequents: Sequence[Names],
    min_rows: int,
) -> Iterator[RuleTable]:
    """Yield the rules from the frequent itemsets of mlxtend.

    Only the itemsets of mlxtend are used. Its function for rules splits every itemset in every way,
    and cannot be restricted to one consequent. It also divides rounded supports, and so loses rules
    whose confidence is exactly the threshold. A count is here the support times the number of rows,
    rounded to a whole number.
    """
    if classes.roles.unit is not None:
        raise AnonauditError(
            "association: mlxtend counts rows; with a unit column use engine = 'exact'"
        )
    table, least, longest = _mined(classes, sets, max(map(len, consequents)))
    columns = table.attributes[: -len(classes.roles.sensitive)]
    count, items = _itemsets(table, least, min_rows, longest)
    by_columns: dict[tuple[Names, Names], list[tuple[list[int], int, int]]] = {}
    for chosen, shown in count.items():
        x = tuple(i for i in chosen if items[i][0] < len(columns))
        y = tuple(i for i in chosen if items[i][0] >= len(columns))
        if x and y:
            pair = tuple(tuple(table.attributes[items[i][0]] for i in part) for part in (x, y))
            codes = [items[i][1] for i in chosen]
            by_columns.setdefault((pair[0], pair[1]), []).append((codes, shown, count[x]))
    for antecedent in sets:
        for consequent in consequents:
            named = (*antecedent, *consequent)
            rules = by_columns.get((antecedent, consequent), [])
            cells = FrequencySet(
                named,
                tuple(table.labels_of(column) for column in named),
                np.array([codes for codes, _, _ in rules], np.int64).reshape(-1, len(named)),
                np.array([shown for _, shown, _ in rules], np.int64),
            )
            of = np.array([of for _, _, of in rules], np.int64)
            yield RuleTable(antecedent, consequent, cells, of, np.zeros_like(of))


def _mined(
    classes: EquivalenceClasses, sets: Sequence[Names], longest_consequent: int
) -> tuple[FrequencySet, list[int], int]:
    """Return the table for mlxtend, the least code by column, and the size of the longest itemset.

    Codes below the least code of their column do not count as items.
    """
    columns = tuple(dict.fromkeys(c for one in sets for c in one))
    table = classes.kept.project((*columns, *classes.roles.sensitive))
    least = [FIRST_VALUE] * len(columns)
    least += [classes.convention.first_counted] * len(classes.roles.sensitive)
    return table, least, max(map(len, sets)) + longest_consequent


def _itemsets(
    table: FrequencySet, least: Sequence[int], min_rows: int, longest: int
) -> tuple[dict[tuple[int, ...], int], list[tuple[int, int]]]:
    """Return the count of each frequent itemset, and the items as (column number, code).

    An itemset is a sorted tuple of positions in the list of items. The items are in the order of
    the columns. least: by column, the least code that is an item. longest: the most items of a set.
    """
    items = [
        (j, code)
        for j, column in enumerate(table.attributes)
        for code in np.unique(table.column(column)).tolist()
        if code >= least[j]
    ]
    rows, number = table.total, _number_of_itemsets(table, least, min_rows, longest, MOST_ITEMSETS)
    if rows * len(items) > MOST_ONE_HOT_CELLS or number > MOST_ITEMSETS:
        raise TooMuchError(
            f"{rows} rows, {len(items)} items and {number} or more itemsets are too "
            "many for mlxtend; use engine = 'exact', or a larger min-rows"
        )
    if not number:
        return {}, items  # mlxtend raises an error for a table without items
    import pandas as pd
    from mlxtend.frequent_patterns import apriori

    hot = np.column_stack([table.codes[:, j] == code for j, code in items])
    frequent = apriori(
        pd.DataFrame(np.repeat(hot, table.counts, axis=0)),
        min_support=(min_rows - 0.5) / rows,  # half a row less, so that rounding loses no itemset
        max_len=longest,
        low_memory=True,
    )
    pairs = zip(frequent["itemsets"], frequent["support"], strict=True)
    return {tuple(sorted(chosen)): round(share * rows) for chosen, share in pairs}, items


def _number_of_itemsets(
    table: FrequencySet, least: Sequence[int], min_rows: int, longest: int, most: int
) -> int:
    """Return the number of itemsets that at least `min_rows` rows have.

    Counting stops above `most`. The other parameters are those of `_itemsets`.
    """
    total = 0
    frequent: list[tuple[int, ...]] = [()]
    for _ in range(longest):
        # A part of an itemset has at least its rows. So only sets of columns with an itemset grow.
        smaller, frequent = frequent, []
        for some in smaller:
            for j in range(some[-1] + 1 if some else 0, len(table.attributes)):
                chosen = (*some, j)
                part = table.project([table.attributes[i] for i in chosen])
                known = np.all(part.codes >= [least[i] for i in chosen], axis=1)
                number = int((part.counts[known] >= min_rows).sum())
                total += number
                if total > most:
                    return total
                if number:
                    frequent.append(chosen)
    return total
