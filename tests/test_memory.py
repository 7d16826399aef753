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
        f"{tmp_path}/r.csv: 5 different combinations of cells in 3 columns take about 0.0 GB of "
        "memory to work on, more than is left. There are 4 combinations of quasi-identifiers; the "
        "smallest class has 1 row(s), and so have 2 in all. Generalize first, or audit fewer "
        "columns at a time"
    )
    alone = told(monkeypatch, tmp_path, 2 * BYTES_A_CELL - 1, sensitive=["dx"])
    assert "2 different combinations of cells" in alone
    assert "quasi-identifiers" not in alone
    for left in (needed, None):
        monkeypatch.setattr(memory, "available", lambda left=left: left)
        assert anonaudit.audit(tmp_path / "r.csv", **columns).release.rows == 6


def test_other_tables_are_named_too(monkeypatch, tmp_path):
    (tmp_path / "voters.csv").write_text("age,name\n1,a\n2,b\n3,c\n")
    columns = {"quasi_identifiers": ["age"], "sensitive": ["dx"], "identity": ["name"]}
    (tmp_path / "few.csv").write_text("age,dx\n1,flu\n")
    monkeypatch.setattr(memory, "available", lambda: 3 * 2 * BYTES_A_CELL - 1)
    with pytest.raises(InputError, match=r"voters\.csv: 3 different combinations"):
        anonaudit.audit(tmp_path / "few.csv", external=tmp_path / "voters.csv", **columns)


def test_what_is_left_is_what_the_machine_and_its_container_have_not_used(monkeypatch, tmp_path):
    info = tmp_path / "meminfo"
    monkeypatch.setattr(memory, "_MEMINFO", info)
    monkeypatch.setattr(memory, "_CONTAINERS", ((tmp_path, "max", "current", "inactive_file"),))
    assert available() is None
    check_combinations(10**12, 9)
    info.write_text("MemTotal:  9 kB\nMemAvailable:       2 kB\n")
    assert available() == 2048
    (tmp_path / "max").write_text("max\n")
    (tmp_path / "current").write_text("500\n")
    assert available() == 2048
    (tmp_path / "max").write_text("2000\n")
    assert available() == 1500
    (tmp_path / "memory.stat").write_text("anon 7\ninactive_file 40\nactive_file 3\n")
    assert available() == 1540
    info.write_text("MemAvailable: ? kB\n")
    assert available() == 1540


def test_here_something_is_left():
    left = available()
    assert left is None or left > 10**6
