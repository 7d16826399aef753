"""Sample uniques, minimal sample uniques and the SUDA score; individual risk with weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from anonaudit.about import GENERALIZE, AboutModel, Need, Unasked
from anonaudit.arrays import Floats
from anonaudit.details import Details, Kind, fact
from anonaudit.findings import Measurement
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.models.disclosure_risk import members
from anonaudit.models.level import ParameterError, measurement, real_number, whole_number


@dataclass(frozen=True, kw_only=True, eq=False)
class Uniques(Details):
    """Rows that are alone in their class, and the smallest sets of columns that single rows out.

    by_size: the number of rows with a minimal sample unique of 1, 2, ... columns. contributions:
    the share of the SUDA scores of all rows that comes from sets with a column, by column.
    """

    alone: int = fact(
        "rows alone",
        Kind.COUNT,
        one="1 row is alone in its class",
        said="{} rows are alone in their classes",
    )
    by_size: Mapping[str, int] = fact(
        "rows with a minimal sample unique of size",
        Kind.STEPS,
        said="Rows singled out, by the number of columns needed: {}",
    )
    highest_score: float | None = fact(
        "highest SUDA score", said="The highest SUDA score is {}", null=True
    )
    contributions: Mapping[str, float] | None = fact(
        "contribution of columns to the SUDA scores",
        said="Share of the SUDA scores that comes from sets with this column, by column: {}",
        optional=True,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Expected(Details):
    """The expected number of rows that are linked correctly."""

    reidentifications: float = fact(
        "expected re-identifications", said="Expected re-identifications: {}"
    )


@dataclass(frozen=True)
class SampleUniques:
    """Sample uniques: rows that are alone in their class, and the columns that single them out.

    A minimal sample unique of a row is a set of quasi-identifiers in which the row is alone,
    although it is alone in no proper subset. The smaller the set, the riskier the row.

    The SUDA score of a row is a sum over its minimal sample uniques of at most `most` columns. With
    m quasi-identifiers, a minimal sample unique of `size` columns adds

        (m - size)(m - size - 1) ... (m - most + 1)

    (Elliot, Manning, Ford, A Computational Algorithm for Handling the Special Uniques Problem,
    IJUFKS 10(5), 2002.)

    `details` has, for each column, the share of all scores that comes from minimal sample uniques
    with this column. These shares are the attribute contributions of sdcMicro's suda2, which gives
    them in percent.

    Level: the share of rows that are alone, among all rows in classes. Lower is safer; 0 means that
    no row is alone, 1 that every row is. No single class decides a share, so there is no witness.

    Edge cases: no rows, undefined; one row, 1. With a unit column, a row is alone if its class has
    one person. Under wildcards, a row is alone if no other row is compatible with it. But for
    minimal sample uniques, an unknown cell is a value of its own even under wildcards, and a note
    says so.

    share: the largest share allowed; None requires nothing. most: the largest number of columns of
    a minimal sample unique, at least 1.
    """

    name: ClassVar[str] = "sample-uniques"
    about: ClassVar[AboutModel] = AboutModel(
        level="share",
        parameter="share",
        means="At most this share of rows is alone in its class",
        matters="A row that is alone in the release, especially if a few attributes single it "
        "out, may be alone in the population.",
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
        """Return the share of rows alone; the details have the sizes of minimal sample uniques."""
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
            notes=("minimal sample uniques do not treat cells as wildcards",) if wild else (),
        )
        return replace(share, witness=None)


def minimal_sample_uniques(
    classes: EquivalenceClasses, most: int
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the sizes of the minimal sample uniques of each class, and its SUDA score.

    most: the largest number of columns of a minimal sample unique.

    With m quasi-identifiers, returns three arrays:

    - shape (n_classes, min(most, m)): column i is True if the class has a minimal sample unique of
      i + 1 columns
    - shape (n_classes,): the SUDA score of the class
    - shape (n_classes, m): the part of the score from minimal sample uniques with each column

    A class of several rows (or persons) has no minimal sample unique, and the score 0.
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
    """Return the share of the scores of all rows that comes from sets with a column, by column.

    A minimal sample unique counts for each of its columns, so the shares may add up to more than 1.
    None if all scores are 0. by_column, score: the results of `minimal_sample_uniques`.
    """
    total = float((classes.rows * score).sum())
    if not total:
        return None
    shares = classes.rows @ by_column / total
    return dict(zip(classes.roles.quasi_identifiers, shares.tolist(), strict=True))


def _alone(classes: EquivalenceClasses, chosen: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return a mask of the classes with a row (or person) that is alone in the chosen columns."""
    kept, unit = classes.kept, classes.roles.unit
    groups = kept.project(chosen) if unit is None else kept.distinct(chosen, unit)
    alone: npt.NDArray[np.bool_] = groups.counts[groups.entry_of(classes.keys)] == 1
    return alone


_MANY: Final = 30  # from this class size on, _TERMS terms of the series suffice
_TERMS: Final = 64


def _hypergeometric(f: Floats, p: Floats) -> Floats:
    """Return 2F1(1, 1; f+1; 1-p) to about 14 digits, shape (n_classes,).

    scipy's hyp2f1 is infinite or NaN here for large f, and for f = 1 and a tiny p.

    f: class sizes, whole numbers of at least 1. p: above 0, at most 1.

    The series is 1 + q/(f+1) + 2 q^2/((f+1)(f+2)) + ... with q = 1-p. It is summed if f is large or
    q at most 1/2. Otherwise F(1) = -log(p)/q and F(f+1) = (f+1) (1 - p F(f)) / (f q). Rounding
    errors do not grow in these steps, because p is at most q.
    """
    value, term = np.zeros_like(p), np.ones_like(p)
    for j in range(_TERMS):
        value += term
        term *= (1 - p) * (j + 1) / (f + j + 1)
    few = (f < _MANY) & (p < 0.5)
    size, share = f[few], p[few]
    step = -np.log(share) / (1 - share)
    for n in range(1, _MANY):
        value[few] = np.where(size == n, step, value[few])
        step = (n + 1) * (1 - share * step) / (n * (1 - share))
    return value


@dataclass(frozen=True)
class IndividualRisk:
    """Individual risk of a weighted sample: the expected value of 1/F given the class size f.

    f is the size of a class in the sample, F its size in the population. F - f is assumed to be
    negative binomial with success probability p = f / (sum of the sampling weights of the class).
    Then the risk of the class, by the hypergeometric function 2F1, is

        (p^f / f) 2F1(f, f; f+1; 1-p) = (p / f) 2F1(1, 1; f+1; 1-p)

    Level: the highest risk. Lower is safer; 1 means that a row stands for one person only, 0 is
    never reached. Weights do not change class sizes: three rows of weight 10 have f = 3.

    Edge cases: no rows, undefined; no weights, 1/f; if the weights of a class add up to less than
    f, their sum is taken as f. With a unit column, f counts persons. Wildcards are ignored, because
    a weight belongs to one row.

    highest: the largest risk allowed; None requires nothing. weights: the sum of the weights of
    each class, shape (n_classes,); None without a weight column.

    Source: Benedetti, Franconi, Statistical and Technological Solutions for Controlled Data
    Dissemination, NTTS 1998.
    """

    name: ClassVar[str] = "individual-risk"
    about: ClassVar[AboutModel] = AboutModel(
        level="risk",
        parameter="highest",
        means="A row is re-identified with at most this chance, estimated from the sampling "
        "weights",
        matters="Many people of the population are not in a sample. The weights say how many "
        "people of the population a row stands for.",
        do=GENERALIZE,
        unasked=(Unasked(place=150, needs=frozenset({Need.WEIGHTS})),),
    )
    highest: float | None = None
    weights: npt.NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        real_number("highest", self.highest, 0, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the highest risk; the details have the expected number of re-identifications."""
        f = members(classes)
        total = f if self.weights is None else np.maximum(self.weights, f)
        p = f / total
        risk = p / f * _hypergeometric(f, p)
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
