"""What is too large for memory stays in DuckDB, which spills it to disk, and comes in parts."""

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
    """The rows of a relation of ours, so many at once as the memory that is left can hold.

    source: what messages call the table.
    keys: rows that are equal in these columns are in one part, and a text of `alike` is equal to
        any other of them. Only columns of texts tell parts apart; without one there is one part.
    rows: the sum of the column n.

    The rows stay in DuckDB until this is gone. A part is what `encoded` makes of it; going through
    them raises TooManyCombinationsError where many rows are equal, so that a part is still too
    large, and InputError where DuckDB lacks memory or disk.
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
        """How many different values a column has, but those of `alike`."""
        counted = f"SELECT count(DISTINCT {key}) FILTER ({self._known[key]}) FROM {self._name}"
        with self._working():
            return int(self._connection.sql(counted).fetchall()[0][0])

    def any_without_value(self) -> bool:
        """Whether a row has no value, or only texts of `alike`, in every column but n."""
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
        """What goes wrong meanwhile is about the table, and in the user's words."""
        try:
            with interruptible():
                yield
        except TooManyCombinationsError as error:
            raise error.of(self._source) from None
        except Error as error:
            refuse_environment(self._source, error)
            raise


def _known(key: str, kind: str, alike: Sequence[str]) -> str:
    """What SQL asks of a cell that has a value; NULL has none anyway."""
    if kind == "VARCHAR":
        none = ", ".join("'" + text.replace("'", "''") + "'" for text in alike)
        return f"{key} NOT IN ({none})"
    return f"NOT isnan({key})" if kind in ("DOUBLE", "FLOAT") else "true"


def _drop(connection: Any, name: str) -> None:
    connection.execute(f"DROP TABLE IF EXISTS {name}")
