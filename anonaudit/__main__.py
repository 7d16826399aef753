"""`python -m anonaudit`, the same as the command `anonaudit`."""

from anonaudit.cli import main

main()
