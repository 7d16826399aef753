"""What an auditor should look at in the columns themselves, as warnings.

One of them decides: with `identifier-released` the outcome of an audit is violated.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from anonaudit.auditing.people import people_of
from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.auditing.witnesses import READ_AGAIN_UP_TO, has_positions
from anonaudit.cells import FIRST_VALUE, Convention
from anonaudit.details import alone_by_history
from anonaudit.errors import listed
from anonaudit.findings import Measurement, Notice
from anonaudit.frequency.counting import count, different_texts, first_values
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.column_names import hint
from anonaudit.generalization.direct_identifiers import direct_identifiers
from anonaudit.generalization.labels import PERTURBED, Declared
from anonaudit.generalization.lint import (
    LabelFinding,
    lint,
    near_duplicates,
    totals,
    unlike_labels,
    unshared_texts,
)
from anonaudit.generalization.spellings import name_key
from anonaudit.plugins import describe_model
from anonaudit.policy.policy import Policy
from anonaudit.roles import Roles
from anonaudit.source.table import ROW_NUMBER, Source

# Below this many rows a column without repetition tells nothing.
FEWEST_ROWS_TO_JUDGE = 20
NEARLY = 0.9
# Where more than one row in so many is in no class, the levels hardly speak of the release.
MANY = 10
# Columns without a part are looked at in so many first rows, and so many of them at once: each look
# takes the engine time for all columns of the table. In all rows fewer are counted at once.
HEAD = 1_000
HEADS_AT_ONCE = 512
COLUMNS_AT_ONCE = 32
# Each label is parsed; a column with more of them numbers its rows rather than describing them.
MOST_LABELS = 50_000


def notices_of(prepared: PreparedRelease) -> Iterator[Notice]:
    """Everything an auditor should look at besides models and attacks.

    For a part of a release: only the notices that hold for the whole.
    """
    policy, roles, classes = prepared.policy, prepared.policy.roles, prepared.classes
    yield from (Notice(code, message) for code, message in prepared.source.warnings)
    for _, table in prepared.others:
        if table.left_out is not None:
            yield Notice("empty-records", f"{table.name}: {table.left_out}")
    if has_positions(prepared) and not prepared.source.ordered:
        message = "rows of a Spark table have no order, so no class is given by row numbers"
        yield Notice("no-positions", message)
    yield from identifiers_released(roles, prepared.source.columns)
    yield from perturbed_columns(policy)
    if classes.whole is None:
        yield from totals_beside(prepared.source, roles.identifiers)
        yield from about_all(
            policy,
            rows=classes.total_rows,
            suppressed=classes.suppressed_tuples,
            dropped=classes.dropped_rows,
            labels_of={
                column: prepared.base.labels_of(column)[FIRST_VALUE:]
                for column in (*roles.quasi_identifiers, *roles.sensitive)
            },
            different={q: _values(prepared, q) for q in roles.quasi_identifiers},
        )
    if roles.unit is not None:
        units = prepared.base.labels_of(roles.unit)[FIRST_VALUE:]
        yield from _named_people(roles.unit, units, "the unit", of_persons=True)
        yield from _totals(roles.unit, units)
        risk = "Persons may be counted twice"
        yield from map(_of_labels, near_duplicates(units, roles.unit, risk=risk))
        yield from _unit_kept(prepared, roles.unit, units)
    if policy.population is not None:
        people = people_of(prepared, policy.population)
        yield from about_another(prepared.base, people, "the population")
        yield from unshared_words(prepared, people, "the population")
    if prepared.alignment is not None:
        yield from about_another(prepared.base, prepared.alignment.original, "the original")
    for column in prepared.scales:
        if column not in policy.numeric and column not in policy.ordered:
            message = "every value is a number, so ordered distances use its order"
            yield Notice("numbers-recognized", message, column)
    declared = [column for _, column in roles.named()]
    if classes.whole is None:
        yield from undeclared_unit(prepared.source, roles)
    in_full = any(describe_model(one.name).of_the_columns for one in policy.requirements)
    rows = classes.total_rows if classes.whole is None else classes.whole.rows
    yield from undeclared(prepared.source, declared, rows, in_full=in_full)
    yield from undeclared_columns(prepared.source, declared, rows)


def notices_of_original(prepared: PreparedRelease) -> Iterator[Notice]:
    """Warnings of a table before it is masked: its encoding, rows and labels."""
    policy, roles, base = prepared.policy, prepared.policy.roles, prepared.base
    yield from (Notice(code, message) for code, message in prepared.source.warnings)
    yield from undeclared_unit(prepared.source, roles)
    yield from totals_beside(prepared.source, roles.identifiers)
    columns = (*roles.quasi_identifiers, *roles.sensitive)
    labels = {column: base.labels_of(column)[FIRST_VALUE:] for column in columns}
    yield from label_notices(
        labels, policy.readings, policy.decimal, policy.convention, policy.roles.sensitive
    )


def _unit_kept(prepared: PreparedRelease, unit: str, units: Sequence[str]) -> Iterator[Notice]:
    """`unit-kept`: the unit column of a release has the values of its original.

    It is known from the policy, or from the original that the policy names. Numbers from 1 to the
    number of persons, but for those that mean missing, as `mask` writes them, say nothing, so they
    are compared with no original.
    """
    policy, table = prepared.policy, prepared.policy.original
    kept = policy.masking.unit_in_release == "kept"
    tokens = {*policy.convention.missing, *policy.convention.suppressed}
    drawn = {*map(str, range(1, len(units) + len(tokens) + 1))}
    if not kept and table is not None and not drawn.issuperset(units):
        original = prepared.open(table)
        if unit in original.columns:
            theirs = count(original, (unit,), policy.convention).labels_of(unit)[FIRST_VALUE:]
            kept = not {*units}.isdisjoint(theirs)
    if kept:
        yield Notice(
            "unit-kept",
            "the unit column has the values of the original, so whoever knows the number of a "
            "person finds all rows of that person; give each person a fresh random number instead",
            unit,
        )


def singled_out(models: Sequence[Measurement], unit: str | None) -> Iterator[Notice]:
    """`persons-alone-by-history`: persons whom all their rows together tell from everybody else."""
    alone = alone_by_history(model.details for model in models)
    if alone and unit is not None:
        yield Notice(
            "persons-alone-by-history",
            f"{alone} person(s) are singled out by all their rows together, which classes do not "
            "prevent; whoever knows several rows of a person can find that person's others",
            unit,
        )


def perturbed_columns(policy: Policy) -> Iterator[Notice]:
    """`perturbed-columns`: the columns that are declared perturbed, and what numbers mean there."""
    for column in policy.perturbed:
        if column in policy.roles.sensitive:
            message = (
                "its values are perturbed, so what classes and attacks say about them is believed, "
                "not certain; interval-disclosure compares them with the original"
            )
        else:
            message = (
                "its values are perturbed: a class is rows with equal cells, not people who cannot "
                "be told apart, and no cell is compared with another table; distance-linkage "
                "measures who is found by near values"
            )
        yield Notice("perturbed-columns", message, column)


def _values(prepared: PreparedRelease, column: str) -> int:
    """How many different values a column has."""
    return int((prepared.base.project([column]).codes[:, 0] >= FIRST_VALUE).sum())


def about_all(
    policy: Policy,
    *,
    rows: int,
    suppressed: int,
    dropped: int,
    labels_of: Mapping[str, Sequence[str]],
    different: Mapping[str, int],
) -> Iterator[Notice]:
    """What follows from all rows of a release and all values of its columns.

    rows: of the release; suppressed, dropped: those in no class. labels_of: as of `label_notices`.
    different: as of `nearly_unique`.
    """
    yield from in_no_class(rows, suppressed, dropped, policy.convention)
    for column, labels in labels_of.items():
        sensitive = column in policy.roles.sensitive
        part = "a sensitive column" if sensitive else "a quasi-identifier"
        yield from _named_people(column, labels, part)
    yield from label_notices(
        labels_of, policy.readings, policy.decimal, policy.convention, policy.roles.sensitive
    )
    yield from nearly_unique(different, rows)


def _named_people(
    column: str, values: Sequence[str], part: str, *, of_persons: bool = False
) -> Iterator[Notice]:
    """`direct-identifiers`: a column that is released and seems to say who each row is about.

    part: which part it plays, in words. of_persons: as of `direct_identifiers`.

    It is a warning and no verdict: what values look like is a guess, and no verdict depends on how
    values are called. Whoever agrees declares the column an identifier; then the audit is violated.
    """
    kind = direct_identifiers(values, of_persons=of_persons)
    if kind is not None:
        instead = "; give each person a random number instead" if of_persons else ""
        yield Notice(
            "direct-identifiers",
            f"{part} holds what looks like {kind}, so anybody can tell whom rows are about; name "
            f"the column under identifiers and take it out of the release{instead}",
            column,
        )


def _totals(column: str, values: Sequence[str], table: str = "") -> Iterator[Notice]:
    """`total-row` in a column whose other labels nobody looks at; table: if not the release."""
    for total in totals(values, column):
        yield Notice(total.code, f"{table}: {total.message}" if table else total.message, column)


def totals_beside(source: Source, columns: Sequence[str]) -> Iterator[Notice]:
    """`total-row` in columns of a table that no level speaks of, such as names.

    They are looked for in all rows: a total is the last one.
    """
    for column in columns:
        if column in source.columns and column not in source.unusable:
            yield from _totals(column, different_texts(source, column))


def undeclared_columns(source: Source, declared: Sequence[str], rows: int) -> Iterator[Notice]:
    """`direct-identifiers`, `total-row` and `undeclared-unique-column` in columns without a part.

    Names and totals are looked for in the first rows. Rows of a Spark table have no order and so no
    first ones; there they are not looked for. A count or a weight is a number, or no audit is
    possible. rows: how many the table has.
    """
    rest = [c for c in source.columns if c not in declared and c not in source.unusable]
    unique = [] if source.ordered else rest
    for start in range(0, len(rest) if source.ordered else 0, HEADS_AT_ONCE):
        batch = rest[start : start + HEADS_AT_ONCE]
        for column, values in first_values(source, batch, HEAD).items():
            yield from _named_people(column, values, "a column without a part")
            yield from _totals(column, values)
            if len(values) >= min(rows, HEAD) - 1:  # a missing cell differs from all values too
                unique.append(column)
    if FEWEST_ROWS_TO_JUDGE <= rows <= READ_AGAIN_UP_TO:
        yield from undeclared_unique(source, unique)


def label_notices(
    labels_of: Mapping[str, Sequence[str]],
    readings: Mapping[str, Declared],
    decimal: str,
    convention: Convention,
    sensitive: Collection[str] = (),
) -> Iterator[Notice]:
    """Spellings, overlapping intervals, undeclared missing tokens, ... among the values of columns.

    labels_of: by column; of one with more than MOST_LABELS, that many and one are enough.
    sensitive: which of the columns are sensitive.
    """
    declared = {"", "*", *convention.missing, *convention.suppressed}
    for column, labels in labels_of.items():
        if len(labels) > MOST_LABELS:
            message = (
                f"more than {MOST_LABELS} different values: none was checked for spelling, "
                "intervals and undeclared missing values"
            )
            yield Notice("labels-not-checked", message, column)
            continue
        for suspicion in lint(
            labels,
            column,
            reading=readings.get(column),
            decimal=decimal,
            declared=declared,
            sensitive=column in sensitive,
        ):
            yield _of_labels(suspicion)


def _of_labels(finding: LabelFinding) -> Notice:
    shown = tuple(" ~ ".join(group) for group in finding.labels)
    return Notice(finding.code, finding.message, finding.column, shown)


def about_another(
    release: FrequencySet, other: FrequencySet | None, table: str
) -> Iterator[Notice]:
    """`total-row` in another table, and `near-duplicate-labels` in the columns of both.

    table: what to call the other one.
    """
    if other is None:
        return
    for column in other.attributes:
        if column != ROW_NUMBER:
            yield from _totals(column, other.labels_of(column)[FIRST_VALUE:], table)
        if column in release.attributes:
            ours, theirs = (t.labels_of(column)[FIRST_VALUE:] for t in (release, other))
            yield from map(_of_labels, unlike_labels(ours, theirs, column, table))


def unshared_words(
    prepared: PreparedRelease, other: FrequencySet | None, table: str
) -> Iterator[Notice]:
    """`unshared-labels` between the quasi-identifiers of the release and of a table of people.

    A hierarchy, or the reading `plain` or `perturbed`, says what labels stand for. table: as of
    `unlike_spellings`.
    """
    policy = prepared.policy
    for column in policy.roles.quasi_identifiers:
        declared = column in policy.hierarchies or policy.readings.get(column) in (
            "plain",
            PERTURBED,
        )
        if other is not None and column in other.attributes and not declared:
            ours, theirs = (t.labels_of(column)[FIRST_VALUE:] for t in (prepared.base, other))
            yield from map(_of_labels, unshared_texts(ours, theirs, column, table))


def released_identifiers(roles: Roles, columns: Sequence[str]) -> dict[str, str]:
    """The columns of a release that are identifiers, and the identifier that each of them is.

    They have its name, or one that differs in spelling only, such as `Name` for `name`. A column
    that the policy gives another part is known to be another.
    """
    parts = {column for part, column in roles.named() if part != "identifier"}
    by_key = {name_key(name): name for name in roles.identifiers}
    identifiers: dict[str, str] = {}
    for column in columns:
        if column in roles.identifiers:
            identifiers[column] = column
        elif column not in parts and name_key(column) in by_key:
            identifiers[column] = by_key[name_key(column)]
    return identifiers


def identifiers_released(roles: Roles, columns: Sequence[str]) -> Iterator[Notice]:
    """`identifier-released`: the columns that are identifiers, of a release with these columns."""
    for column, name in released_identifiers(roles, columns).items():
        message = "an identifier is in the release"
        if column != name:
            message = (
                f"the name of the column differs from the identifier {name!r} only in case, blanks "
                "or marks; remove it, or name its part in the policy if it names nobody"
            )
        yield Notice("identifier-released", message, column)


def nearly_unique(different: Mapping[str, int], rows: int) -> Iterator[Notice]:
    """`nearly-unique-quasi-identifier`: a column that by itself tells most rows apart.

    different: by quasi-identifier how many different values there are.
    """
    if rows < FEWEST_ROWS_TO_JUDGE:
        return
    for column, values in different.items():
        if values > NEARLY * rows:
            yield Notice(
                "nearly-unique-quasi-identifier",
                f"{values} different values in {rows} rows: the column by itself singles "
                "out most rows; generalize it",
                column,
            )


def in_no_class(
    rows: int, suppressed: int, dropped: int, convention: Convention
) -> Iterator[Notice]:
    """`rows-in-no-class`: more than a tenth of the rows are in no class, for the reasons named."""
    apart = suppressed + dropped
    if MANY * apart <= rows:
        return
    own = 'quasi-identifiers = "own-category"'
    # Rows without a value anywhere are left out for that as well, once they are rows like others.
    both = f" and {own}" if convention.quasi_identifiers == "drop-rows" else ""
    kinds = [
        (
            suppressed,
            "suppressed in every quasi-identifier",
            f'suppressed-tuples = "include"{both}',
        ),
        (dropped, "left out for a cell without a value", own),
    ]
    left_out = [f"{n} {kind} (counted by conventions.{by})" for n, kind, by in kinds if n]
    yield Notice(
        "rows-in-no-class",
        f"{apart} of {rows} rows are in no class, so the levels describe only the other "
        f"{rows - apart}: {' and '.join(left_out)}",
    )


def unknown_outside(
    attack: str, external: FrequencySet | None, quasi_identifiers: Sequence[str]
) -> Iterator[Notice]:
    """`external-lacks-columns`: quasi-identifiers that the external table of an attack lacks."""
    absent = [q for q in quasi_identifiers if external is not None and q not in external.attributes]
    if absent:
        yield Notice(
            "external-lacks-columns",
            f"the external table of {attack} has no column {listed(absent)}, so the adversary "
            "does not know it; if the table has it under another name, give that name by columns "
            f"under [attacks.{attack}]",
        )


def undeclared(
    source: Source, declared: Sequence[str], rows: int, *, in_full: bool
) -> Iterator[Notice]:
    """`not-audited`: the columns without a part, which hardly anything in the report speaks of.

    rows: how many the table has. in_full: whether a requirement looks at every row of them.
    """
    rest = [column for column in source.columns if column not in declared]
    if rest:
        have = "1 column has" if len(rest) == 1 else f"{len(rest)} columns have"
        message = f"{have} no part: {listed(rest)}"
        if not in_full and (rows > HEAD or not source.ordered):
            where = f"only in their first {HEAD:,} rows" if source.ordered else "in none of them"
            message += (
                f". Direct identifiers were looked for {where}; require no-direct-identifiers "
                "to look at all rows"
            )
        yield Notice("not-audited", message)


def undeclared_unit(source: Source, roles: Roles) -> Iterator[Notice]:
    """`undeclared-unit`: persons seem to have several rows, and the policy counts rows.

    Such a column has a name that speaks of persons by number, and fewer values than rows. It is
    the one that `propose` makes the unit.
    """
    if roles.unit is not None or roles.count is not None:
        return
    named = [c for c in source.columns if c not in source.unusable and _of_persons(c)]
    for column, (rows, different) in _different(source, named).items():
        if 1 < different < rows:
            yield Notice(
                "undeclared-unit",
                f"the column seems to number persons, and {rows} rows have {different} values: "
                "rows are counted here, so a class of k rows may have fewer than k persons; if "
                "the column identifies persons, name it as columns.unit",
                column,
            )


def _of_persons(column: str) -> bool:
    speaks = hint(column)
    return speaks is not None and speaks.kind == "person"


def undeclared_unique(source: Source, columns: Sequence[str]) -> Iterator[Notice]:
    """`undeclared-unique-column`: a column without a part that numbers or names every row.

    columns: those that may. For tables of at least FEW rows; below, a column without repetition
    tells nothing.
    """
    for column, (rows, different) in _different(source, columns).items():
        if rows == different:
            yield Notice(
                "undeclared-unique-column",
                "has a different value in every row, like an identifier or the row number of a "
                "tool; declare its part, or remove it",
                column,
            )


def _different(source: Source, columns: Sequence[str]) -> dict[str, tuple[int, int]]:
    """By column, the rows and their different values."""
    counted: dict[str, tuple[int, int]] = {}
    for start in range(0, len(columns), COLUMNS_AT_ONCE):
        batch = columns[start : start + COLUMNS_AT_ONCE]
        inner = source.inner(batch)
        wanted = (nw.len().alias("n"), *(nw.col(c).n_unique() for c in inner))

        def look(
            frame: nw.LazyFrame[Any], wanted: tuple[nw.Expr, ...] = wanted
        ) -> nw.LazyFrame[Any]:
            return frame.select(*wanted)

        counts = source.collect(look)
        # Over no row the engine's numbers are NULL.
        total = int(np.nan_to_num(np.asarray(counts["n"]))[0])
        for column, name in zip(batch, inner, strict=True):
            counted[column] = (total, int(np.nan_to_num(np.asarray(counts[name]))[0]))
    return counted
