"""Which labels of two releases overlap: by the values that each may stand for, counted by hand."""

import tracemalloc
from itertools import product

import numpy as np
import pytest

from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.overlap import _alike, overlapping


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


def fits(mask, text):
    """Whether a mask may stand for a text of its length, character by character."""
    return all(m in ("*", t) for m, t in zip(mask, text, strict=True))


def test_masks_against_every_text_that_they_may_stand_for():
    """Masks over two characters of two and three places; what they share, counted text by text."""
    masks = ["".join(m) for n in (2, 3) for m in product("ab*", repeat=n) if {*m} > {"*"}]
    texts = ["".join(t) for n in (2, 3) for t in product("abc", repeat=n)]
    wanted = {
        (x, y)
        for x, y in product(masks, repeat=2)
        if len(x) == len(y) and any(fits(x, t) and fits(y, t) for t in texts if len(t) == len(x))
    }
    sure, maybe = pairs(masks, masks)
    assert {(x, y) for x, y in sure if len(x) == len(y)} == wanted
    assert not {(x, y) for x, y in maybe if len(x) == len(y)}


def test_masks_without_a_common_text_take_no_memory():
    """3,000 masks in each release: nine million pairs as Python tuples took more than a gigabyte."""
    masks = (np.arange(3_000), np.arange(24_000).reshape(3_000, 8) + 1_000)
    tracemalloc.start()
    alike = _alike({8: masks}, {8: (masks[0], masks[1] + 24_000)})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(alike) == 0
    assert peak < 20_000_000
