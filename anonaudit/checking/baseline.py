"""Baselines: known violations, so that a check fails only for new or worse ones.

A baseline holds the numbers of every requirement that was violated when the baseline was written:
counts, levels and rates, but no cells. A violation is known while all of this is true:

- the policy has the same content as in the baseline, except for comments and layout;
- the baseline has the same requirement, violated, for a release of the same name;
- no number is worse than in the baseline, by the rules of `anonaudit diff` and by the counts of
  rows, persons, targets and undecided classes.

An undecided requirement is never known, because it may have become worse. For the same reason, a
violation is not known if the baseline lacks a number that is compared, as baselines of earlier
versions may. A count of 0 is accepted, because no count is lower.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from anonaudit.errors import InputError
from anonaudit.findings import AuditReport, Outcome
from anonaudit.report.comparison import fact_numbers, facts_of, worsened
from anonaudit.report.json import escaped_json, strict_loads, to_dict
from anonaudit.report.sections.demands import released
from anonaudit.source.unpacking import content_of
from anonaudit.source.written_path import path_from
from anonaudit.version import __version__

BASELINE_VERSION: Final = "1"
_KEPT: Final = (  # keys of a model and of an attack in a JSON report
    *("name", "parameters", "measured", "required", "safer", "rows_violating", "per_attribute"),
    *("classes_undecided", "targets", "identified", "disclosed", "undecided", "rate", "allowed"),
    "notes",
)
ItemKey = tuple[str, str, str, str]  # policy, hash of its content, release, item


@dataclass(frozen=True)
class Violation:
    """The numbers of a violated requirement, and the number of rows in the release.

    numbers: the keys _KEPT of the model or attack in a JSON report. For a model also the number of
        classes of the release, and as `details` the facts that are compared, None if not known. For
        the item `release`, the released identifiers.
    """

    rows: int
    numbers: Mapping[str, Any]

    @classmethod
    def of(cls, part: AuditReport) -> Violation | None:
        """Return the numbers in a report on one item; None if the item is not violated."""
        if part.outcome is not Outcome.VIOLATED:
            return None
        report = to_dict(part)
        findings = [*_list(report["models"]), *_list(report["attacks"])]
        numbers: dict[str, Any] = {"identifiers": sorted(released(part))}
        if findings:
            numbers = {key: findings[0][key] for key in _KEPT if key in findings[0]}
            if "safer" in numbers:  # a model; `classes` tells an infinite level from none
                numbers["classes"] = part.release.classes
                details = findings[0]["details"]
                labels = [fact.label for fact in facts_of(numbers)]
                numbers["details"] = {label: details.get(label) for label in labels}
        return cls(part.release.rows, numbers)

    def worse_than(self, before: Violation) -> list[str]:
        """Return the numbers that are worse than before, as texts such as `level 3 -> 2`."""
        if "identifiers" in self.numbers:
            new = {*self.numbers["identifiers"]} - {*before.numbers["identifiers"]}
            return [f"{len(new)} more identifier(s) in the release"] if new else []
        return [
            *worsened(before.numbers, self.numbers, (before.rows, self.rows)),
            *self._not_in(before),
        ]

    def _not_in(self, before: Violation) -> Iterator[str]:
        """Yield a phrase for each compared fact that a baseline of an earlier version lacks."""
        there = before.numbers.get("details", {})
        for fact in facts_of(self.numbers):
            numbers = fact_numbers(self.numbers.get("details", {}).get(fact.label))
            fewest = fact.whole and not any(numbers.values())  # no count is below 0
            if numbers and not fewest and fact.label not in there:
                lacks = "because the baseline lacks it; write the baseline again"
                yield f"{fact.label} may be, {lacks}"


def _list(value: Any) -> list[dict[str, Any]]:
    return value if isinstance(value, list) else []


class Baseline:
    """Known violations by policy, release and item. Policy paths are relative to `folder`."""

    def __init__(self, folder: Path, known: Mapping[ItemKey, Violation]) -> None:
        self.folder, self.known = folder, known

    def policy(self, path: Path) -> tuple[str, str]:
        """Read a policy file, and return its relative path and the hash of its content.

        These are the first two parts of each ItemKey of this policy.
        """
        return _policy(path, self.folder)

    def judge(self, key: ItemKey, now: Violation | None) -> tuple[bool, list[str]]:
        """Return whether a violation is known, and the numbers that are worse than the baseline.

        now: the present violation; None if the item is not violated. Then the result is
            (False, []).

        Raises InputError if the violation in the baseline lacks numbers.
        """
        before = self.known.get(key)
        if now is None or before is None:
            return False, []
        try:
            worse = now.worse_than(before)
        except (ValueError, LookupError, TypeError, AttributeError):
            raise InputError(
                f"the baseline of {key[0]} is damaged at {key[3]} of {key[2]}; write it again by "
                "`anonaudit check --write-baseline`"
            ) from None
        return not worse, worse

    def changed(self, policy: tuple[str, str]) -> bool:
        """Return True if the baseline has this policy with another content.

        policy: the result of the method `policy`.
        """
        name, meaning = policy
        return any(key[0] == name and key[1] != meaning for key in self.known)


def _policy(policy: Path, folder: Path) -> tuple[str, str]:
    """Return the path of a policy relative to a folder, and a hash of its content."""
    name = path_from(folder, policy)
    content = tomllib.loads(content_of(policy).decode("utf-8-sig").replace("\r\n", "\n"))
    said = json.dumps(content, sort_keys=True, default=str)
    return name, hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def to_json(known: Mapping[ItemKey, Violation]) -> str:
    """Return the text of a baseline file. The same violations give the same bytes."""
    policies: dict[str, Any] = {}
    for (policy, meaning, release, item), broken in known.items():
        there = policies.setdefault(policy, {"means": meaning, "releases": {}})
        entry = there["releases"].setdefault(release, {"rows": broken.rows, "violated": {}})
        entry["violated"][item] = broken.numbers
    content = {"schema_version": BASELINE_VERSION, "version": __version__, "policies": policies}
    text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return escaped_json(text) + "\n"


def read_baseline(path: Path) -> Baseline:
    """Read a baseline. Raises InputError for a file that `--write-baseline` did not write."""
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
        raise InputError(f"{path}: is not a baseline, or a damaged one; {wanted}") from None


def _entries(policies: Mapping[str, Any]) -> Iterable[tuple[ItemKey, Violation]]:
    for policy, there in policies.items():
        for release, entry in there["releases"].items():
            for item, numbers in entry["violated"].items():
                broken = Violation(int(entry["rows"]), numbers)
                broken.worse_than(broken)  # raises if a number is missing
                yield (policy, str(there["means"]), release, item), broken
