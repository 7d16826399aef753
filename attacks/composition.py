"""Composition: two releases of the same people, each safe alone.

Source: Ganta, Kasiviswanathan, Smith 2008 (intersection of candidate sets); GCG08 Figure 3 for
anatomized tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from anonaudit.about import AboutAttack
from anonaudit.arrays import Bools, Index
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.details import Details, fact
from anonaudit.errors import AnonauditError
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import Codes, distinct_rows, runs
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.frequency.wildcards import sparse_table
from anonaudit.generalization.labels import exact_number, is_padded
from anonaudit.generalization.spellings import spelled_otherwise
from anonaudit.linking.matching import Candidates, match_column
from anonaudit.linking.too_much import TooMuchError
from attacks.exposure import hushed_rows
from attacks.shared import (
    AWAY,
    MOST_TRIPLES,
    bounded,
    disclosure,
    flag_option,
    link,
    nothing,
    persons_of,
    shared_columns,
    unknown_cells,
)

UNKNOWN_VALUE: Final = -1  # in place of the number of a value
_NONE: Final = np.iinfo(np.int64).max


@dataclass(frozen=True, kw_only=True, eq=False)
class Joined(Details):
    """The targets by what the releases have in common.

    matched: who match both. alone: whose value one release gives away. both: whose value only
    both do. nothing: whose candidates have nothing in common.
    """

    matched: int = fact("match both releases")
    alone: int = fact("certain by one release alone")
    both: int = fact("only by both together")
    nothing: int = fact("nothing in common")


class Composition:
    """The adversary has two releases, and an identified table of people who are in both.

    In each release a target has candidate rows. What did not change between the releases is the
    same in both, so a joint candidate is a row of each that agree on every sensitive column that
    both have. Success: all joint candidates have one value. A cell that is unknown agrees with
    any; unknown in both, it may be anything.

    A target is undecided where its candidates are: a cell of them is unknown, a label cannot be
    compared, or a row is suppressed throughout. It is safe all the same where those that are known
    have two values of each attribute in common.

    Anatomized tables are joined first, see `anatomized`. No model of one release bounds this
    attack. Baseline: guessing the most frequent value of the release.

    A target without a joint candidate is not in both, or something of it changed; what did is not
    known, so each column is taken by itself then.

    Options: external, identity, second (the other release; it has columns of the same names);
    everyone-released, whether everybody in the external table
    is in both releases (then who does not match both is undecided); suppressed-rows, see `Linkage`.

    `details` tells apart who is disclosed by one release alone; and counts those without a joint
    candidate, who have nothing in common.
    """

    name: ClassVar[str] = "composition"
    knowledge: ClassVar[str] = "the target's quasi-identifiers, and a second release"
    options: ClassVar[tuple[str, ...]] = (
        "external",
        "identity",
        "second",
        "everyone_released",
        "suppressed_rows",
    )
    about: ClassVar[AboutAttack] = AboutAttack(
        means="A value that is possible for somebody in both releases, and is the only one, is "
        "disclosed",
        matters="Two releases that are safe each by itself may not be together.",
        do="Mask both releases with the same classes, or do not publish the second one.",
    )

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """The persons of whom all joint candidates have one value in common."""
        classes, external, second = setting.classes, setting.external, setting.second
        if second is None:
            return nothing(self, setting, "no second release was given")
        if external is None:
            return nothing(self, setting, "no external table of people was given")
        if classes.roles.unit is not None:
            reason = "persons with several rows have several values; rows do not meet"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        names = classes.roles.sensitive
        if not set(names).intersection(second.roles.sensitive):
            return nothing(self, setting, "the releases have no sensitive column in common")
        known = shared_columns(self.name, setting, external)
        outside, sharing = persons_of(setting, external, known)
        if not len(outside):
            reason = "the external table has no rows"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        n = len(outside)
        numbers = {name: _numbers(name, setting.decimal, classes, second) for name in names}
        one, other = (
            candidate_rows(setting, release, outside, numbers) for release in (classes, second)
        )
        met = one.all.of_any(n) & other.all.of_any(n)
        if not met.any():
            reason = "nobody of the table matches both releases"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        left = joint(one.all, other.all, n)
        torn, common = met & ~left.met, left.met
        left.take_apart(one.all, other.all, torn)
        firm = one.firm.of_any(n) & other.firm.of_any(n)
        varies = one.varies | other.varies
        if varies.any():  # otherwise the rows that fit for certain are all there are
            common = joint(one.firm, other.firm, n).met
        settled = firm & (common | (torn & ~varies))
        unlike = {name: _unlike(name, numbers[name], classes, second) for name in names}
        wider = {
            name: np.setdiff1d(_wider(setting, name, numbers[name], classes, second), unlike[name])
            for name in names
        }
        mine, theirs = (_held(side, unlike, n) for side in (one, other))
        spanned = _held(one, wider, n) & _held(other, wider, n)
        # Two spellings of one value may be in common too, beside what seems certain; and a value
        # and a label above it.
        settled &= ~((mine & theirs) | spanned).any(axis=1)
        certain = left.certain & settled[:, np.newaxis]
        by_one = (certain & (agreed(one.all, n) | agreed(other.all, n))).any(axis=1)
        disclosed = certain.any(axis=1)
        gap = (one.gap | other.gap) & (left.least != _NONE)  # something is known to agree with
        everyone = flag_option(self.name, setting, "everyone_released")
        open_ = met & (varies | (gap | mine | theirs | spanned).any(axis=1)) & ~disclosed
        if open_.any():
            plain = joint(one.plain, other.plain, n)
            open_ &= ~(plain.met[:, np.newaxis] & ~plain.certain).all(axis=1)
        causes = [*one.causes, *other.causes]
        if everyone and not met.all():
            open_ |= ~met
            causes.append(AWAY)
        if everyone and (torn & ~disclosed).any():
            open_ |= torn & ~disclosed
            causes.append("rows of the two releases have nothing in common, though all are in both")
        causes += _of_values(names, unlike, (mine | theirs)[open_], spanned[open_])
        if gap[open_].any():
            causes.append(unknown_cells(dict(zip(names, gap[open_].T, strict=True))))
        return disclosure(
            self,
            setting,
            targets=int(sharing.sum()),
            disclosed=int(sharing[disclosed].sum()),
            undecided=int(sharing[open_].sum()),
            reason="; ".join(dict.fromkeys(causes)) if open_.any() else None,
            per_attribute={name: int(sharing[certain[:, j]].sum()) for j, name in enumerate(names)},
            details=Joined(
                matched=int(sharing[firm].sum()),
                alone=int(sharing[by_one].sum()),
                both=int(sharing[disclosed & ~by_one].sum()),
                nothing=int(sharing[torn].sum()),
            ),
        )


class SensitiveRows(NamedTuple):
    """The sensitive rows that may be a target's, each of them once.

    target: shape (n,), in ascending order. cells: shape (n, attributes), the numbers of values.
    """

    target: Index
    cells: Codes

    def where(self, some: Bools) -> SensitiveRows:
        """Some of the rows."""
        return SensitiveRows(self.target[some], self.cells[some])

    def of_any(self, n: int) -> Bools:
        """Which of n targets have a row."""
        return np.bincount(self.target, minlength=n) > 0

    def hold(self, column: int, numbers: Sequence[int] | Codes, n: int) -> Bools:
        """Which of n targets have a row with one of some values in a column."""
        return self.where(np.isin(self.cells[:, column], numbers)).of_any(n)

    def by_pattern(self) -> Iterator[tuple[Bools, SensitiveRows]]:
        """The rows apart by which of their cells are known, shape (attributes,)."""
        patterns, pattern = distinct_rows((self.cells != UNKNOWN_VALUE).astype(np.int64))
        for i, known in enumerate(patterns.astype(bool)):
            yield known, self.where(pattern == i)


class Agreement:
    """What the candidates of each of n targets have in common.

    low, high: shape (n, attributes), the least and the largest number among the candidates; a
    cell that may be anything is UNKNOWN, so it agrees with no value. least: the least number of a
    known cell.
    """

    def __init__(self, n: int, attributes: int) -> None:
        self.low = np.full((n, attributes), _NONE)
        self.least = self.low.copy()
        self.high = np.full((n, attributes), UNKNOWN_VALUE)

    def add(self, rows: SensitiveRows, columns: Bools) -> None:
        """More candidates, with their cells in some columns."""
        for j in np.flatnonzero(columns):
            np.minimum.at(self.low[:, j], rows.target, rows.cells[:, j])
            np.maximum.at(self.high[:, j], rows.target, rows.cells[:, j])
            known = rows.cells[:, j] != UNKNOWN_VALUE
            np.minimum.at(self.least[:, j], rows.target[known], rows.cells[known, j])

    def take_apart(self, one: SensitiveRows, other: SensitiveRows, torn: Bools) -> None:
        """For some of the targets, shape (n,), what is in common column by column."""
        one, other = (rows.where(torn[rows.target]) for rows in (one, other))
        for j in range(self.low.shape[1]):
            mine, theirs = (
                SensitiveRows(rows.target, rows.cells[:, j : j + 1]) for rows in (one, other)
            )
            left = joint(mine, theirs, len(torn))
            self.low[torn, j], self.high[torn, j] = left.low[torn, 0], left.high[torn, 0]
            self.least[torn, j] = left.least[torn, 0]

    @property
    def certain(self) -> Bools:
        """Where all candidates have one value, shape (n, attributes)."""
        certain: Bools = (self.low == self.high) & (self.low != UNKNOWN_VALUE)
        return certain

    @property
    def met(self) -> Bools:
        """Which targets have a candidate, shape (n,)."""
        met: Bools = self.low[:, 0] != _NONE
        return met


def agreed(rows: SensitiveRows, n: int) -> Bools:
    """Where all candidates of one release have one value, shape (n, attributes)."""
    attributes = rows.cells.shape[1]
    agreement = Agreement(n, attributes)
    agreement.add(rows, np.ones(attributes, bool))
    return agreement.certain


def joint(one: SensitiveRows, other: SensitiveRows, n: int) -> Agreement:
    """What the pairs of a row of each release have in common that agree where both are known.

    Rows are taken together by which of their cells are known. Then a row is in a pair if the
    other release has one of the same target with the same cells where both are known, and what is
    known in neither may be anything.
    """
    left = Agreement(n, one.cells.shape[1])
    for known, mine in one.by_pattern():
        for also_known, theirs in other.by_pattern():
            both = known & also_known
            cells = [np.column_stack([r.target, r.cells[:, both]]) for r in (mine, theirs)]
            _, number = distinct_rows(np.concatenate(cells))
            here, there = number[: len(mine.target)], number[len(mine.target) :]
            left.add(mine.where(np.isin(here, there)), known)
            left.add(theirs.where(np.isin(there, here)), ~known)
    return left


def _numbers(name: str, decimal: str, *releases: EquivalenceClasses) -> Mapping[str, int]:
    """A number for each value of a sensitive attribute in any of the releases.

    Equal numbers are one value, however they are written (`1`, `1.0`); codes with leading zeros are
    texts.
    """
    tables = [release.base for release in releases if name in release.roles.sensitive]
    labels = sorted({label for table in tables for label in table.labels_of(name)[FIRST_VALUE:]})
    amounts = [None if is_padded(label) else exact_number(label, decimal) for label in labels]
    values = [
        label if amount is None else amount for label, amount in zip(labels, amounts, strict=True)
    ]
    place = {value: i for i, value in enumerate(dict.fromkeys(values))}
    return {label: place[value] for label, value in zip(labels, values, strict=True)}


def _unlike(
    name: str, numbers: Mapping[str, int], one: EquivalenceClasses, other: EquivalenceClasses
) -> list[int]:
    """The numbers of the values of a sensitive attribute that the releases spell differently."""
    if name not in other.roles.sensitive:
        return []
    ours, theirs = (release.base.labels_of(name)[FIRST_VALUE:] for release in (one, other))
    return [numbers[label] for group in spelled_otherwise(ours, theirs) for label in group]


def _held(side: Sides, values: Mapping[str, Sequence[int] | Codes], n: int) -> Bools:
    """Whether each target has a row with one of these values, shape (n, attributes)."""
    return np.column_stack([side.all.hold(j, some, n) for j, some in enumerate(values.values())])


def _of_values(
    names: Sequence[str], unlike: Mapping[str, Sequence[int]], respelled: Bools, spanned: Bools
) -> Iterator[str]:
    """Why values leave targets undecided; shape of the last two: (n_undecided, attributes)."""
    for name, spelled, above in zip(names, respelled.T, spanned.T, strict=True):
        if spelled.any():
            yield (
                f"{len(unlike[name])} value(s) of {name} differ only in spelling between the "
                "releases (values.normalize makes them equal)"
            )
        if above.any():
            yield (
                f"values of {name} in one release may stand for others in the second (the "
                f"hierarchy of {name}, or values.reading, says what they denote)"
            )


def _wider(
    setting: Setting,
    name: str,
    numbers: Mapping[str, int],
    one: EquivalenceClasses,
    other: EquivalenceClasses,
) -> Codes:
    """The numbers of the values that may stand for another value in the other release.

    `respiratory` above `flu`, `20-29` and 25, `E11**` and E11.9; and labels not understood.
    """
    if name not in other.roles.sensitive:
        return np.empty(0, np.int64)
    ours, theirs = (release.base.labels_of(name) for release in (one, other))
    pieces = []
    for ground, released in ((ours, theirs), (theirs, ours)):
        matches = match_column(
            ground,
            released,
            hierarchy=setting.hierarchies.get(name),
            reading=setting.readings.get(name),
            separator=setting.separators.get(name),
            decimal=setting.decimal,
            maybe=True,
            one_kind=True,
        ).widest
        place, code = matches.of(np.arange(FIRST_VALUE, len(ground)))
        value, known = _numbered(ground, numbers)[place + FIRST_VALUE], code >= FIRST_VALUE
        label = _numbered(released, numbers)[code]
        pieces += [some[known & (value != label)] for some in (value, label)]
    return np.unique(np.concatenate(pieces))


def _numbered(labels: Sequence[str], numbers: Mapping[str, int]) -> Codes:
    """The number of each code of a column; UNKNOWN_VALUE for cells without a value."""
    known = [numbers[label] for label in labels[FIRST_VALUE:]]
    return np.array([UNKNOWN_VALUE] * FIRST_VALUE + known, np.int64)


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
    cells = np.full((len(base), len(numbers)), UNKNOWN_VALUE)
    for j, (name, place) in enumerate(numbers.items()):
        if own[j]:
            labels = base.labels_of(name)[FIRST_VALUE:]
            counted = release.convention.first_counted < FIRST_VALUE
            no_value = len(place) if counted else UNKNOWN_VALUE
            named = np.array([no_value] * FIRST_VALUE + [place[label] for label in labels])
            cells[:, j] = named[base.column(name)]
    different, which = distinct_rows(cells)
    entry, target = inside.entry_of(base), people.entry_of(outside)

    def rows_of(pairs: Candidates, some: Bools) -> tuple[SensitiveRows, npt.NDArray[np.integer]]:
        """The different rows of each target among some of the release, and how many there are."""
        shape = (len(inside), len(different))
        table = sparse_table(np.ones(int(some.sum())), entry[some], which[some], shape)
        if np.diff(table.indptr)[pairs.key].sum() > MOST_TRIPLES:
            raise TooMuchError(
                "too many candidates and values to intersect; name more columns or people"
            )
        looks = sparse_table(
            np.ones(len(pairs.key)), pairs.person, pairs.key, (len(people), len(inside))
        )
        entries = (looks @ table).tocsr()[target].tocoo()
        candidates = SensitiveRows(entries.row.astype(np.intp), different[entries.col])
        return candidates, np.bincount(candidates.target, entries.data, len(outside))

    every, most = rows_of(links.widest, hushed.present)
    firm, fewest = every, most
    if hushed.hushed.any() or links.widest is not links.sure:
        firm, fewest = rows_of(links.sure, hushed.present & ~hushed.hushed)
    gap = np.zeros((len(outside), len(numbers)), bool)
    for column in np.flatnonzero(own):
        gap[every.target[every.cells[:, column] == UNKNOWN_VALUE], column] = True
    plain = firm.where((firm.cells[:, own] != UNKNOWN_VALUE).all(axis=1))
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
