"""Draws the figure of an experiment; equal results give equal bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from anonaudit.papers.reproduction.experiment import Experiment, Results
from anonaudit.report import drawing

FEW: Final = 3  # up to this number of places on the x axis, points are not connected
_STYLE: Final = {
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def draw_figure(experiment: Experiment, results: Results, folder: Path) -> None:
    """Write figure.svg and figure.png: one panel for each measure, one line for each series.

    Lines show means over all runs, and bands show the range from minimum to maximum. A hollow
    square of the same color is the paper's number. If the x axis has at most `FEW` places, the
    means are points side by side instead of lines, with bars from minimum to maximum.
    """
    summary = results.summary(experiment.paper)
    number = len(experiment.measures)
    with drawing.figure(9, 0.6 + 3.2 * number, _STYLE) as figure:
        figure.suptitle(f"{experiment.id}: {experiment.title}", fontsize=10, wrap=True)
        panels = figure.subplots(number, 1, squeeze=False)[:, 0]
        for axes, measure in zip(panels, experiment.measures, strict=True):
            _panel(axes, experiment, measure, summary[summary["measure"] == measure])
        for form in drawing.FORMS:
            figure.savefig(folder / f"figure.{form}", dpi=120, metadata=drawing.METADATA[form])


def _panel(axes: Axes, experiment: Experiment, measure: str, part: pd.DataFrame) -> None:
    ticks: list[float] = sorted(set(part["x"].tolist()))
    lines = list(part.groupby("series", sort=False))
    few = len(ticks) <= FEW
    step = 0.6 * min(np.diff(ticks), default=1.0) / max(len(lines), 2) if few else 0.0
    shown: list[Any] = []  # for the legend: each line, then the paper's
    for at, (series, line) in enumerate(lines):
        places = line.sort_values("x")
        x = places["x"].to_numpy(float) + step * (at - (len(lines) - 1) / 2)
        mean, low, high = (places[c].to_numpy(float) for c in ("mean", "min", "max"))
        color = f"C{at}"
        if few:
            bars = np.array([mean - low, high - mean]).clip(0)
            shown.append(
                axes.errorbar(x, mean, bars, fmt="o", capsize=3, color=color, label=str(series))
            )
        else:
            shown += axes.plot(x, mean, marker="o", color=color, label=str(series))
            axes.fill_between(x, low, high, alpha=0.15, linewidth=0, color=color)
        paper = places["paper"].to_numpy(float)
        printed = np.isfinite(paper)
        if printed.any():
            style: Any = {"linestyle": "none" if few else ":", "fillstyle": "none", "color": color}
            name = f"{series} (paper)"
            shown += axes.plot(
                x[printed], paper[printed], marker="s", markersize=9, label=name, **style
            )
    axes.set_xlabel(experiment.x)
    axes.set_title(measure, loc="left", fontsize=9)  # what the y axis shows
    if measure in experiment.log:
        axes.set_yscale("log")
    else:  # start at 0, so small differences do not look large
        largest = np.nanmax(part[["max", "paper"]].to_numpy(float))
        top = 1.08 * largest if largest > 0 else 1.0
        axes.set_ylim(-0.03 * top, top)
    if few:
        axes.margins(x=0.1)
    axes.set_xticks(ticks, [experiment.ticks.get(x, f"{x:g}") for x in ticks])
    position: Any = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0}
    axes.legend(handles=shown, fontsize=7, **position)
