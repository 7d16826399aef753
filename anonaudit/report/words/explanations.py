"""Every code there is, explained: what it means, why it matters, what to do.

A code is the name of a model or an attack, the code of a warning, a kind of error, an outcome, or a
term of the papers (terms.py).
`anonaudit explain` prints these, SARIF carries them as its rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from anonaudit.report.words.layout import sentences
from anonaudit.report.words.meanings import ATTACKS, CONSTRAINED, MODELS
from anonaudit.report.words.terms import TERMS


class Explanation(NamedTuple):
    """kind: warning, error, outcome, model, attack or term. All others are whole sentences."""

    kind: str
    means: str
    matters: str
    do: str


_GENERALIZE = (
    "Merge or suppress the classes that fall short: generalize a quasi-identifier further, or "
    "suppress the rows. Then audit again."
)
_SPREAD = (
    "Merge each class that falls short with one of other sensitive values: generalize a "
    "quasi-identifier further, or suppress the rows. Then audit again."
)

_MODELS: Mapping[str, tuple[str, str]] = {
    "k-anonymity": (
        "Who is alone, or nearly, with what an adversary knows can be picked out by name.",
        _GENERALIZE,
    ),
    "p-sensitive-k-anonymity": (
        (
            "A large class protects nobody if all of it has the same illness: k-anonymity does not "
            "look at sensitive values."
        ),
        _SPREAD + " `anonaudit feasible` says beforehand which p can be reached (maxP) and with "
        "how many classes (maxGroups).",
    ),
    "extended-p-sensitive-k-anonymity": (
        "Two different cancers are still cancer: values that differ may tell the same.",
        _SPREAD + " The protected values are named in [hierarchies] of the policy.",
    ),
    "l-diversity": (
        "With few different values in a class, an adversary is left with few guesses.",
        _SPREAD,
    ),
    "entropy-l-diversity": (
        (
            "Different values do not help if nearly everybody of a class has the same one; entropy "
            "notices that."
        ),
        _SPREAD,
    ),
    "recursive-c-l-diversity": (
        (
            "It keeps the most frequent value of a class from being likely, and stays so when rare "
            "values are ruled out."
        ),
        _SPREAD,
    ),
    "multi-attribute-l-diversity": (
        (
            "With several sensitive attributes, what is known not to be true of one rules out rows "
            "and so gives another away, although each attribute by itself is diverse."
        ),
        _SPREAD,
    ),
    "alpha-k-anonymity": (
        "A value that most of a class has is nearly certain for each of it.",
        _SPREAD,
    ),
    "rule-confidence": (
        (
            "An adversary may know only some quasi-identifiers; a rule over those can be sure "
            "where no class is."
        ),
        (
            "Suppress cells of the rows behind the surest rules, or generalize the "
            "quasi-identifiers they use, and audit again."
        ),
    ),
    "t-closeness": (
        (
            "A class whose values differ from everybody's tells something new of its members, even "
            "where it is diverse."
        ),
        _SPREAD + " A distance that fits the attribute (ordered, hierarchical) may be fairer than "
        "the equal one.",
    ),
    "delta-disclosure": (
        (
            "It bounds what is learnt of every single value, of rare ones too, and of those a "
            "class lacks."
        ),
        _SPREAD,
    ),
    "beta-likeness": (
        (
            "A rare value is usually the delicate one; it must not become many times likelier in a "
            "class."
        ),
        _SPREAD,
    ),
    "k-e-anonymity": (
        "Numbers that differ but lie close together give the amount away all the same.",
        "Merge classes until the numbers of each spread widely enough, and audit again.",
    ),
    "k-map": (
        (
            "A class may be small in the release and yet large in the population it is from; then "
            "nobody is picked out."
        ),
        _GENERALIZE + " The population is named in [population] of the policy.",
    ),
    "prosecutor-risk": (
        "It is the risk of a person who is known to be in the release, the highest there is.",
        _GENERALIZE,
    ),
    "journalist-risk": (
        "It is the risk where nobody knows who is in the release, so that the population counts.",
        _GENERALIZE + " The population is named in [population] of the policy.",
    ),
    "marketer-risk": (
        "It is the risk of an adversary who wants many matches and does not mind some wrong ones.",
        _GENERALIZE,
    ),
    "sample-uniques": (
        "Who is alone in the release, on few attributes even, may be alone in the population.",
        _GENERALIZE,
    ),
    "individual-risk": (
        "A sample hides people: the weights say how many of the population a row stands for.",
        _GENERALIZE,
    ),
    "valid-generalization": (
        (
            "Levels say nothing about a release whose cells are not what they claim to be: "
            "shifted, swapped or wrong."
        ),
        "Look at the cells named in the report: mend them, or declare the hierarchy that was used.",
    ),
}
_BOUNDARIES = (
    " A value generalized beyond its boundary is of no use to those the boundary was made for. "
    "Boundaries are named in [hierarchies] of the policy."
)

_ATTACKS: Mapping[str, tuple[str, str]] = {
    "algorithm-aware": (
        (
            "What a masking algorithm did betrays what it saw: certainty can come back that the "
            "released rows alone do not give."
        ),
        (
            "Suppress or generalize a little more than is needed, by chance, so that the release "
            "does not follow from one original only."
        ),
    ),
    "association": (
        "Whoever knows only a part of the quasi-identifiers may be sure all the same.",
        "Require a rule-confidence, and suppress cells of the rows behind the surest rules.",
    ),
    "composition": (
        "Two releases that are safe each by itself may not be together.",
        "Mask both releases with the same classes, or do not publish the second one.",
    ),
    "elimination": (
        (
            "People know what others do not have. It is the stronger the more sensitive attributes "
            "there are, as a value of one rules out rows of all."
        ),
        (
            "Require multi-attribute-l-diversity: with a level l, ruling out l - 2 values "
            "discloses nothing."
        ),
    ),
    "homogeneity": (
        (
            "No guess is needed: to find somebody's class is to know the value. It finds values "
            "and tells nobody apart: identified is 0 even where k is 1. Whether somebody is alone "
            "is for k-anonymity to say, and who that is for linkage."
        ),
        "Require p-sensitive-k-anonymity with a p of 2 or more.",
    ),
    "linkage": (
        "Registers with names are for sale, and generalized values can be matched with exact ones.",
        "Generalize the quasi-identifiers the table has until several rows fit everybody.",
    ),
    "residual": (
        "To leave rows out is no protection of those in them if it can be seen who they are.",
        "Suppress all sensitive values of suppressed rows too, or do not release such rows.",
    ),
    "similarity": (
        "To learn that somebody has some kind of cancer is to learn enough.",
        "Require extended-p-sensitive-k-anonymity, with the protected values in [hierarchies].",
    ),
    "skewness": (
        "What becomes much likelier is believed, whether it is certain or not.",
        "Require t-closeness or beta-likeness.",
    ),
    "unsorted-matching": (
        "Then no masking of the cells protects anybody.",
        "Shuffle the rows of the release, or sort them by their released values.",
    ),
}

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
            "It is a guess from how values look, and changes no verdict."
        ),
        (
            "Name the column under identifiers and remove it from the release; in place of a unit "
            "release a random number for each person. Nothing, if the values name nobody."
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
            "invisible characters, brackets, the form of letters or the marks in a code."
        ),
        (
            "What should be one class or one person may be counted as two, and a person of another "
            "table may miss the rows that are theirs."
        ),
        "Set normalize in [values] as the warning says, or correct the tables.",
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


def _models() -> dict[str, Explanation]:
    found = {}
    for name, words in MODELS.items():
        plain = name.removeprefix(CONSTRAINED)
        if plain in _MODELS:
            matters, do = _MODELS[plain]
            matters += _BOUNDARIES if plain != name else ""
            means = sentences([words.meaning.format(people="rows")])
            found[name] = Explanation("model", means, matters, do)
    return found


EXPLANATIONS: Mapping[str, Explanation] = {
    **_models(),
    **{
        name: Explanation("attack", sentences([ATTACKS[name].format(people="rows")]), *said)
        for name, said in _ATTACKS.items()
        if name in ATTACKS
    },
    **{code: Explanation("warning", *said) for code, said in _WARNINGS.items()},
    **{code: Explanation("error", *said) for code, said in _ERRORS.items()},
    **{code: Explanation("outcome", *said) for code, said in _OUTCOMES.items()},
    **{code: Explanation("term", *said) for code, said in TERMS.items()},
}


def explanation(code: str) -> Explanation | None:
    """What is known of a code; None if it is not one of ours."""
    return EXPLANATIONS.get(code)
