"""The floor: compute the numbers of an audit by one hand-written DuckDB statement.

The numbers are k, the number of classes, and the rows in classes of fewer than 5 rows; then, for
each sensitive attribute, distinct and entropy l, alpha, and t by equal distance. All come from one
joint frequency table. run.py compares them with those of the audit, so both do the same work.

    python benchmarks/floor.py RELEASE
"""

from __future__ import annotations

import json
import sys

import duckdb
from columns import QUASI, SENSITIVE

QI = ", ".join(QUASI)


def of_attribute(name: str) -> str:
    """Return the SQL for the levels of one sensitive attribute, from the joint table j."""
    return f"""
        SELECT '{name}', min(distinct_values), max(most), min(entropy), max(distance) FROM (
            SELECT {QI}, count(*) AS distinct_values, max(n) / sum(n) AS most,
                exp(ln(sum(n)) - sum(n * ln(n)) / sum(n)) AS entropy,
                (sum(abs(n / size - share)) + 1 - sum(share)) / 2 AS distance
            FROM (
                SELECT {QI}, c.{name}, n, share, sum(n) OVER (PARTITION BY {QI}) AS size
                FROM (SELECT {QI}, {name}, sum(n) AS n FROM j GROUP BY ALL) AS c
                JOIN (
                    SELECT {name}, sum(n) / (SELECT sum(n) FROM j) AS share FROM j GROUP BY 1
                ) AS o ON c.{name} IS NOT DISTINCT FROM o.{name}
            ) GROUP BY {QI}
        )"""


def main(path: str) -> None:
    """Print the numbers as JSON: one list for the classes, then one for each attribute."""
    joint = f"SELECT {QI}, {', '.join(SENSITIVE)}, count(*) AS n FROM '{path}' GROUP BY ALL"
    classes = f"""
        SELECT '', min(n), count(*), sum(CASE WHEN n < 5 THEN n ELSE 0 END), 0.0
        FROM (SELECT {QI}, sum(n) AS n FROM j GROUP BY ALL)"""
    parts = " UNION ALL ".join([classes, *map(of_attribute, SENSITIVE)])
    database = duckdb.connect(config={"threads": 2})
    rows = database.sql(f"WITH j AS MATERIALIZED ({joint}) {parts}").fetchall()
    print(json.dumps([[row[0], *map(float, row[1:])] for row in rows]))


if __name__ == "__main__":
    main(sys.argv[1])
