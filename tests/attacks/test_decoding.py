"""What labels are decoded to: the average of the people they may stand for, counted by hand."""

import numpy as np
import pytest
from builders import reduced

from anonaudit.attack import Setting
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from attacks.decoding import decoded


def features(values, labels, hierarchy=None, **more):
    """The features of one column of labels, by label; the people are these values."""
    people = FrequencySet.of(["0"], [(v,) for v in values])
    release = FrequencySet.of(["0"], [(label,) for label in labels])
    trees = {} if hierarchy is None else {"0": hierarchy}
    setting = Setting(reduced([(x,) for x in labels], [0], []), hierarchies=trees, **more)
    ours, theirs = decoded(setting, people, release)
    texts = [release.labels_of("0")[code] for code in release.column("0")]
    return dict(zip(texts, theirs.tolist(), strict=True)), ours


AGES = [str(age) for age in range(20, 40)]  # twenty numbers: one number


@pytest.mark.parametrize(
    ("label", "mean"),
    [
        ("[20,30)", 24.5),
        ("20-23", 21.5),
        ("{20,39}", 29.5),
        ("*", 29.5),
        ("<22", 20.5),
        ("35", 35.0),
        ("2*", 24.5),
        ("90", 90.0),  # nobody's: its own number
        ("young", 29.5),  # not read: anybody's
    ],
)
def test_numbers(label, mean):
    found, _ = features(AGES, [label])
    assert found[label] == pytest.approx([mean, 1.0])


def test_people_count_as_often_as_there_are_of_them():
    found, _ = features([*AGES, "20", "20"], ["20-21"])
    assert found["20-21"] == pytest.approx([(3 * 20 + 21) / 4, 1.0])


def test_what_is_no_number_among_numbers():
    found, ours = features([*AGES, "N"], ["N", "20", "*"])
    assert found["N"][1] == 0
    assert found["20"] == [20.0, 1.0]
    assert found["*"][1] == pytest.approx(20 / 21)
    assert ours.shape == (21, 2)


def test_few_values_are_indicators_and_sets_their_shares():
    found, ours = features(["a", "a", "b", "c"], ["{a,b}", "c", "*"])
    # The most frequent first: a, b, c.
    assert found["{a,b}"] == pytest.approx([2 / 3, 1 / 3, 0])
    assert found["c"] == [0, 0, 1]
    assert found["*"] == pytest.approx([1 / 2, 1 / 4, 1 / 4])
    assert ours.tolist() == np.eye(3).tolist()


def test_a_node_of_a_hierarchy():
    tree = Hierarchy.from_levels(
        "0", [("flu", "lung", "*"), ("cold", "lung", "*"), ("gout", "joint", "*")]
    )
    found, _ = features(["flu", "cold", "gout"], ["lung", "joint"], tree)
    assert found["lung"] == pytest.approx([1 / 2, 1 / 2, 0])
    assert found["joint"] == [0, 0, 1]


def test_a_person_with_an_unknown_cell_is_the_average():
    _, ours = features(["a", "b", "*"], ["a"])
    assert [0.5, 0.5] in ours.tolist()
