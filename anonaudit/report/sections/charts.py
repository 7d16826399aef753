"""Build the charts of a report: class sizes, and targets exposed if values are ruled out.

Every bar has its number as text, so that no information is in the drawing alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from anonaudit.details import part_of
from anonaudit.findings import AuditReport, Disclosure, Number, sizes_of_bin
from anonaudit.plugins import describe_model
from anonaudit.report.words import figures, layout, wording
from anonaudit.special_details import ByEliminations


@dataclass(frozen=True)
class Bar:
    """One bar of a chart.

    label: the text before the bar.
    shown: the number after the bar, as text.
    share: the length of the bar, from 0 to 1.
    note: a remark after the number; empty if there is none.
    threshold: the text of the line that marks the required class size, drawn before this bar. Empty
        except for the first bar that reaches the required size.
    """

    label: str
    shown: str
    share: float
    note: str = ""
    threshold: str = ""


@dataclass(frozen=True)
class Chart:
    """A chart of horizontal bars.

    label, value: the headers of the bars' labels and numbers.
    threshold: the text of the line that marks the required class size, drawn after the last bar.
        Empty if a bar reaches the required size.
    """

    title: str
    label: str
    value: str
    bars: tuple[Bar, ...]
    threshold: str = ""


def histogram(report: AuditReport) -> Chart | None:
    """Return the chart of class sizes, or None if the report does not count them."""
    bins = [
        (*sizes, count)
        for key, count in report.release.class_sizes.items()
        if (sizes := sizes_of_bin(key)) and count is not None
    ]
    if not bins:
        return None
    asked = [
        m.required for m in report.models if describe_model(m.model).size_of_class and m.required
    ]
    k = max(asked, default=0)
    most = max(count for *_, count in bins)
    bins.sort()
    reaching = next((bin_ for bin_ in bins if bin_[1] >= k), None) if k else None
    bars = [
        Bar(
            f"{low:,}" if low == high else f"{low:,} to {high:,}",
            figures.whole(count),
            count / most if most > 0 else 0.0,
            f"below k = {figures.level(k)}" if high < k else "",
            _threshold(k, low) if reaching == (low, high, count) else "",
        )
        for low, high, count in bins
    ]
    beyond = _threshold(k, k) if k and reaching is None else ""
    return Chart("Sizes of the classes", wording.people(report), "classes", tuple(bars), beyond)


def _threshold(k: Number, low: Number) -> str:
    """Return the text of the line that marks the required class size k.

    low: the least class size of the next bar.
    """
    inside = ", inside the next bar" if low < k else ""
    return f"k = {figures.level(k)}{inside}"


def exposures(report: AuditReport) -> tuple[Chart, ...]:
    """Return a chart for each attack that rules out sensitive values.

    A bar is the number of targets exposed if at most so many values are ruled out.
    """
    charts = (_exposure(attack, report) for attack in report.attacks)
    return tuple(chart for chart in charts if chart is not None)


def _exposure(attack: Disclosure, report: AuditReport) -> Chart | None:
    eliminations = part_of(attack.details, ByEliminations)
    if eliminations is None or not attack.targets:
        return None
    bars = [
        Bar(
            layout.name(str(t)),
            f"{figures.whole(n)} ({figures.percent(n / attack.targets)})",
            min(max(n / attack.targets, 0.0), 1.0),
        )
        for t, n in eliminations.exposed.items()
    ]
    if not bars:
        return None
    name = layout.name(attack.attack)
    title = f"Targets exposed by {name} if at most this many values are ruled out"
    return Chart(title, "values", wording.people(report), tuple(bars))
