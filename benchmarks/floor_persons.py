"""The floor of an audit that counts persons, by one hand-written DuckDB statement.

The numbers are k in persons, the number of classes, and the rows in classes of fewer than 5
persons; then, for each sensitive attribute, distinct and entropy l, alpha, and t by equal distance.
A person counts once for each class and value. With `bare`, the statement only counts the persons of
each class.

    python benchmarks/floor_persons.py EXTRACT [bare]
"""

from __future__ import annotations

import json
import sys

import duckdb
from columns import VISITS_QUASI, VISITS_SENSITIVE, VISITS_UNIT

QI = ", ".join(VISITS_QUASI)
PERSONS = f"SELECT {QI}, count(DISTINCT {VISITS_UNIT}) AS persons"


def of_attribute(name: str) -> str:
    """Return the SQL for the levels of an attribute, from table j. Empty cells are unknown."""
    return f"""
        SELECT '{name}', min(distinct_values), max(most), min(entropy), max(distance) FROM (
            SELECT count(*) AS distinct_values, max(n) / any_value(persons) AS most,
                exp(ln(sum(n)) - sum(n * ln(n)) / sum(n)) AS entropy,
                (sum(abs(n / size - share)) + 1 - sum(share)) / 2 AS distance
            FROM (
                SELECT class, persons, n, share, sum(n) OVER (PARTITION BY class) AS size
                FROM (
                    SELECT class, persons, {name}, count(DISTINCT {VISITS_UNIT}) AS n FROM j
                    WHERE {name} IS NOT NULL GROUP BY ALL
                ) JOIN (
                    SELECT {name}, n / sum(n) OVER () AS share FROM (
                        SELECT {name}, count(DISTINCT {VISITS_UNIT}) AS n FROM j
                        WHERE {name} IS NOT NULL GROUP BY 1
                    )
                ) USING ({name})
            ) GROUP BY class
        )"""


def statement(file: str) -> str:
    """Return the SQL of the floor: a row for the classes, then one for each sensitive attribute."""
    columns = ", ".join((*VISITS_SENSITIVE, VISITS_UNIT))
    same = " AND ".join(f"rows.{q} IS NOT DISTINCT FROM classes.{q}" for q in VISITS_QUASI)
    levels = " UNION ALL ".join(map(of_attribute, VISITS_SENSITIVE))
    return f"""
        WITH rows AS MATERIALIZED (SELECT {QI}, {columns}, count(*) AS n FROM {file} GROUP BY ALL),
        classes AS MATERIALIZED (
            SELECT *, row_number() OVER () AS class FROM ({PERSONS}, sum(n) AS size
            FROM rows GROUP BY ALL)
        ),
        j AS MATERIALIZED (SELECT class, persons, {columns} FROM rows JOIN classes ON {same})
        SELECT '', min(persons), count(*), sum(CASE WHEN persons < 5 THEN size ELSE 0 END), 0.0
        FROM classes UNION ALL {levels}"""


def main(path: str, *, bare: bool) -> None:
    """Print the numbers as JSON. bare: only the smallest number of persons in a class."""
    file = f"read_csv('{path}', all_varchar = true)"
    asked = f"SELECT '', min(persons) FROM ({PERSONS} FROM {file} GROUP BY ALL)"
    database = duckdb.connect(config={"threads": 2})
    rows = database.sql(asked if bare else statement(file)).fetchall()
    print(json.dumps([[row[0], *map(float, row[1:])] for row in rows]))


if __name__ == "__main__":
    main(sys.argv[1], bare=sys.argv[2:] == ["bare"])
