"""Greedy k-member clustering: clusters of k rows that lose as little as they can."""

from __future__ import annotations

from typing import Final

import numpy as np

from anonaudit.arrays import Index
from anonaudit.masking.aims import BOUNDARIES, PROTECTED
from anonaudit.masking.clustering import Clusters
from anonaudit.masking.exchange import exchange
from anonaudit.masking.goals import Goal, KAnonymous, PSensitive, require
from anonaudit.masking.joins import joins_of
from anonaudit.masking.recoding import Microdata, Recoding
from anonaudit.masking.task import Algorithm, Task
from anonaudit.masking.trees import generalized
from anonaudit.models.level import whole_number


def k_member(
    data: Microdata,
    *,
    k: int,
    p: int = 1,
    goal: Goal | None = None,
    exchanges: bool = True,
    seed: int = 0,
) -> Recoding:
    """k-anonymity by greedy k-member clustering, with MCT08's information loss.

    Where persons have several rows, a cluster has rows of k persons or more: it takes rows of
    persons that it does not have yet. A person's rows may be in different clusters.

    Every cluster is released with its generalization information (MCT08 Definition 8), numbers
    without a hierarchy as the closed interval that holds those of the cluster. The fewer
    than k rows left at the end go, one by one, to the cluster whose loss grows least.

    p: above 1, p-sensitive k-anonymity, by new-value-first growth: a cluster takes the cheapest row
        that brings a sensitive value it lacks, until it has p of each attribute (`Clusters.grow`).
        This is ours. It is not EnhancedPKClustering (Truta, Campan, Meyer, Generating Microdata
        with P-Sensitive K-Anonymity Property, SDM 2007, pp. 124-141; MCT08's [22]): only the
        abstract of that paper was at hand, not the steps of its algorithm. In particular nothing
        bounds the number of clusters from below here.
    goal: something more that clusters must meet; those that fall short are merged, the cheapest
        way, until none does.
    exchanges: let rows change places between the clusters, where that loses less (see `exchange`),
        before rows left over are placed; False for the algorithm as published.
    seed: of the draw of the first row, the only choice left to chance, and no secret (see `Task`).

    Returns a Recoding whose groups are the clusters. No row is suppressed.

    Raises NotAchievableError if the whole table as one class does not meet k, p or the goal.

    Source: Byun, Kamra, Bertino, Li, Efficient k-Anonymity Using Clustering Technique, CERIAS
    2006-10, Figure 2; MCT08 Definitions 8, 10 and 11.

    >>> from anonaudit.roles import Roles
    >>> import pandas as pd
    >>> table = pd.DataFrame({"zip": list("aabb"), "sex": list("mfmf")})
    >>> found = k_member(Microdata.read(table, Roles(("zip", "sex"))), k=2)
    >>> sorted(found.sizes.tolist())
    [2, 2]
    """
    check_task(data, k, p, goal)
    group = np.full(len(data), -1, np.intp)
    rng = np.random.default_rng(seed)
    clusters = Clusters(data, np.arange(len(data)), joins_of(data), k, p)
    number = cluster(clusters, group, 0, goal=goal, exchanges=exchanges, rng=rng)
    domains, keys = generalized(data, group, number)
    how = {"k": k, "p": p, "goal": goal, "exchanges": exchanges, "seed": seed}
    return Recoding(data, group, domains, keys, "k-member", how)


def check_task(data: Microdata, k: int, p: int, goal: Goal | None) -> None:
    """Refuse parameters that make no sense, and what the whole table does not meet."""
    whole_number("k", k, 1)
    base: Goal = KAnonymous(k) if p == 1 else PSensitive(p, k)
    require(base, data)
    if goal is not None:
        require(goal, data)


def cluster(
    clusters: Clusters,
    group: Index,
    number: int,
    *,
    goal: Goal | None,
    exchanges: bool,
    rng: np.random.Generator,
) -> int:
    """Cluster rows that are in no cluster yet, number the clusters from `number` on in `group`.

    The rows as one cluster must meet k, p and the goal. Returns the next number.
    """
    clusters.grow(rng)
    if exchanges:
        exchange(clusters)
    clusters.place_rest()
    if goal is not None:
        clusters.merge_until(goal)
    group[clusters.rows] = clusters.of + number
    return number + len(clusters.nodes)


def _run(task: Task) -> Recoding:
    return k_member(task.data, k=task.aim.k, p=task.aim.p, goal=task.more, seed=task.seed)


ALGORITHM: Final = Algorithm(
    name="k-member",
    run=_run,
    lacks=frozenset({PROTECTED, BOUNDARIES}),
    bytes_a_cell=150,
)
