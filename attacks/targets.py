"""The targets of an attack with an external table, and the rows that fit all that is known of each.

Where the release has several rows a person, the rows of one named person in the external table are
known events of one target. A person of the release is a candidate who has a row for each event.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from anonaudit.arrays import Bools, Index, Ints
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.frequency.wildcards import sparse_table
from anonaudit.linking.matching import Candidates
from attacks.candidate_rows import CandidateRows
from attacks.shared import persons_of

# How many of the events of a target are drawn, at most.
MOST_EVENTS: Final = 6


@dataclass(frozen=True)
class ExternalTargets:
    """Who is attacked, and what is known of each.

    outside: the different combinations of the external table. having: how many people have each.
    sharing: how many people each target is, shape (n,). target, event: a combination that is known
    of a target, pair by pair.
    """

    outside: FrequencySet
    having: Ints
    sharing: Ints
    target: Index
    event: Index

    @property
    def events(self) -> int | None:
        """How many events are known of one target at most; None where each has one."""
        return None if self.single else int(np.bincount(self.target).max())

    @property
    def single(self) -> bool:
        """Whether one combination is known of each target, and stands for it."""
        return len(self.target) == len(self.sharing) == len(self.outside)


def external_targets(
    setting: Setting, external: FrequencySet, known: Sequence[str]
) -> ExternalTargets:
    """The targets of an external table over these columns.

    A target is a combination of values, or, where a unit is declared and somebody has several
    combinations, a named person. A row without a name is a person by itself.
    """
    outside, sharing = persons_of(setting, external, known)
    each = np.arange(len(outside))
    alone = ExternalTargets(outside, sharing, sharing, each, each)
    if setting.classes.roles.unit is None or not setting.identity:
        return alone
    named = [column for column in setting.identity if column not in known]
    people = external.project([*named, *known])
    codes = people.codes[:, people.positions(setting.identity)]
    has_name = np.all(codes >= FIRST_VALUE, axis=1)
    own = np.where(has_name, 0, np.arange(1, len(people) + 1))
    who, target = distinct_rows(np.column_stack([np.where(has_name[:, None], codes, 0), own]))
    if len(who) == len(people):
        return alone
    number = np.ones(len(who), np.int64)
    number[target[~has_name]] = people.counts[~has_name]
    return ExternalTargets(outside, sharing, number, target, outside.entry_of(people))


def with_every_event(
    targets: ExternalTargets, pairs: Candidates, chosen: Bools, keys: FrequencySet, unit: str
) -> Candidates:
    """The combinations that fit a target, of the persons of a release who fit all its events.

    pairs: of an event and a combination of `keys`, which have the column `unit`. chosen: the
    combinations that count, shape (len(keys),).
    """
    kept = chosen[pairs.key]
    event, key = pairs.person[kept], pairs.key[kept]
    n, size = len(targets.sharing), len(targets.outside)
    known = sparse_table(np.ones(len(targets.target)), targets.target, targets.event, (n, size))
    fits = sparse_table(np.ones(len(key)), event, key, (size, len(keys)))
    _, person = np.unique(keys.column(unit), return_inverse=True)
    people = int(person.max(initial=-1)) + 1
    having, _ = distinct_rows(np.column_stack([event, person[key]]))
    met = sparse_table(np.ones(len(having)), having[:, 0], having[:, 1], (size, people))
    events = np.bincount(targets.target, minlength=n)
    number_met = (known @ met).tocoo()
    full = number_met.data == events[number_met.row]
    whole = number_met.row[full].astype(np.int64) * people + number_met.col[full]
    reached = (known @ fits).tocoo()
    row, col = reached.row.astype(np.intp), reached.col.astype(np.intp)
    kept = np.isin(row.astype(np.int64) * people + person[col], whole)
    order = np.lexsort((col[kept], row[kept]))
    return Candidates(row[kept][order], col[kept][order])


def singled_out_by_events(
    targets: ExternalTargets,
    fits: Callable[[ExternalTargets], Candidates],
    rows: CandidateRows,
    seed: int,
) -> dict[str, int]:
    """How many targets have one candidate when 1, 2, 3, ... of their events are known.

    fits: the candidates of targets of whom some events are known.

    The events are drawn with the seed; one more is drawn beside those before it. All events of a
    target count where it has fewer. The unicity of de Montjoye, Hidalgo, Verleysen, Blondel,
    "Unique in the crowd", Scientific Reports 3, 2013, of the people in the external table.
    """
    n, persons = len(targets.sharing), {}
    order = np.lexsort((np.random.default_rng(seed).random(len(targets.target)), targets.target))
    target, event = targets.target[order], targets.event[order]
    place = np.arange(len(target)) - np.searchsorted(target, target)
    for most in range(1, min(int(place.max()) + 1, MOST_EVENTS) + 1):
        drawn = replace(targets, target=target[place < most], event=event[place < most])
        left = fits(drawn)
        persons[str(most)] = int(targets.sharing[rows.number(left, n) == 1].sum())
    return persons


def refined(pairs: Candidates, coarse: FrequencySet, keys: FrequencySet) -> Candidates:
    """The same pairs with the combinations of `keys`, which say more than those of `coarse`."""
    above = coarse.entry_of(keys)
    order = np.argsort(above, kind="stable")
    start = np.searchsorted(above[order], np.arange(len(coarse) + 1))
    number = np.diff(start)[pairs.key]
    within = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
    return Candidates(
        np.repeat(pairs.person, number), order[np.repeat(start[pairs.key], number) + within]
    )
