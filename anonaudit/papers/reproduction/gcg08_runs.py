"""The measurements of GCG08: L-diversity over several sensitive attributes, and its cost.

Partitions are published anatomized, as in the paper. L-diversity is checked by the paper's
heuristics (Figure 6, and Figure 7 corrected), not by an exact method.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd

from anonaudit.arrays import Bools
from anonaudit.frequency.frequency_set import Counts
from anonaudit.masking.goals import Goal
from anonaudit.masking.loss import Query, discernability, query_error, random_queries
from anonaudit.masking.mondrian import partition
from anonaudit.masking.multi_attribute_goals import ExponentialL, MultiAttributeL
from anonaudit.masking.recoding import Microdata, Recoding
from anonaudit.papers.reproduction.experiment import MeasuredNumber
from anonaudit.papers.reproduction.patients import REGISTRY, Patients
from anonaudit.roles import Roles

ANONYMIZE: Final = "Anonymize"
COLUMN: Final = "Anonymize-Column"
EXPONENTIAL: Final = "Exponential-L"
K: Final = 50
L: Final = 10
GROUP_SIZE: Final = "discernability"
GROUPS: Final = "number of groups"
ERROR: Final = "average relative error of random queries"
QUERIES: Final = "number of queries"
SECONDS: Final = "seconds of processor time"
KINDS: Final = {0.0: "all", 1.0: "below 1% of patients", 2.0: "1% or more"}


def _data(patients: Patients, seed: int, quick: bool, sensitive: Sequence[str]) -> Microdata:
    return _read_columns(patients, patients.rows(seed, quick), sensitive)


def _read_columns(patients: Patients, table: pd.DataFrame, sensitive: Sequence[str]) -> Microdata:
    return Microdata.read(table, Roles(patients.quasi, tuple(sensitive)))


def _published(data: Microdata, goal: Goal) -> Recoding:
    """Return the groups of an anatomized table, in which quasi-identifiers are not generalized.

    If no split of the table gives two halves that meet the goal, all rows are one group, even if
    this group misses the goal.
    """
    group, number = partition(data, goal)
    return Recoding(data, group, (), np.zeros((number, 0), np.int64), "k-d split")


def _l(l: int = L, k: int = K, at_most: Mapping[str, int] | None = None) -> MultiAttributeL:
    return MultiAttributeL(l, k, at_most or {}, check="heuristic")


def _sizes(data: Microdata, x: float, l: int, k: int) -> list[MeasuredNumber]:
    goals: dict[str, Goal] = {ANONYMIZE: _l(l, k), EXPONENTIAL: ExponentialL(l, k)}
    rows = []
    for name, goal in goals.items():
        sizes = _published(data, goal).sizes
        rows += [
            MeasuredNumber(GROUP_SIZE, name, x, discernability(sizes)),
            MeasuredNumber(GROUPS, name, x, len(sizes)),
        ]
    return rows


def vary_l(seed: int, quick: bool, patients: Patients = REGISTRY) -> list[MeasuredNumber]:
    """Measure Figure 9: L = 2 to 10, K = 50, m = 3."""
    data = _data(patients, seed, quick, patients.sensitive[:3])
    return [row for l in (2, 4, 6, 8, 10) for row in _sizes(data, l, l, K)]


def vary_k(seed: int, quick: bool, patients: Patients = REGISTRY) -> list[MeasuredNumber]:
    """Measure Figure 10: K = 20 to 100, L = 10, m = 3."""
    data = _data(patients, seed, quick, patients.sensitive[:3])
    return [row for k in (20, 40, 60, 80, 100) for row in _sizes(data, k, L, k)]


def vary_m(seed: int, quick: bool, patients: Patients = REGISTRY) -> list[MeasuredNumber]:
    """Measure Figure 11: 1 to 7 sensitive attributes, K = 50, L = 10."""
    table = patients.rows(seed, quick)
    return [
        row
        for m in range(1, len(patients.sensitive) + 1)
        for row in _sizes(_read_columns(patients, table, patients.sensitive[:m]), m, L, K)
    ]


def vary_limit(seed: int, quick: bool, patients: Patients = REGISTRY) -> list[MeasuredNumber]:
    """Measure Figure 12: L_3 = 0 to 10 for an attribute with few values (recur status).

    L = L_1 = L_2 = 10, K = 50. The query errors are measured for L_3 = 2 and 10.
    """
    names = (*patients.sensitive[:2], patients.few)
    data, rows = _data(patients, seed, quick, names), []
    queries = random_queries(data, 200 if quick else 8800, seed=seed)
    plain = discernability(_published(data, _l()).sizes)
    for l3 in (0, 2, 8, 10) if quick else (0, 2, 4, 6, 8, 10):
        published = _published(data, _l(at_most={patients.few: l3}))
        rows += [
            MeasuredNumber(GROUP_SIZE, COLUMN, l3, discernability(published.sizes)),
            MeasuredNumber(GROUP_SIZE, ANONYMIZE, l3, plain),
        ]
        if l3 in (2, 10):
            rows.append(MeasuredNumber(ERROR, COLUMN, l3, _mean_error(published, queries)))
    return rows


def _mean_error(recoding: Recoding, queries: Sequence[Query]) -> float:
    return float(query_error(recoding, queries, anatomized=True).mean())


def are_large(counts: Counts, patients: int) -> Bools:
    """Return a mask of the large answers (GCG08 Table 1): 1% of the patients or more.

    >>> are_large(np.array([9, 10, 11]), 1000).tolist()
    [False, True, True]
    """
    large: Bools = counts * 100 >= patients
    return large


def errors(seed: int, quick: bool, patients: Patients = REGISTRY) -> list[MeasuredNumber]:
    """Measure Table 1: 8800 queries, K = 50, L = 10, m = 3."""
    data, rows = _data(patients, seed, quick, patients.sensitive[:3]), []
    queries = random_queries(data, 400 if quick else 8800, seed=seed)
    large = are_large(np.array([query.count(data) for query in queries]), len(data))
    kinds = dict(zip(KINDS, (np.ones(len(large), bool), ~large, large), strict=True))
    goals: dict[str, Goal] = {ANONYMIZE: _l(), EXPONENTIAL: ExponentialL(L, K)}
    for name, goal in goals.items():
        error = query_error(_published(data, goal), queries, anatomized=True)
        rows += [
            MeasuredNumber(ERROR, name, x, float(error[kind].mean())) for x, kind in kinds.items()
        ]
    return rows + [
        MeasuredNumber(QUERIES, "drawn", x, int(kind.sum())) for x, kind in kinds.items()
    ]


def _timed(data: Microdata, x: float) -> list[MeasuredNumber]:
    rows = []
    limits = {data.roles.sensitive[-1]: 2}
    for name, goal in ((ANONYMIZE, _l()), (COLUMN, _l(at_most=limits))):
        start = time.process_time()
        partition(data, goal)
        rows.append(MeasuredNumber(SECONDS, name, x, time.process_time() - start))
    return rows


def time_by_m(seed: int, quick: bool) -> list[MeasuredNumber]:
    """Measure Figure 13: seconds for 1 to 7 sensitive attributes."""
    table = REGISTRY.rows(seed, quick)
    return [
        row
        for m in range(1, len(REGISTRY.sensitive) + 1)
        for row in _timed(_read_columns(REGISTRY, table, REGISTRY.sensitive[:m]), m)
    ]


def time_by_n(seed: int, quick: bool) -> list[MeasuredNumber]:
    """Measure Figure 14: seconds for a tenth to all of the rows, seven sensitive attributes."""
    data = _data(REGISTRY, seed, quick, REGISTRY.sensitive)
    order = np.random.default_rng([14, seed]).permutation(len(data))
    sizes = [len(data) * tenths // 10 for tenths in (1, 2, 4, 6, 8, 10)]
    return [row for n in sizes for row in _timed(data.take(order[:n]), n)]
