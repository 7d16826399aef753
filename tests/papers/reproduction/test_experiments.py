"""The list of experiments, stated a second time: claims, numbers of the papers, fitted readings.

The numbers are typed from the papers: TV06 Table 8, CT06 Table 4, MCT08 Tables 1 and 2, GCG08 Table 1
and the prose of its Figure 12.
"""

import hashlib
import re

import pytest

from anonaudit.papers.claims import CLAIMS
from anonaudit.papers.claims.ledger import Verdict
from anonaudit.papers.reproduction import (
    EXPERIMENTS,
    ct06,
    gcg08,
    gcg08_readings,
    gcg08_runs,
    mct08,
    mct08_runs,
    patients,
    registry,
    tv06,
)
from anonaudit.papers.reproduction.experiment import printed
from anonaudit.papers.reproduction.patients import ADULT, MA2019, REGISTRY, Patients

IDS = [experiment.id for experiment in EXPERIMENTS]
ON_REAL_DATA = ("fig9", "fig10", "fig11", "fig12", "table1")
ADULTS = "adult/adult.csv.gz"


def experiments():
    """The lists of the papers as they are now; what others made of them on import is compared."""
    every = (*tv06.EXPERIMENTS, *ct06.EXPERIMENTS, *mct08.EXPERIMENTS, *gcg08.EXPERIMENTS)
    assert [one.id for one in every] == IDS
    return {one.id: one for one in (*every, *gcg08._REGISTRY)}


def lines(measure, series, **numbers):
    """Numbers of a line by their place on the axis: k2=605 is 605 at 2."""
    return {(measure, series, float(place[1:])): float(n) for place, n in numbers.items()}


def by_k(measure, series, numbers):
    return {(measure, series, float(k)): float(n) for k, n in enumerate(numbers, 2)}


def table_8():
    printed = {"400 rows": (6, 2), "4000 rows": (4, 0)}
    found = {}
    for size, (two, three) in printed.items():
        for source in ("Adult's gains and losses", "drawn gains and losses"):
            for where in ("found", "paper's node"):
                what = "at the node found" if where == "found" else "at the paper's node"
                series = f"{size}, {source}"
                found |= lines(f"attribute disclosures {what}", series, k2=two, k3=three)
    # <A1, M1, R1, S1>, <A1, M1, R2, S1>, <A2, M1, R1, S1>, <A2, M1, R2, S1>
    found |= lines("height of the node found", "400 rows", k2=4, k3=5)
    found |= lines("height of the node found", "4000 rows", k2=5, k3=6)
    return found


def table_4(groups, tuples):
    return {
        **lines(groups, "pay", k3=12), **lines(tuples, "pay", k3=38),
        **lines(groups, "capital-gain", k3=12, k5=31), **lines(tuples, "capital-gain", k3=36, k5=164),
        **lines(groups, "capital-loss", k3=5, k5=6), **lines(tuples, "capital-loss", k3=15, k5=30),
        **lines(groups, "tax", k3=0, k5=2), **lines(tuples, "tax", k3=0, k5=11),
        **lines(groups, "tax, extended", k3=1, k5=2), **lines(tuples, "tax, extended", k3=3, k5=11),
    }  # fmt: skip


def violations(measure):
    one = (605, 991, 1377, 1657, 1906, 2198, 2354, 2550, 2728)
    two = (2209, 3824, 5297, 6163, 6964, 7743, 8417, 8931, 9549)
    return {**by_k(measure, "1 constrained", one), **by_k(measure, "2 constrained", two)}


def suppressed(measure):
    two = (5, 15, 24, 28, 48, 60, 81, 97, 106)
    return {**by_k(measure, "1 constrained", [0] * 9), **by_k(measure, "2 constrained", two)}


ERROR = "average relative error of random queries"
FIGURE_12 = lines(ERROR, "Anonymize-Column", l2=0.104, l10=0.117)
TABLE_1 = {
    **lines(ERROR, "Anonymize", q0=0.113, q1=0.146, q2=0.016),
    **lines(ERROR, "Exponential-L", q0=0.232, q1=0.286, q2=0.085),
    **lines("number of queries", "drawn", q0=8800, q2=1117),
}
PAPER = {
    "TV06-table8": table_8(),
    "CT06-table4": {
        **table_4("groups that break p-sensitivity (clustering)", "tuples in them (clustering)"),
        **lines("attribute disclosures (binary search)", "all four", k2=6, k3=2),
    },
    "CT06-table4-clusters": table_4("clusters that break p-sensitivity", "tuples in these clusters"),
    "MCT08-table1": violations("constraint violations of k-member clustering"),
    "MCT08-table2": suppressed("tuples suppressed by GreedyCKA"),
    "MCT08-table1-lower": violations("constraint violations, boundaries one level lower"),
    "MCT08-table2-lower": suppressed("tuples in OUT, boundaries one level lower"),
    **{f"GCG08-fig12{data}": FIGURE_12 for data in ("", "-adult", "-ma2019")},
    **{f"GCG08-table1{data}": TABLE_1 for data in ("", "-adult", "-ma2019")},
}  # fmt: skip
CLAIM = {
    "TV06-table8": ["TV06-table8", "TV06-table8-apart"],
    "CT06-table4": ["CT06-table4", "CT06-table4-clusters"],
    "MCT08-table1": ["MCT08-table1", "MCT08-table1-lower"],
    "MCT08-table2": ["MCT08-table2", "MCT08-table2-lower"],
    "MCT08-fig8": ["MCT08-fig8"],
    "MCT08-fig9": ["MCT08-fig9"],
    "GCG08-fig9-12": [f"GCG08-{name}{data}" for data in ("", "-adult", "-ma2019") for name in ON_REAL_DATA[:4]],
    "GCG08-table1": ["GCG08-table1", "GCG08-table1-adult", "GCG08-table1-ma2019"],
    "GCG08-fig13-14": ["GCG08-fig13", "GCG08-fig14"],
}  # fmt: skip
TUNED = {  # the dagger of docs/reproduction.md: fitted readings, and the synthetic registry
    "TV06-table8-apart", "CT06-table4-clusters", "MCT08-table1-lower", "MCT08-table2-lower",
    *(f"GCG08-{name}" for name in (*ON_REAL_DATA, "fig13", "fig14")),
}  # fmt: skip


def test_each_experiment_belongs_to_a_claim():
    assert {e.id: e.claim for e in experiments().values()} == {i: claim for claim, ids in CLAIM.items() for i in ids}  # fmt: skip
    assert set(CLAIM) == {claim.id for claim in CLAIMS if claim.verdict is Verdict.EXPERIMENT}


def test_what_was_chosen_with_results_in_sight_is_marked():
    assert {e.id for e in experiments().values() if e.tuned} == TUNED


@pytest.mark.parametrize("name", IDS)
def test_the_numbers_of_the_paper(name):
    assert experiments()[name].paper == PAPER.get(name, {})


def test_the_numbers_of_gcg08_and_the_tables_they_are_read_from():
    assert gcg08_readings.table1() == TABLE_1
    assert gcg08_readings.figure12() == FIGURE_12
    for name, experiment in experiments().items():
        paper, table = name.split("-")[:2]
        read = [
            file for file in experiment.inputs if re.fullmatch(rf"{paper}/(table|figure).*", file)
        ]
        tables = {
            "TV06-table8": ["table8"], "CT06-table4": ["table4-binary-search", "table4-clustering"],
            "CT06-table4-clusters": ["table4-clustering"], "GCG08-fig12": ["figure12-error"],
        }  # fmt: skip
        own = tables.get(name) or tables.get(f"{paper}-{table}")
        wanted = own or ([table] if table in ("table1", "table2", "table8") else [])
        assert read == [f"{paper}/{one}.csv" for one in wanted], name


def test_running_times_alone_do_not_repeat():
    times = {"MCT08-fig9", "GCG08-fig13", "GCG08-fig14"}
    assert {e.id for e in experiments().values() if not e.repeatable} == times


def test_files_and_axes_of_gcg08():
    """Those on Adult read its rows. Where discernability spans orders its axis is logarithmic."""
    for experiment in experiments().values():
        if experiment.key != "GCG08":
            continue
        name, _, data = experiment.table.partition("-")
        tables = {"fig12": {"GCG08/figure12-error.csv"}, "table1": {"GCG08/table1.csv"}}
        assert set(experiment.inputs) == tables.get(name, set()) | ({ADULTS} if data == "adult" else set())  # fmt: skip
        assert (experiment.missing() is None) or data == "ma2019"
        log = ("discernability", "number of groups") if name in ON_REAL_DATA[:3] else ()
        assert experiment.log == log
        kinds = {0.0: "all", 1.0: "below 1% of patients", 2.0: "1% or more"}
        assert experiment.ticks == (kinds if name == "table1" else {})


def test_an_empty_cell_of_a_table_is_an_empty_text():
    assert printed("GCG08/figure8-steps.csv")[0]["total-frequency"] == ""


def test_columns_of_the_experiments():
    """MCT08 section 5; and of the tables in the place of GCG08's registry, docs/reproduction.md."""
    assert mct08_runs.QUASI == (
        "education-num", "workclass", "marital-status", "occupation", "race", "sex", "age", "native-country",
    )  # fmt: skip
    assert list(mct08_runs.SETS.values()) == [("native-country",), ("native-country", "age")]
    names = ("Adult", "ma2019", "registry")
    assert tuple(one.name for one in (ADULT, MA2019, REGISTRY)) == names
    assert ADULT.quasi == ("age", "sex", "race", "marital-status")
    assert MA2019.quasi == ("PUMA", "AGEP", "SEX", "RAC1P")  # area, age, sex, race
    assert REGISTRY.quasi == ("birth-date", "gender", "race", "zip")
    assert [len(one.sensitive) for one in (ADULT, MA2019, REGISTRY)] == [7, 6, 7]


def test_ma2019_is_read_as_text(tmp_path, monkeypatch):
    """With its hash; N is a value of it."""
    file = tmp_path / "ma2019.csv"
    file.write_text("PUMA,EDU,PINCP\n25-00503,01,N\n25-00703,12,NA\n", "utf-8")
    monkeypatch.setenv(patients.VARIABLE, str(file))
    monkeypatch.setattr(patients, "MA2019_SHA256", hashlib.sha256(file.read_bytes()).hexdigest())
    patients.ma2019.cache_clear()
    try:
        assert patients.ma2019().to_numpy().tolist() == [
            ["25-00503", "01", "N"],
            ["25-00703", "12", "NA"],
        ]
    finally:
        patients.ma2019.cache_clear()


def test_whole_runs_have_the_papers_places(monkeypatch):
    """MCT08: k = 2 to 10. GCG08: 8800 queries, and L_3 = 0 to 10 by twos. On few rows, to be quick."""
    sampled, asked = mct08_runs.sampled, []
    monkeypatch.setattr(mct08_runs, "sampled", lambda rng, n: asked.append(n) or sampled(rng, 40))
    rows = mct08_runs.measure(1, quick=False)
    assert asked == [10_000]
    assert {row.x for row in rows} == set(range(2, 11))
    few = Patients("few", registry.QUASI, registry.SENSITIVE, registry.RECUR, lambda seed, _: registry.registry(seed, 400))  # fmt: skip
    queries, drawn = gcg08_runs.random_queries, []
    monkeypatch.setattr(
        gcg08_runs,
        "random_queries",
        lambda data, n, seed: drawn.append((n, seed)) or queries(data, 80, seed=seed),
    )
    gcg08_runs.errors(1, quick=False, patients=few)
    limited = gcg08_runs.vary_limit(2, quick=False, patients=few)
    assert drawn == [(8800, 1), (8800, 2)]
    sizes = [row.x for row in limited if row[:2] == ("discernability", "Anonymize-Column")]
    assert sizes == [0, 2, 4, 6, 8, 10]
