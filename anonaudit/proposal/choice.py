"""Choose the role of a column, with a reason. The package docstring lists the rules."""

from __future__ import annotations

from typing import Final, Literal

from anonaudit.auditing.notices import FEWEST_ROWS_TO_JUDGE, NEARLY
from anonaudit.generalization.column_names import Hint
from anonaudit.generalization.value_kinds import DIAGNOSES, FREE_TEXT
from anonaudit.proposal.look import Look

Part = Literal["identifier", "quasi-identifier", "sensitive", "unit"]

# Up to CATEGORIES different texts are taken for categories, and up to CODES different numbers for
# codes.
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
    """Return the role of a column and the reason. The role is None if the user must decide.

    hint: what the name or label of the column suggests; None if it suggests nothing.
    look: the counts and kinds of the values.
    direct: the kind of direct identifiers that the values look like, for example "e-mail
        addresses"; None if they look like none.
    kind: the kind of values from `value_kind`; None if it is not known.
    role: the role in the dictionary; None if the dictionary gives none. It overrules everything
        except `direct`.
    coded: True if the dictionary lists the values.
    """
    if direct is not None:
        return "identifier", f"the values look like {direct}"
    if role is not None:
        return role, "the role in the dictionary"
    if kind == DIAGNOSES:
        return "sensitive", f"the values are {kind}"
    if kind == FREE_TEXT:
        return "identifier", "free text, which may name persons; remove the column"
    if hint is None:
        listed = coded and not look.all_different and 1 < look.distinct <= CATEGORIES
        if listed:
            return "quasi-identifier", "the dictionary lists the values; others may know them"
        return _by_numbers(look)
    if hint.kind == "person" or hint.kind == "number":  # noqa: PLR1714 (mypy narrows this form)
        return _number(hint, look)
    if hint.kind == "count":
        return _count(look)
    return hint.kind, f"the {hint.of} suggests {hint.topic}"


def _count(look: Look) -> tuple[Part | None, str]:
    """Return the role of a column whose name suggests the number of records of a row."""
    if look.whole and not look.all_different:
        return None, (
            "the name or label suggests a number of records; if a row stands for several records, "
            "make this column the count"
        )
    return _by_numbers(look)


def _number(hint: Hint, look: Look) -> tuple[Part | None, str]:
    """Return the role of a column whose name suggests numbers that stand for persons or things."""
    suggests = f"the {hint.of} suggests {hint.topic}"
    if look.all_different or not look.rows:
        return "identifier", f"{suggests}, and every row has a different value"
    if hint.kind == "number":
        return _by_numbers(look)
    if look.distinct < 2:
        return None, f"{suggests}, but all cells are equal"
    if look.missing or look.suppressed or look.missing_tokens or look.suppressed_tokens:
        return None, (
            f"{suggests}, and values repeat; with a value in every row, it could be the unit, by "
            "which persons are counted"
        )
    each = f"{look.rows / look.distinct:.3g}"
    return "unit", f"{suggests}; a value has {each} rows on average"


def _by_numbers(look: Look) -> tuple[Part | None, str]:
    """Return the role of a column by the counts of its values alone."""
    if not look.rows:
        return None, "the release has no rows"
    if 2 * look.generalized >= look.rows and not look.all_different:
        return "quasi-identifier", (
            "most cells are generalized or suppressed, as usual in quasi-identifiers"
        )
    if look.distinct + bool(look.missing) + bool(look.suppressed) < 2:
        return None, "all cells are equal, so the column distinguishes nobody"
    if 2 * look.distinct > look.rows and look.rows < FEWEST_ROWS_TO_JUDGE:
        return None, (
            f"values hardly repeat, and fewer than {FEWEST_ROWS_TO_JUDGE} rows are too few to "
            "guess the role"
        )
    if look.consecutive:
        return "identifier", "consecutive numbers, probably row numbers that a tool wrote"
    if look.numbers and not look.whole:
        return None, "numbers with fractions; an adversary who knows an exact one finds the person"
    if look.all_different:
        return "identifier", "every row has a different value, like the ID of a person"
    if look.numbers and look.distinct > CODES:
        return None, "many different numbers; decide whether others may know them"
    if look.distinct > NEARLY * look.rows:
        return "identifier", "nearly every row has a different text, such as a name or a remark"
    if look.distinct > CATEGORIES:
        return None, "many different texts; decide whether others may know them"
    return "quasi-identifier", "few different values; others may know them"
