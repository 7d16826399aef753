"""The measures of the experiments, counted by hand on tables that fit on a page."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking import loss
from anonaudit.masking.greedy_cka import greedy_cka
from anonaudit.masking.lattice import k_minimal, recode
from anonaudit.masking.recoding import Microdata, Recoding
from anonaudit.models.boundaries import Boundaries
from anonaudit.papers.reproduction.ct06 import short_groups
from anonaudit.papers.reproduction.experiment import adult, sampled
from anonaudit.papers.reproduction.gcg08_runs import are_large
from anonaudit.papers.reproduction.mct08_runs import boundary_violations
from anonaudit.papers.reproduction.tv06 import QUASI, disclosures, hierarchies, sample
from anonaudit.papers.reproduction.tv06_nodes import levels_of, sizes_at, small_rows, standing
from anonaudit.roles import Roles


def table(columns, quasi, *sensitive, trees=None):
    frame = pd.DataFrame({name: list(cells) for name, cells in columns.items()}, dtype=str)
    return Microdata.read(frame, Roles(tuple(quasi), sensitive), trees)


#   sex  pay  tax        m: pay is a, tax is 1 or 2; f: pay is a or b, tax is 1; x: one row
SEX = {"sex": "mmmfffx", "pay": "aaaabba", "tax": "1121112"}


def test_attribute_disclosures():
    """m discloses pay, f the tax. x is alone with k = 1, and discloses both; with k = 2 it is gone.

    Two values are no disclosure, so <= 2 for == 1 would find 4 where 2 are.
    """
    data = table(SEX, ["sex"], "pay", "tax")
    assert disclosures(recode(data, (0,), k=2, threshold=1)) == 2
    assert disclosures(recode(data, (0,), k=1)) == 4
    assert disclosures(recode(data, (1,), k=2)) == 0  # all rows in one class


def test_groups_and_tuples_are_told_apart():
    """Three clusters, two of them released as m: classes m (5 rows, pay is a) and f (a and b).

    2-sensitivity: one group of 5 tuples. 3-sensitivity: both groups, 8 tuples.
    """
    data = table({"sex": "mmmmmfff", "pay": "aaaaaabb"}, ["sex"], "pay")
    domain = recode(data, (0,), k=1).domains
    male, female = (domain[0].labels.index(label) for label in "mf")
    keys = np.array([[male], [male], [female]])
    group = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    found = Recoding(data, group, domain, keys, "by hand")
    pay = data.sensitive[:, 0]
    assert short_groups(found, pay, 1) == (0, 0)
    assert short_groups(found, pay, 2) == (1, 5)
    assert short_groups(found, pay, 3) == (2, 8)
    # Clusters by themselves: 3, 2 and 3 rows; the first two have pay a alone.
    assert short_groups(found, pay, 2, clusters=True) == (2, 5)
    assert short_groups(found, pay, 3, clusters=True) == (3, 8)


PLACES = Hierarchy.from_levels(
    "place",
    [["Fresno", "California", "US"], ["Davis", "California", "US"], ["Salem", "Oregon", "US"]],
)
AGES = Hierarchy.from_levels(
    "age", [["31", "30-39", "*"], ["38", "30-39", "*"], ["45", "40-49", "*"]]
)


def test_violations():
    """Everything in one class: US is above California three times; Oregon is not bounded.

    The age * is above 30-39 three times, and above 40-49 once.
    """
    columns = {
        "place": ["Fresno", "Davis", "Fresno", "Salem"],
        "age": ["31", "38", "31", "45"],
    }
    data = table(columns, columns, trees={"place": PLACES, "age": AGES})
    limits = Boundaries(
        {"place": PLACES, "age": AGES}, {"place": ("California",), "age": ("30-39", "40-49")}
    )
    top = boundary_violations(recode(data, (2, 2), k=4), limits)
    assert top.sum(axis=0).tolist() == [3, 4]
    assert top.tolist()[-1] == [False, True]
    assert boundary_violations(recode(data, (1, 1), k=1), limits).sum() == 0
    assert boundary_violations(recode(data, (2, 1), k=1), limits).sum(axis=0).tolist() == [3, 0]
    # Only released rows count: at level 1 the row of Salem is alone, and suppressed.
    assert (
        boundary_violations(recode(data, (1, 2), k=2, threshold=1), limits).tolist()
        == [[False, True]] * 3
    )
    # A missing cell is above nothing.
    gap = table({"place": ["Fresno", ""], "age": ["31", "31"]}, columns, trees=data.hierarchies)
    assert boundary_violations(recode(gap, (0, 0), k=1), limits).sum() == 0
    kept = greedy_cka(data, k=2, boundaries=limits, exchanges=False)
    assert kept.suppressed.tolist() == [False, False, False, True]
    assert boundary_violations(kept, limits).sum() == 0


def test_discernability():
    """Groups of 3, 5 and 2 rows: (3 x 3 + 5 x 5 + 2 x 2) / 10 rows."""
    assert loss.discernability(np.array([3, 5, 2])) == 3.8


def test_query_error_of_anatomized_tables():
    """Two groups of two rows: flu is one of two in the first, none in the second.

    "m and flu": the first group has one m and a share of 1/2, the second one m and 0. Estimate 1/2,
    truth 1: 1/2. "flu": 2 x 1/2 = 1, truth 1: 0.
    """
    data = table({"sex": "mfmf", "ill": ["flu", "hiv", "tb", "hiv"]}, ["sex"], "ill")
    recoding = Recoding(data, np.array([0, 0, 1, 1]), (), np.zeros((2, 0), np.int64), "by hand")

    def query(**wanted):
        return loss.Query(
            tuple((name, np.isin(data.labels_of(name), values)) for name, values in wanted.items())
        )

    asked = [
        query(sex=["m"], ill=["flu"]),
        query(ill=["flu"]),
        query(sex=["f"], ill=["hiv"]),  # 1/2 in each group, 1 in all; two rows: 1/2
        query(sex=["m", "f"], ill=["flu", "hiv"]),  # 2 x 1 and 2 x 1/2: 3 of 3
    ]
    assert [one.count(data) for one in asked] == [1, 1, 2, 3]
    assert loss.query_error(recoding, asked, anatomized=True).tolist() == [0.5, 0, 0.5, 0]


def test_large_answers_have_one_percent_of_the_patients():
    """Of 72,194 patients 722 are 1% and more, 721 are not; nor are they at 10%."""
    assert are_large(np.array([1, 721, 722, 7000]), 72_194).tolist() == [False, False, True, True]


def test_samples_are_drawn_without_replacement():
    rng = np.random.default_rng(3)
    for size in (400, 4000):
        found = sampled(rng, size)
        assert len(found) == size
        assert found.index.is_unique
    assert sorted(sampled(rng, len(adult())).index) == list(range(len(adult())))
    assert not sampled(rng, 400).index.equals(sampled(rng, 400).index)


@pytest.mark.parametrize("drawn", [False, True])
def test_a_sample_of_tv06_is_one_of_adult(drawn):
    """All of it: each combination occurs as often as in Adult; the tax is drawn from ten values."""
    data = sample(np.random.default_rng(1), len(adult()), drawn=drawn)
    age, sex = (np.array(data.labels_of(n))[data.quasi[:, j]] for n, j in (("age", 0), ("sex", 3)))
    counts = pd.Series(zip(age, sex, strict=True)).value_counts()
    assert counts.to_dict() == adult().groupby(["age", "sex"]).size().to_dict()
    values = [
        len(data.labels_of(name)) - 2 for name in ("pay", "capital-gain", "capital-loss", "tax")
    ]
    real = [adult()[name].nunique() for name in ("income", "capital-gain", "capital-loss")]
    assert values == ([2, 3, 4, 10] if drawn else [*real, 10])


AGED = {"age": ["48", "49", "50", "50", "51", "59"], "sex": list("MMMMMM")}


def test_50_apart_is_no_tree():
    """By ranges of 10 years: 2 and 4 rows. <50 and >=50: 2 and 4. With 50 apart: 2, 2 and 2."""
    frame = pd.DataFrame({**AGED, "marital-status": "Divorced", "race": "White"})
    frame["sex"] = "Male"
    data = Microdata.read(frame, Roles(QUASI), hierarchies())
    node = {up: (up, 0, 0, 0) for up in range(4)}
    sizes = {
        apart: [
            sorted(sizes_at(levels_of(data, apart=apart), node[up]).tolist()) for up in range(4)
        ]
        for apart in (False, True)
    }
    assert sizes[False] == [[1, 1, 1, 1, 2], [2, 4], [2, 4], [6]]
    assert sizes[True] == [[1, 1, 1, 1, 2], [2, 4], [2, 2, 2], [6]]
    # A class that does not occur has no size.
    apart = [[np.array([0, 1])], [np.array([0, 1])]]
    assert sizes_at(apart, (0, 0)).tolist() == [1, 1]
    # So with k = 3 more rows are in small classes one level higher.
    small = small_rows(levels_of(data, apart=True), 3)
    assert [small[node[up]] for up in range(4)] == [6, 2, 6, 0]


def test_how_a_node_stands():
    """k-minimal: no satisfying node below. Of least height: none of a smaller height."""
    small = dict.fromkeys(product(range(4), range(3), range(4), range(2)), 9)
    small |= {(1, 1, 1, 1): 0, (2, 1, 1, 1): 0, (0, 0, 3, 0): 2, (3, 1, 0, 0): 0}
    assert standing(small, (1, 1, 1, 1)) == (True, True, True)
    assert standing(small, (2, 1, 1, 1)) == (True, False, False)
    assert standing(small, (3, 1, 0, 0)) == (True, True, True)  # height 4 as well
    assert standing(small, (1, 1, 1, 1), threshold=2) == (True, True, False)  # height 3 will do
    assert standing(small, (0, 0, 3, 0)) == (False, False, False)


def test_nodes_are_counted_as_the_search_counts_them():
    """With the hierarchies of Table 7 the least height is that of the search's node."""
    data = sample(np.random.default_rng(5), 400, drawn=False)
    for k in (2, 3):
        small = small_rows(levels_of(data), k)
        node = k_minimal(data, k=k).how["node"]
        assert standing(small, node) == (True, True, True)
        for other in ((0, 0, 0, 0), (1, 1, 1, 1), (3, 2, 3, 1)):
            lost = (
                recode(data, other, k=k, threshold=399).suppressed.sum()
                if small[other] < 400
                else 400
            )
            assert small[other] == lost


def test_of_nodes_of_one_height_the_one_that_suppresses_fewest():
    """At height 1 <0, 1> leaves m twice and f three times, so it suppresses none; <1, 0> has one row
    of zip 2, and suppresses it, which a threshold of 1 allows.
    """
    columns = {"sex": "mmfff", "zip": "12111"}
    data = table(columns, columns)
    sizes = [
        int(recode(data, node, k=2, threshold=4).suppressed.sum()) for node in ((0, 1), (1, 0))
    ]
    assert sizes == [0, 1]
    assert k_minimal(data, k=2, threshold=1).how["node"] == (0, 1)
    # The same with the columns changed about: the first in order is not always the best.
    turned = table({"zip": "12111", "sex": "mmfff"}, ["zip", "sex"])
    assert k_minimal(turned, k=2, threshold=1).how["node"] == (1, 0)
