"""Risk examples of the tests of ARX and sdcMicro, with the values they expect.

ARX: TestRiskMetrics.java (3.9.2). sdcMicro: tests/testthat/test_indivRisk.R, test_suda2.R,
test_ldiversity.R, test_calcRisks.R, test_freqCalc.R and test_recordLinkage.R (5.8.1).
docs/comparison.md has a table of them.
"""

import numpy as np
import pytest
from builders import reduced

from anonaudit.attack import Setting
from anonaudit.cells import Convention
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.alignment import align_by_key
from anonaudit.models import (
    IndividualRisk,
    KAnonymity,
    LDiversity,
    MarketerRisk,
    ProsecutorRisk,
    SampleUniques,
)
from anonaudit.models.uniqueness import minimal_sample_uniques
from attacks.distance_linkage import DistanceLinkage

WILDCARD = Convention(quasi_identifiers="wildcard")


def by_row(rows, classes, values):
    """The value of the class of each row."""
    of = {}
    for codes, value in zip(classes.keys.codes, values.tolist(), strict=True):
        labels = [names[code] for names, code in zip(classes.keys.labels, codes, strict=True)]
        of[tuple(label or None for label in labels)] = value
    return [of[row] for row in rows]


def test_arx_risks_of_its_masked_example():
    rows = [("<50", "816**")] * 2 + [(">=50", "819**")] * 3 + [("<50", "819**")] * 2
    classes = reduced(rows, [0, 1], [])
    assert ProsecutorRisk().measure(classes).measured == 0.5
    assert MarketerRisk().measure(classes).measured == 0.42857142857142855


SAMPLE = [*zip("23223312", "33333343", "13121111", strict=True)]
WEIGHTS = [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51]
EXACT = [0.01355297, 0.08579129, 0.01355297, 0.17707583, 0.01877883, 0.01877883, 0.03931625,
         0.01355297]  # fmt: skip


def test_individual_risk_is_that_of_the_exact_method():
    classes = reduced(SAMPLE, [0, 1, 2], [])
    of_row = np.array(by_row(SAMPLE, classes, np.arange(len(classes))))
    weights = np.bincount(of_row, WEIGHTS)
    found = IndividualRisk(weights=weights).measure(classes)
    assert found.measured == pytest.approx(max(EXACT), abs=1e-8)
    assert found.details["expected re-identifications"] == pytest.approx(sum(EXACT), abs=1e-7)
    assert IndividualRisk().measure(classes).details["expected re-identifications"] == 5


def test_rows_with_a_missing_cell_match_anything_under_wildcards():
    """The risks 1/3, 1, 1/4, 1/2, 1/3, 1/3, 1 and 1/5 of `with missing`, survey = FALSE."""
    rows = [*zip([*"2322331", None], "33333343", ["1", "3", None, *"211", None, "1"], strict=True)]
    classes = reduced(rows, [0, 1, 2], [], convention=WILDCARD)
    assert by_row(rows, classes, classes.sizes) == [3, 1, 4, 2, 3, 3, 1, 5]
    rows = [("single",), ("married",), ("married",), ("single",), (None,)]
    classes = reduced(rows, [0], [], convention=WILDCARD)
    assert by_row(rows, classes, classes.sizes) == [3, 3, 3, 3, 5]
    assert KAnonymity().measure(classes).measured == 3


def test_global_risk_is_the_marketer_risk():
    """Frequencies 2, 1, 2, 1, 1, 2, 1, 2, 1, 1 have a global risk of 0.8."""
    assert MarketerRisk().measure(reduced([*zip("abacdbefgh")], [0], [])).measured == 0.8


BOOK = [
    *zip(
        ["20s"] * 7 + ["60s"],
        ["male"] * 4 + ["female"] * 3 + ["male"],
        ["50k+"] * 2 + ["50k-"] * 6,
        ["high"] * 4 + ["university", "high", "middle", "university"],
        strict=True,
    )
]
GUIDELINE = [*zip("UUUURUUUUU", "FFFMFMFMFF", "iipccctsii", "EENEUENUNN", strict=True)]


@pytest.mark.parametrize(
    ("rows", "scores"),
    [(BOOK, [0, 0, 0, 0, 4, 2, 6, 8]), (GUIDELINE, [0, 0, 6, 0, 12, 0, 6, 10, 0, 0])],
)
def test_suda_scores(rows, scores):
    classes = reduced(rows, [0, 1, 2, 3], [])
    assert by_row(rows, classes, minimal_sample_uniques(classes, 3)[1]) == scores


def test_suda_contributions():
    classes = reduced([("2", "0", "0"), ("1", "3", "6"), ("1", "0", "0")], [0, 1, 2], [])
    found = SampleUniques().measure(classes).details["contribution of columns to the SUDA scores"]
    assert found == {"0": 0.5, "1": 0.375, "2": 0.375}


def test_distinct_values_of_each_class():
    """Their classes have 3, 2 and 2 values; a missing key is a value of its own in both."""
    keys = ["female"] * 3 + ["male"] * 2 + ["female"] * 2
    jobs = [None] * 3 + ["teacher"] * 2 + ["nurse"] * 2
    classes = reduced([*zip(keys, jobs, "1021001", strict=True)], [0, 1], [2])
    assert sorted(classes.sensitive["2"].distinct.tolist()) == [2, 2, 3]
    assert LDiversity().measure(classes).measured == 2


@pytest.mark.parametrize(
    ("original", "released"),
    [
        (["1 0", "0 1", "-1 0", "0 -1"], ["0 0", "0 2.1", "-2.1 0", "0 -2.1"]),
        (["1", "2", "3", "4"], ["2", "3", "4", "-0.1"]),
    ],
)
def test_record_linkage_is_of_the_nearest_row_and_not_one_to_one(original, released):
    """sdcMicro assigns rows one to one, and has 4 and 0 of 4 right.

    The nearest row is right for one of four in both: 0 0 is the nearest of all, and 2 of 1 and 2.
    """
    columns = [str(at) for at in range(len(original[0].split()))]
    old, new = (
        FrequencySet.of(["id", *columns], [(str(at), *x.split()) for at, x in enumerate(rows)])
        for rows in (original, released)
    )
    pairs = align_by_key(
        old, new, "id", quasi_identifiers=[], sensitive=[], validity={}, perturbed=columns
    )
    classes = reduced([tuple(x.split()) for x in released], range(len(columns)), [])
    assert DistanceLinkage().run(Setting(classes=classes, alignment=pairs)).rate == 0.25
