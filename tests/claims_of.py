"""The claims of one paper as parameters of a test, each marked with its id."""

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable
from math import comb

import pytest

from anonaudit.papers.claims import CLAIMS, Cases, Claim, recheck

# Checks that take three seconds or more; each of their papers has others that run every time.
LONG = {
    "CT06-two-step", "CT06-equiv", "TV06-minimal-all", "TV06-alg3", "MCT08-cka", "MCT08-prop2",
    "MCT08-prop4", "BOUNDS-elimination",
}  # fmt: skip


def tables(kinds: int, most: int, least: int = 1) -> int:
    """How many multisets of `least` to `most` rows there are of so many kinds of row."""
    return sum(comb(kinds + n - 1, n) for n in range(least, most + 1))


def sets(kinds: int, most: int) -> int:
    """How many sets of 1 to `most` different rows there are."""
    return sum(comb(kinds, n) for n in range(1, most + 1))


def partitions_of(n: int, most: int) -> int:
    """In how many ways n is a sum of positive numbers up to `most`."""
    return 1 if n == 0 else sum(partitions_of(n - i, i) for i in range(1, min(n, most) + 1))


ZONES, LIMITS = 7, 7  # of CT06's tree of four leaves, and sets of boundaries of MCT08's

# How many inputs each check goes through, counted from the bound that `shown` states: tables by
# their kinds of row, examples of the paper one by one, and last the number that is drawn.
INPUTS = {
    "TV06-table1": 1,
    "TV06-table3": 2,
    "TV06-half-guess": 6 * 6 + tables(2 * 2, 4),
    "TV06-p-le-k": tables(2 * 3, 5) + 1,
    "TV06-cond1": tables(2 * 2 * 2, 4),
    "TV06-cond2": tables(3 * 3 * 2, 4) + 2 + 1,
    "TV06-tight": sum(partitions_of(n, n) for n in range(2, 13)),
    "TV06-bounds-generalization": tables(2 * 2 * 2, 3) + 50,
    "TV06-thm1": tables(3 * 2, 5) + 1 + 100,
    "TV06-thm2": tables(3 * 2, 5) + 2 + 100,
    "TV06-alg1-2": tables(3 * 3, 4),
    "TV06-mono-k": tables(4 * 2, 4) + 50,
    "TV06-fig3-table4": 6 + 11,  # nodes, and thresholds from 0 to 10
    "TV06-alg3": 4 + tables(4 * 2, 3) + 2 + tables(4 * 2, 4) + tables(2 * 2 * 2, 3),
    "TV06-minimal-all": tables(4 * 2, 4) + tables(2 * 2 * 2, 3) + 30,
    "CT06-prop1": ZONES + 150,
    "CT06-cond1": ZONES * tables(2 * 4, 3),
    "CT06-cond2": ZONES * tables(2 * 4, 3),
    "CT06-cond3": ZONES * tables(2 * 4, 3),
    "CT06-equiv": ZONES * tables(2 * 4, 3),
    "CT06-implies": ZONES * tables(2 * 4, 3) + 1,
    "CT06-two-step": 3 * tables(3 * 4, 3, least=2),
    "MCT08-magset": 1 + 100,
    "MCT08-fig4": 2,
    "MCT08-prop1": LIMITS * tables(4, 4) + 100,
    "MCT08-prop2": LIMITS * tables(4, 4) + 60,
    "MCT08-prop3": LIMITS * tables(4, 4) + 60,
    "MCT08-prop4": LIMITS * tables(4, 4) + 60,
    "MCT08-prop5-6": LIMITS * tables(4, 4) + 40,
    "MCT08-cka": LIMITS * tables(4, 3) + 40,
    "MCT08-boundary-proofs": tables(2 * 2, 5) + 3,
    "Z07-table2": 1,
    "Z07-one-rule": 1,
    "Z07-table3": 1,
    "Z07-table4": 1 + 1,
    "Z07-sec5": 1,
    "Z07-table4-2-diverse": 2,
    "Z07-k-kept": tables(2 * 3, 4),
    "Z07-full-antecedent": tables(2 * 2 * 3, 3),
    "Z07-one-pass": tables(2 * 3, 4),
    "Z07-no-certainty": 4 * 3 * 2 + tables(3, 3, least=3),
    "GCG08-fig1-2": 1,
    "GCG08-fig4": 1,
    "GCG08-fig8": 1,
    "GCG08-fig3": 1,
    "GCG08-thm1": tables(3 * 3, 4, least=2) + tables(3 * 4, 4, least=2),
    "GCG08-thm1-columnwise": 3 + tables(3 * 3, 3, least=2),
    "GCG08-thm2": tables(3 * 3, 4),
    "GCG08-thm3": sets(3 * 3, 5) + sets(2 * 2 * 2, 4),
    "GCG08-thm4": tables(3 * 3, 4),
    "GCG08-thm5": tables(2 * 3, 5),
    "GCG08-lemma1": tables(3 * 3, 3),
    "GCG08-thm6": tables(3 * 3, 4) + 1,
    "GCG08-fig5": 1 + 1 + tables(4 * 2, 4, least=2),
    "GCG08-fig6": sets(3 * 3, 6),
    "GCG08-fig7": 1 + tables(2 * 3, 4),
    "GCG08-Lm": sets(3 * 3, 9) + sets(2 * 2 * 2, 8),
    "BOUNDS-linkage": 40,
    "BOUNDS-homogeneity": 40,
    "BOUNDS-elimination": 3 + 3 * 40,
    "BOUNDS-rules": 60,
    "BOUNDS-similarity": 40,
    "BOUNDS-boundaries": 40,
}


def checked_claims(paper: str) -> list[object]:
    """The claims of a paper that the library can check again."""
    return [
        pytest.param(claim, id=claim.id, marks=_marks(claim))
        for claim in CLAIMS
        if claim.paper == paper and claim.check is not None
    ]


def _marks(claim: Claim) -> list[pytest.MarkDecorator]:
    return [pytest.mark.claim(claim.id), *([pytest.mark.long] if claim.id in LONG else [])]


def assert_confirmed(claim: Claim, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check goes through, over as many inputs as the claim says, and expects all it states."""
    reached: set[int] = set()
    expect = Cases.expect

    def noted(cases: Cases, condition: object, what: str) -> None:
        reached.add(sys._getframe(1).f_lineno)
        expect(cases, condition, what)

    monkeypatch.setattr(Cases, "expect", noted)
    found = recheck(claim)
    assert (found.outcome, found.found if found.outcome == "refuted" else "") == ("confirmed", "")
    assert found.cases == INPUTS[claim.id]
    assert claim.check is not None
    stated = expectations(claim.check)
    assert stated
    assert stated - reached == set(), "no input comes to these lines"


def expectations(check: Callable[..., object]) -> set[int]:
    """The lines of all `cases.expect` of a check, and of the functions of its module it hands to."""
    used = [check.__globals__.get(name) for name in check.__code__.co_names]
    file = check.__code__.co_filename
    near = [f for f in used if inspect.isfunction(f) and f.__code__.co_filename == file]
    lines = set()
    for function in (check, *near):
        text, first = inspect.getsourcelines(function)
        for node in ast.walk(ast.parse(textwrap.dedent("".join(text)))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "cases.expect":
                lines.add(first + node.lineno - 1)
    return lines
