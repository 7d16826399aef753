"""Hook for `_repr_html_`.

`anonaudit/__init__.py` sets it to `report.html.to_notebook`, because findings must not import
report. The default never runs: nothing of a package is imported before its `__init__.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Shown:
    """How a result shows itself: a sentence, a table with its header first, more sentences.

    left: the columns of text; the others hold numbers.
    """

    title: str
    rows: Sequence[Sequence[str]] = ()
    left: tuple[int, ...] = (0,)
    points: tuple[str, ...] = ()


html_of: Callable[[Any], str] = repr
