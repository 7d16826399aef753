"""Diagnoses by the chapters and blocks of ICD-10-CM: `C34.1`, `C34`, `C30-C39`, `chapter 2`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Final

from anonaudit.errors import InputError
from anonaudit.generalization.hierarchy_rows import ROOT, HierarchyRow, refusal, so_many

EXAMPLE: Final = "A00"  # a code that any edition has
_CATEGORY: Final = 3  # characters


def icd_10_rows(attribute: str, values: Iterable[str]) -> list[HierarchyRow]:
    """Return the path of each code: its category, its block, its chapter and the root.

    Parameters
    ----------
    attribute
        The column, for messages.
    values
        Codes as they are written, in any case, with or without the dot.

    Returns
    -------
    One path a value, in their order. A chapter is written `chapter 2`.

    Raises
    ------
    HierarchyError
        Some values are no codes of ICD-10-CM; its `values` are these.
    InputError
        anonaudit[icd] is not installed.

    Example
    -------
    >>> icd_10_rows("diagnosis", ["C34.1", "c341", "I10"])[1]
    ('c341', 'C34', 'C30-C39', 'chapter 2', '*')
    """
    paths = {value: _path(value) for value in values}
    unknown = sorted(value for value, path in paths.items() if not path)
    if unknown:
        problem = f"no codes of ICD-10-CM: {so_many(unknown)}. Name a hierarchy file instead."
        raise refusal(attribute, problem, unknown)
    return [tuple(dict.fromkeys((value, *path))) for value, path in paths.items()]


def _path(value: str) -> HierarchyRow:
    """What is above a code; nothing where it is none."""
    icd, code = _codes(), value.strip().upper().replace(".", "")
    # A chapter is a number of two digits at most, a block `C30-C39`, or `B20` for a lone category.
    if len(code) < _CATEGORY or "-" in code or not icd.is_valid_item(code):
        return ()
    category = code[:_CATEGORY]
    *blocks, chapter = icd.get_ancestors(category)
    return category, *blocks[:1], f"chapter {chapter}", ROOT


@cache
def _codes() -> ModuleType:
    """The package with the codes; it is read when it is needed first."""
    try:
        with warnings.catch_warnings():  # it reads its files in an old way
            warnings.simplefilter("ignore", DeprecationWarning)
            import simple_icd_10_cm
    except ImportError:
        raise InputError(
            "icd-10 needs simple-icd-10-cm; install it by: pip install 'anonaudit[icd]'"
        ) from None
    module: ModuleType = simple_icd_10_cm
    return module
