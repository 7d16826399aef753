"""Experiments: their measurements, the numbers in the paper, and the statements to test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple, cast

import numpy as np
import pandas as pd

from anonaudit import datasets
from anonaudit.papers.reproduction.readings import ReadingResult


class MeasuredNumber(NamedTuple):
    """One measured number.

    measure: the quantity, such as `information loss`.
    series: the line of the figure, or the row of the table.
    x: the place on the x axis.
    value: the measured number.
    draw: the number of the sample, if a seed draws several samples.
    """

    measure: str
    series: str
    x: float
    value: float
    draw: int = 0


SeriesKey = tuple[str, str, float]  # measure, series, x
Run = Callable[[int, bool], list[MeasuredNumber]]  # seed, quick


@dataclass(frozen=True, eq=False)
class Results:
    """The measured numbers of an experiment over all seeds.

    frame: the columns measure, series, x, seed, draw, value; one row for each number.
    """

    frame: pd.DataFrame

    def of(self, measure: str, series: str) -> pd.DataFrame:
        """Return one line of the figure: a row for each seed and draw, a column for each x."""
        wanted = (self.frame["measure"] == measure) & (self.frame["series"] == series)
        return self.frame[wanted].pivot_table(index=["seed", "draw"], columns="x", values="value")

    def summary(self, paper: Mapping[SeriesKey, float]) -> pd.DataFrame:
        """Return the paper's numbers with the mean and spread of ours.

        The frame has one row for each measure, series and x. The column at-or-below-paper ("≤
        paper" in reports) is the share of our runs whose number is at most the paper's. It is empty
        if the paper gives no number.
        """
        lines = []
        for key, values in self.frame.groupby(["measure", "series", "x"], sort=False)["value"]:
            measure, series, x = cast("SeriesKey", key)
            printed = paper.get((measure, series, x))
            lines.append(
                {
                    "measure": measure,
                    "series": series,
                    "x": x,
                    "paper": printed,
                    "mean": values.mean(),
                    "sd": values.std(ddof=0),
                    "min": values.min(),
                    "median": values.median(),
                    "max": values.max(),
                    "runs": len(values),
                    "at-or-below-paper": None if printed is None else (values <= printed).mean(),
                }
            )
        return pd.DataFrame(lines)


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper that is measured again.

    id: paper and table, such as `TV06-table8`.
    claim: the id of its claim in the ledger.
    run: a function of (seed, quick) that returns the measured numbers of one seed. Experiments with
        the same `run` share one execution.
    measures: the measures of `run` that belong to this experiment. The figure has a panel for each.
    x: the name of the x axis.
    read: a function that tests the paper's statements with the results.
    paper: (measure, series, x) -> the number in the paper.
    log: the measures with a logarithmic y axis.
    ticks: place on the x axis -> its name, if the name is not the number.
    repeatable: True if equal seeds give equal bytes. This is False for running times.
    inputs: the data files, as names for `anonaudit.datasets.path`.
    notes: known or possible differences from the paper's setting.
    tuned: True if the setting or the reading was chosen after results had been seen. Then agreement
        is no independent evidence.
    missing: a function that returns why the experiment cannot run here, or None.
    """

    id: str
    claim: str
    title: str
    run: Run
    measures: tuple[str, ...]
    x: str
    read: Callable[[Results], list[ReadingResult]]
    paper: Mapping[SeriesKey, float] = field(default_factory=dict)
    log: tuple[str, ...] = ()
    ticks: Mapping[float, str] = field(default_factory=dict)
    repeatable: bool = True
    inputs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tuned: bool = False
    missing: Callable[[], str | None] = lambda: None

    @property
    def key(self) -> str:
        """The key of the paper."""
        return self.id.partition("-")[0]

    @property
    def table(self) -> str:
        """The name of the experiment within the paper."""
        return self.id.partition("-")[2]


@cache
def adult() -> pd.DataFrame:
    """Return the rows of Adult as text."""
    return pd.read_csv(datasets.path("adult/adult.csv.gz"), dtype=str, keep_default_na=False)


def sampled(rng: np.random.Generator, size: int) -> pd.DataFrame:
    """Draw rows of Adult without replacement, in the order of the draws."""
    return adult().iloc[rng.choice(len(adult()), size, replace=False)]


def printed(name: str) -> list[dict[str, str]]:
    """Return the lines of a table of a paper; each is a mapping of column -> cell, as text."""
    table = pd.read_csv(datasets.path(name), dtype=str, keep_default_na=False)
    return [dict(zip(table.columns, line, strict=True)) for line in table.itertuples(index=False)]
