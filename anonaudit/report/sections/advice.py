"""Give advice on a report: changes that may satisfy the violated requirements.

The advice is derived only from the numbers of the report and is not tested. Whoever follows it
must audit the changed release again. Remedies, however, were tested. So there is no advice on a
requirement that a sufficient remedy satisfies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anonaudit.about import CLASS_SIZE, GENERALIZE
from anonaudit.details import part_of
from anonaudit.findings import AuditReport, Disclosure, Measurement, Number, Outcome
from anonaudit.plugins import describe_attack, describe_model
from anonaudit.report.sections.demands import IDENTIFIER_RELEASED, released
from anonaudit.report.words import figures, layout, wording
from anonaudit.special_details import BeyondBoundaries, Conditions


def advice(report: AuditReport, whole: AuditReport | None = None) -> list[str]:
    """Return the advice as sentences, the most urgent first; an empty list if nothing falls short.

    Requirements that a sufficient remedy satisfies get no advice.

    whole: the whole report if `report` is only a part of it; otherwise None. The advice on attacks
        depends on the k and p that the models of the whole report reach or require.
    """
    left = _without_satisfied(report)
    sentences = [
        *_identifiers(left),
        *_undecided(report),
        *(text for model in left.models for text in _unreachable(model, report)),
        *_short_classes(left),
        *(text for model in left.models for text in _short_whole(model)),
        *(text for model in left.models for text in _beyond_boundaries(model)),
        *(text for model in left.models for text in _too_many_classes(model, report)),
        *(text for attack in left.attacks for text in _disclosed(attack, whole or report)),
    ]
    if report.outcome is Outcome.MEASURED:
        sentences.append("Nothing was required. State the required levels in a policy.")
    return list(dict.fromkeys(sentences))


def _without_satisfied(report: AuditReport) -> AuditReport:
    """Return the report without the violated requirements that hold after a sufficient remedy.

    A remedy that satisfies only some of the requirements is ignored.
    """
    tried = () if report.remedies is None else report.remedies.tried
    satisfied = {
        (one.kind, one.name, one.required)
        for remedy in tried
        if remedy.suffices
        for one in remedy.requirements
        if one.outcome_before is Outcome.VIOLATED and one.outcome is Outcome.HOLDS
    }
    identifiers_absent = ("identifiers", "identifiers", 0) in satisfied
    return replace(
        report,
        models=tuple(
            model
            for model in report.models
            if ("model", wording.title(model), model.required) not in satisfied
        ),
        attacks=tuple(
            attack
            for attack in report.attacks
            if ("attack", attack.attack, attack.allowed) not in satisfied
        ),
        warnings=tuple(
            notice
            for notice in report.warnings
            if not (identifiers_absent and notice.code == IDENTIFIER_RELEASED)
        ),
    )


def _identifiers(report: AuditReport) -> Iterator[str]:
    named = released(report)
    if named:
        which = "column" if len(named) == 1 else "columns"
        yield f"Remove the identifier {which} {layout.name_list(named)} from the release."


def _undecided(report: AuditReport) -> Iterator[str]:
    release = report.release
    models = [m for m in report.models if m.outcome is Outcome.INCONCLUSIVE]
    attacks = [a for a in report.attacks if a.outcome is Outcome.INCONCLUSIVE]
    if not release.classes and (models or attacks or report.outcome is Outcome.INCONCLUSIVE):
        apart = release.suppressed_tuples + release.dropped_rows
        yield (
            f"No row is in any class ({figures.counted(release.rows, 'row')} read, "
            f"{figures.whole(apart)} suppressed or dropped), so nothing can be decided. Check "
            "that this is the right file, and that the policy names its missing and suppressed "
            "values."
        )
    else:
        reasons = [(model.model, "; ".join(model.notes)) for model in models]
        reasons += [(attack.attack, attack.reason or "") for attack in attacks]
        for name, reason in reasons:
            yield f"{layout.name(name)} is undecided{_because(reason)}"
    for attack in report.attacks:
        if attack.outcome is Outcome.SKIPPED:
            yield f"{layout.name(attack.attack)} did not run{_because(attack.reason or '')}"


def _because(reason: str) -> str:
    return f": {reason.rstrip('.')}." if reason else "."


def _unreachable(model: Measurement, report: AuditReport) -> Iterator[str]:
    """Yield advice on a requirement that no masking of these rows can satisfy."""
    if _k_unreachable(model, report):
        yield (
            f"k = {figures.level(_k_of(model))} is out of reach: the release has only "
            f"{figures.whole(_people(report))} {wording.people(report)}. Require a smaller k, or "
            f"release more {wording.people(report)}."
        )
    if _p_unreachable(model):
        conditions = part_of(model.details, Conditions)
        what = "value" if conditions is None else conditions.counted
        most = figures.counted(_max_p(model) or 0, what)
        scarce = _scarce(model)
        if len(scarce) == 1:
            which = f"the attribute {scarce[0]}, which has only {most}"
        else:
            among = f" (among {', '.join(scarce)})" if scarce else ""
            which = f"the attribute with only {most}{among}"
        yield (
            f"{wording.goal(model)} is out of reach: no masking gives every class more than "
            f"{most} (maxP). Require a lower level, or drop {which}."
        )


def _people(report: AuditReport) -> int:
    release = report.release
    return release.rows if release.persons is None else release.persons


def _k_of(model: Measurement) -> Number | None:
    """Return the class size that a requirement sets for a model; None if it sets none."""
    if describe_model(model.model).size_of_class:
        return model.required
    beside = describe_model(model.model).beside == CLASS_SIZE
    return wording.k_beside(model) if beside else None


def _k_unreachable(model: Measurement, report: AuditReport) -> bool:
    k = _k_of(model)
    return k is not None and report.release.classes > 0 and _people(report) < k


def _max_p(model: Measurement) -> int | None:
    """Return maxP, the largest p that is possible; None if it is not known."""
    conditions = part_of(model.details, Conditions)
    return None if conditions is None else conditions.max_p


def _p_unreachable(model: Measurement) -> bool:
    most = _max_p(model)
    return most is not None and model.required is not None and model.required > most


def _scarce(model: Measurement) -> list[str]:
    """Return the attributes that may determine maxP, which are those with a level up to maxP."""
    most = _max_p(model) or 0
    levels = model.per_attribute.items()
    return [
        layout.name(column)
        for column, level in levels
        if level.measured is not None and level.measured <= most
    ]


def _short_classes(report: AuditReport) -> Iterator[str]:
    """Yield advice on classes that fall short: suppress their rows, or merge them with others."""
    short = [
        model
        for model in report.models
        if model.classes_violating
        and model.outcome is Outcome.VIOLATED
        and not describe_model(model.model).of_the_whole
        and not _k_unreachable(model, report)
        and not _p_unreachable(model)
    ]
    if not short:
        return
    rows = report.release.rows
    said = [
        f"{figures.counted(m.classes_violating or 0, 'class', 'classes')} with "
        f"{figures.counted(m.rows_violating or 0, 'row')}"
        + (f" ({figures.percent((m.rows_violating or 0) / rows)} of all)" if rows else "")
        + f" fall{'s' if m.classes_violating == 1 else ''} short of {_goal(m)}"
        for m in short
    ]
    most = max(m.rows_violating or 0 for m in short)
    if report.release.classes == 1:
        yield (
            f"{'; '.join(said)}. It is the only class, so generalizing further cannot help. "
            "Require a lower level, or drop the attribute."
        )
        return
    suppress = "suppress those rows, or merge" if 2 * most <= rows else "merge"
    why = "" if 2 * most <= rows else " (suppressing alone would cost over half of the release)"
    yield (
        f"{'; '.join(said)}: {suppress} these classes with others by generalizing a "
        f"quasi-identifier further{why}, and audit again."
    )


def _goal(model: Measurement) -> str:
    """Return the required level and the name of the model, for example `k = 5 (k-anonymity)`.

    If no level is required, return the boundaries and the name, or the name alone.
    """
    goal = wording.goal(model)
    if goal == wording.title(model):
        return goal
    name = layout.name(wording.variant(model), 60)
    return f"{goal} of {name}" if "(" in name or "(" in goal else f"{goal} ({name})"


def _short_whole(model: Measurement) -> Iterator[str]:
    """Yield advice on a level of the whole release, which no single class determines."""
    about = describe_model(model.model)
    if about.of_the_columns and model.outcome is Outcome.VIOLATED:
        yield f"{layout.name(model.model)}{_because('; '.join(model.notes))} {about.do}"
    elif about.of_the_whole and model.outcome is Outcome.VIOLATED:
        measured, bound = figures.apart(model.measured, model.required, figures.level)
        do = f". {about.do}"
        if GENERALIZE in about.do:  # the smallest classes have the largest effect
            do = (
                ": suppress the rows of the smallest classes, or generalize a quasi-identifier "
                "further, and audit again."
            )
        yield (
            f"{wording.title(model)} is {measured}, but {wording.requirement(model, bound)} is "
            f"required{do}"
        )


def _beyond_boundaries(model: Measurement) -> Iterator[str]:
    beyond = part_of(model.details, BeyondBoundaries)
    if beyond is not None and any(beyond.certain.values()):
        columns = [column for column, count in beyond.certain.items() if count]
        yield (
            f"{layout.name_list(columns)}: values are generalized beyond their boundary. "
            "Generalize them at most to the boundary, or suppress their rows."
        )


def _too_many_classes(model: Measurement, report: AuditReport) -> Iterator[str]:
    """Yield advice if the release has more classes than maxGroups (TV06 Condition 2)."""
    conditions = part_of(model.details, Conditions)
    bound = None if conditions is None else conditions.most_classes(model.required)
    if bound and report.release.classes > bound:  # with a bound of 0, p is out of reach
        most = f"{figures.whole(bound)} {'class' if bound == 1 else 'classes'}"
        yield (
            f"p = {figures.level(model.required)} allows at most {most} "
            f"(maxGroups), but the release has {figures.whole(report.release.classes)}. Generalize "
            f"until at most {most} remain{'s' if bound == 1 else ''}."
        )


def _disclosed(attack: Disclosure, report: AuditReport) -> Iterator[str]:
    """Yield advice on an attack that exceeds its allowed rate.

    If the audit required nothing, yield advice on every attack that exposes somebody.
    """
    nothing_asked = report.outcome is Outcome.MEASURED and attack.outcome is Outcome.MEASURED
    if attack.outcome is not Outcome.VIOLATED and not nothing_asked:
        return
    name, targets = layout.name(attack.attack), figures.counted(attack.targets, "target")
    about = describe_attack(attack.attack)
    if attack.identified:
        who = f"{figures.whole(attack.identified)} of {targets}"
        success = f"finds exactly one candidate {wording.people(report)[:-1]} for {who}"
        success = success if about.links else f"distinguishes {who} from everyone else"
        yield (
            f"{name} {success}: generalize the quasi-identifiers until more "
            f"{wording.people(report)} fit each target{_k_to_ask(report)}."
        )
    if attack.disclosed:
        values = f"a sensitive value of {figures.whole(attack.disclosed)} of {targets}"
        do = f"merge or suppress the classes that disclose it{_p_to_ask(report)}."
        yield (
            f"{name} discloses {values}. {about.do}"
            if about.compares
            else f"{name} discloses {values}: {do}"
        )


def _k_to_ask(report: AuditReport) -> str:
    """Return which k to require, or an empty text if the release already reaches k = 2."""
    models = [model for model in report.models if describe_model(model.model).size_of_class]
    required = max((model.required or 0 for model in models), default=0)
    if max((model.measured or 0 for model in models), default=0) >= 2:
        return ""  # every class has two rows or more, so the identified rows are in no class
    if required >= 2:
        return f", as k = {figures.level(required)} asks for"
    return " (k-anonymity with a k of 2 or more)"


def _p_to_ask(report: AuditReport) -> str:
    """Return which p to require; if a p of 2 or more is already required, return other advice."""
    for model in report.models:
        several = describe_model(model.model).several_values
        asked = wording.as_number(model.parameters.get(several)) or 0
        if model.required is not None and asked >= 2:
            return ", or generalize a quasi-identifier further"
    return " (p-sensitive-k-anonymity with a p of 2 or more leaves no class with one value)"
