"""What an experiment is: how it is run, what the paper printed, what may agree."""

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

    measure: what was measured. series: the line of a figure, or the row of a table, it belongs
    to. x: the place on that line. draw: the number of the sample, where a seed draws several.
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

    frame: columns measure, series, x, seed, draw, value; one line a number.
    """

    frame: pd.DataFrame

    def of(self, measure: str, series: str) -> pd.DataFrame:
        """One line of the figure: a row a run (seed and draw), a column a place on the x axis."""
        wanted = (self.frame["measure"] == measure) & (self.frame["series"] == series)
        return self.frame[wanted].pivot_table(index=["seed", "draw"], columns="x", values="value")

    def summary(self, paper: Mapping[SeriesKey, float]) -> pd.DataFrame:
        """What the paper printed beside the mean and the spread of ours, one line a place.

        at-or-below-paper ("≤ paper" in reports) is the share of our runs that stay at or below
        the paper's number.
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
    """A table or figure of a paper, to be measured again.

    id: paper and table, as in `TV06-table8`. claim: the row of the ledger it belongs to.
    run: measures for one seed; experiments with the same `run` share its work. measures: which
    of its numbers are this experiment's, a panel of the figure each. paper: what was printed.
    read: what may agree. log: the measures whose y axis is logarithmic. ticks: names of places on
    the x axis. repeatable: whether a seed gives the same bytes again, which running times do not.
    notes: where the setting is not, or cannot be known to be, that of the paper. tuned: whether
    the setting or the reading was chosen with results in sight, so that agreement is no
    independent evidence. missing: why it cannot be run here, None if it can.
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
        """The paper."""
        return self.id.partition("-")[0]

    @property
    def table(self) -> str:
        """The name within the paper."""
        return self.id.partition("-")[2]


@cache
def adult() -> pd.DataFrame:
    """The rows of Adult, as text."""
    return pd.read_csv(datasets.path("adult/adult.csv.gz"), dtype=str, keep_default_na=False)


def sampled(rng: np.random.Generator, size: int) -> pd.DataFrame:
    """Rows of Adult drawn without replacement, in the order in which they were drawn."""
    return adult().iloc[rng.choice(len(adult()), size, replace=False)]


def printed(name: str) -> list[dict[str, str]]:
    """The lines of a table of a paper, as text."""
    table = pd.read_csv(datasets.path(name), dtype=str, keep_default_na=False)
    return [dict(zip(table.columns, line, strict=True)) for line in table.itertuples(index=False)]
