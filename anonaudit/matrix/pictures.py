"""Draw a matrix: as a heatmap of attacks, or as a scatter plot of privacy and utility."""

from __future__ import annotations

from typing import Final, Literal

from anonaudit.errors import AnonauditError, closest
from anonaudit.matrix.attack_cells import Cell, Matrix, MatrixRow
from anonaudit.matrix.heatmap import heatmap
from anonaudit.notebook import Picture
from anonaudit.report import drawing
from anonaudit.report.words import layout

_MARKERS: Final = "osD^v"  # one for each ten releases


def matrix_picture(
    matrix: Matrix, kind: Literal["heatmap", "scatter"] = "heatmap", attack: str | None = None
) -> Picture:
    """Draw a matrix; see `Matrix.plot`."""
    if kind not in ("heatmap", "scatter"):
        raise AnonauditError(f"there is no picture {kind!r} of a matrix; use heatmap or scatter")
    return scatter(matrix, attack) if kind == "scatter" else heatmap(matrix)


def scatter(matrix: Matrix, attack: str | None = None) -> Picture:
    """Draw a point for each release: its information loss and the share of exposed targets.

    From each point, a horizontal line goes to the highest possible loss (if every cell whose loss
    is unknown lost everything), and a vertical line to the highest possible share (if every
    undecided target were exposed). A release without a loss or a share is not drawn but named below
    the picture.

    attack: the label of the attack whose share is drawn. With None, the point of each release shows
        the worst of the attacks whose disclosures are certain.

    Raises AnonauditError if the matrix has no such attack.
    """
    if attack is not None and attack not in matrix.attacks:
        raise AnonauditError(f"unknown attack {attack!r}. {closest(attack, matrix.attacks)}")
    whose = (
        "the worst attack with certain disclosures" if attack is None else layout.printable(attack)
    )
    title = f"Privacy and utility of {len(matrix.rows)} releases"
    absent = []
    with drawing.figure(8.5, 5, {"font.size": 9}) as figure:
        axes = figure.subplots()
        for at, row in enumerate(matrix.rows):
            share, name = _exposed(row, attack), layout.shorten(layout.printable(row.name), 30)
            if row.loss is None or share is None:
                absent.append(name)
                continue
            least, most = share
            colour = f"C{at % 10}"
            loss, highest = row.loss, row.loss if row.highest_loss is None else row.highest_loss
            axes.plot([loss, highest], [least, least], color=colour, linewidth=1)
            axes.plot([loss, loss], [least, most], color=colour, linewidth=1)
            marker = _MARKERS[at // 10 % len(_MARKERS)]
            axes.scatter([loss], [least], marker=marker, color=colour, alpha=0.8, zorder=3)
            axes.scatter([], [], marker=marker, color=colour, label=name.replace("$", r"\$"))
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
        ticks = (0, 0.25, 0.5, 0.75, 1)
        names = [f"{100 * tick:g}%" for tick in ticks]
        axes.set_xticks(ticks, names)
        axes.set_yticks(ticks, names)
        below = f"\nnot drawn, because a number is unknown: {', '.join(absent)}" if absent else ""
        axes.set_xlabel(f"information loss{below}", parse_math=False)
        axes.set_ylabel(f"share of the targets exposed by {whose}", parse_math=False)
        axes.spines[["top", "right"]].set_visible(False)
        if axes.get_legend_handles_labels()[1]:
            axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=8, frameon=False)
        figure.suptitle(title, fontsize=11)
        return drawing.picture(figure, title)


def _exposed(row: MatrixRow, attack: str | None) -> tuple[float, float] | None:
    """Return the least and the largest possible share of exposed targets; None if unknown.

    Without an attack, each of the two is the largest among the attacks with certain disclosures.
    """

    def counts(cell: Cell) -> bool:
        return cell.confidence == 1 if attack is None else cell.attack == attack

    shares = [
        (cell.rate, cell.highest_rate)
        for cell in row.cells
        if counts(cell) and cell.rate is not None and cell.highest_rate is not None
    ]
    if not shares:
        return None
    return max(least for least, _ in shares), max(most for _, most in shares)
