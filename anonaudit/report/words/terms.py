"""Explain the terms of reports that are no model, attack, warning, error or outcome."""

from __future__ import annotations

from collections.abc import Mapping

# Term -> (what it is, why it matters, what to do).
TERMS: Mapping[str, tuple[str, str, str]] = {
    "maxP": (
        (
            "The number of different values in the whole table of the sensitive attribute with the "
            "fewest values (TV06 Condition 1). No p-sensitive k-anonymous release of these rows "
            "has a p above maxP."
        ),
        "No generalization or suppression reaches a p above maxP.",
        "Require a p of at most maxP, or drop the attribute with the fewest values.",
    ),
    "maxGroups": (
        (
            "An upper bound on the number of classes of a p-sensitive release of these rows (TV06 "
            "Condition 2). Each class needs p different values, so rare values limit the number of "
            "classes. For each sensitive attribute and each i from 1 to p - 1, count the rows "
            "without the p - i most frequent values, and divide the count by i. maxGroups is the "
            "smallest of these numbers, rounded down. If u rows have no known value of the "
            "attribute, u / k is added, rounded down."
        ),
        (
            "A release with more classes cannot be p-sensitive. A release with at most maxGroups "
            "classes may still not be p-sensitive."
        ),
        "Generalize until there are at most maxGroups classes, or require a lower p.",
    ),
    "MAM": (
        (
            "The maximum allowed microdata: every quasi-identifier value generalized up to its "
            "boundary (MCT08 Definition 9). Generalization alone can reach constrained k-anonymity "
            "if and only if the MAM is k-anonymous (MCT08 Property 4)."
        ),
        "The MAM shows before masking whether the boundaries allow the required k.",
        "Run `anonaudit feasible`. The rows that prevent k-anonymity are called OUT.",
    ),
    "OUT": (
        (
            "The rows in classes of the MAM with fewer than k rows (MCT08 section 4, after "
            "Definition 9). OUT is the smallest set of rows to suppress so that the other rows can "
            "reach k within the boundaries (MCT08 Properties 5 and 6)."
        ),
        "No generalization within the boundaries puts these rows into classes of k rows.",
        (
            "Suppress these rows, as greedy-cka does. Or set higher boundaries by "
            "max-generalization, or require a lower k."
        ),
    ),
    "t": (
        (
            "In the elimination attack: the number of sensitive values that the adversary can rule "
            "out for the target. L-diversity over several attributes resists t up to L - 2 (GCG08 "
            "Theorem 1). In t-closeness: the largest distance between the distribution of "
            "sensitive values in a class and in the whole release (Li et al. 2007, Definition 2)."
        ),
        (
            "The more values the adversary rules out, the fewer remain. The larger the distance, "
            "the more a class reveals."
        ),
        (
            "In [attacks], set values of elimination to the number of values that an adversary may "
            "rule out. In [require], set t of t-closeness."
        ),
    ),
    "class": (
        (
            "An equivalence class: the rows that are equal on every quasi-identifier (MCT08 "
            "Definition 1). Its size is its number of rows, or of persons if the policy names a "
            "unit column."
        ),
        "An adversary who knows only the quasi-identifiers cannot distinguish people of a class.",
        "Generalize a quasi-identifier to make classes larger, or suppress the small ones.",
    ),
    "undecided": (
        (
            "A person, row or class that may be exposed, but the audit could not decide it. "
            "Reasons are a label that is not understood, an unknown cell, a row whose "
            "quasi-identifiers are all suppressed, or a search that reached its budget."
        ),
        (
            "Undecided never counts as safe. If the undecided targets could change the outcome of "
            "a requirement, the requirement is inconclusive, and the exit code is 2."
        ),
        "Follow the reason in the report. It names the line of the policy that would decide.",
    ),
    "baseline": (
        (
            "The share of people whose sensitive value is guessed right without any attack, if the "
            "guess is the most frequent value of the whole release. With several attributes, the "
            "largest share is the baseline. Tables of reports call it base."
        ),
        (
            "The rate of an attack counts values that are certain. The baseline counts guesses "
            "that happen to be right. So a rate below the baseline is no proof of safety."
        ),
        "Read the baseline as the share that a guess without quasi-identifiers gets right.",
    ),
    "loss": (
        (
            "The information loss of a masked table, from 0 to 1. The loss of a quasi-identifier "
            "cell is the height of the hierarchy below its label, divided by the height of the "
            "whole hierarchy: 0 for a ground value, 1 for the root or a suppressed cell. The loss "
            "of the table is the mean over all cells (the sum of MCT08 Definitions 10 and 11, "
            "divided by its maximum)."
        ),
        "Of two releases that satisfy the policy, the release with less loss is more useful.",
        "Try `anonaudit mask --algorithm best`, or finer hierarchies.",
    ),
    "own-category": (
        (
            "A convention for quasi-identifiers, and the default: a missing or suppressed cell is "
            "a value like any other."
        ),
        "A row with an empty cell shares its class only with rows that have this cell empty too.",
        'If an empty cell may be any value, set quasi-identifiers = "wildcard" in [conventions].',
    ),
    "wildcard": (
        (
            "A convention for quasi-identifiers: a missing or suppressed cell matches every value. "
            "The class of a row is the set of all rows that match it, so classes overlap."
        ),
        "It assumes that the adversary cannot distinguish a row from the rows that match it.",
        (
            'To count such a cell as a value, set quasi-identifiers = "own-category" in '
            "[conventions]."
        ),
    ),
    "one-value": (
        (
            "A convention for sensitive attributes: all missing and suppressed cells of an "
            "attribute are one value, which is counted and disclosed like other values. With the "
            'default, "unknown", such a cell is not a value.'
        ),
        "With the default, unknown cells can leave classes and targets undecided.",
        'If an empty cell has a meaning, set sensitive = "one-value" in [conventions].',
    ),
    "suppressed-tuple": (
        "A row whose quasi-identifiers are all suppressed.",
        "It is in no class, so no level covers it. An adversary may take it for anybody's row.",
        "Delete such rows before the release, unless their sensitive values are needed.",
    ),
    "unit": (
        "The column that identifies the person of each row. With it, the audit counts persons.",
        "Ten rows of the same patient do not hide the patient among ten people.",
        "If a person may have several rows, name the column as unit in [columns].",
    ),
}
