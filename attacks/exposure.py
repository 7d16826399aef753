"""Who is exposed by the rows that fit, who is not, and of whom that is undecided.

The candidates of a target are of three kinds. Some rows fit. Some may fit, as far as their labels
were understood. Some have no cell that the adversary knows, so that they may be anybody's. The last
two kinds are doubtful. A target is exposed if every choice of the doubtful rows exposes it, and
undecided if some choices do. Rows that nothing tells apart are chosen together or not at all.
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

# What the option `suppressed-rows` of an attack may say of rows that are suppressed throughout.
SUPPRESSED_ROWS = ("undecided", "left-out", "candidates")


@dataclass(frozen=True)
class Hushed:
    """The rows without any cell that the adversary knows; shape of both: (n_entries,).

    present: the rows that count at all. hushed: those of them that may be anybody's. causes: why
    targets are undecided because of these.
    """

    present: Bools
    hushed: Bools
    causes: Sequence[str]


def hushed_rows(
    attack: str, setting: Setting, release: EquivalenceClasses, known: Sequence[str]
) -> Hushed:
    """The rows without any cell that the adversary knows, and what `suppressed-rows` says of them.

    Beside a suppressed cell one of several stars is none too.

    `undecided`: they may be anybody's. `left-out`: they are nobody's. `candidates`: they are
    candidates of everybody. Suppressed tuples that the policy includes in the classes are rows like
    others.

    release: one that the adversary has. known: the quasi-identifiers that the adversary knows.
    """
    choice = choice_option(attack, setting, "suppressed_rows", SUPPRESSED_ROWS)
    base = release.base
    cells = base.codes[:, base.positions(known)]
    silent = np.all(cells < FIRST_VALUE, axis=1)
    if (beside := np.any(cells == SUPPRESSED, axis=1)).any():
        silent |= beside & np.all([_stars_only(base, c)[base.column(c)] for c in known], axis=0)
    if release.convention.suppressed_tuples == "include":
        quasi = base.positions(release.roles.quasi_identifiers)
        silent &= ~np.all(base.codes[:, quasi] == SUPPRESSED, axis=1)
    every, none = np.ones(len(base), bool), np.zeros(len(base), bool)
    if choice == "left-out":
        return Hushed(~silent, none, [])
    if choice == "candidates" or not silent.any():
        return Hushed(every, none, [])
    n = int(base.counts[silent].sum())
    return Hushed(
        every, silent, [f"{n} row(s) are suppressed throughout (suppressed-rows says whose)"]
    )


def _stars_only(base: FrequencySet, column: str) -> Bools:
    """By code of a column: no value, or nothing but stars, as `*****` beside `*`."""
    labels = base.labels_of(column)[FIRST_VALUE:]
    return np.array([True] * FIRST_VALUE + [not label.strip().strip("*") for label in labels])


def unknown_values(column: str) -> str:
    """The cause for which targets are undecided some of whose candidates have no known value."""
    return f"cells of {column} are unknown (conventions.sensitive)"


@dataclass(frozen=True)
class Exposure:
    """What the candidates of each of n targets give away; shape of the arrays: (n,).

    firm: how many rows (persons) fit for certain. identified: exactly one candidate, whatever is
    undecided. disclosed: by sensitive attribute, all candidates carry one known value. undecided:
    not exposed for certain, and exposed if what is undecided comes out that way.
    values: what all candidates carry. causes: what would have to be known. pairs: the candidates
    that are left where some are ruled out; None where none are.
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
        """The targets of whom some value is certain."""
        by_attribute = list(self.disclosed.values())
        return (
            np.logical_or.reduce(by_attribute) if by_attribute else np.zeros(len(self.firm), bool)
        )

    @property
    def exposed(self) -> Bools:
        """The targets that are identified or disclosed."""
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
    """Who of n targets is exposed for certain, and who may be.

    everyone: whether all targets are in the release. Then nobody of them has no row: who fits none
    but rows that are suppressed throughout is one of these, and who fits none at all is undecided.
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
    # One more row can only break an agreement of rows. It can create one of persons.
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
    """The pairs that may match, and do not for certain."""
    if links.widest is links.sure:
        nothing = np.zeros(0, np.intp)
        return Candidates(nothing, nothing)
    import pandas as pd  # slow to start; numpy's isin takes many times as long

    width = int(links.widest.key.max(initial=0)) + 1
    place = links.widest.person * width + links.widest.key
    open_ = ~pd.Index(place).isin(links.sure.person * width + links.sure.key)
    return Candidates(links.widest.person[open_], links.widest.key[open_])


def _together(rows: CandidateRows) -> Candidates:
    """One target, of which every combination is a candidate."""
    return Candidates(np.zeros(len(rows.keys), np.intp), np.arange(len(rows.keys)))


def _any(pairs: Candidates, n: int, of_key: npt.NDArray[np.bool_]) -> Bools:
    """The targets with a candidate of which that is true."""
    with_one = np.zeros(n, bool)
    with_one[pairs.person[of_key[pairs.key]]] = True
    return with_one
