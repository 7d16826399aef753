"""What the engine by itself can say of a release that is too fine for memory to work on."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
import numpy as np

from anonaudit.source.table import Source


def class_sizes_told(source: Source, quasi_identifiers: Sequence[str]) -> str:
    """How small the classes are of a release that is too fine to be worked on: a sentence.

    By the engine alone, which gives only how many classes there are of each size. In rows, and
    with cells as they were read. Empty without quasi-identifiers.
    """
    if not quasi_identifiers:
        return ""
    keys = source.inner(quasi_identifiers)
    source.leave_out_padding(keys)
    sizes = source.collect(
        lambda frame: (
            frame.group_by(*keys)
            .agg(nw.len().alias("size"))
            .group_by("size")
            .agg(nw.len().alias("classes"))
        )
    )
    size, classes = (np.asarray(sizes[name], np.int64) for name in ("size", "classes"))
    least = int(size.min())
    smallest = int(classes[size == least][0])
    return (
        f"There are {int(classes.sum()):,} combinations of quasi-identifiers; the smallest class "
        f"has {least:,} row(s), and so have {smallest:,} in all. "
    )
