"""Writes a run to a folder: reports, numbers, figures, and a manifest with their hashes."""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pandas as pd

from anonaudit import datasets
from anonaudit.errors import InputError, listed
from anonaudit.papers.reproduction.document_markdown import agreement, report
from anonaudit.papers.reproduction.experiment import Experiment, Results
from anonaudit.papers.reproduction.figure import draw_figure
from anonaudit.papers.reproduction.patients import rows_of
from anonaudit.papers.reproduction.registry import as_csv, registry
from anonaudit.papers.reproduction.runs import EXPERIMENTS, NUMBERS
from anonaudit.version import __version__

MANIFEST: Final = "manifest.json"
_LIBRARIES: Final = ("numpy", "pandas", "scipy", "matplotlib", "duckdb", "narwhals")


def check_place(folder: Path) -> None:
    """Raise InputError unless the folder is new or empty, and its parent folder exists."""
    if not folder.parent.is_dir():
        raise InputError(f"{folder}: there is no folder {str(folder.parent)!r}; make it first")
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise InputError(f"{folder}: already exists; name a new folder, or remove it first")


def write_run(
    measured: Callable[[], Mapping[str, Results]],
    experiments: Sequence[Experiment],
    folder: Path,
    *,
    seeds: Sequence[int],
    quick: bool,
) -> None:
    """Measure, and write the complete run into a new folder. After an error, nothing is written.

    The run is first written to a hidden folder next to the final folder. A killed process may leave
    the hidden folder, which you can remove.

    Each experiment gets a folder with results.csv (one number per line), comparison.csv (the
    paper's numbers and the spread of ours), figure.svg, figure.png and report.md. README.md and
    manifest.json are about all experiments.

    measured: a function that runs the experiments and returns experiment id -> results.
    folder: the folder to make.
    seeds, quick: the settings of the run, for the manifest and README.md.

    Raises InputError if the folder cannot be made.
    """
    check_place(folder)
    try:
        draft = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name[:100]}."))
    except OSError as error:
        raise _cannot_be_made(folder, error) from None
    try:
        results = measured()
        for experiment in experiments:
            _write_one(experiment, results[experiment.id], draft / experiment.id)
        _write_text(draft / "README.md", _index(experiments, results, seeds, quick=quick))
        manifest = _manifest(experiments, draft, seeds, quick=quick)
        _write_text(draft / MANIFEST, json.dumps(manifest, indent=2) + "\n")
        try:
            draft.replace(folder)
        except OSError as error:  # another process has created the folder in the meantime
            raise _cannot_be_made(folder, error) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def is_whole(folder: Path) -> bool:
    """Return True if the folder contains a complete run, which has a manifest."""
    return (folder / MANIFEST).is_file()


def altered(folder: Path) -> list[str]:
    """Return the names of the files that were changed, removed or added after the manifest.

    Raises InputError if there is no readable manifest.
    """
    try:
        files = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        written = {name: entry["sha256"] for name, entry in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise InputError(
            f"{folder}: has no readable {MANIFEST} of a reproduction; name the folder of a run"
        ) from None
    there = _hashes(folder)
    return sorted(
        name for name in written.keys() | there.keys() if written.get(name) != there.get(name)
    )


def agreement_in(folder: Path) -> str:
    """Return the result of `agreement` for an existing run, made again from its numbers.

    Raises InputError if files differ from the manifest, or if another version of anonaudit made the
    run.
    """
    wrong = altered(folder)
    if wrong:
        raise InputError(f"{folder}: differs from its manifest in {listed(wrong)}; make it again")
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    ran = [e["id"] for e in manifest["experiments"]]
    experiments = [e for e in EXPERIMENTS if e.id in ran]
    if manifest["versions"]["anonaudit"] != __version__ or len(experiments) != len(ran):
        raise InputError(f"{folder}: was made by another version of anonaudit; make it again")
    results = {e.id: Results(pd.read_csv(folder / e.id / "results.csv")) for e in experiments}
    return agreement(experiments, results, manifest["seeds"], quick=manifest["quick"])


def _cannot_be_made(folder: Path, error: OSError) -> InputError:
    reason = (error.strerror or str(error)).lower()
    return InputError(f"{folder}: cannot be made ({reason}); name another folder by --output")


def _write_one(experiment: Experiment, results: Results, folder: Path) -> None:
    folder.mkdir()
    _csv(results.frame.assign(experiment=experiment.id), folder / "results.csv")
    _csv(results.summary(experiment.paper), folder / "comparison.csv")
    draw_figure(experiment, results, folder)
    _write_text(folder / "report.md", report(experiment, results))


def _index(
    experiments: Sequence[Experiment],
    results: Mapping[str, Results],
    seeds: Sequence[int],
    *,
    quick: bool,
) -> str:
    lines = ["# The papers' experiments, run again", ""]
    lines += [f"- [{e.id}]({e.id}/report.md): {e.title}" for e in experiments]
    lines += ["", f"`anonaudit reproduce --check` compares the files with {MANIFEST}.", ""]
    return "\n".join(lines) + "\n" + agreement(experiments, results, seeds, quick=quick)


def _manifest(
    experiments: Sequence[Experiment], folder: Path, seeds: Sequence[int], *, quick: bool
) -> dict[str, Any]:
    repeatable = {e.id: e.repeatable for e in experiments}
    repeatable["README.md"] = all(repeatable.values())
    inputs = sorted({name for e in experiments for name in e.inputs})
    patients = any(e.key == "GCG08" for e in experiments)
    return {
        "versions": {
            "anonaudit": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in _LIBRARIES},
        },
        "seeds": list(seeds),
        "quick": quick,
        "experiments": [{"id": e.id, "claim": e.claim} for e in experiments],
        "inputs": {name: _sha256(datasets.path(name).read_bytes()) for name in inputs},
        "registries": {
            str(seed): _sha256(as_csv(registry(seed, rows_of(quick))).encode())
            for seed in (seeds if patients else ())
        },
        "files": {
            name: {"sha256": digest, "repeatable": repeatable.get(name.partition("/")[0], True)}
            for name, digest in _hashes(folder).items()
        },
    }


def _hashes(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    names = {path.relative_to(folder).as_posix(): path for path in files}
    return {name: _sha256(path.read_bytes()) for name, path in names.items() if name != MANIFEST}


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _csv(table: pd.DataFrame, path: Path) -> None:
    table.to_csv(path, index=False, lineterminator="\n", float_format=NUMBERS)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
