"""Composition: two releases of the same people, each safe alone.

Source: Ganta, Kasiviswanathan, Smith 2008 (intersection of candidate sets); GCG08 Figure 3 for
anatomized tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import AnonauditError
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.frequency.wildcards import Table, sparse_table
from attacks.shared import bounded, disclosure, link, nothing, persons_of, shared_columns

Bools = npt.NDArray[np.bool_]

# The candidate values are not intersected over more (target, combination, value) triples.
MOST_TRIPLES = 50_000_000


class Composition:
    """The adversary has two releases, and an identified table of people who are in both.

    In each release a target has candidate rows, and their values are what it may have. A value
    that did not change between the releases is in both sets. Success: one value is in both. A
    candidate whose value is unknown leaves a set open: it rules nothing out.

    Options: external, identity, second (the other release; it has columns of the same names).
    Anatomized tables are joined first, see `anatomized`. No model of one release bounds this
    attack. Baseline: guessing the most frequent value of the release.

    `details` tells apart who is disclosed by one release alone; and counts those whose two sets
    have nothing in common, who are then not in both, or whose value changed.
    """

    name: ClassVar[str] = "composition"
    knowledge: ClassVar[str] = "the target's quasi-identifiers, and a second release"
    options: ClassVar[tuple[str, ...]] = ("external", "identity", "second")

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """The persons with one value in common between their two candidate sets."""
        classes, external, second = setting.classes, setting.external, setting.second
        if second is None:
            return nothing(self, setting, "no second release was given")
        if external is None:
            return nothing(self, setting, "no external table of people was given")
        if classes.roles.unit is not None:
            reason = "persons with several rows have several values; sets of values do not meet"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        names = [n for n in classes.roles.sensitive if n in second.roles.sensitive]
        if not names:
            return nothing(self, setting, "the releases have no sensitive column in common")
        known = shared_columns(self.name, setting, external)
        outside, sharing = persons_of(setting, external, known)
        if not len(outside):
            reason = "the external table has no rows"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        per, alone, none_left = {}, np.zeros(len(outside), bool), np.zeros(len(outside), bool)
        met = np.zeros(len(outside), bool)
        for name in names:
            labels = sorted(
                {
                    *classes.base.labels_of(name)[FIRST_VALUE:],
                    *second.base.labels_of(name)[FIRST_VALUE:],
                }
            )
            sets = [
                possible_values(setting, release, outside, name, labels)
                for release in (classes, second)
            ]
            if any(found is None for found in sets):
                reason = "too many candidates and values to intersect; name more columns or people"
                return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
            one, other = (found for found in sets if found is not None)
            left = one.also(other)
            both = left.matched
            met |= both
            per[name] = both & (left.number == 1)
            none_left |= both & (left.number == 0)
            alone |= both & ((one.number == 1) | (other.number == 1)) & (left.number == 1)
        if not met.any():
            reason = "nobody of the table matches both releases"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        found = np.logical_or.reduce(list(per.values()))
        return disclosure(
            self,
            setting,
            targets=int(sharing.sum()),
            disclosed=int(sharing[found].sum()),
            per_attribute={name: int(sharing[one].sum()) for name, one in per.items()},
            details={
                "match both releases": int(sharing[met].sum()),
                "certain by one release alone": int(sharing[alone].sum()),
                "only by both together": int(sharing[found & ~alone].sum()),
                "nothing in common": int(sharing[none_left].sum()),
            },
        )


class Possible:
    """What each target may have: a table of (target, value), and where the set is open."""

    def __init__(self, values: Table, matched: Bools, open_: Bools) -> None:
        self.values, self.matched, self.open = values, matched, open_
        size = np.diff(values.indptr).astype(np.float64)
        self.number = np.where(open_, np.inf, size)

    def also(self, other: Possible) -> Possible:
        """What is in both sets; an open set takes nothing away."""
        mine, theirs = (one.astype(bool).astype(np.float64) for one in (self.values, other.values))
        each, shape = np.arange(len(self.open)), (len(self.open), len(self.open))
        keep_mine = sparse_table(other.open, each, each, shape)
        keep_theirs = sparse_table(self.open, each, each, shape)
        both = mine.multiply(theirs) + keep_mine @ mine + keep_theirs @ theirs
        values = both.tocsr()
        values.eliminate_zeros()
        return Possible(values, self.matched & other.matched, self.open & other.open)


def possible_values(
    setting: Setting,
    release: EquivalenceClasses,
    outside: FrequencySet,
    name: str,
    labels: Sequence[str],
) -> Possible | None:
    """The values of a sensitive attribute among each target's candidate rows in a release.

    outside: the targets, over quasi-identifiers. labels: numbers the values.
    None where it would take too much to say.
    """
    base = release.base
    known = [c for c in outside.attributes if c in release.roles.quasi_identifiers]
    if not known:
        raise AnonauditError("composition: a release has none of the columns of the external table")
    people, inside = outside.project(known), base.project(known)
    pairs = link(setting, people, inside).sure
    code = {label: i for i, label in enumerate(labels)}
    number = np.array([-1, -1, *(code[label] for label in base.labels_of(name)[FIRST_VALUE:])])
    value, entry = number[base.column(name)], inside.entry_of(base)
    there = value >= 0
    table = sparse_table(
        np.ones(int(there.sum())), entry[there], value[there], (len(inside), len(labels))
    )
    if np.diff(table.indptr)[pairs.key].sum() > MOST_TRIPLES:
        return None
    shape = (len(people), len(inside))
    looks = sparse_table(np.ones(len(pairs.key)), pairs.person, pairs.key, shape)
    unknown = np.zeros(len(inside), bool)
    unknown[entry[~there]] = True
    place = people.entry_of(outside)
    matched = np.bincount(pairs.person, minlength=len(people)) > 0
    open_ = np.asarray(looks @ unknown) > 0
    return Possible((looks @ table).tocsr()[place], matched[place], open_[place])


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
    length = np.searchsorted(theirs[order], identifiers.column(group), side="right") - first
    row = np.repeat(np.arange(len(identifiers)), length)
    within = np.arange(len(row)) - np.repeat(np.cumsum(length) - length, length)
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
