"""Sets are compared by their members: a law over many columns, and sets within sets."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonaudit.linking import sets, too_much
from anonaudit.linking.matching import match_column
from anonaudit.linking.sets import DEEPEST_SET, taken_apart, with_label_sets, with_value_sets
from anonaudit.linking.too_much import TooMuchError

# Numbers, bands, masks, codes, dates, texts, other spellings, words for anything.
TEXTS = [
    *["25", "29.5", "20-29", "30-39", "under 20", "1,000", "1000.0", "20s", "021", "021**", "2139"],
    *[
        "E11.9",
        "E11",
        "e11",
        "I20.1",
        "I201",
        "2020-05-17",
        "2020-05",
        "2020-05-00",
        "Oslo",
        "OSLO",
    ],
    *["Osl*", "New York", "NewYork", "any", "Other", "F", "M", "female", "#1"],
]


def pairs(values, labels):
    """The pairs that match, and those that may match, as texts."""
    found = match_column(["", "*", *values], ["", "*", *labels], maybe=True)

    def of(match):
        place, code = match.of(np.arange(2, len(values) + 2))
        return {(values[g], labels[c - 2]) for g, c in zip(place, code, strict=True) if c > 1}

    return of(found), of(found.widest)


@settings(max_examples=2 * settings.default.max_examples)
@example(["male", "25"], ["F", "M"], ["E11"])
@given(
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4, unique=True),
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from(TEXTS), max_size=3, unique=True),
)
def test_a_set_holds_what_its_members_hold(values, members, others):
    """Every member stands in the column by itself too; the set is their union."""
    whole = "{" + ";".join(members) + "}"
    labels = list(dict.fromkeys([*members, *others, whole]))
    sure, wide = pairs(values, labels)
    for found in (sure, wide):
        of_members = {value for value, label in found if label in members}
        assert {value for value, label in found if label == whole} == of_members


@settings(max_examples=2 * settings.default.max_examples)
@given(
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from(TEXTS), max_size=2, unique=True),
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4, unique=True),
)
def test_a_value_that_is_a_set_has_the_labels_of_all_its_members(members, others, labels):
    whole = "{" + ";".join(members) + "}"
    values = list(dict.fromkeys([*members, *others, whole]))
    sure, wide = pairs(values, labels)
    for label in labels:
        of = [{value for value, x in found if x == label} & {*members} for found in (sure, wide)]
        assert ((whole, label) in sure) == (of[0] == {*members})
        assert ((whole, label) in wide) == bool(of[1])


def nested(depth):
    return "{" * depth + "a" + "}" * depth


def test_sets_within_sets():
    """By hand: each pair of braces is a set with one member."""
    assert pairs(["a", "b", "x"], [nested(2), "x"])[0] == {("a", nested(2)), ("x", "x")}
    assert pairs(["a", "x"], [nested(DEEPEST_SET), "x"])[1] == {
        ("a", nested(DEEPEST_SET)),
        ("x", "x"),
    }
    assert pairs(["{x,{a}}"], ["{a,x}"])[0] == {("{x,{a}}", "{a,x}")}
    # A deeper one is not understood, in either table.
    assert ("b", nested(DEEPEST_SET + 1)) in pairs(["b", "x"], [nested(DEEPEST_SET + 1), "x"])[1]
    assert (nested(DEEPEST_SET + 1), "b") in pairs([nested(DEEPEST_SET + 1), "x"], ["b", "x"])[1]
    assert pairs(["a", "b"], ["{x,{a}}", "{a~b}"])[0] == {
        ("a", "{x,{a}}"),
        ("a", "{a~b}"),
        ("b", "{a~b}"),
    }


def test_each_text_is_read_once():
    read = []

    def members(text):
        read.append(text)
        return text[1:-1].split("+") if text[0] == "(" else ()

    codes = {"(a+b)": 2, "a": 3}
    assert taken_apart(codes, 9, members) == {2: {3, 9}}
    assert (codes, sorted(read)) == ({"(a+b)": 2, "a": 3, "b": 9}, ["(a+b)", "a", "b"])


def test_pairs_of_members_are_pairs_of_their_sets():
    held = {7: frozenset({1, 2}), 8: frozenset({2})}
    some = np.array([[5, 1], [5, 2], [6, 2], [6, 3], [6, 2]])
    assert with_label_sets(some, held).tolist() == [[5, 7], [5, 7], [5, 8], [6, 7], [6, 8]]
    turned = some[:, ::-1]
    assert with_value_sets(turned, held, every=True).tolist() == [[7, 5], [8, 5], [8, 6]]
    assert {*map(tuple, with_value_sets(turned, held, every=False).tolist())} == {
        (7, 5), (7, 6), (8, 5), (8, 6)}  # fmt: skip


def test_too_many_pairs_of_sets_are_refused(monkeypatch):
    monkeypatch.setattr(too_much, "MOST_UNDECIDED", 2)
    with pytest.raises(TooMuchError):
        sets.with_label_sets(np.array([[5, 1], [6, 1], [7, 1]]), {9: frozenset({1})})
