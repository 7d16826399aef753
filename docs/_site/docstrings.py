"""An extension of Griffe that turns the docstrings of the code into Markdown.

Our docstrings are plain text. A parameter is a line `name: description`, which may continue on
indented lines. An example begins with `>>>`. Markdown would join the lines of parameters, and read
examples as quotations.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

import griffe

_PARAMETER = re.compile(r"[a-z_]\w*(, [a-z_]\w*)*: \S")


class Layout(griffe.Extension):
    """Turn parameters into Markdown lists, and examples into blocks of code."""

    def on_instance(self, *, obj: griffe.Object | griffe.Alias, **_: Any) -> None:
        """Convert the docstring of a module, class, function or attribute."""
        if isinstance(obj, griffe.Object) and obj.docstring:
            obj.docstring.value = laid_out(obj.docstring.value)


def laid_out(docstring: str) -> str:
    """Return a docstring as Markdown."""
    paragraphs = re.split(r"\n\s*\n", textwrap.dedent(docstring).strip())
    return "\n\n".join(_paragraph(paragraph) for paragraph in paragraphs)


def _paragraph(text: str) -> str:
    if text.lstrip().startswith(">>>"):
        return f"```pycon\n{textwrap.dedent(text)}\n```"
    lines = text.splitlines()
    if not all(line.startswith("  ") or _PARAMETER.match(line) for line in lines):
        return text
    return "\n".join(line if line.startswith("  ") else f"- {line}" for line in lines)
