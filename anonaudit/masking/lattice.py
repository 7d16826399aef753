"""Searches of the generalization lattice: Samarati's binary search, and all minimal nodes.

k-minimal and p-k-minimal generalizations (TV06 Definition 3, Algorithm 3), the same with
extended p-sensitivity (CT06 section 4) and within generalization boundaries (MCT08).

Algorithm 3 as printed misses solutions, in four ways; see `papers/published/`. Here every class
that violates k *or* p is suppressed, so that what a node suppresses never grows on the way up and
the binary search is sound; classes are counted after suppression; a node that has too many leaves
the others of its height to be tried; and the top node is tested.

Boundaries prune the lattice value by value: no value is generalized beyond its MAGVal, wherever
the level of its attribute would take it; levels above all MAGVals are gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.codes import distinct_rows
from anonaudit.masking.aims import GOALS
from anonaudit.masking.full_domain import FullDomain, Lattice, Node, Rolled
from anonaudit.masking.goals import Goal, KAnonymous, PSensitive, require
from anonaudit.masking.recoding import Microdata, NotAchievableError, Recoding
from anonaudit.masking.task import Algorithm, Task
from anonaudit.masking.trees import lattice_trees
from anonaudit.models.boundaries import Boundaries
from anonaudit.models.level import ParameterError
from anonaudit.models.p_sensitive import max_groups
from anonaudit.roles import Roles

Protected = Mapping[str, Sequence[str]]


def k_minimal(
    data: Microdata, *, k: int, threshold: int = 0, boundaries: Boundaries | None = None
) -> Recoding:
    """A k-minimal generalization with tuple suppression, by Samarati's binary search.

    Of the nodes at the least height where no more than `threshold` rows are in classes smaller
    than k, and some row is not, the one that suppresses the fewest rows; of equal ones the first
    in order. A release without a row is none, however large the threshold.

    boundaries: maximum allowed generalization values (MCT08 Definition 3).

    Raises NotAchievableError where no node will do; HierarchyError for values that a hierarchy
    lacks.

    Source: TV06 section 2; Samarati, TKDE 13(6), 2001.

    >>> from anonaudit.roles import Roles
    >>> import pandas as pd
    >>> table = pd.DataFrame({"sex": ["m", "f", "m"], "illness": ["flu", "flu", "hiv"]})
    >>> data = Microdata.read(table, Roles(("sex",), ("illness",)))
    >>> k_minimal(data, k=2).how["node"], k_minimal(data, k=2, threshold=1).how["node"]
    ((1,), (0,))
    """
    return _binary_search(data, KAnonymous(k), threshold, None, boundaries, "k-minimal")


def p_k_minimal(
    data: Microdata,
    *,
    p: int,
    k: int,
    threshold: int = 0,
    protected: Protected | None = None,
    boundaries: Boundaries | None = None,
) -> Recoding:
    """A p-k-minimal generalization with tuple suppression: TV06 Algorithm 3, corrected.

    As `k_minimal`, with p-sensitive k-anonymity (TV06 Definition 2).

    protected: for each sensitive attribute its protected inner values; then the sensitive values
    are lifted to their strong ancestors for the search and restored in the release (CT06
    section 4), which gives extended p-sensitive k-anonymity.

    Raises as `k_minimal`; the reason is "maxP" where Condition 1 says no.

    Source: TV06 Algorithm 3 and Definition 3; CT06 section 4.

    >>> from anonaudit.roles import Roles
    >>> import pandas as pd
    >>> rows = [("a", "x"), ("a", "x"), ("b", "x"), ("b", "y")]
    >>> data = Microdata.read(pd.DataFrame(rows, columns=["q", "s"]), Roles(("q",), ("s",)))
    >>> p_k_minimal(data, p=2, k=2).how["node"]
    (1,)
    """
    name = "p-k-minimal" if protected is None else "extended p-k-minimal"
    return _binary_search(data, PSensitive(p, k), threshold, protected, boundaries, name)


def minimal_nodes(
    data: Microdata,
    *,
    k: int,
    p: int = 1,
    threshold: int = 0,
    protected: Protected | None = None,
) -> list[Node]:
    """All k-minimal (p = 1) or p-k-minimal nodes, by height, then in order; maybe none.

    A node is minimal if it meets the goal with suppression and no node below it does (TV06
    Definition 3). Bottom up: nodes above a minimal one meet the goal and are not counted; the
    frequency set of any other is rolled up from the smallest one directly below it.

    Parameters as for `p_k_minimal`. As the paper has it, a threshold that lets every row be
    suppressed makes the bottom node minimal (TV06 Table 4), although nothing is released there:
    `recode` refuses such a node, and the searches pass it over.

    Raises HierarchyError for values that a hierarchy lacks, ParameterError for p > k.

    Source: TV06 Definition 3 and Table 4.

    >>> from anonaudit.roles import Roles
    >>> import pandas as pd
    >>> rows = [("m", "1"), ("f", "1"), ("m", "2"), ("f", "2")]
    >>> data = Microdata.read(pd.DataFrame(rows, columns=["sex", "zip"]), Roles(("sex", "zip")))
    >>> minimal_nodes(data, k=2)
    [(0, 1), (1, 0)]
    """
    table = full_domain(data, _goal(p, k), threshold, protected)
    most = _most_groups(table.data, table.goal)
    minimal: list[Node] = []
    below: dict[Node, Rolled] = {}
    for height in range(table.lattice.height + 1):
        here: dict[Node, Rolled] = {}
        for node in table.lattice.nodes(height):
            if any(Lattice.is_above(node, lower) for lower in minimal):
                continue
            start = [below[lower] for lower in table.lattice.predecessors(node)]
            here[node] = table.roll_up(min(start, key=len), node) if start else table.bottom()
            if table.to_suppress(here[node], most) <= table.threshold:
                minimal.append(node)
                del here[node]
        below = here
    return minimal


def recode(
    data: Microdata,
    node: Node,
    *,
    k: int,
    p: int = 1,
    threshold: int = 0,
) -> Recoding:
    """Full-domain generalization at one node, with suppression of what falls short of k or p.

    node: a level for each quasi-identifier.

    Raises NotAchievableError if more than `threshold` rows would have to be suppressed, or all;
    ParameterError for a node that is not in the lattice.

    Source: TV06 section 2.

    >>> from anonaudit.roles import Roles
    >>> import pandas as pd
    >>> data = Microdata.read(pd.DataFrame({"sex": ["m", "f", "m"]}), Roles(("sex",)))
    >>> recode(data, (0,), k=2, threshold=1).frame()["sex"].tolist()
    ['m', 'm']
    """
    table = full_domain(data, _goal(p, k), threshold)
    return _released(
        data, table, node, "full-domain generalization", False, {"threshold": threshold}
    )


def full_domain(
    data: Microdata,
    goal: Goal,
    threshold: int = 0,
    protected: Protected | None = None,
    boundaries: Boundaries | None = None,
) -> FullDomain:
    """The table and the lattice that a search goes through; parameters as for `p_k_minimal`."""
    searched = data if protected is None else data.lifted(protected)
    if isinstance(goal, KAnonymous):  # sensitive values would only make the tables longer
        q = len(data.roles.quasi_identifiers)
        roles = Roles(data.roles.quasi_identifiers)
        searched = replace(data, roles=roles, labels=data.labels[:q], codes=data.codes[:, :q])
    return FullDomain(searched, lattice_trees(data, boundaries), goal, threshold)


def _goal(p: int, k: int) -> Goal:
    return KAnonymous(k) if p == 1 else PSensitive(p, k)


def _binary_search(
    data: Microdata,
    goal: Goal,
    threshold: int,
    protected: Protected | None,
    boundaries: Boundaries | None,
    name: str,
) -> Recoding:
    # Never all: where a threshold lets every row go, the search goes on to where some stay.
    allowed = min(threshold, max(len(data) - 1, 0))
    table = full_domain(data, goal, allowed, protected, boundaries)
    require(goal, table.data)
    most, bottom = _most_groups(table.data, goal), table.bottom()
    tested: dict[Node, int] = {}

    def needed(node: Node) -> int:
        if node not in tested:
            tested[node] = table.needed(bottom, node, most)
        return tested[node]

    low, high = 0, table.lattice.height
    while low < high:
        middle = (low + high) // 2
        if any(needed(node) <= allowed for node in table.lattice.nodes(middle)):
            high = middle
        else:
            low = middle + 1
    # The least height may be the top, which no step has tested.
    best = min(table.lattice.nodes(low), key=lambda node: (needed(node), node))
    facts = {"threshold": threshold, "tested": len(tested)}
    return _released(data, table, best, name, boundaries is not None, facts)


def _released(
    data: Microdata,
    table: FullDomain,
    node: Node,
    name: str,
    bounded: bool,
    facts: Mapping[str, int],
) -> Recoding:
    if len(node) != len(table.trees) or not Lattice.is_above(table.lattice.heights, node):
        raise ParameterError(f"{node} is no node of the lattice below {table.lattice.heights}")
    released, gone = table.rows_at(node)
    n, allowed = int(gone.sum()), facts["threshold"]
    if n > table.threshold or n == len(data):
        at_top = node == table.lattice.heights
        top = table.rows_at(table.lattice.heights)[1]
        where = "even at the top node" if at_top else f"at node {node}"
        limit = f"{allowed} may be suppressed" if n > allowed else "and no row is left to release"
        raise NotAchievableError(
            f"{where} {n} row(s) are in classes that fall short, {limit}",
            reason="OUT" if at_top and bounded else "threshold",
            nearest={"threshold": int(top.sum())} if top.sum() < len(data) else {},
        )
    keys, group = distinct_rows(released[~gone])
    groups = np.full(len(data), -1, np.intp)
    groups[~gone] = group
    how = {"node": node, "levels": _levels(data, node), **facts}
    return Recoding(data, groups, table.trees, keys, name, how)


def _levels(data: Microdata, node: Node) -> dict[str, int]:
    return dict(zip(data.roles.quasi_identifiers, node, strict=True))


def _most_groups(data: Microdata, goal: Goal) -> int | None:
    """maxGroups of the initial microdata, which Theorem 2 allows to use for any masked one."""
    if not isinstance(goal, PSensitive) or goal.p == 1:
        return None
    one_class = equivalence_classes(data.frequency(), Roles((), data.roles.sensitive))
    return max_groups(one_class.sensitive, goal.p)


def _run(task: Task) -> Recoding:
    aim, boundaries = task.aim, task.boundaries if task.aim.bounded else None
    if aim.p == 1 and aim.protected is None:  # k alone, whatever is known of sensitive values
        return k_minimal(task.data, k=aim.k, threshold=task.threshold or 0, boundaries=boundaries)
    return p_k_minimal(
        task.data,
        p=aim.p,
        k=aim.k,
        threshold=task.threshold or 0,
        protected=aim.protected,
        boundaries=boundaries,
    )


ALGORITHM: Final = Algorithm(
    name="full-domain",
    run=_run,
    lacks=frozenset({GOALS}),
    bytes_a_cell=110,
    every_hierarchy=True,
)
