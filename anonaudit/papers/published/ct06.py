"""CT06 section 4: achieving extended p-sensitive k-anonymity in two steps.

Fast implementation: `masking.lattice.p_k_minimal` with `protected`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from anonaudit.generalization.hierarchy import Hierarchy

Row = tuple[str, ...]
Algorithm = Callable[[Sequence[Row]], Sequence[Row | None]]


def two_steps(
    rows: Sequence[Row],
    quasi: int,
    trees: Sequence[Hierarchy],
    protected: Sequence[Collection[str]],
    algorithm: Algorithm,
) -> list[Row]:
    """Make microdata extended p-sensitive k-anonymous by an algorithm for p-sensitive k-anonymity.

    rows: the initial microdata. A row has its quasi-identifiers first, then its confidential
        attributes.
    quasi: the number of quasi-identifiers.
    trees: the hierarchy of each confidential attribute.
    protected: the protected values of each confidential attribute. They include all leaves and
        everything below a protected value (section 3, Requirements).
    algorithm: makes rows p-sensitive k-anonymous. It returns the masked quasi-identifiers of each
        row, or None for a suppressed row.

    Returns the masked microdata without the suppressed rows.

    >>> illness = Hierarchy.from_levels("s", [["colon", "cancer", "*"], ["flu", "flu", "*"]])
    >>> rows = [("41", "colon"), ("42", "flu")]
    >>> two_steps(rows, 1, [illness], [{"colon", "cancer", "flu"}], lambda _: [("4*",), ("4*",)])
    [('4*', 'colon'), ('4*', 'flu')]
    """
    # Step 1. Each value of a confidential attribute is generalized (only temporarily) to its first
    # protected ancestor, starting from the root, i.e. to its strong ancestor.
    modified = [
        (
            *row[:quasi],
            *(
                strong_ancestor(value, tree, zone)
                for value, tree, zone in zip(row[quasi:], trees, protected, strict=True)
            ),
        )
        for row in rows
    ]
    # Step 2. Any algorithm for p-sensitive k-anonymization is applied to the modified dataset.
    masked = algorithm(modified)
    # In the result the original values of the confidential attributes are restored.
    return [(*key, *row[quasi:]) for key, row in zip(masked, rows, strict=True) if key is not None]


def strong_ancestor(value: str, tree: Hierarchy, protected: Collection[str]) -> str:
    """Return the first protected node on the path from the root to a value, including the value.

    >>> tree = Hierarchy.from_levels("s", [["colon", "cancer", "*"], ["flu", "flu", "*"]])
    >>> strong_ancestor("colon", tree, {"colon", "cancer", "flu"})
    'cancer'
    """
    return next(above for above in reversed(tree.ancestors(value)) if above in protected)
