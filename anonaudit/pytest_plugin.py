"""The pytest plugin: it collects every `*.anonaudit.toml` and offers the fixture `anonaudit`.

A policy file names one release or several. Each release gives these test items:

- one for each requirement,
- one for each attack with an allow-rate,
- `release`, which fails if identifiers are released.

All items fail if the audit is impossible or no row is in a class. The rules for the verdict on an
item are those for the whole audit. So, without a baseline, at least one item of a release fails if
and only if `anonaudit audit` ends with an exit code other than 0 for this release. The exception is
a policy that requires nothing, which is an error here. A policy with mistakes gives a single item,
`policy`, which fails.

Collection reads the policies. It reads the column names of a release only if the policy has
mistakes. The first item of a release that runs audits the release; the other items use its report.
Functions import the engines they need, so starting pytest loads no engine.
"""

from __future__ import annotations

import traceback
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from anonaudit.asserting import Auditor, assert_passes, naming_people, no_audit, without_cells
from anonaudit.errors import AnonauditError
from anonaudit.findings import AuditReport

if TYPE_CHECKING:
    from anonaudit.checking.baseline import Baseline
    from anonaudit.checking.items import Item
    from anonaudit.policy.policy import Policy
    from anonaudit.source.table import TableFile

SUFFIX = ".anonaudit.toml"
_OURS = ("anonaudit", "attacks")  # packages whose variables may hold cells
WARNED = "anonaudit-warning"  # the test property that the terminal summary prints


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that work as in `anonaudit check`."""
    group = parser.getgroup("anonaudit", "releases of microdata")
    group.addoption(
        "--anonaudit-release",
        metavar="FILE",
        help="Audit this release instead of the releases named in the policies.",
    )
    group.addoption(
        "--anonaudit-baseline",
        metavar="FILE",
        help="A violation that is no worse than in this file is an expected failure. "
        "`anonaudit check --write-baseline FILE` writes the file.",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> PolicyFile | None:
    """Return the collector of a policy file; None for any other file."""
    wanted = file_path.name.endswith(SUFFIX)
    return PolicyFile.from_parent(parent, path=file_path) if wanted else None


@pytest.fixture(scope="session", name="anonaudit")
def _auditor() -> Auditor:
    """Audit frames and files in a test with `.audit(...)` or `.assert_holds(table, policy)`."""
    return Auditor()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Attach the warnings of a test's audits to the test, so that the summary can print them.

    The summary gets the warnings even if the test runs in another process.

    An interrupt inside anonaudit is raised again without its traceback. From the traceback pytest
    would print the arguments of functions, which may hold cells.
    """
    try:
        return (yield)
    except KeyboardInterrupt as error:
        if _passes_through_us(error):
            raise KeyboardInterrupt from None
        raise
    finally:
        auditor = getattr(item, "funcargs", {}).get("anonaudit")
        if isinstance(auditor, Auditor):
            item.user_properties += [(WARNED, said) for said in auditor.warned]
            auditor.warned.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Hide the variables of a traceback that goes through anonaudit, because they may hold cells.

    This overrides `--showlocals` and `--full-trace`. A test that fails because of the verdict on a
    release has no traceback.
    """
    report = yield
    raised = call.excinfo
    if raised is not None and report.failed and _passes_through_us(raised.value):
        is_verdict = isinstance(raised.value, pytest.fail.Exception) and not raised.value.pytrace
        style = item.config.getoption("tbstyle", "auto")
        report.longrepr = raised.getrepr(
            style="value" if is_verdict else "long" if style in ("auto", "no") else style,
            # As pytest does by default: leave out pytest's own frames, if this version of pytest
            # can filter them.
            tbfilter=not item.config.getoption("fulltrace", False)
            and getattr(item, "_traceback_filter", True),
        )
        crash = getattr(report.longrepr, "reprcrash", None)
        if isinstance(item, AuditItem) and crash is not None:
            # Start the line of the summary with the numbers: `k = 1 < 5`.
            crash.message = crash.message.removeprefix("Failed: ")
    return report


def _passes_through_us(error: BaseException) -> bool:
    """Return True if code of anonaudit is in the traceback of an error or of one of its causes."""
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) and cause not in chain:
        chain.append(cause)
    modules = {
        str(frame.f_globals.get("__name__"))
        for each in chain
        for frame, _ in traceback.walk_tb(each.__traceback__)
    }
    return any(name.partition(".")[0] in _OURS for name in modules - {__name__})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the released columns that seem to identify people, for passed and failed tests."""
    reports = [report for group in terminalreporter.stats.values() for report in group]
    said = {
        f"{report.nodeid}: {value}": None
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, value in report.user_properties
        if name == WARNED
    }
    if said:
        terminalreporter.section("anonaudit: direct identifiers in a release", yellow=True)
        for line in said:
            terminalreporter.write_line(line)


class PolicyFile(pytest.File):
    """A policy file. It contains the items, or one collector for each of several releases."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """Yield the items, or a collector for each of several releases."""
        from anonaudit.checking.policies import policy_to_check, releases_of

        given = self.config.getoption("--anonaudit-release")
        release = None if given is None else self.config.invocation_params.dir / given
        try:
            policy = policy_to_check(self.path, release)
            baseline = _baseline(self.config)
        except AnonauditError as error:
            yield WrongPolicy.from_parent(self, name="policy", error=error)
            return
        releases = releases_of(policy, release)
        for name, table in releases.items():
            audited = Audited(policy, table, name, baseline)
            if release is None and policy.release.file is None:
                yield ReleaseOfPolicy.from_parent(self, name=name, audited=audited)
            else:
                yield from _items(self, audited)


class ReleaseOfPolicy(pytest.Collector):
    """One of several releases that a policy names."""

    def __init__(self, *, audited: Audited, **options: Any) -> None:
        super().__init__(**options)
        self.audited = audited

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the items of the policy for this release."""
        yield from _items(self, self.audited)


def _items(parent: pytest.Collector, audited: Audited) -> Iterator[pytest.Item]:
    from anonaudit.checking.items import items_of

    for item in items_of(audited.policy):
        yield AuditItem.from_parent(parent, name=item.name, audited=audited, item=item)


def _baseline(config: pytest.Config) -> Baseline | None:
    from anonaudit.checking.baseline import read_baseline

    given = config.getoption("--anonaudit-baseline")
    return None if given is None else read_baseline(config.invocation_params.dir / given)


class Audited:
    """A release and its policy, which all items of the release share.

    name: the name of the release in the policy.
    baseline: the known violations; None if there is no baseline.
    """

    def __init__(
        self, policy: Policy, table: TableFile, name: str, baseline: Baseline | None
    ) -> None:
        self.policy, self.table, self.name, self.baseline = policy, table, name, baseline
        self._audited: AuditReport | AnonauditError | None = None
        self._named: tuple[str, str] | None = None

    def report(self) -> AuditReport:
        """Return the report. Only the first call audits.

        Raises AnonauditError if the audit is impossible; later calls raise the same error.
        """
        from anonaudit.auditing.audit import audit

        if self._audited is None:
            try:
                self._audited = audit(self.table, policy=self.policy)
            except AnonauditError as error:
                self._audited = error
        if isinstance(self._audited, AnonauditError):
            raise self._audited
        return self._audited

    def known(self, item: Item, part: AuditReport) -> tuple[bool, list[str]]:
        """Compare the part of the report on an item with the baseline.

        Returns (known, worse). known: True if the baseline has the violation and no number got
        worse. worse: a text for each number that is worse than in the baseline.
        """
        from anonaudit.checking.baseline import Violation

        if self.baseline is None:
            return False, []
        if self._named is None:
            self._named = self.baseline.policy(Path(self.policy.source))
        return self.baseline.judge((*self._named, self.name, item.name), Violation.of(part))


class WrongPolicy(pytest.Item):
    """The only item of a policy with mistakes. It fails; the items of other policies still run."""

    def __init__(self, *, error: AnonauditError, **options: Any) -> None:
        super().__init__(**options)
        self.error = error

    def runtest(self) -> None:
        """Fail with the list of mistakes."""
        raise no_audit(self.error)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the location of the policy."""
        return self.path, 0, self.name


class AuditItem(pytest.Item):
    """A test item: one requirement, one attack, or the identifiers in a release."""

    def __init__(self, *, audited: Audited, item: Item, **options: Any) -> None:
        super().__init__(**options)
        self.audited, self.item = audited, item

    def runtest(self) -> None:
        """Fail unless the part of the report on this item passes.

        The item is an expected failure if the baseline has the violation. It is skipped if it is
        undecided and the policy allows undecided requirements.
        """
        from anonaudit.report.brief import brief, headline

        try:
            with without_cells():
                report = self.audited.report()
            policy = self.audited.policy
            part = self.item.of(report, policy)
            known, worse = self.audited.known(self.item, part)
        except AnonauditError as error:
            raise no_audit(error) from None
        self.user_properties += [(WARNED, said) for said in naming_people(part)]
        if known:
            pytest.xfail(f"{headline(part)}, no worse than in the baseline")
        assert_passes(part, policy, worse, report)
        if undecided := brief(part, whole=report):
            pytest.skip(f"undecided, as the policy allows: {undecided}")

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the location of the requirement in the policy."""
        return self.path, self.item.line - 1, self.name
