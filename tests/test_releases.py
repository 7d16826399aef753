"""Real releases of other people's anonymizers: levels against independent truth.

The truth of each file was computed in DuckDB SQL and again in plain Python over the text of the
file; it stands in the manifest beside the releases. Its conventions: every cell is text, an
empty cell is a value of its own, fully starred rows are counted. What follows for the claims of
the tools, and linkage: benchmarks/thirdparty/test_releases_audit.py.
"""

import json
from dataclasses import replace
from pathlib import Path

import oracle
import pandas as pd
import pytest
from conftest import shared_folder
from releases_audit import policy_of

import anonaudit
from anonaudit.cells import Convention
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.counting import count
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.models import BetaLikeness, DeltaDisclosure
from anonaudit.policy.policy import HierarchySpec, Requirement
from anonaudit.source.table import open_source

MANIFEST = shared_folder() / "releases" / "manifest.json"
ENTRIES = json.loads(MANIFEST.read_text()) if MANIFEST.is_file() else []
# One line a class with its values joined by commas is not microdata; such files are left out.
READABLE = [entry for entry in ENTRIES if entry["kind"] != "aggregate-sets"]

pytestmark = pytest.mark.skipif(not ENTRIES, reason="the folder of outside releases is absent")


@pytest.mark.parametrize("entry", READABLE, ids=lambda entry: entry["file"])
def test_levels(entry: dict) -> None:
    convention = Convention(suppressed_tuples="include", sensitive="one-value")
    policy = policy_of(entry, entry["sensitive"], convention)
    report = anonaudit.audit(MANIFEST.parent / entry["file"], policy)
    truth = entry["true"]
    found = {(m.model, m.parameters.get("distance")): m for m in report.models}
    homogeneity = report.attacks[0]
    assert report.release.rows == truth["records"]
    assert report.release.classes == truth["groups"]
    assert found["k-anonymity", None].measured == truth["k"]
    for column, expected in truth["sensitive"].items():
        for model, distance, key in (
            ("l-diversity", None, "l_distinct"),
            ("entropy-l-diversity", None, "l_entropy"),
            ("recursive-c-l-diversity", None, "recursive_c_sup_l2"),
            ("alpha-k-anonymity", None, "alpha_max"),
            ("t-closeness", "equal", "t_total_variation"),
            ("t-closeness", "ordered", "t_emd_ordered"),
        ):
            if key in expected:
                level = found[model, distance].per_attribute[column].measured
                close = expected[key] if expected[key] is None else pytest.approx(expected[key])
                assert level == close, (column, model, distance)
        assert homogeneity.per_attribute[column] == expected["homogeneous_records"]
        assert homogeneity.details["classes"][column] == expected["homogeneous_groups"]


@pytest.mark.parametrize("entry", READABLE, ids=lambda entry: entry["file"])
def test_likeness(entry: dict) -> None:
    """Delta over the values present in a class, the classes that lack one, and basic beta."""
    roles, path = policy_of(entry, entry["sensitive"], Convention()).roles, entry["file"]
    convention = Convention(suppressed_tuples="include", sensitive="one-value")
    columns = [*roles.quasi_identifiers, *roles.sensitive]
    table = count(open_source(MANIFEST.parent / path), columns, convention, weight=roles.count)
    classes = equivalence_classes(table, roles, convention)
    present = DeltaDisclosure(absent="ignored").measure(classes).per_attribute
    beta = BetaLikeness().measure(classes).per_attribute
    for column, expected in entry["true"]["sensitive"].items():
        assert present[column].measured == pytest.approx(expected["delta_disclosure"], abs=1e-8)
        assert beta[column].measured == pytest.approx(expected["beta_basic"], abs=1e-8)
        alone = equivalence_classes(table, replace(roles, sensitive=(column,)), convention)
        lacking = DeltaDisclosure(delta=1e9).measure(alone).classes_violating
        assert lacking == expected["delta_disclosure_strict_inf"]


@pytest.mark.parametrize(("suppressed", "outcome"), [("include", "holds"), ("exclude", "violated")])
def test_t_by_a_hierarchy(suppressed: str, outcome: str) -> None:
    """ARX made this release 0.3-close by a hierarchy, by the equal distance it is not.

    The suppressed rows still show their occupations. ARX counts them in the whole; the 4,484
    rows in classes alone, whose transport problem the oracle solves, are not 0.3-close.
    """
    (entry,) = [e for e in ENTRIES if e["file"] == "arx_adult5k_thier.csv"]
    file = MANIFEST.parent / entry["file"]
    tree = Hierarchy.read(Path(shared_folder(), "datasets/arx/adult_hierarchy_occupation.csv"))
    policy = replace(
        policy_of(entry, ["occupation"], Convention(suppressed_tuples=suppressed)),
        hierarchies={"occupation": HierarchySpec("occupation", tree=tree)},
        requirements=(
            Requirement("t-closeness", {"t": 0.3, "distance": "hierarchical"}),
            Requirement("t-closeness", {"t": 0.3}),
        ),
    )
    by_tree, equal = anonaudit.audit(file, policy).models[:2]
    if suppressed == "include":
        expected = entry["true_extra"]["t_hierarchical_emd"]
    else:
        table = pd.read_csv(file, dtype=str)[[*entry["qi"], "occupation"]]
        rows, qi = list(table.itertuples(index=False, name=None)), range(len(entry["qi"]))
        expected = oracle.t_hierarchical(rows, qi, len(entry["qi"]), tree.paths)
    assert by_tree.measured == pytest.approx(expected, abs=1e-9)
    assert (by_tree.outcome, equal.outcome) == (outcome, "violated")
