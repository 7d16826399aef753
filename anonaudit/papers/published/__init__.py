"""The algorithms of the papers line by line, to be read beside them; one file a paper.

Each function has the steps of its listing, in order: with its line numbers where it has them, else
with its words as comments. Where a listing is faulty the faults are kept, and `corrected` takes the
repaired steps instead. With those, each form equals the fast one in `anonaudit.masking` or
`anonaudit.models`, by test. Only the claims and tests import this package.
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
