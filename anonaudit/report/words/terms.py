"""Terms that reports use by themselves: what each is, and where it is defined or decided."""

from __future__ import annotations

from collections.abc import Mapping

# What it is, why it matters, what to do.
TERMS: Mapping[str, tuple[str, str, str]] = {
    "maxP": (
        (
            "The number of different values of the sensitive attribute that has the fewest, in the "
            "whole table (TV06 Condition 1). No p-sensitive k-anonymous release of these rows has "
            "a p above it."
        ),
        "A p above maxP is out of reach, whatever is generalized or suppressed.",
        "Require a p up to maxP, or leave out the attribute with so few values.",
    ),
    "maxGroups": (
        (
            "The largest number of classes that a p-sensitive release of these rows can have (TV06 "
            "Condition 2): each class needs p different values, and the values other than the "
            "most frequent ones have few rows. For each i below p, take the rows without the p - i "
            "most frequent values of an attribute, over i. The smallest of these is maxGroups."
        ),
        (
            "A release with more classes cannot be p-sensitive. One with as many classes or fewer "
            "may still not be."
        ),
        "Generalize until there are no more classes than that, or require a lower p.",
    ),
    "MAM": (
        (
            "The maximum allowed microdata: every quasi-identifier value generalized up to its "
            "boundary (MCT08 Definition 9). Generalization alone can reach constrained k-anonymity "
            "if and only if the MAM is k-anonymous (MCT08 Property 4)."
        ),
        "It shows whether boundaries and k are compatible, before anything is masked.",
        "Run `anonaudit feasible`. The rows that prevent it are called OUT.",
    ),
    "OUT": (
        (
            "The rows in classes of the MAM with fewer than k rows (MCT08 section 4, after "
            "Definition 9). They are the smallest set of rows to suppress so that the rest can "
            "reach k within the boundaries (MCT08 Properties 5 and 6)."
        ),
        "Within the boundaries no masking hides these rows.",
        "Suppress them, as greedy-cka does, or allow more by max-generalization or a lower k.",
    ),
    "t": (
        (
            "In the elimination attack: the number of sensitive values that the adversary can rule "
            "out for the target. L-diversity over several attributes withstands L - 2 of them "
            "(GCG08 Theorem 1). In t-closeness: the largest distance of a class from the whole "
            "release (Li et al. 2007, Definition 2)."
        ),
        "The more values are ruled out, the fewer are left.",
        (
            "Set values under elimination in [attacks] to what people may know of each other, or "
            "t of t-closeness in [require]."
        ),
    ),
    "class": (
        (
            "An equivalence class: the rows that are equal on every quasi-identifier (MCT08 "
            "Definition 1). Its size is a number of rows, or of persons if the policy names a unit."
        ),
        "Whoever knows only the quasi-identifiers cannot tell the people of a class apart.",
        "Generalize a quasi-identifier to make classes larger, or suppress the small ones.",
    ),
    "undecided": (
        (
            "A person, row or class that may or may not be exposed, because something about it was "
            "not read, compared or finished: a label that is not understood, an unknown cell, a "
            "row suppressed throughout, a search that ran out of its budget."
        ),
        (
            "It is never counted as safe. A requirement that depends on what is undecided is "
            "inconclusive, and ends with exit code 2."
        ),
        "Follow the reason in the report. It names the line of the policy that would decide.",
    ),
    "baseline": (
        (
            "The share of people whose sensitive value is guessed right without any attack, by "
            "naming the most frequent value of the whole release. Of several attributes it is the "
            "largest. Reports call it base."
        ),
        (
            "A rate counts values that are certain. A baseline counts guesses that happen to be "
            "right. So an attack with a rate below the baseline is not worse than guessing."
        ),
        "Read it as what everybody knows about these people without the release.",
    ),
    "loss": (
        (
            "How much a masked table has lost: for each quasi-identifier cell the height of the "
            "hierarchy below its label over the whole height, 0 for a ground value and 1 for the "
            "root or a suppressed cell; the mean over all cells (MCT08 Definitions 10 and 11, "
            "whose sum this is over its maximum)."
        ),
        "Of two releases that meet the policy, the one with less loss is more useful.",
        "Try `anonaudit mask --algorithm best`, or finer hierarchies.",
    ),
    "own-category": (
        (
            "A convention for quasi-identifiers, and the default: a missing or suppressed cell is "
            "a value like any other."
        ),
        "Rows with an empty cell make a class with each other, and with nobody else.",
        'Set quasi-identifiers = "wildcard" under [conventions] if an empty cell may be any value.',
    ),
    "wildcard": (
        (
            "A convention for quasi-identifiers: a missing or suppressed cell matches every value, "
            "so the class of a row is every row compatible with it, and classes overlap."
        ),
        "It assumes that a suppressed cell hides its row among all rows that it may be.",
        'Set quasi-identifiers = "own-category" under [conventions] to count as written.',
    ),
    "one-value": (
        (
            "A convention for sensitive attributes: all missing and suppressed cells of one are a "
            "single value, which is counted and disclosed like others. With the default, unknown, "
            "they are not values."
        ),
        "It decides what unknown cells leave undecided. An empty cell may have a meaning.",
        'Set sensitive = "one-value" under [conventions] if an empty cell means one thing.',
    ),
    "suppressed-tuple": (
        "A row whose quasi-identifiers are all suppressed.",
        "It is in no class, so levels do not describe it. It may be anybody's row.",
        "Delete such rows before the release, unless their sensitive values are needed.",
    ),
    "unit": (
        "The column that says which rows are about one person. With it, persons are counted.",
        "Ten rows of one patient protect nobody.",
        "If a person may have several rows, name the column as unit under [columns].",
    ),
}
