"""GreedyCKA: k-anonymity within generalization boundaries, with as little suppression as can be."""

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
    """Constrained k-anonymity by clustering within the maximum allowed microdata (MCT08 Fig. 5).

    The rows are divided by the MAGVals of their values (MAM, Definition 9). Parts smaller than
    k are suppressed (OUT); every other part is clustered by greedy k-member clustering. Rows of
    one part have all their common ancestors within the boundaries.

    p: above 1, constrained p-sensitive k-anonymity (MCT08 section 4), by new-value-first growth as
        in `k_member`. MCT08 names EnhancedPKClustering for this step; see there.
    goal: something more, for example `PSensitive` or `EntropyL` for constrained l-diversity;
        clusters that fall short are merged within their part.
    exchanges: as of `k_member`, within each part.
    most_suppressed: how many rows may be suppressed; None for any number, but never all.

    What is suppressed are the parts that, as one class, do not meet k, p and the goal; and where
    persons have several rows, all rows of their persons, and so on (see `short_rows`). For k, p,
    distinct l and multi-attribute L it is the unique smallest set whose removal makes the model
    reachable within the boundaries, as in Properties 5 and 6: no part of such a class meets what
    the class does not. For entropy l, and where sensitive cells are unknown, it is sufficient, not
    always smallest.

    Returns a Recoding whose groups are the clusters; `how["OUT"]` is the number suppressed.

    Raises NotAchievableError, reason "OUT", if more than allowed, or all, would be suppressed.

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
    base: Goal = KAnonymous(k) if p == 1 else PSensitive(p, k)
    goals = (base,) if goal is None else (base, goal)
    part, number = parts(data, boundaries)
    groups = Groups.of_rows(data, np.arange(len(data)), part, number)
    gone = short_rows(groups, Every(goals), whole_persons=data.whole_persons)
    out = int(gone.sum())
    allowed = len(data) if most_suppressed is None else most_suppressed
    if out > allowed or out == len(data):
        raise NotAchievableError(
            f"{out} of {len(data)} row(s) are in OUT: within the boundaries they cannot be masked",
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
    """The class of each row in the maximum allowed microdata, and their number (Definition 9)."""
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
