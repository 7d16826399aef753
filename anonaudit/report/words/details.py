"""Details of our own models and attacks in words, found by their keys.

A key that is not here is written out with its value.
"""

from __future__ import annotations

from collections.abc import Mapping

# `{}` stands for the number; what counts nothing is not worth a sentence.
COUNTS: Mapping[str, tuple[str, str]] = {
    "classes that no allowed deletion deletes": (
        "1 class keeps rows whatever values are ruled out, as far as that is allowed",
        "{} classes keep rows whatever values are ruled out, as far as that is allowed",
    ),
    "exactly one match without rows suppressed throughout": (
        "1 target has exactly one candidate without the rows that are suppressed throughout",
        "{} targets have exactly one candidate without the rows that are suppressed throughout",
    ),
    "persons alone by history": (
        "1 person is told apart by all its rows together",
        "{} persons are told apart by all their rows together",
    ),
    "rules at or above": (
        "1 rule from any of the quasi-identifiers is that sure or surer",
        "{} rules from any of the quasi-identifiers are that sure or surer",
    ),
    "rows alone": ("1 row is alone in its class", "{} rows are alone in their classes"),
    "rows invented": ("1 row has no original", "{} rows have no original"),
    "rows missing": ("1 row of the original is missing", "{} rows of the original are missing"),
    "rows with a bad cell": (
        "1 row has a cell that does not stand for its original",
        "{} rows have a cell that does not stand for its original",
    ),
}

# `{}` stands for the value as it is written out.
PHRASES: Mapping[str, str] = {
    "k by whole histories": "Counted by all rows of a person together, k is {}",
    "largest confidence of any subset": "The surest of them has a confidence of {}",
    "its count": "Rows that bear it out: {}",
    "largest possible confidence": "Were all unknown values known, the confidence could be {}",
    "constraint violations": "Values beyond their boundary: {}",
    "protected subtrees": "Different protected subtrees in the release: {}",
    "threshold": "Risks were counted above {}",
    "share above threshold": "The share with such a risk is {}",
    "highest": "The highest risk is {}",
    "average": "The average risk is {}",
    "highest SUDA score": "The highest SUDA score is {}",
    "expected re-identifications": "Re-identifications to be expected: {}",
    "rows compared": "Rows compared with their originals: {}",
    "rows explained": "Rows that stand for their originals: {}",
    "cells checked": "Cells checked: {}",
    "cells suppressed": "Cells suppressed: {}",
    "sensitive cells changed": "Sensitive cells changed: {}",
    "sensitive cells hidden": "Sensitive cells hidden: {}",
    "suppressed tuples": "Rows suppressed as a whole: {}",
    "could have been kept": "Of these could have been published: {}",
    "truth": "By the original: {}",
    "eliminated at most": "Values ruled out at most: {}",
    "witness": "For example: {}",
}

# What a text among the details says; others are written as they are.
WORDS: Mapping[tuple[str, str], str] = {
    ("how violations were found", "counted against the original"): "They were counted against the "
    "original",
    (
        "how violations were found",
        "without the original: every released value above the boundary of a leaf below it",
    ): "Without the original, every value above the boundary of something below it counts",
    ("rows paired by", "key"): "Rows were paired with their originals by a key",
    ("rows paired by", "order"): "Rows were paired with their originals in the order of the files",
    ("rows paired by", "permutation"): "Rows were paired with originals they may stand for, as "
    "many as possible",
    ("unexplained rows paired by", "none"): "",
    ("unexplained rows paired by", "fewest bad cells"): "Rows that stand for no original left were "
    "compared with the one that leaves the fewest bad cells",
    ("unexplained rows paired by", "in order"): "Rows that stand for no original left were "
    "compared with the others in their order",
}
