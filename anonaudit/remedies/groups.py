"""Merging classes, each with the nearest: the one that adds the least loss (MCT08 Def. 11)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from anonaudit.cells import SUPPRESSED
from anonaudit.frequency.codes import Codes
from anonaudit.remedies.column_levels import ColumnLevels
from anonaudit.remedies.trial import Trial


class MergedClasses:
    """Classes of a release that are merged, one with another.

    of: shape (n_classes,), the group of each class, named by one of its classes.
    nodes: shape (n_classes, number of quasi-identifiers), what the group named by a class is
        released with, as numbers of texts. texts: for each quasi-identifier; joining adds to them.
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
        """Merge a class with the nearest group, unless it is part of a merger already."""
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
        # Rows that would be in no class are not merged but lost to the audit.
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
        """The number of the text that joins a node with that of each group, in column j."""
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
