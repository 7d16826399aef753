"""Hook for `_repr_html_`.

`anonaudit/__init__.py` sets it to `report.html.to_notebook`, because findings must not import
report. The default never runs: nothing of a package is imported before its `__init__.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

to_html: Callable[[Any], str] = repr
