"""The rows of a file in parts: a part that cannot be handed over says so in the user's words."""

from types import SimpleNamespace

import duckdb
import pytest

from anonaudit.cells import Convention
from anonaudit.errors import InputError
from anonaudit.frequency.counting import CountedInParts
from anonaudit.source import duck_parts, open_source
from anonaudit.source.duck import connect


@pytest.fixture
def parts(tmp_path, monkeypatch) -> CountedInParts:
    """Six rows, five combinations, four classes, in three parts."""
    path = tmp_path / "r.csv"
    path.write_text("age,dx\n1,flu\n1,hiv\n2,flu\n3,flu\n4,flu\n4,flu\n")
    monkeypatch.setattr(duck_parts, "parts_needed", lambda *_: 3)
    return CountedInParts(open_source(path), ["age", "dx"], ["age"], Convention())


def test_every_combination_is_in_one_part_and_every_class_too(parts):
    found = list(parts)
    assert sum(part.total for part in found) == 6
    assert sum(len(part) for part in found) == 5
    assert sum(len(part.project(["age"])) for part in found) == 4
    assert len(parts) == 3


@pytest.mark.parametrize("kind", ["BIGINT", "BOOLEAN", "DATE", "DOUBLE", "VARCHAR"])
def test_a_null_of_any_type_is_no_value(kind):
    table = connect().sql(f"SELECT NULL::{kind} AS c0, 1::BIGINT AS n")
    assert duck_parts.Parts(table, ["c0"], (), source="r").any_without_value()


@pytest.mark.parametrize("error", [duckdb.OutOfMemoryException, duckdb.IOException])
def test_no_memory_or_disk_for_a_part(parts, monkeypatch, error):
    def fail(_):
        raise error("no space left")

    told = r"r\.csv: could not be read .*no space left.* disk"
    monkeypatch.setattr(duck_parts, "encoded", fail)
    with pytest.raises(InputError, match=told):
        list(parts)
    monkeypatch.setattr(parts._parts, "_connection", SimpleNamespace(sql=fail))
    with pytest.raises(InputError, match=told):
        parts.different("age")
