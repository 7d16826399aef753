"""One quick run of all experiments, for whoever looks at it."""

import os
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anonaudit.cli.app import app
from anonaudit.papers.reproduction.patients import VARIABLE

# Where the NIST excerpt is at hand, its experiments are run as well.
SHARED = Path(os.environ.get("ANONAUDIT_SHARED", Path(__file__).parents[4] / "shared"))
if (EXCERPT := SHARED / "datasets/nist/ma2019.csv").is_file():
    os.environ.setdefault(VARIABLE, str(EXCERPT))


@pytest.hookimpl(tryfirst=True)  # before marks are looked at
def pytest_collection_modifyitems(items):
    """Whoever needs the run of all experiments, a minute of work, is run with the long tests."""
    for item in items:
        here = item.path.parent == Path(__file__).parent
        if here and "made" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A quick run of everything, in two processes: its folder, and what it printed.

    Test processes share it: the first to come makes it, the others wait.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder, printed = shared / "reproduction", shared / "reproduction.txt"
    try:
        (shared / "reproduction.begun").touch(exist_ok=False)
    except FileExistsError:
        until = time.monotonic() + 300
        while not printed.exists():
            assert time.monotonic() < until, "the process that makes the run has not finished"
            time.sleep(0.2)
        return folder, printed.read_text("utf-8")
    options = ["--quick", "--seeds", "1", "-j", "2", "-o", str(folder)]
    found = CliRunner().invoke(app, ["reproduce", *options])
    assert found.exit_code == 0, found.output
    complete = shared / "reproduction.txt.new"
    complete.write_text(found.stdout, "utf-8")
    complete.replace(printed)
    return folder, found.stdout
