"""The record of an audit: an in-toto statement (https://in-toto.io/Statement/v1), to check later.

Its subject is the release, by its SHA-256. Its predicate is the report, without any cell, the
policy and the files that it names by their SHA-256, and the versions of what counted. It has no
date, so the same audit gives the same bytes; whoever signs it adds one.
"""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any, Final

from anonaudit.errors import InputError
from anonaudit.findings import AuditReport
from anonaudit.report.comparison import Json, read_report
from anonaudit.report.json import escaped_json, strict_loads, to_dict
from anonaudit.source.table import open_source
from anonaudit.source.unpacking import digest_of
from anonaudit.source.written_path import path_from
from anonaudit.version import __version__

STATEMENT: Final = "https://in-toto.io/Statement/v1"
# A name, and no address: nothing is to be fetched there.
PREDICATE: Final = "https://anonaudit.example/audit/v1"
_COUNTING: Final = ("duckdb", "numpy", "pandas", "scipy")
_SHA256: Final = re.compile("[0-9a-f]{64}")
# What a report says of names, hashes and versions the statement says, too: see `_repeats`.
_ELSEWHERE: Final = {
    "release": ("source", "sha256"),
    "provenance": ("policy", "policy_sha256", "version"),
}


def to_statement(
    report: AuditReport, *, release: str, policy: str | None, files: Mapping[str, str]
) -> dict[str, Any]:
    """The statement on an audit.

    release, policy: their names; policy is None where columns were named by options. files: the
    SHA-256 of every other file that was read, by name.

    Raises InputError for a release without a hash: a table in memory, or of Spark's.
    """
    sha256 = report.release.sha256
    if sha256 is None:
        raise InputError("only the audit of a file can be attested: this release has no SHA-256")
    content: dict[str, Any] = {**to_dict(report)}
    content["release"]["source"] = release  # whatever folder it was named from
    if policy is not None:
        content["provenance"]["policy"] = policy
    return {
        "_type": STATEMENT,
        "subject": [{"name": release, "digest": {"sha256": sha256}}],
        "predicateType": PREDICATE,
        "predicate": {
            "report": content,
            "policy": None
            if policy is None
            else {"name": policy, "digest": {"sha256": report.provenance["policy_sha256"]}},
            "files": [{"name": n, "digest": {"sha256": sha}} for n, sha in sorted(files.items())],
            "versions": {
                "anonaudit": __version__,
                "python": platform.python_version(),
                **{name: version(name) for name in _COUNTING},
            },
        },
    }


def statement_of(
    report: AuditReport,
    release: str | None,
    policy: Path | None,
    folder: Path,
    *,
    own: Path | None,
    beside: Iterable[Path],
) -> dict[str, Any]:
    """The statement on an audit; it names the policy from the folder that it will be written to.

    own: the release that the policy names; it is called as the policy has it, whether it is meant
    by None or named. beside: the other files that the policy names.
    """
    files: dict[str, str] = {}
    if policy is not None:
        for path in beside:
            sha256 = digest_of(path) if path.is_file() else open_source(path).sha256
            if sha256 is None:
                raise InputError(f"{path}: has no SHA-256, so no record can tell it from another")
            files[path_from(policy.parent, str(path))] = sha256
    named = None if policy is None else path_from(folder, policy)
    if own is not None and (release is None or os.path.realpath(own) == os.path.realpath(release)):
        release = str(own)
    name = Path(release or "").name
    return to_statement(report, release=name, policy=named, files=files)


def to_json(statement: Mapping[str, Any]) -> str:
    """A statement as the text of a file."""
    text = json.dumps(statement, indent=2, ensure_ascii=False, allow_nan=False)
    return escaped_json(text) + "\n"


def read_statement(name: str, text: str) -> dict[str, Any]:
    """A statement from its text. Raises InputError for one that `audit --attest` did not write."""
    try:
        statement = strict_loads(text)
        if (statement["_type"], statement["predicateType"]) != (STATEMENT, PREDICATE):
            raise InputError(
                f"{name}: is a statement about something else; expected predicateType {PREDICATE!r}"
            )
        predicate = statement["predicate"]
        (subject,) = statement["subject"]
        policy = predicate["policy"]
        named = [subject, *predicate["files"], *([] if policy is None else [policy])]
        "".join(one["name"] for one in named)  # raises for what is no text
        for one in named:
            _refuse_no_hash(_digest(one))
        dict(predicate["versions"])
        _read_report(name, predicate["report"])
        if not _repeats(predicate["report"], subject, policy, predicate["versions"]):
            raise InputError(
                f"{name}: names another file, hash or version in its report than beside it; write "
                "the record again by `anonaudit audit --attest`"
            )
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        raise InputError(
            f"{name}: is not a statement, or a damaged one; expected a file of "
            "`anonaudit audit --attest` (RELEASE.audit.json of `anonaudit mask` is a report)"
        ) from None
    return dict(statement)


def _refuse_no_hash(digest: str) -> None:
    """Raise ValueError for what is no SHA-256: an empty one would equal another empty one."""
    if not _SHA256.fullmatch(digest):
        raise ValueError("no SHA-256")


def _read_report(name: str, report: Any) -> None:
    try:
        read_report(name, json.dumps(report))
    except InputError as error:
        raise InputError(str(error).replace("--format json", "--attest")) from None


def _repeats(report: Json, subject: Json, policy: Json | None, versions: Json) -> bool:
    """Whether a report names what the statement around it names."""
    release, provenance = report["release"], report["provenance"]
    said = [release["source"], release["sha256"], provenance["version"]]
    beside = [subject["name"], _digest(subject), versions["anonaudit"]]
    if policy is None:
        return said == beside and provenance["policy_sha256"] is None
    said += [provenance["policy"], provenance["policy_sha256"]]
    return said == [*beside, policy["name"], _digest(policy)]


def statement_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """In what two statements differ, versions apart; texts of reports are not repeated."""
    before, after = old["predicate"], new["predicate"]
    said = []
    if _digest(old["subject"][0]) != _digest(new["subject"][0]):
        said.append("the release is another file: its SHA-256 differs")
    if _digest(before["policy"]) != _digest(after["policy"]):
        said.append("the policy is another one: its SHA-256 differs")
    was, now = ({one["name"]: _digest(one) for one in p["files"]} for p in (before, after))
    for name in sorted({*was, *now}):
        if was.get(name) != now.get(name):
            how = "is read now" if name not in was else "differs" if name in now else "is not read"
            said.append(f"the file {name!r} {how}")
    said += _changes(_beside(old), _beside(new), "record")
    return [*said, *_changes(_compared(before["report"]), _compared(after["report"]), "report")]


def _beside(statement: Mapping[str, Any]) -> dict[str, Any]:
    """All of a statement but its report and what is compared by itself: hashes and versions.

    A policy is called by its name without the folder, as `verify --policy` may name a copy.
    """
    predicate = {k: v for k, v in statement["predicate"].items() if k != "report"}
    predicate["versions"] = dict.fromkeys(predicate["versions"])
    predicate["files"] = [_unhashed(one) for one in predicate["files"]]
    if predicate["policy"] is not None:
        policy = _unhashed(predicate["policy"])
        predicate["policy"] = {**policy, "name": PurePosixPath(policy["name"]).name}
    subject = [_unhashed(one) for one in statement["subject"]]
    return {**statement, "subject": subject, "predicate": predicate}


def _unhashed(named: Json) -> dict[str, Any]:
    digest = dict.fromkeys(named["digest"])
    return {**named, "digest": digest}


def other_versions(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Which versions differ; no difference by itself."""
    was, now = old["predicate"]["versions"], new["predicate"]["versions"]
    return [
        f"{name} {was.get(name, '-')}, now {now.get(name, '-')}"
        for name in {**was, **now}
        if was.get(name) != now.get(name)
    ]


def _digest(named: Any) -> Any:
    return None if named is None else named["digest"]["sha256"]


def _compared(report: Json) -> dict[str, Any]:
    return {
        key: {k: v for k, v in part.items() if k not in _ELSEWHERE[key]}
        if key in _ELSEWHERE
        else part
        for key, part in report.items()
    }


def _changes(old: Any, new: Any, path: str) -> Iterator[str]:
    """Every value that differs, by its path; numbers are shown."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            if key not in old or key not in new:
                yield f"{path}.{key}: is only in {'the record' if key in old else 'the new audit'}"
                continue
            yield from _changes(old.get(key), new.get(key), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (one, other) in enumerate(zip(old, new, strict=True)):
            named = (isinstance(one, dict) and one.get("name")) or i
            yield from _changes(one, other, f"{path}[{named}]")
    elif old != new or type(old) is not type(new):
        yield f"{path}: {_shown(old)}, now {_shown(new)}"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object of {len(value)}"
    return "a text" if isinstance(value, str) and " " in value else json.dumps(value)
