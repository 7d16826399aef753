"""The targets of an attack with an external table, and the candidates that fit all their events.

If the release has several rows for each person, a target is one named person. The rows of this
person in the external table are the known events of the target. A released person is a candidate if
each event matches at least one row of this released person.
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

# At most this many events of a target are drawn.
MOST_EVENTS: Final = 6


@dataclass(frozen=True)
class ExternalTargets:
    """The targets of an external table, and the combinations of values that are known of each.

    outside: the distinct combinations of the external table. having: the number of people who have
    each combination, shape (len(outside),). sharing: the number of people whom each target stands
    for, shape (n,). target, event: parallel arrays; the target number `target[i]` is known to have
    the combination number `event[i]` of `outside`.
    """

    outside: FrequencySet
    having: Ints
    sharing: Ints
    target: Index
    event: Index

    @property
    def events(self) -> int | None:
        """The largest number of events known of one target; None if each target has one event."""
        return None if self.single else int(np.bincount(self.target).max())

    @property
    def single(self) -> bool:
        """True if each target is one combination, and each combination one target."""
        return len(self.target) == len(self.sharing) == len(self.outside)


def external_targets(
    setting: Setting, external: FrequencySet, known: Sequence[str]
) -> ExternalTargets:
    """Return the targets of an external table.

    known: the columns that are compared. A target is usually a combination of their values. But if
    a unit is declared and a named person has several combinations, each named person is a target.
    Rows without a complete name count as one person each; rows of the same combination without a
    name are one target.
    """
    outside, sharing = persons_of(setting, external, known)
    each = np.arange(len(outside))
    alone = ExternalTargets(outside, sharing, sharing, each, each)
    if setting.classes.roles.unit is None or not setting.identity:
        return alone
    named = [column for column in setting.identity if column not in known]
    people = external.project([*named, *known])
    codes = people.columns(setting.identity)
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
    """Return the candidates of each target: released persons who fit all events of the target.

    The result has all pairs of a target and a combination of `keys` such that the combination fits
    some event of the target, and its person fits all of them.

    pairs: which combination of `keys` fits which combination of `targets.outside`. unit: the column
    of `keys` that names persons. chosen: the combinations that count, shape (len(keys),).
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
    """Return how many people have one candidate if 1, 2, 3, ... of their events are known.

    The keys of the result are "1", "2", "3", ..., up to MOST_EVENTS.

    fits: returns the candidates of each target, given targets with only some of their events.
    rows: counts the candidate persons of each target.

    The events are drawn with the seed, and each step adds one event to the earlier events. A target
    with fewer events counts with all its events. The measure is the unicity of de Montjoye,
    Hidalgo, Verleysen, Blondel, "Unique in the crowd", Scientific Reports 3, 2013, for the external
    table.
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
    """Return the pairs with each combination of `coarse` replaced by its combinations of `keys`.

    `keys` has the columns of `coarse` and further columns. For example, (30s,) is replaced by
    (30s, person 1) and (30s, person 2).
    """
    above = coarse.entry_of(keys)
    order = np.argsort(above, kind="stable")
    start = np.searchsorted(above[order], np.arange(len(coarse) + 1))
    number = np.diff(start)[pairs.key]
    within = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
    return Candidates(
        np.repeat(pairs.person, number), order[np.repeat(start[pairs.key], number) + within]
    )
