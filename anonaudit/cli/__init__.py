"""The command line. Each command has its own file, which parses, calls the library and renders."""

from __future__ import annotations

from anonaudit.cli.app import main

__all__ = ["main"]
