"""Masking beside plain forms of the same algorithms, and small cases counted by hand.

`plain_k_member` is Figure 2 of Byun et al. 2006 with sets and fractions, row by row.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from masking.tables import Row, hierarchies, microdata, tables

from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking import algorithms
from anonaudit.masking.aims import Aim
from anonaudit.masking.algorithms import ALGORITHMS, check_memory
from anonaudit.masking.anatomy import anatomize
from anonaudit.masking.clustering import Clusters
from anonaudit.masking.cuts import cut
from anonaudit.masking.goals import (
    EntropyL,
    Every,
    Groups,
    KAnonymous,
    PSensitive,
    Unshared,
    too_few,
)
from anonaudit.masking.greedy_cka import greedy_cka
from anonaudit.masking.joins import joins_of
from anonaudit.masking.k_member import k_member
from anonaudit.masking.lattice import k_minimal, minimal_nodes, p_k_minimal
from anonaudit.masking.loss import random_queries
from anonaudit.masking.maskers import mask
from anonaudit.masking.mondrian import mondrian
from anonaudit.masking.recoding import Microdata, NotAchievableError, Recoding
from anonaudit.masking.task import Algorithm, Task
from anonaudit.models.boundaries import Boundaries
from anonaudit.policy.policy import parse_policy
from anonaudit.roles import Roles

HEIGHTS = {"q0": 2, "q1": 1}  # of tables.TREES: halves, so that sums of floats are exact


def loss(rows: Sequence[Row]) -> Fraction:
    """What one row of a cluster loses (MCT08 Definition 10): heights over those of the trees."""
    total = Fraction(0)
    for j, (name, height) in enumerate(HEIGHTS.items()):
        tree: Hierarchy = hierarchies(name)[name]
        top = tree.lowest_common_ancestor({str(row[j]) for row in rows})
        ups = max(tree.ancestors(str(row[j])).index(top) for row in rows)
        total += Fraction(ups, height)
    return total


def plain_k_member(
    rows: Sequence[Row], k: int, p: int, seed: int, who: Sequence[Row] | None = None
) -> list[set[int]]:
    """The clusters, as sets of places among the sorted rows.

    A row that is taken leaves its place to the last. p above 1: as long as a cluster lacks values
    of an attribute, it takes rows that bring one. who: the person of each row; then a cluster that
    has its values takes rows of persons that it lacks, until it has k of them.
    """
    free = list(range(len(rows)))
    needs = [([row[2:3] for row in rows], p if p > 1 else 0), (who or [], k if who else 0)]

    def take(place: int) -> int:
        found, last = free[place], free.pop()
        if place < len(free):
            free[place] = last
        return found

    def lacking(of: Sequence[int]) -> Sequence[Row] | None:
        """The first column of which these rows have too few different cells."""
        return next((c for c, need in needs if len({c[i] for i in of if need}) < need), None)

    rng = np.random.default_rng(seed)
    start = rows[free[int(rng.integers(len(free)))]]
    clusters: list[list[int]] = []
    while len(free) >= k and lacking(free) is None:
        far = max(range(len(free)), key=lambda i: (loss([start, rows[free[i]]]), -i))
        start = rows[free[far]]
        members = [take(far)]
        while len(members) < k or lacking(members):
            here = [rows[i] for i in members]
            column = lacking(members)
            fits = [
                i
                for i, r in enumerate(free)
                if column is None or column[r] not in {column[m] for m in members}
            ]
            members.append(take(min(fits, key=lambda i: (loss([*here, rows[free[i]]]), i))))
        clusters.append(members)
    for left in sorted(free):

        def adds(cluster: list[int], row: int = left) -> Fraction:
            here = [rows[i] for i in cluster]
            return (len(here) + 1) * loss([*here, rows[row]]) - len(here) * loss(here)

        min(clusters, key=adds).append(left)
    return [set(members) for members in clusters]


@given(
    tables(sensitive=1, values="xyz", unknown=False, most=12),
    st.integers(2, 3),
    st.integers(1, 2),
    st.integers(0, 3),
)
def test_the_clusters_of_the_plain_algorithm(rows: list[Row], k: int, p: int, seed: int) -> None:
    rows = sorted(rows, key=lambda row: [str(cell) for cell in row])
    if len(rows) < k or len({row[2] for row in rows}) < p:
        return
    found = k_member(microdata(rows, 2, 1), k=k, p=p, exchanges=False, seed=seed)
    clusters = plain_k_member(rows, k, p, seed)
    assert [set(np.flatnonzero(found.group == n)) for n in range(len(found.keys))] == clusters
    assert found.how == {"k": k, "p": p, "goal": None, "exchanges": False, "seed": seed}
    assert found.algorithm == "k-member"


@given(
    st.lists(
        st.tuples(*map(st.sampled_from, ("0123", "01", "xyz", "12345"))), min_size=2, max_size=12
    ),
    st.integers(2, 3),
    st.integers(1, 2),
    st.integers(0, 3),
)
# Whoever takes a new person before the new value clusters these rows otherwise.
@example(
    [("2", "0", "y", "2"), *[("2", "0", "y", "4")] * 2, ("3", "1", "x", "1"), ("3", "1", "x", "4"), ("3", "1", "y", "1")],
    2, 2, 0,
)  # fmt: skip
def test_the_clusters_of_the_plain_algorithm_by_persons(
    rows: list[Row], k: int, p: int, seed: int
) -> None:
    rows = sorted(rows)
    who = [row[3:] for row in rows]
    if len(set(who)) < k or len({row[2] for row in rows}) < p:
        return
    table = pd.DataFrame(rows, columns=["q0", "q1", "s", "who"])
    data = Microdata.read(table, Roles(("q0", "q1"), ("s",), unit="who"), hierarchies("q0", "q1"))
    found = k_member(data, k=k, p=p, exchanges=False, seed=seed)
    clusters = plain_k_member(rows, k, p, seed, who)
    assert [set(np.flatnonzero(found.group == n)) for n in range(len(found.keys))] == clusters


def plain_merge(rows: Sequence[Row], clusters: list[list[int]], p: int) -> list[set[int]]:
    """The smallest cluster with fewer than p values goes where it adds the least loss; and so on."""

    def short(cluster: list[int]) -> bool:
        return len({rows[i][2] for i in cluster}) < p

    def total(cluster: list[int]) -> Fraction:
        return len(cluster) * loss([rows[i] for i in cluster])

    while len(clusters) > 1 and any(map(short, clusters)):
        gone = min(filter(short, clusters), key=len)
        clusters.remove(gone)
        best = min(clusters, key=lambda c: total(c + gone) - total(c))
        best += gone
    return [set(cluster) for cluster in clusters]


@given(
    st.lists(st.tuples(*map(st.sampled_from, ("0123", "01", "xyz"))), min_size=4, max_size=12),
    st.integers(2, 3),
    st.data(),
)
def test_the_smallest_cluster_that_falls_short_is_merged_first(
    rows: list[Row], p: int, data: st.DataObject
) -> None:
    rows, number = sorted(rows), len(rows) // 2
    of = sorted([*range(number), *data.draw(st.lists(st.integers(0, number - 1), min_size=len(rows) - number, max_size=len(rows) - number))])  # fmt: skip
    table = microdata(rows, 2, 1)
    found = Clusters(table, np.arange(len(rows)), joins_of(table), 1, 1)
    for cluster in range(number):
        members = [i for i, c in enumerate(of) if c == cluster]
        nodes = [int(join.start(codes[members[0]])) for join, codes in zip(found.joins, found.codes, strict=True)]  # fmt: skip
        for i in members:
            nodes = found._joined(nodes, [int(codes[i]) for codes in found.codes])
        found._add(members, nodes)
    found.merge_until(PSensitive(p, p))
    clusters = [[i for i, c in enumerate(of) if c == n] for n in range(number)]
    wanted = plain_merge(rows, clusters, p)
    assert [set(np.flatnonzero(found.of == n)) for n in range(len(found.nodes))] == wanted
    assert found.sizes == [len(cluster) for cluster in wanted]


ROWS = [("0", "0", "x"), ("1", "0", "y"), ("2", "0", "x"), ("3", "0", "x"), ("3", "1", "y"), ("3", "1", "z")]  # fmt: skip
LOW = Boundaries(hierarchies("q0", "q1"), {"q0": ("low", "high")})


def test_what_greedy_cka_says_of_itself_and_passes_on() -> None:
    """Two classes of the MAM: low, high. With k = 3 the two rows below low are in OUT."""
    data = microdata(ROWS, 2, 1)
    found = greedy_cka(data, k=3, boundaries=LOW, seed=4, exchanges=False)
    assert found.how == {
        "k": 3, "p": 1, "goal": None, "exchanges": False, "seed": 4, "OUT": 2, "MAM classes": 2,
    }  # fmt: skip
    assert found.algorithm == "GreedyCKA"
    assert found.suppressed.tolist() == [True, True, False, False, False, False]
    # With another goal, what misses it is OUT as well: x, x, y, z has an entropy above log 2 and
    # below log 3; x, y has log 2.
    goal = EntropyL(2, 2)
    found = greedy_cka(data, k=2, boundaries=LOW, goal=goal)
    assert found.how["goal"] == goal
    assert sorted(found.sizes.tolist()) == [2, 4]
    with pytest.raises(NotAchievableError) as refused:
        greedy_cka(data, k=2, boundaries=LOW, goal=EntropyL(3, 2))
    assert refused.value.reason == "OUT"
    task = Task(data, Aim(k=2, p=2, more=(goal,), bounded=True), LOW, 3, seed=7)
    for name in ("greedy-cka", "k-member"):
        how = ALGORITHMS[name].run(task).how
        assert (how["k"], how["p"], how["seed"]) == (2, 2, 7)
        assert "goals=(EntropyL" in str(how["goal"])
    with pytest.raises(NotAchievableError):
        ALGORITHMS["greedy-cka"].run(Task(data, Aim(k=3, bounded=True), LOW, 1, seed=0))


def test_a_group_of_one_number_is_released_as_that_number() -> None:
    """The smallest number is not the first in the order of texts: 10 is before 9."""
    data = Microdata.read(pd.DataFrame({"age": ["9", "9", "10", "10"]}), Roles(("age",)))
    assert k_member(data, k=2).frame()["age"].tolist() == ["9", "9", "10", "10"]


def test_k_alone_asks_nothing_of_sensitive_values() -> None:
    """p = 1 is k-anonymity, also where no sensitive value is known. A masker needs no hierarchies."""
    data = microdata([("0", "0", None), ("0", "0", None)], 2, 1)
    assert Task(data, Aim(k=2), Boundaries(), None, seed=0).goal == Every((KAnonymous(2),))
    assert Task(data, Aim(k=2, p=2), Boundaries(), None, seed=0).goal == Every((PSensitive(2, 2),))
    one = Algorithm(name="x", run=ALGORITHMS["k-member"].run, lacks=frozenset(), bytes_a_cell=1)
    assert not one.every_hierarchy
    assert [name for name, each in ALGORITHMS.items() if each.every_hierarchy] == ["full-domain"]


def test_searches_are_named_and_ask_for_k_alone_unless_told() -> None:
    """Without p one value in a class is fine: <0, 0> meets k = 2. With p = 2 nothing does."""
    rows = [("0", "0", "x"), ("0", "0", "x"), ("2", "1", "x"), ("2", "1", "x")]
    data = microdata(rows, 2, 1)
    assert minimal_nodes(data, k=2) == [(0, 0)]
    assert minimal_nodes(data, k=2, p=2) == []
    both = microdata([("0", "0", "x"), ("0", "0", "y")], 2, 1)
    assert k_minimal(both, k=2).algorithm == "k-minimal"
    assert p_k_minimal(both, p=2, k=2).algorithm == "p-k-minimal"
    assert p_k_minimal(both, p=2, k=2, protected={}).algorithm == "extended p-k-minimal"
    assert k_minimal(both, k=2).how["levels"] == {"q0": 0, "q1": 0}


def numbered(*numbers: object, sensitive: str = "") -> Microdata:
    frame = pd.DataFrame({"age": list(numbers), "ill": list(sensitive or "x" * len(numbers))})
    return Microdata.read(frame.astype(object), Roles(("age",), ("ill",)))


def groups(found: tuple[np.ndarray, int]) -> list[list[int]]:
    group, number = found
    return sorted(np.flatnonzero(group == n).tolist() for n in range(number))


def test_numbers_are_cut_where_most_is_saved() -> None:
    """1, 2, 8, 9 at the lower median: [1, 2] and [8, 9]. Equal numbers stay together."""
    found = cut(numbered("1", "9", "2", "8"), KAnonymous(2))
    assert groups(found) == [[0, 2], [1, 3]]
    assert groups(cut(numbered("5", "5", "5", "5"), KAnonymous(2))) == [[0, 1, 2, 3]]
    assert groups(cut(numbered("1", "1", "1", "9"), KAnonymous(1))) == [[0, 1, 2], [3]]
    # Missing cells come before all numbers, and beside a number lose everything.
    assert groups(cut(numbered(None, None, "1", "3"), KAnonymous(2))) == [[0, 1], [2, 3]]


def test_of_two_columns_of_numbers_the_one_that_saves_more_is_cut() -> None:
    """By a: {1, 1} and {9, 9}, losing b's whole range in both; by b the ranges of a stay: 1 to 9.

    a saves 4 x (1 + 1) - 4 x (0 + 1) = 4, b saves 8 - 4 x (1 + 3/4) = 1 (0 to 6 and 2 to 8 of 8).
    """
    frame = pd.DataFrame({"b": ["0", "8", "2", "6"], "a": ["1", "1", "9", "9"]})
    found = cut(Microdata.read(frame, Roles(("b", "a"))), KAnonymous(2))
    assert groups(found) == [[0, 1], [2, 3]]


def test_the_numbers_of_published_groups_are_mixed_and_say_nothing_else() -> None:
    data = numbered("1", "2", "3", "4", "5", "6", sensitive="xyxyzz")
    found = mondrian(data, KAnonymous(2))
    for seed in range(20):
        made = anatomize(found, seed=seed)
        assert made.quasi_identifiers.columns.tolist() == ["age", "group-id"]
        assert made.quasi_identifiers["age"].tolist() == ["1", "2", "3", "4", "5", "6"]
        assert {*made.quasi_identifiers["group-id"]} == {*range(1, len(found.keys) + 1)}
        table = made.sensitive["ill"]
        assert table["count"].sum() == 6
    hidden = np.zeros((6, 1), bool)
    hidden[0] = True
    recoding = Recoding(data, found.group, found.domains, found.keys, "by hand", hidden=hidden)
    table = anatomize(recoding, as_printed=True).sensitive["ill"]
    assert table["ill"].tolist().count("*") == 1
    assert table[table["ill"] == "*"]["count"].tolist() == [1]


def test_memory_counts_the_column_of_persons(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows of a quasi-identifier, a sensitive attribute and a person: 3 columns."""
    frame = pd.DataFrame({"q": ["a", "b"], "s": ["x", "y"], "who": ["1", "2"]})
    data = Microdata.read(frame, Roles(("q",), ("s",), unit="who"))
    needed = 2 * 3 * ALGORITHMS["mondrian"].bytes_a_cell
    monkeypatch.setattr(algorithms, "available", lambda: needed - 1)
    with pytest.raises(NotAchievableError, match="2 rows of 3 columns"):
        check_memory("mondrian", data)
    monkeypatch.setattr(algorithms, "available", lambda: needed)
    check_memory("mondrian", data)


def test_a_value_that_all_rows_have_and_a_diversity_that_none_has() -> None:
    """Every row is a person: x, x is shared, x, y is not; x beside an unknown cell may be."""
    data = microdata([("0", "0", s) for s in ("x", "x", "x", "y", "x", None)], 2, 1)
    of = np.array([0, 0, 1, 1, 2, 2])
    assert Unshared().met(Groups.of_rows(data, np.arange(6), of, 3)).tolist() == [
        False, True, False,
    ]  # fmt: skip
    assert too_few("l", 2, 0).nearest == {}
    assert too_few("l", 2, 1).nearest == {"l": 1}
    assert PSensitive(2, 2).met(Groups.of_rows(data, np.arange(6), of, 3)).tolist() == [
        False, True, False,
    ]  # fmt: skip


def test_conditions_are_values_or_ranges_in_numerical_order() -> None:
    """Of 2, 9, 10, 30: single values and ranges without a gap; each of the ten occurs."""
    data = numbered("2", "9", "10", "30")
    asked = random_queries(data, 200, seed=1)
    numbers = [int(label) for label in data.labels_of("age")[2:]]
    spans = set()
    for query in asked:
        for name, wanted in query.conditions:
            if name == "age":
                spans.add(tuple(sorted(n for n, w in zip(numbers, wanted[2:], strict=True) if w)))
    every = [2, 9, 10, 30]
    assert spans == {tuple(every[i:j]) for i in range(4) for j in range(i + 1, 5)}


def test_a_range_from_the_smallest_number_loses_its_width() -> None:
    """b is cut at 1: twice a range of 1 of 8, saving 4 - 4/8. a is cut in x, x and y, z: saves 2.

    Were {0, 1} to lose everything, b would save 4 - 2 - 2/8, less than a.
    """
    frame = pd.DataFrame({"b": ["0", "7", "1", "8"], "a": ["x", "x", "y", "z"]})
    found = cut(Microdata.read(frame, Roles(("b", "a"))), KAnonymous(2))
    assert groups(found) == [[0, 2], [1, 3]]


def test_what_became_of_the_unit_column_is_said() -> None:
    frame = pd.DataFrame({"q": ["a", "a", "b", "b"], "s": list("xyxy"), "who": list("1234")})
    policy = parse_policy("""
        columns = { quasi-identifiers = ["q"], sensitive = ["s"], unit = "who" }
        require.k-anonymity = { k = 2 }
    """)
    assert any("'who'" in note for note in mask(frame, policy, algorithm="mondrian").notes)


def test_the_policy_of_a_release_has_the_trees_that_masked_it() -> None:
    """Codes by their first two digits, then none: built once, from the original's values."""
    policy = parse_policy("""
        columns = { quasi-identifiers = ["zip"], sensitive = ["s"] }
        hierarchies.zip = { prefixes = [2, 0] }
        require.k-anonymity = { k = 3 }
    """)
    codes = ["4101", "4102", "4199", "4301", "4302", "4303"]
    found = mask(pd.DataFrame({"zip": codes, "s": list("xyxyxy")}), policy, algorithm="full-domain")
    assert found.release["zip"].tolist() == ["41**"] * 3 + ["43**"] * 3
    spec = found.policy.hierarchies["zip"]
    assert spec.tree is not None
    assert spec.tree.ancestors("4101")[:2] == ("4101", "41**")
    assert (spec.prefixes, spec.intervals) == ((), ())
