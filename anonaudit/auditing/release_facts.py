"""Collect the row counts, class sizes and conventions of a release for its report."""

from __future__ import annotations

import numpy as np

from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.cells import MISSING, SUPPRESSED
from anonaudit.findings import Release
from anonaudit.frequency.class_sizes import size_summary


def release_facts_of(prepared: PreparedRelease) -> Release:
    """Return the facts about a release that its report shows."""
    policy, classes = prepared.policy, prepared.classes
    convention = policy.convention
    columns = [*policy.roles.quasi_identifiers, *policy.roles.sensitive]
    return Release(
        source=prepared.source.name,
        sha256=prepared.source.sha256,
        rows=classes.total_rows,
        persons=classes.total_persons,
        classes=len(classes),
        suppressed_tuples=classes.suppressed_tuples,
        dropped_rows=classes.dropped_rows,
        missing_cells={column: _cells(prepared, column, MISSING) for column in columns},
        suppressed_cells={column: _cells(prepared, column, SUPPRESSED) for column in columns},
        convention={
            "quasi_identifiers": convention.quasi_identifiers,
            "wildcard_weight": convention.wildcard_weight,
            "suppressed_tuples": convention.suppressed_tuples,
            "sensitive": convention.sensitive,
            "missing": convention.missing,
            "suppressed": convention.suppressed,
            "normalize": policy.normalize,
        },
        class_sizes=size_summary(*np.unique(classes.sizes, return_counts=True)),
    )


def _cells(prepared: PreparedRelease, column: str, kind: int) -> int:
    return int(prepared.base.counts[prepared.base.column(column) == kind].sum())
