"""How a result displays itself: as one line, and in a notebook as HTML or a picture.

`html_of` and `plot` are hooks, because this module and findings.py must not import the package
`report`. `anonaudit/__init__.py` sets both hooks before a user can have a result.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Shown:
    """The content of a result: a title, a table whose first row is the header, and sentences.

    left: the indices of the columns that are aligned left (text). All other columns hold numbers.
    points: the sentences.
    """

    title: str
    rows: Sequence[Sequence[str]] = ()
    left: tuple[int, ...] = (0,)
    points: tuple[str, ...] = ()


html_of: Callable[[Any], str] = repr
plot: Callable[..., Picture]


class Result:
    """A result whose display shows counts and column names, but no cell of a table.

    A subclass that is a dataclass needs `repr=False`: the generated `__repr__` shows every field.
    """

    def __repr__(self) -> str:
        line = f"<{type(self).__name__} {self._line()}>"
        return line if line.isprintable() else repr(line)[1:-1]  # names of files and columns

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows."""
        return html_of(self)

    def _line(self) -> str:
        """The result in a few words, without the name of the class."""
        raise NotImplementedError

    def _shown(self) -> Shown:
        """The result with its table."""
        return Shown(f"{type(self).__name__} {self._line()}")


@dataclass(frozen=True, repr=False)
class Picture:
    """A drawing for notebooks. Equal results give equal bytes.

    svg, png: the same drawing in two formats.
    """

    title: str
    svg: bytes
    png: bytes

    def __repr__(self) -> str:
        return f"<Picture {self.title}>"

    def _repr_svg_(self) -> str:
        """The SVG that a notebook shows."""
        return self.svg.decode()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawing to a file whose name ends in `.svg` or `.png`.

        The file is replaced in one step, so no partial file is left. Raises ValueError for another
        ending, and OSError if the file cannot be written.
        """
        target = Path(path)
        content = {".svg": self.svg, ".png": self.png}.get(target.suffix.lower())
        if content is None:
            raise ValueError(f"{target}: a picture is saved as .svg or .png; use one of the two")
        draft = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            draft.write_bytes(content)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
