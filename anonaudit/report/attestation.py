"""Write, read and compare the records of audits, for `audit --attest` and `verify`.

A record is an in-toto statement (https://in-toto.io/Statement/v1). Its subject is the release with
its SHA-256. Its predicate contains the report without any cell, the SHA-256 of the policy and of
the files that the policy names, and the versions of anonaudit and its libraries. A record has no
date, so the same audit gives the same bytes. Whoever signs the record adds a date.
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
# Only a name: nothing can be fetched from this address.
PREDICATE: Final = "https://anonaudit.example/audit/v1"
_COUNTING: Final = ("duckdb", "numpy", "pandas", "scipy")
_SHA256: Final = re.compile("[0-9a-f]{64}")
# The names, hashes and versions in a report that the statement repeats elsewhere: see `_repeats`.
_ELSEWHERE: Final = {
    "release": ("source", "sha256"),
    "provenance": ("policy", "policy_sha256", "version"),
}


def to_statement(
    report: AuditReport, *, release: str, policy: str | None, files: Mapping[str, str]
) -> dict[str, Any]:
    """Return the statement on an audit.

    release: the name of the release.
    policy: the name of the policy; None if there was no policy but options named the columns.
    files: name -> SHA-256, for every other file that was read.

    Raises InputError for a release without a hash, such as a table in memory or in Spark.
    """
    sha256 = report.release.sha256
    if sha256 is None:
        raise InputError("only the audit of a file can be attested: this release has no SHA-256")
    content: dict[str, Any] = {**to_dict(report)}
    content["release"]["source"] = release  # without its folder
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
    """Return the statement on an audit, with the files that the policy names.

    release: the path of the audited file; None if only the policy names it.
    policy: the path of the policy; None if there was no policy.
    folder: the folder that the statement will be written to. The statement names the policy by its
        path relative to this folder.
    own: the release that the policy names; None if it names none. If `release` is None or the same
        file as `own`, the statement uses the name of `own`.
    beside: the other files that the policy names.

    Raises InputError for a file that has no SHA-256.
    """
    files: dict[str, str] = {}
    if policy is not None:
        for path in beside:
            sha256 = digest_of(path) if path.is_file() else open_source(path).sha256
            if sha256 is None:
                raise InputError(f"{path}: has no SHA-256, so a record cannot identify it")
            files[path_from(policy.parent, str(path))] = sha256
    named = None if policy is None else path_from(folder, policy)
    if own is not None and (release is None or os.path.realpath(own) == os.path.realpath(release)):
        release = str(own)
    name = Path(release or "").name
    return to_statement(report, release=name, policy=named, files=files)


def to_json(statement: Mapping[str, Any]) -> str:
    """Return the statement as JSON text."""
    text = json.dumps(statement, indent=2, ensure_ascii=False, allow_nan=False)
    return escaped_json(text) + "\n"


def read_statement(name: str, text: str) -> dict[str, Any]:
    """Read a statement from its JSON text.

    name: the name of the file, for messages.

    Raises InputError if the text is not a statement that `audit --attest` wrote.
    """
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
        "".join(one["name"] for one in named)  # raises TypeError for a name that is not a text
        for one in named:
            _refuse_no_hash(_digest(one))
        dict(predicate["versions"])
        _read_report(name, predicate["report"])
        if not _repeats(predicate["report"], subject, policy, predicate["versions"]):
            raise InputError(
                f"{name}: the report and the rest of the record contradict each other in a file, "
                "hash or version; write the record again by `anonaudit audit --attest`"
            )
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        raise InputError(
            f"{name}: is not a statement, or is damaged; expected a file that `anonaudit audit "
            "--attest` wrote (RELEASE.audit.json of `anonaudit mask` is a report, not a statement)"
        ) from None
    return dict(statement)


def _refuse_no_hash(digest: str) -> None:
    """Raise ValueError for a text that is no SHA-256: two empty texts, for example, would agree."""
    if not _SHA256.fullmatch(digest):
        raise ValueError("no SHA-256")


def _read_report(name: str, report: Any) -> None:
    try:
        read_report(name, json.dumps(report))
    except InputError as error:
        raise InputError(str(error).replace("--format json", "--attest")) from None


def _repeats(report: Json, subject: Json, policy: Json | None, versions: Json) -> bool:
    """Return True if report and statement agree on the names, hashes and the version."""
    release, provenance = report["release"], report["provenance"]
    said = [release["source"], release["sha256"], provenance["version"]]
    beside = [subject["name"], _digest(subject), versions["anonaudit"]]
    if policy is None:
        return said == beside and provenance["policy_sha256"] is None
    said += [provenance["policy"], provenance["policy_sha256"]]
    return said == [*beside, policy["name"], _digest(policy)]


def statement_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return a phrase for each difference between two statements, except between their versions.

    A value that contains a blank is shown as `a text`.
    """
    before, after = old["predicate"], new["predicate"]
    said = []
    if _digest(old["subject"][0]) != _digest(new["subject"][0]):
        said.append("the release is another file: its SHA-256 differs")
    if _digest(before["policy"]) != _digest(after["policy"]):
        said.append("the policy is another file: its SHA-256 differs")
    was, now = ({one["name"]: _digest(one) for one in p["files"]} for p in (before, after))
    for name in sorted({*was, *now}):
        if was.get(name) != now.get(name):
            how = "is new" if name not in was else "differs" if name in now else "is no longer read"
            said.append(f"the file {name!r} {how}")
    said += _changes(_beside(old), _beside(new), "record")
    return [*said, *_changes(_compared(before["report"]), _compared(after["report"]), "report")]


def _beside(statement: Mapping[str, Any]) -> dict[str, Any]:
    """Return the statement without its report and without the values of hashes and versions.

    The name of the policy loses its folder, because `verify --policy` may name a copy.
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
    """Return a phrase for each version that differs. Audits may agree although versions differ."""
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
    """Yield a phrase for each value that differs, with its path."""
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
