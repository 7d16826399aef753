"""A masker that does not fit into memory refuses, and `best` goes on with the others."""

from dataclasses import replace

import pandas as pd
import pytest

from anonaudit.masking import algorithms
from anonaudit.masking.algorithms import ALGORITHMS
from anonaudit.masking.maskers import mask
from anonaudit.masking.recoding import NotAchievableError
from anonaudit.policy.policy import parse_policy

TABLE = pd.DataFrame({"age": [str(20 + i % 40) for i in range(1_000)], "dx": ["x", "y"] * 500})
POLICY = parse_policy("""
    columns = { quasi-identifiers = ["age"], sensitive = ["dx"] }
    require.k-anonymity = { k = 5 }
""")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_what_does_not_fit_is_refused_and_says_what_matters(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1,000 rows of 2 columns, at 110 or 150 bytes a cell."""
    needed = 2_000 * ALGORITHMS[algorithm].bytes_a_cell
    monkeypatch.setattr(algorithms, "available", lambda: needed - 1)
    with pytest.raises(NotAchievableError) as refused:
        mask(TABLE, POLICY, algorithm=algorithm)
    assert refused.value.reason == "memory"
    for fact in (algorithm, f"{needed / 1e3:.1f} kB", "1,000 rows", "2 columns"):
        assert fact in str(refused.value)
    for left in (needed, None):  # None: nobody tells
        monkeypatch.setattr(algorithms, "available", lambda left=left: left)
        assert mask(TABLE, POLICY, algorithm=algorithm).audit().passed


def test_best_skips_what_does_not_fit_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algorithms, "available", lambda: 250_000)
    found = mask(TABLE, POLICY, algorithm="best")
    left_out = [one.algorithm for one in found.tried if "of memory" in (one.reason or "")]
    assert left_out == ["greedy-cka", "k-member"]
    assert "greedy-cka (greedy-cka needs about" in found.notes[-1]

    def run_out(*_: object) -> None:
        raise MemoryError

    starved = replace(ALGORITHMS["mondrian"], run=run_out, bytes_a_cell=0)
    few = {**ALGORITHMS, "mondrian": starved}
    monkeypatch.setattr("anonaudit.masking.maskers.ALGORITHMS", few)
    tried = {one.algorithm: one.reason for one in mask(TABLE, POLICY, algorithm="best").tried}
    assert tried["mondrian"] == "did not fit into memory"
    monkeypatch.setattr(algorithms, "available", lambda: 0)
    with pytest.raises(NotAchievableError, match="no algorithm made a release"):
        mask(TABLE, POLICY, algorithm="best")
