"""pytest with our plugin, in a process of its own, as the users of the plugin run it."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

from conftest import ROOT


def run_pytest(folder: Path, *options: str, autoload: bool = False) -> SimpleNamespace:
    """pytest in a process of its own, in the folder; without a cache, warnings as errors."""
    given = ["-W", "error", "-p", "no:cacheprovider", "--junitxml=junit.xml", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTEST_ADDOPTS", None)
    if not autoload:  # or the plugin would be registered twice where anonaudit is installed
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        given = ["-p", "anonaudit.pytest_plugin", *given]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *given],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    outcomes, texts = {}, {}
    file = folder / "junit.xml"
    for case in ET.parse(file).iter("testcase") if file.exists() else ():
        name = "::".join(filter(None, (case.get("classname"), case.get("name"))))
        (what,) = [part for part in case if part.tag != "properties"] or [None]
        outcomes[name] = "passed" if what is None else what.tag
        texts[name] = "" if what is None else f"{what.get('message')}\n{what.text}"
    return SimpleNamespace(
        code=done.returncode, out=done.stdout + done.stderr, outcomes=outcomes, texts=texts
    )
