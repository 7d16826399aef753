"""Releases as tests: pytest collects every `*.anonaudit.toml`, and there is a fixture `anonaudit`.

A policy file names its release, or several. Of each it is one test item a requirement, one an
attack with an allow-rate, and one, `release`, that fails where identifiers are released. All fail
where no audit is possible or no row is in a class. Each item is judged by `verdict`, by which the
whole audit is judged, so some item fails exactly where `anonaudit audit` ends with another exit
code than 0. A policy that requires nothing tests nothing, which is a mistake here. A policy with
mistakes is one item, `policy`, which fails.

Collecting reads the policies only, and of the releases of wrong ones the names of the columns; the
audit runs once a release, with its first item. Starting pytest loads no engine: whatever needs one
is imported where it is used.
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
_OURS = ("anonaudit", "attacks")  # packages whose variables hold cells
WARNED = "anonaudit-warning"  # the property of a test that the summary repeats


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of `anonaudit check` that mean the same here."""
    group = parser.getgroup("anonaudit", "releases of microdata")
    group.addoption(
        "--anonaudit-release",
        metavar="FILE",
        help="Audit this release instead of those that the policies name.",
    )
    group.addoption(
        "--anonaudit-baseline",
        metavar="FILE",
        help="Violations that are no worse than in this file are expected failures; it is written "
        "by `anonaudit check --write-baseline FILE`.",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> PolicyFile | None:
    """Policies are collected wherever tests are looked for."""
    wanted = file_path.name.endswith(SUFFIX)
    return PolicyFile.from_parent(parent, path=file_path) if wanted else None


@pytest.fixture(scope="session", name="anonaudit")
def _auditor() -> Auditor:
    """Audits frames and files inside a test: `.audit(...)`, `.assert_holds(table, policy)`."""
    return Auditor()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Keep with a test what its audits warned of; so it reaches the summary from any process.

    An interrupt that comes while our code works is raised anew: pytest would print the arguments
    of every function that it passed.
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
    """Show no variables of a traceback that goes through our code: they hold cells.

    That is so whatever pytest was asked for (`--showlocals`, `--full-trace`). A verdict of ours
    has no traceback at all.
    """
    report = yield
    raised = call.excinfo
    if raised is not None and report.failed and _passes_through_us(raised.value):
        is_verdict = isinstance(raised.value, pytest.fail.Exception) and not raised.value.pytrace
        style = item.config.getoption("tbstyle", "auto")
        report.longrepr = raised.getrepr(
            style="value" if is_verdict else "long" if style in ("auto", "no") else style,
            # As pytest itself: without the frames that are pytest's own, where it can say so.
            tbfilter=not item.config.getoption("fulltrace", False)
            and getattr(item, "_traceback_filter", True),
        )
        crash = getattr(report.longrepr, "reprcrash", None)
        if isinstance(item, AuditItem) and crash is not None:
            # The line of the summary begins with the numbers: `k = 1 < 5`.
            crash.message = crash.message.removeprefix("Failed: ")
    return report


def _passes_through_us(error: BaseException) -> bool:
    """Whether code of ours is on the way of an error, or of one that led to it."""
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
    """Name the released columns that seem to name people, whether their tests passed or not."""
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
    """One policy: its items, or one collector a release where it names several."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """The items, without a look at the release, unless the policy has mistakes."""
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
    """One of the releases that a policy names."""

    def __init__(self, *, audited: Audited, **options: Any) -> None:
        super().__init__(**options)
        self.audited = audited

    def collect(self) -> Iterator[pytest.Item]:
        """The items of the policy, for this release."""
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
    """A release and its policy; it is audited when the first of its items is.

    name: what the policy calls the release. baseline: what is known to be violated.
    """

    def __init__(
        self, policy: Policy, table: TableFile, name: str, baseline: Baseline | None
    ) -> None:
        self.policy, self.table, self.name, self.baseline = policy, table, name, baseline
        self._audited: AuditReport | AnonauditError | None = None
        self._named: tuple[str, str] | None = None

    def report(self) -> AuditReport:
        """The report; the first call audits. Raises AnonauditError, every call the same."""
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
        """Whether the baseline has the violation, and in what it is worse."""
        from anonaudit.checking.baseline import Violation

        if self.baseline is None:
            return False, []
        if self._named is None:
            self._named = self.baseline.policy(Path(self.policy.source))
        return self.baseline.judge((*self._named, self.name, item.name), Violation.of(part))


class WrongPolicy(pytest.Item):
    """The one item of a policy with mistakes: it fails, and the other files are tested."""

    def __init__(self, *, error: AnonauditError, **options: Any) -> None:
        super().__init__(**options)
        self.error = error

    def runtest(self) -> None:
        """Fail with the mistakes."""
        raise no_audit(self.error)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The policy."""
        return self.path, 0, self.name


class AuditItem(pytest.Item):
    """One requirement, one attack, or the released columns: a part of the report on a release."""

    def __init__(self, *, audited: Audited, item: Item, **options: Any) -> None:
        super().__init__(**options)
        self.audited, self.item = audited, item

    def runtest(self) -> None:
        """Fail unless the part passes, as the whole audit must; skip what may be undecided."""
        from anonaudit.report.brief import brief, headline

        try:
            with without_cells():
                report = self.audited.report()
        except AnonauditError as error:
            raise no_audit(error) from None
        policy = self.audited.policy
        part = self.item.of(report, policy)
        self.user_properties += [(WARNED, said) for said in naming_people(part)]
        known, worse = self.audited.known(self.item, part)
        if known:
            pytest.xfail(f"{headline(part)}, no worse than in the baseline")
        assert_passes(part, policy, worse)
        if undecided := brief(part):
            pytest.skip(f"undecided, as the policy allows: {undecided}")

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the requirement stands."""
        return self.path, self.item.line - 1, self.name
