"""Summarize in a few lines which requirements fail, for failed tests and SARIF."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from anonaudit.findings import AuditReport, Disclosure, Measurement, Outcome
from anonaudit.plugins import describe_model
from anonaudit.report.sections.advice import advice
from anonaudit.report.sections.demands import demands, released
from anonaudit.report.sections.exposed import exposed
from anonaudit.report.sections.verdict import verdict
from anonaudit.report.words import figures, layout, wording

# The outcomes of an undecided requirement. MEASURED is among them, because the model of a plug-in
# may measure a level without judging the requirement.
UNDECIDED_OUTCOMES = frozenset(Outcome) - {Outcome.HOLDS, Outcome.VIOLATED}
SHORT = UNDECIDED_OUTCOMES | {Outcome.VIOLATED}
WIDTH = 200  # the longest verdict, in characters


def falling_short(report: AuditReport) -> list[str]:
    """Return the names of the requirements that are violated or undecided."""
    return [name for name, outcome in demands(report) if outcome in SHORT]


def headline(report: AuditReport) -> str:
    """Return the shortfall of the first requirement that is violated or undecided.

    Examples are `k = 1 < 5` and `k = 3, undecided: 5 required`. The order is identifiers, models,
    attacks. If every requirement holds, the result is the verdict of the report.
    """
    if named := released(report):
        return f"{figures.counted(len(named), 'identifier')} released"
    for model in report.models:
        if wording.judged(model) and model.outcome in SHORT:
            return _shortfall(model)
    for attack in report.attacks:
        if attack.allowed is not None and attack.outcome in SHORT:
            rate, allowed = figures.between(attack.rate, attack.highest_rate, attack.allowed)
            if attack.outcome is Outcome.VIOLATED:
                return f"rate {rate} > {allowed}"
            return f"rate {_or_nothing(rate)}, undecided: {allowed} allowed"
    return layout.printable(verdict(report, WIDTH))


def _shortfall(model: Measurement) -> str:
    name = describe_model(model.model).level or model.model
    measured, bound = figures.apart(model.measured, model.required, figures.level)
    if model.measured is None:
        measured = wording.instead_of_level(model)
    level = f"{name} = {_or_nothing(measured)}"
    if model.required is None:
        return f"{level}, {model.outcome}: {wording.boundary_words(model) or 'a requirement'}"
    if model.outcome is not Outcome.VIOLATED:
        return f"{level}, undecided: {bound} required"
    if model.measured == model.required and describe_model(model.model).strict:
        return f"{level}, not below {bound}"
    if model.safer == "higher":
        short, sign = model.measured is not None and model.measured < model.required, "<"
    else:
        short, sign = model.measured is None or model.measured > model.required, ">"
    # If the level suffices, another part of the model is broken: boundaries or the class size.
    return (
        f"{level} {sign} {bound}"
        if short
        else f"{level}, {model.outcome}: {wording.boundary_words(model) or wording.goal(model)}"
    )


def why_no_pass(
    report: AuditReport,
    short: Collection[Outcome] = SHORT,
    whole: AuditReport | None = None,
) -> str:
    """Return the text of `brief`, or the verdict with the advice if that text is empty.

    short, whole: see `brief`.
    """
    lines = [layout.printable(verdict(report, WIDTH)), *map(layout.printable, advice(report))]
    return brief(report, short, whole) or "\n  ".join(lines)


def brief(
    report: AuditReport,
    short: Collection[Outcome] = SHORT,
    whole: AuditReport | None = None,
) -> str:
    """Return the requirements with an outcome in `short`, their numbers, and what would help.

    The text is empty if no requirement has such an outcome and no identifier is released. Released
    identifiers are always included. No cell of the release is shown.

    whole: the whole report if `report` is only a part of it (see `advice`); otherwise None.
    """
    models = [m for m in report.models if wording.judged(m) and m.outcome in short]
    attacks = [a for a in report.attacks if a.allowed is not None and a.outcome in short]
    named = released(report)
    if not (models or attacks or named):
        return ""
    lines = [f"{layout.name(column)}: an identifier is in the release" for column in named]
    for model in models:
        lines += _model(model)
    for attack in attacks:
        lines += _attack(attack)
    # The text does not mention remedies, so the advice must also cover the requirements that a
    # remedy satisfies.
    part = replace(
        report,
        outcome=Outcome.VIOLATED,
        models=tuple(models),
        attacks=tuple(attacks),
        remedies=None,
    )
    lines += [one.said() for one in exposed(part)]
    lines += advice(part, whole or report)
    return "\n  ".join(map(layout.printable, dict.fromkeys(lines)))


def _model(model: Measurement) -> list[str]:
    measured, bound = figures.apart(model.measured, model.required, figures.level)
    required = wording.requirement(model, bound)
    if model.required is None and (asked := wording.boundary_words(model)):
        required = asked
    if model.measured is None:
        measured = wording.instead_of_level(model)
    lines = [f"{wording.title(model)}: {required} required, {_or_nothing(measured)} measured"]
    if (k := wording.k_beside(model)) is not None and k != model.required:
        lines.append(f"k >= {figures.level(k)} is required as well")
    if len(model.per_attribute) > 1:
        levels = [
            f"{layout.name(column)} {_or_nothing(figures.level(level.measured))}"
            for column, level in model.per_attribute.items()
        ]
        lines.append(f"by attribute: {', '.join(levels)}")
    # If the model has a level, the advice already says what the notes say.
    return lines + (list(model.notes) if model.measured is None else [])


def _attack(attack: Disclosure) -> list[str]:
    rate, allowed = figures.between(attack.rate, attack.highest_rate, attack.allowed)
    if attack.outcome is Outcome.SKIPPED:
        return [f"{attack.attack}: a rate of {allowed} is allowed, but the attack did not run"]
    exposed = (
        f"{figures.whole(attack.identified)} identified and {figures.whole(attack.disclosed)} "
        f"disclosed of {figures.counted(attack.targets, 'target')}"
    )
    if attack.undecided:
        exposed += f", {figures.whole(attack.undecided)} undecided"
    rates = f"a rate of {allowed} is allowed, {_or_nothing(rate)} measured"
    return [f"{attack.attack}: {rates} ({exposed})", *attack.notes]


def _or_nothing(shown: str) -> str:
    return "nothing" if shown == figures.NO_NUMBER else shown
