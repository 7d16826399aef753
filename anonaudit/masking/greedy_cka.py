"""GreedyCKA: constrained k-anonymity by clustering within generalization boundaries (MCT08)."""

from __future__ import annotations

from typing import Final

import numpy as np

from anonaudit.arrays import Index
from anonaudit.frequency.codes import distinct_rows
from anonaudit.masking.aims import PROTECTED
from anonaudit.masking.clustering import Clusters
from anonaudit.masking.goals import Every, Goal, Groups, KAnonymous, PSensitive
from anonaudit.masking.joins import joins_of
from anonaudit.masking.k_member import cluster
from anonaudit.masking.recoding import Microdata, NotAchievableError, Recoding
from anonaudit.masking.suppression import short_rows
from anonaudit.masking.task import Algorithm, Task
from anonaudit.masking.trees import generalized, lattice_trees
from anonaudit.models.boundaries import Boundaries
from anonaudit.models.level import whole_number


def greedy_cka(
    data: Microdata,
    *,
    k: int,
    boundaries: Boundaries,
    p: int = 1,
    goal: Goal | None = None,
    exchanges: bool = True,
    most_suppressed: int | None = None,
    seed: int = 0,
) -> Recoding:
    """Make a table constrained k-anonymous by clustering within boundaries (MCT08 Figure 5).

    The rows are divided into the classes of the maximum allowed microdata (MAM, Definition 9): two
    rows are in one class if all their maximum allowed generalization values (MAGVals) are equal. A
    MAM class that does not meet k, p and the goal is suppressed; MCT08 calls the set of suppressed
    rows OUT. Every other MAM class is divided into clusters by greedy k-member clustering. No
    cluster is generalized beyond the boundaries, because all its rows have equal MAGVals.

    If persons have several rows and `data.whole_persons` is True, all rows of a suppressed person
    are suppressed. MAM classes that fail because of this are suppressed too (see `short_rows`).

    For k, p, distinct l and multi-attribute L, no smaller set of rows can be suppressed so that the
    model is achievable within the boundaries (Properties 5 and 6): if a class fails such a goal,
    every part of the class fails too. For entropy l, or if some sensitive cells are unknown, a
    smaller set may exist.

    k: the least number of persons in a cluster. If every row is a person, k counts rows.
    boundaries: the maximum allowed generalization values of the quasi-identifiers.
    p: the least number of values of each sensitive attribute in a cluster. If p is above 1, the
        release is constrained p-sensitive k-anonymous (MCT08 section 4). The clusters grow as in
        `k_member`, new values first. MCT08 uses EnhancedPKClustering for this step; see `k_member`
        for the difference.
    goal: a further goal, for example `PSensitive` or `EntropyL` for constrained l-diversity; None
        for no further goal. Clusters that fail the goal are merged within their MAM class.
    exchanges: as in `k_member`, within each MAM class.
    most_suppressed: the largest number of rows that may be suppressed; None for no limit. At least
        one row must remain in any case.
    seed: as in `k_member`.

    Returns a Recoding whose groups are the clusters. `how["OUT"]` is the number of suppressed rows.

    Raises NotAchievableError (reason "OUT") if more rows than allowed, or all rows, would have to
    be suppressed.

    Source: MCT08 Figure 5, Definitions 7 to 11, Properties 1 to 6.

    >>> from anonaudit.generalization.hierarchy import Hierarchy
    >>> from anonaudit.roles import Roles
    >>> import pandas as pd
    >>> places = [["San Diego", "California"], ["Fresno", "California"], ["Lincoln", "Nebraska"]]
    >>> trees = {"place": Hierarchy("place", places)}
    >>> table = pd.DataFrame({"place": ["San Diego", "Fresno", "Lincoln"]})
    >>> data = Microdata.read(table, Roles(("place",)), trees)
    >>> found = greedy_cka(data, k=2, boundaries=Boundaries(trees, {"place": ("California",)}))
    >>> found.frame()["place"].tolist(), found.how["OUT"]
    (['California', 'California'], 1)
    """
    whole_number("k", k, 1)
    whole_number("most_suppressed", most_suppressed, 0)
    base: Goal = KAnonymous(k) if p == 1 else PSensitive(p, k)
    goals = (base,) if goal is None else (base, goal)
    part, number = parts(data, boundaries)
    groups = Groups.of_rows(data, np.arange(len(data)), part, number)
    gone = short_rows(groups, Every(goals), whole_persons=data.whole_persons)
    out = int(gone.sum())
    allowed = len(data) if most_suppressed is None else most_suppressed
    if out > allowed or out == len(data):
        raise NotAchievableError(
            f"{out} of {len(data)} row(s) cannot be masked within the boundaries (OUT)",
            reason="OUT",
            nearest={"most_suppressed": out} if 0 < out < len(data) else {},
        )
    group, n_groups = np.full(len(data), -1, np.intp), 0
    rng, joins = np.random.default_rng(seed), joins_of(data)
    left = np.flatnonzero(~gone)
    order = left[np.argsort(part[left], kind="stable")]
    for rows in np.split(order, np.flatnonzero(np.diff(part[order])) + 1):
        clusters = Clusters(data, rows, joins, k, p)
        n_groups = cluster(clusters, group, n_groups, goal=goal, exchanges=exchanges, rng=rng)
    domains, keys = generalized(data, group, n_groups)
    how = {"k": k, "p": p, "goal": goal, "exchanges": exchanges, "seed": seed}
    how |= {"OUT": out, "MAM classes": number}
    return Recoding(data, group, domains, keys, "GreedyCKA", how)


def parts(data: Microdata, boundaries: Boundaries) -> tuple[Index, int]:
    """Return the MAM class of each row, and the number of MAM classes (MCT08 Definition 9)."""
    tops = [
        tree.path[data.quasi[:, j], -1] for j, tree in enumerate(lattice_trees(data, boundaries))
    ]
    distinct, part = distinct_rows(np.column_stack(tops))
    return part, len(distinct)


def _run(task: Task) -> Recoding:
    return greedy_cka(
        task.data,
        k=task.aim.k,
        p=task.aim.p,
        goal=task.more,
        boundaries=task.boundaries,
        most_suppressed=task.threshold,
        seed=task.seed,
    )


ALGORITHM: Final = Algorithm(
    name="greedy-cka",
    run=_run,
    lacks=frozenset({PROTECTED}),
    bytes_a_cell=150,
)
