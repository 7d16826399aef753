"""Models and attacks, found through entry points: ours like those of any other package."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, TypeVar

from anonaudit.about import AboutAttack, AboutModel
from anonaudit.errors import AnonauditError

T = TypeVar("T")


class Plugins(Mapping[str, T]):
    """The installed classes of an entry-point group by name, in order of name.

    To ask which names there are loads no class. A class that cannot be loaded raises
    AnonauditError: an audit must not go on without it.

    group: of the entry points. kind: what a class is, in messages. has: what it must have.
    """

    def __init__(self, group: str, kind: str, has: tuple[str, ...]) -> None:
        self.group = group
        self.kind = kind
        self.has = has

    def __getitem__(self, name: str) -> T:
        return self._loaded(_points(self.group, self.kind, tuple(sys.path))[name])

    def __contains__(self, name: object) -> bool:
        return name in _points(self.group, self.kind, tuple(sys.path))

    def __iter__(self) -> Iterator[str]:
        return iter(_points(self.group, self.kind, tuple(sys.path)))

    def __len__(self) -> int:
        return len(_points(self.group, self.kind, tuple(sys.path)))

    def ours(self, name: str) -> bool:
        """Whether a class comes with anonaudit; a report has words for the details of those."""
        point = _points(self.group, self.kind, tuple(sys.path)).get(name)
        return point is not None and point.dist is not None and point.dist.name == "anonaudit"

    def _loaded(self, point: EntryPoint) -> T:
        what = f"the {self.kind} {point.name!r} ({point.value})"
        mend = "mend or remove the package it comes from"
        try:
            found: Any = point.load()
        except Exception as error:
            raise AnonauditError(
                f"{what} cannot be loaded ({type(error).__name__}); {mend}"
            ) from error
        lacking = [name for name in self.has if not hasattr(found, name)]
        if lacking:
            raise AnonauditError(f"{what} has no {', '.join(lacking)}; {mend}")
        if found.name != point.name:
            raise AnonauditError(
                f"{what} has the name {found.name!r}; a class and its entry point have one name. "
                f"{mend[0].upper()}{mend[1:]}"
            )
        loaded: T = found
        return loaded


@cache
def _points(group: str, kind: str, _path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """The entry points of a group by name; they are looked for again when the path changes."""
    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        other = found.setdefault(point.name, point)
        if other.value != point.value:
            raise AnonauditError(
                f"two packages have the {kind} {point.name!r}: {other.value} and {point.value}; "
                "remove one of them"
            )
    if not found:
        raise AnonauditError(
            f"no {kind} is installed, not even those of anonaudit; install anonaudit again"
        )
    return found


MODELS: Final[Plugins[Any]] = Plugins(
    "anonaudit.models", "model", ("name", "measure", "__dataclass_fields__")
)
ATTACKS: Final[Plugins[Any]] = Plugins(
    "anonaudit.attacks", "attack", ("name", "knowledge", "options", "run")
)


def describe_model(name: str) -> AboutModel:
    """What a model says of itself; nothing for one that does not, or is not installed."""
    found: AboutModel = getattr(MODELS.get(name), "about", _SILENT_MODEL)
    return found


def describe_attack(name: str) -> AboutAttack:
    """What an attack says of itself; nothing for one that does not, or is not installed."""
    found: AboutAttack = getattr(ATTACKS.get(name), "about", _SILENT_ATTACK)
    return found


_SILENT_MODEL: Final = AboutModel()
_SILENT_ATTACK: Final = AboutAttack()
