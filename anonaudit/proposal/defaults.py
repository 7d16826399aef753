"""What a proposed policy requires, and where it would make no sense to.

Requirements are in force where they can be met at all, because a policy that requires nothing is
never violated, and whoever forgets to complete it would take that for a pass. k = 5 is the least
that statistical offices commonly ask for; p = 2 is the least that means anything (TV06 Def. 2).
"""

from __future__ import annotations

from anonaudit.proposal.proposed_columns import Proposal
from anonaudit.report.words import layout

K = 5
P = 2


def why_not_k(proposal: Proposal) -> str | None:
    """Why k-anonymity with `K` is not required; None where it is."""
    if not proposal.of("quasi-identifier"):
        return "no quasi-identifier was found"
    if proposal.people < K:
        return f"the release has fewer {'rows' if proposal.unit is None else 'persons'} than that"
    return None


def why_not_p(proposal: Proposal) -> str | None:
    """Why p-sensitivity with `P` is not required; None where it is (TV06 Condition 1)."""
    columns = proposal.of("sensitive")
    if not columns:
        return "no sensitive column was found"
    few = [column.name for column in columns if column.look.known < P]
    return f"the release has fewer values of {layout.name_list(few)}" if few else None


def why_not_direct(proposal: Proposal) -> str | None:
    """Why no direct identifiers are not required; None where they are.

    By itself it would let a release pass of whose classes nothing is required.
    """
    alone = why_not_k(proposal) is not None and why_not_p(proposal) is not None
    return "nothing else is required, so a release would pass by it alone" if alone else None
