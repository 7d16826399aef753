"""Read a table that is too large for memory in parts. DuckDB holds it and spills it to disk."""

from __future__ import annotations

import contextlib
import itertools
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, Final

from anonaudit.source.duck import Error, connect, encoded, interruptible, refuse_environment
from anonaudit.source.memory import TooManyCombinationsError, parts_needed

_NUMBERS: Final = itertools.count()


class Parts:
    """The rows of a relation, in parts that fit into memory one at a time.

    relation: a DuckDB relation with a column n.
    source: name of the table in messages.
    keys: columns by which the rows are divided. Rows that are equal in these columns are in the
        same part. Only columns of text are used. Without such a column there is one part.
    alike: all texts that stand for no value, such as the empty text and `NA`. They count as equal
        to each other. At least one text.
    rows: sum of the column n.

    Iterating gives each part as `encoded` returns it. Iterating raises TooManyCombinationsError if
    a part is still too large because many of its rows are equal in `keys`, and InputError if DuckDB
    runs out of memory or disk space. The rows stay in DuckDB as long as this object lives.
    """

    def __init__(
        self, relation: Any, keys: Sequence[str], alike: Sequence[str], *, source: str
    ) -> None:
        self._connection, self._name = connect(), f"parts_{next(_NUMBERS)}"
        self._source = source
        weakref.finalize(self, _drop, self._connection, self._name)
        relation.create(self._name)
        table = self._connection.table(self._name)
        self.rows = int(table.sum("n").fetchall()[0][0] or 0)
        kinds = dict(zip(table.columns, map(str, table.types), strict=True))
        self._known = {key: _known(key, kind, alike) for key, kind in kinds.items()}
        texts = [k for k in keys if kinds[k] == "VARCHAR"]
        cells = [f"CASE WHEN {self._known[k]} THEN {k} END" for k in texts]
        self._hash = f"hash({', '.join(cells)})"
        self._number = parts_needed(len(table), len(table.columns) - 1) if cells else 1

    def __len__(self) -> int:
        return self._number

    def different(self, key: str) -> int:
        """Return the number of different values in a column. Texts in `alike` are not counted."""
        counted = f"SELECT count(DISTINCT {key}) FILTER ({self._known[key]}) FROM {self._name}"
        with self._working():
            return int(self._connection.sql(counted).fetchall()[0][0])

    def any_without_value(self) -> bool:
        """Return True if some row has no value in any column, apart from n.

        NULL, NaN and the texts in `alike` are not values.
        """
        known = [f"coalesce({self._known[key]}, false)" for key in self._known if key != "n"]
        wanted = f"SELECT 1 FROM {self._name} WHERE NOT ({' OR '.join(known)}) LIMIT 1"
        with self._working():
            return bool(self._connection.sql(wanted).fetchall())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(self._part, range(self._number))

    def _part(self, part: int) -> dict[str, Any]:
        chosen = f" WHERE {self._hash} % {self._number} = {part}" if self._number > 1 else ""
        with self._working():
            return encoded(self._connection.sql(f"SELECT * FROM {self._name}{chosen}"))

    @contextlib.contextmanager
    def _working(self) -> Iterator[None]:
        """Make errors in the `with` block name the table and say what to do."""
        try:
            with interruptible():
                yield
        except TooManyCombinationsError as error:
            raise error.of(self._source) from None
        except Error as error:
            refuse_environment(self._source, error)
            raise


def _known(key: str, kind: str, alike: Sequence[str]) -> str:
    """Return the SQL condition for a cell with a value. It is never true for NULL."""
    if kind == "VARCHAR":
        none = ", ".join("'" + text.replace("'", "''") + "'" for text in alike)
        return f"{key} NOT IN ({none})"
    return f"NOT isnan({key})" if kind in ("DOUBLE", "FLOAT") else f"{key} IS NOT NULL"


def _drop(connection: Any, name: str) -> None:
    connection.execute(f"DROP TABLE IF EXISTS {name}")
