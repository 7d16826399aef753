"""How a notebook shows a result: the package sets it, because results import no report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

to_html: Callable[[Any], str] = repr
