"""Build the tables of a report as rows of cells, the header first, for every format."""

from __future__ import annotations

from collections.abc import Sequence

from anonaudit.details import part_of
from anonaudit.findings import AuditReport, Disclosure, Measurement, Outcome
from anonaudit.plugins import describe_model
from anonaudit.report.sections import demands
from anonaudit.report.sections.exposed import Exposed
from anonaudit.report.words import figures, layout, wording
from anonaudit.special_details import BeyondBoundaries, ClassSize

TableRows = list[list[str]]


def required_table(report: AuditReport) -> TableRows:
    """Return the table of requirements, with measured levels and the classes that fall short.

    The order is models, rates of attacks, identifiers. Without requirements, the table has only its
    header.
    """
    rows = [["requirement", "required", "measured", "classes", "rows", "outcome"]]
    for model in together([model for model in report.models if wording.judged(model)]):
        measured, bound = figures.apart(model.measured, model.required, figures.level)
        rows.append(
            [
                wording.title(model),
                wording.requirement(model, bound),
                measured if model.measured is not None else wording.instead_of_level(model),
                figures.whole(model.classes_violating),
                figures.whole(model.rows_violating),
                loud(model.outcome),
            ]
        )
        if len(model.per_attribute) > 1:
            rows += [
                [
                    f"  {layout.name(column)}",
                    "",
                    wording.reached(model, column, report),
                    figures.whole(level.classes_violating),
                    figures.whole(level.rows_violating),
                    "",
                ]
                for column, level in model.per_attribute.items()
            ]
        rows += _beside(model)
    for attack in report.attacks:
        if attack.allowed is not None:
            rate, allowed = figures.between(attack.rate, attack.highest_rate, attack.allowed)
            outcome = loud(attack.outcome)
            rows.append([attack.attack, f"rate <= {allowed}", rate, "", "", outcome])
    return rows + _identifiers(report)


def _identifiers(report: AuditReport) -> TableRows:
    """Return a row on all identifiers, and a row for each released identifier.

    The result is empty if no identifier is declared.
    """
    named = demands.identifiers(report)
    if not named:
        return []
    there = [column for column, present in named.items() if present]
    outcome = loud(Outcome.VIOLATED if there else Outcome.HOLDS)
    counted = f"{len(there)} present" if there else "absent"
    rows = [["identifiers", "absent", counted, "", "", outcome]]
    return rows + [[f"  {layout.name(column)}", "", "present", "", "", ""] for column in there]


def together(models: Sequence[Measurement]) -> list[Measurement]:
    """Return the models reordered so that models with the same name are adjacent."""
    names = [model.model for model in models]
    return sorted(models, key=lambda model: names.index(model.model))


def _beside(model: Measurement) -> TableRows:
    """Return the rows on what a model requires in addition to its level: class size, boundaries."""
    rows = []
    k, size = wording.k_beside(model), part_of(model.details, ClassSize)
    reached = None if size is None else size.k
    if k is not None and (k != model.required or reached is None or reached < k):
        what = describe_model(model.model).beside
        rows.append([f"  {what}", f"k >= {figures.level(k)}", figures.level(reached), "", "", ""])
    if (beyond := part_of(model.details, BeyondBoundaries)) is not None:
        certain = sum(beyond.certain.values())
        counts = [figures.whole(count) for count in (certain, beyond.classes, beyond.rows)]
        rows.append(["  beyond boundaries", "0", *counts, ""])
        if suspected := beyond.total - certain:
            open_ = (suspected, beyond.undecided_classes or 0, beyond.undecided_rows or 0)
            rows.append(["  may be beyond boundaries", "", *map(figures.whole, open_), ""])
    return rows


def model_table(model: Measurement) -> TableRows:
    """Return the table of one model: a row for the release, then a row for each attribute."""
    level, bound = figures.apart(model.measured, model.required, figures.level)
    rows = [["", "level", "required", "classes", "rows"]]
    shown = level if model.measured is not None else wording.instead_of_level(model)
    whole = figures.whole
    counts = [whole(model.classes_violating), whole(model.rows_violating)]
    rows.append([wording.title(model), shown, wording.requirement(model, bound), *counts])
    for column, reached in model.per_attribute.items():
        counts = [whole(reached.classes_violating), whole(reached.rows_violating)]
        rows.append([f"  {layout.name(column)}", figures.level(reached.measured), "", *counts])
    return rows


def measured_table(report: AuditReport) -> TableRows:
    """Return the table of models that are only measured; only the header if there are none."""
    rows = [["model", "level", "measured", "safer if"]]
    for model in together([model for model in report.models if not wording.judged(model)]):
        level = describe_model(model.model).level or figures.NO_NUMBER
        reached = figures.level(model.measured)
        if model.measured is None:
            reached = wording.instead_of_level(model)
        rows.append([wording.title(model), level, reached, model.safer])
        if len(model.per_attribute) > 1:
            rows += [
                [f"  {layout.name(column)}", "", wording.reached(model, column, report), ""]
                for column in model.per_attribute
            ]
    return rows


def attacks_table(disclosures: Sequence[Disclosure]) -> TableRows:
    """Return the table of attacks: targets identified, disclosed and undecided, and the rates."""
    header = [
        "attack",
        "targets",
        "identified",
        "disclosed",
        "undecided",
        "rate",
        "base",
        "allowed",
        "outcome",
    ]
    rows = [header]
    for attack in disclosures:
        rate, allowed = figures.between(attack.rate, attack.highest_rate, attack.allowed)
        ran = attack.outcome is not Outcome.SKIPPED
        counts = (attack.targets, attack.identified, attack.disclosed, attack.undecided)
        rows.append(
            [
                attack.attack,
                *(figures.whole(count if ran else None) for count in counts),
                rate,
                figures.percent(attack.baseline),
                allowed,
                loud(attack.outcome),
            ]
        )
        if len(attack.per_attribute) > 1:
            rows += [
                [f"  {layout.name(column)}", "", "", figures.whole(count), "", "", "", "", ""]
                for column, count in attack.per_attribute.items()
            ]
    empty = set()
    if all(attack.allowed is None for attack in disclosures):
        empty.add(header.index("allowed"))
    if not any(attack.undecided for attack in disclosures):
        empty.add(header.index("undecided"))
    return [[cell for at, cell in enumerate(row) if at not in empty] for row in rows]


def exposed_table(classes: Sequence[Exposed], *, show_values: bool) -> TableRows:
    """Return the table of exposed classes, with their quasi-identifiers if values are shown."""
    rows = [["rows", "data rows", "worst for", "exposed by"]]
    for one in classes:
        claims = (", ".join(one.worst_for), ", ".join(one.laid_open_by))
        rows.append([figures.whole(one.witness.rows), one.place(), *claims])
    if show_values:
        rows[0].append("quasi-identifiers")
        for row, one in zip(rows[1:], classes, strict=True):
            row.append(one.cells())
    return rows


def loud(outcome: Outcome) -> str:
    """Return the word for an outcome, in capitals for VIOLATED and INCONCLUSIVE."""
    act = outcome in (Outcome.VIOLATED, Outcome.INCONCLUSIVE)
    return outcome.value.upper() if act else outcome.value
