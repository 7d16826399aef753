"""Measure the cost of masking: information loss, discernability, class sizes and query error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonaudit.arrays import Bools, Floats
from anonaudit.cells import FIRST_VALUE, SUPPRESSED
from anonaudit.frequency.codes import Codes
from anonaudit.frequency.frequency_set import Counts
from anonaudit.generalization.labels import exact_number
from anonaudit.masking.recoding import Microdata, Recoding, released_classes
from anonaudit.models.level import ParameterError, whole_number


def information_loss(recoding: Recoding) -> float:
    """Return the total information loss IL of a recoding (MCT08 Definitions 10 and 11).

    IL is a sum over the cells of the quasi-identifiers:

    - A released value loses height(subhierarchy below the value) / height(hierarchy). A column
      without a hierarchy is treated as if all its values were children of the root (height 1).
    - In a column of numbers without a hierarchy, an interval loses its width divided by the range
      of the column (Byun et al. 2006).
    - A cell of a suppressed tuple loses 1, the maximum.
    - A cell that is missing in the original loses 0 if it is released as missing. It loses 1 if it
      is grouped with a value, because their only common ancestor is the root.
    - A cell that is suppressed in the original loses 0 if its row is released.

    Returns a number from 0 (nothing changed) to rows times quasi-identifiers.

    >>> from anonaudit.masking.lattice import recode
    >>> from anonaudit.roles import Roles
    >>> import pandas as pd
    >>> data = Microdata.read(pd.DataFrame({"sex": ["m", "f", "m"]}), Roles(("sex",)))
    >>> information_loss(recode(data, (1,), k=3)), information_loss(recode(data, (0,), k=1))
    (3.0, 0.0)
    """
    total = float(recoding.suppressed.sum()) * len(recoding.domains)
    for j, domain in enumerate(recoding.domains):
        loss = domain.loss[recoding.keys[:, j]]
        told_nothing = (recoding.data.quasi[:, j] == SUPPRESSED) & ~recoding.suppressed
        total += float((loss * recoding.sizes).sum() - loss[recoding.group[told_nothing]].sum())
    return total


def class_sizes(recoding: Recoding) -> Counts:
    """Return the sizes of the released classes, shape (number of classes,)."""
    class_of = released_classes(recoding.domains, recoding.keys)
    return np.bincount(class_of, recoding.sizes).astype(np.int64)


def discernability(sizes: Counts) -> float:
    """Return the discernability of GCG08: the average size of the group of a record.

    This is the sum of |G|² over all groups G, divided by the number of records n. The best possible
    value is k. Suppressed rows do not count. Returns NaN if there are no groups.

    sizes: the sizes of the groups, from `class_sizes` or `Recoding.sizes`.

    Source: GCG08, "Setup", Metrics.

    >>> discernability(np.array([2, 4]))
    3.3333333333333335
    """
    return float((sizes**2).sum() / sizes.sum()) if sizes.sum() else float("nan")


@dataclass(frozen=True, eq=False)
class Query:
    """A query SELECT COUNT(*) with conditions on single attributes.

    conditions: pairs of an attribute and a mask of shape (number of codes,): True for the codes
        that meet the condition on this attribute.
    """

    conditions: tuple[tuple[str, Bools], ...]

    def count(self, data: Microdata) -> int:
        """Return the number of rows of a table that meet all conditions."""
        meets = np.ones(len(data), bool)
        for attribute, wanted in self.conditions:
            meets &= wanted[data.codes[:, data.attributes.index(attribute)]]
        return int(meets.sum())


def random_queries(data: Microdata, how_many: int, *, seed: int, tries: int = 100) -> list[Query]:
    """Return random queries as in the workload of GCG08.

    A query has 1 to 4 conditions: one on a sensitive attribute, the others on different
    quasi-identifiers. With fewer than 3 quasi-identifiers, queries have fewer conditions. With
    equal probability, a condition is a single value of the column or a range between two values. A
    range is in numerical order if all values are numbers, otherwise in the order of the texts. A
    query that no row meets has no relative error, so it is drawn again.

    how_many: the number of queries.
    seed: the seed of the draws.
    tries: the number of draws allowed for each query, on average.

    Raises ParameterError if the draws are not enough, or if there is no sensitive attribute.

    Source: GCG08, "Setup", Metrics (8800 queries there).

    >>> from anonaudit.masking.lattice import recode
    >>> from anonaudit.roles import Roles
    >>> import pandas as pd
    >>> table = pd.DataFrame({"sex": ["m", "f"], "illness": ["flu", "hiv"]})
    >>> data = Microdata.read(table, Roles(("sex",), ("illness",)))
    >>> query_error(recode(data, (0,), k=1), random_queries(data, 3, seed=1)).tolist()
    [0.0, 0.0, 0.0]
    """
    whole_number("how_many", how_many, 0)
    whole_number("tries", tries, 0)
    if not data.roles.sensitive:
        raise ParameterError("queries need a sensitive attribute; name one")
    rng = np.random.default_rng(seed)
    orders = {a: _ordered(data, a) for a in data.attributes}
    quasi = [a for a in data.roles.quasi_identifiers if len(orders[a])]
    sensitive = [a for a in data.roles.sensitive if len(orders[a])]
    queries: list[Query] = []
    for _ in range(tries * how_many if sensitive else 0):
        if len(queries) == how_many:
            break
        others = rng.permutation(quasi)[: int(rng.integers(1, 5)) - 1].tolist()
        chosen = [sensitive[rng.integers(len(sensitive))], *others]
        query = Query(
            tuple((a, _condition(orders[a], len(data.labels_of(a)), rng)) for a in chosen)
        )
        if query.count(data):
            queries.append(query)
    if len(queries) < how_many:
        raise ParameterError(
            f"only {len(queries)} of {how_many} random queries are met by a row; raise `tries`"
        )
    return queries


def query_error(
    recoding: Recoding, queries: Sequence[Query], *, anatomized: bool = False
) -> Floats:
    """Return the relative error of each query on masked data: |estimate - truth| / truth.

    The truth is the number of rows of the original that meet the query. The estimate depends on the
    form of the release:

    - Generalized table: sensitive cells are exact. The original of a generalized cell may be any
      value below the released value, with equal probability. Only values that occur in the original
      table count; missing and suppressed cells count as values.
    - Anatomized table: quasi-identifiers are exact. The probability that a row meets a condition on
      a sensitive attribute is the share of the rows of its group that meet the condition.

    Suppressed rows and the cells in `Recoding.hidden` meet no condition.

    anatomized: True for an anatomized table, False for a generalized table.

    Returns shape (len(queries),). The error is infinity if no row of the original meets the query,
    and NaN if the estimate is 0 too. The mean over all queries is the number in Table 1 of GCG08.

    Source: GCG08, "Error of random queries".

    >>> from anonaudit.masking.lattice import recode
    >>> from anonaudit.roles import Roles
    >>> import pandas as pd
    >>> table = pd.DataFrame({"sex": ["m", "f"], "illness": ["flu", "hiv"]})
    >>> data = Microdata.read(table, Roles(("sex",), ("illness",)))
    >>> male, flu = np.array([False, False, False, True]), np.array([False, False, True, False])
    >>> query = Query((("sex", male), ("illness", flu)))  # one row; estimated: half a row
    >>> query_error(recode(data, (1,), k=2), [query]).tolist()
    [0.5]
    """
    data = recoding.data
    truth = np.array([query.count(data) for query in queries], np.float64)
    estimate = _anatomized if anatomized else _generalized
    guess = np.array([estimate(recoding, query) for query in queries], np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        error: Floats = np.abs(guess - truth) / truth
    return error


def _generalized(recoding: Recoding, query: Query) -> float:
    data, kept = recoding.data, ~recoding.suppressed
    likely = np.ones(len(recoding.keys))
    for attribute, wanted in query.conditions:
        if attribute in data.roles.quasi_identifiers:
            j = data.roles.quasi_identifiers.index(attribute)
            stands_for = recoding.domains[j].covers & _occurring(data, attribute)
            share = (stands_for & wanted).sum(axis=1) / np.maximum(stands_for.sum(axis=1), 1)
            likely = likely * share[recoding.keys[:, j]]
        else:
            kept = kept & _shown(recoding, attribute, wanted)
    return float(likely[recoding.group[kept]].sum())


def _anatomized(recoding: Recoding, query: Query) -> float:
    data, inside = recoding.data, ~recoding.suppressed
    meets, likely = inside, np.ones(len(recoding.keys))
    for attribute, wanted in query.conditions:
        if attribute in data.roles.quasi_identifiers:
            meets = meets & wanted[data.quasi[:, data.roles.quasi_identifiers.index(attribute)]]
        else:
            shown = inside & _shown(recoding, attribute, wanted)
            count = np.bincount(recoding.group[shown], minlength=len(likely))
            likely = likely * count / np.maximum(recoding.sizes, 1)
    return float(likely[recoding.group[meets]].sum())


def _shown(recoding: Recoding, attribute: str, wanted: Bools) -> Bools:
    """Return a mask of the rows with a sensitive value that meets a condition and is not hidden."""
    j = recoding.data.roles.sensitive.index(attribute)
    meets: Bools = wanted[recoding.data.sensitive[:, j]]
    return meets if recoding.hidden is None else meets & ~recoding.hidden[:, j]


def _occurring(data: Microdata, attribute: str) -> Bools:
    """Return a mask of the codes that occur in the table, including missing and suppressed."""
    codes, labels = data.codes[:, data.attributes.index(attribute)], data.labels_of(attribute)
    occurs: Bools = np.bincount(codes, minlength=len(labels)) > 0
    return occurs


def _ordered(data: Microdata, attribute: str) -> Codes:
    """Return the codes of the values that occur in the table, in numerical order.

    If some value is not a number, the codes are in the order of the texts.
    """
    codes = np.flatnonzero(_occurring(data, attribute)[FIRST_VALUE:]) + FIRST_VALUE
    values = [exact_number(data.labels_of(attribute)[code]) for code in codes]
    known = [float(value) for value in values if value is not None]
    numbers = len(known) == len(values)
    return codes[np.argsort(known, kind="stable")] if numbers else codes


def _condition(order: Codes, number_of_codes: int, rng: np.random.Generator) -> Bools:
    ends = rng.integers(len(order), size=2)
    low, high = (ends[0], ends[0]) if rng.integers(2) else (ends.min(), ends.max())
    wanted = np.zeros(number_of_codes, bool)
    wanted[order[low : high + 1]] = True
    return wanted
