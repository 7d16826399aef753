"""What can go wrong, in the user's words.

Every message says what was expected, what came, and what to do. No message quotes
a cell of the release: a log is not a place for somebody's diagnosis.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


class AnonauditError(Exception):
    """The input cannot be audited as it was given. The command line ends with exit code 2."""


class InputError(AnonauditError):
    """A file or frame cannot be read as a table."""


class RoleError(AnonauditError):
    """The columns named as quasi-identifiers, sensitive, ... do not fit the table."""


class HierarchyError(AnonauditError):
    """A value generalization hierarchy is not a tree, or lacks a value it needs.

    `values` holds the offending values, in order, for callers that want to act on them.
    """

    def __init__(self, message: str, values: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.values = tuple(values)


class PolicyError(AnonauditError):
    """A policy is wrong. `problems` lists every mistake, each with its key and line."""

    def __init__(self, source: str, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        count = "1 mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
        listed = "\n".join(f"  - {problem}" for problem in problems)
        super().__init__(f"{source}: {count} in the policy\n{listed}")


def internal_error(error: Exception) -> str:
    """The message for an error that no input should cause; its own words may quote a cell."""
    return (
        f"internal error ({type(error).__name__}); this is a fault of anonaudit. Run again "
        "with ANONAUDIT_DEBUG=1 for the place, and please report it"
    )


def printable_lines(message: str) -> str:
    r"""The message with what does not print as escapes, line ends apart: names are anybody's.

    >>> printable_lines("\x1b[31m.csv: is empty")
    '\\x1b[31m.csv: is empty'
    """
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in message)


def closest(name: str, known: Iterable[str]) -> str:
    """A hint with the known names nearest to `name`, or with all of them if none is near."""
    names = list(known)
    folded = {candidate.casefold().strip(): candidate for candidate in names}
    near = [folded[m] for m in difflib.get_close_matches(name.casefold().strip(), folded, n=3)]
    if near:
        return "Did you mean " + " or ".join(repr(candidate) for candidate in near) + "?"
    return "There are: " + listed(names) + "." if names else "There are none."


def listed(names: Iterable[str]) -> str:
    """Names in quotes, the first ten of them, and how many more there are."""
    quoted = [repr(name) for name in names]
    rest = len(quoted) - 10
    return ", ".join(quoted[:10]) + (f" and {rest} more" if rest > 0 else "")
