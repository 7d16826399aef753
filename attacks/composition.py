"""Composition: combine several releases of the same people, each of which is safe alone.

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
from anonaudit.details import Details, fact
from anonaudit.errors import AnonauditError
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import Codes, distinct_rows, runs
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.frequency.wildcards import sparse_table
from anonaudit.linking.matching import Candidates
from anonaudit.linking.too_much import TooMuchError
from anonaudit.special_details import GuessedValues
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

# With everyone-released, a target whose candidates never agree is undecided for this reason.
APART = (
    "the rows of some people in the {} releases have nothing in common, although everyone-released "
    "states that everybody is in {}"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Joined(Details):
    """How many people have candidates in two releases with something in common.

    matched: people who match both releases. alone: people exposed by one release alone. both:
    people exposed only by both releases together. nothing: people without a joint candidate (see
    `Composition`). guesses: the best guesses of the values.
    """

    matched: int = fact("match both releases")
    alone: int = fact("certain by one release alone")
    both: int = fact("only by both together")
    nothing: int = fact("nothing in common")
    guesses: GuessedValues


@dataclass(frozen=True, kw_only=True, eq=False)
class JoinedOfSeveral(Joined):
    """How many people have candidates in several releases with something in common; see `Joined`.

    matched: people who match two releases or more. both: people exposed only by several together.
    """

    matched: int = fact("match two releases or more")
    both: int = fact("only by several together")


class Composition:
    """The adversary has several releases, and an identified table of people who are in them.

    In each release a target has candidate rows. A joint candidate takes one candidate row from each
    release that the target matches. These rows must agree on every sensitive column that the
    releases share. Success: all joint candidates have the same value. An unknown cell agrees with
    any value; a cell that is unknown in all releases may have any value. A target must match at
    least two releases. Releases that a target does not match are ignored for this target.

    A target is undecided if a candidate cell is unknown, a label cannot be compared, or a candidate
    row is suppressed in all known columns. There is one exception. Take the joint candidates that
    are certain and have no unknown cell. If they have two or more values of each attribute, the
    target is certainly not exposed.

    If a target has no joint candidate, it is missing from a release, or its values changed between
    the releases. It is not known which column changed, so each column is then compared by itself.

    Anatomized tables are joined first, see `anatomized`. No model of a single release bounds this
    attack. Baseline: guess the most frequent value of the release.

    Options:

    - external, identity: the table, and its columns that name a person.
    - second: another release, or a list of releases, with the same column names.
    - sure: a threshold. A target is exposed if the chance of a value is at least `sure` (default
      1). All joint candidates are equally likely.
    - everyone-released: true if everybody in the external table is in all releases. A target that
      does not match all releases, or has no joint candidate, is then undecided.
    - suppressed-rows: see `Linkage`.

    `details` is `Joined`, or `JoinedOfSeveral` for three releases or more.
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
        means="For a person who is in both releases, a value is disclosed if no other value agrees "
        "with both",
        matters="Two releases may disclose values together although each of them is safe alone.",
        do="Mask both releases with the same classes, or do not publish the second one.",
        compares=True,
        several=True,
    )

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """Find the persons whose joint candidates all have the same value."""
        classes, external = setting.classes, setting.external
        if setting.second is None:
            return nothing(self, setting, "no second release was given")
        if external is None:
            return nothing(self, setting, "no external table of people was given")
        if classes.roles.unit is not None:
            reason = "persons with several rows have several values, but this attack compares rows"
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
            reason = f"nobody in the external table matches {many} releases"
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
    """What the candidates of each of n targets have in common over the releases.

    Arrays of shape (n,), True if:

    - met: the target matches at least two releases.
    - everywhere: the target matches all releases.
    - firm: in each release that the target matches, some candidate is certain.
    - torn: the target matches two releases or more, but has no joint candidate.
    - settled: undecided candidates do not change whether there is a joint candidate.
    - varies: some candidate is undecided.
    - whole: the target has a joint candidate of certain rows without unknown cells.

    every: the agreement of all joint candidates; for torn targets, the agreement of each column by
    itself. plain: the agreement of the certain candidates without unknown cells. gap: shape (n,
    attributes), True if an unknown cell of a candidate may matter. doubts: the values that another
    release may write differently.
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
        """Join the candidates of all releases."""
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
        if varies.any():  # without undecided candidates, the certain ones are all there are
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
        """True where a value is certain, shape (n, attributes)."""
        return self.every.certain & self.settled[:, np.newaxis]

    @property
    def guesses(self) -> Sequence[Guess]:
        """The chance of the best guess of each attribute; joint candidates are equally likely."""
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
        """Return True where a value has at least the chance `sure`, shape (n, attributes)."""
        certain = self.certain
        if sure == 1:
            return certain
        reached = np.column_stack([guess.surely(sure) for guess in self.guesses])
        return certain | (reached & self.met[:, np.newaxis])

    def open_(self, sure: float) -> Bools:
        """Return True for the targets whose exposure may depend on something undecided, (n,)."""
        if sure < 1:
            may = np.column_stack([guess.maybe(sure) for guess in self.guesses])
            return self.met & may.any(axis=1)
        doubtful = self.gap | self.doubts.respelled | self.doubts.spanned
        open_ = self.met & (self.varies | doubtful.any(axis=1))
        return open_ & ~(self.whole[:, np.newaxis] & ~self.plain.certain).all(axis=1)

    def by_one(self, sides: Sequence[Sides], sure: float) -> Bools:
        """Return True where one release alone gives a value at least the chance `sure`."""
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
    """The targets with values that another release may write differently.

    Two values span each other if they differ in more than spelling, and one may denote the other
    (`respiratory` may denote `flu`).

    respelled: shape (n, attributes), True if a candidate has a value that another release spells
    differently. spanned: shape (n, attributes), True if there are two releases in both of which a
    candidate has a value that spans a value of the other release. unsettled: shape (n,), True if
    there are two releases in both of which a candidate has a respelled value, or in both of which a
    candidate has a spanned value. unlike: by attribute, the numbers of the respelled values.
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
        """Compare every pair of releases."""
        respelled, spanned = np.zeros((n, len(numbers)), bool), np.zeros((n, len(numbers)), bool)
        unsettled = np.zeros(n, bool)
        spelled: dict[str, set[int]] = {name: set() for name in numbers}
        for i, k in combinations(range(len(releases)), 2):
            pair = releases[i], releases[k]
            unlike_values = {name: unlike(name, places, *pair) for name, places in numbers.items()}
            above = {
                name: np.setdiff1d(wider(setting, name, places, *pair), unlike_values[name])
                for name, places in numbers.items()
            }
            mine, theirs = (_held(sides[one], unlike_values, n) for one in (i, k))
            both = _held(sides[i], above, n) & _held(sides[k], above, n)
            # Unequal texts may denote the same value. They may be two spellings, or a value and a
            # label that generalizes it. So a comparison of texts is not enough.
            unsettled |= ((mine & theirs) | both).any(axis=1)
            respelled |= mine | theirs
            spanned |= both
            for name, some in unlike_values.items():
                spelled[name].update(some)
        return cls(respelled, spanned, unsettled, spelled)

    def causes(self, names: Sequence[str], open_: Bools) -> Iterator[str]:
        """Yield the reasons why values leave targets undecided.

        open_: the undecided targets, shape (n,).
        """
        for j, name in enumerate(names):
            if self.respelled[open_, j].any():
                yield (
                    f"{len(self.unlike[name])} value(s) of {name} differ only in spelling between "
                    "the releases (values.normalize makes them equal)"
                )
            if self.spanned[open_, j].any():
                yield (
                    f"values of {name} in two releases may or may not be the same (declare what "
                    f"they denote, in the hierarchy of {name} or in values.reading)"
                )


def _held(side: Sides, values: Mapping[str, Sequence[int] | Codes], n: int) -> Bools:
    """Return True where a target has a row with one of the values, shape (n, attributes).

    values: by attribute, the numbers of values.
    """
    return np.column_stack([side.all.hold(j, some, n) for j, some in enumerate(values.values())])


@dataclass(frozen=True)
class Sides:
    """The candidate rows of each target in one release, reduced to their sensitive cells.

    all: every possible row. firm: the certain rows. plain: the certain rows with a known value of
    each sensitive attribute. varies: shape (n_targets,), True if `all` has more rows than `firm`.
    gap: shape (n_targets, attributes), True if `all` has an unknown cell. causes: what makes rows
    uncertain.
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
    """Return the sensitive rows of a release that match, or may match, each target.

    outside: the targets, over quasi-identifiers. numbers: by sensitive attribute, the numbers of
    its values (see `value_numbers`). All cells of an attribute that the release lacks are unknown.

    Raises TooMuchError for more than MOST_TRIPLES triples of target, combination and sensitive row.
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
        """Return the distinct sensitive rows of each target, and how many rows each target has.

        some: the entries of the release that are considered.
        """
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
    """Return an anatomized release as one table: each row joined with each value of its group.

    identifiers: over quasi-identifiers and the group. secrets: over the group and the sensitive
    attributes. count: the column of `secrets` with frequencies, which must be whole numbers; values
    with frequency 0 are left out.

    The count of a joined row is the product of the two counts. So the shares of the values in a
    group are right, but the size of the group is not.

    Raises AnonauditError if a frequency is no whole number.

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
