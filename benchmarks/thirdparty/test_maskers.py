"""Anonymizers of other people under `check_masker`, and every law that one of them breaks.

Each record is the reduced input, the law and what came of it, as docs/third-party.md tells it;
marked as expected to fail, so that a mended tool is noticed. The packages are in two dependency
groups, as they pin versions that exclude each other; absent ones are skipped.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec

import pytest
from adapters import ROLES, TREES, Mask, anjana, anonypy, anonypyx, lighthouse, turned
from conftest import ROOT
from hypothesis import strategies as st
from records import RECORDS, Record

from anonaudit.models import (
    EntropyLDiversity,
    KAnonymity,
    Model,
    PSensitiveKAnonymity,
    TCloseness,
)
from anonaudit.strategies import Table, tables
from anonaudit.testing import ContractError, check_masker

LAWS = (
    "runs", "promise", "says no", "answers", "columns", "rows", "generalizes", "sensitive",
    "deterministic", "input unchanged", "row order", "column order", "index", "dtype",
    "category order",
)  # fmt: skip


@dataclass(frozen=True)
class Tried:
    """A tool as it is called here: the package it needs, what it promises, what it may do."""

    package: str
    mask: Mask
    model: Model
    options: Mapping = field(default_factory=dict)
    examples: int = 6


TREE, REFUSES = {"hierarchies": TREES}, {"refusals": (ValueError,)}
TOOLS = {
    "anonypy, k = 2": Tried("anonypy", anonypy("anonymize_k_anonymity", 2), KAnonymity(2)),
    "anonypy, k = l = 2": Tried(
        "anonypy", anonypy("anonymize_l_diversity", 2, 2), PSensitiveKAnonymity(2, 2)
    ),
    "anonypy, k = 2, t = 0.2": Tried(
        "anonypy", anonypy("anonymize_t_closeness", 2, 0.2), TCloseness(0.2)
    ),
    "anonypyx, k = 2": Tried("anonypyx", anonypyx(k=2), KAnonymity(2), REFUSES),
    "anonypyx, k = l = 2": Tried(
        "anonypyx", anonypyx(k=2, l=2), PSensitiveKAnonymity(2, 2), REFUSES
    ),
    "anonypyx, k = 2, t = 0.2": Tried(
        "anonypyx",
        anonypyx(k=2, t=0.2, closeness_metric="earth mover's distance"),
        TCloseness(0.2),
        REFUSES,
    ),
    "anjana, k = 2": Tried("anjana", anjana("k_anonymity", k=2), KAnonymity(2), TREE),
    "anjana, k = 2, half suppressed": Tried(
        "anjana",
        anjana("k_anonymity", k=2, supp_level=50),
        KAnonymity(2),
        {"suppression": 0.5, **TREE},
    ),
    "anjana, k = l = 2": Tried(
        "anjana", anjana("l_diversity", k=2, l_div=2), PSensitiveKAnonymity(2, 2), TREE
    ),
    "anjana, k = l = 2, labels moved": Tried(
        "anjana", turned(anjana("l_diversity", k=2, l_div=2)), PSensitiveKAnonymity(2, 2), TREE
    ),
    "anjana, k = 2, t = 0.2, labels moved": Tried(
        "anjana", turned(anjana("t_closeness", k=2, t=0.2)), TCloseness(0.2), TREE
    ),
    "anjana, k = 2, entropy l = 2": Tried(
        "anjana", anjana("entropy_l_diversity", k=2, l_div=2), EntropyLDiversity(2), TREE
    ),
    "lighthouse, k = 2": Tried(
        "project_lighthouse_anonymize",
        lighthouse(2),
        KAnonymity(2),
        {"suppression": 1.0, **TREE},
        examples=4,
    ),
    "lighthouse, k = p = 2": Tried(
        "project_lighthouse_anonymize",
        lighthouse(2, p=2),
        PSensitiveKAnonymity(2, 2),
        {"suppression": 1.0, **TREE, **REFUSES},
        examples=4,
    ),
}
# One cause breaks several laws of these, so only the records are tried.
RECORDS_ONLY = {
    "anonypy, k = 2, t = 0.2",
    "anonypyx, k = 2, t = 0.2",
    "anjana, k = l = 2, labels moved",
    "anjana, k = 2, t = 0.2, labels moved",
    "anjana, k = 2, entropy l = 2",
}


def tool(name: str) -> Tried:
    tried = TOOLS[name]
    if find_spec(tried.package) is None:
        pytest.skip(f"needs {tried.package.replace('_', '-')}, see docs/third-party.md")
    return tried


@pytest.mark.parametrize("name", [name for name in TOOLS if name not in RECORDS_ONLY])
def test_every_other_law_is_kept(name):
    tried = tool(name)
    broken = [record.law for record in RECORDS if record.tool == name]
    check_masker(
        tried.mask,
        tried.model,
        roles=ROLES,
        # Small tables without missing cells, for which the page records what the tools do.
        inputs=tables(ROLES, tried.options.get("hierarchies"), max_rows=8),
        skip=broken,
        examples=tried.examples,
        **tried.options,
    )


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: f"{record.tool}: {record.law}")
def test_a_record_is_on_the_page(record: Record):
    start = f"| {record.tool} | {record.law} | `{' '.join(record.rows)}` |"
    page = (ROOT / "docs" / "third-party.md").read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if line.startswith(start)]


@pytest.mark.xfail(raises=ContractError, strict=True, reason="recorded in docs/third-party.md")
@pytest.mark.parametrize("record", RECORDS, ids=lambda record: f"{record.tool}: {record.law}")
def test_a_record(record: Record):
    tried = tool(record.tool)
    rows = tuple((f"name-{i}", *row) for i, row in enumerate(record.rows))
    try:
        check_masker(
            tried.mask,
            tried.model,
            roles=ROLES,
            inputs=st.just(Table(ROLES, rows)),
            skip=[law for law in LAWS if law != record.law],
            examples=1,
            **tried.options,
        )
    except ContractError as error:
        (broken,) = error.broken
        if (broken.law, broken.came.split("\n")) != (record.law, list(record.came)):
            pytest.fail(f"another failure than the recorded one: {error}")
        raise


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_anjana_takes_columns_of_objects_only():
    """So its adapter turns others into these, and its laws about types say nothing."""
    tool("anjana, k = 2")  # skips where it is absent
    from anjana.anonymity import k_anonymity
    from beartype.roar import BeartypeCallHintParamViolation

    frame = Table(ROLES, (("n", "a", "a", "a"), ("m", "a", "b", "a"))).frame().astype("category")
    trees = {name: {0: ["a", "b"], 1: ["*", "*"]} for name in ("q1", "q2")}
    with pytest.raises(BeartypeCallHintParamViolation, match=r"violates type hint"):
        k_anonymity(frame, ["name"], ["q1", "q2"], 2, 0, trees)
