"""Association: rules from some quasi-identifiers to a sensitive value, applied to people.

Source: Z07 sections 2 and 3 (White, Male, 1968, 40242 => heart disease); Agrawal and Srikant 1994
for mining. Two engines count the rules: mlxtend's frequent itemsets where rows are counted and the
table is small enough (`engine_for`), else an exact count over all sets of quasi-identifiers. Both
work in whole numbers of rows, so that a confidence exactly at the threshold is not lost to
rounding, and both give the same rules.

In the order of the paper: `rule_tables` finds the rules of enough confidence (section 4.1, step 2;
`papers/published/z07.py` has the steps one by one), `Association.run` applies them to people.
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

# More sets of quasi-identifiers than this are too many to count in an audit.
MOST_KNOWN_SETS = 4_096
# Cells of the one-hot table, and itemsets, that mlxtend is still given where a policy asks for it.
MOST_ONE_HOT_CELLS = 50_000_000
MOST_ITEMSETS = 200_000
# And where none does: from here on the exact count is much faster.
MOST_CELLS_BY_DEFAULT = 1_000_000
MOST_ITEMSETS_BY_DEFAULT = 2_000


@dataclass(frozen=True, kw_only=True, eq=False)
class DescribedRule(Details):
    """One rule. Its cells are hidden unless asked for, by their label."""

    confidence: float = fact("confidence")
    rows: int = fact("rows")
    known: Sequence[str] = fact("columns known")
    discloses: Sequence[str] = fact("discloses")
    cells: Mapping[str, str] = fact("cells")


@dataclass(frozen=True, kw_only=True, eq=False)
class Believed(Details):
    """The rules to one value that are sure enough.

    confidence: how sure. rules: how many. counted_by: by which engine. surest: one of them.
    by_known: the targets by how many columns must be known of them.
    """

    confidence: float = fact("confidence")
    rules: int = fact("rules")
    counted_by: str = fact("rules counted by")
    surest: DescribedRule | None = fact("surest rule", optional=True)
    by_known: Mapping[str, int] = fact("targets by columns known")


def _surer(alpha: float, _options: Mapping[str, Any], disclosure: Disclosure) -> str | None:
    """No rule is surer than the largest share of a value in a class (see RuleConfidence)."""
    believed = part_of(disclosure.details, Believed)
    if believed is None or alpha >= believed.confidence:
        return None
    return discloses(disclosure, f"{AlphaKAnonymity.name} with alpha < {believed.confidence}")


class Association:
    """The adversary knows some of a target's quasi-identifiers, any of them.

    Success: a rule X => Y about what the target has, X values of one or more quasi-identifiers,
    Y a value of a sensitive attribute, has at least the given confidence: the share of the rows
    (persons) with X that show Y. A missing or suppressed cell of X is nothing an adversary could
    know of a target: its row is in no rule on that column, neither among those with X nor among
    those that show Y. One of Y shows nothing, unless the convention makes all of them one value:
    then that value can be Y like any other. A rule to several sensitive values is never surer
    than one to each of them, so one at a time is enough to disclose.

    Options: confidence (1 if not given), min-rows (rows that must show a rule, 1 if not given),
    most-known (how many quasi-identifiers the adversary may know; all if not given), engine
    ("mlxtend", "exact", or as `engine_for` says if not given), external and identity for named
    targets; everyone-released, whether all of them are in the release (then who fits no row is
    undecided). Without an external table everybody in the release is a target. A named target may
    fit several generalized combinations; the rows of all of them are taken together then, and a
    person once.

    Bounded by rule confidence and by alpha of (alpha, k)-anonymity: no rule above alpha. Baseline:
    guessing the most frequent value of the release.

    `details` has the number of rules to one value, the engine that counted them, the surest of
    them, and the targets by the least knowledge that discloses something: the fewest columns of a
    rule about them.
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
        """The targets about whom a rule of enough confidence speaks, and what it takes."""
        classes, roles = setting.classes, setting.classes.roles
        least = share_option(self.name, setting, "confidence", 1.0)
        min_rows = number_option(self.name, setting, "min_rows", 1, 1)
        most = number_option(self.name, setting, "most_known", len(roles.quasi_identifiers) or 1, 1)
        if not roles.sensitive or not roles.quasi_identifiers:
            return nothing(self, setting, "rules need quasi-identifiers and a sensitive column")
        if not len(classes):
            return nothing(self, setting, "there is no class to attack", Outcome.INCONCLUSIVE)
        if classes.compatibility is not None:
            reason = "under wildcards a row has no one combination, so rules are not defined"
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
        elif (classes.base.codes[:, classes.base.positions(roles.sensitive)] < FIRST_VALUE).any():
            targets.leave_open(*_may_tell(classes, sets, least, min_rows))
        hit = targets.fewest_known > 0
        # Of what the sets of columns that were left out would disclose, nothing is known.
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
    """What the rules say about n targets, or combinations of values that targets share.

    fewest_known: shape (n,), the fewest columns of a rule about each; 0 if there is no rule.
    by_attribute: for each sensitive attribute whose value is disclosed, shape (n,).
    may: shape (n,), about whom a rule may speak; causes: why that is not known.
    """

    def __init__(self, n: int, sensitive: Names) -> None:
        self.fewest_known = np.zeros(n, np.int64)
        self.by_attribute = {name: np.zeros(n, bool) for name in sensitive}
        self.may: Bools = np.zeros(n, bool)
        self.causes: list[str] = []

    def disclose(self, attribute: str, some: Bools, columns: int) -> None:
        """A rule on so many columns discloses an attribute of some targets, shape (n,)."""
        self.fewest_known = _at_most(self.fewest_known, some, columns)
        self.by_attribute[attribute] |= some

    def leave_open(self, some: Bools, causes: Sequence[str]) -> None:
        """A rule may speak of some targets, shape (n,)."""
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
    """Named targets: to each the rules of all rows that fit, or may fit, what is known of them."""
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
    """One rule: its cells by column, how many rows (persons) show it, and how many have X."""

    antecedent: tuple[tuple[str, str], ...]
    consequent: tuple[tuple[str, str], ...]
    shown: int
    of: int

    def described(self) -> DescribedRule:
        """The rule for a report."""
        return DescribedRule(
            confidence=self.shown / self.of,
            rows=self.shown,
            known=[column for column, _ in self.antecedent],
            discloses=[column for column, _ in self.consequent],
            cells=dict((*self.antecedent, *self.consequent)),
        )


@dataclass(frozen=True)
class RuleTable:
    """The rules from some columns to others.

    cells: over antecedent, then consequent, one entry a rule; its counts are those that show it.
    of, unknown: shape (n_rules,), how many have X, and how many of those may show the rule too.
    """

    antecedent: Names
    consequent: Names
    cells: FrequencySet
    of: npt.NDArray[np.int64]
    unknown: npt.NDArray[np.int64]

    def where(self, some: Bools) -> RuleTable:
        """Some of the rules, shape of `some`: (n_rules,)."""
        return replace(
            self, cells=self.cells.where(some), of=self.of[some], unknown=self.unknown[some]
        )

    @property
    def shown(self) -> npt.NDArray[np.int64]:
        """How many rows (persons) show each rule."""
        return self.cells.counts

    def rule(self, i: int) -> CellRule:
        """Rule i with its labels."""
        cells, n = self.cells, len(self.antecedent)
        named = [
            (column, labels[code])
            for column, labels, code in zip(
                cells.attributes, cells.labels, cells.codes[i], strict=True
            )
        ]
        return CellRule(tuple(named[:n]), tuple(named[n:]), int(self.shown[i]), int(self.of[i]))

    def surest(self) -> CellRule | None:
        """The rule of most confidence, of these the one that most show."""
        if not len(self.of):
            return None
        ties = tuple(self.cells.codes.T[::-1])
        return self.rule(int(np.lexsort((*ties, -self.shown, -self.shown / self.of))[0]))

    def about(self, keys: FrequencySet) -> Bools:
        """The combinations of quasi-identifiers, of the same release, that some rule speaks of."""
        x = self.cells.codes[:, : len(self.antecedent)]
        if not len(x):
            return np.zeros(len(keys), bool)
        theirs = keys.codes[:, keys.positions(self.antecedent)]
        _, number = distinct_rows(np.concatenate([x, theirs]))
        return np.isin(number[len(x) :], number[: len(x)])


def _sureness(rule: CellRule) -> tuple[float, int, int, object]:
    named = rule.antecedent, rule.consequent  # so that ties do not follow the order of counting
    return rule.shown / rule.of, rule.shown, -len(rule.antecedent), named


def _at_most(known: npt.NDArray[np.int64], disclosed: Bools, size: int) -> npt.NDArray[np.int64]:
    return np.where(disclosed & ((known == 0) | (known > size)), size, known)


def sets_of(quasi: Names, most: int) -> tuple[list[Names], str | None]:
    """The sets of quasi-identifiers to count, small ones first, and why there are not more."""
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
    return sets, f"{reason}; set most-known to {size}, or name fewer"


def _engine(attack: str, setting: Setting, sets: Sequence[Names], min_rows: int) -> str:
    """The engine that the policy names, else the one that `engine_for` chooses."""
    asked = choice_option(attack, setting, "engine", ("auto", "mlxtend", "exact"))
    return engine_for(setting.classes, sets, min_rows) if asked == "auto" else asked


def engine_for(classes: EquivalenceClasses, sets: Sequence[Names], min_rows: int = 1) -> str:
    """The engine that counts the rules where a policy names none.

    "mlxtend" where rows are counted, its one-hot table has up to 1,000,000 cells, and there are up
    to 2,000 itemsets; else "exact". Parameters as for `rule_tables`.
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
    """All rules X => Y of enough confidence, X over `sets`, Y over the sensitive attributes.

    No rule has a missing or suppressed cell in X; in Y where the convention counts it as a value.
    engine: "exact" or "mlxtend"; both find the same rules.
    joint: whether Y runs over sets of sensitive attributes too.
    Raises TooMuchError where mlxtend would need too much.

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
    """The classes that a rule speaks of if unknown cells show it, and why that is not known."""
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
    """Each set of columns with a release reduced to it: smaller, and the same rules.

    Where all sets there are can be gone through, each is added up from one with a column more.
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
    """The cells of the rules that `count_rules` finds, entry by entry."""
    both = classes.kept.project((*antecedent, *consequent))
    least = classes.convention.first_counted
    return both.where(np.all(both.codes[:, len(antecedent) :] >= least, axis=1))


def _nameable(table: FrequencySet, columns: Names) -> Bools:
    """The entries of a table with a value in all of these columns."""
    nameable: Bools = np.all(table.codes[:, table.positions(columns)] >= FIRST_VALUE, axis=1)
    return nameable


class _Fitting(NamedTuple):
    """The rows (persons) that fit each external combination.

    shown: by value those that show it. every: all of them. gaps: those that show no value.
    """

    shown: SparseTable
    every: Codes
    gaps: Codes


def _any_of(n: int, some: npt.NDArray[np.integer]) -> Bools:
    """Which of n are among some."""
    return np.bincount(some, minlength=n) > 0


def _reached_by_rules(
    setting: Setting,
    outside: FrequencySet,
    columns: Names,
    name: str,
    least: float,
    min_rows: int,
) -> tuple[Bools, Bools, list[str]]:
    """The external combinations about which a rule on these columns speaks, or may; and why.

    A row that lacks a cell in them is in no rule on them: it is not among those with X either.
    """
    classes, unit = setting.classes, setting.classes.roles.unit
    rows = classes.kept.where(_nameable(classes.kept, columns))
    keys, people = rows.project(columns), outside.project(columns)
    links = link(setting, people, keys)
    entry, value = keys.entry_of(rows), rows.column(name)
    known = value >= classes.convention.first_counted

    def of_all_that_fit(looks: SparseTable, some: Bools, value: Codes) -> SparseTable:
        """By external combination and value the rows, or the persons, of all keys that fit it."""
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
    # Lowest: of the rows that may fit, those without the value do. Highest: those with the value or
    # without any do. A person may be of both kinds, so the bounds are wider for persons.
    with_it = high - low if unit is None else np.zeros_like(high)
    new_gaps = (most.gaps - fewest.gaps)[who] if unit is None else with_it
    # Divided, as for rules: a share times a number may be rounded above the whole number it is.
    lowest = low / np.maximum(most.every[who] - with_it, 1)
    could = high + most.gaps[who]
    highest = could / np.maximum(fewest.every[who] + with_it + new_gaps, 1)
    named = np.all(people.codes >= FIRST_VALUE, axis=1)  # who lacks a cell knows fewer columns
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
    """Rules from the frequent itemsets of mlxtend.

    Only its itemsets are used: its rules take every split of every itemset, cannot be asked for
    one consequent, and divide rounded supports, which loses those exactly at the threshold. A
    count is a support times the number of rows, rounded to the whole number it stands for.
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
    """The table mlxtend is given, by column the least code that is an item, the longest itemset."""
    columns = tuple(dict.fromkeys(c for one in sets for c in one))
    table = classes.kept.project((*columns, *classes.roles.sensitive))
    least = [FIRST_VALUE] * len(columns)
    least += [classes.convention.first_counted] * len(classes.roles.sensitive)
    return table, least, max(map(len, sets)) + longest_consequent


def _itemsets(
    table: FrequencySet, least: Sequence[int], min_rows: int, longest: int
) -> tuple[dict[tuple[int, ...], int], list[tuple[int, int]]]:
    """The frequent itemsets with their counts, and what an item is: (column, code).

    Items in order of columns. least: by column the least code that is one.
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
        return {}, items  # mlxtend refuses to look at nothing
    import pandas as pd
    from mlxtend.frequent_patterns import apriori

    hot = np.column_stack([table.codes[:, j] == code for j, code in items])
    frequent = apriori(
        pd.DataFrame(np.repeat(hot, table.counts, axis=0)),
        min_support=(min_rows - 0.5) / rows,  # half a row below, so that rounding loses none
        max_len=longest,
        low_memory=True,
    )
    pairs = zip(frequent["itemsets"], frequent["support"], strict=True)
    return {tuple(sorted(chosen)): round(share * rows) for chosen, share in pairs}, items


def _number_of_itemsets(
    table: FrequencySet, least: Sequence[int], min_rows: int, longest: int, most: int
) -> int:
    """How many itemsets there are; stops counting where they are more than `most`."""
    total = 0
    for size in range(1, min(longest, len(table.attributes)) + 1):
        for chosen in combinations(range(len(table.attributes)), size):
            part = table.project([table.attributes[j] for j in chosen])
            known = np.all(part.codes >= [least[j] for j in chosen], axis=1)
            total += int((part.counts[known] >= min_rows).sum())
            if total > most:
                return total
    return total
