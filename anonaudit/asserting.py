"""Audits inside a running test: a violation fails the test with numbers instead of a traceback.

pytest loads this module at startup, so functions import the engines they need.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from anonaudit.errors import AnonauditError, internal_error, printable_lines
from anonaudit.findings import AuditReport, Outcome

if TYPE_CHECKING:
    from anonaudit.policy.policy import Policy

READ_BY = ("delimiter", "encoding", "engine")  # options for reading a table


class Auditor:
    """The value of the fixture `anonaudit`.

    warned: the warnings about direct identifiers in the reports so far. The pytest plugin empties
        the list after each test.
    """

    def __init__(self) -> None:
        self.warned: list[str] = []

    def audit(self, table: Any = None, policy: Any = None, **options: Any) -> AuditReport:
        """Return the report on a table; parameters and errors are those of `anonaudit.audit`.

        An internal error fails the test without its message, as the message may quote a cell.
        """
        from anonaudit.auditing.audit import audit

        inspect.signature(audit).bind(table, policy, **options)  # TypeError for wrong options
        with without_cells():
            report = audit(table, policy, **options)
            self.warned += naming_people(report)
        return report

    def assert_holds(
        self, table: Any, policy: Policy | str | os.PathLike[str], **options: Any
    ) -> AuditReport:
        """Fail the test, with numbers and advice, unless the table satisfies the policy.

        table, options: as for `anonaudit.audit`. A policy that requires nothing fails the test.
        Returns the report, for further assertions.
        """
        __tracebackhide__ = True
        from anonaudit.auditing.audit import columns_of
        from anonaudit.policy.policy import Policy, read_policy
        from anonaudit.source.table import TableFile

        try:
            rules = policy
            if not isinstance(rules, Policy):
                read = {name: options[name] for name in READ_BY if name in options}
                with without_cells():
                    rules = read_policy(rules, columns=columns_of(TableFile.of(table, **read)))
            report = self.audit(table, rules, **options)
        except AnonauditError as error:
            raise no_audit(error) from None
        if not rules.requires_anything:
            pytest.fail(
                f"{rules.source}: requires nothing, so the test cannot pass; add a requirement or "
                "an attack with an allow-rate",
                pytrace=False,
            )
        with without_cells():
            assert_passes(report, rules)
        return report


@contextmanager
def without_cells() -> Iterator[None]:
    """Fail the test on an internal error, without the error's message: it may quote a cell."""
    try:
        yield
    except AnonauditError:
        raise
    except Exception as error:
        raise our_fault(error) from None


def naming_people(report: AuditReport) -> list[str]:
    """Return one sentence for each released column that seems to be a direct identifier."""
    from anonaudit.report.sections.demands import DIRECT_IDENTIFIERS
    from anonaudit.report.words import layout

    return [
        f"{layout.name(notice.column or '')}: {layout.printable(notice.message)}"
        for notice in report.warnings
        if notice.code == DIRECT_IDENTIFIERS
    ]


def no_audit(error: AnonauditError) -> BaseException:
    """Return an exception without a traceback. It fails a test whose audit was impossible."""
    return pytest.fail.Exception(printable_lines(f"could not audit: {error}"), pytrace=False)


def our_fault(error: Exception) -> BaseException:
    """Return the exception that fails a test on an internal error.

    The error's own message may quote a cell, so it is left out. With ANONAUDIT_DEBUG set, the error
    itself is returned.
    """
    if os.environ.get("ANONAUDIT_DEBUG"):
        return error
    return pytest.fail.Exception(internal_error(error), pytrace=False)


def assert_passes(
    report: AuditReport,
    policy: Policy,
    worse: Sequence[str] = (),
    whole: AuditReport | None = None,
) -> None:
    """Fail the running test unless the report passes, by the rules of the command line.

    report: the report on the whole audit, or on one item (requirement or attack) of it.
    worse: one text for each number that is worse than in the baseline.
    whole: if `report` is on one item, the report on the whole audit; otherwise None.
    """
    from anonaudit.report.brief import SHORT, headline, why_no_pass

    if report.passed:
        return
    # If the policy allows undecided requirements, list only the violated ones.
    only_violated = report.outcome is Outcome.VIOLATED and policy.inconclusive_allowed
    why = why_no_pass(report, {Outcome.VIOLATED} if only_violated else SHORT, whole)
    lines = [headline(report), *(f"worse than the baseline: {one}" for one in worse), why]
    pytest.fail("\n  ".join(lines), pytrace=False)
