"""Check the types of what a class of another package says of itself and returns."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints


def misfits(name: str, value: object, kind: Any) -> list[str]:
    """Return the parts of a value that do not have their types, with the types.

    Numbers of numpy may stand for numbers of Python.

    name: the name of the value in the results.
    kind: the type that the value must have. If it is a dataclass, its fields are the parts.
        Otherwise the whole value is the only part.

    >>> misfits("options", (1, 2), tuple[str, ...])
    ['options: expected tuple[str, ...]']
    """
    if is_dataclass(kind) and isinstance(value, _class(kind)):
        hints = _hints(cast(Any, kind))
        return [
            f"{name}.{field.name}: expected {field.type}"
            for field in fields(kind)
            if not _fits(getattr(value, field.name), hints[field.name])
        ]
    expected = kind if get_args(kind) else kind.__name__
    return [] if _fits(value, kind) else [f"{name}: expected {expected}"]


def _class(kind: Any) -> Any:
    """The class of a type: tuple for tuple[str, ...]."""
    return get_origin(kind) or kind


def _fits(value: Any, kind: Any) -> bool:
    origin, parts = _class(kind), get_args(kind)
    if kind is Any:
        return True
    if origin in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is Literal:
        return value in parts
    if origin in (int, float):
        return isinstance(value, numbers.Integral if origin is int else numbers.Real)
    if not isinstance(value, origin):
        return False
    if is_dataclass(kind):
        return not misfits("", value, kind)
    if origin is tuple:  # only types such as tuple[str, ...] are used
        return all(_fits(each, parts[0]) for each in value)
    if issubclass(origin, Mapping) and parts:
        return all(_fits(key, parts[0]) and _fits(each, parts[1]) for key, each in value.items())
    return True


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """The types of the fields of a dataclass. Some modules import numpy for type checkers only."""
    import numpy as np
    import numpy.typing as npt

    return get_type_hints(kind, localns={"np": np, "npt": npt})
