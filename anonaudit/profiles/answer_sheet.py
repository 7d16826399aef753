"""The answers to a profile as text and as JSON."""

from __future__ import annotations

import json
from typing import Final

from anonaudit.profiles.answers import Answers
from anonaudit.profiles.profile import Profile
from anonaudit.report.words.layout import paragraph, printable

_WIDTH: Final = 88


def to_text(profile: Profile, source: str, answers: Answers) -> str:
    """Return the answers as text. The first line counts the answers of each status.

    source: the name of the release.
    """
    numbers = ", ".join(f"{n} {status}" for status, n in answers.by_status().items() if n)
    lines = paragraph(f"{printable(source)}, checked against {profile.name}: {numbers}.", _WIDTH)
    lines += paragraph(f"{profile.title}. {profile.source}.", _WIDTH)
    lines += paragraph(
        "This is no verdict on compliance: a person must decide, with all that is known.",
        _WIDTH,
    )
    if answers.warnings:
        warned = ", ".join(
            notice.code + ("" if notice.column is None else f" ({printable(notice.column)!r})")
            for notice in answers.warnings
        )
        lines += paragraph(
            f"The audit warns: {warned}. `anonaudit explain` explains a warning, and "
            "`anonaudit audit` prints it in full.",
            _WIDTH,
        )
    for answer in answers.lines:
        uncounted = "" if answer.line.counted else " (not counted)"
        lines += ["", *paragraph(f"{answer.status.upper()}{uncounted}: {answer.line.asks}", _WIDTH)]
        below = [printable(answer.found), f"Source: {answer.line.source}."]
        below += [f"Note: {answer.line.note}"] if answer.line.note else []
        for said in below:
            lines += paragraph(said, _WIDTH, first="  ", rest="  ")
    return "\n".join(lines) + "\n"


def to_json(profile: Profile, source: str, answers: Answers) -> str:
    """Return the answers as JSON: one object with the profile, the release, lines and warnings.

    source: the name of the release.
    """
    said = {
        "profile": profile.name,
        "title": profile.title,
        "source": profile.source,
        "release": source,
        "counts": answers.by_status(),
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
