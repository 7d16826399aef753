"""Singling out: count combinations of labels in few columns that match exactly one person.

Source: Cohen and Nissim 2020 ("Towards Formalizing the GDPR's Notion of Singling Out") for the
number expected by chance; Giomi et al. 2023 (anonymeter) for the combinations of a single released
row.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Final

import numpy as np
import numpy.typing as npt

from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.alignment import Alignment
from anonaudit.linking.matching import Candidates
from anonaudit.special_details import SinglingOut
from attacks.shared import MOST_CHOICES, link

MOST_COLUMNS_COMBINED: Final = 2


def singling_out(
    setting: Setting, alignment: Alignment, most: int = MOST_COLUMNS_COMBINED
) -> dict[str, SinglingOut]:
    """Count the combinations of labels that match exactly one person of the original.

    A predicate is a combination of labels that exactly one released row has. For comparison, the
    number expected by chance is computed as if the columns were independent. A predicate then
    matches a person with the chance w, which is the product of the shares of people who match each
    label. So it matches exactly one of n people with the chance n w (1 - w)^(n - 1). For large n
    this chance is at most about 37%.

    Parameters
    ----------
    setting
        States how labels are read.
    alignment
        The release and its original. Sensitive columns are used like quasi-identifiers.
    most
        The largest number of columns of a predicate.

    Returns
    -------
    The counts by the number of columns: `"1"`, `"2"`, and so on. A number of columns is left out if
    there are more than `MOST_CHOICES` ways to choose this number of columns.

    Raises
    ------
    TooMuchError
        If too many pairs of people and combinations match.
    """
    columns = [*alignment.quasi_identifiers, *alignment.sensitive]
    people, released = alignment.original.project(columns), alignment.released.project(columns)
    n = people.total
    share = {
        column: _fitting(setting, people, released, [column])[0] / max(n, 1) for column in columns
    }
    by_size = {}
    for size in range(1, min(most, len(columns)) + 1):
        if comb(len(columns), size) > MOST_CHOICES:
            continue
        counts, expected = np.zeros(3, np.int64), 0.0
        for chosen in combinations(columns, size):
            predicates = _predicates(released, chosen)
            if not len(predicates):
                continue
            sure, widest = _fitting(setting, people, predicates, chosen)
            alone = (sure == 1) & (widest == 1)
            maybe = (sure <= 1) & (widest >= 1) & ~alone
            counts += [len(predicates), alone.sum(), maybe.sum()]
            weight = np.ones(len(predicates))
            for column in chosen:
                single = released.project([column])
                place = np.searchsorted(single.column(column), predicates.column(column))
                weight *= share[column][place]
            expected += float((n * weight * (1 - weight) ** (n - 1)).sum())
        predicates_, alone_, maybe_ = counts.tolist()
        by_size[str(size)] = SinglingOut(
            predicates=predicates_, alone=alone_, maybe=maybe_, by_chance=expected
        )
    return by_size


def _predicates(released: FrequencySet, columns: Sequence[str]) -> FrequencySet:
    """Return the combinations of values of these columns that exactly one released row has."""
    table = released.project(columns)
    return table.where((table.counts == 1) & np.all(table.codes >= FIRST_VALUE, axis=1))


def _fitting(
    setting: Setting,
    people: FrequencySet,
    released: FrequencySet,
    columns: tuple[str, ...] | list[str],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return how many people match each released combination for certain, and may match it."""
    outside, inside = people.project(columns), released.project(columns)
    links = link(setting, outside, inside)

    def number(pairs: Candidates) -> npt.NDArray[np.int64]:
        fits = np.bincount(pairs.key, outside.counts[pairs.person], len(inside))
        return fits.astype(np.int64)

    return number(links.sure), number(links.widest)
