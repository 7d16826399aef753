"""The list of experiments, and their execution over seeds and processes."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing
from typing import Final

import pandas as pd

from anonaudit.auditing.examining import Progress
from anonaudit.errors import InputError, closest, listed
from anonaudit.papers.reproduction import ct06, gcg08, mct08, tv06
from anonaudit.papers.reproduction.experiment import Experiment, MeasuredNumber, Results, Run

EXPERIMENTS: Final = (
    *tv06.EXPERIMENTS,
    *ct06.EXPERIMENTS,
    *mct08.EXPERIMENTS,
    *gcg08.EXPERIMENTS,
)
NUMBERS: Final = "%.10g"
ScheduledRun = tuple[Run, int]


def chosen(paper: str | None = None, tables: Sequence[str] = ()) -> list[Experiment]:
    """Return the experiments of a paper (or of all papers), limited to some tables and figures.

    Experiments that cannot run here are left out (see `not_runnable`). Case is ignored.

    paper: a key such as TV06; None for all papers.
    tables: names such as table8 or fig9; empty for all. The name fig9 selects all experiments on
        Figure 9, also those with other readings or data. A full name such as fig9-adult selects
        one experiment.

    Raises InputError, with the closest name, for an unknown name, and for a name whose experiments
    all cannot run here.

    >>> [e.id for e in chosen("mct08", ["table1"])]
    ['MCT08-table1', 'MCT08-table1-lower']
    """
    experiments = list(EXPERIMENTS)
    if paper is not None:
        experiments = [e for e in experiments if e.key == paper.upper()]
        if not experiments:
            papers = dict.fromkeys(e.key for e in EXPERIMENTS)
            if paper.upper() == "Z07":
                raise InputError(f"Z07 has no experiment; choose one of {listed(papers)}")
            raise InputError(f"there is no paper {paper!r}. {closest(paper.upper(), papers)}")
    for table in tables:
        known = list(dict.fromkeys(name for e in experiments for name in _names(e)))
        if table.lower() not in known:
            of = f" in {paper.upper()}" if paper else ""
            raise InputError(
                f"there is no experiment {table!r}{of}. {closest(table.lower(), known)}"
            )
    wanted = {table.lower() for table in tables}
    asked = [e for e in experiments if not wanted or wanted & {*_names(e)}]
    for table in wanted:
        reasons = [e.missing() for e in asked if table in _names(e)]
        if None not in reasons:
            raise InputError(f"{table} cannot be run: {reasons[0]}")
    return [e for e in asked if e.missing() is None]


def _names(experiment: Experiment) -> tuple[str, str]:
    """Return the full name within the paper and the short name, such as fig9-adult and fig9."""
    return experiment.table, experiment.table.partition("-")[0]


def not_runnable() -> dict[str, list[str]]:
    """Return reason -> the ids of the experiments that cannot run here for this reason."""
    missing: dict[str, list[str]] = {}
    for experiment in EXPERIMENTS:
        if (reason := experiment.missing()) is not None:
            missing.setdefault(reason, []).append(experiment.id)
    return missing


def run(
    experiments: Sequence[Experiment],
    seeds: Sequence[int],
    *,
    quick: bool = False,
    jobs: int = 1,
    progress: Progress = lambda _: None,
) -> dict[str, Results]:
    """Measure experiments with each seed; return the results by the experiment's id.

    quick: True for fewer rows and draws.
    jobs: the number of processes. It changes no results except running times.
    progress: is called with a text on the progress of the work.
    """
    tasks: list[ScheduledRun] = [
        (measure, seed) for measure in dict.fromkeys(e.run for e in experiments) for seed in seeds
    ]
    rows: dict[ScheduledRun, list[MeasuredNumber]] = {}
    progress(f"0 of {len(tasks)} runs")
    with closing(_measured(tasks, quick, jobs)) as measured:
        for done, (task, values) in enumerate(measured, 1):
            rows[task] = values
            last = next(e.id for e in experiments if e.run is task[0])
            progress(f"{done} of {len(tasks)} runs; last: {last}, seed {task[1]}")
    return {e.id: _results(e, seeds, rows) for e in experiments}


def _measured(
    tasks: list[ScheduledRun], quick: bool, jobs: int
) -> Generator[tuple[ScheduledRun, list[MeasuredNumber]], None, None]:
    if jobs == 1:
        yield from ((task, task[0](task[1], quick)) for task in tasks)
        return
    # Spawn the processes, because forking a process that has threads (as of DuckDB) may hang.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with_parent)
    try:
        running = {pool.submit(task[0], task[1], quick): task for task in tasks}
        for future in as_completed(running):
            yield running[future], future.result()
    except BaseException:  # interrupted or failed: the other results are not needed
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """In a worker process: exit as soon as the parent process has ended."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _results(
    experiment: Experiment, seeds: Sequence[int], rows: dict[ScheduledRun, list[MeasuredNumber]]
) -> Results:
    lines = [
        {
            "measure": row.measure,
            "series": row.series,
            "x": float(row.x),
            "seed": seed,
            "draw": row.draw,
            "value": float(NUMBERS % row.value),  # rounded as in results.csv, for equal reports
        }
        for seed in seeds
        for row in rows[experiment.run, seed]
        if row.measure in experiment.measures
    ]
    return Results(pd.DataFrame(lines))
