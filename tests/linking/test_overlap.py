"""Which labels of two releases overlap: by the values that each may stand for, counted by hand."""

import numpy as np
import pytest

from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.overlap import overlapping


def pairs(one, other, **how):
    """The pairs of labels that overlap, and those that may."""
    match = overlapping(["", "*", *one], ["", "*", *other], **how)

    def named(found):
        place, code = found.of(np.arange(2, len(one) + 2))
        return {(one[p], other[c - 2]) for p, c in zip(place, code, strict=True) if c > 1}

    return named(match), named(match.widest) - named(match)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    ("mine", "theirs", "overlap"),
    [
        ("[20,30)", "[20,30)", "yes"),
        ("[20,30)", "[25,35)", "yes"),
        ("[20,30)", "[30,40)", "no"),
        ("[20,30]", "[30,40)", "yes"),
        ("20-29", "25", "yes"),
        ("20-29", "30", "no"),
        ("482**", "48***", "yes"),
        ("482**", "4*2*1", "yes"),
        ("482**", "483**", "no"),
        ("482**", "48201", "yes"),
        ("48201", "48201", "yes"),
        ("482**", "4*", "may"),
        ("20-29", "young", "may"),
    ],
)
def test_two_labels(mine, theirs, overlap, swapped):
    one, other = (theirs, mine) if swapped else (mine, theirs)
    sure, maybe = pairs([one], [other])
    assert (bool(sure), bool(maybe)) == (overlap == "yes", overlap == "may")


def test_what_is_above_or_below_in_a_hierarchy():
    levels = [("Oslo", "east", "*"), ("Hamar", "east", "*"), ("Bergen", "west", "*")]
    tree = Hierarchy.from_levels("city", levels)
    sure, maybe = pairs(["east", "Bergen"], ["Oslo", "west", "Hamar"], hierarchy=tree)
    assert sure == {("east", "Oslo"), ("east", "Hamar"), ("Bergen", "west")}
    assert maybe == set()


def test_cells_without_a_value_overlap_with_all():
    match = overlapping(["", "*", "a"], ["", "*", "a"])
    assert [match.of(np.array([code]))[1].tolist() for code in range(3)] == [[0, 1, 2]] * 3
