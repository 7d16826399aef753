"""Best guess: guess every sensitive value of everybody by learning from the whole release.

Source: Kifer 2009 ("Attacks on Privacy and deFinetti's Theorem") for learning across classes;
Giomi et al. 2023 (anonymeter) for a baseline without the victim. learned_chances.py computes the
chances, guess_scores.py scores the guesses, and reappearance.py and singling_out.py count unique
people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from anonaudit.about import AboutAttack, InMatrix
from anonaudit.arrays import Bools, Floats, Index
from anonaudit.attack import Setting
from anonaudit.errors import listed
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.alignment import Alignment
from anonaudit.linking.matching import Candidates
from anonaudit.linking.too_much import TooMuchError
from anonaudit.special_details import Learned
from attacks.best_guess import BestGuesses, Crowd, Guess, summaries
from attacks.candidate_rows import CandidateRows
from attacks.exposure import Exposure, exposure_of, hushed_rows
from attacks.guess_scores import scores_of
from attacks.learned_chances import LearnedChances, learned_chances
from attacks.reappearance import reappearance
from attacks.shared import (
    Links,
    bounded,
    disclosure,
    link,
    nothing,
    persons_of,
    share_option,
    shared_columns,
)
from attacks.singling_out import singling_out
from attacks.value_chances import value_chances

T = TypeVar("T")


class LearnedGuess:
    """The adversary has a table of persons, learns from the whole release, and guesses every value.

    A learner is fitted on the decoded labels of the release. It predicts the values of each person
    without the rows of the person's class. The values of the person's candidates then change the
    prediction. The result is a chance for each value. The prediction alone is what anybody can
    infer; the change is what the release discloses about this person.

    Success: a value is certain, as in linkage, or its chance is at least `sure`. With `sure` = 1
    only certain values count. The adversary assumes that everybody with a candidate is in the
    release. A person without a candidate is not exposed. With a unit column nothing is learned.
    Then only certain values count, and if `sure` is below 1 the other persons are undecided.

    Options: external, identity and suppressed-rows, see `Linkage`; sure, the threshold (default 1).
    There is no option everyone-released; use linkage for an adversary who knows that everybody has
    a row of their own. Without an external table, the people of the original are attacked. The
    learners also learn from a `[population]` of the policy that has sensitive columns. It gives a
    second baseline.

    `details` has the learner and the chances of the best guesses. With the original it also has the
    scores of the guesses, how many people reappear (see `reappearance`), and how many people a few
    columns single out (see `singling_out`).

    Baseline: guess the most frequent value of the release.
    """

    name: ClassVar[str] = "best-guess"
    knowledge: ClassVar[str] = (
        "an identified table with the quasi-identifiers of its persons, and the whole release to "
        "learn from"
    )
    options: ClassVar[tuple[str, ...]] = (
        "external",
        "identity",
        "suppressed_rows",
        "sure",
    )
    about: ClassVar[AboutAttack] = AboutAttack(
        means="A learner reads the whole release and guesses the sensitive values of each person "
        "of the table, with a chance for each",
        matters="A guess that is right nine times in ten does nearly as much harm as a certain "
        "one.",
        do="Require t-closeness or beta-likeness, so that a class discloses little more than the "
        "release.",
        certain=False,
        matrix=InMatrix(options={"sure": 0.9}),
    )

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """Guess the values of every person, and score the guesses if the original is at hand."""
        classes, sure = setting.classes, share_option(self.name, setting, "sure", 1.0)
        people = _people(setting)
        if people is None:
            return nothing(self, setting, "no external table was given, and no original")
        setting = replace(setting, external=people)
        if not classes.sensitive:
            return nothing(self, setting, "no sensitive column is named")
        known = shared_columns(self.name, setting, people)
        outside, sharing = persons_of(setting, people, known)
        if not len(outside):
            reason = "the external table has no rows"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        inside = classes.base.project(known)
        links = link(setting, outside, inside)
        if not len(links.widest.person):
            reason = "nobody in the external table matches the release"
            one = nothing(self, setting, reason, Outcome.INCONCLUSIVE)
            everybody = int(sharing.sum())
            return replace(one, targets=everybody, undecided=everybody)
        rows = CandidateRows(
            classes.base, inside, classes.roles.unit, classes.convention.first_counted
        )
        hushed = hushed_rows(self.name, setting, classes, known)
        exposure = exposure_of(rows, links, len(outside), classes.roles.sensitive, hushed)
        every, firm = (
            _fitting(links.sure, rows.entry, some, inside)
            for some in (hushed.present, hushed.present & ~hushed.hushed)
        )
        learned, left_out = learned_chances(setting, outside, sharing, inside, every)
        guesses = _guesses(setting, exposure, links, sharing, learned, firm, sure)
        return self._judged(setting, guesses, exposure, links, sharing, learned, left_out, outside)

    def _judged(
        self,
        setting: Setting,
        guesses: BestGuesses,
        exposure: Exposure,
        links: Links,
        sharing: npt.NDArray[np.int64],
        learned: Mapping[str, LearnedChances],
        left_out: Mapping[str, str],
        outside: FrequencySet,
    ) -> Disclosure:
        """Return the Disclosure with the exposed people and the details."""
        after = guesses.exposure(exposure)
        notes = tuple(f"{name} is not guessed: {why}" for name, why in left_out.items())
        causes = dict.fromkeys([*after.causes, *(notes if guesses.sure < 1 else ())])
        crowd = Crowd.of(sharing, _fits(links, len(sharing)))
        total, alignment = float(sharing.sum()), setting.alignment
        values = {name: guesses.values[name] for name in learned}
        details = Learned(
            learner={name: one.learner for name, one in learned.items()},
            best_value=summaries(setting.classes, values, crowd),
            without={
                name: float(one.without.max(axis=1) @ sharing / total)
                for name, one in learned.items()
            },
            sure=guesses.sure if guesses.sure < 1 else None,
        )
        if alignment is not None:
            again, unmatched = _unless_too_much(reappearance, setting, alignment)
            singled, not_singled = _unless_too_much(singling_out, setting, alignment)
            notes = (*notes, *unmatched, *not_singled)
            details = replace(
                details,
                scores=scores_of(alignment, outside, learned, setting.seed) or None,
                reappearance=again,
                singling_out=singled,
            )
        return disclosure(
            self,
            setting,
            targets=int(sharing.sum()),
            identified=int(sharing[after.identified].sum()),
            disclosed=int(sharing[after.any_disclosed].sum()),
            successes=int(sharing[after.exposed].sum()),
            undecided=int(sharing[after.undecided].sum()),
            reason="; ".join(causes) if after.undecided.any() else None,
            per_attribute={name: int(sharing[s].sum()) for name, s in after.disclosed.items()},
            details=details,
            notes=notes,
        )


def _people(setting: Setting) -> FrequencySet | None:
    """Return the people to attack: the external table, otherwise the people of the original."""
    if setting.external is not None or setting.alignment is None:
        return setting.external
    return setting.alignment.original.project(setting.classes.roles.quasi_identifiers)


def _unless_too_much(
    count: Callable[[Setting, Alignment], T], setting: Setting, alignment: Alignment
) -> tuple[T | None, tuple[str, ...]]:
    """Return the result of `count` and no note; or None and a note if it would take too long."""
    try:
        return count(setting, alignment), ()
    except TooMuchError as error:
        return None, (f"{count.__name__.replace('_', ' ')} is not counted: {error}",)


def _fitting(pairs: Candidates, entry: Index, rows: Bools, inside: FrequencySet) -> Candidates:
    """Return the pairs whose combination has one of the selected entries of the release.

    entry: the combination of each entry, shape (len(base),). rows: True for the selected entries.
    """
    there = np.zeros(len(inside), bool)
    there[entry[rows]] = True
    keep = there[pairs.key]
    return Candidates(pairs.person[keep], pairs.key[keep])


def _fits(links: Links, n: int) -> Bools:
    """Return True for the targets with a row that matches or may match, shape (n,)."""
    fits = np.zeros(n, bool)
    fits[links.widest.person] = True
    return fits


def _guesses(
    setting: Setting,
    exposure: Exposure,
    links: Links,
    sharing: npt.NDArray[np.int64],
    learned: Mapping[str, LearnedChances],
    firm: Candidates,
    sure: float,
) -> BestGuesses:
    """Return bounds of the chance of the best guess about each target.

    In the lower bound unknown cells have no value, in the upper bound they have the likeliest
    value. The bounds are 0 and 1 for an attribute that was not learned, and for a target with a
    candidate whose label was not understood. They are 0 for a target without a candidate.

    firm: the pairs of a target and a combination with a row that is not fully suppressed.
    """
    n = len(sharing)
    fits, open_ = _fits(links, n), np.zeros(n, bool)
    if links.widest is not links.sure:
        fewest, most = (
            np.bincount(pairs.person, minlength=n) for pairs in (links.sure, links.widest)
        )
        open_ = most > fewest
    values = {}
    for name, certain in exposure.disclosed.items():
        low, high = np.zeros(n), np.ones(n)
        if (one := learned.get(name)) is not None:
            low, high = one.chance, one.chance + one.unknown
            if exposure.hushed.any():
                alone = _alone(setting, name, one, sharing, exposure.rows.keys, firm)
                low, high = np.minimum(low, alone.low), np.maximum(high, alone.high)
        guess = Guess(
            np.where(fits & ~open_, low, 0.0), np.where(fits, np.where(open_, 1.0, high), 0.0)
        )
        values[name] = guess.certain(certain)
    row = exposure.identified.astype(np.float64)
    return BestGuesses(Guess(row, row), values, sure)


def _alone(
    setting: Setting,
    name: str,
    learned: LearnedChances,
    sharing: npt.NDArray[np.int64],
    inside: FrequencySet,
    pairs: Candidates,
) -> Guess:
    """Return bounds of the chance of the likeliest value if fully suppressed rows are nobody's.

    The upper bound gives unknown cells the likeliest value. pairs: `firm` of `_guesses`.
    """
    weighed = value_chances(pairs, sharing, setting.classes.base, inside, name, learned.without)
    if weighed is None:
        raise TooMuchError(
            f"there are too many candidates to weigh the values of {listed([name])}; name more "
            "columns, or fewer people"
        )
    best: Floats = weighed.known.max(axis=1)
    return Guess(best, best + weighed.unknown)
