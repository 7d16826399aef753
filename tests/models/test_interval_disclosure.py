"""Interval disclosure by hand, against a loop over rows, and where nothing is decided."""

import statistics

import numpy as np
import pandas as pd
import pytest
from builders import reduced

import anonaudit
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.alignment import How, align_by_key
from anonaudit.models import IntervalDisclosure
from anonaudit.policy.policy import parse_policy

CLASSES = reduced([("a",)], [0], [])


def paired(original, released, columns=("x",), perturbed=None, how=How.KEY):
    """Rows of numbers as texts, paired in their order."""
    names = ("id", *columns)
    old, new = (
        FrequencySet.of(names, [(str(at), *row) for at, row in enumerate(rows)])
        for rows in (original, released)
    )
    return align_by_key(
        old, new, "id", quasi_identifiers=[], sensitive=[], validity={},
        perturbed=columns if perturbed is None else perturbed, how=how,
    )  # fmt: skip


def measured(original, released, columns=("x",), **more):
    pairs = paired([(x,) for x in original], [(x,) for x in released], columns)
    return IntervalDisclosure(alignment=pairs, **more).measure(CLASSES)


def loop(original, released, within):
    """As `dRisk` of sdcMicro 5.8.1 counts (R/dRisk.R), row by row; and by column.

    Returns the share of rows with every value in its interval, and the share by column.
    """
    units = [statistics.stdev(column) for column in zip(*released, strict=True)]
    inside = [
        [y - within * s <= x <= y + within * s for x, y, s in zip(old, new, units, strict=True)]
        for old, new in zip(original, released, strict=True)
    ]
    by_column = [sum(column) / len(inside) for column in zip(*inside, strict=True)]
    return sum(map(all, inside)) / len(inside), by_column


@pytest.mark.parametrize("seed", range(20))
def test_shares_are_those_of_a_loop_over_rows(seed):
    rng = np.random.default_rng(seed)
    original = rng.integers(0, 50, (rng.integers(3, 30), 3)).astype(float)
    released = original + rng.normal(size=original.shape) * (1, 5, 20)
    within = float(rng.choice([0.05, 0.3, 1.0]))
    every, by_column = loop(original.tolist(), released.tolist(), within)
    texts = [[tuple(map(repr, row)) for row in rows.tolist()] for rows in (original, released)]
    found = IntervalDisclosure(
        within=within, alignment=paired(*texts, columns=("a", "b", "c"))
    ).measure(CLASSES)
    assert [found.per_attribute[c].measured for c in "abc"] == by_column
    assert found.measured == max(by_column)
    assert found.details["rows in all intervals"] == every
    assert found.outcome == "measured"


@pytest.mark.parametrize(("most", "outcome"), [(0.5, "violated"), (2 / 3, "holds")])
def test_an_interval_by_hand(most, outcome):
    """10, 20 and 30 have a standard deviation of 10; a tenth is 1. 10 and 21 are close, 34 is not.

    21 is on the edge of its interval, which is in it.
    """
    found = measured(["10", "21", "34"], ["10", "20", "30"], within=0.1, most=most)
    assert (found.measured, found.outcome) == (2 / 3, outcome)
    assert found.details["values in the interval"] == {"x": 2}


def test_cells_without_a_value():
    """A suppressed cell discloses nothing; an original without a value has nothing to disclose."""
    found = measured(["10", "20", None, "30"], ["10", "*", "25", "30"], within=0.01, most=0.7)
    assert (found.measured, found.outcome) == (2 / 3, Outcome.HOLDS)
    assert found.details["values compared"] == {"x": 3}


@pytest.mark.parametrize(
    ("most", "outcome"), [(0.2, "violated"), (0.4, "inconclusive"), (0.7, "holds")]
)
def test_a_text_is_undecided(most, outcome):
    """One of three is close, and one more may be: 1/3 to 2/3."""
    found = measured(["10", "20", "30"], ["10", "about 20", "50"], within=0.01, most=most)
    assert (found.measured, found.outcome) == (1 / 3, outcome)
    assert "not read as numbers, so undecided: 1 value(s) of x" in found.notes[0]


def test_numbers_with_a_decimal_comma():
    assert measured(["1,5", "9"], ["1,5", "5"], decimal=",").measured == 0.5
    assert measured(["1,5", "9"], ["1,5", "5"]).details["values undecided"] == {"x": 1}


def test_equal_released_numbers_have_an_interval_of_one_point():
    assert measured(["10", "20", "20"], ["20", "20", "20"]).measured == 2 / 3
    assert measured(["10"], ["10"]).measured == 1


@pytest.mark.parametrize(
    ("pairs", "more", "why"),
    [
        (None, {}, "no original"),
        (paired([("1",)], [("1",)], how=How.PERMUTATION), {}, "original.key"),
        (paired([], []), {}, "no row"),
        (paired([("1",)], [("1",)], perturbed=[]), {}, "no column is declared perturbed"),
        (paired([("nurse",)], [("nurse",)]), {}, "no original value is a number"),
        (
            paired([("1",)], [("9",)]),
            {"columns": ["x", "y"]},
            "absent from the original or used as key: 'y'",
        ),
    ],
)
def test_what_was_not_compared_is_undecided(pairs, more, why):
    found = IntervalDisclosure(most=1, alignment=pairs, **more).measure(CLASSES)
    assert found.outcome == Outcome.INCONCLUSIVE
    assert why in found.notes[0]


RULES = """
columns.quasi-identifiers = ["x"]
values.reading = { x = "perturbed" }
original = { file = "original.csv", key = "id" }
require.interval-disclosure = { most = 0.1 }
"""


@pytest.mark.parametrize(
    ("keys", "outcome", "unpaired"),
    [(["1", "2", "3"], "violated", 0), (["01", "02", "3"], "inconclusive", 2)],
)
def test_released_rows_without_an_original_row_are_undecided(
    keys, outcome, unpaired, tmp_path, monkeypatch
):
    """Two of three values are released unchanged; where their keys are unlike, nobody knows."""
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"id": keys, "x": ["10", "20", "30"]}).to_csv("original.csv", index=False)
    release = pd.DataFrame({"id": ["1", "2", "3"], "x": ["10", "20", "90"]})
    report = anonaudit.audit(release, parse_policy(RULES, folder=tmp_path))
    [found] = [one for one in report.models if one.model == "interval-disclosure"]
    assert found.outcome == outcome
    assert any(f"{unpaired} released row(s)" in note for note in found.notes) is (unpaired > 0)


def test_leading_zeros_do_not_matter():
    """Of 7, 21 and 34, only 21 lies within 1 of its released number 10, 20 or 30."""
    for form in ("{}", "{:03}"):
        old, new = ([(form.format(x),) for x in column] for column in ([7, 21, 34], [10, 20, 30]))
        found = IntervalDisclosure(0.5, within=0.1, alignment=paired(old, new)).measure(CLASSES)
        assert (found.measured, found.outcome) == (1 / 3, "holds")


def test_numbers_of_more_than_150_digits_are_undecided():
    """The fifth number is released as it was: at least 1 of 5 is disclosed, at most 5 of 5."""
    same = ["1e308", "-1e308", "1e308", "-1e308", "5"]
    pairs = paired([(x,) for x in same], [(x,) for x in same])
    for most, outcome in ((0.1, Outcome.VIOLATED), (0.2, Outcome.INCONCLUSIVE)):
        found = IntervalDisclosure(most=most, alignment=pairs).measure(CLASSES)
        assert found.outcome == outcome
        assert found.details["values undecided"] == {"x": 4}


def test_a_column_without_numbers_leaves_the_others_undecided_unless_they_are_named():
    pairs = paired([("1", "nurse"), ("5", "nurse")], [("1", "nurse"), ("9", "x")], ("x", "job"))
    assert IntervalDisclosure(0.9, alignment=pairs).measure(CLASSES).outcome == "inconclusive"
    assert IntervalDisclosure(0.4, alignment=pairs).measure(CLASSES).outcome == "violated"
    named = IntervalDisclosure(0.9, columns=["x"], alignment=pairs).measure(CLASSES)
    assert (named.measured, named.outcome) == (0.5, "holds")


@pytest.mark.parametrize(
    "wrong", [{"most": 1.1}, {"within": 0}, {"within": None}, {"columns": "x"}, {"columns": [1]}]
)
def test_wrong_parameters(wrong):
    with pytest.raises(AnonauditError, match=next(iter(wrong))):
        IntervalDisclosure(**wrong)
