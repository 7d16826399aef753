"""Decide which targets are exposed by their candidates, which are not, and which are undecided.

A candidate is of one of three kinds:

- A certain candidate matches for certain.
- An unread candidate may match: a label was not understood.
- A hushed candidate has no cell that the adversary knows, so it may belong to anybody.

Unread and hushed candidates are doubtful: each of them may be a candidate, or not. A target is
exposed if every choice of the doubtful candidates exposes it. A target is undecided if only some
choices expose it. Rows that the adversary cannot distinguish are chosen together or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Bools
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE, SUPPRESSED
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import Codes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.matching import Candidates
from attacks.candidate_rows import CandidateRows, Values
from attacks.shared import AWAY, Links, choice_option

# The values of the option `suppressed-rows`.
SUPPRESSED_ROWS = ("undecided", "left-out", "candidates")


@dataclass(frozen=True)
class Hushed:
    """How the rows without any cell that the adversary knows are treated.

    present: True for the entries that may be candidates. These are all entries, except those that
    the option value `left-out` excludes. hushed: True for the entries that may belong to anybody.
    Both arrays have the shape (n_entries,). causes: why hushed rows make targets undecided.
    """

    present: Bools
    hushed: Bools
    causes: Sequence[str]


def hushed_rows(
    attack: str, setting: Setting, release: EquivalenceClasses, known: Sequence[str]
) -> Hushed:
    """Find the rows without any cell that the adversary knows, and apply `suppressed-rows` to them.

    A cell with several stars, such as `*****`, counts as suppressed here if another known cell of
    the row is suppressed.

    The option value `undecided` means that such a row may belong to anybody, `left-out` that it
    belongs to nobody, and `candidates` that it is a candidate of everybody. If the policy includes
    suppressed rows in the classes, a row that is suppressed in every quasi-identifier is treated
    like any other row.

    release: a release that the adversary has. known: the quasi-identifiers that the adversary
    knows.
    """
    choice = choice_option(attack, setting, "suppressed_rows", SUPPRESSED_ROWS)
    base = release.base
    cells = base.columns(known)
    silent = np.all(cells < FIRST_VALUE, axis=1)
    if (starred := np.any(cells == SUPPRESSED, axis=1)).any():
        silent |= starred & np.all([_stars_only(base, c)[base.column(c)] for c in known], axis=0)
    if release.convention.suppressed_tuples == "include":
        quasi = base.columns(release.roles.quasi_identifiers)
        silent &= ~np.all(quasi == SUPPRESSED, axis=1)
    every, none = np.ones(len(base), bool), np.zeros(len(base), bool)
    if choice == "left-out":
        return Hushed(~silent, none, [])
    if choice == "candidates" or not silent.any():
        return Hushed(every, none, [])
    n = int(base.counts[silent].sum())
    return Hushed(
        every,
        silent,
        [f"{n} row(s) are suppressed in all known columns (suppressed-rows says whose they are)"],
    )


def _stars_only(base: FrequencySet, column: str) -> Bools:
    """Return True for the codes of a column without a value, or with stars only (`*****`)."""
    labels = base.labels_of(column)[FIRST_VALUE:]
    return np.array([True] * FIRST_VALUE + [not label.strip().strip("*") for label in labels])


def unknown_values(column: str) -> str:
    """Return the reason why unknown cells of `column` leave targets undecided."""
    return f"cells of {column} are unknown (conventions.sensitive)"


@dataclass(frozen=True)
class Exposure:
    """What the candidates of each of n targets disclose.

    Arrays of shape (n,):

    - firm: how many rows (persons) match for certain.
    - identified: True if every choice of the doubtful candidates leaves exactly one candidate.
    - disclosed: by sensitive attribute, True if all candidates have the same known value.
    - undecided: True if the target is possibly exposed, but not for certain.

    hushed: True for the entries that may belong to anybody, shape (n_entries,). values: by
    sensitive attribute, the values of all candidates. causes: what leaves targets undecided. pairs:
    the candidates that remain after some were ruled out; None if none was ruled out.
    """

    rows: CandidateRows
    hushed: Bools
    firm: Codes
    identified: Bools
    disclosed: Mapping[str, Bools]
    undecided: Bools
    values: Mapping[str, Values]
    causes: Sequence[str] = field(default=())
    pairs: Candidates | None = None

    @property
    def any_disclosed(self) -> Bools:
        """True for the targets with a certain value in at least one attribute, shape (n,)."""
        by_attribute = list(self.disclosed.values())
        return (
            np.logical_or.reduce(by_attribute) if by_attribute else np.zeros(len(self.firm), bool)
        )

    @property
    def exposed(self) -> Bools:
        """True for the targets that are identified or have a certain value, shape (n,)."""
        exposed: Bools = self.identified | self.any_disclosed
        return exposed


def exposure_of(
    rows: CandidateRows,
    links: Links,
    n: int,
    sensitive: Sequence[str],
    hushed: Hushed,
    *,
    everyone: bool = False,
) -> Exposure:
    """Return which of n targets are exposed for certain, and which are undecided.

    rows: the rows of the release. links: the candidates of the targets. sensitive: the attributes
    to infer. everyone: True if all targets are in the release. A target that matches only hushed
    rows then owns one of these rows, and a target that matches no row is undecided.
    """
    firm_rows = hushed.present & ~hushed.hushed
    firm = rows.number(links.sure, n, firm_rows)
    every = rows.number(links.widest, n, hushed.present)
    doubtful = _doubtful(links)
    of_key = rows.number(rows.each, len(rows.keys), firm_rows)
    apart = _together(rows)
    size = int(rows.number(apart, 1, hushed.hushed)[0])
    only_hushed = np.zeros(n, bool)
    if everyone:
        only_hushed = (every > 0) & (firm == 0)
        only_hushed[doubtful.person] = False
    # If candidates are rows, one more candidate can only end the agreement of a target's candidates
    # on a value. If candidates are persons, one more row can also create agreement: it may give its
    # person the value that all other candidates already have.
    groups = np.bincount(doubtful.person, minlength=n) + bool(hushed.hushed.any())
    persons = rows.unit is not None and bool(groups.any())
    alone = _any(doubtful, n, of_key == 1) | (size == 1)
    identified = (firm == 1) & (every == 1)
    maybe = ((firm == 1) | ((firm == 0) & alone)) & ~only_hushed
    identified |= only_hushed & (size == 1)
    disclosed, values, unknown = {}, {}, []
    for name in sensitive:
        all_ = rows.values(name, links.widest, n, hushed.present)
        sure = rows.values(name, links.sure, n, firm_rows)
        group = rows.values(name, apart, 1, hushed.hushed)
        key = rows.values(name, rows.each, len(rows.keys), firm_rows)
        open_ = _any(doubtful, n, key.possible) | group.possible[0]
        values[name] = all_
        disclosed[name] = all_.certain & ((firm > 0) | only_hushed)
        some = np.where(firm > 0, sure.possible | (sure.none & open_), open_)
        if persons:
            disclosed[name] &= only_hushed | (groups == 0) | (sure.certain & (groups == 1))
            some |= all_.possible | rows.may_agree(
                name, links.sure, links.widest, n, firm_rows, hushed.present
            )
        maybe |= some
        if (all_.possible & ~all_.certain).any():
            unknown.append(name)
    if everyone:
        maybe |= every == 0
    exposure = Exposure(rows, hushed.hushed, firm, identified, disclosed, maybe, values)
    undecided = maybe & ~exposure.exposed
    causes = [*links.unread_labels, *hushed.causes]
    causes += map(unknown_values, unknown)
    if everyone and (every == 0).any():
        causes.append(AWAY)
    return Exposure(
        rows, hushed.hushed, firm, identified, disclosed, undecided, values, tuple(causes)
    )


def _doubtful(links: Links) -> Candidates:
    """Return the pairs that may match, without those that match for certain."""
    if links.widest is links.sure:
        nothing = np.zeros(0, np.intp)
        return Candidates(nothing, nothing)
    import pandas as pd  # slow to import, but its isin is many times faster than numpy's

    width = int(links.widest.key.max(initial=0)) + 1
    place = links.widest.person * width + links.widest.key
    open_ = ~pd.Index(place).isin(links.sure.person * width + links.sure.key)
    return Candidates(links.widest.person[open_], links.widest.key[open_])


def _together(rows: CandidateRows) -> Candidates:
    """Return the pairs of a single target that has every combination as a candidate."""
    return Candidates(np.zeros(len(rows.keys), np.intp), np.arange(len(rows.keys)))


def _any(pairs: Candidates, n: int, of_key: npt.NDArray[np.bool_]) -> Bools:
    """Return True for the targets with a candidate whose `of_key` is True, shape (n,).

    of_key: a flag for each combination.
    """
    with_one = np.zeros(n, bool)
    with_one[pairs.person[of_key[pairs.key]]] = True
    return with_one
