"""Exchanges between clusters, beside every pair of rows tried by hand."""

import math
from collections.abc import Sequence
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from masking.tables import Row, fewer, hierarchies, microdata, released

from anonaudit.cells import Convention
from anonaudit.frequency.codes import Codes
from anonaudit.frequency.frequency_set import encode
from anonaudit.masking import exchange as module
from anonaudit.masking import loss
from anonaudit.masking.clustering import Clusters
from anonaudit.masking.exchange import exchange
from anonaudit.masking.goals import EntropyL, Goal, PSensitive
from anonaudit.masking.greedy_cka import greedy_cka
from anonaudit.masking.joins import TreeJoins, joins_of
from anonaudit.masking.k_member import k_member
from anonaudit.masking.recoding import Microdata, NotAchievableError
from anonaudit.masking.trees import lattice_trees
from anonaudit.models.boundaries import Boundaries
from anonaudit.roles import Roles

NUMBERS = ("1", "2", "4", "9", None)
SENSITIVE = ("x", "y", "z", None, "*")


@st.composite
def clustered(draw: st.DrawFn, p: int) -> tuple[list[Row], list[int]]:
    """Rows of a tree's leaf, a number and two sensitive values; each one's cluster, -1 for none.

    Every cluster has p known values of each sensitive attribute, with p above 1.
    """
    leaf, number, unlike = st.sampled_from("0123"), st.sampled_from(NUMBERS), st.permutations("xyz")
    quasi = draw(st.lists(st.tuples(leaf, number), min_size=4, max_size=10))
    of = draw(st.lists(st.integers(-1, 2), min_size=len(quasi), max_size=len(quasi)))
    # Clusters of one row, which k = 1 alone makes, lose nothing and are left alone.
    large = [c for c in range(3) if of.count(c) >= max(p, 2)]
    of = [large.index(c) if c in large else -1 for c in of]
    cells = [draw(st.tuples(*[st.sampled_from(SENSITIVE)] * 2)) for _ in quasi]
    for cluster in range(len(large)) if p > 1 else ():
        members = [i for i, c in enumerate(of) if c == cluster][:p]
        for i, *pair in zip(members, draw(unlike), draw(unlike), strict=False):
            cells[i] = (pair[0], pair[1])
    return [(*q, *s) for q, s in zip(quasi, cells, strict=True)], of


def clusters_of(rows: Sequence[Row], of: Sequence[int], p: int) -> Clusters:
    """The clusters, as growing leaves them."""
    coded = [encode(column, Convention()) for column in zip(*rows, strict=True)]
    codes = np.column_stack([codes for _, codes in coded])
    labels = tuple(labels for labels, _ in coded)
    roles = Roles(("q2", "n"), ("s", "t")[: len(coded) - 2])
    data = Microdata(roles, labels, codes, hierarchies("q2"))
    found = Clusters(data, np.arange(len(rows)), joins_of(data), 1, p)
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
    paths, known = hierarchies("q2")["q2"].paths, [int(row[1]) for row in rows if row[1]]
    span, total = max(known, default=0) - min(known, default=0) or 1, 0.0
    below = {"0": 0, "1": 0, "2": 0, "3": 0, "a": 1, "b": 2, "*": 3}
    for cluster in {*of} - {-1}:
        members = [i for i, c in enumerate(of) if c == cluster]
        above = [paths[rows[i][0] or ""] for i in members]
        met = next(v for v in above[0] if all(v in path for path in above))
        held = {rows[i][1] for i in members}
        numbers = [int(number) for number in held if number]
        width = max(numbers, default=0) - min(numbers, default=0)
        apart = None in held and len(held) > 1  # a missing number is below `*` alone
        total += len(members) * (below[met] / 3 + (1 if apart else width / span))
    return total


def swapped(of: Sequence[int], i: int, j: int) -> list[int]:
    changed = list(of)
    changed[i], changed[j] = of[j], of[i]
    return changed


def values(rows: Sequence[Row], of: Sequence[int], p: int) -> bool:
    """Whether every cluster has p known values of each sensitive attribute."""
    return all(
        len({row[j] for row, c in zip(rows, of, strict=True) if c == cluster} - {None, "*"}) >= p
        for cluster in {*of} - {-1}
        for j in range(2, len(rows[0]))
    )


@pytest.mark.parametrize("p", [1, 2, 3])
@given(st.data())
def test_the_partner_is_the_best_of_all_rows(p: int, data: st.DataObject) -> None:
    rows, of = data.draw(clustered(p))
    grown = clusters_of(rows, of, p)
    swaps = module._Exchanges(grown)
    rows_of = grown.rows[swaps.rows]  # their positions in `rows`
    before = lost(rows, of)
    for place, i in enumerate(rows_of):
        others = [int(j) for j in rows_of if of[j] != of[i]]
        allowed = [j for j in others if p == 1 or values(rows, swapped(of, i, j), p)]
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


@pytest.mark.parametrize("p", [1, 2, 3])
@given(st.data())
def test_exchanges_only_ever_lose_less(p: int, data: st.DataObject) -> None:
    rows, of = data.draw(clustered(p))
    grown = clusters_of(rows, of, p)
    sizes, before = list(grown.sizes), lost(rows, of)
    exchange(grown)
    now = [0] * len(rows)
    for row, cluster in zip(grown.rows, grown.of, strict=True):
        now[row] = int(cluster)
    assert [i for i, c in enumerate(now) if c < 0] == [i for i, c in enumerate(of) if c < 0]
    assert np.bincount([c for c in now if c >= 0], minlength=len(sizes)).tolist() == sizes
    assert p == 1 or values(rows, now, p)
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


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 33])
@pytest.mark.parametrize("strangers", [0, 1, 2])
def test_what_all_others_of_a_cluster_have_in_common(size: int, strangers: int) -> None:
    """By hand: rows equal but for up to two, so they have all in common, or nothing."""
    usual, stranger = ("0", "1", "x"), ("3", "9", "x")
    rows = [stranger if i < strangers else usual for i in range(size)]
    grown = clusters_of([*rows, usual, stranger], [0] * size + [-1, -1], 1)
    swaps = module._Exchanges(grown)
    for place, row in enumerate(grown.rows[swaps.rows]):
        others = {r for i, r in enumerate(rows) if i != row}
        for join, rest in zip(grown.joins, swaps.rest, strict=True):
            assert join.loss(rest[[place]]).tolist() == [len(others) > 1]


def test_a_large_cluster_is_not_counted_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, plain = [], TreeJoins.with_node

    def counted(self: TreeJoins, nodes: Codes, node: int | Codes) -> Codes:
        calls.append(len(nodes))
        return plain(self, nodes, node)

    data = microdata([(str(i % 4), str(i % 2)) for i in range(3_000)], 2, 0)
    monkeypatch.setattr(TreeJoins, "with_node", counted)
    found = Clusters(data, np.arange(3_000), joins_of(data), 1, 1)
    found.of[:], found.nodes, found.sizes = 0, [[0, 0]], [3_000]
    exchange(found)
    assert 0 < calls.count(3_000) <= 2 * 12  # two attributes; 2**12 rows are more
    root = [tree.labels.index("*") for tree in lattice_trees(data)]
    assert found.nodes == [root]


SOME = st.tuples(
    st.sampled_from("0123"),
    st.sampled_from([*NUMBERS, "-2.5", "1e3", str(10**18), "*"]),
    *[st.sampled_from(SENSITIVE)] * 2,
)


@fewer
@given(
    st.lists(SOME, min_size=2, max_size=30),
    st.randoms(use_true_random=False),
    st.integers(1, 3),
    st.integers(1, 4),
    st.sampled_from([None, PSensitive(2), EntropyL(1.5)]),
    st.booleans(),
)
def test_the_order_of_rows_does_not_matter(
    rows: list[Row], random: Random, p: int, k: int, goal: Goal | None, bounded: bool
) -> None:
    def masked(rows: list[Row]) -> list[list[str]]:
        frame = pd.DataFrame(rows, columns=["q2", "n", "s", "t"], dtype=object)
        data = Microdata.read(frame, Roles(("q2", "n"), ("s", "t")), hierarchies("q2"))
        if bounded:
            bounds = Boundaries(hierarchies("q2"), {"q2": ("a", "d")})
            found = greedy_cka(data, k=max(k, p), p=p, goal=goal, boundaries=bounds)
        else:
            found = k_member(data, k=max(k, p), p=p, goal=goal)
        return sorted([repr(cell) for cell in row] for row in released(found))

    shuffled = random.sample(rows, len(rows))
    try:
        expected = masked(rows)
    except NotAchievableError:
        with pytest.raises(NotAchievableError):
            masked(shuffled)
        return
    assert masked(shuffled) == expected


@pytest.mark.parametrize(
    ("rows", "k"),
    [
        pytest.param([("0", "1")] * 6, 2, id="all rows equal"),
        pytest.param([("0", "1"), ("3", "0"), ("1", "1"), ("2", "0")], 1, id="clusters of one row"),
        pytest.param([("0", "1"), ("3", "0"), ("1", "1"), ("2", "0")], 4, id="one cluster"),
        pytest.param([("0", "1"), ("3", "0")], 2, id="as many rows as k"),
    ],
)
def test_where_there_is_nothing_to_exchange(rows: list[Row], k: int) -> None:
    data = microdata(rows, 2, 0)
    assert released(k_member(data, k=k)) == released(k_member(data, k=k, exchanges=False))


def test_within_no_boundaries_greedy_cka_is_k_member() -> None:
    rng = np.random.default_rng(8)
    data = microdata([tuple(map(str, rng.integers(0, [4, 2, 4]))) for _ in range(100)], 3, 0)
    lost = []
    for exchanges in (True, False):
        free = k_member(data, k=3, exchanges=exchanges)
        bound = greedy_cka(data, k=3, exchanges=exchanges, boundaries=Boundaries())
        assert released(free) == released(bound)
        lost.append(loss.information_loss(bound))
    assert lost[0] < lost[1]


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
