"""Algorithm GreedyCKA of MCT08, and the k-member clustering that it calls.

Fast implementations: `masking.greedy_cka.greedy_cka` and `masking.k_member.k_member`, both with
`exchanges=False`. They build the clusters with the lookup tables of `masking/clustering.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from anonaudit.generalization.hierarchy import Hierarchy

Row = tuple[str, ...]
Draw = Callable[[int], int]  # returns a number from 0 to the argument - 1
Clusters = list[list[int]]


def greedy_cka(
    rows: Sequence[Row],
    trees: Sequence[Hierarchy],
    magvals: Sequence[Mapping[str, str]],
    k: int,
    draw: Draw,
) -> tuple[Clusters, list[int]]:
    """Run MCT08 section 4, Algorithm GreedyCKA.

    rows: the quasi-identifiers of each row of the initial microdata (IM). trees: the hierarchy of
        each quasi-identifier. magvals: for each quasi-identifier, the MAGVal of each leaf.
    k: the smallest cluster size. draw: returns a random number from 0 to its argument - 1; it picks
        the first record of each clustering.

    Returns the v clusters of S, and the cluster cl_{v+1} = OUT of the rows to suppress, as row
    numbers.
    """
    # Compute MAM and OUT;
    mam: dict[Row, list[int]] = {}
    for i, row in enumerate(rows):
        mam.setdefault(tuple(m[v] for m, v in zip(magvals, row, strict=True)), []).append(i)
    out = [i for cl in mam.values() if len(cl) < k for i in cl]
    # S = empty set;
    s: Clusters = []
    # For each QI-cluster from MAM \ OUT, cl,
    for cl in mam.values():
        if len(cl) >= k:
            # S' = Greedy_k-member_Clustering(cl, k); S = S u S';
            s += greedy_k_member(rows, cl, trees, k, draw)
    # v = |S|; cl_{v+1} = OUT;
    return s, out


def greedy_k_member(
    rows: Sequence[Row], records: Sequence[int], trees: Sequence[Hierarchy], k: int, draw: Draw
) -> Clusters:
    """Run greedy k-member clustering (Byun, Kamra, Bertino, Li, CERIAS 2006-10, Figure 2).

    records: the row numbers of the set S to cluster. rows, trees, k, draw: as for `greedy_cka`.

    Among several best records, the first in S is taken. The last record of S takes the place of a
    removed record. Left-over records join clusters in ascending order of row number.
    """

    def il(cluster: Sequence[int]) -> float:
        return information_loss([rows[i] for i in cluster], trees)

    def taken(place: int) -> int:
        record, s[place] = s[place], s[-1]
        s.pop()
        return record

    result: Clusters = []
    s, r = list(records), records[draw(len(records))]
    while len(s) >= k:
        # r = the furthest record from r; c = {r};
        r = taken(max(range(len(s)), key=lambda place: il([r, s[place]])))
        c = [r]
        # while (|c| < k) r' = find_best_record(S, c): the record that adds the least loss
        while len(c) < k:
            c.append(taken(min(range(len(s)), key=lambda place: il([*c, s[place]]))))
        result.append(c)
    # while (|S| != 0) c = find_best_cluster(result, r): the cluster to whose loss r adds the least
    for record in sorted(s):
        min(result, key=lambda c: il([*c, record]) - il(c)).append(record)
    return result


def information_loss(cluster: Sequence[Row], trees: Sequence[Hierarchy]) -> float:
    """Return IL(cl), MCT08 Definition 10: |cl| times the sum of height(gen(cl)[Q]) / height(H_Q).

    >>> tree = Hierarchy.from_levels("sex", [["m", "*"], ["f", "*"]])
    >>> information_loss([("m",), ("f",)], [tree]), information_loss([("m",), ("m",)], [tree])
    (2.0, 0.0)
    """
    total = 0.0
    for values, tree in zip(zip(*cluster, strict=True), trees, strict=True):
        gen = tree.lowest_common_ancestor(values)  # Definition 8
        total += height(tree, gen) / height(tree, tree.root)
    return len(cluster) * total


def height(tree: Hierarchy, value: str) -> int:
    """Return the height of the part of the hierarchy below a value: 0 for a leaf.

    >>> height(Hierarchy.from_levels("sex", [["m", "*"], ["f", "*"]]), "*")
    1
    """
    return max((1 + height(tree, child) for child in tree.children(value)), default=0)
