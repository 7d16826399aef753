"""The command line: parses, calls the library, renders. One file a command."""

from __future__ import annotations

from anonaudit.cli.app import main

__all__ = ["main"]
