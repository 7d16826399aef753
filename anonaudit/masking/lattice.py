"""Search the generalization lattice: Samarati's binary search, and all minimal nodes.

The searches find k-minimal and p-k-minimal generalizations (TV06 Definition 3, Algorithm 3), also
with extended p-sensitivity (CT06 section 4) and within generalization boundaries (MCT08).

Algorithm 3 as printed misses solutions in four ways (see `papers/published/`). The corrections are:

- Every class that violates k *or* p is suppressed. So the number of suppressed rows never grows
  from a node to a node above, and the binary search is sound.
- The number of classes is compared with maxGroups (Condition 2) after suppression, not before.
- If a node has too many classes, the other nodes of the same height are still tried.
- The top node is tested too.

Boundaries limit the generalization of each value: on every level above its maximum allowed
generalization value (MAGVal), a value is released as its MAGVal. Levels on which no value changes
any more are removed.
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
from anonaudit.models.level import ParameterError, whole_number
from anonaudit.models.p_sensitive import max_groups
from anonaudit.roles import Roles

Protected = Mapping[str, Sequence[str]]


def k_minimal(
    data: Microdata, *, k: int, threshold: int = 0, boundaries: Boundaries | None = None
) -> Recoding:
    """Return a k-minimal generalization with tuple suppression, by Samarati's binary search.

    A node is a solution if at most `threshold` rows must be suppressed so that every class has k
    persons or more, and if at least one row remains. Among the solutions of the least height, the
    node that suppresses the fewest rows is taken. If several nodes suppress the same number of
    rows, the first of them in ascending order is taken.

    k: the least number of persons in a class. If every row is a person, k counts rows.
    threshold: the largest number of rows that may be suppressed.
    boundaries: maximum allowed generalization values (MCT08 Definition 3); None for no limit.

    Raises NotAchievableError if no node is a solution, HierarchyError if a hierarchy lacks a value.

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
    """Return a p-k-minimal generalization with tuple suppression: TV06 Algorithm 3, corrected.

    The search is that of `k_minimal`, with p-sensitive k-anonymity (TV06 Definition 2) as the goal.

    p: the least number of different values of each sensitive attribute in a class.
    k, threshold, boundaries: as in `k_minimal`.
    protected: the protected inner values of each sensitive attribute. If they are given, the search
        counts different strong values (`Hierarchy.strong_values`) instead of different sensitive
        values. The release still has the original sensitive values, and is extended p-sensitive
        k-anonymous (CT06 section 4). None searches for p-sensitive k-anonymity.

    Raises the errors of `k_minimal`. The reason is "maxP" if p violates Condition 1.

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
    """Return all k-minimal (p = 1) or p-k-minimal nodes, sorted by height; the list may be empty.

    A node is minimal if it meets the goal with suppression and no node below does (TV06
    Definition 3). The search goes from the bottom node upwards. Nodes above a minimal node meet the
    goal too, so they are skipped. The frequency set of any other node is rolled up from a node
    directly below: the node whose frequency set has the fewest combinations.

    The parameters are those of `p_k_minimal`. As in the paper (TV06 Table 4), if all rows may be
    suppressed, the bottom node is minimal, although its release may have no row. `recode` refuses a
    node whose release has no row, and `k_minimal` and `p_k_minimal` do not choose it.

    Raises HierarchyError if a hierarchy lacks a value, ParameterError for p > k.

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
    """Generalize a table at one lattice node, and suppress the classes that violate k or p.

    node: a level for each quasi-identifier.
    k, p: the least number of persons, and of values of each sensitive attribute, in a class.
    threshold: the largest number of rows that may be suppressed.

    Raises NotAchievableError if more than `threshold` rows, or all rows, would have to be
    suppressed. Raises ParameterError if the node is not in the lattice.

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
    """Return the table, hierarchies and goal of a search.

    goal: `KAnonymous` or `PSensitive`. The other parameters are those of `p_k_minimal`.
    """
    searched = data if protected is None else data.lifted(protected)
    if isinstance(goal, KAnonymous):  # without sensitive values, the frequency sets are smaller
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
    whole_number("threshold", threshold, 0)
    # One row must remain, even if the threshold allows the suppression of all.
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
    # If the least height is the top, no step of the search has tested the node.
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
        raise ParameterError(
            f"{node} is not a node of the lattice, whose top node is {table.lattice.heights}"
        )
    released, gone = table.rows_at(node)
    n, allowed = int(gone.sum()), facts["threshold"]
    if n > table.threshold or n == len(data):
        at_top = node == table.lattice.heights
        top = table.rows_at(table.lattice.heights)[1]
        where = "even at the top node" if at_top else f"at node {node}"
        limit = f"at most {allowed} may be" if n > allowed else "no row would be left to release"
        raise NotAchievableError(
            f"{where}, {n} row(s) must be suppressed, but {limit}",
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
    """Return maxGroups of the initial microdata (TV06 Condition 2); None if the goal is k alone.

    maxGroups is an upper bound on the number of classes of every masked microdata (Theorem 2).
    """
    if not isinstance(goal, PSensitive) or goal.p == 1:
        return None
    one_class = equivalence_classes(data.frequency(), Roles((), data.roles.sensitive))
    return max_groups(one_class.sensitive, goal.p)


def _run(task: Task) -> Recoding:
    aim, boundaries = task.aim, task.boundaries if task.aim.bounded else None
    if aim.p == 1 and aim.protected is None:  # p = 1 must not require a known sensitive value
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
