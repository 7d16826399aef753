"""Run the tests against other people's tools: their releases, pycanon's numbers, their anonymizers.

    python benchmarks/thirdparty/run.py [options of pytest]

Options go to pytest as they are, for example `-n 2` or `-k test_verdict`. The exit code is
pytest's. The releases are looked for in `shared/releases` beside the checkout, or in the folder
that ANONAUDIT_SHARED names instead of `shared`. Tests whose release or package is missing are
skipped.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options = parser.parse_known_args()[1]
    shared = Path(os.environ.get("ANONAUDIT_SHARED", ROOT.parent / "shared"))
    if not (shared / "releases" / "manifest.json").is_file():
        print(
            f"{shared / 'releases'}: no releases here, so their tests are skipped. "
            "Let ANONAUDIT_SHARED name the folder that has releases/ in it.",
            file=sys.stderr,
        )
    settings = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT)]
    command = [sys.executable, "-m", "pytest", *settings, *options, str(HERE)]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
