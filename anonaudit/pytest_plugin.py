"""Releases as tests: pytest collects every `*.anonaudit.toml`, and there is a fixture `anonaudit`.

A policy file names its release. It is one test item a requirement, one an attack with an
allow-rate, and one, `release`, that fails where identifiers are released. All fail where no audit
is possible or no row is in a class. Each item is judged by `verdict`, by which the whole audit is
judged, so some item fails exactly where `anonaudit audit` ends with another exit code than 0. A
policy that requires nothing tests nothing, which is a mistake here. A policy with mistakes is one
item, `policy`, which fails.

Collecting reads the policies only, and of the releases of wrong ones the names of the columns; the
audit runs once a file, with its first item. Starting pytest loads no engine: whatever needs one is
imported where it is used.
"""

from __future__ import annotations

import traceback
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from anonaudit.asserting import Auditor, judge, naming_people, no_audit, requires, without_cells
from anonaudit.errors import AnonauditError, InputError
from anonaudit.findings import AuditReport

if TYPE_CHECKING:
    from anonaudit.policy.policy import Policy

SUFFIX = ".anonaudit.toml"
_OURS = ("anonaudit", "attacks")  # packages whose variables hold cells
WARNED = "anonaudit-warning"  # the property of a test that the summary repeats


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
        told = isinstance(raised.value, pytest.fail.Exception) and not raised.value.pytrace
        style = item.config.getoption("tbstyle", "auto")
        report.longrepr = raised.getrepr(
            style="value" if told else "long" if style in ("auto", "no") else style,
            tbfilter=not item.config.getoption("fulltrace", False),
        )
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
    reports = [report for found in terminalreporter.stats.values() for report in found]
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
    """One policy; its audit is run when the first of its items is."""

    policy: Policy
    _found: AuditReport | AnonauditError | None = None

    def collect(self) -> Iterator[pytest.Item]:
        """The items, without a look at the release, unless the policy has mistakes."""
        from anonaudit.policy.policy import read_policy

        try:
            self.policy = read_policy(self.path, columns=_columns)
            if self.policy.release.file is None:
                raise InputError(f'{self.path}: names no release; add [release] file = "..."')
            if not requires(self.policy):
                raise InputError(f"{self.path}: requires nothing, so there is nothing to test")
        except AnonauditError as error:
            yield WrongPolicy.from_parent(self, name="policy", error=error)
            return
        yield self._item("release", ("columns",), "warnings")
        for i, asked in enumerate(self.policy.requirements):
            name = _called(asked.name, asked.parameters)
            yield self._item(name, ("require", asked.name), "models", i)
        for i, request in enumerate(self.policy.attacks):
            if request.allowed is not None:
                name = _called(request.name, {**request.options, "allow-rate": request.allowed})
                yield self._item(name, ("attacks", request.name), "attacks", i)

    def _item(
        self, name: str, key: tuple[str, ...], part: str, place: int | None = None
    ) -> AuditItem:
        line = self.policy.lines.get(key, 1)
        return AuditItem.from_parent(self, name=name, part=part, place=place, line=line)

    def report(self) -> AuditReport:
        """The report; the first call audits. Raises AnonauditError, every call the same."""
        from anonaudit.auditing.audit import audit

        if self._found is None:
            try:
                self._found = audit(policy=self.policy)
            except AnonauditError as error:
                self._found = error
        if isinstance(self._found, AnonauditError):
            raise self._found
        return self._found


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
    """One requirement, one attack, or the released columns: a part of the report of a file.

    part, place: which of the report's models, attacks or warnings, all if no place is given.
    line: where it stands in the policy.
    """

    parent: PolicyFile

    def __init__(self, *, part: str, place: int | None, line: int, **options: Any) -> None:
        super().__init__(**options)
        self.part, self.place, self.line = part, place, line

    def runtest(self) -> None:
        """Fail unless the part passes, as the whole audit must; skip what may be undecided."""
        from anonaudit.auditing.examining import part_of
        from anonaudit.report.brief import brief

        try:
            with without_cells():
                report = self.parent.report()
        except AnonauditError as error:
            raise no_audit(error) from None
        policy = self.parent.policy
        found = getattr(report, self.part)
        chosen = found if self.place is None else (found[self.place],)
        part = part_of(report, policy, **{self.part: chosen})
        self.user_properties += [(WARNED, said) for said in naming_people(part)]
        judge(part, policy)
        if undecided := brief(part):
            pytest.skip(f"undecided, as the policy allows: {undecided}")

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the requirement stands."""
        return self.path, self.line - 1, self.name


def _columns(policy: Policy) -> Sequence[str]:
    """The columns of the release; asked for where the policy has mistakes, to tell all at once."""
    from anonaudit.auditing.audit import columns_of

    return columns_of(None)(policy)


def _called(name: str, parameters: Mapping[str, Any]) -> str:
    """A requirement as an id: `p-sensitive-k-anonymity[p=2]`."""
    from anonaudit.report.words.wording import parameter

    shown = [f"{key.replace('_', '-')}={parameter(value)}" for key, value in parameters.items()]
    return f"{name}[{','.join(shown)}]"
