"""Which part a column is proposed for, and why: first its name, then its numbers."""

from __future__ import annotations

from typing import Final, Literal

from anonaudit.auditing.notices import FEWEST_ROWS_TO_JUDGE, NEARLY
from anonaudit.generalization.column_names import Hint
from anonaudit.generalization.value_kinds import DIAGNOSES, FREE_TEXT
from anonaudit.proposal.look import Look

Part = Literal["identifier", "quasi-identifier", "sensitive", "unit"]

# So many different texts still are categories; so many different numbers still are codes.
CATEGORIES: Final = 100
CODES: Final = 20


def choose(
    hint: Hint | None,
    look: Look,
    direct: str | None = None,
    kind: str | None = None,
    *,
    role: Part | None = None,
    coded: bool = False,
) -> tuple[Part | None, str]:
    """The part of a column, None where that is for a person to decide, and the reason.

    hint: what its name speaks of. look: its numbers. direct: the direct identifiers that its values
    look like. These decide before its name does, and however often each value stands there.
    kind: as `value_kind` gives it; diagnoses and free text decide before the name as well.
    role: what a dictionary says; only direct identifiers decide before it. coded: whether a
    dictionary lists its values.
    """
    if direct is not None:
        return "identifier", f"it holds what looks like {direct}"
    if role is not None:
        return role, "the dictionary says so"
    if kind == DIAGNOSES:
        return "sensitive", f"it holds {kind}"
    if kind == FREE_TEXT:
        return "identifier", "it holds free text, which may name anybody; take it out"
    if hint is None:
        listed = coded and not look.all_different and 1 < look.distinct <= CATEGORIES
        if listed:
            return (
                "quasi-identifier",
                "its values are listed; unless others cannot know them, they count",
            )
        return _by_numbers(look)
    if hint.kind == "person" or hint.kind == "number":  # noqa: PLR1714 (mypy narrows this form)
        return _number(hint, look)
    if hint.kind == "count":
        return _count(look)
    return hint.kind, f"the {hint.of} speaks of {hint.topic}"


def _count(look: Look) -> tuple[Part | None, str]:
    if look.whole and not look.all_different:
        return None, (
            "by its name it may say for how many records a row stands; if so, make it the count"
        )
    return _by_numbers(look)


def _number(hint: Hint, look: Look) -> tuple[Part | None, str]:
    """A column whose name speaks of a number of something: one a row, or several rows each."""
    if look.all_different or not look.rows:
        return "identifier", f"the {hint.of} speaks of {hint.topic}, and every row has its own"
    if hint.kind == "number":
        return _by_numbers(look)
    if look.distinct < 2:
        return None, f"the {hint.of} speaks of {hint.topic}, but all cells are alike"
    if look.missing or look.suppressed or look.missing_tokens or look.suppressed_tokens:
        return None, (
            f"the {hint.of} speaks of {hint.topic}, some with several rows; persons could be "
            "counted by it (as the unit) if no row lacked it"
        )
    each = f"{look.rows / look.distinct:.3g}"
    return "unit", f"the {hint.of} speaks of {hint.topic}, on average with {each} rows each"


def _by_numbers(look: Look) -> tuple[Part | None, str]:
    """A column whose name says nothing."""
    if not look.rows:
        return None, "there are no rows to judge by"
    if 2 * look.generalized >= look.rows and not look.all_different:
        return "quasi-identifier", (
            "most cells are generalized or suppressed, as is done with what others know"
        )
    if look.distinct + bool(look.missing) + bool(look.suppressed) < 2:
        return None, "all cells are alike, so it tells nobody apart"
    if 2 * look.distinct > look.rows and look.rows < FEWEST_ROWS_TO_JUDGE:
        return None, f"fewer than {FEWEST_ROWS_TO_JUDGE} rows are too few to tell what it is"
    if look.consecutive:
        return "identifier", "it numbers the rows, as tools do that write their index"
    if look.numbers and not look.whole:
        return None, "measured numbers; exact ones can single a person out for who knows them"
    if look.all_different:
        return "identifier", "every row has its own value, as with a number for a person"
    if look.numbers and look.distinct > CODES:
        return None, "many different numbers, known to others or not"
    if look.distinct > NEARLY * look.rows:
        return "identifier", "nearly every row has a text of its own, such as a name or a remark"
    if look.distinct > CATEGORIES:
        return None, "many different texts, known to others or not"
    return "quasi-identifier", "few different values; unless others cannot know them, they count"
