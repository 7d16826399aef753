"""Readings: each says what it tests, can hold, and can fail."""

import numpy as np
import pandas as pd
import pytest

from anonaudit.papers.reproduction import EXPERIMENTS, ReadingResult, Results
from anonaudit.papers.reproduction.gcg08_readings import exponent
from anonaudit.papers.reproduction.readings import (
    about_each,
    ends,
    held,
    rising,
    spread,
    typical,
    within_a_quarter,
)

AT_HAND = [experiment for experiment in EXPERIMENTS if experiment.missing() is None]


def test_verdicts():
    assert ReadingResult("x", 3, 3, "1", "2").verdict == "agrees"
    assert ReadingResult("x", 2, 4, "1", "2").verdict == "agrees in part"
    assert ReadingResult("x", 2, 5, "1", "2").verdict == "disagrees"
    assert str(ReadingResult("x", 0, 0, "1", "2")) == (
        "Not measured (0 of 0 cases): x. Paper: 1. Ours: 2."
    )


def test_about_is_a_quarter_on_either_side():
    assert within_a_quarter("x", [3, 5, 2.999, 5.001], 4).held == 2
    assert within_a_quarter("x", [0, 0.001], 0).held == 1
    assert "±25% allowed" in within_a_quarter("x", [3], 4).here
    lines = pd.DataFrame({2.0: [3.0, 6.0], 3.0: [10.0, 10.0]})
    assert about_each("x", lines, [4, 8], "k")[1:3] == (3, 4)


def test_to_stay_equal_is_not_to_rise():
    lines = pd.DataFrame({1.0: [1.0, 1.0], 2.0: [1.0, 2.0], 3.0: [2.0, 1.0]})
    assert rising("x", lines, "k")[1:3] == (2, 4)


def test_typical_counts_are_not_in_either_outer_twentieth():
    ours = [*range(1, 21)]  # twenty samples: one in twenty is 5%
    assert typical("x", [("a", 1, ours), ("b", 20, ours)]).held == 2
    assert typical("x", [("a", 0, ours), ("b", 21, ours)]).held == 0
    # 1 of 21 samples is less than 5%.
    assert typical("x", [("a", 1, [*ours, 21])]).held == 0


def test_numbers_are_short():
    assert spread([0.12345, 0.12345]) == "0.123"
    assert spread([1000, 1014.4], "%") == "1007% (1000% to 1014%)"
    assert ends(pd.DataFrame({1.0: [0.5], 2.0: [72194.0]}), "n") == "0.5 at n = 1 to 72194 at 2"
    assert held("x", [], "a", "b").of == 0


def test_the_exponent_of_a_square_is_two():
    assert exponent(pd.DataFrame({1.0: [3.0], 3.0: [27.0]})) == [2.0]


def frame_of(made, experiment):
    return pd.read_csv(made[0] / experiment.id / "results.csv")


def variants(experiment, frame):
    """Other results of the same form: mostly nonsense, some as the paper has them."""
    rng = np.random.default_rng(0)
    yield frame
    for _ in range(8):
        yield frame.assign(value=rng.lognormal(0, 3, len(frame)))
        by_series = {name: rng.lognormal(0, 1) for name in frame["series"].unique()}
        yield frame.assign(value=frame["value"] * frame["series"].map(by_series))
    yield frame.assign(value=frame["x"] + 1)
    yield frame.assign(value=1 / (frame["x"] + 1))
    yield frame.assign(value=1.0)
    yield frame.assign(value=0.0)
    for slowing in (1.0, 0.8):
        later = np.where(frame["series"].str.contains("Column"), 1.1, 1.0)
        yield frame.assign(value=later * (frame["x"] + 0.1) ** slowing)
    keys = zip(frame["measure"], frame["series"], frame["x"], strict=True)
    paper = [experiment.paper.get(key, np.nan) for key in keys]
    yield frame.assign(value=pd.Series(paper, frame.index).fillna(frame["value"]))
    names = sorted(frame["series"].unique())
    for shift in range(1, len(names)):
        to = dict(zip(names, names[shift:] + names[:shift], strict=True))
        yield frame.assign(series=frame["series"].map(to))


@pytest.mark.parametrize("experiment", AT_HAND, ids=lambda e: e.id)
def test_each_statement_can_hold_and_can_fail(experiment, made):
    best, worst = {}, {}
    for frame in variants(experiment, frame_of(made, experiment)):
        try:
            with np.errstate(divide="ignore", invalid="ignore"):
                readings = experiment.read(Results(frame))
        except KeyError:  # series of another measure
            continue
        for r in readings:
            assert r.of, r
            share = r.held / r.of
            best[r.says] = max(best.get(r.says, 0.0), share)
            worst[r.says] = min(worst.get(r.says, 1.0), share)
    assert [says for says, share in worst.items() if share > 0] == []
    assert [says for says, share in best.items() if share == 0] == []


@pytest.mark.parametrize("experiment", AT_HAND, ids=lambda e: e.id)
def test_each_statement_says_both_numbers(experiment, made):
    readings = experiment.read(Results(frame_of(made, experiment)))
    assert len({r.says for r in readings}) == len(readings)
    for reading in readings:
        assert any(c.isdigit() for c in reading.here), reading
        assert reading.there, reading
        assert not any("|" in text for text in reading if isinstance(text, str))
