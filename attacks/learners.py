"""Learn sensitive values from quasi-identifiers, and choose the best learner on the release.

People are predicted without the rows of their own class (grouped cross-validation). So a prediction
uses only the rows of other people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Floats, Index
from anonaudit.errors import AnonauditError

FOLDS: Final = 5
# The learners are compared on this many folds. Only the best learner predicts the other folds.
COMPARED: Final = 2
# With fewer rows the prediction is the frequency of each value.
FEWEST_ROWS: Final = 50
# The weight of the frequencies in each prediction, so that no value has the chance 0.
DOUBT: Final = 0.02
NO_LEARNER: Final = "frequencies"
NEIGHBOURS: Final = 25
# A random sample of this many rows is enough to learn from.
MOST_TRAINING_ROWS: Final = 10_000
# The chances of a learner are flattened with the temperature that fits the release best.
TEMPERATURES: Final = (1.0, 1.25, 1.5, 2.0, 3.0, 5.0)


@dataclass(frozen=True)
class TrainingRows:
    """Rows to learn from.

    features: shape (n, features), the features of each entry. value: the number of its value, from
    0. count: how many rows it stands for. group: its class; a class is left out as a whole.
    """

    features: Floats
    value: Index
    count: npt.NDArray[np.int64]
    group: Index

    def where(self, keep: npt.NDArray[np.bool_]) -> TrainingRows:
        """Return the selected rows; keep: shape (n,)."""
        return TrainingRows(
            self.features[keep], self.value[keep], self.count[keep], self.group[keep]
        )

    def and_(self, more: TrainingRows | None) -> TrainingRows:
        """Return these rows, then the rows of `more` (none if None).

        The groups of `more` are renumbered, so that the two have no group in common.
        """
        if more is None:
            return self
        apart = int(self.group.max(initial=-1)) + 1
        return TrainingRows(
            np.vstack([self.features, more.features]),
            np.concatenate([self.value, more.value]),
            np.concatenate([self.count, more.count]),
            np.concatenate([self.group, apart + more.group]),
        )


def learners(seed: int) -> dict[str, Callable[[], Any]]:
    """Return by name a function that makes the learner.

    Raises AnonauditError if scikit-learn is not installed.
    """
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
        from sklearn.naive_bayes import GaussianNB
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ImportError as error:
        raise AnonauditError(
            "best-guess learns with scikit-learn, which is not installed; "
            "run: pip install 'anonaudit[guess]'"
        ) from error
    return {
        "naive Bayes": lambda: GaussianNB(var_smoothing=1e-2),
        "nearest neighbours": lambda: make_pipeline(
            StandardScaler(), KNeighborsClassifier(NEIGHBOURS)
        ),
        "random forest": lambda: RandomForestClassifier(100, min_samples_leaf=5, random_state=seed),
        "gradient boosting": lambda: HistGradientBoostingClassifier(
            max_iter=40, max_leaf_nodes=15, early_stopping=False, random_state=seed
        ),
    }


def folds_of(group: Index, count: npt.NDArray[np.int64], seed: int) -> Index:
    """Return the fold of each group, shape (groups,); the folds have about the same number of rows.

    group, count: the group of each entry, and how many rows it stands for. A group is never split
    (scikit-learn's GroupKFold).
    """
    from sklearn.model_selection import GroupKFold

    rows = np.repeat(group, count)
    split = GroupKFold(FOLDS, shuffle=True, random_state=seed).split(rows, groups=rows)
    fold = np.zeros(int(group.max(initial=-1)) + 1, np.intp)
    for number, (_, left_out) in enumerate(split):
        fold[rows[left_out]] = number
    return fold


@dataclass(frozen=True)
class Predicted:
    """The chance of each value for each target, predicted without the rows of the target's fold.

    learner: the name of the best learner, or NO_LEARNER. chances: shape (n_targets, n_values).
    losses: the average log loss of each learner on the release; empty if nothing was learned.
    temperature: the temperature with which the chances were flattened.
    """

    learner: str
    chances: Floats
    losses: Mapping[str, float]
    temperature: float = 1.0


def predict(
    rows: TrainingRows,
    targets: Floats,
    own: Index,
    n_values: int,
    *,
    more: TrainingRows | None = None,
    seed: int = 0,
) -> Predicted:
    """Predict each target from the rows of other people.

    Parameters
    ----------
    rows
        The rows of the release.
    targets, own
        The features of the targets, shape (n_targets, features), and the class that each target is
        assumed to be in, shape (n_targets,), -1 for none.
    n_values
        How many values there are.
    more
        Further rows to learn from, of people who are no targets; None for none.
    seed
        The seed of the folds and the learners.

    Returns
    -------
    The chances of the best learner. The best learner has the least log loss on classes that it has
    not seen. The frequencies of the values count as a learner too. They are the result if there are
    too few rows or classes. The chances are flattened with the temperature that gives the least log
    loss.
    """
    shares = np.bincount(rows.value, rows.count, n_values) / max(int(rows.count.sum()), 1)
    if rows.count.sum() < FEWEST_ROWS or len(np.unique(rows.group)) < FOLDS:
        return Predicted(NO_LEARNER, np.tile(shares, (len(targets), 1)), {})
    made = {NO_LEARNER: lambda: None, **learners(seed)}
    every = rows.and_(more)
    fold = folds_of(every.group, every.count, seed)
    row_fold = fold[every.group]
    inside = (own >= 0) & (own <= rows.group.max())
    target_fold = np.where(inside, fold[np.where(inside, own, 0)], 0)
    losses, temperatures = dict[str, float](), dict[str, float]()
    chances = np.zeros((len(targets), n_values))
    tried: dict[tuple[str, int], Floats] = {}

    def without(name: str, number: int) -> Floats:
        """Return the chances of the rows of a fold, predicted from the other folds.

        The chances of the targets of the fold are written to `tried`.
        """
        seen, unseen = row_fold != number, row_fold == number
        asked = np.vstack([every.features[unseen], targets[target_fold == number]])
        guessed = fitted(made[name](), every.where(seen), asked, n_values, shares)
        tried[name, number] = guessed[unseen.sum() :]
        return guessed[: unseen.sum()]

    compared = [row_fold == number for number in range(COMPARED)]
    value = np.concatenate([every.value[there] for there in compared])
    count = np.concatenate([every.count[there] for there in compared])
    for name in made:
        guessed = np.vstack([without(name, number) for number in range(COMPARED)])
        by_temperature = {
            t: -float(np.log(flattened(guessed, shares, t)[np.arange(len(value)), value]) @ count)
            for t in TEMPERATURES
        }
        temperatures[name] = min(by_temperature, key=lambda t: by_temperature[t])
        losses[name] = by_temperature[temperatures[name]] / float(count.sum())
    best = min(losses, key=lambda name: losses[name])
    for number in range(FOLDS):
        if (best, number) not in tried:
            without(best, number)
        chances[target_fold == number] = tried[best, number]
    temperature = temperatures[best]
    return Predicted(best, flattened(chances, shares, temperature), losses, temperature)


def flattened(chances: Floats, shares: Floats, temperature: float) -> Floats:
    """Return the chances moved towards the frequencies by temperature scaling (Guo et al. 2017).

    chances: shape (n, n_values), the chances of an overconfident learner. shares: shape
    (n_values,), the frequency of each value; a value with the share 0 gets the chance 0.
    temperature: 1 changes nothing, and higher numbers move the chances further.

    >>> flattened(np.array([[0.9, 0.1]]), np.array([0.5, 0.5]), 2.0).round(2).tolist()
    [[0.75, 0.25]]
    """
    ratio = np.divide(chances, shares, out=np.zeros_like(chances), where=shares > 0)
    scaled: Floats = shares * ratio ** (1 / temperature)
    scaled /= scaled.sum(axis=1, keepdims=True)
    return scaled


def fitted(
    learner: Any, rows: TrainingRows, asked: Floats, n_values: int, shares: Floats
) -> Floats:
    """Fit a learner and return the chance of each value, shape (len(asked), n_values).

    learner: a scikit-learn classifier; None for the frequencies. rows: the rows to learn from.
    asked: the features to predict from, shape (len(asked), features). shares: the frequency of each
    value, shape (n_values,). The chance is 1 - DOUBT times the prediction plus DOUBT times the
    frequency. With too few rows, or equal features in all rows, it is the frequency.
    """
    predicted = np.zeros((len(asked), n_values))
    few = rows.count.sum() < NEIGHBOURS  # possible if a class with most of the rows is left out
    if learner is None or not len(asked) or few or not np.ptp(rows.features, axis=0).any():
        return predicted + shares
    each = np.repeat(np.arange(len(rows.value)), rows.count)
    if len(each) > MOST_TRAINING_ROWS:
        each = np.random.default_rng(0).choice(each, MOST_TRAINING_ROWS, replace=False)
    values = rows.value[each]
    if len(np.unique(values)) < 2:
        predicted[:, values[:1]] = 1
    else:
        from threadpoolctl import threadpool_limits

        # On a busy machine one thread is much faster than several that wait for each other.
        with threadpool_limits(1):
            learner.fit(rows.features[each], values)
            predicted[:, learner.classes_] = learner.predict_proba(asked)
    chances: Floats = (1 - DOUBT) * predicted + DOUBT * shares
    return chances
