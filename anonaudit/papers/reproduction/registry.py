"""A synthetic cancer registry that replaces the registry of GCG08, which is not public.

Every cell is drawn at random; no row belongs to a real person. The size and the attributes are
those of the paper ("Setup", Data): 72,194 patients; the quasi-identifiers birth date, gender, race
and zip; seven sensitive attributes; and the "recur status" of Figure 12 with its 31 values. The
paper says: "The data distribution is skewed for many attributes". In this registry, codes follow
Zipf's law, survival is geometric, and tumor sizes are log-normal and often rounded to 5.

The amount of skew was chosen after first results had been seen. With less skew, every group of 50
rows has ten values of every attribute, so L makes no difference. Agreement on these data is
therefore no independent evidence.

`python -m anonaudit.papers.reproduction.registry 0 > f.csv` writes the registry of seed 0.
"""

from __future__ import annotations

import sys
from typing import Final

import numpy as np
import pandas as pd

from anonaudit.frequency.codes import Codes

ROWS: Final = 72_194
QUASI: Final = ("birth-date", "gender", "race", "zip")
SENSITIVE: Final = (
    "tumor-topography",
    "histology",
    "survival-years",
    "diagnose-date",
    "age-at-diagnosis",
    "tumor-size",
    "tumor-site",
)
RECUR: Final = "recur-status"


def registry(seed: int, rows: int = ROWS) -> pd.DataFrame:
    """Return the registry of a seed; all cells are text.

    The columns are drawn as follows. Exponents are those of Zipf's law.

    - gender: 48% male.
    - race: 5 groups, one of which has 89%.
    - zip: 900 made-up codes, exponent 0.8.
    - diagnose-date: a day in 16 years; later years are more frequent.
    - age-at-diagnosis: normal, with mean 64 and standard deviation 14 years.
    - birth-date: the diagnose-date minus the age; for half of the patients one day earlier.
    - tumor-topography: 330 codes, exponent 1.2; gender and age determine which are frequent.
    - tumor-site: the first part of the code of tumor-topography, with 70 values.
    - histology: 400 codes, exponent 1.4; the site determines which are frequent.
    - survival-years: geometric, with means from 6 years (youngest) to 2 (oldest), at most 40.
    - tumor-size: log-normal millimeters; two of three are rounded to 5; one of six is 999, which
      means unknown.
    - recur-status: 31 codes, exponent 2.

    >>> registry(1, rows=2).shape
    (2, 12)
    """
    rng = np.random.default_rng([2008, seed])
    male = rng.random(rows) >= 0.52
    diagnosed = np.datetime64("1991-01-01") + (5844 * rng.beta(1.3, 1.0, rows)).astype(int)
    age = np.clip(rng.normal(64, 14, rows), 0, 104)
    born = diagnosed - (age * 365.25).astype(int) - rng.integers(0, 2, rows)
    topography = (_zipf(rng, rows, 330, 1.2) + 40 * male + 7 * (age // 20).astype(int)) % 330
    site = topography * 37 % 70
    histology = (_zipf(rng, rows, 400, 1.4) + 5 * site) % 400
    survival = np.minimum(rng.geometric(1 / (7 - 4 * age / 104), rows) - 1, 40)
    size = np.clip(np.exp(rng.normal(3.1, 0.7, rows)), 1, 200).astype(int)
    size = np.where(rng.random(rows) < 2 / 3, np.maximum(5, (size + 2) // 5 * 5), size)
    size = np.where(rng.random(rows) < 1 / 6, 999, size)
    race = rng.choice(5, rows, p=[0.89, 0.08, 0.015, 0.01, 0.005])
    return pd.DataFrame(
        {
            "birth-date": born.astype(str),
            "gender": np.where(male, "male", "female"),
            "race": np.array(["white", "black", "asian", "other", "unknown"])[race],
            "zip": (40_003 + _zipf(rng, rows, 900, 0.8) * 7 % 900 * 3).astype(str),
            "tumor-topography": _code(site, topography // 70),
            "histology": (8000 + 3 * histology).astype(str),
            "survival-years": survival.astype(str),
            "diagnose-date": diagnosed.astype(str),
            "age-at-diagnosis": age.astype(int).astype(str),
            "tumor-size": size.astype(str),
            "tumor-site": _code(site),
            RECUR: _zipf(rng, rows, 31, 2.0).astype(str),
        }
    )


def _zipf(rng: np.random.Generator, rows: int, values: int, exponent: float) -> Codes:
    weights = np.arange(1, values + 1) ** -exponent
    return rng.choice(values, rows, p=weights / weights.sum()).astype(np.int64)


def _code(site: Codes, place: Codes | None = None) -> list[str]:
    if place is None:
        return [f"C{s:02d}" for s in site.tolist()]
    return [f"C{s:02d}.{p}" for s, p in zip(site.tolist(), place.tolist(), strict=True)]


def as_csv(table: pd.DataFrame) -> str:
    """Return a registry as CSV text; the manifest of a run holds the hash of this text."""
    return table.to_csv(index=False, lineterminator="\n")


if __name__ == "__main__":
    sys.stdout.write(as_csv(registry(int(sys.argv[1]) if len(sys.argv) > 1 else 0)))
