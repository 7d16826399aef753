"""Verdicts inside a running test: what falls short fails it, with numbers instead of a traceback.

pytest loads this module when it starts, so engines are imported where they are used.
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

READ_BY = ("delimiter", "encoding", "engine")  # options that say how a table is read


class Auditor:
    """What the fixture `anonaudit` gives.

    warned: what `naming_people` said of the reports so far, until the plugin takes it over.
    """

    def __init__(self) -> None:
        self.warned: list[str] = []

    def audit(self, table: Any = None, policy: Any = None, **options: Any) -> AuditReport:
        """The report on a table; parameters and errors are those of `anonaudit.audit`.

        What is a fault of our own fails the test without its message, which may quote a cell.
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
                with without_cells():
                    rules = read_policy(rules, columns=columns_of(TableFile.of(table, **read)))
            report = self.audit(table, rules, **options)
        except AnonauditError as error:
            raise no_audit(error) from None
        if not rules.requires_anything:
            pytest.fail(f"{rules.source}: requires nothing, so nothing can hold", pytrace=False)
        with without_cells():
            assert_passes(report, rules)
        return report


@contextmanager
def without_cells() -> Iterator[None]:
    """Fail the test where code of ours fails, without the message, which may quote a cell."""
    try:
        yield
    except AnonauditError:
        raise
    except Exception as error:
        raise our_fault(error) from None


def naming_people(report: AuditReport) -> list[str]:
    """The columns that are no identifiers and seem to name people, a sentence each."""
    from anonaudit.report.sections.demands import DIRECT_IDENTIFIERS
    from anonaudit.report.words import layout

    return [
        f"{layout.name(notice.column or '')}: {layout.printable(notice.message)}"
        for notice in report.warnings
        if notice.code == DIRECT_IDENTIFIERS
    ]


def no_audit(error: AnonauditError) -> BaseException:
    """What to raise where a test found nothing to audit: the error's own words, no traceback."""
    return pytest.fail.Exception(printable_lines(f"could not audit: {error}"), pytrace=False)


def our_fault(error: Exception) -> BaseException:
    """What to raise for an error that is none of the input's: its message may quote a cell.

    It is the error itself where ANONAUDIT_DEBUG is set.
    """
    if os.environ.get("ANONAUDIT_DEBUG"):
        return error
    return pytest.fail.Exception(internal_error(error), pytrace=False)


def assert_passes(report: AuditReport, policy: Policy, worse: Sequence[str] = ()) -> None:
    """Fail the running test unless the report passes, as the command line would.

    report: on everything that was audited, or a part of it (`part_of`). worse: how it differs from
    a baseline.
    """
    from anonaudit.report.brief import SHORT, headline, why_no_pass

    if report.passed:
        return
    # What may be undecided is no reason beside what is violated.
    beside = report.outcome is Outcome.VIOLATED and policy.inconclusive_allowed
    why = why_no_pass(report, {Outcome.VIOLATED} if beside else SHORT)
    lines = [headline(report), *(f"worse than the baseline: {one}" for one in worse), why]
    pytest.fail("\n  ".join(lines), pytrace=False)
