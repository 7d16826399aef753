"""Linkage: an identified table is matched with the release on the quasi-identifiers.

Source: Samarati 2001 and Sweeney 2002 (joining attacks), TV06 section 2 with Tables 1 and 2; see
link_chances.py for the probabilities. Candidate sets over generalized values, not equality of
text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from anonaudit.attack import Setting, baseline, judge
from anonaudit.cells import FIRST_VALUE, SUPPRESSED
from anonaudit.errors import AnonauditError, listed
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.frequency.wildcards import Table, sparse_table
from anonaudit.linking.matching import Candidates, Index
from attacks.link_chances import likeliest_values, truth, views
from attacks.shared import bounded, link, nothing, number_option, persons_of, shared_columns

# Choices of columns tried one by one.
MOST_CHOICES = 1_000


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

    Options: external, identity; sweep, the most columns of which every choice is tried by itself
    (none if not given), to say which few columns single people out already.

    `details` has, beside the counts, the chances of the prosecutor, the journalist and the
    marketer, how likely the likeliest value is, and with the original at hand how many claims
    are true.

    Baseline: guessing the most frequent value of the release.
    """

    name: ClassVar[str] = "linkage"
    knowledge: ClassVar[str] = "an identified table with the quasi-identifiers of its persons"
    options: ClassVar[tuple[str, ...]] = ("external", "identity", "sweep")

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """Link every person of the external table."""
        classes, external = setting.classes, setting.external
        number_option(self.name, setting, "sweep", 0, 0)
        if external is None:
            return nothing(self, setting, "no external table was given")
        known = shared_columns(self.name, setting, external)
        outside, sharing = persons_of(setting, external, known)
        if not len(outside):
            reason = "the external table has no rows"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        inside = classes.base.project(known)
        pairs = link(setting, outside, inside)
        return self._disclosure(setting, known, outside, inside, pairs, sharing)

    def _disclosure(
        self,
        setting: Setting,
        known: list[str],
        outside: FrequencySet,
        inside: FrequencySet,
        pairs: Candidates,
        sharing: npt.NDArray[np.int64],
    ) -> Disclosure:
        classes, n = setting.classes, len(sharing)
        unit = classes.roles.unit
        rows = candidate_rows(classes.base, inside, pairs, n, unit)
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
        told = {} if unit else _claims(classes, inside, pairs, certain)
        more = self._chances(setting, known, outside, inside, pairs, sharing, rows, told)
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
                **more,
            },
            reason=None if linked else "nobody in the external table matches the release",
            notes=notes,
            exposed=_classes_of(classes, inside, pairs, single | disclosed),
        )

    def _chances(
        self,
        setting: Setting,
        known: list[str],
        outside: FrequencySet,
        inside: FrequencySet,
        pairs: Candidates,
        sharing: npt.NDArray[np.int64],
        rows: npt.NDArray[np.float64],
        told: Mapping[str, tuple[Index, Sequence[str]]],
    ) -> dict[str, object]:
        """Probabilities, the truth where the original is at hand, and the sweep if asked for."""
        classes = setting.classes
        more: dict[str, object] = {}
        reached = np.bincount(pairs.key, weights=sharing[pairs.person], minlength=len(inside))
        fitting = reached.astype(np.float64)
        more["chance of a right link"] = views(rows, sharing, fitting, inside.counts)
        if classes.roles.unit is None:
            more["chance of the likeliest value"] = likeliest_values(
                classes, inside, pairs, sharing, fitting
            )
        if setting.alignment is not None:
            only = rows[pairs.person] == 1
            linked = pairs.person[only], pairs.key[only]
            more["truth"] = truth(setting.alignment, known, outside, inside, sharing, linked, told)
        more = {key: value for key, value in more.items() if value}
        most = number_option(self.name, setting, "sweep", 0, 0)
        if most:
            more["columns that single out"] = sweep(setting, outside, sharing, most)
        return more


def sweep(
    setting: Setting, people: FrequencySet, sharing: npt.NDArray[np.int64], most: int
) -> dict[str, object]:
    """Which few columns already single people out: every choice of up to `most` columns.

    people: over quasi-identifiers; sharing: the persons of each combination.
    Returns for each size the choice that singles out the most people, and how many; the fewest
    columns that single anybody out; and how many choices there were.

    Raises AnonauditError for more choices than can be tried.
    """
    classes, names = setting.classes, people.attributes
    most = min(most, len(names))
    number = sum(comb(len(names), size) for size in range(1, most + 1))
    if number > MOST_CHOICES:
        raise AnonauditError(
            f"linkage: {number} choices of up to {most} of {len(names)} columns are too many to "
            f"try (at most {MOST_CHOICES}); give sweep a smaller number"
        )
    best: dict[str, object] = {}
    fewest, single_out = None, 0
    for size in range(1, most + 1):
        found = []
        for columns in combinations(names, size):
            few, inside = people.project(columns), classes.base.project(columns)
            pairs = link(setting, few, inside)
            rows = candidate_rows(classes.base, inside, pairs, len(few), classes.roles.unit)
            persons = np.bincount(few.entry_of(people), sharing, len(few))
            found.append((int(persons[rows == 1].sum()), columns))
        persons_out, columns = max(found, key=lambda one: one[0])
        best[str(size)] = {"columns": list(columns), "persons": persons_out}
        single_out += sum(n > 0 for n, _ in found)
        if fewest is None and persons_out:
            fewest = size
    return {"fewest columns": fewest, "choices": number, "of them": single_out, "best": best}


def candidate_rows(
    base: FrequencySet, inside: FrequencySet, pairs: Candidates, n: int, unit: str | None
) -> npt.NDArray[np.float64]:
    """The candidate rows of each of n targets; persons, however many rows, with a unit column."""
    if unit is not None:
        return _distinct_persons(base, inside, pairs, n, unit, None).toarray()[:, 0]
    rows = np.bincount(pairs.person, weights=inside.counts[pairs.key], minlength=n)
    return rows.astype(np.float64)


def _claims(
    classes: EquivalenceClasses,
    inside: FrequencySet,
    pairs: Candidates,
    certain: Mapping[str, npt.NDArray[np.bool_]],
) -> dict[str, tuple[Index, Sequence[str]]]:
    """By attribute the targets whose value is certain, and the value."""
    found: dict[str, tuple[Index, Sequence[str]]] = {}
    for name, sure in certain.items():
        low, _ = _range_of(classes.base, inside, name)
        value = np.zeros(len(sure), np.int64)
        value[pairs.person] = low[pairs.key]  # they all agree
        who, labels = np.flatnonzero(sure), classes.base.labels_of(name)
        found[name] = (who, [labels[code] for code in value[who]])
    return found


def _classes_of(
    classes: EquivalenceClasses, inside: FrequencySet, pairs: Candidates, hit: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """The classes with a candidate of somebody who was hit, shape (n_classes,)."""
    met = np.zeros(len(inside), bool)
    met[pairs.key[hit[pairs.person]]] = True
    number = classes.number_of(classes.base.where(met[inside.entry_of(classes.base)]))
    return np.isin(np.arange(len(classes)), number)


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
    least: int,
) -> npt.NDArray[np.bool_]:
    """Whether all candidates of a person have one and the same code, of at least `least`."""
    smallest = np.full(n, np.iinfo(np.int64).max)
    largest = np.full(n, -1)
    np.minimum.at(smallest, pairs.person, low[pairs.key])
    np.maximum.at(largest, pairs.person, high[pairs.key])
    agree: npt.NDArray[np.bool_] = (smallest == largest) & (smallest >= least)
    return agree
