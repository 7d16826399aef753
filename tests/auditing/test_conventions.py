"""Every level under the other conventions; all numbers counted by hand."""

import pandas as pd

import anonaudit
from anonaudit.policy.policy import parse_policy

# x: three rows; y: one; and one whose q nobody knows.
ROWS = [("x", "u"), ("x", "v"), ("x", "v"), ("y", "u"), (None, "w")]
POLICY = "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"


def audited(rows, text=POLICY):
    return anonaudit.audit(pd.DataFrame(rows, columns=["q", "s"]), parse_policy(text))


def test_the_interval_of_a_level() -> None:
    """Unknown as a value of its own: a class of 1. As a wildcard: x has 4, y 2, the rest all 5.
    Left out: y has 1."""
    k = audited(ROWS).models[0]
    assert (k.model, k.measured) == ("k-anonymity", 1)
    assert k.by_convention == {
        "quasi-identifiers = wildcard": 2,
        "quasi-identifiers = drop-rows": 1,
    }


def test_unknown_sensitive_cells_and_suppressed_rows() -> None:
    """x holds u and two unknown cells: one value, or two if unknown is one."""
    rows = [("x", "u"), ("x", None), ("x", None), ("*", "v")]
    report = audited(rows)
    found = {model.model: model for model in report.models}
    # The row that is suppressed as a whole would be a class of its own, or fit everything.
    assert found["k-anonymity"].measured == 3
    assert found["k-anonymity"].by_convention["suppressed-tuples = include"] == 1
    assert found["l-diversity"].measured == 1
    assert found["l-diversity"].by_convention["sensitive = one-value"] == 2


def test_a_verdict_that_depends_on_the_convention_is_pointed_out() -> None:
    report = audited(ROWS, POLICY + "require.k-anonymity = { k = 2 }\n")
    told = [n.message for n in report.warnings if n.code == "verdict-depends-on-convention"]
    assert len(told) == 1
    assert told[0].startswith("k-anonymity: violated ")
    assert told[0].endswith("but holds with quasi-identifiers = wildcard")
    same = audited(ROWS, POLICY + "require.k-anonymity = { k = 3 }\n")
    assert not [n for n in same.warnings if n.code == "verdict-depends-on-convention"]


def test_a_model_of_a_population_is_fitted_to_each_convention(tmp_path) -> None:
    """Two of the population are x, one is y; an unknown cell fits all three."""
    (tmp_path / "people.csv").write_text("q\nx\nx\ny\n")
    rows = [("x", "u"), ("y", "v"), (None, "w")]
    table = pd.DataFrame(rows, columns=["q", "s"])
    text = POLICY + "population.file = 'people.csv'\n"
    report = anonaudit.audit(table, parse_policy(text, folder=tmp_path))
    k_map = next(model for model in report.models if model.model == "k-map")
    assert k_map.measured == 1
    assert k_map.by_convention == {
        "quasi-identifiers = wildcard": 1,
        "quasi-identifiers = drop-rows": 1,
    }
