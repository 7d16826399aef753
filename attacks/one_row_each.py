"""Decide who is exposed after candidates were ruled out, by assignments or by several known events.

Candidates are ruled out twice: once with the pairs that match for certain, and once with all pairs
that may match. An additional pair never rules out a candidate of a target. So a target is
identified for certain if it has one candidate when all pairs that may match are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from anonaudit.arrays import Bools, Index, Ints
from anonaudit.linking.matching import Candidates
from attacks.assignments import Possible, possible_links
from attacks.candidate_rows import CandidateRows
from attacks.exposure import Exposure, unknown_values

# People whom too few rows match are undecided for this reason.
CROWDED = (
    "too few rows match some people, so they cannot all have a row of their own, although "
    "everyone-released states that everybody has one"
)


@dataclass(frozen=True)
class Bodies:
    """The bodies to which external persons are assigned.

    With a unit column, a body is a released person. Without a unit column, a body is a released
    combination, and each row of the combination can be assigned to one external person.

    of_key: the body of each combination of the release, shape (len(keys),). rows: how many rows
    each body has, shape (n_bodies,); 1 if the body is a person.
    """

    of_key: Index
    rows: Ints

    @classmethod
    def of(cls, rows: CandidateRows, chosen: Bools) -> Bodies:
        """Return the bodies of a release. chosen: the entries that count, shape (len(base),)."""
        if rows.unit is None:
            number = np.bincount(rows.entry[chosen], rows.base.counts[chosen], len(rows.keys))
            return cls(np.arange(len(rows.keys)), number.astype(np.int64))
        _, person = np.unique(rows.keys.column(rows.unit), return_inverse=True)
        return cls(person, np.ones(int(person.max(initial=-1)) + 1, np.int64))

    def links(self, pairs: Candidates) -> Candidates:
        """Return the pairs of targets and bodies that match, each pair once."""
        width = max(len(self.rows), 1)
        both = np.unique(pairs.person.astype(np.int64) * width + self.of_key[pairs.key])
        return Candidates((both // width).astype(np.intp), (both % width).astype(np.intp))

    def keep(self, pairs: Candidates, links: Candidates) -> Candidates:
        """Return the pairs whose target is linked with the body of the combination.

        links: pairs of a target and a body.
        """
        width = max(len(self.rows), 1)
        place = pairs.person.astype(np.int64) * width + self.of_key[pairs.key]
        kept = np.isin(place, links.person.astype(np.int64) * width + links.key)
        return Candidates(pairs.person[kept], pairs.key[kept])


def one_row_each(
    rows: CandidateRows, pairs: Candidates, people: Ints, chosen: Bools
) -> tuple[Candidates, Possible, Bodies]:
    """Return the pairs that remain possible if everybody has a row (a person) of their own.

    people: how many people share each target, shape (n,). chosen: the entries of the release that
    count, shape (len(base),).

    Returns the pairs of a target and a combination, the possible links between targets and bodies,
    and the bodies.
    """
    bodies = Bodies.of(rows, chosen)
    there = np.zeros(len(rows.keys), bool)
    there[rows.entry[chosen]] = True
    kept = there[pairs.key]
    counted = Candidates(pairs.person[kept], pairs.key[kept])
    possible = possible_links(bodies.links(counted), people, bodies.rows)
    return bodies.keep(counted, possible.pairs), possible, bodies


@dataclass(frozen=True)
class Narrowed:
    """The candidates that remain after some were ruled out.

    tight, wide: the pairs that match for certain, and all pairs that may match. firm, present: True
    for the entries of the release that the tight pairs, and the wide pairs, may use; shape
    (len(base),). short_tight, short_wide: True for the targets that cannot all have a row of their
    own if only the tight pairs match, and if all wide pairs match; shape (n,).
    """

    tight: Candidates
    wide: Candidates
    firm: Bools
    present: Bools
    short_tight: Bools
    short_wide: Bools


def narrowed_exposure(
    exposure: Exposure, left: Narrowed, sensitive: Sequence[str], *, everyone: bool
) -> Exposure:
    """Return who is exposed by the remaining candidates.

    exposure: the exposure by all candidates. everyone: True if each target has a row for certain.

    The targets of `left.short_wide` cannot all have a row of their own. Such a target is exposed if
    `exposure` exposes it and some row matches it for certain. Otherwise it is undecided, because a
    fully suppressed row is certainly the target's only if everybody has a row.
    """
    rows, n = exposure.rows, len(exposure.firm)
    few, many = rows.number(left.tight, n, left.firm), rows.number(left.wide, n, left.present)
    sure = np.bincount(left.tight.person, minlength=n) == np.bincount(left.wide.person, minlength=n)
    there = np.ones(n, bool) if everyone else few > 0
    matched = exposure.firm > 0
    identified = np.where(left.short_wide, exposure.identified & matched, there & (many == 1))
    maybe = left.short_wide | left.short_tight | (few == 1) | ((few == 0) & (many > 0))
    disclosed, values, unknown = {}, {}, []
    for name in sensitive:
        all_ = rows.values(name, left.wide, n, left.present)
        tight = rows.values(name, left.tight, n, left.firm)
        certain = there & all_.certain
        if rows.unit is not None:
            certain &= sure
        disclosed[name] = np.where(left.short_wide, exposure.disclosed[name] & matched, certain)
        values[name] = all_
        maybe |= all_.possible | tight.possible | (tight.none & ~all_.none)
        if rows.unit is not None:
            maybe |= rows.may_agree(name, left.tight, left.wide, n, left.firm, left.present)
        if (all_.possible & ~all_.certain).any():
            unknown.append(name)
    after = replace(
        exposure, identified=identified, disclosed=disclosed, values=values, undecided=maybe
    )
    undecided = maybe & ~after.exposed
    before = set(map(unknown_values, sensitive))
    causes = [cause for cause in exposure.causes if cause not in before]
    causes += map(unknown_values, unknown)
    if (left.short_wide & (many > 0)).any():
        causes.append(CROWDED)
    return replace(after, undecided=undecided, causes=tuple(causes), pairs=left.wide)
