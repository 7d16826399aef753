"""Z07: the claims about k-anonymity combined with association rule hiding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

from anonaudit.cells import Convention
from anonaudit.details import part_of
from anonaudit.masking.recoding import Recoding
from anonaudit.masking.rule_hiding import hide_evenly, hide_rules
from anonaudit.models import AlphaKAnonymity, KAnonymity, LDiversity
from anonaudit.models.rule_confidence import RuleConfidence, Rules
from anonaudit.papers.claims import small
from anonaudit.papers.claims.ledger import Cases, Ledger, Verdict
from anonaudit.papers.claims.small import Row

Z07 = Ledger("Z07", "Zielinski: Overcoming the limitations of k-anonymity, 2007")

COLUMNS = ("date-of-birth", "race", "sex", "zip-code", "disease")
PrintedRule = tuple[tuple[int, ...], Row, str]


def confidences(rows: Sequence[Row], quasi: int) -> dict[PrintedRule, Fraction]:
    """Return the confidence of every rule X => Y in the rows.

    X are values of one or more quasi-identifiers, and Y is a known sensitive value. The key of a
    rule is (numbers of the columns of X, values of X, Y).

    quasi: the number of quasi-identifiers, which are the first columns. The next column is
        sensitive.
    """
    shares: dict[PrintedRule, Fraction] = {}
    for size in range(1, quasi + 1):
        for columns in combinations(range(quasi), size):
            groups: dict[Row, list[str | None]] = defaultdict(list)
            for row in rows:
                groups[tuple(row[j] for j in columns)].append(row[quasi])
            for key, values in groups.items():
                for value in {v for v in values if v is not None}:
                    shares[columns, key, value] = Fraction(values.count(value), len(values))
    return shares


def _table(name: str) -> list[Row]:
    rows = small.paper_rows(f"Z07/{name}", *COLUMNS)
    return [(*row[:4], None if row[4] == "*" else row[4]) for row in rows]


def _released(recoding: Recoding) -> list[Row]:
    frame = recoding.frame()
    rows = zip(*(frame[c].tolist() for c in frame.columns), strict=True)
    return [tuple(None if cell == "*" else cell for cell in row) for row in rows]


@Z07.checked("table2", "the table")
def table2(cases: Cases) -> None:
    """Table 2 is 3-anonymous, and the rule White, Male, 1968, 40242 => Heart disease has a
    confidence of 100%.
    """
    for rows in cases.of([_table("table2")]):
        cases.expect(KAnonymity().measure(small.classes(rows, 4)).measured == 3, "k is 3")
        rule = ((0, 1, 2, 3), ("1968", "White", "Male", "40242"), "Heart disease")
        cases.expect(confidences(rows, 4)[rule] == 1, "confidence 1")


@Z07.checked(
    "one-rule",
    "all rules of the table",
    verdict=Verdict.FALSE,
    counterexample="Table 2 itself: 13 rules exceed 70% if X may be any one or more of the "
    "quasi-identifiers, as section 4.1 says, for example 1968 => Heart disease.",
    corrected="Exactly one rule with all four quasi-identifiers in its antecedent exceeds 70%.",
)
def one_rule(cases: Cases) -> None:
    """Only one sensitive rule in Table 2 has a confidence above 70%."""
    for rows in cases.of([_table("table2")]):
        sure = [rule for rule, share in confidences(rows, 4).items() if share > Fraction(7, 10)]
        cases.expect(len(sure) == 13, "13 rules")
        cases.expect(sum(len(columns) == 4 for columns, _, _ in sure) == 1, "one with all four")
        counted = part_of(RuleConfidence(below=0.7).measure(small.classes(rows, 4)).details, Rules)
        cases.expect(counted is not None and counted.too_sure == 13, "13 rules in the model")


def _hidden(cases: Cases, name: str, c: float, at_least: int, largest: Fraction) -> None:
    """Check that hiding rules in Table 2 gives a table of the paper.

    name: the table, such as `table3`.
    c, at_least: the parameters of `hide_rules`.
    largest: the expected largest confidence of a rule on all quasi-identifiers after hiding.
    """
    for rows in cases.of([_table(name)]):
        recoding = hide_rules(
            small.small_microdata(_table("table2"), 4), c=c, at_least=at_least, as_printed=True
        )
        cases.expect(_released(recoding) == rows, "the same suppressed cells")
        whole = [share for rule, share in confidences(rows, 4).items() if len(rule[0]) == 4]
        cases.expect(max(whole) == largest, f"the largest confidence is {largest}")


@Z07.checked("table3", "rule hiding in Table 2 at c = 0.7, compared with Table 3 cell by cell")
def table3(cases: Cases) -> None:
    """Suppressing the disease of tuple 4 lowers the confidence of the rule to 67%."""
    _hidden(cases, "table3", 0.7, 1, Fraction(2, 3))


@Z07.checked("table4", "rule hiding in Table 2 at c = 0.7 with at least two cells, and Table 4")
def table4(cases: Cases) -> None:
    """If at least two cells must be suppressed, these are the diseases of tuples 4 and 5."""
    _hidden(cases, "table4", 0.7, 2, Fraction(2, 3))
    for rows in cases.of([_table("table4")]):
        white = confidences(rows, 4)[
            (0, 1, 2, 3), ("1968", "White", "Male", "40242"), "Heart disease"
        ]
        cases.expect(white == Fraction(1, 3), "a confidence of 33% for the rule")


@Z07.checked("sec5", "rule hiding in Table 4 at c = 2/3, compared with the table of section 5")
def sec5(cases: Cases) -> None:
    """At a threshold of 67%, tuples 1 and 8 are suppressed as well, and the largest confidence
    falls from 67% to 33%.
    """
    for rows in cases.of([_table("section5")]):
        recoding = hide_rules(small.small_microdata(_table("table4"), 4), c=2 / 3, as_printed=True)
        cases.expect(_released(recoding) == rows, "the same suppressed cells")
        whole = [share for rule, share in confidences(rows, 4).items() if len(rule[0]) == 4]
        cases.expect(max(whole) == Fraction(1, 3), "the largest confidence is 33%")


@Z07.checked(
    "table4-2-diverse",
    "Table 4, with suppressed cells as unknown, and with suppressed cells as one value",
    verdict=Verdict.FALSE,
    counterexample="In Table 4 the class (*, *, Heart disease) has one known value, so l = 1.",
    corrected="Table 4 is 2-diverse only if the suppressed cell counts as a value.",
)
def table4_2_diverse(cases: Cases) -> None:
    """Table 4 is distinct 2-diverse."""
    as_value = Convention(sensitive="one-value")
    for convention, l in cases.of([(None, 1), (as_value, 2)]):
        reduced = small.classes(_table("table4"), 4, convention)
        cases.expect(LDiversity().measure(reduced).measured == l, f"l is {l}")
        classes = small.grouped(_table("table4"), 4).values()
        counted = [{row[0] for row in group} for group in classes]
        unknown = {None} if convention is None else set()
        cases.expect(min(len(values - unknown) for values in counted) == l, "l as counted")


HIDINGS = ((0.5, 1), (0.7, 1), (0.7, 2), (1.0, 1))


@Z07.checked("k-kept", "all tables of up to 4 rows over 2 keys and 3 values, four settings")
def k_kept(cases: Cases) -> None:
    """Hiding rules never changes k, because it keeps all rows and quasi-identifiers."""
    for rows in cases.of(small.all_tables("xy", "abc", most=4)):
        data = small.small_microdata(rows, 1)
        for c, at_least in HIDINGS:
            released = _released(hide_rules(data, c=c, at_least=at_least, as_printed=True))
            cases.expect([r[0] for r in released] == [r[0] for r in rows], "unchanged keys")


@Z07.checked(
    "full-antecedent",
    "all tables of up to 3 rows over two keys with 2 values each, and a sensitive cell that has "
    "one of 2 values or is unknown",
    verdict=Verdict.OURS,
    corrected="holds for rows; not for persons, and not with a minimum number of rows above 1",
)
def full_antecedent(cases: Cases) -> None:
    """The largest confidence over all X belongs to a rule on all quasi-identifiers: the confidence
    of a rule on fewer of them is a weighted mean of such confidences. It equals the alpha of
    (alpha, k)-anonymity.
    """
    for rows in cases.of(small.all_tables("xy", "uv", ("a", "b", None), most=3)):
        shares = confidences(rows, 2)
        largest = max(shares.values(), default=None)
        whole = max((s for rule, s in shares.items() if len(rule[0]) == 2), default=None)
        cases.expect(largest == whole, "the largest confidence on all quasi-identifiers")
        classes = small.classes(rows, 2)
        alpha = AlphaKAnonymity().measure(classes).measured
        cases.expect(alpha == RuleConfidence().measure(classes).measured, "the level is alpha")
        close = alpha is None if largest is None else abs((alpha or 0) - float(largest)) < 1e-9
        cases.expect(close, f"alpha is {largest}")


@Z07.checked(
    "one-pass",
    "all tables of up to 4 rows over 2 keys and 3 values, four settings; every single cell",
    corrected="holds if a suppressed cell still counts among the rows with X, as in Table 3. "
    "Otherwise hiding one value raises the share of the others",
)
def one_pass(cases: Cases) -> None:
    """Hiding one rule never raises the confidence of another, so one pass hides all rules."""
    for rows in cases.of(small.all_tables("xy", "abc", most=4)):
        before = confidences(rows, 1)
        for i in range(len(rows)):
            fewer = [*rows[:i], (rows[i][0], None), *rows[i + 1 :]]
            for rule, share in confidences(fewer, 1).items():
                cases.expect(share <= before[rule], f"no higher confidence without cell {i}")
        data = small.small_microdata(rows, 1)
        for c, at_least in HIDINGS:
            shares = confidences(
                _released(hide_rules(data, c=c, at_least=at_least, as_printed=True)), 1
            )
            cases.expect(all(float(s) < c for s in shares.values()), f"all rules below {c}")


def certain_releases(n: int, c: float, at_least: int, values: str = "hcy") -> tuple[int, int]:
    """Count the releases of a class of n rows that rule hiding can give with a suppressed cell.

    Returns (number of these releases, number of these with a single possible original). If there is
    a single possible original, an adversary knows every suppressed cell.

    c, at_least: the parameters of `hide_rules`.
    values: the possible sensitive values, one letter each.
    """
    origins: dict[Row, set[Row]] = defaultdict(set)
    for original in combinations_with_replacement(values, n):
        rows: list[Row] = [("x", value) for value in original]
        recoding = hide_rules(
            small.small_microdata(rows, 1), c=c, at_least=at_least, as_printed=True
        )
        cells = [cell for _, cell in _released(recoding)]
        if None in cells:
            shown = sorted(str(cell) for cell in cells if cell is not None)
            origins[tuple(shown)].add(tuple(original))
    return len(origins), sum(len(originals) == 1 for originals in origins.values())


@Z07.checked(
    "no-certainty",
    "all originals with one class of n = 3 to 6 rows over 3 values, c = 0.5, 0.6, 0.7, at least 1 "
    "or 2 cells; the method *even hiding*, described below, for all originals of 3 rows and 20 "
    "seeds",
    verdict=Verdict.FALSE,
    counterexample="In Table 4 the class is (*, *, Heart disease). An adversary who knows the "
    "algorithm, c = 70% and the minimum of two cells knows that only three Heart diseases lead to "
    "this class. Of all 223 releases with a suppressed cell that were examined, 162 have a single "
    "possible original.",
    corrected="The method *even hiding* protects against this adversary. In every class it "
    "suppresses as many cells as a class with a single value would need, and draws them at random, "
    "whatever they hold. Every original that agrees with the visible cells is then possible. The "
    "price is about (1 - c) of all cells.",
)
def no_certainty(cases: Cases) -> None:
    """After rule hiding (Table 4) the disease of the white colleague cannot be inferred with
    complete certainty.
    """
    settings = [(n, c, m) for n in range(3, 7) for c in (0.5, 0.6, 0.7) for m in (1, 2)]
    total = determined = 0
    for n, c, at_least in cases.of(settings):
        releases, certain = certain_releases(n, c, at_least)
        total, determined = total + releases, determined + certain
        cases.expect((n, c, at_least) != (3, 0.7, 2) or certain == releases > 0, "Table 4's class")
    cases.remark(f"{determined} of {total} releases have a single possible original")
    cases.expect(not cases.complete or (determined, total) == (162, 223), "162 of 223 releases")
    for original in cases.of(combinations_with_replacement("hcy", 3)):
        rows: list[Row] = [("x", value) for value in original]
        shown = {
            tuple(
                cell
                for _, cell in _released(hide_evenly(small.small_microdata(rows, 1), c=0.7, seed=s))
            )
            for s in range(20)
        }
        cases.expect(all(cells.count(None) == 1 for cells in shown), "one suppressed cell")
        places = {cells.index(None) for cells in shown}
        cases.expect(places == {0, 1, 2}, "a suppressed cell at each of the three places")
