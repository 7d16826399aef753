"""A release that is too fine to be worked on is refused before the machine ends the process."""

import pytest

import anonaudit
from anonaudit import memory
from anonaudit.errors import InputError
from anonaudit.memory import BYTES_A_CELL, available, check_combinations

# Five different rows; by age four, of which one stands twice.
ROWS = "age,zip,dx\n1,a,flu\n1,a,hiv\n2,a,flu\n3,a,flu\n4,b,flu\n4,b,flu\n"


def told(monkeypatch, tmp_path, left, **columns):
    monkeypatch.setattr(memory, "available", lambda: left)
    (tmp_path / "r.csv").write_text(ROWS)
    with pytest.raises(InputError) as refused:
        anonaudit.audit(tmp_path / "r.csv", **columns)
    return str(refused.value)


def test_what_does_not_fit_is_refused_with_what_the_engine_knows(monkeypatch, tmp_path):
    """Five combinations of three columns; of four combinations of age and zip two are alone."""
    needed = 5 * 3 * BYTES_A_CELL
    columns = {"quasi_identifiers": ["age", "zip"], "sensitive": ["dx"]}
    assert told(monkeypatch, tmp_path, needed - 1, **columns) == (
        f"{tmp_path}/r.csv: its 3 named columns have 5 different combinations of values, and to work on them "
        "takes about 0.0 GB of memory, more than there is. Of 4 different combinations of "
        "quasi-identifiers 2 stand in no more than 1 row(s). Generalize first, or audit fewer "
        "columns at a time"
    )
    alone = told(monkeypatch, tmp_path, 2 * BYTES_A_CELL - 1, sensitive=["dx"])
    assert "2 different combinations of values" in alone
    assert "quasi-identifiers" not in alone
    for left in (needed, None):
        monkeypatch.setattr(memory, "available", lambda left=left: left)
        assert anonaudit.audit(tmp_path / "r.csv", **columns).release.rows == 6


def test_the_limit_is_what_is_left_in_the_machine_or_the_container(monkeypatch, tmp_path):
    info, first, second = (tmp_path / name for name in ("meminfo", "max", "limit"))
    monkeypatch.setattr(memory, "_MEMINFO", info)
    monkeypatch.setattr(memory, "_OF_THE_CONTAINER", (first, second))
    assert available() is None
    check_combinations(10**12, 9)
    info.write_text("MemTotal:  9 kB\nMemAvailable:       2 kB\n")
    assert available() == 2048
    first.write_text("max\n")
    assert available() == 2048
    second.write_text("2047\n")
    assert available() == 2047
    info.write_text("MemAvailable: ? kB\n")
    assert available() == 2047


def test_here_something_is_left():
    left = available()
    assert left is None or left > 10**6
