"""The algorithms of GCG08 Figures 5, 6 and 7, with the line numbers of the listings.

Fast implementations: `masking.mondrian.partition`, `masking.multi_attribute_goals.MultiAttributeL`
with `check="heuristic"`, and `models.multi_attribute_l_diversity.figure_6` and `figure_7`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

Row = tuple[str, ...]
Value = tuple[int, str]  # attribute, value
Points = Sequence[tuple[float, ...]]
XReading = Literal["as many as there are", "exactly x"]


def anonymize(
    points: Points, rows: Sequence[Row], k: int, l: int, *, corrected: bool = False
) -> tuple[list[tuple[int, int]], list[Counter[tuple[int, str]]]]:
    """Run Figure 5, Anonymize; return the anatomized tables, as `anatomize` does.

    points: the quasi-identifiers of each row, as numbers. rows: the sensitive attributes of each
    row. k, l: the smallest group size, and the L of L-diversity. corrected: as for `split`.
    """

    def satisfy_model(group: list[int]) -> bool:  # Satisfy-Model(G, K, L)
        # 1) if |G| >= K and L-diverse(G)
        return len(group) >= k and figure_6([rows[i] for i in group], l)

    # 1) P = empty set; 2) Split(T, K, L, P)
    partition = split(points, satisfy_model, corrected=corrected)
    # 3) Anatomize(T, P)
    return anatomize(partition, rows)


def anatomize(
    partition: Sequence[Sequence[int]], rows: Sequence[Row]
) -> tuple[list[tuple[int, int]], list[Counter[tuple[int, str]]]]:
    """Return the quasi-identifier table and a sensitive table for each attribute (Definition 3).

    The quasi-identifier table is a list of (row number, group) pairs, with rows numbered from 0 and
    groups from 1. A sensitive table has the count of each (group, value).

    partition: the row numbers of each group. rows: the sensitive attributes of each row.

    >>> anatomize([[0, 1]], [("flu",), ("flu",)])
    ([(0, 1), (1, 1)], [Counter({(1, 'flu'): 2})])
    """
    numbered = [(i, number) for number, group in enumerate(partition, 1) for i in group]
    attributes = range(len(rows[0]) if rows else 0)
    return numbered, [Counter((number, rows[i][j]) for i, number in numbered) for j in attributes]


def split(
    points: Points,
    satisfies: Callable[[list[int]], bool],
    group: list[int] | None = None,
    *,
    corrected: bool = False,
) -> list[list[int]]:
    """Run Figure 5, Split; return the partition P as lists of row numbers.

    A group is split at the median of the attribute with the widest range of z-scores.

    points: the quasi-identifiers of each row, as numbers. satisfies: True if a group of row numbers
        satisfies the model. group: the row numbers of the group to split; None for all rows.
    corrected: split a group only if both halves satisfy the model; otherwise the group is final.

    The printed listing has two faults. If only one half satisfies the model, the records of the
    other half are in no group. Line 10 adds T, which is all rows, where G is probably meant.
    """
    everything = list(range(len(points)))
    g = everything if group is None else group
    columns = np.array(points, float).reshape(len(points), -1)
    deviation = columns.std(axis=0)
    scores = (columns - columns.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    # 1) A_Qi = choose_dimension(); 2) splitVal = find_median(G, A_Qi)
    dimension = int(np.argmax(np.ptp(scores[g], axis=0)))
    split_value = sorted(columns[g, dimension])[(len(g) - 1) // 2]
    # 3) G_L, 4) G_R
    left = [row for row in g if columns[row, dimension] <= split_value]
    right = [row for row in g if columns[row, dimension] > split_value]
    if corrected:
        if not right or not satisfies(left) or not satisfies(right):
            return [g]
        halves = (left, right)
        return [part for half in halves for part in split(points, satisfies, half, corrected=True)]
    p: list[list[int]] = []
    # 5) if Satisfy-Model(G_L, K, L); 6) Split(G_L, K, L, P)
    if satisfies(left):
        # If one half is the whole group, the listing would not terminate. Stop here.
        p += split(points, satisfies, left) if right else [everything]
    # 7) if Satisfy-Model(G_R, K, L); 8) Split(G_R, K, L, P)
    if satisfies(right):
        p += split(points, satisfies, right)
    # 9) if neither G_L nor G_R satisfies our model; 10) Add T to P
    if not satisfies(left) and not satisfies(right):
        p.append(everything)
    return p


def figure_6(rows: Sequence[Row], l: int) -> bool:
    """Run Figure 6, L-diverse(G). True proves L-diversity; False proves nothing.

    rows: the sensitive attributes of each row of a group G.

    >>> figure_6([("heart", "pill"), ("heart", "knife"), ("flu", "iv"), ("gut", "iv")], 2)
    True
    """
    return len(_without_common_values(rows)) >= l  # 8) return yes if C contains L rows; 10) no


def _without_common_values(rows: Sequence[Row]) -> list[int]:
    """Run lines 1 to 7 of Figure 6; return C as row numbers in the order of their addition."""
    # 1) compute for each value v the number of rows that contain it, f(v)
    f = Counter(value for row in rows for value in enumerate(row))
    # 2) for each row r, f(r) = sum of f(v); 3) sort rows in ascending order of f(r): G'
    rest = sorted(range(len(rows)), key=lambda r: sum(f[v] for v in enumerate(rows[r])))
    # 4) C = empty set
    c: list[int] = []
    # 5) while G' is not empty
    while rest:
        # 6) pick the row with the minimal f(r), delete it from G'
        r = rest.pop(0)
        # 7) add r to C if it does not share any value with existing rows in C
        if all(x != y for taken in c for x, y in zip(rows[r], rows[taken], strict=True)):
            c.append(r)
    return c


class Figure7Step(NamedTuple):
    """A step of Figure 7: the rows of C, the selected values, their frequencies, and x."""

    rows: tuple[int, ...]
    values: tuple[Value, ...]
    frequencies: tuple[int, ...]
    x: int


def figure_7(
    rows: Sequence[Row],
    l: int,
    limits: Sequence[int],
    *,
    reading: XReading = "as many as there are",
    steps: list[Figure7Step] | None = None,
) -> bool:
    """Run Figure 7, L-diverse-Column(G).

    rows: the sensitive attributes of each row of a group G. limits: the limit L_i of each
        attribute.
    reading: line 7 selects x + 1 values, at most L_i of attribute i. The paper does not say what
        happens if the limits allow fewer than x + 1 values.
        "as many as there are" sums over the available values. This reading is unsound. Example: the
        rows (2, 1), (2, 1) with limits 0 and 1 and L = 2 are accepted, but deleting the value 1 of
        the second attribute deletes both rows.
        "exactly x" follows Theorem 6, in which V has L values: with fewer values, the condition is
        not met. This reading is sound.
    steps: a list to which the state after each kept row is added, as Figure 8 shows it.
    """
    enough = reading == "as many as there are"
    # 1) find a subset C with no common values; 2) if |C| >= L, return yes
    c = _without_common_values(rows)
    steps = [] if steps is None else steps
    steps.append(Figure7Step(tuple(c), (), (), len(c)))
    if len(c) >= l:
        return True
    # 3) sort rows not in C in ascending order of total frequency: G'
    f = Counter(value for row in rows for value in enumerate(row))
    others = [r for r in range(len(rows)) if r not in c]
    rest = sorted(others, key=lambda r: sum(f[v] for v in enumerate(rows[r])))
    x = len(c)  # 4)
    while rest:  # 5)
        # 6) pick row r_j in G' with the minimal f(r_j), delete it from G', add it to C
        c.append(rest.pop(0))
        # 7) select values v_1, ..., v_{x+1} in C with the highest frequencies
        values, frequencies = _most_frequent([rows[r] for r in c], x + 1, limits)
        # 8) if the sum of the first x is above |C|; 9) delete r_j from C, C is not x-diverse
        if sum(frequencies[:x]) > len(c):
            c.pop()
            continue
        # 11) if the sum of the first x + 1 is at most |C|; 12) x = x + 1
        if sum(frequencies) <= len(c) and (len(values) == x + 1 or enough):
            x += 1
        steps.append(Figure7Step(tuple(c), values[:x], frequencies[:x], x))
        # 13) if x = L return yes
        if x == l:
            return True
    return False  # 15)


def _most_frequent(
    rows: Sequence[Row], x: int, limits: Sequence[int]
) -> tuple[tuple[Value, ...], tuple[int, ...]]:
    """Return the x most frequent values, at most L_i of attribute i, and their frequencies.

    There are fewer than x values if the limits allow no more.
    """
    left = list(limits)
    ranked: list[tuple[Value, int]] = []
    frequency = Counter(value for row in rows for value in enumerate(row))
    # Among equal frequencies the paper takes the later attribute; the sum is the same.
    for (j, v), n in sorted(
        frequency.items(), key=lambda item: (-item[1], -item[0][0], item[0][1])
    ):
        if len(ranked) < x and left[j] > 0:
            ranked.append(((j, v), n))
            left[j] -= 1
    return tuple(value for value, _ in ranked), tuple(n for _, n in ranked)
