"""The tables for GCG08's experiments: the synthetic registry, and two tables of real people.

The paper's registry is not public. In the synthetic registry, unlike in a real one, the sensitive
values hardly depend on the quasi-identifiers. Adult and the NIST excerpt of the American Community
Survey have real dependence, but fewer rows and other attributes. Agreement on these two tables is
independent evidence.
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
    """A table that replaces the paper's registry.

    quasi: the quasi-identifiers.
    sensitive: the sensitive attributes. Each has 10 values or more, as L = 10 requires. The
        experiments with m = 3 use the first three.
    few: an attribute with few values, which is the attribute that Figure 12 limits.
    rows: a function of (seed, quick) that returns the rows for a seed, as text. If quick is True,
        it returns fewer rows.
    """

    name: str
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    few: str
    rows: Callable[[int, bool], pd.DataFrame]


def rows_of(quick: bool) -> int:
    """Return the number of patients in the synthetic registry."""
    return QUICK_ROWS if quick else registry.ROWS


def _registry(seed: int, quick: bool) -> pd.DataFrame:
    return registry.registry(seed, rows_of(quick))


def three_in_four(table: pd.DataFrame, seed: int, quick: bool) -> pd.DataFrame:
    """Draw three of four rows without replacement; quick: 2000 rows."""
    size = QUICK_ROWS if quick else len(table) * 3 // 4
    return table.iloc[np.random.default_rng([2009, seed]).choice(len(table), size, replace=False)]


def ma2019_missing() -> str | None:
    """Return why the NIST excerpt cannot be read here; None if it can."""
    if VARIABLE not in os.environ:
        return f"ma2019.csv of NIST is needed; set {VARIABLE} to its path (docs/reproduction.md)"
    path = Path(os.environ[VARIABLE])
    return None if path.is_file() else f"{VARIABLE} is {str(path)!r}, which is not a file"


@cache
def ma2019() -> pd.DataFrame:
    """Return the NIST excerpt of the American Community Survey 2019: five areas in Massachusetts.

    Raises InputError if the file is missing or has another SHA-256.
    """
    if (reason := ma2019_missing()) is not None:
        raise InputError(reason)
    path = Path(os.environ[VARIABLE])
    if hashlib.sha256(path.read_bytes()).hexdigest() != MA2019_SHA256:
        raise InputError(f"{path}: is not the expected ma2019.csv; its SHA-256 differs")
    return pd.read_csv(path, dtype=str, keep_default_na=False)


# These are named functions, not lambdas, because a run may be sent to another process.
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
