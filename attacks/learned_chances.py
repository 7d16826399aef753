"""Learn the chance of each sensitive value of each target from the whole release.

A learner first predicts the values of each target without the rows of the target's class
(learners.py). The values of the target's candidates then change the prediction (value_chances.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Floats, Index
from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.matching import Candidates
from attacks.decoding import decoded
from attacks.learners import Predicted, TrainingRows, predict
from attacks.value_chances import value_chances

# An attribute with more values is not learned.
MOST_VALUES: Final = 100
# A value that fewer people have is not scored, and `LearnedChances.raised` does not choose it.
FEWEST_PEOPLE: Final = 10


@dataclass(frozen=True)
class LearnedChances:
    """The guesses of one attribute about n targets.

    labels: the values.
    chances: shape (n, values), the chance of each value.
    without: shape (n, values), the chances before the target's candidates are considered.
    population: shape (n, values), the chances if the learner learns from a sample of the population
        and not from the release; None without such a sample.
    unknown: shape (n,), the chance that the target's row has an unknown value.
    home: shape (n,), the released combination that the target is assumed to be in, -1 for none.
    counts: shape (values,), how many rows of the release have each value.
    learner: the name of the best learner. losses: the log loss of each learner.
    """

    labels: Sequence[str]
    chances: Floats
    without: Floats
    population: Floats | None
    unknown: Floats
    home: Index
    counts: Floats
    learner: str
    losses: Mapping[str, float] = field(default_factory=dict)

    @property
    def chance(self) -> Floats:
        """The chance of the likeliest value of each target, shape (n,)."""
        highest: Floats = self.chances.max(axis=1)
        return highest

    def likeliest(self, chances: Floats) -> Index:
        """Return the number of the likeliest value of each target, shape (n,).

        chances: shape (n, values).
        """
        best: Index = np.argmax(chances, axis=1)
        return best

    def raised(self, chances: Floats) -> Index:
        """Return for each target the value with the highest chance / frequency, shape (n,).

        chances: shape (n, values). Compared with the likeliest value, this guess is right more
        often for people with rare values. Values of fewer than FEWEST_PEOPLE people are skipped,
        unless all values are so rare.
        """
        often = self.counts >= min(FEWEST_PEOPLE, self.counts.max())
        ratio = np.where(often, chances / np.maximum(self.counts, 1), -1)
        best: Index = np.argmax(ratio, axis=1)
        return best


def learned_chances(
    setting: Setting,
    outside: FrequencySet,
    sharing: npt.NDArray[np.int64],
    inside: FrequencySet,
    pairs: Candidates,
) -> tuple[dict[str, LearnedChances], dict[str, str]]:
    """Return the chances of each sensitive attribute, and why some attributes are not learned.

    Parameters
    ----------
    setting
        The release and how its labels are read.
    outside, sharing
        The targets over the columns that the adversary knows, and how many people share each
        target.
    inside, pairs
        The released combinations of these columns, and which combinations match each target.

    Returns
    -------
    By attribute, the chances; and for each attribute without chances, the reason.
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
    by_name: dict[str, LearnedChances] = {}
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
        group = entry[there]
        learned = TrainingRows(
            features[group], value[there] - FIRST_VALUE, base.counts[there], group
        )
        counts = np.bincount(learned.value, learned.count, len(labels)).astype(np.float64)
        more = None
        if population is not None and others is not None and name in population.attributes:
            more = _others(population, others, rest[0], name, labels)
        made = predict(learned, targets, own, len(labels), more=more, seed=setting.seed)
        weighed = value_chances(pairs, sharing, base, inside, name, made.chances)
        if weighed is None:
            left_out[name] = "too many candidates and values to weigh"
            continue
        nobody = weighed.known.sum(axis=1) + weighed.unknown <= 0
        chances = np.where(nobody[:, None], made.chances, weighed.known)
        alone = None
        if more is not None:
            alone = _by_population(more, targets, len(labels), made, setting.seed)
        by_name[name] = LearnedChances(
            labels=labels,
            chances=chances,
            without=made.chances,
            population=alone,
            unknown=weighed.unknown,
            home=own,
            counts=counts,
            learner=made.learner,
            losses=made.losses,
        )
    return by_name, left_out


def _own(pairs: Candidates, sharing: npt.NDArray[np.int64], n: int, n_keys: int) -> Index:
    """Return the combination that each target is assumed to be in, -1 for none; shape (n,).

    It is the combination that matches the fewest people, among all that match the target.
    """
    fit = np.bincount(pairs.key, sharing[pairs.person], n_keys)
    order = np.lexsort((pairs.key, fit[pairs.key], pairs.person))
    person, first = np.unique(pairs.person[order], return_index=True)
    own = np.full(n, -1, np.intp)
    own[person] = pairs.key[order][first]
    return own


def _others(
    population: FrequencySet,
    others: FrequencySet,
    features: Floats,
    name: str,
    labels: Sequence[str],
) -> TrainingRows | None:
    """Return the rows of the population whose value occurs in the release; None if there are none.

    others: the combinations of the population. features: of these combinations. name: the sensitive
    attribute. labels: its values in the release.
    """
    code = {label: i for i, label in enumerate(labels)}
    known = np.array([code.get(label, -1) for label in population.labels_of(name)])
    known[:FIRST_VALUE] = -1
    value = known[population.column(name)]
    there = value >= 0
    if not there.any():
        return None
    entry = others.entry_of(population)[there]
    return TrainingRows(features[entry], value[there], population.counts[there], entry)


def _by_population(
    more: TrainingRows, targets: Floats, n_values: int, made: Predicted, seed: int
) -> Floats:
    """Return the chances of the best learner if it learns from the population sample only.

    more: the rows of the sample. targets: the features of the targets. made: names the learner.
    """
    from attacks.learners import fitted, flattened, learners

    shares = np.bincount(more.value, more.count, n_values) / more.count.sum()
    make = learners(seed).get(made.learner)
    if make is None:
        return np.tile(shares, (len(targets), 1))
    return flattened(fitted(make(), more, targets, n_values, shares), shares, made.temperature)
