"""The figure of an experiment, the same bytes each time."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from anonaudit.reproduction.experiment import Experiment, Results

FORMS: Final = ("svg", "png")
# Nothing that depends on the day or the machine; text in an SVG stays text.
_STYLE: Final[Any] = {
    "svg.hashsalt": "anonaudit",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_METADATA: Final[dict[str, dict[str, Any]]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}


def draw(experiment: Experiment, results: Results, folder: Path) -> None:
    """Write figure.svg and figure.png: a panel a measure, a line a series.

    Lines are means over all runs, bands go from the least to the largest; what the paper printed
    is a hollow square of the same colour.
    """
    summary = results.summary(experiment.paper)
    number = len(experiment.measures)
    with mpl.rc_context():
        mpl.rcdefaults()  # whatever the reader has set
        mpl.rcParams.update(_STYLE)
        figure = Figure(figsize=(6.4, 1 + 3.6 * number), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(f"{experiment.id}: {experiment.title}", fontsize=10, wrap=True)
        panels = figure.subplots(number, 1, squeeze=False)[:, 0]
        for axes, measure in zip(panels, experiment.measures, strict=True):
            part = summary[summary["measure"] == measure]
            for at, (series, line) in enumerate(part.groupby("series", sort=False)):
                places = line.sort_values("x")
                style = {"color": f"C{at}"}
                axes.plot("x", "mean", data=places, marker="o", label=str(series), **style)
                axes.fill_between(
                    places["x"], places["min"], places["max"], alpha=0.15, linewidth=0, **style
                )
                told = places.dropna(subset="paper")
                if len(told):
                    axes.plot(
                        told["x"],
                        told["paper"].astype(float),
                        "s:",
                        fillstyle="none",
                        markersize=9,
                        label=f"{series} (paper)",
                        **style,
                    )
            axes.set(xlabel=experiment.x, ylabel=measure)
            axes.yaxis.label.set_size(8)
            if experiment.log:
                axes.set_yscale("log")
            ticks: list[float] = sorted(set(part["x"].tolist()))
            axes.set_xticks(ticks, [experiment.ticks.get(x, f"{x:g}") for x in ticks])
            axes.legend(fontsize=7)
        for form in FORMS:
            figure.savefig(folder / f"figure.{form}", dpi=120, metadata=_METADATA[form])
