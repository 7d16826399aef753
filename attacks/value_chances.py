"""Combine the predicted chances of each target with the values of its candidates.

The method is the deFinetti attack (Kifer 2009, "Attacks on Privacy and deFinetti's Theorem"). Each
person of a class has one of the values of the class, and some assignments of values to people are
likelier than others. A prediction gives the chance of each value for each person. From these
chances, each pair (person, candidate row) gets a weight. The weights are scaled until the weights
of each person add up to 1, and the weights of each row to 1, or to at most 1 if there are more rows
than people (iterative proportional fitting, Deming and Stephan 1940). If all predictions are equal,
all candidates are equally likely.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Floats
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import distinct_rows, runs
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.matching import Candidates

FITTING_ROUNDS = 30
# With more (target, combination, value) triples than this, nothing is computed.
MOST_WEIGHED = 20_000_000


@dataclass(frozen=True)
class ValueChances:
    """The chances of n targets.

    known: shape (n, values), the chance of each value. unknown: shape (n,), the chance that the
    target's row has an unknown value. The chances of a target add up to 1, or to 0 if the target
    has no candidate.
    """

    known: Floats
    unknown: Floats


def value_chances(
    pairs: Candidates,
    sharing: npt.NDArray[np.int64],
    release: FrequencySet,
    keys: FrequencySet,
    column: str,
    predicted: Floats,
    least: int = FIRST_VALUE,
) -> ValueChances | None:
    """Return the chance of each value of each target, given its candidates and a prediction.

    Parameters
    ----------
    pairs
        The pairs of a target and a combination that matches it.
    sharing
        How many people share each target, that is, have the same known cells.
    release, keys
        The release, and its combinations of the columns that the adversary knows.
    column
        The sensitive column.
    predicted
        The chance of each value for each target before the candidates are considered, shape
        (n, values). Column j is the value with the code `FIRST_VALUE + j`.
    least
        The least code of the column that is a known value.

    Returns
    -------
    The chances; None for more than MOST_WEIGHED triples.

    Source
    ------
    Kifer 2009, section 4; the marginals are approximated by proportional fitting.
    """
    n, n_values = predicted.shape
    value = np.where(release.column(column) >= least, release.column(column), -1)
    value = np.where(value < 0, n_values, np.maximum(value - FIRST_VALUE, 0))
    cells, cell = distinct_rows(np.column_stack([keys.entry_of(release), value]).astype(np.int64))
    rows = np.bincount(cell, release.counts, len(cells)).astype(np.float64)
    first = np.searchsorted(cells[:, 0], np.arange(len(keys) + 1))
    lengths = np.diff(first)[pairs.key]
    if lengths.sum() > MOST_WEIGHED:
        return None
    place, within = runs(lengths)
    person, at = pairs.person[place], first[pairs.key[place]] + within
    of_value = cells[at, 1]
    wide = np.column_stack([predicted, np.ones(n)])
    likely = wide[person, of_value]
    people = sharing[person].astype(np.float64)
    # If a value is equally likely for all people who match, the prediction does not tell who has
    # it. So only the ratio of a person's chance to the average chance counts.
    usual = np.bincount(at, likely * people, len(cells)) / np.maximum(
        np.bincount(at, people, len(cells)), 1e-12
    )
    # For a person with m candidate rows, proportional fitting multiplies the log odds of the
    # prediction by (m - 1) / m. The power m / (m - 1) compensates for this. For two people and two
    # rows the chances are then exact.
    crowd = np.bincount(person, rows[at], n)[person]
    power = crowd / np.maximum(crowd - 1, 1)
    weight = rows[at] * (likely / usual[at]) ** power
    full = float(sharing[np.unique(pairs.person)].sum()) >= float(rows[np.unique(at)].sum())
    for _ in range(FITTING_ROUNDS):
        weight *= _factor(person, weight, sharing.astype(np.float64))[person]
        taken = np.bincount(at, weight, len(cells))
        factor = rows / np.maximum(taken, 1e-300)
        weight *= (factor if full else np.minimum(factor, 1.0))[at]
    weight *= _factor(person, weight, np.ones(n))[person]
    flat = np.bincount(person * (n_values + 1) + of_value, weight, n * (n_values + 1))
    chances = flat.reshape(n, n_values + 1).astype(np.float64)
    return ValueChances(chances[:, :n_values], chances[:, n_values])


def _factor(of: npt.NDArray[np.intp], weight: Floats, wanted: Floats) -> Floats:
    """Return for each index the factor that brings the sum of its weights to `wanted`.

    of: the index of each weight. wanted: shape (n_indices,).
    """
    factor: Floats = wanted / np.maximum(np.bincount(of, weight, len(wanted)), 1e-300)
    return factor
