"""The command, for every file of tests of the command line."""

from collections.abc import Iterator

import pytest
from command import Command


@pytest.fixture(scope="module")
def anonaudit() -> Iterator[Command]:
    """The command, started once a file."""
    command = Command()
    yield command
    command.close()
