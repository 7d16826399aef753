"""Join the values of a quasi-identifier for clustering, and compute the information loss.

The join of two values is their least common generalization:

- In a column with a hierarchy, it is their lowest common ancestor.
- In a column of numbers without a hierarchy, it is the smallest closed interval that contains both
  (Byun et al. 2006, section 3.2).
- In any other column without a hierarchy, the join of two different values is the root.
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

# The largest number of pairs of nodes in a table of joins. Each pair takes 16 bytes.
MOST_NODE_PAIRS: Final = 1 << 22


class Joins(Protocol):
    """The generalizations of one column. Each generalization has a number, and is called a node."""

    def start(self, codes: int | Codes) -> Codes:
        """Return the node that represents the value of each code, not generalized."""
        ...

    def losses_with(self, node: int) -> Floats:
        """Return the loss of the join of `node` and each code, shape (number of codes,)."""
        ...

    def joined(self, node: int, code: int) -> int:
        """Return the join of one node and one code."""
        ...

    def with_code(self, nodes: Codes, code: int | Codes) -> Codes:
        """Return the join of each node and `code`.

        code: one code for all nodes, or an array with one code for each node.
        """
        return self.with_node(nodes, self.start(code))

    def with_node(self, nodes: Codes, node: int | Codes) -> Codes:
        """Return the join of each of `nodes` and `node`.

        node: one node for all of `nodes`, or an array with one node for each of them.
        """
        ...

    def loss(self, nodes: Codes) -> Floats:
        """Return the information loss of each node: 0 for a single value, 1 for the root."""
        ...


class TreeJoins(Joins):
    """The nodes of a hierarchy, with a table of the joins of all pairs of nodes."""

    def __init__(self, tree: Tree) -> None:
        self._leaf, self._loss, self._joined = tree.path[:, 0], tree.loss, tree.joins()
        self._loss_with = tree.loss[self._joined[:, self._leaf]]

    def start(self, codes: int | Codes) -> Codes:
        """Return the leaf of each code."""
        leaves: Codes = self._leaf[codes]
        return leaves

    def losses_with(self, node: int) -> Floats:
        """Return the loss of the join of `node` and each code, shape (number of codes,)."""
        losses: Floats = self._loss_with[node]
        return losses

    def joined(self, node: int, code: int) -> int:
        """Return the lowest common ancestor of a node and a code."""
        return int(self._joined[node, self._leaf[code]])

    def with_node(self, nodes: Codes, node: int | Codes) -> Codes:
        """Return the lowest common ancestor of each node and `node`."""
        joined: Codes = self._joined[nodes, node]
        return joined

    def loss(self, nodes: Codes) -> Floats:
        """Return the information loss of each node."""
        losses: Floats = self._loss[nodes]
        return losses


class WideTreeJoins(Joins):
    """The nodes of a hierarchy that is too large for a table of all pairs of nodes.

    The joins of a node with all codes are computed when they are needed, and cached for the most
    recently used nodes.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree, self._leaf, self._loss = tree, tree.path[:, 0], tree.loss
        kept = max(MOST_NODE_PAIRS // len(self._leaf), 2)
        self._row = lru_cache(maxsize=kept)(self._joined_with_codes)

    def _joined_with_codes(self, node: int) -> Codes:
        return self._tree.joined(self._leaf, node)

    def start(self, codes: int | Codes) -> Codes:
        """Return the leaf of each code."""
        leaves: Codes = self._leaf[codes]
        return leaves

    def losses_with(self, node: int) -> Floats:
        """Return the loss of the join of `node` and each code, shape (number of codes,)."""
        losses: Floats = self._loss[self._row(node)]
        return losses

    def joined(self, node: int, code: int) -> int:
        """Return the lowest common ancestor of a node and a code."""
        return int(self._row(node)[code])

    def with_node(self, nodes: Codes, node: int | Codes) -> Codes:
        """Return the lowest common ancestor of each node and `node`."""
        return self._tree.joined(nodes, node)

    def loss(self, nodes: Codes) -> Floats:
        """Return the information loss of each node."""
        losses: Floats = self._loss[nodes]
        return losses


class SpanJoins(Joins):
    """The closed intervals between the n distinct numbers of a column.

    The numbers are sorted in ascending order and numbered from 0. The node i n + j is the interval
    from number i to number j. The node n² is a missing cell, and the node n² + 1 is a cell that is
    suppressed in the original. The node n² + 2 is `*`: the join of a missing or suppressed cell
    with anything else.
    """

    def __init__(self, numbers: Sequence[Fraction]) -> None:
        order = sorted({*numbers})
        place = {number: i for i, number in enumerate(order)}
        self._n = len(order)
        # The smallest number is subtracted, so that large, close numbers stay distinct as floats.
        self._value = np.array([float(number - order[0]) for number in order])
        self._span = self._value[-1] or 1.0
        apart = self._n**2 + np.arange(FIRST_VALUE)
        places = np.array([place[number] for number in numbers], np.int64)
        self._of_code, alone = self._value[places], places * (self._n + 1)
        self._start = np.concatenate([apart, alone])
        self._root = self._n**2 + FIRST_VALUE

    def start(self, codes: int | Codes) -> Codes:
        """Return the interval that contains only the number of each code."""
        alone: Codes = self._start[codes]
        return alone

    def losses_with(self, node: int) -> Floats:
        """Return the loss of the join of `node` and each code, shape (number of codes,)."""
        losses: Floats = (self._start != node).astype(np.float64)
        if node < self._n**2:
            low, high = self._value[list(divmod(node, self._n))]
            held = np.maximum(self._of_code, high) - np.minimum(self._of_code, low)
            losses[FIRST_VALUE:] = held / self._span
        return losses

    def joined(self, node: int, code: int) -> int:
        """Return the smallest interval that contains a node and a code; `*` if there is none."""
        alone = int(self._start[code])
        if max(node, alone) >= self._n**2:
            return node if node == alone else self._root
        (low, high), place = divmod(node, self._n), alone // self._n
        return min(low, place) * self._n + max(high, place)

    def with_node(self, nodes: Codes, node: int | Codes) -> Codes:
        """Return the smallest interval that contains each node and `node`; `*` if there is none."""
        (low, high), (first, last) = np.divmod(nodes, self._n), np.divmod(node, self._n)
        joined = np.minimum(low, first) * self._n + np.maximum(high, last)
        numbers = (nodes < self._n**2) & (np.asarray(node) < self._n**2)
        return np.where(numbers, joined, np.where(nodes == node, nodes, self._root))

    def loss(self, nodes: Codes) -> Floats:
        """Return the width of each interval divided by the range of the column; 1 for `*`."""
        low, high = np.divmod(np.minimum(nodes, self._n**2 - 1), self._n)
        width = (self._value[high] - self._value[low]) / self._span
        losses: Floats = np.where(nodes < self._n**2, width, nodes == self._root)
        return losses


def total_loss(joins: Sequence[Joins], nodes: Sequence[Codes] | Codes) -> Floats:
    """Return the information loss of n generalizations, summed over all columns, shape (n,).

    joins: the joins of each column.
    nodes: the nodes of the n generalizations, shape (columns, n).
    """
    columns = zip(joins, nodes, strict=True)
    losses: Floats = np.sum([join.loss(column) for join, column in columns], axis=0)
    return losses


def loss_with_each(
    joins: Sequence[Joins], nodes: Sequence[int] | Codes, codes: Sequence[Codes]
) -> Floats:
    """Return the information loss of the join of one generalization with each row, shape (n,).

    The loss is summed over all columns.

    joins: the joins of each column.
    nodes: the generalization, one node for each column.
    codes: the codes of the n rows, one array of shape (n,) for each column.
    """
    total = np.zeros(len(codes[0]))
    for join, node, column in zip(joins, nodes, codes, strict=True):
        total += join.losses_with(int(node))[column]
    return total


def joins_of(data: Microdata) -> tuple[Joins, ...]:
    """Return the joins of every quasi-identifier of a table."""
    joins: list[Joins] = []
    for attribute in data.roles.quasi_identifiers:
        plain = attribute not in data.hierarchies
        numbers = numbers_of(data.labels_of(attribute)) if plain else None
        joins.append(SpanJoins(numbers) if numbers else _of_tree(tree_of(data, attribute)))
    return tuple(joins)


def _of_tree(tree: Tree) -> Joins:
    return TreeJoins(tree) if len(tree.labels) ** 2 <= MOST_NODE_PAIRS else WideTreeJoins(tree)
