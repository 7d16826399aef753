"""Who is exposed where candidates are ruled out, by assignments of everybody or by several events.

Two sets of links bound what is undecided: those that hold for certain, and those that may hold.
More links leave more candidates. So a target is exposed whatever is undecided if all links that may
hold leave one candidate.
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

# Why people are undecided who cannot all have a row.
CROWDED = (
    "some people cannot all have a row of their own, though everyone-released says that they have "
    "one: too few rows fit them"
)


@dataclass(frozen=True)
class Bodies:
    """What a person of an external table is assigned: the rows of a combination, or one person.

    of_key: the body of each combination of the release. rows: how many there are of each body.
    """

    of_key: Index
    rows: Ints

    @classmethod
    def of(cls, rows: CandidateRows, chosen: Bools) -> Bodies:
        """The bodies of a release, of the entries that are chosen."""
        if rows.unit is None:
            number = np.bincount(rows.entry[chosen], rows.base.counts[chosen], len(rows.keys))
            return cls(np.arange(len(rows.keys)), number.astype(np.int64))
        _, person = np.unique(rows.keys.column(rows.unit), return_inverse=True)
        return cls(person, np.ones(int(person.max(initial=-1)) + 1, np.int64))

    def links(self, pairs: Candidates) -> Candidates:
        """The bodies that fit each target, without repetition."""
        width = max(len(self.rows), 1)
        both = np.unique(pairs.person.astype(np.int64) * width + self.of_key[pairs.key])
        return Candidates((both // width).astype(np.intp), (both % width).astype(np.intp))

    def keep(self, pairs: Candidates, links: Candidates) -> Candidates:
        """The pairs whose bodies are linked."""
        width = max(len(self.rows), 1)
        place = pairs.person.astype(np.int64) * width + self.of_key[pairs.key]
        kept = np.isin(place, links.person.astype(np.int64) * width + links.key)
        return Candidates(pairs.person[kept], pairs.key[kept])


def one_row_each(
    rows: CandidateRows, pairs: Candidates, people: Ints, chosen: Bools
) -> tuple[Candidates, Possible, Bodies]:
    """The pairs that are left if everybody has a row (a person) of their own.

    chosen: the entries of the release that count, shape (len(base),). Returns the pairs, and the
    links between people and bodies that they come from.
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
    """The candidates that are left, by the links that hold for certain and by those that may.

    tight, wide: the pairs. firm, present: the entries of the release behind them, (len(base),).
    short: the targets of whom the assumption is wrong, or rests on something undecided; (n,).
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
    """Who is exposed by the candidates that are left.

    exposure: by all candidates; it stands where the assumption is wrong (short_wide); who is not
    exposed there is undecided. everyone: whether each target has a row for certain.
    """
    rows, n = exposure.rows, len(exposure.firm)
    few, many = rows.number(left.tight, n, left.firm), rows.number(left.wide, n, left.present)
    sure = np.bincount(left.tight.person, minlength=n) == np.bincount(left.wide.person, minlength=n)
    there = np.ones(n, bool) if everyone else few > 0
    identified = np.where(left.short_wide, exposure.identified, there & (many == 1))
    maybe = left.short_wide | left.short_tight | (few == 1) | ((few == 0) & (many > 0))
    disclosed, values, unknown = {}, {}, []
    for name in sensitive:
        all_ = rows.values(name, left.wide, n, left.present)
        tight = rows.values(name, left.tight, n, left.firm)
        certain = there & all_.certain
        if rows.unit is not None:
            certain &= sure
        disclosed[name] = np.where(left.short_wide, exposure.disclosed[name], certain)
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
