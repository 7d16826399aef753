"""Which claims the collected tests show."""

from collections import defaultdict
from pathlib import Path

import pytest

SHOWN = pytest.StashKey[dict[str, set[str]]]()


@pytest.hookimpl(tryfirst=True)  # the long ones are still among them
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Remember, for each file of this folder, the ids its tests are marked with."""
    shown: dict[str, set[str]] = defaultdict(set)
    for item in items:
        if item.path.parent == Path(__file__).parent:
            shown[item.path.name].update(mark.args[0] for mark in item.iter_markers("claim"))
    config.stash[SHOWN] = dict(shown)


@pytest.fixture
def shown(pytestconfig: pytest.Config) -> dict[str, set[str]]:
    """The claims shown by each file; the test is skipped where only some files were collected."""
    found = pytestconfig.stash[SHOWN]
    missing = {path.name for path in Path(__file__).parent.glob("test_*.py")} - set(found)
    if missing:
        pytest.skip(f"run the whole folder: {min(missing)} was not collected")
    return found
