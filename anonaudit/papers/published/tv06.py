"""TV06 Algorithms 1, 2 and 3. The listings have no line numbers, so comments quote them.

Fast implementations: `models.p_sensitive.algorithm_1` and `algorithm_2`, and
`masking.lattice.p_k_minimal`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from anonaudit.masking.full_domain import Node
from anonaudit.masking.goals import Groups, PSensitive
from anonaudit.masking.lattice import full_domain
from anonaudit.masking.recoding import Microdata
from anonaudit.models.level import ParameterError
from anonaudit.models.p_sensitive import check_p_and_k

PaperRow = Sequence[object]


def algorithm_1(rows: Sequence[PaperRow], quasi: int, *, p: int, k: int) -> bool:
    """Run TV06 Algorithm 1, "Basic Algorithm to test the p-sensitive k-anonymity property for MM".

    rows: the masked microdata (MM). A row has its key attributes first, then its confidential
        attributes.
    quasi: the number of key attributes.
    p, k: at least 2, and p <= k.

    Returns the variable Condition of the listing: True if MM is p-sensitive k-anonymous. Without
    rows it is True, because there is no group to test.

    >>> algorithm_1([("x", "flu"), ("x", "hiv")], 1, p=2, k=2)
    True
    """
    check_p_and_k(p, k)
    groups = _groups(rows, quasi)
    # if MM has k-anonymity property then
    if all(len(group) >= k for group in groups):
        condition = True
        # for each combination of key attribute values and each confidential attribute do
        for group in groups:
            for confidential in zip(*group, strict=True):
                d = len(set(confidential))  # the number of distinct values
                if d < p:
                    condition = False
                    break
    else:
        condition = False
    return condition


def algorithm_2(rows: Sequence[PaperRow], quasi: int, *, p: int, k: int) -> bool:
    """Run TV06 Algorithm 2, "Improved Algorithm": it tests the two necessary conditions first.

    Parameters and result are those of `algorithm_1`, except that the result is False without rows:
    maxP is 0 then.

    >>> algorithm_2([("x", "flu"), ("x", "flu")], 1, p=2, k=2)
    False
    """
    check_p_and_k(p, k)
    groups = _groups(rows, quasi)
    condition = True
    # first necessary condition: maxP = min s_j
    confidential = [row[quasi:] for row in rows]
    if p > _max_p(confidential):
        condition = False
    # second necessary condition: noGroups <= maxGroups
    if condition and len(groups) > max_groups(confidential, p):
        condition = False
    if condition and any(len(group) < k for group in groups):
        condition = False
    # only the MM that pass the two conditions are checked in details
    return condition and algorithm_1(rows, quasi, p=p, k=k)


def max_groups(rows: Sequence[PaperRow], p: int) -> int:
    """Return maxGroups of Condition 2: the minimum of floor((n - cf_{p-i}) / i), i = 1 to p-1.

    n is the number of rows. cf_i is the number of rows with one of the i most frequent values of an
    attribute, for the attribute in which this number is largest.

    rows: the confidential attributes of each row.

    Raises ParameterError unless p is from 2 to maxP: for other p the paper does not define cf_i, or
    takes the minimum of nothing.

    >>> max_groups([("flu",), ("flu",), ("hiv",)], 2)
    1
    """
    most = _max_p(rows)
    if not 2 <= p <= most:
        raise ParameterError(f"maxGroups is defined for p from 2 to maxP = {most}, not for {p}")
    frequencies = [
        sorted(Counter(column).values(), reverse=True) for column in zip(*rows, strict=True)
    ]
    cumulative = [list(accumulate(frequency)) for frequency in frequencies]
    cf = [max(column) for column in zip(*cumulative, strict=False)]  # up to min s_j
    bounds: list[int] = [(len(rows) - cf[p - i - 1]) // i for i in range(1, p)]
    return min(bounds)


def _max_p(rows: Sequence[PaperRow]) -> int:
    """Return maxP of Condition 1: the least number of distinct values of an attribute."""
    return min((len(set(column)) for column in zip(*rows, strict=True)), default=0)


class Algorithm3Output(NamedTuple):
    """The output of Algorithm 3: the variables Condition and X of the listing.

    node: X, the generalization that was found; None if no node was found.
    """

    condition: bool
    node: Node | None


def algorithm_3(
    data: Microdata, *, p: int, k: int, threshold: int = 0, corrected: bool = False
) -> Algorithm3Output:
    """Run TV06 Algorithm 3, "Algorithm for computing a p-k-minimal generalization".

    The printed listing misses solutions for four reasons. (a) `break` skips the other nodes of a
    height. (b) Groups are counted before suppression. (c) Only groups below k are suppressed. So
    a node above a satisfying node need not satisfy the property, and the binary search is unsound.
    (d) The top node is never tested. The paper does not define Condition if no node is found; here
    it is False.

    threshold: the largest number of rows that may be suppressed.
    corrected: repair (a) to (d). Then a node that releases no row does not satisfy the property.
    """
    check_p_and_k(p, k)
    goal, table = PSensitive(p, k), full_domain(data, PSensitive(p, k), threshold)
    bottom, whole = table.bottom(), Groups.whole(data)
    # Compute maxP using IM; if ( p > maxP ) Condition = false;
    if p > int(whole.distinct[:, 0].min(initial=p)):
        return Algorithm3Output(False, None)
    # Compute maxGroups for IM; low = 0; high = height(GL);
    most_groups = max_groups(data.sensitive.tolist(), p)
    low, high, x = 0, table.lattice.height, None
    if corrected:  # (d)
        high += 1
    while low < high:
        middle = (low + high) // 2  # try
        nodes, reach_k = table.lattice.nodes(middle), False
        while nodes and not reach_k:
            # Select and remove a node Z from Nodes.
            z = nodes.pop(0)
            groups = table.groups(table.roll_up(bottom, z))
            kept = groups.chosen(goal.met(groups) if corrected else groups.sizes >= k)  # (c)
            no_groups = (kept if corrected else groups).number  # (b)
            if no_groups > most_groups:
                if corrected:  # (a)
                    continue
                break
            # if (p-sensitive k-anonymity is satisfied for MM (including suppression)) X = Z;
            suppressed = int(groups.sizes.sum() - kept.sizes.sum())
            empty = corrected and not kept.number
            if suppressed <= threshold and goal.met(kept).all() and not empty:
                reach_k, x = True, z
        if reach_k:
            high = middle
        else:
            low = middle + 1
    return Algorithm3Output(x is not None, x)


def _groups(rows: Sequence[PaperRow], quasi: int) -> list[list[PaperRow]]:
    """Return the confidential cells of the rows, grouped by the values of the key attributes."""
    groups: dict[tuple[object, ...], list[PaperRow]] = {}
    for row in rows:
        groups.setdefault(tuple(row[:quasi]), []).append(row[quasi:])
    return list(groups.values())
