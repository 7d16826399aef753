"""Paths with environment variables. Messages show `${NAME}`; its value is used to open files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from anonaudit.source.parquet_folders import matches, until_pattern

if sys.platform == "win32":
    from pathlib import WindowsPath as _ThisPath
else:
    from pathlib import PosixPath as _ThisPath


def path_from(folder: str | os.PathLike[str], path: str | os.PathLike[str]) -> str:
    """Return the relative path from a folder to a file, with slashes.

    If the two are on different drives of Windows, return the absolute path of the file.

    >>> path_from("releases", "policies/a.toml")
    '../policies/a.toml'
    """
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return Path(os.path.abspath(path)).as_posix()  # noqa: PTH100 (as `relpath` makes it)


class WrittenPath(_ThisPath):
    """A path that messages and reports show as the policy writes it, with `${NAME}`.

    The value of a variable may be a secret of a CI pipeline, and the author of a policy, who may
    not know it, may read the reports. So `str` and `repr` give the path as written; `os.fspath` and
    `as_posix` give the path to open. Paths derived from this path (`parent`, `/`) show the value.

    >>> path = WrittenPath.of(Path("daily/s3cr3t.csv"), "daily/${TOKEN}.csv")
    >>> f"{path}: {path!r}"
    "daily/${TOKEN}.csv: Path('daily/${TOKEN}.csv')"
    >>> os.fspath(path)
    'daily/s3cr3t.csv'
    """

    written: str | None = None

    @classmethod
    def of(cls, path: Path, written: str) -> WrittenPath:
        """Return a path that opens like `path` and is shown as `written`."""
        made = cls(path)
        made.written = written
        return made

    def __str__(self) -> str:
        return super().__str__() if self.written is None else self.written

    def __repr__(self) -> str:
        return f"Path({str(self)!r})"

    def __fspath__(self) -> str:
        return super().__str__()

    def as_posix(self) -> str:
        """Return the path to open, with slashes. It shows the values of variables."""
        return Path(os.fspath(self)).as_posix()

    def __reduce__(self) -> tuple[object, ...]:
        if self.written is None:
            return (type(self), (os.fspath(self),))
        return (WrittenPath.of, (Path(os.fspath(self)), self.written))

    def shows_no_value_in_its_pattern(self) -> bool:
        """Return True if no variable is used in or after the first part with `*`, `?` or `[`.

        Otherwise a matching name would show the value of the variable.
        """
        pattern = Path(os.fspath(self)), Path(str(self))
        rest, rest_written = (one.relative_to(until_pattern(one)) for one in pattern)
        return rest == rest_written

    def matches(self) -> list[Path]:
        """Return the files and folders that match this pattern. They are shown with `${NAME}`."""
        root, found = matches(Path(os.fspath(self)))
        shown = until_pattern(Path(str(self)))
        return [WrittenPath.of(one, str(shown / one.relative_to(root))) for one in found]
