"""Draw the heatmap: a row for each release, a column for each attack, darker for more exposed.

Bars on the left show the information loss of each release.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.colors import PowerNorm
from matplotlib.patches import Rectangle

from anonaudit.errors import InputError
from anonaudit.findings import Outcome
from anonaudit.matrix.attack_cells import Cell, Matrix
from anonaudit.notebook import Picture
from anonaudit.report import drawing
from anonaudit.report.words import figures, layout
from anonaudit.source.unpacking import reason

_STYLE: Final = {
    "hatch.linewidth": 0.6,
}
_COLOURS: Final = "YlOrRd"
_NOTHING: Final = "#f4f4f4"


def draw_heatmap(matrix: Matrix, folder: Path) -> None:
    """Write heatmap.svg and heatmap.png into a folder.

    Raises InputError if a file cannot be written.
    """
    drawn = heatmap(matrix)
    for form in drawing.FORMS:
        path = folder / f"heatmap.{form}"
        try:
            drawn.save(path)
        except OSError as error:
            raise InputError(
                f"{path}: cannot be written ({reason(error)}); name another folder"
            ) from None


def heatmap(matrix: Matrix) -> Picture:
    """Draw a row for each release and a column for each attack.

    A cell shows how many persons the attack exposes and their share of the targets. The colour
    stands for the share. A cell is hatched if the attack decided nothing or there is no release.
    Bars on the left show the information loss.
    """
    rows = matrix.rows
    names = list(matrix.attacks)
    size = (4.4 + 0.95 * len(names), 2.6 + 0.5 * len(rows))
    with drawing.figure(*size, _STYLE) as figure:
        bars, axes = figure.subplots(1, 2, width_ratios=(2, len(names)), sharey=True)
        places = np.arange(len(rows))
        bars.barh(places, [row.loss or 0.0 for row in rows], color="#7f9fbf", height=0.7)
        for place, row in zip(places, rows, strict=True):
            loss = "none made" if row.reason is not None else row.losses
            if row.loss is not None and row.highest_loss is not None:
                open_ = {"facecolor": "none", "edgecolor": "#7f9fbf", "hatch": "///"}
                bars.barh(place, row.highest_loss - row.loss, left=row.loss, height=0.7, **open_)
            bars.text(0.02, place, loss, va="center", fontsize=8)
        bars.set(xlim=(0, 1), xlabel="information loss", xticks=(0, 0.5, 1))
        bars.set_xticklabels(["0", "50%", "100%"], fontsize=8)
        bars.set_yticks(places, [row.name for row in rows], fontsize=9)
        bars.spines[["top", "right"]].set_visible(False)
        colours, norm = mpl.colormaps[_COLOURS], PowerNorm(0.5, 0, 1)
        for y, row in enumerate(rows):
            cells = {cell.attack: cell for cell in row.cells}
            for x, attack in enumerate(names):
                _cell(axes, x, y, cells.get(attack), colours, norm)
        axes.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(rows) - 0.5, -0.5))
        labels = [layout.printable(name).replace("-", "-\n", 1) for name in names]
        axes.set_xticks(range(len(names)), labels, fontsize=8, parse_math=False)
        axes.xaxis.tick_top()
        axes.tick_params(length=0, labelleft=False)
        axes.spines[:].set_visible(False)
        scale = figure.colorbar(
            mpl.cm.ScalarMappable(norm, colours), ax=axes, fraction=0.03, pad=0.01
        )
        scale.set_ticks(
            [0, 0.01, 0.05, 0.2, 0.5, 1], labels=["0", "1%", "5%", "20%", "50%", "100%"]
        )
        scale.ax.tick_params(labelsize=8)
        scale.set_label("share of the targets exposed", fontsize=8)
        title = f"Disclosures left after masking {matrix.persons:,} persons"
        figure.suptitle(f"{title} (hatched: nothing was decided)", fontsize=11)
        return drawing.picture(figure, title)


def _cell(axes: Any, x: int, y: int, cell: Cell | None, colours: Any, norm: Any) -> None:
    def box(**look: Any) -> None:
        axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, **look))

    middle: dict[str, Any] = {"ha": "center", "va": "center"}
    if cell is None or cell.rate is None:
        box(facecolor=_NOTHING, edgecolor="#bbbbbb", hatch="///")
        undecided = cell is not None and cell.outcome is not Outcome.SKIPPED
        state = "undecided" if undecided else "not run"
        ground = {"facecolor": _NOTHING, "edgecolor": "none", "pad": 1}
        axes.text(x, y, state, fontsize=7, color="#444444", bbox=ground, **middle)
        return
    box(facecolor=colours(norm(cell.rate)), edgecolor="white")
    open_ = f"-{figures.whole((cell.exposed or 0) + cell.undecided)}" if cell.undecided else ""
    text = f"{figures.whole(cell.exposed)}{open_}\n{figures.percent(cell.rate, 2)}"
    colour = "white" if norm(cell.rate) > 0.6 else "black"
    axes.text(x, y, text, fontsize=7.5, linespacing=1.25, color=colour, **middle)
