"""Runs the command `anonaudit` as `python -m anonaudit`."""

from anonaudit.cli import main

main()
