"""The measurements of MCT08: greedy k-member clustering and GreedyCKA on rows of Adult."""

from __future__ import annotations

import time
from typing import Final

import numpy as np

from anonaudit import datasets
from anonaudit.arrays import Bools
from anonaudit.cells import FIRST_VALUE, Convention
from anonaudit.frequency.frequency_set import Counts
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.greedy_cka import greedy_cka, parts
from anonaudit.masking.k_member import k_member
from anonaudit.masking.loss import information_loss
from anonaudit.masking.recoding import Microdata, Recoding
from anonaudit.models.boundaries import Boundaries
from anonaudit.papers.reproduction.experiment import MeasuredNumber, printed, sampled
from anonaudit.roles import Roles

QUASI: Final = (
    "education-num",
    "workclass",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "age",
    "native-country",
)
SETS: Final = {"1 constrained": ("native-country",), "2 constrained": ("native-country", "age")}
VIOLATIONS: Final = "constraint violations of k-member clustering"
ROWS: Final = "rows with a violation"
TUPLES_SUPPRESSED: Final = "tuples suppressed by GreedyCKA"
VIOLATIONS_LOWER: Final = "constraint violations, boundaries one level lower"
OUT_LOWER: Final = "tuples in OUT, boundaries one level lower"
LOWER: Final = {"native-country": 1, "age": 1}  # regions; ranges of ten years
LOSS: Final = "information loss"
KEPT: Final = "constraint violations of GreedyCKA"
COMPARED: Final = "pairs of rows in one part"
SECONDS: Final = "seconds of processor time"
PLAIN: Final = "k-member"
INPUTS: Final = (
    "adult/adult.csv.gz",
    "MCT08/adult/magvals.csv",
    *(f"MCT08/adult/hierarchies/{name}.csv" for name in QUASI),
)


def measure(seed: int, quick: bool) -> list[MeasuredNumber]:
    """Measure a sample of 10,000 rows for k = 2 to 10; quick: 1,000 rows, k = 2, 5 and 10."""
    rng = np.random.default_rng([808, seed])
    chosen = sampled(rng, 1000 if quick else 10_000)
    trees = {a: Hierarchy.read(datasets.path(f"MCT08/adult/hierarchies/{a}.csv")) for a in QUASI}
    asked = Convention(missing=())  # `?` is an ordinary value, as in the hierarchies
    data = Microdata.read(chosen, Roles(QUASI), trees, asked)
    limits = {name: _boundaries(trees, columns) for name, columns in SETS.items()}
    lower = {name: _at_level(trees, columns) for name, columns in SETS.items()}
    parts_lower = {name: np.bincount(parts(data, b)[0]) for name, b in lower.items()}
    pairs = {name: _pairs(np.bincount(parts(data, b)[0])) for name, b in limits.items()}
    rows = []
    for k in (2, 5, 10) if quick else range(2, 11):
        start = time.process_time()
        recoding = k_member(data, k=k, exchanges=False, seed=seed)
        rows.append(MeasuredNumber(SECONDS, PLAIN, k, time.process_time() - start))
        rows.append(MeasuredNumber(LOSS, PLAIN, k, information_loss(recoding)))
        rows.append(MeasuredNumber(COMPARED, PLAIN, k, _pairs(np.array([len(data)]))))
        for name, bounds in lower.items():
            rows.append(
                MeasuredNumber(
                    VIOLATIONS_LOWER, name, k, int(boundary_violations(recoding, bounds).sum())
                )
            )
            sizes = parts_lower[name]
            rows.append(MeasuredNumber(OUT_LOWER, name, k, int(sizes[sizes < k].sum())))
        for name, bounds in limits.items():
            beyond = boundary_violations(recoding, bounds)
            rows.append(MeasuredNumber(VIOLATIONS, name, k, int(beyond.sum())))
            rows.append(MeasuredNumber(ROWS, name, k, int(beyond.any(axis=1).sum())))
            rows.append(MeasuredNumber(COMPARED, f"GreedyCKA, {name}", k, pairs[name]))
            start = time.process_time()
            kept = greedy_cka(data, k=k, boundaries=bounds, exchanges=False, seed=seed)
            rows.append(
                MeasuredNumber(SECONDS, f"GreedyCKA, {name}", k, time.process_time() - start)
            )
            rows.append(MeasuredNumber(LOSS, f"GreedyCKA, {name}", k, information_loss(kept)))
            rows.append(MeasuredNumber(TUPLES_SUPPRESSED, name, k, int(kept.suppressed.sum())))
            rows.append(MeasuredNumber(KEPT, name, k, int(boundary_violations(kept, bounds).sum())))
    return rows


def _pairs(sizes: Counts) -> float:
    """Return the number of pairs of rows within one part; only these are compared.

    sizes: the number of rows of each part.
    """
    return float((sizes * (sizes - 1) // 2).sum())


def _boundaries(trees: dict[str, Hierarchy], columns: tuple[str, ...]) -> Boundaries:
    lines = printed("MCT08/adult/magvals.csv")
    return Boundaries(
        {name: trees[name] for name in columns},
        {name: tuple(p["value"] for p in lines if p["attribute"] == name) for name in columns},
    )


def _at_level(trees: dict[str, Hierarchy], columns: tuple[str, ...]) -> Boundaries:
    """Bound every value by its ancestor at the level in LOWER; `?` may go up to the root."""
    return Boundaries(
        {name: trees[name] for name in columns},
        {
            name: tuple(
                dict.fromkeys(
                    path[LOWER[name]] for leaf, path in trees[name].paths.items() if leaf != "?"
                )
            )
            for name in columns
        },
    )


def boundary_violations(recoding: Recoding, bounds: Boundaries) -> Bools:
    """Return a mask of constraint violations (MCT08 Def. 5): cells above the MAGVal of their value.

    The mask has shape (released rows, bounded attributes). The number in the paper is assumed to be
    the number of True cells.
    """
    kept, columns = ~recoding.suppressed, []
    for name in bounds.hierarchies:
        j = recoding.data.roles.quasi_identifiers.index(name)
        leaves, released = recoding.data.labels_of(name), recoding.domains[j].labels
        too_high = np.zeros((len(leaves), len(released)), bool)
        too_high[FIRST_VALUE:] = [
            [
                recoding.domains[j].covers[node, code] and bounds.beyond(name, leaf, released[node])
                for node in range(len(released))
            ]
            for code, leaf in enumerate(leaves[FIRST_VALUE:], FIRST_VALUE)
        ]
        columns.append(
            too_high[recoding.data.quasi[kept, j], recoding.keys[recoding.group[kept], j]]
        )
    return np.column_stack(columns)
