"""The cuts of Mondrian: by the children of a hierarchy node, or at the median of numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

import numpy as np

from anonaudit.arrays import Bools, Floats, Index
from anonaudit.frequency.codes import Codes, by_column, distinct_rows
from anonaudit.masking.goals import Goal, Groups
from anonaudit.masking.recoding import Microdata
from anonaudit.masking.trees import Tree, numbers_of, tree_of


def cut(data: Microdata, goal: Goal) -> tuple[Index, int]:
    """Divide a table into groups that meet a goal, as Mondrian does.

    Returns the group of each row, shape (n,), and the number of groups. All rows as one group must
    meet the goal.

    There are two ways to divide a group by a quasi-identifier:

    - Numbers without a hierarchy: at the median.
    - Other values: by the children of the group's lowest common ancestor. Every child that meets
      the goal becomes a group. The rows of the other children together become one group. If this
      group fails the goal, the smallest child that meets the goal is added to it.

    A division is possible if it gives at least two parts and every part meets the goal. Among the
    possible divisions, the one with the largest ratio is taken. The ratio is the information loss
    that a division saves, divided by the entropy of its part sizes in bits. Without the entropy, a
    division into many small groups would always win, and the other quasi-identifiers would have
    nothing to divide. A group without a possible division is final.

    Source: LeFevre, DeWitt, Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006, section
    3 (strict partitions of hierarchies by the children of a node). Two steps are ours: small
    siblings form one group, and the quasi-identifier is chosen by the gain ratio of Quinlan (C4.5,
    1993, section 2.2), applied to information loss.
    """
    # All groups of one depth are divided in one pass, with arrays.
    columns = [_column_of(data, attribute) for attribute in data.roles.quasi_identifiers]
    group = np.zeros(len(data), np.intp)
    rows, of, number, finished = np.arange(len(data)), np.zeros(len(data), np.intp), 1, 0
    while number:
        part, split = _best(data, goal, columns, rows, of, number)
        final, place = ~split[of], np.cumsum(~split) - 1
        group[rows[final]] = finished + place[of[final]]
        finished += int((~split).sum())
        parts, again = distinct_rows(by_column([of[~final], part[~final]]))
        rows, of, number = rows[~final], again, len(parts)
    return group, finished


class _Column(Protocol):
    """A quasi-identifier that divides groups into pieces and gives the information loss of groups.

    The parameters of the methods are: codes: the code of each row, shape (n,). of: the group of
    each row, shape (n,). number: the number of groups.
    """

    def pieces(self, codes: Codes, of: Index, number: int) -> Codes:
        """Return the piece of each row as a number, shape (n,).

        Pieces of different groups may have the same number.
        """
        ...

    def loss(self, codes: Codes, of: Index, number: int) -> Floats:
        """Return the information loss of a cell in each group, shape (number,)."""
        ...


class _Children(_Column):
    """A quasi-identifier that is divided by its hierarchy.

    If the column has no hierarchy, all its values are children of the root.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def pieces(self, codes: Codes, of: Index, number: int) -> Codes:
        """Return, for each row, the child of its group's lowest common ancestor, shape (n,).

        The child is the one that covers the code of the row.
        """
        level = self._tree.meeting_level(codes, of, number)
        children: Codes = self._tree.path[codes, np.maximum(level - 1, 0)[of]]
        return children

    def loss(self, codes: Codes, of: Index, number: int) -> Floats:
        """Return the information loss of each group's lowest common ancestor, shape (number,)."""
        losses: Floats = self._tree.loss[self._tree.meet(codes, of, number)]
        return losses


class _Numbers(_Column):
    """A quasi-identifier of numbers without a hierarchy.

    Missing and suppressed cells are ordered before all numbers.
    """

    def __init__(self, numbers: list[Fraction]) -> None:
        order = sorted({*numbers})
        place = {one: i for i, one in enumerate(order)}
        self._place = np.array([-2, -1, *(place[one] for one in numbers)], np.int64)
        # The smallest number is subtracted, so that large, close numbers stay distinct as floats.
        self._value = np.array([float(one - order[0]) for one in order])
        self._span = float(self._value[-1]) or 1.0

    def pieces(self, codes: Codes, of: Index, number: int) -> Codes:
        """Return 1 for a code above the lower median of its group, otherwise 0, shape (n,)."""
        place, size = self._place[codes], np.bincount(of, minlength=number)
        middle = np.cumsum(size) - size + (size - 1) // 2
        above: Codes = (place > place[np.lexsort((place, of))][middle][of]).astype(np.int64)
        return above

    def loss(self, codes: Codes, of: Index, number: int) -> Floats:
        """Return the width of each group divided by the range of the column, shape (number,).

        The loss is 1 if a group has numbers and also missing or suppressed cells, or if it has both
        missing and suppressed cells. It is 0 if all cells are missing, or if all are suppressed.
        """
        order = np.argsort(of, kind="stable")
        starts = np.searchsorted(of[order], np.arange(number))
        along = self._place[codes[order]]
        low, high = (f.reduceat(along, starts) for f in (np.minimum, np.maximum))
        width = (self._value[np.maximum(high, 0)] - self._value[np.maximum(low, 0)]) / self._span
        losses: Floats = np.where(low >= 0, width, (low != high).astype(np.float64))
        return losses


def _column_of(data: Microdata, attribute: str) -> _Column:
    numbers = None if attribute in data.hierarchies else numbers_of(data.labels_of(attribute))
    return _Numbers(numbers) if numbers else _Children(tree_of(data, attribute))


def _best(
    data: Microdata, goal: Goal, columns: list[_Column], rows: Index, of: Index, number: int
) -> tuple[Codes, Bools]:
    """Return the part of each row, shape (n,), and a mask of the divided groups, shape (number,).

    Each group is divided by the quasi-identifier with the largest ratio (see `cut`).

    rows: the rows of all groups that may still be divided, shape (n,). of: the group of each of
    these rows. number: the number of groups.
    """
    saved, part = np.full(number, -np.inf), np.zeros(len(rows), np.int64)
    size = np.bincount(of, minlength=number)
    for j, column in enumerate(columns):
        codes = data.quasi[rows, j]
        pieces = column.pieces(codes, of, number)
        parts, part_of_row, able = _settled(data, goal, rows, of, number, pieces)
        count = np.bincount(part_of_row)
        after = column.loss(codes, part_of_row, len(parts)) * count
        saves = size * column.loss(codes, of, number) - np.bincount(parts, after, number)
        share = count / size[parts]
        bits = -np.bincount(parts, count * np.log2(share), number)
        saves = np.divide(saves, bits, out=np.full(number, -np.inf), where=able)
        better = able & (saves > saved)
        saved[better] = saves[better]
        part[better[of]] = part_of_row[better[of]]
    return part, saved > -np.inf


def _settled(
    data: Microdata, goal: Goal, rows: Index, of: Index, number: int, piece: Codes
) -> tuple[Index, Index, Bools]:
    """Combine the pieces of each group into parts.

    A piece that meets the goal is a part. The other pieces of a group form one part. If this part
    fails the goal, the smallest piece that meets the goal is added to the part.

    Returns the group of each part, the part of each row, and a mask of the groups that have at
    least two parts and whose parts all meet the goal.
    """
    pieces, of_row = distinct_rows(by_column([of, piece]))
    own, groups = pieces[:, 0], Groups.of_rows(data, rows, of_row, len(pieces))
    alone = goal.met(groups)
    parts, met = _together(data, goal, rows, own, alone, of_row)
    lacking = np.zeros(number, bool)
    lacking[own[~alone]] = ~met[parts[~alone]]
    if lacking.any():  # the smallest piece that meets the goal joins the other pieces
        size = np.where(alone, groups.rows, np.iinfo(np.int64).max)
        order = np.lexsort((size, own))
        joins = order[np.searchsorted(own[order], np.flatnonzero(lacking))]
        alone[joins] = False
        parts, met = _together(data, goal, rows, own, alone, of_row)
    of_part = np.zeros(len(met), np.intp)
    of_part[parts] = own
    able = np.bincount(of_part, minlength=number) > 1
    able[of_part[~met]] = False
    return of_part, parts[of_row], able


def _together(
    data: Microdata, goal: Goal, rows: Index, own: Index, alone: Bools, of_row: Index
) -> tuple[Index, Bools]:
    """Return the part of each piece, and a mask of the parts that meet the goal.

    A piece marked in `alone` is a part. All other pieces of a group form one part.
    """
    number = np.where(alone, np.arange(1, len(alone) + 1), 0)
    distinct, parts = distinct_rows(by_column([own, number]))
    return parts, goal.met(Groups.of_rows(data, rows, parts[of_row], len(distinct)))
