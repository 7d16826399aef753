"""Greedy k-member clustering: group rows into clusters of at least k with little loss."""

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
    """Make a table k-anonymous by greedy k-member clustering, with the information loss of MCT08.

    Every cluster is released with its generalization information (MCT08 Definition 8). Numbers
    without a hierarchy are released as the smallest closed interval that contains the numbers of
    the cluster. Rows that are in no cluster at the end are added, one by one, to the cluster to
    whose loss they add least.

    k: the least number of persons in a cluster. If every row is a person, k counts rows. If persons
        have several rows, the rows of one person may be in different clusters.
    p: the least number of values of each sensitive attribute in a cluster. If p is above 1, the
        release is p-sensitive k-anonymous. The clusters grow new values first: until a cluster has
        p values of each sensitive attribute, it takes only rows that add a new value, and among
        these the row that adds the least loss (`Clusters.grow`). This method is ours. It is not
        EnhancedPKClustering (Truta, Campan, Meyer, Generating Microdata with P-Sensitive
        K-Anonymity Property, SDM 2007, pp. 124-141; [22] in MCT08): only the abstract of that paper
        was available, not the steps of its algorithm. The number of clusters is not guaranteed to
        be the least.
    goal: a further goal of every cluster; None for no further goal. A cluster that fails the goal
        is merged with the cluster for which the merger adds the least loss, until every cluster
        meets the goal.
    exchanges: True swaps rows between clusters where this lowers the loss (see `exchange`), before
        the rows that are in no cluster are added. False runs the algorithm as published.
    seed: the seed that draws the first row, the only random choice. The seed is not a secret (see
        `Task`).

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
    """Check k, and check that the whole table as one group meets k, p and the goal.

    Raises ParameterError if k is not a whole number above 0. Raises NotAchievableError if the whole
    table fails k, p or the goal.
    """
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
    """Cluster the rows of `clusters`, and write the cluster of each row to `group`.

    All rows as one cluster must meet k, p and the goal.

    group: an array with an element for each row of the table. The function changes it.
    number: the number of the first cluster.
    goal, exchanges: as in `k_member`.
    rng: draws the first row.

    Returns the first unused cluster number.
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
