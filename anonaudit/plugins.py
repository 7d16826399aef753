"""Models and attacks, found through entry points: ours like those of any other package."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, TypeVar

from anonaudit.about import AboutAttack, AboutModel
from anonaudit.errors import AnonauditError

T = TypeVar("T")
_MEND: Final = "mend or remove the package it comes from"


class Plugins(Mapping[str, T]):
    """The installed classes of an entry-point group by name, in order of name.

    To ask which names there are loads no class. A class that cannot be loaded raises
    AnonauditError: an audit must not go on without it.

    group: of the entry points. kind: what a class is, in messages. has: what it must have, by
    attribute, as messages call it.
    """

    def __init__(self, group: str, kind: str, has: Mapping[str, str]) -> None:
        self.group = group
        self.kind = kind
        self.has = has

    def __getitem__(self, name: str) -> T:
        return self._loaded(self._points[name])

    def __contains__(self, name: object) -> bool:
        return name in self._points

    def __iter__(self) -> Iterator[str]:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)

    @property
    def _points(self) -> dict[str, EntryPoint]:
        return _installed(self.group, self.kind, tuple(sys.path))

    def ours(self, name: str) -> bool:
        """Whether a class comes with anonaudit."""
        point = self._points.get(name)
        return point is not None and point.dist is not None and point.dist.name == "anonaudit"

    @contextmanager
    def blamed(self, name: str) -> Iterator[None]:
        """Within it, a class of another package that fails raises AnonauditError, which names it.

        What the class says of its failure is not repeated: it may hold cells of the release.
        """
        try:
            yield
        except (AnonauditError, MemoryError):
            raise
        except Exception as error:
            if self.ours(name):
                raise
            raise AnonauditError(
                f"the {self.kind} {name!r} failed ({type(error).__name__}); {_MEND}"
            ) from error

    def _loaded(self, point: EntryPoint) -> T:
        what = f"the {self.kind} {point.name!r} ({point.value})"
        try:
            plugin: Any = point.load()
        except Exception as error:
            raise AnonauditError(
                f"{what} cannot be loaded ({type(error).__name__}){_found_in(point)}; {_MEND}"
            ) from error
        lacking = [said for name, said in self.has.items() if not hasattr(plugin, name)]
        if lacking:
            raise AnonauditError(f"{what} has no {', '.join(lacking)}; {_MEND}")
        if plugin.name != point.name:
            raise AnonauditError(
                f"{what} has the name {plugin.name!r}, not that of its entry point; {_MEND}"
            )
        loaded: T = plugin
        return loaded


def _found_in(point: EntryPoint) -> str:
    """Where Python found the package of an entry point: another one of that name may hide it."""
    package = point.module.partition(".")[0]
    folders = [*getattr(sys.modules.get(package), "__path__", ())]
    return f" in the package {package!r} of {folders[0]}" if folders else ""


@cache
def _installed(group: str, kind: str, _path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """The entry points of a group by name; they are looked for again when the path changes."""
    points: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        other = points.setdefault(point.name, point)
        if other.value != point.value:
            raise AnonauditError(
                f"two packages have the {kind} {point.name!r}: {other.value} and {point.value}; "
                "remove one of them"
            )
    if not points:
        raise AnonauditError(
            f"no {kind} is installed, not even those of anonaudit; install anonaudit again"
        )
    return points


MODELS: Final[Plugins[Any]] = Plugins(
    "anonaudit.models",
    "model",
    {"name": "name", "measure": "method measure", "__dataclass_fields__": "fields of a dataclass"},
)
ATTACKS: Final[Plugins[Any]] = Plugins(
    "anonaudit.attacks",
    "attack",
    {"name": "name", "knowledge": "knowledge", "options": "options", "run": "method run"},
)


def describe_model(name: str) -> AboutModel:
    """What a model says of itself; nothing for one that does not, or is not installed."""
    about: AboutModel = getattr(MODELS.get(name), "about", _SILENT_MODEL)
    return about


def describe_attack(name: str) -> AboutAttack:
    """What an attack says of itself; nothing for one that does not, or is not installed."""
    about: AboutAttack = getattr(ATTACKS.get(name), "about", _SILENT_ATTACK)
    return about


_SILENT_MODEL: Final = AboutModel()
_SILENT_ATTACK: Final = AboutAttack()
