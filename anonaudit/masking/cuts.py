"""Mondrian's cuts: along the children of a hierarchy node, and at the median of numbers."""

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
    """The final group of each row, and their number; all groups of a depth are cut at once.

    A quasi-identifier with a hierarchy, or of names, divides a group by the children of the node
    that stands for it. Children that meet the goal become groups of their own; the others stay
    together as one group at the node, and if that falls short, the smallest child that meets the
    goal joins it. Numbers without a hierarchy divide a group at the median. Of the
    quasi-identifiers that divide a group into two groups or more, each of which meets the goal, the
    one is taken that saves the most information loss for each bit of the division: a division into
    many small groups saves much, and leaves little to divide by the others. A group that none
    divides is final.

    The rows as one group must meet the goal.

    Source: LeFevre, DeWitt, Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006, section
    3 (strict partitions of hierarchies by the children of a node). That small siblings stay
    together is ours, and so is the choice, a gain ratio (Quinlan, C4.5, 1993, section 2.2) of
    information loss.
    """
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
    """How the values of one quasi-identifier divide groups, and what groups of them lose."""

    def pieces(self, codes: Codes, of: Index, number: int) -> Codes:
        """The piece of its group that each code belongs to."""
        ...

    def loss(self, codes: Codes, of: Index, number: int) -> Floats:
        """What a cell loses in each group, shape (number,)."""
        ...


class _Children(_Column):
    """The nodes of a hierarchy; values without one are the children of one root."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def pieces(self, codes: Codes, of: Index, number: int) -> Codes:
        """The child above each code of the node that stands for its group."""
        level = self._tree.meeting_level(codes, of, number)
        children: Codes = self._tree.path[codes, np.maximum(level - 1, 0)[of]]
        return children

    def loss(self, codes: Codes, of: Index, number: int) -> Floats:
        """By height."""
        losses: Floats = self._tree.loss[self._tree.meet(codes, of, number)]
        return losses


class _Numbers(_Column):
    """Numbers without a hierarchy; missing and suppressed cells come before all of them."""

    def __init__(self, numbers: list[Fraction]) -> None:
        order = sorted({*numbers})
        place = {one: i for i, one in enumerate(order)}
        self._place = np.array([-2, -1, *(place[one] for one in numbers)], np.int64)
        # Relative to the smallest, so that large numbers close to each other stay apart.
        self._value = np.array([float(one - order[0]) for one in order])
        self._span = float(self._value[-1]) or 1.0

    def pieces(self, codes: Codes, of: Index, number: int) -> Codes:
        """Up to the lower median, or above it."""
        place, size = self._place[codes], np.bincount(of, minlength=number)
        middle = np.cumsum(size) - size + (size - 1) // 2
        above: Codes = (place > place[np.lexsort((place, of))][middle][of]).astype(np.int64)
        return above

    def loss(self, codes: Codes, of: Index, number: int) -> Floats:
        """The width over the range of the column; 1 for numbers beside cells without one."""
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
    """The part of its group that each row goes to, and which groups are cut, (number,)."""
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
    """Pieces that meet the goal by themselves, and the others of each group together.

    Returns the group of each part, the part of each row, and which groups fall into two parts or
    more that all meet the goal.
    """
    pieces, of_row = distinct_rows(by_column([of, piece]))
    own, groups = pieces[:, 0], Groups.of_rows(data, rows, of_row, len(pieces))
    alone = goal.met(groups)
    parts, met = _together(data, goal, rows, own, alone, of_row)
    lacking = np.zeros(number, bool)
    lacking[own[~alone]] = ~met[parts[~alone]]
    if lacking.any():  # the smallest piece that meets the goal joins the others
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
    """The part of each piece, those not alone being one part, and which parts meet the goal."""
    number = np.where(alone, np.arange(1, len(alone) + 1), 0)
    distinct, parts = distinct_rows(by_column([own, number]))
    return parts, goal.met(Groups.of_rows(data, rows, parts[of_row], len(distinct)))
