"""Exchanges between clusters, beside every pair of rows tried by hand."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from masking.tables import Row, hierarchies, microdata

from anonaudit import loss
from anonaudit.cells import Convention
from anonaudit.frequency import encode
from anonaudit.masking import exchange as module
from anonaudit.masking.clustering import Clusters
from anonaudit.masking.exchange import exchange
from anonaudit.masking.greedy_cka import greedy_cka
from anonaudit.masking.joins import joins_of
from anonaudit.masking.k_member import k_member
from anonaudit.models.boundaries import Boundaries
from anonaudit.recoding import Microdata
from anonaudit.roles import Roles

NUMBERS = ("1", "2", "4", "9")


@st.composite
def clustered(draw: st.DrawFn) -> tuple[list[Row], list[int]]:
    """Rows of a tree's leaf, a number and a sensitive value; the cluster of each, -1 for none."""
    # Clusters of one row, which k = 1 alone makes, lose nothing and are left alone.
    row = st.tuples(st.sampled_from("0123"), st.sampled_from(NUMBERS), st.sampled_from("xy"))
    rows = draw(st.lists(row, min_size=4, max_size=9))
    of = draw(st.lists(st.integers(-1, 2), min_size=len(rows), max_size=len(rows)))
    numbers = {c: i for i, c in enumerate(c for c in range(3) if of.count(c) > 1)}
    return rows, [numbers.get(c, -1) for c in of]


def clusters_of(rows: Sequence[Row], of: Sequence[int], p: int) -> Clusters:
    """The clusters, as growing leaves them."""
    coded = [encode([row[j] for row in rows], Convention()) for j in range(3)]
    codes = np.column_stack([codes for _, codes in coded])
    labels = tuple(labels for labels, _ in coded)
    data = Microdata(Roles(("q2", "n"), ("s",)), labels, codes, hierarchies("q2"))
    found = Clusters(data, np.arange(len(rows)), joins_of(data), p)
    for number in range(max(of, default=-1) + 1):
        members = [i for i, row in enumerate(found.rows) if of[row] == number]
        found.of[members] = number
        nodes = [
            int(j.start(c[members[:1]])[0]) for j, c in zip(found.joins, found.codes, strict=True)
        ]
        for i in members:
            nodes = found._joined(nodes, [int(c[i]) for c in found.codes])
        found.nodes.append(nodes)
        found.sizes.append(len(members))
    return found


def lost(rows: Sequence[Row], of: Sequence[int]) -> float:
    """MCT08 Definitions 10 and 11 for a tree and a number, by hand."""
    paths, numbers = hierarchies("q2")["q2"].paths, [int(row[1] or 0) for row in rows]
    span, total = max(numbers) - min(numbers) or 1, 0.0
    below = {"0": 0, "1": 0, "2": 0, "3": 0, "a": 1, "b": 2, "*": 3}
    for cluster in {*of} - {-1}:
        members = [i for i, c in enumerate(of) if c == cluster]
        above = [paths[rows[i][0] or ""] for i in members]
        met = next(v for v in above[0] if all(v in path for path in above))
        width = max(numbers[i] for i in members) - min(numbers[i] for i in members)
        total += len(members) * (below[met] / 3 + width / span)
    return total


def swapped(of: Sequence[int], i: int, j: int) -> list[int]:
    changed = list(of)
    changed[i], changed[j] = of[j], of[i]
    return changed


def values(rows: Sequence[Row], of: Sequence[int], p: int) -> bool:
    """Whether every cluster has p sensitive values."""
    return all(
        len({row[2] for row, c in zip(rows, of, strict=True) if c == cluster}) >= p
        for cluster in {*of} - {-1}
    )


@pytest.mark.parametrize("p", [1, 2])
@given(clustered())
def test_the_partner_is_the_best_of_all_rows(p: int, table: tuple[list[Row], list[int]]) -> None:
    rows, of = table
    grown = clusters_of(rows, of, p)
    if not grown.sizes or (p > 1 and not values(rows, of, p)):
        return
    swaps = module._Exchanges(grown)
    rows_of = grown.rows[swaps.rows]  # their positions in `rows`
    before = lost(rows, of)
    for place, i in enumerate(rows_of):
        others = [int(j) for j in rows_of if of[j] != of[i]]
        allowed = [j for j in others if values(rows, swapped(of, i, j), p)]
        best = min((lost(rows, swapped(of, i, j)) for j in allowed), default=before)
        found = swaps.partner(place)
        if found is None:
            assert best >= before - 1e-9
        else:
            j = int(rows_of[found])
            assert j in allowed
            after = lost(rows, swapped(of, i, j))
            assert math.isclose(after, best, abs_tol=1e-9)
            assert after < before


@pytest.mark.parametrize("p", [1, 2])
@given(clustered())
def test_exchanges_only_ever_lose_less(p: int, table: tuple[list[Row], list[int]]) -> None:
    rows, of = table
    if p > 1 and not values(rows, of, p):
        return
    grown = clusters_of(rows, of, p)
    sizes, before = list(grown.sizes), lost(rows, of)
    exchange(grown)
    now = [0] * len(rows)
    for row, cluster in zip(grown.rows, grown.of, strict=True):
        now[row] = int(cluster)
    assert [i for i, c in enumerate(now) if c < 0] == [i for i, c in enumerate(of) if c < 0]
    assert np.bincount([c for c in now if c >= 0], minlength=len(sizes)).tolist() == sizes
    assert values(rows, now, p)
    assert lost(rows, now) <= before + 1e-9
    # The generalizations kept beside the rows are those of the rows.
    assert grown.nodes == clusters_of(rows, now, p).nodes


def test_a_pair_that_two_clusters_have_crossed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[Row] = [("0", "1", "x"), ("0", "1", "y"), ("3", "9", "x"), ("3", "9", "y")]
    grown = clusters_of(rows, [0, 1, 0, 1], 1)
    assert lost(rows, [0, 1, 0, 1]) == 8  # four rows, two attributes, all of each
    monkeypatch.setattr(module, "TRIED", 0.0)
    exchange(grown)
    assert grown.of.tolist() == clusters_of(rows, [0, 1, 0, 1], 1).of.tolist()
    monkeypatch.setattr(module, "TRIED", 0.25)
    exchange(grown)
    assert lost([rows[i] for i in grown.rows], grown.of.tolist()) == 0


def test_no_exchange_takes_the_second_value_away() -> None:
    rows: list[Row] = [("0", "1", "x"), ("0", "1", "x"), ("3", "9", "y"), ("3", "9", "y")]
    grown = clusters_of(rows, [0, 1, 0, 1], 2)
    exchange(grown)
    assert grown.of.tolist() == clusters_of(rows, [0, 1, 0, 1], 2).of.tolist()


def test_rows_change_places_within_the_boundaries_only() -> None:
    """No value of q0 is released above low or high, and the loss falls all the same."""
    rng = np.random.default_rng(7)
    rows = [tuple(str(v) for v in rng.integers(0, [4, 2, 4])) for _ in range(200)]
    data = microdata(rows, 3, 0)
    boundaries = Boundaries({"q0": hierarchies("q0")["q0"]}, {"q0": ("low", "high")})
    plain = greedy_cka(data, k=3, boundaries=boundaries, exchanges=False)
    better = greedy_cka(data, k=3, boundaries=boundaries)
    assert better.sizes.tolist() == plain.sizes.tolist()
    assert loss.information_loss(better) < loss.information_loss(plain)
    assert {*better.frame()["q0"]} <= {"0", "1", "2", "3", "low", "high"}


def test_the_published_algorithm_is_at_hand() -> None:
    rng = np.random.default_rng(7)
    rows = [tuple(str(v) for v in rng.integers(0, [4, 2, 4])) for _ in range(200)]
    data = microdata(rows, 3, 0)
    plain, better = k_member(data, k=3, exchanges=False), k_member(data, k=3)
    assert better.sizes.tolist() == plain.sizes.tolist()
    assert loss.information_loss(better) < loss.information_loss(plain)
