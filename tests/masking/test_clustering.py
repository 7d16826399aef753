"""k-member and GreedyCKA: promises on every table, the paper's example, brute force for OUT."""

import math
from itertools import combinations, product

import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from masking.tables import Row, fewer, hierarchies, lines, microdata, partitions, released, tables

from anonaudit import datasets
from anonaudit.findings import Outcome
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking import loss
from anonaudit.masking.goals import EntropyL, PSensitive
from anonaudit.masking.greedy_cka import greedy_cka, parts
from anonaudit.masking.k_member import k_member
from anonaudit.masking.multi_attribute_goals import MultiAttributeL
from anonaudit.masking.recoding import Microdata, NotAchievableError, Recoding
from anonaudit.masking.trees import lattice_trees
from anonaudit.models import (
    ConstrainedKAnonymity,
    ConstrainedPSensitiveKAnonymity,
    EntropyLDiversity,
    KAnonymity,
    LDiversity,
    MultiAttributeLDiversity,
    PSensitiveKAnonymity,
)
from anonaudit.models.boundaries import Boundaries
from anonaudit.models.level import ParameterError
from anonaudit.roles import Roles

LIMITS = {"q0": ("low", "high"), "q2": ("a", "d")}
BOUNDARIES = Boundaries(hierarchies("q0", "q2"), LIMITS)


def is_generalization(recoding: Recoding) -> bool:
    """Every released quasi-identifier is the original or above it; sensitive cells as they were."""
    data = recoding.data
    for j, name in enumerate(data.roles.quasi_identifiers):
        for code, place in zip(data.quasi[:, j], recoding.group, strict=True):
            if place >= 0:
                label = recoding.domains[j].labels[recoding.keys[place, j]]
                if label not in hierarchies(name)[name].paths[data.labels_of(name)[code]]:
                    return False
    return True


def meeting(values: set[str], name: str) -> tuple[str, int]:
    """The lowest common ancestor of leaves, and how many different values are below it at most."""
    paths = [hierarchies(name)[name].paths[value] for value in values]
    above = next(v for v in paths[0] if all(v in path for path in paths))
    every = [tuple(dict.fromkeys(p)) for p in hierarchies(name)[name].paths.values()]
    return above, max(p.index(above) for p in every if above in p)


def loss_by_hand(rows: list[Row], clusters: list[list[int]], gone: int, quasi: int) -> float:
    """MCT08 Definitions 10 and 11 over plain rows."""
    total = float(gone * quasi)
    for cluster in clusters:
        for j in range(quasi):
            name = f"q{j}"
            height = meeting(set(hierarchies(name)[name].paths), name)[1]
            total += len(cluster) * meeting({rows[i][j] for i in cluster}, name)[1] / height
    return total


def clusters_of(recoding: Recoding) -> list[list[int]]:
    return [np.flatnonzero(recoding.group == g).tolist() for g in range(len(recoding.keys))]


@fewer
@given(tables(quasi=3, sensitive=1), st.integers(1, 4), st.integers(0, 3))
def test_k_member_keeps_its_promises(rows: list[Row], k: int, seed: int) -> None:
    data = microdata(rows, 3, 1)
    if len(rows) < k:
        with pytest.raises(NotAchievableError):
            k_member(data, k=k, seed=seed)
        return
    found = k_member(data, k=k, seed=seed)
    assert not found.suppressed.any()
    assert found.sizes.min() >= k
    assert len(found.sizes) == len(rows) // k
    assert is_generalization(found)
    assert KAnonymity(k=k).measure(found.classes()).outcome is Outcome.HOLDS
    again = k_member(data, k=k, seed=seed)
    assert (again.group == found.group).all()
    by_hand = loss_by_hand(rows, clusters_of(found), 0, 3)
    assert math.isclose(loss.information_loss(found), by_hand, abs_tol=1e-9)


@fewer
@given(tables(quasi=2, sensitive=2), st.integers(1, 3), st.integers(2, 3))
def test_p_sensitive_clusters(rows: list[Row], k: int, p: int) -> None:
    k, data = max(k, p), microdata(rows, 2, 2)
    if len(rows) < k or any(len(oracle.distinct(rows, c)) < p for c in (2, 3)):
        with pytest.raises(NotAchievableError):
            k_member(data, k=k, p=p)
        return
    found = k_member(data, k=k, p=p)
    assert not found.suppressed.any()
    for cluster in clusters_of(found):
        members = [rows[i] for i in cluster]
        assert len(members) >= k
        assert all(len(oracle.distinct(members, c)) >= p for c in (2, 3))
    assert PSensitiveKAnonymity(p=p, k=k).measure(found.classes()).outcome is Outcome.HOLDS


@fewer
@given(tables(quasi=2, sensitive=2, unknown=False), st.integers(2, 3))
def test_clusters_are_merged_until_they_meet_a_goal(rows: list[Row], l: int) -> None:
    data = microdata(rows, 2, 2)
    cases = [
        (PSensitive(l), LDiversity(l=l)),
        (EntropyL(l, 2), EntropyLDiversity(l=l)),
        (MultiAttributeL(l, 2), MultiAttributeLDiversity(l=l)),
    ]
    whole = k_member(data, k=len(rows)).classes()
    for goal, model in cases:
        possible = model.measure(whole).outcome is Outcome.HOLDS and len(rows) >= 2
        if not possible:
            with pytest.raises(NotAchievableError):
                k_member(data, k=2, goal=goal)
            continue
        found = k_member(data, k=2, goal=goal)
        assert model.measure(found.classes()).outcome is Outcome.HOLDS
        assert sorted(map(len, clusters_of(found))) == sorted(found.sizes)
        assert is_generalization(found)


@fewer
@given(tables(quasi=3, sensitive=1), st.integers(1, 4), st.integers(1, 2))
def test_greedy_cka_suppresses_out_and_nothing_else(rows: list[Row], k: int, p: int) -> None:
    k, data = max(k, p), microdata(rows, 3, 1)
    allowed = {n: hierarchies(n)[n].maximum_allowed(LIMITS[n]) for n in LIMITS}
    cells = [(allowed["q0"][row[0]], allowed["q2"][row[2]], *row[3:]) for row in rows]
    out = [False] * len(rows)
    for members in oracle.classes(cells, (0, 1)).values():
        if len(members) < k or len(oracle.distinct(members, 2)) < p > 1:
            for i, cell in enumerate(cells):
                out[i] |= cell[:2] == members[0][:2]
    if all(out):
        with pytest.raises(NotAchievableError) as caught:
            greedy_cka(data, k=k, p=p, boundaries=BOUNDARIES)
        assert caught.value.reason == "OUT"
        return
    found = greedy_cka(data, k=k, p=p, boundaries=BOUNDARIES)
    assert found.suppressed.tolist() == out
    assert found.how["OUT"] == sum(out)
    assert is_generalization(found)
    for most in (-1, 0.5, True):
        with pytest.raises(ParameterError, match="most_suppressed must be a whole number"):
            greedy_cka(data, k=k, p=p, boundaries=BOUNDARIES, most_suppressed=most)
    classes = found.classes()
    model = (
        ConstrainedPSensitiveKAnonymity(p=p, k=k, boundaries=BOUNDARIES)
        if p > 1
        else ConstrainedKAnonymity(k=k, boundaries=BOUNDARIES)
    )
    assert model.measure(classes).outcome is Outcome.HOLDS
    if sum(out):
        with pytest.raises(NotAchievableError) as caught:
            greedy_cka(data, k=k, p=p, boundaries=BOUNDARIES, most_suppressed=sum(out) - 1)
        assert caught.value.nearest == {"most_suppressed": sum(out)}


@pytest.mark.parametrize(("k", "p"), [(2, 1), (3, 1), (2, 2)])
def test_out_is_the_unique_smallest_set_to_suppress(k: int, p: int) -> None:
    """Properties 5 and 6, over every set of rows to suppress and every partition of the rest."""
    cells = list(product("012", "xy"))
    for n, rows in [(4, rows) for rows in combinations(cells, 4)] + [(5, cells[:5])]:
        data = microdata(rows, 1, 1)
        boundaries = Boundaries(hierarchies("q0"), {"q0": ("low", "high")})

        def fits(cluster: list[int], rows: tuple[Row, ...] = tuple(rows)) -> bool:
            members = [rows[i] for i in cluster]
            enough = len(members) >= k and (p == 1 or len(oracle.distinct(members, 1)) >= p)
            return enough and len({row[0] in "01" for row in members}) == 1

        smallest = []
        for size in range(n + 1):
            for gone in combinations(range(n), size):
                rest = [i for i in range(n) if i not in gone]
                if any(all(map(fits, partition)) for partition in partitions(rest)):
                    smallest.append(set(gone))
            if smallest:
                break
        assert len(smallest) == 1
        if len(smallest[0]) < n:
            found = greedy_cka(data, k=k, p=p, boundaries=boundaries)
            assert set(np.flatnonzero(found.suppressed)) == smallest[0]


def figure_3() -> tuple[Microdata, Boundaries]:
    """MCT08 Figure 3, ages in a hierarchy of ours (the paper has ranges there)."""
    folder = datasets.folder() / "MCT08" / "hierarchies"
    trees = {path.stem: Hierarchy.read(path, attribute=path.stem) for path in folder.glob("*.csv")}
    ages = [line["age"] for line in lines("MCT08/figure3")]
    trees["age"] = Hierarchy.from_intervals("age", sorted(set(ages)), widths=[5, 10, 20])
    roles = Roles(("age", "location", "sex", "race"), ("diagnosis", "income"))
    limits = {"location": tuple(line["value"] for line in lines("MCT08/magvals"))}
    boundaries = Boundaries({"location": trees["location"]}, limits)
    return Microdata.read(datasets.path("MCT08/figure3.csv"), roles, trees), boundaries


def test_mm2_of_figure_4_is_reached_or_bettered() -> None:
    data, boundaries = figure_3()
    part, number = parts(data, boundaries)
    assert number == 3
    assert sorted(np.bincount(part)) == [2, 2, 3]  # California, Lincoln, Kansas
    found = greedy_cka(data, k=2, boundaries=boundaries)
    records = [line["record"] for line in lines("MCT08/figure3")]
    printed = lines("MCT08/figure4b")
    keys = {tuple(list(line.values())[1:]) for line in printed}
    place = {key: i for i, key in enumerate(sorted(keys))}
    group_of = {line["record"]: place[tuple(list(line.values())[1:])] for line in printed}
    group = np.array([group_of[record] for record in records])
    trees = lattice_trees(data)
    mm2 = np.column_stack([t.meet(data.quasi[:, j], group, 3) for j, t in enumerate(trees)])
    theirs = loss.information_loss(Recoding(data, group, trees, mm2, "MM2"))
    assert loss.information_loss(found) <= theirs
    assert not found.suppressed.any()
    assert ConstrainedKAnonymity(k=2, boundaries=boundaries).measure(found.classes()).outcome is Outcome.HOLDS  # fmt: skip
    assert set(found.frame()["location"]) == {"California", "Kansas", "Lincoln"}


def test_a_cluster_start_is_the_row_furthest_away() -> None:
    # Two pairs of equal rows, as far apart as can be: no start splits them.
    data = microdata([("0", "0"), ("3", "1"), ("0", "0"), ("3", "1")], 2, 0)
    for seed in range(5):
        found = k_member(data, k=2, seed=seed)
        assert loss.information_loss(found) == 0
        assert sorted(released(found)) == [("0", "0"), ("0", "0"), ("3", "1"), ("3", "1")]


def test_a_left_over_row_goes_to_the_best_cluster() -> None:
    data = microdata([("0", "0")] * 2 + [("3", "1")] * 3, 2, 0)
    found = k_member(data, k=2)
    assert sorted(found.sizes) == [2, 3]
    assert loss.information_loss(found) == 0


def test_order_of_rows_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    rows = [
        tuple(rng.choice(list("0123"), 1)) + tuple(rng.choice(list("01"), 1)) for _ in range(20)
    ]
    one = k_member(microdata(rows, 2, 0), k=3)
    other = k_member(microdata(rows[::-1], 2, 0), k=3)
    assert sorted(released(one)) == sorted(released(other))


def adult_sample(n: int, *sensitive: str) -> tuple[Microdata, Boundaries]:
    folder = datasets.folder() / "MCT08" / "adult" / "hierarchies"
    trees = {path.stem: Hierarchy.read(path, attribute=path.stem) for path in folder.glob("*.csv")}
    frame = pd.read_csv(datasets.path("adult/adult.csv.gz"), dtype=str, keep_default_na=False)
    limits: dict[str, tuple[str, ...]] = {}
    for line in lines("MCT08/adult/magvals"):
        limits[line["attribute"]] = (*limits.get(line["attribute"], ()), line["value"])
    boundaries = Boundaries({a: trees[a] for a in limits}, limits)
    sample = frame.sample(n, random_state=2008).reset_index(drop=True)
    return Microdata.read(sample, Roles(tuple(sorted(trees)), sensitive), trees), boundaries


def test_a_sample_of_adult() -> None:
    data, boundaries = adult_sample(1_500, "income")
    for k, p in ((2, 1), (5, 2)):
        free = k_member(data, k=k, p=p)
        bound = greedy_cka(data, k=k, p=p, boundaries=boundaries)
        model = ConstrainedPSensitiveKAnonymity(p=p, k=k, boundaries=boundaries)
        assert PSensitiveKAnonymity(p=p, k=k).measure(free.classes()).outcome is Outcome.HOLDS
        assert model.measure(bound.classes()).outcome is Outcome.HOLDS
        assert model.measure(free.classes()).outcome is Outcome.VIOLATED  # its ages and countries
        assert bound.suppressed.mean() < 0.05
        assert KAnonymity(k=k).measure(bound.classes()).outcome is Outcome.HOLDS
