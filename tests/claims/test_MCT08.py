"""MCT08, claim by claim, as far as models go: Figures 2 to 4 and Properties 1 to 6."""

import csv
from itertools import combinations

import pytest
from builders import all_tables
from claims_of import assert_confirmed, checked_claims
from hypothesis import given
from hypothesis import strategies as st

from anonaudit import datasets
from anonaudit.cells import Convention
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.alignment import align_by_key
from anonaudit.models.boundaries import Boundaries, out
from anonaudit.models.constrained import ConstrainedKAnonymity
from anonaudit.papers.claims.mct08 import can_be_masked as masks_within
from anonaudit.papers.claims.mct08 import outside, setups
from anonaudit.papers.claims.small import partitions
from anonaudit.roles import Roles

QUASI = ["age", "location", "sex", "race"]
LOCATION = Hierarchy.read(datasets.path("MCT08/hierarchies/location.csv"))
BOUNDARIES = Boundaries({"location": LOCATION}, {"location": ("California", "Kansas", "Midwest")})


def rows_of(name, columns):
    with datasets.path(f"MCT08/{name}.csv").open() as file:
        return {row["record"]: tuple(row[c] for c in columns) for row in csv.DictReader(file)}


@pytest.mark.claim("MCT08-magset")
def test_magset_of_figure_2():
    """MCT08-magset, nested MAGVals: the first on the path counts."""
    assert BOUNDARIES.magset("location") == {"California", "Kansas", "Midwest"}
    magvals = BOUNDARIES.magvals("location")
    assert magvals["San Diego"] == "California"
    assert magvals["Wichita"] == "Kansas"
    assert magvals["Lincoln"] == "Midwest"
    assert Boundaries({"location": LOCATION}).magset("location") == {LOCATION.root}


@pytest.mark.claim("MCT08-fig4")
@pytest.mark.parametrize(
    ("figure", "exact", "suspected", "outcome", "without"),
    [("figure4a", 3, 5, "violated", "inconclusive"), ("figure4b", 0, 0, "holds", "holds")],
)
def test_figure_4(figure, exact, suspected, outcome, without):
    """MCT08-fig4: MM1 is 2-anonymous with violations at r3, r4, r7; MM2 has none."""
    original = rows_of("figure3", ["location"])
    masked = rows_of(figure, QUASI)
    base = FrequencySet.of(QUASI, list(masked.values()))
    classes = equivalence_classes(base, Roles(tuple(QUASI)))
    beyond = {r for r in masked if BOUNDARIES.beyond("location", original[r][0], masked[r][1])}
    assert beyond == ({"r3", "r4", "r7"} if exact else set())
    ground = FrequencySet.of([*QUASI, "row"], [(*rows_of("figure3", QUASI)[r], r) for r in masked])
    released = FrequencySet.of([*QUASI, "row"], [(*masked[r], r) for r in masked])
    pairing = align_by_key(
        ground, released, "row", quasi_identifiers=QUASI, sensitive=[], validity={}
    )
    counted = BOUNDARIES.counted(pairing, classes)
    assert counted.by_attribute == {"location": exact}
    assert counted.rows.sum() == exact
    with_original = ConstrainedKAnonymity(2, boundaries=BOUNDARIES, exact=counted).measure(classes)
    alone = ConstrainedKAnonymity(2, boundaries=BOUNDARIES).measure(classes)
    assert (with_original.measured, with_original.outcome.value) == (2, outcome)
    # r3, r4 share a class, r7 is with r1 and r2; the other two of five are only suspected.
    assert with_original.rows_violating == (classes.rows[counted.rows > 0].sum() if exact else 0)
    assert with_original.details["constraint violations"] == {"location": exact}
    assert alone.details["constraint violations"] == {"location": suspected}
    # Midwest is allowed for Lincoln, so only the original decides these five.
    assert alone.outcome.value == without


# A small tree with nested boundaries: a, b below P below Q; c below Q; d apart.
TREE = Hierarchy.from_levels(
    "0", [["a", "P", "Q", "*"], ["b", "P", "Q", "*"], ["c", "c", "Q", "*"], ["d", "d", "d", "*"]]
)


def can_be_masked(values, k, allowed):
    """Whether some partition generalizes to constrained k-anonymity, tried one by one."""
    for partition in partitions(list(values)):
        fits = all(len(part) >= k for part in partition)
        for part in partition:
            top = TREE.lowest_common_ancestor(part)
            fits = fits and all(
                TREE.is_ancestor(top, allowed[v])
                or top == allowed[v]
                or TREE.is_ancestor(allowed[v], top)
                for v in part
            )
            fits = fits and all(top not in TREE.ancestors(allowed[v])[1:] for v in part)
        if fits:
            return True
    return False


@pytest.mark.claim("MCT08-prop1")
@pytest.mark.claim("MCT08-prop2")
@pytest.mark.claim("MCT08-prop3")
@pytest.mark.claim("MCT08-prop4")
@pytest.mark.claim("MCT08-prop5-6")
@pytest.mark.parametrize("bounds", [(), ("P",), ("Q",), ("P", "Q"), ("a", "Q"), ("*",), ("b", "P")])
@pytest.mark.parametrize("k", [2, 3])
def test_out_is_the_unique_smallest_set_to_suppress(bounds, k):
    """MCT08-prop1..4, -prop5-6, over all subsets and partitions of all tables of up to 5 rows."""
    boundaries = Boundaries({"0": TREE}, {"0": bounds})
    allowed = boundaries.magvals("0")
    for rows in all_tables(("a", "b", "c", "d"), most=5, least=1):
        values = [row[0] for row in rows]
        mam = boundaries.maximum_allowed_microdata(
            FrequencySet.of(["0"], rows), ["0"], Convention(suppressed=())
        )
        small = {mam.labels[0][c] for c in mam.codes[out(mam.counts, k)][:, 0]}
        left = [v for v in values if allowed[v] not in small]
        gone = len(values) - len(left)
        assert can_be_masked(values, k, allowed) == (gone == 0)  # Property 4
        assert not left or can_be_masked(left, k, allowed)  # Property 5
        for size in range(gone):  # nothing smaller will do: Property 6
            for kept in combinations(values, len(values) - size):
                assert not can_be_masked(kept, k, allowed)


@pytest.mark.claim("MCT08-prop4")
@pytest.mark.claim("MCT08-prop5-6")
@given(setups(), st.integers(2, 3))
def test_out_with_trees_and_boundaries_drawn_at_random(drawn, k):
    """Two attributes, ragged trees, nested MAGVals: every subset, every partition."""
    rows, limits = drawn
    gone = outside(rows, k, limits)
    for size in range(1, len(rows) + 1):
        for kept in combinations(range(len(rows)), size):
            some = [rows[i] for i in kept]
            if set(kept).isdisjoint(gone) and len(kept) == len(rows) - len(gone):
                assert masks_within(some, k, limits)
            elif set(kept) & set(gone):
                assert not masks_within(some, k, limits)


@pytest.mark.parametrize("claim", checked_claims("MCT08"))
def test_the_check_of_the_ledger(claim, monkeypatch):
    """Every claim with a check, gone through without a limit of time."""
    assert_confirmed(claim, monkeypatch)
