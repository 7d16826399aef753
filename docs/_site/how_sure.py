"""Draw docs/how_sure.svg: the share of people in Adult by the chance of the best guess.

Run `pip install .` and then `python docs/_site/how_sure.py`.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

import anonaudit
from anonaudit.auditing.audit import open_release
from anonaudit.auditing.preparation import prepare
from anonaudit.policy.policy import read_policy

OUT = Path(__file__).parents[1] / "how_sure.svg"


def main() -> None:
    """Draw the share of people whose best guess has at least each chance."""
    policy = read_policy(anonaudit.datasets.path("adult/release.toml"))
    classes = prepare(open_release(None, policy), policy).classes
    mpl.rcParams["svg.hashsalt"] = "how_sure"
    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    for column, colour in (("income", "#1b6ca8"), ("occupation", "#c1532b")):
        counts = classes.sensitive[column]
        chance, people = counts.largest / classes.sizes, classes.rows
        order = np.argsort(-chance)
        share = np.cumsum(people[order]) / people.sum()
        axes.step(
            np.append(chance[order], 0), np.append(share, 1), where="pre", color=colour,
            label=f"{column}, with the release",
        )  # fmt: skip
        base = counts.whole.most_likely
        axes.step([1, base, base, 0], [0, 0, 1, 1], color=colour, linestyle=":",
                  label=f"{column}, without it")  # fmt: skip
    axes.set(
        xlim=(0, 1), ylim=(0, 1.02), xlabel="chance of the best guess",
        ylabel="people with at least this chance",
    )  # fmt: skip
    axes.legend(frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(0.2, 0.05))
    figure.savefig(OUT, metadata={"Date": None})


if __name__ == "__main__":
    main()
