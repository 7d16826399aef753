"""A baseline: what is known to be broken, so that only what got worse fails.

It holds, for every requirement that was violated when it was written, its numbers: counts, levels
and rates, and no cell. A violation is known while all of this is true:

- the policy says what it said then, comments and layout aside;
- the baseline has the same requirement of the release of the same name;
- no number got worse, by the rules of `anonaudit diff`, and by the counts of rows, persons and
  targets besides their shares.

An undecided requirement is never known, because it may have got worse.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from anonaudit.errors import InputError
from anonaudit.findings import AuditReport, Outcome
from anonaudit.report.comparison import HISTORIES, worsened
from anonaudit.report.json import escaped_json, strict_loads, to_dict
from anonaudit.report.sections.demands import released
from anonaudit.source.unpacking import content_of
from anonaudit.source.written_path import path_from
from anonaudit.version import __version__

BASELINE_VERSION: Final = "1"
_KEPT: Final = (  # of a model and of an attack, as a report has them
    *("name", "parameters", "measured", "required", "safer", "rows_violating", "per_attribute"),
    *("targets", "identified", "disclosed", "undecided", "rate", "allowed", "notes"),
)
ItemKey = tuple[str, str, str, str]  # policy, hash of its meaning, release, item


@dataclass(frozen=True)
class Violation:
    """A violated requirement: its numbers, and how many rows the release has."""

    rows: int
    numbers: Mapping[str, Any]

    @classmethod
    def of(cls, part: AuditReport) -> Violation | None:
        """The numbers of a report on one item; None if that is not violated."""
        if part.outcome is not Outcome.VIOLATED:
            return None
        report = to_dict(part)
        findings = [*_list(report["models"]), *_list(report["attacks"])]
        numbers: dict[str, Any] = {"identifiers": sorted(released(part))}
        if findings:
            numbers = {key: findings[0][key] for key in _KEPT if key in findings[0]}
            details = findings[0]["details"]
            if histories := {key: details[key] for key in HISTORIES if key in details}:
                numbers["details"] = histories
        return cls(part.release.rows, numbers)

    def worse_than(self, before: Violation) -> list[str]:
        """In what this is worse: `level 3 -> 2`."""
        if "identifiers" in self.numbers:
            new = {*self.numbers["identifiers"]} - {*before.numbers["identifiers"]}
            return [f"{len(new)} more identifier(s) in the release"] if new else []
        return worsened(before.numbers, self.numbers, (before.rows, self.rows))


def _list(value: Any) -> list[dict[str, Any]]:
    return value if isinstance(value, list) else []


class Baseline:
    """Known violations by policy, release and item. folder: policies are named from it."""

    def __init__(self, folder: Path, known: Mapping[ItemKey, Violation]) -> None:
        self.folder, self.known = folder, known

    def policy(self, path: Path) -> tuple[str, str]:
        """How the keys of a policy's violations begin: its path from the folder, and its meaning.

        It reads the policy, so ask once for all violations.
        """
        return _policy(path, self.folder)

    def judge(self, key: ItemKey, now: Violation | None) -> tuple[bool, list[str]]:
        """Whether a violation is known, and in what it is worse than in the baseline."""
        before = self.known.get(key)
        if now is None or before is None:
            return False, []
        worse = now.worse_than(before)
        return not worse, worse

    def changed(self, policy: tuple[str, str]) -> bool:
        """Whether a policy says anything else than when the baseline was written."""
        name, meaning = policy
        return any(key[0] == name and key[1] != meaning for key in self.known)


def _policy(policy: Path, folder: Path) -> tuple[str, str]:
    """A policy's path from a folder, and the hash of what it says, whatever its layout is."""
    name = path_from(folder, policy)
    content = tomllib.loads(content_of(policy).decode("utf-8-sig").replace("\r\n", "\n"))
    said = json.dumps(content, sort_keys=True, default=str)
    return name, hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def to_json(known: Mapping[ItemKey, Violation]) -> str:
    """A baseline as the text of a file; the same violations give the same bytes."""
    policies: dict[str, Any] = {}
    for (policy, meaning, release, item), broken in known.items():
        there = policies.setdefault(policy, {"means": meaning, "releases": {}})
        entry = there["releases"].setdefault(release, {"rows": broken.rows, "violated": {}})
        entry["violated"][item] = broken.numbers
    content = {"schema_version": BASELINE_VERSION, "version": __version__, "policies": policies}
    text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return escaped_json(text) + "\n"


def read_baseline(path: Path) -> Baseline:
    """The baseline in a file; InputError for one that `--write-baseline` did not write."""
    wanted = "expected a file that `anonaudit check --write-baseline` wrote"
    try:
        text = content_of(path).decode("utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL, or not UTF-8
        reason = getattr(error, "strerror", None) or "is not UTF-8"
        raise InputError(f"{path}: cannot be read ({reason.lower()}); {wanted}") from None
    try:
        content = strict_loads(text)
        if content["schema_version"] != BASELINE_VERSION:
            raise InputError(f"{path}: is a baseline of another version; write it again")
        return Baseline(path.parent, dict(_entries(content["policies"])))
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        raise InputError(f"{path}: is no baseline, or a damaged one; {wanted}") from None


def _entries(policies: Mapping[str, Any]) -> Iterable[tuple[ItemKey, Violation]]:
    for policy, there in policies.items():
        for release, entry in there["releases"].items():
            for item, numbers in entry["violated"].items():
                broken = Violation(int(entry["rows"]), numbers)
                broken.worse_than(broken)  # raises where a number is lost
                yield (policy, str(there["means"]), release, item), broken
