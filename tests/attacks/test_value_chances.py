"""Chances of values by predictions and candidates, against every way to share a class's rows out."""

from itertools import permutations

import numpy as np
import pytest

from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.matching import Candidates
from attacks import value_chances as module
from attacks.value_chances import value_chances


def weighed(rows, fits, predicted, sharing=None):
    """The chances of targets; rows: (class, value), fits: the classes that each target fits."""
    release = FrequencySet.of(("class", "dx"), rows)
    keys = release.project(["class"])
    place = {label: i for i, label in enumerate(keys.labels_of("class")[2:])}
    pairs = [(t, place[c]) for t, classes in enumerate(fits) for c in classes]
    person, key = np.array(pairs, np.intp).reshape(-1, 2).T
    shares = np.ones(len(fits), np.int64) if sharing is None else np.array(sharing)
    return value_chances(
        Candidates(person, key), shares, release, keys, "dx", np.array(predicted, float)
    )


def by_every_sharing(values, predicted):
    """The chance of each value for each person, over all ways to give each person a row."""
    found = np.zeros_like(predicted)
    for rows in permutations(values):
        chance = np.prod([predicted[i][v] for i, v in enumerate(rows)])
        for i, v in enumerate(rows):
            found[i, v] += chance
    return found / found.sum(axis=1, keepdims=True)


def test_two_people_and_two_rows_are_exact():
    predicted = np.array([[0.8, 0.2], [0.4, 0.6]])
    found = weighed([("c", "flu"), ("c", "hiv")], ["c", "c"], predicted)
    assert found.known == pytest.approx(by_every_sharing([0, 1], predicted), abs=1e-9)
    assert found.known[0, 0] == pytest.approx(0.48 / (0.48 + 0.08))  # by hand


@pytest.mark.parametrize("values", [[0, 0, 1], [0, 1, 2], [0, 0, 1, 1, 2], [0, 1, 1, 1, 1, 2]])
def test_larger_classes_are_near(values):
    rng, errors = np.random.default_rng(len(values)), []
    for _ in range(20):
        predicted = rng.dirichlet([2.0] * 3, len(values))
        predicted = predicted[:, : len(set(values))]
        found = weighed([("c", f"v{v}") for v in values], ["c"] * len(values), predicted)
        errors.append(np.abs(found.known - by_every_sharing(values, predicted)))
    # Candidates that are all as likely are 0.13 to 0.19 off on average.
    assert np.max(errors) < 0.11
    assert np.mean(errors) < 0.025


def test_equal_predictions_leave_candidates_as_likely():
    """Three of four rows have flu, whatever everybody is predicted to have."""
    rows = [("c", "flu")] * 3 + [("c", "hiv")]
    found = weighed(rows, ["c"] * 4, [[0.1, 0.9]] * 4)
    assert found.known == pytest.approx(np.array([[0.75, 0.25]] * 4))


def test_one_person_of_a_class_has_any_of_its_rows():
    found = weighed([("c", "flu")] * 3 + [("c", "hiv")], ["c"], [[0.1, 0.9]])
    assert found.known[0] == pytest.approx([0.75, 0.25])


def test_a_row_that_must_be_somebody_elses():
    """The second person fits the first row only, so the first person has the second row."""
    rows = [("a", "flu"), ("b", "hiv")]
    found = weighed(rows, ["ab", "a"], [[0.5, 0.5], [0.5, 0.5]])
    assert found.known[0, 1] > 0.95


def test_unknown_values_and_people_without_candidates():
    found = weighed([("c", "flu"), ("c", "*"), ("c", "*")], ["c", ""], [[1.0], [1.0]])
    assert found.known.ravel() == pytest.approx([1 / 3, 0])
    assert found.unknown == pytest.approx([2 / 3, 0])


def test_people_who_are_alike_share_their_class():
    """Three people of one kind and one of another, for two rows of flu and two of hiv."""
    rows = [("c", "flu")] * 2 + [("c", "hiv")] * 2
    found = weighed(rows, ["c", "c"], [[0.5, 0.5], [0.9, 0.1]], sharing=[3, 1])
    exact = by_every_sharing([0, 0, 1, 1], np.array([[0.5, 0.5]] * 3 + [[0.9, 0.1]]))
    assert np.abs(found.known - exact[[0, 3]]).max() < 0.03


def test_too_much_is_not_weighed(monkeypatch):
    monkeypatch.setattr(module, "MOST_WEIGHED", 3)
    assert weighed([("c", "flu"), ("c", "hiv")], ["c", "c"], [[0.5, 0.5]] * 2) is None
