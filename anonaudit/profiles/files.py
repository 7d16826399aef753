"""The profiles that come with anonaudit."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from anonaudit.profiles.profile import ProfileFile

_FOLDER: Final = Path(__file__).parent


def _ours(name: str) -> ProfileFile:
    return ProfileFile(name, _FOLDER / f"{name}.toml")


CMS_11: Final = _ours("cms-11")
EMA_0070: Final = _ours("ema-0070")
HIPAA_EXPERT: Final = _ours("hipaa-expert")
HIPAA_SAFE_HARBOR: Final = _ours("hipaa-safe-harbor")
ICO_MOTIVATED_INTRUDER: Final = _ours("ico-motivated-intruder")
WP216: Final = _ours("wp216")
