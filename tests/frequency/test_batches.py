"""Classes are worked on so many at once, and nothing that is found depends on how many."""

import numpy as np
import pytest
from builders import reduced
from hypothesis import given
from hypothesis import strategies as st

from anonaudit.attack import Setting
from anonaudit.cells import Convention
from anonaudit.models import MultiAttributeLDiversity, multi_attribute_l_diversity
from attacks import elimination
from attacks.elimination import Elimination

CELLS = st.sampled_from(["a", "b", "c", None])
TABLES = st.lists(
    st.tuples(st.sampled_from("xyzuvw"), CELLS, CELLS, st.sampled_from("123456789")), max_size=40
)


def sizes(rows, most, convention=None):
    """The entries of each batch; and that they are all, once each, in whole classes."""
    classes = reduced(rows, [0], [1], convention=convention)
    batches = list(classes.batches(most))
    assert np.array_equal(np.sum(batches, axis=0), np.ones(len(classes.kept)))
    homes = [set(classes.class_of[chosen].tolist()) for chosen in batches]
    assert sum(map(len, homes)) == len(set().union(*homes))
    return [int(chosen.sum()) for chosen in batches]


def test_a_batch_has_whole_classes():
    """x has three different rows, y one, z two, of which one stands twice."""
    rows = [("x", "1"), ("x", "2"), ("x", "3"), ("y", "1"), ("z", "1"), ("z", "2"), ("z", "2")]
    assert sizes(rows, 6) == [6]
    assert sizes(rows, 5) == [4, 2]
    assert sizes(rows, 3) == [3, 3]
    assert sizes(rows, 2) == [3, 1, 2]
    assert sizes(rows, 1) == [3, 1, 2]
    assert list(reduced([], [0], [1]).batches(1)) == []
    wild = Convention(quasi_identifiers="wildcard")
    assert sizes([*rows, (None, "1")], 1, wild) == [7]


@given(TABLES, st.integers(1, 9), st.booleans(), st.integers(0, 3))
def test_elimination_finds_the_same_in_batches(rows, most, persons, values):
    classes = reduced(rows, [0], [1, 2], unit=3 if persons else None)
    for options in ({}, {"budget": 0}, {"budget": 450}, {"at_most": {"1": 1}}):
        setting = Setting(classes=classes, options={"values": values, **options})
        whole = Elimination().run(setting)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(elimination, "MOST_ELIMINATED_AT_ONCE", most)
            parts = Elimination().run(setting)
        assert np.array_equal(whole.exposed, parts.exposed)
        assert {**vars(whole), "exposed": 0} == {**vars(parts), "exposed": 0}


@given(TABLES, st.integers(1, 9), st.sampled_from([{}, {"1": 1}]))
def test_the_exact_l_is_the_same_in_batches(rows, most, limits):
    classes = reduced(rows, [0], [1, 2])
    whole = MultiAttributeLDiversity(2, limits).measure(classes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multi_attribute_l_diversity, "MOST_AT_ONCE", most)
        parts = MultiAttributeLDiversity(2, limits).measure(classes)
    masks = {"violating": 0, "undecided": 0}
    assert all(np.array_equal(getattr(whole, name), getattr(parts, name)) for name in masks)
    assert {**vars(whole), **masks} == {**vars(parts), **masks}
