"""Settings and helpers all tests share."""

import datetime
import os
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("quick", max_examples=30, deadline=None)
hypothesis.settings.register_profile("long", max_examples=2000, deadline=None)
hypothesis.settings.register_profile(
    "mutation", max_examples=20, deadline=None, derandomize=True, database=None
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

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
