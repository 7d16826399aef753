"""The answers of a release to the lines of a profile.

A line is one demand of a guideline, see `profile.Line`. No answer says that a release complies with
the guideline. If a file cannot show what a line asks, a person must judge.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from anonaudit import notebook
from anonaudit.attack import attacks as installed_attacks
from anonaudit.auditing.audit import audit_release
from anonaudit.findings import AuditReport, Disclosure, Measurement, Notice, Outcome
from anonaudit.generalization.value_kinds import FREE_TEXT
from anonaudit.plugins import describe_model
from anonaudit.policy.policy import Policy
from anonaudit.policy.sections import AttackRequest, Requirement
from anonaudit.profiles.label_rules import RULES, Areas, ColumnRead, LabelRule
from anonaudit.profiles.profile import NEEDS, Line, Profile
from anonaudit.report.words import figures
from anonaudit.scanning import ScannedColumn, ScannedFile, scan
from anonaudit.source.table import Source
from anonaudit.special_details import alone_by_history

_UNDECLARED_UNIT: Final = "undeclared-unit"


class LineStatus(enum.StrEnum):
    """The possible answers to a line."""

    MET = "met"
    NOT_MET = "not met"
    NOT_DECIDABLE = "not decidable from this file"
    FOR_A_PERSON = "for a person to judge"


@dataclass(frozen=True)
class Answer:
    """The answer to one line.

    found: the reason for the status, in sentences that quote no cell.
    """

    line: Line
    status: LineStatus
    found: str


@dataclass(frozen=True, repr=False)
class Answers(notebook.Result):
    """The answers to all lines, in the order of the profile, and the warnings of the audit.

    A line counts unless the profile sets `counted = false`.
    """

    lines: tuple[Answer, ...]
    warnings: tuple[Notice, ...] = ()

    @property
    def statuses(self) -> tuple[LineStatus, ...]:
        """The statuses of the lines that count."""
        return tuple(answer.status for answer in self.lines if answer.line.counted)

    def by_status(self) -> dict[str, int]:
        """Return how many lines that count have each status, in the order of `LineStatus`."""
        return {str(status): self.statuses.count(status) for status in LineStatus}

    def _line(self) -> str:
        return ", ".join(f"{n} {status}" for status, n in self.by_status().items() if n)

    def _shown(self) -> notebook.Shown:
        """Return a table with a row for each line of the profile."""
        rows = [["asked", "answer", "it rests on", "source"]]
        for one in self.lines:
            status = one.status if one.line.counted else f"{one.status} (not counted)"
            rows.append([one.line.asks, status, one.found, one.line.source])
        said = "This is no verdict on compliance: a person must decide."
        return notebook.Shown(f"Answers: {self._line()}", rows, (0, 1, 2, 3), (said,))


def ask(
    profile: Profile,
    source: Source,
    policy: Policy,
    *,
    countries: Sequence[str] = (),
    areas: Areas | None = None,
) -> Answers:
    """Return the answers of a release to all lines of a profile.

    The release is audited under the policy, but with the requirements and attacks of the profile.
    If a line has kinds or labels, the columns are scanned, too.

    profile, source: the guideline, and the release.
    policy: declares the columns, and the data of the attacks.
    countries: the countries whose identity numbers are recognised, see `scan`.
    areas: the number of people in each three-digit zip code area, see `label_rules.read_areas`;
        None if it is unknown.

    Raises the errors of `audit_release` and `scan`.
    """
    given = {"sensitive": policy.roles.sensitive, "population": policy.population}
    measurable = [line for line in profile.lines if not line.needs or given[line.needs]]
    plain = [line for line in measurable if not line.crossed]
    requests = _requests(profile, policy)
    measured, report = _measured(source, policy, plain, tuple(requests.values()))
    crossed = [line for line in measurable if line.crossed]
    by_column = [
        _measured(source, _crossed(policy, column), crossed)[0]
        for column in (policy.roles.sensitive if crossed else ())
    ]
    columns = None
    if any(line.kinds or line.labels for line in profile.lines):
        columns = scan(source, countries=countries)
    doubts = _doubts(report)
    released = [name for name in policy.roles.identifiers if name in source.columns]
    answers = []
    for line in profile.lines:
        if line.identifiers and released:
            answer = _declared(line, released, columns)
        elif line.judge:
            answer = Answer(line, LineStatus.FOR_A_PERSON, line.judge)
        elif line.labels and columns is not None:
            read = RULES[line.labels].apply(source, columns.columns, policy.convention, areas)
            answer = _by_labels(line, columns, RULES[line.labels], tuple(read))
        elif line.attack:
            answer = _by_attack(line, requests.get(line.attack), report.attacks, doubts)
        elif line.kinds:
            answer = _by_kinds(line, columns)
        elif line not in measurable:
            reason = f"It is not measured: the policy names no {NEEDS[line.needs]}."
            answer = Answer(line, LineStatus.NOT_DECIDABLE, reason)
        else:
            found = [one for some in by_column for one in some.get(id(line), ())]
            found = found or measured[id(line)]
            answer = _by_evidence(line, found) if line.evidence else _by_model(line, _worst(found))
            if not all(describe_model(one.model).of_the_columns for one in found):
                answer = _doubted(answer, doubts)
        answers.append(answer)
    return Answers(tuple(answers), report.warnings)


def _requests(profile: Profile, policy: Policy) -> dict[str, AttackRequest]:
    """Return the attacks of the profile that can be run, by name.

    Each attack has the options and the data of the policy, but an allowed rate of 0. An attack that
    needs a table is left out if the policy does not have this attack.
    """
    given, known = {request.name: request for request in policy.attacks}, installed_attacks()
    return {
        name: replace(given.get(name, AttackRequest(name)), allowed=0.0)
        for name in dict.fromkeys(line.attack for line in profile.lines if line.attack)
        if name in given or not {"external", "second"} & {*known[name].options}
    }


def _measured(
    source: Source,
    policy: Policy,
    lines: Sequence[Line],
    attacks: tuple[AttackRequest, ...] = (),
) -> tuple[dict[int, list[Measurement]], AuditReport]:
    """Return the measurements of each line by its Python `id`, and the report of the audit."""
    required = [(line, line.require) for line in lines if line.require is not None]
    required += [
        (line, Requirement(name, {}, asked=False)) for line in lines for name in line.evidence
    ]
    wanted = tuple(requirement for _, requirement in required)
    report = audit_release(source, replace(policy, requirements=wanted, attacks=attacks))
    # A report has the required models first, in the order of the requirements.
    measured: dict[int, list[Measurement]] = {}
    for (line, _), found in zip(required, report.models, strict=False):
        measured.setdefault(id(line), []).append(found)
    return measured, report


def _crossed(policy: Policy, column: str) -> Policy:
    """Return the policy with a sensitive column as a further quasi-identifier.

    The values of this column then split the equivalence classes.
    """
    quasi_identifiers = (*policy.roles.quasi_identifiers, column)
    roles = replace(policy.roles, quasi_identifiers=quasi_identifiers, sensitive=())
    return replace(policy, roles=roles)


def _worst(found: Sequence[Measurement]) -> Measurement:
    """Return a violated measurement, else an undecided one, else one that holds.

    Of several such measurements, the least safe one is returned.
    """

    def safety(one: Measurement) -> tuple[bool, bool, float]:
        level = 0 if one.measured is None else one.measured
        higher = one.safer == "higher"
        return (
            one.outcome is not Outcome.VIOLATED,
            one.outcome is Outcome.HOLDS,
            level if higher else -level,
        )

    return min(found, key=safety)


def _doubts(report: AuditReport) -> list[str]:
    """Return the reasons, as sentences, why large classes may not protect every person."""
    doubts = []
    if not report.columns.get("quasi_identifiers"):
        doubts.append("the policy names no quasi-identifier, so all rows are one class.")
    unsure = [repr(one.column) for one in report.warnings if one.code == _UNDECLARED_UNIT]
    if unsure:
        doubts.append(
            "rows were counted, but people seem to have several rows each: if "
            f"{', '.join(unsure)} identifies people, declare it in the policy as columns.unit."
        )
    apart = report.release.suppressed_tuples + report.release.dropped_rows
    if apart:
        rows = figures.counted(apart, "row")
        are = "is" if apart == 1 else "are"
        doubts.append(f"{rows} {are} in no class, and may belong to people who are unique.")
    if alone := alone_by_history(model.details for model in report.models):
        doubts.append(f"{alone} person(s) are unique by all their rows together.")
    return doubts


def _doubted(answer: Answer, doubts: Sequence[str]) -> Answer:
    """Return the answer, or "not decidable" with the doubts added; `not met` is never changed."""
    if not doubts or answer.status is LineStatus.NOT_MET:
        return answer
    reason = f"{answer.found} But {' Also, '.join(doubts)}"
    return Answer(answer.line, LineStatus.NOT_DECIDABLE, reason)


def _declared(line: Line, released: Sequence[str], file: ScannedFile | None) -> Answer:
    """Return the answer `not met`: the release has columns declared as identifiers.

    released: the names of these columns.
    """
    named = ", ".join(map(repr, released))
    reason = (
        f"The file has columns that the policy declares as identifiers: {named}. Remove them from "
        "the file. If a column is no identifier, give it another role in the policy."
    )
    recognised = _by_kinds(line, file) if line.kinds else None
    if recognised is not None and recognised.status is LineStatus.NOT_MET:
        reason += f" {recognised.found}"
    return Answer(line, LineStatus.NOT_MET, reason)


def _by_kinds(line: Line, file: ScannedFile | None) -> Answer:
    columns = () if file is None else file.columns
    holding = {c.name: kinds for c in columns if (kinds := _kinds_of(c, line.kinds))}
    if holding:
        named = ", ".join(f"{name!r} ({', '.join(kinds)})" for name, kinds in holding.items())
        return Answer(line, LineStatus.NOT_MET, f"Recognised in column(s) {named}.")
    reason = "anonaudit recognised no column that this line forbids, but may have missed one."
    texts = [repr(column.name) for column in columns if FREE_TEXT in column.kinds]
    if texts:
        reason += f" Free text may hold anything: {', '.join(texts)}."
    return Answer(line, LineStatus.FOR_A_PERSON, reason)


def _by_labels(
    line: Line, file: ScannedFile, rule: LabelRule, read: Sequence[ColumnRead]
) -> Answer:
    """Return the answer by the labels, and by the kinds of the columns if the line has kinds.

    read: the result of the rule for each column that the rule applies to.
    """
    by_kinds = _by_kinds(line, file)
    said, status = [], LineStatus.FOR_A_PERSON
    if any(column.open for column in read):
        status = LineStatus.NOT_DECIDABLE
    if by_kinds.status is LineStatus.NOT_MET:
        status, said = LineStatus.NOT_MET, [by_kinds.found]
    if any(column.breaks for column in read):
        status = LineStatus.NOT_MET
    for column in read:
        parts = [(column.breaks, rule.breaks), (column.open, f"an undecided label ({rule.opens})")]
        found = [f"{figures.counted(n, 'row')} with {what}" for n, what in parts if n]
        if column.keeps:
            found.append(f"{figures.counted(column.keeps, 'row')} with a permitted label")
        said.append(f"Column {column.name!r}: {'; '.join(found) or 'no value'}.")
    if not read and not said:
        return by_kinds
    if status is LineStatus.FOR_A_PERSON:
        said.append("Unrecognised columns may hold such values too.")
    if maybe := [repr(column.name) for column in file.columns if rule.maybe(column)]:
        said.append(f"By their names these columns may hold such values too: {', '.join(maybe)}.")
    return Answer(line, status, " ".join(said))


def _by_evidence(line: Line, found: Sequence[Measurement]) -> Answer:
    """Return an answer with the measured levels, for a person to judge.

    The answer is "not decidable" if no model has a level.
    """
    levels, without = [], []
    for one in found:
        if one.measured is None:
            without.append(f"{one.model} has no level ({'; '.join(one.notes) or one.outcome})")
        else:
            open_ = "".join(f"; {note}" for note in _undecided_in(one))
            levels.append(f"{one.model} is {one.measured:.4g} ({one.safer} is safer{open_})")
    status = LineStatus.FOR_A_PERSON if levels else LineStatus.NOT_DECIDABLE
    return Answer(line, status, f"Evidence: {'; '.join([*levels, *without])}.")


def _undecided_in(found: Measurement) -> list[str]:
    """Return the notes of a measurement, and the numbers of classes that it leaves undecided."""
    said = list(found.notes)
    if found.classes_undecided:
        said.append(f"{figures.counted(found.classes_undecided, 'class', 'classes')} undecided")
    for column, reached in found.per_attribute.items():
        if n := reached.classes_without_known_value:
            said.append(f"no known value of {column!r} in {figures.counted(n, 'class', 'classes')}")
    return said


def _by_attack(
    line: Line,
    request: AttackRequest | None,
    attacks: Sequence[Disclosure],
    doubts: Sequence[str],
) -> Answer:
    """Return the answer by an attack. Its reason is a log entry: adversary, data, time, outcome.

    request: the attack as it was run; None if the policy has no data for it.
    """
    if request is None:
        reason = (
            "Not run: the policy has no data for this attack. Add the data under [attacks], as "
            f"{line.attack}."
        )
        return Answer(line, LineStatus.NOT_DECIDABLE, reason)
    found = next(attack for attack in attacks if attack.attack == line.attack)
    data = ", ".join(Path(str(one.path)).name for one in request.tables) or "the release alone"
    outcome = f"of {figures.counted(found.targets, 'target')}, {found.identified} identified, "
    outcome += f"{found.disclosed} with a disclosed value, {found.undecided} undecided"
    if found.reason:
        outcome += f" ({found.reason})"
    said = (
        f"Adversary: one who knows {found.knowledge}. Data: {data}. Time: not measured; write down "
        f"when the attack was run. Outcome: {outcome}."
    )
    status = {Outcome.HOLDS: LineStatus.FOR_A_PERSON, Outcome.VIOLATED: LineStatus.NOT_MET}.get(
        found.outcome, LineStatus.NOT_DECIDABLE
    )
    return _doubted(Answer(line, status, said), doubts)


def _by_model(line: Line, measurement: Measurement) -> Answer:
    level = "has no level" if measurement.measured is None else f"is {measurement.measured:.4g}"
    side = "at least" if measurement.safer == "higher" else "at most"
    said = f"{measurement.model} {level}; {side} {measurement.required:.4g} is asked."
    short = (
        f" {measurement.rows_violating} row(s) fall short." if measurement.rows_violating else ""
    )
    held = LineStatus.FOR_A_PERSON if line.necessary else LineStatus.MET
    status = {Outcome.HOLDS: held, Outcome.VIOLATED: LineStatus.NOT_MET}.get(
        measurement.outcome, LineStatus.NOT_DECIDABLE
    )
    why = (
        "".join(f" {note}." for note in measurement.notes)
        if status is LineStatus.NOT_DECIDABLE
        else ""
    )
    return Answer(line, status, said + short + why)


def _kinds_of(column: ScannedColumn, kinds: Sequence[str]) -> list[str]:
    """Return the kinds of a column that are among `kinds`."""
    return [kind for kind in (*column.direct_kinds, *column.kinds) if kind in kinds]
