"""The registries of models and attacks: classes found through entry points, ours included."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from types import MappingProxyType
from typing import Any, Final, TypeVar

from anonaudit.about import AboutAttack, AboutModel
from anonaudit.errors import AnonauditError
from anonaudit.type_check import misfits

T = TypeVar("T")
R = TypeVar("R")
_MEND: Final = "repair or remove the package it comes from"


class Plugins(Mapping[str, T]):
    """The installed models or attacks by name, sorted by name.

    A package registers a class in one of two entry-point groups. An audit may use the classes of
    the first group without a request. It uses those of the second only if the policy names them.
    This makes an audit start faster, because listing the names loads no class.

    A class that cannot be loaded raises AnonauditError, because an audit must not go on without it.

    group: the first group, such as `anonaudit.models`; the second is then called
        `anonaudit.models.on_request`.
    kind: the word for a class in messages, such as "model".
    has: the attributes that a class must have; the values are their descriptions in messages.
    types: attribute -> its type, checked if a class of another package has the attribute.
    """

    def __init__(
        self,
        group: str,
        kind: str,
        has: Mapping[str, str],
        types: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.group = group
        self.kind = kind
        self.has = has
        self.types = types

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

    def without_request(self) -> Iterator[tuple[str, T]]:
        """Yield name and class of each entry of the first group. Load no other class."""
        for name, point in self._points.items():
            if point.group == self.group:
                yield name, self._loaded(point)

    def ours(self, name: str) -> bool:
        """Return True if the class comes with anonaudit."""
        point = self._points.get(name)
        return point is not None and point.dist is not None and _name_of(point.dist) == "anonaudit"

    @contextmanager
    def blamed(self, name: str) -> Iterator[None]:
        """Turn an exception of another package's class into an AnonauditError that names the class.

        The text of the exception is left out: it may quote cells of the release.
        """
        try:
            yield
        except (AnonauditError, MemoryError, KeyboardInterrupt):
            raise
        except BaseException as error:  # also `sys.exit` and the outcomes of pytest, such as skip
            if self.ours(name):
                raise
            raise AnonauditError(
                f"the {self.kind} {name!r} failed ({type(error).__name__}); {_MEND}"
            ) from error

    def result(self, name: str, compute: Callable[[], R], kind: type[R]) -> R:
        """Return the result of a class.

        Raises AnonauditError, which names the class, if it fails or returns another type.

        compute: runs the class, for example its method `measure`.
        kind: the type that the result must have.
        """
        with self.blamed(name):
            result = compute()
        if not self.ours(name) and (wrong := misfits("result", result, kind)):
            self.refuse(name, f"a value has a wrong type ({', '.join(wrong)})")
        return result

    def refuse(self, name: str, problem: str | None) -> None:
        """Raise AnonauditError, which names the class, for a problem with its result.

        problem: what is wrong, as a sentence; None if nothing is.
        """
        if problem is not None:
            raise AnonauditError(
                f"the result of the {self.kind} {name!r} is wrong: {problem}; {_MEND}"
            )

    def _loaded(self, point: EntryPoint) -> T:
        what = f"the {self.kind} {point.name!r} ({point.value})"
        try:
            loaded: T = point.load()
            problem = self._problem(point, loaded)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also `sys.exit`
            raise AnonauditError(
                f"{what} cannot be loaded ({type(error).__name__}){_found_in(point)}; {_MEND}"
            ) from error
        if problem is not None:
            raise AnonauditError(f"{what} {problem}; {_MEND}")
        return loaded

    def _problem(self, point: EntryPoint, plugin: Any) -> str | None:
        """Say what is wrong with a class; None if nothing is."""
        lacking = [said for name, said in self.has.items() if not hasattr(plugin, name)]
        if lacking:
            return f"has no {', '.join(lacking)}"
        if plugin.name != point.name:
            return f"has the name {plugin.name!r}, not that of its entry point"
        wrong = [
            misfit
            for attribute, kind in self.types.items()
            if hasattr(plugin, attribute) and not self.ours(point.name)
            for misfit in misfits(attribute, getattr(plugin, attribute), kind)
        ]
        if wrong:
            return f"has a value of a wrong type ({', '.join(wrong)})"
        if point.group != self.group and getattr(getattr(plugin, "about", None), "unasked", None):
            return (
                f"has `unasked`, so its entry point must be in the group {self.group!r}, "
                f"not {point.group!r}"
            )
        return None


@cache
def _name_of(package: Distribution) -> str:
    """The name of a package. Reading it takes milliseconds."""
    return package.name


def _found_in(point: EntryPoint) -> str:
    """Name the folder that Python loaded the package from, so a wrong one can be recognized."""
    package = point.module.partition(".")[0]
    folders = [*getattr(sys.modules.get(package), "__path__", ())]
    return f" in the package {package!r} of {folders[0]}" if folders else ""


@cache
def _installed(group: str, kind: str, path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """The entry points of both groups by name. `path` makes the cache follow sys.path."""
    points: dict[str, EntryPoint] = {}
    both = [*_all(path).select(group=group), *_all(path).select(group=f"{group}.on_request")]
    for point in sorted(both, key=lambda point: point.name):
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


@cache
def _all(_path: tuple[str, ...]) -> Any:
    """All installed entry points. Reading them takes milliseconds."""
    return entry_points()


MODELS: Final[Plugins[Any]] = Plugins(
    "anonaudit.models",
    "model",
    {"name": "name", "measure": "method measure", "__dataclass_fields__": "fields of a dataclass"},
    {"about": AboutModel},
)
ATTACKS: Final[Plugins[Any]] = Plugins(
    "anonaudit.attacks",
    "attack",
    {"name": "name", "knowledge": "knowledge", "options": "options", "run": "method run"},
    {"about": AboutAttack, "knowledge": str, "options": tuple[str, ...]},
)


def describe_model(name: str) -> AboutModel:
    """Return the `about` of a model; an empty one if the model has none or is not installed."""
    about: AboutModel = getattr(MODELS.get(name), "about", _SILENT_MODEL)
    return about


def describe_attack(name: str) -> AboutAttack:
    """Return the `about` of an attack; an empty one if the attack has none or is not installed."""
    about: AboutAttack = getattr(ATTACKS.get(name), "about", _SILENT_ATTACK)
    return about


_SILENT_MODEL: Final = AboutModel()
_SILENT_ATTACK: Final = AboutAttack()
