"""Every code there is, explained: what it means, why it matters, what to do.

A code is the name of a model or an attack, the code of a warning, a kind of error, an outcome, or a
term of the papers (terms.py). Models and attacks explain themselves on their classes. Warnings are
explained here, because a warning is made in several places; a test compares the codes.
`anonaudit explain` prints the explanations, and SARIF has them as rules.
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
            "A column that the policy lists under identifiers is in the release. Its name may "
            "differ in case, blanks or the marks between words."
        ),
        "It names people, so no class protects them. The audit is violated.",
        "Remove the column from the release. If it names nobody, give it another part.",
    ),
    "direct-identifiers": (
        (
            "A released column that is not declared as an identifier has values that look like "
            "names, e-mail addresses, telephone numbers or official numbers of persons."
        ),
        (
            "Such a value says by itself whom a row is about, so no class protects anybody. "
            "It is a guess from how values look. It changes no verdict unless the policy "
            "requires no-direct-identifiers."
        ),
        (
            "Name the column under identifiers and remove it from the release. Replace a unit by "
            "a random number for each person. If the values name nobody, do nothing."
        ),
    ),
    "undeclared-unit": (
        (
            "The policy names no unit, but a released column looks like a number for persons with "
            "several rows each."
        ),
        (
            "Without a unit every row counts as a person. Three rows of one person look like three "
            "persons, so the true k and l may be smaller than the report says."
        ),
        (
            "Name the column under columns.unit, so that the rows of one person count once. If its "
            "values are not persons, do nothing."
        ),
    ),
    "unit-kept": (
        "The unit column of the release has the values of the original.",
        (
            "Whoever knows the number of a person, from a bill, a card or another release, finds "
            "all rows of that person. Classes do not prevent that."
        ),
        'Replace it with fresh random numbers: `unit-in-release = "renumbered"` under [masking].',
    ),
    "persons-alone-by-history": (
        "Persons have several rows, and no other person has the same rows.",
        (
            "A class protects one row. Whoever knows several rows of a person, such as the months "
            "of some visits, may find the person by them, and then all other rows."
        ),
        (
            "Generalize what differs between the rows of a person, or release fewer rows of each "
            "person. If nobody has to count persons, drop the unit column."
        ),
    ),
    "not-audited": (
        "Columns have no part in the policy.",
        "Models and attacks ignore them, whatever they hold.",
        "Declare them as quasi-identifiers, sensitive or identifiers, or remove them.",
    ),
    "undeclared-unique-column": (
        "A column without a part has a different value in every row.",
        "It may be an identifier, or a row number of a tool, which links releases.",
        "Remove it, or declare its part.",
    ),
    "nearly-unique-quasi-identifier": (
        "One quasi-identifier by itself singles out most rows.",
        "Most classes stay small, whatever is done to the other columns.",
        "Generalize it, or remove it.",
    ),
    "perturbed-columns": (
        "A column is declared perturbed: its cells are not the values of their people.",
        (
            "Class-based levels count its cells as they are. Two equal cells may be of different "
            "people, and whoever knows a value finds the nearest row. Neither an equal nor a "
            "different cell proves anything, so attacks that compare tables ignore the column. "
            "People whom they do not expose by other columns are undecided."
        ),
        "Require distance-linkage and interval-disclosure, and pair the original by key or order.",
    ),
    "rows-in-no-class": (
        (
            "More than a tenth of the rows are in no class, because they are suppressed in every "
            "quasi-identifier or dropped for a cell without a value."
        ),
        "Levels, and attacks on classes, describe only the other rows.",
        (
            "Delete these rows from the release, or count them. In [conventions], "
            "suppressed-tuples = 'include' puts the suppressed rows into one class, and "
            "quasi-identifiers = 'own-category' keeps rows with a cell without a value."
        ),
    ),
    "numbers-recognized": (
        "Every value of a sensitive column is a number, so ordered distances use its order.",
        "The numbers may be codes, whose order has no meaning.",
        (
            "If the column holds amounts, declare it under numeric in [values]. If it holds codes, "
            "require the equal distance."
        ),
    ),
    "verdict-depends-on-convention": (
        "Whether a requirement holds depends on how missing and suppressed cells are counted.",
        "Somebody who counts them differently gets the other verdict.",
        (
            "Choose a convention in [conventions] of the policy and say why, or mask until the "
            "requirement holds under all conventions."
        ),
    ),
    "convention-not-measured": (
        "The levels under another convention for missing and suppressed cells were not measured.",
        "The release is too large for that. The verdict may depend on the convention.",
        "Set that convention in [conventions] of the policy, and audit again.",
    ),
    "audited-in-parts": (
        (
            "The release has more combinations of values than fit into memory, so it was audited "
            "in parts of whole classes."
        ),
        (
            "Levels, counts and rates are those of the whole release. The report leaves out "
            "averages over classes, rules over fewer quasi-identifiers, remedies, and other "
            "conventions for cells without a value. Elimination has its budget for each part."
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
            "fit his or her own row."
        ),
        "Set normalize in [values] as the warning says, or correct the tables.",
    ),
    "unshared-labels": (
        (
            "A column of the release has words that the table of people lacks, and the table has "
            "words that the release lacks."
        ),
        (
            "They count as different values. If a word stands for several values, as a "
            "country does for its cities, people seem to fit no row although they do."
        ),
        (
            "If a label stands for several values, name a hierarchy of the column under "
            "[hierarchies]. Otherwise set its reading to plain in [values]."
        ),
    ),
    "placeholder-numbers": (
        "Numbers such as -9, 99 or 999 are far from all other numbers of a column.",
        (
            "Code books use such numbers for missing values. Here they count as values, so a class "
            "may seem more diverse than it is, and averages and distances are wrong."
        ),
        "If they mean missing, name them under missing in [values].",
    ),
    "same-meaning-labels": (
        "Labels of a column denote the same interval or the same set.",
        "One class may be counted as two smaller classes.",
        "Write equal values in one way only.",
    ),
    "overlapping-intervals": (
        "Intervals of a column overlap in part.",
        (
            "A value in both intervals may have either label, so its records may be in two "
            "classes. In full-domain generalization the hierarchy is wrong."
        ),
        "Check the hierarchy. Local recoding may write such intervals on purpose.",
    ),
    "nested-intervals": (
        "Intervals of a column lie inside others.",
        "The levels of a hierarchy are mixed, so a value may have several labels.",
        "If the release was locally recoded, do nothing. Else generalize all rows to one level.",
    ),
    "unreadable-intervals": (
        "Labels have brackets and numbers, but are not intervals.",
        "They match no value when tables are linked, so risks look smaller than they are.",
        "Look for ends in the wrong order, separators of thousands and the decimal mark.",
    ),
    "external-lacks-columns": (
        "A table that the release is linked with lacks some of the quasi-identifiers.",
        (
            "An adversary who knows less links less. If the table has the column under another "
            "name, the attack looks weaker than it is."
        ),
        (
            "If the table has the column under another name, give that name by columns in "
            "[attacks]. Otherwise do nothing."
        ),
    ),
    "labels-not-checked": (
        "A column has too many different values, so their texts were not checked.",
        "Two spellings of one value, or a mark for a missing one, would go unnoticed.",
        "Generalize the column or remove it, because it singles out most rows.",
    ),
    "total-row": (
        "A label looks like the total of a table.",
        "Such a row is not a record, but counts as one.",
        "Remove such rows from the table.",
    ),
    "date-like-labels": (
        "Labels look like days or months.",
        "A spreadsheet turns 5-9 into 9-May, and the original value is lost.",
        "Write the file again from its source, with this column as text.",
    ),
    "ambiguous-labels": (
        "Labels can be read in two ways, as a range or as codes.",
        "The values that a label covers decide which people it is linked with.",
        (
            "Declare the reading of the column in [values]: interval, set or plain. For numbers "
            "with a decimal comma, set decimal."
        ),
    ),
    "undeclared-missing-token": (
        "Labels look like missing or suppressed values, but count as values.",
        "That makes classes look more diverse than they are.",
        "If they are not values, declare them under missing or suppressed in [values].",
    ),
    "unnamed-column": (
        "The header has columns without a name.",
        "Tools write such a column for row numbers, which single out every row.",
        "Remove the column, or name it.",
    ),
    "blank-lines": (
        "Blank lines of the file were skipped.",
        "They are not records, unless a record of blanks was meant.",
        "Remove the lines, or do nothing.",
    ),
    "empty-records": (
        "Records without a value in any column were dropped.",
        (
            "Spreadsheets write such lines below a table. As persons they would fit everybody, and "
            "hide that others are found."
        ),
        "Remove the records, or do nothing. If a record is a person, give it a value.",
    ),
    "float-integers": (
        "Whole numbers were stored as fractions because of missing values. They are read as whole.",
        "Otherwise 1 and 1.0 would be two values.",
        "Use a type of whole numbers that allows missing values, or do nothing.",
    ),
    "times-in-utc": (
        "Times with a zone are read as the time in UTC.",
        "The same moment in two zones is one value.",
        "If the local time was meant, write it as text. Otherwise do nothing.",
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
        "The different combinations of values of the release do not fit into memory.",
        (
            "Such a file is audited in parts, unless something needs all classes at once. Then "
            "only the number of classes and their sizes were measured."
        ),
        "Generalize first, name fewer columns, or require less; see docs/scaling.md.",
    ),
    "TooMuchError": (
        "Two tables could not be compared within the time and memory that an attack may take.",
        "The attack is inconclusive, which does not mean that anybody is safe.",
        "Name a hierarchy or a reading for each column, name more columns, or fewer people.",
    ),
    "AnonauditError": (
        "The input cannot be audited.",
        "The exit code is 2.",
        "The message says what was expected, what came and what to do.",
    ),
    "InputError": (
        "A file or a table cannot be read, or a report cannot be written.",
        "If rows were dropped silently, the numbers would be wrong.",
        "Correct the line, or name the delimiter or encoding, as the message says.",
    ),
    "RoleError": (
        "The columns named as quasi-identifiers, sensitive, ... do not fit the table.",
        "A misspelt column would be missing from every number.",
        "Correct the name. The message lists similar names.",
    ),
    "HierarchyError": (
        "A value generalization hierarchy is not a tree, or lacks a value that it needs.",
        "The hierarchy decides which values a label stands for.",
        "Give every value one path to the root, or add the missing values.",
    ),
    "PolicyError": (
        "A policy has mistakes. All are listed, with their lines.",
        "A misspelt requirement would not be checked.",
        "Correct the lines. docs/policy.md lists every key.",
    ),
    "RefutedError": (
        "A check found an input that contradicts the ledger of claims.",
        "Either the ledger or the library is wrong.",
        "Report it with the input that the message names.",
    ),
    "ParameterError": (
        "The definition of the model or attack does not allow the value of a parameter.",
        "The level would have no meaning.",
        "Use a value in the range that the message names.",
    ),
    "NotAchievableError": (
        "No release within the given limits reaches the goal, so none is made.",
        "A release that nearly reaches it could be mistaken for a safe one.",
        "Use the nearest goal that the message names, or loosen the limit that it names.",
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
        "Everything required is met.",
        "Only what was required is judged. The exit code is 0.",
        "Also read the other levels, and the warnings.",
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
        "Require the levels that the release needs in a policy.",
    ),
    "inconclusive": (
        (
            "A requirement could not be decided, for the given reason, or no row of the release "
            "is in a class."
        ),
        "The release does not pass. The exit code is 2.",
        (
            "Supply what is missing. inconclusive = 'allow' in [conventions] ignores an undecided "
            "requirement, but not a release without a class."
        ),
    ),
    "skipped": (
        "An attack did not run, for the given reason.",
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
    """The explanation on the class of a model or an attack, or else its docstring."""
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
