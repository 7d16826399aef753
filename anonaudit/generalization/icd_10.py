"""Paths of diagnoses in ICD-10-CM: `C34.1`, `C34`, `C30-C39`, `chapter 2`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Final

from anonaudit.errors import InputError
from anonaudit.generalization.hierarchy_rows import ROOT, HierarchyRow, refusal, so_many

EXAMPLE: Final = "A00"  # a code that every edition has
_CATEGORY: Final = 3  # characters


def icd_10_rows(attribute: str, values: Iterable[str]) -> list[HierarchyRow]:
    """Return the path of each code: the code, its category, its block, its chapter and the root.

    Parameters
    ----------
    attribute
        The name of the column, for error messages.
    values
        Codes in any case, with or without the dot.

    Returns
    -------
    One path per distinct value, in the same order. A chapter is written `chapter 2`.

    Raises
    ------
    HierarchyError
        Some values are not ICD-10-CM codes. The error's `values` lists them.
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
        problem = f"not ICD-10-CM codes: {so_many(unknown)}. Give a hierarchy file instead."
        raise refusal(attribute, problem, unknown)
    return [tuple(dict.fromkeys((value, *path))) for value, path in paths.items()]


def _path(value: str) -> HierarchyRow:
    """Return the category, block, chapter and root of a code; empty if the value is no code."""
    icd, code = _codes(), value.strip().upper().replace(".", "")
    # The package also accepts chapters (one or two digits) and blocks (`C30-C39`), which are no
    # codes. A category that is its own block, such as `B20`, has no dash, so it passes as a code.
    if len(code) < _CATEGORY or "-" in code or not icd.is_valid_item(code):
        return ()
    category = code[:_CATEGORY]
    *blocks, chapter = icd.get_ancestors(category)
    return category, *blocks[:1], f"chapter {chapter}", ROOT


@cache
def _codes() -> ModuleType:
    """Import the package with the codes on first use."""
    try:
        with warnings.catch_warnings():  # the package uses a deprecated way to read its files
            warnings.simplefilter("ignore", DeprecationWarning)
            import simple_icd_10_cm
    except ImportError:
        raise InputError(
            "icd-10 needs the package simple-icd-10-cm: pip install 'anonaudit[icd]'"
        ) from None
    module: ModuleType = simple_icd_10_cm
    return module
