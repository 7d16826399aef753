"""Renders a run as Markdown: a report for each experiment, and one table of all statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from anonaudit.papers.reproduction.experiment import Experiment, Results
from anonaudit.papers.reproduction.readings import Agreement
from anonaudit.version import __version__

PLURAL: Final[dict[Agreement, str]] = {
    "agrees": "agree",
    "agrees in part": "agree in part",
    "disagrees": "disagree",
    "not measured": "were not measured",
}
MARK: Final = "†"
TUNED: Final = (
    "The data or the reading were chosen after results had been seen, so agreement is partly by "
    "construction and is no independent evidence."
)


def report(experiment: Experiment, results: Results) -> str:
    """Return the report on an experiment as Markdown.

    It contains the paper's statements with verdicts, the paper's and our numbers, and the
    differences from the paper's setting.
    """
    summary = results.summary(experiment.paper)
    lines = [f"# {experiment.id}: {experiment.title}", ""]
    lines += [f"- {reading}" for reading in experiment.read(results)]
    lines += ["", TUNED] if experiment.tuned else []
    lines += ["", "![the figure](figure.svg)", ""]
    for measure, part in summary.groupby("measure", sort=False):
        lines += [
            f"## {str(measure).capitalize()}",
            "",
            f"| series | {experiment.x} | paper | mean of ours | min to max | runs | ≤ paper |",
            "|---|---|---|---|---|---|---|",
        ]
        for row in part.to_dict("records"):
            printed = below = "-"
            if not pd.isna(row["paper"]):
                printed, below = f"{row['paper']:.4g}", f"{row['at-or-below-paper']:.0%}"
            cells = [
                row["series"],
                experiment.ticks.get(row["x"], f"{row['x']:g}"),
                printed,
                f"{row['mean']:.4g}",
                f"{row['min']:.4g} to {row['max']:.4g}",
                str(row["runs"]),
                below,
            ]
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    lines += ["## Differences from the paper", "", *(f"- {n}" for n in experiment.notes)]
    return "\n".join(lines) + "\n"


def agreement(
    experiments: Sequence[Experiment],
    results: Mapping[str, Results],
    seeds: Sequence[int],
    *,
    quick: bool,
) -> str:
    """Return, as Markdown, the number of statements by verdict and a table of all statements.

    results: experiment id -> its results.
    seeds: the seeds of the run.
    quick: True if the run used few rows and draws.
    """
    read = [(e, reading) for e in experiments for reading in e.read(results[e.id])]
    verdicts = Counter((reading.verdict, e.tuned) for e, reading in read)
    small = ", few rows (quick): do not compare the numbers with the papers'" if quick else ""
    lines = [f"anonaudit {__version__}, seeds {seeds[0]} to {seeds[-1]}{small}."]
    for tuned, what in (
        (False, "statements"),
        (True, f"statements on tuned data or a fitted reading ({MARK})"),
    ):
        counted = ", ".join(
            f"{verdicts[v, tuned]} {PLURAL[v]}" for v in PLURAL if verdicts[v, tuned]
        )
        if counted:
            lines.append(f"{sum(e.tuned is tuned for e, _ in read)} {what}: {counted}.")
    lines += [
        "",
        "| experiment | the paper says | verdict | cases | paper | ours |",
        "|---|---|---|---|---|---|",
    ]
    for e, r in read:
        mark = f" {MARK}" if e.tuned else ""
        cells = (e.id, r.says, r.verdict + mark, f"{r.held} of {r.of}", r.there, r.here)
        lines.append(f"| {' | '.join(cells)} |")
    if any(e.tuned for e in experiments):
        lines += ["", f"{MARK} {TUNED}"]
    return "\n".join(lines) + "\n"
