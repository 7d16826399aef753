"""Draw figures that are the same bytes on every day and with every matplotlib configuration."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from anonaudit.notebook import Picture

FORMS: Final = ("svg", "png")
# Format -> the metadata for `savefig`. None omits an entry, such as the date.
METADATA: Final[dict[str, dict[str, Any]]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
# "fonttype: none" keeps text in an SVG as text.
_STYLE: Final = {
    "svg.hashsalt": "anonaudit",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
}


@contextmanager
def figure(width: float, height: float, style: dict[str, Any]) -> Iterator[Figure]:
    """Yield a figure, which must be drawn and saved before the context ends.

    width, height: in inches. style: settings of matplotlib.
    """
    with mpl.rc_context():
        mpl.rcdefaults()  # ignore the user's own settings
        settings: Any = _STYLE | style
        mpl.rcParams.update(settings)
        drawn = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(drawn)
        yield drawn


def picture(drawn: Figure, title: str) -> Picture:
    """Return the figure as SVG and PNG. Call it before the context of the figure ends."""
    forms = {}
    for form in FORMS:
        content = io.BytesIO()
        drawn.savefig(content, format=form, dpi=130, metadata=METADATA[form])
        forms[form] = content.getvalue()
    return Picture(title, **forms)
