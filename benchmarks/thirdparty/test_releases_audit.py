"""Real releases with their tools' claims as policies: verdicts and linkage as the manifest says.

Its truth was computed in DuckDB SQL and again in plain Python over the text of the files. The
rows of the table in docs/third-party.md are compared one by one.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from conftest import shared_folder
from releases_audit import (
    SHARES,
    Audited,
    audited,
    external_of,
    people_of,
    requirements_of,
    taken_apart,
)
from releases_table import COLUMNS, entries, line, published, row
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

import anonaudit
from anonaudit.models import LDiversity
from anonaudit.policy.policy import Policy, Requirement
from anonaudit.roles import Roles

FOLDER = shared_folder() / "releases"
ENTRIES = entries(FOLDER) if (FOLDER / "manifest.json").is_file() else []
BY_FILE = {entry["file"]: entry for entry in ENTRIES}

pytestmark = pytest.mark.skipif(not ENTRIES, reason="the folder of outside releases is absent")
each = pytest.mark.parametrize("file", BY_FILE)

CERTAIN_BY_ASSIGNMENT = {"arx_adult5k_delta.csv", "sdc_health_k3_alpha0.csv"}
"""Releases in which more is certain once everybody has a row: each has a test of its own."""


@cache
def found_of(file: str) -> Audited:
    return audited(BY_FILE[file], FOLDER)


@each
def test_verdict(file):
    entry, found = BY_FILE[file], found_of(file)
    assert found.verdict == entry["verdict"]
    for model in found.reads[0].models if found.reads else ():
        if model.model == "k-anonymity":
            assert model.measured == entry["true"]["k"]
            assert model.classes_violating == entry["true"]["groups_below"]
            assert model.rows_violating == entry["true"]["records_below"]


@each
def test_levels_under_the_reading_of_the_tool(file):
    """What the manifest gives beside its own convention, by the reading that it belongs to."""
    entry = BY_FILE[file]
    extra, on = entry.get("true_extra", {}), entry["claimed"].get("on")
    others = found_of(file).reads[1:]
    for other in others:
        level = {m.model: m.measured for m in other.models}
        if other.reading == "fully suppressed rows left out" and "without_suppressed_rows" in extra:
            left = extra["without_suppressed_rows"]
            assert level["k-anonymity"] == left["k"]
            if "recursive-c-l-diversity" in level:
                expected = left["sensitive"][on]["recursive_c_sup_l2"]
                assert level["recursive-c-l-diversity"] == pytest.approx(expected)
        elif other.reading == "a missing cell matches anything":
            every = extra.get("k_if_missing_matches_any", entry["true"]["k"])
            assert level["k-anonymity"] == every
        elif other.reading == "ordered distance":
            expected = entry["true"]["sensitive"][on]["t_emd_ordered"]
            assert level["t-closeness"] == pytest.approx(expected)
        elif other.reading == "hierarchical distance":
            assert level["t-closeness"] == pytest.approx(extra["t_hierarchical_emd"])
        elif other.reading == "values absent from a class ignored":
            expected = entry["true"]["sensitive"][on]["delta_disclosure"]
            assert level["delta-disclosure"] == pytest.approx(expected, abs=1e-8)
        elif other.reading == SHARES:
            expected = entry["true"]["sensitive"][on]["t_max_abs_diff"]
            assert other.level == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("file", [file for file, entry in BY_FILE.items() if "attack" in entry])
def test_linkage(file):
    expected, linked = BY_FILE[file]["attack"], found_of(file).linkage
    assert linked.targets == expected["targets"]
    if file not in CERTAIN_BY_ASSIGNMENT:
        assert linked.identified == expected["targets_with_one_candidate"]
        assert linked.disclosed == expected["targets_whose_sensitive_value_is_certain"]
    assert linked.details["fewest candidates"] == expected["least_candidates"]
    assert linked.details["no match"] == expected["targets_with_no_candidate"]
    several = linked.details["candidates in several classes"]
    assert several == expected["targets_compatible_with_several_groups"]
    left_out = linked.details["fit no published class"]
    assert left_out == expected.get("targets_that_fit_no_published_class", 0)


def test_nobody_but_those_who_fit_no_class_is_suppressed_throughout():
    """909 people fit no published class, and 909 rows are suppressed: the others have the rest."""
    entry, linked = BY_FILE["arx_adult5k_delta.csv"], found_of("arx_adult5k_delta.csv").linkage
    rest = entry["true_extra"]["without_suppressed_rows"]
    assert entry["attack"]["targets_that_fit_no_published_class"] == 909
    assert entry["true"]["all_suppressed_records"] == 909
    homogeneous = rest["sensitive"]["salary-class"]["homogeneous_records"]
    assert (linked.identified, linked.disclosed) == (0, homogeneous)


def test_who_can_have_which_row_when_everybody_has_one():
    """Each pair alone: it is possible if the other 599 people still fit the other 599 rows."""
    file = "sdc_health_k3_alpha0.csv"
    entry, linked = BY_FILE[file], found_of(file).linkage
    people, released = external_of(entry, FOLDER), pd.read_csv(FOLDER / file, dtype=str)
    fits = np.ones((len(people), len(released)), dtype=bool)
    for column in entry["qi"]:
        cells = released[column].to_numpy()[None, :]
        fits &= (people[column].to_numpy()[:, None] == cells) | pd.isna(cells)
    values = released[entry["attack"]["sensitive"]].to_numpy()
    certain = {"row": 0, "value": 0}
    for person in range(len(people)):
        rows = [row for row in np.flatnonzero(fits[person]) if _all_fit(fits, person, row)]
        certain["row"] += len(rows) == 1
        certain["value"] += len(set(values[rows])) == 1
    assert (linked.identified, linked.disclosed) == (certain["row"], certain["value"])


def _all_fit(fits: np.ndarray, person: int, row: int) -> bool:
    rest = np.delete(np.delete(fits, person, axis=0), row, axis=1)
    return bool((maximum_bipartite_matching(csr_array(rest)) >= 0).all())


@pytest.mark.parametrize(
    "file", [file for file, entry in BY_FILE.items() if entry["kind"] == "aggregate-sets"]
)
def test_joined_sets_taken_apart(file):
    """How many values a class has can be read from its set; how often each occurs cannot."""
    entry = BY_FILE[file]
    roles = Roles(tuple(entry["qi"]), tuple(entry["sensitive"]))
    policy = Policy(roles=roles, requirements=(Requirement("l-diversity", {"l": 1}),))
    found = anonaudit.audit(taken_apart(entry, FOLDER), policy).models[0]
    assert found.model == LDiversity.name
    assert found.measured == entry["true_extra"]["l_distinct_from_joined_sets"]


def test_rows_of_nobody_in_the_table_to_mask():
    """crowds was given the men and returned 125 rows of a table it had been given before."""
    (entry,) = [entry for entry in ENTRIES if entry["file"].startswith("crowds_leak")]
    men = people_of(entry, FOLDER)
    released = pd.read_csv(FOLDER / entry["file"], dtype=str, keep_default_na=False)
    assert "125 records of the women's table" in entry["severe_leak"][0]
    kept = ["diagnosis", "severity", "cost"]
    assert len(released) == 125
    assert len(released.merge(men, on=kept)) == 0
    everybody = people_of({**entry, "source": "health"}, FOLDER)
    women = everybody[everybody["sex"] == "F"]
    assert len(released.merge(women, on=kept)) == 125
    policy = Policy(
        roles=Roles(tuple(entry["qi"]), tuple(entry["sensitive"])),
        requirements=(Requirement("valid-generalization", {}),),
    )
    checked = anonaudit.audit(released, policy, original=men)
    assert not checked.passed


def test_a_claim_that_nobody_knows_is_no_pass():
    with pytest.raises(ValueError, match="no model is known for the claim 'magic'"):
        requirements_of({"k": 2, "magic": 1})


@each
def test_the_published_table(file):
    assert row(BY_FILE[file], found_of(file)) in published()[1].splitlines()


def test_the_published_table_has_nothing_else():
    head, rule, *rows = published()[1].splitlines()
    assert [head, rule] == [line(COLUMNS), line(["---"] * len(COLUMNS))]
    assert [one.split("`")[1] for one in rows] == [file.removesuffix(".csv") for file in BY_FILE]
