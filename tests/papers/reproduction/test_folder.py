"""A run as a folder, of two small experiments made by hand: every text, number and hash of it."""

import hashlib
import json
import platform
from importlib.metadata import version

import matplotlib.figure
import numpy as np
import pandas as pd
import pytest

from anonaudit import datasets
from anonaudit.errors import InputError
from anonaudit.papers.reproduction import agreement_in, altered, registry, runs, write_run, written
from anonaudit.papers.reproduction.experiment import Experiment, MeasuredNumber, Results
from anonaudit.papers.reproduction.readings import held
from anonaudit.version import __version__


def measure(seed, quick):
    """1, 2 and 2 rows by seed, and as many again in other columns."""
    return [
        MeasuredNumber("size", "ours", 2, 1 + seed),
        MeasuredNumber("size", "ours", 10, 2 * seed / 3),
        MeasuredNumber("size", "theirs", 2, 5, draw=1),
        MeasuredNumber("seconds", "ours", 2, 0.5 if quick else 7),
    ]


def other(seed, quick):
    return [MeasuredNumber("loss", "all", x, x + seed) for x in (1, 2, 3, 4)]


def read(results):
    return [
        held("it is above 1", results.of("size", "ours")[2] > 1, "2", "1 to 3"),
        held("nobody looked", [], "0", "-"),
    ]


SMALL = Experiment(
    id="X01-table1",
    claim="X01-table1",
    title="How large",
    run=measure,
    measures=("size",),
    x="k",
    read=read,
    paper={("size", "ours", 2.0): 2.0},
    ticks={2.0: "two"},
    inputs=("CT06/protected.csv",),
    notes=("A note.", "Another."),
)
TIMED = Experiment(
    id="X01-fig2",
    claim="X01-fig2",
    title="How long",
    run=measure,
    measures=("seconds",),
    x="k",
    read=lambda results: [
        held("it takes time", results.of("seconds", "ours")[2] > 0, "a", "b"),
        held("it takes none", results.of("seconds", "ours")[2] == 0, "0", "7"),
    ],
    tuned=True,
    repeatable=False,
)
LONGER = Experiment("GCG08-x", "GCG08-x", "Lost", other, ("loss",), "x", read=lambda _: [], log=("loss",))  # fmt: skip
BOTH = (SMALL, TIMED)

REPORT = """\
# X01-table1: How large

- Agrees in part (2 of 3 cases): it is above 1. Paper: 2. Ours: 1 to 3.
- Not measured (0 of 0 cases): nobody looked. Paper: 0. Ours: -.

![the figure](figure.svg)

## Size

| series | k | paper | mean of ours | min to max | runs | ≤ paper |
|---|---|---|---|---|---|---|
| ours | two | 2 | 2 | 1 to 3 | 3 | 67% |
| ours | 10 | - | 0.6667 | 0 to 1.333 | 3 | - |
| theirs | two | - | 5 | 5 to 5 | 3 | - |

## Differences from the paper

- A note.
- Another.
"""

TUNED = (
    "The data or the reading were chosen after results had been seen, so agreement is partly by "
    "construction and is no independent evidence."
)
AGREED = f"""\
anonaudit {__version__}, seeds 0 to 2.
2 statements: 1 agree in part, 1 were not measured.
2 statements on tuned data or a fitted reading (†): 1 agree, 1 disagree.

| experiment | the paper says | verdict | cases | paper | ours |
|---|---|---|---|---|---|
| X01-table1 | it is above 1 | agrees in part | 2 of 3 | 2 | 1 to 3 |
| X01-table1 | nobody looked | not measured | 0 of 0 | 0 | - |
| X01-fig2 | it takes time | agrees † | 3 of 3 | a | b |
| X01-fig2 | it takes none | disagrees † | 0 of 3 | 0 | 7 |

† {TUNED}
"""

NUMBERS = """\
measure,series,x,seed,draw,value,experiment
size,ours,2,0,0,1,X01-table1
size,ours,10,0,0,0,X01-table1
size,theirs,2,0,1,5,X01-table1
size,ours,2,1,0,2,X01-table1
size,ours,10,1,0,0.6666666667,X01-table1
size,theirs,2,1,1,5,X01-table1
size,ours,2,2,0,3,X01-table1
size,ours,10,2,0,1.333333333,X01-table1
size,theirs,2,2,1,5,X01-table1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "run"
    write_run(lambda: runs.run(BOTH, [0, 1, 2]), BOTH, folder, seeds=[0, 1, 2], quick=False)
    return folder


def test_figures_are_1080_pixels_wide(folder):
    """9 inches at 120 dots; the width is in bytes 16 to 19 of a PNG."""
    for experiment in BOTH:
        png = (folder / experiment.id / "figure.png").read_bytes()
        assert int.from_bytes(png[16:20], "big") == 1080


def test_every_text(folder, monkeypatch):
    assert sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.*")) == [
        "README.md",
        *(f"{e}/{name}" for e in ("X01-fig2", "X01-table1") for name in ("comparison.csv", "figure.png", "figure.svg", "report.md", "results.csv")),
        "manifest.json",
    ]  # fmt: skip
    assert (folder / "X01-table1/report.md").read_text("utf-8") == REPORT
    assert (folder / "X01-table1/results.csv").read_text("utf-8") == NUMBERS
    fitted = (folder / "X01-fig2/report.md").read_text("utf-8")
    assert fitted.startswith(
        f"# X01-fig2: How long\n\n- Agrees (3 of 3 cases): it takes time. Paper: a. Ours: b.\n"
        f"- Disagrees (0 of 3 cases): it takes none. Paper: 0. Ours: 7.\n\n{TUNED}\n\n!"
    )
    assert "| ours | 2 | - | 7 | 7 to 7 | 3 | - |\n\n## Diff" in fitted
    compared = (folder / "X01-table1/comparison.csv").read_text("utf-8").splitlines()
    assert compared[:2] == [
        "measure,series,x,paper,mean,sd,min,median,max,runs,at-or-below-paper",
        "size,ours,2,2,2,0.8164965809,1,2,3,3,0.6666666667",  # deviation: sqrt(2 / 3)
    ]
    assert (folder / "README.md").read_text("utf-8") == (
        "# The papers' experiments, run again\n\n- [X01-table1](X01-table1/report.md): How large\n"
        "- [X01-fig2](X01-fig2/report.md): How long\n\n`anonaudit reproduce --check` compares the "
        f"files with manifest.json.\n\n{AGREED}"
    )
    monkeypatch.setattr(written, "EXPERIMENTS", (LONGER, *BOTH))
    assert agreement_in(folder) == AGREED


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def test_the_manifest(folder, tmp_path):
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    libraries = ("numpy", "pandas", "scipy", "matplotlib", "duckdb", "narwhals")
    files = [p for p in folder.rglob("*") if p.is_file() and p.name != "manifest.json"]
    assert manifest == {
        "versions": {
            "anonaudit": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in libraries},
        },
        "seeds": [0, 1, 2],
        "quick": False,
        "experiments": [{"id": e.id, "claim": e.claim} for e in BOTH],
        "inputs": {"CT06/protected.csv": sha256(datasets.path("CT06/protected.csv").read_bytes())},
        "registries": {},
        "files": {
            p.relative_to(folder).as_posix(): {
                "sha256": sha256(p.read_bytes()),
                # Seconds are of this machine, so are the files that tell them.
                "repeatable": "X01-table1" in p.parts,
            }
            for p in files
        },
    }
    # GCG08's patients are drawn: their hash by seed; a quick run has 2000 of them.
    again = [LONGER]
    write_run(lambda: runs.run(again, [3]), again, tmp_path / "run", seeds=[3], quick=True)
    manifest = json.loads((tmp_path / "run/manifest.json").read_text("utf-8"))
    drawn = registry.registry(3, 2000).to_csv(index=False, lineterminator="\n")
    assert manifest["registries"] == {"3": sha256(drawn.encode())}
    assert manifest["files"]["README.md"]["repeatable"] is True
    assert manifest["quick"] is True
    page = (tmp_path / "run/README.md").read_text("utf-8")
    assert "seeds 3 to 3, few rows (quick): do not compare" in page
    assert "†" not in page


@pytest.mark.parametrize("content", ["[]", '{"files": 3}', "{}", '{"files": {"a": 1}}', "no"])
def test_what_is_no_manifest_is_refused(content, tmp_path):
    (tmp_path / "manifest.json").write_text(content)
    assert written.is_whole(tmp_path)
    with pytest.raises(InputError, match=r"manifest\.json"):
        altered(tmp_path)


def test_what_was_changed_or_made_otherwise_is_not_summed_up(folder, monkeypatch, tmp_path):
    assert altered(folder) == []
    assert not written.is_whole(tmp_path)
    with pytest.raises(InputError, match="made by another version"):
        agreement_in(folder)  # these experiments are not among ours
    monkeypatch.setattr(written, "EXPERIMENTS", BOTH)
    monkeypatch.setattr(written, "__version__", "0.0.0")
    with pytest.raises(InputError, match="made by another version"):
        agreement_in(folder)


def test_a_run_is_of_every_seed_and_shares_what_experiments_share():
    calls, said = [], []

    def noting(seed, quick):
        calls.append((seed, quick))
        return measure(seed, quick)

    one, two = (
        Experiment(e.id, e.claim, e.title, noting, e.measures, e.x, read=e.read) for e in BOTH
    )
    found = runs.run([one, two], [4, 6], quick=True, progress=said.append)
    assert calls == [(4, True), (6, True)]
    assert said == ["0 of 2 runs", "1 of 2 runs; last: X01-table1, seed 4", "2 of 2 runs; last: X01-table1, seed 6"]  # fmt: skip
    assert set(found) == {"X01-table1", "X01-fig2"}
    assert found["X01-fig2"].frame["value"].tolist() == [0.5, 0.5]
    assert found["X01-table1"].frame["seed"].tolist() == [4, 4, 4, 6, 6, 6]


@pytest.mark.long
def test_two_processes_find_the_same():
    spread = runs.run([SMALL, LONGER], [0, 1], jobs=2)
    alone = runs.run([SMALL, LONGER], [0, 1])
    assert all(spread[e].frame.equals(alone[e].frame) for e in alone)


def axes_of(experiment, monkeypatch, tmp_path, seeds=(0, 2)):
    """The panels of the figure of an experiment, as they were saved."""
    saved = []
    original = matplotlib.figure.Figure.savefig

    def noting(figure, path, **options):
        saved.append((figure, path.name))
        original(figure, path, **options)

    monkeypatch.setattr(matplotlib.figure.Figure, "savefig", noting)
    (tmp_path / experiment.id).mkdir()
    rows = [
        {"measure": r.measure, "series": r.series, "x": float(r.x), "seed": s, "draw": r.draw, "value": float(r.value)}
        for s in seeds
        for r in experiment.run(s, False)
        if r.measure in experiment.measures
    ]  # fmt: skip
    from anonaudit.papers.reproduction.figure import draw_figure

    draw_figure(experiment, Results(pd.DataFrame(rows)), tmp_path / experiment.id)
    assert {name for _, name in saved} == {"figure.svg", "figure.png"}
    return saved[0][0].axes


def test_a_figure_of_a_table_has_points_with_bars(monkeypatch, tmp_path):
    """Two places, 8 apart, two series side by side: 2.4 to the left and to the right.

    Ours at 2: 1 and 3, the paper's 2; at 10: 0 and 4/3. Theirs at 2: 5.
    """
    (axes,) = axes_of(SMALL, monkeypatch, tmp_path)
    ours, theirs = axes.containers
    assert ours.lines[0].get_xdata() == pytest.approx([2 - 1.2, 10 - 1.2])
    assert ours.lines[0].get_ydata() == pytest.approx([2, 2 / 3])
    assert theirs.lines[0].get_xdata() == pytest.approx([2 + 1.2])
    bars = [s[:, 1].tolist() for s in ours.lines[2][0].get_segments()]
    assert bars == [[1, 3], pytest.approx([0, 4 / 3])]
    (paper,) = (line for line in axes.lines if line.get_label() == "ours (paper)")
    assert (paper.get_xdata().tolist(), paper.get_ydata().tolist()) == ([pytest.approx(0.8)], [2])
    assert (paper.get_marker(), paper.get_fillstyle(), paper.get_linestyle()) == ("s", "none", "None")  # fmt: skip
    assert [t.get_text() for t in axes.get_xticklabels()] == ["two", "10"]
    assert axes.get_ylim() == pytest.approx((-0.03 * 5.4, 5.4))  # 8% above 5, 3% of it below 0
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["ours", "ours (paper)", "theirs"]  # fmt: skip
    assert (axes.get_xlabel(), axes.get_title(loc="left")) == ("k", "size")


def test_a_figure_of_four_places_has_lines_and_bands(monkeypatch, tmp_path):
    """x and x + 2: means x + 1, bands from the least to the largest, on a logarithmic axis."""
    (axes,) = axes_of(LONGER, monkeypatch, tmp_path)
    (line,) = axes.lines
    assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == ([1, 2, 3, 4], [2, 3, 4, 5])
    (band,) = axes.collections
    corners = band.get_paths()[0].vertices
    assert {tuple(v) for v in corners.tolist()} >= {(1, 1), (1, 3), (4, 4), (4, 6)}
    assert axes.get_yscale() == "log"
    assert np.ndim(axes.get_xticks()) == 1
