"""`--engine`: what reads the release. The engine itself: tests/engines/test_spark.py."""

import sys
from pathlib import Path

import pytest

import anonaudit
from anonaudit.cli import main
from anonaudit.errors import InputError


def ended(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["anonaudit", "audit", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


def test_without_pyspark(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)  # so that importing it fails
    (tmp_path / "t.csv").write_text("a,b\n1,flu\n")
    release = str(tmp_path / "t.csv")
    assert ended(monkeypatch, release, "-q", "a", "--engine", "spark", "--quiet") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "pip install 'anonaudit[spark]'" in err
    assert "Traceback" not in err
    assert "flu" not in err
    assert ended(monkeypatch, release, "-q", "a", "--engine", "duckdb", "--quiet") == 0


def test_no_such_engine(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(InputError, match="there is no engine 'flink'; expected duckdb or spark"):
        anonaudit.audit(tmp_path / "t.csv", quasi_identifiers=["a"], engine="flink")
