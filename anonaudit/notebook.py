"""How results show themselves: in a line, and in a notebook as HTML and as pictures.

`anonaudit/__init__.py` sets the hooks `html_of` and `plot`, because findings must not import
report. Their defaults never run: nothing of a package is imported before its `__init__.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
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
plot: Callable[..., Picture]


class Result:
    """A result that shows counts and names of columns, and no cell of a table.

    A dataclass of this kind needs `repr=False`: its own `__repr__` would show every field.
    """

    def __repr__(self) -> str:
        line = f"<{type(self).__name__} {self._line()}>"
        return line if line.isprintable() else repr(line)[1:-1]  # names of files and columns

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return html_of(self)

    def _line(self) -> str:
        """The result in a few words."""
        raise NotImplementedError

    def _shown(self) -> Shown:
        """The result with its table."""
        return Shown(f"{type(self).__name__} {self._line()}")


@dataclass(frozen=True, repr=False)
class Picture:
    """A drawing that a notebook shows. The same result gives the same bytes.

    title: what is drawn. svg, png: the drawing in both forms.
    """

    title: str
    svg: bytes
    png: bytes

    def __repr__(self) -> str:
        return f"<Picture {self.title}>"

    def _repr_svg_(self) -> str:
        """How a notebook shows it."""
        return self.svg.decode()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawing to a file whose name ends in `.svg` or `.png`.

        The file is whole or not there. Raises ValueError for another ending, and OSError where
        the file cannot be written.
        """
        target = Path(path)
        content = {".svg": self.svg, ".png": self.png}.get(target.suffix.lower())
        if content is None:
            raise ValueError(f"{target}: a picture is .svg or .png; end the name with one of them")
        draft = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            draft.write_bytes(content)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
