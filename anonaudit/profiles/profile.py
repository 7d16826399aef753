"""A profile: lines of a guideline, each with its source, and how a release answers them.

A profile never says that a release complies: what a file does not show, a person must judge.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from anonaudit import notebook
from anonaudit.auditing.audit import audit_release
from anonaudit.details import alone_by_history
from anonaudit.errors import AnonauditError
from anonaudit.findings import AuditReport, Measurement, Notice, Outcome
from anonaudit.generalization.value_kinds import FREE_TEXT
from anonaudit.plugins import Plugins, describe_model
from anonaudit.policy.entries import (
    Document,
    Entry,
    MistakeError,
    Reader,
    boolean,
    list_of,
    string,
    table,
)
from anonaudit.policy.policy import Policy
from anonaudit.policy.sections import Requirement, requirements
from anonaudit.policy.toml_lines import TomlError, load
from anonaudit.report.words import figures
from anonaudit.report.words.layout import paragraph, printable
from anonaudit.scanning import ScannedColumn, ScannedFile, scan
from anonaudit.source.table import Source

_WIDTH: Final = 88
_UNDECLARED_UNIT: Final = "undeclared-unit"
_NEEDS: Final = {"sensitive": "sensitive column", "population": "file of the population"}


@dataclass(frozen=True)
class ProfileFile:
    """A profile that is installed: its name, and its TOML file."""

    name: str
    path: Path


PROFILES: Final[Plugins[ProfileFile]] = Plugins(
    "anonaudit.profiles", "profile", {"name": "name", "path": "path"}
)


class LineStatus(enum.StrEnum):
    """What a release answers to a line."""

    MET = "met"
    NOT_MET = "not met"
    NOT_DECIDABLE = "not decidable from this file"
    FOR_A_PERSON = "for a person to judge"


@dataclass(frozen=True, eq=False)
class Line:
    """What a guideline asks.

    asks: in a sentence. source: document, and clause where it is known. note: what is to be known
    of the measurement.
    One of three says how it is answered. require: a model and its limits. kinds: what no column may
    hold, as `anonaudit scan` calls it. judge: why a person must.
    needs: `sensitive` or `population`, if the requirement cannot be measured without. necessary: a
    release that keeps the requirement need not do what is asked, so a person judges it then.
    crossed: a class is split by the values of a sensitive column, of each one in its turn.
    identifiers: a released column that the policy names as an identifier breaks the line.
    counted: whether the answer counts; if not, it is printed beside another reading, which does.
    """

    asks: str
    source: str
    require: Requirement | None = None
    kinds: tuple[str, ...] = ()
    judge: str = ""
    needs: str = ""
    necessary: bool = False
    crossed: bool = False
    identifiers: bool = False
    counted: bool = True
    note: str = ""


@dataclass(frozen=True, repr=False)
class Profile(notebook.Result):
    """The lines of a guideline. title, source: of the guideline as a whole."""

    name: str
    title: str
    source: str
    lines: tuple[Line, ...]

    def _line(self) -> str:
        return f"{self.name}: {len(self.lines)} lines of {self.title}"


@dataclass(frozen=True)
class Answer:
    """The answer to one line. found: what it rests on, in a sentence, without any cell."""

    line: Line
    status: LineStatus
    found: str


@dataclass(frozen=True, repr=False)
class Answers(notebook.Result):
    """The answers to all lines, in their order, and what the audit warned of."""

    lines: tuple[Answer, ...]
    warnings: tuple[Notice, ...] = ()

    @property
    def statuses(self) -> tuple[LineStatus, ...]:
        """Of the lines that count."""
        return tuple(answer.status for answer in self.lines if answer.line.counted)

    def _line(self) -> str:
        return ", ".join(f"{n} {status}" for status, n in lines_by_status(self).items() if n)

    def _shown(self) -> notebook.Shown:
        """A row for each line of the profile."""
        rows = [["asked", "answer", "it rests on", "source"]]
        for one in self.lines:
            status = one.status if one.line.counted else f"{one.status} (not counted)"
            rows.append([one.line.asks, status, one.found, one.line.source])
        said = "This is no verdict on compliance: a person decides."
        return notebook.Shown(f"Answers: {self._line()}", rows, (0, 1, 2, 3), (said,))


def read_profile(name: str) -> Profile:
    """Read a profile by its name, or from a file whose name ends in `.toml`.

    Raises AnonauditError for an unknown name, and PolicyError with every mistake in the file.

    >>> read_profile("cms-11").lines[0].require
    Requirement(name='k-anonymity', parameters={'k': 11})
    """
    path = Path(name)
    if not name.endswith(".toml"):
        if name not in PROFILES:
            raise AnonauditError(
                f"there is no profile {name!r}; there are {', '.join(PROFILES)}, and files that "
                "end in .toml"
            )
        path = PROFILES[name].path
    try:
        content = path.read_text("utf-8")
        tables, lines = load(content)
    except (OSError, UnicodeDecodeError) as error:
        raise AnonauditError(f"{path}: the profile cannot be read: {error}") from None
    except TomlError as error:
        message = f"{path}, line {error.line}: this is not valid TOML: {error}"
        raise AnonauditError(message) from None
    document = Document(str(path), tables, lines, path.parent)
    settings = document.entry().read(table(_PROFILE, 'title = "..."')) or {}
    for key in _PROFILE:
        if key not in tables:
            document.note((key,), "is missing")
    document.close()
    return Profile(path.stem, **settings)


def ask(
    profile: Profile, source: Source, policy: Policy, *, countries: Sequence[str] = ()
) -> Answers:
    """Ask a release every line of a profile.

    The release is audited by the policy with the requirements of the profile in place of the
    policy's own, and its columns are scanned.

    profile, source: the guideline, the release. policy: says what the columns are. countries: whose
    identity numbers are recognised, as of `scan`.

    Raises what `audit_release` and `scan` raise.
    """
    given = {"sensitive": policy.roles.sensitive, "population": policy.population}
    measurable = [line for line in profile.lines if not line.needs or given[line.needs]]
    plain = [line for line in measurable if line.require is not None and not line.crossed]
    measured, report = _measured(source, policy, plain)
    crossed = [line for line in measurable if line.require is not None and line.crossed]
    by_column = [
        _measured(source, _crossed(policy, column), crossed)[0]
        for column in (policy.roles.sensitive if crossed else ())
    ]
    columns = None
    if any(line.kinds for line in profile.lines):
        columns = scan(source, countries=countries)
    doubts = _doubts(report)
    released = [name for name in policy.roles.identifiers if name in source.columns]
    answers = []
    for line in profile.lines:
        if line.identifiers and released:
            answer = _declared(line, released, columns)
        elif line.judge:
            answer = Answer(line, LineStatus.FOR_A_PERSON, line.judge)
        elif line.require is None:
            answer = _by_kinds(line, columns)
        elif line not in measurable:
            reason = f"It is not measured: the policy names no {_NEEDS[line.needs]}."
            answer = Answer(line, LineStatus.NOT_DECIDABLE, reason)
        else:
            each = [some[id(line)] for some in (by_column if line.crossed else [measured])]
            answer = _of_people(_by_model(line, _worst(each)), line.require, doubts)
        answers.append(answer)
    return Answers(tuple(answers), report.warnings)


def _measured(
    source: Source, policy: Policy, lines: Sequence[Line]
) -> tuple[dict[int, Measurement], AuditReport]:
    """What was measured, by the identity of the line, and the report of the audit."""
    required = tuple(line.require for line in lines if line.require is not None)
    report = audit_release(source, replace(policy, requirements=required, attacks=()))
    # What was required comes first in a report, in its order.
    return dict(zip(map(id, lines), report.models, strict=False)), report


def _crossed(policy: Policy, column: str) -> Policy:
    """The policy whose classes are split by the values of a sensitive column."""
    quasi_identifiers = (*policy.roles.quasi_identifiers, column)
    roles = replace(policy.roles, quasi_identifiers=quasi_identifiers, sensitive=())
    return replace(policy, roles=roles)


def _worst(found: Sequence[Measurement]) -> Measurement:
    """The one that falls short, else the one that is undecided, else the least safe."""

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
    """Why classes that are large enough may still not protect everybody, a sentence each."""
    doubts = []
    if not report.columns.get("quasi_identifiers"):
        doubts.append("the policy names no quasi-identifier, so all rows are one class.")
    unsure = [repr(one.column) for one in report.warnings if one.code == _UNDECLARED_UNIT]
    if unsure:
        doubts.append(
            "rows were counted, and people seem to have several rows each: if "
            f"{', '.join(unsure)} tells people apart, name it in the policy as columns.unit."
        )
    apart = report.release.suppressed_tuples + report.release.dropped_rows
    if apart:
        rows = figures.counted(apart, "row")
        are = "is" if apart == 1 else "are"
        doubts.append(f"{rows} {are} in no class, and may be of people who are alone.")
    if alone := alone_by_history(model.details for model in report.models):
        doubts.append(f"all rows of a person together tell {alone} person(s) apart.")
    return doubts


def _of_people(answer: Answer, require: Requirement, doubts: Sequence[str]) -> Answer:
    """The answer, undecided where something speaks against it that its model does not measure."""
    about_columns = describe_model(require.name).of_the_columns
    if not doubts or about_columns or answer.status is LineStatus.NOT_MET:
        return answer
    reason = f"{answer.found} But {' Also, '.join(doubts)}"
    return Answer(answer.line, LineStatus.NOT_DECIDABLE, reason)


def _declared(line: Line, released: Sequence[str], file: ScannedFile | None) -> Answer:
    """A released column that the policy names as an identifier breaks the line."""
    named = ", ".join(map(repr, released))
    reason = (
        f"The policy names as identifiers what is in the file: {named}. Remove it, or, if this "
        "line does not mean it, name it otherwise in the policy."
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
        return Answer(line, LineStatus.NOT_MET, f"Recognised in the column(s) {named}.")
    reason = "No column was recognised as such; what is not recognised may be one all the same."
    texts = [repr(column.name) for column in columns if FREE_TEXT in column.kinds]
    if texts:
        reason += f" Free text may hold anything: {', '.join(texts)}."
    return Answer(line, LineStatus.FOR_A_PERSON, reason)


def _by_model(line: Line, measurement: Measurement) -> Answer:
    level = "no level" if measurement.measured is None else f"{measurement.measured:.4g}"
    side = "at least" if measurement.safer == "higher" else "at most"
    said = f"{measurement.model} is {level}; {side} {measurement.required:.4g} is asked."
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
    """The kinds of a column that are among these."""
    return [kind for kind in (*column.direct_kinds, *column.kinds) if kind in kinds]


def lines_by_status(answers: Answers) -> dict[str, int]:
    """How many lines have which status, in the order of `LineStatus`, of those that count."""
    return {str(status): answers.statuses.count(status) for status in LineStatus}


def to_text(profile: Profile, source: str, answers: Answers) -> str:
    """Lay out the answers; the first line counts them."""
    numbers = ", ".join(f"{n} {status}" for status, n in lines_by_status(answers).items() if n)
    lines = paragraph(f"{printable(source)}, asked by {profile.name}: {numbers}.", _WIDTH)
    lines += paragraph(f"{profile.title}. {profile.source}.", _WIDTH)
    lines += paragraph(
        "This is no verdict on compliance: a person decides, from this and what else is known.",
        _WIDTH,
    )
    if answers.warnings:
        warned = ", ".join(
            notice.code + ("" if notice.column is None else f" ({printable(notice.column)!r})")
            for notice in answers.warnings
        )
        lines += paragraph(
            f"The audit warns: {warned}. `anonaudit explain` tells what a warning means, "
            "`anonaudit audit` prints it in full.",
            _WIDTH,
        )
    for answer in answers.lines:
        beside = "" if answer.line.counted else " (not counted)"
        lines += ["", *paragraph(f"{answer.status.upper()}{beside}: {answer.line.asks}", _WIDTH)]
        below = [printable(answer.found), f"Source: {answer.line.source}."]
        below += [f"Note: {answer.line.note}"] if answer.line.note else []
        for said in below:
            lines += paragraph(said, _WIDTH, first="  ", rest="  ")
    return "\n".join(lines) + "\n"


def to_json(profile: Profile, source: str, answers: Answers) -> str:
    """One object: the profile, the release, and one object a line and a warning."""
    said = {
        "profile": profile.name,
        "title": profile.title,
        "source": profile.source,
        "release": source,
        "counts": lines_by_status(answers),
        "lines": [
            {
                "asks": answer.line.asks,
                "source": answer.line.source,
                "status": answer.status,
                "found": answer.found,
                "note": answer.line.note or None,
                "counted": answer.line.counted,
            }
            for answer in answers.lines
        ],
        "warnings": [{"code": notice.code, "column": notice.column} for notice in answers.warnings],
    }
    return json.dumps(said, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _line(entry: Entry) -> Line:
    before = len(entry.document.problems)
    settings: dict[str, Any] = table(_LINE, '{ asks = "...", source = "..." }')(entry)
    for key in ("asks", "source"):
        if key not in entry.value:
            entry.note(f"has no {key}")
    if sum(key in entry.value for key in ("require", "kinds", "judge")) != 1:
        entry.note("is answered by one of require, kinds and judge")
    if settings.get("crossed") and (
        settings.get("needs") != "sensitive" or "require" not in settings
    ):
        entry.inside("crossed").note('takes a require, and needs = "sensitive"')
    if settings.get("identifiers") and "require" in settings:
        entry.inside("identifiers").note("takes kinds or judge")
    if len(settings.get("require", (None,))) != 1:
        entry.inside("require").note("must name one model")
    if len(entry.document.problems) > before:
        raise MistakeError
    if "require" in settings:
        (settings["require"],) = settings["require"]
    return Line(**settings)


def _needs(entry: Entry) -> str:
    if entry.value not in _NEEDS:
        raise entry.expected("'sensitive' or 'population'")
    return str(entry.value)


_LINE: Final[Mapping[str, Reader[Any]]] = {
    "asks": string,
    "source": string,
    "require": requirements,
    "kinds": list_of("kinds", string, least=1),
    "judge": string,
    "needs": _needs,
    "necessary": boolean,
    "crossed": boolean,
    "identifiers": boolean,
    "counted": boolean,
    "note": string,
}
_PROFILE: Final[Mapping[str, Reader[Any]]] = {
    "title": string,
    "source": string,
    "lines": list_of("lines", _line, least=1),
}
