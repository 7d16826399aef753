"""Golden files: what a report looks like, read by a person before it is kept.

ANONAUDIT_UPDATE_GOLDEN=1 writes them anew; look at `git diff tests/report/golden` afterwards.
"""

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def agrees_with(name, text):
    """Compare with the golden file of that name, or write it if that was asked for."""
    file = FOLDER / name
    if os.environ.get("ANONAUDIT_UPDATE_GOLDEN") == "1":
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    assert file.exists(), f"no golden file {name}: ANONAUDIT_UPDATE_GOLDEN=1 writes it"
    assert text == file.read_text(encoding="utf-8")
