"""Cache finished rows and cells on disk, so that an interrupted run can be continued.

The name of a file is a hash of everything that its content depends on: the codes of the original,
the policy, the seed, the identity of the row or cell, the source code of anonaudit and of the
attacks, and the versions of Python and of all installed packages. A file that is unreadable or was
changed is ignored.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from anonaudit.errors import InputError
from anonaudit.masking.maskers import Original
from anonaudit.plugins import ATTACKS, MODELS
from anonaudit.policy.policy import Policy
from anonaudit.source.unpacking import content_of, reason


class Cache:
    """A folder of finished results.

    folder: the folder; None for no cache.
    about: a text that identifies the run, see `fingerprint`. Runs with different texts have
        different files.
    """

    def __init__(self, folder: Path | None, about: str) -> None:
        self.folder = folder
        self.about = about

    def get(self, what: str) -> dict[str, Any] | None:
        """Return the result that was stored under the name `what`; None if there is none."""
        if self.folder is None:
            return None
        try:
            entry = json.loads((self.folder / self._name(what)).read_text(encoding="utf-8"))
            content: dict[str, Any] = entry["content"]
            return content if entry["sha256"] == _hash(json.dumps(content)) else None
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def put(self, what: str, content: Mapping[str, Any]) -> None:
        """Store a result under the name `what`. An interruption never leaves a partial file.

        Raises InputError if the folder cannot be written.
        """
        if self.folder is None:
            return
        kept = {"sha256": _hash(json.dumps(content)), "content": content}
        try:
            self.folder.mkdir(exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.folder)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(kept, file)
                Path(name).replace(self.folder / self._name(what))
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise InputError(
                f"{self.folder}: cannot be written ({reason(error)}); name another folder"
            ) from None

    def _name(self, what: str) -> str:
        return f"{_hash(self.about, what)}.json"


def fingerprint(original: Original, *more: object) -> str:
    """Return a hash of the rows, policy, hierarchies, source code, libraries and `more`."""
    data = original.data
    trees = [repr(sorted(tree.paths.items())) for _, tree in sorted(original.trees.items())]
    policy = repr([getattr(original.policy, one.name) for one in fields(Policy) if one.repr])
    rows = hashlib.sha256(data.codes.tobytes()).hexdigest()
    return _hash(rows, repr(data.labels), *trees, policy, _code(), _libraries(), *map(repr, more))


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _code() -> str:
    """Return a hash of the names of all models and attacks, and of the code of their packages."""
    known = [(group, name, kind) for group in (MODELS, ATTACKS) for name, kind in group.items()]
    names = [f"{g.group} {name} {t.__module__} {t.__qualname__}" for g, name, t in known]
    modules = {"anonaudit", *(kind.__module__ for _, _, kind in known)}
    files = {path for module in modules for path in _sources(module)}
    return _hash(*names, *map(of_file, sorted(files)))


def _libraries() -> str:
    """Return a hash of the version of Python and of the metadata of all installed packages.

    Numbers come from numpy, DuckDB, scipy and others, and from the libraries of other attacks.
    """
    metadata = [one.read_text("METADATA") or one.read_text("PKG-INFO") for one in distributions()]
    return _hash(sys.version, *sorted(text or "" for text in metadata))


def _sources(module: str) -> list[Path]:
    """Return all source files of the module's top-level package.

    The module may import any of them. For a module that is in no package, only its own file is
    returned.
    """
    top = sys.modules.get(module.partition(".")[0])
    folders = [Path(folder) for folder in getattr(top, "__path__", ())]
    if folders:
        return [path for folder in folders for path in folder.rglob("*.py")]
    place = getattr(top, "__file__", None)
    return [] if place is None else [Path(place)]


def of_file(path: Path | None) -> str:
    """Return the hash of a file. Raises InputError for None, which means a table in memory."""
    if path is None:
        raise InputError(
            "a cache needs every table of an attack as a file, but one is a table in memory; write "
            "the table to a file, or use no cache"
        )
    return hashlib.sha256(content_of(path)).hexdigest()
