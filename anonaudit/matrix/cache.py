"""Finished rows and cells on disk, so that a run that was cut short goes on where it was.

A file is named by a hash of all that decides its content: the original's codes, the policy, the
seed, what the row or cell is, and the code of anonaudit itself. What cannot be read is as if it
were not there.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import anonaudit
from anonaudit.attack import GROUP, attacks
from anonaudit.maskers import Original


class Cache:
    """A folder of finished results; without a folder nothing is kept.

    about: a text that all results depend on.
    """

    def __init__(self, folder: Path | None, about: str) -> None:
        self.folder = folder
        self.about = about

    def get(self, what: str) -> dict[str, Any] | None:
        """What was put there under this name, or None."""
        if self.folder is None:
            return None
        try:
            found = json.loads((self.folder / self._name(what)).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def put(self, what: str, content: Mapping[str, Any]) -> None:
        """Keep a result: whole, or not at all."""
        if self.folder is None:
            return
        self.folder.mkdir(exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file)
        Path(name).replace(self.folder / self._name(what))

    def _name(self, what: str) -> str:
        return f"{_hash(self.about, what)}.json"


def fingerprint(original: Original, *more: object) -> str:
    """A text that is the same only for the same rows, policy, hierarchies and code."""
    data = original.data
    trees = [repr(sorted(tree.paths.items())) for _, tree in sorted(original.trees.items())]
    policy = repr(original.policy)
    rows = hashlib.sha256(data.codes.tobytes()).hexdigest()
    return _hash(rows, repr(data.labels), *trees, policy, _code(), *map(repr, more))


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _code() -> str:
    """The code of anonaudit, and which attacks are installed."""
    root = Path(anonaudit.__file__).parent
    files = sorted(root.rglob("*.py"))
    modules = {type_.__module__: type_ for type_ in attacks().values()}
    names = [f"{GROUP} {name} {type_.__qualname__}" for name, type_ in sorted(modules.items())]
    sources = [Path(path) for path in map(_source_of, modules.values()) if path is not None]
    return _hash(*names, *(_of_file(path) for path in [*files, *sorted(sources)]))


def _source_of(type_: type) -> str | None:
    import sys

    return getattr(sys.modules.get(type_.__module__), "__file__", None)


def _of_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
