"""A release that is too fine to be worked on is refused before the machine ends the process."""

import pytest

import anonaudit
from anonaudit.errors import InputError
from anonaudit.source import memory
from anonaudit.source.memory import BYTES_A_CELL, available, check_combinations

# Five different rows; by age four, of which one stands twice.
ROWS = "id,age,zip,dx\n1,1,a,flu\n2,1,a,hiv\n3,2,a,flu\n4,3,a,flu\n5,4,b,flu\n6,4,b,flu\n"


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
    # Persons are not counted in parts; each row is a person here, so all six are combinations.
    persons = told(monkeypatch, tmp_path, 6 * 4 * BYTES_A_CELL - 1, unit="id", **columns)
    assert persons.startswith(f"{tmp_path}/r.csv: 6 different combinations of cells in 4 columns")
    for fact in (
        "about 1.5 kB",
        "generalize first, or name fewer columns",
        "4 combinations of quasi-identifiers",
        "smallest class has 1 row",
        "unit column",
    ):
        assert fact in persons
    # A class of two rows, and with nothing left not even the classes can be counted.
    some = told(
        monkeypatch,
        tmp_path,
        2 * 3 * BYTES_A_CELL - 1,
        quasi_identifiers=["age"],
        sensitive=["zip", "dx"],
    )
    assert some.startswith(f"{tmp_path}/r.csv: 5 different combinations of cells in 3 columns")
    assert some.endswith("because of a part that is still too large (2 combinations).")
    nothing = told(monkeypatch, tmp_path, 0, **columns)
    assert nothing.startswith(f"{tmp_path}/r.csv: 5 different combinations of cells in 3 columns")
    assert nothing.endswith("because of a part that is still too large (2 combinations).")
    alone = told(monkeypatch, tmp_path, 2 * BYTES_A_CELL - 1, sensitive=["dx"])
    assert "2 different combinations of cells" in alone
    assert "because of the lack of a quasi-identifier" in alone
    assert "combinations of quasi-identifiers" not in alone
    for left in (needed - 1, needed, None):
        monkeypatch.setattr(memory, "available", lambda left=left: left)
        report = anonaudit.audit(tmp_path / "r.csv", **columns)
        assert report.release.rows == 6
        in_parts = "audited-in-parts" in {warning.code for warning in report.warnings}
        assert in_parts == (left == needed - 1)


def test_a_part_takes_a_quarter_of_what_is_left(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 400 * BYTES_A_CELL)
    assert [memory.parts_needed(n, 10) for n in (1, 10, 11, 40, 100)] == [1, 1, 2, 4, 10]
    monkeypatch.setattr(memory, "available", lambda: 0)
    assert memory.parts_needed(7, 10) == 7
    monkeypatch.setattr(memory, "available", lambda: None)
    assert memory.parts_needed(7, 10) == 1


def test_other_tables_are_named_too(monkeypatch, tmp_path):
    (tmp_path / "voters.csv").write_text("age,name\n1,a\n2,b\n3,c\n")
    columns = {"quasi_identifiers": ["age"], "sensitive": ["dx"], "identity": ["name"]}
    (tmp_path / "few.csv").write_text("age,dx\n1,flu\n")
    monkeypatch.setattr(memory, "available", lambda: 3 * 2 * BYTES_A_CELL - 1)
    with pytest.raises(InputError, match=r"voters\.csv: 3 different combinations"):
        anonaudit.audit(tmp_path / "few.csv", external=tmp_path / "voters.csv", **columns)


@pytest.mark.parametrize("pairing", [{}, {"key": "id"}, {"align": "order"}])
def test_an_original_that_does_not_fit_is_named_as_what_it_is(monkeypatch, tmp_path, pairing):
    """The release has one combination of two columns, or six of three once its rows count."""
    (tmp_path / "o.csv").write_text(ROWS)
    (tmp_path / "r.csv").write_text("id,age,dx\n" + "".join(f"{n},*,*\n" for n in range(1, 7)))
    columns = {"quasi_identifiers": ["age"], "sensitive": ["dx"]}
    # By hand: five pairs of age and dx in the original, 1-flu, 1-hiv, 2-flu, 3-flu, 4-flu.
    rows, wide = (6, 3) if pairing else (5, 2)
    monkeypatch.setattr(memory, "available", lambda: rows * wide * BYTES_A_CELL - 1)
    with pytest.raises(InputError) as refused:
        anonaudit.audit(tmp_path / "r.csv", original=tmp_path / "o.csv", **pairing, **columns)
    told = f"{tmp_path}/o.csv: {rows} different combinations of cells in {wide} columns"
    assert str(refused.value).startswith(told)
    assert "audited in parts" not in str(refused.value)


def test_a_release_that_does_not_fit_is_still_told_what_keeps_it_from_parts(monkeypatch, tmp_path):
    (tmp_path / "o.csv").write_text(ROWS)
    with monkeypatch.context() as patch:
        message = told(patch, tmp_path, 0, quasi_identifiers=["age"], original=tmp_path / "o.csv")
    assert message.startswith(f"{tmp_path}/r.csv: 4 different combinations of cells in 1 column")
    assert "cannot be audited in parts because of an original" in message


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


def test_a_container_over_its_limit_has_nothing_left(monkeypatch, tmp_path):
    """And a release without a row is audited all the same."""
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "none")
    monkeypatch.setattr(memory, "_CONTAINERS", ((tmp_path, "max", "current", "cache"),))
    (tmp_path / "max").write_text("2000\n")
    (tmp_path / "current").write_text("2001\n")
    assert available() == 0
    (tmp_path / "r.csv").write_text("age,dx\n")
    report = anonaudit.audit(tmp_path / "r.csv", quasi_identifiers=["age"], sensitive=["dx"])
    assert report.release.rows == 0


def test_here_something_is_left():
    left = available()
    assert left is None or left > 10**6
