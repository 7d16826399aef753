"""Residual: people who match no published class must be among the suppressed rows.

Source: TV06 section 3 (tuple suppression). Comparing a register of everybody with what was
published is an old attack on tables (Denning, Denning, Schwartz 1979, trackers).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonaudit.about import AboutAttack
from anonaudit.attack import Setting
from anonaudit.cells import SUPPRESSED
from anonaudit.details import Details, fact
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from attacks.shared import bounded, disclosure, link, nothing, persons_of, shared_columns


@dataclass(frozen=True, kw_only=True, eq=False)
class Hidden(Details):
    """The rows in which every quasi-identifier is suppressed.

    rows: how many rows (persons) these are. people: how many people of the external table match no
    published class. shares: by sensitive column, the share of these rows (persons) that have the
    most frequent value.
    """

    rows: int = fact("suppressed rows")
    people: int = fact("fit no published class")
    shares: Mapping[str, float] = fact("share of the most frequent value")


class Residual:
    """The adversary holds an identified table of people who are all in the release.

    A row is suppressed if every quasi-identifier of it is suppressed. The attack needs a release
    that still has the suppressed rows, with their sensitive values. A person who matches no
    published combination of quasi-identifiers must then be the person of a suppressed row.

    Success, attribute: all suppressed rows (persons) have the same known value. Success, identity:
    there is one suppressed row (person), and one person who matches no combination.

    If more people match no combination than rows are suppressed, some of these people are not in
    the release, and nothing is certain. Bounded by p-sensitivity if suppressed rows are included in
    the classes. Baseline: guess the most frequent value of the release.

    Options: external, identity.
    """

    name: ClassVar[str] = "residual"
    knowledge: ClassVar[str] = "an identified table of persons who are all in the release"
    options: ClassVar[tuple[str, ...]] = ("external", "identity")
    about: ClassVar[AboutAttack] = AboutAttack(
        means="A person who fits no published class must be one of the suppressed {people}; a "
        "value that all of these share is disclosed",
        matters="Suppressing a row does not protect its person if it can be inferred whose row it "
        "is.",
        do="Suppress all sensitive values of suppressed rows too, or do not release such rows.",
    )

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """Find the people who must be suppressed rows, and the values that all these rows have."""
        classes, external = setting.classes, setting.external
        base, quasi = classes.base, classes.roles.quasi_identifiers
        if external is None:
            return nothing(self, setting, "no external table was given")
        if not classes.sensitive:
            return nothing(self, setting, "no sensitive column is named")
        known = shared_columns(self.name, setting, external)
        outside, sharing = persons_of(setting, external, known)
        if not len(outside):
            reason = "the external table has no rows"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        silent = np.all(base.columns(quasi) == SUPPRESSED, axis=1)
        hidden = base.where(silent)
        if not len(hidden):
            return nothing(self, setting, "no row of the release is suppressed as a whole")
        links = link(setting, outside, base.where(~silent).project(known))
        unit, least = classes.roles.unit, classes.convention.first_counted
        people, most = (
            int(np.delete(sharing, pairs.person).sum()) for pairs in (links.widest, links.sure)
        )
        size = _size(hidden, unit)
        counts = {name: _most(hidden, name, unit, least) for name in classes.sensitive}
        shares = {name: count / size for name, count in counts.items()}
        fit = people > 0 and most <= size
        certain = [name for name, share in shares.items() if share == 1 and fit]
        # These columns have a certain value if no doubtful match is a match, and if every unknown
        # cell has the value of the known cells.
        may_fit = most > 0 and people <= size
        possible = [
            name
            for name, count in counts.items()
            if may_fit and count and _may_agree(hidden, name, unit, least)
        ]
        identified = people if people == most == size == 1 else 0
        hit = people if certain or identified else 0
        may = min(most, size) if possible or (may_fit and size == 1) else 0
        causes = [*links.unread_labels] if people < most else []
        causes += [
            f"cells of {name} are unknown in suppressed rows (conventions.sensitive)"
            for name in possible
            if shares[name] < 1
        ]
        notes: tuple[str, ...] = ()
        if people > size:
            notes = ("more people fit no class than rows are suppressed: some are not released",)
        return disclosure(
            self,
            setting,
            targets=int(sharing.sum()),
            identified=identified,
            disclosed=people if certain else 0,
            successes=hit,
            undecided=max(may - hit, 0),
            reason="; ".join(causes) if may > hit else None,
            per_attribute={name: people if name in certain else 0 for name in shares},
            details=Hidden(rows=size, people=people, shares=shares),
            notes=notes,
        )


def _size(table: FrequencySet, unit: str | None) -> int:
    return table.total if unit is None else len(table.project([unit]))


def _may_agree(table: FrequencySet, name: str, unit: str | None, least: int) -> bool:
    """Return True if all rows (persons) without an unknown cell of the column have one value."""
    known = table.column(name) >= least
    if unit is not None:
        person = table.column(unit)
        known &= ~np.isin(person, person[~known])
    sure = table.where(known)
    return _most(sure, name, unit, least) == _size(sure, unit)


def _most(table: FrequencySet, name: str, unit: str | None, least: int) -> int:
    """Return how many rows (persons) have the most frequent known value of a column."""
    counted = table.project([name]) if unit is None else table.distinct([name], unit)
    return int(counted.counts[counted.codes[:, 0] >= least].max(initial=0))
