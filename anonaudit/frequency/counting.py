"""Count the rows with each combination of values (TV06 Definition 4), in the table's own engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import NoneType
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from anonaudit.cells import FIRST_VALUE, MISSING, Convention, cell_text
from anonaudit.errors import InputError
from anonaudit.frequency.frequency_set import Counts, FrequencySet, encode, encode_column
from anonaudit.generalization.labels import as_float
from anonaudit.source.engine_columns import Coded, Columns, plain_cells
from anonaudit.source.table import ROW, ROW_NUMBER, Pipeline, Source

FILTERS = 8  # largest number of columns by which `row_positions` filters
SHOWN_POSITIONS = 5  # largest number of positions per combination
MOST_RECORDS = 2**53  # floats hold sums of counts exactly up to this number


def count(
    source: Source,
    attributes: Sequence[str],
    convention: Convention | None = None,
    *,
    weight: str | None = None,
) -> FrequencySet:
    """Return the frequency set of a table. The table's own engine counts.

    attributes: the columns to group by. If ROW_NUMBER is one of them, each row is its own
        combination, numbered from 1 in row order. Padding has no number.
    convention: the rules for cells without a value; None for the default rules.
    weight: the column with the number of records that a row stands for, a whole number >= 0; None
        if each row is one record.

    Padding is removed (see `Source`). The table is searched for padding only if some record is
    empty in all counted columns.

    Raises InputError if the table cannot be read, if a weight is not a whole number >= 0, or if the
    weights add up to more than MOST_RECORDS.
    """
    columns = [*attributes, *([] if weight is None else [weight])]
    grouped = _grouped(source, [*dict.fromkeys(source.inner(columns))])
    rules = convention or Convention()
    result = source.collect(grouped)
    rows = _entries(source, result, attributes, rules)
    if _any_without_value(rows) and source.leave_out_padding():
        result = source.collect(grouped)
        rows = _entries(source, result, attributes, rules)
    if weight is not None:
        rows = replace(rows, counts=rows.counts * _weights(source, result, weight))
    return _merged(rows)


class CountedInParts:
    """The frequency set of a file, in parts that fit into memory.

    Iterating gives the frequency set of each part that is not empty. Iterating again gives the same
    parts.

    together: combinations that are equal on these attributes are in the same part.
    source, attributes, convention: as for `count`.
    """

    def __init__(
        self,
        source: Source,
        attributes: Sequence[str],
        together: Sequence[str],
        convention: Convention,
    ) -> None:
        self._source, self._attributes, self._convention = source, attributes, convention
        alike = ["", *convention.missing, *convention.suppressed]
        grouped = _grouped(source, source.inner(attributes))
        self._parts = source.parts(grouped, source.inner(together), alike)
        if self._parts.any_without_value() and source.leave_out_padding():
            self._parts = source.parts(grouped, source.inner(together), alike)

    def __len__(self) -> int:
        return len(self._parts)

    def different(self, attribute: str) -> int:
        """Return the number of different values of an attribute in all parts together."""
        return self._parts.different(*self._source.inner([attribute]))

    def __iter__(self) -> Iterator[FrequencySet]:
        for part in self._parts:
            if not len(part["n"]):
                continue
            columns = {name: plain_cells(values) for name, values in part.items()}
            yield _merged(_entries(self._source, columns, self._attributes, self._convention))


def _grouped(source: Source, keys: list[str]) -> Pipeline:
    """Return the pipeline that counts the rows with each combination of cells, in column n.

    keys: columns of the frame.
    """

    def pipeline(frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        if not keys:
            return frame.select(nw.len().alias("n"))
        grouped = frame.select(*keys).group_by(*keys).agg(nw.len().alias("n"))
        return _to_text(grouped, source, keys)

    return pipeline


def _entries(
    source: Source, result: Columns, attributes: Sequence[str], convention: Convention
) -> FrequencySet:
    """Encode the result of a `_grouped` pipeline. Some entries may be equal after encoding.

    Example: the cells `NA` and `-` become equal if both mean missing.
    """
    keys = source.inner(attributes)
    counts = np.asarray(result["n"]).astype(np.int64)
    codes, labels = np.empty((len(keys), len(counts)), np.int64), []
    for column, name, key in zip(codes, attributes, keys, strict=True):
        cells = result[key] if key == ROW else _texts(result[key])
        texts, column[:] = encode_column(name, cells, convention)
        labels.append(texts)
    return FrequencySet(tuple(attributes), tuple(labels), codes.T, counts)


def _any_without_value(entries: FrequencySet) -> bool:
    """Return True if some entry is missing in every column. Then there may be padding."""
    silent = np.ones(len(entries), bool)
    for name in entries.attributes:
        if name != ROW_NUMBER:
            silent &= entries.column(name) == MISSING
    return bool(silent.any())


def _merged(entries: FrequencySet) -> FrequencySet:
    """Merge equal entries and drop entries with count 0."""
    return entries.where(entries.counts > 0).project(entries.attributes)


def _to_text(frame: nw.LazyFrame[Any], source: Source, keys: list[str]) -> nw.LazyFrame[Any]:
    """Cast columns to text inside the engine if all engines write their type in the same way.

    `_texts` converts the other columns.

    Raises InputError for a column whose cells are not single values.
    """
    schema = frame.collect_schema()
    casts = []
    for key in keys:
        dtype = schema[key]
        if key == ROW:
            continue
        if dtype.is_nested() or dtype == nw.Binary:
            column = source.columns[int(key[1:])]
            raise InputError(
                f"{source.name}: column {column!r} holds {dtype} cells; expected one value per "
                "cell: split the column into columns first"
            )
        if dtype.is_decimal() and frame.implementation.is_spark_like():
            continue  # Java would write 1E-9, so `_texts` converts them
        if dtype.is_integer() or dtype.is_decimal() or dtype in (nw.Categorical, nw.Enum):
            casts.append(nw.col(key).cast(nw.String))
        elif dtype == nw.Boolean:
            casts.append(nw.col(key).cast(nw.String).str.to_titlecase())
        elif dtype == nw.Date:
            casts.append(nw.col(key).dt.to_string("%Y-%m-%d"))
    return frame.with_columns(*casts) if casts else frame


def _texts(values: npt.NDArray[Any] | Coded) -> Sequence[str | None] | Coded:
    """Return the cells of a column as texts. A `Coded` column is returned unchanged."""
    if isinstance(values, Coded):
        return values
    if values.dtype == object:
        cells: list[Any] = values.tolist()
        if {*map(type, cells)} <= {str, NoneType}:
            return cells
        return [v if isinstance(v, str) else cell_text(v) for v in cells]
    if values.dtype.kind == "M":
        import pandas as pd  # so that times are written as those of pandas tables

        return [cell_text(v) for v in pd.Series(values)]
    return [cell_text(v) for v in values]


def _weights(source: Source, result: Columns, weight: str) -> Counts:
    texts, rows = _texts(result[source.inner([weight])[0]]), np.asarray(result["n"])
    if isinstance(texts, Coded):
        texts = np.append(texts.labels, [None])[texts.codes].tolist()
    numbers = np.array([as_float(text or "") for text in texts])
    wrong = ~(np.isfinite(numbers) & (numbers >= 0) & (numbers == np.floor(numbers)))
    if wrong.any():
        raise InputError(
            f"{source.name}: column {weight!r} must hold whole numbers of records, but "
            f"{int(rows[wrong].sum())} row(s) hold something else; correct them, or do not use "
            "the column as a count (a sampling weight is not a count)"
        )
    if float((numbers * rows).sum()) > MOST_RECORDS:
        raise InputError(
            f"{source.name}: column {weight!r} adds up to more than {MOST_RECORDS:,} records, "
            "which is too many; check that the column is a count of records"
        )
    return numbers.astype(np.int64)


def different_texts(source: Source, column: str) -> list[str]:
    """Return the different texts in the cells of a column, in any order.

    Null cells are left out. Texts that, according to the policy, mean missing or suppressed are
    included.
    """
    (key,) = source.inner([column])
    texts = _texts(source.collect(_grouped(source, [key]))[key])
    cells = texts.labels if isinstance(texts, Coded) else texts
    return [text for text in cells if isinstance(text, str)]


def first_values(
    source: Source, attributes: Sequence[str], rows: int
) -> dict[str, tuple[str, ...]]:
    """Return column -> the different values in the first `rows` rows of a table.

    The empty text, null and `*` are not values. The rules of the policy are not applied.
    """
    keys = source.inner(attributes)

    def pipeline(frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        return _to_text(frame.head(rows).select(*keys), source, keys)

    result = source.collect(pipeline)
    encoded = [encode(_texts(result[key]), Convention())[0] for key in keys]
    return {a: labels[FIRST_VALUE:] for a, labels in zip(attributes, encoded, strict=True)}


def row_positions(
    source: Source, wanted: FrequencySet, convention: Convention
) -> list[tuple[int, ...]]:
    """Return for each combination in `wanted` the numbers of its first data rows, from 1.

    There are at most SHOWN_POSITIONS numbers per combination. The table is read only once.
    """
    keys = source.inner(wanted.attributes)

    def pipeline(frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        schema = frame.collect_schema()
        few = [  # these filters only reduce the rows to fetch; all columns are compared below
            nw.col(key).is_in([labels[code] for code in {*codes}])
            for key, labels, codes in zip(keys, wanted.labels, wanted.codes.T, strict=True)
            if schema[key] == nw.String and (codes >= FIRST_VALUE).all()
        ][:FILTERS]
        kept = frame.filter(*few) if few else frame
        return _to_text(kept.select(ROW, *keys), source, keys)

    result = source.collect(pipeline)
    encoded = [encode(_texts(result[key]), convention) for key in keys]
    row = np.asarray(result[ROW])
    positions = []
    for codes in wanted.codes:
        match = np.ones(len(row), bool)
        for code, ours, (labels, column) in zip(codes, wanted.labels, encoded, strict=True):
            same = int(code)
            if code >= FIRST_VALUE:  # the two tables have different codes for the same label
                label = ours[code]
                same = labels.index(label, FIRST_VALUE) if label in labels[FIRST_VALUE:] else -1
            match &= column == same
        positions.append(tuple(int(n) for n in np.sort(row[match])[:SHOWN_POSITIONS]))
    return positions
