"""Profiles: check a release against a guideline, line by line (`anonaudit profile`).

A profile is a TOML file. A package that brings its own profiles has one entry point for each
profile, in the group `anonaudit.profiles`. The entry point loads a `ProfileFile`.
"""

from __future__ import annotations

from anonaudit.profiles.answer_sheet import to_json, to_text
from anonaudit.profiles.answers import Answer, Answers, LineStatus, ask
from anonaudit.profiles.label_rules import read_areas
from anonaudit.profiles.profile import PROFILES, Line, Profile, ProfileFile, read_profile

__all__ = [
    "PROFILES",
    "Answer",
    "Answers",
    "Line",
    "LineStatus",
    "Profile",
    "ProfileFile",
    "ask",
    "read_areas",
    "read_profile",
    "to_json",
    "to_text",
]
