"""Verdicts inside a running test: what falls short fails it, with numbers instead of a traceback.

pytest loads this module when it starts, so engines are imported where they are used.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from anonaudit.errors import AnonauditError, printable
from anonaudit.findings import AuditReport, Outcome

if TYPE_CHECKING:
    from anonaudit.policy.policy import Policy

READ_BY = ("delimiter", "encoding", "engine")  # options that say how a table is read


class Auditor:
    """What the fixture `anonaudit` gives."""

    def audit(self, table: Any = None, policy: Any = None, **options: Any) -> AuditReport:
        """The report on a table; parameters and errors are those of `anonaudit.audit`."""
        from anonaudit.auditing.audit import audit

        return audit(table, policy, **options)

    def assert_holds(
        self, table: Any, policy: Policy | str | os.PathLike[str], **options: Any
    ) -> AuditReport:
        """Fail the test, with numbers and advice, unless the table satisfies the policy.

        table, options: as for `anonaudit.audit`. A policy that requires nothing fails as well.
        The report is returned, for whatever else is to be asserted.
        """
        __tracebackhide__ = True
        from anonaudit.auditing.audit import columns_of
        from anonaudit.policy.policy import Policy, read_policy
        from anonaudit.source.table import TableFile

        try:
            rules = policy
            if not isinstance(rules, Policy):
                read = {name: options[name] for name in READ_BY if name in options}
                rules = read_policy(rules, columns=columns_of(TableFile.of(table, **read)))
            report = self.audit(table, rules, **options)
        except AnonauditError as error:
            raise no_audit(error) from None
        if not requires(rules):
            pytest.fail(f"{rules.source}: requires nothing, so nothing can hold", pytrace=False)
        judge(report, rules)
        return report


def no_audit(error: AnonauditError) -> BaseException:
    """What to raise where a test found nothing to audit: the error's own words, no traceback."""
    return pytest.fail.Exception(printable(f"could not audit: {error}"), pytrace=False)


def requires(policy: Policy) -> bool:
    """Whether there is anything that a release could break."""
    rates = [request.allowed for request in policy.attacks if request.allowed is not None]
    return bool(policy.requirements or rates or policy.roles.identifiers)


def judge(report: AuditReport, policy: Policy) -> None:
    """Fail the running test for what is violated, or undecided unless the policy allows that."""
    from anonaudit.report.brief import SHORT, brief

    short = brief(report, {Outcome.VIOLATED} if policy.inconclusive_allowed else SHORT)
    if short:
        pytest.fail(short, pytrace=False)
