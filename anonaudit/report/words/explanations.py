"""Explain the codes of a report: what a code means, why it matters, and what to do.

A code is the name of a model, an attack, an error class or an outcome, the code of a warning, or a
term (terms.py). The explanation of a model or an attack is stored on its class. Warnings are
explained here, because several modules can issue the same warning. A test checks that every code
has an explanation. `anonaudit explain` prints the explanations, and SARIF contains them as rules.
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
    """The explanation of a code, in whole sentences.

    kind: "warning", "error", "outcome", "model", "attack" or "term".
    means: what the code means.
    matters: why it matters.
    do: what to do.
    """

    kind: str
    means: str
    matters: str
    do: str


_WARNINGS: Mapping[str, tuple[str, str, str]] = {
    "identifier-released": (
        (
            "A column that the policy lists under identifiers is in the release. Its name may "
            "differ in case, blanks or the marks between words."
        ),
        "It names people, so no class protects them. The audit is violated.",
        "Remove the column from the release. If it names nobody, give it another role.",
    ),
    "direct-identifiers": (
        (
            "A released column that is not declared as an identifier has values that look like "
            "names, e-mail addresses, telephone numbers or official numbers of persons."
        ),
        (
            "A name or address identifies the person of a row by itself, so no class protects "
            "that person. The warning is a guess from the form of the values. It changes no "
            "verdict unless the policy requires no-direct-identifiers."
        ),
        (
            "Name the column under identifiers and remove it from the release. If it is the unit "
            "column, replace its values by a random number for each person. If the values "
            "identify nobody, do nothing."
        ),
    ),
    "undeclared-unit": (
        (
            "The policy names no unit column, but a released column looks like an ID of "
            "persons, with several rows for each."
        ),
        (
            "Without a unit column, every row counts as a person. Three rows of one person look "
            "like three persons, so the true k and l may be smaller than the report says."
        ),
        (
            "Name the column under columns.unit, so that the rows of one person count once. If its "
            "values are not persons, do nothing."
        ),
    ),
    "unit-kept": (
        "The unit column of the release contains the values of the original.",
        (
            "Whoever knows the ID of a person, from a bill, a card or another release, finds "
            "all rows of that person. Classes do not prevent that."
        ),
        'Replace it by random numbers: `unit-in-release = "renumbered"` under [masking].',
    ),
    "persons-alone-by-history": (
        "Some persons have several rows, and no other person has the same combination of rows.",
        (
            "A class protects one row. An adversary who knows several rows of a person, such as "
            "the months of some visits, may find the person by them, and then all other rows."
        ),
        (
            "Generalize the values that differ between the rows of a person, or release fewer "
            "rows of each person. If nobody has to count persons, drop the unit column."
        ),
    ),
    "not-audited": (
        "The policy gives some columns no role.",
        "All models except no-direct-identifiers, and all attacks, ignore these columns.",
        "Declare the columns as quasi-identifiers, sensitive or identifiers, or remove them.",
    ),
    "undeclared-unique-column": (
        "A column without a role has a different value in every row.",
        "It may be an identifier, or a row number that a tool added and that links releases.",
        "Remove the column, or declare its role.",
    ),
    "nearly-unique-quasi-identifier": (
        "A single quasi-identifier has a value of its own in most rows.",
        "Most classes stay small, even if you generalize the other columns.",
        "Generalize or remove the column.",
    ),
    "perturbed-columns": (
        "A column is declared perturbed: its cells are not the values of their people.",
        (
            "Models based on classes count the cells as they are, but an adversary can still look "
            "for the nearest value. Equal cells do not prove a match, and different cells do not "
            "exclude one. So attacks that compare tables ignore the column. People whom these "
            "attacks do not expose by other columns are undecided."
        ),
        "Require distance-linkage and interval-disclosure, and pair the original by key or order.",
    ),
    "rows-in-no-class": (
        (
            "More than a tenth of the rows are in no class, because they are suppressed in every "
            "quasi-identifier, or dropped for a missing or suppressed cell."
        ),
        "Levels, and attacks on classes, describe only the other rows.",
        (
            "Delete these rows from the release, or count them. In [conventions], "
            "suppressed-tuples = 'include' puts the suppressed rows into one class, and "
            "quasi-identifiers = 'own-category' keeps rows with missing or suppressed cells."
        ),
    ),
    "numbers-recognized": (
        "Every value of a sensitive column is a number, so ordered distances use that order.",
        "The numbers may be codes, whose order has no meaning.",
        (
            "If the column contains amounts, declare it under numeric in [values]. If it contains "
            "codes, require the equal distance."
        ),
    ),
    "verdict-depends-on-convention": (
        "Whether a requirement holds depends on how missing and suppressed cells are counted.",
        "Somebody who counts these cells differently gets another verdict.",
        (
            "Choose a convention in [conventions] of the policy and say why, or mask until the "
            "requirement holds under all conventions."
        ),
    ),
    "convention-not-measured": (
        (
            "The levels under another convention for missing and suppressed cells were not "
            "measured, because the release is too large."
        ),
        "The verdict may depend on the convention.",
        "To measure them, set the other convention in [conventions] and audit again.",
    ),
    "audited-in-parts": (
        (
            "The release has more combinations of values than fit into memory, so it was audited "
            "in parts of whole classes."
        ),
        (
            "Levels, counts and rates are those of the whole release. The report omits "
            "averages over classes, rules over fewer quasi-identifiers, remedies, and other "
            "conventions for missing and suppressed cells. The elimination attack has its budget "
            "for each part, not for the whole release."
        ),
        (
            "Generalize first, because such a release has very small classes. Or use a machine "
            "with more memory; see docs/scaling.md."
        ),
    ),
    "near-duplicate-labels": (
        (
            "Labels of a column, or of the same column in two tables, differ only in blanks, case, "
            "invisible characters, brackets, the form of letters, or the marks in a code or "
            "a name."
        ),
        (
            "One class or one person may be counted as two, and a person of another table may not "
            "match their own row."
        ),
        "Set normalize in [values] as the warning says, or correct the tables.",
    ),
    "unshared-labels": (
        (
            "A column of the release has words that the table of people lacks, and the table has "
            "words that the release lacks."
        ),
        (
            "Different words count as different values. If a word stands for several values, as a "
            "country does for its cities, people seem to match no row although they do."
        ),
        (
            "If a label stands for several values, name a hierarchy of the column under "
            "[hierarchies]. Otherwise set its reading to plain in [values]."
        ),
    ),
    "placeholder-numbers": (
        "Numbers such as -9, 99 or 999 are far from all other numbers of a column.",
        (
            "Code books use such numbers for missing values. The audit counted them as values. If "
            "they mean missing, classes seem too diverse, and averages and distances are wrong."
        ),
        "If the numbers mean missing, name them under missing in [values].",
    ),
    "same-meaning-labels": (
        "Different labels of a column mean the same interval or the same set.",
        "One class may be counted as two smaller classes.",
        "Write equal values in the same way.",
    ),
    "overlapping-intervals": (
        "Intervals of a column overlap in part.",
        (
            "A value in both intervals may have either label, so records with this value may be in "
            "two classes. After full-domain generalization, this means that the hierarchy is wrong."
        ),
        "Check the hierarchy. Local recoding may write such intervals on purpose.",
    ),
    "nested-intervals": (
        "Some intervals of a column contain other intervals of the column.",
        "Several levels of a hierarchy are in use, so a value may have several labels.",
        (
            "If the release was locally recoded, do nothing. Otherwise generalize all rows to the "
            "same level."
        ),
    ),
    "unreadable-intervals": (
        "Labels have brackets and numbers, but are not intervals.",
        "People whom such a label may cover are undecided, so a requirement may be inconclusive.",
        "Check the order of the two ends, thousands separators and the decimal mark.",
    ),
    "external-lacks-columns": (
        "A table that the release is linked with lacks some of the quasi-identifiers.",
        (
            "The attack uses only the columns that the table has. If the table has a column under "
            "another name, the attack looks weaker than it is."
        ),
        (
            "If the table has the column under another name, give that name with the key columns "
            "in [attacks]. Otherwise do nothing."
        ),
    ),
    "labels-not-checked": (
        "A column has too many different values, so its labels were not checked.",
        "Two spellings of one value, or a mark for a missing value, would go unnoticed.",
        "Generalize or remove the column: it singles out most rows.",
    ),
    "total-row": (
        "A label looks like the total of a table.",
        "Such a row is not a record, but counts as one.",
        "Remove such rows from the table.",
    ),
    "date-like-labels": (
        "Labels look like days or months.",
        "A spreadsheet may have turned 5-9 into 9-May. The original value is then lost.",
        "Write the file again from its source, with this column as text.",
    ),
    "ambiguous-labels": (
        "Labels can be read in two ways, as a range or as codes.",
        "The reading decides which values a label covers, and so which people match it.",
        (
            "Declare the reading of the column in [values]: interval, set or plain. For numbers "
            "with a decimal comma, set decimal."
        ),
    ),
    "undeclared-missing-token": (
        "Labels look like marks for missing or suppressed cells, but count as values.",
        "Classes may look more diverse than they are.",
        "If the labels are no values, declare them under missing or suppressed in [values].",
    ),
    "unnamed-column": (
        "The header has columns without a name.",
        "Some tools write row numbers into such a column. Row numbers single out every row.",
        "Remove the column, or name it.",
    ),
    "blank-lines": (
        "Blank lines of the file were skipped.",
        "A blank line is not counted as a record.",
        "Remove the lines, or do nothing. If a line is a record, give it a value.",
    ),
    "empty-records": (
        "Records without a value in any column were dropped.",
        (
            "Spreadsheets write such lines below a table. If they counted as persons, they would "
            "match everybody and hide the risk of others."
        ),
        "Remove the records, or do nothing. If a record is a person, give it a value.",
    ),
    "float-integers": (
        (
            "A column of whole numbers with missing values was stored as floating-point numbers. "
            "The audit reads the values as whole numbers."
        ),
        "Otherwise 1 and 1.0 would be two values.",
        "Use an integer type that allows missing values, or do nothing.",
    ),
    "times-in-utc": (
        "Times with a time zone were converted to UTC.",
        "The same moment in two time zones is one value.",
        "If the local time matters, write it as text. Otherwise do nothing.",
    ),
    "untranslated-dates": (
        "Days of a business calendar of Stata are read as numbers.",
        "Only Stata can translate them, with the file of the calendar.",
        "Convert the column with dofb() in Stata, and audit again.",
    ),
    "no-positions": (
        "The release is a Spark table, whose rows have no order.",
        "The report cannot give the row numbers of a class.",
        "Use --show-values, which shows the values of the class, to look it up.",
    ),
}

_ERRORS: Mapping[str, tuple[str, str, str]] = {
    "TooManyCombinationsError": (
        "The different combinations of values in the release do not fit into memory.",
        (
            "Such a file is audited in parts. This is not possible if a model or attack needs all "
            "classes at once. Then only the number of classes and their sizes were measured."
        ),
        "Generalize first, name fewer columns, or require less; see docs/scaling.md.",
    ),
    "TooMuchError": (
        "Two tables could not be compared within the limits of time and memory of an attack.",
        "The attack is inconclusive, which does not mean that anybody is safe.",
        "Name a hierarchy or a reading for each column, name more columns, or fewer people.",
    ),
    "AnonauditError": (
        "The input cannot be audited.",
        "The exit code is 2.",
        "Do what the message says.",
    ),
    "InputError": (
        "A file or a table cannot be read, or a report cannot be written.",
        "Without the error, rows would be dropped silently and the numbers would be wrong.",
        "Correct the line, or name the delimiter or encoding, as the message says.",
    ),
    "RoleError": (
        "A column named as quasi-identifier, sensitive or another role does not fit the table.",
        "Without the error, every number would ignore the misspelt column.",
        "Correct the name. The message lists similar names.",
    ),
    "HierarchyError": (
        "A value generalization hierarchy is not a tree, or lacks a value that it needs.",
        "The hierarchy defines which values a label covers.",
        "Give every value one path to the root, or add the missing values.",
    ),
    "PolicyError": (
        "A policy has mistakes. The message lists all of them with their lines.",
        "Without the error, a misspelt requirement would not be checked.",
        "Correct the lines. docs/policy.md lists every key.",
    ),
    "RefutedError": (
        "A check found an input that contradicts the ledger of claims.",
        "Either the ledger or the library is wrong.",
        "Report the input that the message names to the authors of anonaudit.",
    ),
    "ParameterError": (
        "The definition of the model or attack does not allow the value of a parameter.",
        "The level would have no meaning.",
        "Use a value in the range that the message names.",
    ),
    "NotAchievableError": (
        "No release within the given limits reaches the goal, so no release was written.",
        "A release that nearly reaches the goal could be mistaken for a safe one.",
        "Use the nearest goal or loosen the limit, as the message says.",
    ),
    "NoRemedyError": (
        (
            "No release was written: no requirement is broken, no remedy suffices, or the chosen "
            "remedy does not suffice."
        ),
        "A release that still breaks a requirement could be mistaken for a safe one.",
        "Run `anonaudit audit --remedies`, and choose a remedy that suffices.",
    ),
}

_OUTCOMES: Mapping[str, tuple[str, str, str]] = {
    "holds": (
        "Every requirement holds.",
        "The outcome says nothing about models that were not required. The exit code is 0.",
        "Also read the levels of the other models, and the warnings.",
    ),
    "violated": (
        (
            "A requirement is broken, an attack learns more than is allowed, or an identifier is "
            "in the release."
        ),
        "Do not publish the release as it is. The exit code is 1.",
        "Read what would help, change the release, and audit again.",
    ),
    "measured": (
        "Nothing was required, so nothing is judged.",
        "Exit code 0 says only that the audit ran, not that the release is safe.",
        "State the levels that the release needs in a policy.",
    ),
    "inconclusive": (
        (
            "A requirement could not be decided, for the reason in the report, or no row of the "
            "release is in a class."
        ),
        "The release does not pass. The exit code is 2.",
        (
            "Supply what the reason names. With inconclusive = 'allow' in [conventions], undecided "
            "requirements pass, but a release without a class does not."
        ),
    ),
    "skipped": (
        "An attack did not run, for the reason in the report.",
        "That does not mean that the release is safe.",
        "Supply what the attack needs, or remove it from the policy.",
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
    """Return code -> kind for every code, without loading a model or attack."""
    return {code: kind for kind, known in {**_PLUGINS, **_TABLES}.items() for code in known}


def explanation(code: str) -> Explanation | None:
    """Return the explanation of a code, or None for an unknown code.

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
    """Return the explanation on the class of a model or an attack.

    If the class has no `about`, the explanation is made from its docstring and its `knowledge`.
    """
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
        f"See the documentation of the package that contains {plugin.__module__}.",
    )
