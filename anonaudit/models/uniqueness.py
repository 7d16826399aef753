"""Sample uniques, minimal sample uniques and the SUDA score; individual risk with weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from anonaudit.about import GENERALIZE, AboutModel, Need, Unasked
from anonaudit.details import Details, Kind, fact
from anonaudit.findings import Measurement
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.models.disclosure_risk import members
from anonaudit.models.level import ParameterError, measurement, real_number, whole_number


@dataclass(frozen=True, kw_only=True, eq=False)
class Uniques(Details):
    """Rows that are alone, and how few attributes single rows out."""

    alone: int = fact(
        "rows alone",
        Kind.COUNT,
        one="1 row is alone in its class",
        said="{} rows are alone in their classes",
    )
    by_size: Mapping[str, int] = fact(
        "rows with a minimal sample unique of size",
        Kind.STEPS,
        said="Rows singled out, by the number of columns it takes: {}",
    )
    highest_score: float | None = fact(
        "highest SUDA score", said="The highest SUDA score is {}", null=True
    )
    contributions: Mapping[str, float] | None = fact(
        "contribution of columns to the SUDA scores",
        said="The share of all SUDA scores that comes of sets with a column is, by column: {}",
        optional=True,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Expected(Details):
    """How many rows are linked correctly on average."""

    reidentifications: float = fact(
        "expected re-identifications", said="Re-identifications to be expected: {}"
    )


@dataclass(frozen=True)
class SampleUniques:
    """Sample uniques: rows that are alone in their class, and what already sets them apart.

    A minimal sample unique of a row is a set of quasi-identifiers on which it is alone, while
    on no smaller part of that set it is. The fewer attributes it takes, the riskier the row;
    the SUDA score adds up (m - size)(m - size - 1) ... (m - most + 1) over a row's minimal
    sample uniques of at most `most` attributes, m the number of quasi-identifiers. (Elliot,
    Manning, Ford, A Computational Algorithm for Handling the Special Uniques Problem, IJUFKS
    10(5), 2002.)

    `details` has for each column the share of all scores that comes of minimal sample uniques with
    it, as the attribute contributions of sdcMicro's suda2, which are percentages.

    Level: the share of rows that are alone, of all rows in classes. Lower is safer; 0 means
    that nobody is, 1 that everybody is. No class decides a share, so there is no witness.

    Edge cases: no rows, undefined; one row, 1. With a unit column those are alone whose class
    has one person. With wildcards a row is alone only if no other is compatible; in minimal
    sample uniques an unknown cell is a value of its own all the same, and a note says so.
    """

    name: ClassVar[str] = "sample-uniques"
    about: ClassVar[AboutModel] = AboutModel(
        level="share",
        parameter="share",
        means="At most this share of rows is alone in its class",
        matters="A row that is alone in the release, especially by few attributes, may be alone "
        "in the population.",
        do=GENERALIZE,
        of_the_whole=True,
    )
    share: float | None = None
    most: int = 3

    def __post_init__(self) -> None:
        real_number("share", self.share, 0, 1)
        whole_number("most", self.most, 1)
        if self.most is None:
            raise ParameterError("most must be given")

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The share of rows alone, and the smallest sets that set rows apart."""
        n = int(classes.rows.sum())
        alone = int(classes.rows[classes.sizes == 1].sum())
        sizes, score, by_column = minimal_sample_uniques(classes, self.most)
        by_size = {
            str(i + 1): int(classes.rows[has].sum()) for i, has in enumerate(sizes.T) if has.any()
        }
        wild = classes.compatibility is not None
        share = measurement(
            self.name,
            classes,
            {"": np.full(len(classes), alone / n if n else np.nan)},
            parameters={"share": self.share, "most": self.most},
            required=self.share,
            safer="lower",
            details=Uniques(
                alone=alone,
                by_size=by_size,
                highest_score=float(score.max()) if len(score) else None,
                contributions=_contributions(classes, by_column, score),
            ),
            notes=("minimal sample uniques take no cell for a wildcard",) if wild else (),
        )
        return replace(share, witness=None)


def minimal_sample_uniques(
    classes: EquivalenceClasses, most: int
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The sizes of each class's minimal sample uniques, and its SUDA score.

    Returns, for m quasi-identifiers, whether there is one of size 1, 2, ..., shape
    (n_classes, min(most, m)), the scores, shape (n_classes,), and the part of the score that comes
    of those with each column, shape (n_classes, m). A class of several rows (or persons) has none.
    """
    quasi = classes.roles.quasi_identifiers
    m, most = len(quasi), min(most, len(quasi))
    sizes, score = np.zeros((len(classes), most), bool), np.zeros(len(classes))
    by_column = np.zeros((len(classes), m))
    if not _alone(classes, quasi).any():
        return sizes, score, by_column
    smaller: dict[tuple[str, ...], npt.NDArray[np.bool_]] = {(): np.zeros(len(classes), bool)}
    for size in range(1, most + 1):
        weight = prod(m - i for i in range(size, most))
        unique = {}
        for chosen in combinations(quasi, size):
            alone = unique[chosen] = _alone(classes, chosen)
            parts = [smaller[chosen[:i] + chosen[i + 1 :]] for i in range(size)]
            minimal = alone & ~np.logical_or.reduce(parts)
            sizes[:, size - 1] |= minimal
            score += minimal * weight
            by_column[:, [quasi.index(column) for column in chosen]] += (minimal * weight)[:, None]
        smaller = unique
    return sizes, score, by_column


def _contributions(
    classes: EquivalenceClasses,
    by_column: npt.NDArray[np.float64],
    score: npt.NDArray[np.float64],
) -> dict[str, float] | None:
    """The share of the scores of all rows that comes of sets with each column; None without any.

    A set counts for each of its columns, so shares add up to more than 1.
    """
    total = float((classes.rows * score).sum())
    if not total:
        return None
    shares = classes.rows @ by_column / total
    return dict(zip(classes.roles.quasi_identifiers, shares.tolist(), strict=True))


def _alone(classes: EquivalenceClasses, chosen: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Whether each class is one row (or person) by the chosen columns, shape (n_classes,)."""
    kept, unit = classes.kept, classes.roles.unit
    groups = kept.project(chosen) if unit is None else kept.distinct(chosen, unit)
    alone: npt.NDArray[np.bool_] = groups.counts[groups.entry_of(classes.keys)] == 1
    return alone


@dataclass(frozen=True)
class IndividualRisk:
    """Individual risk of a weighted sample: the expected 1/F given the sample frequency f.

    F is the class's size in the population; F - f is taken as negative binomial with success
    probability p = f / (sum of the class's sampling weights). Then the risk is
    (p^f / f) 2F1(f, f; f+1; 1-p) = (p / f) 2F1(1, 1; f+1; 1-p). Level: the highest.
    Lower is safer; 1 means that a row stands for itself alone, 0 is never reached. Weights
    never enter a minimum-count rule: three rows of weight 10 are a class of 3.

    Edge cases: no rows, undefined; no weights, 1/f; weights that add up to less than the class
    are taken as f. With a unit column f counts persons. No wildcards: a weight belongs to a row.

    weights: the sum of the weights of each class, shape (n_classes,).

    Source: Benedetti, Franconi, Statistical and Technological Solutions for Controlled Data
    Dissemination, NTTS 1998.
    """

    name: ClassVar[str] = "individual-risk"
    about: ClassVar[AboutModel] = AboutModel(
        level="risk",
        parameter="highest",
        means="The estimated chance to re-identify a row, by the sampling weights, is at most this",
        matters="A sample hides people. The weights say for how many people of the population a "
        "row stands.",
        do=GENERALIZE,
        unasked=(Unasked(place=150, needs=frozenset({Need.WEIGHTS})),),
    )
    highest: float | None = None
    weights: npt.NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        real_number("highest", self.highest, 0, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The highest risk, and the expected number of re-identifications."""
        from scipy.special import hyp2f1  # slow to start

        f = members(classes)
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
            details=Expected(reidentifications=float((risk * f).sum())),
            notes=() if self.weights is not None else ("no weights: every row stands for itself",),
        )
