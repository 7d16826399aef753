"""Disclosure risks, k-map and uniques beside their level: too few people, and summaries.

All of them about three rows, two of x and one of y, unless a test says otherwise.
"""

import numpy as np
import pytest
from builders import reduced

from anonaudit.cells import Convention
from anonaudit.findings import Outcome, Witness
from anonaudit.models import (
    IndividualRisk,
    JournalistRisk,
    KMap,
    MarketerRisk,
    ProsecutorRisk,
    SampleUniques,
)

THREE = reduced([("x",), ("x",), ("y",)], [0], [])
SHORT = (
    "{} class(es) have more people in the release than people of the population file that surely "
    "fit them"
)
# With one person for x and five for y, x counts as its own two: 1/2, 1/5, (2/2 + 1/5) / 3 = 0.4.
HELD = [(JournalistRisk, "highest", 0.5, 0.4), (MarketerRisk, "average", 0.4, 0.3)]


@pytest.mark.parametrize(("model", "asked", "enough", "too_much"), [*HELD, (KMap, "k", 1, 2)])
def test_what_would_hold_against_other_people_is_left_open(model, asked, enough, too_much):
    other = np.array([1.0, 5.0])
    found = model(**{asked: enough}, population=other).measure(THREE)
    assert (found.outcome, found.notes) == (Outcome.INCONCLUSIVE, (SHORT.format(1),))
    assert found.measured == pytest.approx(enough)
    assert model(**{asked: too_much}, population=other).measure(THREE).outcome is Outcome.VIOLATED
    assert model(population=other).measure(THREE).outcome is Outcome.MEASURED
    assert model(population=np.array([1.0, 0.5])).measure(THREE).notes == (SHORT.format(2),)


@pytest.mark.parametrize(
    ("model", "measured"),
    [(JournalistRisk(1), 1), (MarketerRisk(1), 2 / 3), (KMap(1), 1)],
)
def test_a_population_of_just_the_released_people_is_one(model, measured):
    """1/1 at most, (2/2 + 1/1) / 3 on average, 1 at least; the same without a population."""
    own = type(model)(1, population=np.array([2.0, 1.0])).measure(THREE)
    assert (own.measured, own.outcome, own.notes) == (pytest.approx(measured), Outcome.HOLDS, ())
    found = model.measure(THREE)
    assert (found.measured, found.outcome) == (pytest.approx(measured), Outcome.HOLDS)
    assert found.witness == (None if isinstance(model, MarketerRisk) else Witness(1, 1))


FEW = {"threshold": 0.2, "highest": 1, "average": 2 / 3, "share above threshold": 1}
ALONE = {"threshold": 0.2, "highest": 1, "average": 1, "share above threshold": 1}
# Of eight people x's rows have a risk of 1/8; y's of 1/5 is the threshold, and not above it.
MANY = {
    "threshold": 0.2,
    "highest": 0.2,
    "average": (2 / 8 + 1 / 5) / 3,
    "share above threshold": 0,
}


@pytest.mark.parametrize("model", [ProsecutorRisk, JournalistRisk])
def test_a_risk_is_summed_up_over_the_rows(model):
    assert model().measure(THREE).details == pytest.approx(FEW)
    assert model().measure(reduced([("x",)], [0], [])).details == ALONE
    if model is JournalistRisk:
        found = JournalistRisk(population=np.array([8.0, 5.0])).measure(THREE)
        assert found.details == pytest.approx(MANY)


@pytest.mark.parametrize("model", [JournalistRisk, MarketerRisk, KMap])
def test_nobody_has_no_risk(model):
    for population in (None, np.zeros(0)):
        found = model(1, population=population).measure(reduced([], [0], []))
        assert (found.measured, found.outcome) == (None, Outcome.INCONCLUSIVE)


def test_a_class_fits_persons_or_weighed_rows():
    """x and the row that may be x: half of that counts. Of persons there are only whole ones."""
    half = Convention("wildcard", 0.5, suppressed_tuples="include")
    classes = reduced([("x",), (None,)], [0], [], convention=half)
    weighed = KMap(k=2).measure(classes)
    assert (weighed.measured, weighed.outcome) == (1.5, Outcome.VIOLATED)
    found = KMap(population=np.array([3.0, 4.0])).measure(classes)
    assert (found.measured, type(found.measured)) == (3, int)
    assert type(KMap().measure(THREE).measured) is int


def test_a_share_of_all_rows_has_no_witness_class():
    """One row of three is alone, on its one column."""
    found = SampleUniques(share=0.3).measure(THREE)
    assert (found.measured, found.witness) == (pytest.approx(1 / 3), None)
    assert (found.outcome, found.classes_violating) == (Outcome.VIOLATED, 2)
    assert found.details["rows with a minimal sample unique of size"] == {"1": 1}


def test_without_weights_a_row_stands_for_itself_and_it_says_so():
    """1/2 for each of x, 1 for y: two re-identifications are expected."""
    found = IndividualRisk().measure(THREE)
    assert found.notes == ("no weights: every row stands for itself",)
    assert (found.measured, found.details) == (1, {"expected re-identifications": 2})
    light = IndividualRisk(weights=np.array([1.0, 0.5])).measure(THREE)
    assert (light.measured, light.notes) == (1, ())  # nobody stands for less than himself


def test_columns_beyond_number_without_anybody_alone():
    # 44,850 pairs and 4,455,100 triples of 300 columns would take minutes.
    rows = [("x",) * 300, ("x",) * 300, ("y",) * 300, ("y",) * 300]
    found = SampleUniques().measure(reduced(rows, list(range(300)), []))
    assert found.measured == 0
    assert found.details["rows with a minimal sample unique of size"] == {}
