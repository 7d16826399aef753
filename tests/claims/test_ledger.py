"""The ledger as a whole: complete, tested claim by claim, printed as it is, and able to refute."""

import json
import os
import re
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from anonaudit.errors import AnonauditError
from anonaudit.papers.claims import (
    CLAIMS,
    LEDGERS,
    Cases,
    Claim,
    Ledger,
    RefutedError,
    Verdict,
    claim_named,
    ledger,
    recheck,
    recheck_all,
    small,
)
from anonaudit.papers.claims.ledger_document import to_json, to_markdown, to_text

ROOT = Path(__file__).parents[2]


def ids_of(text):
    """The ids in the first column of the tables of PAPERS.md; `a..c` and `, -b` spelled out."""
    found = set()
    for cell in re.findall(r"^\| ([A-Z]+\d\d-[^|]*?) \|", text, re.MULTILINE):
        paper = cell.partition("-")[0]
        for name in cell.split(", "):
            whole = name if name.startswith(paper) else paper + name
            run = re.fullmatch(r"(.*?)(\d)\.\.(\d)", whole)
            steps = range(int(run[2]), int(run[3]) + 1) if run else []
            found |= {f"{run[1]}{n}" for n in steps} if run else {whole}
    return found


def test_every_row_of_the_list_of_claims_is_in_the_ledger_and_the_other_way_round(shared):
    listed = ids_of((shared / "PAPERS.md").read_text("utf-8"))
    checked = {claim.id for claim in CLAIMS if claim.paper != "BOUNDS"}
    assert checked == listed


def test_ids_are_unique_and_in_their_papers_ledger():
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    assert all(
        claim.id.startswith(f"{ledger.paper}-") for ledger in LEDGERS for claim in ledger.claims
    )


def test_every_claim_is_shown_by_a_test_in_its_papers_file(shown):
    known = {claim.id for claim in CLAIMS}
    for name, marked in shown.items():
        assert marked <= known, name
        assert all(name == f"test_{claim_named(one).paper}.py" for one in marked)
    needed = {claim.id for claim in CLAIMS if claim.verdict is not Verdict.EXPERIMENT}
    assert needed <= set().union(*shown.values())


def test_what_a_claim_must_say():
    for claim in CLAIMS:
        assert claim.statement.endswith(".")
        assert claim.shown
        assert (claim.check is None) == (claim.verdict is Verdict.EXPERIMENT)
        if claim.verdict is Verdict.FALSE:
            assert claim.counterexample
            assert claim.corrected


def test_the_document_is_current():
    """Written anew by `anonaudit claims --format markdown -o docs/claims.md`."""
    assert (ROOT / "docs" / "claims.md").read_text("utf-8") == to_markdown()


def test_every_claim_is_printed_in_every_form():
    text, found = to_text(CLAIMS), json.loads(to_json(CLAIMS))["claims"]
    assert [entry["id"] for entry in found] == [claim.id for claim in CLAIMS]
    for claim in CLAIMS:
        assert f"{claim.id} [{claim.verdict}]" in text
        assert f"**{claim.id}** ({claim.verdict})" in to_markdown()


def test_a_program_reads_these_keys():
    """The JSON ledger is a contract; texts are written as they are, not escaped."""
    first = json.loads(to_json(CLAIMS))["claims"][0]
    assert list(first) == [
        "id", "paper", "statement", "verdict", "shown", "counterexample", "corrected", "differs",
        "can be checked",
    ]  # fmt: skip
    claim = CLAIMS[0]
    assert (first["paper"], first["statement"], first["verdict"]) == (
        "TV06",
        claim.statement,
        "holds",
    )
    assert "König" in to_json(CLAIMS)


def test_a_line_of_its_own_counts_the_claims():
    claim = Claim("X-1", "It holds.", Verdict.HOLDS, "this (and that.)", check=lambda cases: None)
    assert to_text([claim]).splitlines() == [
        "X-1 [holds] It holds.", "  Shown: this (and that.)", "", "1 claim: 1 holds.",
    ]  # fmt: skip


def claim_with(check):
    return Claim("X-1", "A statement.", Verdict.HOLDS, "this", check=check)


def test_a_refuted_claim_names_the_input():
    def below_two(cases):
        for n in cases.of(range(5)):
            cases.expect(n < 2, "n < 2")

    found = recheck(claim_with(below_two))
    assert (found.outcome, found.cases, found.found) == ("refuted", 3, "expected: n < 2; input: 2")


def test_a_refuted_claim_names_the_smallest_input_drawn():
    def no_seven(cases):
        cases.drawn(st.integers(0, 1000), lambda n: cases.expect(n < 7, "n < 7"))

    assert recheck(claim_with(no_seven)).found == "expected: n < 7; input: 7"


def draws_of(**options):
    """What a check draws that takes any number."""
    drawn = []
    cases = Cases(**options)
    cases.drawn(st.integers(0, 10**9), drawn.append, examples=20)
    return drawn


def test_a_seed_draws_anew_and_the_same_again():
    assert draws_of() == draws_of()
    assert draws_of(seed=7) == draws_of(seed=7)
    assert len({tuple(draws_of(**kind)) for kind in ({}, {"seed": 7}, {"seed": 8})}) == 3
    assert len(draws_of(seed=7)) == 20
    assert len(draws_of(seed=7, examples=50)) == 50


def test_a_claim_is_checked_with_the_seed_that_is_given():
    found = []
    claim = claim_with(lambda cases: cases.drawn(st.integers(0, 10**9), found.append, examples=20))
    for seed in (None, 7, 8):
        found.clear()
        assert recheck(claim, seed=seed).outcome == "confirmed"
        assert found == draws_of(seed=seed)


def test_a_claim_of_the_papers_draws_as_many_as_it_is_told():
    one = claim_named("TV06-mono-k")
    few, many = (recheck(one, seed=3, examples=n).cases for n in (10, 60))
    assert many - few == 50
    (found,) = recheck_all([one], seed=3)
    assert found.outcome == "confirmed"


def test_a_check_without_time_is_cut_short_and_says_so():
    found = recheck(claim_named("TV06-cond2"), budget=0)
    assert (found.outcome, found.cases) == ("cut short", 0)
    results = list(recheck_all([claim_named("TV06-table8"), claim_named("TV06-alg3")], budget=0))
    assert [result.outcome for result in results] == ["no check", "cut short"]


def test_what_one_claim_does_not_need_is_there_for_the_others(monkeypatch):
    """9 seconds for three checks: 3; after 1 second (9 - 1) / 2; after 10 more nothing is left."""
    now, shares = [100.0], []

    def noted(claim, budget, *, seed):
        shares.append(budget)
        now[0] += {0: 1, 1: 0, 2: 10, 3: 0}[len(shares) - 1]

    monkeypatch.setattr(ledger, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(ledger, "recheck", noted)
    check = claim_with(lambda cases: None)
    list(recheck_all([check, Claim("X-2", "No check.", Verdict.EXPERIMENT, "-"), check, check], 9))
    assert shares == [3, 4, 4, 0]


def test_a_slow_input_is_no_failure():
    """Hypothesis alone gives an input 0.2 seconds."""
    settings.load_profile("default")
    try:
        Cases(examples=1).drawn(st.just(0), lambda _: time.sleep(0.25))
    finally:
        settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def test_progress_names_each_claim():
    said = []
    list(recheck_all([claim_named("TV06-table3")], None, said.append))
    assert said == ["1 of 1: TV06-table3"]


def test_an_unknown_claim_is_an_error_with_a_hint():
    with pytest.raises(AnonauditError, match="'TV06-thm1'"):
        claim_named("TV06-thm")


def test_the_statement_of_a_check_is_its_docstring():
    ledger = Ledger("X", "a paper")

    @ledger.checked("1", "this")
    def check(cases: Cases) -> None:
        """Something
        holds."""
        raise RefutedError("no")

    assert ledger.claims[0].statement == "Something holds."


def test_definitions_by_enumeration_at_their_limits():
    """maxGroups where values run out: 0 with cf_i = n, else undefined. No value, nothing to delete."""
    assert small.max_groups([("a",)], 3) == 0
    assert small.max_groups([("a",)], 3, completed=False) is None
    assert small.max_groups([("a",), ("b",), ("c",)], 3) == 1
    assert small.max_groups([("a",), ("b",), ("c",)], 3, completed=False) == 1
    # Three values of one column, one of the other: cf_2 is defined for the first alone.
    uneven = [("a", "x"), ("b", "x"), ("c", "x")]
    assert small.max_groups(uneven, 3, completed=False) is None
    assert small.fewest_deletions([(None, None)]) == 0
    assert small.fewest_deletions([(None, None), ("a", None)]) == 1
