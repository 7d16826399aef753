"""Write a report as SARIF 2.1.0, for code scanning.

A result is a broken or undecided requirement, or a warning. A requirement that holds gives no
result. The rule of a result is the name of the model or attack, or the code of the warning;
`anonaudit explain` explains it. GitHub requires a file and a line for every result. These are the
release and its first line, because no other line is known for certain. The message names the data
rows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from urllib.parse import quote

from anonaudit.findings import AuditReport, Disclosure, Measurement, Notice, Outcome
from anonaudit.report.brief import SHORT, WIDTH, brief, falling_short, why_no_pass
from anonaudit.report.json import escaped_json
from anonaudit.report.plain import plain
from anonaudit.report.sections.demands import DIRECT_IDENTIFIERS, IDENTIFIER_RELEASED
from anonaudit.report.sections.verdict import verdict
from anonaudit.report.words import layout
from anonaudit.report.words.explanations import explanation
from anonaudit.report.words.wording import judged

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
VERSION = "2.1.0"
_LEVELS = {IDENTIFIER_RELEASED: "error", DIRECT_IDENTIFIERS: "warning"}  # other warnings: "note"


@dataclass(frozen=True)
class SarifResult:
    """One result: a broken or undecided requirement, or a warning.

    rule: the name of the model or attack, or the code of the warning.
    level: "error", "warning" or "note".
    about: a text that distinguishes this result from others with the same rule.
    column: the column that the result is about; None if there is no single one.
    place: the number of earlier results with the same rule, about and file.
    file, line: the location that a viewer shows.
    """

    rule: str
    level: str
    message: str
    about: str = ""
    column: str | None = None
    place: int = 0
    file: str = ""
    line: int = 1


def to_sarif(report: AuditReport, *, show_values: bool = False) -> str:
    """Return the report as SARIF. The same report gives the same bytes.

    show_values: True if labels of warnings may be shown. Cells of the release are never shown.
    """
    release = report.release
    results = [
        replace(result, file=release.source) for result in _results(report, show_values=show_values)
    ]
    return to_log(
        results,
        {release.source: release.sha256},
        version=str(report.provenance.get("version", "")),
        properties={
            "outcome": report.outcome.value,
            "verdict": layout.printable(verdict(report, WIDTH)),
            "provenance": plain(report.provenance),
        },
    )


def to_log(
    unplaced: Sequence[SarifResult],
    files: Mapping[str, str | None],
    *,
    version: str,
    properties: Mapping[str, object],
) -> str:
    """Return a SARIF log with one run.

    unplaced: the results; their `place` is set here.
    files: name -> SHA-256 of every audited file; None if the hash is not known.
    """
    # A policy may require the same model twice with the same parameters.
    keys = [(result.rule, result.about, result.file) for result in unplaced]
    results = [replace(r, place=keys[:i].count(keys[i])) for i, r in enumerate(unplaced)]
    rules = list(dict.fromkeys(result.rule for result in results))
    artifacts: list[dict[str, object]] = []
    for file, digest in files.items():
        uri, based = _uri(file)
        hashes: dict[str, object] = {} if digest is None else {"hashes": {"sha-256": digest}}
        artifacts.append({"location": {"uri": uri} | based} | hashes)
    places = {file: (i, artifacts[i]["location"]) for i, file in enumerate(files)}
    driver = {"name": "anonaudit", "version": version, "rules": [_rule(name) for name in rules]}
    run = {
        "tool": {"driver": driver},
        "artifacts": artifacts,
        "results": [
            _result(result, rules.index(result.rule), *places[result.file]) for result in results
        ],
        "columnKind": "unicodeCodePoints",
        "properties": properties,
    }
    log = {"$schema": SCHEMA, "version": VERSION, "runs": [run]}
    return escaped_json(json.dumps(log, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def _results(report: AuditReport, *, show_values: bool) -> Iterator[SarifResult]:
    if report.outcome is Outcome.INCONCLUSIVE and not falling_short(report):
        # No single requirement is undecided, so the result is about the whole audit.
        yield SarifResult(report.outcome.value, "warning", why_no_pass(report))
    alone = replace(report, outcome=Outcome.VIOLATED, models=(), attacks=(), warnings=())
    for model in report.models:
        if judged(model) and model.outcome in SHORT:
            said = brief(replace(alone, models=(model,)), whole=report)
            yield SarifResult(model.model, _level(model), said, repr(plain(model.parameters)))
    for attack in report.attacks:
        if attack.allowed is not None and attack.outcome in SHORT:
            said = brief(replace(alone, attacks=(attack,)), whole=report)
            yield SarifResult(attack.attack, _level(attack), said, attack.knowledge)
    for notice in report.warnings:
        labels = layout.name_list(notice.labels) if show_values else ""
        yield _warning(notice, labels)


def _level(finding: Measurement | Disclosure) -> str:
    return "error" if finding.outcome is Outcome.VIOLATED else "warning"


def _warning(notice: Notice, labels: str) -> SarifResult:
    where = "" if notice.column is None else f"{layout.name(notice.column)}: "
    said = layout.printable(where + notice.message + (f" ({labels})" if labels else ""))
    level = _LEVELS.get(notice.code, "note")
    return SarifResult(notice.code, level, said, repr(notice.column), notice.column)


def _rule(code: str) -> dict[str, object]:
    known = explanation(code)
    rule: dict[str, object] = {"id": layout.printable(code) or "unnamed"}
    if known is None:
        return rule
    return rule | {
        "shortDescription": {"text": known.means},
        "fullDescription": {"text": f"{known.means} {known.matters}"},
        "help": {"text": f"{known.means}\n\n{known.matters}\n\n{known.do}"},
        "properties": {"tags": ["privacy", known.kind]},
    }


def _result(result: SarifResult, rule: int, index: int, location: object) -> dict[str, object]:
    place: dict[str, object] = {
        "physicalLocation": {
            "artifactLocation": {**_mapping(location), "index": index},
            "region": {"startLine": result.line},
        }
    }
    if result.column is not None:
        name = layout.printable(result.column)
        place["logicalLocations"] = [{"name": name, "kind": "member"}]
    about = json.dumps([result.rule, result.about, result.place, location], sort_keys=True)
    return {
        "ruleId": layout.printable(result.rule) or "unnamed",
        "ruleIndex": rule,
        "level": result.level,
        # A viewer would turn ]( into a link.
        "message": {"text": result.message.replace("](", "] (") or "no message"},
        "locations": [place],
        "partialFingerprints": {
            "primaryLocationLineHash": hashlib.sha256(about.encode()).hexdigest()[:32]
        },
    }


def _mapping(location: object) -> Mapping[str, object]:
    return location if isinstance(location, Mapping) else {}


def _uri(source: str) -> tuple[str, dict[str, str]]:
    """Return the URI of a file and its base.

    The base of a relative path is the root of the repository. An absolute path has an empty base.
    """
    path = PurePath(source)
    shown = quote(path.as_posix().encode("utf-8", "surrogatepass"))
    if path.is_absolute():
        return f"file://{'' if shown.startswith('/') else '/'}{shown}", {}
    return shown or ".", {"uriBaseId": "%SRCROOT%"}
