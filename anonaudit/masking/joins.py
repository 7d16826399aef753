"""What clustering asks of a quasi-identifier: what joins two values, and what that loses.

A column with a hierarchy, or of names, has the nodes of a tree. Numbers without a hierarchy have
the closed intervals between any two of them (Byun et al. 2006, section 3.2), numbered by their
ends, so that they need no table.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, Protocol

import numpy as np

from anonaudit.arrays import Floats
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import Codes
from anonaudit.masking.recoding import Microdata
from anonaudit.masking.trees import Tree, numbers_of, tree_of

# Pairs of nodes that a table may have; each takes 16 bytes.
MOST_NODE_PAIRS: Final = 1 << 22


class Joins(Protocol):
    """The generalizations of one column, each a whole number, called a node."""

    def start(self, codes: int | Codes) -> Codes:
        """The nodes that stand for single codes."""
        ...

    def losses_with(self, node: int) -> Floats:
        """What a node loses when it takes in each code, shape (number of codes,)."""
        ...

    def joined(self, node: int, code: int) -> int:
        """What joins one node and a code; growing asks this for every row."""
        ...

    def with_code(self, nodes: Codes, code: int | Codes) -> Codes:
        """The lowest common ancestor of each node and `code` (one code, or one per node)."""
        return self.with_node(nodes, self.start(code))

    def with_node(self, nodes: Codes, node: int | Codes) -> Codes:
        """The lowest common ancestor of each node and `node` (one node, or one per node)."""
        ...

    def loss(self, nodes: Codes) -> Floats:
        """What each node loses: 0 for one value, 1 for the root."""
        ...


class TreeJoins(Joins):
    """The nodes of a tree."""

    def __init__(self, tree: Tree) -> None:
        self._leaf, self._loss, self._joined = tree.path[:, 0], tree.loss, tree.joins()
        self._loss_with = tree.loss[self._joined[:, self._leaf]]

    def start(self, codes: int | Codes) -> Codes:
        """The leaves of the codes."""
        leaves: Codes = self._leaf[codes]
        return leaves

    def losses_with(self, node: int) -> Floats:
        """By table."""
        losses: Floats = self._loss_with[node]
        return losses

    def joined(self, node: int, code: int) -> int:
        """By table."""
        return int(self._joined[node, self._leaf[code]])

    def with_node(self, nodes: Codes, node: int | Codes) -> Codes:
        """By table."""
        joined: Codes = self._joined[nodes, node]
        return joined

    def loss(self, nodes: Codes) -> Floats:
        """By height."""
        losses: Floats = self._loss[nodes]
        return losses


class WideTreeJoins(Joins):
    """The nodes of a tree that has too many of them for a table of all pairs.

    What joins one node with every code is worked out when it is asked for, and kept for the nodes
    that were asked for last.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree, self._leaf, self._loss = tree, tree.path[:, 0], tree.loss
        kept = max(MOST_NODE_PAIRS // len(self._leaf), 2)
        self._row = lru_cache(maxsize=kept)(self._joined_with_codes)

    def _joined_with_codes(self, node: int) -> Codes:
        return self._tree.joined(self._leaf, node)

    def start(self, codes: int | Codes) -> Codes:
        """The leaves of the codes."""
        leaves: Codes = self._leaf[codes]
        return leaves

    def losses_with(self, node: int) -> Floats:
        """By the nodes that join."""
        losses: Floats = self._loss[self._row(node)]
        return losses

    def joined(self, node: int, code: int) -> int:
        """By the nodes that join."""
        return int(self._row(node)[code])

    def with_node(self, nodes: Codes, node: int | Codes) -> Codes:
        """By the paths of both."""
        return self._tree.joined(nodes, node)

    def loss(self, nodes: Codes) -> Floats:
        """By height."""
        losses: Floats = self._loss[nodes]
        return losses


class SpanJoins(Joins):
    """The closed intervals between the different numbers of a column, in order n of them.

    The interval from the i-th to the j-th number is the node i n + j. A missing cell, a cell that
    the original has suppressed, and `*`, which joins these with anything else, are the three above.
    """

    def __init__(self, numbers: Sequence[Fraction]) -> None:
        order = sorted({*numbers})
        place = {number: i for i, number in enumerate(order)}
        self._n = len(order)
        # Relative to the smallest, so that large numbers close to each other stay apart.
        self._value = np.array([float(number - order[0]) for number in order])
        self._span = self._value[-1] or 1.0
        apart = self._n**2 + np.arange(FIRST_VALUE)
        places = np.array([place[number] for number in numbers], np.int64)
        self._of_code, alone = self._value[places], places * (self._n + 1)
        self._start = np.concatenate([apart, alone])
        self._root = self._n**2 + FIRST_VALUE

    def start(self, codes: int | Codes) -> Codes:
        """The intervals of one number."""
        alone: Codes = self._start[codes]
        return alone

    def losses_with(self, node: int) -> Floats:
        """The width of the interval that holds both."""
        losses: Floats = (self._start != node).astype(np.float64)
        if node < self._n**2:
            low, high = self._value[list(divmod(node, self._n))]
            held = np.maximum(self._of_code, high) - np.minimum(self._of_code, low)
            losses[FIRST_VALUE:] = held / self._span
        return losses

    def joined(self, node: int, code: int) -> int:
        """The interval that holds both."""
        alone = int(self._start[code])
        if max(node, alone) >= self._n**2:
            return node if node == alone else self._root
        (low, high), place = divmod(node, self._n), alone // self._n
        return min(low, place) * self._n + max(high, place)

    def with_node(self, nodes: Codes, node: int | Codes) -> Codes:
        """The interval that holds both."""
        (low, high), (first, last) = np.divmod(nodes, self._n), np.divmod(node, self._n)
        joined = np.minimum(low, first) * self._n + np.maximum(high, last)
        numbers = (nodes < self._n**2) & (np.asarray(node) < self._n**2)
        return np.where(numbers, joined, np.where(nodes == node, nodes, self._root))

    def loss(self, nodes: Codes) -> Floats:
        """The width over the range of the column; 1 for `*`."""
        low, high = np.divmod(np.minimum(nodes, self._n**2 - 1), self._n)
        width = (self._value[high] - self._value[low]) / self._span
        losses: Floats = np.where(nodes < self._n**2, width, nodes == self._root)
        return losses


def total_loss(joins: Sequence[Joins], nodes: Sequence[Codes] | Codes) -> Floats:
    """What generalizations lose over all columns. nodes: shape (columns, n); returns shape (n,)."""
    columns = zip(joins, nodes, strict=True)
    losses: Floats = np.sum([join.loss(column) for join, column in columns], axis=0)
    return losses


def loss_with_each(
    joins: Sequence[Joins], nodes: Sequence[int] | Codes, codes: Sequence[Codes]
) -> Floats:
    """What one generalization would lose if it took in each row. codes: by column, shape (n,)."""
    total = np.zeros(len(codes[0]))
    for join, node, column in zip(joins, nodes, codes, strict=True):
        total += join.losses_with(int(node))[column]
    return total


def joins_of(data: Microdata) -> tuple[Joins, ...]:
    """What joins the values of every quasi-identifier."""
    joins: list[Joins] = []
    for attribute in data.roles.quasi_identifiers:
        plain = attribute not in data.hierarchies
        numbers = numbers_of(data.labels_of(attribute)) if plain else None
        joins.append(SpanJoins(numbers) if numbers else _of_tree(tree_of(data, attribute)))
    return tuple(joins)


def _of_tree(tree: Tree) -> Joins:
    return TreeJoins(tree) if len(tree.labels) ** 2 <= MOST_NODE_PAIRS else WideTreeJoins(tree)
