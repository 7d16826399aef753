"""The commands, run as users run them, and a folder of canaries."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Command
from safety.canaries import lay_out


@pytest.fixture(scope="module")
def anonaudit() -> Iterator[Command]:
    command = Command()
    yield command
    command.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("canaries")
    lay_out(folder)
    return folder
