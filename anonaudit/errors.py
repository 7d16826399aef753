"""The exceptions that users see, and helpers for their messages.

A message says what was expected, what was given, and what to do. No message quotes a cell of the
release, because logs must not contain somebody's diagnosis.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Final

# What code of another package may raise. It includes SystemExit: a call of `sys.exit(0)` in a
# plug-in would otherwise end a command as if the release had passed.
FOREIGN_FAULTS: Final = (Exception, SystemExit)


class AnonauditError(Exception):
    """The input cannot be audited as given. A command that raises this ends with exit code 2."""


class InputError(AnonauditError):
    """A file or frame cannot be read as a table."""


class RoleError(AnonauditError):
    """The roles of columns (quasi-identifiers, sensitive, ...) do not fit the table."""


class HierarchyError(AnonauditError):
    """A value generalization hierarchy is not a tree, or lacks a value that is needed.

    `values` holds the wrong or missing values, in order, for code that handles the error.
    """

    def __init__(self, message: str, values: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.values = tuple(values)


class PolicyError(AnonauditError):
    """A policy has mistakes. `problems` lists all of them, each with its key and line."""

    def __init__(self, source: str, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        count = "1 mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
        listed = "\n".join(f"  - {problem}" for problem in problems)
        super().__init__(f"{source}: {count} in the policy\n{listed}")


def internal_error(error: Exception) -> str:
    """Return a message for an internal error. It omits the error's text, which may quote a cell."""
    return (
        f"internal error ({type(error).__name__}); this is a fault of anonaudit. Run again "
        "with ANONAUDIT_DEBUG=1 for the traceback, and please report it"
    )


def printable_lines(message: str) -> str:
    r"""Return the message with unprintable characters escaped, except line ends.

    File and column names may contain such characters.

    >>> printable_lines("\x1b[31m.csv: is empty")
    '\\x1b[31m.csv: is empty'
    """
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in message)


def closest(name: str, known: Iterable[str]) -> str:
    """Return a hint with the known names closest to `name`, or with all names if none is close."""
    names = list(known)
    folded = {candidate.casefold().strip(): candidate for candidate in names}
    near = [folded[m] for m in difflib.get_close_matches(name.casefold().strip(), folded, n=3)]
    if near:
        return "Did you mean " + " or ".join(repr(candidate) for candidate in near) + "?"
    return "There are: " + listed(names) + "." if names else "There are none."


def listed(names: Iterable[str]) -> str:
    """Return the first ten names in quotes, and how many more there are."""
    quoted = [repr(name) for name in names]
    rest = len(quoted) - 10
    return ", ".join(quoted[:10]) + (f" and {rest} more" if rest > 0 else "")
