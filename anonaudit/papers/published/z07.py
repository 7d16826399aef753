"""Z07 section 4.1, steps 2 and 3: association rule hiding, one cell at a time.

Fast implementation: `masking.rule_hiding.hide_rules` with `as_printed=True`.
"""

from __future__ import annotations

from collections.abc import Sequence

Row = tuple[str | None, ...]


def hide_rules(rows: Sequence[Row], c: float, at_least: int = 1) -> list[Row]:
    """Return the table after sensitive cells that support a rule are suppressed (None).

    As in the example of section 4.2, X has all quasi-identifiers; see the claim
    Z07-full-antecedent.

    rows: a k-anonymous table, the result of step 1. A row has its quasi-identifiers first, then one
        sensitive attribute.
    c: rules with this confidence or more are hidden. at_least: the smallest number of sensitive
        cells to suppress for each hidden rule.

    >>> hide_rules([("x", "flu"), ("x", "flu"), ("x", "flu")], c=0.7)
    [('x', None), ('x', 'flu'), ('x', 'flu')]
    """
    table = list(rows)
    # Step 2. Sensitive association rules X => Y with a confidence of c or more are found.
    antecedents = dict.fromkeys(row[:-1] for row in table)
    rules = [(x, row[-1]) for x in antecedents for row in dict.fromkeys(table) if row[:-1] == x]
    for x, y in rules:
        support = [i for i, row in enumerate(table) if row == (*x, y)]
        number = sum(row[:-1] == x for row in table)  # includes rows with a suppressed cell
        if y is None or len(support) / number < c:
            continue
        # Step 3. Sensitive cells of those tuples are suppressed, one tuple at a time, until the
        # confidence is below c and at least `at_least` tuples are suppressed.
        suppressed = 0
        while support and (len(support) / number >= c or suppressed < at_least):
            table[support.pop(0)] = (*x, None)
            suppressed += 1
    return table
