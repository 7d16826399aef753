"""Composition: several releases of the same people, each safe alone.

Source: Ganta, Kasiviswanathan, Smith 2008 (intersection of candidate sets); GCG08 Figure 3 for
anatomized tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from anonaudit.about import AboutAttack
from anonaudit.arrays import Bools
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.details import Details, GuessedValues, fact
from anonaudit.errors import AnonauditError
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import Codes, distinct_rows, runs
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.frequency.wildcards import sparse_table
from anonaudit.linking.matching import Candidates
from anonaudit.linking.too_much import TooMuchError
from attacks.best_guess import BOUNDED, Crowd, Guess, summaries
from attacks.common_values import numbered_cells, unlike, value_numbers, wider
from attacks.exposure import hushed_rows
from attacks.joint_rows import TOO_MANY, UNKNOWN_VALUE, Agreement, SensitiveRows, joint, of_one
from attacks.shared import (
    AWAY,
    MOST_TRIPLES,
    bounded,
    disclosure,
    flag_option,
    link,
    nothing,
    persons_of,
    share_option,
    shared_columns,
    unknown_cells,
)

# Why somebody is undecided whose candidates do not agree, though everyone-released says they do.
APART = "rows of the {} releases have nothing in common, though all are in {}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Joined(Details):
    """The targets by what two releases have in common.

    matched: who match both. alone: who are exposed by one release alone. both: who only by both.
    nothing: whose candidates have nothing in common.
    """

    matched: int = fact("match both releases")
    alone: int = fact("certain by one release alone")
    both: int = fact("only by both together")
    nothing: int = fact("nothing in common")
    guesses: GuessedValues


@dataclass(frozen=True, kw_only=True, eq=False)
class JoinedOfSeveral(Joined):
    """The targets by what more than two releases have in common; see `Joined`."""

    matched: int = fact("match two releases or more")
    both: int = fact("only by several together")


class Composition:
    """The adversary has several releases, and an identified table of people who are in them.

    In each release a target has candidate rows. What did not change between the releases is the
    same in all, so a joint candidate is a row of each release that the target matches, which agree
    on every sensitive column that they have in common. Success: all joint candidates have one
    value. A cell that is unknown agrees with any; unknown in all, it may be anything. A target must
    match two releases. One of more that it does not match says nothing about it.

    A target is undecided where its candidates are: a cell of them is unknown, a label cannot be
    compared, or a row is suppressed throughout. It is safe all the same where those that are known
    have two values of each attribute in common.

    Anatomized tables are joined first, see `anatomized`. No model of one release bounds this
    attack. Baseline: guessing the most frequent value of the release.

    A target without a joint candidate is not in all of them, or something of it changed; what did
    is not known, so each column is taken by itself then.

    Options: external, identity, second (another release, or a list of them; they have columns of
    the same names); sure, the chance from which on a target counts as exposed (1 if not given: who
    is certain; each joint candidate is as likely as the next); everyone-released, whether everybody
    in the external table is in all releases (then who does not match all is undecided);
    suppressed-rows, see `Linkage`.

    `details` tells apart who is disclosed by one release alone; and counts those without a joint
    candidate, who have nothing in common.
    """

    name: ClassVar[str] = "composition"
    knowledge: ClassVar[str] = "the target's quasi-identifiers, and another release or several"
    options: ClassVar[tuple[str, ...]] = (
        "external",
        "identity",
        "second",
        "sure",
        "everyone_released",
        "suppressed_rows",
    )
    about: ClassVar[AboutAttack] = AboutAttack(
        means="A value that is possible for somebody in both releases, and is the only one, is "
        "disclosed",
        matters="Two releases that are safe each by itself may not be together.",
        do="Mask both releases with the same classes, or do not publish the second one.",
        compares=True,
        several=True,
    )

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """The persons of whom all joint candidates have one value in common."""
        classes, external = setting.classes, setting.external
        if setting.second is None:
            return nothing(self, setting, "no second release was given")
        if external is None:
            return nothing(self, setting, "no external table of people was given")
        if classes.roles.unit is not None:
            reason = "persons with several rows have several values; rows do not meet"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        others = (setting.second, *setting.others)
        names = classes.roles.sensitive
        if not any(set(names).intersection(other.roles.sensitive) for other in others):
            return nothing(self, setting, "the releases have no sensitive column in common")
        sure = share_option(self.name, setting, "sure", 1.0)
        known = shared_columns(self.name, setting, external)
        outside, sharing = persons_of(setting, external, known)
        if not len(outside):
            reason = "the external table has no rows"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        releases = (classes, *others)
        numbers = {name: value_numbers(name, setting.decimal, releases) for name in names}
        sides = [candidate_rows(setting, one, outside, numbers) for one in releases]
        common = Common.of(sides, Doubts.of(setting, releases, sides, numbers, len(outside)))
        if not common.met.any():
            many = "both" if len(sides) == 2 else "two of the"
            reason = f"nobody of the table matches {many} releases"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        hit = common.exposed(sure)
        disclosed = hit.any(axis=1)
        by_one = (hit & common.by_one(sides, sure)).any(axis=1)
        open_ = common.open_(sure) & ~disclosed
        causes = [cause for side in sides for cause in side.causes]
        if flag_option(self.name, setting, "everyone_released"):
            away, apart = ~common.everywhere & ~disclosed, common.torn & ~disclosed
            open_ |= away | apart
            if not common.everywhere.all():
                causes.append(AWAY)
            if apart.any():
                causes.append(APART.format(*_words(sides)))
        causes += common.doubts.causes(names, open_)
        gap = common.gap[open_]
        if sure < 1 and open_.any():
            causes.append(BOUNDED)
        elif gap.any():
            causes.append(unknown_cells(dict(zip(names, gap.T, strict=True))))
        facts = Joined if len(sides) == 2 else JoinedOfSeveral
        return disclosure(
            self,
            setting,
            targets=int(sharing.sum()),
            disclosed=int(sharing[disclosed].sum()),
            undecided=int(sharing[open_].sum()),
            reason="; ".join(dict.fromkeys(causes)) if open_.any() else None,
            per_attribute={name: int(sharing[hit[:, j]].sum()) for j, name in enumerate(names)},
            details=facts(
                matched=int(sharing[common.firm].sum()),
                alone=int(sharing[by_one].sum()),
                both=int(sharing[disclosed & ~by_one].sum()),
                nothing=int(sharing[common.torn].sum()),
                guesses=GuessedValues(
                    sure=sure if sure < 1 else None,
                    best_value=summaries(
                        classes,
                        dict(zip(names, common.guesses, strict=True)),
                        Crowd.of(sharing, common.met),
                    ),
                ),
            ),
        )


def _words(sides: Sequence[Sides]) -> tuple[str, str]:
    return ("two", "both") if len(sides) == 2 else (str(len(sides)), "all")


@dataclass(frozen=True)
class Common:
    """What the releases that each of n targets matches have in common.

    met: who matches two releases or more; shape of this and the next three: (n,). everywhere: who
    matches all. firm: who matches them for certain. torn: who has no joint candidate.
    settled: of whom what is in common is so whatever is undecided. varies: whose candidates depend
    on that. every: what all joint candidates have in common, by column for those who have none.
    plain: the same of the candidates that are for certain and have no unknown cell. whole: who has
    one of these. gap: shape (n, attributes), where a candidate lacks a cell that matters.
    """

    met: Bools
    everywhere: Bools
    firm: Bools
    torn: Bools
    settled: Bools
    every: Agreement
    plain: Agreement
    whole: Bools
    varies: Bools
    gap: Bools
    doubts: Doubts

    @classmethod
    def of(cls, sides: Sequence[Sides], doubts: Doubts) -> Common:
        """Join the candidates of each release."""
        n = len(doubts.respelled)
        there = np.array([side.all.of_any(n) for side in sides])
        met, everywhere = there.sum(axis=0) >= 2, np.logical_and.reduce(there)
        every, sure, plain = (
            [rows.with_anything(met & ~one) for rows, one in zip(some, there, strict=True)]
            for some in zip(*((side.all, side.firm, side.plain) for side in sides), strict=True)
        )
        left = joint(every, n, MOST_TRIPLES)
        torn, common = met & ~left.met, left.met
        left.take_apart(every, torn, MOST_TRIPLES)
        varies = np.any([side.varies for side in sides], axis=0)
        if varies.any():  # otherwise the rows that fit for certain are all there are
            common = joint(sure, n, MOST_TRIPLES).met
        firm = met & np.all(
            [~one | side.firm.of_any(n) for one, side in zip(there, sides, strict=True)], axis=0
        )
        settled = firm & (common | (torn & ~varies)) & ~doubts.unsettled
        exact, whole = left, left.met & ~torn
        if any(side.plain is not side.all for side in sides):
            exact = joint(plain, n, MOST_TRIPLES)
            whole = exact.met
            exact.take_apart(plain, torn, MOST_TRIPLES)
        gap = np.any([side.gap for side in sides], axis=0) & left.known
        return cls(met, everywhere, firm, torn, settled, left, exact, whole, varies, gap, doubts)

    @property
    def certain(self) -> Bools:
        """Where one value is certain, shape (n, attributes)."""
        return self.every.certain & self.settled[:, np.newaxis]

    @property
    def guesses(self) -> Sequence[Guess]:
        """The chance of the best guess of each attribute; each joint candidate is as likely."""
        return [self._guess(j) for j in range(self.gap.shape[1])]

    def _guess(self, j: int) -> Guess:
        few, many = self.plain.total[:, j], self.every.total[:, j]
        low = self.plain.most(j) / np.maximum(many, 1)
        most = self.every.most(j) + self.every.open_(j)
        high = np.where(few > 0, np.minimum(most / np.maximum(few, 1), 1.0), many > 0)
        unsure = self.met & ~self.settled
        guess = Guess(np.where(unsure, 0.0, low), np.where(unsure, 1.0, high))
        return guess.certain(self.certain[:, j])

    def exposed(self, sure: float) -> Bools:
        """Where a value reaches a chance, shape (n, attributes)."""
        certain = self.certain
        if sure == 1:
            return certain
        reached = np.column_stack([guess.surely(sure) for guess in self.guesses])
        return certain | (reached & self.met[:, np.newaxis])

    def open_(self, sure: float) -> Bools:
        """Who may be exposed, if what is undecided comes out that way; shape (n,)."""
        if sure < 1:
            may = np.column_stack([guess.maybe(sure) for guess in self.guesses])
            return self.met & may.any(axis=1)
        doubtful = self.gap | self.doubts.respelled | self.doubts.spanned
        open_ = self.met & (self.varies | doubtful.any(axis=1))
        return open_ & ~(self.whole[:, np.newaxis] & ~self.plain.certain).all(axis=1)

    def by_one(self, sides: Sequence[Sides], sure: float) -> Bools:
        """Where one release alone gives a value that chance, shape (n, attributes)."""
        found = np.zeros_like(self.gap)
        for side in sides:
            alone = of_one(side.all, len(self.met))
            found |= alone.certain
            for j in range(side.gap.shape[1] if sure < 1 else 0):
                share = alone.most(j) / np.maximum(alone.total[:, j], 1)
                found[:, j] |= Guess(share, share).surely(sure)
        return found


@dataclass(frozen=True)
class Doubts:
    """Which targets have values that may be another release's under another label.

    respelled: spelled otherwise, shape of this and the next: (n, attributes). spanned: on two
    levels, in both of some two releases. unsettled: who has such values in both, shape (n,).
    unlike: by attribute the values that are spelled otherwise.
    """

    respelled: Bools
    spanned: Bools
    unsettled: Bools
    unlike: Mapping[str, set[int]]

    @classmethod
    def of(
        cls,
        setting: Setting,
        releases: Sequence[EquivalenceClasses],
        sides: Sequence[Sides],
        numbers: Mapping[str, Mapping[str, int]],
        n: int,
    ) -> Doubts:
        """Compare every two releases."""
        respelled, spanned = np.zeros((n, len(numbers)), bool), np.zeros((n, len(numbers)), bool)
        unsettled = np.zeros(n, bool)
        spelled: dict[str, set[int]] = {name: set() for name in numbers}
        for i, k in combinations(range(len(releases)), 2):
            pair = releases[i], releases[k]
            alike = {name: unlike(name, places, *pair) for name, places in numbers.items()}
            above = {
                name: np.setdiff1d(wider(setting, name, places, *pair), alike[name])
                for name, places in numbers.items()
            }
            mine, theirs = (_held(sides[one], alike, n) for one in (i, k))
            both = _held(sides[i], above, n) & _held(sides[k], above, n)
            # Two spellings of one value may be in common too, beside what seems certain; and a
            # value and a label above it.
            unsettled |= ((mine & theirs) | both).any(axis=1)
            respelled |= mine | theirs
            spanned |= both
            for name, some in alike.items():
                spelled[name].update(some)
        return cls(respelled, spanned, unsettled, spelled)

    def causes(self, names: Sequence[str], open_: Bools) -> Iterator[str]:
        """Why values leave targets undecided; open_: those that are, shape (n,)."""
        for j, name in enumerate(names):
            if self.respelled[open_, j].any():
                yield (
                    f"{len(self.unlike[name])} value(s) of {name} differ only in spelling between "
                    "the releases (values.normalize makes them equal)"
                )
            if self.spanned[open_, j].any():
                yield (
                    f"values of {name} in one release may stand for others in the second (the "
                    f"hierarchy of {name}, or values.reading, says what they denote)"
                )


def _held(side: Sides, values: Mapping[str, Sequence[int] | Codes], n: int) -> Bools:
    """Whether each target has a row with one of these values, shape (n, attributes)."""
    return np.column_stack([side.all.hold(j, some, n) for j, some in enumerate(values.values())])


@dataclass(frozen=True)
class Sides:
    """The sensitive rows of one release that may be a target's, by how sure that is.

    all: every row that may be. firm: the rows that are for certain. plain: the firm rows with a
    value of each sensitive attribute. varies: shape (n_targets,), whether `all` has more rows than
    `firm`. gap: shape (n_targets, attributes), whether `all` has an unknown cell. causes: what
    would have to be known.
    """

    all: SensitiveRows
    firm: SensitiveRows
    plain: SensitiveRows
    varies: Bools
    gap: Bools
    causes: Sequence[str]


def candidate_rows(
    setting: Setting,
    release: EquivalenceClasses,
    outside: FrequencySet,
    numbers: Mapping[str, Mapping[str, int]],
) -> Sides:
    """The sensitive rows of a release that each target fits, or may fit.

    outside: the targets, over quasi-identifiers. numbers: by sensitive attribute those of its
    values; one that the release lacks is unknown in all of its rows.
    Raises TooMuchError where it would take too much to join them.
    """
    base = release.base
    known = [c for c in outside.attributes if c in release.roles.quasi_identifiers]
    if not known:
        raise AnonauditError("composition: a release has none of the columns of the external table")
    people, inside = outside.project(known), base.project(known)
    links = link(setting, people, inside)
    hushed = hushed_rows(Composition.name, setting, release, known)
    own = np.array([name in release.roles.sensitive for name in numbers])
    cells = numbered_cells(release, numbers)
    different, which = distinct_rows(cells)
    entry, target = inside.entry_of(base), people.entry_of(outside)

    def rows_of(pairs: Candidates, some: Bools) -> tuple[SensitiveRows, npt.NDArray[np.integer]]:
        """The different rows of each target among some of the release, and how many there are."""
        shape = (len(inside), len(different))
        table = sparse_table(base.counts[some], entry[some], which[some], shape)
        if np.diff(table.indptr)[pairs.key].sum() > MOST_TRIPLES:
            raise TooMuchError(TOO_MANY)
        looks = sparse_table(
            np.ones(len(pairs.key)), pairs.person, pairs.key, (len(people), len(inside))
        )
        entries = (looks @ table).tocsr()[target].tocoo()
        rows = SensitiveRows(entries.row.astype(np.intp), different[entries.col], entries.data)
        return rows, np.bincount(rows.target, rows.weight, len(outside))

    every, most = rows_of(links.widest, hushed.present)
    firm, fewest = every, most
    if hushed.hushed.any() or links.widest is not links.sure:
        firm, fewest = rows_of(links.sure, hushed.present & ~hushed.hushed)
    gap = np.zeros((len(outside), len(numbers)), bool)
    for column in np.flatnonzero(own):
        gap[every.target[every.cells[:, column] == UNKNOWN_VALUE], column] = True
    whole = (firm.cells[:, own] != UNKNOWN_VALUE).all(axis=1)
    plain = firm if whole.all() else firm.where(whole)
    causes = [*links.unread_labels, *hushed.causes]
    return Sides(every, firm, plain, fewest < most, gap, causes)


def anatomized(
    identifiers: FrequencySet, secrets: FrequencySet, group: str, count: str | None = None
) -> FrequencySet:
    """An anatomized release as one table: every row with every value of its group.

    identifiers: over quasi-identifiers and the group. secrets: over the group and sensitive
    attributes; count: its column of frequencies, which then must be whole numbers; what is there
    0 times is not there.
    Counts are the products of both, so that shares within a group are right, sizes are not.

    >>> who = FrequencySet.of(["age", "g"], [("42", "1"), ("41", "1"), ("30", "2")])
    >>> what = FrequencySet.of(["g", "dx"], [("1", "flu"), ("1", "gout"), ("2", "flu")])
    >>> anatomized(who, what, "g").project(["age", "dx"]).counts.tolist()
    [1, 1, 1, 1, 1]
    """
    code = {label: i for i, label in enumerate(identifiers.labels_of(group))}
    number = np.array([code.get(label, -1) for label in secrets.labels_of(group)])
    theirs = number[secrets.column(group)]
    theirs[secrets.column(group) < FIRST_VALUE] = -1
    weights = secrets.counts
    if count is not None:
        labels = np.array([int(x) if x.isdigit() else -1 for x in secrets.labels_of(count)])
        weights = labels[secrets.column(count)] * secrets.counts
        if (weights < 0).any():
            raise AnonauditError(f"column {count!r} must hold whole numbers in every row")
    order = np.argsort(theirs)
    first = np.searchsorted(theirs[order], identifiers.column(group))
    end = np.searchsorted(theirs[order], identifiers.column(group), side="right")
    row, within = runs(end - first)
    value = order[first[row] + within]
    quasi = [a for a in identifiers.attributes if a != group]
    sensitive = [a for a in secrets.attributes if a not in (group, count)]
    codes = np.column_stack(
        [
            *(identifiers.column(a)[row] for a in quasi),
            *(secrets.column(a)[value] for a in sensitive),
        ]
    )
    labels_of = [identifiers.labels_of(a) for a in quasi] + [
        secrets.labels_of(a) for a in sensitive
    ]
    whole = FrequencySet(
        (*quasi, *sensitive), tuple(labels_of), codes, identifiers.counts[row] * weights[value]
    )
    return whole.where(whole.counts > 0).project(whole.attributes)
