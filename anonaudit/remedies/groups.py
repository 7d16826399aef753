"""Merge classes of a release with their nearest class.

The nearest class is the one whose merger adds the least information loss (MCT08 Definition 11).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from anonaudit.cells import SUPPRESSED
from anonaudit.frequency.codes import Codes
from anonaudit.remedies.column_levels import ColumnLevels
from anonaudit.remedies.trial import Trial


class MergedClasses:
    """The classes of a release, in groups of merged classes.

    of: the group of each class, shape (n_classes,). A group has the number of one of its classes.
    nodes: the released texts of each group, as positions in `texts`, shape (n_classes, number of
        quasi-identifiers). Row i is valid only if i is the number of a group.
    texts: the texts of each quasi-identifier. A merger may add texts.
    """

    def __init__(self, trial: Trial, columns: Mapping[str, ColumnLevels]) -> None:
        keys = trial.prepared.classes.keys
        self.of = np.arange(len(keys))
        self.nodes: Codes = keys.codes.copy()
        self.texts = [list(trial.column(name)[0]) for name in trial.quasi]
        self._columns = [columns[name] for name in trial.quasi]
        self._sizes = keys.counts.astype(np.float64)
        self._losses = [
            [column.loss(text) for text in texts]
            for column, texts in zip(self._columns, self.texts, strict=True)
        ]
        self._number = [{text: n for n, text in enumerate(texts)} for texts in self.texts]
        self._joins: list[dict[tuple[int, int], int]] = [{} for _ in self.texts]
        self._touched = np.zeros(len(keys), bool)
        rules = trial.convention
        self._no_silence = rules.suppressed_tuples == "exclude"
        self._no_stars = rules.quasi_identifiers == "drop-rows"

    def merge(self, one: int) -> None:
        """Merge a class with the nearest group.

        Does nothing if the class was already part of a merger, or if no merger is possible.

        one: the number of the class.
        """
        if self._touched[one]:
            return
        free = self.of == np.arange(len(self.of))
        joined = [self._joined(j, free, int(node)) for j, node in enumerate(self.nodes[one])]
        now, then = np.zeros(len(free)), np.zeros(len(free))
        silent, stars = np.ones(len(free), bool), np.zeros(len(free), bool)
        for j, nodes in enumerate(joined):
            loss = np.array(self._losses[j])
            now += loss[self.nodes[:, j]]
            then += loss[nodes]
            silent &= nodes == SUPPRESSED
            stars |= nodes == SUPPRESSED
        # A merger is impossible if its rows would be in no class, because the audit would not see
        # them. By the convention, these are rows with only `*`, or rows with at least one `*`.
        possible = free & ~(silent & self._no_silence) & ~(stars & self._no_stars)
        possible[one] = False
        if not possible.any():
            return
        size = self._sizes[one]
        added = (size + self._sizes) * then - size * now[one] - self._sizes * now
        best = int(np.argmin(np.where(possible, added, np.inf)))
        self.nodes[best] = [nodes[best] for nodes in joined]
        self._sizes[best] += size
        self.of[one] = best
        self._touched[[one, best]] = True

    def _joined(self, j: int, free: npt.NDArray[np.bool_], node: int) -> Codes:
        """Return the join of `node` and the node of each class in column j, shape (n_classes,).

        free: a mask of the numbers of groups; only for these the result is valid.
        """
        there = np.flatnonzero(np.bincount(self.nodes[free, j]))
        joined = np.zeros(len(self.texts[j]), np.int64)
        for other in there.tolist():
            key = (node, other)
            if key not in self._joins[j]:
                text = self._columns[j].join(self.texts[j][node], self.texts[j][other])
                if text not in self._number[j]:
                    self._number[j][text] = len(self.texts[j])
                    self.texts[j].append(text)
                    self._losses[j].append(self._columns[j].loss(text))
                self._joins[j][key] = self._number[j][text]
            joined[other] = self._joins[j][key]
        return joined[self.nodes[:, j]]
