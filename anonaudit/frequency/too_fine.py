"""Describe the classes of a release that has too many combinations for the available memory."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
import numpy as np

from anonaudit.source.table import Source


def class_sizes_told(source: Source, quasi_identifiers: Sequence[str]) -> str:
    """Return a sentence with the number of classes and the smallest class size, for a message.

    The engine counts the classes of each size, so that Python holds only these numbers. A size is a
    number of rows. The rules for missing and suppressed cells are not applied. The sentence is
    empty if there are no quasi-identifiers.
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
        f"has {least:,} row(s), and {smallest:,} class(es) have this size. "
    )
