"""Write the first screen of a report: plain sentences for readers who know no privacy model.

The sentences answer in this order: may the file be released, who is exposed, which group is worst,
what the cheapest remedy costs, what the adversary is assumed to know, and what was not checked. In
these sentences and in this module, a group is an equivalence class.
"""

from __future__ import annotations

from collections.abc import Sequence

from anonaudit.details import part_of
from anonaudit.findings import AuditReport, Disclosure, Measurement, Number, Outcome, size_bin
from anonaudit.plugins import describe_attack, describe_model
from anonaudit.report.plain import texts
from anonaudit.report.sections import tried
from anonaudit.report.sections.demands import demands, naming, released
from anonaudit.report.sections.exposed import exposed
from anonaudit.report.words import figures, layout, wording
from anonaudit.special_details import BeyondBoundaries, GivenAway, alone_by_history

# Number of lines -> the length of the longest sentence that fits, in terminal cells. The middle of
# a longer sentence is cut out, so that the first screen has at most fifteen lines.
_LONGEST = {1: 88, 2: 160, 3: 235}
_NAMES = 3
_ALONE = 2  # in a group that is smaller than this, a person is alone


def first_screen(report: AuditReport) -> list[str]:
    """Return the sentences of the first screen, at most eight.

    Parameters
    ----------
    report
        The report of an audit.

    Returns
    -------
    The sentences. No cell of the release is in them.

    Example
    -------
    >>> import anonaudit
    >>> report = anonaudit.audit(
    ...     anonaudit.datasets.path("TV06/table1.csv"),
    ...     quasi_identifiers=["age", "zip-code", "sex"],
    ...     sensitive=["illness"],
    ... )
    >>> print(first_screen(report)[1])
    Nobody is alone in this release, and yet 2 people's illness is certain to whoever knows their age, zip-code and sex.
    """  # noqa: E501
    said = [
        (_decision(report), 2),
        (_exposure(report), 3),
        (_why(report), 2),
        (_other_attacks(report), 2),
        (_worst(report), 1),
        (_remedy(report), 1),
        (_assumed(report), 2),
        (_not_known(report), 2),
    ]
    return [layout.shorten(layout.printable(one), _LONGEST[lines]) for one, lines in said if one]


def _longest_that_fits(sentences: Sequence[str], lines: int) -> str:
    """Return the first sentence that fits into `lines` lines, or else the last sentence.

    sentences: versions of one sentence, the longest first.
    """
    fitting = (s for s in sentences if layout.width_of(layout.printable(s)) <= _LONGEST[lines])
    return next(fitting, sentences[-1])


def _decision(report: AuditReport) -> str:
    """Return a sentence that says if the requirements allow the file to be released."""
    asked = demands(report)
    broken = sum(demand.outcome is Outcome.VIOLATED for demand in asked)
    undecided = sum(demand.outcome not in (Outcome.HOLDS, Outcome.VIOLATED) for demand in asked)
    total = figures.counted(len(asked), "requirement")
    named = [*released(report), *naming(report)]
    if report.outcome is Outcome.VIOLATED:
        why = f": it breaks {broken} of {total}" if broken else ": it breaks what was required"
        also = f"; {undecided} more cannot be decided" if undecided else ""
        return f"Do not release this file as it is{why}{also}."
    if report.outcome is Outcome.INCONCLUSIVE:
        why = f": {undecided} of {total} cannot be decided" if undecided else ""
        return f"Do not release this file yet{why}. Undecided does not mean safe."
    if named:
        holds = "every requirement holds" if asked else "nothing was required"
        return (
            f"Do not release this file before you have checked {layout.columns(named, _NAMES)}: "
            f"{holds}, but the file seems to contain direct identifiers."
        )
    if report.outcome is Outcome.HOLDS:
        held = len(asked) - undecided
        also = f" ({undecided} undecided, which the policy allows)" if undecided else ""
        hold = "holds" if len(asked) == 1 else "hold"
        return f"The policy allows the release of this file: {held} of {total} {hold}{also}."
    return (
        "Nothing was required, so this report does not say if the file may be released. "
        "Write a policy with requirements; anonaudit init proposes one."
    )


def _exposure(report: AuditReport) -> str:
    """Return a sentence on people alone in a group, and on people whose value is disclosed."""
    size = _smallest(report)
    certain = _certain(report)
    if size is None:
        return certain
    if size >= _ALONE:
        if by_history := alone_by_history(model.details for model in report.models):
            begin = "Nobody is alone in a group of this release, but "
            begin += f"{_people(by_history)} {_are(by_history)} unique by all their rows together"
            return f"{begin}, and {certain}" if certain else f"{begin}."
        begin = f"Nobody is alone in this release{_alone_otherwise(report)}"
        return f"{begin}, and yet {certain}" if certain else f"{begin}."
    number = _classes_of_one(report)
    if number is None:
        begin = "Somebody is alone in this release"
    elif report.release.persons is None:
        begin = f"{_people(number)} {'is' if number == 1 else 'are'} alone in this release"
    else:
        groups = figures.counted(number, "group")
        begin = f"{groups} of this release {'has' if number == 1 else 'have'} only one person"
    also = f", and {certain}" if certain else ": nobody else has the same quasi-identifiers."
    return begin + also


def _certain(report: AuditReport) -> str:
    """Return a sentence on the people of whom an attack on classes discloses a sensitive value.

    The first such attack counts. The sentence is empty if there is none.
    """
    for attack in report.attacks:
        given = part_of(attack.details, GivenAway)
        if given is not None and attack.disclosed:
            values = [column for column, number in attack.per_attribute.items() if number]
            whose = f"{_people(attack.disclosed)}'s "
            what = _listed(values, "or") or "sensitive value"
            how = "certain"
            if given.sure is not None:
                how = f"known with a chance of {given.sure:g} or more"
            named = [n.column for n in report.warnings if n.code == "perturbed-columns"]
            if perturbed := [column for column in named if column is not None]:
                because = f"{_listed(perturbed, 'and')} {_are(len(perturbed))} perturbed"
                return f"{whose}{what} can be guessed but is not {how}, because {because}."
            known = _known(report)
            whom = f"to whoever knows their {known}" if known else "to everybody"
            return f"{whose}{what} is {how} {whom}."
    return ""


def _known(report: AuditReport) -> str:
    """Return the quasi-identifiers as a text, without columns that are suppressed in every row.

    The text is empty if the report names no quasi-identifier.
    """
    parts = {part.replace("_", "-"): columns for part, columns in report.columns.items()}
    quasi = texts(parts.get("quasi-identifiers"))
    suppressed = report.release.suppressed_cells
    there = [
        c for c in quasi if not report.release.rows or suppressed.get(c, 0) < report.release.rows
    ]
    return _listed(there, "and") or ("quasi-identifiers" if quasi else "")


def _why(report: AuditReport) -> str:
    """Return sentences on the rows in small groups, and on the column that causes most of them.

    If there are no small groups, return a sentence on the rows that violate another model, unless
    `_certain` already says who is exposed.
    """
    broken = [m for m in report.models if m.outcome is Outcome.VIOLATED and m.rows_violating]
    said = [
        f"{figures.counted(m.rows_violating or 0, 'row')} {_are(m.rows_violating)} in groups of "
        f"fewer than {figures.level(m.required)}."
        for m in broken
        if describe_model(m.model).size_of_class and not _breaks_boundaries(m)
    ][:1]
    if blamed := _blame(report):
        said.append(blamed)
    if not said and not _certain(report):
        said = [
            _breaking(m, means)
            for m in broken
            if (means := wording.model_meaning(m.model, report).rstrip("."))
        ][:1]
    return " ".join(said)


def _breaks_boundaries(model: Measurement) -> bool:
    """Return True if rows violate the model because of values beyond a boundary."""
    beyond = part_of(model.details, BeyondBoundaries)
    return beyond is not None and beyond.rows > 0


def _breaking(model: Measurement, means: str) -> str:
    """Return a sentence on the rows that violate a model.

    means: what the model guarantees. The sentence contains it if it is short enough; otherwise the
        sentence names the model.
    """
    rows = f"{figures.counted(model.rows_violating or 0, 'row')} {_are(model.rows_violating)}"
    rule = f"{rows} in groups that break this rule: {means[0].lower()}{means[1:]}."
    name = f'{rows} in groups that violate {model.model} (see "What the models mean").'
    return _longest_that_fits([rule, name], 2)


def _are(number: int | None) -> str:
    return "is" if number == 1 else "are"


def _blame(report: AuditReport) -> str:
    """Return a sentence on the column without which the fewest rows would be in small groups.

    The text is empty if no column makes a difference.
    """
    blame = report.blame
    if blame is None:
        return ""
    now = blame.rows if blame.persons is None else blame.persons
    column, left = min(blame.without.items(), key=lambda one: one[1], default=("", now))
    if left >= now:
        return ""
    small = "alone" if blame.below == _ALONE else "in such groups"
    who = figures.counted(now, "row") if blame.persons is None else _people(now)
    were = f"{figures.whole(left)} instead of {who}"
    return f"Without {layout.name(column, 24)}, {were} would be {small}."


def _smallest(report: AuditReport) -> Number | None:
    """Return the size of the smallest group; None if it is not known."""
    sizes = [m.measured for m in _of_size(report)] + [report.release.class_sizes.get("min")]
    known = [size for size in sizes if size is not None]
    return min(known) if known and report.release.classes else None


def _alone_otherwise(report: AuditReport) -> str:
    """Return words to add to "nobody is alone", if somebody is alone under another convention.

    A convention says how empty cells are counted. The text is empty if nobody is alone under any
    convention.
    """
    levels = [n for m in _of_size(report) for n in m.by_convention.values() if n is not None]
    said = " under the chosen convention for empty cells"
    return said if min(levels, default=_ALONE) < _ALONE else ""


def _of_size(report: AuditReport) -> list[Measurement]:
    return [m for m in report.models if describe_model(m.model).size_of_class]


def _classes_of_one(report: AuditReport) -> int | None:
    """Return the number of groups of one person; None if not counted, or if groups overlap."""
    convention = report.release.convention
    rule = convention.get("quasi_identifiers", convention.get("quasi-identifiers"))
    number = report.release.class_sizes.get(size_bin(1, 1))
    return None if number is None or rule == "wildcard" else int(number)


def _other_attacks(report: AuditReport) -> str:
    """Return a sentence on the attacks that succeed and that `_certain` does not cover."""
    successes = [
        f"{layout.name(attack.attack, 24)} {_finds(attack)} of {_targets(attack)}"
        for attack in report.attacks
        if part_of(attack.details, GivenAway) is None and (attack.identified or attack.disclosed)
    ]
    if not successes:
        return ""
    attacks = "The attack" if len(successes) == 1 else "The attacks"
    sentences = []
    for named in range(_NAMES, 0, -1):
        rest = len(successes) - named
        more = f", and {figures.counted(rest, 'more attack')} {_succeed(rest)}" if rest > 0 else ""
        sentences.append(f"{attacks} {'; '.join(successes[:named])}{more}.")
    return _longest_that_fits(sentences, 2)


def _targets(attack: Disclosure) -> str:
    return figures.counted(attack.targets, "target")


def _succeed(number: int) -> str:
    return "succeeds" if number == 1 else "succeed"


def _finds(attack: Disclosure) -> str:
    sure = describe_attack(attack.attack).certain
    learns = "learns a value of" if sure else "guesses a value of"
    parts = [f"identifies {figures.whole(attack.identified)}"] if attack.identified else []
    parts += [f"{learns} {figures.whole(attack.disclosed)}"] if attack.disclosed else []
    return " and ".join(parts)


def _worst(report: AuditReport) -> str:
    """Return a sentence on the first class of `exposed`, or else on the smallest group."""
    one = next(iter(exposed(report)), None)
    if one is not None:
        witness, what = one.witness, "worst"
    else:
        held = next((m.witness for m in _of_size(report) if m.witness is not None), None)
        if held is None:
            return ""
        witness, what = held, "smallest"
    rows = figures.counted(witness.rows, "row")
    about = f" by {layout.name(witness.attribute, 24)}" if witness.attribute else ""
    sentences = []
    for named in range(_NAMES, 0, -1):
        first = [figures.whole(position) for position in witness.positions[:named]]
        more = ", ..." if witness.rows > len(first) else ""
        place = f" (data {'row' if witness.rows == 1 else 'rows'} {', '.join(first)}{more})"
        sentences.append(f"The {what} group{about} has {rows}{place if first else ''}.")
    return _longest_that_fits(sentences, 1)


def _remedy(report: AuditReport) -> str:
    """Return a sentence on the cheapest sufficient remedy, or on how to try remedies."""
    remedies = report.remedies
    if remedies is None:
        if _looks_unmasked(report):
            return "This file looks unmasked: most groups are one person. Try anonaudit mask."
        short = report.outcome is Outcome.VIOLATED
        return "No remedy was tried: --remedies tries some and reports their cost." if short else ""
    for number, remedy in enumerate(remedies.tried, 1):
        if remedy.suffices:
            steps = tried.remedy_name(number, remedy).partition(" ")[2]
            deletes = figures.counted(remedy.rows_suppressed, "row")
            changes = figures.counted(remedy.cells_changed, "cell")
            return f"Cheapest remedy: {steps} (deletes {deletes}, changes {changes})."
    return "None of the tried remedies suffices." if remedies.tried else "No remedy was tried."


def _looks_unmasked(report: AuditReport) -> bool:
    """Return True if most groups are one person, as in a file that nobody masked."""
    return 2 * (_classes_of_one(report) or 0) > report.release.classes


def _assumed(report: AuditReport) -> str:
    """Return a sentence on what the adversary is assumed to know, and what counts as a person."""
    unit = "" if report.release.persons is not None else "; each row counts as one person"
    known = _known(report)
    what = f"{known} of everybody" if known else "no quasi-identifier"
    return f"Assumed: the adversary knows {what}{unit}."


def _not_known(report: AuditReport) -> str:
    """Return sentences on what is undecided, how many rows are in no group, and which attacks ran.

    They also give the number of warnings.
    """
    release = report.release
    parts = [
        f"{layout.name(attack.attack, 24)} "
        + (
            f"for {figures.whole(attack.undecided)} of {_targets(attack)}"
            if attack.undecided
            else "as a whole"
        )
        for attack in report.attacks
        if attack.undecided or attack.outcome in (Outcome.INCONCLUSIVE, Outcome.SKIPPED)
    ]
    parts += [
        layout.name(model.model)
        for model in report.models
        if model.outcome is Outcome.INCONCLUSIVE or model.classes_undecided
    ]
    parts = list(dict.fromkeys(parts))
    apart = release.suppressed_tuples + release.dropped_rows
    outside = f"{figures.counted(apart, 'row')} {_are(apart)} in no group. " if apart else ""
    ran = [layout.name(a.attack) for a in report.attacks if a.outcome is not Outcome.SKIPPED]
    warned = len(report.warnings)
    also = f" {figures.counted(warned, 'warning')} below." if warned else ""
    short = f"only {figures.counted(len(ran), 'attack')} ran" if ran else "no attack ran"
    only = f"only {_listed(ran, 'and')} ran" if ran else short
    sentences = [
        f"{_undecided(parts, most)}{outside}Not checked: other attacks ({how}).{also}"
        for most in range(_NAMES, 0, -1)
        for how in (only, short)
    ]
    return _longest_that_fits(sentences, 2)


def _undecided(parts: Sequence[str], most: int) -> str:
    """Return a sentence on the undecided models and attacks (`parts`); it names at most `most`."""
    more = f" and {len(parts) - most} more" if len(parts) > most else ""
    return f"Undecided, so not safe: {', '.join(parts[:most])}{more}. " if parts else ""


def _people(number: int) -> str:
    return figures.counted(number, "person", "people")


def _listed(names: Sequence[str], word: str) -> str:
    """Join names for a sentence: `a, b and c`, or for more than four names `a, b, c and 5 more`.

    word: "and" or "or".
    """
    kept = names if len(names) <= _NAMES + 1 else names[:_NAMES]
    rest = len(names) - len(kept)
    shown = [layout.name(name, 24) for name in kept] + ([f"{rest} more"] if rest else [])
    return f"{', '.join(shown[:-1])} {word} {shown[-1]}" if len(shown) > 1 else "".join(shown)
