"""Draw a report: the sizes of the classes, and the rate of each attack."""

from __future__ import annotations

from typing import Any, Final

from anonaudit.findings import AuditReport, Disclosure, Outcome
from anonaudit.notebook import Picture
from anonaudit.report import drawing
from anonaudit.report.sections.charts import Chart, histogram
from anonaudit.report.sections.verdict import verdict
from anonaudit.report.words import figures, layout, wording

_GOOD: Final = "#7f9fbf"
_BAD: Final = "#c0504d"
_STYLE: Final = {"hatch.linewidth": 0.6, "font.size": 9}
_LONGEST_TITLE: Final = 90


def report_picture(report: AuditReport) -> Picture:
    """Draw the sizes of the classes with the required size, and the rate of each attack.

    Classes smaller than the required size are red, and so is the rate of a violated attack. The
    hatched part of a bar stands for undecided targets. An attack without a rate has no bar.
    """
    sizes, attacks = histogram(report), report.attacks
    heights = [1.2 + 0.3 * len(sizes.bars) if sizes else 0, 1.2 + 0.3 * len(attacks)]
    drawn = [height for height, there in zip(heights, (sizes, attacks), strict=True) if there]
    title = layout.shorten(verdict(report, _LONGEST_TITLE), _LONGEST_TITLE)
    with drawing.figure(7.5, 0.5 + sum(drawn or [0.5]), _STYLE) as figure:
        figure.suptitle(title, fontsize=10, parse_math=False)
        if drawn:
            axes = list(figure.subplots(len(drawn), 1, height_ratios=drawn, squeeze=False).flat)
            if sizes:
                _sizes(axes[0], sizes, wording.people(report))
            if attacks:
                _rates(axes[-1], attacks)
        return drawing.picture(figure, title)


def _sizes(axes: Any, chart: Chart, people: str) -> None:
    places = range(len(chart.bars))
    colours = [_BAD if bar.note else _GOOD for bar in chart.bars]
    axes.barh(places, [bar.share for bar in chart.bars], color=colours, height=0.7)
    for place, bar in zip(places, chart.bars, strict=True):
        axes.text(bar.share + 0.01, place, bar.shown, va="center", fontsize=8)
        if bar.threshold:
            _threshold(axes, place - 0.5, bar.threshold)
    if chart.threshold:
        _threshold(axes, len(chart.bars) - 0.5, chart.threshold)
    _frame(axes, [bar.label for bar in chart.bars], f"number of classes by size, in {people}")
    axes.set(xlim=(0, 1.15), xticks=())


def _threshold(axes: Any, place: float, said: str) -> None:
    axes.axhline(place, color=_BAD, linestyle="--", linewidth=1)
    axes.text(1.15, place, said, ha="right", va="bottom", fontsize=8, color=_BAD)


def _rates(axes: Any, attacks: tuple[Disclosure, ...]) -> None:
    for place, attack in enumerate(attacks):
        rate, highest = attack.rate, attack.highest_rate
        if rate is None or highest is None:
            axes.text(0.01, place, attack.outcome.value, va="center", fontsize=8, color="#444444")
            continue
        allowed = attack.allowed
        colour = _BAD if attack.outcome is Outcome.VIOLATED else _GOOD
        axes.barh(place, rate, color=colour, height=0.7)
        if highest > rate:
            open_ = {"facecolor": "none", "edgecolor": colour, "hatch": "///"}
            axes.barh(place, highest - rate, left=rate, height=0.7, **open_)
        shown, bound = figures.between(rate, highest, allowed)
        text = shown if allowed is None else f"{shown} (allowed {bound})"
        axes.text(min(highest, 1) + 0.01, place, text, va="center", fontsize=8)
        if allowed is not None:
            axes.vlines(allowed, place - 0.45, place + 0.45, color="black", linewidth=1.5)
    names = [layout.shorten(layout.printable(attack.attack), 40) for attack in attacks]
    _frame(axes, names, "share of the targets exposed")
    axes.set(xlim=(0, 1.3), xticks=(0, 0.25, 0.5, 0.75, 1))
    axes.set_xticklabels(["0", "25%", "50%", "75%", "100%"], fontsize=8)


def _frame(axes: Any, names: list[str], title: str) -> None:
    axes.set_yticks(range(len(names)), names, fontsize=8, parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_title(title, fontsize=9, loc="left", parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=0)
