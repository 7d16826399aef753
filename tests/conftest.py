"""Settings and helpers all tests share."""

import datetime
import os
from pathlib import Path

import hypothesis
import pytest

# The quick tests draw the same examples in every run, so that a change is judged by itself. The
# theorems among the long tests draw anew.
hypothesis.settings.register_profile("quick", max_examples=30, deadline=None, derandomize=True)
hypothesis.settings.register_profile("long", max_examples=2000, deadline=None)
hypothesis.settings.register_profile(
    "mutation", max_examples=20, deadline=None, derandomize=True, database=None
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.hookimpl(tryfirst=True)  # before marks are looked at
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Among the long tests alone, a theorem's is one: it draws the 2,000 examples of that profile.

    Or as many as HYPOTHESIS_PROFILE says. A test takes its settings when it is decorated, so a
    profile that is loaded later changes nothing.
    """
    if config.getoption("markexpr") != "long":
        return
    theorems = [item for item in items if item.get_closest_marker("theorem")]
    for item in theorems:
        item.add_marker(pytest.mark.long)
    if "HYPOTHESIS_PROFILE" not in os.environ:
        for function in {item.function for item in theorems if isinstance(item, pytest.Function)}:
            hypothesis.settings.get_profile("long")(function)


SEED_OF_THE_DAY = int(datetime.datetime.now(datetime.UTC).strftime("%Y%m%d"))
ROOT = Path(__file__).resolve().parents[1]


def shared_folder() -> Path:
    """The folder of outside material, which not every checkout has."""
    return Path(os.environ.get("ANONAUDIT_SHARED", ROOT.parent / "shared"))


@pytest.fixture
def shared() -> Path:
    """Outside material; the test is skipped, visibly, where it is absent."""
    folder = shared_folder()
    if not folder.is_dir():
        pytest.skip(f"needs the folder {folder.name}/ beside the checkout (or ANONAUDIT_SHARED)")
    return folder


def pytest_report_header() -> str:
    """The seed by which `anonaudit claims --recheck --seed` draws what the long tests drew."""
    return f"claims: the long tests draw with seed {SEED_OF_THE_DAY}"


@pytest.fixture
def seed_of_the_day() -> int:
    """The date as a number, the same in every test of a run."""
    return SEED_OF_THE_DAY


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes are named by their argument: compressed ones may differ from one worker to the next."""
    return argname if isinstance(val, bytes) else None
