"""Algorithms exactly as printed, mistakes and all. Only the claims and tests import this.

TV06 Algorithm 3, the Split of GCG08 Figure 5, and GCG08 Figure 7. What is wrong with each stands
in its docstring; the corrected ones are in `masking.lattice`, `masking.mondrian` and
`models.multi_attribute_l_diversity`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from anonaudit.masking.full_domain import Node
from anonaudit.masking.goals import Groups, PSensitive
from anonaudit.masking.lattice import full_domain
from anonaudit.masking.recoding import Microdata

Row = tuple[str, ...]
Points = Sequence[tuple[float, ...]]


class Answer(NamedTuple):
    """What Algorithm 3 outputs: Condition, and X, None if Condition is false or X was never set."""

    condition: bool
    node: Node | None


def algorithm_3(data: Microdata, *, p: int, k: int, threshold: int = 0) -> Answer:
    """TV06 Algorithm 3, to the letter.

    False in four ways: `break` drops the other nodes of a height; groups are counted before
    suppression; small classes alone are suppressed, so p-sensitivity is not monotone along the
    lattice and binary search is unsound; the top node is never tested. Condition is true here
    where X was set, which the text leaves open.
    """
    goal = PSensitive(p, k)
    table = full_domain(data, goal, threshold)
    whole = Groups.whole(data)
    if p > int(whole.distinct[:, 0].min(initial=p)):
        return Answer(False, None)
    most_groups = _max_groups(data, p)
    bottom = table.bottom()
    low, high, found = 0, table.lattice.height, None
    while low < high:
        middle = (low + high) // 2
        nodes, reach_k = table.lattice.nodes(middle), False
        while nodes and not reach_k:
            node = nodes.pop(0)
            groups = table.groups(table.roll_up(bottom, node))
            if groups.number > most_groups:
                break
            small = groups.sizes < k
            kept = groups.chosen(~small)
            if int(groups.sizes[small].sum()) <= threshold and goal.met(kept).all():
                reach_k, found = True, node
        if reach_k:
            high = middle
        else:
            low = middle + 1
    return Answer(found is not None, found)


def _max_groups(data: Microdata, p: int) -> int:
    """min over i of floor((n - cf_{p-i}) / i), counted from the cells."""
    n = len(data)
    columns = [Counter(data.sensitive[:, j].tolist()) for j in range(data.sensitive.shape[1])]
    frequencies = [sorted(column.values(), reverse=True) for column in columns]
    cumulative = [max(sum(f[:i]) for f in frequencies) for i in range(p)]
    return min((n - cumulative[p - i]) // i for i in range(1, p))


def split(
    points: Points,
    satisfies: Callable[[list[int]], bool],
    group: list[int] | None = None,
) -> list[list[int]]:
    """GCG08 Figure 5, Split, to the letter: the partition P, as lists of row numbers.

    points: the quasi-identifiers as numbers. The widest attribute is chosen by z-score.

    False: where one half satisfies the model and the other does not, the records of the other
    are in no group; and line 10 adds T, all rows, where G must be meant.
    """
    everything = list(range(len(points)))
    group = everything if group is None else group
    columns = np.array(points, float).reshape(len(points), -1)
    deviation = columns.std(axis=0)
    scores = (columns - columns.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    dimension = int(np.argmax(np.ptp(scores[group], axis=0)))
    split_value = sorted(columns[group, dimension])[(len(group) - 1) // 2]
    left = [row for row in group if columns[row, dimension] <= split_value]
    right = [row for row in group if columns[row, dimension] > split_value]
    found: list[list[int]] = []
    if satisfies(left):
        # A half that is the whole group would be split for ever; the text says nothing of it.
        found += split(points, satisfies, left) if right else [everything]
    if satisfies(right):
        found += split(points, satisfies, right)
    if not satisfies(left) and not satisfies(right):
        found.append(everything)
    return found


def figure_7(rows: Sequence[Row], l: int, limits: Sequence[int]) -> bool:
    """GCG08 Figure 7, L-diverse-Column, to the letter.

    False through Theorem 6: where the limits allow fewer than x values to be picked, the sum over
    those that there are passes, and the answer is yes too often.
    """
    frequency = Counter((j, v) for row in rows for j, v in enumerate(row))
    order = sorted(
        range(len(rows)), key=lambda i: sum(frequency[j, v] for j, v in enumerate(rows[i]))
    )
    chosen: list[int] = []
    used: set[tuple[int, str]] = set()
    for i in order:
        if used.isdisjoint(enumerate(rows[i])):
            chosen.append(i)
            used |= set(enumerate(rows[i]))
    if len(chosen) >= l:
        return True
    taken, x = [rows[i] for i in chosen], len(chosen)
    for i in order:
        if i in chosen:
            continue
        taken.append(rows[i])
        if _sum_of_most_frequent(taken, x, limits) > len(taken):
            taken.pop()
        elif _sum_of_most_frequent(taken, x + 1, limits) <= len(taken):
            x += 1
            if x == l:
                return True
    return False


def _sum_of_most_frequent(rows: Sequence[Row], x: int, limits: Sequence[int]) -> int:
    """SumF of the x most frequent values, at most L_i of attribute i; of fewer if there are."""
    left, total = list(limits), 0
    frequency = Counter((j, v) for row in rows for j, v in enumerate(row))
    for (j, _), n in sorted(frequency.items(), key=lambda item: (-item[1], item[0])):
        if x > 0 and left[j] > 0:
            x, total = x - 1, total + n
            left[j] -= 1
    return total
