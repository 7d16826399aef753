"""Linkage: an identified table is matched with the release on the quasi-identifiers.

Source: Samarati 2001 and Sweeney 2002 (joining attacks), TV06 section 2 with Tables 1 and 2.
Candidate sets over generalized values, not equality of text.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from anonaudit.attack import Setting, baseline, judge
from anonaudit.cells import FIRST_VALUE, SUPPRESSED
from anonaudit.errors import AnonauditError, listed
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency import FrequencySet, distinct_rows
from anonaudit.matching import Candidates, candidates, match_columns
from anonaudit.wildcards import Table, sparse_table


class Linkage:
    """The adversary holds an external table that names persons and their quasi-identifiers.

    For each person the candidates are the released rows compatible with what is known: ground
    values under generalized ones, and suppressed or missing cells, which fit everybody.
    Success, identity: exactly one candidate. Success, attribute: all candidates carry the same
    known value of a sensitive attribute. Whether the person is in the release at all the
    adversary takes for granted.

    The adversary has the whole file: rows that a convention leaves out of the classes are
    candidates too. Two people of one name and the same quasi-identifiers count as one.

    Columns the external table lacks are not known to this adversary. Bounded by k-anonymity
    under full-domain recoding: no person has fewer than k candidates, if any.

    Baseline: guessing the most frequent value of the release.
    """

    name: ClassVar[str] = "linkage"
    knowledge: ClassVar[str] = "an identified table with the quasi-identifiers of its persons"
    options: ClassVar[tuple[str, ...]] = ("external", "identity")

    def run(self, setting: Setting) -> Disclosure:
        """Link every person of the external table."""
        classes, external = setting.classes, setting.external
        if external is None:
            return self._none(setting, "no external table was given", Outcome.SKIPPED)
        known = [q for q in classes.roles.quasi_identifiers if q in external.attributes]
        if not known:
            quasi = listed(classes.roles.quasi_identifiers)
            raise AnonauditError(
                f"linkage: the external table has none of the quasi-identifiers {quasi}; "
                "rename its columns, or map them in the policy"
            )
        people = external.project([*(c for c in setting.identity if c not in known), *known])
        persons = people.counts
        if setting.identity:  # one person a name and combination; a row without a name is one
            named = people.codes[:, people.positions(setting.identity)] >= FIRST_VALUE
            persons = np.where(np.all(named, axis=1), 1, people.counts)
        if not len(people):
            return self._none(setting, "the external table has no rows", Outcome.INCONCLUSIVE)
        outside = people.project(known)
        inside = classes.base.project(known)
        matches = match_columns(
            outside,
            inside,
            hierarchies=setting.hierarchies,
            readings=setting.readings,
            separators=setting.separators,
            decimal=setting.decimal,
        )
        pairs = candidates(outside, inside, matches)
        # How many persons share each external combination.
        sharing = np.bincount(
            outside.entry_of(people), weights=persons, minlength=len(outside)
        ).astype(np.int64)
        return self._disclosure(setting, known, inside, pairs, sharing)

    def _disclosure(
        self,
        setting: Setting,
        known: list[str],
        inside: FrequencySet,
        pairs: Candidates,
        sharing: npt.NDArray[np.int64],
    ) -> Disclosure:
        classes, n = setting.classes, len(sharing)
        unit = classes.roles.unit
        rows = np.bincount(pairs.person, weights=inside.counts[pairs.key], minlength=n)
        if unit is not None:  # candidates are persons, however many rows they have
            rows = _distinct_persons(classes.base, inside, pairs, n, unit, None).toarray()[:, 0]
        single = rows == 1
        certain = {}
        for name in classes.sensitive:
            if unit is None:
                low, high = _range_of(classes.base, inside, name)
                certain[name] = _agree(pairs, n, low, high, least=FIRST_VALUE)
            else:
                certain[name] = _all_persons_agree(classes.base, inside, pairs, n, name, unit)
        disclosed = np.logical_or.reduce(list(certain.values())) if certain else np.zeros(n, bool)
        matched = rows > 0
        targets, linked = int(sharing.sum()), int(sharing[matched].sum())
        rate = float(sharing[single | disclosed].sum() / targets) if linked else None
        published = (inside.codes != SUPPRESSED).any(axis=1)
        fits = np.zeros(n, bool)
        fits[pairs.person[published[pairs.key]]] = True
        groups = np.bincount(pairs.person, minlength=n)
        reached = np.bincount(pairs.key, weights=sharing[pairs.person], minlength=len(inside))
        mutual = np.zeros(n, bool)
        mutual[pairs.person[reached[pairs.key] == 1]] = True
        absent = [q for q in classes.roles.quasi_identifiers if q not in known]
        notes = (f"the adversary does not know {listed(absent)}",) if absent else ()
        return Disclosure(
            attack=self.name,
            knowledge=self.knowledge,
            targets=targets,
            identified=int(sharing[single].sum()),
            disclosed=int(sharing[disclosed].sum()),
            rate=rate,
            baseline=baseline(classes),
            outcome=judge(rate, setting.allowed),
            allowed=setting.allowed,
            per_attribute={name: int(sharing[sure].sum()) for name, sure in certain.items()},
            details={
                "no match": targets - linked,
                "exactly one match": int(sharing[rows == 1].sum()),
                "several matches": int(sharing[rows > 1].sum()),
                "pairs": int((rows * sharing).sum()),
                "unique on both sides": int(sharing[(rows == 1) & mutual].sum()),
                "fewest candidates": int(rows[matched].min()) if linked else None,
                "candidates in several classes": int(sharing[groups > 1].sum()),
                "fit no published class": int(sharing[matched & ~fits].sum()),
            },
            reason=None if linked else "nobody in the external table matches the release",
            notes=notes,
        )

    def _none(self, setting: Setting, reason: str, outcome: Outcome) -> Disclosure:
        return Disclosure(
            self.name,
            self.knowledge,
            0,
            0,
            0,
            None,
            None,
            outcome,
            allowed=setting.allowed,
            reason=reason,
        )


def _range_of(
    base: FrequencySet, keys: FrequencySet, column: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The smallest and largest code of a column among the rows of each key."""
    entry = keys.entry_of(base)
    codes = base.column(column)
    low = np.full(len(keys), np.iinfo(np.int64).max)
    high = np.full(len(keys), -1)
    np.minimum.at(low, entry, codes)
    np.maximum.at(high, entry, codes)
    return low, high


def _all_persons_agree(
    base: FrequencySet, keys: FrequencySet, pairs: Candidates, n: int, column: str, unit: str
) -> npt.NDArray[np.bool_]:
    """Whether some known value is carried by every candidate person of a target."""
    total = _distinct_persons(base, keys, pairs, n, unit, None).toarray()[:, 0]
    most = _distinct_persons(base, keys, pairs, n, unit, column).max(axis=1).toarray().ravel()
    agree: npt.NDArray[np.bool_] = (total > 0) & (most == total)
    return agree


def _distinct_persons(
    base: FrequencySet, keys: FrequencySet, pairs: Candidates, n: int, unit: str, column: str | None
) -> Table:
    """For each target the distinct candidate persons, by the known values of a column if named."""
    looks = sparse_table(np.ones(len(pairs.key)), pairs.person, pairs.key, (n, len(keys)))
    value = np.zeros(len(base), np.int64) if column is None else base.column(column)
    chosen = np.ones(len(base), bool) if column is None else value >= FIRST_VALUE
    carried, number = distinct_rows(np.column_stack([value, base.column(unit)])[chosen])
    entry = keys.entry_of(base)[chosen]
    met = sparse_table(np.ones(len(number)), entry, number, (len(keys), len(carried)))
    reached = (looks @ met).tocoo()
    width = int(carried[:, 0].max(initial=0)) + 1
    ones = np.ones(len(reached.row))
    return sparse_table(ones, reached.row, carried[reached.col, 0], (n, width))


def _agree(
    pairs: Candidates,
    n: int,
    low: npt.NDArray[np.int64],
    high: npt.NDArray[np.int64],
    least: int = 0,
) -> npt.NDArray[np.bool_]:
    """Whether all candidates of a person have one and the same code, of at least `least`."""
    smallest = np.full(n, np.iinfo(np.int64).max)
    largest = np.full(n, -1)
    np.minimum.at(smallest, pairs.person, low[pairs.key])
    np.maximum.at(largest, pairs.person, high[pairs.key])
    agree: npt.NDArray[np.bool_] = (smallest == largest) & (smallest >= least)
    return agree
