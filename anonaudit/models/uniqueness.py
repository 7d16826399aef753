"""Sample uniques, minimal sample uniques and the SUDA score; individual risk with weights."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import hyp2f1

from anonaudit.classes import EquivalenceClasses
from anonaudit.findings import Measurement
from anonaudit.frequency import FrequencySet, distinct_rows
from anonaudit.models.level import measurement, real_number, whole_number


@dataclass(frozen=True)
class SampleUniques:
    """Sample uniques: rows that are alone in their class, and what already sets them apart.

    A minimal sample unique of a row is a set of quasi-identifiers on which it is alone, while
    on no smaller part of that set it is. The fewer attributes it takes, the riskier the row;
    the SUDA score adds up (m - size)(m - size - 1) ... (m - most + 1) over a row's minimal
    sample uniques of at most `most` attributes, m the number of quasi-identifiers. (Elliot,
    Manning, Ford, A Computational Algorithm for Handling the Special Uniques Problem, IJUFKS
    10(5), 2002.)

    Level: the share of rows that are alone. Lower is safer; 0 means nobody is.
    """

    name: ClassVar[str] = "sample-uniques"
    share: float | None = None
    most: int = 3

    def __post_init__(self) -> None:
        real_number("share", self.share, 0, 1)
        whole_number("most", self.most, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The share of rows alone, and the smallest sets that set rows apart."""
        n = int(classes.rows.sum())
        alone = classes.sizes == 1
        share = float(classes.rows[alone].sum() / n) if n else np.nan
        sizes, score = minimal_sample_uniques(classes.keys, self.most)
        by_size = {str(s): int((sizes == s).any(axis=1).sum()) for s in range(1, self.most + 1)}
        level = np.full(len(classes), share)
        return measurement(
            self.name,
            classes,
            {"": level},
            parameters={"share": self.share, "most": self.most},
            required=self.share,
            safer="lower",
            details={
                "rows alone": int(classes.rows[alone].sum()),
                "rows with a minimal sample unique of size": by_size,
                "highest SUDA score": float(score.max(initial=0.0)),
            },
        )


def minimal_sample_uniques(
    keys: FrequencySet, most: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The minimal sample uniques of each row that has any, set by set, and its SUDA score.

    Returns sizes, shape (len(keys), number of sets of at most `most` attributes): the size of
    the set where it is a minimal sample unique of the row, else 0; and scores, (len(keys),).
    """
    m = len(keys.attributes)
    most = min(most, m)
    unique: dict[tuple[int, ...], npt.NDArray[np.bool_]] = {(): np.zeros(len(keys), bool)}
    columns, score = [], np.zeros(len(keys))
    for size in range(1, most + 1):
        weight = prod(m - i for i in range(size, most))
        for chosen in combinations(range(m), size):
            _, group = distinct_rows(keys.codes[:, list(chosen)])
            rows = np.bincount(group, weights=keys.counts)
            alone = rows[group] == 1
            unique[chosen] = alone
            smaller = [unique[chosen[:i] + chosen[i + 1 :]] for i in range(size)]
            minimal = alone & ~np.logical_or.reduce(smaller)
            columns.append(np.where(minimal, size, 0))
            score += minimal * weight
    table = np.column_stack(columns) if columns else np.zeros((len(keys), 0), np.int64)
    return table, score


@dataclass(frozen=True)
class IndividualRisk:
    """Individual risk of a weighted sample: the expected 1/F given the sample frequency f.

    F is the class's size in the population; F - f is taken as negative binomial with success
    probability p = f / (sum of the class's sampling weights). Then the risk is
    (p^f / f) 2F1(f, f; f+1; 1-p) = (p / f) 2F1(1, 1; f+1; 1-p). Level: the highest.
    Lower is safer. Weights never enter a minimum-count rule: three rows of weight 10 are a
    class of 3.

    weights: the sum of the weights of each class, shape (n_classes,).

    Source: Benedetti, Franconi, Statistical and Technological Solutions for Controlled Data
    Dissemination, NTTS 1998.
    """

    name: ClassVar[str] = "individual-risk"
    highest: float | None = None
    weights: npt.NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        real_number("highest", self.highest, 0, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The highest risk, and the expected number of re-identifications."""
        f = classes.rows.astype(np.float64)
        total = f if self.weights is None else np.maximum(self.weights, f)
        p = f / total
        risk = p / f * hyp2f1(1, 1, f + 1, 1 - p)  # Euler's form, safe for large classes
        return measurement(
            self.name,
            classes,
            {"": risk},
            parameters={"highest": self.highest},
            required=self.highest,
            safer="lower",
            details={"expected re-identifications": float((risk * f).sum())},
            notes=() if self.weights is not None else ("no weights: every row stands for itself",),
        )
