"""Population uniqueness by a Poisson log-linear model of the classes, after Skinner and Shlomo.

Class k has F_k people in the population. F_k is a Poisson number with mean lambda_k. Each of these
people is drawn with chance pi_k, and class k has f_k rows in the sample. So F_k - f_k is a Poisson
number with mean m = (1 - pi_k) lambda_k that does not depend on f_k. For a class of one row:

    P(F_k = 1 | f_k = 1) = exp(-m)
    E(1 / F_k | f_k = 1) = (1 - exp(-m)) / m

The sum of the first expression over all classes of one row is tau1, the sum of the second is tau2.
The means lambda_k come from a log-linear model of the quasi-identifiers: log lambda_k is a sum of
one term per column, or of one term per pair of columns. The model is fitted to the number of people
that each class stands for. With unequal sampling weights this is pseudo maximum likelihood.

Source: Skinner, Shlomo, Assessing Identification Risk in Survey Microdata Using Log-Linear Models,
JASA 103, 2008. The fit by pairs is iterative proportional fitting: Deming, Stephan, On a Least
Squares Adjustment of a Sampled Frequency Table When the Expected Marginal Totals Are Known, Annals
of Mathematical Statistics 11, 1940.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Floats, Ints
from anonaudit.frequency.codes import distinct_rows

MOST_CELLS: Final = 2_000_000  # the largest number of cells of a fit by pairs
_SWEEPS: Final = 1000
# The fit ends when its marginal totals are off by at most this share of all people. In samples of 1
# and 10 % of the Adult data, tau1 / n then differs by less than 0.0001 from a fit with a tenth of
# this share.
_CLOSE: Final = 1e-3
_AT_ONCE: Final = 20_000_000  # the largest number of pairs of a cell and a value compared at once


class UniquesOfPopulation(NamedTuple):
    """Two expected numbers for the sample uniques, the rows that are alone in their class.

    alone: how many sample uniques are alone in the population (tau1). matches: how many correct
    links an adversary makes who links each sample unique with a random person who fits it (tau2).
    """

    alone: float
    matches: float


class NoFitError(Exception):
    """The model cannot be fitted. The message is a sentence without a capital letter."""


def expected_uniques(
    cells: npt.ArrayLike, sizes: Floats, people: Floats, *, pairs: bool = False
) -> UniquesOfPopulation:
    """The expected number of sample uniques that are alone in the population, and of right matches.

    Parameters
    ----------
    cells
        The value of each quasi-identifier in each class, as an integer code, shape (n_classes,
        n_columns).
    sizes
        The number of rows of each class, above 0, shape (n_classes,).
    people
        The number of people of the population that each class stands for, shape (n_classes,). A
        number below the number of rows of the class is raised to the number of rows.
    pairs
        True for a model with a term for each pair of columns.

    Returns
    -------
    tau1 and tau2.

    Raises
    ------
    NoFitError
        The fit by pairs has too many cells, or does not converge.

    Example
    -------
    The sampling fraction is 1/10, and the only column has four values with 3, 2, 1 and 1 rows. Each
    of the two sample uniques stands for 10 people, so m = 9.

    >>> found = expected_uniques([[0], [1], [2], [3]], np.array([3, 2, 1, 1.0]),
    ...                          np.array([30, 20, 10, 10.0]))
    >>> round(found.alone, 6), round(found.matches, 6)
    (0.000247, 0.222195)

    Source: Skinner, Shlomo 2008.
    """
    codes = _numbered(np.asarray(cells, np.int64))
    stood_for = np.maximum(people, sizes)
    means = _by_pairs(codes, stood_for) if pairs else _by_columns(codes, stood_for)
    one = sizes == 1
    others = (1 - sizes[one] / stood_for[one]) * means[one]
    with np.errstate(invalid="ignore"):
        matched = np.where(others > 0, -np.expm1(-others) / others, 1.0)
    return UniquesOfPopulation(float(np.exp(-others).sum()), float(matched.sum()))


def _numbered(cells: Ints) -> Ints:
    """Return the values of each column renumbered from 0, and columns with fewer values first."""
    columns = [np.unique(column, return_inverse=True)[1] for column in cells.T]
    columns.sort(key=lambda column: int(column.max(initial=0)))
    return np.array(columns, np.int64).reshape(len(columns), len(cells)).T


def _by_columns(codes: Ints, people: Floats) -> Floats:
    """The means of the model with independent columns, in closed form, shape (n_classes,)."""
    total, means = people.sum(), np.full(len(people), people.sum())
    for column in codes.T:
        means *= np.bincount(column, people)[column] / total
    return means


def _by_pairs(codes: Ints, people: Floats) -> Floats:
    """The means of the model with all pairs of columns, shape (n_classes,).

    A cell is a combination of values of all columns. If a cell has a pair of values that
    occurs in no class, the fit gives the cell the mean 0, so the cell is left out.
    """
    width = codes.shape[1]
    if width < 2:
        return people.copy()
    values = codes.max(axis=0, initial=0) + 1
    both = list(combinations(range(width), 2))
    cells = _possible(codes, values, both)
    number = [cells[:, i] * values[j] + cells[:, j] for i, j in both]
    wanted = [
        np.bincount(codes[:, i] * values[j] + codes[:, j], people, values[i] * values[j])
        for i, j in both
    ]
    fitted, allowed = np.ones(len(cells)), _CLOSE * people.sum()
    for _ in range(_SWEEPS):
        off = 0.0
        for pair, target in zip(number, wanted, strict=True):
            now = np.bincount(pair, fitted, len(target))
            off = max(off, float(np.abs(now - target).sum()))
            fitted *= np.divide(target, now, out=np.zeros_like(now), where=now > 0)[pair]
        if off <= allowed:
            break
    else:
        raise NoFitError(
            f"the fit by pairs did not converge in {_SWEEPS} sweeps; set interactions to false"
        )
    _, place = distinct_rows(np.concatenate([cells, codes]))
    of_cell = np.empty(len(cells))
    of_cell[place[: len(cells)]] = fitted
    return of_cell[place[len(cells) :]]


def _possible(codes: Ints, values: Ints, both: Sequence[tuple[int, int]]) -> Ints:
    """Return the cells whose pairs of values all occur in a class, shape (n_cells, n_columns)."""
    seen = {pair: np.zeros((values[pair[0]], values[pair[1]]), bool) for pair in both}
    for (i, j), there in seen.items():
        there[codes[:, i], codes[:, j]] = True
    cells = np.arange(values[0])[:, None]
    for j in range(1, codes.shape[1]):
        parts, found = [], 0
        step = max(1, _AT_ONCE // int(values[j]))
        for first in range(0, len(cells), step):
            some = cells[first : first + step]
            fits = np.all([seen[i, j][some[:, i]] for i in range(j)], axis=0)
            row, value = np.nonzero(fits)
            found += len(row)
            if found > MOST_CELLS:
                raise NoFitError(
                    f"the fit by pairs has more than {MOST_CELLS:,} cells; set interactions to "
                    "false, or generalize"
                )
            parts.append(np.column_stack([some[row], value]))
        cells = np.concatenate(parts)
    return cells
