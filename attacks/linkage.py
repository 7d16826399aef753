"""Linkage: match an identified table with the release on the quasi-identifiers.

Source: Samarati 2001 and Sweeney 2002 (joining attacks), TV06 section 2 with Tables 1 and 2; see
link_chances.py for the probabilities. A generalized value matches every exact value that it covers.
So the result is a set of candidates for each person, and not a join on equal texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np

from anonaudit.about import AboutAttack, Bound
from anonaudit.arrays import Bools, Index
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE, SUPPRESSED
from anonaudit.details import part_of
from anonaudit.errors import AnonauditError, listed
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import Codes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.matching import Candidates
from anonaudit.models.k_anonymity import KAnonymity
from anonaudit.special_details import Choice, FewColumns, Guesses, Matches
from attacks import best_guess
from attacks.best_guess import Assigner, Crowd, Guesser, summaries
from attacks.candidate_rows import CandidateRows
from attacks.exposure import Exposure, exposure_of, hushed_rows
from attacks.link_chances import likeliest_values, right_links, views
from attacks.one_row_each import Narrowed, narrowed_exposure, one_row_each
from attacks.shared import (
    MOST_CHOICES,
    Links,
    bounded,
    disclosure,
    flag_option,
    link,
    nothing,
    number_option,
    share_option,
    shared_columns,
)
from attacks.shifted_dates import (
    Shifts,
    absolute_dates,
    columns_of_dates,
    links_but_for_dates,
    shifted_option,
)
from attacks.targets import (
    ExternalTargets,
    external_targets,
    refined,
    singled_out_by_events,
    with_every_event,
)

# Returns the candidates of targets who fit all their events. The arguments are the targets, the
# pairs of an event and a released combination that match, and the combinations that count.
CandidateFilter = Callable[[ExternalTargets, Candidates, Bools], Candidates]


def _too_few(k: float, _options: Mapping[str, Any], disclosure: Disclosure) -> str | None:
    """Return an error text if a target has fewer than k candidates although k-anonymity holds.

    None means no error.
    """
    matches = part_of(disclosure.details, Matches)
    if matches is None or matches.fewest is None or matches.fewest >= k or matches.events:
        return None
    left = f"{disclosure.attack} leaves {matches.fewest} candidates"
    return f"{left} although {KAnonymity.name} has k = {k}"


@dataclass(frozen=True)
class LinkedTargets:
    """The links of all targets, their exposure, and the chances of the best guesses.

    singled: how many people have one candidate, by the number of known events; None if each target
    has only one event.
    """

    links: Links
    exposure: Exposure
    chances: best_guess.BestGuesses
    singled: Mapping[str, int] | None


class Linkage:
    """The adversary holds an external table that names persons and their quasi-identifiers.

    The candidates of a person are the released rows that match the person's values. A generalized
    value matches the exact values under it. A suppressed or missing cell matches everybody.
    Success, identity: exactly one candidate. Success, attribute: all candidates have the same known
    value of a sensitive attribute. The adversary assumes that a person with candidates is in the
    release. A person without candidates is not exposed.

    A person is undecided if the result depends on one of these: a label that cannot be compared, an
    unknown sensitive cell, or a row without a value in the known quasi-identifiers, because such a
    row may belong to anybody.

    The adversary has the whole file. So rows that a convention leaves out of the classes are
    candidates too. Two people with the same name and the same quasi-identifiers count as one.

    The adversary does not know quasi-identifiers that the external table lacks. Bounded by
    k-anonymity under full-domain recoding: a person with candidates has at least k candidates.

    With a unit column, the rows of one named person in the external table are the known events of
    one target. A released person is a candidate if each event matches a row of this released
    person.

    Options:

    - external, identity: the table, and its columns that name a person.
    - sure: a threshold. A target is exposed if the chance of the target's likeliest row (person) or
      value is at least `sure` (default 1).
    - everyone-released: true if everybody in the external table is in the release with a row of
      their own. A person who cannot have a row is then undecided.
    - suppressed-rows: to whom a row without a value in the known quasi-identifiers belongs.
      `undecided` (default): perhaps to anybody. `left-out`: to nobody. `candidates`: the row is a
      candidate of everybody.
    - shifted-dates: columns of dates that the release may have moved, for each person by one
      unknown offset. Only the gaps between the dates of a person are then compared.
    - sweep: a number of columns (default 0). The attack tries every choice of up to this many
      columns, to find the few columns that single people out.

    `details` has the counts of matches; the chances of prosecutor, journalist and marketer (see
    `link_chances`); the chance of the likeliest value; and the distribution of the chances of the
    best guesses. With several known events it has how many people 1, 2, 3, ... events single out.
    With the original it has how many claims are true.

    Baseline: guess the most frequent value of the release.
    """

    name: ClassVar[str] = "linkage"
    knowledge: ClassVar[str] = "an identified table with the quasi-identifiers of its persons"
    options: ClassVar[tuple[str, ...]] = (
        "external",
        "identity",
        "sweep",
        "sure",
        "everyone_released",
        "suppressed_rows",
        "shifted_dates",
    )
    about: ClassVar[AboutAttack] = AboutAttack(
        means="Each person of the table is matched with the released rows that may be theirs: a "
        "single match identifies the person, and matches with one sensitive value "
        "disclose it",
        matters="Registers with names are for sale, and generalized values can be matched with "
        "exact ones.",
        do="Generalize the released quasi-identifiers that the table has, until several rows match "
        "each person.",
        links=True,
        bounds=(Bound(model=KAnonymity, broken=_too_few, apart=True, everywhere=True),),
    )

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """Link every person of the external table."""
        classes, external = setting.classes, setting.external
        number_option(self.name, setting, "sweep", 0, 0)
        if external is None:
            return nothing(self, setting, "no external table was given")
        known = shared_columns(self.name, setting, external)
        targets = external_targets(setting, external, known)
        if not len(targets.outside):
            reason = "the external table has no rows"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        inside = classes.base.project(known)
        shifted, unit = shifted_option(self.name, setting, known), classes.roles.unit or ""
        if shifted:
            inside = classes.base.project([*known, unit])
            links = links_but_for_dates(setting, targets.outside, inside, shifted, unit)
        else:
            links = link(setting, targets.outside, inside)
        fitting = self._exposed(setting, known, targets, links, inside)
        return self._disclosure(setting, known, targets, fitting)

    def _exposed(
        self,
        setting: Setting,
        known: list[str],
        targets: ExternalTargets,
        links: Links,
        inside: FrequencySet,
    ) -> LinkedTargets:
        """Return the links of the targets and their exposure."""
        classes, unit = setting.classes, setting.classes.roles.unit
        everyone = flag_option(self.name, setting, "everyone_released")
        hushed = hushed_rows(self.name, setting, classes, known)
        shifted = shifted_option(self.name, setting, known)
        narrowing = everyone or not targets.single or bool(shifted)
        keys = inside
        if narrowing and unit is not None and not shifted:
            keys = classes.base.project([*known, unit])
            sure = refined(links.sure, inside, keys)
            wide = sure if links.widest is links.sure else refined(links.widest, inside, keys)
            links = replace(links, sure=sure, widest=wide)
        rows = CandidateRows(classes.base, keys, unit, classes.convention.first_counted)
        firm, n = hushed.present & ~hushed.hushed, len(targets.sharing)
        tight, singled = links.sure, None
        if unit is not None and (shifted or not targets.single):
            fitting: CandidateFilter = partial(with_every_event, keys=keys, unit=unit)
            if shifted:
                fitting = Shifts.of(targets.outside, keys, shifted, unit).with_every_event
            if not targets.single:
                every, behind = links.sure, _behind(rows, hushed.present)
                singled = singled_out_by_events(
                    targets, lambda drawn: fitting(drawn, every, behind), rows, setting.seed
                )
            tight, sure, wide = (
                fitting(targets, pairs, _behind(rows, chosen))
                for pairs, chosen in (
                    (links.sure, firm),
                    (links.sure, hushed.present),
                    (links.widest, hushed.present),
                )
            )
            links = replace(links, sure=sure, widest=wide)
        exposure = exposure_of(rows, links, n, classes.roles.sensitive, hushed, everyone=everyone)
        no = np.zeros(n, bool)
        present = hushed.present
        left = Narrowed(
            _of(tight, _behind(rows, firm)),
            _of(links.widest, _behind(rows, present)),
            firm,
            present,
            no,
            no,
        )
        guesser: Guesser | Assigner = Guesser(rows, left, n)
        if everyone:
            assigned = one_row_each(rows, left.wide, targets.sharing, present)
            guesser = Assigner.of(rows, left, targets.sharing, assigned)
            few, possible, _ = one_row_each(rows, left.tight, targets.sharing, firm)
            left = replace(
                left,
                tight=few,
                wide=assigned[0],
                short_tight=possible.short,
                short_wide=assigned[1].short,
            )
        if narrowing:
            exposure = narrowed_exposure(exposure, left, classes.roles.sensitive, everyone=everyone)
        threshold = share_option(self.name, setting, "sure", 1.0)
        chances = best_guess.BestGuesses.of(guesser, exposure, threshold)
        return LinkedTargets(links, chances.exposure(exposure), chances, singled)

    def _disclosure(
        self,
        setting: Setting,
        known: list[str],
        people: ExternalTargets,
        fitting: LinkedTargets,
    ) -> Disclosure:
        links, exposure = fitting.links, fitting.exposure
        classes, inside, sharing = setting.classes, exposure.rows.keys, people.sharing
        n = len(sharing)
        pairs, rows = links.sure, exposure.rows.number(links.sure, len(sharing))
        matched = rows > 0
        targets, linked = int(sharing.sum()), int(sharing[matched].sum())
        published = (inside.columns(known) != SUPPRESSED).any(axis=1)
        fits = np.zeros(n, bool)
        fits[pairs.person[published[pairs.key]]] = True
        guesses = self._guesses(setting, known, people, fitting, rows)
        coarse = classes.base.project(known)
        places = coarse.entry_of(inside)[pairs.key]
        apart = np.unique(np.column_stack([pairs.person, places]), axis=0)[:, 0]
        groups = np.bincount(apart, minlength=n)
        reached = np.bincount(pairs.key, weights=sharing[pairs.person], minlength=len(inside))
        mutual = np.zeros(n, bool)
        mutual[pairs.person[reached[pairs.key] == 1]] = True
        theirs = () if setting.external is None else setting.external.attributes
        absent = [q for q in classes.roles.quasi_identifiers if q not in theirs]
        notes: tuple[str, ...] = ()
        if absent:
            notes = (f"the adversary does not know {listed(absent)}",)
        if not people.single and not shifted_option(self.name, setting, known):
            dates = columns_of_dates(people.outside, classes.base)
            notes += (absolute_dates(dates),) if dates else ()
        hit, open_, left = exposure.exposed, exposure.undecided, exposure.pairs
        may_match = exposure.rows.number(links.widest, n) > 0
        uncompared = int(sharing[may_match & ~matched].sum())
        if uncompared and not open_.any():  # otherwise the reason names the labels
            notes += tuple(links.unread_labels)
        disclosed = disclosure(
            self,
            setting,
            targets=targets,
            identified=int(sharing[exposure.identified].sum()),
            disclosed=int(sharing[exposure.any_disclosed].sum()),
            successes=int(sharing[hit].sum()),
            undecided=int(sharing[open_].sum()),
            reason="; ".join(exposure.causes) if open_.any() else None,
            per_attribute={name: int(sharing[s].sum()) for name, s in exposure.disclosed.items()},
            details=Matches(
                none=targets - linked,
                one=int(sharing[rows == 1].sum()),
                several=int(sharing[rows > 1].sum()),
                pairs=int((rows * sharing).sum()),
                mutual=int(sharing[(rows == 1) & mutual].sum()),
                fewest=int(rows[matched].min()) if linked else None,
                split=int(sharing[groups > 1].sum()),
                unpublished=int(sharing[matched & ~fits].sum()),
                guesses=guesses,
                firm=int(sharing[exposure.firm == 1].sum()) if exposure.hushed.any() else None,
                events=people.events,
                singled_out=fitting.singled,
                assigned=_by_assignment(exposure, rows, sharing),
                uncompared=uncompared or None,
            ),
            notes=notes,
            exposed=_classes_of(classes, inside, pairs if left is None else left, hit),
        )
        if len(links.widest.person):
            return disclosed
        return replace(
            disclosed,
            rate=None,
            undecided=targets,
            outcome=Outcome.INCONCLUSIVE,
            reason="nobody in the external table matches the release",
        )

    def _guesses(
        self,
        setting: Setting,
        known: list[str],
        people: ExternalTargets,
        fitting: LinkedTargets,
        rows: Codes,
    ) -> Guesses:
        """Return the chances, the share of true claims, and the result of the sweep.

        The share of true claims needs the original, the sweep the option `sweep`. rows: how many
        candidate rows (persons) each target has.
        """
        exposure, chances, pairs = fitting.exposure, fitting.chances, fitting.links.sure
        classes, inside, sharing = setting.classes, exposure.rows.keys, people.sharing
        reached = np.bincount(pairs.key, weights=sharing[pairs.person], minlength=len(inside))
        fits = reached.astype(np.float64)
        likeliest, right = None, None
        if classes.roles.unit is None:
            likeliest = likeliest_values(classes, inside, pairs, sharing, fits)
        shifted = shifted_option(self.name, setting, known)
        if setting.alignment is not None and people.single and not shifted:
            left, number = pairs, rows
            if exposure.pairs is not None:
                left, number = exposure.pairs, exposure.rows.number(exposure.pairs, len(sharing))
            only = number[left.person] == 1
            coarse = classes.base.project(known)
            linked = left.person[only], coarse.entry_of(inside)[left.key[only]]
            claims = {} if classes.roles.unit else _claims(classes, exposure)
            right = right_links(
                setting.alignment, known, people.outside, coarse, sharing, linked, claims
            )
        most = number_option(self.name, setting, "sweep", 0, 0)
        crowd = Crowd.of(sharing, rows > 0)
        return Guesses(
            right_link=views(rows.astype(np.float64), sharing, fits, inside.counts),
            likeliest=likeliest or None,
            truth=right or None,
            few_columns=sweep(setting, people.outside, people.having, most, shifted)
            if most
            else None,
            sure=chances.sure if chances.sure < 1 else None,
            best_link=chances.link.summary(
                crowd, 1 / (classes.total_persons or classes.total_rows or 1)
            ),
            best_value=summaries(classes, chances.values, crowd),
        )


def sweep(
    setting: Setting,
    people: FrequencySet,
    sharing: Codes,
    most: int,
    but: Sequence[str] = (),
) -> FewColumns:
    """Find the few columns that single people out: try every choice of up to `most` columns.

    people: the external combinations of quasi-identifiers. sharing: how many persons have each
    combination. but: columns that no choice contains, because their values are not compared.

    Returns for each size the choice that singles out the most people, and how many people; the
    smallest size that singles anybody out; the number of choices; and how many of the choices
    single anybody out.

    Raises AnonauditError for more than MOST_CHOICES choices.
    """
    classes, names = setting.classes, [c for c in people.attributes if c not in but]
    most = min(most, len(names))
    number = sum(comb(len(names), size) for size in range(1, most + 1))
    if number > MOST_CHOICES:
        raise AnonauditError(
            f"linkage: {number} choices of up to {most} of {len(names)} columns are too many to "
            f"try (at most {MOST_CHOICES}); give sweep a smaller number"
        )
    best: dict[str, Choice] = {}
    fewest, single_out = None, 0
    for size in range(1, most + 1):
        choices = []
        for columns in combinations(names, size):
            few, inside = people.project(columns), classes.base.project(columns)
            pairs = link(setting, few, inside).sure
            rows = CandidateRows(classes.base, inside, classes.roles.unit, FIRST_VALUE).number(
                pairs, len(few)
            )
            persons = np.bincount(few.entry_of(people), sharing, len(few))
            choices.append((int(persons[rows == 1].sum()), columns))
        persons_out, columns = max(choices, key=lambda one: one[0])
        best[str(size)] = Choice(columns=list(columns), persons=persons_out)
        single_out += sum(n > 0 for n, _ in choices)
        if fewest is None and persons_out:
            fewest = size
    return FewColumns(fewest=fewest, choices=number, successful=single_out, best=best)


def _behind(rows: CandidateRows, chosen: Bools) -> Bools:
    """Return True for the released combinations that have a chosen entry, shape (len(keys),)."""
    there = np.zeros(len(rows.keys), bool)
    there[rows.entry[chosen]] = True
    return there


def _of(pairs: Candidates, keys: Bools) -> Candidates:
    """Return the pairs whose combination is in `keys`, shape (n_keys,)."""
    kept = keys[pairs.key]
    return Candidates(pairs.person[kept], pairs.key[kept])


def _by_assignment(exposure: Exposure, rows: Codes, sharing: Codes) -> int | None:
    """Return how many people are identified although several rows match them.

    The result is None if assignments, events or dates were not used to rule out candidates. rows:
    how many rows match each target.
    """
    if exposure.pairs is None:
        return None
    return int(sharing[exposure.identified & (rows > 1)].sum())


def _claims(
    classes: EquivalenceClasses, exposure: Exposure
) -> dict[str, tuple[Index, Sequence[str]]]:
    """Return by attribute the targets with a certain value, and their values."""
    claims: dict[str, tuple[Index, Sequence[str]]] = {}
    for name, values in exposure.values.items():
        who = np.flatnonzero(exposure.disclosed[name] & values.certain)
        labels = classes.base.labels_of(name)
        claims[name] = (who, [labels[code] for code in values.value[who]])
    return claims


def _classes_of(
    classes: EquivalenceClasses, inside: FrequencySet, pairs: Candidates, hit: Bools
) -> Bools:
    """Return True for the classes with a candidate of an exposed target, shape (n_classes,)."""
    met = np.zeros(len(inside), bool)
    met[pairs.key[hit[pairs.person]]] = True
    number = classes.number_of(classes.base.where(met[inside.entry_of(classes.base)]))
    return np.isin(np.arange(len(classes)), number)
