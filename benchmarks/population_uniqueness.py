"""Compare estimates of population uniqueness with the truth, for samples of two real tables.

    python benchmarks/population_uniqueness.py ma2019.csv

The populations are Adult of `datasets/`, and `ma2019.csv` of the NIST Diverse Communities Data
Excerpts. Each seed from 0 on draws one sample without replacement. The truth is the share of rows
of the sample that are unique in the population. The script prints the table of
`docs/models/population-uniqueness.md`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from anonaudit import datasets
from anonaudit.models.log_linear import NoFitError, expected_uniques
from anonaudit.models.population_uniqueness import ESTIMATORS, Histogram, dankar

FRACTIONS = (0.01, 0.05, 0.1, 0.2)
SEEDS = 20
PAIRS = "log-linear by pairs"
LOG_LINEAR = ("log-linear", PAIRS)
COLUMNS = {
    "Adult": ("age", "sex", "race", "education", "marital-status", "occupation"),
    "ma2019": ("PUMA", "AGEP", "SEX", "MSP", "RAC1P", "EDU"),
}


def log_linear(cells: np.ndarray, fraction: float, *, pairs: bool) -> float | None:
    """Estimate the share of population uniques by a log-linear model.

    cells: shape (n_persons, n_columns). Returns None if the model finds no fit.
    """
    classes, sizes = np.unique(cells, axis=0, return_counts=True)
    try:
        found = expected_uniques(classes, sizes.astype(float), sizes / fraction, pairs=pairs)
    except NoFitError:
        return None
    return found.alone / len(cells)


def trials(table: pd.DataFrame, columns: tuple[str, ...], fraction: float) -> pd.DataFrame:
    """Return the truth and every estimate, one row for each seed."""
    group = table.groupby(list(columns), dropna=False).ngroup().to_numpy()
    cells = np.column_stack([pd.factorize(table[column])[0] for column in columns])
    alone = np.bincount(group)[group] == 1
    found = []
    for seed in range(SEEDS):
        drawn = np.random.default_rng(seed).choice(
            len(table), round(len(table) * fraction), replace=False
        )
        sizes = np.bincount(group[drawn])
        sample = Histogram.of(sizes[sizes > 0], fraction)
        shares = {name: estimate(sample) for name, estimate in ESTIMATORS.items()}
        taken = dankar(shares, fraction)
        rule = None if taken is None else shares[taken]
        by_model = {
            name: log_linear(cells[drawn], fraction, pairs=name == PAIRS) for name in LOG_LINEAR
        }
        in_sample = sample.alone / sample.rows
        truth = alone[drawn].mean()
        found.append({"truth": truth, "rule": rule, **shares, **by_model, "alone": in_sample})
    return pd.DataFrame(found, dtype=float)


def line(name: str, fraction: float, found: pd.DataFrame) -> str:
    """Return one line of the published table."""
    cells = [
        name,
        f"{fraction:.0%}",
        f"{found['alone'].mean():.3f}",
        f"{found['truth'].mean():.3f}",
    ]
    for estimator in (*ESTIMATORS, "rule", *LOG_LINEAR):
        error = (found[estimator] - found["truth"]).dropna()
        if error.empty:
            cells.append("none")
            continue
        some = "" if len(error) == SEEDS else f" ({len(error)} of {SEEDS})"
        cells.append(
            f"{found[estimator].mean():.3f}, {error.min():+.3f} to {error.max():+.3f}{some}"
        )
    return f"| {' | '.join(cells)} |"


def main(ma2019: Path) -> None:
    """Print the table."""
    tables = {
        "Adult": pd.read_csv(datasets.path("adult/adult.csv.gz"), dtype=str),
        "ma2019": pd.read_csv(ma2019, dtype=str),
    }
    for name, table in tables.items():
        for fraction in FRACTIONS:
            print(line(name, fraction, trials(table, COLUMNS[name], fraction)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
