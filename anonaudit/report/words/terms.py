"""Terms of the papers that reports use by themselves: what each is, and where it is defined."""

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
            "The most classes that a p-sensitive release of these rows can have, as its frequent "
            "values leave too few others to go round (TV06 Condition 2). For each i below p it "
            "takes the rows outside of the p - i most frequent values of an attribute, over i; "
            "the least of these is maxGroups."
        ),
        (
            "A release with more classes cannot be p-sensitive; one with as many or fewer still "
            "may not be."
        ),
        "Generalize until there are no more classes than that, or require a lower p.",
    ),
    "MAM": (
        (
            "The maximum allowed microdata: every quasi-identifier value generalized up to its "
            "boundary, and no further (MCT08 Definition 9). Constrained k-anonymity can be had by "
            "generalization alone if, and only if, it is k-anonymous (MCT08 Property 4)."
        ),
        "It decides whether boundaries and k go together, before anything is masked.",
        "Ask `anonaudit feasible`; what stands in the way is called OUT.",
    ),
    "OUT": (
        (
            "The rows in classes of the MAM with fewer than k rows (MCT08 section 4, after "
            "Definition 9). They are the fewest rows that must be suppressed so that the rest "
            "can keep to k and to its boundaries (MCT08 Properties 5 and 6)."
        ),
        "Within the boundaries no masking hides these rows.",
        "Suppress them, as greedy-cka does, or allow more by max-generalization or a lower k.",
    ),
    "t": (
        (
            "Of the elimination attack: how many sensitive values the adversary knows that the "
            "target does not have; L-diversity over several attributes withstands L - 2 of them "
            "(GCG08 Theorem 1). Of t-closeness: the largest distance of a class from the whole "
            "release (Li et al. 2007, Definition 2)."
        ),
        "The more values are ruled out, the fewer are left to hide among.",
        (
            "Set values under elimination in [attacks] to what people may know of each other, or "
            "t of t-closeness in [require]."
        ),
    ),
}
