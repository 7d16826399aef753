"""Every code there is, explained: what it means, why it matters, what to do.

A code is the name of a model or an attack, which says of itself what it means; the code of a
warning, a kind of error, an outcome, or a term of the papers (terms.py). The sentences on warnings
stand here and not where they are made, as a code is made in several places; a test holds the two
against each other.
`anonaudit explain` prints these, SARIF carries them as its rules.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import NamedTuple

from anonaudit.about import AboutAttack, AboutModel
from anonaudit.plugins import ATTACKS, MODELS, Plugins
from anonaudit.report.words.layout import sentences
from anonaudit.report.words.terms import TERMS


class Explanation(NamedTuple):
    """kind: warning, error, outcome, model, attack or term. All others are whole sentences."""

    kind: str
    means: str
    matters: str
    do: str


_WARNINGS: Mapping[str, tuple[str, str, str]] = {
    "identifier-released": (
        (
            "A column that the policy calls an identifier is in the release, under its name or one "
            "that differs only in case, blanks or the marks between words."
        ),
        "It names people, so nothing else protects them; the audit is violated.",
        "Remove the column from the release, or give it another part if it names nobody.",
    ),
    "direct-identifiers": (
        (
            "A released column that is declared as something else, or as nothing, holds what looks "
            "like names, e-mail addresses, telephone numbers or official numbers of persons."
        ),
        (
            "Such values say by themselves whom a row is about, so nothing else protects anybody. "
            "It is a guess from how values look, and changes no verdict unless the policy "
            "requires no-direct-identifiers."
        ),
        (
            "Name the column under identifiers and remove it from the release; in place of a unit "
            "release a random number for each person. Nothing, if the values name nobody."
        ),
    ),
    "undeclared-unit": (
        (
            "The policy names no unit, and a released column looks like a number for persons with "
            "several rows each."
        ),
        (
            "Without a unit every row counts as a person. Three rows of one person look like three "
            "persons, so k and l may be smaller than they are reported."
        ),
        (
            "Name the column under columns.unit, so that rows of one person count once. Nothing, "
            "if its values are no persons."
        ),
    ),
    "unit-kept": (
        "The unit column of the release has the values of the original.",
        (
            "Whoever knows a person's value there, from a bill, a card or another release, finds "
            "all rows of that person, whatever the classes hide."
        ),
        'Replace it by fresh random numbers: `unit-in-release = "renumbered"` under [masking].',
    ),
    "persons-alone-by-history": (
        "Persons have several rows, which together no other person has.",
        (
            "Classes speak of one row. Whoever knows several rows of a person, such as the months "
            "of some visits, may find the person by them, and then all other rows."
        ),
        (
            "Generalize what differs between the rows of a person, release fewer rows a person, or "
            "drop the unit column, if nobody has to count persons."
        ),
    ),
    "not-audited": (
        "Columns have no part in the policy.",
        "Nothing in the report speaks of them, whatever they hold.",
        "Declare them as quasi-identifiers, sensitive or identifiers, or remove them.",
    ),
    "undeclared-unique-column": (
        "A column without a part has a different value in every row.",
        "It may be an identifier, or a row number that a tool left behind and that links releases.",
        "Remove it, or declare its part.",
    ),
    "nearly-unique-quasi-identifier": (
        "One quasi-identifier by itself tells most rows apart.",
        "Small classes are nearly certain, whatever is done to the other columns.",
        "Generalize it, or remove it.",
    ),
    "perturbed-columns": (
        "A column is declared perturbed: its cells are not the values of their people.",
        (
            "Class-based levels count its cells as they are. Two equal cells may be of different "
            "people, and whoever knows a value finds the nearest row. An equal or another cell "
            "proves nothing, so attacks that compare tables leave the column out, and whom they do "
            "not expose is undecided."
        ),
        "Require distance-linkage and interval-disclosure, and pair the original by key or order.",
    ),
    "rows-in-no-class": (
        (
            "More than a tenth of the rows are in no class: suppressed in every quasi-identifier, "
            "or left out for a cell without a value."
        ),
        "Levels, and attacks on classes, speak of the other rows only, as if these were not there.",
        (
            "Delete these rows from the release, or count them: suppressed-tuples = 'include' in "
            "[conventions] makes one class of the suppressed ones, quasi-identifiers = "
            "'own-category' keeps rows with a cell without a value."
        ),
    ),
    "numbers-recognized": (
        "Every value of a sensitive column is a number, so ordered distances use its order.",
        "Codes are numbers too, and their order means nothing.",
        (
            "Declare the column under numeric in [values] if it holds amounts; if it holds codes, "
            "require the equal distance."
        ),
    ),
    "verdict-depends-on-convention": (
        "A requirement holds or breaks according to how missing and suppressed cells are counted.",
        "Whoever counts otherwise comes to the other verdict.",
        (
            "Decide on a convention in [conventions] of the policy and say why, or mask until the "
            "requirement holds in all of them."
        ),
    ),
    "convention-not-measured": (
        "The levels under another convention for missing and suppressed cells were not measured.",
        "It is too large for wildcards to be tried besides; the verdict may depend on that.",
        "Ask for that convention in [conventions] of the policy, and audit once more.",
    ),
    "audited-in-parts": (
        (
            "The release has more combinations of values than fit into memory, so it was audited "
            "in parts of whole classes."
        ),
        (
            "Levels, counts and rates are those of the whole release. Left out are averages over "
            "classes, rules over fewer quasi-identifiers, remedies, and other conventions for "
            "cells without a value; the budget of elimination is that of each part."
        ),
        (
            "Nothing, or generalize first: a release that is so fine has very small classes. Where "
            "more memory is free it is audited in one piece; see docs/scaling.md."
        ),
    ),
    "near-duplicate-labels": (
        (
            "Labels of a column, or of the same column in two tables, differ only in blanks, case, "
            "invisible characters, brackets, the form of letters, or the marks in a code or "
            "a name."
        ),
        (
            "What should be one class or one person may be counted as two, and a person of another "
            "table may miss the rows that are theirs."
        ),
        "Set normalize in [values] as the warning says, or correct the tables.",
    ),
    "unshared-labels": (
        (
            "Words of a column of the release are no values of the table of people, which has "
            "words that the release lacks."
        ),
        (
            "They count as different values. If one of them stands for several values, as a "
            "country does for its cities, people seem to fit no row although they do."
        ),
        (
            "Name a hierarchy of the column under [hierarchies] if a label stands for several "
            "values; else set reading to plain in [values]."
        ),
    ),
    "placeholder-numbers": (
        "Numbers such as -9, 99 or 999 stand apart from all other numbers of a column.",
        (
            "Code books have such numbers for a missing value. They count as values, so a class "
            "may seem more diverse than it is, and averages and distances are wrong."
        ),
        "Name them under missing in [values], unless they are values.",
    ),
    "same-meaning-labels": (
        "Labels of a column denote the same interval or the same set.",
        "What should be one class may be counted as two smaller ones.",
        "Write equal values in one way only.",
    ),
    "overlapping-intervals": (
        "Intervals of a column overlap in part.",
        (
            "A value in both has two possible homes, so equal labels are not all of its records; "
            "in full-domain generalization the hierarchy is wrong."
        ),
        "Check the hierarchy; local recoding may write such intervals on purpose.",
    ),
    "nested-intervals": (
        "Intervals of a column lie inside others.",
        "The levels of a hierarchy are mixed; a value has several possible homes.",
        "Nothing, if the release was locally recoded; else generalize all rows to one level.",
    ),
    "unreadable-intervals": (
        "Labels have brackets and numbers, but denote no interval.",
        "They match no value when tables are linked, so risks look smaller than they are.",
        "Look for falling ends, separators of thousands and the decimal mark.",
    ),
    "external-lacks-columns": (
        "A table that the release is linked with lacks some of the quasi-identifiers.",
        (
            "Who knows less links less: where the column is there by another name, the attack "
            "looks weaker than it is."
        ),
        (
            "Name what the table calls otherwise by columns in [attacks]; nothing, if it has no "
            "such column."
        ),
    ),
    "labels-not-checked": (
        "A column has so many different values that their texts were not looked at.",
        "Two spellings of one value, or a sign for a missing one, would go unnoticed there.",
        "Generalize the column, or leave it out: it tells most rows apart.",
    ),
    "total-row": (
        "A label looks like the total of a table.",
        "The row of a sum is no record, but counts as one.",
        "Take such rows out of the table.",
    ),
    "date-like-labels": (
        "Labels look like days or months.",
        "A spreadsheet turns 5-9 into 9-May, and nobody can tell any more what was meant.",
        "Write the file again from its source, with this column as text.",
    ),
    "ambiguous-labels": (
        "Labels can be read in two ways, as a range or as codes.",
        "Which values a label covers decides whom it is linked with.",
        (
            "Declare the reading of the column in [values]: interval, set or plain; for numbers "
            "with a decimal comma, decimal."
        ),
    ),
    "undeclared-missing-token": (
        "Labels look like a missing or suppressed value, and are counted as values.",
        "A value that is none makes classes look more diverse than they are.",
        "Declare them under missing or suppressed in [values], unless they are values.",
    ),
    "unnamed-column": (
        "The header has columns without a name.",
        "Tools write such a column for the row numbers, which tell all rows apart.",
        "Remove the column, or name it.",
    ),
    "blank-lines": (
        "Blank lines of the file were passed over.",
        "They hold no record, unless a record of blanks was meant.",
        "Nothing, or remove the lines.",
    ),
    "empty-records": (
        "Records without a value in any column were left out.",
        (
            "Spreadsheets write such lines below a table. As a person one would fit everybody, and "
            "hide that others are found."
        ),
        "Nothing, or remove the records; if one stands for a person, give it a value.",
    ),
    "float-integers": (
        "Whole numbers had become fractions because of missing values, and are read as whole ones.",
        "Written as they stood, 1 and 1.0 would be two values.",
        "Nothing, or give the column a type of whole numbers that allows missing values.",
    ),
    "times-in-utc": (
        "Times with a zone are read as the time in UTC.",
        "The same moment in two zones is one value.",
        "Nothing, unless the local time was meant; then write it as text.",
    ),
    "no-positions": (
        "The release is a table of Spark's, whose rows have no order.",
        "A class that decides is not given by the numbers of its rows, as it is for other tables.",
        "Nothing; its values are shown with --show-values, so it can be looked up.",
    ),
}

_ERRORS: Mapping[str, tuple[str, str, str]] = {
    "TooManyCombinationsError": (
        "The release has more different combinations of values than there is memory for.",
        (
            "A file is audited in parts then, unless something is asked for that needs all classes "
            "at once: nothing was measured but how many classes there are, and how small."
        ),
        "Generalize first, name fewer columns, or ask for less; see docs/scaling.md.",
    ),
    "TooMuchError": (
        "Two tables could not be compared within the time and memory that an attack may take.",
        "The attack is inconclusive: nobody is safe because of it.",
        "Name a hierarchy or a reading for each column, name more columns, or fewer people.",
    ),
    "AnonauditError": (
        "The input cannot be audited as it was given.",
        "No audit is no pass: the exit code is 2.",
        "The message says what was expected, what came and what to do.",
    ),
    "InputError": (
        "A file or a table cannot be read, or a report cannot be written.",
        "Rows that are passed over in silence would make a wrong number.",
        "Mend the line or name the delimiter or encoding that the message speaks of.",
    ),
    "RoleError": (
        "The columns named as quasi-identifiers, sensitive, ... do not fit the table.",
        "A column that is misspelt would be left out of every number.",
        "Correct the name; the message lists the closest ones.",
    ),
    "HierarchyError": (
        "A value generalization hierarchy is not a tree, or lacks a value it needs.",
        "It decides which values mean the same, and what may stand for what.",
        "Give every value one path to the root, or add the missing values.",
    ),
    "PolicyError": (
        "A policy has mistakes; all are listed, with their lines.",
        "A requirement that is misspelt would not be checked.",
        "Correct the lines named; docs/policy.md lists every key.",
    ),
    "RefutedError": (
        "A check met an input for which a claim of a paper is not as the ledger of claims says.",
        "Either the ledger or the library is wrong.",
        "Report it with the input that the message names.",
    ),
    "ParameterError": (
        "A parameter is outside what the definition of the model or attack allows.",
        "The level would have no meaning.",
        "Take a value in the range the message names.",
    ),
    "NotAchievableError": (
        "No release that keeps to the rules meets the goal, so none is made.",
        "A release that comes close would pass for one that is safe.",
        "Take the nearest goal that the message names, or loosen what stands in the way.",
    ),
    "NoRemedyError": (
        (
            "There is no mended release to make: nothing is broken, nothing mends it, or the "
            "remedy asked for does not suffice."
        ),
        "A release that is only half mended would pass for one that is safe.",
        "Look at what `anonaudit audit --remedies` tells, and take a remedy that holds.",
    ),
}

_OUTCOMES: Mapping[str, tuple[str, str, str]] = {
    "holds": (
        "Everything required is met.",
        "It speaks of what was required, and of nothing else: exit code 0.",
        "Read what was only measured, and the warnings.",
    ),
    "violated": (
        (
            "A requirement is broken, an attack learns more than is allowed, or an identifier is "
            "in the release."
        ),
        "The release must not leave the house as it is: exit code 1.",
        "Read what would help, change the release, and audit again.",
    ),
    "measured": (
        "Nothing was required, so nothing is judged.",
        "It is no pass: exit code 0 only says that the audit ran.",
        "Put the levels the release needs into a policy.",
    ),
    "inconclusive": (
        (
            "Something required could not be decided, for the reason given, or no row of the "
            "release is in a class."
        ),
        "It is no pass: exit code 2.",
        (
            "Supply what is missing; inconclusive = 'allow' in [conventions] passes over a "
            "requirement that is undecided, never over a release without a class."
        ),
    ),
    "skipped": (
        "An attack did not run, for the reason given.",
        "That is never a sign of safety.",
        "Supply what it needs, or take it out of the policy.",
    ),
}


_TABLES: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "warning": _WARNINGS,
    "error": _ERRORS,
    "outcome": _OUTCOMES,
    "term": TERMS,
}
_PLUGINS: Mapping[str, Plugins[type]] = {"model": MODELS, "attack": ATTACKS}


def codes() -> dict[str, str]:
    """Every code there is, and its kind. No model or attack is loaded."""
    return {code: kind for kind, known in {**_PLUGINS, **_TABLES}.items() for code in known}


def explanation(code: str) -> Explanation | None:
    """The explanation of a code; None if there is no such code.

    Raises AnonauditError for a model or an attack that cannot be loaded.
    """
    for kind, table in _TABLES.items():
        if code in table:
            return Explanation(kind, *table[code])
    for kind, plugins in _PLUGINS.items():
        if code in plugins:
            return _of_plugin(kind, plugins[code])
    return None


def _of_plugin(kind: str, plugin: type) -> Explanation:
    """What a model or an attack says of itself; one that does not has its docstring for that."""
    about: AboutModel | AboutAttack | None = getattr(plugin, "about", None)
    if about is not None:
        means = sentences([about.means.replace("{people}", "rows")])
        return Explanation(kind, means, about.matters, about.do)
    first = (inspect.getdoc(plugin) or "").partition("\n\n")[0].replace("\n", " ")
    knows = getattr(plugin, "knowledge", "")
    return Explanation(
        kind,
        sentences([first or f"The {kind} {plugin.__qualname__} of {plugin.__module__}"]),
        f"The adversary knows {knows}." if knows else "Its author does not say.",
        f"See the documentation of the package that has {plugin.__module__}.",
    )
