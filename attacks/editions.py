"""Editions: compare two editions of a table that only grows, or only shrinks.

The targets are the people who are in one edition only. Everybody in the smaller edition also has a
row in the larger edition, with the same sensitive values and with labels that may denote the same
quasi-identifiers. A world assigns each row of the smaller edition to a row of its own in the larger
edition; the two rows agree. The remaining rows of the larger edition belong to the people who
joined (or left). A value of a target is certain if, in all worlds, all remaining rows of the
target's class have this value.

The rows that remain in some world are found in polynomial time. A person who matches every row is
added to the smaller edition. A row remains in some world exactly if some assignment gives it to the
added person (`assignments.py`).

Source: Byun, Sohn, Bertino, Li, "Secure anonymization for incremental datasets", SDM 2006, and
Xiao, Tao, "m-invariance", SIGMOD 2007, for the inferences; Fung, Wang, Fu, Pei, "Anonymity for
continuous data publishing", EDBT 2008, for rows that cannot belong to an earlier edition.
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

    alone: how many of these rows have a value that is certain from the larger edition alone.
    compared: how many have a value that is certain only from both editions. classes: by sensitive
    column, how many classes disclose a value.
    """

    alone: int = fact("certain by one edition alone")
    compared: int = fact("only by comparing the editions")
    classes: Mapping[str, int] = fact("classes that give a value away")


class Editions:
    """The adversary has two editions of a table that only grew, or only shrank.

    The adversary knows the class of a target, and knows that the target is in one edition only. So
    the target joined a growing table, or left a shrinking table. A world assigns each row of the
    smaller edition to a row of its own in the larger edition. The two rows have overlapping labels
    and equal sensitive values. Success: in every world, all remaining rows of the target's class
    have the same known value. The number of targets in a class may differ between worlds. The
    smallest number counts as disclosed, the rest as undecided.

    A target is also undecided if the result depends on an unknown cell, a label that cannot be
    compared, or a value that may be written with two labels. But the target counts as not exposed
    if in every world two values of each attribute remain.

    Options: second, the other edition; columns of the same name are compared. change, `growing`
    (everybody in the second edition is in this one) or `shrinking` (everybody in this edition is in
    the second one). Baseline: guess the most frequent value of the release.
    """

    name: ClassVar[str] = "editions"
    knowledge: ClassVar[str] = (
        "the target's quasi-identifiers, two editions of a growing or shrinking table, and that "
        "the target is in one of them only"
    )
    options: ClassVar[tuple[str, ...]] = ("second", "change")
    about: ClassVar[AboutAttack] = AboutAttack(
        means="The rows of a class that two editions do not share belong to people who joined or "
        "left in between; a sensitive value that all these rows have is disclosed",
        matters="Each edition may be safe alone, but few people are in only one of them.",
        do="Publish newcomers only once there are enough of them to form diverse classes of their "
        "own, or do not publish the next edition.",
        compares=True,
        matrix=InMatrix(unasked=False),
    )

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """Find the people who are in one edition only and have a certain value."""
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
            reason = (
                "a person may have more rows in the next edition, but this attack compares rows"
            )
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        if larger.compatibility is not None:
            reason = 'classes overlap, because conventions.quasi-identifiers is "wildcard"'
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
                "targets may be among the rows in no class (suppressed in every quasi-identifier, "
                "or dropped: conventions.suppressed-tuples, conventions.quasi-identifiers)"
            )
        gaps = [n for n in names if _has_gaps(n, larger, smaller)]
        if open_.any() and gaps:
            causes.append(
                f"cells of {listed(gaps)} are unknown (conventions.sensitive = "
                '"one-value" counts them as a value)'
            )
        if undecided and (left.most(exposed) > disclosed or not causes):
            causes.append("it is not known exactly how many rows of a class belong to targets")
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
    """Return the reason why there is nobody to attack."""
    if not missing:
        return "both editions have as many rows, so nobody is in one only"
    smaller, larger = ("the second", "this") if change == "growing" else ("this", "the second")
    return (
        f"no row of {larger} edition is left for {missing} row(s) of {smaller} one, although "
        f"option change is {change!r}: the option is wrong, or rows were suppressed or changed"
    )


@dataclass(frozen=True)
class RowLinks:
    """The links between the two editions: entries that may be the same rows.

    pairs: an entry of the smaller edition (`person`) and an entry of the larger edition (`key`).
    fewer, more: how many rows each entry of the smaller edition, and of the larger edition, has.
    doubtful: for the smaller and the larger edition, True for the entries with an undecided link or
    value. unread: True for the entries of the larger edition with an undecided value: an unknown
    cell, or a value that may be written with two labels. causes: what makes links undecided.
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
        """Link the entries with overlapping labels and equal sensitive values."""
        sure, wide, unread = _overlaps(setting, smaller, larger)
        names = [n for n in smaller.roles.sensitive if n in larger.roles.sensitive]
        numbers = {n: value_numbers(n, setting.decimal, (smaller, larger)) for n in names}
        between = {  # values that one edition may write differently from the other
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
            f"{n} label(s) of {column} cannot be compared between the editions (state what they "
            f"denote: hierarchies or values.reading of {column})"
            for column, n in unread.items()
        ]
        if respelled:
            causes.append(
                f"values of {listed(dict.fromkeys(respelled))} in the two editions may or may not "
                "be the same (values.normalize, or a hierarchy, states which are equal)"
            )
        return cls(pairs, smaller.base.counts, larger.base.counts, doubtful, open_[1], causes)

    def assigned(self, chosen: Bools) -> int:
        """Return how many rows of the smaller edition can be assigned to the chosen entries.

        chosen: True for these entries of the larger edition. Each row gets a row of its own.
        """
        kept = chosen[self.pairs.key]
        pairs = Candidates(self.pairs.person[kept], self.pairs.key[kept])
        return most_assigned(pairs, self.fewer, self.more)

    def left_over(self) -> Bools:
        """Return True for the entries of the larger edition with a row that remains in some world.

        To find them, a person who matches every row is added to the smaller edition. A row remains
        in some world exactly if some assignment gives it to the added person.
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
        """Return True for the entries of the larger edition that links connect to a doubtful entry.

        The connection may lead through other entries.
        """
        n, m = len(self.fewer), len(self.more)
        _, side = joined(self.pairs, n, m)
        of_all: Bools = np.isin(side, side[np.concatenate(self.doubtful)])
        return of_all[n:]


def _overlaps(
    setting: Setting, smaller: EquivalenceClasses, larger: EquivalenceClasses
) -> tuple[Candidates, Candidates, dict[str, int]]:
    """Return the pairs of combinations of quasi-identifiers that overlap, and that may overlap.

    The combinations are those of the smaller and of the larger edition. The third result has, by
    column, how many labels cannot be compared.
    """
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
    """Return the pairs of entries whose combinations are linked and whose known values agree.

    links: pairs of combinations. cells: the value numbers of the smaller and the larger edition.
    """
    shared = [q for q in smaller.roles.quasi_identifiers if q in larger.roles.quasi_identifiers]
    sides, places = [], []
    for one, key, values in zip((smaller, larger), links, cells, strict=True):
        combination = one.base.project(shared).entry_of(one.base)
        order = np.argsort(combination, kind="stable")
        start = np.searchsorted(combination[order], key)
        length = np.searchsorted(combination[order], key, side="right") - start
        if length.sum() > MOST_ASSIGNED_LINKS:
            raise TooMuchError(
                f"the editions have more than {MOST_ASSIGNED_LINKS} links, too many to compare"
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
    """The rows of the larger edition that may belong to targets, by class.

    entries: True for the entries that are in a class and have a row that remains in some world,
    shape (len(base),). class_of: the class of each entry, -1 for none. exact: True for the classes
    without doubt about the remaining rows, shape (n_classes,). some: True for the classes with a
    row that remains in some world, shape (n_classes,). apart: True if a row that is in no class may
    remain.

    The methods that return an array give True for the classes in question, shape (n_classes,).
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
        """Find the rows that remain in some world."""
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
        """Return the classes in which all rows that may remain have the same known value."""
        return _one_value(*self._range(name, self.entries))

    def several(self, name: str) -> Bools:
        """Return the classes in which the rows that may remain have at least two known values."""
        low, high = self._range(name, self.entries & (_values(self.larger, name) != UNKNOWN_VALUE))
        several: Bools = low < high
        return several

    def agreed(self, name: str) -> Bools:
        """Return the classes in which all rows have the same known value."""
        return _one_value(*self._range(name, self.class_of >= 0))

    def _range(self, name: str, entries: Bools) -> tuple[Codes, Codes]:
        """Return the smallest and the largest value code of each class in the selected entries."""
        value, n = _values(self.larger, name)[entries], len(self.larger)
        low, high = np.full(n, _NONE), np.full(n, UNKNOWN_VALUE)
        np.minimum.at(low, self.class_of[entries], value)
        np.maximum.at(high, self.class_of[entries], value)
        return low, high

    def varied(self, name: str) -> Bools:
        """Return the classes in which at least two values remain in every world.

        Let r rows of a class have a value. The value remains in every world if fewer than r rows of
        the smaller edition are linked with these r rows.
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
        """Return the smallest number of rows of these classes that remain in a world."""
        inside = self._inside(classes)
        return int(self.links.more[inside].sum()) - self.links.assigned(inside)

    def most(self, classes: Bools, *, apart: bool = False) -> int:
        """Return the largest number of rows of these classes that remain in a world.

        apart: True if rows in no class also count.
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
    """Return the value code of each entry; UNKNOWN_VALUE for an unknown cell."""
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
