"""The algorithms of the papers, step by step as printed, for comparison with the papers.

Each function follows the printed listing of an algorithm in order. Comments give the line numbers
of the listing, or quote the listing if it has no line numbers. A function keeps the faults of its
listing; the option `corrected` replaces the faulty steps. Tests show that each corrected form gives
the same results as the fast implementation in `anonaudit.masking` or `anonaudit.models`. Only the
claims and tests import this package.
"""

from anonaudit.papers.published.ct06 import two_steps
from anonaudit.papers.published.gcg08 import (
    Figure7Step,
    XReading,
    anatomize,
    anonymize,
    figure_6,
    figure_7,
    split,
)
from anonaudit.papers.published.mct08 import greedy_cka, greedy_k_member
from anonaudit.papers.published.tv06 import Algorithm3Output, algorithm_1, algorithm_2, algorithm_3
from anonaudit.papers.published.z07 import hide_rules

__all__ = [
    "Algorithm3Output",
    "Figure7Step",
    "XReading",
    "algorithm_1",
    "algorithm_2",
    "algorithm_3",
    "anatomize",
    "anonymize",
    "figure_6",
    "figure_7",
    "greedy_cka",
    "greedy_k_member",
    "hide_rules",
    "split",
    "two_steps",
]
