"""Best guess: every sensitive value of everybody, guessed by learning from the whole release.

Source: Kifer 2009 ("Attacks on Privacy and deFinetti's Theorem") for learning across classes;
Giomi et al. 2023 (anonymeter) for a baseline without the victim. See decoding.py for labels,
learners.py for predictions, value_chances.py for candidates and guess_scores.py for scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from anonaudit.about import AboutAttack, InMatrix
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.details import Details, fact
from anonaudit.errors import AnonauditError, listed
from anonaudit.findings import Disclosure, Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.alignment import Alignment
from anonaudit.linking.matching import Candidates
from attacks.candidate_rows import Bools, CandidateRows
from attacks.decoding import Numbers, decoded
from attacks.exposure import Exposure, exposure_of, hushed_rows
from attacks.guess_scores import (
    FEWEST_PEOPLE,
    Scores,
    accuracy,
    at_coverage,
    balanced,
    calibration,
    gain,
)
from attacks.learners import Index, Predicted, Rows, predict
from attacks.link_chances import places
from attacks.reappearance import Reappearance, reappearance
from attacks.shared import (
    Links,
    bounded,
    disclosure,
    flag_option,
    link,
    nothing,
    persons_of,
    share_option,
    shared_columns,
)
from attacks.value_chances import value_chances

# An attribute with more values is no category to learn.
MOST_VALUES: Final = 100
ROUNDING: Final = 1e-9
WITH, WITHOUT, POPULATION, MODE = "guess", "without the victim", "population", "most frequent"


@dataclass(frozen=True, kw_only=True, eq=False)
class Guessed(Details):
    """What is guessed, by sensitive column; the scores need the original."""

    learner: Mapping[str, str] = fact("learner")
    sure: Mapping[str, int] = fact("chance 1")
    likely: Mapping[str, int] = fact("chance of at least 0.9")
    even: Mapping[str, int] = fact("chance of at least 0.5")
    average: Mapping[str, float] = fact("average chance")
    before: Mapping[str, float] = fact("average chance without the victim")
    right: Mapping[str, float] | None = fact("right guesses", optional=True)
    right_before: Mapping[str, float] | None = fact(
        "right guesses without the victim", optional=True
    )
    balanced: Mapping[str, float] | None = fact("balanced accuracy", optional=True)
    gains: Mapping[str, float] | None = fact("gain in balanced accuracy", optional=True)
    gains_low: Mapping[str, float] | None = fact("lower end of the gain", optional=True)
    gains_high: Mapping[str, float] | None = fact("upper end of the gain", optional=True)
    unique: int | None = fact("unique in the original", optional=True)
    reappear: int | None = fact("unique people who reappear", optional=True)
    may_reappear: int | None = fact("unique people who may reappear", optional=True)
    over_population: Mapping[str, float] | None = fact("gain over the population", optional=True)


@dataclass(frozen=True)
class Guess:
    """The guesses of one attribute about n targets.

    labels: by value. chances, without: the chance of each value, and the same before the target's
    candidates are looked at; shape (n, values). population: by another sample of the population
    alone, if there is one. unknown: the chance that the value of the target's row is unknown.
    counts: how frequent each value is in the release. learner: what predicts best.
    """

    labels: Sequence[str]
    chances: Numbers
    without: Numbers
    population: Numbers | None
    unknown: Numbers
    counts: Numbers
    learner: str
    losses: Mapping[str, float] = field(default_factory=dict)

    @property
    def chance(self) -> Numbers:
        """The chance of the likeliest value of each target, shape (n,)."""
        found: Numbers = self.chances.max(axis=1)
        return found

    def likeliest(self, chances: Numbers) -> Index:
        """The likeliest value, shape (n,)."""
        found: Index = np.argmax(chances, axis=1)
        return found

    def raised(self, chances: Numbers) -> Index:
        """The value whose chance exceeds its share the most, which is best for rare values.

        Values too rare to be scored are left out, if others are not.
        """
        often = self.counts >= min(FEWEST_PEOPLE, self.counts.max())
        ratio = np.where(often, chances / np.maximum(self.counts, 1), -1)
        found: Index = np.argmax(ratio, axis=1)
        return found


class LearnedGuess:
    """The adversary has a table of persons, reads the whole release, and guesses every value.

    A learner is fitted on the decoded labels of the release. It predicts each person without the
    person's class. The values of the person's candidates then change the prediction. The result is
    a chance for each value. What the candidates add to the prediction is what the release tells
    about this very person; the prediction itself is what anybody can say.

    Success: a value is certain, as in linkage, or its chance is at least `sure`. With `sure` = 1
    only certain values count. Whether a person with candidates is in the release the adversary
    takes for granted. Who has no candidate is not exposed. With a unit column nothing is learned:
    only certain values count, and with `sure` below 1 the others are undecided.

    Options: external, identity, everyone-released and suppressed-rows, as of linkage; sure (1 if
    not given). Without an external table the people of the original are attacked. A `[population]`
    with sensitive columns is learned from as well, and gives a second baseline.

    Baseline: guessing the most frequent value of the release.
    """

    name: ClassVar[str] = "best-guess"
    knowledge: ClassVar[str] = (
        "an identified table with the quasi-identifiers of its persons, and the whole release to "
        "learn from"
    )
    options: ClassVar[tuple[str, ...]] = (
        "external",
        "identity",
        "everyone_released",
        "suppressed_rows",
        "sure",
    )
    about: ClassVar[AboutAttack] = AboutAttack(
        means="A learner reads the whole release and guesses the sensitive values of each person "
        "of the table, with a chance for each",
        matters="A guess that is right nine times in ten does as much harm as one that is certain.",
        do="Require t-closeness or beta-likeness, so that no class says more than the release.",
        certain=False,
        matrix=InMatrix(options={"sure": 0.9}),
    )

    @bounded
    def run(self, setting: Setting) -> Disclosure:
        """Guess the values of every person, and score the guesses where the original is at hand."""
        classes, sure = setting.classes, share_option(self.name, setting, "sure", 1.0)
        people = _people(setting)
        if people is None:
            return nothing(self, setting, "no external table was given, and no original")
        if not classes.sensitive:
            return nothing(self, setting, "no sensitive column is named")
        known = shared_columns(self.name, setting, people)
        outside, sharing = persons_of(setting, people, known)
        if not len(outside):
            reason = "the external table has no rows"
            return nothing(self, setting, reason, Outcome.INCONCLUSIVE)
        inside = classes.base.project(known)
        links = link(setting, outside, inside)
        rows = CandidateRows(
            classes.base, inside, classes.roles.unit, classes.convention.first_counted
        )
        hushed = hushed_rows(self.name, setting, classes, known)
        found = exposure_of(
            rows,
            links,
            len(outside),
            classes.roles.sensitive,
            hushed,
            everyone=flag_option(self.name, setting, "everyone_released"),
        )
        if not len(links.widest.person):
            return nothing(
                self,
                setting,
                "nobody in the external table matches the release",
                Outcome.INCONCLUSIVE,
            )
        with_, without = hushed.present, hushed.present & ~hushed.hushed
        every, firm = (_fitting(links.sure, rows.entry, some, inside) for some in (with_, without))
        guesses, left_out = guesses_of(setting, outside, sharing, inside, every)
        return self._judged(setting, sure, found, links, sharing, guesses, left_out, outside, firm)

    def _judged(
        self,
        setting: Setting,
        sure: float,
        found: Exposure,
        links: Links,
        sharing: npt.NDArray[np.int64],
        guesses: Mapping[str, Guess],
        left_out: Mapping[str, str],
        outside: FrequencySet,
        firm: Candidates,
    ) -> Disclosure:
        n, causes = len(sharing), list(found.causes)
        disclosed = {name: each.copy() for name, each in found.disclosed.items()}
        open_ = found.undecided.copy()
        if sure < 1:
            fits, doubtful = np.zeros(n, bool), np.zeros(n, bool)
            fits[links.sure.person] = True
            if links.widest is not links.sure:
                doubtful = np.bincount(links.widest.person, minlength=n) > np.bincount(
                    links.sure.person, minlength=n
                )
            for name, guess in guesses.items():
                low, high = guess.chance, guess.chance + guess.unknown
                if found.hushed.any():
                    alone = _alone(setting, name, guess, sharing, found.rows.keys, firm)
                    low, high = np.minimum(low, alone), np.maximum(high, alone)
                hit = fits & (low >= sure - ROUNDING) & ~doubtful
                disclosed[name] |= hit
                open_ |= ~hit & ((fits & (high >= sure - ROUNDING)) | doubtful)
                if (~hit & (high >= sure - ROUNDING) & (guess.unknown > 0)).any():
                    causes.append(f"cells of {name} are unknown (conventions.sensitive)")
            for name, reason in left_out.items():
                open_[:] = True
                causes.append(f"{name} is not guessed: {reason}")
        any_ = np.logical_or.reduce(list(disclosed.values()))
        hit = found.identified | any_
        open_ &= ~hit
        scores, again = {}, None
        if setting.alignment is not None:
            scores = scores_of(setting.alignment, outside, guesses, setting.seed)
            again = reappearance(setting, setting.alignment)
        return disclosure(
            self,
            setting,
            targets=int(sharing.sum()),
            identified=int(sharing[found.identified].sum()),
            disclosed=int(sharing[any_].sum()),
            successes=int(sharing[hit].sum()),
            undecided=int(sharing[open_].sum()),
            reason="; ".join(dict.fromkeys(causes)) if open_.any() else None,
            per_attribute={name: int(sharing[each].sum()) for name, each in disclosed.items()},
            details=_details(guesses, sharing, scores, again),
            notes=tuple(f"{name} is not guessed: {why}" for name, why in left_out.items()),
        )


def guesses_of(
    setting: Setting,
    outside: FrequencySet,
    sharing: npt.NDArray[np.int64],
    inside: FrequencySet,
    pairs: Candidates,
) -> tuple[dict[str, Guess], dict[str, str]]:
    """The guesses of each sensitive attribute, and why others are not guessed.

    Parameters
    ----------
    setting
        The release and how its labels are read.
    outside, sharing
        The targets over the columns the adversary knows, and how many people each is.
    inside, pairs
        The released combinations of these columns, and which of them each target fits.
    """
    classes, left_out = setting.classes, dict[str, str]()
    base, least = classes.base, classes.convention.first_counted
    if classes.roles.unit is not None:
        reason = "with a unit column, values are not learned"
        return {}, dict.fromkeys(classes.sensitive, reason)
    population = None if setting.population is None else setting.population()
    if population is not None and any(c not in population.attributes for c in outside.attributes):
        population = None
    tables = [inside]
    others = None if population is None else population.project(outside.attributes)
    if others is not None:
        tables.append(others)
    targets, features, *rest = decoded(setting, outside, *tables)
    entry = inside.entry_of(base)
    own = _own(pairs, sharing, len(outside), len(inside))
    found: dict[str, Guess] = {}
    for name in classes.sensitive:
        labels = base.labels_of(name)[FIRST_VALUE:]
        value = base.column(name)
        if not 0 < len(labels) <= MOST_VALUES or least < FIRST_VALUE:
            left_out[name] = (
                f"it has {len(labels)} values (at most {MOST_VALUES} are learned)"
                if least >= FIRST_VALUE
                else 'unknown cells count as a value (conventions.sensitive = "one-value")'
            )
            continue
        there = value >= FIRST_VALUE
        learned = Rows(features[entry[there]], value[there] - FIRST_VALUE, base.counts[there])
        counts = np.bincount(learned.value, learned.count, len(labels)).astype(np.float64)
        more = None
        if population is not None and others is not None and name in population.attributes:
            more = _others(population, others, rest[0], name, labels)
        made = predict(
            learned, entry[there], targets, own, len(labels), more=more, seed=setting.seed
        )
        weighed = value_chances(pairs, sharing, base, inside, name, made.chances)
        if weighed is None:
            left_out[name] = "too many candidates and values to weigh"
            continue
        nobody = weighed.known.sum(axis=1) + weighed.unknown <= 0
        chances = np.where(nobody[:, None], made.chances, weighed.known)
        alone = None
        if more is not None:
            alone = _by_population(more, targets, len(labels), made, setting.seed)
        found[name] = Guess(
            labels, chances, made.chances, alone, weighed.unknown, counts, made.learner, made.losses
        )
    return found, left_out


def scores_of(
    alignment: Alignment, outside: FrequencySet, guesses: Mapping[str, Guess], seed: int
) -> dict[str, Scores]:
    """The scores of the guesses, by the original; attributes that it lacks are left out.

    A person of the original has the guess of the target with these very quasi-identifiers. People
    who are no target, and unknown true values, are not scored.
    """
    original = alignment.original
    whose = places(outside, original, list(outside.attributes))
    found = {}
    for name, guess in guesses.items():
        if name not in alignment.sensitive:
            continue
        truth = original.column(name)
        there = (whose >= 0) & (truth >= FIRST_VALUE)
        if not there.any():
            continue
        code = {label: i for i, label in enumerate(guess.labels)}
        names = original.labels_of(name)
        new = np.array([code.get(label, len(code) + i) for i, label in enumerate(names)])
        target, value, count = whose[there], new[truth[there]], original.counts[there]
        tables = {WITH: guess.chances, WITHOUT: guess.without}
        if guess.population is not None:
            tables[POPULATION] = guess.population
        plain = {who: guess.likeliest(each)[target] == value for who, each in tables.items()} | {
            MODE: np.argmax(guess.counts) == value
        }
        rare = {who: guess.raised(each)[target] == value for who, each in tables.items()}
        chance = guess.chance[target]
        found[name] = Scores(
            people=int(count.sum()),
            accuracy={who: accuracy(right, count) for who, right in plain.items()},
            balanced={who: balanced(right, value, count) for who, right in rare.items()},
            gains={
                who: gain(rare[WITH], right, value, count, seed)
                for who, right in rare.items()
                if who != WITH
            },
            coverage=at_coverage(chance, plain[WITH], count),
            bins=calibration(chance, plain[WITH], count),
        )
    return found


def _people(setting: Setting) -> FrequencySet | None:
    """Whom the adversary attacks: the external table, or the people of the original."""
    if setting.external is not None or setting.alignment is None:
        return setting.external
    return setting.alignment.original.project(setting.alignment.quasi_identifiers)


def _fitting(pairs: Candidates, entry: Index, rows: Bools, inside: FrequencySet) -> Candidates:
    """The pairs whose combination has one of these rows."""
    there = np.zeros(len(inside), bool)
    there[entry[rows]] = True
    keep = there[pairs.key]
    return Candidates(pairs.person[keep], pairs.key[keep])


def _own(pairs: Candidates, sharing: npt.NDArray[np.int64], n: int, n_keys: int) -> Index:
    """The combination that each target is taken to be in, -1 without any.

    Of those that it fits, it is the one that the fewest people fit.
    """
    fit = np.bincount(pairs.key, sharing[pairs.person], n_keys)
    order = np.lexsort((pairs.key, fit[pairs.key], pairs.person))
    person, first = np.unique(pairs.person[order], return_index=True)
    found = np.full(n, -1, np.intp)
    found[person] = pairs.key[order][first]
    return found


def _others(
    population: FrequencySet,
    others: FrequencySet,
    features: Numbers,
    name: str,
    labels: Sequence[str],
) -> Rows | None:
    """The rows of a population with a value that the release has; None if there are none."""
    code = {label: i for i, label in enumerate(labels)}
    known = np.array([code.get(label, -1) for label in population.labels_of(name)])
    known[:FIRST_VALUE] = -1
    value = known[population.column(name)]
    there = value >= 0
    if not there.any():
        return None
    entry = others.entry_of(population)[there]
    return Rows(features[entry], value[there], population.counts[there])


def _by_population(
    more: Rows, targets: Numbers, n_values: int, made: Predicted, seed: int
) -> Numbers:
    """What the learner of the release says that saw another sample of the population only."""
    from attacks.learners import fitted, learners

    shares = np.bincount(more.value, more.count, n_values) / more.count.sum()
    make = learners(seed).get(made.learner)
    if make is None:
        return np.tile(shares, (len(targets), 1))
    return fitted(make(), more, targets, n_values, shares)


def _alone(
    setting: Setting,
    name: str,
    guess: Guess,
    sharing: npt.NDArray[np.int64],
    inside: FrequencySet,
    pairs: Candidates,
) -> Numbers:
    """The chance of the likeliest value if rows that are suppressed throughout are nobody's."""
    found = value_chances(pairs, sharing, setting.classes.base, inside, name, guess.without)
    if found is None:
        raise AnonauditError(f"best-guess: {listed([name])} has too many candidates to weigh")
    best: Numbers = found.known.max(axis=1)
    return best


def _details(
    guesses: Mapping[str, Guess],
    sharing: npt.NDArray[np.int64],
    scores: Mapping[str, Scores],
    again: Reappearance | None,
) -> Guessed:
    total = float(sharing.sum())

    def people(least: float) -> dict[str, int]:
        return {n: int(sharing[g.chance >= least - ROUNDING].sum()) for n, g in guesses.items()}

    def average(table: Mapping[str, Numbers]) -> dict[str, float]:
        return {n: float(each.max(axis=1) @ sharing / total) for n, each in table.items()}

    def gains(over: str, end: str) -> dict[str, float] | None:
        each = {n: s.gains.get(over) for n, s in scores.items()}
        return {n: getattr(g, end) for n, g in each.items() if g is not None} or None

    def right(who: str) -> dict[str, float] | None:
        return {n: s.accuracy[who] for n, s in scores.items()} or None

    even = {n: b for n, s in scores.items() if (b := s.balanced[WITH]) is not None}
    return Guessed(
        learner={n: g.learner for n, g in guesses.items()},
        sure=people(1.0),
        likely=people(0.9),
        even=people(0.5),
        average=average({n: g.chances for n, g in guesses.items()}),
        before=average({n: g.without for n, g in guesses.items()}),
        right=right(WITH),
        right_before=right(WITHOUT),
        balanced=even or None,
        gains=gains(WITHOUT, "value"),
        gains_low=gains(WITHOUT, "low"),
        gains_high=gains(WITHOUT, "high"),
        unique=None if again is None else again.unique,
        reappear=None if again is None else again.alone,
        may_reappear=(again and again.maybe) or None,
        over_population=gains(POPULATION, "value"),
    )
