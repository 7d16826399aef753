"""The frequency set: how many rows carry each combination of values (TV06 Definition 4).

Every number anonaudit reports is a function of frequency sets. The engine that holds the
table counts once; from then on a table is an array of integer codes with counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd

from anonaudit.cells import FIRST_VALUE, MISSING, SUPPRESSED, Convention, text
from anonaudit.codes import Codes, by_column, distinct_rows
from anonaudit.errors import InputError
from anonaudit.labels import number
from anonaudit.source import ROW, ROW_NUMBER, Pipeline, Source, in_frame

Counts = npt.NDArray[np.int64]

FILTERS = 8
MOST_RECORDS = 2**53  # above, sums of counts are not exact


@dataclass(frozen=True)
class FrequencySet:
    """A mapping from combinations of values to counts (TV06 Definition 4), as arrays.

    attributes: the m column names.
    labels: for each attribute the texts of its codes; code 0 is missing, 1 suppressed, then
        the values in order of their text. Shape: m tuples.
    codes: shape (n, m), one row a combination, all different, in ascending order.
    counts: shape (n,), rows (or whatever was counted) that carry the combination.
    """

    attributes: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    codes: Codes
    counts: Counts

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def total(self) -> int:
        """The number of rows counted."""
        return int(self.counts.sum())

    def positions(self, attributes: Sequence[str]) -> list[int]:
        """The column numbers of `attributes` in `codes`."""
        return [self.attributes.index(attribute) for attribute in attributes]

    def column(self, attribute: str) -> Codes:
        """The codes of one attribute, shape (n,)."""
        return self.codes[:, self.attributes.index(attribute)]

    def labels_of(self, attribute: str) -> tuple[str, ...]:
        """The texts of one attribute's codes."""
        return self.labels[self.attributes.index(attribute)]

    def entry_of(self, finer: FrequencySet) -> npt.NDArray[np.intp]:
        """For each entry of a finer set the entry here that it adds to, shape (len(finer),).

        Every combination of the finer set must be here, as after `finer.project(...)`.
        """
        return distinct_rows(finer.codes, finer.positions(self.attributes))[1]

    def project(self, attributes: Sequence[str]) -> FrequencySet:
        """The frequency set over fewer attributes: counts are added up, the total stays.

        >>> t = FrequencySet.of(("a", "b"), [("x", "1"), ("x", "2"), ("y", "1")])
        >>> t.project(["a"]).counts.tolist()
        [2, 1]
        """
        columns = self.positions(attributes)
        codes, group = distinct_rows(self.codes, columns)
        counts = np.bincount(group, weights=self.counts, minlength=len(codes)).astype(np.int64)
        return FrequencySet(
            tuple(attributes), tuple(self.labels[c] for c in columns), codes, counts
        )

    def distinct(self, attributes: Sequence[str], unit: str) -> FrequencySet:
        """How many different values of `unit` go with each combination: persons, not rows."""
        pairs = self.project([*attributes, unit])
        each = FrequencySet(pairs.attributes, pairs.labels, pairs.codes, np.ones_like(pairs.counts))
        return each.project(attributes)

    def where(self, keep: npt.NDArray[np.bool_]) -> FrequencySet:
        """The combinations for which `keep`, shape (n,), is true."""
        if keep.all():
            return self
        codes = self.codes.T[:, keep].T
        return FrequencySet(self.attributes, self.labels, codes, self.counts[keep])

    def relabel(
        self, changes: Mapping[str, Callable[[str], str]], convention: Convention
    ) -> FrequencySet:
        """Replace the labels of some attributes and add up what falls together.

        With the ancestors of a hierarchy this is generalization: counting, then relabelling,
        equals relabelling, then counting (the roll-up property).
        """
        labels, columns = list(self.labels), [self.codes[:, j] for j in range(self.codes.shape[1])]
        for attribute, change in changes.items():
            j = self.attributes.index(attribute)
            new = [change(label) for label in self.labels[j][FIRST_VALUE:]]
            labels[j], translate = encode(new, convention)
            columns[j] = np.concatenate([[MISSING, SUPPRESSED], translate])[columns[j]]
        codes = by_column(columns) if columns else self.codes
        return FrequencySet(self.attributes, tuple(labels), codes, self.counts).project(
            self.attributes
        )

    @classmethod
    def of(
        cls,
        attributes: Sequence[str],
        rows: Sequence[Sequence[str | None]],
        convention: Convention | None = None,
        counts: Sequence[int] | None = None,
    ) -> FrequencySet:
        """Count a few rows of cells held in Python lists; None is a missing cell."""
        convention = convention or Convention()
        columns = [encode([row[j] for row in rows], convention) for j in range(len(attributes))]
        codes = np.column_stack([c for _, c in columns]) if columns else np.zeros((len(rows), 0))
        weights = np.ones(len(rows), np.int64) if counts is None else np.asarray(counts, np.int64)
        whole = cls(
            tuple(attributes), tuple(lab for lab, _ in columns), codes.astype(np.int64), weights
        )
        return whole.project(attributes)


def count(
    source: Source,
    attributes: Sequence[str],
    convention: Convention | None = None,
    *,
    weight: str | None = None,
) -> FrequencySet:
    """The frequency set of a table: the one reduction, done by the engine that holds it.

    attributes: the columns to group by.
    weight: a column of whole numbers, one row standing for so many records.

    Raises InputError if the table cannot be read, or a weight is not a whole number >= 0.
    """
    columns = [*attributes, *([] if weight is None else [weight])]
    keys = [*dict.fromkeys(source.inner(columns))]
    result = source.collect(_grouped(source, keys))
    return _frequency_set(source, result, attributes, convention or Convention(), weight)


class CountedInParts:
    """The frequency set of a file, in parts that fit into memory: each goes through all of it.

    together: combinations that are equal on these attributes are in one part. Otherwise as `count`.
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

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[FrequencySet]:
        for part in self._parts:
            if not len(part["n"]):
                continue
            yield _frequency_set(self._source, in_frame(part), self._attributes, self._convention)


def _grouped(source: Source, keys: list[str]) -> Pipeline:
    """Distinct combinations of native cells with their numbers of rows."""

    def pipeline(frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        if not keys:
            return frame.select(nw.len().alias("n"))
        grouped = frame.select(*keys).group_by(*keys).agg(nw.len().alias("n"))
        return _to_text(grouped, source, keys)

    return pipeline


def _frequency_set(
    source: Source,
    result: nw.DataFrame[Any],
    attributes: Sequence[str],
    convention: Convention,
    weight: str | None = None,
) -> FrequencySet:
    """The frequency set of what a pipeline of `_grouped` gave."""
    keys = source.inner(attributes)
    counts = result["n"].to_numpy().astype(np.int64)
    if weight is not None:
        counts = counts * _weights(source, result, weight)
    columns = [encode(_texts(result[key]), convention) for key in keys]
    codes = by_column([c for _, c in columns]) if keys else np.zeros((len(counts), 0), np.int64)
    whole = FrequencySet(tuple(attributes), tuple(labels for labels, _ in columns), codes, counts)
    present = whole.where(counts > 0)
    return present.project(attributes)


def _to_text(frame: nw.LazyFrame[Any], source: Source, keys: list[str]) -> nw.LazyFrame[Any]:
    """Cast the types whose text every engine writes alike, and refuse what is not one value."""
    schema = frame.collect_schema()
    casts = []
    for key in keys:
        dtype = schema[key]
        if dtype.is_nested() or dtype == nw.Binary:
            column = source.columns[int(key[1:])]
            raise InputError(
                f"{source.name}: column {column!r} holds {dtype} cells; expected one value a "
                "cell: unpack it into columns first"
            )
        if dtype.is_decimal() and frame.implementation.is_spark_like():
            continue  # Java would write 1E-9
        if dtype.is_integer() or dtype.is_decimal() or dtype in (nw.Categorical, nw.Enum):
            casts.append(nw.col(key).cast(nw.String))
        elif dtype == nw.Boolean:
            casts.append(nw.col(key).cast(nw.String).str.to_titlecase())
        elif dtype == nw.Date:
            casts.append(nw.col(key).dt.to_string("%Y-%m-%d"))
    return frame.with_columns(*casts) if casts else frame


def _texts(column: nw.Series[Any]) -> Sequence[str | None] | npt.NDArray[Any]:
    """One column of cells as texts; those that come as codes with labels stay so."""
    native = column.to_native()
    if isinstance(getattr(native, "dtype", None), pd.CategoricalDtype):
        coded: npt.NDArray[Any] = native.array
        return coded
    values: npt.NDArray[Any] = column.to_numpy()
    if values.dtype == object:
        if pd.api.types.infer_dtype(values, skipna=True) == "string":
            return values  # texts and gaps already
        return [v if isinstance(v, str) else text(v) for v in values.tolist()]
    if values.dtype.kind == "M":
        return [text(v) for v in pd.Series(values)]
    return [text(v) for v in values]


def encode(
    texts: Sequence[str | None] | npt.NDArray[Any], convention: Convention
) -> tuple[tuple[str, ...], Codes]:
    """The labels of a column of texts, and the code of each cell (missing 0, suppressed 1)."""
    if isinstance(texts, pd.Categorical):
        raw, uniques = texts.codes, texts.categories.to_numpy()
    else:
        raw, uniques = pd.factorize(np.asarray(texts, dtype=object), use_na_sentinel=True)
    found = pd.Index(uniques, dtype=object)
    apart = found.isin(["", *convention.missing, *convention.suppressed])
    values = sorted(found[~apart])
    translate = np.empty(len(found), np.int64)
    translate[apart] = [convention.kind(label) for label in found[apart]]
    translate[~apart] = FIRST_VALUE + pd.Index(values, dtype=object).get_indexer(found[~apart])
    codes = np.append(translate, MISSING)[raw]  # raw -1, no text, is missing
    return ("", "*", *values), codes


def _weights(source: Source, result: nw.DataFrame[Any], weight: str) -> Counts:
    texts, rows = _texts(result[source.inner([weight])[0]]), result["n"].to_numpy()
    numbers = np.array([float(n) if (n := number(t or "")) is not None else np.nan for t in texts])
    wrong = ~(np.isfinite(numbers) & (numbers >= 0) & (numbers == np.floor(numbers)))
    if wrong.any():
        raise InputError(
            f"{source.name}: column {weight!r} must hold whole numbers of records, but "
            f"{int(rows[wrong].sum())} row(s) hold something else; a sampling weight is "
            "not a count of records"
        )
    if float((numbers * rows).sum()) > MOST_RECORDS:
        raise InputError(
            f"{source.name}: column {weight!r} adds up to more than {MOST_RECORDS:,} records, more "
            "than can be counted; is it a count of records?"
        )
    return numbers.astype(np.int64)


def in_row_order(counted: FrequencySet) -> npt.NDArray[np.intp]:
    """The entries of a table counted over ROW_NUMBER and other columns, in the order of the rows.

    >>> table = FrequencySet.of((ROW_NUMBER, "dx"), [("10", "flu"), ("9", "hiv")])
    >>> in_row_order(table).tolist()  # as texts, 10 comes first
    [1, 0]
    """
    texts = counted.labels_of(ROW_NUMBER)[FIRST_VALUE:]
    place = np.array([0] * FIRST_VALUE + [int(text) for text in texts], np.int64)
    return np.argsort(place[counted.column(ROW_NUMBER)], kind="stable")


def row_positions(
    source: Source, wanted: FrequencySet, convention: Convention, *, limit: int = 5
) -> list[tuple[int, ...]]:
    """The first positions (data rows from 1) of the rows with each of these combinations.

    The table is gone through once, however many there are.
    """
    keys = source.inner(wanted.attributes)

    def pipeline(frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        schema = frame.collect_schema()
        few = [  # leaves few rows to look through; all columns are compared below
            nw.col(key).is_in([labels[code] for code in {*codes}])
            for key, labels, codes in zip(keys, wanted.labels, wanted.codes.T, strict=True)
            if schema[key] == nw.String and (codes >= FIRST_VALUE).all()
        ][:FILTERS]
        kept = frame.filter(*few) if few else frame
        return _to_text(kept.select(ROW, *keys), source, keys)

    result = source.collect(pipeline)
    found = [encode(_texts(result[key]), convention) for key in keys]
    row = result[ROW].to_numpy()
    positions = []
    for codes in wanted.codes:
        match = np.ones(len(result), bool)
        for code, ours, (labels, column) in zip(codes, wanted.labels, found, strict=True):
            same = int(code)
            if code >= FIRST_VALUE:  # codes differ from table to table, labels do not
                label = ours[code]
                same = labels.index(label, FIRST_VALUE) if label in labels[FIRST_VALUE:] else -1
            match &= column == same
        positions.append(tuple(int(n) for n in np.sort(row[match])[:limit]))
    return positions
