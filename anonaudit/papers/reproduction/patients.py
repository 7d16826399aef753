"""The tables on which GCG08's experiments run: the synthetic registry, and two of real people.

The paper's registry is not public. In ours quasi-identifiers and sensitive values are nearly
independent, which no registry is. Adult and the NIST excerpt of the American Community Survey have
real dependence, fewer rows, and other attributes; what agrees on them is evidence of its own.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from anonaudit.errors import InputError
from anonaudit.papers.reproduction import registry
from anonaudit.papers.reproduction.experiment import adult

VARIABLE: Final = "ANONAUDIT_MA2019"
MA2019_SHA256: Final = "5489f7d45bccad8ae591dfe9011638def521b3f8641edf169bb45fea2c62fb44"
QUICK_ROWS: Final = 2000


@dataclass(frozen=True)
class Patients:
    """A table in the place of the paper's registry.

    quasi, sensitive: its attributes. The first three sensitive ones are those of m = 3; each has 10
    values or more, as L = 10 asks for. few: the attribute with few values that Figure 12 limits.
    rows: the rows of a seed, as text. quick: fewer of them.
    """

    name: str
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    few: str
    rows: Callable[[int, bool], pd.DataFrame]


def rows_of(quick: bool) -> int:
    """How many patients of the synthetic registry are drawn."""
    return QUICK_ROWS if quick else registry.ROWS


def _registry(seed: int, quick: bool) -> pd.DataFrame:
    return registry.registry(seed, rows_of(quick))


def three_in_four(table: pd.DataFrame, seed: int, quick: bool) -> pd.DataFrame:
    """Three of four rows, drawn without replacement; quick: 2000 rows."""
    size = QUICK_ROWS if quick else len(table) * 3 // 4
    return table.iloc[np.random.default_rng([2009, seed]).choice(len(table), size, replace=False)]


def ma2019_missing() -> str | None:
    """Why the NIST excerpt cannot be read here, None if it can."""
    if VARIABLE not in os.environ:
        return f"they need ma2019.csv of NIST; set {VARIABLE} to its path (docs/reproduction.md)"
    path = Path(os.environ[VARIABLE])
    return None if path.is_file() else f"{VARIABLE} names {str(path)!r}, which is no file"


@cache
def ma2019() -> pd.DataFrame:
    """The NIST excerpt of the American Community Survey of 2019, five areas in Massachusetts.

    Raises InputError where it is not at hand, or is another file.
    """
    if (reason := ma2019_missing()) is not None:
        raise InputError(reason)
    path = Path(os.environ[VARIABLE])
    if hashlib.sha256(path.read_bytes()).hexdigest() != MA2019_SHA256:
        raise InputError(f"{path}: is not the ma2019.csv that was looked at; its SHA-256 differs")
    return pd.read_csv(path, dtype=str, keep_default_na=False)


# Functions with names: a run may be handed to another process.
def _adult(seed: int, quick: bool) -> pd.DataFrame:
    return three_in_four(adult(), seed, quick)


def _ma2019(seed: int, quick: bool) -> pd.DataFrame:
    return three_in_four(ma2019(), seed, quick)


REGISTRY: Final = Patients(
    "registry", registry.QUASI, registry.SENSITIVE, registry.RECUR, _registry
)
ADULT: Final = Patients(
    "Adult",
    ("age", "sex", "race", "marital-status"),
    (
        "occupation",
        "education",
        "hours-per-week",
        "fnlwgt",
        "native-country",
        "capital-gain",
        "capital-loss",
    ),
    "native-country",
    _adult,
)
MA2019: Final = Patients(
    "ma2019",
    ("PUMA", "AGEP", "SEX", "RAC1P"),
    ("INDP", "PINCP", "EDU", "POVPIP", "INDP_CAT", "PINCP_DECILE"),
    "INDP_CAT",
    _ma2019,
)
