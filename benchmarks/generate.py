"""Generate a masked release of any size from Adult. The same size gives the same bytes.

The release has eight quasi-identifiers, generalized from the Adult data in `datasets/`, and three
sensitive attributes: income (2 values), diagnosis (20 values, drawn from a Zipf distribution that
shifts with age and sex) and hours (about 94 values). The size 30k has the complete rows of Adult.
Other sizes draw rows from Adult. A quasi-identifier is then drawn again from its marginal
distribution with probability 2%, hours with 20%.

    python benchmarks/generate.py FOLDER 30k 1M 10M
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from columns import QUASI, SENSITIVE, SIZES

from anonaudit import datasets

BATCH = 10**6
# For each generalized column: the original column, and the group of each beginning of its values.
GROUPS = {
    "marital": ("marital-status", {"Married-": "Married", "Never": "Never married"}),
    "education": (
        "education",
        {"Ba": "Higher", "Ma": "Higher", "Do": "Higher", "Prof": "Higher", "As": "Associate"}
        | {"HS": "Secondary", "So": "Some college", "Pre": "Primary"},
    ),
    "region": (
        "native-country",
        {"United": "North America", "Can": "North America", "Mex": "Latin America"}
        | {"C": "Caribbean or Asia", "P": "Caribbean or Asia", "E": "Europe", "G": "Europe"},
    ),
    "workclass": ("workclass", {"Self": "Self-employed", "Private": "Private"}),
    "occupation": (
        "occupation",
        {"Exec": "Office", "Prof": "Office", "Adm": "Office", "Sales": "Service"}
        | {"Other": "Service", "Priv": "Service", "Tech": "Office", "Prot": "Service"},
    ),
}
DIAGNOSES = [f"{chapter}{code:02d}" for chapter in "ABCDE" for code in (10, 21, 35, 48)]


def adult() -> pd.DataFrame:
    """Return the complete rows of Adult, generalized."""
    raw = pd.read_csv(datasets.path("adult/adult.csv.gz"), dtype=str, keep_default_na=False)
    raw = raw[(raw != "?").all(axis=1)].reset_index(drop=True)
    decade = raw["age"].astype(int) // 10 * 10
    table = {"age": [f"{low}-{low + 9}" for low in decade], "sex": raw["sex"], "race": raw["race"]}
    for name, (column, groups) in GROUPS.items():
        table[name] = pd.Series("Other", raw.index)
        for start, group in groups.items():
            inside = raw[column].str.startswith(start) & (table[name] == "Other")
            table[name] = table[name].mask(inside, group)
    table |= {"income": raw["income"], "hours": raw["hours-per-week"].astype(int)}
    return pd.DataFrame(table)


def batches(size: int | None) -> Any:
    """Yield tables of at most a million rows each. size: None for all rows of Adult."""
    table = adult()
    names = [*QUASI, "income"]
    values = {name: np.unique(table[name].to_numpy(str), return_inverse=True) for name in names}
    hours = table["hours"].to_numpy()
    weight = 1 / np.arange(1, len(DIAGNOSES) + 1)
    total = len(table) if size is None else size
    for number, start in enumerate(range(0, total, BATCH)):
        rng = np.random.default_rng([2026, number])
        n = min(BATCH, total - start)
        row = np.arange(n) if size is None else rng.integers(0, len(table), n)
        codes = {name: value[1][row] for name, value in values.items()}
        worked = hours[row]
        if size is not None:
            for name in QUASI:
                again = np.flatnonzero(rng.random(n) < 0.02)
                codes[name][again] = values[name][1][rng.integers(0, len(table), len(again))]
            again = np.flatnonzero(rng.random(n) < 0.2)
            worked[again] = hours[rng.integers(0, len(table), len(again))]
        drawn = rng.choice(len(DIAGNOSES), n, p=weight / weight.sum())
        ill = (drawn + codes["age"] * 2 + codes["sex"] * 5) % len(DIAGNOSES)
        texts = {name: values[name][0].astype(object)[codes[name]] for name in names}
        columns = {**texts, "diagnosis": np.array(DIAGNOSES, object)[ill], "hours": worked}
        yield pa.table({name: pa.array(columns[name]) for name in (*QUASI, *SENSITIVE)})


def write(folder: Path, label: str) -> None:
    """Write a release as a Parquet file and, up to 10M rows, as CSV."""
    parquet: Any = None
    text: Any = None
    for table in batches(SIZES[label]):
        if parquet is None:
            path = folder / f"release-{label}"
            parquet = pyarrow.parquet.ParquetWriter(
                path.with_suffix(".parquet"), table.schema, compression="zstd"
            )
            if label != "100M":
                text = pyarrow.csv.CSVWriter(path.with_suffix(".csv"), table.schema)
        parquet.write_table(table)
        if text is not None:
            text.write_table(table)
    for writer in (parquet, text):
        if writer is not None:
            writer.close()


if __name__ == "__main__":
    if len(sys.argv) < 3 or not {*sys.argv[2:]} <= SIZES.keys():
        sys.exit(f"usage: generate.py FOLDER [{'|'.join(SIZES)}]...")
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    for asked in sys.argv[2:]:
        write(target, asked)
