"""Figures that come out the same, byte by byte, whatever day it is and whatever is set."""

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
# To be given to `savefig`, by form.
METADATA: Final[dict[str, dict[str, Any]]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
# Text in an SVG stays text.
_STYLE: Final = {
    "svg.hashsalt": "anonaudit",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
}


@contextmanager
def figure(width: float, height: float, style: dict[str, Any]) -> Iterator[Figure]:
    """A figure of so many inches, to be drawn and saved while it is open; style: of matplotlib."""
    with mpl.rc_context():
        mpl.rcdefaults()  # whatever the reader has set
        settings: Any = _STYLE | style
        mpl.rcParams.update(settings)
        drawn = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(drawn)
        yield drawn


def picture(drawn: Figure, title: str) -> Picture:
    """The figure in both forms; to be called while it is open."""
    forms = {}
    for form in FORMS:
        content = io.BytesIO()
        drawn.savefig(content, format=form, dpi=130, metadata=METADATA[form])
        forms[form] = content.getvalue()
    return Picture(title, **forms)
