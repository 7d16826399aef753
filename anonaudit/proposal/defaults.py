"""The requirements of a proposed policy, and the reasons why some of them are not in force.

A requirement that is not in force is written as a comment. Every requirement that can be met at all
is in force: a policy without requirements is never violated, and a user might mistake this for a
pass. k = 5 is the least value that statistical offices commonly ask for. p = 2 is the least value
that protects sensitive values at all (TV06 Definition 2).
"""

from __future__ import annotations

from anonaudit.proposal.proposed_columns import Proposal
from anonaudit.report.words import layout

K = 5
P = 2


def why_not_k(proposal: Proposal) -> str | None:
    """Return why k-anonymity with k = `K` is not in force; None if it is in force."""
    if not proposal.of("quasi-identifier"):
        return "no quasi-identifier was found"
    if proposal.people < K:
        return f"the release has fewer than {K} {'rows' if proposal.unit is None else 'persons'}"
    return None


def why_not_p(proposal: Proposal) -> str | None:
    """Return why p-sensitivity with p = `P` is not in force; None if it is in force.

    A sensitive column needs at least `P` different values (TV06 Condition 1).
    """
    columns = proposal.of("sensitive")
    if not columns:
        return "no sensitive column was found"
    few = [column.name for column in columns if column.look.known < P]
    return f"the release has fewer than {P} values of {layout.name_list(few)}" if few else None


def why_not_direct(proposal: Proposal) -> str | None:
    """Return why the requirement no-direct-identifiers is not in force; None if it is in force.

    If it were the only requirement, a release could pass although nothing is required of its
    classes.
    """
    alone = why_not_k(proposal) is not None and why_not_p(proposal) is not None
    why = "no other requirement is in force, and this one alone says nothing about classes"
    return why if alone else None
