"""Warnings about the tables and columns of an audit.

Only the warning `identifier-released` affects the outcome: with it, an audit is violated.
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
from anonaudit.errors import listed
from anonaudit.findings import Measurement, Notice
from anonaudit.frequency.counting import count, different_texts, first_values
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.column_names import has_persons
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
from anonaudit.special_details import alone_by_history

# In a table with fewer rows, a column without repeated values is no evidence of an identifier.
FEWEST_ROWS_TO_JUDGE = 20
NEARLY = 0.9  # a column is nearly unique if it has more different values than this share of rows
# If more than one row in MANY rows is in no class, the levels do not describe the release well.
MANY = 10
# Columns without a role are searched in the first HEAD rows. One query searches HEADS_AT_ONCE
# columns, because each query costs the engine time for all columns of the table. A query that
# counts the different values in all rows is for COLUMNS_AT_ONCE columns.
HEAD = 1_000
HEADS_AT_ONCE = 512
COLUMNS_AT_ONCE = 32
# Checking a column parses each label. A column with more labels is probably a row number.
MOST_LABELS = 50_000


def notices_of(prepared: PreparedRelease) -> Iterator[Notice]:
    """Yield all warnings about a release that do not come from models and attacks.

    For a part of a release, yield only the warnings that hold for the whole release.
    """
    policy, roles, classes = prepared.policy, prepared.policy.roles, prepared.classes
    yield from (Notice(code, message) for code, message in prepared.source.warnings)
    for _, table in prepared.others:
        if table.left_out is not None:
            yield Notice("empty-records", f"{table.name}: {table.left_out}")
    if has_positions(prepared) and not prepared.source.ordered:
        message = "rows of a Spark table have no order, so the report shows no row numbers"
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
            different={q: len(prepared.base.values(q)) for q in roles.quasi_identifiers},
        )
    if roles.unit is not None:
        units = prepared.base.labels_of(roles.unit)[FIRST_VALUE:]
        yield from _looks_like_identifiers(roles.unit, units, "the unit", of_persons=True)
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
            message = "every value is a number, so ordered distances use the numerical order"
            yield Notice("numbers-recognized", message, column)
    declared = [column for _, column in roles.named()]
    if classes.whole is None:
        yield from undeclared_unit(prepared.source, roles)
    in_full = any(describe_model(one.name).of_the_columns for one in policy.requirements)
    rows = classes.total_rows if classes.whole is None else classes.whole.rows
    yield from undeclared(prepared.source, declared, rows, in_full=in_full)
    yield from undeclared_columns(prepared.source, declared, rows)


def notices_of_original(prepared: PreparedRelease) -> Iterator[Notice]:
    """Yield warnings about the reading, the rows and the labels of a table before it is masked."""
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
    """Yield `unit-kept` if the unit column of the release has values of the original.

    This is the case if the policy says so, or if some value also occurs in the original that the
    policy names. Units numbered 1, 2, ..., as `mask` writes them, are not compared, because these
    numbers may occur in any original.

    units: the different values of the unit column.
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
            "the unit column has values of the original, so whoever knows the ID of a person "
            "finds all rows of that person; give each person a new random number instead",
            unit,
        )


def singled_out(models: Sequence[Measurement], unit: str | None) -> Iterator[Notice]:
    """Yield `persons-alone-by-history` if some persons are unique by all their rows together."""
    alone = alone_by_history(model.details for model in models)
    if alone and unit is not None:
        yield Notice(
            "persons-alone-by-history",
            f"{alone:,} person(s) are unique by all their rows together, even if each row is in a "
            "large class; whoever knows several rows of such a person can find the other rows",
            unit,
        )


def perturbed_columns(policy: Policy) -> Iterator[Notice]:
    """Yield `perturbed-columns` for each perturbed column. It says what the results mean for it."""
    for column in policy.perturbed:
        if column in policy.roles.sensitive:
            message = (
                "its values are perturbed, so what an adversary learns from classes and attacks is "
                "likely, not certain; interval-disclosure compares the values with the original"
            )
        else:
            message = (
                "its values are perturbed: the rows of a class have equal cells, but their people "
                "are not indistinguishable, and no cell is compared with another table; "
                "distance-linkage measures who is found by similar values"
            )
        yield Notice("perturbed-columns", message, column)


def about_all(
    policy: Policy,
    *,
    rows: int,
    suppressed: int,
    dropped: int,
    labels_of: Mapping[str, Sequence[str]],
    different: Mapping[str, int],
) -> Iterator[Notice]:
    """Yield the warnings that depend on all rows of a release and on all values of its columns.

    rows: number of rows of the release.
    suppressed, dropped: number of suppressed tuples and of dropped rows, which are in no class.
    labels_of: see `label_notices`. different: see `nearly_unique`.
    """
    yield from in_no_class(rows, suppressed, dropped, policy.convention)
    for column, labels in labels_of.items():
        sensitive = column in policy.roles.sensitive
        part = "a sensitive column" if sensitive else "a quasi-identifier"
        yield from _looks_like_identifiers(column, labels, part)
    yield from label_notices(
        labels_of, policy.readings, policy.decimal, policy.convention, policy.roles.sensitive
    )
    yield from nearly_unique(different, rows)


def _looks_like_identifiers(
    column: str, values: Sequence[str], part: str, *, of_persons: bool = False
) -> Iterator[Notice]:
    """Yield `direct-identifiers` if the values of a released column look like direct identifiers.

    This is only a warning, because the look of values is weak evidence. A user who finds that it is
    right declares the column as an identifier. Then the audit is violated.

    values: the different values. part: the role of the column, in words. of_persons: see
    `direct_identifiers`.
    """
    kind = direct_identifiers(values, of_persons=of_persons)
    if kind is not None:
        instead = "; give each person a random number instead" if of_persons else ""
        yield Notice(
            "direct-identifiers",
            f"{part} holds what looks like {kind}, so anybody can see whom rows are about; name "
            f"the column under identifiers and remove it from the release{instead}",
            column,
        )


def _totals(column: str, values: Sequence[str], table: str = "") -> Iterator[Notice]:
    """Yield `total-row` for each value of the column that marks a row of totals, such as "Total".

    values: the different values. table: name of the table; empty for the release.
    """
    for total in totals(values, column):
        yield Notice(total.code, f"{table}: {total.message}" if table else total.message, column)


def totals_beside(source: Source, columns: Sequence[str]) -> Iterator[Notice]:
    """Yield `total-row` for columns that no model measures, such as names.

    All rows are searched, because a row of totals is usually the last one.
    """
    for column in columns:
        if column in source.columns and column not in source.unusable:
            yield from _totals(column, different_texts(source, column))


def undeclared_columns(source: Source, declared: Sequence[str], rows: int) -> Iterator[Notice]:
    """Yield warnings about the values of columns without a role.

    - `direct-identifiers` and `total-row`: the first HEAD rows are searched. Spark tables, whose
      rows have no order, are not searched.
    - `undeclared-unique-column`: all rows are searched, but only in tables with at least
      FEWEST_ROWS_TO_JUDGE and at most READ_AGAIN_UP_TO rows.

    declared: the columns that have a role. rows: number of rows of the table.
    """
    rest = [c for c in source.columns if c not in declared and c not in source.unusable]
    unique = [] if source.ordered else rest
    for start in range(0, len(rest) if source.ordered else 0, HEADS_AT_ONCE):
        batch = rest[start : start + HEADS_AT_ONCE]
        for column, values in first_values(source, batch, HEAD).items():
            yield from _looks_like_identifiers(column, values, "a column without a role")
            yield from _totals(column, values)
            # A column may be unique although one cell is missing, hence -1.
            if len(values) >= min(rows, HEAD) - 1:
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
    """Yield the warnings of `lint` about the labels of columns, such as `near-duplicate-labels`.

    labels_of: column -> its labels. A column with more than MOST_LABELS labels is not checked, so
        no more than MOST_LABELS + 1 labels of a column are needed.
    readings: column -> its declared reading; columns without one are absent.
    decimal: the decimal mark, `.` or `,`.
    convention: names the texts that are declared as missing or suppressed.
    sensitive: the sensitive columns.
    """
    declared = {"", "*", *convention.missing, *convention.suppressed}
    for column, labels in labels_of.items():
        if len(labels) > MOST_LABELS:
            message = (
                f"the column has more than {MOST_LABELS} different values, so they were not "
                "checked for spelling, intervals and undeclared missing values"
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
    """Yield `total-row` for another table, and `near-duplicate-labels` for columns of both tables.

    other: the counts of the other table; None to yield nothing. table: its name in messages.
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
    """Yield `unshared-labels` for words in quasi-identifiers that a table of people does not have.

    Columns with a hierarchy, or with the reading `plain` or `perturbed`, are skipped, because the
    policy explains their labels.

    other: the counts of the table of people; None to yield nothing. table: its name in messages.
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
    """Return column -> name of the identifier, for the released columns that are identifiers.

    A column is an identifier if the policy declares an identifier of the same name. A column
    without a role is also an identifier if the names differ only in spelling (`Name`, `name`).

    columns: the columns of the release.
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
    """Yield `identifier-released` for each identifier among the columns of the release."""
    for column, name in released_identifiers(roles, columns).items():
        message = "an identifier is in the release"
        if column != name:
            message = (
                f"the name of the column differs from the identifier {name!r} only in case, blanks "
                "or marks; remove it, or give it a role in the policy if it is not an identifier"
            )
        yield Notice("identifier-released", message, column)


def nearly_unique(different: Mapping[str, int], rows: int) -> Iterator[Notice]:
    """Yield `nearly-unique-quasi-identifier` for columns with more than NEARLY * rows values.

    Tables with fewer than FEWEST_ROWS_TO_JUDGE rows are skipped.

    different: quasi-identifier -> the number of its different values. rows: number of rows.
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
    """Yield `rows-in-no-class` if more than a tenth of the rows are in no class.

    rows: number of rows of the release. suppressed, dropped: see `about_all`.
    """
    apart = suppressed + dropped
    if MANY * apart <= rows:
        return
    own = 'quasi-identifiers = "own-category"'
    # Under "drop-rows", suppressed tuples would be dropped if only `suppressed-tuples` changed.
    both = f" and {own}" if convention.quasi_identifiers == "drop-rows" else ""
    kinds = [
        (
            suppressed,
            "suppressed in every quasi-identifier",
            f'suppressed-tuples = "include"{both}',
        ),
        (dropped, "dropped because of a cell without a value", own),
    ]
    left_out = [f"{n} {kind} (to count them, set conventions.{by})" for n, kind, by in kinds if n]
    yield Notice(
        "rows-in-no-class",
        f"{apart} of {rows} rows {'is' if apart == 1 else 'are'} in no class, so the levels "
        f"describe only the other {rows - apart}: {' and '.join(left_out)}",
    )


def unknown_outside(
    attack: str, external: FrequencySet | None, quasi_identifiers: Sequence[str]
) -> Iterator[Notice]:
    """Yield `external-lacks-columns` if the external table of an attack lacks quasi-identifiers.

    attack: the name of the attack. external: the counts of its external table; None to yield
    nothing.
    """
    absent = [q for q in quasi_identifiers if external is not None and q not in external.attributes]
    if absent:
        yield Notice(
            "external-lacks-columns",
            f"the external table of {attack} has no column {listed(absent)}, so the adversary "
            "does not know these values; if the table has them under another name, give this name "
            f"by `columns` under [attacks.{attack}]",
        )


def undeclared(
    source: Source, declared: Sequence[str], rows: int, *, in_full: bool
) -> Iterator[Notice]:
    """Yield `not-audited` with the columns without a role. Most models and attacks ignore them.

    declared: the columns that have a role. rows: number of rows of the table.
    in_full: True if a requirement searches all rows of the columns without a role.
    """
    rest = [column for column in source.columns if column not in declared]
    if rest:
        have = "1 column has" if len(rest) == 1 else f"{len(rest)} columns have"
        message = f"{have} no role: {listed(rest)}"
        if not in_full and (rows > HEAD or not source.ordered):
            searched = f"Only the first {HEAD:,} rows" if source.ordered else "No rows"
            message += (
                f". {searched} of columns without a role were searched for direct identifiers; "
                "require no-direct-identifiers to search all rows"
            )
        yield Notice("not-audited", message)


def undeclared_unit(source: Source, roles: Roles) -> Iterator[Notice]:
    """Yield `undeclared-unit` if persons seem to have several rows but the policy counts rows.

    The warning names each column whose name suggests numbers of persons, such as `patient_id`, and
    that has at least two different values but fewer different values than rows. `propose` would
    make it the unit.
    """
    if roles.unit is not None or roles.count is not None:
        return
    named = [c for c in source.columns if c not in source.unusable and has_persons(c)]
    for column, (rows, different) in _different(source, named).items():
        if 1 < different < rows:
            yield Notice(
                "undeclared-unit",
                f"the column seems to have IDs of persons, and {rows:,} rows have "
                f"{different:,} values. This audit counts rows, so a class of k rows may have "
                "fewer than k persons; if the column identifies persons, name it as columns.unit",
                column,
            )


def undeclared_unique(source: Source, columns: Sequence[str]) -> Iterator[Notice]:
    """Yield `undeclared-unique-column` for columns with a different value in every row.

    columns: the columns to check. The size of the table is not checked here.
    """
    for column, (rows, different) in _different(source, columns).items():
        if rows == different:
            yield Notice(
                "undeclared-unique-column",
                "the column has a different value in every row, like an identifier or a row "
                "number; give it a role in the policy, or remove it",
                column,
            )


def _different(source: Source, columns: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return column -> (number of rows, number of different values)."""
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
        # For a table without rows, engines return NULL.
        total = int(np.nan_to_num(np.asarray(counts["n"]))[0])
        for column, name in zip(batch, inner, strict=True):
            counted[column] = (total, int(np.nan_to_num(np.asarray(counts[name]))[0]))
    return counted
