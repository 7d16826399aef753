"""Editions: a table that only grows, or only shrinks, published twice; who is in one edition only.

Everybody of the smaller edition has a row in the larger one, with the same sensitive values, and a
label that may stand for the same quasi-identifiers. A world gives all rows of the smaller edition
different rows of the larger one that agree with them. The rows that are left over belong to those
who came (or left). A value of theirs is certain if all rows of their class that are left over in
some world carry it.

Which rows are left over in some world is polynomial: one more person is assigned, who fits every
row (`assignments.py`).
Source: Byun, Sohn, Bertino, Li, "Secure anonymization for incremental datasets", SDM 2006, and
Xiao, Tao, "m-invariance", SIGMOD 2007, for the inferences; Fung, Wang, Fu, Pei, "Anonymity for
continuous data publishing", EDBT 2008, for rows that cannot be of an earlier edition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from anonaudit.about import AboutAttack, InMatrix
from anonaudit.arrays import Bools, Index, Ints
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.details import Details, fact
from anonaudit.errors import listed
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import Codes, distinct_rows, runs
from anonaudit.linking.matching import Candidates, candidates
from anonaudit.linking.overlap import overlapping
from anonaudit.linking.too_much import TooMuchError
from attacks.assignments import MOST_ASSIGNED_LINKS, joined, most_assigned, possible_links
from attacks.common_values import numbered_cells, unlike, value_numbers, wider
from attacks.joint_rows import UNKNOWN_VALUE, SensitiveRows, agreeing
from attacks.shared import bounded, choice_option, disclosure, largest_of, nothing

CHANGES: Final = ("growing", "shrinking")
_NONE: Final = np.iinfo(np.int64).max


@dataclass(frozen=True, kw_only=True, eq=False)
class InOneEdition(Details):
    """The rows that are in one edition only.

    alone: of whom a value is certain by that edition alone. compared: only by comparing both.
    classes: how many classes give a value of theirs away, by sensitive column.
    """

    alone: int = fact("certain by one edition alone")
    compared: int = fact("only by comparing the editions")
    classes: Mapping[str, int] = fact("classes that give a value away")


class Editions:
    """The adversary has two editions of a table that only grew, or only shrank.

    The adversary knows the class of a target, and that the target is in one of the editions only: a
    newcomer of a growing table, somebody who left a shrinking one. Success: in every world all rows
    of the class that may be a target's carry one known value. In a world all rows of the smaller
    edition have different rows of the larger one, with labels that overlap and equal sensitive
    values. How many targets a class has may differ by world; the fewest count as disclosed, the
    others as undecided.

    A target is undecided too where an unknown cell, a label that cannot be compared or a value
    under two labels decides. It is safe all the same if two values of each attribute are left over
    whatever is undecided.

    Options: second, the other edition, of which the columns with the same names are compared;
    change, `growing` (everybody in the second edition is in this one) or `shrinking` (everybody in
    this edition is in the second one). Baseline: guessing the most frequent value of the release.
    """

    name: ClassVar[str] = "editions"
    knowledge: ClassVar[str] = (
        "the target's quasi-identifiers, two editions of a growing or shrinking table, and that "
        "the target is in one of them only"
    )
    options: ClassVar[tuple[str, ...]] = ("second", "change")
    about: ClassVar[AboutAttack] = AboutAttack(
        means="What two editions of a class do not have in common belongs to those who came or "
        "left in between; if it is one sensitive value, it is disclosed",
        matters="Each edition may be safe by itself, and their difference has few people.",
        do="Publish newcomers only once there are enough of them to form diverse classes of their "
        "own, or do not publish the next edition.",
        compares=True,
        matrix=InMatrix(unasked=False),
    )

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """The people in one edition only of whom a value is certain."""
        change = choice_option(self.name, setting, "change", CHANGES)
        if setting.second is None:
            return nothing(self, setting, "no second edition was given")
        larger, smaller = setting.classes, setting.second
        if change == "shrinking":
            larger, smaller = smaller, larger
        names = [n for n in setting.classes.roles.sensitive if n in larger.roles.sensitive]
        if not set(names).intersection(smaller.roles.sensitive):
            return nothing(self, setting, "the editions have no sensitive column in common")
        if setting.classes.roles.unit is not None:
            reason = "a person with several rows may have more of them in the next edition"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        if larger.compatibility is not None:
            reason = 'classes overlap by conventions.quasi-identifiers = "wildcard"'
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        change_of = larger.base.total - smaller.base.total
        links = RowLinks.of(setting, smaller, larger)
        missing = smaller.base.total - links.assigned(np.ones(len(larger.base), bool))
        if missing or change_of <= 0:
            return nothing(self, setting, _no_change(change, missing), Outcome.INCONCLUSIVE)
        left = Unmatched.of(links, larger)
        certain = {name: left.certain(name) for name in names}
        exposed = np.logical_or.reduce(list(certain.values()))
        alone = np.logical_or.reduce([certain[name] & left.agreed(name) for name in names])
        safe = np.logical_and.reduce(
            [left.varied(name) | (left.exact & left.several(name)) for name in names]
        )
        open_ = left.some & ~exposed & ~safe
        per = {name: left.fewest(classes) for name, classes in certain.items()}
        disclosed = min(left.fewest(exposed), sum(per.values()))
        by_one = min(left.fewest(alone), disclosed)
        undecided = left.most(exposed | open_, apart=True) - disclosed
        causes = [*links.causes] if open_.any() else []
        if left.apart:
            causes.append(
                "rows in no class may be those of targets (suppressed in every quasi-identifier, "
                "or dropped: conventions.suppressed-tuples, conventions.quasi-identifiers)"
            )
        gaps = [n for n in names if _has_gaps(n, larger, smaller)]
        if open_.any() and gaps:
            causes.append(
                f"cells of {listed(gaps)} are unknown (conventions.sensitive = "
                '"one-value" counts them as a value)'
            )
        if undecided and (left.most(exposed) > disclosed or not causes):
            causes.append("how many of the targets are in these classes differs by world")
        here = change == "growing"
        return disclosure(
            self,
            setting,
            targets=change_of,
            disclosed=disclosed,
            undecided=undecided,
            reason="; ".join(causes) if undecided else None,
            per_attribute=per,
            details=InOneEdition(
                alone=by_one,
                compared=disclosed - by_one,
                classes={name: int(classes.sum()) for name, classes in certain.items()},
            ),
            witness=largest_of(larger, certain) if here else None,
            exposed=exposed if here else None,
        )


def _no_change(change: str, missing: int) -> str:
    """Why there is nobody to attack."""
    if not missing:
        return "both editions have as many rows, so nobody is in one only"
    smaller, larger = ("the second", "this") if change == "growing" else ("this", "the second")
    return (
        f"{missing} row(s) of {smaller} edition have no row of their own in {larger} one, so the "
        f"table was not only {change} (change), or rows were suppressed or changed"
    )


@dataclass(frozen=True)
class RowLinks:
    """Which rows of the smaller edition may be which of the larger one.

    pairs: of an entry of each. fewer, more: the rows of each entry. doubtful: whether something
    undecided touches an entry, of the smaller edition and of the larger one. unread: the entries of
    the larger one with a value that is not known. causes: what would have to be known.
    """

    pairs: Candidates
    fewer: Ints
    more: Ints
    doubtful: tuple[Bools, Bools]
    unread: Bools
    causes: Sequence[str]

    @classmethod
    def of(
        cls, setting: Setting, smaller: EquivalenceClasses, larger: EquivalenceClasses
    ) -> RowLinks:
        """Compare the labels, then the sensitive values."""
        sure, wide, unread = _overlaps(setting, smaller, larger)
        names = [n for n in smaller.roles.sensitive if n in larger.roles.sensitive]
        numbers = {n: value_numbers(n, setting.decimal, (smaller, larger)) for n in names}
        between = {  # values on two levels
            n: [
                *unlike(n, numbers[n], smaller, larger),
                *wider(setting, n, numbers[n], smaller, larger).tolist(),
            ]
            for n in names
        }
        sides, open_, respelled = [], [], []
        for one in (smaller, larger):
            cells = numbered_cells(one, numbers)
            for j, name in enumerate(names):
                within = wider(setting, name, numbers[name], one, one)
                some = [*between[name], *within.tolist()]
                several = np.isin(cells[:, j], some)
                respelled += [name] * bool(several.any())
                cells[several, j] = UNKNOWN_VALUE
            sides.append(cells)
            open_.append((cells == UNKNOWN_VALUE).any(axis=1))
        pairs = _rows_that_agree(wide, smaller, larger, sides)
        doubtful = open_[0].copy(), open_[1].copy()
        if wide is not sure:
            firm = _rows_that_agree(sure, smaller, larger, sides)
            known = np.isin(_place(pairs, len(larger.base)), _place(firm, len(larger.base)))
            doubtful[0][pairs.person[~known]] = True
            doubtful[1][pairs.key[~known]] = True
        causes = [
            f"{n} label(s) of {column} cannot be compared between the editions (hierarchies or "
            f"values.reading of {column} says what they denote)"
            for column, n in unread.items()
        ]
        if respelled:
            causes.append(
                f"values of {listed(dict.fromkeys(respelled))} may stand for others in the other "
                "edition (values.normalize, or a hierarchy, says which are equal)"
            )
        return cls(pairs, smaller.base.counts, larger.base.counts, doubtful, open_[1], causes)

    def assigned(self, chosen: Bools) -> int:
        """How many rows of the smaller edition can be among some entries of the larger one."""
        kept = chosen[self.pairs.key]
        pairs = Candidates(self.pairs.person[kept], self.pairs.key[kept])
        return most_assigned(pairs, self.fewer, self.more)

    def left_over(self) -> Bools:
        """The entries of the larger edition of which a row is left over in some world.

        One more person fits every row. Where that person can be is where a row can be left.
        """
        n, m = len(self.fewer), len(self.more)
        pairs = Candidates(
            np.concatenate([self.pairs.person, np.full(m, n, np.intp)]),
            np.concatenate([self.pairs.key, np.arange(m)]),
        )
        possible = possible_links(pairs, np.append(self.fewer, 1), self.more).pairs
        found = np.zeros(m, bool)
        found[possible.key[possible.person == n]] = True
        return found

    def in_doubt(self) -> Bools:
        """The entries of the larger edition that are linked, over others too, to a doubtful one."""
        n, m = len(self.fewer), len(self.more)
        _, side = joined(self.pairs, n, m)
        of_all: Bools = np.isin(side, side[np.concatenate(self.doubtful)])
        return of_all[n:]


def _overlaps(
    setting: Setting, smaller: EquivalenceClasses, larger: EquivalenceClasses
) -> tuple[Candidates, Candidates, dict[str, int]]:
    """The combinations of quasi-identifiers that overlap, that may overlap, and unread labels."""
    shared = [q for q in smaller.roles.quasi_identifiers if q in larger.roles.quasi_identifiers]
    few, many = smaller.base.project(shared), larger.base.project(shared)
    matches = [
        overlapping(
            few.labels_of(column),
            many.labels_of(column),
            hierarchy=setting.hierarchies.get(column),
            reading=setting.readings.get(column),
            separator=setting.separators.get(column),
            decimal=setting.decimal,
        )
        for column in shared
    ]
    sure = candidates(few, many, matches)
    unread = {c: match.unread for c, match in zip(shared, matches, strict=True) if match.unread}
    if not unread:
        return sure, sure, unread
    return sure, candidates(few, many, [match.widest for match in matches]), unread


def _rows_that_agree(
    links: Candidates,
    smaller: EquivalenceClasses,
    larger: EquivalenceClasses,
    cells: Sequence[Codes],
) -> Candidates:
    """The entries of both editions whose combinations are linked and whose values agree."""
    shared = [q for q in smaller.roles.quasi_identifiers if q in larger.roles.quasi_identifiers]
    sides, places = [], []
    for one, key, values in zip((smaller, larger), links, cells, strict=True):
        combination = one.base.project(shared).entry_of(one.base)
        order = np.argsort(combination, kind="stable")
        start = np.searchsorted(combination[order], key)
        length = np.searchsorted(combination[order], key, side="right") - start
        if length.sum() > MOST_ASSIGNED_LINKS:
            raise TooMuchError(
                f"more than {MOST_ASSIGNED_LINKS} links between the editions are too many"
            )
        link, within = runs(length)
        place = order[start[link] + within]
        sides.append(SensitiveRows(link, values[place], np.ones(len(place))))
        places.append(place)
    at, also = agreeing(sides[0], sides[1], MOST_ASSIGNED_LINKS)
    person, key = places[0][at], places[1][also]
    order = np.lexsort((key, person))
    return Candidates(person[order], key[order])


def _place(pairs: Candidates, size: int) -> Codes:
    return pairs.person.astype(np.int64) * max(size, 1) + pairs.key


@dataclass(frozen=True)
class Unmatched:
    """The rows of the larger edition that may be of those who are in no other; by class.

    entries: of which a row is left over in some world, shape (len(base),). class_of: the class of
    each entry, -1 for none. exact: the classes of which it is known which rows these are; some: the
    classes with any; shape of both: (n_classes,). apart: whether such a row is in no class.
    """

    links: RowLinks
    larger: EquivalenceClasses
    entries: Bools
    class_of: Index
    exact: Bools
    some: Bools
    apart: bool

    @classmethod
    def of(cls, links: RowLinks, larger: EquivalenceClasses) -> Unmatched:
        """Find the rows that are left over in some world."""
        class_of = larger.number_of(larger.base)
        every = links.left_over()
        entries = every & (class_of >= 0)
        doubtful = entries & links.in_doubt()
        exact, some = np.ones(len(larger), bool), np.zeros(len(larger), bool)
        exact[class_of[doubtful]] = False
        some[class_of[entries]] = True
        apart = bool((every & (class_of < 0)).any())
        return cls(links, larger, entries, class_of, exact, some, apart)

    def certain(self, name: str) -> Bools:
        """The classes in which all rows that may be left over carry one known value."""
        return _one_value(*self._range(name, self.entries))

    def several(self, name: str) -> Bools:
        """The classes in which rows that may be left over carry two known values."""
        low, high = self._range(name, self.entries & (_values(self.larger, name) != UNKNOWN_VALUE))
        several: Bools = low < high
        return several

    def agreed(self, name: str) -> Bools:
        """The classes of which all rows carry one known value."""
        return _one_value(*self._range(name, self.class_of >= 0))

    def _range(self, name: str, entries: Bools) -> tuple[Codes, Codes]:
        """The least and the largest value of some entries of each class."""
        value, n = _values(self.larger, name)[entries], len(self.larger)
        low, high = np.full(n, _NONE), np.full(n, UNKNOWN_VALUE)
        np.minimum.at(low, self.class_of[entries], value)
        np.maximum.at(high, self.class_of[entries], value)
        return low, high

    def varied(self, name: str) -> Bools:
        """The classes of which two values are left over in every world.

        A value is if it is on more rows than rows of the smaller edition can be among them.
        """
        value = _values(self.larger, name)
        known = (self.class_of >= 0) & (value != UNKNOWN_VALUE) & ~self.links.unread
        groups, group = distinct_rows(np.column_stack([self.class_of[known], value[known]]))
        of_entry = np.full(len(value), -1)
        of_entry[known] = group
        there = np.bincount(group, self.links.more[known], len(groups))
        pairs = self.links.pairs
        linked = of_entry[pairs.key] >= 0
        taken, _ = distinct_rows(
            np.column_stack([of_entry[pairs.key[linked]], pairs.person[linked]]).astype(np.int64)
        )
        most = np.bincount(taken[:, 0], self.links.fewer[taken[:, 1]], len(groups))
        values = np.bincount(groups[there > most, 0], minlength=len(self.larger))
        varied: Bools = values > 1
        return varied

    def fewest(self, classes: Bools) -> int:
        """How many rows of some classes are left over in every world, at least."""
        inside = self._inside(classes)
        return int(self.links.more[inside].sum()) - self.links.assigned(inside)

    def most(self, classes: Bools, *, apart: bool = False) -> int:
        """How many rows of some classes are left over in some world, at most.

        apart: whether rows in no class count as well.
        """
        inside = self._inside(classes) | (apart & (self.class_of < 0))
        rest = int(self.links.fewer.sum()) - self.links.assigned(~inside)
        return int(self.links.more[inside].sum()) - rest

    def _inside(self, classes: Bools) -> Bools:
        inside: Bools = (self.class_of >= 0) & np.append(classes, False)[self.class_of]
        return inside


def _one_value(low: Codes, high: Codes) -> Bools:
    one: Bools = (low == high) & (low != UNKNOWN_VALUE)
    return one


def _values(classes: EquivalenceClasses, name: str) -> Codes:
    """The value of each entry; UNKNOWN_VALUE for a cell without one."""
    code, least = classes.base.column(name), classes.convention.first_counted
    if least < FIRST_VALUE:
        code = np.where(code < FIRST_VALUE, least, code)
    return np.where(code >= least, code, UNKNOWN_VALUE)


def _has_gaps(name: str, *editions: EquivalenceClasses) -> bool:
    return any(
        (_values(one, name) == UNKNOWN_VALUE).any()
        for one in editions
        if name in one.roles.sensitive
    )
